//! Labels of a program.

use super::Syntax;
use crate::inst::{Inst, Send};
use crate::tables::Opcode;
use std::collections::BTreeMap;
use std::collections::btree_map::Iter;
use std::fmt::Write;
use std::iter::Peekable;

/// The labels of a program, by byte offset.
pub(super) struct Labels {
    syntax: Syntax,
    /// Number of each label: in the order of their first use, second targets before first ones
    /// (`mesa`), or its byte offset (`iga`).
    at: BTreeMap<usize, usize>,
}

/// The program offset a relative target means, if it is not negative.
fn absolute(offset: usize, relative: i32) -> Option<usize> {
    offset.checked_add_signed(isize::try_from(relative).ok()?)
}

/// What an instruction's targets are relative to.
fn base(inst: &Inst, offset: usize) -> usize {
    if inst.opcode == Opcode::Calla { 0 } else { offset }
}

impl Labels {
    /// Collects the labels: branch targets, and for `iga`, which labels basic blocks, also the
    /// start and what follows a branch or the end of a thread.
    pub(super) fn of(insts: &[(usize, Inst)], syntax: Syntax) -> Labels {
        let mut at = BTreeMap::new();
        let end = insts.last().map_or(0, |(offset, inst)| offset + inst.size() as usize);
        // Where no instruction starts no label can stand.
        let exists =
            |at: usize| at == end || insts.binary_search_by_key(&at, |(start, _)| *start).is_ok();
        let mut add = |offset: usize| {
            if !exists(offset) {
                return;
            }
            let next = at.len();
            at.entry(offset).or_insert(match syntax {
                Syntax::Mesa => next,
                Syntax::Iga => offset,
            });
        };
        if syntax == Syntax::Iga {
            add(0);
        }
        for (offset, inst) in insts {
            if let Some(branch) = inst.branch() {
                let targets = [branch.uip, branch.jip].into_iter().flatten();
                let base = base(inst, *offset);
                targets.filter_map(|target| absolute(base, target)).for_each(&mut add);
            }
            let ends = inst.branch().is_some() || inst.send().is_some_and(|Send { eot, .. }| *eot);
            if ends && syntax == Syntax::Iga {
                add(offset + inst.size() as usize);
            }
        }
        Labels { syntax, at }
    }

    fn prefix(&self) -> &'static str {
        match self.syntax {
            Syntax::Mesa => "LABEL",
            Syntax::Iga => "L",
        }
    }

    /// The labels in the order of their offsets, to be printed in front of instructions.
    pub(super) fn in_order(&self) -> InOrder<'_> {
        InOrder { labels: self, rest: self.at.iter().peekable() }
    }

    /// Prints a target: its label, or the relative distance if no instruction starts there.
    pub(super) fn print_target(&self, out: &mut String, inst: &Inst, offset: usize, relative: i32) {
        let number = absolute(base(inst, offset), relative).and_then(|target| self.at.get(&target));
        let _ = match number {
            Some(number) => write!(out, "{}{number}", self.prefix()),
            None => write!(out, "{relative}"),
        };
    }
}

/// The labels that were not yet passed.
pub(super) struct InOrder<'a> {
    labels: &'a Labels,
    rest: Peekable<Iter<'a, usize, usize>>,
}

impl InOrder<'_> {
    /// Prints the label line in front of the instruction at an offset, if it has one. Offsets
    /// must not decrease.
    pub(super) fn print_before(&mut self, out: &mut String, offset: usize) {
        while let Some((_, number)) = self.rest.next_if(|(at, _)| **at <= offset) {
            if self.labels.syntax == Syntax::Mesa {
                out.push('\n');
            }
            let _ = writeln!(out, "{}{number}:", self.labels.prefix());
        }
    }
}
