//! Scheduling: the order of instructions inside blocks, and an estimate of the execution time.
//!
//! - [`opt_schedule_early`] runs before register allocation. It hides latencies while few registers are in use, and
//!   reduces register pressure when many are.
//! - [`opt_schedule_late`] runs on physical registers and considers latencies only. It makes several orders of each block, of
//!   which the model of `crestline_timing` chooses one (`paths`).
//! - [`opt_dependency_control`] runs after it and omits waits between instructions that write different parts of one
//!   register.
//! - [`estimate`] gives the cycles of machine code, by which SIMD widths are compared.
//!
//! All latencies are rows of `crestline_timing`.
//!
//! Both schedulers are list schedulers: they build the dependency graph of a block (`dag`) and repeatedly choose
//! the best instruction whose predecessors are done. They consider a limited number of instructions at a time, so
//! that time grows linearly with the length of the block.

mod dag;
mod estimate;
mod latency;
mod opt_dependency_control;
mod opt_schedule_early;
mod opt_schedule_late;
mod paths;

pub use estimate::{Estimate, estimate};
pub use opt_dependency_control::opt_dependency_control;
pub use opt_schedule_early::opt_schedule_early;
pub(crate) use opt_schedule_early::schedule_analysed;
pub use opt_schedule_late::opt_schedule_late;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::ir::Inst;
use dag::{Dag, DagBuilder};
use latency::Latencies;

/// The scheduler considers the first instruction that is not done and this many minus one after it.
const WINDOW: usize = 96;

/// The state of list scheduling in one block: which instructions are done and which can be next.
struct Walk<'a> {
    dag: &'a Dag,
    /// The column of latencies.
    column: usize,
    /// Instructions that are not done and whose predecessors are all done, one bit each.
    free: Vec<u64>,
    /// Whether each instruction is done.
    done: Vec<bool>,
    /// For each instruction, the number of predecessors that are not done.
    left: Vec<u32>,
    /// For each instruction, the cycle from which its operands are available.
    ready: Vec<u32>,
    /// First instruction that is not done.
    first: usize,
    /// The current cycle.
    cycle: u32,
    /// Candidates whose operands are available, ordered [by rank](Walk::rank). Instructions that are done remain
    /// until they reach the top.
    now: BinaryHeap<u64>,
    /// Candidates whose operands are not available yet, ordered by the cycle in which they will be, then by rank.
    later: BinaryHeap<(Reverse<u32>, u64)>,
}

impl<'a> Walk<'a> {
    /// The state before any instruction is scheduled.
    fn new(dag: &'a Dag, latencies: Latencies) -> Walk<'a> {
        let count = dag.preds.len();
        let mut walk = Walk {
            dag,
            column: latencies as usize,
            free: vec![0; count.div_ceil(64)],
            done: vec![false; count],
            left: dag.preds.clone(),
            ready: vec![0; count],
            first: 0,
            cycle: 0,
            now: BinaryHeap::with_capacity(WINDOW),
            later: BinaryHeap::with_capacity(WINDOW),
        };
        for index in (0..count).filter(|index| dag.preds[*index] == 0) {
            walk.set_free(index);
        }
        walk
    }

    /// Records that all predecessors of an instruction are done.
    fn set_free(&mut self, index: usize) {
        self.free[index / 64] |= 1 << (index % 64);
        if index < self.first + WINDOW {
            self.offer(index);
        }
    }

    /// Adds an instruction to the candidates.
    fn offer(&mut self, index: usize) {
        let (ready, rank) = (self.ready[index], self.rank(index));
        if ready <= self.cycle {
            self.now.push(rank);
        } else {
            self.later.push((Reverse(ready), rank));
        }
    }

    /// The priority of an instruction: first the length of the longest dependency chain that starts at it, then its
    /// position in the old order.
    fn rank(&self, index: usize) -> u64 {
        u64::from(self.dag.height[index][self.column]) << 32 | u64::from(!(index as u32))
    }

    /// The instruction with a given rank.
    fn of_rank(rank: u64) -> usize {
        !(rank as u32) as usize
    }

    /// The instructions that can be next, in the old order.
    fn candidates(&self) -> impl Iterator<Item = usize> + '_ {
        let end = self.first + WINDOW;
        let words = (self.first / 64..self.free.len()).take_while(move |word| word * 64 < end);
        let bits = |word: usize| {
            let mut rest = self.free[word];
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| word * 64 + rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(bit)
            })
        };
        words.flat_map(bits).take_while(move |index| *index < end)
    }

    /// Schedules an instruction: advances the cycle and updates the instructions that depend on it.
    fn take(&mut self, index: usize) {
        self.cycle = self.cycle.max(self.ready[index]);
        let issued = self.cycle;
        self.cycle += self.dag.times[index][self.column].issue;
        self.done[index] = true;
        self.free[index / 64] &= !(1 << (index % 64));
        for edge in self.dag.succs.of(index) {
            let to = edge.to as usize;
            self.ready[to] = self.ready[to].max(issued + edge.latency[self.column]);
            self.left[to] -= 1;
            if self.left[to] == 0 {
                self.set_free(to);
            }
        }
        while self.done.get(self.first) == Some(&true) {
            self.first += 1;
            let entering = self.first + WINDOW - 1;
            if self.free.get(entering / 64).is_some_and(|word| word >> (entering % 64) & 1 == 1) {
                self.offer(entering);
            }
        }
    }

    /// Schedules the whole block for latency. Returns the instructions in the new order.
    fn order(mut self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.done.len());
        while let Some(next) = self.by_latency() {
            self.take(next);
            order.push(next);
        }
        order
    }

    /// The best candidate for latency: of those whose operands are available first, the one with the longest
    /// dependency chain, then the first in the old order.
    fn by_latency(&mut self) -> Option<usize> {
        while let Some((Reverse(ready), rank)) = self.later.peek().copied()
            && ready <= self.cycle
        {
            self.later.pop();
            self.now.push(rank);
        }
        while let Some(index) = self.now.peek().map(|rank| Self::of_rank(*rank)) {
            if !self.done[index] {
                return Some(index);
            }
            self.now.pop();
        }
        while let Some(index) = self.later.peek().map(|(_, rank)| Self::of_rank(*rank)) {
            if !self.done[index] {
                return Some(index);
            }
            self.later.pop();
        }
        None
    }

    /// The same choice as [`by_latency`](Self::by_latency) among the instructions `among`.
    fn best_latency(&self, among: impl Iterator<Item = usize>) -> Option<usize> {
        among.min_by_key(|index| {
            let wait = self.ready[*index].saturating_sub(self.cycle);
            (wait, Reverse(self.dag.height[*index][self.column]), *index)
        })
    }
}

/// Permutes instructions: the new instruction at index `i` is the old one at index `order[i]`.
fn reorder(insts: &mut [Inst], order: &[usize]) {
    let mut order = order.to_vec();
    // Each cycle of the permutation is followed by swaps. The instruction at its start is swapped along until it
    // reaches its place.
    for start in 0..order.len() {
        let mut at = start;
        while order[at] != start {
            let from = std::mem::replace(&mut order[at], at);
            insts.swap(at, from);
            at = from;
        }
        order[at] = at;
    }
}

#[cfg(test)]
mod tests;
