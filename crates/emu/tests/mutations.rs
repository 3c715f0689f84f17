//! Tests damaged machine code and damaged metadata: the emulator returns an error or a wrong result, but never panics,
//! hangs or allocates much memory.

mod common;
mod simd8_programs;

use crestline_device::{Device, Platform, SurfaceFormat};
use crestline_emu::{
    Attribute, Draw, EmuError, ImageDimension, ImageShape, Kernel, Options, Patch, Primitive,
    Resources, Sampler, SlotValues,
};
use crestline_judges::oracle::{Oracle, PackProgram};
use crestline_program::{Metadata, StageMetadata};
use crestline_testing::damage::{change_digits, flip_bits, one_of};
use crestline_testing::{MUTATIONS, rounds};
use fastrand::Rng;
use simd8_programs::stages;

/// Loads and runs one workgroup, or a few vertices. The result does not matter.
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

fn resources_of(program: &PackProgram) -> Resources {
    let mut resources = Resources::new();
    for resource in &program.resources {
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
                    samples: 1,
                };
                resources
                    .set_image(resource.resource, shape, &resource.contents)
                    .expect("the pack's images are small");
            }
        }
    }
    for sampler in &program.samplers {
        resources.set_sampler(sampler.resource, Sampler::default());
    }
    resources.set_push_constants(&program.push_constants);
    let format = "rgba32f".parse().expect("a format");
    for location in 0..16 {
        resources.set_attribute(location, Attribute::packed(format, &[7; 64]));
    }
    resources
}

#[test]
fn flipped_bits_in_machine_code_do_no_harm() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let mut random = Rng::with_seed(1);
    let rounds = rounds(MUTATIONS, 12);
    let (mut runs, mut loaded) = (0, 0);
    for program in oracle.compute_programs().expect("the pack is readable") {
        let mut resources = resources_of(&program);
        for _ in 0..rounds {
            let mut code = program.variant.code.clone();
            flip_bits(&mut code, random.usize(1..=6), &mut random);
            runs += 1;
            let outcome = try_to_run(&code, program.variant.metadata.clone(), &mut resources);
            let refused = matches!(
                outcome,
                Err(EmuError::Decode { .. }
                    | EmuError::Illegal { .. }
                    | EmuError::Unsupported { .. })
            );
            loaded += u32::from(!refused);
        }
    }
    println!("{runs} damaged programs, {loaded} of them ran");
    assert!(runs > 4000 && loaded > runs / 10, "{runs} {loaded}");
}

#[test]
fn flipped_bits_in_the_stages_of_a_draw_call_do_no_harm() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let mut random = Rng::with_seed(2);
    for program in oracle.stage_programs().expect("the pack is readable") {
        let mut resources = resources_of(&program);
        for _ in 0..12 {
            let mut code = program.variant.code.clone();
            flip_bits(&mut code, random.usize(1..=6), &mut random);
            let _ = try_to_run(&code, program.variant.metadata.clone(), &mut resources);
        }
    }
}

#[test]
fn damaged_metadata_of_the_stages_of_a_draw_call_does_no_harm() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let mut random = Rng::with_seed(3);
    let mut parsed = 0;
    for program in oracle.stage_programs().expect("the pack is readable") {
        // Skips long programs to save time.
        if program.variant.code.len() > 2000 {
            continue;
        }
        let mut resources = resources_of(&program);
        let text = program.variant.metadata.to_json();
        for _ in 0..60 {
            let damaged = change_digits(&text, random.usize(1..=3), &mut random);
            let Ok(damaged) = Metadata::from_json(&damaged) else { continue };
            parsed += 1;
            let _ = try_to_run(&program.variant.code, damaged, &mut resources);
        }
    }
    assert!(parsed > 500, "{parsed}");
}

/// Programs of SIMD8 threads for each stage, and their metadata.
fn simd8_programs_of_all_stages() -> Vec<(Vec<u8>, Metadata)> {
    let geometry =
        |invocations, first| StageMetadata::Geometry(stages::geometry_stage(invocations, first));
    let (control, eval) = (stages::control_stage(11), stages::eval_stage());
    let programs = [
        (stages::vertex_program(), StageMetadata::Vertex(stages::vertex_stage()), 2),
        (stages::control_program(true), StageMetadata::TessControl(control), 5),
        (stages::eval_program(), StageMetadata::TessEval(eval), 5),
        (stages::primitives_program(), geometry(1, 7), 6),
        (stages::invocations_program(), geometry(11, 5), 4),
    ];
    let generation = Device::new(Platform::Skl).generation();
    let assembled = programs.map(|(program, stage, constants)| {
        let bits = program.iter().map(|inst| crestline_isa::encode(inst, generation).unwrap());
        let code = bits.flat_map(u128::to_le_bytes).collect();
        (code, simd8_programs::metadata(Platform::Skl, stage, Some(constants)))
    });
    assembled.into()
}

#[test]
fn damaged_programs_of_simd8_stages_do_no_harm() {
    let mut random = Rng::with_seed(5);
    let format = "rgba32f".parse().expect("a format");
    let mut resources = Resources::new();
    resources.set_attribute(0, Attribute::packed(format, &[7; 64]));
    let rounds = rounds(MUTATIONS, 400);
    let (mut ran, mut parsed) = (0, 0);
    for (code, metadata) in simd8_programs_of_all_stages() {
        let fine = try_to_run(&code, metadata.clone(), &mut resources);
        assert_eq!(fine, Ok(()), "without damage");
        let text = metadata.to_json();
        for _ in 0..rounds {
            let mut damaged = code.clone();
            flip_bits(&mut damaged, random.usize(1..=3), &mut random);
            ran += usize::from(try_to_run(&damaged, metadata.clone(), &mut resources).is_ok());
            let damaged = change_digits(&text, random.usize(1..=3), &mut random);
            let Ok(damaged) = Metadata::from_json(&damaged) else { continue };
            parsed += 1;
            let _ = try_to_run(&code, damaged, &mut resources);
        }
    }
    println!("{ran} programs with damaged code and {parsed} with damaged metadata ran");
    assert!(ran > rounds && parsed > rounds, "{ran} {parsed}");
}

#[test]
fn truncated_machine_code_does_no_harm() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let mut refused = 0;
    for program in oracle.compute_programs().expect("the pack is readable") {
        let PackProgram { name, variant, .. } = &program;
        if !name.contains("/skl") {
            continue;
        }
        let mut resources = resources_of(&program);
        // The last eight bytes may be padding, without which the program is complete.
        let end = variant.code.len() - 8;
        for length in (0..end).step_by(end / 20 + 1) {
            let code = &variant.code[..length];
            let outcome = try_to_run(code, variant.metadata.clone(), &mut resources);
            assert!(outcome.is_err(), "{name}: {length} bytes");
            refused += 1;
        }
    }
    assert!(refused > 500, "{refused}");
}

/// Replaces a few characters of the text; `None` if the result is not valid metadata.
fn damage(text: &str, random: &mut Rng) -> Option<Metadata> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.usize(1..=3) {
        let at = random.usize(..bytes.len());
        // Often digits, so that numbers become large.
        bytes[at] = match random.u8(..3) {
            0 => random.u8(b'0'..=b'9'),
            1 => one_of(b" ,:{}[]\"-", random),
            _ => random.u8(..),
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
    let mut random = Rng::with_seed(4);
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
