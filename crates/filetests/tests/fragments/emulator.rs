//! The same shaders compiled for each device at each SIMD width, drawn by the emulator: pixels and buffers must be those of
//! lavapipe, bit by bit.

use crestline::{
    FragmentStep, Input, Job, LinkOptions, Options, Platform, Simd, compile_spirv, link,
};
use crestline_device::{CompareOp, Device};
use crestline_emu::{
    Class, DepthFormat, DepthTest, Draw, DrawState, Framebuffer, Kernel, Problem, SlotValues,
    SurfaceName,
};
use crestline_filetests::engine::{bound_resources, emulator_key};
use crestline_filetests::stages::to_values;
use crestline_filetests::stages_page::{Outcome, PLATFORMS};
use crestline_judges::lavapipe::{Buffer, Counts, RasterJob, Rasterized};
use crestline_program::{FragmentMetadata, Program, StageMetadata};
use crestline_ssa::interp::Slots;
use crestline_ssa::ir::{IoSlot, SurfaceFormat};

use super::{CLEAR_DEPTH, Case, SIZE, dwords};

/// The SIMD widths, and the widths as numbers.
pub(crate) const WIDTHS: [(Simd, u32); 3] =
    [(Simd::Simd8, 8), (Simd::Simd16, 16), (Simd::Simd32, 32)];

/// The most instructions of a thread. Code without a step may not end.
const BUDGET: u64 = 1 << 20;

/// The number of devices times the number of widths.
pub(crate) const CHOICES: usize = PLATFORMS.len() * WIDTHS.len();

const NO_INTERLOCK: &str = "the device has no critical sections";
const NO_LEAST_LEVEL: &str = "the device has no least level of detail";

/// Shaders that some devices cannot run, with a part of the error's text.
const UNSUPPORTED: [(&str, &str); 10] = [
    ("barycentric.frag", "the device has no inputs of single vertices"),
    ("many_samplers.frag", "the device has no more"),
    ("least_level.frag", NO_LEAST_LEVEL),
    ("least_level_shadow.frag", NO_LEAST_LEVEL),
    ("interlock_pixel_ordered.frag", NO_INTERLOCK),
    ("interlock_pixel_unordered.frag", NO_INTERLOCK),
    ("interlock_sample_ordered.frag", NO_INTERLOCK),
    ("interlock_sample_unordered.frag", NO_INTERLOCK),
    ("fully_covered.frag", "the device has no coverage of whole pixels"),
    ("post_depth.frag", "the device has no input sample mask after the tests"),
];

/// A part of the text of the errors for a shader; `None` if all devices draw it.
pub(crate) fn unsupported(name: &str) -> Option<&'static str> {
    UNSUPPORTED.iter().find(|(found, _)| *found == name).map(|(_, reason)| *reason)
}

/// The results for a shader on all devices at all widths.
pub(crate) fn outcomes(
    case: &Case,
    job: &RasterJob<'_>,
    vertices: &[Slots],
    drawn: &Rasterized,
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for platform in PLATFORMS {
        for (simd, width) in WIDTHS {
            let result = result(case, job, vertices, drawn, platform, (simd, width));
            outcomes.push(Outcome { platform, simd, result });
        }
    }
    outcomes
}

/// What is wrong with the picture of a shader on one device at one width, which `number` chooses.
pub(crate) fn difference(
    case: &Case,
    job: &RasterJob<'_>,
    vertices: &[Slots],
    drawn: &Rasterized,
    number: usize,
) -> Option<String> {
    let platform = PLATFORMS[number % PLATFORMS.len()];
    let width = WIDTHS[number / PLATFORMS.len() % WIDTHS.len()];
    let found = result(case, job, vertices, drawn, platform, width);
    let linked = || linked(case, job, drawn, platform, width);
    let found = found.and_then(|()| linked().map_err(|error| format!("linked: {error}")));
    found.err().map(|error| format!("{platform} {}: {error}", width.0))
}

/// Compares the picture of a shader that is linked with its vertex shader. Both run on the emulator.
pub(crate) fn linked(
    case: &Case,
    job: &RasterJob<'_>,
    drawn: &Rasterized,
    platform: Platform,
    (simd, width): (Simd, u32),
) -> Result<(), String> {
    let stage = |words, options| Job { input: Input::Spirv(words), options };
    let jobs = [
        stage(&case.vertex, Options { verify: true, ..Options::new(platform) }),
        stage(&case.spirv, Options { verify: true, ..options(platform, simd, job) }),
    ];
    let linked = link(&jobs, &LinkOptions::default());
    let linked = linked.map_err(|error| format!("{}: {error}", error.code()))?;
    let [vertex, fragment] = <[_; 2]>::try_from(linked.stages).expect("two stages");
    let device = Device::new(platform);
    let kernel = Kernel::load(&vertex.program.code, vertex.program.metadata, &device)
        .map_err(|error| error.to_string())?;
    let resources = bound_resources(&[], &job.push, None)?;
    let of_run = crestline_emu::Options::default();
    let (strip, _) = kernel
        .run_vertices(&Draw::vertices(3), &resources, &of_run, None)
        .map_err(|error| error.to_string())?;
    let (found, written) = draw_program(fragment.program, job, strip, platform, width, 0xf)?;
    compare(&found, drawn, &written, case.samples.len(), case.within)
}

/// Compares the picture of a shader on one device at one width.
fn result(
    case: &Case,
    job: &RasterJob<'_>,
    vertices: &[Slots],
    drawn: &Rasterized,
    platform: Platform,
    (simd, width): (Simd, u32),
) -> Result<(), String> {
    let mut options = options(platform, simd, job);
    options.verify = true;
    let found = draw(&case.spirv, job, vertices, &options, width, 0xf);
    let samples = case.samples.len();
    found.and_then(|(found, written)| compare(&found, drawn, &written, samples, case.within))
}

/// The options of the compiler. The code is for any number of samples where the device has the numbers of samples in the payload;
/// otherwise the compiler needs to know how many there are.
pub(crate) fn options(platform: Platform, simd: Simd, job: &RasterJob<'_>) -> Options {
    let mut options = Options::new(platform).with_simd(simd);
    if job.samples > 1 && !Device::new(platform).has_sample_ids_in_payload() {
        options.samples = Some(job.samples as u8);
    }
    options
}

/// The metadata of a fragment shader.
pub(crate) fn of_fragment(program: &Program) -> &FragmentMetadata {
    match &program.metadata.stage {
        StageMetadata::Fragment(metadata) => metadata,
        other => panic!("a {} shader", other.name()),
    }
}

/// Compiles and draws. `second_mask` are the components of attachment 1 that the state lets through. Also returns the components of each attachment that the shader writes: bit `i` is component `i`.
pub(crate) fn draw(
    fragment: &[u32],
    job: &RasterJob<'_>,
    vertices: &[Slots],
    options: &Options,
    width: u32,
    second_mask: u8,
) -> Result<(Rasterized, Vec<u8>), String> {
    let program =
        compile_spirv(fragment, options).map_err(|error| format!("{}: {error}", error.code()))?;
    let strip = vertices.iter().map(to_values).collect();
    draw_program(program, job, strip, options.device.platform(), width, second_mask)
}

/// Draws a strip with a program. The other arguments and the result are those of [`draw`].
fn draw_program(
    program: Program,
    job: &RasterJob<'_>,
    strip: Vec<SlotValues>,
    platform: Platform,
    width: u32,
    second_mask: u8,
) -> Result<(Rasterized, Vec<u8>), String> {
    let metadata = of_fragment(&program);
    let written = (0..job.attachments.len() as u8)
        .map(|target| {
            let output = metadata.colour_outputs.iter().find(|output| output.target == target);
            output.map_or(0xf, |output| output.components)
        })
        .collect();
    let device = Device::new(platform);
    let kernel = Kernel::load(&program.code, program.metadata, &device)
        .map_err(|error| error.to_string())?;
    let resources = bound_resources(&job.buffers, &job.push, None)?;
    let view = job.views.checked_ilog2().unwrap_or(0);
    let mut framebuffer =
        Framebuffer::with_samples([SIZE; 2], job.samples).map_err(|error| error.to_string())?;
    for (number, attachment) in (0..).zip(&job.attachments) {
        let format = match attachment.format {
            "rgba32f" => SurfaceFormat::R32G32B32A32_FLOAT,
            _ => SurfaceFormat::R32G32B32A32_UINT,
        };
        // All layers have the same contents.
        let one_layer = &attachment.contents[..attachment.contents.len() / (view as usize + 1)];
        framebuffer
            .set_colour(number, format, one_layer.to_vec())
            .map_err(|error| error.to_string())?;
    }
    framebuffer.clear_depth(DepthFormat::Float32, CLEAR_DEPTH);
    let depth = Some(DepthTest { compare: CompareOp::Always, write: true });
    let mut state = DrawState { depth, simd_width: Some(width), ..DrawState::new([SIZE; 2]) };
    state.colours[1].write_mask = second_mask;
    let report = kernel
        .draw(
            &state,
            &[strip],
            &mut framebuffer,
            &resources,
            &crestline_emu::Options { budget: BUDGET, view_index: view, ..Default::default() },
            None,
        )
        .map_err(|error| error.to_string())?;
    // Components that the shader does not write are undefined, and texels out of bounds are defined.
    let harmless = |problem: Problem| match problem {
        Problem::OutOfBounds { surface: SurfaceName::Image(_), .. } => true,
        problem => problem.class() == Class::UninitializedRead,
    };
    if let Some(found) = report.diagnostics.iter().find(|found| !harmless(found.problem)) {
        return Err(found.to_string());
    }
    let attachment = |number| framebuffer.colour(number).map_or(Vec::new(), |c| c.1.to_vec());
    let buffer = |buffer: &Buffer| resources.buffer(emulator_key(buffer)).unwrap_or_default();
    let found = Rasterized {
        buffers: job.buffers.iter().map(buffer).collect(),
        attachments: (0..job.attachments.len() as u8).map(attachment).collect(),
        tested: framebuffer
            .depths()
            .map(|depths| depths.iter().flat_map(|depth| depth.to_le_bytes()).collect()),
        counts: Counts::default(),
    };
    Ok((found, written))
}

/// Compares buffers, and the written components of attachments with this number of samples. The other components are undefined. Components of attachment 0
/// may differ by `within`.
fn compare(
    found: &Rasterized,
    expected: &Rasterized,
    written: &[u8],
    samples: usize,
    within: f32,
) -> Result<(), String> {
    let [depth, expected_depth] = [found, expected].map(|drawn| drawn.tested.clone().into_iter());
    let lists = [
        ("buffer", &found.buffers, &expected.buffers),
        ("attachment", &found.attachments, &expected.attachments),
        ("depth attachment", &depth.collect(), &expected_depth.collect()),
    ];
    for (what, found, expected) in lists {
        for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
            let (found, expected) = (dwords(found), dwords(expected));
            let compared = if what == "attachment" { written[number] } else { 0xf };
            let near = |found: u32, expected: u32| {
                let [a, b] = [found, expected].map(f32::from_bits);
                found == expected || what == "attachment" && number == 0 && (a - b).abs() <= within
            };
            let differs =
                |at: &usize| compared >> (at % 4) & 1 == 1 && !near(found[*at], expected[*at]);
            let count = (0..found.len()).filter(differs).count();
            if let Some(at) = (0..found.len()).find(differs) {
                let pair = [found[at], expected[at]];
                let (texel, side) = (at / 4 / samples, SIZE as usize);
                let [x, y, sample] = [texel % side, texel / side, at / 4 % samples];
                return Err(format!(
                    "dword {at} (component {} of sample {sample} of pixel ({x}, {y})) of {what} {number} is {:#x} ({}), expected {:#x} ({}); {count} differ",
                    at % 4,
                    pair[0],
                    f32::from_bits(pair[0]),
                    pair[1],
                    f32::from_bits(pair[1]),
                ));
            }
        }
    }
    Ok(())
}

/// Whether the picture of a shader changes if the compiler leaves out a step. The triangle has a perspective.
pub(crate) fn needs(
    step: FragmentStep,
    case: &Case,
    job: &RasterJob<'_>,
    vertices: &[Slots],
) -> bool {
    let mut vertices = vertices.to_vec();
    for (vertex, w) in vertices.iter_mut().zip([1.0f32, 2.0, 4.0]) {
        for comp in vertex.entry(IoSlot::Position).or_default().iter_mut().flatten() {
            *comp = (f32::from_bits(*comp) * w).to_bits();
        }
    }
    [Platform::Ivb, Platform::Skl].into_iter().any(|platform| {
        WIDTHS.into_iter().any(|(simd, width)| {
            let mut options = options(platform, simd, job);
            let right = draw(&case.spirv, job, &vertices, &options, width, 0x5);
            options.without_fragment_step = Some(step);
            let wrong = draw(&case.spirv, job, &vertices, &options, width, 0x5);
            match (right, wrong) {
                (Ok((right, written)), Ok((wrong, _))) => {
                    compare(&wrong, &right, &written, case.samples.len(), 0.0).is_err()
                }
                (Ok(_), Err(_)) => true,
                (Err(_), _) => false,
            }
        })
    })
}
