//! Compares a million random valid instructions per generation with `iga64`. It assembles our text
//! to our bits; its disassembly equals our text and parses to the same instruction.
//!
//! `CRESTLINE_RANDOM` sets another number of instructions per generation.

#[path = "../common/mod.rs"]
mod common;
mod differences;

use common::cells::Cell;
use common::random::with_targets_inside;
use common::valid::Maker;
use crestline_isa::text::{Syntax, parse_program, print_inst};
use crestline_isa::{AccessMode, Gen, Inst, Platform, encode};
use crestline_judges::iga::{Compaction, Iga};
use differences::{DIFFERENCES, Difference, Effect};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Instructions per generation.
const COUNT: usize = 1_000_000;
/// Instructions per question to `iga64`: its start costs as much as a thousand instructions, and
/// gen7.5 branches reach 256 KiB.
const BATCH: usize = 10_000;

/// Most questions about one batch.
const MAX_ROUNDS: usize = 20;

fn count() -> usize {
    let text = std::env::var("CRESTLINE_RANDOM").ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(COUNT)
}

#[test]
fn gen75() {
    judge(Gen::Gen75);
}

#[test]
fn gen8() {
    judge(Gen::Gen8);
}

#[test]
fn gen9() {
    judge(Gen::Gen9);
}

#[test]
fn gen11() {
    judge(Gen::Gen11);
}

#[test]
fn gen12() {
    judge(Gen::Gen12);
}

#[test]
fn gen125() {
    judge(Gen::Gen125);
}

/// What came out for one generation.
#[derive(Default)]
struct Tally {
    compared: usize,
    /// Instructions left out for each named difference.
    known: BTreeMap<&'static str, usize>,
    /// Disagreements that no named difference explains: what and which operation, how often, and
    /// the first example.
    failures: BTreeMap<String, (usize, String)>,
}

impl Tally {
    fn failures(&self) -> String {
        let failures = self.failures.iter();
        failures
            .map(|(class, (count, first))| format!("{count} times {class}\n{first}\n"))
            .collect()
    }

    fn fail(&mut self, what: &str, inst: &Inst, example: impl FnOnce() -> String) {
        let class = format!("{what}: {}", inst.opcode.name());
        let (count, first) = self.failures.entry(class).or_default();
        *count += 1;
        if first.is_empty() {
            *first = example();
        }
    }
}

fn judge(generation: Gen) {
    let Some(iga) = crestline_judges::ask(Iga::find()) else { return };
    let mut maker = Maker::new(generation, AccessMode::Align1);
    let mut tally = Tally::default();
    while tally.compared < count() && tally.failures.len() < 20 {
        let batch: Vec<Inst> = (0..BATCH).map(|_| maker.next()).collect();
        compare(&iga, &mut maker, batch, generation, &mut tally);
    }
    // Cells that chance has left out.
    let mut refused = BTreeMap::new();
    let mut batch = Vec::new();
    for cell in maker.missed() {
        for _ in 0..20 {
            let Some(inst) = maker.in_cell(&cell) else { break };
            match differences(&inst, generation).into_iter().find(|d| d.refuses()) {
                Some(difference) => refused.insert(cell, difference.name),
                None => {
                    batch.push(inst);
                    refused.remove(&cell);
                    break;
                }
            };
        }
    }
    compare(&iga, &mut maker, batch, generation, &mut tally);
    report(generation, &maker, &tally, &refused);
    let failures = tally.failures();
    assert!(failures.is_empty(), "{generation}\n{failures}");
    let missed: Vec<String> = maker
        .missed()
        .iter()
        .filter(|cell| !refused.contains_key(*cell))
        .map(Cell::to_string)
        .collect();
    assert!(missed.is_empty(), "{generation}: legal but never judged: {missed:#?}");
}

/// The differences that concern an instruction.
fn differences(inst: &Inst, generation: Gen) -> Vec<&'static Difference> {
    DIFFERENCES.iter().filter(|d| (d.applies)(inst, generation)).collect()
}

/// One batch through `iga64` and back.
fn compare(iga: &Iga, maker: &mut Maker, batch: Vec<Inst>, generation: Gen, tally: &mut Tally) {
    let len = batch.len();
    if len == 0 {
        return;
    }
    let batch: Vec<Inst> =
        batch.iter().enumerate().map(|(n, inst)| with_targets_inside(inst, n, len)).collect();
    let platform = Platform::of_generation(generation).name();
    let known: Vec<Vec<&'static Difference>> =
        batch.iter().map(|inst| differences(inst, generation)).collect();
    let refused = |known: &[&Difference]| known.iter().any(|d| d.refuses());
    let mut lines: Vec<String> = batch
        .iter()
        .zip(&known)
        .map(|(inst, known)| match refused(known) {
            // A no-op in the place of what iga64 refuses keeps the others where they are.
            true => "nop".to_owned(),
            false => print_inst(inst, generation, Syntax::Iga),
        })
        .collect();
    let mut unexplained = BTreeSet::new();
    let mut rounds = 0;
    let code = loop {
        // It names few errors at a time; so many mean that a new kind of instruction is refused.
        rounds += 1;
        assert!(rounds <= MAX_ROUNDS, "{generation}\n{}", tally.failures());
        match iga.assemble(platform, &(lines.join("\n") + "\n"), Compaction::AsWritten) {
            Ok(code) => break code,
            Err(error) => {
                let error = error.to_string();
                let refused = refused_lines(&error);
                assert!(!refused.is_empty(), "{generation}: {error}");
                for (n, why) in refused {
                    let line = std::mem::replace(&mut lines[n], "nop".to_owned());
                    let (_, what) = why.split_once(": ").unwrap_or(("", &why));
                    tally.fail(what, &batch[n], || format!("  {line}\n  {why}"));
                    unexplained.insert(n);
                }
            }
        }
    };
    assert_eq!(code.len(), batch.len() * 16, "{generation}");
    let printed = iga.disassemble(platform, &code).expect("iga64 reads what it wrote");
    assert_eq!(printed.len(), lines.len(), "{generation}");
    let text: String = printed.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect();
    let parsed = match parse_program(&text, generation, Syntax::Iga) {
        Ok(parsed) => parsed,
        Err(errors) => {
            for error in errors {
                let n = error.line - 1;
                tally.fail("not parsed", &batch[n], || format!("  {error}\n  {}", printed[n].text));
            }
            return;
        }
    };
    for n in 0..batch.len() {
        let theirs = &printed[n].text;
        let mut inst = batch[n].clone();
        let (mut chance, mut other_words) = (0, false);
        if unexplained.contains(&n) {
            continue;
        }
        for difference in &known[n] {
            *tally.known.entry(difference.name).or_default() += 1;
            match difference.effect {
                Effect::Chance(bits) => chance |= bits,
                Effect::ReadAs(change) => change(&mut inst),
                Effect::OtherWords => other_words = true,
                Effect::Refused | Effect::PrintedAs(_) => {}
            }
        }
        if refused(&known[n]) {
            continue;
        }
        tally.compared += 1;
        maker.count(&batch[n]);
        let bits = encode(&inst, generation).expect("valid instructions encode");
        let bytes = code[n * 16..n * 16 + 16].try_into().expect("16 bytes");
        let differ = (u128::from_le_bytes(bytes) ^ bits) & !chance;
        if differ != 0 {
            let example = || format!("  {}\n  {theirs}\n  xor {differ:032x}", lines[n]);
            tally.fail("other bits", &inst, example);
        }
        for difference in &known[n] {
            if let Effect::PrintedAs(change) = difference.effect {
                change(&mut inst);
            }
        }
        let text = print_inst(&inst, generation, Syntax::Iga);
        if !other_words && normalise(&text) != normalise(theirs) {
            tally.fail("other text", &inst, || format!("  {text}\n  iga64 {theirs}"));
        }
        if parsed[n] != inst {
            let example = || format!("  {theirs}\n  {:?}\n  {inst:?}", parsed[n]);
            tally.fail("parsed otherwise", &inst, example);
        }
    }
}

/// Spaces and comments aside.
fn normalise(line: &str) -> String {
    let line = line.split("//").next().unwrap_or("");
    line.split_whitespace().collect::<Vec<_>>().join(" ").replace(" {", "{").replace(") (", ")(")
}

/// The lines, counted from 0, that the messages of `iga64` name, each with the first message.
fn refused_lines(messages: &str) -> BTreeMap<usize, String> {
    let mut out = BTreeMap::new();
    for message in messages.lines().filter(|line| line.contains("error")) {
        let number = message.strip_prefix("line ").and_then(|line| line.split_once('.'));
        let Some(number) = number.and_then(|(number, _)| number.parse::<usize>().ok()) else {
            continue;
        };
        out.entry(number.saturating_sub(1)).or_insert_with(|| message.to_owned());
    }
    out
}

/// Writes the table of cells to `target/`, and a summary to the test's output.
fn report(generation: Gen, maker: &Maker, tally: &Tally, refused: &BTreeMap<Cell, &'static str>) {
    let mut out = format!("# {generation}: {} instructions\n", tally.compared);
    for (name, count) in &tally.known {
        let _ = writeln!(out, "# {count} with a known difference: {name}");
    }
    out.push_str("\n# Legal cells, and how many instructions were in each.\n");
    for (cell, hits) in maker.hits().iter().filter(|(cell, _)| !refused.contains_key(cell)) {
        let _ = writeln!(out, "{hits}\t{cell}");
    }
    out.push_str(
        "\n# Legal cells of which iga64 takes no instruction, and the known difference.\n",
    );
    for (cell, difference) in refused {
        let _ = writeln!(out, "{cell}\t{difference}");
    }
    out.push_str("\n# Cells no instruction can be in, and the rules that forbid it.\n");
    for (cell, reason) in maker.illegal() {
        let _ = writeln!(out, "{cell}\t{reason}");
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("iga-coverage-{generation}.tsv"));
    std::fs::write(&path, out).expect("writable target folder");
    eprintln!(
        "{generation}: {} instructions, {} legal cells, {} of them refused, {} illegal; {}",
        tally.compared,
        maker.hits().len(),
        refused.len(),
        maker.illegal().len(),
        path.display()
    );
}
