//! Runs the command line in a folder.

use std::path::Path;
use std::process::Command;

/// Runs the command line, given as words, in a folder. It must succeed. Returns what it prints.
pub(crate) fn crestline(folder: &Path, words: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_crestline"))
        .args(words.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}
