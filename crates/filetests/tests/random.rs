//! Runs random shaders in the interpreter and, compiled, in the emulator. The results must be those of lavapipe.
//!
//! `CRESTLINE_RANDOM=COUNT` sets the number of shaders, `CRESTLINE_SEED=N` the first seed. A shader that fails is
//! stored in `target/random/SEED.wgsl`, `SEED.comp` or `SEED.spvasm`.
//!
//! A shader whose results differ is given to lavapipe again, as other modules of the same meaning: those that `spirv-opt` makes, and one
//! whose constants are not known before it runs. If lavapipe then has the results of Crestline, it contradicts itself, and the difference is not one of Crestline. The test prints
//! these shaders, and fails if they are more than one in a thousand.

use crestline_filetests::case::Case;
use crestline_filetests::corpus::{self, RunTest};
use crestline_filetests::engine::{self, Emulator, Engine, Interpreter};
use crestline_filetests::opaque::opaque_constants;
use crestline_filetests::{random, random_pointers, random_wide};
use crestline_frontend::{Language, assemble};
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;
use crestline_judges::spirv::SpirvTools;

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

/// Passes of `spirv-opt` after which lavapipe sees another control flow, or other variables.
const REWRITES: &[&[&str]] = &[
    &["-O"],
    &["--merge-blocks"],
    &["--inline-entry-points-exhaustive"],
    &["--if-conversion"],
    &["--loop-peeling"],
    &["--simplify-instructions", "--redundancy-elimination"],
];

/// What lavapipe says of the results of a shader.
enum Verdict {
    /// They are its own.
    Agrees,
    /// They are its own for another form of the shader only.
    ContradictsItself,
    /// They are wrong: a line for each difference.
    Differs(Vec<String>),
}

/// Other modules with the meaning of a test's. Not every pass accepts every module.
fn forms(test: &RunTest) -> Vec<Vec<u32>> {
    let mut forms = Vec::new();
    if let Some(tools) = ask(SpirvTools::find()) {
        forms.extend(REWRITES.iter().filter_map(|passes| tools.rewrite(&test.spirv, passes).ok()));
    }
    forms.extend(opaque_constants(&test.spirv, &test.case.buffers));
    forms
}

/// Compares the results of a shader on some engines with those of lavapipe.
fn judge(test: &RunTest, engines: &[&dyn Engine], lavapipe: &Lavapipe) -> Verdict {
    let failures = |expected: &[Vec<u8>]| -> Vec<String> {
        engines.iter().flat_map(|engine| test.failures(*engine, expected)).collect()
    };
    let found = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
    let found = failures(&found);
    if found.is_empty() {
        return Verdict::Agrees;
    }
    for spirv in forms(test) {
        // Lavapipe does not compile every form.
        let Ok(expected) = (RunTest { spirv, ..test.clone() }).expected(lavapipe) else { continue };
        if failures(&expected).is_empty() {
            return Verdict::ContradictsItself;
        }
    }
    Verdict::Differs(found)
}

/// Runs the shaders with the seeds that the environment gives, or `count` shaders, and those of the seeds `kept`, which have found
/// errors.
fn agree(load: fn(u64) -> RunTest, count: u64, kept: &[u64]) {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let (first, count) = (number("CRESTLINE_SEED", 0), number("CRESTLINE_RANDOM", count));
    let engines = Emulator::all();
    let (mut failures, mut contradictions) = (Vec::new(), Vec::new());
    for seed in kept.iter().copied().chain(first..first + count) {
        let test = load(seed);
        let shader = engine::shader(&test).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        // One chip and width for each shader; all of them get their share.
        let emulator = engines[seed as usize % engines.len()];
        let both: [&dyn Engine; 2] = [&Interpreter, &emulator];
        let suiting = if emulator.suits(&test, &shader) { 2 } else { 1 };
        match judge(&test, &both[..suiting], lavapipe) {
            Verdict::Agrees => {}
            Verdict::ContradictsItself => contradictions.push(test.name),
            Verdict::Differs(wrong) => {
                let folder = crestline_filetests::repository().join("target/random");
                std::fs::create_dir_all(&folder).expect("a folder for what failed");
                std::fs::write(folder.join(&test.name), &test.source)
                    .expect("a file for what failed");
                failures.extend(wrong);
            }
        }
        if failures.len() >= MAX_FAILURES {
            break;
        }
    }
    if !contradictions.is_empty() {
        eprintln!("lavapipe contradicts itself: {contradictions:?}");
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(contradictions.len() as u64 <= 1 + count / 1000, "{contradictions:?}");
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
