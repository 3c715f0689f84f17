//! `opt_coalesce_vectors`: lets an Align16 instruction write directly to the register to which its result is copied.
//!
//! ```text
//! add v1.x, v2.x, v3.x
//! mul v1.y, v4.y, v5.y          ->    add v9.z, v2.x, v3.x
//! mov v9.zw, v1.xxxy                  mul v9.w, v4.y, v5.y
//! ```
//!
//! In `mov dst.m, src.s`, all uses of the register `src` must be in one block: writes, and then this move. Each
//! instruction that writes `src` then writes the components of `dst` that the move would have copied from its result,
//! with the swizzles of its sources permuted accordingly. A dot product has the same result in all components, so its
//! swizzles do not change. Between the first write of `src` and the move, no other instruction may read or write
//! these components of `dst`; the first writer may read them, because it reads before it writes.

use hashbrown::HashMap;

use crate::target::Target;
use crestline_isa::{AccessMode, Opcode, Swizzle, Type, WriteMask};

use super::{PassError, legal};
use crate::ir::{Block, File, Function, GRF_BYTES, Inst, Op, Operand, Region, Vreg};

/// Removes Align16 moves by letting instructions write directly to the moves' destinations. Returns whether the
/// function changed.
///
/// # Errors
/// None.
pub fn opt_coalesce_vectors(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    if !function.insts().any(|inst| Copy::of(inst).is_some()) {
        return Ok(false);
    }
    let only_blocks = only_blocks(function);
    let mut changed = false;
    for (index, block) in function.blocks.iter_mut().enumerate() {
        // For each register that only this block uses: the indices of the instructions that use it.
        let mut mentions: HashMap<Vreg, Vec<usize>> = HashMap::new();
        for (at, inst) in block.insts.iter().enumerate() {
            for vreg in inst.srcs.iter().chain([&inst.dst]).filter_map(Operand::vreg) {
                if only_blocks.get(&vreg) == Some(&Some(index)) {
                    mentions.entry(vreg).or_default().push(at);
                }
            }
        }
        let mut dead = vec![false; block.insts.len()];
        for at in 0..block.insts.len() {
            let Some(copy) = Copy::of(&block.insts[at]) else { continue };
            let Some(list) = mentions.get(&copy.from) else { continue };
            let Some(writers) = plan(block, &dead, at, &copy, list, target) else { continue };
            if !function.fuel.take(|| block.insts[at].to_string()) {
                continue;
            }
            // The destination register now has more instructions that write it.
            if let Some(own) = copy.dst.vreg().and_then(|vreg| mentions.get_mut(&vreg)) {
                own.extend(writers.iter().map(|(writer, _)| *writer));
                own.sort_unstable();
            }
            for (writer, inst) in writers {
                block.insts[writer] = inst;
            }
            dead[at] = true;
            changed = true;
        }
        let mut dead = dead.into_iter();
        block.insts.retain(|_| !dead.next().unwrap_or(false));
    }
    Ok(changed)
}

/// For each register, the only block that uses it; `None` inside if there are several.
fn only_blocks(function: &Function) -> HashMap<Vreg, Option<usize>> {
    let mut only_blocks: HashMap<Vreg, Option<usize>> = HashMap::new();
    for (index, block) in function.blocks.iter().enumerate() {
        for inst in &block.insts {
            for vreg in inst.srcs.iter().chain([&inst.dst]).filter_map(Operand::vreg) {
                let only = only_blocks.entry(vreg).or_insert(Some(index));
                if *only != Some(index) {
                    *only = None;
                }
            }
        }
    }
    only_blocks
}

/// A move that may be removed: its destination, its source register and which component goes to which.
struct Copy {
    dst: Operand,
    from: Vreg,
    swizzle: Swizzle,
    mask: WriteMask,
}

impl Copy {
    /// The move that an instruction is, if this pass can remove it.
    fn of(inst: &Inst) -> Option<Copy> {
        let src = *inst.srcs.first()?;
        let plain = inst.access_mode == AccessMode::Align16
            && legal::is_raw_move(inst)
            && !inst.is_predicated()
            && !inst.writes_flag()
            && inst.dst.ty.size() == 4
            && inst.dst.in_grf();
        let (swizzle, step) = src.vectors()?;
        let from = src.vreg()?;
        let whole = src.offset == 0 && step == 4 && inst.dst.vreg() != Some(from);
        let Region::Mask(mask) = inst.dst.region else { return None };
        (plain && whole).then_some(Copy { dst: inst.dst, from, swizzle, mask })
    }
}

/// The instructions that write the source register, changed to write the move's destination. `at` is the index of the
/// move, `mentions` are the indices of all instructions that use the source register. `None` if the move must stay.
fn plan(
    block: &Block,
    dead: &[bool],
    at: usize,
    copy: &Copy,
    mentions: &[usize],
    target: &Target,
) -> Option<Vec<(usize, Inst)>> {
    let insts = &block.insts;
    let (mover, from, mask) = (&insts[at], copy.from, copy.mask);
    let mut writers = Vec::new();
    for &index in mentions.iter().filter(|index| **index != at && !dead[**index]) {
        let inst = &insts[index];
        let reads = inst.srcs.iter().any(|src| src.vreg() == Some(from));
        if index > at || reads || inst.dst.vreg() != Some(from) {
            return None;
        }
        writers.push((index, moved(inst, mover, copy)?));
    }
    let first = writers.first()?.0;
    // Every component that the move copies must be written exactly once.
    let mut made = 0;
    for (_, inst) in &writers {
        let part = inst.dst.write_mask().0;
        if made & part != 0 {
            return None;
        }
        made |= part;
    }
    if made != mask.0 {
        return None;
    }
    let bytes = |inst: &Inst| inst.span_written().overlaps(&mover.span_written());
    for (index, inst) in insts[..at].iter().enumerate().skip(first) {
        let writes = !writers.iter().any(|(writer, _)| *writer == index) && bytes(inst);
        let reads = index != first
            && (0..inst.srcs.len()).any(|i| inst.span_read(i).overlaps(&mover.span_written()));
        if !dead[index] && (writes || reads) {
            return None;
        }
    }
    let legal = |(index, new): &(usize, Inst)| {
        legal::is_legal(new, target) || !legal::is_legal(&insts[*index], target)
    };
    writers.iter().all(legal).then_some(writers)
}

/// The instruction `inst`, which writes the source of the move, with the move's destination instead; `None` if that
/// is not possible.
fn moved(inst: &Inst, mover: &Inst, copy: &Copy) -> Option<Inst> {
    let Copy { dst, swizzle, mask, .. } = copy;
    let Region::Mask(written) = inst.dst.region else { return None };
    let same = inst.access_mode == AccessMode::Align16
        && legal::has_regions(inst.op)
        && inst.dst.offset == 0
        && inst.dst.ty.size() == 4
        && (inst.exec_size, inst.group, inst.no_mask)
            == (mover.exec_size, mover.group, mover.no_mask);
    let whole_register = dst.offset.is_multiple_of(GRF_BYTES) || inst.exec_size == 4;
    let free = !inst.is_predicated() && !inst.writes_flag() && !inst.writes_accumulator();
    if !same || !free || !whole_register || inst.reads_accumulator() {
        return None;
    }
    // The components of the move's destination that it copies from this instruction.
    let filled = (0..4u8)
        .filter(|to| mask.0 >> to & 1 == 1 && written.0 >> swizzle.0[usize::from(*to)] & 1 == 1);
    let new_mask = WriteMask(filled.fold(0, |all, to| all | 1 << to));
    if new_mask.0 == 0 {
        return None;
    }
    let mut new = inst.clone();
    new.dst = Operand { ty: inst.dst.ty, ..dst.with_region(Region::Mask(new_mask)) };
    let dot = matches!(inst.op, Op::Hw(Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph));
    if dot {
        return Some(new);
    }
    for src in &mut new.srcs {
        *src = swizzled(src, *swizzle)?;
    }
    Some(new)
}

/// Permutes a source: component `c` of the result is what component `swizzle[c]` was before.
fn swizzled(src: &Operand, swizzle: Swizzle) -> Option<Operand> {
    if let Some((Swizzle(old), _)) = src.vectors() {
        return Some(src.with_swizzle(Swizzle(swizzle.0.map(|c| old[usize::from(c)]))));
    }
    match src.file {
        File::Imm(bits) if src.ty == Type::Vf => {
            let element = |c: u8| bits >> (8 * c) & 0xff;
            let packed = (0..4usize).map(|c| element(swizzle.0[c]) << (8 * c)).sum();
            Some(Operand::imm(packed, Type::Vf))
        }
        File::Imm(_) => (!src.ty.is_packed_vector()).then_some(*src),
        _ => (src.region == Region::SCALAR).then_some(*src),
    }
}
