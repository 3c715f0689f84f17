//! Gen4 to gen9 against `intel-gen4asm`: random valid one-, two- and three-source instructions
//! and messages, in Align1 and Align16, written in its dialect, assemble to our bits.
//!
//! `CRESTLINE_RANDOM` sets another number of instructions per generation and mode.

#[path = "../common/mod.rs"]
mod common;
mod dialect;

use common::valid::Maker;
use crestline_isa::*;
use crestline_judges::gen4asm::Gen4Asm;
use dialect::{text, unsaid};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Instructions per generation and mode.
const COUNT: usize = 500_000;
/// Instructions per question.
const BATCH: usize = 5_000;

/// What came out for one generation and mode.
#[derive(Default)]
struct Tally {
    compared: usize,
    /// Instructions that the dialect cannot say, by reason.
    unsaid: BTreeMap<&'static str, usize>,
    /// Disagreements: what and which operation, how often, and the first example.
    failures: BTreeMap<String, (usize, String)>,
}

impl Tally {
    fn fail(&mut self, what: &str, inst: &Inst, example: impl FnOnce() -> String) {
        let class = format!("{what}: {}", inst.opcode.name());
        let (count, first) = self.failures.entry(class).or_default();
        *count += 1;
        if first.is_empty() {
            *first = example();
        }
    }
}

#[test]
fn gen4() {
    judge(Gen::Gen4, 4);
}

#[test]
fn gen5() {
    judge(Gen::Gen5, 5);
}

#[test]
fn gen6() {
    judge(Gen::Gen6, 6);
}

#[test]
fn gen7() {
    judge(Gen::Gen7, 7);
}

#[test]
fn gen8() {
    judge(Gen::Gen8, 8);
}

#[test]
fn gen9() {
    judge(Gen::Gen9, 9);
}

fn judge(generation: Gen, number: u32) {
    let Some(tool) = crestline_judges::ask(Gen4Asm::find()) else { return };
    let text = std::env::var("CRESTLINE_RANDOM").ok();
    let count = text.and_then(|text| text.parse().ok()).unwrap_or(COUNT);
    for mode in [AccessMode::Align1, AccessMode::Align16] {
        let mut maker = Maker::new(generation, mode);
        let mut tally = Tally::default();
        while tally.compared < count && tally.failures.len() < 20 {
            let mut batch = Vec::with_capacity(BATCH);
            while batch.len() < BATCH {
                let inst = tamed(maker.next(), generation);
                match unsaid(&inst, generation) {
                    None => batch.push(inst),
                    Some(why) => *tally.unsaid.entry(why).or_default() += 1,
                }
            }
            compare(&tool, &mut maker, &batch, (generation, number), &mut tally);
        }
        report(generation, mode, &maker, &tally);
        let failures: String = tally
            .failures
            .iter()
            .map(|(class, (count, first))| format!("{count} times {class}\n{first}\n"))
            .collect();
        assert!(failures.is_empty(), "{generation} {mode:?}\n{failures}");
    }
}

/// Without the controls that the dialect has no words for. The assembler compresses SIMD16 of gen4
/// and gen5 by the size of the destination type.
fn tamed(mut inst: Inst, generation: Gen) -> Inst {
    let typed = matches!(inst.opcode.form(), Form::One | Form::Two);
    if generation <= Gen::Gen5 && inst.exec_size == 16 && inst.dst.ty.size() == 4 && typed {
        inst.compression = Compression::Compressed;
    }
    if inst.opcode.is_send() {
        // It reads the options of messages, and drops them.
        inst.thread_ctrl = ThreadCtrl::Normal;
        (inst.no_dd_check, inst.no_dd_clear, inst.no_mask) = (false, false, false);
        if let Extra::Send(send) = &mut inst.extra {
            send.eot = false;
        }
    }
    for src in &mut inst.srcs {
        let Src::Reg(reg) = src else { continue };
        match (&mut reg.region, &mut reg.place) {
            // It says which component a scalar is; ours are the first.
            (Region::ThreeAlign16 { rep: true, swizzle }, _) => *swizzle = Swizzle([0; 4]),
            // Messages of gen6 have their payload in message registers.
            (_, Place::Direct { reg: place @ Reg::Grf(_), .. })
                if generation == Gen::Gen6 && inst.opcode.is_send() =>
            {
                *place = Reg::Mrf(2);
            }
            _ => {}
        }
    }
    inst.group = 0;
    (inst.breakpoint, inst.acc_wr_en) = (false, false);
    inst
}

/// Compares a batch; one that is refused is halved until the culprits are found.
fn compare(
    tool: &Gen4Asm,
    maker: &mut Maker,
    batch: &[Inst],
    (generation, number): (Gen, u32),
    tally: &mut Tally,
) {
    let lines: String = batch.iter().map(|inst| text(inst, generation)).collect();
    let rows = match tool.assemble(number, &lines) {
        Ok(rows) if rows.len() == batch.len() => rows,
        _ if batch.len() > 1 && tally.failures.len() < 20 => {
            let (first, second) = batch.split_at(batch.len() / 2);
            compare(tool, maker, first, (generation, number), tally);
            return compare(tool, maker, second, (generation, number), tally);
        }
        Ok(rows) => {
            return tally.fail("rows", &batch[0], || format!("{} rows of {lines}", rows.len()));
        }
        Err(error) => return tally.fail("refused", &batch[0], || format!("  {lines}  {error}")),
    };
    for (inst, row) in batch.iter().zip(&rows) {
        tally.compared += 1;
        maker.count(inst);
        let ours = encode(inst, generation).expect("valid instructions encode");
        let theirs = row.iter().rev().fold(0_u128, |all, word| all << 32 | u128::from(*word));
        let differ = (ours ^ theirs) & !chance(inst, generation);
        // It fills some unused fields otherwise from gen8 on: the type of an absent source 1, the
        // destination stride in Align16.
        let same = differ == 0
            || generation >= Gen::Gen8
                && decode(theirs, generation)
                    .is_ok_and(|back| Inst { residue: 0, ..back } == *inst);
        if !same {
            tally.fail("other bits", inst, || {
                format!(
                    "  {}  ours {ours:032x}\n  asm  {theirs:032x}\n  xor  {differ:032x}",
                    text(inst, generation)
                )
            });
        }
    }
}

/// Bits that the assembler leaves to chance: the type of a message's payload, which the dialect
/// does not name from gen6 on.
fn chance(inst: &Inst, generation: Gen) -> u128 {
    match generation {
        _ if !inst.opcode.is_send() => 0,
        Gen::Gen6 | Gen::Gen7 => 0x7 << 39,
        Gen::Gen8 | Gen::Gen9 => 0xf << 43,
        _ => 0,
    }
}

/// Writes the cells that were judged to `target/`, and a summary to the test's output.
fn report(generation: Gen, mode: AccessMode, maker: &Maker, tally: &Tally) {
    let mut out = format!("# {generation} {mode:?}: {} instructions\n", tally.compared);
    for (why, count) in &tally.unsaid {
        let _ = writeln!(out, "# {count} not said: {why}");
    }
    for (cell, hits) in maker.hits() {
        let _ = writeln!(out, "{hits}\t{cell}");
    }
    let name = format!("gen4asm-coverage-{generation}-{mode:?}.tsv").to_lowercase();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, out).expect("writable target folder");
    let judged = maker.hits().values().filter(|hits| **hits != 0).count();
    eprintln!(
        "{generation} {mode:?}: {} instructions, {judged} of {} legal cells; {:?}",
        tally.compared,
        maker.hits().len(),
        tally.unsaid
    );
}
