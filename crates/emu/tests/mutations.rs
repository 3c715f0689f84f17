//! Damaged machine code and damaged metadata: an error or a wrong result, never a panic, a hang
//! or a large allocation.

mod common;

use crestline_device::{Device, SurfaceFormat};
use crestline_emu::{EmuError, ImageDimension, ImageShape, Kernel, Options, Resources, Sampler};
use crestline_judges::oracle::{Case, Compiler, Oracle};
use crestline_program::Metadata;

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

/// Loads and runs one workgroup; what happens does not matter.
fn try_to_run(code: &[u8], metadata: Metadata, resources: &mut Resources) -> Result<(), EmuError> {
    let device = Device::new(metadata.platform);
    let kernel = Kernel::load(code, metadata, &device)?;
    let options = Options { budget: 5_000, ..Options::default() };
    kernel.dispatch([1, 1, 1], resources, &options).map(|_| ())
}

fn resources_of(case: &Case) -> Resources {
    let mut resources = Resources::new();
    for resource in &case.resources {
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
    for sampler in &case.samplers {
        resources.set_sampler(sampler.resource, Sampler::default());
    }
    resources.set_push_constants(&case.push_constants);
    resources
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
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            // Digits often, so that numbers become large.
            bytes[at] = match random.below(3) {
                0 => b'0' + random.below(10) as u8,
                1 => b" ,:{}[]\"-"[random.below(9)],
                _ => random.next() as u8,
            };
        }
        let Ok(metadata) = Metadata::from_json(&String::from_utf8_lossy(&bytes)) else { continue };
        parsed += 1;
        let mut resources = Resources::new();
        resources.set_buffer(common::BUFFER, &[0; 64]);
        let _ = try_to_run(&code, metadata, &mut resources);
    }
    assert!(parsed > runs / 100, "{parsed}");
}
