//! Damaged machine code and damaged metadata: an error or a wrong result, never a panic, a hang
//! or a large allocation.

mod common;

use crestline_device::{Device, SurfaceFormat};
use crestline_emu::{
    Attribute, Draw, EmuError, ImageDimension, ImageShape, Kernel, Options, Patch, Primitive,
    Resources, Sampler, SlotValues,
};
use crestline_judges::oracle::vec4::{ShaderStage, StageData};
use crestline_judges::oracle::{Case, CaseResource, CaseSampler, Compiler, Oracle};
use crestline_program::{Metadata, StageMetadata};

/// A small generator of numbers, always the same ones.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// Loads and runs one workgroup, or a few vertices; what happens does not matter.
fn try_to_run(code: &[u8], metadata: Metadata, resources: &mut Resources) -> Result<(), EmuError> {
    let device = Device::new(metadata.platform);
    let kernel = Kernel::load(code, metadata, &device)?;
    let options = &Options { budget: 5_000, ..Options::default() };
    let primitives = |size: u32| {
        let vertices = vec![SlotValues::new(); size as usize];
        vec![Primitive { vertices, id: 1 }; 3]
    };
    match &kernel.metadata().stage {
        StageMetadata::Vertex(_) => {
            kernel.run_vertices(&Draw::vertices(3), resources, options, None).map(|_| ())
        }
        StageMetadata::TessControl(control) => {
            let patches = primitives(control.input_vertices.unwrap_or(4));
            kernel.run_patches(&patches, resources, options, None).map(|_| ())
        }
        StageMetadata::TessEval(_) => {
            let vertices = vec![SlotValues::new(); 4];
            let patch = Patch { vertices, ..Patch::default() };
            kernel.run_points(&patch, &[[0.5; 3]; 3], resources, options, None).map(|_| ())
        }
        StageMetadata::Geometry(geometry) => {
            let primitives = primitives(geometry.input_vertices);
            kernel.run_primitives(&primitives, resources, options, None).map(|_| ())
        }
        _ => kernel.dispatch([1, 1, 1], resources, options).map(|_| ()),
    }
}

fn resources_of(case: &Case) -> Resources {
    collect(&case.resources, &case.samplers, &case.push_constants)
}

fn collect(listed: &[CaseResource], samplers: &[CaseSampler], push_constants: &[u8]) -> Resources {
    let mut resources = Resources::new();
    for resource in listed {
        match &resource.image {
            None => resources.set_buffer(resource.resource, &resource.contents),
            Some(layout) => {
                let shape = ImageShape {
                    dimension: ImageDimension::D2,
                    format: SurfaceFormat::from_glsl(&layout.format).expect("a GLSL format"),
                    width: layout.width,
                    height: layout.height,
                    depth: 1,
                    levels: 1,
                };
                resources
                    .set_image(resource.resource, shape, &resource.contents)
                    .expect("the pack's images are small");
            }
        }
    }
    for sampler in samplers {
        resources.set_sampler(sampler.resource, Sampler::default());
    }
    resources.set_push_constants(push_constants);
    let format = "rgba32f".parse().expect("a format");
    for location in 0..16 {
        resources.set_attribute(location, Attribute::packed(format, &[7; 64]));
    }
    resources
}

/// The shaders of the pack's draw calls, with their resources.
fn stages(oracle: &Oracle) -> Vec<(Vec<u8>, Metadata, Resources)> {
    let mut shaders = Vec::new();
    for case in oracle.stage_cases().expect("the pack is readable") {
        let stages: &[ShaderStage] = match case.data {
            StageData::Vertex { .. } => &[ShaderStage::Vertex],
            StageData::Geometry { .. } => &[ShaderStage::Geometry],
            StageData::Tessellation { .. } => &[ShaderStage::TessControl, ShaderStage::TessEval],
        };
        for variant in &case.variants {
            for stage in stages {
                let shader = case.shader(variant, *stage).expect("the shader is readable");
                let resources = collect(&case.resources, &case.samplers, &case.push_constants);
                shaders.push((shader.code, shader.metadata, resources));
            }
        }
    }
    shaders
}

#[test]
fn flipped_bits_in_machine_code_do_no_harm() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let mut random = Random(0x9e37_79b9_7f4a_7c16);
    // More than the usual dozen on demand.
    let rounds = std::env::var("CRESTLINE_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let rounds: u32 = rounds.unwrap_or(12);
    let (mut runs, mut loaded) = (0, 0);
    for compiler in [Compiler::Mesa, Compiler::Igc] {
        for case in oracle.cases(compiler).expect("the pack is readable") {
            let mut resources = resources_of(&case);
            for name in &case.variants {
                let variant = case.variant(name).expect("the variant is readable");
                for _ in 0..rounds {
                    let mut code = variant.code.clone();
                    for _ in 0..=random.below(6) {
                        let bit = random.below(8 * code.len());
                        code[bit / 8] ^= 1 << (bit % 8);
                    }
                    runs += 1;
                    let outcome = try_to_run(&code, variant.metadata.clone(), &mut resources);
                    let refused = matches!(
                        outcome,
                        Err(EmuError::Decode { .. }
                            | EmuError::Illegal { .. }
                            | EmuError::Unsupported { .. })
                    );
                    loaded += u32::from(!refused);
                }
            }
        }
    }
    println!("{runs} damaged programs, {loaded} of them ran");
    assert!(runs > 4000 && loaded > runs / 10, "{runs} {loaded}");
}

#[test]
fn flipped_bits_in_the_stages_of_a_draw_call_do_no_harm() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let mut random = Random(0x1234_5678_9abc_def1);
    for (code, metadata, mut resources) in stages(&oracle) {
        for _ in 0..12 {
            let mut damaged = code.clone();
            for _ in 0..=random.below(6) {
                let bit = random.below(8 * code.len());
                damaged[bit / 8] ^= 1 << (bit % 8);
            }
            let _ = try_to_run(&damaged, metadata.clone(), &mut resources);
        }
    }
}

#[test]
fn damaged_metadata_of_the_stages_of_a_draw_call_does_no_harm() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let mut random = Random(78);
    let mut parsed = 0;
    for (code, metadata, mut resources) in stages(&oracle) {
        // Long programs only take longer.
        if code.len() > 2000 {
            continue;
        }
        let text = metadata.to_json();
        let digits: Vec<usize> =
            text.bytes().enumerate().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
        for _ in 0..60 {
            let mut damaged = text.clone().into_bytes();
            for _ in 0..=random.below(3) {
                damaged[digits[random.below(digits.len())]] = b'0' + random.below(10) as u8;
            }
            let damaged = String::from_utf8_lossy(&damaged);
            let Ok(damaged) = Metadata::from_json(&damaged) else { continue };
            parsed += 1;
            let _ = try_to_run(&code, damaged, &mut resources);
        }
    }
    assert!(parsed > 500, "{parsed}");
}

#[test]
fn truncated_machine_code_does_no_harm() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    for case in oracle.cases(Compiler::Mesa).expect("the pack is readable") {
        let mut resources = resources_of(&case);
        let Some(name) = case.variants.iter().find(|name| name.starts_with("skl")) else {
            continue;
        };
        let variant = case.variant(name).expect("the variant is readable");
        for length in (0..variant.code.len()).step_by(variant.code.len() / 20 + 1) {
            let code = &variant.code[..length];
            let outcome = try_to_run(code, variant.metadata.clone(), &mut resources);
            assert!(outcome.is_err(), "{}: {length} bytes", case.name);
        }
    }
}

/// Metadata with a few characters replaced, if they still are some.
fn damage(text: &str, random: &mut Random) -> Option<Metadata> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        // Digits often, so that numbers become large.
        bytes[at] = match random.below(3) {
            0 => b'0' + random.below(10) as u8,
            1 => b" ,:{}[]\"-"[random.below(9)],
            _ => random.next() as u8,
        };
    }
    Metadata::from_json(&String::from_utf8_lossy(&bytes)).ok()
}

#[test]
fn damaged_metadata_does_no_harm() {
    let text = common::metadata().to_json();
    let code: Vec<u8> = {
        let generation = common::device().generation();
        let mut code = Vec::new();
        for inst in common::end() {
            code.extend(crestline_isa::encode(&inst, generation).unwrap().to_le_bytes());
        }
        code
    };
    let mut random = Random(77);
    let (mut parsed, runs) = (0, 20_000);
    for _ in 0..runs {
        let Some(metadata) = damage(&text, &mut random) else { continue };
        parsed += 1;
        let mut resources = Resources::new();
        resources.set_buffer(common::BUFFER, &[0; 64]);
        let _ = try_to_run(&code, metadata, &mut resources);
    }
    assert!(parsed > runs / 100, "{parsed}");
}
