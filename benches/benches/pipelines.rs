//! Measures compile time against an independent driver: all of `tests/run/` from SPIR-V to machine code, compared with
//! lavapipe's `vkCreateComputePipelines` for the same modules. Both use one thread. Then it compiles the whole set on
//! all cores.

use std::time::Duration;

use crestline::{Input, Job, Options, Platform, compile_all};
use crestline_benches::{is_test_run, milliseconds, shortest};
use crestline_filetests::corpus::{RunTest, run_tests};
use crestline_filetests::engine::spec_bits;
use crestline_judges::lavapipe::Lavapipe;

const RUNS: usize = 3;

fn job(test: &RunTest, platform: Platform) -> Job<'_> {
    let mut options = Options::new(platform);
    options.verify = false;
    options.entry = Some(test.case.entry.clone());
    options.specialization = test.case.spec.iter().map(spec_bits).collect();
    Job { input: Input::Spirv(&test.spirv), options }
}

fn ours(test: &RunTest, platform: Platform) -> Option<Duration> {
    let Job { options, .. } = job(test, platform);
    crestline::compile_spirv(&test.spirv, &options).ok()?;
    Some(shortest(RUNS, || crestline::compile_spirv(&test.spirv, &options)))
}

fn main() {
    if is_test_run() {
        return;
    }
    let Some(lavapipe) = crestline_judges::ask(Lavapipe::open()) else { return };
    let tests = run_tests().expect("the run tests load");
    let mut totals = [Duration::ZERO; 3];
    let mut compared = Vec::new();
    for test in &tests {
        let theirs = (0..RUNS).filter_map(|_| lavapipe.time_pipeline(&test.job()).ok()).min();
        let (Some(bdw), Some(skl), Some(theirs)) =
            (ours(test, Platform::Bdw), ours(test, Platform::Skl), theirs)
        else {
            println!("left out: {}", test.name);
            continue;
        };
        compared.push(test);
        for (total, time) in totals.iter_mut().zip([bdw, skl, theirs]) {
            *total += time;
        }
        if std::env::args().any(|argument| argument == "--each") {
            println!("{:24} {:8.2} {:8.2} ms", test.name, milliseconds(skl), milliseconds(theirs));
        }
    }
    let [bdw, skl, theirs] = totals.map(milliseconds);
    let jobs: Vec<Job<'_>> = compared.iter().map(|test| job(test, Platform::Skl)).collect();
    let batch = milliseconds(shortest(RUNS, || compile_all(&jobs, None)));
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    println!("| {} shaders | time | of lavapipe's |", compared.len());
    println!("| --- | ---: | ---: |");
    println!("| Crestline for Broadwell | {bdw:.0} ms | {:.2} |", bdw / theirs);
    println!("| Crestline for Skylake | {skl:.0} ms | {:.2} |", skl / theirs);
    println!("| Crestline for Skylake, {cores} cores | {batch:.0} ms | {:.2} |", batch / theirs);
    println!("| lavapipe, vkCreateComputePipelines | {theirs:.0} ms | 1 |");
}
