//! What one Align1 instruction with 64-bit operands can do on devices with special restrictions.
//!
//! - On gen7, execution sizes and regions count dwords, two per channel. Both halves of a compressed instruction
//!   would use the same channel enables, the dwords of a double must be neighbours, and a narrower result still takes
//!   eight bytes per channel (PRM vol 4 of Ivy Bridge, "execution data type" and "register region restrictions").
//! - On low-power parts, all operands except scalars must have the same region: elements eight bytes apart from the
//!   start of a register on (PRM of Cherryview and Broxton, "register region restrictions").

use crate::target::Target;

use super::align16::is_wide;
use super::{has_regions, is_three_source};
use crate::ir::{GRF_BYTES, Inst, Operand};

/// Size of a double in bytes.
const BYTES: u32 = 8;

/// Whether the execution size and the regions of the encoded instruction count dwords, two per channel.
pub fn counts_dwords(inst: &Inst, target: &Target) -> bool {
    target.df_exec_size_counts_dwords() && has_regions(inst.op) && is_wide(inst)
}

/// The largest execution size, up to `most`, at which the hardware can execute the instruction.
pub fn max_exec_size(inst: &Inst, most: u8, target: &Target) -> u8 {
    if counts_dwords(inst, target) { most.min(4) } else { most }
}

/// Whether each channel's result takes eight bytes although its type is smaller, even with one channel.
pub fn fills_pairs(inst: &Inst, target: &Target) -> bool {
    counts_dwords(inst, target) && !inst.dst.is_null() && inst.dst.ty.size() < BYTES
}

/// Whether all operands must have the same region.
pub fn wants_equal_regions(inst: &Inst, target: &Target) -> bool {
    target.has_aligned_64bit_regions_only()
        && has_regions(inst.op)
        && !is_three_source(inst.op)
        && inst.exec_size > 1
        && is_wide(inst)
}

/// Whether an operand has the region that is required where all must be the same.
fn is_aligned(operand: &Operand, exec_size: u8) -> bool {
    operand.offset.is_multiple_of(GRF_BYTES) && operand.byte_stride(exec_size) == Some(BYTES)
}

/// Whether the destination satisfies these restrictions.
pub fn dst_is_legal(inst: &Inst, target: &Target) -> bool {
    let dst = &inst.dst;
    dst.is_null() || !wants_equal_regions(inst, target) || is_aligned(dst, inst.exec_size)
}

/// Whether a register source satisfies these restrictions.
pub fn src_is_legal(inst: &Inst, src: &Operand, target: &Target) -> bool {
    if wants_equal_regions(inst, target) {
        return src.in_grf() && (src.is_scalar() || is_aligned(src, inst.exec_size));
    }
    if counts_dwords(inst, target) && src.ty.size() == BYTES {
        return inst.exec_size == 1 || matches!(src.linear_stride(inst.exec_size), Some(0 | 1));
    }
    true
}
