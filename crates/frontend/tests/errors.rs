//! The error catalogue, `docs/errors.md`: each code has a section with an input that breaks the rule and the message
//! that it gets. `UPDATE_EXPECT=1` writes the messages anew.

mod common;

use std::fmt::Write;
use std::path::PathBuf;

use crestline_frontend::{
    ErrorCode, FrontendError, Language, Source, TranslateOptions, spirv_words, to_spirv, translate,
};
use crestline_testing::golden;

const PREAMBLE: &str = include_str!("common/preamble.spvasm");

/// A section of the catalogue.
struct Section {
    code: String,
    /// What the fence says: how the input is to be read.
    form: String,
    input: String,
    /// The lines of the file that hold the quoted message.
    lines: std::ops::Range<usize>,
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md")
}

fn sections(text: &str) -> Vec<Section> {
    let lines: Vec<&str> = text.lines().collect();
    let mut sections = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(head) = line.strip_prefix("## E") else { continue };
        let fence = (start..lines.len())
            .find(|&i| lines[i].starts_with("```"))
            .unwrap_or_else(|| panic!("{line}: no input"));
        let close = (fence + 1..lines.len())
            .find(|&i| lines[i] == "```")
            .unwrap_or_else(|| panic!("{line}: no end of the input"));
        let quote = (close + 1..lines.len())
            .find(|&i| lines[i].starts_with('>'))
            .unwrap_or_else(|| panic!("{line}: no message"));
        let end = (quote..lines.len()).find(|&i| !lines[i].starts_with('>')).unwrap_or(lines.len());
        sections.push(Section {
            code: format!("E{}", head.split(':').next().unwrap_or_default()),
            form: lines[fence][3..].to_owned(),
            input: lines[fence + 1..close].join("\n"),
            lines: quote..end,
        });
    }
    sections
}

/// The module of a snippet: the preamble, lines up to `body:` among the declarations, the rest in the function.
fn module(snippet: &str) -> String {
    let snippet = expand(snippet);
    let (globals, body) = snippet.split_once("body:\n").unwrap_or(("", &snippet));
    let end = if body.contains("OpFunctionEnd") { "" } else { "OpReturn\nOpFunctionEnd" };
    format!(
        "{PREAMBLE}\n{globals}\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{body}\n{end}"
    )
}

/// The text with each `;repeat A..B: LINE / LINE` written out.
fn expand(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let Some(repeat) = line.strip_prefix(";repeat ") else {
            writeln!(out, "{line}").expect("a string");
            continue;
        };
        let (range, body) = repeat.split_once(": ").expect("a range and a body");
        let (from, to) = range.split_once("..").expect("two ends");
        let end = |n: &str| n.parse::<usize>().expect("a number");
        for i in end(from)..end(to) {
            let body = body.replace("{i}", &i.to_string());
            let body = body.replace("{i-1}", &i.saturating_sub(1).to_string());
            writeln!(out, "{}", body.replace(" / ", "\n")).expect("a string");
        }
    }
    out
}

/// What the library says about an input.
fn run(section: &Section) -> Option<FrontendError> {
    let input = &section.input;
    let defaults = TranslateOptions::default();
    let compile = |language| {
        let text = expand(input);
        let source = Source { name: "shader", language, bytes: text.as_bytes() };
        to_spirv(&source).and_then(|words| translate(&words, &defaults)).err()
    };
    match section.form.as_str() {
        "spvasm" => translate(&common::assemble(&module(input)), &defaults).err(),
        "spvasm module" => translate(&common::assemble(input), &defaults).err(),
        "spvasm entry=other" => {
            let options = TranslateOptions { entry: Some("other"), ..defaults };
            translate(&common::assemble(&module(input)), &options).err()
        }
        "spvasm spec=7" => {
            let options = TranslateOptions { spec: &[(7, 1)], ..defaults };
            translate(&common::assemble(&module(input)), &options).err()
        }
        "spvasm budget=100" => {
            let options = TranslateOptions { max_insts: 100, ..defaults };
            translate(&common::assemble(&module(input)), &options).err()
        }
        "words" => {
            let word = |w: &str| u32::from_str_radix(w, 16).expect("words are hexadecimal");
            let words: Vec<u32> = input.split_whitespace().map(word).collect();
            translate(&words, &defaults).err()
        }
        "bytes" => {
            let byte = |b: &str| u8::from_str_radix(b, 16).expect("bytes are hexadecimal");
            let bytes: Vec<u8> = input.split_whitespace().map(byte).collect();
            to_spirv(&Source { name: "shader", language: Language::Wgsl, bytes: &bytes }).err()
        }
        "wgsl" => compile(Language::Wgsl),
        "extension" => Language::from_extension(input.trim()).err(),
        // Which reader is built in is a matter of features.
        "hlsl" if cfg!(feature = "glslang") => None,
        "hlsl" => compile(Language::Hlsl),
        // A mistake of a reader that nobody knows of.
        "none" => None,
        form => panic!("{}: unknown form of input {form:?}", section.code),
    }
}

#[test]
fn every_code_has_a_section_and_gets_its_message() {
    let text = std::fs::read_to_string(path()).expect("the catalogue is there");
    let sections = sections(&text);
    let known: Vec<&str> = ErrorCode::ALL.iter().map(|c| c.as_str()).collect();
    let listed: Vec<&str> = sections.iter().map(|s| s.code.as_str()).collect();
    assert_eq!(listed, known, "the catalogue lists every code once, in order");

    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut failures = String::new();
    for section in sections.iter().rev() {
        let Some(error) = run(section) else {
            if !matches!(section.form.as_str(), "hlsl" | "none") {
                writeln!(failures, "{}: the input is accepted", section.code).expect("a string");
            }
            continue;
        };
        let message = error.to_string();
        if error.code.as_str() != section.code {
            writeln!(failures, "{}: the input gets {message}", section.code).expect("a string");
        } else {
            let quoted = message.lines().map(|l| format!("> {l}").trim_end().to_owned());
            lines.splice(section.lines.clone(), quoted);
        }
    }
    assert!(failures.is_empty(), "{failures}");
    golden::check([(path(), lines.join("\n") + "\n")]);
}

#[test]
fn the_catalogue_shows_the_rules_and_the_preamble_as_they_are() {
    let text = std::fs::read_to_string(path()).expect("the catalogue is there");
    for code in ErrorCode::ALL {
        let heading = format!("## {code}: {}", code.rule());
        assert!(text.lines().any(|l| l == heading), "expected the heading {heading:?}");
    }
    assert!(text.contains(PREAMBLE.trim_end()), "the preamble in the catalogue is out of date");
}

#[test]
fn the_preamble_alone_is_accepted() {
    let words = common::assemble(&module("%x = OpIAdd %uint %u0 %u1"));
    translate(&words, &TranslateOptions::default()).expect("the preamble breaks no rule");
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    assert_eq!(spirv_words(&bytes).expect("whole words"), words);
}
