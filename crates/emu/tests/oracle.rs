//! Machine code of two other compilers, run from the oracle pack's metadata: the outputs must
//! be the expected ones.

use crestline_device::Device;
use crestline_emu::{EmuError, Kernel, Options, Report, Resources};
use crestline_judges::oracle::{Case, Compiler, Oracle};

/// What running a variant led to.
enum Outcome {
    Passed(Report),
    /// Needs something this version does not have.
    Waiting(String),
    Failed(String),
}

fn run(case: &Case, variant: &str) -> Outcome {
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
        resources.set_buffer(resource.resource, &resource.contents);
    }
    resources.set_push_constants(&case.push_constants);
    let options = Options { budget: 10_000_000, ..Options::default() };
    let report = match kernel.dispatch(case.grid, &mut resources, &options) {
        Ok(report) => report,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    for resource in &case.resources {
        let Some(expected) = &resource.expected else { continue };
        let actual = resources.buffer(resource.resource).unwrap_or_default();
        if let Err(difference) = expected.compare(&actual) {
            return Outcome::Failed(format!("{}: {difference}", resource.resource));
        }
    }
    Outcome::Passed(report)
}

/// Runs the variants of the platforms named; `(passed, waiting)`.
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
            match run(&case, variant) {
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

/// The cases that wait for images and samplers; all others must pass.
const WAITING: &[&str] = &["image2d/", "image_rw/", "texture/"];

fn all_but_images(compiler: Compiler, platforms: &[&str], count: usize) {
    let Some((passed, waiting)) = run_all(compiler, platforms) else { return };
    if std::env::var_os("CRESTLINE_ORACLE_ONLY").is_some() {
        return;
    }
    for line in &waiting {
        assert!(WAITING.iter().any(|name| line.starts_with(name)), "{line}");
    }
    assert_eq!(passed, count);
}

#[test]
fn mesa_compute_on_gen7() {
    all_but_images(Compiler::Mesa, &["ivb", "hsw"], 56);
}

#[test]
fn mesa_compute_on_gen8_and_gen9() {
    all_but_images(Compiler::Mesa, &["bdw", "skl"], 65);
}

#[test]
fn mesa_compute_on_gen11_and_gen12() {
    all_but_images(Compiler::Mesa, &["icl", "tgl"], 65);
}

#[test]
fn igc_kernels_on_gen8_and_gen9() {
    all_but_images(Compiler::Igc, &["bdw", "skl"], 77);
}

#[test]
fn igc_kernels_on_gen11_and_gen12() {
    all_but_images(Compiler::Igc, &["icllp", "tgllp"], 74);
}
