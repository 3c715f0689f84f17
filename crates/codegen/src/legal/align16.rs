//! What one Align16 instruction can do.
//!
//! The hardware's swizzle selects dwords in rows of 16 bytes. A row of doubles holds two, so that
//! the two rows of a vector get the same pattern: from rows one after another, or both from the
//! same one (vertical stride 0). Where a vertical stride of 0 still steps to the next register in
//! the second half of a compressed instruction ([`crestline_device::Device::df_region_bug`]), both can be had for
//! two vectors at once (PRM vol 7, "register region restrictions", and what drivers found by
//! trial: see `docs/isa-notes.md`).
//!
//! Regions in the IR mean doubles before and after lowering; `finish` makes dwords of them.

use crate::target::Target;
use crestline_isa::{Opcode, Swizzle, Type, WriteMask};

use super::is_three_source;
use crate::ir::{File, GRF_BYTES, Inst, Op, Operand, Region};

/// Bytes of a row: what a swizzle can select from.
pub const ROW_BYTES: u32 = 16;

/// Masks of doubles that the hardware takes for masks of dwords: exactly the first and exactly
/// the second row (found by trial on gen7, and avoided by compilers since).
pub const TORN_MASKS: [WriteMask; 2] = [WriteMask(0b0011), WriteMask(0b1100)];

/// Where the rows of a vector of doubles are, and what both select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoubleRows {
    /// Offset of the first row from the start of the operand's file, in bytes.
    pub base: u32,
    /// Whether both rows are the first one.
    pub same: bool,
    /// Number of the double in its row, for the first and second channel of each row.
    pub pattern: [u8; 2],
}

impl DoubleRows {
    /// The swizzle of dwords that selects these doubles.
    pub fn swizzle(&self) -> Swizzle {
        let [a, b] = self.pattern.map(|double| 2 * double);
        Swizzle([a, a + 1, b, b + 1])
    }
}

/// A source as vectors: a scalar is one component of the one vector around it.
fn as_vectors(src: &Operand) -> Option<(u32, Swizzle, u32)> {
    if src.region == Region::SCALAR && src.ty.size() >= 4 {
        let component = (src.offset % ROW_BYTES / src.ty.size()) as u8;
        return Some((src.offset / ROW_BYTES * ROW_BYTES, Swizzle([component; 4]), 0));
    }
    src.vectors().map(|(swizzle, step)| (src.offset, swizzle, step))
}

/// The rows that give the enabled channels of the first vector their doubles, if any do.
pub fn double_rows(src: &Operand, channels: WriteMask) -> Option<DoubleRows> {
    let (offset, Swizzle(components), _) = as_vectors(src)?;
    if !offset.is_multiple_of(ROW_BYTES) {
        return None;
    }
    let enabled = || (0..4usize).filter(|channel| channels.0 >> channel & 1 == 1);
    let mut pattern = [None; 2];
    for channel in enabled() {
        let double = components[channel] & 1;
        if *pattern[channel % 2].get_or_insert(double) != double {
            return None;
        }
    }
    let pattern = [pattern[0].unwrap_or(0), pattern[1].unwrap_or(1)];
    let row = |channel: usize| offset + u32::from(components[channel] / 2) * ROW_BYTES;
    let first = enabled().next()?;
    // Rows one after another begin a register, so that neither leaves it.
    let base = row(first).checked_sub(first as u32 / 2 * ROW_BYTES);
    if let Some(base) = base.filter(|base| base.is_multiple_of(GRF_BYTES))
        && enabled().all(|channel| row(channel) == base + channel as u32 / 2 * ROW_BYTES)
    {
        return Some(DoubleRows { base, same: false, pattern });
    }
    let same = enabled().all(|channel| row(channel) == row(first));
    same.then_some(DoubleRows { base: row(first), same: true, pattern })
}

/// The 32-bit region of a source: start in bytes, swizzle, and whether all channels read one
/// vector.
pub fn dword_vectors(src: &Operand) -> Option<(u32, Swizzle, bool)> {
    let (offset, swizzle, step) = as_vectors(src)?;
    matches!(step, 0 | 4).then_some((offset, swizzle, step == 0))
}

/// The one dword that all enabled channels of a source read, as its offset in bytes.
pub fn replicated_dword(src: &Operand, channels: WriteMask) -> Option<u32> {
    let (offset, Swizzle(components), step) = as_vectors(src)?;
    let mut enabled = (0..4usize).filter(|channel| channels.0 >> channel & 1 == 1);
    let first = components[enabled.next()?];
    (step == 0 && enabled.all(|channel| components[channel] == first))
        .then_some(offset + 4 * u32::from(first))
}

/// Whether the instruction has an operand of 64 bits.
pub fn is_wide(inst: &Inst) -> bool {
    inst.srcs.iter().chain([&inst.dst]).any(|operand| operand.ty.size() == 8)
}

/// The most channels the instruction can have, at most those it has now.
pub fn max_exec_size(inst: &Inst, target: &Target) -> u8 {
    let most = inst.exec_size.min(8);
    let placed = || inst.srcs.iter().enumerate().filter(|(_, src)| src.in_grf());
    // Each vector's register is in the same place as the others'.
    let starts_register = |operand: &Operand| {
        !operand.in_grf()
            || operand.offset.is_multiple_of(GRF_BYTES)
            || as_vectors(operand).is_some_and(|(.., step)| step == 0)
    };
    if !is_wide(inst) {
        let whole = placed().all(|(_, src)| starts_register(src)) && starts_register(&inst.dst);
        return if whole { most } else { most.min(4) };
    }
    let step = |src: &Operand| as_vectors(src).map_or(4, |(.., step)| step);
    let same_rows = |index: usize, src: &Operand| {
        double_rows(src, inst.channels_read(index)).is_some_and(|rows| rows.same)
    };
    let one_vector = if target.df_exec_size_counts_dwords() {
        true
    } else if target.df_region_bug() {
        // A selection of eight doubles is broken, and the second half of a source is always one
        // register further on (both found by trial).
        inst.op == Op::Hw(Opcode::Sel) || placed().any(|(_, src)| step(src) != 4)
    } else {
        placed().any(|(index, src)| {
            let same = same_rows(index, src);
            !(step(src) == 4 && !same || step(src) == 0 && same && !is_three_source(inst.op))
        })
    };
    // Half a compressed instruction later, the first vector has been written.
    let shifted = inst.srcs.iter().enumerate().any(|(index, src)| {
        inst.dst_overlaps_src(index) && src.offset / GRF_BYTES != inst.dst.offset / GRF_BYTES
    });
    if one_vector || shifted || !inst.dst.offset.is_multiple_of(GRF_BYTES) {
        most.min(4)
    } else {
        most
    }
}

/// Whether the destination is one an Align16 instruction has.
pub fn dst_is_legal(inst: &Inst) -> bool {
    let dst = &inst.dst;
    let mask = dst.write_mask();
    let wide = is_wide(inst);
    let vector = dst.is_null() || matches!(dst.region, Region::Mask(_)) || !dst.in_grf();
    let doubles = dst.is_null() || dst.offset.is_multiple_of(GRF_BYTES);
    vector && (!wide || doubles && !TORN_MASKS.contains(&mask))
}

/// Whether source `index` is a register operand the instruction's format can hold.
pub fn src_is_legal(inst: &Inst, index: usize) -> bool {
    let src = &inst.srcs[index];
    let channels = inst.channels_read(index);
    let three = is_three_source(inst.op);
    if !matches!(src.file, File::Vgrf(_) | File::Grf) {
        return !three;
    }
    if src.ty.size() == 8 {
        return double_rows(src, channels).is_some_and(|rows| !(three && rows.same));
    }
    match dword_vectors(src) {
        Some((offset, _, one)) if three => {
            offset.is_multiple_of(ROW_BYTES) && !one || replicated_dword(src, channels).is_some()
        }
        Some((offset, ..)) => offset.is_multiple_of(ROW_BYTES),
        None => false,
    }
}

/// The words of an index of an indirect move, as a region of Align1: one for each channel, or one
/// for each vector. `None` if it has none.
pub fn index_region(index: &Operand) -> Option<Operand> {
    if !index.in_grf() || !matches!(index.ty.size(), 2 | 4) || index.has_modifiers() {
        return None;
    }
    let words = index.retype(Type::Uw);
    if index.region == Region::SCALAR {
        return Some(words);
    }
    if index.ty.size() != 4 {
        return None;
    }
    let (Swizzle([x, y, z, w]), step) = index.vectors()?;
    if index.is_packed() {
        return Some(words.with_stride(2));
    }
    let rows = Region::Rect { vstride: 8, width: 4, hstride: 0 };
    let region = match step {
        0 => Region::SCALAR,
        4 => rows,
        _ => return None,
    };
    (x == y && y == z && z == w).then(|| words.byte_offset(4 * u32::from(x)).with_region(region))
}
