//! Tells the program the commit that it is built from, for `--version`.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Git appends to this file when HEAD changes.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
    }
    let version = env!("CARGO_PKG_VERSION");
    let version = match commit() {
        Some(commit) => format!("{version} ({})", commit.get(..12).unwrap_or(&commit)),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=CRESTLINE_VERSION={version}");
}

/// The commit of a package, as Cargo stores it, else that of the work tree that contains this file.
fn commit() -> Option<String> {
    match std::fs::read_to_string(".cargo_vcs_info.json") {
        Ok(text) => {
            let (_, rest) = text.split_once("\"sha1\": \"")?;
            rest.split_once('"').map(|(commit, _)| commit.to_owned())
        }
        Err(_) => {
            git(&["ls-files", "--error-unmatch", "build.rs"])?;
            git(&["rev-parse", "HEAD"])
        }
    }
}

/// The output of `git`, `None` if it fails.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
