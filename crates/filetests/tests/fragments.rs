//! Every fragment shader of `tests/fragments/` in the interpreter, before and after all passes, and on the emulator, compiled
//! alone and linked with its vertex shader: pixels and buffers must be those of lavapipe, bit by bit.
//!
//! All draw the triangle of `vertex.vert` into a picture of 32 by 32 pixels with two attachments, `rgba32f` at location 0 and
//! `rgba32ui` at location 1. Varyings are dyadic fractions of few bits, so interpolation is exact. Lines of a shader that
//! start with `//!` say more:
//!
//! - `//! feature TEXT`: what the shader tests, for the table in `docs/stages.md`;
//! - `//! buffer BYTES`: set 0, binding 0 is a storage buffer of zeros;
//! - `//! textures`: set 0, binding 1 is a `sampler2D` of 32 by 32 texels, and binding 2 a `samplerCube` of 16 by 16, both with all
//!   levels, filtered to the nearest texel and level. A texel is the number of its level, its column, its row, and its face;
//! - `//! many`: binding 7 is an array of twenty `sampler2D` of 8 by 8 texels: the number of the element, the column, the row, 0.
//!   The samplers repeat the texture, those from the sixteenth on mirrored;
//! - `//! sides`: binding 8 is an array of three `sampler2D` with all levels, of 8 by 8, 16 by 16, and 32 by 32 texels, filtered as
//!   binding 1. A texel is the sum of its level and the number of the element, its column, its row, and 0;
//! - `//! shadow`: binding 10 is a `sampler2DShadow` of 32 by 32 texels with all levels, filtered as binding 1, which compares with
//!   `less_or_equal`. The depth of a texel is an eighth of the number of its level;
//! - `//! levels`: binding 6 is as binding 2, but filtered between levels, so that the first component is the level of detail;
//! - `//! within TOLERANCE`: the greatest difference of a component of the first attachment, instead of none;
//! - `//! multisampled`: binding 4 is a `sampler2DMS` of 16 by 16 texels with four samples. A sample is its number, its column,
//!   its row, and 0, like those of the next line;
//! - `//! attachments`: binding 3 is the input attachment with index 0 and one sample, binding 5 the one with index 1 and four
//!   samples;
//! - `//! attachment_arrays`: binding 9 is an array of two input attachments with one sample. A texel is the number of the element,
//!   its column, its row, and 0;
//! - `//! twin`: the shader has a feature that lavapipe does not have. Lavapipe runs the shaders of this name in
//!   `tests/fragments/twins/`, which compute the same without the feature; the vertex shader is that of this name, if there
//!   is one;
//! - `//! samples`: a pixel has four samples;
//! - `//! view NUMBER`: the number of the view that is drawn, which is the layer of the attachments (multiview);
//! - `//! side PIXELS`: the length of the triangle's sides, 64 if nothing is said, which covers the picture. Of a triangle of
//!   another size varyings are not exact.

#[path = "fragments/emulator.rs"]
mod emulator;
#[path = "fragments/random.rs"]
mod random;
#[path = "fragments/samples.rs"]
mod samples;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crestline::FragmentStep;
use crestline_device::{AddressMode, CompareOp, Device, Filter, Platform, Sampler};
use crestline_filetests::corpus::compile_source;
use crestline_filetests::engine::surface_format;
use crestline_filetests::repository;
use crestline_filetests::stages_page::{self, PLATFORMS, Row};
use crestline_frontend::{Language, TranslateOptions, translate};
use crestline_judges::lavapipe::{
    self, Attachment, Buffer, BufferKind, DepthAttachment, Dimension, Lavapipe, RasterJob,
    RasterState, Rasterized, Texture,
};
use crestline_judges::{ask, pictures};
use crestline_ssa::interp::{
    BufferKey, Fragment, FragmentInvocation, FragmentPrimitive, Image, Invocation, Options,
    Outputs, Primitive, Resources, Slots, run_fragments, run_stage,
};
use crestline_ssa::ir::{InterpMode, InterpPlace, IoSlot, Shader, StageInfo, SysVal};
use crestline_ssa::passes;
use crestline_ssa::verify::verify;

/// Width and height of the picture.
const SIZE: u32 = 32;
/// What attachments hold before: a byte that no shader writes.
const CLEAR: u8 = 0xcd;
/// The depth before.
const CLEAR_DEPTH: f32 = 0.25;

/// A fragment shader with what its lines say.
#[derive(Clone)]
struct Case {
    name: String,
    /// What it tests, for the table of features.
    feature: String,
    spirv: Vec<u32>,
    buffer: usize,
    /// The bindings and array elements of its textures.
    textures: Vec<(u32, u32)>,
    side: f32,
    /// The positions of the samples in a pixel.
    samples: Vec<[f32; 2]>,
    within: f32,
    /// The number of the view.
    view: Option<u32>,
    /// The vertex shader.
    vertex: Vec<u32>,
    /// The vertex and the fragment shader that lavapipe runs; `None` for the case's own.
    judged: Option<[Vec<u32>; 2]>,
}

/// The centre of a pixel.
const CENTRE: [f32; 2] = [0.5, 0.5];

/// The positions of the samples in a pixel.
fn positions(samples: u32) -> Vec<[f32; 2]> {
    let place = |place: &[u8; 2]| place.map(|at| f32::from(at) / 16.0);
    pictures::sample_positions(samples).iter().map(place).collect()
}

fn source(path: &Path) -> (String, String) {
    let text = std::fs::read_to_string(path).unwrap();
    (path.file_name().unwrap().to_string_lossy().into_owned(), text)
}

fn compile(path: &Path) -> Vec<u32> {
    let (name, text) = source(path);
    compile_source(&name, Language::Glsl, &text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn cases() -> Vec<Case> {
    let only = std::env::var("CRESTLINE_ONLY").unwrap_or_default();
    let entries = std::fs::read_dir(repository().join("tests/fragments")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "frag"));
    paths.sort();
    let vertex = compile(&repository().join("tests/fragments/vertex.vert"));
    let mut cases = Vec::new();
    for path in paths {
        let (name, text) = source(&path);
        if !name.contains(&only) {
            continue;
        }
        let textures = Vec::new();
        let mut case = Case {
            name,
            feature: String::new(),
            spirv: compile(&path),
            buffer: 0,
            textures,
            side: 64.0,
            samples: positions(1),
            within: 0.0,
            view: None,
            vertex: vertex.clone(),
            judged: None,
        };
        for line in text.lines().filter_map(|line| line.strip_prefix("//! ")) {
            match line.split_once(' ') {
                Some(("feature", text)) => case.feature = text.to_owned(),
                Some(("buffer", bytes)) => case.buffer = bytes.parse().unwrap(),
                Some(("side", pixels)) => case.side = pixels.parse().unwrap(),
                Some(("view", view)) => case.view = Some(view.parse().unwrap()),
                Some(("within", most)) => case.within = most.parse().unwrap(),
                None if line == "levels" => case.textures.push((6, 0)),
                None if line == "many" => case.textures.extend((0..20).map(|e| (7, e))),
                None if line == "shadow" => case.textures.push((10, 0)),
                None if line == "sides" => case.textures.extend((0..3).map(|e| (8, e))),
                None if line == "textures" => case.textures.extend([(1, 0), (2, 0)]),
                None if line == "twin" => {
                    let twin = repository().join("tests/fragments/twins").join(&case.name);
                    let mut judged = vertex.clone();
                    if path.with_extension("vert").exists() {
                        case.vertex = compile(&path.with_extension("vert"));
                        judged = compile(&twin.with_extension("vert"));
                    }
                    case.judged = Some([judged, compile(&twin)]);
                }
                None if line == "samples" => case.samples = positions(4),
                None if line == "multisampled" => case.textures.push((4, 0)),
                None if line == "attachments" => case.textures.extend([(3, 0), (5, 0)]),
                None if line == "attachment_arrays" => case.textures.extend([(9, 0), (9, 1)]),
                _ => panic!("{}: expected a line as described above, found {line}", case.name),
            }
        }
        cases.push(case);
    }
    assert!(!cases.is_empty());
    cases
}

/// The sampler of both textures.
fn sampler() -> Sampler {
    Sampler { address: AddressMode::Repeat, ..Sampler::default() }
}

/// The texture of an array element at a binding, and its texels, level after level.
fn texture((binding, element): (u32, u32)) -> (Texture, Vec<u8>) {
    let (side, faces, samples) = match binding {
        1 | 10 => (32, 1, 1),
        2 | 6 => (16, 6, 1),
        3 | 9 => (SIZE, 1, 1),
        4 => (16, 1, 4),
        7 => (8, 1, 1),
        8 => (8 << element, 1, 1),
        _ => (SIZE, 1, 4),
    };
    let dimension = if faces == 6 { Dimension::Cube } else { Dimension::D2 };
    let depth = binding == 10;
    let format = if depth { "r32f" } else { "rgba32f" };
    let image = lavapipe::Image { dimension, size: [side, side, faces], format };
    let mut texture = Texture { depth, ..Texture::new(image) };
    if matches!(binding, 1 | 2 | 6 | 8 | 10) {
        let mip = if binding == 6 { Filter::Linear } else { Filter::Nearest };
        let compare = depth.then_some(CompareOp::LessOrEqual);
        texture.levels = side.ilog2() + 1;
        texture.sampler = Some(Sampler { mip, compare, ..sampler() });
    }
    if binding == 7 {
        let address = if element < 16 { AddressMode::Repeat } else { AddressMode::Mirror };
        texture.sampler = Some(Sampler { address, ..Sampler::default() });
    }
    (texture.samples, texture.attachment) = (samples, matches!(binding, 3 | 5 | 9));
    let mut bytes = Vec::new();
    for level in 0..texture.levels {
        let size = side >> level;
        for face in 0..faces {
            for (y, x) in (0..size).flat_map(|y| (0..size).map(move |x| (y, x))) {
                if depth {
                    bytes.extend((level as f32 / 8.0).to_le_bytes());
                    continue;
                }
                for sample in 0..samples {
                    let texel = [level + sample + element, x, y, face];
                    bytes.extend(texel.into_iter().flat_map(|n| (n as f32).to_le_bytes()));
                }
            }
        }
    }
    (texture, bytes)
}

/// The outputs of the three vertices.
fn vertices(vertex: &[u32], side: f32) -> Vec<Slots> {
    let shader = translate(vertex, &TranslateOptions::default()).unwrap();
    let mut resources =
        Resources { push_constants: side.to_le_bytes().to_vec(), ..Resources::default() };
    let invocation = |index| Invocation {
        primitive: 0,
        sysvals: BTreeMap::from([(SysVal::VertexIndex, [index, 0, 0])]),
    };
    let invocations = [0, 1, 2].map(invocation);
    let primitives = [Primitive { vertices: vec![Slots::new()], ..Primitive::default() }];
    let options = Options::default();
    match run_stage(&shader, &mut resources, &primitives, &invocations, &options).unwrap().0 {
        Outputs::Vertices(vertices) => vertices,
        other => panic!("{other:?}"),
    }
}

/// Whether the triangle with that side covers a place in a pixel. No centre is on an edge.
fn covers(side: f32, x: u32, y: u32, within: [f32; 2]) -> bool {
    x as f32 + y as f32 + within[0] + within[1] < side
}

/// The inputs of a pixel: what Vulkan's interpolation gives if every `w` is 1. `sample` is the position of the invocation's
/// sample, `centroid` that of a place inside of the pixel and the triangle.
fn inputs(
    shader: &Shader,
    vertices: &[Slots],
    side: f32,
    [x, y]: [u32; 2],
    [sample, centroid]: [[f32; 2]; 2],
) -> Slots {
    let mut slots = Slots::new();
    for var in &shader.inputs {
        let interp = var.interp.unwrap();
        let flat = interp.mode == InterpMode::Flat;
        // The weights of the second and third vertex.
        let within = match interp.place {
            InterpPlace::Sample => sample,
            InterpPlace::Centroid => centroid,
            InterpPlace::Centre => CENTRE,
        };
        let weight = |at: u32, within: f32| (f64::from(at) + f64::from(within)) / f64::from(side);
        let (b, c) = (weight(x, within[0]), weight(y, within[1]));
        for at in 0..var.slots() {
            let slot = var.slot.plus(at).unwrap();
            for comp in (0..4).filter(|comp| var.components(at) >> comp & 1 == 1) {
                let corner = |vertex: usize| vertices[vertex].get(&slot).and_then(|s| s[comp]);
                let Some(corners) = [corner(0), corner(1), corner(2)].into_iter().collect() else {
                    continue;
                };
                let corners: Vec<u32> = corners;
                let float = |i: usize| f64::from(f32::from_bits(corners[i]));
                let interpolated = float(0) + b * (float(1) - float(0)) + c * (float(2) - float(0));
                let bits = if flat { corners[0] } else { (interpolated as f32).to_bits() };
                slots.entry(slot).or_default()[comp] = Some(bits);
            }
        }
    }
    slots
}

/// All quads with a pixel that is covered: the pixels in the order of the interpreter's invocations.
fn quads(side: f32) -> Vec<[u32; 2]> {
    let mut pixels = Vec::new();
    for y in (0..SIZE).step_by(2) {
        for x in (0..SIZE).step_by(2) {
            // The upper left pixel is covered if any is.
            if covers(side, x, y, [0.0; 2]) {
                pixels.extend([[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]]);
            }
        }
    }
    pixels
}

/// What a run of the interpreter left.
struct Found {
    /// The pixel of each invocation, and the samples of which it computes the colour.
    pixels: Vec<([u32; 2], u32)>,
    fragments: Vec<Fragment>,
    buffer: Vec<u8>,
}

/// Runs a fragment shader for all pixels.
fn interpret(case: &Case, shader: &Shader, vertices: &[Slots]) -> Result<Found, String> {
    let pixels = quads(case.side);
    let corner = |x, y| [x, y, 1.0];
    let primitive = Arc::new(FragmentPrimitive {
        vertices: vertices.to_vec(),
        corners: vec![corner(0.0, 0.0), corner(case.side, 0.0), corner(0.0, case.side)],
        samples: case.samples.clone(),
    });
    let per_sample = matches!(shader.stage, StageInfo::Fragment(info) if info.per_sample);
    // Of a shader that runs once for each pixel, `sample` is `None`.
    let mask = |&[x, y]: &[u32; 2], sample: Option<usize>| {
        (0..case.samples.len()).fold(0, |mask, number| {
            let own = sample.is_none_or(|sample| sample == number);
            let covered = own && covers(case.side, x, y, case.samples[number]);
            mask | u32::from(covered) << number
        })
    };
    let invocation = |pixel: &[u32; 2], sample: Option<usize>| {
        let &[x, y] = pixel;
        let own = mask(pixel, sample);
        let number = sample.unwrap_or(0);
        let within = sample.map_or(CENTRE, |number| case.samples[number]);
        let covered = mask(pixel, None);
        let centroid = match covered {
            0 => CENTRE,
            all if all == (1 << case.samples.len()) - 1 => CENTRE,
            some => case.samples[some.trailing_zeros() as usize],
        };
        let at = [x as f32 + within[0], y as f32 + within[1]].map(f32::to_bits);
        let [within_x, within_y] = within.map(f32::to_bits);
        FragmentInvocation {
            inputs: inputs(shader, vertices, case.side, [x, y], [within, centroid]),
            // The triangle runs clockwise, which is the back.
            sysvals: BTreeMap::from([
                (SysVal::FragCoord, [at[0], at[1], 0.5f32.to_bits(), 1.0f32.to_bits()]),
                (SysVal::SampleId, [number as u32, 0, 0, 0]),
                (SysVal::SamplePosition, [within_x, within_y, 0, 0]),
                (SysVal::SampleMaskIn, [own, 0, 0, 0]),
                (SysVal::FullyCovered, [u32::from((x + y + 2) as f32 <= case.side), 0, 0, 0]),
                (SysVal::ViewIndex, [case.view.unwrap_or(0), 0, 0, 0]),
            ]),
            helper: own == 0,
            primitive: Some(primitive.clone()),
        }
    };
    let samples: Vec<Option<usize>> = match per_sample {
        true => (0..case.samples.len()).map(Some).collect(),
        false => vec![None],
    };
    let all = || samples.iter().flat_map(|sample| pixels.iter().map(move |at| (at, *sample)));
    let invocations: Vec<_> = all().map(|(pixel, sample)| invocation(pixel, sample)).collect();
    let pixels = all().map(|(pixel, sample)| (*pixel, mask(pixel, sample))).collect();
    let mut resources = Resources::default();
    resources.bind(0, 0, vec![0; case.buffer]);
    for &(binding, element) in &case.textures {
        let (Texture { image, levels, samples, sampler, .. }, bytes) = texture((binding, element));
        let (format, size) = (surface_format(&image), image.size);
        let key = BufferKey { set: 0, binding, element };
        resources.images.insert(key, Image { format, size, levels, samples, bytes });
        resources.samplers.extend(sampler.map(|sampler| (key, sampler)));
    }
    let (fragments, report) =
        run_fragments(shader, &mut resources, &invocations, &Options::default())
            .map_err(|error| error.to_string())?;
    if let Some(access) = report.out_of_bounds.first() {
        return Err(format!("out of bounds: {access:?}"));
    }
    let buffer = resources.buffer(0, 0).unwrap().to_vec();
    Ok(Found { pixels, fragments, buffer })
}

fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// What is wrong with a run, at most one line for each attachment and buffer.
fn differences(
    case: &Case,
    shader: &Shader,
    vertices: &[Slots],
    drawn: &Rasterized,
) -> Vec<String> {
    let Found { pixels, fragments, buffer } = match interpret(case, shader, vertices) {
        Ok(found) => found,
        Err(error) => return vec![error],
    };
    let mut wrong = Vec::new();
    if case.buffer > 0 {
        let (found, expected) = (dwords(&buffer), dwords(&drawn.buffers[0]));
        if let Some(at) = (0..found.len()).find(|&i| found[i] != expected[i]) {
            let (found, expected) = (found[at], expected[at]);
            wrong.push(format!("dword {at} of the buffer is {found:#x}, expected {expected:#x}"));
        }
    }
    for (location, attachment) in (0..).zip(&drawn.attachments) {
        let expected = dwords(attachment);
        let slot = IoSlot::Location(location);
        // Pixels that are not written keep what was there; undefined components may be anything.
        let mut found: Vec<Option<u32>> =
            vec![Some(u32::from_ne_bytes([CLEAR; 4])); expected.len()];
        let samples = case.samples.len();
        for (([x, y], mask), fragment) in pixels.iter().zip(&fragments) {
            if fragment.helper || shader.output(slot).is_none() {
                continue;
            }
            let comps = fragment.outputs.get(&slot).copied().unwrap_or_default();
            let first = (y * SIZE + x) as usize * samples;
            let mask = mask & fragment.sample_mask();
            for sample in (0..samples).filter(|sample| mask >> sample & 1 == 1) {
                found[4 * (first + sample)..][..4].copy_from_slice(&comps);
            }
        }
        let is_near = |found, expected| {
            let difference = (f32::from_bits(found) - f32::from_bits(expected)).abs();
            location == 0 && difference <= case.within
        };
        let differs = |i: usize| {
            found[i].is_some_and(|found| found != expected[i] && !is_near(found, expected[i]))
        };
        let count = (0..found.len()).filter(|&i| differs(i)).count();
        if let Some(at) = (0..found.len()).find(|&i| differs(i)) {
            let [comp, sample] = [at % 4, at / 4 % samples];
            let pixel = at / 4 / samples;
            let [x, y] = [pixel % SIZE as usize, pixel / SIZE as usize];
            let (found, expected) = (found[at].unwrap_or_default(), expected[at]);
            let floats = [found, expected].map(f32::from_bits);
            wrong.push(format!(
                "component {comp} of sample {sample} of pixel ({x}, {y}) of attachment {location} is {found:#x} ({}), expected {expected:#x} ({}); {count} differ",
                floats[0], floats[1],
            ));
        }
    }
    wrong
}

/// The draw call of a shader.
fn job<'a>(case: &'a Case, shader: &Shader) -> RasterJob<'a> {
    let layers = case.view.map_or(1, |view| view as usize + 1);
    let texels = vec![CLEAR; 16 * (SIZE * SIZE) as usize * case.samples.len() * layers];
    let attachment = |location, format| Attachment {
        format,
        contents: texels.clone(),
        written: shader.output(IoSlot::Location(location)).is_some(),
    };
    let [vertex, fragment] = match &case.judged {
        Some([vertex, fragment]) => [vertex, fragment],
        None => [&case.vertex, &case.spirv],
    };
    let mut job = RasterJob {
        vertex,
        fragment,
        vertices: 3,
        size: [SIZE; 2],
        push: case.side.to_le_bytes().to_vec(),
        buffers: Vec::new(),
        attachments: vec![attachment(0, "rgba32f"), attachment(1, "rgba32ui")],
        views: case.view.map_or(0, |view| 1 << view),
        samples: case.samples.len() as u32,
    };
    if case.buffer > 0 {
        let contents = vec![0; case.buffer];
        let kind = BufferKind::Storage;
        job.buffers.push(Buffer { set: 0, binding: 0, element: 0, kind, contents });
    }
    for &(binding, element) in &case.textures {
        let (texture, contents) = texture((binding, element));
        let kind = BufferKind::Texture(texture);
        job.buffers.push(Buffer { set: 0, binding, element, kind, contents });
    }
    job
}

/// Draws with lavapipe, with a depth attachment that every sample writes. Of a draw call with a view, the result has the layer of
/// the view, and the other layers must not change.
fn draw(lavapipe: &Lavapipe, job: &RasterJob<'_>) -> Result<Rasterized, lavapipe::JobError> {
    let view = job.views.checked_ilog2().unwrap_or(0);
    let texels = (SIZE * SIZE * job.samples) as usize;
    let contents = CLEAR_DEPTH.to_le_bytes().repeat(texels * (view as usize + 1));
    let compare = CompareOp::Always;
    let depth = Some(DepthAttachment { format: "d32", contents, compare, write: true });
    let mut drawn =
        lavapipe.rasterize_with(job, &RasterState { depth, ..RasterState::default() })?;
    if view > 0 {
        for layers in &mut drawn.attachments {
            let of_view = layers.split_off(layers.len() - 16 * texels);
            assert!(std::mem::replace(layers, of_view).iter().all(|byte| *byte == CLEAR));
        }
        if let Some(layers) = &mut drawn.tested {
            *layers = layers.split_off(layers.len() - 4 * texels);
        }
    }
    Ok(drawn)
}

/// The steps that the test `fragment_states` leaves out.
const STATES: [FragmentStep; 3] =
    [FragmentStep::SecondColour, FragmentStep::Stencil, FragmentStep::Source0Alpha];

#[test]
fn every_step_of_the_compiler_is_needed() {
    let cases = cases();
    let mut needless: Vec<FragmentStep> = FragmentStep::ALL.to_vec();
    needless.retain(|step| !STATES.contains(step));
    for case in &cases {
        let shader = translate(&case.spirv, &TranslateOptions::default()).unwrap();
        let (job, vertices) = (job(case, &shader), vertices(&case.vertex, case.side));
        needless.retain(|&step| !emulator::needs(step, case, &job, &vertices));
    }
    assert!(needless.is_empty() || std::env::var_os("CRESTLINE_ONLY").is_some(), "{needless:?}");
}

#[test]
fn interpreter_and_compiled_code_agree_with_lavapipe() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let (mut failures, mut rows) = (Vec::new(), Vec::new());
    for case in cases() {
        let name = &case.name;
        let shader = translate(&case.spirv, &TranslateOptions::default());
        let shader = shader.unwrap_or_else(|error| panic!("{name}: {error}"));
        verify(&shader).unwrap_or_else(|error| panic!("{name}: {error}"));
        let job = job(&case, &shader);
        let drawn = draw(lavapipe, &job).unwrap_or_else(|error| panic!("{name}: {error}"));
        let effects = drawn.attachments.iter().any(|texels| texels.iter().any(|&b| b != CLEAR))
            || drawn.buffers.iter().any(|bytes| bytes.iter().any(|&b| b != 0));
        assert!(effects, "{name}: nothing is drawn");

        let vertices = vertices(&case.vertex, case.side);
        let judge = match (&case.judged, case.within > 0.0) {
            (Some(_), _) => "twin".to_owned(),
            (None, true) => format!("lavapipe, within {}", case.within),
            (None, false) => "lavapipe".to_owned(),
        };
        let mut row = Row { feature: case.feature.clone(), judge, outcomes: Vec::new() };
        row.outcomes = emulator::outcomes(&case, &job, &vertices, &drawn);
        let wrong = row.outcomes.iter().filter_map(|o| Some((o, o.result.as_ref().err()?)));
        let wrong: Vec<String> =
            wrong.map(|(o, e)| format!("{name}, {} {}: {e}", o.platform, o.simd)).collect();
        match emulator::unsupported(name) {
            Some(reason) => {
                assert!(!wrong.is_empty(), "{name}");
                assert!(wrong.iter().all(|text| text.contains(reason)), "{name}: {wrong:?}");
            }
            None => failures.extend(wrong),
        }
        rows.push(row);
        if emulator::unsupported(name).is_none() {
            for platform in PLATFORMS {
                let linked = emulator::linked(&case, &job, &drawn, platform, emulator::WIDTHS[1]);
                let wrong = linked.err();
                failures.extend(wrong.map(|e| format!("{name}, {platform}, linked: {e}")));
            }
        }
        let mut wrong = |what: &str, shader: &Shader| {
            let wrong = differences(&case, shader, &vertices, &drawn);
            failures.extend(wrong.into_iter().map(|text| format!("{name}, {what}: {text}")));
        };
        wrong("as translated", &shader);
        // Without lowering, and as for devices with scalar code, which lower the reads of textures in their ways.
        let devices = [Platform::Ivb, Platform::Hsw, Platform::Skl].map(Device::new);
        let devices = [None, None].into_iter().chain(devices.map(Some));
        for (everywhere, images) in [false, true, true, true, true].into_iter().zip(devices) {
            let mut passed = shader.clone();
            let scalarize = images.is_some();
            let lower = passes::LowerOptions { images, scalarize, ..Default::default() };
            let options = passes::Options {
                optimize_everywhere: everywhere,
                lower,
                ..passes::Options::default()
            };
            passes::optimize(&mut passed, &options, &mut |pass, shader| {
                verify(shader).unwrap_or_else(|e| panic!("{name} after {pass}: {e}\n{shader}"));
            })
            .unwrap();
            wrong("after all passes", &passed);
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    if std::env::var_os("CRESTLINE_ONLY").is_none() {
        rows.sort_by(|a, b| a.feature.cmp(&b.feature));
        stages_page::check("fragments", &stages_page::table(&rows));
    }
}
