//! Runs golden cases of the command line: a command, its input files, its exit status and its output on one stream.
//!
//! ```text
//! $ crestline compile bad.wgsl --target skl
//! --- bad.wgsl
//! fn main( {
//! --- status 1
//! error[E0703]: ...
//! ```
//!
//! A section `--- NAME hex` contains the bytes of a file as hexadecimal text. The last section is the output of the
//! command; `UPDATE_EXPECT=1` rewrites it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crestline_testing::golden;

/// The cases of a folder of `tests/`, sorted.
pub(crate) fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    paths.sort();
    paths
}

/// Compares every case of a folder with what is said this time on a stream, or rewrites it.
pub(crate) fn check(folder: &str, stream: fn(Output) -> Vec<u8>) {
    golden::check(cases(folder).into_iter().map(|case| {
        let text = std::fs::read_to_string(&case).expect("a readable case");
        let found = run(&case, &text, stream);
        (case, found)
    }));
}

/// Runs a case in a folder of its own and returns its text with what was said this time.
fn run(case: &Path, text: &str, stream: fn(Output) -> Vec<u8>) -> String {
    let name = case.file_stem().expect("a file").to_string_lossy().into_owned();
    let scratch = std::env::temp_dir().join(format!("crestline-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a scratch folder");
    let (command, rest) = text.split_once('\n').expect("a command line");
    let mut kept = format!("{command}\n");
    for section in format!("\n{rest}").split("\n--- ").skip(1) {
        let (head, body) = section.split_once('\n').unwrap_or((section, ""));
        if head.starts_with("status ") {
            break;
        }
        let body = body.trim_end_matches('\n');
        let (file, bytes) = match head.strip_suffix(" hex") {
            Some(file) => (file, unhex(body)),
            None => (head, format!("{body}\n").into_bytes()),
        };
        std::fs::write(scratch.join(file), bytes).expect("an input file");
        let _ = write!(kept, "--- {head}\n{body}\n");
    }
    let words = command.strip_prefix("$ crestline ").expect("a command starts with `$ crestline`");
    let output = Command::new(env!("CARGO_BIN_EXE_crestline"))
        .args(words.split_whitespace())
        .current_dir(&scratch)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    std::fs::remove_dir_all(&scratch).expect("the scratch folder goes away");
    let status = output.status.code().expect("the program ended by itself");
    format!("{kept}--- status {status}\n{}", String::from_utf8_lossy(&stream(output)))
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).expect("a hexadecimal digit"))
        .collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}
