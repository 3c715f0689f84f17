//! Compares the error messages of the command line with the files of `tests/errors/`: each contains a command and its
//! exact standard error. `docs/errors.md` contains the same for the front end's errors.

mod common;

#[test]
fn every_error_says_what_the_catalogue_says() {
    common::check("errors", |output| output.stderr);
}

/// An error that no case shows could change without anybody noticing.
#[test]
fn the_catalogue_covers_every_code_of_the_command_line() {
    let source = include_str!("../src/error.rs");
    let codes = source.lines().filter_map(|line| line.trim().strip_prefix("Code::"));
    let codes: Vec<&str> = codes.filter_map(|row| row.split('"').nth(1)).collect();
    assert!(codes.len() > 10, "the table of codes was found");
    let all: String = common::cases("errors")
        .iter()
        .map(|case| std::fs::read_to_string(case).expect("a readable case"))
        .collect();
    for code in codes {
        assert!(all.contains(&format!("error[{code}]")), "no case shows {code}");
    }
}
