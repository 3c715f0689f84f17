//! An estimate of the cycles that one thread takes, by a simulation of the program from start to end.
//!
//! The model is an in-order front end that waits for operands and for the execution unit. Each enclosing loop
//! multiplies the cycles by ten, except loops whose end no channel reaches. Divergence, other threads and memory
//! contention are not modelled.

use crate::target::Target;

use super::latency::{Unit, cost};
use crate::analysis::accesses::{SlotMap, accesses};
use crate::ir::{BlockId, Cfg, EdgeKind, FlowError, Function};

/// The estimated times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Cycles from the first to the last instruction of one thread, loops weighted.
    pub cycles: u64,
    /// Cycles in which the busiest unit works, with loop weights. With many threads, this unit limits the throughput.
    pub busiest: u64,
    /// A lower bound of [`busiest`](Self::busiest) at twice the SIMD width. Instructions for the thread's channels,
    /// all or some of them, take twice as long; others (addresses, headers, uniform values) take as long as now.
    pub busiest_widened: u64,
}

/// Estimates the time of a program on physical registers. Simulates each block once, in layout order, and multiplies
/// its cycles by the weight of the loops around it.
///
/// # Errors
/// Broken control flow.
pub fn estimate(function: &Function, target: &Target) -> Result<Estimate, FlowError> {
    let generation = target.generation();
    const LOOP_WEIGHT: u64 = 10;
    let cfg = Cfg::new(function)?;
    let slots = SlotMap::new(function);
    let mut ready = vec![0u64; slots.count()];
    let (mut acc_ready, mut front) = (0u64, 0u64);
    let mut unit_ready = [0u64; Unit::COUNT];
    let mut busy = [0u64; Unit::COUNT];
    let mut busy_widened = [0u64; Unit::COUNT];
    let mut found = Estimate::default();
    let mut touched = Vec::new();
    let once = blocks_in_passed_loops(&cfg);
    for (index, block) in function.blocks.iter().enumerate() {
        let depth = (cfg.loop_depth(BlockId::from_index(index)) - once[index]).min(6);
        let weight = LOOP_WEIGHT.pow(depth);
        for inst in &block.insts {
            let cost = cost(inst, generation);
            let before = front;
            touched.clear();
            accesses(&slots, inst, &mut |access| touched.push(access));
            for access in &touched {
                front = front.max(ready[access.slot]);
            }
            if inst.reads_accumulator() || inst.writes_accumulator() {
                front = front.max(acc_ready);
            }
            front += u64::from(cost.issue);
            let unit = cost.unit as usize;
            if cost.unit != Unit::None {
                front = front.max(unit_ready[unit]);
                unit_ready[unit] = front + u64::from(cost.busy);
                let work = u64::from(cost.busy) * weight;
                busy[unit] += work;
                let grows = !inst.no_mask || inst.exec_size >= function.dispatch_width;
                busy_widened[unit] += if grows { 2 * work } else { work };
            }
            let message = inst.message.is_some();
            for access in &touched {
                let after = match (access.write, message) {
                    (false, false) => continue,
                    (false, true) => cost.read,
                    (true, _) if is_flag(access.slot) => cost.flag,
                    (true, _) => cost.result,
                };
                ready[access.slot] = ready[access.slot].max(front + u64::from(after));
            }
            if inst.writes_accumulator() {
                acc_ready = front + u64::from(cost.acc);
            }
            found.cycles += (front - before) * weight;
        }
    }
    found.busiest = busy.into_iter().max().unwrap_or(0);
    found.busiest_widened = busy_widened.into_iter().max().unwrap_or(0);
    Ok(found)
}

/// For each block, the number of enclosing loops whose end no channel reaches, because all have left the loop before.
fn blocks_in_passed_loops(cfg: &Cfg) -> Vec<u32> {
    let mut counts = vec![0; cfg.len()];
    for &(first, last) in cfg.loops() {
        let reached = cfg.preds(last).iter().any(|edge| edge.kind == EdgeKind::Logical);
        if first != last && !reached {
            counts[first.index()..=last.index()].iter_mut().for_each(|count| *count += 1);
        }
    }
    counts
}

fn is_flag(slot: usize) -> bool {
    slot >= crate::analysis::accesses::GRF_COUNT
}
