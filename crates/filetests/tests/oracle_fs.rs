//! The fragment shaders of the oracle pack: another compiler's code draws the pictures that lavapipe draws, and so does the code
//! of this compiler.

use crestline::{Options as CompileOptions, Platform, Simd, compile_spirv};
use crestline_device::{AddressMode, CompareOp, Device, Filter, Sampler, SurfaceFormat};
use crestline_emu::{
    Class, DepthFormat, DepthTest, DrawState, Framebuffer, ImageDimension, ImageShape, Kernel,
    Options, Report, Resources, SlotValues,
};
use crestline_judges::ask;
use crestline_judges::glslang::Glslang;
use crestline_judges::lavapipe::{
    self, Buffer, BufferKind, DepthAttachment, Dimension, Lavapipe, RasterJob, RasterState,
    RasterVertex, Rasterized, Texture, VertexData,
};
use crestline_judges::oracle::{FragmentCase, Oracle};
use crestline_judges::pictures::{self, Comparison, Rule};
use crestline_program::{Program, ResourceRef, Varying};
use crestline_testing::damage::flip_bits;
use crestline_testing::{MUTATIONS, rounds};

const SIZE: [u32; 2] = [64, 48];
/// The colour of attachments before the draw call.
const CLEAR: [f32; 4] = [0.25, -0.5, 2.0, 1.0];
/// The depth before the draw call.
const CLEAR_DEPTH: f32 = 0.9;
/// The side of the textures, and their levels.
const SIDE: u32 = 16;
const LEVELS: u32 = 5;

/// What a case draws.
struct Picture {
    vertices: Vec<RasterVertex>,
    push: Vec<u8>,
    buffers: Vec<(ResourceRef, Vec<u8>)>,
    textures: Vec<(ResourceRef, Vec<u8>, Sampler)>,
    rule: Rule,
}

fn floats(values: [f32; 4]) -> [u32; 4] {
    values.map(f32::to_bits)
}

/// The positions of two triangles that overlap, given in pixels. The second one has a perspective, unless `flat`.
fn positions(flat: bool) -> [[f32; 4]; 6] {
    let [width, height] = SIZE.map(|side| side as f32);
    let at = |x: f32, y: f32, z: f32, w: f32| {
        [(2.0 * x / width - 1.0) * w, (2.0 * y / height - 1.0) * w, z * w, w]
    };
    let [near, far] = if flat { [1.0, 1.0] } else { [0.5, 3.0] };
    [
        at(2.25, 4.5625, 0.2, 1.0),
        at(54.875, 0.75, 0.6, 1.0),
        at(21.375, 44.9375, 0.4, 1.0),
        at(23.4375, 8.8125, 0.7, near),
        at(36.125, 45.75, 0.1, 1.0),
        at(63.0625, 19.6875, 0.5, far),
    ]
}

/// The picture of a case for pixels with a number of samples.
fn picture(case: &FragmentCase, samples: u32) -> Picture {
    let mut random = fastrand::Rng::with_seed(case.name.bytes().map(u64::from).sum());
    // At the centroid, lavapipe 22.3 divides by w at the centre of the pixel.
    let flat = matches!(case.name.as_str(), "derivatives" | "texture")
        || case.name == "interp" && samples > 1;
    let rule =
        if case.name == "texture" { Rule::Filtered } else { Rule::Interpolated { range: None } };
    let mut vertices = Vec::new();
    for position in positions(flat) {
        let mut values = Vec::new();
        for (_, declaration) in &case.inputs {
            let float = |random: &mut fastrand::Rng| (random.f32() * 2.0 - 0.7).to_bits();
            values.push(match declaration.split(' ').next_back() {
                // The pack's `int_math` unpacks a half from the last component, and must not get a NaN.
                Some("uvec4") => [
                    random.u32(0..1 << 16),
                    random.u32(1..1 << 12),
                    random.u32(..),
                    (1.0 + random.f32()).to_bits() & 0xffff_3fff,
                ],
                Some("ivec2" | "int") => [random.u32(0..3), random.u32(0..40), 0, 0],
                // A shader converts its second component to an unsigned integer.
                _ => std::array::from_fn(|i| {
                    float(&mut random) & if i == 1 { !(1 << 31) } else { !0 }
                }),
            });
        }
        vertices.push(RasterVertex { position, point_size: 1.0, values });
    }
    let mut picture =
        Picture { vertices, push: Vec::new(), buffers: vec![], textures: vec![], rule };
    if case.name == "discard" {
        picture.push.extend(0.1f32.to_le_bytes());
    }
    if case.name == "flow_ubo" {
        for scale in [0.75f32, 0.5, -0.5, 0.25] {
            picture.push.extend(scale.to_le_bytes());
        }
        picture.push.extend(23u32.to_le_bytes());
    }
    if !picture.push.is_empty() {
        picture.push.resize(32, 0);
    }
    for (kind, resource) in &case.resources {
        match kind.as_str() {
            "ubo" => {
                let values = (0..4 * 33).flat_map(|_| (random.f32() - 0.4).to_le_bytes());
                picture.buffers.push((*resource, values.collect()));
            }
            "ssbo" => picture.buffers.push((*resource, vec![0; 16 + 64 * 16])),
            "sampled_texture" => {
                let texels: u32 = (0..LEVELS).map(|level| (SIDE >> level).pow(2)).sum();
                let bytes = (0..4 * texels).map(|_| random.u8(..)).collect();
                let sampler = Sampler {
                    filter: Filter::Linear,
                    // Between levels, lavapipe is too coarse: see `pictures`.
                    mip: Filter::Nearest,
                    address: AddressMode::Repeat,
                    ..Sampler::default()
                };
                picture.textures.push((*resource, bytes, sampler));
            }
            other => panic!("{}: a resource of kind {other}", case.name),
        }
    }
    picture
}

/// The samples of all pixels.
fn all(samples: u32) -> usize {
    (SIZE[0] * SIZE[1] * samples) as usize
}

fn clear(samples: u32) -> Vec<u8> {
    let texel: Vec<u8> = CLEAR.iter().flat_map(|value| value.to_le_bytes()).collect();
    texel.repeat(all(samples))
}

/// Draws with lavapipe.
fn judge(
    lavapipe: &Lavapipe,
    glslang: &Glslang,
    case: &FragmentCase,
    picture: &Picture,
    samples: u32,
) -> Rasterized {
    let inputs: Vec<(u32, &str)> =
        case.inputs.iter().map(|(location, text)| (*location, text.as_str())).collect();
    let data = VertexData::new(&inputs, &picture.vertices);
    let vertex = glslang.compile("vert", &data.shader).unwrap();
    let mut buffers = vec![data.buffer];
    for (resource, contents) in &picture.buffers {
        let storage = case.resources.iter().any(|(kind, r)| r == resource && kind == "ssbo");
        buffers.push(Buffer {
            set: resource.set,
            binding: resource.binding,
            element: 0,
            kind: if storage { BufferKind::Storage } else { BufferKind::Uniform },
            contents: contents.clone(),
        });
    }
    for (resource, contents, sampler) in &picture.textures {
        let image =
            lavapipe::Image { dimension: Dimension::D2, size: [SIDE, SIDE, 1], format: "rgba8" };
        let kind = BufferKind::Texture(Texture {
            levels: LEVELS,
            sampler: Some(*sampler),
            ..Texture::new(image)
        });
        let (set, binding, contents) = (resource.set, resource.binding, contents.clone());
        buffers.push(Buffer { set, binding, element: 0, kind, contents });
    }
    let attachment =
        lavapipe::Attachment { format: "rgba32f", contents: clear(samples), written: true };
    let job = RasterJob {
        views: 0,
        vertex: &vertex,
        fragment: &case.spirv,
        vertices: data.count,
        size: SIZE,
        push: picture.push.clone(),
        buffers,
        attachments: vec![attachment; usize::from(case.colour_targets)],
        samples,
    };
    let depth = CLEAR_DEPTH.to_le_bytes().repeat(all(samples));
    let state = RasterState {
        depth: Some(DepthAttachment {
            format: "d32",
            contents: depth,
            compare: CompareOp::Less,
            write: true,
        }),
        ..RasterState::default()
    };
    lavapipe.rasterize_with(&job, &state).unwrap()
}

/// Draws with a program on the emulator.
fn emulate(
    case: &FragmentCase,
    program: Program,
    picture: &Picture,
    samples: u32,
) -> Result<(Framebuffer, Resources, Report), String> {
    let device = Device::new(program.metadata.platform);
    let kernel =
        Kernel::load(&program.code, program.metadata, &device).map_err(|e| e.to_string())?;
    let vertex = |one: &RasterVertex| {
        let start = SlotValues::new().with(Varying::Position, one.position.map(f32::to_bits));
        case.inputs.iter().zip(&one.values).fold(start, |vertex, ((location, _), values)| {
            vertex.with(Varying::Location { location: *location }, *values)
        })
    };
    let vertices: Vec<SlotValues> = picture.vertices.iter().map(vertex).collect();
    let mut framebuffer = Framebuffer::with_samples(SIZE, samples).unwrap();
    for target in 0..case.colour_targets {
        let format = SurfaceFormat::R32G32B32A32_FLOAT;
        framebuffer.clear_colour(target, format, floats(CLEAR)).unwrap();
    }
    framebuffer.clear_depth(DepthFormat::Float32, CLEAR_DEPTH);
    let mut resources = Resources::new();
    resources.set_push_constants(&picture.push);
    for (resource, contents) in &picture.buffers {
        resources.set_buffer(*resource, contents);
    }
    for (resource, contents, sampler) in &picture.textures {
        let shape = ImageShape {
            dimension: ImageDimension::D2,
            format: SurfaceFormat::R8G8B8A8_UNORM,
            width: SIDE,
            height: SIDE,
            depth: 1,
            levels: LEVELS,
            samples: 1,
        };
        resources.set_image(*resource, shape, contents).unwrap();
        resources.set_sampler(*resource, *sampler);
    }
    let mut state = DrawState::new(SIZE);
    state.depth = Some(DepthTest { compare: CompareOp::Less, write: true });
    let options = Options { budget: 100_000, ..Options::default() };
    let report = kernel
        .draw(&state, &[vertices], &mut framebuffer, &resources, &options, None)
        .map_err(|error| error.to_string())?;
    Ok((framebuffer, resources, report))
}

/// Compares what the emulator drew with what lavapipe drew. `harmless` states whether reads of registers that were never
/// written do not matter.
fn differences(
    case: &FragmentCase,
    program: Program,
    picture: &Picture,
    expected: &Rasterized,
    (samples, harmless): (u32, bool),
) -> Result<Vec<Comparison>, String> {
    let (framebuffer, resources, report) = emulate(case, program, picture, samples)?;
    let harmless = |class| harmless && class == Class::UninitializedRead;
    if let Some(found) = report.diagnostics.iter().find(|d| !harmless(d.problem.class())) {
        return Err(found.to_string());
    }
    let [width, height] = SIZE.map(f64::from);
    let corner = |position: [f32; 4]| {
        let [x, y, _, w] = position.map(f64::from);
        [(x / w + 1.0) * width / 2.0, (y / w + 1.0) * height / 2.0]
    };
    let corners: Vec<[f64; 2]> = picture.vertices.iter().map(|one| corner(one.position)).collect();
    let triangles: Vec<[[f64; 2]; 3]> = corners.as_chunks::<3>().0.to_vec();
    // A row has the samples of its pixels.
    let width = SIZE[0] as usize * samples as usize;
    let near = |x: usize, y: usize| {
        let [x, sample] = [x / samples as usize, x % samples as usize];
        pictures::sample_near_edge(&triangles, [x, y], samples, sample)
    };
    let mut all = Vec::new();
    // The order of the pixels decides the colours of `side_effects`, and what it stores.
    if case.name == "side_effects" {
        let found = resources.buffer(picture.buffers[0].0).unwrap();
        let expected = &expected.buffers[1];
        if found[..8] != expected[..8] {
            return Err(format!(
                "count and maximum {:?}, expected {:?}",
                &found[..8],
                &expected[..8]
            ));
        }
    } else {
        for (target, expected) in (0..).zip(&expected.attachments) {
            let (_, texels) = framebuffer.colour(target).unwrap();
            let (expected, found) = (pictures::floats(expected), pictures::floats(texels));
            let shape = (width, 4);
            let result = pictures::compare(picture.rule, shape, &expected, &found, near);
            all.push(result.map_err(|error| format!("attachment {target}: {error}"))?);
        }
    }
    let found: Vec<f64> = framebuffer.depths().unwrap().into_iter().map(f64::from).collect();
    let expected = pictures::floats(expected.tested.as_ref().unwrap());
    let shape = (width, 1);
    let result =
        pictures::compare(Rule::Interpolated { range: None }, shape, &expected, &found, near);
    all.push(result.map_err(|error| format!("depth: {error}"))?);
    Ok(all)
}

#[test]
fn pictures_of_another_compilers_code_are_those_of_lavapipe() {
    let Some(oracle) = ask(Oracle::find()) else { return };
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let Some(glslang) = ask(Glslang::find()) else { return };
    let only = std::env::var("CRESTLINE_ORACLE_ONLY").unwrap_or_default();
    let (mut passed, mut failures) = (0, Vec::new());
    let cases = oracle.fragment_cases().expect("the pack is readable");
    for (case, samples) in cases.iter().flat_map(|case| [(case, 1), (case, 4)]) {
        let picture = picture(case, samples);
        let expected = judge(lavapipe, &glslang, case, &picture, samples);
        // The pack's code of this case is for one sample: it has the centre for the centroid.
        let fits = case.name != "interp" || samples == 1;
        for variant in case.variants.iter().filter(|_| fits) {
            let name = format!("{}/{variant}, {samples} sample(s)", case.name);
            if !name.starts_with(&only) {
                continue;
            }
            let found = case.variant(variant).map_err(|error| error.to_string());
            let found = found.and_then(|variant| {
                let program = Program { code: variant.code, metadata: variant.metadata };
                // A prefix sum reads the lane before the first one, and replaces what it read.
                let harmless = case.name == "side_effects";
                differences(case, program, &picture, &expected, (samples, harmless))
            });
            match found {
                Ok(all) => {
                    passed += 1;
                    let worst = all.iter().map(|one| one.worst).fold(0.0, f64::max);
                    println!("{name}: {worst:.3} of the tolerance");
                }
                // Gen11 is not compiled for; its messages may have extended descriptors in registers.
                Err(error) if name.starts_with("mrt/icl") && error.contains("not supported") => {
                    println!("{name}: {error}");
                }
                Err(error) => failures.push(format!("{name}: {error}")),
            }
        }
    }
    assert!(failures.is_empty(), "{passed} passed, failed:\n{}", failures.join("\n"));
    assert!(!only.is_empty() || passed == 166, "{passed} variants");
}

#[test]
fn pictures_of_our_code_are_those_of_lavapipe() {
    let Some(oracle) = ask(Oracle::find()) else { return };
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let Some(glslang) = ask(Glslang::find()) else { return };
    let mut failures = Vec::new();
    let cases = oracle.fragment_cases().expect("the pack is readable");
    for (case, samples) in cases.iter().flat_map(|case| [(case, 1), (case, 4)]) {
        let picture = picture(case, samples);
        let expected = judge(lavapipe, &glslang, case, &picture, samples);
        for platform in [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl] {
            // All widths in one program, then each alone.
            for simd in [Simd::Auto, Simd::Simd8, Simd::Simd16, Simd::Simd32] {
                let mut options = CompileOptions::new(platform).with_simd(simd);
                options.verify = true;
                let found = compile_spirv(&case.spirv, &options)
                    .map_err(|error| error.to_string())
                    // The outputs of discarded pixels are undefined, and an integer product on gen7 reads the
                    // accumulator of disabled channels.
                    .and_then(|program| {
                        differences(case, program, &picture, &expected, (samples, true))
                    });
                let name = format!("{} on {platform}, {simd}, {samples} sample(s)", case.name);
                failures.extend(found.err().map(|error| format!("{name}: {error}")));
            }
        }
    }
    assert!(failures.is_empty(), "failed:\n{}", failures.join("\n"));
}

#[test]
fn damaged_code_draws_or_is_refused() {
    let Some(oracle) = ask(Oracle::find()) else { return };
    let mut random = fastrand::Rng::with_seed(3);
    let rounds = rounds(MUTATIONS, 6);
    let (mut drawn, mut refused) = (0, 0);
    for case in oracle.fragment_cases().expect("the pack is readable") {
        let mut picture = picture(&case, 4);
        // One triangle is enough.
        picture.vertices.truncate(3);
        for name in &case.variants {
            let variant = case.variant(name).expect("the variant is readable");
            for _ in 0..rounds {
                let mut code = variant.code.clone();
                flip_bits(&mut code, random.usize(1..=3), &mut random);
                let program = Program { code, metadata: variant.metadata.clone() };
                match emulate(&case, program, &picture, 4) {
                    Ok(_) => drawn += 1,
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(drawn > 0 && refused > 0, "{drawn} drawn, {refused} refused");
}
