//! Every run test through every engine: all must leave what lavapipe leaves.

use crestline_filetests::corpus;
use crestline_filetests::engine::{Engine, Interpreter};
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;

fn compare(engine: &dyn Engine) {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let mut failures = Vec::new();
    for test in corpus::run_tests().unwrap_or_else(|error| panic!("{error}")) {
        let expected = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        match engine.run(&test) {
            Ok(found) => failures.extend(
                test.differences(&found, &expected)
                    .into_iter()
                    .map(|difference| format!("{}: {difference}", test.name)),
            ),
            Err(error) => failures.push(format!("{}: {error}", test.name)),
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", engine.name(), failures.join("\n"));
}

#[test]
fn the_interpreter_agrees_with_lavapipe() {
    compare(&Interpreter);
}
