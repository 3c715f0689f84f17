//! Tests that `docs/validation-rules.md` contains the current table of rules, behind text that is
//! written by hand. `UPDATE_EXPECT=1` writes the table.

use crestline_isa::validate::{Rule, Severity, rules};
use crestline_testing::golden;
use std::fmt::Write;
use std::path::Path;

/// The line that ends the prose.
const MARK: &str = "<!-- What follows is made by the test `rules` of crates/isa. -->\n";

const GROUPS: [(char, &str); 16] = [
    ('A', "Encoding"),
    ('B', "Operands"),
    ('C', "Conversion and destination stride"),
    ('D', "Regions"),
    ('E', "Indirect addressing"),
    ('F', "64-bit data, dword products, aligned float regions"),
    ('G', "Mixed floats"),
    ('H', "Packed immediates"),
    ('I', "Three sources"),
    ('J', "Math"),
    ('K', "Messages"),
    ('L', "Accumulators"),
    ('M', "Dependency control and options"),
    ('N', "Flow control"),
    ('O', "Systolic"),
    ('P', "Work-arounds"),
];

/// Group and number of an id.
fn order(rule: &Rule) -> (&str, u32) {
    let (group, number) = rule.id.split_at(1);
    (group, number.parse().expect("a number after the letter"))
}

fn table() -> String {
    let mut all: Vec<&Rule> = rules().collect();
    all.sort_by_key(|rule| order(rule));
    let mut out = String::new();
    for (letter, title) in GROUPS {
        let _ = write!(out, "\n## {letter}: {title}\n\n");
        out.push_str(
            "| id | generations | severity | rule | source |\n| --- | --- | --- | --- | --- |\n",
        );
        for rule in all.iter().filter(|rule| rule.id.starts_with(letter)) {
            let (first, last) = (rule.generations.start().name(), rule.generations.end().name());
            let (first, last) = (first.trim_start_matches("gen"), last.trim_start_matches("gen"));
            let generations =
                if first == last { first.to_owned() } else { format!("{first} to {last}") };
            let severity = match rule.severity {
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            let Rule { id, text, source, .. } = rule;
            let _ = writeln!(out, "| {id} | {generations} | {severity} | {text} | {source} |");
        }
    }
    out
}

pub(crate) fn check() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validation-rules.md");
    let old = std::fs::read_to_string(&path).expect("the page of the rules");
    let (prose, _) = old.split_once(MARK).expect("the mark in the page");
    let new = format!("{prose}{MARK}{}", table());
    golden::check([(path, new)]);
}
