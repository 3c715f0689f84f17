//! `lower_conversions`: splits a move between two types into two moves if the hardware has no direct conversion.
//! Where the device converts half floats only with `f32to16` and `f16to32` (operands of type UW), uses those
//! instructions.

use crate::target::Target;
use crestline_isa::{Opcode, Type};

use super::PassError;
use crate::ir::{Function, Inst, Op, Operand};

/// Splits conversions that the hardware cannot do in one step. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn lower_conversions(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let converts =
        |inst: &Inst| inst.is_mov() && (inst.srcs[0].ty != inst.dst.ty || inst.dst.ty == Type::Hf);
    Ok(function.rewrite(converts, |inst, b| {
        let Some(middle) = middle_type(&inst, target) else {
            let (inst, changed) = with_half_instruction(inst, target);
            b.push(inst);
            return changed;
        };
        let value = b.lanes(middle, 1);
        let mut first = Inst { dst: value, ..inst.clone() };
        first.saturate = false;
        first.cond_mod = crestline_isa::CondMod::None;
        let mut second = inst;
        second.srcs[0] = value;
        if first.srcs[0].ty == Type::Hf && target.has_half_conversion_instructions() {
            // `f16to32` reads a word, on which a source modifier would not act as on a half float; so the second move
            // gets the modifiers.
            let src = first.srcs[0];
            first.srcs[0] = src.without_modifiers();
            second.srcs[0] = Operand { negate: src.negate, abs: src.abs, ..value };
        }
        for part in [first, second] {
            b.push(with_half_instruction(part, target).0);
        }
        true
    }))
}

/// Replaces a move from or to half floats by the device's conversion instruction, if it has one. A move between half
/// floats that changes no bits becomes a move of words. Returns the instruction and whether it changed.
fn with_half_instruction(mut inst: Inst, target: &Target) -> (Inst, bool) {
    let half = |ty: Type| ty == Type::Hf;
    if !inst.is_mov() || !target.has_half_conversion_instructions() {
        return (inst, false);
    }
    let opcode = match (half(inst.srcs[0].ty), half(inst.dst.ty)) {
        (true, true) if !inst.saturate && !inst.srcs[0].has_modifiers() => Opcode::Mov,
        (true, false) => Opcode::F16To32,
        (false, true) => Opcode::F32To16,
        _ => return (inst, false),
    };
    inst.op = Op::Hw(opcode);
    for operand in inst.srcs.iter_mut().chain([&mut inst.dst]).filter(|o| half(o.ty)) {
        *operand = operand.retype(Type::Uw);
    }
    (inst, true)
}

/// The intermediate type of a conversion in two steps; `None` if there is a direct one. Bytes and half floats have no
/// direct conversion to or from 64-bit types, nor between each other. `f16to32` and `f32to16` convert to and from F
/// only.
fn middle_type(inst: &Inst, target: &Target) -> Option<Type> {
    if !inst.is_mov() || inst.srcs[0].is_imm() {
        return None;
    }
    let (from, to) = (inst.srcs[0].ty, inst.dst.ty);
    let pair = |a: fn(Type) -> bool, b: fn(Type) -> bool| a(from) && b(to) || b(from) && a(to);
    let byte = |ty: Type| ty.size() == 1;
    let wide = |ty: Type| ty.size() == 8;
    let half = |ty: Type| ty == Type::Hf;
    if pair(byte, wide) {
        let signed = if byte(from) { from.is_signed_int() } else { to.is_signed_int() };
        return Some(if signed { Type::D } else { Type::Ud });
    }
    if pair(half, wide) {
        return Some(Type::F);
    }
    // Where 64-bit operands count as pairs of dwords, words have no direct conversion to or from them.
    let word = |ty: Type| matches!(ty, Type::W | Type::Uw);
    if target.df_exec_size_counts_dwords() && pair(word, wide) {
        let signed = from == Type::W || to == Type::W;
        return Some(if signed { Type::D } else { Type::Ud });
    }
    if target.has_half_conversion_instructions() {
        let modified = inst.srcs[0].has_modifiers();
        let other = |ty: Type| !matches!(ty, Type::Hf | Type::F);
        let twice = half(from) && (modified || half(to) && inst.saturate);
        return (pair(half, other) || twice).then_some(Type::F);
    }
    pair(byte, half).then_some(if half(from) {
        Type::D
    } else if from.is_signed_int() {
        Type::W
    } else {
        Type::Uw
    })
}
