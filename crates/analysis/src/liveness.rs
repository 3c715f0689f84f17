//! Which registers machine code needs at each instruction.
//!
//! A byte is live before an instruction if an instruction that can be executed afterwards reads the byte, and none before
//! that replaces it. The analysis is the usual one, backward over the blocks, with sets of bytes. A thread executes both
//! sides of a branch whose channels disagree; [`graph`](crestline_timing::graph()) has the edge from the first side to the
//! second, so values that only the second side reads are live in the first one too. A write by the enabled channels counts
//! as a write of all channels.

use crestline_timing::GraphBlock;

use crate::access::{Accesses, Bytes, REGISTERS};

/// The most blocks that are analysed. Each takes 1.5 KiB.
const MAX_BLOCKS: usize = 1 << 14;
/// The most visits of a block before the analysis gives up. Structured code needs a few for each block.
const MAX_VISITS: usize = 1 << 18;

/// A set of bytes of the register file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Set([u32; REGISTERS]);

impl Set {
    const EMPTY: Set = Set([0; REGISTERS]);

    fn add(&mut self, bytes: Bytes) {
        self.0[usize::from(bytes.register)] |= bytes.mask;
    }

    fn remove(&mut self, bytes: Bytes) {
        self.0[usize::from(bytes.register)] &= !bytes.mask;
    }

    /// Registers with at least one byte in the set.
    pub(crate) fn registers(&self) -> impl Iterator<Item = u8> {
        self.0.iter().enumerate().filter(|(_, mask)| **mask != 0).map(|(number, _)| number as u8)
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|mask| u32::from(*mask != 0)).sum()
    }
}

/// The result of the analysis.
pub(crate) struct Liveness {
    /// For each instruction: registers that are live before or after it, or that it accesses.
    pub(crate) pressure: Vec<u32>,
    /// The instruction with the highest pressure, the first one if there are several.
    pub(crate) peak: Option<usize>,
    /// The registers in use at the peak.
    pub(crate) at_peak: Vec<u8>,
}

/// What a block does to the sets.
struct Effect {
    /// Read before they are replaced.
    used: Set,
    /// Replaced.
    replaced: Set,
}

/// Analyses a program; `None` if it has too many blocks, or its branches are so entangled that the analysis does not end
/// soon.
pub(crate) fn analyse(blocks: &[GraphBlock], accesses: &Accesses) -> Option<Liveness> {
    if blocks.len() > MAX_BLOCKS {
        return None;
    }
    let effects: Vec<Effect> = blocks.iter().map(|block| effect(block, accesses)).collect();
    let mut before = vec![Set::EMPTY; blocks.len()];
    let mut predecessors = vec![Vec::new(); blocks.len()];
    for (number, block) in blocks.iter().enumerate() {
        block.successors.iter().for_each(|&next| predecessors[next].push(number));
    }
    let mut todo: Vec<usize> = (0..blocks.len()).collect();
    let mut waiting = vec![true; blocks.len()];
    let mut visits = 0;
    while let Some(number) = todo.pop() {
        waiting[number] = false;
        visits += 1;
        if visits > MAX_VISITS {
            return None;
        }
        let after = after(&blocks[number], &before);
        let Effect { used, replaced } = &effects[number];
        let mut now = after;
        for (n, live) in now.0.iter_mut().enumerate() {
            *live = *live & !replaced.0[n] | used.0[n];
        }
        if now != before[number] {
            before[number] = now;
            for &earlier in &predecessors[number] {
                if !std::mem::replace(&mut waiting[earlier], true) {
                    todo.push(earlier);
                }
            }
        }
    }
    let end = blocks.last().map_or(0, |block| block.insts.end);
    let mut found = Liveness { pressure: vec![0; end], peak: None, at_peak: Vec::new() };
    let mut highest = 0;
    for block in blocks.iter().filter(|block| !block.is_dead) {
        let mut live = after(block, &before);
        for index in block.insts.clone().rev() {
            let mut in_use = live;
            accesses.writes(index).iter().for_each(|bytes| in_use.add(*bytes));
            accesses.replaced(index).iter().for_each(|bytes| live.remove(*bytes));
            for bytes in accesses.reads(index) {
                live.add(*bytes);
                in_use.add(*bytes);
            }
            let count = in_use.count();
            found.pressure[index] = count;
            // A block is visited from its end, the blocks from the start of the code.
            let first = found.peak.is_none_or(|peak| index < peak);
            if count > highest || count == highest && first {
                (highest, found.peak) = (count, Some(index));
                found.at_peak = in_use.registers().collect();
            }
        }
    }
    Some(found)
}

/// The bytes that are live after a block.
fn after(block: &GraphBlock, before: &[Set]) -> Set {
    let mut live = Set::EMPTY;
    for &next in &block.successors {
        for (n, mask) in before[next].0.iter().enumerate() {
            live.0[n] |= mask;
        }
    }
    live
}

fn effect(block: &GraphBlock, accesses: &Accesses) -> Effect {
    let mut effect = Effect { used: Set::EMPTY, replaced: Set::EMPTY };
    for index in block.insts.clone() {
        for &Bytes { register, mask } in accesses.reads(index) {
            let mask = mask & !effect.replaced.0[usize::from(register)];
            effect.used.add(Bytes { register, mask });
        }
        accesses.replaced(index).iter().for_each(|bytes| effect.replaced.add(*bytes));
    }
    effect
}
