//! `lower_indirect_vectors`: rewrites Align16 indirect moves in forms that `lower_mov_indirect` supports.
//!
//! - An indirect read writes all components, without a predicate. A write mask, predicate or conversion goes to an
//!   ordinary move after it.
//! - An indirect write has one address per vector. If components have different indices, it is split into one write
//!   per component. Doubles are first moved to their components, and a predicate with a bit per component becomes one
//!   that reads a single bit.
//! - An index is in a register, either in the component that it is for or in one component for the whole vector.
//! - On devices without UV immediates, a read from vectors that start at register boundaries reads all components in
//!   order and has one index. It is then one row of a region with one address.

use crate::target::Target;
use crestline_isa::{AccessMode, CondMod, Opcode, PredCtrl, Predicate, Swizzle, Type, WriteMask};

use super::PassError;
use super::legal::align16::index_region;
use super::lower_df_swizzles::{components, piece};
use crate::ir::{Builder, Function, Inst, Op, Operand, Region};

/// Rewrites Align16 indirect moves in supported forms. Returns whether the function changed.
///
/// # Errors
/// A range that is not an Align16 vector operand.
pub fn lower_indirect_vectors(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let indirect = |inst: &Inst| {
        inst.access_mode == AccessMode::Align16
            && matches!(inst.op, Op::MovIndirect | Op::MovIndirectDst)
    };
    function.try_rewrite(indirect, |inst, b| match inst.op {
        Op::MovIndirect => read(inst, target, b),
        _ => write(inst, b),
    })
}

fn fail(operand: &Operand) -> PassError {
    PassError::operand("lower_indirect_vectors", operand)
}

/// Moves the index of a read to a form that `lower_mov_indirect` supports; returns whether the instruction changed.
/// On devices without UV immediates, addresses are computed for disabled channels too, so their index is set to 0
/// first.
fn place_index_of_read(inst: &mut Inst, target: &Target, b: &mut Builder<'_>) -> bool {
    let index = inst.srcs[1];
    if target.has_uv_immediates() || index.is_scalar() && index.in_grf() {
        return place_index(inst, b);
    }
    let (copy, read) = b.temp(Type::Ud);
    let value = index_value(index);
    let one =
        value.vectors().is_none_or(|(swizzle, _)| replicated(swizzle, WriteMask::XYZW).is_some());
    b.no_mask().mov(copy, Operand::imm_ud(0));
    b.mov(copy.retype(value.ty), value);
    inst.srcs[1] = if one { read.with_swizzle(Swizzle([0; 4])) } else { read };
    true
}

/// The index as a 32-bit value, if it is a constant; otherwise unchanged.
fn index_value(index: Operand) -> Operand {
    index.imm_bits().map_or(index, |bits| Operand::imm_ud(bits as u32))
}

/// Moves the index to a form that `lower_mov_indirect` supports; returns whether the instruction changed.
fn place_index(inst: &mut Inst, b: &mut Builder<'_>) -> bool {
    let index = inst.srcs[1];
    if index_region(&index).is_some() {
        return false;
    }
    let value = index_value(index);
    let (copy, read) = b.temp(value.ty);
    b.mov(copy, value);
    inst.srcs[1] = read;
    true
}

/// The component that all channels of `mask` read, if it is the same for all.
fn replicated(Swizzle(components): Swizzle, mask: WriteMask) -> Option<u8> {
    let mut wanted = (0..4usize).filter(|c| mask.0 >> c & 1 == 1).map(|c| components[c]);
    let first = wanted.next()?;
    wanted.all(|component| component == first).then_some(first)
}

/// Rewrites an indirect read; returns whether it changed. A read of whole vectors without predicate, conversion,
/// conditional modifier or saturation only gets a supported index. Any other read becomes an indirect read of whole
/// vectors to a temporary register, and a move from there with the write mask, predicate and so on.
fn read(mut inst: Inst, target: &Target, b: &mut Builder<'_>) -> Result<bool, PassError> {
    let mask = inst.dst.write_mask();
    let range = inst.srcs[0];
    let (Swizzle(swizzle), step) = range.vectors().ok_or_else(|| fail(&range))?;
    let one_index =
        inst.srcs[1].vectors().is_none_or(|(index, _)| replicated(index, mask).is_some());
    let in_rows = !target.has_uv_immediates()
        && step == 4
        && one_index
        && replicated(Swizzle(swizzle), mask).is_none();
    let whole = mask == WriteMask::XYZW && !inst.is_predicated() && inst.dst.ty == range.ty;
    if whole
        && !(in_rows && swizzle != Swizzle::XYZW.0)
        && inst.cond_mod == CondMod::None
        && !inst.saturate
    {
        let moved = place_index_of_read(&mut inst, target, b);
        b.push(inst);
        return Ok(moved);
    }
    // Components outside the write mask read the same as the first component in it.
    let first = mask.0.trailing_zeros() as usize & 3;
    let wanted = |all: [u8; 4]| {
        Swizzle([0, 1, 2, 3].map(|c| all[if mask.0 >> c & 1 == 1 { c } else { first }]))
    };
    if let Some((Swizzle(components), _)) = inst.srcs[1].vectors() {
        inst.srcs[1] = inst.srcs[1].with_swizzle(wanted(components));
    }
    place_index_of_read(&mut inst, target, b);
    let (dst, read) = b.temp(range.ty);
    let mut fill = inst.clone();
    let (all, order) = (Swizzle::XYZW, wanted(swizzle));
    let (filled, moved) = if in_rows { (all, order) } else { (order, all) };
    fill.srcs[0] = range.with_swizzle(filled);
    fill.dst = dst;
    fill.predicate = Predicate::NONE;
    fill.cond_mod = CondMod::None;
    fill.saturate = false;
    b.push(fill);
    inst.op = Op::Hw(Opcode::Mov);
    inst.srcs = smallvec::smallvec![read.with_swizzle(moved)];
    b.push(inst);
    Ok(true)
}

/// Rewrites an indirect write; returns whether it changed. A value that needs a conversion, or doubles that are not
/// in order, are copied to a temporary register first. Components with different indices, or doubles with a predicate
/// bit per component, are written one by one.
fn write(mut inst: Inst, b: &mut Builder<'_>) -> Result<bool, PassError> {
    let mask = inst.dst.write_mask();
    let mut changed = false;
    let value = inst.srcs[0];
    let wide = inst.dst.ty.size() == 8;
    let in_place = value.in_grf() && value.vectors() == Some((Swizzle::XYZW, 4));
    if value.ty != inst.dst.ty || value.has_modifiers() || wide && !in_place {
        let (copy, read) = b.temp(inst.dst.ty);
        b.mov(copy.with_region(Region::Mask(mask)), value);
        inst.srcs[0] = read;
        changed = true;
    }
    // An index without a swizzle is the same for all channels.
    let one_index = |mask: WriteMask| {
        inst.srcs[1].vectors().is_none_or(|(swizzle, _)| replicated(swizzle, mask).is_some())
    };
    let one_bit = !wide || inst.predicate.ctrl != PredCtrl::Normal;
    let parts: Vec<WriteMask> = match one_index(mask) && one_bit {
        true => vec![mask],
        false => components(mask).collect(),
    };
    changed |= parts.len() > 1;
    for part in parts {
        let mut inst = piece(&inst, part);
        if let Some((Swizzle(swizzle), _)) = inst.srcs[1].vectors() {
            let component = swizzle[part.0.trailing_zeros() as usize & 3];
            let index = inst.srcs[1].with_swizzle(Swizzle([component; 4]));
            changed |= index != inst.srcs[1];
            inst.srcs[1] = index;
        }
        if wide && inst.predicate.ctrl == PredCtrl::Normal {
            let all = Inst { dst: inst.dst.as_dst(AccessMode::Align16), ..inst.clone() };
            inst = piece(&all, part);
        }
        changed |= place_index(&mut inst, b);
        b.push(inst);
    }
    Ok(changed)
}
