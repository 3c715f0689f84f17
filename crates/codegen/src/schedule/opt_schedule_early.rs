//! `opt_schedule_early`: list scheduling on virtual registers.
//!
//! While few registers are live, the best candidate is the instruction whose operands are available first. Near the
//! limit, it is the one that frees most registers, or needs the fewest new ones. For each block the pass first tries
//! to hide latencies; if that order needs too many registers, it tries again with register pressure as the only goal.
//! An order that needs more registers than there are is kept only if it needs fewer than the old order.

use std::ops::Range;

use crate::target::Target;

use super::latency::Latencies;
use super::{DagBuilder, Walk, reorder};
use crate::analysis::accesses::{Access, FLAG_COUNT, Slot};
use crate::analysis::liveness::Liveness;
use crate::error::PassError;
use crate::ir::{BlockId, Class, Function, GRF_BYTES, Inst};
use crate::lists::Lists;
use crate::regalloc::Analysis;

/// Schedules each block for latency or register pressure. Returns whether the function changed.
///
/// # Errors
/// Broken control flow.
pub fn opt_schedule_early(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    Ok(schedule_analysed(function, &mut Analysis::new(function)?.liveness, target))
}

/// The same as [`opt_schedule_early`] for a function with known liveness, which is updated.
pub(crate) fn schedule_analysed(
    function: &mut Function,
    liveness: &mut Liveness,
    target: &Target,
) -> bool {
    let mut orders = orders(function, liveness, target);
    orders.retain(|(block, _)| function.fuel.take(|| format!("block {block}")));
    for (block, order) in &orders {
        reorder(&mut function.blocks[*block].insts, order);
    }
    if !orders.is_empty() {
        liveness.reorder(function, &orders);
    }
    !orders.is_empty()
}

/// For each block that gets a new order: its index, and for each new position the old index of the instruction.
fn orders(function: &Function, liveness: &Liveness, target: &Target) -> Vec<(usize, Vec<usize>)> {
    let weights = weights(function, liveness);
    let through = live_through(liveness, &weights, function.blocks.len());
    let mut builder = DagBuilder::new(&liveness.slots, target);
    let flags = if function.dispatch_width > 16 { FLAG_COUNT / 2 } else { FLAG_COUNT };
    let mut pressure = Pressure::new(liveness, &weights, flags);
    let bytes = |registers: u32| i64::from(registers * GRF_BYTES);
    let (plenty, limit) = (bytes(target.registers.plenty()), bytes(target.registers.allocatable()));
    let mut orders = Vec::new();
    for (index, block) in function.blocks.iter().enumerate() {
        if block.insts.len() < 3 {
            continue;
        }
        let first = liveness.block_starts[index] as usize;
        let dag = builder.build(&block.insts, &liveness.accesses, first);
        let id = BlockId::from_index(index);
        let mut best: Option<(i64, Vec<usize>)> = None;
        for relaxed in [plenty, 0] {
            pressure.enter(id, through[index]);
            let mut walk = Walk::new(&dag, Latencies::Assumed);
            let mut order = Vec::with_capacity(block.insts.len());
            while let Some(next) = choose(&mut walk, &mut pressure, &block.insts, relaxed) {
                pressure.step(next);
                walk.take(next);
                order.push(next);
            }
            let peak = pressure.peak;
            if peak <= limit {
                best = Some((peak, order));
                break;
            }
            if best.as_ref().is_none_or(|(least, _)| peak < *least) {
                best = Some((peak, order));
            }
        }
        if let Some((peak, order)) = best
            && !order.is_sorted()
            && (peak <= limit || peak < pressure.natural_peak(id, through[index]))
        {
            orders.push((index, order));
        }
    }
    orders
}

/// Chooses the next instruction: for latency while fewer than `relaxed` bytes are live, otherwise for register
/// pressure.
fn choose(
    walk: &mut Walk<'_>,
    pressure: &mut Pressure<'_>,
    insts: &[Inst],
    relaxed: i64,
) -> Option<usize> {
    let is_relaxed = pressure.live < relaxed;
    // If all flags are in use, an instruction that needs another one must wait until a flag is read for the last
    // time.
    if pressure.flags_are_full() {
        let waits = |index: usize| insts[index].writes_flag() && pressure.opens_flag(index);
        let fit: Vec<usize> = walk.candidates().filter(|index| !waits(*index)).collect();
        let found = match is_relaxed {
            true => walk.best_latency(fit.into_iter()),
            false => pressure.least_growth(fit.into_iter()),
        };
        if found.is_some() {
            return found;
        }
    }
    // With equal growth, the old order decides; in it, values are usually computed close to their use.
    if is_relaxed { walk.by_latency() } else { pressure.least_growth(walk.candidates()) }
}

/// For each slot, the number of bytes that it occupies in general registers.
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

/// For each block, the number of bytes of values that are live in all of it without an access in it.
fn live_through(liveness: &Liveness, weights: &[i64], blocks: usize) -> Vec<i64> {
    // Sweeps over the blocks: an interval that starts before a block and ends after it counts for that block.
    let starts = &liveness.block_starts;
    let mut change = vec![0i64; blocks + 1];
    for (slot, interval) in liveness.intervals.iter().enumerate() {
        if interval.is_empty() || weights[slot] == 0 {
            continue;
        }
        let (first, last) = (interval.start / 2, interval.end / 2);
        // `from` is the first block that begins after the start of the interval, `to` the first block that ends after
        // its end.
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

/// State of a slot during the scheduling of a block.
#[derive(Clone, Copy, Default)]
struct Value {
    weight: i64,
    /// Number of reads in the block that are not scheduled yet.
    reads: u32,
    /// Whether the block accesses the slot.
    is_touched: bool,
    is_live: bool,
    /// Whether the slot is live after the block.
    stays: bool,
}

/// Register pressure during the scheduling of a block.
struct Pressure<'a> {
    liveness: &'a Liveness,
    values: Vec<Value>,
    touched: Vec<Slot>,
    /// Numbers in the function of the block's instructions.
    insts: Range<usize>,
    /// For each slot, the block's instructions that access it; filled when [`growth`](Self::growth) is first needed.
    users: Lists<u32>,
    /// For each instruction of the block, its growth, if it is known; empty until it is first needed.
    growth: Vec<Option<i64>>,
    live: i64,
    peak: i64,
    /// Number of live flags, and of all flags.
    flags: usize,
    flag_limit: usize,
}

impl<'a> Pressure<'a> {
    fn new(liveness: &'a Liveness, weights: &[i64], flag_limit: usize) -> Pressure<'a> {
        let value = |weight: &i64| Value { weight: *weight, ..Value::default() };
        Pressure {
            liveness,
            values: weights.iter().map(value).collect(),
            touched: Vec::new(),
            insts: 0..0,
            users: Lists::new(weights.len()),
            growth: Vec::new(),
            live: 0,
            peak: 0,
            flags: 0,
            flag_limit,
        }
    }

    /// Starts at the beginning of a block across which `through` bytes are live without an access.
    fn enter(&mut self, block: BlockId, through: i64) {
        for slot in &self.touched {
            let value = &mut self.values[*slot];
            *value = Value { weight: value.weight, ..Value::default() };
        }
        self.users.clear(self.touched.drain(..));
        let liveness = self.liveness;
        let [first, end] = [block.index(), block.index() + 1].map(|at| liveness.block_starts[at]);
        self.insts = first as usize..end as usize;
        let [first, end] = [2 * first, 2 * end];
        self.live = through;
        self.flags = 0;
        self.growth.clear();
        for access in self.insts.clone().flat_map(|number| liveness.accesses.of(number)) {
            let slot = access.slot;
            let value = &mut self.values[slot];
            if !value.is_touched {
                value.is_touched = true;
                self.touched.push(slot);
                let interval = liveness.intervals[slot];
                value.stays = interval.end >= end;
                if interval.start <= first && interval.start < interval.end {
                    value.is_live = true;
                    self.live += value.weight;
                    self.flags += usize::from(liveness.slots.is_flag(slot));
                }
                // Values that are live before and after the block are included in `through`.
                if value.is_live && value.stays {
                    self.live -= value.weight;
                }
            }
            value.reads += u32::from(!access.write);
        }
        self.peak = self.live;
    }

    /// The accesses of instruction `index` of the block.
    fn accesses(&self, index: usize) -> &'a [Access] {
        self.liveness.accesses.of(self.insts.start + index)
    }

    /// The change in live bytes if instruction `index` of the block were next: bytes that become live, minus bytes
    /// whose last use it is.
    fn growth(&mut self, index: usize) -> i64 {
        if let Some(growth) = self.growth[index] {
            return growth;
        }
        let mut growth = 0;
        for access in self.accesses(index) {
            let value = &self.values[access.slot];
            if access.write {
                growth += if value.is_live { 0 } else { value.weight };
            } else if value.reads == 1 && value.is_live && !value.stays {
                growth -= value.weight;
            }
        }
        self.growth[index] = Some(growth);
        growth
    }

    /// The first of the instructions `among` with the least growth.
    fn least_growth(&mut self, among: impl Iterator<Item = usize>) -> Option<usize> {
        if self.growth.is_empty() {
            self.growth.resize(self.insts.len(), None);
            for (index, number) in (0..).zip(self.insts.clone()) {
                for access in self.liveness.accesses.of(number) {
                    self.users.push(access.slot, index);
                }
            }
        }
        among.min_by_key(|index| self.growth(*index))
    }

    fn flags_are_full(&self) -> bool {
        self.flags >= self.flag_limit
    }

    /// Whether instruction `index` of the block, which writes a flag, writes one that is not live.
    fn opens_flag(&self, index: usize) -> bool {
        let opens = |access: &Access| {
            access.write
                && self.liveness.slots.is_flag(access.slot)
                && !self.values[access.slot].is_live
        };
        self.accesses(index).iter().any(opens)
    }

    /// Updates live bytes, their peak, live flags and remaining reads for instruction `index` of the block.
    fn step(&mut self, index: usize) {
        for access in self.accesses(index) {
            let value = &mut self.values[access.slot];
            if access.write {
                if !value.is_live {
                    self.set_live(access.slot, true);
                    self.peak = self.peak.max(self.live);
                }
            } else {
                value.reads = value.reads.saturating_sub(1);
                if value.reads == 1 {
                    self.forget_growth(access.slot);
                }
            }
            let value = &self.values[access.slot];
            if value.reads == 0 && value.is_live && !value.stays {
                self.set_live(access.slot, false);
            }
        }
    }

    /// Discards the known growth of all instructions that access a slot.
    fn forget_growth(&mut self, slot: Slot) {
        for index in self.users.of(slot) {
            self.growth[*index as usize] = None;
        }
    }

    /// Makes a slot live or dead, and updates the counts.
    fn set_live(&mut self, slot: Slot, live: bool) {
        self.forget_growth(slot);
        let value = &mut self.values[slot];
        value.is_live = live;
        let flag = usize::from(self.liveness.slots.is_flag(slot));
        if live {
            self.live += value.weight;
            self.flags += flag;
        } else {
            self.live -= value.weight;
            self.flags = self.flags.saturating_sub(flag);
        }
    }

    /// The peak of live bytes in the old order.
    fn natural_peak(&mut self, block: BlockId, through: i64) -> i64 {
        self.enter(block, through);
        for index in 0..self.insts.len() {
            self.step(index);
        }
        self.peak
    }
}
