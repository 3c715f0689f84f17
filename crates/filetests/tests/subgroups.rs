//! Runs programs with subgroup operations in the interpreter, in the emulator for every chip at every width, and where it has the
//! operations in lavapipe. The results must be those of a model that is told the size of the subgroups.
//!
//! `CRESTLINE_RANDOM=COUNT` sets the number of random programs, `CRESTLINE_SEED=N` the first seed. A program that fails is stored
//! in `target/random/NAME.comp`.

use crestline_device::Platform;
use crestline_filetests::case::Case;
use crestline_filetests::corpus::{self, RunTest};
use crestline_filetests::engine::{self, Emulator};
use crestline_filetests::subgroups::generate::{Choice, each_of, operations, program};
use crestline_filetests::subgroups::{Expr, Program, glsl, model};
use crestline_frontend::Language;
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;
use crestline_ssa::interp;

/// The most failures that are printed.
const MAX_FAILURES: usize = 10;

/// Operations of one program.
const OPS_EACH: usize = 6;

/// The size of lavapipe's subgroups.
const LAVAPIPE: u32 = 8;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn load(name: &str, program: &Program) -> RunTest {
    let source = glsl::text(program);
    let case = Case::parse(&source).unwrap_or_else(|error| panic!("{name}: {error}"));
    let spirv = corpus::compile_source(&format!("{name}.comp"), Language::Glsl, &source)
        .unwrap_or_else(|error| panic!("{name}: {error}\n{source}"));
    RunTest { name: name.to_owned(), source, case, spirv }
}

/// The buffer that the model computes for a subgroup size.
fn expected(program: &Program, size: u32) -> Vec<Vec<u8>> {
    vec![model::run(program, size).into_iter().flat_map(u32::to_le_bytes).collect()]
}

/// Runs a program in the interpreter with subgroups of a size.
fn interpreter_failures(test: &RunTest, program: &Program, size: u32) -> Vec<String> {
    let run = || -> Result<Vec<Vec<u8>>, String> {
        let shader = engine::shader(test)?;
        let mut resources = engine::interpreter_resources(&test.case);
        let options = interp::Options { subgroup_size: size, ..interp::Options::default() };
        interp::run(&shader, &mut resources, test.case.groups, &options)
            .map_err(|error| error.to_string())?;
        let key = engine::interpreter_key(&test.case.buffers[0]);
        Ok(vec![resources.buffers.remove(&key).unwrap_or_default()])
    };
    let differences = match run() {
        Ok(found) => test.differences(&found, &expected(program, size)),
        Err(error) => vec![error],
    };
    let name = &test.name;
    differences.into_iter().map(|what| format!("{name} in ssa at {size}: {what}")).collect()
}

/// Runs a program everywhere. `rotation` selects one width of each chip, or all if it is `None`.
fn failures(
    name: &str,
    program: &Program,
    judge: Option<&Lavapipe>,
    rotation: Option<u64>,
) -> Vec<String> {
    let test = load(name, program);
    let mut failures = Vec::new();
    if let Some(lavapipe) = judge {
        match lavapipe.run(&test.job()) {
            Ok(found) => {
                let wrong = test.differences(&found, &expected(program, LAVAPIPE));
                failures
                    .extend(wrong.into_iter().map(|what| format!("{name} in lavapipe: {what}")));
            }
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    for size in [8, 16, 32] {
        failures.extend(interpreter_failures(&test, program, size));
    }
    let shader = engine::shader(&test).unwrap_or_else(|error| panic!("{name}: {error}"));
    for (at, emulator) in Emulator::all().into_iter().enumerate() {
        let chosen = rotation.is_none_or(|seed| (at as u64 + seed).is_multiple_of(3));
        let known = matches!(
            emulator.platform,
            Platform::Ivb | Platform::Hsw | Platform::Bdw | Platform::Skl
        );
        if chosen && known && emulator.suits(&test, &shader) {
            let size = emulator.simd.channels().map_or(8, u32::from);
            failures.extend(test.failures(&emulator, &expected(program, size)));
        }
    }
    if !failures.is_empty() {
        let folder = crestline_filetests::repository().join("target/random");
        std::fs::create_dir_all(&folder).expect("a folder for what failed");
        let file = folder.join(format!("{}.comp", name.replace(' ', "_")));
        std::fs::write(&file, &test.source).expect("a file for what failed");
    }
    failures
}

fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_operation_agrees_with_the_model() {
    let lavapipe = ask(Lavapipe::open());
    let mut all = Vec::new();
    let (common, others): (Vec<_>, Vec<_>) =
        operations(&Expr::Var(0)).into_iter().partition(|op| Choice::COMMON.allows(op));
    for (judge, ops) in [(lavapipe, common), (None, others)] {
        for (at, ops) in ops.chunks(OPS_EACH).enumerate() {
            // A workgroup with subgroups that are not full.
            let program = each_of(ops, 45);
            let kind = if judge.is_some() { "common" } else { "other" };
            all.extend(failures(&format!("{kind} {at}"), &program, judge, Some(at as u64)));
            if all.len() >= MAX_FAILURES {
                return report(&all);
            }
        }
    }
    report(&all);
}

#[test]
fn random_programs_agree_with_the_model() {
    let lavapipe = ask(Lavapipe::open());
    let (first, count) = (number("CRESTLINE_SEED", 0), number("CRESTLINE_RANDOM", 100));
    let mut all = Vec::new();
    for seed in first..first + count {
        let choice = if seed % 2 == 0 { Choice::COMMON } else { Choice::ALL };
        let judge = lavapipe.filter(|_| choice.common);
        all.extend(failures(&format!("seed {seed}"), &program(seed, choice), judge, Some(seed)));
        if all.len() >= MAX_FAILURES {
            break;
        }
    }
    report(&all);
}
