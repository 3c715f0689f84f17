//! `lower_mov_indirect`: indirect moves set up the address register and use it. Runs after
//! register allocation, when the addresses of ranges are known.
//!
//! One address for all channels: the move reads (or writes) its usual region from there. An
//! address for each channel: eight words of a0, each with its own channel's offset. Elements of
//! 64 bits move as two dwords.
//!
//! The index of a channel that is not enabled may be anything, so indices are added for enabled
//! channels only; before that all eight words of a0 are made addresses of the range.
//!
//! Nothing here limits the index: whoever emits an indirect move keeps it inside the range.

use crestline_device::Device;
use crestline_isa::{ArfKind, Opcode, Type};

use super::PassError;
use crate::ir::{Builder, File, Function, Inst, Op, Operand, Region};

/// The words 0 to 7 as a packed vector constant.
const CHANNELS: u64 = 0x7654_3210;

/// Runs the pass.
///
/// # Errors
/// Operands that are still virtual, or regions without a step from channel to channel.
pub fn lower_mov_indirect(function: &mut Function, _device: &Device) -> Result<bool, PassError> {
    function.try_rewrite(|inst, b| {
        match inst.op {
            Op::MovIndirect => read(&inst, b)?,
            Op::MovIndirectDst => write(&inst, b)?,
            _ => {
                b.push(inst);
                return Ok(false);
            }
        }
        Ok(true)
    })
}

fn fail(operand: &Operand) -> PassError {
    PassError::operand("lower_mov_indirect", operand)
}

/// Byte address of an allocated operand.
fn address(operand: &Operand) -> Result<Operand, PassError> {
    match operand.file {
        File::Grf => u16::try_from(operand.offset).map(Operand::imm_uw).map_err(|_| fail(operand)),
        _ => Err(fail(operand)),
    }
}

/// The low words of an index.
fn low_words(index: Operand) -> Result<Operand, PassError> {
    index.subscript(Type::Uw, 0).ok_or_else(|| fail(&index))
}

fn a0() -> Operand {
    Operand::arf(ArfKind::Address, 0, Type::Uw)
}

/// Parts of at most 32 bits that an element moves in: each part's byte offset and type.
fn parts(ty: Type) -> Vec<(u32, Type)> {
    if ty.size() == 8 { vec![(0, Type::Ud), (4, Type::Ud)] } else { vec![(0, ty)] }
}

/// The part of each element of a direct operand.
fn part_of(operand: Operand, at: u32, ty: Type) -> Result<Operand, PassError> {
    operand.subscript(ty, at / ty.size()).ok_or_else(|| fail(&operand))
}

fn read(inst: &Inst, b: &mut Builder<'_>) -> Result<(), PassError> {
    let (range, index) = (inst.srcs[0], inst.srcs[1]);
    if index.is_scalar() {
        b.uniform().add(a0().with_stride(0), low_words(index)?, address(&range)?);
    } else {
        channel_addresses(inst, b)?;
    }
    for (at, ty) in parts(range.ty) {
        let part = part_of(Operand { offset: 0, ..range.without_modifiers() }, at, ty)?;
        let source = Operand {
            file: File::Indirect { addr: 0 },
            region: match index.is_scalar() {
                true => part.region,
                false => Region::Indirect { width: 1, hstride: 0 },
            },
            ..part
        };
        let mut moved = inst.clone();
        moved.op = Op::Hw(Opcode::Mov);
        moved.srcs = smallvec::smallvec![source];
        if range.ty.size() == 8 {
            moved.dst = part_of(inst.dst, at, ty)?;
        }
        b.push(moved);
    }
    Ok(())
}

/// Fills words of a0, one for each channel of `b`: range, channel's own offset in it, index.
fn channel_addresses(inst: &Inst, b: &mut Builder<'_>) -> Result<(), PassError> {
    let range = inst.srcs[0];
    let (base, index) = (address(&range)?, low_words(inst.srcs[1])?);
    let step = range.byte_stride(inst.exec_size).ok_or_else(|| fail(&range))?;
    if step != 0 && !step.is_power_of_two() {
        return Err(fail(&range));
    }
    let mut all = b.no_mask();
    if step == 0 {
        all.mov(a0(), base);
        b.add(a0(), index, base);
        return Ok(());
    }
    all.mov(a0(), Operand::imm(CHANNELS, Type::Uv));
    if step > 1 {
        all.shl(a0(), a0(), Operand::imm_uw(step.trailing_zeros() as u16));
    }
    all.add(a0(), a0(), base);
    // The address register can only be the first source, and the index must not be a constant.
    b.add(a0(), a0(), index);
    Ok(())
}

fn write(inst: &Inst, b: &mut Builder<'_>) -> Result<(), PassError> {
    let index = inst.srcs[1];
    if !index.is_scalar() {
        return Err(fail(&index));
    }
    b.uniform().add(a0().with_stride(0), low_words(index)?, address(&inst.dst)?);
    for (at, ty) in parts(inst.dst.ty) {
        let mut moved = inst.clone();
        moved.op = Op::Hw(Opcode::Mov);
        let wide = inst.dst.ty.size() == 8;
        let value = if wide { part_of(inst.srcs[0], at, ty)? } else { inst.srcs[0] };
        let direct = if wide { part_of(inst.dst, at, ty)? } else { inst.dst };
        moved.srcs = smallvec::smallvec![value];
        moved.dst = Operand { file: File::Indirect { addr: 0 }, offset: at, ..direct };
        b.push(moved);
    }
    Ok(())
}
