//! Runs machine code of two other compilers with the oracle pack's metadata. The results must be those that the pack
//! expects.

use crestline_device::{Device, SurfaceFormat};
use crestline_emu::{
    Class, EmuError, Filter, ImageDimension, ImageShape, Kernel, MemoryModel, Options, Report,
    Resources, Sampler,
};
use crestline_judges::oracle::{Case, Compiler, Oracle};

/// The result of running a variant.
enum Outcome {
    Passed(Report),
    /// The emulator does not support an instruction or message of the program.
    Waiting(String),
    Failed(String),
}

fn run(case: &Case, variant: &str, memory: MemoryModel) -> Outcome {
    let variant = match case.variant(variant) {
        Ok(variant) => variant,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let device = Device::new(variant.metadata.platform);
    let kernel = match Kernel::load(&variant.code, variant.metadata, &device) {
        Ok(kernel) => kernel,
        Err(error @ EmuError::Unsupported { .. }) => return Outcome::Waiting(error.to_string()),
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let mut resources = Resources::new();
    for resource in &case.resources {
        let at = resource.resource;
        match &resource.image {
            None => resources.set_buffer(at, &resource.contents),
            Some(layout) => {
                let Some(format) = SurfaceFormat::from_glsl(&layout.format) else {
                    return Outcome::Failed(format!("image format {}", layout.format));
                };
                let (width, height) = (layout.width, layout.height);
                assert_eq!(layout.row_pitch, width * format.bytes(), "tightly packed");
                let dimension = ImageDimension::D2;
                let shape = ImageShape {
                    dimension,
                    format,
                    width,
                    height,
                    depth: 1,
                    levels: 1,
                    samples: 1,
                };
                if let Err(error) = resources.set_image(at, shape, &resource.contents) {
                    return Outcome::Failed(error.to_string());
                }
            }
        }
    }
    for sampler in &case.samplers {
        let filter = if sampler.linear { Filter::Linear } else { Filter::Nearest };
        let normalized = sampler.normalized;
        resources
            .set_sampler(sampler.resource, Sampler { filter, normalized, ..Sampler::default() });
    }
    resources.set_push_constants(&case.push_constants);
    let options = Options { budget: 10_000_000, memory, ..Options::default() };
    let report = match kernel.dispatch(case.grid, &mut resources, &options) {
        Ok(report) => report,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    for resource in &case.resources {
        let Some(expected) = &resource.expected else { continue };
        let at = resource.resource;
        let actual = match &resource.image {
            None => resources.buffer(at),
            Some(_) => resources.image(at),
        };
        let actual = actual.unwrap_or_default();
        if let Err(difference) = expected.compare(&actual) {
            return Outcome::Failed(format!("{}: {difference}", resource.resource));
        }
    }
    match report.diagnostics.iter().find(|d| d.problem.class() == Class::DependencyControl) {
        Some(false_alarm) => Outcome::Failed(false_alarm.to_string()),
        None => Outcome::Passed(report),
    }
}

/// Runs the variants for the given platforms. Returns the number that passed, and a line for each that the emulator does
/// not support yet. `None` if the pack is not installed.
fn run_all(compiler: Compiler, platforms: &[&str]) -> Option<(usize, Vec<String>)> {
    let oracle = crestline_judges::ask(Oracle::find())?;
    let only = std::env::var("CRESTLINE_ORACLE_ONLY").ok();
    let mut passed = 0;
    let mut waiting = Vec::new();
    let mut failures = Vec::new();
    for case in oracle.cases(compiler).expect("the pack is readable") {
        for variant in &case.variants {
            let platform = variant.split('.').next().unwrap_or_default();
            let name = format!("{}/{variant}", case.name);
            if !platforms.contains(&platform)
                || only.as_ref().is_some_and(|only| !name.starts_with(only))
            {
                continue;
            }
            match run(&case, variant, MemoryModel::Strong) {
                Outcome::Passed(report) => {
                    passed += 1;
                    for diagnostic in &report.diagnostics {
                        println!("{name}: {diagnostic}");
                    }
                }
                Outcome::Waiting(why) => waiting.push(format!("{name}: {why}")),
                Outcome::Failed(why) => failures.push(format!("{name}: {why}")),
            }
        }
    }
    println!("{compiler:?}: {passed} passed, {} waiting, {} failed", waiting.len(), failures.len());
    for line in waiting.iter().chain(&failures) {
        println!("  {line}");
    }
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
    Some((passed, waiting))
}

/// Checks that all variants for the platforms pass, and that there are `count` of them.
fn all(compiler: Compiler, platforms: &[&str], count: usize) {
    let Some((passed, waiting)) = run_all(compiler, platforms) else { return };
    if std::env::var_os("CRESTLINE_ORACLE_ONLY").is_some() {
        return;
    }
    assert_eq!(waiting, [""; 0]);
    assert_eq!(passed, count);
}

#[test]
fn mesa_compute_on_gen7() {
    all(Compiler::Mesa, &["ivb", "hsw"], 60);
}

#[test]
fn mesa_compute_on_gen8_and_gen9() {
    all(Compiler::Mesa, &["bdw", "skl"], 69);
}

#[test]
fn mesa_compute_on_gen11_and_gen12() {
    all(Compiler::Mesa, &["icl", "tgl"], 69);
}

#[test]
fn igc_kernels_on_gen8_and_gen9() {
    all(Compiler::Igc, &["bdw", "skl"], 81);
}

#[test]
fn igc_kernels_on_gen11_and_gen12() {
    all(Compiler::Igc, &["icllp", "tgllp"], 78);
}

#[test]
fn foreign_code_that_shares_memory_has_the_fences_it_needs() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let (mut passed, mut failures) = (0, Vec::new());
    for compiler in [Compiler::Mesa, Compiler::Igc] {
        for case in oracle.cases(compiler).expect("the pack is readable") {
            if !["atomics", "matmul_tiled", "reduce"].contains(&case.name.as_str()) {
                continue;
            }
            for variant in &case.variants {
                // This compiler sends no fences for shared memory before gen11.
                let igc = matches!(compiler, Compiler::Igc);
                if igc && ["bdw", "skl"].iter().any(|platform| variant.starts_with(platform)) {
                    continue;
                }
                for seed in 0..8 {
                    match run(&case, variant, MemoryModel::Weak { seed }) {
                        Outcome::Passed(_) => passed += 1,
                        Outcome::Waiting(why) | Outcome::Failed(why) => {
                            failures.push(format!("{}/{variant}, seed {seed}: {why}", case.name));
                        }
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{passed} passed, failed:\n{}", failures.join("\n"));
    assert!(passed > 0, "the pack has such cases");
}
