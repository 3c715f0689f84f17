//! Blocks, loops and reachable code of a program.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crestline_isa::{Inst, Opcode, PredCtrl};

/// The structure of a program: indices of instructions, not bytes.
pub(crate) struct Flow {
    /// Blocks in order of the code. They cover all instructions.
    pub(crate) blocks: Vec<Range<usize>>,
    /// Loops in order of their first instruction; of loops that start together, the outer one first.
    pub(crate) loops: Vec<CodeLoop>,
    /// Whether each block follows the end of the thread and no branch leads to it: padding or constants.
    pub(crate) dead: Vec<bool>,
    /// The target of the first `halt`.
    pub(crate) halt_target: Option<usize>,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodeLoop {
    /// All instructions from the target of the backward branch to that branch.
    pub(crate) body: Range<usize>,
    /// Whether a channel can reach the backward branch. If not, all channels have left the loop before: the body runs
    /// once.
    pub(crate) repeats: bool,
}

impl Flow {
    /// Finds the structure of instructions at byte offsets `offsets`.
    pub(crate) fn new(insts: &[&Inst], offsets: &[usize]) -> Flow {
        let index: BTreeMap<usize, usize> =
            offsets.iter().enumerate().map(|(index, offset)| (*offset, index)).collect();
        let target = |at: usize, distance: Option<i32>| -> Option<usize> {
            let offset = i64::try_from(*offsets.get(at)?).ok()?.checked_add(distance?.into())?;
            index.get(&usize::try_from(offset).ok()?).copied()
        };
        let mut starts = BTreeSet::from([0]);
        let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
        let mut whiles = Vec::new();
        let mut targets = BTreeSet::new();
        for (at, inst) in insts.iter().enumerate() {
            let Some(branch) = inst.branch() else {
                if inst.send().is_some_and(|send| send.eot) {
                    starts.insert(at + 1);
                }
                continue;
            };
            starts.insert(at + 1);
            for to in [target(at, branch.jip), target(at, branch.uip)].into_iter().flatten() {
                starts.insert(to);
                targets.insert(to);
                match inst.opcode {
                    // Each `while` ends a loop of its own, although two loops may start together.
                    Opcode::While if to <= at => whiles.push((to, at)),
                    // Several jumps to one place are one loop with several ways to continue.
                    Opcode::Jmpi | Opcode::Goto | Opcode::Brd | Opcode::Brc if to <= at => {
                        let last = ends.entry(to).or_insert(at);
                        *last = (*last).max(at);
                    }
                    // `call` and `ret` do not repeat code.
                    _ => {}
                }
            }
        }
        starts.insert(insts.len());
        let starts: Vec<usize> = starts.into_iter().filter(|start| *start <= insts.len()).collect();
        let blocks: Vec<Range<usize>> = starts.windows(2).map(|pair| pair[0]..pair[1]).collect();
        let mut ended = false;
        let mut dead = Vec::with_capacity(blocks.len());
        for block in &blocks {
            ended &= !targets.contains(&block.start);
            dead.push(ended);
            ended |= insts[block.end - 1].send().is_some_and(|send| send.eot);
        }
        let halt = insts.iter().position(|inst| inst.opcode == Opcode::Halt);
        let halt_target = halt.and_then(|at| target(at, insts[at].branch()?.uip));
        let reached = reached(insts, &target);
        let mut loops: Vec<CodeLoop> = whiles
            .into_iter()
            .chain(ends)
            .map(|(first, last)| CodeLoop { body: first..last + 1, repeats: reached[last] })
            .collect();
        loops.sort_by_key(|found| (found.body.start, Reverse(found.body.end)));
        Flow { blocks, loops, dead, halt_target }
    }
}

/// Whether a channel can reach each instruction with its own flow of control. A channel that leaves a loop by `break`
/// waits at the `while`, but does not take part in the next iteration.
fn reached(insts: &[&Inst], target: &impl Fn(usize, Option<i32>) -> Option<usize>) -> Vec<bool> {
    let mut reached = vec![false; insts.len()];
    let mut todo = vec![0];
    while let Some(at) = todo.pop() {
        let Some(seen @ false) = reached.get(at).copied() else { continue };
        reached[at] = !seen;
        let inst = insts[at];
        let always = inst.predicate.ctrl == PredCtrl::None;
        let Some(branch) = inst.branch() else {
            if !inst.send().is_some_and(|send| send.eot) {
                todo.push(at + 1);
            }
            continue;
        };
        let (jip, uip) = (target(at, branch.jip), target(at, branch.uip));
        match inst.opcode {
            // The channels continue behind the loop; UIP is its `while`.
            Opcode::Break => todo.extend(uip.map(|end| end + 1)),
            Opcode::Cont | Opcode::Halt => todo.extend(uip),
            Opcode::While => todo.extend(jip),
            // The `else` is entered at the instruction behind it.
            Opcode::If => todo.extend([jip, uip].into_iter().flatten().flat_map(|to| [to, to + 1])),
            // It jumps only if no channel is active. Each channel that waits here goes on behind it.
            Opcode::EndIf => {}
            _ => todo.extend([jip, uip].into_iter().flatten()),
        }
        let falls = match inst.opcode {
            Opcode::Break | Opcode::Cont | Opcode::Halt | Opcode::Jmpi | Opcode::While => !always,
            Opcode::Ret => !always,
            // The channels of the `then` part continue at its target.
            Opcode::Else => false,
            _ => true,
        };
        if falls {
            todo.push(at + 1);
        }
    }
    reached
}
