//! `opt_schedule_late`: list scheduling on physical registers, so that few instructions wait for their operands.

use crate::target::Target;

use super::{DagBuilder, Walk, reorder};
use crate::analysis::accesses::{Accesses, SlotMap};
use crate::error::PassError;
use crate::ir::Function;

/// Schedules each block for latency. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_schedule_late(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let slots = SlotMap::new(function);
    let mut builder = DagBuilder::new(&slots, target);
    let accesses = Accesses::new(function, &slots);
    let mut changed = false;
    let mut next = 0;
    for (index, block) in function.blocks.iter_mut().enumerate() {
        let first = next;
        next += block.insts.len();
        if block.insts.len() < 3 {
            continue;
        }
        let dag = builder.build(&block.insts, &accesses, first);
        let mut walk = Walk::new(&dag);
        let mut order = Vec::with_capacity(block.insts.len());
        while let Some(next) = walk.by_latency() {
            walk.take(next, &block.insts[next]);
            order.push(next);
        }
        if !order.is_sorted() && function.fuel.take(|| format!("block {index}")) {
            reorder(&mut block.insts, &order);
            changed = true;
        }
    }
    Ok(changed)
}
