//! `lower_regioning`: operands that the instruction's format cannot hold get copies.
//!
//! A result whose type demands another step between channels goes to a temporary with that step
//! and is copied from there; a source the format cannot read is copied to consecutive elements
//! (or to one element, for constants). Copies are raw moves, which later passes may remove again
//! where the reader can do without.

use crate::target::Target;
use crestline_isa::{AccessMode, CondMod, Opcode, Type};

use super::{PassError, legal};
use crate::ir::{Builder, Function, Inst, Op, Operand, Region};

/// Runs the pass.
///
/// # Errors
/// A destination no copy can help.
pub fn lower_regioning(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let wants_copies = |inst: &Inst| {
        let legal = |index| legal::src_is_legal(inst, index, target);
        legal::has_regions(inst.op)
            && !((0..inst.srcs.len()).all(legal) && legal::dst_is_legal(inst, target))
    };
    function.try_rewrite(wants_copies, |mut inst, b| {
        if let Some((x, y)) = inst.op.commutative()
            && inst.srcs[x].is_imm()
            && !inst.srcs[y].is_imm()
        {
            inst.srcs.swap(x, y);
        }
        for index in 0..inst.srcs.len() {
            if !legal::src_is_legal(&inst, index, target) {
                copy_source(&mut inst, index, target, b)?;
            }
        }
        if legal::dst_is_legal(&inst, target) {
            b.push(inst);
        } else {
            copy_destination(inst, target, b)?;
        }
        Ok(true)
    })
}

/// The type raw copies of a type use: integers, so that no value is interpreted.
fn raw_type(ty: Type) -> Type {
    match ty.size() {
        1 => Type::Ub,
        2 => Type::Uw,
        8 => ty,
        _ => Type::Ud,
    }
}

fn copy_source(
    inst: &mut Inst,
    index: usize,
    target: &Target,
    b: &mut Builder<'_>,
) -> Result<(), PassError> {
    let src = inst.srcs[index];
    if inst.access_mode == AccessMode::Align16 {
        copy_vectors(inst, index, b);
        return Ok(());
    }
    let wide_scalar = legal::is_three_source(inst.op) && src.ty.size() != 4;
    let copy = if src.is_scalar() && !wide_scalar {
        // Packed vectors are not scalar: they differ from channel to channel.
        if src.ty.is_packed_vector() {
            return Err(PassError::operand("lower_regioning", &src));
        }
        let copy = b.scalar(src.ty);
        let plain = src.without_modifiers();
        if src.is_imm() {
            b.uniform().mov(copy, plain);
        } else {
            let raw = raw_type(src.ty);
            b.uniform().mov(copy.retype(raw), plain.retype(raw));
        }
        copy
    } else if legal::doubles::wants_equal_regions(inst, target) {
        // Elements as far apart as doubles are.
        let stride = Type::Df.size() / src.ty.size();
        let bytes = u32::from(inst.exec_size) * Type::Df.size();
        let copy = Operand::vgrf(b.vregs().bytes(bytes), src.ty).with_stride(stride as u8);
        let raw = raw_type(src.ty);
        b.mov(copy.retype(raw), src.without_modifiers().retype(raw));
        copy
    } else {
        let raw = if src.is_imm() { src.ty } else { raw_type(src.ty) };
        // A three-source operand must hold as many channels as the instruction will have.
        let mut wide = b.exec(inst.exec_size.max(8));
        let copy = wide.lanes(src.ty, 1);
        b.mov(copy.retype(raw), src.without_modifiers().retype(raw));
        copy
    };
    inst.srcs[index] = Operand { negate: src.negate, abs: src.abs, ..copy };
    Ok(())
}

/// Copies the components that an Align16 instruction reads to where it reads them.
fn copy_vectors(inst: &mut Inst, index: usize, b: &mut Builder<'_>) {
    let src = inst.srcs[index];
    let raw = if src.is_imm() { src.ty } else { raw_type(src.ty) };
    let (copy, read) = b.temp(raw);
    let channels = Region::Mask(inst.channels_read(index));
    b.mov(copy.with_region(channels), src.without_modifiers().retype(raw));
    inst.srcs[index] = Operand { negate: src.negate, abs: src.abs, ..read.retype(src.ty) };
}

fn copy_destination(mut inst: Inst, target: &Target, b: &mut Builder<'_>) -> Result<(), PassError> {
    let dst = inst.dst;
    if inst.access_mode == AccessMode::Align16 {
        return Err(PassError::operand("lower_regioning", &dst));
    }
    if matches!(dst.region, Region::Stride(stride) if stride > 4) {
        return Err(PassError::operand("lower_regioning", &dst));
    }
    let size = dst.ty.size();
    let stride = legal::required_dst_stride(&inst, target).unwrap_or(size).max(size) / size;
    let narrow = legal::is_three_source(inst.op) && inst.exec_size < 8;
    let channels = if narrow { 8 } else { inst.exec_size };
    let temp = b.vregs().bytes(u32::from(channels) * size * stride);
    let temp = Operand::vgrf(temp, dst.ty).with_stride(stride as u8);
    let (predicate, flag, cond_mod) = (inst.predicate, inst.flag, inst.cond_mod);
    let (exec_size, selects) = (inst.exec_size, inst.op.cmod_selects());
    inst.dst = temp;
    let interpreted = narrow && cond_mod != CondMod::None;
    if narrow {
        // A vector's worth of channels at least: all of them compute, the wanted ones are copied.
        inst.exec_size = 8;
        inst.no_mask = true;
        inst.group = 0;
        inst.predicate = crestline_isa::Predicate::NONE;
        if !selects {
            inst.cond_mod = CondMod::None;
        }
    }
    let writes_flag = inst.writes_flag();
    let keeps_predicate = !inst.op.predicate_selects();
    b.push(inst);
    let raw = if interpreted { dst.ty } else { raw_type(dst.ty) };
    let from = if exec_size == 1 { temp.with_stride(0) } else { temp };
    let copy = b.emit(Op::Hw(Opcode::Mov), dst.retype(raw), &[from.retype(raw)]);
    // With the flag rewritten in between, the predicate no longer says which channels; those it
    // disabled hold old contents of the temporary, so such a copy would be wrong.
    if keeps_predicate && predicate != crestline_isa::Predicate::NONE {
        if writes_flag {
            return Err(PassError::operand("lower_regioning", &dst));
        }
        copy.predicate = predicate;
        copy.flag = flag;
    }
    if interpreted && !selects {
        copy.cond_mod = cond_mod;
        copy.flag = flag;
    }
    Ok(())
}
