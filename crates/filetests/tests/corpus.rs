//! Checks the shaders of `tests/run/` themselves: they are valid, lavapipe runs them, and their results are
//! deterministic.

use crestline_filetests::corpus;
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;
use crestline_judges::spirv::SpirvTools;

#[test]
fn every_run_test_is_valid_spirv() {
    let Some(tools) = ask(SpirvTools::find()) else { return };
    for test in corpus::run_tests().unwrap_or_else(|error| panic!("{error}")) {
        tools.validate(&test.spirv).unwrap_or_else(|error| panic!("{}: {error}", test.name));
    }
}

/// A shader whose result depends on the order of invocations is not a usable test. Two runs must agree bit by bit,
/// change a buffer, and leave no buffer that its rule cannot compare.
#[test]
fn every_run_test_is_deterministic_and_does_something() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let mut failures = Vec::new();
    for test in corpus::run_tests().unwrap_or_else(|error| panic!("{error}")) {
        let runs = (test.expected(lavapipe), test.expected(lavapipe));
        let (Ok(first), Ok(second)) = runs else {
            failures.push(format!("{}: {:?}", test.name, runs.0.err()));
            continue;
        };
        for difference in test.differences(&first, &second) {
            failures.push(format!("{}: two runs differ: {difference}", test.name));
        }
        let before: Vec<_> = test.case.buffers.iter().map(|b| b.contents.clone()).collect();
        if first == before {
            failures.push(format!("{}: no buffer changed", test.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
