//! `lower_df_immediates`: moves 64-bit constants of Align16 instructions to registers. Instructions with two or three
//! sources have no 64-bit immediates on any device; `mov` has them on some.
//!
//! With `dim` (gen7.5), the constant is written to the first component of both vectors, so that the instruction that
//! uses it can work on both at once. On other devices one scalar suffices, because instructions that read one vector
//! for all channels work on one vertex at a time there.

use crate::target::Target;
use crestline_isa::{AccessMode, Opcode, Swizzle, Type, WriteMask};

use super::{PassError, legal};
use crate::ir::{Builder, Function, Inst, Op, Operand, Region};

/// Moves 64-bit constants of Align16 instructions to registers. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn lower_df_immediates(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let wide = |src: &Operand| src.imm_bits().filter(|_| src.ty.size() == 8);
    let holds_none = |inst: &Inst| {
        let direct = inst.is_mov() && target.has_64bit_immediate() && inst.dst.ty == Type::Df;
        inst.access_mode == AccessMode::Align16
            && legal::has_regions(inst.op)
            && !direct
            && inst.srcs.iter().any(|src| wide(src).is_some())
    };
    Ok(function.rewrite(holds_none, |mut inst, b| {
        for src in &mut inst.srcs {
            if let Some(bits) = wide(src) {
                let value = constant(bits, src.ty, target, b);
                *src = Operand { negate: src.negate, abs: src.abs, ..value };
            }
        }
        b.push(inst);
        true
    }))
}

/// Loads a constant into a register and returns a source that reads it in every component.
fn constant(bits: u64, ty: Type, target: &Target, b: &mut Builder<'_>) -> Operand {
    if target.has_dim() {
        let mut b = b.align16();
        let mut b = b.no_mask();
        let value = b.vregs().bytes(8 * ty.size());
        for vertex in 0..2 {
            let first = Operand::vgrf(value, ty).byte_offset(vertex * 4 * ty.size());
            let first = first.with_region(Region::Mask(WriteMask(1)));
            let mut half = b.exec(4);
            half.group(0).emit(Op::Hw(Opcode::Dim), first, &[Operand::imm(bits, ty)]);
        }
        return Operand::vgrf(value, ty).with_region(Region::Swizzle(Swizzle([0; 4])));
    }
    let value = b.scalar(ty);
    let mut b = b.uniform();
    if target.has_64bit_immediate() {
        b.mov(value, Operand::imm(bits, ty));
        return value;
    }
    for half in 0..2 {
        let dword = value.retype(Type::Ud).byte_offset(4 * half);
        b.mov(dword, Operand::imm_ud((bits >> (32 * half)) as u32));
    }
    value
}
