//! Translation takes time in proportion to the code. Alone in its file: other tests would disturb the clock.

mod common;

use std::time::{Duration, Instant};

use crestline_frontend::{TranslateOptions, translate};

const PREAMBLE: &str = include_str!("common/preamble.spvasm");

fn lines(range: std::ops::Range<usize>, line: impl Fn(usize) -> String) -> String {
    range.map(|i| line(i) + "\n").collect()
}

#[test]
fn time_grows_in_proportion_to_the_code() {
    let operations = |count: usize| {
        lines(0..count, |i| {
            let from = if i == 0 { "%u1".into() } else { format!("%v{}", i - 1) };
            format!("%v{i} = OpIAdd %uint {from} %u1")
        })
    };
    let text = |count| {
        format!(
            "{PREAMBLE}\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{}\nOpReturn\nOpFunctionEnd",
            operations(count)
        )
    };
    // The best of a few: other work on the machine only adds.
    let time = |count: usize| {
        let words = common::assemble(&text(count));
        let run = || {
            let start = Instant::now();
            translate(&words, &TranslateOptions::default()).expect("a chain of sums");
            start.elapsed()
        };
        (0..3).map(|_| run()).min().unwrap_or(Duration::ZERO)
    };
    let (small, large) = (time(20_000), time(200_000));
    println!("20k operations: {small:?}, 200k: {large:?}");
    assert!(large < small * 25 + Duration::from_millis(5), "{small:?} and {large:?}");
}
