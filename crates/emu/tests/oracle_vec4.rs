//! Runs vertex, tessellation and geometry shaders of another compiler with the oracle pack's metadata. The results must
//! be those that the pack expects.

mod stage_cases;

use crestline_device::Device;
use crestline_emu::{Class, Kernel};
use crestline_judges::oracle::Oracle;
use crestline_judges::oracle::vec4::{ShaderStage, StageCase};

fn load(case: &StageCase, variant: &str, stage: ShaderStage) -> Result<Kernel, String> {
    let shader = case.shader(variant, stage).map_err(|error| error.to_string())?;
    let device = Device::new(shader.metadata.platform);
    Kernel::load(&shader.code, shader.metadata, &device).map_err(|error| error.to_string())
}

#[test]
fn all_cases_give_the_expected_outputs() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let only = std::env::var("CRESTLINE_ORACLE_ONLY").ok();
    let mut passed = 0;
    let mut failures = Vec::new();
    for case in oracle.stage_cases().expect("the pack is readable") {
        for variant in &case.variants {
            let name = format!("{}/{variant}", case.name);
            if only.as_ref().is_some_and(|only| !name.starts_with(only)) {
                continue;
            }
            match stage_cases::run(&load, &case, variant) {
                Ok(reports) => {
                    passed += 1;
                    for diagnostic in reports.iter().flat_map(|report| &report.diagnostics) {
                        println!("{name}: {diagnostic}");
                        // The other compiler does not write unused slots, and its moves without masks also run for
                        // the half of an absent vertex.
                        let harmless = [Class::UninitializedRead, Class::RegisterRange];
                        if !harmless.contains(&diagnostic.problem.class()) {
                            failures.push(format!("{name}: {diagnostic}"));
                        }
                    }
                }
                Err(why) => failures.push(format!("{name}: {why}")),
            }
        }
    }
    println!("{passed} passed, {} failed", failures.len());
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
    if only.is_none() {
        assert_eq!(passed, 58);
    }
}
