//! `lower_indirect_vectors`: Align16 indirect moves become those that `lower_mov_indirect` can
//! make instructions of.
//!
//! - A read fills a whole vector under the channel enables; a write mask, a predicate or a
//!   conversion is left to a move from there.
//! - A write goes to one place for each vector, so components with indices of their own are
//!   written one by one. Doubles are brought into place first, and a predicate that has a bit for
//!   each component becomes one of a single bit.
//! - Indices stand in registers, in the components they are for or in one for the vector.

use crestline_device::Device;
use crestline_isa::{AccessMode, CondMod, Opcode, PredCtrl, Predicate, Swizzle, WriteMask};

use super::PassError;
use super::legal::align16::index_region;
use super::lower_df_swizzles::{components, piece};
use crate::ir::{Builder, Function, Inst, Op, Operand, Region};

/// Runs the pass.
///
/// # Errors
/// Sources without vectors.
pub fn lower_indirect_vectors(
    function: &mut Function,
    _device: &Device,
) -> Result<bool, PassError> {
    let indirect = |inst: &Inst| {
        inst.access_mode == AccessMode::Align16
            && matches!(inst.op, Op::MovIndirect | Op::MovIndirectDst)
    };
    function.try_rewrite(indirect, |inst, b| match inst.op {
        Op::MovIndirect => read(inst, b),
        _ => write(inst, b),
    })
}

fn fail(operand: &Operand) -> PassError {
    PassError::operand("lower_indirect_vectors", operand)
}

/// The index where `lower_mov_indirect` can use it.
fn place_index(inst: &mut Inst, b: &mut Builder<'_>) -> bool {
    let index = inst.srcs[1];
    if index_region(&index).is_some() {
        return false;
    }
    let (copy, read) = b.temp(index.ty);
    b.mov(copy, index);
    inst.srcs[1] = read;
    true
}

fn read(mut inst: Inst, b: &mut Builder<'_>) -> Result<bool, PassError> {
    let mask = inst.dst.write_mask();
    let range = inst.srcs[0];
    let (Swizzle(swizzle), _) = range.vectors().ok_or_else(|| fail(&range))?;
    let whole = mask == WriteMask::XYZW && !inst.is_predicated() && inst.dst.ty == range.ty;
    if whole && inst.cond_mod == CondMod::None && !inst.saturate {
        let moved = place_index(&mut inst, b);
        b.push(inst);
        return Ok(moved);
    }
    // Components that nobody wants read what one that is wanted does.
    let first = mask.0.trailing_zeros() as usize & 3;
    let wanted = |all: [u8; 4]| {
        Swizzle([0, 1, 2, 3].map(|c| all[if mask.0 >> c & 1 == 1 { c } else { first }]))
    };
    if let Some((Swizzle(components), _)) = inst.srcs[1].vectors() {
        inst.srcs[1] = inst.srcs[1].with_swizzle(wanted(components));
    }
    place_index(&mut inst, b);
    let (dst, read) = b.temp(range.ty);
    let mut fill = inst.clone();
    fill.srcs[0] = range.with_swizzle(wanted(swizzle));
    fill.dst = dst;
    fill.predicate = Predicate::NONE;
    fill.cond_mod = CondMod::None;
    fill.saturate = false;
    b.push(fill);
    inst.op = Op::Hw(Opcode::Mov);
    inst.srcs = smallvec::smallvec![read];
    b.push(inst);
    Ok(true)
}

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
    // Without vectors the index is one for all.
    let one_index = |mask: WriteMask| {
        inst.srcs[1].vectors().is_none_or(|(Swizzle(swizzle), _)| {
            let mut wanted = (0..4usize).filter(|c| mask.0 >> c & 1 == 1).map(|c| swizzle[c]);
            let first = wanted.next();
            wanted.all(|component| Some(component) == first)
        })
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
