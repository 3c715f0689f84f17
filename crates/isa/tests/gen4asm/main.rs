//! Compares gen4 to gen9 with `intel-gen4asm` and `intel-gen4disasm`. Random valid instructions in
//! Align1 and Align16, printed in the assembler's dialect, assemble to our bits. The output of the
//! disassembler for our bits, converted to our syntax, parses to the same instruction. Every legal
//! cell of the coverage is compared, or is reported with the reason why the dialect cannot express
//! it.

#[path = "../common/mod.rs"]
mod common;
mod dialect;
mod disasm;
mod flow;

use common::cells::Cell;
use common::valid::{Maker, is_in};
use crestline_isa::text::{Syntax, parse_program, print_inst};
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
/// One of so many is read back from the disassembler.
const READ_BACK: usize = 4;
/// Kinds of failures after which a run ends.
const MAX_CLASSES: usize = 20;
/// Instructions looked at for a cell that chance has left out.
const TRIES: usize = 6;

/// What came out for one generation and mode.
#[derive(Default)]
struct Tally {
    compared: usize,
    /// Instructions whose text from the disassembler was read.
    read_back: usize,
    /// Instructions that the disassembler cannot print, by reason.
    unread: BTreeMap<&'static str, usize>,
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
    judge(Gen::Gen4);
}

#[test]
fn gen45() {
    judge(Gen::Gen45);
}

#[test]
fn gen5() {
    judge(Gen::Gen5);
}

#[test]
fn gen6() {
    judge(Gen::Gen6);
}

#[test]
fn gen7() {
    judge(Gen::Gen7);
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

fn judge(generation: Gen) {
    let Some(tool) = crestline_judges::ask(Gen4Asm::find()) else { return };
    let text = std::env::var("CRESTLINE_RANDOM").ok();
    let count = text.and_then(|text| text.parse().ok()).unwrap_or(COUNT);
    for mode in [AccessMode::Align1, AccessMode::Align16] {
        let mut maker = Maker::new(generation, mode);
        let mut tally = Tally::default();
        while tally.compared < count && tally.failures.len() < MAX_CLASSES {
            let mut batch = Vec::with_capacity(BATCH);
            while batch.len() < BATCH {
                let inst = tamed(maker.next(), generation);
                match unsaid(&inst, generation) {
                    None => batch.push(inst),
                    Some(why) => *tally.unsaid.entry(why).or_default() += 1,
                }
            }
            compare(&tool, &mut maker, &batch, generation, &mut tally);
            let part = &batch[..BATCH / READ_BACK];
            read_back(&tool, part, generation, &mut tally);
        }
        let refused = missed_cells(&tool, &mut maker, generation, &mut tally);
        report(generation, mode, &maker, &tally, &refused);
        let failures: String = tally
            .failures
            .iter()
            .map(|(class, (count, first))| format!("{count} times {class}\n{first}\n"))
            .collect();
        assert!(failures.is_empty(), "{generation} {mode:?}\n{failures}");
        let missed: Vec<String> = maker
            .missed()
            .iter()
            .filter(|cell| !refused.contains_key(*cell))
            .map(Cell::to_string)
            .collect();
        assert!(missed.is_empty(), "{generation} {mode:?}: legal but never judged: {missed:#?}");
    }
}

/// Judges the cells that chance has left out. Those whose instructions the dialect cannot say
/// come back with the reason.
fn missed_cells(
    tool: &Gen4Asm,
    maker: &mut Maker,
    generation: Gen,
    tally: &mut Tally,
) -> BTreeMap<Cell, &'static str> {
    let mut refused = BTreeMap::new();
    let mut batch = Vec::new();
    for cell in maker.missed() {
        for _ in 0..TRIES {
            let Some(inst) = maker.in_cell(&cell) else { break };
            let inst = tamed(inst, generation);
            // What taming changes may take it out of its cell.
            let outside = (!is_in(&inst, generation, &cell)).then_some("fixed operands");
            let Some(why) = unsaid(&inst, generation).or(outside) else {
                batch.push(inst);
                refused.remove(&cell);
                break;
            };
            refused.insert(cell, why);
        }
    }
    compare(tool, maker, &batch, generation, tally);
    read_back(tool, &batch, generation, tally);
    refused
}

/// What the tools call a generation.
fn number(generation: Gen) -> &'static str {
    generation.name().trim_start_matches("gen")
}

/// Without the controls that the dialect has no words for. The assembler compresses SIMD16 of gen4
/// and gen5 by the size of the destination type.
fn tamed(mut inst: Inst, generation: Gen) -> Inst {
    if flow::is_flow(&inst) {
        flow::tame(&mut inst, generation);
    }
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
    if matches!(inst.opcode, Opcode::Sel) && inst.predicate.ctrl == PredCtrl::None {
        // It writes no flag, and the disassembler names none.
        inst.flag = Flag::default();
    }
    inst.group = 0;
    (inst.breakpoint, inst.acc_wr_en) = (false, false);
    inst
}

/// Compares a batch; one that is refused is halved until the culprits are found.
fn compare(tool: &Gen4Asm, maker: &mut Maker, batch: &[Inst], generation: Gen, tally: &mut Tally) {
    if batch.is_empty() {
        return;
    }
    let lines: String = batch.iter().map(|inst| text(inst, generation)).collect();
    let rows = match tool.assemble(number(generation), &lines) {
        Ok(rows) if rows.len() == batch.len() => rows,
        _ if batch.len() > 1 && tally.failures.len() < MAX_CLASSES => {
            let (first, second) = batch.split_at(batch.len() / 2);
            compare(tool, maker, first, generation, tally);
            return compare(tool, maker, second, generation, tally);
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
        // It fills some unused fields otherwise: those of branches, and from gen8 on the type of an
        // absent source 1 and the destination stride in Align16.
        let same = differ == 0
            || (generation >= Gen::Gen8 || flow::is_flow(inst))
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

/// What the disassembler prints for our bits parses to the same instructions. A batch at which it
/// stops is halved until the culprits are found.
fn read_back(tool: &Gen4Asm, batch: &[Inst], generation: Gen, tally: &mut Tally) {
    let mut readable = Vec::with_capacity(batch.len());
    for inst in batch {
        match disasm::unread(inst, generation) {
            None => readable.push(without_unshown(inst.clone())),
            Some(why) => *tally.unread.entry(why).or_default() += 1,
        }
    }
    read_back_readable(tool, &readable, generation, tally);
}

/// The components of a replicated source are not shown; the first stands for all.
fn without_unshown(mut inst: Inst) -> Inst {
    for src in &mut inst.srcs {
        if let Src::Reg(SrcReg { region: Region::ThreeAlign16 { rep: true, swizzle }, .. }) = src {
            *swizzle = Swizzle([0; 4]);
        }
    }
    inst
}

fn read_back_readable(tool: &Gen4Asm, batch: &[Inst], generation: Gen, tally: &mut Tally) {
    if batch.is_empty() {
        return;
    }
    let words = |inst: &Inst| {
        let bits = encode(inst, generation).expect("valid instructions encode");
        [0, 32, 64, 96].map(|shift| (bits >> shift) as u32)
    };
    let code: Vec<[u32; 4]> = batch.iter().map(words).collect();
    let lines = match tool.disassemble(number(generation), &code) {
        Ok(lines) if lines.len() == batch.len() => lines,
        _ if batch.len() > 1 && tally.failures.len() < MAX_CLASSES => {
            let (first, second) = batch.split_at(batch.len() / 2);
            read_back_readable(tool, first, generation, tally);
            return read_back_readable(tool, second, generation, tally);
        }
        other => {
            let shown = text(&batch[0], generation);
            return tally.fail("not disassembled", &batch[0], || format!("  {shown}  {other:?}"));
        }
    };
    for (inst, line) in batch.iter().zip(&lines) {
        tally.read_back += 1;
        let ours = disasm::mesa(line, inst, generation);
        match parse_program(&ours, generation, Syntax::Mesa) {
            // The unused bits are Mesa's there.
            Ok(parsed)
                if parsed
                    .first()
                    .is_some_and(|back| Inst { residue: 0, ..back.clone() } == *inst) => {}
            Ok(parsed) => tally.fail("read otherwise", inst, || {
                let print = |inst| print_inst(inst, generation, Syntax::Mesa);
                let parsed = parsed.first().map(print).unwrap_or_default();
                format!("  {line}\n  {parsed}\n  ours {}", print(inst))
            }),
            Err(errors) => {
                tally.fail("not parsed", inst, || format!("  {line}\n  {ours}\n  {}", errors[0]));
            }
        }
    }
}

/// Bits that the assembler leaves to chance: the type of a message's payload, which the dialect
/// does not name from gen6 on, and in Align16 the second source that a math function lacks.
fn chance(inst: &Inst, generation: Gen) -> u128 {
    let absent = inst.math().is_some() && inst.srcs[1] == Src::None;
    match generation {
        _ if absent && inst.access_mode == AccessMode::Align16 => {
            let (source, stride) = (0xffff_ffff << 96, 1 << 61);
            source | if generation >= Gen::Gen8 { stride | 0x3f << 89 } else { 0 }
        }
        _ if !inst.opcode.is_send() => 0,
        Gen::Gen6 | Gen::Gen7 | Gen::Gen75 => 0x7 << 39,
        Gen::Gen8 | Gen::Gen9 => 0xf << 43,
        _ => 0,
    }
}

/// Writes the cells that were judged to `target/`, and a summary to the test's output.
fn report(
    generation: Gen,
    mode: AccessMode,
    maker: &Maker,
    tally: &Tally,
    refused: &BTreeMap<Cell, &'static str>,
) {
    let mut out = format!("# {generation} {mode:?}: {} instructions\n", tally.compared);
    for (why, count) in &tally.unsaid {
        let _ = writeln!(out, "# {count} not said: {why}");
    }
    let _ = writeln!(out, "# {} read back from the disassembler", tally.read_back);
    for (why, count) in &tally.unread {
        let _ = writeln!(out, "# {count} not read back: {why}");
    }
    out.push_str("\n# Legal cells, and how many instructions were in each.\n");
    for (cell, hits) in maker.hits().iter().filter(|(cell, _)| !refused.contains_key(cell)) {
        let _ = writeln!(out, "{hits}\t{cell}");
    }
    out.push_str("\n# Legal cells that the dialect cannot say, and why.\n");
    for (cell, why) in refused {
        let _ = writeln!(out, "{cell}\t{why}");
    }
    out.push_str("\n# Cells no instruction can be in, and the rules that forbid it.\n");
    for (cell, reason) in maker.illegal() {
        let _ = writeln!(out, "{cell}\t{reason}");
    }
    let name = format!("gen4asm-coverage-{generation}-{mode:?}.tsv").to_lowercase();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, out).expect("writable target folder");
    let judged = maker.hits().values().filter(|hits| **hits != 0).count();
    eprintln!(
        "{generation} {mode:?}: {} instructions, {judged} of {} legal cells, {} refused; {} read back",
        tally.compared,
        maker.hits().len(),
        refused.len(),
        tally.read_back
    );
}
