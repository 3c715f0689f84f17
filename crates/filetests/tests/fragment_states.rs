//! Outputs and built-ins of fragment shaders that depend on the fixed functions: compiled code on the emulator must draw
//! what lavapipe draws.

use crestline::{FragmentStep, Options, Platform, Simd, compile_spirv};
use crestline_device::{CompareOp, Device, SurfaceFormat};
use crestline_emu::{
    Blend, BlendEquation, BlendFactor, BlendOp, Class, DrawState, Framebuffer, Kernel, Resources,
    SlotValues, StencilOp, StencilTest, Topology,
};
use crestline_filetests::corpus::compile_source;
use crestline_filetests::fragment_states::{CASES, Case, Needs};
use crestline_filetests::stages_page::{self, Outcome, PLATFORMS, Row};
use crestline_frontend::Language;
use crestline_judges::ask;
use crestline_judges::glslang::Glslang;
use crestline_judges::lavapipe::{
    Attachment, Lavapipe, RasterJob, RasterState, RasterVertex, Rasterized, StencilAttachment,
    VertexData,
};
use crestline_program::Varying;

/// Width and height of the picture.
const SIZE: u32 = 32;
/// The colour of attachments before the draw call.
const CLEAR: [f32; 4] = [0.5, 0.25, 2.0, 0.75];
/// The greatest difference of a component.
const TOLERANCE: f32 = 1e-5;

/// The positions in pixels, as clip coordinates with w 1, and the value of `a`.
fn vertices() -> Vec<RasterVertex> {
    let corners = [[1.0, 1.0], [30.0, 3.0], [7.0, 29.0], [31.0, 8.0], [12.0, 31.0], [29.0, 30.0]];
    let vertex = |(index, [x, y]): (usize, [f32; 2])| RasterVertex {
        position: [x / 16.0 - 1.0, y / 16.0 - 1.0, 0.5, 1.0],
        point_size: 3.0 + index as f32,
        values: vec![[x, y, x + y, 1.0 + index as f32].map(f32::to_bits)],
    };
    corners.into_iter().enumerate().map(vertex).collect()
}

/// The state for lavapipe, with attachments of that many samples, and the same for the emulator.
fn states(case: &Case, samples: u32) -> (RasterState, DrawState) {
    let (mut theirs, mut ours) = (RasterState::default(), DrawState::new([SIZE; 2]));
    match case.needs {
        Needs::Triangles => {}
        Needs::Alpha => (theirs.alpha_to_coverage, ours.alpha_to_coverage) = (true, true),
        Needs::Points => (theirs.topology, ours.topology) = ("points", Topology::Points),
        Needs::Lines => (theirs.topology, ours.topology) = ("lines", Topology::Lines),
        Needs::DualSource => {
            theirs.blends = vec![Some([
                "src1_color",
                "one_minus_src1_alpha",
                "add",
                "one",
                "src1_alpha",
                "add",
            ])];
            let (source, destination) = (BlendFactor::Src1Color, BlendFactor::OneMinusSrc1Alpha);
            let colour = BlendEquation { source, destination, op: BlendOp::Add };
            let (source, destination) = (BlendFactor::One, BlendFactor::Src1Alpha);
            let alpha = BlendEquation { source, destination, op: BlendOp::Add };
            ours.colours[0].blend = Some(Blend { colour, alpha });
        }
        Needs::Stencil => {
            theirs.stencil = Some(StencilAttachment {
                contents: vec![20; (SIZE * SIZE * samples) as usize],
                compare: CompareOp::Greater,
                ops: ["invert", "replace"],
                masks: [0xff, 0xff],
                reference: 7,
            });
            let test = StencilTest {
                compare: CompareOp::Greater,
                fail: StencilOp::Invert,
                pass: StencilOp::Replace,
                reference: 7,
                ..StencilTest::default()
            };
            ours.stencil = Some([test; 2]);
        }
    }
    (theirs, ours)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// The contents of the attachments, and the stencil values.
type Drawn = (Vec<Vec<u8>>, Option<Vec<u8>>);

/// Draws with compiled code on pixels with a number of samples.
fn draw(
    case: &Case,
    spirv: &[u32],
    options: &Options,
    state: &DrawState,
    samples: u32,
) -> Result<Drawn, String> {
    let program = compile_spirv(spirv, options).map_err(|error| error.to_string())?;
    let device = Device::new(options.device.platform());
    let kernel = Kernel::load(&program.code, program.metadata, &device)
        .map_err(|error| error.to_string())?;
    let mut framebuffer =
        Framebuffer::with_samples([SIZE; 2], samples).map_err(|error| error.to_string())?;
    for target in 0..case.attachments {
        let colour = CLEAR.map(f32::to_bits);
        framebuffer
            .clear_colour(target, SurfaceFormat::R32G32B32A32_FLOAT, colour)
            .map_err(|error| error.to_string())?;
    }
    if state.stencil.is_some() {
        framebuffer.clear_stencil(20);
    }
    let vertex = |vertex: &RasterVertex| {
        SlotValues::new()
            .with(Varying::Position, vertex.position.map(f32::to_bits))
            .with(Varying::Header, [0, 0, 0, vertex.point_size.to_bits()])
            .with(Varying::Location { location: 0 }, vertex.values[0])
    };
    let strip = vertices().iter().map(vertex).collect();
    let (resources, options) = (Resources::new(), crestline_emu::Options::default());
    let report = kernel
        .draw(state, &[strip], &mut framebuffer, &resources, &options, None)
        .map_err(|error| error.to_string())?;
    let harmful = |class: Class| class != Class::UninitializedRead;
    if let Some(found) = report.diagnostics.iter().find(|found| harmful(found.problem.class())) {
        return Err(found.to_string());
    }
    let colour = |target| framebuffer.colour(target).map_or(Vec::new(), |c| c.1.to_vec());
    Ok(((0..case.attachments).map(colour).collect(), framebuffer.stencils().map(<[u8]>::to_vec)))
}

/// A part of the error that a case gives on a device at a width; `None` if it must draw. Only messages of eight channels write
/// a second colour or a stencil value, and no device before gen9 has the latter.
fn refusal(case: &Case, platform: Platform, simd: Simd) -> Option<&'static str> {
    let narrow = matches!(case.needs, Needs::DualSource | Needs::Stencil);
    match (narrow, simd) {
        (true, Simd::Simd16 | Simd::Simd32) => Some("SIMD8"),
        _ if case.needs == Needs::Stencil && platform != Platform::Skl => {
            Some("the device has no stencil value")
        }
        _ => None,
    }
}

/// Compares attachments and stencil values.
fn compare(
    case: &Case,
    (colours, stencil): &Drawn,
    expected: &Rasterized,
    samples: u32,
) -> Result<(), String> {
    for (target, (found, expected)) in colours.iter().zip(&expected.attachments).enumerate() {
        let (found, expected) = (floats(found), floats(expected));
        let differs = |at: &usize| {
            let (found, expected) = (found[*at], expected[*at]);
            (found - expected).abs() > TOLERANCE * expected.abs().max(1.0)
        };
        let count = (0..found.len()).filter(differs).count();
        if let Some(at) = (0..found.len()).find(differs) {
            let (texel, side) = (at / 4, SIZE as usize);
            let [sample, pixel] = [texel % samples as usize, texel / samples as usize];
            let [x, y] = [pixel % side, pixel / side];
            return Err(format!(
                "component {} of sample {sample} of pixel ({x}, {y}) of attachment {target} is {}, expected {}; {count} differ",
                at % 4,
                found[at],
                expected[at],
            ));
        }
    }
    match case.needs == Needs::Stencil && *stencil != expected.tested {
        true => Err("the stencil values differ".to_owned()),
        false => Ok(()),
    }
}

#[test]
fn pictures_are_those_of_lavapipe() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let Some(glslang) = ask(Glslang::find()) else { return };
    let data = VertexData::new(&[(0, "vec4")], &vertices());
    let vertex = glslang.compile("vert", &data.shader).expect("the vertex shader");
    let (mut failures, mut rows) = (Vec::new(), Vec::new());
    // With four samples, lavapipe 22.3 interpolates along points and lines half a pixel away from the centre.
    let is_judged = |(case, samples): &(&Case, u32)| {
        *samples == 1 || !matches!(case.needs, Needs::Points | Needs::Lines)
    };
    let all = CASES.iter().flat_map(|case| [(case, 1), (case, 4)]);
    for (case, samples) in all.filter(is_judged) {
        let spirv = compile_source("t.frag", Language::Glsl, &case.source())
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let texel: Vec<u8> = CLEAR.iter().flat_map(|value| value.to_le_bytes()).collect();
        let contents = texel.repeat((SIZE * SIZE * samples) as usize);
        let written = |target: u8| match case.name {
            "attachment 3 alone" => target == 3,
            "no output" => false,
            _ => true,
        };
        let attachment = |target| Attachment {
            format: "rgba32f",
            contents: contents.clone(),
            written: written(target),
        };
        let (theirs, ours) = states(case, samples);
        let job = RasterJob {
            views: 0,
            vertex: &vertex,
            fragment: &spirv,
            vertices: data.count,
            size: [SIZE; 2],
            push: Vec::new(),
            buffers: vec![data.buffer.clone()],
            attachments: (0..case.attachments).map(attachment).collect(),
            samples,
        };
        let expected = lavapipe
            .rasterize_with(&job, &theirs)
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let feature = match samples {
            1 => case.name.to_owned(),
            _ => format!("{}, four samples", case.name),
        };
        let judge = "lavapipe".to_owned();
        let mut row = Row { feature: feature.clone(), judge, outcomes: Vec::new() };
        for platform in PLATFORMS {
            for simd in [Simd::Auto, Simd::Simd8, Simd::Simd16, Simd::Simd32] {
                let mut options = Options::new(platform).with_simd(simd);
                options.verify = true;
                options.alpha_to_coverage = case.needs == Needs::Alpha;
                let result = draw(case, &spirv, &options, &ours, samples)
                    .and_then(|found| compare(case, &found, &expected, samples));
                if let Some(expected) = refusal(case, platform, simd) {
                    let error = result.as_ref().err().cloned().unwrap_or_default();
                    if !error.contains(expected) {
                        failures.push(format!("{feature} on {platform}, {simd}: {error:?}"));
                    }
                } else if let Err(error) = &result {
                    failures.push(format!("{feature} on {platform}, {simd}: {error}"));
                }
                row.outcomes.push(Outcome { platform, simd, result });
            }
        }
        rows.push(row);
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    stages_page::check("states", &stages_page::table(&rows));
}

#[test]
fn the_steps_of_outputs_with_states_are_needed() {
    for (name, step) in [
        ("dual source", FragmentStep::SecondColour),
        ("stencil reference", FragmentStep::Stencil),
        ("alpha to coverage", FragmentStep::Source0Alpha),
    ] {
        let case = CASES.iter().find(|case| case.name == name).expect("the case exists");
        let spirv = compile_source("t.frag", Language::Glsl, &case.source())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let (_, state) = states(case, 1);
        let mut options = Options::new(Platform::Skl).with_simd(Simd::Simd8);
        options.alpha_to_coverage = case.needs == Needs::Alpha;
        let right = draw(case, &spirv, &options, &state, 1).expect("it draws");
        options.without_fragment_step = Some(step);
        assert_ne!(draw(case, &spirv, &options, &state, 1), Ok(right), "{name}");
    }
}
