//! Compiles the oracle pack's compute shaders for each generation at each width, and runs them in the emulator. The
//! results must be those that the pack expects.

use crestline::{CompileError, Options, Platform, Simd, compile_spirv};
use crestline_device::Device;
use crestline_emu::Kernel;
use crestline_filetests::pack::runs_as_expected;
use crestline_frontend::spirv_words;
use crestline_judges::ask;
use crestline_judges::oracle::{Case, Compiler, Oracle};

const PLATFORMS: [Platform; 4] = [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl];
const WIDTHS: [Simd; 4] = [Simd::Auto, Simd::Simd8, Simd::Simd16, Simd::Simd32];

/// Compiles and runs a shader; `None` if it exceeds a limit of the device at that width.
fn check(case: &Case, platform: Platform, simd: Simd) -> Result<Option<()>, String> {
    let path = case.directory.join("shader.spv");
    let module = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let words = spirv_words(&module).map_err(|e| e.to_string())?;
    let mut options = Options::new(platform).with_simd(simd);
    options.verify = true;
    let program = match compile_spirv(&words, &options) {
        Err(CompileError::Scratch { .. } | CompileError::Workgroup { .. })
            if simd.channels().is_some() =>
        {
            return Ok(None);
        }
        other => other.map_err(|error| error.to_string())?,
    };
    let kernel = Kernel::load(&program.code, program.metadata, &Device::new(platform))
        .map_err(|error| error.to_string())?;
    runs_as_expected(case, &kernel)?;
    Ok(Some(()))
}

#[test]
fn our_code_for_the_packs_shaders_gives_the_expected_outputs() {
    let Some(oracle) = ask(Oracle::find()) else { return };
    let only = std::env::var("CRESTLINE_ORACLE_ONLY").unwrap_or_default();
    let mut failures = Vec::new();
    for case in oracle.cases(Compiler::Mesa).expect("the pack is readable") {
        if !case.name.contains(&only) {
            continue;
        }
        for platform in PLATFORMS {
            let mut ran = 0;
            for simd in WIDTHS {
                match check(&case, platform, simd) {
                    Ok(outcome) => ran += usize::from(outcome.is_some()),
                    Err(error) => {
                        failures.push(format!("{} on {platform} at {simd:?}: {error}", case.name));
                    }
                }
            }
            assert!(ran > 0 || !failures.is_empty(), "{} on {platform}: no width", case.name);
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
