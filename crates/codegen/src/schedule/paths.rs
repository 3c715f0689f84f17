//! The choice between several orders of the instructions of each block, by the model of `crestline_timing`.
//!
//! The model walks over the whole program: what a block leaves in flight delays the blocks after it. An order that is best
//! for its block can therefore be worse for the program. A *path* is one order for each block so far, with the cycles of
//! the program up to here and with what is in flight. [`Paths`] keeps a few of them:
//!
//! - for each candidate, the path that takes this candidate in every block;
//! - the paths with the fewest cycles among the extensions of those kept before.
//!
//! **Invariant.** At the end the path with the fewest cycles is chosen, so no candidate, taken in every block, is faster than
//! the chosen orders. Between paths with equal cycles the earlier one is chosen, so the result is deterministic.

use std::rc::Rc;

use super::dag::{Dag, Use, resources};
use super::latency::Latencies;
use crate::analysis::accesses::SlotMap;
use crestline_timing::{Options, PerUnit};

/// Number of paths that may mix candidates.
const MIXED: usize = 2;

/// What is in flight between two blocks. Times are cycles after the one in which the front end is free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Flight {
    /// Registers with results that are not available yet.
    results: Vec<(u32, u32)>,
    /// Registers of payloads that messages have not read yet.
    payloads: Vec<(u32, u32)>,
    /// When units are free.
    units: PerUnit<u32>,
}

/// One order for each block so far.
#[derive(Clone, Debug)]
struct Path {
    /// Cycles of the blocks so far, each as often as its loops run it.
    cycles: u64,
    flight: Rc<Flight>,
}

/// The paths that are kept.
pub(super) struct Paths<'a> {
    slots: &'a SlotMap,
    /// First those that take one candidate in every block, then at most [`MIXED`].
    paths: Vec<Path>,
    /// Number of candidates.
    candidates: usize,
    /// For each block and path, the path before it and the candidate.
    steps: Vec<Vec<(u8, u8)>>,
    model: Model,
}

/// An order of a block, extended from a path.
struct Extension {
    path: Path,
    from: u8,
    candidate: u8,
}

impl<'a> Paths<'a> {
    /// Paths before the first block, for `candidates` orders of each block.
    pub(super) fn new(slots: &'a SlotMap, candidates: usize) -> Paths<'a> {
        let start = Path { cycles: 0, flight: Rc::default() };
        Paths {
            slots,
            paths: vec![start; candidates + 1],
            candidates,
            steps: Vec::new(),
            model: Model {
                ready: Vec::new(),
                ends: Vec::new(),
                delays: vec![[0; 2]; resources(slots)],
            },
        }
    }

    /// Extends the paths by a block inside `depth` loops. `orders` has one order for each candidate.
    pub(super) fn extend(&mut self, dag: &Dag, orders: &[Vec<usize>], depth: u32) {
        let weight = Options::ASSUMED_TRIPS.saturating_pow(depth);
        // The same order after the same flight has the same result.
        let first_equal = |candidate: usize| {
            (0..candidate).find(|&before| orders[before] == orders[candidate]).unwrap_or(candidate)
        };
        let same_order: Vec<usize> = (0..self.candidates).map(first_equal).collect();
        let mut known: Vec<(Rc<Flight>, usize, u64, Rc<Flight>)> = Vec::new();
        let mut extend = |paths: &[Path], from: usize, candidate: usize| {
            let path = &paths[from];
            let order = same_order[candidate];
            let found = known.iter().find(|(flight, tried, ..)| {
                *tried == order && (Rc::ptr_eq(flight, &path.flight) || *flight == path.flight)
            });
            let (cycles, flight) = match found {
                Some((.., cycles, flight)) => (*cycles, flight.clone()),
                None => {
                    let (cycles, flight) =
                        self.model.run(dag, &orders[order], &path.flight, self.slots);
                    let flight = Rc::new(flight);
                    known.push((path.flight.clone(), order, cycles, flight.clone()));
                    (cycles, flight)
                }
            };
            let cycles = path.cycles.saturating_add(cycles.saturating_mul(weight));
            Extension {
                path: Path { cycles, flight },
                from: from as u8,
                candidate: candidate as u8,
            }
        };
        let mut next: Vec<Extension> = Vec::with_capacity(self.candidates + MIXED);
        for candidate in 0..self.candidates {
            next.push(extend(&self.paths, candidate, candidate));
        }
        // Only orders that differ make another path.
        let distinct = (0..self.candidates).filter(|&candidate| same_order[candidate] == candidate);
        let distinct: Vec<usize> = distinct.collect();
        let mut mixed: Vec<Extension> = Vec::new();
        for from in self.candidates..self.paths.len() {
            mixed.extend(distinct.iter().map(|&candidate| extend(&self.paths, from, candidate)));
        }
        // The sort is stable: of equal paths, the earlier candidate comes first.
        mixed.sort_by_key(|extension| extension.path.cycles);
        for extension in mixed {
            if next.len() == self.candidates + MIXED {
                break;
            }
            let kept = &next[self.candidates..];
            if kept.iter().all(|other| other.path.flight != extension.path.flight) {
                next.push(extension);
            }
        }
        self.steps.push(next.iter().map(|found| (found.from, found.candidate)).collect());
        self.paths = next.into_iter().map(|found| found.path).collect();
    }

    /// The candidate that is chosen for each block.
    pub(super) fn choose(self) -> Vec<usize> {
        let fastest = (0..self.paths.len()).min_by_key(|&path| (self.paths[path].cycles, path));
        let mut path = fastest.unwrap_or(0);
        let mut chosen: Vec<usize> = Vec::with_capacity(self.steps.len());
        for step in self.steps.iter().rev() {
            let (from, candidate) = step[path];
            chosen.push(candidate.into());
            path = from.into();
        }
        chosen.reverse();
        chosen
    }

    /// The cycles of the fastest path, and of those that take one candidate in every block.
    #[cfg(test)]
    pub(super) fn cycles(&self) -> (u64, Vec<u64>) {
        let all: Vec<u64> = self.paths.iter().map(|path| path.cycles).collect();
        (all.iter().copied().min().unwrap_or(0), all[..self.candidates].to_vec())
    }
}

/// The model of an EU, with tables that are reused.
struct Model {
    /// For each instruction of the block, the cycle from which its operands are available.
    ready: Vec<u32>,
    /// For each instruction of the block, the cycle in which its issue ends.
    ends: Vec<u32>,
    /// For each register, the cycles after which its result is available and its payload has been read. Zero between runs.
    delays: Vec<[u32; 2]>,
}

impl Model {
    /// The cycles of a block in an order, and what it leaves in flight. The front end issues instructions in order and waits for
    /// operands and units, as the walk of `crestline_timing` does.
    fn run(
        &mut self,
        dag: &Dag,
        order: &[usize],
        before: &Flight,
        slots: &SlotMap,
    ) -> (u64, Flight) {
        self.ready.clear();
        self.ready.resize(order.len(), 0);
        self.ends.clear();
        self.ends.resize(order.len(), 0);
        if !before.results.is_empty() || !before.payloads.is_empty() {
            before.results.iter().for_each(|(slot, at)| self.delays[*slot as usize][0] = *at);
            before.payloads.iter().for_each(|(slot, at)| self.delays[*slot as usize][1] = *at);
            for (index, ready) in self.ready.iter_mut().enumerate() {
                for &(slot, access) in dag.touched(index) {
                    let [result, payload] = self.delays[slot as usize];
                    *ready = (*ready).max(result);
                    if access == Use::Write {
                        *ready = (*ready).max(payload);
                    }
                }
            }
            let touched = before.results.iter().chain(&before.payloads);
            touched.for_each(|(slot, _)| self.delays[*slot as usize] = [0; 2]);
        }
        let mut units = before.units;
        let mut front = 0u32;
        for &index in order {
            let times = &dag.times[index][Latencies::Model as usize];
            front = front.max(self.ready[index]) + times.issue;
            if let Some((unit, busy)) = times.unit {
                front = front.max(units[unit]);
                units[unit] = front + busy;
            }
            self.ends[index] = front;
            for edge in dag.succs.of(index) {
                let ready = &mut self.ready[edge.to as usize];
                let latency = edge.latency[Latencies::Model as usize];
                *ready = (*ready).max((front + latency).saturating_sub(times.issue));
            }
        }
        (front.into(), self.flight(dag, front, before, units, slots))
    }

    /// What is in flight after a block that ends in cycle `front`.
    fn flight(
        &mut self,
        dag: &Dag,
        front: u32,
        before: &Flight,
        mut units: PerUnit<u32>,
        slots: &SlotMap,
    ) -> Flight {
        let mut after = Flight::default();
        let rest = |list: &[(u32, u32)]| -> Vec<(u32, u32)> {
            list.iter()
                .filter(|(_, at)| *at > front)
                .map(|(slot, at)| (*slot, at - front))
                .collect()
        };
        after.results = rest(&before.results);
        after.payloads = rest(&before.payloads);
        for (index, end) in self.ends.iter().enumerate() {
            let longest = dag.times[index][Latencies::Model as usize].longest();
            if end + longest <= front {
                continue;
            }
            for &(slot, access) in dag.touched(index) {
                let list = match access {
                    Use::Read => continue,
                    Use::Payload => &mut after.payloads,
                    Use::Write => &mut after.results,
                };
                let at = end + dag.after(index, slot, access, slots);
                if at > front {
                    match list.iter_mut().find(|(other, _)| *other == slot) {
                        Some((_, other)) => *other = (*other).max(at - front),
                        None => list.push((slot, at - front)),
                    }
                }
            }
        }
        // Equal flights compare as equal.
        after.results.sort_unstable();
        after.payloads.sort_unstable();
        for unit in crestline_timing::Unit::ALL {
            units[unit] = units[unit].saturating_sub(front);
        }
        after.units = units;
        after
    }
}
