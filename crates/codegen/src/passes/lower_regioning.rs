//! `lower_regioning`: inserts copies for operands that the instruction format does not support.
//!
//! If the types of an instruction require another distance between the channels of its destination, the result is
//! written to a temporary register with that distance and copied from there. A source that the format does not
//! support is copied to consecutive elements, or to one element if it is a constant. The copies do not convert, so
//! later passes can remove them where the instruction that reads them allows it.

use crate::target::Target;
use crestline_isa::{AccessMode, CondMod, Opcode, Type};

use super::{PassError, legal};
use crate::ir::{Builder, Function, Inst, Op, Operand, Region};

/// Inserts copies for operands that the instruction formats do not support. Returns whether the function changed.
///
/// # Errors
/// A destination that a copy cannot make legal.
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

/// The type for copies of elements of type `ty` that must not change bits: an integer type of the same size.
fn raw_type(ty: Type) -> Type {
    match ty.size() {
        1 => Type::Ub,
        2 => Type::Uw,
        8 => ty,
        _ => Type::Ud,
    }
}

/// Copies source `index` to a register from which the instruction can read it: a scalar register for a scalar,
/// otherwise one element per channel at the required distance. The instruction keeps the source modifiers.
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
        // The elements of a packed vector immediate differ between channels, so it is no scalar.
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
        // The copy has the same distance between channels as doubles.
        let stride = Type::Df.size() / src.ty.size();
        let bytes = u32::from(inst.exec_size) * Type::Df.size();
        let copy = Operand::vgrf(b.vregs().bytes(bytes), src.ty).with_stride(stride as u8);
        let raw = raw_type(src.ty);
        b.mov(copy.retype(raw), src.without_modifiers().retype(raw));
        copy
    } else {
        let raw = if src.is_imm() { src.ty } else { raw_type(src.ty) };
        // A three-source instruction will have at least 8 channels, and its operands must hold as many.
        let mut wide = b.exec(inst.exec_size.max(8));
        let copy = wide.lanes(src.ty, 1);
        b.mov(copy.retype(raw), src.without_modifiers().retype(raw));
        copy
    };
    inst.srcs[index] = Operand { negate: src.negate, abs: src.abs, ..copy };
    Ok(())
}

/// Copies the components that an Align16 instruction reads from source `index` to their own channels of a new
/// register.
fn copy_vectors(inst: &mut Inst, index: usize, b: &mut Builder<'_>) {
    let src = inst.srcs[index];
    let raw = if src.is_imm() { src.ty } else { raw_type(src.ty) };
    let (copy, read) = b.temp(raw);
    let channels = Region::Mask(inst.channels_read(index));
    b.mov(copy.with_region(channels), src.without_modifiers().retype(raw));
    inst.srcs[index] = Operand { negate: src.negate, abs: src.abs, ..read.retype(src.ty) };
}

/// Emits the instruction with a temporary register as its destination, and a copy from there.
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
        // The instruction needs at least 8 channels: all of them compute with NoMask, and the copy writes the wanted
        // ones.
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
    // The copy needs the predicate too, because disabled channels of the temporary hold old data. If the instruction
    // overwrites the flag of its predicate, there is no correct copy.
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
