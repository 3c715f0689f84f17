//! Instruction order inside blocks, and how long the program takes.
//!
//! - [`opt_schedule_early`], before register allocation: hides latencies while registers are
//!   plenty, frees registers when they are not.
//! - [`opt_schedule_late`], on physical registers: latencies only.
//! - [`opt_dependency_control`], then: what writes parts of one register does not wait.
//! - [`estimate`]: cycles, for statistics.
//!
//! The schedulers look a bounded number of instructions ahead, so that time grows linearly.

mod dag;
mod estimate;
pub mod latency;
mod opt_dependency_control;
mod opt_schedule_early;
mod opt_schedule_late;

pub use estimate::{Estimate, estimate};
pub use opt_dependency_control::opt_dependency_control;
pub use opt_schedule_early::opt_schedule_early;
pub(crate) use opt_schedule_early::schedule_analysed;
pub use opt_schedule_late::opt_schedule_late;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::ir::Inst;
use dag::{Dag, DagBuilder};

/// Instructions of the old order that may be moved ahead of the first one left.
const WINDOW: usize = 96;

/// The walk through a block: what is done, what can be next.
struct Walk<'a> {
    dag: &'a Dag,
    /// Instructions that are not done and wait for no other, one bit each.
    free: Vec<u64>,
    done: Vec<bool>,
    left: Vec<u32>,
    /// Cycle from which each instruction finds its operands ready.
    ready: Vec<u32>,
    /// First instruction that is not done.
    first: usize,
    cycle: u32,
    /// What can be next and start at once, [by rank](Walk::rank); among it what was done meanwhile.
    now: BinaryHeap<u64>,
    /// What can be next and start later, by the cycle, then likewise.
    later: BinaryHeap<(Reverse<u32>, u64)>,
}

impl<'a> Walk<'a> {
    fn new(dag: &'a Dag) -> Walk<'a> {
        let count = dag.preds.len();
        let mut walk = Walk {
            dag,
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

    fn set_free(&mut self, index: usize) {
        self.free[index / 64] |= 1 << (index % 64);
        if index < self.first + WINDOW {
            self.offer(index);
        }
    }

    /// An instruction can be next from now on.
    fn offer(&mut self, index: usize) {
        let (ready, rank) = (self.ready[index], self.rank(index));
        if ready <= self.cycle {
            self.now.push(rank);
        } else {
            self.later.push((Reverse(ready), rank));
        }
    }

    /// The higher an instruction's rank, the better it is next: what the most depends on; then the old order.
    fn rank(&self, index: usize) -> u64 {
        u64::from(self.dag.height[index]) << 32 | u64::from(!(index as u32))
    }

    /// The instruction of a rank.
    fn of_rank(rank: u64) -> usize {
        !(rank as u32) as usize
    }

    /// Instructions that can be next, in the old order.
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

    fn take(&mut self, index: usize, inst: &Inst) {
        self.cycle = self.cycle.max(self.ready[index]);
        let issued = self.cycle;
        self.cycle += latency::issue_time(inst);
        self.done[index] = true;
        self.free[index / 64] &= !(1 << (index % 64));
        for edge in self.dag.succs.of(index) {
            let to = edge.to as usize;
            self.ready[to] = self.ready[to].max(issued + edge.latency);
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

    /// The best for latency: what can start first; then what the most depends on; then order.
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

    /// The same among some candidates.
    fn best_latency(&self, among: impl Iterator<Item = usize>) -> Option<usize> {
        among.min_by_key(|index| {
            let wait = self.ready[*index].saturating_sub(self.cycle);
            (wait, Reverse(self.dag.height[*index]), *index)
        })
    }
}

/// Puts instructions in a new order: each comes from where `order` says.
fn reorder(insts: &mut [Inst], order: &[usize]) {
    let mut order = order.to_vec();
    // Cycle by cycle: what was at its start travels along to its end.
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
