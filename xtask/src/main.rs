//! Developer tasks, run as `cargo xtask TASK`:
//!
//! * `test`   installs the judges if possible, then runs every test. Its last line says whether all tests passed and which
//!   comparisons were left out;
//! * `judges` only installs the judges and lists them;
//! * `fuzz`   runs the targets of `fuzz/`, or the given ones, two at a time, on the stored seeds (`--seconds N` each,
//!   default 60). It fails if a target finds an error;
//! * `package` checks the packages of the published crates (files, manifests, order) without building them;
//! * `install-capi` builds the C library with the profile `dist`, and installs it with its header and its pkg-config file
//!   (`--prefix DIR`).
//!
//! With `CRESTLINE_JUDGES=required` in the environment an absent judge fails the run.

mod capi;
mod fuzz;
mod package;

use std::path::Path;
use std::process::{Command, ExitCode};

use crestline_judges::Absent;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("test") => test(&arguments[1..]),
        Some("judges") if arguments.len() == 1 => {
            let missing = judges();
            ExitCode::from(u8::from(!missing.is_empty()))
        }
        Some("fuzz") => match fuzz::wish(&arguments[1..]) {
            Some(wish) => fuzz::run(&wish),
            None => usage(),
        },
        Some("package") if arguments.len() == 1 => package::check(),
        Some("install-capi") => match &arguments[1..] {
            [flag, prefix] if flag == "--prefix" => capi::install(Path::new(prefix)),
            _ => usage(),
        },
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: cargo xtask test [ARGUMENTS OF THE TEST RUNNER] | judges | fuzz [--seconds N] [TARGETS] \
         | package | install-capi --prefix DIR"
    );
    ExitCode::from(2)
}

/// Runs every test. `filter` are arguments for the test runner.
fn test(filter: &[String]) -> ExitCode {
    let mut missing = judges();
    if crestline_judges::required() && !missing.is_empty() {
        println!("FAILED: the judges are mandatory, and absent are: {}", missing.join(", "));
        return ExitCode::FAILURE;
    }

    let nextest = succeeds(Command::new("cargo").args(["nextest", "--version"]));
    let mut steps: Vec<(&str, Vec<&str>)> = Vec::new();
    if nextest {
        steps.push(("tests", vec!["nextest", "run", "--workspace", "--no-fail-fast"]));
    } else {
        steps.push(("tests", vec!["test", "--workspace", "--all-targets", "--no-fail-fast"]));
    }
    // Neither command runs documentation tests.
    if filter.is_empty() {
        steps.push(("documentation tests", vec!["test", "--workspace", "--doc"]));
    }

    let mut failed = Vec::new();
    for (what, step) in steps {
        println!("running cargo {} {}", step.join(" "), filter.join(" "));
        let status = Command::new("cargo").args(step).args(filter).status();
        if !status.is_ok_and(|status| status.success()) {
            failed.push(what);
        }
    }

    // The package has its own tests, in Python.
    if filter.is_empty() {
        let venv = ["-c", "import ensurepip, venv"];
        if !crestline_judges::required() && !succeeds(Command::new("python3").args(venv)) {
            missing.push("Python (on Debian: apt-get install python3-venv)");
        } else {
            println!("running crates/python/test.sh");
            if !succeeds(&mut Command::new("crates/python/test.sh")) {
                failed.push("tests of the Python package");
            }
        }
    }

    let left_out = match missing.as_slice() {
        [] => "no comparison was left out".to_owned(),
        names => format!("left out: comparisons with {}", names.join(", ")),
    };
    if failed.is_empty() {
        println!("PASSED: all tests passed; {left_out}");
        ExitCode::SUCCESS
    } else {
        println!("FAILED: {}; {left_out}", failed.join(" and "));
        ExitCode::FAILURE
    }
}

/// Lists the judges, and installs absent ones if possible. Returns the names of those that are still absent.
fn judges() -> Vec<&'static str> {
    let installable = |found: &Result<String, Absent>| {
        found.as_ref().is_err_and(|absent| absent.packages.is_some())
    };
    if crestline_judges::survey().iter().any(|(_, found)| installable(found)) {
        install();
    }
    let mut missing = Vec::new();
    for (name, found) in crestline_judges::survey() {
        match found {
            Ok(description) => println!("judge {name}: {description}"),
            Err(absent) => {
                println!("judge {name}: {absent}");
                missing.push(name);
            }
        }
    }
    missing
}

/// Installs the judges' packages with apt-get, if the system is Debian and the user is root.
fn install() {
    let root = Command::new("id").arg("-u").output();
    let root = root.is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if !root || !Path::new("/etc/debian_version").exists() {
        println!("some judges are absent, and only root on Debian can install them");
        return;
    }
    println!("installing {}", crestline_judges::PACKAGES.join(" "));
    let apt = |arguments: &[&str]| {
        succeeds(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(arguments))
    };
    let install = [&["install", "-y", "--no-install-recommends"], crestline_judges::PACKAGES];
    if !apt(&["update"]) || !apt(&install.concat()) {
        println!("apt-get failed; going on without");
    }
    if !succeeds(Command::new("npm").arg("--version")) {
        let packages = crestline_judges::playwright::PACKAGES.split(' ');
        let install: Vec<&str> =
            ["install", "-y", "--no-install-recommends"].into_iter().chain(packages).collect();
        if !apt(&install) {
            println!("apt-get failed; going on without Node.js");
        }
    }
    let folder = crestline_judges::playwright::Playwright::folder();
    let npm = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    if !succeeds(Command::new("npm").args(npm).current_dir(folder)) {
        println!("npm failed; going on without");
    }
}

fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
