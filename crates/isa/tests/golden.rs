//! Golden instructions: the files `tests/isa/<generation>/*.txt` contain bytes and their texts in
//! both syntaxes. The test checks printing and parsing of each. `UPDATE_EXPECT=1` rewrites the
//! texts from the bytes.
//!
//! A case is a line with the bytes in memory order, then the lines `mesa: ` and `iga: `. If a text
//! alone does not assemble to the same bytes, it is marked `mesa~` or `iga~`. A syntax that the
//! generation does not have is absent.

use crestline_isa::text::{Syntax, parse_program, print_inst};
use crestline_isa::{Gen, decode_at, encode_into};
use crestline_testing::golden;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/isa")
}

fn bytes_of(digits: &str) -> Vec<u8> {
    let digits: Vec<char> = digits.chars().collect();
    let byte = |pair: &[char]| {
        let pair: String = pair.iter().collect();
        u8::from_str_radix(&pair, 16).expect("hexadecimal digits")
    };
    digits.chunks(2).map(byte).collect()
}

/// Whether a text alone assembles to the bytes.
fn gives_back(text: &str, bytes: &[u8], generation: Gen, syntax: Syntax) -> bool {
    let Ok(insts) = parse_program(text, generation, syntax) else { return false };
    let mut out = Vec::new();
    insts.iter().all(|inst| encode_into(inst, generation, &mut out).is_ok()) && out == bytes
}

/// The case of some bytes as it is printed now.
fn case(digits: &str, generation: Gen) -> String {
    let bytes = bytes_of(digits);
    let inst = decode_at(&bytes, 0, generation).expect("golden bytes decode");
    let mut again = Vec::new();
    encode_into(&inst, generation, &mut again).expect("golden bytes encode");
    assert_eq!(again, bytes, "{generation} {digits}");
    let mut out = format!("{digits}\n");
    let align16 = inst.access_mode == crestline_isa::AccessMode::Align16;
    for syntax in [Syntax::Mesa, Syntax::Iga] {
        if syntax == Syntax::Iga && (generation < Gen::Gen75 || align16) {
            continue;
        }
        // One line each: a message's second line is joined.
        let text = print_inst(&inst, generation, syntax);
        let text = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        let mark = if gives_back(&text, &bytes, generation, syntax) { ':' } else { '~' };
        let _ = writeln!(out, "  {}{mark} {text}", syntax.name());
    }
    out
}

#[test]
fn golden_instructions_print_and_parse() {
    let mut cases = 0;
    let mut texts = Vec::new();
    for generation in Gen::ALL {
        let folder = folder().join(generation.name());
        let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.expect("folder entry").path())
            .collect();
        paths.sort();
        for path in paths {
            let old = std::fs::read_to_string(&path).expect("readable test data");
            let mut new = String::new();
            for line in old.lines() {
                if line.starts_with('#') {
                    let _ = writeln!(new, "{line}");
                } else if !line.starts_with(' ') && !line.is_empty() {
                    new.push_str(&case(line, generation));
                    cases += 1;
                }
            }
            texts.push((path, new));
        }
    }
    golden::check(texts);
    assert!(cases > 300, "only {cases} cases");
}
