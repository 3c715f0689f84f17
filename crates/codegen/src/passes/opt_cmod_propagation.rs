//! `opt_cmod_propagation`: replaces a comparison of a result with zero by a conditional modifier on the instruction
//! that computes the result.
//!
//! ```text
//! and v3, v1, v2                      and.nz.f0.0 v3, v1, v2
//! cmp.nz.f0.0 null, v3, 0      ->
//! ```
//!
//! Both instructions must have the same channels and the same NoMask, and no instruction between them may use the
//! flag or overwrite the result. An integer result is only compared for equality, because the hardware compares the
//! exact result before it wraps.

use crate::target::Target;
use crestline_isa::{AccessMode, CondMod, Opcode, Type};

use super::{PassError, legal};
use crate::ir::{Flag, Function, Inst, Op, Operand};

/// Number of instructions before the comparison that are searched.
const WINDOW: usize = 64;

/// Replaces comparisons with zero by conditional modifiers. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_cmod_propagation(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let mut changed = false;
    for block in &mut function.blocks {
        let mut dead = vec![false; block.insts.len()];
        for (index, dead) in dead.iter_mut().enumerate() {
            let Some((value, cond_mod)) = comparison_with_zero(&block.insts[index]) else {
                continue;
            };
            if let Some(def) = definition(&block.insts, index, &value, cond_mod, target)
                && function.fuel.take(|| block.insts[index].to_string())
            {
                let flag = block.insts[index].flag;
                block.insts[def].cond_mod = cond_mod;
                block.insts[def].flag = flag;
                *dead = true;
                changed = true;
            }
        }
        let mut dead = dead.into_iter();
        block.insts.retain(|_| !dead.next().unwrap_or(false));
    }
    Ok(changed)
}

/// For a comparison with zero whose only result is the flag: the compared value and the condition. Otherwise `None`.
fn comparison_with_zero(inst: &Inst) -> Option<(Operand, CondMod)> {
    if inst.is_predicated() || !inst.dst.is_null() || inst.cond_mod == CondMod::None {
        return None;
    }
    let value = *inst.srcs.first()?;
    let zero = |operand: &Operand| {
        operand
            .imm_bits()
            .is_some_and(|bits| bits == 0 || operand.ty == Type::F && bits == 0x8000_0000)
    };
    let compares = match inst.op {
        Op::Hw(Opcode::Cmp) => zero(&inst.srcs[1]),
        Op::Hw(Opcode::Mov) => inst.dst.ty.size() == value.ty.size(),
        _ => false,
    };
    (compares && !value.has_modifiers() && value.vreg().is_some()).then_some((value, inst.cond_mod))
}

/// Index of the instruction before `at` that computes the value, if it can have the conditional modifier.
fn definition(
    insts: &[Inst],
    at: usize,
    value: &Operand,
    cond_mod: CondMod,
    target: &Target,
) -> Option<usize> {
    let reader = &insts[at];
    let read = reader.span_read(0);
    for index in (at.saturating_sub(WINDOW)..at).rev() {
        let inst = &insts[index];
        let written = inst.span_written();
        if written.overlaps(&read) {
            let same = written == read || inst.access_mode == AccessMode::Align16;
            return (same && can_carry(inst, reader, value, cond_mod, target)).then_some(index);
        }
        if touches(inst, reader.flag) || inst.op.is_flow() {
            return None;
        }
    }
    None
}

/// Whether two integer types have the same size, so that a value is zero in both or in neither.
fn same_integer(a: Type, b: Type) -> bool {
    a.size() == b.size() && !a.is_float() && !b.is_float()
}

/// Whether an instruction reads or writes a flag.
fn touches(inst: &Inst, flag: Flag) -> bool {
    let used = inst.reads_flag() || inst.writes_flag();
    let operand = |o: &Operand| match flag {
        Flag::Virtual(vreg) => o.vreg() == Some(vreg),
        Flag::Fixed(_) => o.is_arf(crestline_isa::ArfKind::Flag),
    };
    // A flag of more than 16 channels spans two subregisters, so the whole register f0 or f1 counts.
    let same = match (inst.flag, flag) {
        (Flag::Virtual(a), Flag::Virtual(b)) => a == b,
        (Flag::Fixed(a), Flag::Fixed(b)) => a / 2 == b / 2,
        _ => false,
    };
    used && same || inst.srcs.iter().chain([&inst.dst]).any(operand)
}

/// Whether the instruction `inst` that computes the value can take over the comparison `reader`.
fn can_carry(
    inst: &Inst,
    reader: &Inst,
    value: &Operand,
    cond_mod: CondMod,
    target: &Target,
) -> bool {
    let integer = !value.ty.is_float();
    let equality = matches!(cond_mod, CondMod::Z | CondMod::Nz);
    let kind = match inst.op {
        Op::Hw(opcode) if opcode.is_logic() => equality,
        // The hardware compares the result before it drops carries, so these operations are not used for integers.
        Op::Hw(Opcode::Add | Opcode::Mul | Opcode::Mad | Opcode::Lrp | Opcode::Frc) => !integer,
        Op::Hw(Opcode::Rndd | Opcode::Rndu | Opcode::Rnde | Opcode::Rndz) => true,
        Op::Hw(Opcode::Shr | Opcode::Asr | Opcode::Lzd) => equality,
        _ => false,
    };
    let mut carrying = inst.clone();
    carrying.cond_mod = cond_mod;
    carrying.flag = reader.flag;
    kind && inst.op.allows_cond_mod()
        && inst.cond_mod == CondMod::None
        && !inst.is_predicated()
        && !inst.saturate
        && (inst.dst.ty == value.ty || integer && equality && same_integer(inst.dst.ty, value.ty))
        && value.is_result(&inst.dst, reader.dst.write_mask())
        && inst.dst.write_mask() == reader.dst.write_mask()
        && inst.exec_size == reader.exec_size
        && inst.group == reader.group
        && inst.no_mask == reader.no_mask
        // The hardware compares the result of a negated unsigned source with a 33rd bit.
        && !(integer && inst.srcs.iter().any(|s| s.has_modifiers() && !s.ty.is_signed_int()))
        && (legal::is_legal(&carrying, target) || !legal::is_legal(inst, target))
}
