//! `cargo xtask fuzz`: coverage-guided fuzzing with `cargo fuzz`, on the stable toolchain and therefore without a
//! sanitizer. The project has no `unsafe` code for which a sanitizer would be useful.

use std::path::Path;
use std::process::{Child, Command, ExitCode};
use std::sync::Mutex;

use crate::succeeds;

/// Default of `--seconds`: how long each target runs.
const SECONDS: u32 = 60;

/// The seed of the fuzzer's random numbers.
const SEED: u32 = 1;

/// The longest time of one input in seconds. A longer time is reported as a hang.
const INPUT_SECONDS: u32 = 10;

/// The most memory of one target in MiB. More is reported as a leak.
const MEMORY_MIB: u32 = 2048;

/// The longest input that the fuzzer makes, in bytes.
const INPUT_BYTES: u32 = 16 << 10;

/// The arguments of the task.
pub(crate) struct Wish {
    /// How long each target runs, in seconds.
    seconds: u32,
    /// Names of targets; empty for all.
    targets: Vec<String>,
}

/// Reads the arguments; `None` if they are wrong.
pub(crate) fn wish(arguments: &[String]) -> Option<Wish> {
    let (seconds, targets) = match arguments {
        [flag, number, targets @ ..] if flag == "--seconds" => (number.parse().ok()?, targets),
        targets => (SECONDS, targets),
    };
    let flags = targets.iter().any(|target| target.starts_with('-'));
    (!flags).then(|| Wish { seconds, targets: targets.to_vec() })
}

/// Builds all targets, then runs the selected ones, two at a time.
pub(crate) fn run(wish: &Wish) -> ExitCode {
    let seconds = wish.seconds;
    // Tasks run in the workspace's folder or below: `cargo run` does not change it.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let fuzz = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        command.current_dir(&root).arg("fuzz").args(arguments);
        command
    };
    if !succeeds(&mut fuzz(&["--version"])) {
        println!("installing cargo-fuzz");
        if !succeeds(Command::new("cargo").args(["install", "cargo-fuzz", "--locked"])) {
            println!("FAILED: cargo-fuzz cannot be installed");
            return ExitCode::FAILURE;
        }
    }
    let Some(targets) = fuzz(&["list"]).output().ok().filter(|out| out.status.success()) else {
        println!("FAILED: cargo fuzz lists no targets");
        return ExitCode::FAILURE;
    };
    let targets = String::from_utf8_lossy(&targets.stdout).into_owned();
    if !succeeds(&mut fuzz(&["build", "-s", "none"])) {
        println!("FAILED: the fuzz targets do not build");
        return ExitCode::FAILURE;
    }
    let wanted = |target: &&str| {
        wish.targets.is_empty() || wish.targets.iter().any(|wanted| wanted == target)
    };
    let waiting = Mutex::new(targets.lines().rev().filter(wanted).collect::<Vec<&str>>());
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(target) = next(&waiting) {
                    println!("fuzzing {target} for {seconds} seconds");
                    let corpus = root.join("fuzz/corpus").join(target);
                    let seeds = root.join("fuzz/seeds").join(target);
                    let made = std::fs::create_dir_all(&corpus).is_ok();
                    let child = fuzz(&["run", "-s", "none", target])
                        .args([&corpus, &seeds])
                        .arg("--")
                        // With a fixed seed the same code gets the same inputs, so a run can be repeated.
                        .arg(format!("-seed={SEED}"))
                        .arg(format!("-max_total_time={seconds}"))
                        .arg(format!("-timeout={INPUT_SECONDS}"))
                        .arg(format!("-rss_limit_mb={MEMORY_MIB}"))
                        .arg(format!("-max_len={INPUT_BYTES}"))
                        .args(["-print_final_stats=1", "-verbosity=0"])
                        .spawn();
                    let passed = child.and_then(|mut child: Child| child.wait());
                    if !made || !passed.is_ok_and(|status| status.success()) {
                        failed.lock().unwrap_or_else(|e| e.into_inner()).push(target);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(|error| error.into_inner());
    if failed.is_empty() {
        println!("PASSED: fuzzing found nothing");
        return ExitCode::SUCCESS;
    }
    for target in &failed {
        print_inputs(&root.join("fuzz/artifacts").join(target));
    }
    println!("FAILED: fuzzing {}; the inputs are in fuzz/artifacts", failed.join(", "));
    ExitCode::FAILURE
}

/// Prints the inputs of a folder as hexadecimal digits, so that a log of CI is enough to repeat a failure.
fn print_inputs(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{}: {digits}", path.display());
    }
}

fn next<'a>(waiting: &Mutex<Vec<&'a str>>) -> Option<&'a str> {
    waiting.lock().unwrap_or_else(|error| error.into_inner()).pop()
}
