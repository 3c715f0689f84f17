//! `opt_dependency_control`: lets instructions that write different components of one register run without waiting
//! for each other, if no instruction between them accesses the register.
//!
//! ```text
//! mul g10.x, g1, g2          mul g10.x, g1, g2 {NoDDClr}
//! mul g10.y, g3, g4    ->    mul g10.y, g3, g4 {NoDDClr, NoDDChk}
//! mul g10.z, g5, g6          mul g10.z, g5, g6 {NoDDChk}
//! ```
//!
//! In such a group, all but the last instruction leave the register marked as in flight (NoDDClr), and all but the
//! first do not wait for the mark (NoDDChk): PRM vol 4, "Destination Dependency Control". Excluded are instructions
//! that may not execute and results from shared units, because they set marks of their own, and 64-bit operands, with
//! which some devices do not allow it.

use crate::target::{Scoreboard, Target};
use crestline_isa::AccessMode;
use crestline_ssa::ir::Fuel;

use crate::error::PassError;
use crate::ir::{Block, File, Function, GRF_BYTES, Inst, Op, Region, Span};
use crate::legal::{self, align16};

/// Number of instructions after the first that are searched for a group.
const WINDOW: usize = 64;

/// Marks instructions that write different components of one register. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_dependency_control(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let mut changed = false;
    if target.scoreboard == (Scoreboard::Hardware { dependency_control: true }) {
        for block in &mut function.blocks {
            changed |= mark(block, &mut function.fuel);
        }
    }
    Ok(changed)
}

/// Finds the groups of a block. Sets NoDDClr on all but the last instruction of each, and NoDDChk on all but the
/// first. Returns whether there was a group of at least two.
fn mark(block: &mut Block, fuel: &mut Fuel) -> bool {
    let mut changed = false;
    let mut grouped = vec![false; block.insts.len()];
    for first in 0..block.insts.len() {
        if grouped[first] || !can_join(&block.insts[first]) {
            continue;
        }
        let group = group(&block.insts, first);
        let Some((last, others)) = group.split_last() else { continue };
        if !others.is_empty() && !fuel.take(|| block.insts[first].to_string()) {
            continue;
        }
        for index in others {
            block.insts[*index].no_dd_clear = true;
        }
        if !others.is_empty() {
            block.insts[*last].no_dd_check = true;
        }
        for index in others.iter().skip(1) {
            block.insts[*index].no_dd_check = true;
        }
        group.iter().for_each(|index| grouped[*index] = true);
        changed |= !others.is_empty();
    }
    changed
}

/// Indices of the group that starts at `first`: instructions that write other components of the same register, up to
/// the first instruction that accesses the register in another way.
fn group(insts: &[Inst], first: usize) -> Vec<usize> {
    let dst = insts[first].dst;
    let register = Span::of(&dst, GRF_BYTES);
    let mut group = vec![first];
    let mut written = dst.write_mask().0;
    for (index, inst) in insts.iter().enumerate().skip(first + 1).take(WINDOW) {
        let reads = (0..inst.srcs.len()).any(|i| inst.span_read(i).overlaps(&register));
        let writes = inst.span_written().overlaps(&register);
        if inst.op.is_flow() || reads {
            break;
        }
        if !writes {
            continue;
        }
        let mask = inst.dst.write_mask().0;
        let joins = can_join(inst) && inst.dst.offset == dst.offset && written & mask == 0;
        if !joins || (inst.group, inst.no_mask) != (insts[first].group, insts[first].no_mask) {
            break;
        }
        written |= mask;
        group.push(index);
    }
    group
}

/// Whether an instruction can be in a group.
fn can_join(inst: &Inst) -> bool {
    matches!(inst.op, Op::Hw(_))
        && legal::has_regions(inst.op)
        && inst.access_mode == AccessMode::Align16
        && !align16::is_wide(inst)
        && !inst.predicate_disables()
        && !inst.writes_accumulator()
        && inst.exec_size == 8
        && inst.dst.file == File::Grf
        && inst.dst.offset.is_multiple_of(GRF_BYTES)
        && matches!(inst.dst.region, Region::Mask(_))
}
