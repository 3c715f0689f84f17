//! Runs random shaders in the interpreter and, compiled, in the emulator. The results must be those of lavapipe.
//!
//! `CRESTLINE_RANDOM=COUNT` sets the number of shaders, `CRESTLINE_SEED=N` the first seed. A shader that fails is
//! stored in `target/random/SEED.wgsl`, `SEED.comp` or `SEED.spvasm`.

use crestline_filetests::case::Case;
use crestline_filetests::corpus::{self, RunTest};
use crestline_filetests::engine::{self, Emulator, Interpreter};
use crestline_filetests::{random, random_pointers, random_wide};
use crestline_frontend::{Language, assemble};
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;

/// The most failures that are printed.
const MAX_FAILURES: usize = 10;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A shader of [`random`].
fn narrow(seed: u64) -> RunTest {
    let random::Program { source, case } = random::program(seed);
    let name = format!("{seed}.wgsl");
    let spirv = corpus::compile_source(&name, Language::Wgsl, &source)
        .unwrap_or_else(|error| panic!("{name}: {error}\n{source}"));
    RunTest { name, source, case, spirv }
}

/// A shader of [`random_wide`].
fn wide(seed: u64) -> RunTest {
    let source = random_wide::program(seed);
    let name = format!("{seed}.comp");
    let case = Case::parse(&source).unwrap_or_else(|error| panic!("{name}: {error}"));
    let spirv = corpus::compile_source(&name, Language::Glsl, &source)
        .unwrap_or_else(|error| panic!("{name}: {error}\n{source}"));
    RunTest { name, source, case, spirv }
}

/// The version of the modules of [`random_pointers`]: SPIR-V 1.5.
const VERSION: u32 = 0x0001_0500;

/// A shader of [`random_pointers`].
fn pointers(seed: u64) -> RunTest {
    let source = random_pointers::program(seed);
    let name = format!("{seed}.spvasm");
    let case = Case::parse(&source).unwrap_or_else(|error| panic!("{name}: {error}"));
    let spirv = assemble(&source, VERSION)
        .unwrap_or_else(|error| panic!("{name}: line {}: {error}\n{source}", error.line));
    RunTest { name, source, case, spirv }
}

/// Runs the shaders with the seeds that the environment gives, or `count` shaders, and those of the seeds `kept`, which have found
/// errors.
fn agree(load: fn(u64) -> RunTest, count: u64, kept: &[u64]) {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let (first, count) = (number("CRESTLINE_SEED", 0), number("CRESTLINE_RANDOM", count));
    let engines = Emulator::all();
    let mut failures = Vec::new();
    for seed in kept.iter().copied().chain(first..first + count) {
        let test = load(seed);
        let expected = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        let mut wrong = test.failures(&Interpreter, &expected);
        let shader = engine::shader(&test).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        // One chip and width for each shader; all of them get their share.
        let emulator = engines[seed as usize % engines.len()];
        if emulator.suits(&test, &shader) {
            wrong.extend(test.failures(&emulator, &expected));
        }
        if !wrong.is_empty() {
            let folder = crestline_filetests::repository().join("target/random");
            std::fs::create_dir_all(&folder).expect("a folder for what failed");
            std::fs::write(folder.join(&test.name), &test.source).expect("a file for what failed");
            failures.extend(wrong);
        }
        if failures.len() >= MAX_FAILURES {
            break;
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn random_shaders_agree_everywhere() {
    agree(narrow, 2000, &[]);
}

#[test]
fn random_shaders_with_small_and_wide_values_and_pointers_agree_everywhere() {
    agree(wide, 300, &[1135, 1663, 6384]);
}

#[test]
fn random_shaders_with_variable_pointers_agree_everywhere() {
    agree(pointers, 200, &[]);
}
