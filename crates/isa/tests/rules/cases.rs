//! Parses the files of cases for validation rules. A line is
//!
//! ```text
//! VERDICT WHERE +OTHER ...: INSTRUCTION | ASSIGNMENT, ...
//! ```
//!
//! `VERDICT` is `pass` or `fail`. `WHERE` is generations (`gen7`, `gen4..gen6`, `gen8..`) or
//! platforms (`chv`); without it the case is for every generation of the rule. `+OTHER` is another
//! rule that the code breaks too; it must break no others. The instruction is in the `mesa` syntax.
//! Assignments (`assign.rs`) change fields of the first instruction. Lines that begin with spaces
//! continue the case with further instructions of the program, or labels. `#` begins a comment.

use crate::assign::assign;
use crestline_isa::text::{Syntax, parse_program};
use crestline_isa::validate::Rule;
use crestline_isa::{Gen, Inst, Platform};
use std::path::{Path, PathBuf};

/// One case on one platform.
pub(crate) struct Case {
    /// Line in the file, from 1.
    pub(crate) line: usize,
    /// Whether the rule must find something.
    pub(crate) fails: bool,
    /// Other rules that the code breaks.
    pub(crate) others: Vec<String>,
    pub(crate) platform: Platform,
    /// The code, or why it cannot be had.
    pub(crate) insts: Result<Vec<Inst>, String>,
}

impl Case {
    /// The instructions with their byte offsets.
    pub(crate) fn program(&self) -> Result<Vec<(usize, Inst)>, &String> {
        let mut offset = 0;
        let mut at = |inst: &Inst| {
            offset += inst.size() as usize;
            (offset - inst.size() as usize, inst.clone())
        };
        Ok(self.insts.as_ref()?.iter().map(&mut at).collect())
    }
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/isa/rules")
}

/// The cases of a rule, once for each platform they are for. A mistake in the file is a panic that names the line.
pub(crate) fn cases_of(rule: &Rule) -> Vec<Case> {
    let path = folder().join(format!("{}.txt", rule.id));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut blocks: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.starts_with(' ') {
            let (_, block) = blocks.last_mut().expect("a case before its continuation");
            block.push('\n');
            block.push_str(line);
        } else if !line.is_empty() && !line.starts_with('#') {
            blocks.push((index + 1, line.to_owned()));
        }
    }
    let mut cases = Vec::new();
    for (line, block) in blocks {
        let place = format!("{}:{line}", path.display());
        let (head, code) = block.split_once(':').unwrap_or_else(|| panic!("{place}: no colon"));
        let mut words = head.split_whitespace();
        let fails = match words.next() {
            Some("fail") => true,
            Some("pass") => false,
            other => panic!("{place}: {other:?} is no verdict"),
        };
        let (others, places): (Vec<&str>, Vec<&str>) = words.partition(|w| w.starts_with('+'));
        let mut platforms: Vec<Platform> =
            places.iter().flat_map(|word| platforms(word, &place)).collect();
        if platforms.is_empty() {
            platforms = rule.holds_for().map(Platform::of_generation).collect();
        }
        for platform in platforms {
            cases.push(Case {
                line,
                fails,
                others: others.iter().map(|other| other[1..].to_owned()).collect(),
                platform,
                insts: instructions(code, platform.generation()),
            });
        }
    }
    cases
}

fn platforms(word: &str, place: &str) -> Vec<Platform> {
    let generation = |name: &str| {
        name.parse::<Gen>().unwrap_or_else(|_| panic!("{place}: `{name}` is no generation"))
    };
    if let Some((first, last)) = word.split_once("..") {
        let first = generation(first);
        let last = if last.is_empty() { Gen::Gen125 } else { generation(last) };
        let range = Gen::ALL.into_iter().filter(|g| (first..=last).contains(g));
        return range.map(Platform::of_generation).collect();
    }
    match word.parse() {
        Ok(platform) => vec![platform],
        Err(_) => vec![Platform::of_generation(generation(word))],
    }
}

fn instructions(code: &str, generation: Gen) -> Result<Vec<Inst>, String> {
    let (code, assignments) = code.split_once('|').unwrap_or((code, ""));
    let mut insts = parse_program(code, generation, Syntax::Mesa)
        .map_err(|errors| format!("{generation}: {}", errors[0]))?;
    // What Mesa's assembler leaves in unused bits is not what the cases are about, and would
    // stand in fields after an assignment.
    insts.iter_mut().for_each(|inst| inst.residue = 0);
    for assignment in assignments.split(", ").map(str::trim).filter(|a| !a.is_empty()) {
        assign(&mut insts[0], assignment).map_err(|error| format!("{assignment}: {error}"))?;
    }
    Ok(insts)
}
