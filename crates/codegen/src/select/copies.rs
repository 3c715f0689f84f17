//! The order of copies that must have the effect of parallel copies.
//!
//! ```text
//! v1 = v2, v2 = v1    ->    temp = v1; v1 = v2; v2 = temp
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use crate::ir::{File, Operand};

/// Destination and source of a copy.
pub(crate) type Copy = (Operand, Operand);

/// A step of the sequential program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Save the destination of the copy with this index. Copies after the next step read the saved register instead
    /// of it.
    Save(usize),
    /// Execute the copy with this index.
    Copy(usize),
}

/// Orders copies so that none overwrites a register that a later one reads. Each copy is executed once, and one
/// register is saved for each cycle. The time is linear in the number of copies, except for logarithmic factors.
pub(crate) fn in_order(copies: &[Copy]) -> Vec<Step> {
    if copies.len() < 2 {
        return (0..copies.len()).map(Step::Copy).collect();
    }
    let mut order = Order::new(copies);
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..copies.len()).filter(|&at| order.is_free(at)).map(Reverse).collect();
    let mut steps = Vec::with_capacity(copies.len() + 1);
    let mut first_left = 0;
    loop {
        let at = match ready.pop() {
            Some(Reverse(at)) => at,
            None => {
                while order.done.get(first_left) == Some(&true) {
                    first_left += 1;
                }
                if first_left == copies.len() {
                    return steps;
                }
                steps.push(Step::Save(first_left));
                order.nobody_reads(copies[first_left].0.file);
                first_left
            }
        };
        if !std::mem::replace(&mut order.done[at], true) {
            steps.push(Step::Copy(at));
            order.is_read(at, &mut ready);
        }
    }
}

/// State of the ordering.
struct Order<'c> {
    copies: &'c [Copy],
    /// Number of remaining copies that read each register.
    readers: HashMap<File, usize>,
    /// The copies that write each register.
    writers: HashMap<File, Vec<usize>>,
    done: Vec<bool>,
}

impl Order<'_> {
    fn new(copies: &[Copy]) -> Order<'_> {
        let mut readers = HashMap::new();
        let mut writers: HashMap<File, Vec<usize>> = HashMap::new();
        for (at, (dst, src)) in copies.iter().enumerate() {
            *readers.entry(src.file).or_default() += 1;
            writers.entry(dst.file).or_default().push(at);
        }
        Order { copies, readers, writers, done: vec![false; copies.len()] }
    }

    /// Whether no other remaining copy reads the register that this one writes.
    fn is_free(&self, at: usize) -> bool {
        let (dst, src) = &self.copies[at];
        let readers = self.readers.get(&dst.file).copied().unwrap_or(0);
        readers == 0 || readers == 1 && src.file == dst.file && !self.done[at]
    }

    /// Records that a register has been saved, so that no copy reads it any more.
    fn nobody_reads(&mut self, file: File) {
        self.readers.insert(file, 0);
    }

    /// Records that a copy has read its source. Copies that write this register may become ready.
    fn is_read(&mut self, at: usize, ready: &mut BinaryHeap<Reverse<usize>>) {
        let file = self.copies[at].1.file;
        let Some(readers) = self.readers.get_mut(&file) else { return };
        *readers = readers.saturating_sub(1);
        if *readers <= 1
            && let Some(writers) = self.writers.get(&file)
        {
            let free = writers.iter().filter(|&&at| !self.done[at] && self.is_free(at));
            ready.extend(free.map(|&at| Reverse(at)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Operand, Vreg};
    use crestline_isa::Type;

    fn register(number: u32) -> Operand {
        Operand::vgrf(Vreg(number), Type::Ud)
    }

    /// Runs the steps on registers that contain their own numbers, and returns how many were saved.
    fn run(sources: &[u32]) -> usize {
        let copies: Vec<Copy> =
            (0..).zip(sources).map(|(to, &from)| (register(to), register(from))).collect();
        let mut now: Vec<u32> = (0..sources.len() as u32 + 1).collect();
        let mut saved: HashMap<u32, u32> = HashMap::new();
        let (mut saves, mut fresh) = (0, None);
        for step in in_order(&copies) {
            match step {
                Step::Save(at) => {
                    saves += 1;
                    fresh = Some((at as u32, now[at]));
                }
                Step::Copy(at) => {
                    now[at] = saved.get(&sources[at]).copied().unwrap_or(now[sources[at] as usize]);
                    saved.extend(fresh.take());
                }
            }
        }
        assert_eq!(now[..sources.len()], *sources);
        saves
    }

    #[test]
    fn every_small_set_of_copies_is_right_and_saves_once_a_cycle() {
        for code in 0..6u32.pow(5) {
            let sources: Vec<u32> = (0..5).map(|at| code / 6u32.pow(at) % 6).collect();
            let cycles = (0..5u32).filter(|&start| {
                let mut at = start;
                let round: Vec<u32> = std::iter::from_fn(|| {
                    at = *sources.get(at as usize)?;
                    Some(at)
                })
                .take(5)
                .collect();
                let back = round.iter().position(|&at| at == start);
                back.is_some_and(|length| {
                    length > 0 && round[..length].iter().all(|&at| at > start)
                })
            });
            assert_eq!(run(&sources), cycles.count(), "{sources:?}");
        }
    }

    #[test]
    fn a_long_line_needs_nothing_saved_and_a_long_ring_one_register() {
        let line: Vec<u32> = (1..=100_000).collect();
        assert_eq!(run(&line), 0);
        let ring: Vec<u32> = (0..100_000).map(|at| (at + 1) % 100_000).collect();
        assert_eq!(run(&ring), 1);
    }
}
