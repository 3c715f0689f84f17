//! `lower_int_multiply`: integer products that the device cannot compute in one instruction.
//!
//! - High half of a 32-bit product: `mul` with the low 16 bits of source 1 writes the accumulator, then `mach` adds
//!   the product with the high bits. On Ivy Bridge, `mach` works only in the first channels of the thread; for other
//!   channels it runs with NoMask in the first ones, and the result is copied.
//! - Low half of a 32-bit product, where `mul` uses only 16 bits of source 1: two products with the 16-bit halves of
//!   source 1 are added. Align16 has no regions of words, so there `mul` and `mach` compute the low half in the
//!   accumulator.

use crate::target::Target;
use crestline_isa::{AccessMode, ArfKind, Opcode, Predicate, Swizzle, Type};
use crestline_ssa::ir::AluOp;

use super::PassError;
use crate::ir::{Builder, Function, Inst, Op, Operand, Region};

/// Lowers integer products that the device cannot compute in one instruction. Returns whether the function changed.
///
/// # Errors
/// Operands that cannot be split.
pub fn lower_int_multiply(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let native = target.is_native(AluOp::IMul, 32);
    let multiplies = |inst: &Inst| match inst.op {
        Op::MulHigh => true,
        Op::Hw(Opcode::Mul) => is_wide(inst) && !native,
        _ => false,
    };
    function.try_rewrite(multiplies, |inst, b| {
        match (inst.op, inst.access_mode) {
            (Op::MulHigh, _) => multiply_high(&inst, target, b)?,
            (_, AccessMode::Align1) => multiply_low(inst, b)?,
            (_, AccessMode::Align16) => multiply_low_vectors(inst, b),
        }
        Ok(true)
    })
}

/// Whether this is a product of 32-bit integers with a 32-bit result.
fn is_wide(inst: &Inst) -> bool {
    inst.srcs.iter().all(|src| src.ty.size() == 4 && !src.ty.is_float()) && inst.dst.ty.size() == 4
}

/// The low 16 bits of each dword of an operand.
fn low_half(operand: Operand) -> Result<Operand, PassError> {
    let plain = operand.without_modifiers();
    plain.subscript(Type::Uw, 0).ok_or_else(|| PassError::operand("lower_int_multiply", &operand))
}

/// Emits the high half of a 32-bit product, eight channels at a time:
///
/// ```text
/// mul  acc, x, y.low16
/// mach dst, x, y
/// ```
fn multiply_high(inst: &Inst, target: &Target, b: &mut Builder<'_>) -> Result<(), PassError> {
    if inst.access_mode == AccessMode::Align16 {
        return multiply_high_vectors(inst, target, b);
    }
    let (x, y) = match (inst.srcs[0], inst.srcs[1]) {
        (x, y) if x.is_imm() && !y.is_imm() => (y, x),
        (x, y) if x.is_imm() => {
            let scalar = b.scalar(x.ty);
            b.uniform().mov(scalar, x);
            (scalar, y)
        }
        pair => pair,
    };
    let acc = Operand::arf(ArfKind::Accumulator, 0, inst.dst.ty);
    let each = inst.exec_size.min(8);
    for first in (0..inst.exec_size).step_by(usize::from(each)) {
        let step = u32::from(first);
        let (x, y) = (x.horiz_offset(step)?, y.horiz_offset(step)?);
        let mut part = b.exec(each);
        let mut part = part.group(inst.group + first);
        part.mul(acc, x, low_half(y)?);
        let mut high = Inst { dst: inst.dst.horiz_offset(step)?, ..inst.clone() };
        high.op = Op::Hw(Opcode::Mach);
        high.srcs[0] = x;
        high.srcs[1] = y;
        high.exec_size = each;
        high.group = inst.group + first;
        high.acc_wr_en = true;
        let moved = target.mach_needs_first_channels() && high.group != 0;
        if moved {
            // All of the first channels compute, whether enabled or not. The copy writes only the enabled channels of
            // the original group.
            let all = part.lanes(high.dst.ty, 1);
            let copy = Inst { op: Op::Hw(Opcode::Mov), acc_wr_en: false, ..high.clone() };
            let copy = Inst { srcs: smallvec::smallvec![all], ..copy };
            let plain = Predicate::NONE;
            part.push(Inst { dst: all, group: 0, no_mask: true, predicate: plain, ..high });
            part.push(copy);
        } else {
            part.push(high);
        }
    }
    Ok(())
}

/// Computes a 32-bit product of vectors: the low half remains in the accumulator, `dst` receives the high half.
fn start_product(inst: &Inst, x: Operand, y: Operand, dst: Operand, b: &mut Builder<'_>) {
    let region = Region::Mask(inst.dst.write_mask());
    let acc = Operand::arf(ArfKind::Accumulator, 0, inst.dst.ty).with_region(region);
    b.mul(acc, x, y);
    b.mach(dst, x, y).acc_wr_en = true;
}

/// Emits the high half of a product of vectors. If `mul` uses all 32 bits of source 1, it must read the low half as a
/// region of words, which only Align1 has.
fn multiply_high_vectors(
    inst: &Inst,
    target: &Target,
    b: &mut Builder<'_>,
) -> Result<(), PassError> {
    let (x, y) = factors(inst, b);
    if target.mul_uses_low_half_of_src1() {
        let mask = inst.dst.write_mask();
        let (all, read) = b.temp(inst.dst.ty);
        start_product(inst, x, y, all.with_region(Region::Mask(mask)), b);
        let copy =
            Inst { op: Op::Hw(Opcode::Mov), srcs: smallvec::smallvec![read], ..inst.clone() };
        b.push(copy);
        return Ok(());
    }
    let copied = |value: Operand, b: &mut Builder<'_>| {
        let (copy, _) = b.temp(value.ty);
        b.mov(copy, value);
        copy.with_region(Region::PACKED)
    };
    let (x, y) = (copied(x, b), copied(y, b));
    let (all, read) = b.temp(inst.dst.ty);
    let high = Inst::new(Op::MulHigh, inst.exec_size, all.with_region(Region::PACKED), &[x, y]);
    let high = Inst { group: inst.group, no_mask: inst.no_mask, ..high };
    multiply_high(&high, target, &mut b.align1())?;
    let copy = Inst { op: Op::Hw(Opcode::Mov), srcs: smallvec::smallvec![read], ..inst.clone() };
    b.push(copy);
    Ok(())
}

/// Emits the low half of a product of vectors, which is in the accumulator after `mul` and `mach`.
fn multiply_low_vectors(mut inst: Inst, b: &mut Builder<'_>) {
    let (x, y) = factors(&inst, b);
    if let Some(word) = y.imm_bits().and_then(|bits| word(bits as u32)) {
        inst.srcs[0] = x;
        inst.srcs[1] = word;
        b.push(inst);
        return;
    }
    let none = Operand::null(inst.dst.ty).with_region(inst.dst.region);
    start_product(&inst, x, y, none, b);
    let acc = Operand::arf(ArfKind::Accumulator, 0, inst.dst.ty);
    inst.op = Op::Hw(Opcode::Mov);
    inst.srcs = smallvec::smallvec![acc.with_region(Region::Swizzle(Swizzle::XYZW))];
    b.push(inst);
}

/// The factors of a product of vectors: a constant is second, and the second factor has no modifiers.
fn factors(inst: &Inst, b: &mut Builder<'_>) -> (Operand, Operand) {
    let (x, y) = match (inst.srcs[0], inst.srcs[1]) {
        (x, y) if x.is_imm() || y.has_modifiers() && !x.has_modifiers() => (y, x),
        pair => pair,
    };
    let copied = |value: Operand, b: &mut Builder<'_>| {
        let (copy, read) = b.temp(value.ty);
        b.mov(copy, value);
        read
    };
    let x = if x.is_imm() { copied(x, b) } else { x };
    (x, if y.has_modifiers() { copied(y, b) } else { y })
}

/// The 16-bit constant that is extended to a 32-bit constant; `None` if there is none.
fn word(bits: u32) -> Option<Operand> {
    let unsigned = u16::try_from(bits).ok().map(Operand::imm_uw);
    let signed = || i16::try_from(bits as i32).ok();
    unsigned.or_else(|| signed().map(|value| Operand::imm(u64::from(value as u16), Type::W)))
}

/// Emits the low half of a 32-bit product:
///
/// ```text
/// mul low,  x, y.low16
/// mul high, x, y.high16
/// add low.high16, low.high16, high.low16
/// mov dst, low
/// ```
fn multiply_low(inst: Inst, b: &mut Builder<'_>) -> Result<(), PassError> {
    // The second factor is split. A constant that fits in 16 bits needs no second product.
    let (x, y) = match (inst.srcs[0], inst.srcs[1]) {
        (x, y) if x.is_imm() && !y.is_imm() => (y, x),
        pair => pair,
    };
    if let Some(word) = y.imm_bits().and_then(|bits| word(bits as u32)) {
        let mut small = inst;
        small.srcs[0] = x;
        small.srcs[1] = word;
        b.push(small);
        return Ok(());
    }
    let plain = y.without_modifiers();
    let y = if y.has_modifiers() {
        let copy = b.lanes(y.ty, 1);
        b.mov(copy, y);
        copy
    } else {
        plain
    };
    let half = |index| {
        y.subscript(Type::Uw, index).ok_or_else(|| PassError::operand("lower_int_multiply", &y))
    };
    let (low, high) = (b.lanes(Type::Ud, 1), b.lanes(Type::Ud, 1));
    let x = x.retype(if x.ty == Type::D { Type::D } else { Type::Ud });
    b.mul(low.retype(inst.dst.ty), x, half(0)?);
    b.mul(high.retype(inst.dst.ty), x, half(1)?);
    let words =
        |operand: Operand, index| operand.retype(Type::Uw).with_stride(2).byte_offset(index);
    b.add(words(low, 2), words(low, 2), words(high, 0));
    let mut last = inst;
    last.op = Op::Hw(Opcode::Mov);
    last.srcs = smallvec::smallvec![low.retype(last.dst.ty)];
    b.push(last);
    Ok(())
}
