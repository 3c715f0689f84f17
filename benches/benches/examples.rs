//! Draws the scripts of `examples/` in the emulator and on lavapipe, and prints pictures per second, their ratio, and the gain of
//! all cores in the emulator.
//!
//! Compiling, reading and the transfer of results are left out: the shaders of both are compiled before, and of lavapipe only the
//! time from the submission of its commands to their end counts. The ratio needs an idle machine. With `-- --alone` only the
//! emulator runs, on one thread, and the processor time of a picture is printed, which other work on the machine changes less.

use crestline::Platform;
use crestline_amber::run::{Emulator, Engine, Memory, Settings, run_on};
use crestline_amber::script::{Action, Script};
use crestline_benches::{is_test_run, milliseconds, shortest};
use crestline_filetests::repository;
use crestline_filetests::scripts::{Folder, LavapipeEngine};
use crestline_judges::lavapipe::Lavapipe;
use std::time::Duration;

/// The pictures of a measurement, of which the fastest counts.
const RUNS: usize = 5;

/// Draws a picture.
fn draw(script: &Script, engine: &mut dyn Engine) {
    if let Some(failure) = run_on(script, engine).failure {
        panic!("line {}: {failure}", failure.place.line);
    }
}

/// The time of a picture in the emulator with a number of host threads.
fn emulated(script: &Script, host: &Folder, threads: usize) -> Duration {
    let memory = Memory::new(script, host).expect("the buffers of an example");
    let mut emulator = Emulator::new(script, host, &Settings::new(Platform::Skl), memory);
    emulator.options.host_threads = threads;
    draw(script, &mut emulator);
    shortest(RUNS, || draw(script, &mut emulator))
}

/// The processor time of this thread.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next().and_then(|number| number.parse().ok());
    Duration::from_nanos(first.unwrap_or(0))
}

/// The processor time of a picture in the emulator on one host thread.
fn alone(script: &Script, host: &Folder) -> Duration {
    let memory = Memory::new(script, host).expect("the buffers of an example");
    let mut emulator = Emulator::new(script, host, &Settings::new(Platform::Skl), memory);
    emulator.options.host_threads = 1;
    draw(script, &mut emulator);
    let mut time = |_| {
        let start = processor_time();
        draw(script, &mut emulator);
        processor_time().saturating_sub(start)
    };
    (0..2 * RUNS).map(&mut time).min().unwrap_or_default()
}

/// The time of a picture on lavapipe.
fn judged(script: &Script, host: &Folder, lavapipe: &'static Lavapipe) -> Duration {
    let mut engine =
        LavapipeEngine::new(script, host, lavapipe).expect("the buffers of an example");
    draw(script, &mut engine);
    let time = |_| {
        engine.session.busy = Duration::ZERO;
        draw(script, &mut engine);
        engine.session.busy
    };
    (0..4 * RUNS).map(time).min().unwrap_or_default()
}

fn main() {
    if is_test_run() {
        return;
    }
    let is_alone = std::env::args().any(|argument| argument == "--alone");
    let lavapipe = match Lavapipe::open() {
        _ if is_alone => None,
        Ok(lavapipe) => Some(lavapipe),
        Err(absent) => {
            println!("{}: {}", absent.judge, absent.reason);
            return;
        }
    };
    if !is_alone {
        println!("| example | emulator | lavapipe | ratio | gain of all cores |");
        println!("| --- | ---: | ---: | ---: | ---: |");
    }
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    for name in ["drawing", "instances", "postprocess", "shadowed_mesh", "terrain"] {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let host = Folder { path: repository().join("examples") };
        let text = std::fs::read_to_string(host.path.join(format!("{name}.amber")));
        let mut script = crestline_amber::parse(&text.expect("an example")).expect("a script");
        script.commands.retain(|command| !matches!(command.action, Action::Expect { .. }));
        let Some(lavapipe) = lavapipe else {
            println!("{name}: {:.1} ms of processor time", milliseconds(alone(&script, &host)));
            continue;
        };
        let (one, all) = (emulated(&script, &host, 1), emulated(&script, &host, 0));
        let theirs = judged(&script, &host, lavapipe);
        let rate = |time| 1e3 / milliseconds(time);
        println!(
            "| `{name}` | {:.1} /s | {:.1} /s | {:.2} | {:.2} |",
            rate(all),
            rate(theirs),
            rate(all) / rate(theirs),
            rate(all) / rate(one),
        );
    }
}
