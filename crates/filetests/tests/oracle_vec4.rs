//! Compiles the oracle pack's vertex, geometry and tessellation shaders for gen7 and gen7.5, and runs them in the
//! emulator. The results must be those that the pack expects. Prints the number of instructions of our code and of
//! Mesa's.

#[path = "../../emu/tests/stage_cases/mod.rs"]
mod stage_cases;

use std::cell::RefCell;
use std::collections::BTreeMap;

use crestline::{Options, Platform, compile_spirv};
use crestline_device::Device;
use crestline_emu::{Class, Kernel};
use crestline_frontend::spirv_words;
use crestline_judges::ask;
use crestline_judges::oracle::Oracle;
use crestline_judges::oracle::vec4::{ShaderStage, StageCase, StageData};

fn file_name(case: &StageCase, stage: ShaderStage) -> &'static str {
    let alone = case.directory.join("shader.spv").exists();
    match stage {
        _ if alone => "shader.spv",
        ShaderStage::Vertex => "shader.vert.spv",
        ShaderStage::TessControl => "shader.tesc.spv",
        ShaderStage::TessEval => "shader.tese.spv",
        ShaderStage::Geometry => "shader.geom.spv",
    }
}

fn platform(variant: &str) -> Platform {
    if variant == "ivb" { Platform::Ivb } else { Platform::Hsw }
}

fn compile(case: &StageCase, variant: &str, stage: ShaderStage) -> Result<(Kernel, u32), String> {
    let path = case.directory.join(file_name(case, stage));
    let module = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let words = spirv_words(&module).map_err(|e| e.to_string())?;
    let mut options = Options::new(platform(variant));
    options.verify = true;
    if let StageData::Tessellation { input, .. } = &case.data {
        // A control point is a position and a color.
        options.patch.input_vertices = Some(input.len() as u32 / 32);
    }
    let program = compile_spirv(&words, &options).map_err(|error| error.to_string())?;
    let count = program.statistics().expect("the compiler counts").instructions;
    let device = Device::new(platform(variant));
    let kernel = Kernel::load(&program.code, program.metadata, &device);
    Ok((kernel.map_err(|error| error.to_string())?, count))
}

/// Instructions of the other compiler's code.
fn theirs(case: &StageCase, variant: &str, stage: ShaderStage) -> u32 {
    let code = case.shader(variant, stage).expect("the pack is readable").code;
    let insts = crestline_isa::decode_program(&code, platform(variant).generation());
    insts.expect("decodes").iter().filter(|i| i.1.opcode != crestline_isa::Opcode::Nop).count()
        as u32
}

#[test]
fn our_code_for_the_packs_stages_gives_the_expected_outputs() {
    let Some(oracle) = ask(Oracle::find()) else { return };
    let only = std::env::var("CRESTLINE_ORACLE_ONLY").unwrap_or_default();
    let mut failures = Vec::new();
    let counts: RefCell<BTreeMap<String, (u32, u32)>> = RefCell::default();
    let load = |case: &StageCase, variant: &str, stage: ShaderStage| {
        let (kernel, ours) = compile(case, variant, stage)?;
        let name = format!("{}/{variant}/{stage:?}", case.name);
        counts.borrow_mut().insert(name, (ours, theirs(case, variant, stage)));
        Ok(kernel)
    };
    for case in oracle.stage_cases().expect("the pack is readable") {
        if !case.name.contains(&only) {
            continue;
        }
        for variant in &case.variants {
            let name = format!("{}/{variant}", case.name);
            match stage_cases::run(&load, &case, variant) {
                Err(why) => failures.push(format!("{name}: {why}")),
                Ok(reports) => {
                    for diagnostic in reports.iter().flat_map(|report| &report.diagnostics) {
                        // Components of a slot that no output has stay unwritten.
                        if diagnostic.problem.class() != Class::UninitializedRead {
                            failures.push(format!("{name}: {diagnostic}"));
                        }
                    }
                }
            }
        }
    }
    let counts = counts.into_inner();
    for (name, (ours, theirs)) in &counts {
        println!("{name:32} {ours:6} {theirs:6}");
    }
    let sum = |pick: fn(&(u32, u32)) -> u32| counts.values().map(pick).sum::<u32>();
    let (ours, theirs) = (sum(|c| c.0), sum(|c| c.1));
    println!("{:32} {ours:6} {theirs:6}", "all");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    let all = only.is_empty();
    assert!(!all || ours <= theirs, "{ours} instructions where the other compiler needs {theirs}");
}
