//! What one Align16 instruction can do.
//!
//! A swizzle selects dwords in rows of 16 bytes. A row has two doubles, so a vector of four doubles is two rows, and
//! both get the same swizzle. They are either consecutive rows or the same row twice (vertical stride 0). On Haswell a
//! vertical stride of 0 also advances by a register in the second half of a compressed instruction
//! ([`crestline_device::Device::df_region_bug`]), so both kinds of region work for two vectors, one register apart. On
//! Broadwell it does not advance, so a row read twice works for two vectors only if both read the same one. On Ivy
//! Bridge an instruction with doubles has one vector (PRM vol 7, "register region restrictions", and what drivers found
//! by trial: see `docs/isa-notes.md`).
//!
//! In the IR, regions count doubles, before and after lowering; `finish` converts them to dwords.

use crate::target::Target;
use crestline_isa::{Opcode, Swizzle, Type, WriteMask};

use super::is_three_source;
use crate::ir::{File, GRF_BYTES, Inst, Op, Operand, Region};

/// Size in bytes of a row, from which a swizzle selects.
pub const ROW_BYTES: u32 = 16;

/// Write masks of doubles that the hardware takes for masks of dwords: exactly the first row (x and y) and exactly
/// the second (z and w). Found by trial on gen7; compilers have avoided them since.
pub const TORN_MASKS: [WriteMask; 2] = [WriteMask(0b0011), WriteMask(0b1100)];

/// The two rows that an instruction reads of a vector of doubles, and which doubles it selects in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoubleRows {
    /// Offset of the first row from the start of the operand's file, in bytes.
    pub base: u32,
    /// Whether the same row is read twice.
    pub same: bool,
    /// Which double of its row the first and the second channel of each row read.
    pub pattern: [u8; 2],
}

impl DoubleRows {
    /// The swizzle of dwords that selects the doubles of `pattern`.
    pub fn swizzle(&self) -> Swizzle {
        let [a, b] = self.pattern.map(|double| 2 * double);
        Swizzle([a, a + 1, b, b + 1])
    }
}

/// A source as byte offset of its first vector, swizzle and distance between vectors in elements. A scalar becomes
/// one component of the vector that contains it.
fn as_vectors(src: &Operand) -> Option<(u32, Swizzle, u32)> {
    if src.region == Region::SCALAR && src.ty.size() >= 4 {
        let component = (src.offset % ROW_BYTES / src.ty.size()) as u8;
        return Some((src.offset / ROW_BYTES * ROW_BYTES, Swizzle([component; 4]), 0));
    }
    src.vectors().map(|(swizzle, step)| (src.offset, swizzle, step))
}

/// The rows from which the channels in `channels` read the doubles of the first vector; `None` if no region reads
/// them. A region exists if channels x and z select the same double of their rows, y and w too, and the two rows are
/// consecutive in one register or the same.
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
    // Two consecutive rows must be in one register, so the first one must start at a register boundary.
    let base = row(first).checked_sub(first as u32 / 2 * ROW_BYTES);
    if let Some(base) = base.filter(|base| base.is_multiple_of(GRF_BYTES))
        && enabled().all(|channel| row(channel) == base + channel as u32 / 2 * ROW_BYTES)
    {
        return Some(DoubleRows { base, same: false, pattern });
    }
    let same = enabled().all(|channel| row(channel) == row(first));
    same.then_some(DoubleRows { base: row(first), same: true, pattern })
}

/// For a source with 32-bit components: its byte offset, its swizzle, and whether all channels read one vector.
/// `None` if it is no such region.
pub fn dword_vectors(src: &Operand) -> Option<(u32, Swizzle, bool)> {
    let (offset, swizzle, step) = as_vectors(src)?;
    matches!(step, 0 | 4).then_some((offset, swizzle, step == 0))
}

/// The byte offset of the dword that all channels in `channels` read, if it is only one.
pub fn replicated_dword(src: &Operand, channels: WriteMask) -> Option<u32> {
    let (offset, Swizzle(components), step) = as_vectors(src)?;
    let mut enabled = (0..4usize).filter(|channel| channels.0 >> channel & 1 == 1);
    let first = components[enabled.next()?];
    (step == 0 && enabled.all(|channel| components[channel] == first))
        .then_some(offset + 4 * u32::from(first))
}

/// Whether the instruction has a 64-bit operand.
pub fn is_wide(inst: &Inst) -> bool {
    inst.srcs.iter().chain([&inst.dst]).any(|operand| operand.ty.size() == 8)
}

/// The largest execution size, up to the present one, at which the hardware can execute the instruction.
pub fn max_exec_size(inst: &Inst, target: &Target) -> u8 {
    let most = inst.exec_size.min(8);
    let placed = || inst.srcs.iter().enumerate().filter(|(_, src)| src.in_grf());
    // Each vector must start at a register boundary, because the second vector is one register further on.
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
        // A `sel` of eight doubles does not work, and the second half of every source is one register further on
        // (both found by trial).
        inst.op == Op::Hw(Opcode::Sel) || placed().any(|(_, src)| step(src) != 4)
    } else {
        placed().any(|(index, src)| {
            let same = same_rows(index, src);
            !(step(src) == 4 && !same || step(src) == 0 && same && !is_three_source(inst.op))
        })
    };
    // The second half of a compressed instruction runs after the first half has written its vector.
    let shifted = inst.srcs.iter().enumerate().any(|(index, src)| {
        inst.dst_overlaps_src(index) && src.offset / GRF_BYTES != inst.dst.offset / GRF_BYTES
    });
    if one_vector || shifted || !inst.dst.offset.is_multiple_of(GRF_BYTES) {
        most.min(4)
    } else {
        most
    }
}

/// Whether an Align16 instruction can have the destination.
pub fn dst_is_legal(inst: &Inst) -> bool {
    let dst = &inst.dst;
    let mask = dst.write_mask();
    let wide = is_wide(inst);
    let vector = dst.is_null() || matches!(dst.region, Region::Mask(_)) || !dst.in_grf();
    let doubles = dst.is_null() || dst.offset.is_multiple_of(GRF_BYTES);
    vector && (!wide || doubles && !TORN_MASKS.contains(&mask))
}

/// Whether the instruction format supports the register source `index`.
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

/// The low words of an indirect move's index as an Align1 region, with one word per channel or one per vector; `None`
/// if there is no such region.
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
