//! The draw calls of `tests/stages` with linked stages: the interpreter, and the compiled code on the emulator, must give
//! what lavapipe captures.

use crestline_filetests::stages::{
    self, Engine, Expected, MODES, StageEmulator, StageInterpreter, StageTest, mode_name,
};
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;
use crestline_ssa::passes;

/// Runs a test on an engine; the failures, one line each.
fn check<E: Engine>(
    test: &StageTest,
    name: &str,
    engine: Result<E, String>,
    expected: &Expected,
) -> Vec<String> {
    let found = engine.and_then(|mut engine| stages::run(test, &mut engine, expected));
    let wrong = match found {
        Ok(found) => test.differences(&found, &expected.drawn),
        Err(error) => vec![error],
    };
    wrong.into_iter().map(|text| format!("{} on {name}: {text}", test.name)).collect()
}

#[test]
fn linked_stages_give_what_lavapipe_captures() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    let mut failures = Vec::new();
    for test in tests.iter().filter(|test| test.modules.len() > 1) {
        let expected = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        let plain = StageInterpreter::linked(test, "ssa, linked", |_| {});
        failures.extend(check(test, "ssa, linked", plain, &expected));
        let passed = StageInterpreter::linked(test, "ssa, linked, after passes", |shader| {
            passes::optimize(shader, &passes::Options::default(), &mut |_, _| {}).unwrap();
        });
        failures.extend(check(test, "ssa, linked, after passes", passed, &expected));
        for mode in MODES {
            let engine = StageEmulator::linked(test, mode);
            failures.extend(check(test, &mode_name(mode), engine, &expected));
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
