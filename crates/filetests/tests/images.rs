//! Every image format, kind of image and access, in and out of bounds, on every chip: a generated shader per format
//! loads texels of eight kinds of images, stores others, and stores to images that it never reads.
//!
//! What is expected comes from the interpreter, whose model of the formats is its own, on the shader before any
//! lowering; lavapipe judges the same shader where Vulkan says what happens. The emulator must leave the interpreter's
//! results to the bit (but for the last bit of normalized numbers), in every memory layout, whichever of the two
//! documented values the hardware returns for alpha out of bounds.
//!
//! `CRESTLINE_IMAGES=all` runs every format; without it a few run, chosen by a fixed seed.

use std::fmt::Write;

use crestline::{Simd, TARGETS};
use crestline_device::{ChannelKind, Platform, SurfaceFormat};
use crestline_emu::{Layout, Tiling};
use crestline_filetests::case::Case;
use crestline_filetests::compare::Rule;
use crestline_filetests::corpus::{RunTest, compile_source};
use crestline_filetests::data::Random;
use crestline_filetests::engine::{Emulator, Engine, Interpreter};
use crestline_frontend::Language;
use crestline_judges::ask;
use crestline_judges::lavapipe::{Buffer, BufferKind, Dimension, Image, Lavapipe};

/// Invocations of the one workgroup; the first so many name texels, each its own, the others none.
const LANES: usize = 64;

/// Texels of every image, so that no two invocations store to one.
const TEXELS: usize = 36;

/// Formats of a run without `CRESTLINE_IMAGES=all`, and the seed that chooses them.
const SAMPLE: (usize, u64) = (5, 4);

/// A kind of image.
struct Kind {
    dimension: Dimension,
    /// What follows `image` in GLSL.
    glsl: &'static str,
    coords: usize,
    size: [u32; 3],
}

const KINDS: &[Kind] = &[
    Kind { dimension: Dimension::D1, glsl: "1D", coords: 1, size: [36, 1, 1] },
    Kind { dimension: Dimension::D2, glsl: "2D", coords: 2, size: [9, 4, 1] },
    Kind { dimension: Dimension::D3, glsl: "3D", coords: 3, size: [4, 3, 3] },
    Kind { dimension: Dimension::Cube, glsl: "Cube", coords: 3, size: [3, 3, 6] },
    Kind { dimension: Dimension::D1Array, glsl: "1DArray", coords: 2, size: [6, 1, 6] },
    Kind { dimension: Dimension::D2Array, glsl: "2DArray", coords: 3, size: [3, 4, 3] },
    Kind { dimension: Dimension::CubeArray, glsl: "CubeArray", coords: 3, size: [2, 2, 12] },
    Kind { dimension: Dimension::Buffer, glsl: "Buffer", coords: 1, size: [36, 1, 1] },
];

fn formats() -> Vec<&'static str> {
    SurfaceFormat::ALL.iter().filter_map(|format| format.glsl_name()).collect()
}

fn surface(format: &str) -> SurfaceFormat {
    SurfaceFormat::from_glsl(format).expect("the formats are GLSL's")
}

/// The prefix of a format's types in GLSL.
fn prefix(format: &str) -> &'static str {
    match surface(format).name() {
        name if name.ends_with("_UINT") => "u",
        name if name.ends_with("_SINT") => "i",
        _ => "",
    }
}

/// The shader: bindings 0 to 7 are images that are read and written, 8 one that is only written, 9 one of no format,
/// 10 and 11 the coordinates and texels to store, 12 the texels loaded.
fn shader(format: &str) -> String {
    let prefix = prefix(format);
    let mut code = format!(
        "#version 450\n#extension GL_EXT_shader_image_load_formatted : enable\n\
         layout(local_size_x = {LANES}) in;\n\
         layout(set = 0, binding = 10) readonly buffer Where {{ ivec4 where[]; }};\n\
         layout(set = 0, binding = 11) readonly buffer What {{ {prefix}vec4 what[]; }};\n\
         layout(set = 0, binding = 12) buffer Found {{ {prefix}vec4 found[]; }};\n\
         layout(set = 0, binding = 8, {format}) writeonly uniform {prefix}image2D only_written;\n\
         layout(set = 0, binding = 9) writeonly uniform {prefix}image2D formless;\n"
    );
    for (i, kind) in KINDS.iter().enumerate() {
        let glsl = kind.glsl;
        let _ = writeln!(
            code,
            "layout(set = 0, binding = {i}, {format}) uniform {prefix}image{glsl} image_{i};"
        );
    }
    code.push_str("void main() {\n    uint lane = gl_LocalInvocationID.x;\n");
    for (i, kind) in KINDS.iter().enumerate() {
        let place = format!("where[{} + lane].{}", i * LANES, &"xyz"[..kind.coords]);
        let _ = writeln!(
            code,
            "    found[{0} + lane] = imageLoad(image_{i}, {place});\n    \
             imageStore(image_{i}, {place}, what[{0} + lane]);",
            i * LANES
        );
    }
    let place = format!("where[{} + lane].xy", LANES);
    let _ = writeln!(
        code,
        "    imageStore(only_written, {place}, what[lane]);\n    \
         imageStore(formless, {place}, what[lane]);\n}}"
    );
    code
}

/// Coordinates for the invocations: first every texel, then places one step or far outside along each coordinate.
fn coordinates(kind: &Kind, random: &mut Random) -> Vec<[i32; 4]> {
    // In the order of the coordinates: a one-dimensional array has its layers second.
    let [width, height, depth] = kind.size.map(|n| n as i32);
    let extent = match kind.dimension {
        Dimension::D1Array => [width, depth, 1],
        _ => [width, height, depth],
    };
    let texel = |i: i32| [i % extent[0], i / extent[0] % extent[1], i / extent[0] / extent[1], 0];
    (0..LANES as i32)
        .map(|lane| {
            let mut at = texel(lane % TEXELS as i32);
            if lane >= TEXELS as i32 {
                let axis = random.below(kind.coords);
                let size = extent[axis];
                at[axis] = *random.pick(&[-1, size, i32::MIN, i32::MAX, size + 1, -size]);
            }
            at
        })
        .collect()
}

/// A texel to store: numbers in the format's range, or with `wild` any.
fn texel(format: &str, wild: bool, random: &mut Random) -> [u32; 4] {
    const FLOATS: [f32; 10] = [0.0, 1.0, -1.0, 0.5, 2.0, -3.5, 0.1, 65504.0, 1e-3, 100.0];
    const WILD: [f32; 6] = [f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, 70000.0, f32::NAN];
    // What a NaN becomes in normalized formats is open.
    let normalized = surface(format).name().contains("NORM");
    let wilds = &WILD[..WILD.len() - usize::from(normalized)];
    surface(format).info().channels.map(|channel| {
        let bits = channel.map_or(8, |channel| u32::from(channel.bits));
        let any = random.next() as u32;
        match (prefix(format), wild) {
            ("u", false) => any >> (32 - bits),
            ("i", false) => (any.cast_signed() >> (32 - bits)).cast_unsigned(),
            ("", true) if any.is_multiple_of(3) => random.pick(wilds).to_bits(),
            ("", _) if any % 3 == 1 => random.pick(&FLOATS).to_bits(),
            ("", _) => (random.unit() as f32 * 2.5 - 1.25).to_bits(),
            _ if any.is_multiple_of(2) => any,
            _ => any % 1000,
        }
    })
}

fn bytes(words: impl IntoIterator<Item = [u32; 4]>) -> Vec<u8> {
    words.into_iter().flatten().flat_map(u32::to_le_bytes).collect()
}

/// The shader with its images and buffers.
fn test(format: &'static str, wild: bool) -> RunTest {
    let source = shader(format);
    let spirv = compile_source(format, Language::Glsl, &source).unwrap_or_else(|e| panic!("{e}"));
    let random = &mut Random::new(format.bytes().map(u64::from).sum::<u64>() + u64::from(wild));
    let mut case = Case::parse("//! dispatch 1 1 1").expect("a directive");
    let mut add = |binding, kind, contents| {
        case.buffers.push(Buffer { set: 0, binding, element: 0, kind, contents });
        case.rules.push(Rule::exact());
    };
    let texel_bytes = surface(format).bytes() as usize;
    let flat = &KINDS[1];
    for (binding, kind) in KINDS.iter().chain([flat, flat]).enumerate() {
        let texels = kind.size.iter().product::<u32>() as usize;
        // NaNs of small floats have bits that engines may change.
        let contents = (0..texels * texel_bytes).map(|_| random.next() as u8 & 0xbb).collect();
        let image = Image { dimension: kind.dimension, size: kind.size, format };
        add(binding as u32, BufferKind::Image(image), contents);
    }
    let places: Vec<_> = KINDS.iter().flat_map(|kind| coordinates(kind, random)).collect();
    let places = places.into_iter().map(|at| at.map(i32::cast_unsigned));
    add(10, BufferKind::Storage, bytes(places));
    let texels = KINDS.len() * LANES;
    let what: Vec<_> = (0..texels).map(|_| texel(format, wild, random)).collect();
    add(11, BufferKind::Storage, bytes(what));
    add(12, BufferKind::Storage, vec![0; 16 * texels]);
    RunTest { name: format!("{format} wild {wild}"), source, case, spirv }
}

/// How far apart the images' channels may be, as numbers of the format's codes.
#[derive(Clone, Copy)]
struct Tolerance {
    codes: u64,
    /// Alpha may be anything where a load leaves the image, and so may a store of what the format cannot hold.
    vulkan: bool,
}

/// The first difference between what two engines left.
fn difference(
    format: &str,
    test: &RunTest,
    found: &[Vec<u8>],
    expected: &[Vec<u8>],
    tolerance: Tolerance,
) -> Option<String> {
    for ((buffer, found), expected) in test.case.buffers.iter().zip(found).zip(expected) {
        let differs = match buffer.kind {
            BufferKind::Image(image) => texels_differ(format, found, expected, tolerance)
                .map(|at| format!("{image:?} {at}")),
            _ => loads_differ(format, found, expected, tolerance),
        };
        if let Some(what) = differs {
            return Some(format!("binding {}: {what}", buffer.binding));
        }
    }
    None
}

/// Texels in memory, channel by channel.
fn texels_differ(
    format: &str,
    found: &[u8],
    expected: &[u8],
    tolerance: Tolerance,
) -> Option<String> {
    let surface = surface(format);
    let size = surface.bytes() as usize;
    let bits = |texel: &[u8]| {
        let mut bytes = [0; 16];
        bytes[..texel.len()].copy_from_slice(texel);
        u128::from_le_bytes(bytes)
    };
    for (i, (a, b)) in found.chunks(size).zip(expected.chunks(size)).enumerate() {
        let (a, b) = (bits(a), bits(b));
        for (c, channel) in surface.info().channels.iter().enumerate() {
            let Some(channel) = channel else { continue };
            let mask = (1u128 << channel.bits) - 1;
            let part = |texel: u128| (texel >> channel.shift & mask) as u64;
            let (x, y) = (part(a), part(b));
            let integer = matches!(channel.kind, ChannelKind::Uint | ChannelKind::Sint);
            let codes = if integer || channel.bits == 32 { 0 } else { tolerance.codes };
            // Codes of signed numbers wrap around.
            let apart = x.wrapping_sub(y).min(y.wrapping_sub(x)) & mask as u64;
            if x != y && apart > codes {
                return Some(format!("texel {i} channel {c}: {x:#x}, expected {y:#x}"));
            }
        }
    }
    None
}

/// Texels as loaded.
fn loads_differ(
    format: &str,
    found: &[u8],
    expected: &[u8],
    tolerance: Tolerance,
) -> Option<String> {
    let word = |bytes: &[u8], i: usize| {
        u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]])
    };
    let channels = surface(format).info().channels;
    for i in (0..found.len()).step_by(4) {
        let (a, b) = (word(found, i), word(expected, i));
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        let (lane, comp) = (i / 16 % LANES, i / 4 % 4);
        let near = (x - y).abs() <= y.abs() * f32::EPSILON || x.is_nan() && y.is_nan();
        let outside = lane >= TEXELS && tolerance.vulkan && (comp == 3 || channels[comp].is_none());
        if a != b && !(prefix(format).is_empty() && near) && !outside {
            let kind = KINDS[i / 16 / LANES].glsl;
            return Some(format!("{kind} lane {lane} component {comp}: {a:#x}, expected {b:#x}"));
        }
    }
    None
}

/// A layout for images, a different one for each number.
fn layout(number: usize, platform: Platform) -> Option<Layout> {
    let swizzled = crestline_device::Device::new(platform).may_swizzle_bit6();
    match number % 4 {
        0 => None,
        1 => Some(Layout { tiling: Tiling::Linear, margin: [1, 3], ..Layout::default() }),
        2 => Some(Layout { tiling: Tiling::X, swizzled, margin: [1, 1], across: 0 }),
        _ => Some(Layout { tiling: Tiling::Y, swizzled, margin: [2, 1], across: 1 }),
    }
}

#[test]
fn images_of_every_format_are_read_and_written_right() {
    let mut chosen = formats();
    if std::env::var("CRESTLINE_IMAGES").as_deref() != Ok("all") {
        let (count, seed) = SAMPLE;
        let random = &mut Random::new(seed);
        while chosen.len() > count {
            chosen.remove(random.below(chosen.len()));
        }
    }
    let lavapipe = ask(Lavapipe::open());
    let platforms = [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl];
    let mut failures = Vec::new();
    for (number, format) in chosen.into_iter().enumerate() {
        for wild in [false, true] {
            let test = test(format, wild);
            let expected = Interpreter.run(&test).unwrap_or_else(|e| panic!("{format}: {e}"));
            if let Some(lavapipe) = lavapipe.filter(|_| !wild) {
                let theirs = test.expected(lavapipe).unwrap_or_else(|e| panic!("{format}: {e}"));
                let tolerance = Tolerance { codes: 1, vulkan: true };
                if let Some(what) = difference(format, &test, &expected, &theirs, tolerance) {
                    failures.push(format!("{} by lavapipe: {what}", test.name));
                }
            }
            for (p, platform) in platforms.into_iter().enumerate() {
                if !TARGETS.contains(&platform) {
                    continue;
                }
                for (w, simd) in [Simd::Simd8, Simd::Simd16].into_iter().enumerate() {
                    let mut emulator = Emulator::new(platform, simd);
                    let name = format!("{} on {}", test.name, emulator.name());
                    let program = match emulator.compile(&test) {
                        Ok(program) => program,
                        Err(error) => {
                            failures.push(format!("{name}: {error}"));
                            continue;
                        }
                    };
                    for alpha_one in [false, true] {
                        emulator.alpha_one = alpha_one;
                        let odd = usize::from(wild) + 2 * usize::from(alpha_one);
                        emulator.layout = layout(number + p + w + odd, platform);
                        // The hardware's own conversions, of images only written, may round up.
                        let tolerance = Tolerance { codes: 1, vulkan: false };
                        let wrong = match emulator.execute(&program, &test) {
                            Ok(found) => difference(format, &test, &found, &expected, tolerance),
                            Err(error) => Some(error),
                        };
                        failures.extend(wrong.map(|what| {
                            format!("{name}, alpha {alpha_one}, {:?}: {what}", emulator.layout)
                        }));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
