//! Parses texts with several mistakes. All errors are reported, each at its token with what was
//! expected, and the instructions between them are parsed. `UPDATE_EXPECT=1` writes the expected
//! errors.
//!
//! The first line of a file in `tests/isa/errors/` contains generation and syntax; the expected
//! errors follow a line of dashes.

use crestline_isa::Gen;
use crestline_isa::text::{Syntax, parse_program};
use crestline_testing::golden;
use std::path::{Path, PathBuf};

const RULER: &str = "----";

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/isa/errors");
    let entries = std::fs::read_dir(&folder).expect("readable folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
    files.sort();
    files
}

/// The generation and syntax in the first line, which is a comment.
fn head(text: &str) -> Option<(Gen, Syntax)> {
    let mut words = text.lines().next()?.strip_prefix("// ")?.split(' ');
    let generation = words.next()?;
    let generation = Gen::ALL.into_iter().find(|known| known.name() == generation)?;
    Some((generation, words.next()?.parse().ok()?))
}

#[test]
fn every_mistake_of_a_text_is_reported_at_its_token() {
    let files = files();
    assert!(files.len() >= 4, "few files");
    golden::check(files.into_iter().map(|path| {
        let text = std::fs::read_to_string(&path).expect("readable file");
        let (source, _) = text.split_once(&format!("{RULER}\n")).unwrap_or((&text, ""));
        let (generation, syntax) = head(source).expect("a head such as `// gen9 iga`");
        let errors = parse_program(source, generation, syntax).expect_err("it has mistakes");
        for error in &errors {
            points_at_what_it_found(source, error.line, error.column, &error.found);
        }
        let found: String = errors.iter().map(|error| format!("{error}\n")).collect();
        (path, format!("{source}{RULER}\n{found}"))
    }));
}

#[test]
fn long_tokens_are_cut() {
    let error = parse_program(&"é".repeat(1 << 20), Gen::Gen9, Syntax::Iga).expect_err("no name");
    assert_eq!(error[0].found, "`é`");
    let error = parse_program(&"x".repeat(1 << 20), Gen::Gen9, Syntax::Iga).expect_err("no name");
    assert_eq!(error[0].found, format!("`{}...`", "x".repeat(100)));
}

/// Checks that the token in an error is at the position in the error.
fn points_at_what_it_found(source: &str, line: usize, column: usize, found: &str) {
    let line = source.lines().nth(line - 1).expect("the line exists");
    let rest: String = line.chars().skip(column - 1).collect();
    match found.strip_prefix('`').and_then(|found| found.strip_suffix('`')) {
        Some(token) => assert!(rest.starts_with(token), "{found} is not at {column} of {line}"),
        None => assert!(rest.split("//").next().expect("a part").trim().is_empty(), "{line}"),
    }
}
