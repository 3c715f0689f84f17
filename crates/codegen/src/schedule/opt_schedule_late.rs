//! `opt_schedule_late`: list scheduling on physical registers, so that few instructions wait for their operands.
//!
//! A block gets the order that the assumed latencies give, unless the latencies of the model give one that takes less time in
//! the model. Loads are then early where that costs nothing, because the assumed latencies include time in caches.

use crate::target::Target;

use super::latency::Latencies;
use super::{Dag, DagBuilder, Walk, reorder};
use crate::analysis::accesses::{Accesses, SlotMap};
use crate::error::PassError;
use crate::ir::Function;
use crestline_timing::PerUnit;

/// Schedules each block for latency. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_schedule_late(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let slots = SlotMap::new(function);
    let mut assumed = DagBuilder::new(&slots, target, Latencies::Assumed);
    let mut model = DagBuilder::new(&slots, target, Latencies::Model);
    let accesses = Accesses::new(function, &slots);
    let mut changed = false;
    let mut next = 0;
    for (index, block) in function.blocks.iter_mut().enumerate() {
        let first = next;
        next += block.insts.len();
        if block.insts.len() < 3 {
            continue;
        }
        let mut order = Walk::new(&assumed.build(&block.insts, &accesses, first)).order();
        let dag = model.build(&block.insts, &accesses, first);
        let other = Walk::new(&dag).order();
        if other != order && time(&dag, &other) < time(&dag, &order) {
            order = other;
        }
        if !order.is_sorted() && function.fuel.take(|| format!("block {index}")) {
            reorder(&mut block.insts, &order);
            changed = true;
        }
    }
    Ok(changed)
}

/// Cycles of a block in an order, in the model of `crestline_timing`: the front end issues instructions in order and waits for
/// operands and units.
fn time(dag: &Dag, order: &[usize]) -> u32 {
    let mut ready = vec![0u32; order.len()];
    let mut units: PerUnit<u32> = PerUnit::default();
    let mut front = 0u32;
    for &index in order {
        let times = &dag.times[index];
        front = front.max(ready[index]) + times.issue;
        if let Some((unit, busy)) = times.unit {
            front = front.max(units[unit]);
            units[unit] = front + busy;
        }
        for edge in dag.succs.of(index) {
            let to = edge.to as usize;
            ready[to] = ready[to].max(front - times.issue + edge.latency);
        }
    }
    front
}
