//! Generates the cases: a shader per format, with its images, and buffers with coordinates and texels.

use std::fmt::Write;

use crestline_device::SurfaceFormat;
use crestline_filetests::case::Case;
use crestline_filetests::compare::Rule;
use crestline_filetests::corpus::{RunTest, compile_source};
use crestline_filetests::data::Random;
use crestline_frontend::Language;
use crestline_judges::lavapipe::{Buffer, BufferKind, Dimension, Image};

/// The stage that a case's shader runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Compute,
    /// An invocation is a vertex.
    Vertex,
}

/// Number of invocations, in one workgroup or one draw call.
pub(crate) const LANES: usize = 64;

/// Number of texels of every image. Of the invocations, that many access a texel each; the others access coordinates
/// outside of the image.
pub(crate) const TEXELS: usize = 36;

/// A kind of image.
pub(crate) struct Kind {
    pub(crate) dimension: Dimension,
    /// The part of the GLSL type's name behind `image`.
    pub(crate) glsl: &'static str,
    coords: usize,
    size: [u32; 3],
}

pub(crate) const KINDS: &[Kind] = &[
    Kind { dimension: Dimension::D1, glsl: "1D", coords: 1, size: [36, 1, 1] },
    Kind { dimension: Dimension::D2, glsl: "2D", coords: 2, size: [9, 4, 1] },
    Kind { dimension: Dimension::D3, glsl: "3D", coords: 3, size: [4, 3, 3] },
    Kind { dimension: Dimension::Cube, glsl: "Cube", coords: 3, size: [3, 3, 6] },
    Kind { dimension: Dimension::D1Array, glsl: "1DArray", coords: 2, size: [6, 1, 6] },
    Kind { dimension: Dimension::D2Array, glsl: "2DArray", coords: 3, size: [3, 4, 3] },
    Kind { dimension: Dimension::CubeArray, glsl: "CubeArray", coords: 3, size: [2, 2, 12] },
    Kind { dimension: Dimension::Buffer, glsl: "Buffer", coords: 1, size: [36, 1, 1] },
];

pub(crate) fn formats() -> Vec<&'static str> {
    SurfaceFormat::ALL.iter().filter_map(|format| format.glsl_name()).collect()
}

pub(crate) fn surface(format: &str) -> SurfaceFormat {
    SurfaceFormat::from_glsl(format).expect("the formats are GLSL's")
}

/// The prefix of a format's types in GLSL.
pub(crate) fn prefix(format: &str) -> &'static str {
    match surface(format).name() {
        name if name.ends_with("_UINT") => "u",
        name if name.ends_with("_SINT") => "i",
        _ => "",
    }
}

/// The text of the shader. Bindings 0 to 7 are images that are read and written, 8 is only written, 9 is only written and
/// has no format in the shader. Buffers 10 and 11 contain the coordinates and the texels to store; the shader writes the
/// texels that it loads to buffer 12.
fn shader(format: &str, stage: Stage) -> String {
    let prefix = prefix(format);
    let (head, lane) = match stage {
        Stage::Compute => {
            (format!("layout(local_size_x = {LANES}) in;"), "uint lane = gl_LocalInvocationID.x;")
        }
        Stage::Vertex => {
            (String::new(), "uint lane = uint(gl_VertexIndex);\n    gl_Position = vec4(0.0);")
        }
    };
    let mut code = format!(
        "#version 450\n#extension GL_EXT_shader_image_load_formatted : enable\n{head}\n\
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
    let _ = writeln!(code, "void main() {{\n    {lane}");
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

/// The coordinates of the invocations: first each texel, then coordinates of which one is outside, by a little or far.
fn coordinates(kind: &Kind) -> Vec<[i32; 4]> {
    // In the order of the coordinates. For a one-dimensional array, the second is the layer.
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
                // Outside at both sides of each coordinate, near and far.
                let axis = outside % kind.coords;
                let size = extent[axis];
                let places = [-1, size, i32::MIN, i32::MAX, size + 1, -size];
                at[axis] = places[outside / kind.coords % places.len()];
            }
            at
        })
        .collect()
}

/// A random texel to store. The numbers are in the format's range, unless `wild` is set.
fn texel(format: &str, wild: bool, random: &mut Random) -> [u32; 4] {
    const FLOATS: [f32; 11] = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.5, 0.1, 65504.0, 1e-3, 100.0];
    const WILD: [f32; 6] = [f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, 70000.0, f32::NAN];
    // The result of storing a NaN in a normalized format is not defined.
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
pub(crate) fn test(format: &'static str, wild: bool, stage: Stage) -> RunTest {
    let source = shader(format, stage);
    let (file, head) = match stage {
        Stage::Compute => ("image.comp", "//! dispatch 1 1 1".to_owned()),
        Stage::Vertex => ("image.vert", format!("//! dispatch {LANES} 1 1")),
    };
    let spirv = compile_source(file, Language::Glsl, &source).unwrap_or_else(|e| panic!("{e}"));
    let random = &mut Random::new(format.bytes().map(u64::from).sum::<u64>() + u64::from(wild));
    let mut case = Case::parse(&head).expect("a directive");
    let mut add = |binding, kind, contents| {
        case.buffers.push(Buffer { set: 0, binding, element: 0, kind, contents });
        case.rules.push(Rule::exact());
    };
    let texel_bytes = surface(format).bytes() as usize;
    let flat = &KINDS[1];
    for (binding, kind) in KINDS.iter().chain([flat, flat]).enumerate() {
        let texels = kind.size.iter().product::<u32>() as usize;
        // The mask excludes NaNs: engines may change their bits when they convert small floats.
        let mut contents: Vec<u8> =
            (0..texels * texel_bytes).map(|_| random.next() as u8 & 0xbb).collect();
        // Some texels have the least number in every signed channel, which is a special case of the conversion.
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
    RunTest { name: format!("{format} wild {wild} ({stage:?})"), source, case, spirv }
}

/// A texel in which each channel has only its highest bit set.
fn least(format: &str) -> u128 {
    let channels = surface(format).info().channels;
    channels.iter().flatten().fold(0, |texel, c| texel | 1 << (c.shift as u32 + c.bits as u32 - 1))
}
