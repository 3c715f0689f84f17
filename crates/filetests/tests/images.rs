//! Every image format, kind of image and access, in and out of bounds, on every chip: a generated shader per format
//! loads texels of eight kinds of images, stores others, and stores to images that it never reads.
//!
//! What is expected comes from the interpreter, whose model of the formats is its own, on the shader before any
//! lowering; lavapipe judges the same shader where Vulkan says what happens. The emulator must leave the interpreter's
//! results to the bit (but for the last bit of normalized numbers), in every memory layout, whichever of the two
//! documented values the hardware returns for alpha out of bounds, and whether or not its typed writes clamp integers.
//!
//! A compiler that leaves out one step of an access, whichever, must be found out by the same comparison.
//!
//! `CRESTLINE_IMAGES=all` runs every format; without it a few run, chosen by a fixed seed.

use std::collections::BTreeMap;
use std::fmt::Write;

use crestline::{Program, Simd, TARGETS};
use crestline_device::{ChannelKind, Device, Platform, SurfaceFormat};
use crestline_emu::{Layout, Tiling};
use crestline_filetests::case::Case;
use crestline_filetests::compare::Rule;
use crestline_filetests::corpus::{self, RunTest, compile_source};
use crestline_filetests::data::Random;
use crestline_filetests::engine::{Emulator, Engine, Interpreter};
use crestline_filetests::messages;
use crestline_frontend::Language;
use crestline_judges::ask;
use crestline_judges::gen4asm::Gen4Asm;
use crestline_judges::iga::Iga;
use crestline_judges::lavapipe::{Buffer, BufferKind, Dimension, Image, Lavapipe};
use crestline_ssa::passes::ImageStep;

/// Invocations of the one workgroup; the first so many name texels, each its own, the others none.
const LANES: usize = 64;

/// Texels of every image, so that no two invocations store to one.
const TEXELS: usize = 36;

/// Formats of a run without `CRESTLINE_IMAGES=all`, and the seed that chooses them.
const SAMPLE: (usize, u64) = (5, 4);

const PLATFORMS: [Platform; 4] = [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl];

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
fn coordinates(kind: &Kind) -> Vec<[i32; 4]> {
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
            if let Ok(outside) = usize::try_from(lane - TEXELS as i32) {
                // Both sides of each coordinate, one step and far.
                let axis = outside % kind.coords;
                let size = extent[axis];
                let places = [-1, size, i32::MIN, i32::MAX, size + 1, -size];
                at[axis] = places[outside / kind.coords % places.len()];
            }
            at
        })
        .collect()
}

/// A texel to store: numbers in the format's range, or with `wild` any.
fn texel(format: &str, wild: bool, random: &mut Random) -> [u32; 4] {
    const FLOATS: [f32; 11] = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.5, 0.1, 65504.0, 1e-3, 100.0];
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
        let mut contents: Vec<u8> =
            (0..texels * texel_bytes).map(|_| random.next() as u8 & 0xbb).collect();
        // The least number of every signed channel, which is a special case.
        for texel in contents.chunks_mut(texel_bytes).skip(5).step_by(6) {
            texel.copy_from_slice(&least(format).to_le_bytes()[..texel_bytes]);
        }
        let image = Image { dimension: kind.dimension, size: kind.size, format };
        add(binding as u32, BufferKind::Image(image), contents);
    }
    let places: Vec<_> = KINDS.iter().flat_map(coordinates).collect();
    let places = places.into_iter().map(|at| at.map(i32::cast_unsigned));
    add(10, BufferKind::Storage, bytes(places));
    let texels = KINDS.len() * LANES;
    let what: Vec<_> = (0..texels).map(|_| texel(format, wild, random)).collect();
    add(11, BufferKind::Storage, bytes(what));
    add(12, BufferKind::Storage, vec![0; 16 * texels]);
    RunTest { name: format!("{format} wild {wild}"), source, case, spirv }
}

/// A texel whose channels have their highest bit set and no other.
fn least(format: &str) -> u128 {
    let channels = surface(format).info().channels;
    channels.iter().flatten().fold(0, |texel, c| texel | 1 << (c.shift as u32 + c.bits as u32 - 1))
}

/// How far apart the images' channels may be, as numbers of the format's codes.
#[derive(Clone, Copy)]
struct Tolerance {
    codes: u64,
    /// Alpha may be anything where a load leaves the image, and so may a store of what the format cannot hold.
    vulkan: bool,
    /// Images that are only written may be anything: the hardware's writes wrap integers around.
    wrapped: bool,
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
        // Only of images that are not read the hardware itself makes the texels.
        let written = [KINDS.len(), KINDS.len() + 1].contains(&(buffer.binding as usize));
        if written && tolerance.wrapped {
            continue;
        }
        let converted = !tolerance.vulkan && !written;
        let tolerance = if converted { Tolerance { codes: 0, ..tolerance } } else { tolerance };
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
    let swizzled = Device::new(platform).may_swizzle_bit6();
    match number % 4 {
        0 => None,
        1 => Some(Layout { tiling: Tiling::Linear, margin: [1, 3], ..Layout::default() }),
        2 => Some(Layout { tiling: Tiling::X, swizzled, margin: [1, 1], across: 0 }),
        _ => Some(Layout { tiling: Tiling::Y, swizzled, margin: [2, 1], across: 1 }),
    }
}

/// Whether the shader converts the texels of images that it reads and writes, so that nothing is left for the
/// hardware to clamp.
fn is_converted(format: &str, platform: Platform) -> bool {
    Device::new(platform).image_surface_format(surface(format)) != surface(format)
}

/// The formats of a run.
fn chosen() -> Vec<&'static str> {
    let mut chosen = formats();
    if std::env::var("CRESTLINE_IMAGES").as_deref() != Ok("all") {
        let (count, seed) = SAMPLE;
        let random = &mut Random::new(seed);
        while chosen.len() > count {
            chosen.remove(random.below(chosen.len()));
        }
    }
    chosen
}

/// What outside judges find wrong with a program's messages; nothing where they are absent.
fn judged(platform: Platform, code: &[u8]) -> Option<String> {
    let judged = if platform == Platform::Ivb {
        messages::judged_by_gen4disasm(&ask(Gen4Asm::find())?, code)
    } else {
        messages::judged_by_iga(&ask(Iga::find())?, platform, code)
    };
    match judged {
        Ok(0) => Some("no message was judged".into()),
        Ok(_) => None,
        Err(error) => Some(error),
    }
}

#[test]
fn messages_of_image_atomics_and_fences_are_what_the_judges_say() {
    let path = crestline_filetests::repository().join("tests/run/image_atomic.comp");
    let test = corpus::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let mut failures = Vec::new();
    for platform in PLATFORMS {
        for simd in [Simd::Simd8, Simd::Simd16] {
            let emulator = Emulator::new(platform, simd);
            let program = emulator.compile(&test).unwrap_or_else(|error| panic!("{error}"));
            let wrong = judged(platform, &program.code);
            failures.extend(wrong.map(|what| format!("{}: {what}", emulator.name())));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Whether a program leaves something wrong in some layout, or does something wrong on the way.
fn is_noticed(
    format: &str,
    program: &Program,
    mut emulator: Emulator,
    cases: &[(RunTest, Vec<Vec<u8>>)],
) -> bool {
    cases.iter().any(|(test, expected)| {
        (0..8).any(|number| {
            emulator.alpha_one = number % 2 == 1;
            emulator.wrap_integers = number % 4 > 1 && is_converted(format, emulator.platform);
            emulator.layout = layout(number / 2, emulator.platform);
            let wrapped = emulator.wrap_integers;
            let tolerance = Tolerance { codes: 1, vulkan: false, wrapped };
            match emulator.execute(program, test) {
                Ok(found) => difference(format, test, &found, expected, tolerance).is_some(),
                Err(_) => true,
            }
        })
    })
}

#[test]
fn every_step_of_the_lowering_is_needed() {
    let mut failures = Vec::new();
    let mut needed = BTreeMap::new();
    for format in chosen() {
        let cases = [true, false].map(|wild| {
            let test = test(format, wild);
            let expected = Interpreter.run(&test).unwrap_or_else(|e| panic!("{format}: {e}"));
            (test, expected)
        });
        for platform in PLATFORMS {
            let whole = Emulator::new(platform, Simd::Simd8);
            let compiled = |emulator: Emulator| emulator.compile(&cases[0].0);
            let code = compiled(whole).unwrap_or_else(|e| panic!("{format}: {e}")).code;
            for step in ImageStep::ALL {
                let emulator = Emulator { without: Some(step), ..whole };
                let program = compiled(emulator).unwrap_or_else(|e| panic!("{format}: {e}"));
                // A step that is not taken makes no difference.
                if program.code == code {
                    continue;
                }
                *needed.entry(format!("{step:?}")).or_insert(0) += 1;
                if !is_noticed(format, &program, emulator, &cases) {
                    failures.push(format!("{format} on {platform}: {step:?} is not missed"));
                }
            }
        }
    }
    println!("steps left out, and for how many formats and chips: {needed:?}");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn images_of_every_format_are_read_and_written_right() {
    let lavapipe = ask(Lavapipe::open());
    let mut failures = Vec::new();
    for (number, format) in chosen().into_iter().enumerate() {
        for wild in [false, true] {
            let test = test(format, wild);
            let expected = Interpreter.run(&test).unwrap_or_else(|e| panic!("{format}: {e}"));
            if let Some(lavapipe) = lavapipe.filter(|_| !wild) {
                let theirs = test.expected(lavapipe).unwrap_or_else(|e| panic!("{format}: {e}"));
                let tolerance = Tolerance { codes: 1, vulkan: true, wrapped: false };
                if let Some(what) = difference(format, &test, &expected, &theirs, tolerance) {
                    failures.push(format!("{} by lavapipe: {what}", test.name));
                }
            }
            for (p, platform) in PLATFORMS.into_iter().enumerate() {
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
                    if !wild {
                        let wrong = judged(platform, &program.code);
                        failures.extend(wrong.map(|what| format!("{name}: {what}")));
                    }
                    for alpha_one in [false, true] {
                        emulator.alpha_one = alpha_one;
                        let wrapped = alpha_one != wild && is_converted(format, platform);
                        emulator.wrap_integers = wrapped;
                        let odd = usize::from(wild) + 2 * usize::from(alpha_one);
                        emulator.layout = layout(number + p + w + odd, platform);
                        // The hardware's own conversions, of images only written, may round up.
                        let tolerance = Tolerance { codes: 1, vulkan: false, wrapped };
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

/// Loads, stores, atomics, sizes and fetches of images, whose results go to a buffer that begins with other numbers.
const NOTHING: &str = "#version 450
    layout(local_size_x = 1) in;
    layout(set = 0, binding = 0, rgba8) uniform image2D converted;
    layout(set = 0, binding = 1, rgba32f) uniform image3D wide;
    layout(set = 0, binding = 2, r32ui) uniform uimage1D counts;
    layout(set = 0, binding = 3) uniform sampler2D texture_0;
    layout(set = 0, binding = 4) buffer Found { vec4 found[4]; ivec4 sizes[3]; uint old; };
    void main() {
        found[0] = imageLoad(converted, ivec2(0));
        found[1] = imageLoad(wide, ivec3(0));
        found[2] = texelFetch(texture_0, ivec2(0), 0);
        found[3] = textureLod(texture_0, vec2(0.5), 0.0);
        imageStore(converted, ivec2(0), vec4(1.0));
        imageStore(wide, ivec3(0), vec4(1.0));
        old = imageAtomicAdd(counts, 0, 7u);
        sizes[0] = ivec4(imageSize(converted), imageSize(counts), 0);
        sizes[1] = ivec4(imageSize(wide), 0);
        sizes[2] = ivec4(textureSize(texture_0, 0), 0, 0);
    }";

#[test]
fn images_that_are_not_bound_or_have_no_texels_read_as_zeros() {
    use crestline_device::{Device, Sampler};
    use crestline_emu::{ImageDimension, ImageShape, Kernel, Options, Problem, Resources};
    use crestline_program::ResourceRef;

    let words =
        compile_source("nothing", Language::Glsl, NOTHING).unwrap_or_else(|e| panic!("{e}"));
    let place = |binding| ResourceRef { set: 0, binding, element: 0 };
    for &platform in TARGETS {
        let options = crestline::Options::new(platform);
        let program = crestline::compile_spirv(&words, &options).expect("it compiles");
        let device = Device::new(platform);
        let kernel = Kernel::load(&program.code, program.metadata, &device).expect("it loads");
        for bound in [false, true] {
            let mut resources = Resources::new();
            resources.set_buffer(place(4), &[0x77; 4 * 16 + 3 * 16 + 4]);
            resources.set_sampler(place(3), Sampler::default());
            for (binding, format) in [(0, "rgba8"), (1, "rgba32f"), (2, "r32ui"), (3, "rgba8")] {
                if !bound {
                    resources.set_unbound_image(place(binding));
                    continue;
                }
                let dimension = match binding {
                    1 => ImageDimension::D3,
                    2 => ImageDimension::D1,
                    _ => ImageDimension::D2,
                };
                let (format, levels) = (surface(format), 1);
                let shape = ImageShape { dimension, format, width: 0, height: 0, depth: 1, levels };
                resources.set_image(place(binding), shape, &[]).expect("it is small");
            }
            let report =
                kernel.dispatch([1; 3], &mut resources, &Options::default()).expect("it runs");
            // Values alone would not show an atomic that reaches memory elsewhere.
            let mut problems = report.diagnostics.iter().map(|found| &found.problem);
            assert!(!problems.any(|p| matches!(p, Problem::NullAtomic { .. })), "on {platform}");
            let found = resources.buffer(place(4)).expect("the buffer");
            let words: Vec<u32> =
                found.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
            // The depth of a volume without columns is told as it is.
            let depth = usize::from(bound);
            let expected: Vec<u32> =
                (0..29).map(|i| if i == 16 + 4 + 2 { depth as u32 } else { 0 }).collect();
            assert_eq!(words, expected, "on {platform}, bound: {bound}");
        }
    }
}

/// Accesses to arrays whose element each invocation chooses; the interpreter runs it as it stands.
const ELEMENTS: &str = "#version 450
    //! dispatch 1 1 1
    //! image 0.0 = 2d 8x4x1 r32ui: u32 32 * bits
    //! image 0.0[1] = 2d 8x4x1 r32ui: u32 32 * bits
    //! image 0.0[2] = 2d 8x4x1 r32ui: u32 32 * bits
    //! image 0.1 = 1d 32x1x1 rgba8: u8 128 * bits
    //! image 0.1[1] = 1d 32x1x1 rgba8: u8 128 * bits
    //! texture 0.2 = 2d 4x4x1 r32f sampler=nearest:repeat: f32 16 * uniform 0 1
    //! texture 0.2[1] = 2d 8x2x1 r32f sampler=nearest:clamp: f32 16 * uniform 0 1
    //! texture 0.3 = 1d 8x1x1 rg32f: f32 16 * uniform 0 1
    //! texture 0.3[1] = 1d 4x1x1 rg32f: f32 8 * uniform 0 1
    //! sampler 0.4 = nearest:mirror
    //! sampler 0.4[1] = nearest:border:border=opaque_white
    //! sampler 0.4[2] = linear:clamp
    //! buffer 0.5 = zero 512
    //! buffer 0.6 = zero 512
    //! compare 0.1 = u8 abs 1
    //! compare 0.1[1] = u8 abs 1
    //! compare 0.5 = f32 abs 1e-5
    #extension GL_EXT_nonuniform_qualifier : require
    layout(local_size_x = 32) in;
    layout(set = 0, binding = 0, r32ui) uniform uimage2D counts[3];
    layout(set = 0, binding = 1, rgba8) uniform image1D colors[2];
    layout(set = 0, binding = 2) uniform sampler2D planes[2];
    layout(set = 0, binding = 3) uniform texture1D lines[2];
    layout(set = 0, binding = 4) uniform sampler samplers[3];
    layout(set = 0, binding = 5) buffer Found { vec4 found[32]; };
    layout(set = 0, binding = 6) buffer Sizes { ivec4 sizes[32]; };
    void main() {
        int i = int(gl_LocalInvocationID.x);
        int third = i % 3, half_ = i / 3 % 2;
        ivec2 at = ivec2(i % 8, i / 8);
        uint old = imageLoad(counts[nonuniformEXT(third)], at).x;
        imageStore(counts[nonuniformEXT(third)], at, uvec4(old + 1u));
        imageAtomicXor(counts[nonuniformEXT((i + 1) % 3)], at, 0x55u);
        vec4 color = imageLoad(colors[nonuniformEXT(half_)], i);
        imageStore(colors[nonuniformEXT(half_)], i, 1.0 - color);
        float t = (float(i) - 9.7) / 13.0;
        found[i].x = textureLod(planes[nonuniformEXT(half_)], vec2(t, 0.3), 0.0).x;
        found[i].yz = textureLod(
            sampler1D(lines[nonuniformEXT(half_)], samplers[nonuniformEXT(third)]), t, 0.0).xy;
        found[i].w = textureLod(sampler1D(lines[1], samplers[nonuniformEXT(third)]), t, 0.0).y;
        sizes[i].xy = imageSize(counts[nonuniformEXT(third)]);
        sizes[i].zw = textureSize(planes[nonuniformEXT(half_)], 0);
    }";

/// llvmpipe takes the first invocation's element for all, so the interpreter is the judge.
#[test]
fn elements_of_image_arrays_may_differ_between_invocations() {
    let spirv =
        compile_source("elements", Language::Glsl, ELEMENTS).unwrap_or_else(|e| panic!("{e}"));
    let case = Case::parse(ELEMENTS).expect("the directives are right");
    let test = RunTest { name: "elements".into(), source: ELEMENTS.into(), case, spirv };
    let expected = Interpreter.run(&test).unwrap_or_else(|error| panic!("{error}"));
    let mut failures = Vec::new();
    for emulator in Emulator::all() {
        failures.extend(test.failures(&emulator, &expected));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
