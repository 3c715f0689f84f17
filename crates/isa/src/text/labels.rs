//! Labels of a program.

use super::{Syntax, number};
use crate::codec::scale;
use crate::inst::{Inst, Send};
use crate::program::{boundaries, decode_at, opcode_at};
use crate::tables::Opcode;
use crestline_device::Gen;
use std::collections::BTreeMap;
use std::collections::btree_map;
use std::iter::Peekable;

/// The targets of a program's branches, by byte offset.
pub(super) struct Labels {
    syntax: Syntax,
    /// Where labels can stand: the starts of the instructions, in order, and their end.
    boundaries: Vec<usize>,
    /// Number of each label: in the order of their first use, second targets before first ones
    /// (`mesa`), or its byte offset (`iga`).
    at: BTreeMap<usize, usize>,
}

/// The program offset a relative target means, if it is not negative.
fn absolute(offset: usize, relative: i32) -> Option<usize> {
    offset.checked_add_signed(isize::try_from(relative).ok()?)
}

/// Whether an instruction ends a block without a distance, as on gen4 and gen5.
pub(super) fn pops_only(inst: &Inst) -> bool {
    inst.opcode == Opcode::EndIf && inst.branch().is_some_and(|branch| branch.jip == Some(0))
}

/// A distance as the instruction holds it: in its units, and from where it counts.
pub(super) fn distance(inst: &Inst, generation: Gen, bytes: i32) -> i64 {
    let (unit, behind) = scale(generation, inst.opcode);
    i64::from(bytes) / i64::from(unit) - i64::from(behind)
}

/// What an instruction's targets are relative to.
fn base(inst: &Inst, offset: usize) -> usize {
    if inst.opcode == Opcode::Calla { 0 } else { offset }
}

impl Labels {
    /// The labels of decoded instructions.
    pub(super) fn of(insts: &[(usize, Inst)], syntax: Syntax) -> Labels {
        let end = insts.last().map_or(0, |(offset, inst)| offset + inst.size() as usize);
        let boundaries = insts.iter().map(|(offset, _)| *offset).chain([end]).collect();
        let mut labels = Labels { syntax, boundaries, at: BTreeMap::new() };
        for (offset, inst) in insts {
            labels.note(*offset, inst);
        }
        labels
    }

    /// The labels of machine code from `start` on, of which only the branches are decoded. Those that do not
    /// decode are left to whoever decodes all.
    pub(super) fn of_code(code: &[u8], start: usize, generation: Gen, syntax: Syntax) -> Labels {
        let boundaries = boundaries(code, start, generation);
        let mut labels = Labels { syntax, boundaries, at: BTreeMap::new() };
        for n in 1..labels.boundaries.len() {
            let offset = labels.boundaries[n - 1];
            let rest = &code[offset..];
            if opcode_at(rest, generation).is_some_and(Opcode::is_flow_control)
                && let Ok(inst) = decode_at(rest, offset, generation)
            {
                labels.note(offset, &inst);
            }
        }
        labels
    }

    /// Adds the targets of an instruction.
    fn note(&mut self, offset: usize, inst: &Inst) {
        let Some(branch) = inst.branch() else { return };
        if pops_only(inst) {
            return;
        }
        let base = base(inst, offset);
        for target in [branch.uip, branch.jip].into_iter().flatten() {
            if let Some(target) = absolute(base, target) {
                self.add(target);
            }
        }
    }

    fn add(&mut self, offset: usize) {
        if self.boundaries.binary_search(&offset).is_ok() {
            let number = match self.syntax {
                Syntax::Mesa => self.at.len(),
                Syntax::Iga => offset,
            };
            self.at.entry(offset).or_insert(number);
        }
    }

    fn prefix(&self) -> &'static str {
        match self.syntax {
            Syntax::Mesa => "LABEL",
            Syntax::Iga => "L",
        }
    }

    fn print(&self, out: &mut String, number: usize) {
        out.push_str(self.prefix());
        out.push_str(&number.to_string());
    }

    /// Where the instructions start, in bytes, and where the last one ends: at least one place.
    pub(super) fn boundaries(&self) -> &[usize] {
        &self.boundaries
    }

    /// The labels from an instruction on, given its number, in the order of their offsets, to be
    /// printed in front of instructions; `before` is the instruction in front of that one, if there
    /// is one that decodes.
    pub(super) fn in_order(&self, first: usize, before: Option<&Inst>) -> InOrder<'_> {
        let rest = self.at.range(self.boundaries[first]..).peekable();
        let mut out =
            InOrder { labels: self, rest, begins_block: first == 0 && self.syntax == Syntax::Iga };
        if let Some(before) = before {
            out.passed(before);
        }
        out
    }

    /// Prints a target: its label, or the distance as the syntax counts it if no instruction
    /// starts there.
    pub(super) fn print_target(
        &self,
        out: &mut String,
        inst: &Inst,
        generation: Gen,
        offset: usize,
        relative: i32,
    ) {
        let number = absolute(base(inst, offset), relative).and_then(|target| self.at.get(&target));
        match (number, self.syntax) {
            (Some(number), _) => self.print(out, *number),
            (None, Syntax::Iga) => number::push(out, relative),
            (None, Syntax::Mesa) => number::push(out, distance(inst, generation, relative)),
        }
    }
}

/// The labels that were not yet passed.
pub(super) struct InOrder<'a> {
    labels: &'a Labels,
    rest: Peekable<btree_map::Range<'a, usize, usize>>,
    /// Whether the next instruction begins a basic block, which the `iga` syntax labels even if
    /// no branch leads there.
    begins_block: bool,
}

impl InOrder<'_> {
    /// Prints the label line in front of the instruction at an offset, if it has one. Offsets
    /// must not decrease.
    pub(super) fn print_before(&mut self, out: &mut String, offset: usize) {
        let target = self.rest.next_if(|(at, _)| **at <= offset).map(|(_, number)| *number);
        let block = std::mem::take(&mut self.begins_block).then_some(offset);
        let Some(number) = target.or(block) else { return };
        if self.labels.syntax == Syntax::Mesa {
            out.push('\n');
        }
        self.labels.print(out, number);
        out.push_str(":\n");
    }

    /// Notes the instruction that was printed: a block ends with a branch or the end of a thread.
    pub(super) fn passed(&mut self, inst: &Inst) {
        let ends = inst.branch().is_some() || inst.send().is_some_and(|Send { eot, .. }| *eot);
        self.begins_block = ends && self.labels.syntax == Syntax::Iga;
    }
}
