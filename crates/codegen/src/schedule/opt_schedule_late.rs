//! `opt_schedule_late`: list scheduling on physical registers, so that few instructions wait for their operands.
//!
//! Each block has three candidate orders: list scheduling with the assumed latencies, which include time in caches, so that
//! loads are early; list scheduling with the latencies of the model; the old order. [`Paths`] chooses between them.

use crate::target::Target;

use super::latency::Latencies;
use super::paths::Paths;
use super::{DagBuilder, Walk, reorder};
use crate::analysis::accesses::{Accesses, SlotMap};
use crate::error::PassError;
use crate::ir::{Function, Op};
use crestline_isa::Opcode;

/// Number of candidate orders of a block.
const CANDIDATES: usize = 3;

/// Schedules each block for latency. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_schedule_late(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let slots = SlotMap::new(function);
    let accesses = Accesses::new(function, &slots);
    let mut orders: Vec<[Vec<usize>; CANDIDATES]> = Vec::with_capacity(function.blocks.len());
    let paths = candidates(function, target, &slots, &accesses, &mut orders);
    let mut changed = false;
    let blocks = function.blocks.iter_mut().zip(orders).zip(paths.choose());
    for (index, ((block, orders), chosen)) in blocks.enumerate() {
        let order = &orders[chosen];
        if !order.is_sorted() && function.fuel.take(|| format!("block {index}")) {
            reorder(&mut block.insts, order);
            changed = true;
        }
    }
    Ok(changed)
}

/// Appends the candidate orders of each block to `orders`, and walks over them with the model.
pub(super) fn candidates<'a>(
    function: &Function,
    target: &Target,
    slots: &'a SlotMap,
    accesses: &Accesses,
    orders: &mut Vec<[Vec<usize>; CANDIDATES]>,
) -> Paths<'a> {
    let mut builder = DagBuilder::new(slots, target);
    let mut paths = Paths::new(slots, CANDIDATES);
    let (mut next, mut depth) = (0, 0u32);
    for block in &function.blocks {
        let dag = builder.build(&block.insts, accesses, next);
        next += block.insts.len();
        let old: Vec<usize> = (0..block.insts.len()).collect();
        let found = match block.insts.len() {
            0..3 => [old.clone(), old.clone(), old],
            _ => {
                let listed = |latencies| Walk::new(&dag, latencies).order();
                [listed(Latencies::Assumed), listed(Latencies::Model), old]
            }
        };
        let flow = |op: Op| block.insts.iter().filter(|inst| inst.op == op).count() as u32;
        depth += flow(Op::Do);
        paths.extend(&dag, &found, depth);
        depth = depth.saturating_sub(flow(Op::Hw(Opcode::While)));
        orders.push(found);
    }
    paths
}
