//! `opt_register_coalesce`: lets instructions write directly to the register to which their result is copied.
//!
//! ```text
//! add v1, v2, v3         add v9+32, v2, v3
//! mov v9+32, v1    ->
//! ```
//!
//! In `mov dst, src`, all uses of the register `src` must be in one block, from its first write to this move. Each
//! use of `src` is replaced by the bytes of `dst`, and the move is removed. Between the first write of `src` and the
//! move, no other instruction may read or write these bytes of `dst`. The first write itself may read them, if each
//! channel reads exactly the element that it replaces.

use crate::target::Target;

use super::{PassError, legal};
use crate::analysis::accesses::is_early_clobber;
use crate::ir::{Class, File, Function, GRF_BYTES, Inst, Operand, Region, Span, Vreg};

/// Removes copies by letting instructions write directly to the copies' destinations. Returns whether the function
/// changed.
///
/// # Errors
/// None.
pub fn opt_register_coalesce(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    if !function.insts().any(|inst| whole_copy(inst).is_some()) {
        return Ok(false);
    }
    let mut named_in = NamedIn::all(function);
    let mut mentions = vec![Mentions::default(); function.vregs.len()];
    let mut changed = false;
    for b in 0..function.blocks.len() {
        changed |= coalesce_block(function, b, &mut named_in, &mut mentions, target);
    }
    Ok(changed)
}

/// The blocks that use a register.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum NamedIn {
    NoBlock,
    Block(u32),
    Several,
}

impl NamedIn {
    /// The blocks that use each virtual register.
    pub(super) fn all(function: &Function) -> Vec<NamedIn> {
        let mut named_in = vec![NamedIn::NoBlock; function.vregs.len()];
        for (b, block) in (0..).zip(&function.blocks) {
            for inst in &block.insts {
                for_mentions(inst, |vreg| {
                    let here = &mut named_in[vreg.index()];
                    *here = match here {
                        NamedIn::NoBlock => NamedIn::Block(b),
                        NamedIn::Block(first) if *first == b => NamedIn::Block(b),
                        _ => NamedIn::Several,
                    };
                });
            }
        }
        named_in
    }
}

/// For registers that a block copies, the indices of the instructions that use them, ascending.
type Mentions = Option<Vec<usize>>;

/// Calls `visit` for each virtual register that an instruction uses.
pub(super) fn for_mentions(inst: &Inst, mut visit: impl FnMut(Vreg)) {
    for operand in &inst.srcs {
        operand.vreg().into_iter().for_each(&mut visit);
    }
    inst.dst.vreg().into_iter().for_each(&mut visit);
    if let crate::ir::Flag::Virtual(vreg) = inst.flag {
        visit(vreg);
    }
}

/// Coalesces copies in block `b`. `mentions` has an entry for each register; all are `None` before and after the
/// call.
fn coalesce_block(
    function: &mut Function,
    b: usize,
    named_in: &mut [NamedIn],
    mentions: &mut [Mentions],
    target: &Target,
) -> bool {
    let block = &mut function.blocks[b];
    let here = NamedIn::Block(b as u32);
    // Renaming changes the registers of later copies only, so the copies can be listed in advance.
    let mut copies: Vec<(usize, Vreg, Vreg)> = Vec::new();
    for (at, inst) in block.insts.iter().enumerate() {
        if let Some((dst, src)) = whole_copy(inst)
            && let (Some(to), Some(from)) = (dst.vreg(), src.vreg())
            && named_in[from.index()] == here
        {
            copies.push((at, to, from));
        }
    }
    if copies.is_empty() {
        return false;
    }
    let copied: Vec<usize> =
        copies.iter().flat_map(|(_, to, from)| [to.index(), from.index()]).collect();
    for vreg in &copied {
        mentions[*vreg] = Some(Vec::new());
    }
    for (index, inst) in block.insts.iter().enumerate() {
        for_mentions(inst, |vreg| {
            if let Some(list) = &mut mentions[vreg.index()]
                && list.last() != Some(&index)
            {
                list.push(index);
            }
        });
    }
    let mut dead = vec![false; block.insts.len()];
    let mut any = false;
    for (at, to, from) in copies {
        let inst = &block.insts[at];
        let (dst, src) = (inst.dst, inst.srcs[0]);
        let (Some(to_info), Some(from_info)) = (function.vregs.get(to), function.vregs.get(from))
        else {
            continue;
        };
        let shift = dst.offset;
        let align = from_info.bytes.next_power_of_two().min(GRF_BYTES);
        let fits = to != from
            && from_info.class == Class::Grf
            && to_info.class == Class::Grf
            && src.offset == 0
            && inst.size_written() == from_info.bytes
            && inst.size_read(0) == from_info.bytes
            && shift.is_multiple_of(align)
            && from_info.min_register <= to_info.min_register
            && named_in[from.index()] == here;
        let span = Span { file: dst.file, start: shift, end: shift + from_info.bytes };
        let (Some(list), Some(others)) = (&mentions[from.index()], &mentions[to.index()]) else {
            continue;
        };
        if !fits
            || !can_merge(&block.insts, at, list, others, &span, from, target)
            || !function.fuel.take(|| inst.to_string())
        {
            continue;
        }
        let list = mentions[from.index()].replace(Vec::new()).unwrap_or_default();
        for &index in &list {
            let inst = &mut block.insts[index];
            for operand in inst.srcs.iter_mut().chain([&mut inst.dst]) {
                if operand.vreg() == Some(from) {
                    operand.file = File::Vgrf(to);
                    operand.offset += shift;
                }
            }
        }
        dead[at] = true;
        any = true;
        if let Some(merged) = &mut mentions[to.index()] {
            merged.extend(list);
            merged.sort_unstable();
            merged.dedup();
        }
        named_in[from.index()] = NamedIn::NoBlock;
    }
    for vreg in copied {
        mentions[vreg] = None;
    }
    let mut dead = dead.into_iter();
    block.insts.retain(|_| !dead.next().unwrap_or(false));
    any
}

/// Destination and source of an unpredicated move that changes no bits, if both have consecutive elements or a single
/// one.
pub(super) fn whole_copy(inst: &Inst) -> Option<(Operand, Operand)> {
    if !legal::is_raw_move(inst) || inst.is_predicated() || inst.writes_flag() {
        return None;
    }
    let (dst, src) = (inst.dst, inst.srcs[0]);
    let packed = |o: &Operand| o.is_packed() || inst.exec_size == 1;
    (packed(&dst) && packed(&src)).then_some((dst, src))
}

/// Whether register `from`, which the instructions `list` use, can be replaced by the bytes `span` up to the move at
/// index `at`. `others` are the instructions that use the destination's register.
fn can_merge(
    insts: &[Inst],
    at: usize,
    list: &[usize],
    others: &[usize],
    span: &Span,
    from: Vreg,
    target: &Target,
) -> bool {
    let (Some(&first), Some(&last)) = (list.first(), list.last()) else { return false };
    let maker = &insts[first];
    if last != at || first == at || maker.dst.vreg() != Some(from) {
        return false;
    }
    // The first instruction must write all its channels, so that no old bytes of `span` remain, and must not read the
    // register.
    let starts_whole =
        !maker.predicate_disables() && !maker.srcs.iter().any(|src| src.vreg() == Some(from));
    // A masked move leaves disabled channels unchanged, so the instructions that replace it must be masked too.
    let same_mask = list.iter().all(|&index| {
        insts[index].dst.vreg() != Some(from) || insts[index].no_mask == insts[at].no_mask
    });
    if !starts_whole || !same_mask {
        return false;
    }
    let between = &others[others.partition_point(|&index| index < first)..];
    let quiet = between.iter().take_while(|&&index| index < at).all(|&index| {
        let inst = &insts[index];
        let reads = (0..inst.srcs.len()).filter(|i| inst.span_read(*i).overlaps(span));
        let mut reads = reads.peekable();
        if inst.span_written().overlaps(span) {
            return false;
        }
        if index != first {
            return reads.peek().is_none();
        }
        reads.all(|i| replaces(inst, i, span))
    });
    // The renamed instructions must be as legal as before; the new offset in the register may be misaligned for them.
    quiet
        && list.iter().all(|&index| {
            let old = &insts[index];
            let mut new = old.clone();
            for operand in new.srcs.iter_mut().chain([&mut new.dst]) {
                if operand.vreg() == Some(from) {
                    operand.file = span.file;
                    operand.offset += span.start;
                }
            }
            legal::is_legal(&new, target) || !legal::is_legal(old, target)
        })
}

/// Whether each channel reads from source `index` exactly the element that it replaces in the destination, once that
/// is moved to `span`.
fn replaces(inst: &Inst, index: usize, span: &Span) -> bool {
    let src = &inst.srcs[index];
    let stride = |operand: &Operand| match operand.region {
        Region::Stride(stride) => Some(stride),
        _ => None,
    };
    legal::has_regions(inst.op)
        && !is_early_clobber(inst)
        && src.ty.size() == inst.dst.ty.size()
        && (stride(src) == stride(&inst.dst) || inst.exec_size == 1)
        && stride(src).is_some()
        && src.offset == inst.dst.offset + span.start
}
