//! Functions for the benchmarks that measure the figures of `docs/performance.md`.
//!
//! Each benchmark prints a table in the form of that page. A figure is a ratio of two measurements in one run, so it is
//! comparable between machines. `cargo bench -p crestline-benches --bench NAME` runs one.

use std::time::{Duration, Instant};

/// The same allocator as that of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The shortest time of several runs, which other processes disturb least.
pub fn shortest<T>(runs: usize, mut work: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed()
    };
    (0..runs).map(time).min().unwrap_or_default()
}

/// A time in milliseconds, for tables.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Whether `cargo test` runs the benchmark. There is nothing to check then.
pub fn is_test_run() -> bool {
    std::env::args().any(|argument| argument == "--test")
}
