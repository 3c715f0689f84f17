//! The labels of a program: finds the branch targets, numbers them, and prints them.

use super::{Syntax, number};
use crate::codec::scale;
use crate::inst::{Inst, Send};
use crate::program::{boundaries, decode_at, opcode_at};
use crate::tables::Opcode;
use crestline_device::Gen;
use std::collections::BTreeMap;
use std::collections::btree_map;
use std::iter::Peekable;

/// The labels of a program: the targets of its branches.
pub(super) struct Labels {
    syntax: Syntax,
    /// The byte offsets where labels can be: the starts of the instructions, in order, and the end
    /// of the last one.
    boundaries: Vec<usize>,
    /// The number of the label at each byte offset. In the `mesa` syntax, numbers are in the order
    /// of the first use (UIP before JIP); in the `iga` syntax they are the byte offsets.
    at: BTreeMap<usize, usize>,
}

/// The byte offset in the program of a relative target; `None` if it is negative.
fn absolute(offset: usize, relative: i32) -> Option<usize> {
    offset.checked_add_signed(isize::try_from(relative).ok()?)
}

/// Whether an instruction is an `endif` of gen4 or gen5, which has no target.
pub(super) fn pops_only(inst: &Inst) -> bool {
    inst.opcode == Opcode::EndIf && inst.branch().is_some_and(|branch| branch.jip == Some(0))
}

/// The distance of a target as it is encoded: in the units of the instruction, and from the place
/// that the hardware counts from. `bytes` is relative to the start of the instruction.
pub(super) fn distance(inst: &Inst, generation: Gen, bytes: i32) -> i64 {
    let (unit, behind) = scale(generation, inst.opcode);
    i64::from(bytes) / i64::from(unit) - i64::from(behind)
}

/// The byte offset that an instruction's targets are relative to.
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

    /// The labels of machine code from `start` on. Only branches are decoded; those that do not
    /// decode have no labels.
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

    /// Adds labels for the targets of an instruction.
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

    /// Adds a label, if an instruction starts at `offset` or the program ends there.
    fn add(&mut self, offset: usize) {
        if self.boundaries.binary_search(&offset).is_ok() {
            let number = match self.syntax {
                Syntax::Mesa => self.at.len(),
                Syntax::Iga => offset,
            };
            self.at.entry(offset).or_insert(number);
        }
    }

    /// The text in front of the number of a label.
    fn prefix(&self) -> &'static str {
        match self.syntax {
            Syntax::Mesa => "LABEL",
            Syntax::Iga => "L",
        }
    }

    /// Prints the name of a label.
    fn print(&self, out: &mut String, number: usize) {
        out.push_str(self.prefix());
        out.push_str(&number.to_string());
    }

    /// The byte offset of each instruction, and of the end of the last one: at least one number.
    pub(super) fn boundaries(&self) -> &[usize] {
        &self.boundaries
    }

    /// The labels from instruction number `first` on, in the order of their offsets, for printing.
    /// `before` is the instruction in front of it, if there is one and it decodes.
    pub(super) fn in_order(&self, first: usize, before: Option<&Inst>) -> InOrder<'_> {
        let rest = self.at.range(self.boundaries[first]..).peekable();
        let mut out =
            InOrder { labels: self, rest, begins_block: first == 0 && self.syntax == Syntax::Iga };
        if let Some(before) = before {
            out.passed(before);
        }
        out
    }

    /// Prints a target: its label, or, if it has none, the distance as a number in the unit of the
    /// syntax.
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

/// The labels that have not been printed yet.
pub(super) struct InOrder<'a> {
    labels: &'a Labels,
    rest: Peekable<btree_map::Range<'a, usize, usize>>,
    /// Whether the next instruction begins a basic block. The `iga` syntax has a label there even
    /// if it is not a branch target.
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

    /// Updates the state after an instruction was printed: a branch or the end of a thread ends a
    /// basic block.
    pub(super) fn passed(&mut self, inst: &Inst) {
        let ends = inst.branch().is_some() || inst.send().is_some_and(|Send { eot, .. }| *eot);
        self.begins_block = ends && self.labels.syntax == Syntax::Iga;
    }
}
