//! Tests system values that the hardware and the driver provide, at every width on every chip. The results must be
//! those of lavapipe.

use crestline_filetests::corpus;
use crestline_filetests::engine::{Emulator, Interpreter};
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;

#[test]
fn indices_in_workgroups_are_right_in_unfilled_threads_and_branches() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let folder = crestline_filetests::repository().join("crates/filetests/tests/system_values");
    let test = corpus::load(&folder.join("local_index.comp")).unwrap_or_else(|e| panic!("{e}"));
    let expected = test.expected(lavapipe).unwrap_or_else(|error| panic!("{error}"));
    let mut failures = test.failures(&Interpreter, &expected);
    for emulator in Emulator::all() {
        failures.extend(test.failures(&emulator, &expected));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
