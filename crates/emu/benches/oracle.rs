//! Speed of the emulator on machine code of the oracle pack: SIMD8 instructions per second,
//! all checks on.
//!
//! `cargo bench -p crestline-emu` runs every listed case for about a second on one host thread,
//! then on all cores; an argument picks the cases that begin with it. Cases are dispatched again and again, so the cost of a dispatch counts.

use crestline_device::Device;
use crestline_emu::{Kernel, Options, Resources};
use crestline_judges::oracle::{Compiler, Oracle};
use std::time::{Duration, Instant};

const CASES: &[(&str, &str)] = &[
    ("sha256", "skl"),
    ("sha256", "skl.simd8"),
    ("mandel", "skl"),
    ("mandel", "skl.simd8"),
    ("matmul_tiled", "skl"),
    ("int_mix", "skl.simd8"),
    ("saxpy", "skl.simd8"),
];

const TIME: Duration = Duration::from_millis(1500);

/// Seconds this thread has spent on a core, where the system tells (Linux): a busy machine does
/// not spoil the figure.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// SIMD8 instructions and seconds: of this thread with one host thread, of the wall clock with
/// more.
fn measure(
    kernel: &Kernel,
    grid: [u32; 3],
    resources: &mut Resources,
    host_threads: usize,
) -> (u64, f64) {
    let options = Options { host_threads, ..Options::default() };
    let start = Instant::now();
    let cpu = cpu_seconds().filter(|_| host_threads == 1);
    let mut instructions = 0;
    while start.elapsed() < TIME {
        let report = kernel.dispatch(grid, resources, &options).expect("the case runs");
        instructions += report.simd8_instructions;
    }
    let seconds = match (cpu, cpu_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed().as_secs_f64(),
    };
    (instructions, seconds)
}

fn main() {
    // `cargo test` runs benches too, with `--test`; there is nothing to check here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let cases = oracle.cases(Compiler::Mesa).expect("the pack is readable");
    println!("{:<28} {:>14} {:>14}", "case", "one core M/s", "all cores M/s");
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    for (name, variant) in CASES {
        let label = format!("{name}/{variant}");
        if only.as_ref().is_some_and(|only| !label.starts_with(only)) {
            continue;
        }
        let case = cases.iter().find(|case| case.name == *name).expect("the case exists");
        let program = case.variant(variant).expect("the variant is readable");
        let device = Device::new(program.metadata.platform);
        let kernel = Kernel::load(&program.code, program.metadata, &device).expect("it loads");
        let mut resources = Resources::new();
        for resource in &case.resources {
            resources.set_buffer(resource.resource, &resource.contents);
        }
        resources.set_push_constants(&case.push_constants);
        let rates = [1, 0].map(|hosts| {
            let (instructions, seconds) = measure(&kernel, case.grid, &mut resources, hosts);
            instructions as f64 / seconds / 1e6
        });
        println!("{:<28} {:>14.1} {:>14.1}", label, rates[0], rates[1]);
    }
}
