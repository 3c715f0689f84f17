//! What one hardware instruction can do: the rules that `lower_*` passes establish and `opt_*` passes preserve.
//!
//! Source: the restrictions on regions, types and execution sizes in the public PRMs ("register region restrictions",
//! vol. "3D media GPGPU engine"), as capabilities of the device.

pub mod align16;
pub mod doubles;

use crate::target::Target;
use crestline_isa::{AccessMode, Form, MathFn, Opcode, Type};

use crate::ir::{File, GRF_BYTES, Inst, Op, Operand, Region};

/// Size of the type in which an operand of type `ty` is computed, in bytes: bytes are widened to words.
fn element_exec_size(ty: Type) -> u32 {
    ty.size().max(2)
}

/// Size of the instruction's execution type, in bytes.
pub fn exec_type_size(inst: &Inst) -> u32 {
    let widest = inst.srcs.iter().map(|src| element_exec_size(src.ty)).max();
    match widest {
        // With F and HF operands mixed, the instruction computes in F.
        Some(2) if is_mixed_float(inst) => 4,
        Some(size) => size,
        None => element_exec_size(inst.dst.ty),
    }
}

/// Whether both F and HF occur among the operands.
pub fn is_mixed_float(inst: &Inst) -> bool {
    let has = |ty| inst.dst.ty == ty || inst.srcs.iter().any(|src| src.ty == ty);
    // HF is rare, so it is tested first.
    has(Type::Hf) && has(Type::F)
}

/// Whether the instruction is a move that copies bits without a conversion or modifier.
pub fn is_raw_move(inst: &Inst) -> bool {
    inst.is_mov()
        && !inst.saturate
        && !inst.srcs[0].has_modifiers()
        && keeps_bits(inst.dst.ty, inst.srcs[0].ty)
}

/// Whether a move from type `from` to type `to` without modifiers copies bits without a conversion.
pub fn keeps_bits(to: Type, from: Type) -> bool {
    !from.is_packed_vector()
        && from.size() == to.size()
        && (from == to || !from.is_float() && !to.is_float())
}

/// Whether the operation takes three sources in the three-source format.
pub fn is_three_source(op: Op) -> bool {
    matches!(op, Op::Hw(opcode) if opcode.form() == Form::Three)
}

/// Whether the general region rules apply to the operands: true for hardware arithmetic, false for messages, flow
/// control and virtual operations.
pub fn has_regions(op: Op) -> bool {
    match op {
        Op::Math(_) => true,
        Op::Hw(opcode) => matches!(opcode.form(), Form::One | Form::Two | Form::Three),
        _ => false,
    }
}

/// The largest execution size, up to the present one, at which the hardware can execute the instruction. Messages and
/// virtual operations are not limited here, except those that become indirect moves or use the accumulator.
pub fn max_exec_size(inst: &Inst, target: &Target) -> u8 {
    let mut most = inst.exec_size;
    if most == 1 {
        return 1;
    }
    let compressed = target.has_compressed_instructions();
    match inst.op {
        // An Align16 indirect write has one address per vector.
        Op::MovIndirectDst if inst.access_mode == AccessMode::Align16 => return most.min(4),
        // Each channel needs one of the eight address words, and its offset is an element of a packed vector
        // immediate of eight.
        Op::MovIndirect | Op::MovIndirectDst => {
            if !inst.srcs[1].is_scalar() {
                most = most.min(8);
            }
            if inst.access_mode == AccessMode::Align16 {
                return most;
            }
            // Both halves of a compressed instruction would use the same addresses.
            while compressed && most > 1 && u32::from(most) * inst.dst.ty.size() > GRF_BYTES {
                most /= 2;
            }
        }
        // An accumulator register holds eight dwords.
        Op::MulHigh => return most.min(8),
        op if !has_regions(op) => return most,
        _ if inst.access_mode == AccessMode::Align16 => {
            return align16::max_exec_size(inst, target);
        }
        Op::Math(function) if function.is_int() => most = most.min(8),
        Op::Math(_) if inst.dst.ty == Type::Hf => most = most.min(8),
        Op::Math(_) => most = most.min(16),
        Op::Hw(Opcode::Bfi1 | Opcode::Bfi2) => most = most.min(target.max_bit_insert_channels()),
        Op::Hw(Opcode::Cmp | Opcode::Cmpn) if !inst.dst.is_null() => {
            most = most.min(target.max_compare_channels());
        }
        _ => {}
    }
    most = doubles::max_exec_size(inst, most, target);
    if is_three_source(inst.op) {
        let wide = target.has_simd16_three_source() && inst.dst.ty.size() <= 4;
        most = most.min(if wide { 16 } else { 8 });
    }
    // Both halves of a compressed instruction of 32 channels would use the masks and flags of the first 16 channels.
    if compressed {
        most = most.min(16);
    }
    if is_mixed_float(inst) {
        most = most.min(8);
    }
    if inst.reads_accumulator() || inst.writes_accumulator() {
        most = most.min(if inst.dst.ty.is_float() { 16 } else { 8 });
    }
    while most > 1 && !fits_two_registers(inst, most, target) {
        most /= 2;
    }
    most
}

/// The end of an operand's region, counted in bytes from the start of its first register.
fn end_of(operand: &Operand, exec_size: u8) -> u32 {
    operand.offset % GRF_BYTES + operand.region_bytes(exec_size)
}

/// Whether no operand spans more than two registers, and a destination of two registers has half of its channels in
/// each.
fn fits_two_registers(inst: &Inst, exec_size: u8, target: &Target) -> bool {
    let indirect_range = matches!(inst.op, Op::MovIndirect).then_some(0);
    let sources = inst.srcs.iter().enumerate().all(|(index, src)| {
        !src.in_grf()
            || src.is_scalar()
            || indirect_range == Some(index)
            || end_of(src, exec_size) <= 2 * GRF_BYTES
    });
    let dst = &inst.dst;
    if !sources || dst.in_grf() && end_of(dst, exec_size) > 2 * GRF_BYTES {
        return false;
    }
    if dst.is_null() && target.has_compressed_instructions() {
        let two =
            |src: &Operand| src.in_grf() && !src.is_scalar() && end_of(src, exec_size) > GRF_BYTES;
        return !inst.srcs.iter().any(two) || fits_compression(inst, exec_size, target);
    }
    // For an immediate vector or an indirect source, only the rules for the destination apply.
    if !dst.in_grf() || end_of(dst, exec_size) <= GRF_BYTES {
        return true;
    }
    let Some(stride) = dst.byte_stride(exec_size).filter(|stride| *stride != 0) else {
        return true;
    };
    let first = (GRF_BYTES - dst.offset % GRF_BYTES).div_ceil(stride);
    if first * 2 != u32::from(exec_size) {
        return false;
    }
    !target.has_compressed_instructions() || fits_compression(inst, exec_size, target)
}

/// Whether an instruction that writes two registers can execute as a compressed instruction, that is, as two halves.
/// The second half uses the next eight channels of the masks (four with 64-bit operands), and each of its operands is
/// one register further on (PRM, "register region restrictions"; a packed source of words advances by half a
/// register).
fn fits_compression(inst: &Inst, exec_size: u8, target: &Target) -> bool {
    let half = u32::from(exec_size) / 2;
    let unmasked = inst.no_mask && !inst.reads_flag() && !inst.writes_flag();
    let steps = |src: &Operand| {
        let start = src.offset % GRF_BYTES;
        let words = src.ty.size() == 2 && src.is_packed();
        let dwords = inst.dst.ty.size() == 4 && inst.dst.is_packed();
        src.linear_stride(exec_size).is_some_and(|stride| {
            let step = u32::from(stride) * src.ty.size();
            let first_half = start + (half - 1) * step + src.ty.size();
            half * step == GRF_BYTES && first_half <= GRF_BYTES
        }) || words && (dwords || inst.dst.is_null()) && end_of(src, exec_size) <= GRF_BYTES
    };
    let next = u32::from(target.second_half_channels(align16::is_wide(inst)));
    (half == next || unmasked)
        && inst.srcs.iter().all(|src| !src.in_grf() || src.is_scalar() || steps(src))
}

/// The distance between channels of the destination that the operand types require, in bytes; `None` if they require
/// none.
pub fn required_dst_stride(inst: &Inst, target: &Target) -> Option<u32> {
    if !has_regions(inst.op)
        || inst.access_mode == AccessMode::Align16
        || is_three_source(inst.op)
        || inst.dst.is_null()
        || inst.exec_size == 1 && !doubles::fills_pairs(inst, target)
        || is_raw_move(inst)
    {
        return None;
    }
    if let Some(vector) = inst.srcs.iter().find(|src| src.is_imm() && src.ty.is_packed_vector()) {
        return Some(vector.ty.size());
    }
    let dst = inst.dst.ty;
    let half = |ty: Type| ty == Type::Hf;
    if inst.srcs.iter().any(|src| half(src.ty) != half(dst) && (half(src.ty) || half(dst))) {
        let to_float = dst == Type::F;
        return (!to_float).then_some(4);
    }
    let exec = exec_type_size(inst);
    (exec > dst.size()).then_some(exec)
}

/// Whether the destination satisfies the rules for its region, type and alignment.
pub fn dst_is_legal(inst: &Inst, target: &Target) -> bool {
    let dst = &inst.dst;
    if inst.access_mode == AccessMode::Align16 {
        return align16::dst_is_legal(inst);
    }
    if matches!(dst.region, Region::Stride(stride) if !matches!(stride, 0 | 1 | 2 | 4)) {
        return false;
    }
    if !doubles::dst_is_legal(inst, target) {
        return false;
    }
    if is_three_source(inst.op) && !dst.is_null() {
        return inst.exec_size >= 8
            && dst.in_grf()
            && dst.offset.is_multiple_of(16)
            && dst.is_packed();
    }
    if matches!(inst.op, Op::Math(_)) && !dst.is_null() && inst.exec_size > 1 && !dst.is_packed() {
        return false;
    }
    let vector = inst.srcs.iter().any(|src| src.is_imm() && src.ty.is_packed_vector());
    if vector && !dst.is_null() && !dst.offset.is_multiple_of(16) {
        return false;
    }
    match required_dst_stride(inst, target) {
        None => true,
        Some(stride) => {
            let aligned =
                dst.offset.is_multiple_of(stride) || dst.ty.size() == 1 && dst.offset % stride == 1;
            dst.byte_stride(inst.exec_size) == Some(stride) && aligned
        }
    }
}

/// Whether the instruction format supports source `index`.
pub fn src_is_legal(inst: &Inst, index: usize, target: &Target) -> bool {
    let src = &inst.srcs[index];
    let indirect = matches!(inst.op, Op::MovIndirect | Op::MovIndirectDst) && index == 1;
    if indirect && inst.access_mode == AccessMode::Align16 {
        return align16::index_region(src).is_some();
    }
    if !has_regions(inst.op) || matches!(src.file, File::Null) {
        return true;
    }
    if let Region::Stride(stride) = src.region
        && !matches!(stride, 0 | 1 | 2 | 4 | 8 | 16 | 32)
    {
        return false;
    }
    if src.is_imm() && !is_three_source(inst.op) {
        return immediate_is_legal(inst, index, target);
    }
    if inst.access_mode == AccessMode::Align16 {
        return align16::src_is_legal(inst, index) && (index == 0 || !src.is_any_arf());
    }
    if is_three_source(inst.op) {
        return three_source_is_legal(src, target);
    }
    if let Op::Math(_) = inst.op {
        let step = src.linear_stride(inst.exec_size);
        return matches!(src.file, File::Vgrf(_) | File::Grf) && matches!(step, Some(0 | 1))
            || src.ty == Type::Hf && step == Some(2);
    }
    if !doubles::src_is_legal(inst, src, target) {
        return false;
    }
    // Accumulators and other architecture registers can only be source 0.
    index == 0 || !matches!(src.file, File::Arf(_))
}

/// Whether a three-source instruction can read a source. The Align16 form reads whole vectors, or one dword for all
/// channels; the Align1 form of later generations reads regions with a stride of at most 4.
fn three_source_is_legal(src: &Operand, target: &Target) -> bool {
    if target.has_align1_three_source() {
        return src.in_grf() && src.linear_stride(32).is_some_and(|s| s <= 4);
    }
    let packed = src.is_packed() && src.offset.is_multiple_of(16);
    let scalar = src.region == Region::SCALAR && src.ty.size() == 4;
    src.in_grf() && (packed || scalar)
}

/// Whether an instruction can have an immediate as source `index`.
fn immediate_is_legal(inst: &Inst, index: usize, target: &Target) -> bool {
    let src = &inst.srcs[index];
    if index + 1 != inst.srcs.len() || src.ty.size() == 1 || src.has_modifiers() {
        return false;
    }
    match inst.op {
        Op::Math(function) => {
            let second = matches!(function, MathFn::IntQuot | MathFn::IntRem | MathFn::Pow);
            second && index == 1 && target.has_math_immediate()
        }
        Op::Hw(Opcode::Mov) => src.ty.size() < 8 || target.has_64bit_immediate(),
        Op::Hw(Opcode::Dim) => true,
        _ => src.ty.size() < 8,
    }
}

/// Whether the hardware supports the instruction's execution size and operands.
pub fn is_legal(inst: &Inst, target: &Target) -> bool {
    if !has_regions(inst.op) {
        return true;
    }
    max_exec_size(inst, target) == inst.exec_size
        && dst_is_legal(inst, target)
        && (0..inst.srcs.len()).all(|index| src_is_legal(inst, index, target))
}
