//! `lower_int_multiply`: integer products that no single instruction makes.
//!
//! - The high half of a 32-bit product goes through the accumulator: `mul` with the low half of
//!   source 1 starts it, `mach` adds the high half. On Ivy Bridge `mach` is for the first channels
//!   only, so that the others take their place.
//! - Where `mul` uses only 16 bits of source 1, the low half of a 32-bit product is the sum of
//!   two products with 16-bit halves. Align16 has no regions of words; there `mul` and `mach`
//!   leave the low half in the accumulator.

use crate::target::Target;
use crestline_isa::{AccessMode, ArfKind, Opcode, Predicate, Swizzle, Type};
use crestline_ssa::ir::AluOp;

use super::PassError;
use crate::ir::{Builder, Function, Inst, Op, Operand, Region};

/// Runs the pass.
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

/// Whether both factors have 32 bits that matter.
fn is_wide(inst: &Inst) -> bool {
    inst.srcs.iter().all(|src| src.ty.size() == 4 && !src.ty.is_float()) && inst.dst.ty.size() == 4
}

/// The low 16 bits of each dword.
fn low_half(operand: Operand) -> Result<Operand, PassError> {
    let plain = operand.without_modifiers();
    plain.subscript(Type::Uw, 0).ok_or_else(|| PassError::operand("lower_int_multiply", &operand))
}

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
            // All channels compute as if they were the first; the enabled ones are copied.
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

/// Starts a 32-bit product of vectors in the accumulator; `dst` gets the high half.
fn start_product(inst: &Inst, x: Operand, y: Operand, dst: Operand, b: &mut Builder<'_>) {
    let region = Region::Mask(inst.dst.write_mask());
    let acc = Operand::arf(ArfKind::Accumulator, 0, inst.dst.ty).with_region(region);
    b.mul(acc, x, y);
    b.mach(dst, x, y).acc_wr_en = true;
}

/// The high half of a product of vectors. Where `mul` would take all 32 bits of source 1, its low
/// half must be a word region, which only Align1 has.
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

/// The low half of a product of vectors. The accumulator has it after both steps.
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

/// The factors of a product of vectors: a constant comes last, which has no modifiers.
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

/// A dword constant as a word that extends to it.
fn word(bits: u32) -> Option<Operand> {
    let unsigned = u16::try_from(bits).ok().map(Operand::imm_uw);
    let signed = || i16::try_from(bits as i32).ok();
    unsigned.or_else(|| signed().map(|value| Operand::imm(u64::from(value as u16), Type::W)))
}

fn multiply_low(inst: Inst, b: &mut Builder<'_>) -> Result<(), PassError> {
    // The factor that is split comes last; a constant of 16 bits needs no second product.
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
