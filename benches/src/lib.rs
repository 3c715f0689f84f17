//! What the performance figures of `docs/performance.md` come from.
//!
//! Each bench prints a table that can go there as it stands. A figure is a ratio of two measurements of one run, so
//! that it means the same on every machine; `cargo bench -p crestline-benches --bench NAME` runs one.

use std::time::{Duration, Instant};

/// As in the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The shortest of several runs: what the work takes when nothing else disturbs it.
pub fn shortest<T>(runs: usize, mut work: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed()
    };
    (0..runs).map(time).min().unwrap_or_default()
}

/// Milliseconds, for tables.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Whether this is `cargo test` running the benches, which have nothing to check.
pub fn is_test_run() -> bool {
    std::env::args().any(|argument| argument == "--test")
}
