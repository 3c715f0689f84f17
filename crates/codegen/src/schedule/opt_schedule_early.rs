//! `opt_schedule_early`: orders instructions on virtual registers.
//!
//! While few registers are live, what can start first goes first; near the limit, what frees
//! most (or needs least). An order that needs more registers than there are is only kept where
//! the old one needed as many.

use crestline_device::Device;

use super::{DagBuilder, Walk, reorder};
use crate::ir::{BlockId, Cfg, Class, Function, GRF_BYTES, Inst};
use crate::passes::PassError;
use crate::regalloc::liveness::{FLAG_COUNT, Liveness, Slot, accesses};

/// Bytes of registers that count as plenty.
const RELAXED_BYTES: i64 = 56 * GRF_BYTES as i64;
/// Bytes of registers that still can be allocated, fragmentation allowed for.
const LIMIT_BYTES: i64 = 112 * GRF_BYTES as i64;

/// Runs the pass.
///
/// # Errors
/// Broken control flow.
pub fn opt_schedule_early(function: &mut Function, _device: &Device) -> Result<bool, PassError> {
    let cfg = Cfg::new(function)?;
    let liveness = Liveness::new(function, &cfg);
    let weights = weights(function, &liveness);
    let through = live_through(&liveness, &weights, function.blocks.len());
    let mut builder = DagBuilder::new(&liveness.slots);
    let flags = if function.dispatch_width > 16 { FLAG_COUNT / 2 } else { FLAG_COUNT };
    let mut pressure = Pressure::new(&liveness, &weights, flags);
    let mut changed = false;
    for (index, block) in function.blocks.iter_mut().enumerate() {
        if block.insts.len() < 3 {
            continue;
        }
        let dag = builder.build(&block.insts);
        let id = BlockId(index as u32);
        let natural: Vec<usize> = (0..block.insts.len()).collect();
        let mut best: Option<(i64, Vec<usize>)> = None;
        let old = pressure.peak(&block.insts, &natural, id, through[index]);
        for relaxed in [RELAXED_BYTES, 0] {
            pressure.enter(&block.insts, id, through[index]);
            let mut walk = Walk::new(&dag);
            let mut order = Vec::with_capacity(block.insts.len());
            while let Some(next) = choose(&walk, &pressure, &block.insts, relaxed) {
                pressure.step(&block.insts[next]);
                walk.take(next, &block.insts[next]);
                order.push(next);
            }
            let peak = pressure.peak;
            if peak <= LIMIT_BYTES {
                best = Some((peak, order));
                break;
            }
            if best.as_ref().is_none_or(|(least, _)| peak < *least) {
                best = Some((peak, order));
            }
        }
        if let Some((peak, order)) = best
            && (peak <= LIMIT_BYTES || peak < old)
        {
            changed |= reorder(&mut block.insts, &order);
        }
    }
    Ok(changed)
}

fn choose(walk: &Walk<'_>, pressure: &Pressure<'_>, insts: &[Inst], relaxed: i64) -> Option<usize> {
    // With all flags in use, what needs another waits for what reads one.
    let waits = |index: &usize| pressure.flags_are_full() && pressure.opens_flag(&insts[*index]);
    let fit: Vec<usize> = walk.candidates().filter(|index| !waits(index)).collect();
    if fit.is_empty() {
        return best(walk, pressure, insts, relaxed, walk.candidates());
    }
    best(walk, pressure, insts, relaxed, fit.into_iter())
}

fn best(
    walk: &Walk<'_>,
    pressure: &Pressure<'_>,
    insts: &[Inst],
    relaxed: i64,
    mut among: impl Iterator<Item = usize>,
) -> Option<usize> {
    if pressure.live < relaxed {
        return walk.best_latency(among);
    }
    among.by_ref().min_by_key(|index| {
        let growth = pressure.growth(&insts[*index]);
        // What frees registers goes first, longest wait last; otherwise the old order, in
        // which values are made close to their use.
        (growth.min(0), growth.max(0), *index)
    })
}

/// Bytes of each slot that count against the general registers.
fn weights(function: &Function, liveness: &Liveness) -> Vec<i64> {
    let mut weights = vec![0; liveness.slots.count()];
    for (vreg, info) in function.vregs.iter() {
        if info.class == Class::Grf {
            for slot in liveness.slots.of(vreg) {
                weights[slot] = i64::from(info.bytes.min(GRF_BYTES));
            }
        }
    }
    weights[..function.payload_registers as usize].fill(i64::from(GRF_BYTES));
    weights
}

/// For each block, the bytes of values that live across all of it without being touched.
fn live_through(liveness: &Liveness, weights: &[i64], blocks: usize) -> Vec<i64> {
    // Intervals cover whole blocks where a value is only live through: count those that start
    // before and end after, by sweeping their ends.
    let starts = &liveness.block_starts;
    let mut change = vec![0i64; blocks + 1];
    for (slot, interval) in liveness.intervals.iter().enumerate() {
        if interval.is_empty() || weights[slot] == 0 {
            continue;
        }
        let (first, last) = (interval.start / 2, interval.end / 2);
        // First block that begins after the start, first block that ends after the end.
        let from = starts[..blocks].partition_point(|start| *start <= first);
        let to = starts[1..].partition_point(|end| *end <= last).min(blocks);
        if from < to {
            change[from] += weights[slot];
            change[to] -= weights[slot];
        }
    }
    let mut live = 0;
    change[..blocks]
        .iter()
        .map(|step| {
            live += step;
            live
        })
        .collect()
}

/// Live registers during a walk through a block.
struct Pressure<'a> {
    liveness: &'a Liveness,
    weights: &'a [i64],
    /// Reads of each slot still to come in the block.
    reads: Vec<u32>,
    stays: Vec<bool>,
    is_live: Vec<bool>,
    touched: Vec<Slot>,
    live: i64,
    peak: i64,
    /// Flags live, and how many there are.
    flags: usize,
    flag_limit: usize,
}

impl<'a> Pressure<'a> {
    fn new(liveness: &'a Liveness, weights: &'a [i64], flag_limit: usize) -> Pressure<'a> {
        let count = liveness.slots.count();
        Pressure {
            liveness,
            weights,
            reads: vec![0; count],
            stays: vec![false; count],
            is_live: vec![false; count],
            touched: Vec::new(),
            live: 0,
            peak: 0,
            flags: 0,
            flag_limit,
        }
    }

    /// Starts at a block's beginning, where `through` bytes live on untouched.
    fn enter(&mut self, insts: &[Inst], block: BlockId, through: i64) {
        for slot in self.touched.drain(..) {
            self.reads[slot] = 0;
            self.stays[slot] = false;
            self.is_live[slot] = false;
        }
        let first = 2 * self.liveness.block_starts[block.index()];
        let end = 2 * self.liveness.block_starts[block.index() + 1];
        self.live = through;
        self.flags = 0;
        for inst in insts {
            accesses(&self.liveness.slots, inst, &mut |access| {
                let slot = access.slot;
                if self.reads[slot] == 0 && !self.is_live[slot] && !self.stays[slot] {
                    self.touched.push(slot);
                    let interval = self.liveness.intervals[slot];
                    self.stays[slot] = interval.end >= end;
                    if interval.start <= first && interval.start < interval.end {
                        self.is_live[slot] = true;
                        self.live += self.weights[slot];
                        self.flags += usize::from(self.liveness.is_flag_slot(slot));
                    }
                    // Values live on both sides were counted as living through.
                    if self.is_live[slot] && self.stays[slot] {
                        self.live -= self.weights[slot];
                    }
                }
                self.reads[slot] += u32::from(!access.write);
            });
        }
        self.peak = self.live;
    }

    /// Bytes that become live less those that die, if the instruction were next.
    fn growth(&self, inst: &Inst) -> i64 {
        let mut growth = 0;
        accesses(&self.liveness.slots, inst, &mut |access| {
            let slot = access.slot;
            if access.write {
                growth += if self.is_live[slot] { 0 } else { self.weights[slot] };
            } else if self.reads[slot] == 1 && self.is_live[slot] && !self.stays[slot] {
                growth -= self.weights[slot];
            }
        });
        growth
    }

    fn flags_are_full(&self) -> bool {
        self.flags >= self.flag_limit
    }

    /// Whether the instruction writes a flag that is not live.
    fn opens_flag(&self, inst: &Inst) -> bool {
        let mut opens = false;
        if inst.writes_flag() {
            accesses(&self.liveness.slots, inst, &mut |access| {
                let flag = access.write && self.liveness.is_flag_slot(access.slot);
                opens |= flag && !self.is_live[access.slot];
            });
        }
        opens
    }

    fn step(&mut self, inst: &Inst) {
        let liveness = self.liveness;
        accesses(&liveness.slots, inst, &mut |access| {
            let slot = access.slot;
            if access.write {
                if !self.is_live[slot] {
                    self.set_live(slot, true);
                    self.peak = self.peak.max(self.live);
                }
            } else {
                self.reads[slot] = self.reads[slot].saturating_sub(1);
            }
            if self.reads[slot] == 0 && self.is_live[slot] && !self.stays[slot] {
                self.set_live(slot, false);
            }
        });
    }

    fn set_live(&mut self, slot: Slot, live: bool) {
        self.is_live[slot] = live;
        let flag = usize::from(self.liveness.is_flag_slot(slot));
        if live {
            self.live += self.weights[slot];
            self.flags += flag;
        } else {
            self.live -= self.weights[slot];
            self.flags = self.flags.saturating_sub(flag);
        }
    }

    /// Most bytes live in an order.
    fn peak(&mut self, insts: &[Inst], order: &[usize], block: BlockId, through: i64) -> i64 {
        self.enter(insts, block, through);
        for index in order {
            self.step(&insts[*index]);
        }
        self.peak
    }
}
