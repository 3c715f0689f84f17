//! Tests images that are not bound, that have no texels, or that are not in the shader's format.

use crestline::{Simd, TARGETS, compile_spirv};
use crestline_device::{Device, Platform, Sampler};
use crestline_emu::{
    Diagnostic, Draw, ImageDimension, ImageShape, Kernel, Options, Problem, Resources, SurfaceName,
};
use crestline_filetests::corpus::{RunTest, compile_source};
use crestline_filetests::engine::{Emulator, OUTSIDE};
use crestline_frontend::Language;
use crestline_judges::lavapipe::{BufferKind, Image};
use crestline_program::ResourceRef;
use crestline_ssa::passes::ImageStep;

use crate::cases::{self, KINDS, LANES, Stage, surface};

/// A shader with loads, stores, atomics, size queries and fetches of images. It writes the results to a buffer.
const NOTHING: &str = "
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

/// Runs [`NOTHING`] with images that are not bound or, if `bound` is set, that have width and height 0. Returns the
/// dwords of its buffer, and the diagnostics. `without` is a step of the lowering to leave out.
fn nothing(
    stage: Stage,
    platform: Platform,
    bound: bool,
    without: Option<ImageStep>,
) -> (Vec<u32>, Vec<Diagnostic>) {
    let place = |binding| ResourceRef { set: 0, binding, element: 0 };
    let (file, head, simd) = match stage {
        Stage::Compute => ("nothing.comp", "layout(local_size_x = 1) in;", Simd::Auto),
        Stage::Vertex => ("nothing.vert", "", Simd::Simd4x2),
    };
    let source = format!("#version 450\n{head}{NOTHING}");
    let words = compile_source(file, Language::Glsl, &source).unwrap_or_else(|e| panic!("{e}"));
    let mut options = crestline::Options::new(platform).with_simd(simd);
    options.without_image_step = without;
    let program = compile_spirv(&words, &options).expect("it compiles");
    let device = Device::new(platform);
    let kernel = Kernel::load(&program.code, program.metadata, &device).expect("it loads");
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
        let shape =
            ImageShape { dimension, format, width: 0, height: 0, depth: 1, levels, samples: 1 };
        resources.set_image(place(binding), shape, &[]).expect("it is small");
    }
    let options = Options::default();
    let report = match stage {
        Stage::Compute => kernel.dispatch([1; 3], &mut resources, &options),
        Stage::Vertex => kernel
            .run_vertices(&Draw::vertices(1), &resources, &options, None)
            .map(|(_, report)| report),
    };
    let report = report.expect("it runs");
    let found = resources.buffer(place(4)).expect("the buffer");
    let words = found.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    (words, report.diagnostics)
}

/// Whether the hardware handles the access that a diagnostic reports. It handles texels outside of a typed image. It
/// handles addresses outside of every surface too, except on devices where an untyped access to a surface that is not
/// `RAW` hangs. In vertex shaders, moves of whole vectors also read components that nothing wrote.
fn is_harmless(found: &Diagnostic, stage: Stage, platform: Platform) -> bool {
    let strict = Device::new(platform).untyped_access_needs_raw_surface();
    match found.problem {
        Problem::UninitializedRead { .. } => stage == Stage::Vertex,
        Problem::OutOfBounds { surface: SurfaceName::Image(_), .. } => true,
        Problem::OutOfBounds { address, .. } => !strict && address >= OUTSIDE,
        _ => false,
    }
}

#[test]
fn images_that_are_not_bound_or_have_no_texels_read_as_zeros() {
    let compute = TARGETS.iter().map(|&platform| (Stage::Compute, platform));
    let vertex = [Platform::Ivb, Platform::Hsw].map(|platform| (Stage::Vertex, platform));
    for ((stage, platform), bound) in
        compute.chain(vertex).flat_map(|case| [false, true].map(|bound| (case, bound)))
    {
        let (found, diagnostics) = nothing(stage, platform, bound, None);
        let name = format!("{stage:?} on {platform}, bound: {bound}");
        // The values alone would not show an access that hangs or reaches other memory.
        let wrong = diagnostics.iter().find(|found| !is_harmless(found, stage, platform));
        assert!(wrong.is_none(), "{name}: {wrong:?}");
        // The size query of an image without columns still returns the image's depth.
        let depth = u32::from(bound);
        let expected: Vec<u32> = (0..29).map(|i| if i == 16 + 4 + 2 { depth } else { 0 }).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn ivy_bridge_would_hang_or_stray_without_the_check() {
    for stage in [Stage::Compute, Stage::Vertex] {
        let (_, found) = nothing(stage, Platform::Ivb, false, Some(ImageStep::Bound));
        let any = |is: fn(&Problem) -> bool| found.iter().any(|found| is(&found.problem));
        assert!(any(|problem| matches!(problem, Problem::NotRaw { .. })), "{stage:?}: {found:?}");
        assert!(
            any(|problem| matches!(problem, Problem::NullAtomic { .. })),
            "{stage:?}: {found:?}"
        );
    }
}

/// The test with images of a format that no chip accesses as raw memory. Images that are only written stay as they are.
pub(crate) fn with_other_images(test: &RunTest) -> RunTest {
    let mut case = test.case.clone();
    for buffer in case.buffers.iter_mut().take(KINDS.len()) {
        if let BufferKind::Image(Image { size, ref mut format, .. }) = buffer.kind {
            *format = "r32ui";
            buffer.contents = vec![0x5a; 4 * size.iter().product::<u32>() as usize];
        }
    }
    let RunTest { name, source, spirv, .. } = test;
    RunTest { name: name.clone(), source: source.clone(), case, spirv: spirv.clone() }
}

#[test]
fn raw_accesses_leave_images_of_another_format_alone() {
    for (format, one) in [("rgba32f", 0), ("rg32i", 1), ("rg32f", 1f32.to_bits())] {
        for (stage, simd) in [(Stage::Compute, Simd::Simd16), (Stage::Vertex, Simd::Simd4x2)] {
            let test = with_other_images(&cases::test(format, true, stage));
            let emulator = Emulator::new(Platform::Ivb, simd);
            let program = emulator.compile(&test).unwrap_or_else(|error| panic!("{error}"));
            let found = emulator.execute(&program, &test);
            let found = found.unwrap_or_else(|error| panic!("{}: {error}", test.name));
            for (image, found) in test.case.buffers.iter().zip(&found).take(KINDS.len()) {
                assert!(image.contents == *found, "{}: {image:?} is written", test.name);
            }
            let loads = found.last().expect("the buffer of texels loaded");
            let texel: Vec<u8> = [0, 0, 0, one].into_iter().flat_map(u32::to_le_bytes).collect();
            assert_eq!(loads, &texel.repeat(KINDS.len() * LANES), "{}", test.name);
        }
    }
}
