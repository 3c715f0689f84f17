//! `lower_df_swizzles`: splits Align16 operations on doubles so that each instruction's sources have regions that the
//! hardware supports.
//!
//! 1. [`plan`] divides the enabled components into the smallest number of instructions. Some sources of three-source
//!    instructions have no region for any division; they are copied first, and the instructions of the copy count
//!    too.
//! 2. If one part would overwrite what a later part reads, the parts are reordered. If no order works, the
//!    overlapping sources are copied first.
//!
//! Two kinds of instruction remain illegal: those with a write mask that the hardware misreads ([`TORN_MASKS`], see
//! `lower_df_writemasks`), and those that work on more vectors than the hardware allows (see `lower_simd_width`). The
//! cost of splitting them is included in the plan.

mod plan;

use crate::target::Target;
use crestline_isa::{AccessMode, Opcode, PredCtrl, Swizzle, WriteMask};

use super::legal::align16::{TORN_MASKS, double_rows, is_wide};
use super::{PassError, legal};
use crate::ir::{Builder, Function, Inst, Op, Operand, Region};
use plan::cheapest;

/// Splits Align16 operations on doubles into legal instructions. Returns whether the function changed.
///
/// # Errors
/// A source for which neither a division nor a copy helps, or an instruction that writes the flag which its own
/// predicate reads for groups of channels.
pub fn lower_df_swizzles(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    function.try_rewrite(is_vector_of_doubles, |inst, b| lower(inst, target, Torn::Keep, b))
}

/// Whether an instruction is an Align16 arithmetic instruction with a 64-bit operand.
pub(super) fn is_vector_of_doubles(inst: &Inst) -> bool {
    inst.access_mode == AccessMode::Align16 && legal::has_regions(inst.op) && is_wide(inst)
}

/// What happens to parts with a write mask that the hardware misreads ([`TORN_MASKS`]).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Torn {
    /// They stay, unless the order of the parts matters.
    Keep,
    /// They are split into one part per component.
    Split,
}

/// Emits the instructions for an operation on doubles. Returns whether they differ from the operation.
///
/// # Errors
/// See [`lower_df_swizzles`].
pub(super) fn lower(
    mut inst: Inst,
    target: &Target,
    torn: Torn,
    b: &mut Builder<'_>,
) -> Result<bool, PassError> {
    let fail = |inst: &Inst| PassError::operand("lower_df_swizzles", &inst.dst);
    let mut plan = Plan::best(&inst, 0, target).ok_or_else(|| fail(&inst))?;
    let overlaps = |inst: &Inst, index: &usize| inst.dst_overlaps_src(*index);
    let overlapping: Vec<usize> =
        (0..inst.srcs.len()).filter(|index| overlaps(&inst, index)).collect();
    let torn = if overlapping.is_empty() { torn } else { Torn::Split };
    let mut parts = with_torn(plan.parts, torn);
    if !order(&inst, &mut parts) {
        let needed = overlapping.iter().fold(0, |set, index| set | 1 << index);
        plan = Plan::best(&inst, needed, target).ok_or_else(|| fail(&inst))?;
        parts = with_torn(plan.parts, torn);
    }
    if inst.writes_flag()
        && parts.len() > 1
        && !matches!(inst.predicate.ctrl, PredCtrl::None | PredCtrl::Normal)
    {
        return Err(fail(&inst));
    }
    let changed = parts.len() > 1 || !plan.copies.is_empty();
    for (index, parts) in plan.copies {
        copy(&mut inst, index, &with_torn(parts, torn), b);
    }
    for part in parts {
        b.push(piece(&inst, part));
    }
    Ok(changed)
}

/// A way to split an instruction.
struct Plan {
    /// Sources to copy first, each with the write masks of its copy's instructions.
    copies: Vec<(usize, Vec<WriteMask>)>,
    /// The write masks of the instruction's parts.
    parts: Vec<WriteMask>,
    /// Total number of instructions.
    cost: u32,
}

impl Plan {
    /// The cheapest plan that copies at least the sources in `needed` (one bit each); `None` if there is no plan.
    fn best(inst: &Inst, needed: u32, target: &Target) -> Option<Plan> {
        let count = inst.srcs.len();
        let more = legal::is_three_source(inst.op);
        let sets = (0..1u32 << count).filter(|set| set & needed == needed);
        let plans = sets.filter(|set| more || *set == needed).filter_map(|set| {
            let copied: Vec<usize> = (0..count).filter(|index| set >> index & 1 == 1).collect();
            Plan::with_copies(inst, &copied, target)
        });
        plans.min_by_key(|plan| plan.cost)
    }

    /// The plan that copies exactly the sources `copied`; `None` if it is not possible.
    fn with_copies(inst: &Inst, copied: &[usize], target: &Target) -> Option<Plan> {
        let mut rest = inst.clone();
        let mut plan = Plan { copies: Vec::new(), parts: Vec::new(), cost: 0 };
        for &index in copied {
            if !rest.srcs[index].in_grf() {
                return None;
            }
            let (cost, parts) = divide(&copy_of(inst, index), target)?;
            plan.cost += cost;
            plan.copies.push((index, parts));
            rest.srcs[index] = in_place(&rest.srcs[index]);
        }
        let (cost, parts) = divide(&rest, target)?;
        plan.parts = parts;
        plan.cost += cost;
        Some(plan)
    }
}

/// Replaces write masks that the hardware misreads by one mask per component, if `torn` says so.
fn with_torn(parts: Vec<WriteMask>, torn: Torn) -> Vec<WriteMask> {
    let split = |part: WriteMask| {
        let all = torn == Torn::Keep || !TORN_MASKS.contains(&part);
        let whole = all.then_some(part);
        whole.into_iter().chain(components(part).filter(move |_| !all))
    };
    parts.into_iter().flat_map(split).collect()
}

/// The cheapest division of an instruction into parts.
fn divide(inst: &Inst, target: &Target) -> Option<plan::Division> {
    cheapest(inst.dst.write_mask(), &|part| cost(&piece(inst, part), target))
}

/// Number of instructions that a part takes in the end; `None` if a source has no region.
fn cost(part: &Inst, target: &Target) -> Option<u32> {
    let three = legal::is_three_source(part.op);
    let legal = part.srcs.iter().enumerate().all(|(index, src)| {
        let rows = double_rows(src, part.channels_read(index));
        !src.in_grf() || src.ty.size() != 8 || rows.is_some_and(|rows| !(three && rows.same))
    });
    if !legal {
        return None;
    }
    let mask = part.dst.write_mask();
    if TORN_MASKS.contains(&mask) {
        let each = components(mask).map(|component| cost(&piece(part, component), target));
        return each.sum();
    }
    Some(u32::from(part.exec_size / legal::max_exec_size(part, target)))
}

/// The components of a write mask, one mask each.
pub(super) fn components(mask: WriteMask) -> impl Iterator<Item = WriteMask> {
    (0..4).map(|component| WriteMask(1 << component)).filter(move |one| mask.0 & one.0 != 0)
}

/// The instruction for some of the components. With one component, the predicate control becomes that component (such
/// as `.x`), as in machine code that is known to work.
pub(super) fn piece(inst: &Inst, mask: WriteMask) -> Inst {
    let mut piece = inst.clone();
    piece.dst.region = Region::Mask(mask);
    if piece.predicate.ctrl == PredCtrl::Normal && mask != inst.dst.write_mask() {
        piece.predicate.ctrl = match mask.0 {
            1 => PredCtrl::X,
            2 => PredCtrl::Y,
            4 => PredCtrl::Z,
            8 => PredCtrl::W,
            _ => PredCtrl::Normal,
        };
    }
    piece
}

/// The source after a copy to a register of its own, with every component in order.
fn in_place(src: &Operand) -> Operand {
    let whole = Region::Swizzle(Swizzle::XYZW);
    Operand { region: whole, offset: 0, ..*src }
}

/// The move that copies source `index`. Only the write mask of its destination is meaningful.
fn copy_of(inst: &Inst, index: usize) -> Inst {
    let src = inst.srcs[index].without_modifiers();
    let mask = Region::Mask(inst.channels_read(index));
    let dst = Operand::null(src.ty).with_region(mask);
    let copy = Inst::new(Op::Hw(Opcode::Mov), inst.exec_size, dst, &[src]);
    let access_mode = AccessMode::Align16;
    Inst { group: inst.group, no_mask: inst.no_mask, access_mode, ..copy }
}

/// Copies source `index` to a new register, one move per part.
fn copy(inst: &mut Inst, index: usize, parts: &[WriteMask], b: &mut Builder<'_>) {
    let old = inst.srcs[index];
    let (dst, read) = b.temp(old.ty);
    let copy = Inst { dst, ..copy_of(inst, index) };
    for part in parts {
        b.push(piece(&copy, *part));
    }
    inst.srcs[index] = Operand { negate: old.negate, abs: old.abs, ..read };
}

/// Sorts the parts so that none reads what an earlier one wrote. Returns whether there is such an order.
fn order(inst: &Inst, parts: &mut [WriteMask]) -> bool {
    let pieces: Vec<Inst> = parts.iter().map(|part| piece(inst, *part)).collect();
    let mut left: Vec<usize> = (0..parts.len()).collect();
    let mut ordered = Vec::with_capacity(parts.len());
    while !left.is_empty() {
        // The next part is one that does not overwrite what another remaining part reads.
        let next = left.iter().position(|&early| {
            left.iter().all(|&late| early == late || !overwrites(&pieces[early], &pieces[late]))
        });
        let Some(next) = next else { return false };
        ordered.push(parts[left.remove(next)]);
    }
    parts.copy_from_slice(&ordered);
    true
}

/// Whether `early` writes bytes that `late` reads.
fn overwrites(early: &Inst, late: &Inst) -> bool {
    let size = early.dst.ty.size();
    let enabled = |mask: WriteMask, channel: u32| mask.0 >> (channel % 4) & 1 == 1;
    let channels = || 0..u32::from(early.exec_size);
    let writes = |channel: u32| enabled(early.dst.write_mask(), channel);
    late.srcs.iter().enumerate().any(|(index, src)| {
        let reads = |channel: u32| enabled(late.channels_read(index), channel);
        src.file == early.dst.file
            && channels().filter(|channel| writes(*channel)).any(|channel| {
                let written = early.dst.offset + early.dst.channel_offset(channel);
                channels().filter(|channel| reads(*channel)).any(|channel| {
                    let read = src.offset + src.channel_offset(channel);
                    read < written + size && written < read + src.ty.size()
                })
            })
    })
}

#[cfg(test)]
mod tests;
