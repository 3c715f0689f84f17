//! `lower_mov_indirect`: lowers indirect moves to hardware moves.
//!
//! An indirect move (`mov_indirect`, `mov_indirect_dst`) reads or writes register elements at an index known at run time,
//! inside a range of registers. This pass replaces it by hardware moves with indirect operands, after instructions that
//! compute addresses in the address register a0. It runs after register allocation, when the addresses of ranges are known.
//!
//! - With one index for all channels, one word of a0 contains an address, and the operand keeps its region.
//! - With one index per channel, eight words of a0 contain one address per channel. The distance of each channel's
//!   element from the start of the range is added as a packed vector immediate; for an Align16 move it includes the
//!   swizzle. The move itself is then Align1, because Align16 has one address per operand.
//! - Elements of 64 bits move as two dwords where the hardware cannot address them.
//! - On devices without UV immediates (none with SIMD4x2; tests have one), an Align16 move has a region of two rows with one address each: four
//!   consecutive elements, or one element for all channels. A row must not cross a register boundary. For ranges
//!   where it might, addresses are computed channel by channel.
//! - An Align16 write writes one vector at one address, one row of 16 bytes at a time, so that the write mask
//!   applies. As everywhere in vec4 programs, either all four channels of a vector are enabled or none.
//!
//! NoMask of the move itself does not change. Address computations are NoMask if a channel uses an address that
//! another channel's word of a0 contains. Otherwise they have the channel enables of the move, so that they do not
//! read the indices of disabled channels, which may never have been written. This pass does not limit the index: the
//! code that emits an indirect move must keep it inside the range.

use crate::target::Target;
use crestline_isa::{AccessMode, ArfKind, Opcode, Swizzle, Type, WriteMask};

use super::PassError;
use super::legal::align16::{ROW_BYTES, index_region};
use crate::ir::{Builder, File, Function, Inst, Op, Operand, Region};

/// Number of addresses in a0.
const CHANNELS: u32 = 8;
/// Number of channels of a vector.
const VECTOR: u32 = 4;

/// Replaces indirect moves by moves with indirect operands. Returns whether the function changed.
///
/// # Errors
/// An operand that is still virtual, or a region without a constant distance between channels.
pub fn lower_mov_indirect(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let indirect = |inst: &Inst| matches!(inst.op, Op::MovIndirect | Op::MovIndirectDst);
    function.try_rewrite(indirect, |inst, b| {
        match (inst.op, inst.access_mode) {
            (Op::MovIndirect, AccessMode::Align1) => read(&inst, target, b)?,
            (Op::MovIndirect, AccessMode::Align16) => read_vectors(&inst, target, b)?,
            (_, AccessMode::Align1) => write(&inst, b)?,
            (_, AccessMode::Align16) => write_vector(&inst, b)?,
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

/// The indirect operand with the address in word `addr` of a0, plus `at` bytes.
fn through(addr: u8, at: u32, ty: Type, region: Region) -> Operand {
    Operand { file: File::Indirect { addr }, offset: at, ..Operand::grf(0, ty).with_region(region) }
}

/// The parts in which an element is moved, as byte offset and type: the whole element if the hardware can address it,
/// otherwise its dwords.
fn parts(ty: Type, addressable: bool) -> Vec<(u32, Type)> {
    match ty.size() {
        8 if !addressable => vec![(0, Type::Ud), (4, Type::Ud)],
        _ => vec![(0, ty)],
    }
}

/// The part of each element of a direct operand that starts `at` bytes from the element's start.
fn part_of(operand: Operand, at: u32, ty: Type) -> Result<Operand, PassError> {
    operand.subscript(ty, at / ty.size()).ok_or_else(|| fail(&operand))
}

/// Lowers an Align1 indirect read: emits the addresses, then a move with an indirect source. A 64-bit element that
/// the hardware cannot address takes two moves of dwords.
fn read(inst: &Inst, target: &Target, b: &mut Builder<'_>) -> Result<(), PassError> {
    let (range, index) = (inst.srcs[0], inst.srcs[1]);
    if index.is_scalar() {
        one_address(&range, index, b)?;
    } else {
        range.byte_stride(inst.exec_size).ok_or_else(|| fail(&range))?;
        spread(&range, low_words(index)?, inst.exec_size, target, b)?;
    }
    for (at, ty) in parts(range.ty, target.has_indirect_64bit_sources()) {
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
        if ty != range.ty {
            moved.dst = part_of(inst.dst, at, ty)?;
        }
        b.push(moved);
    }
    Ok(())
}

/// Emits the address for all channels in the first word of a0.
fn one_address(range: &Operand, index: Operand, b: &mut Builder<'_>) -> Result<(), PassError> {
    let word = a0().with_stride(0);
    match index.imm_bits() {
        Some(index) => b.uniform().mov(word, address(&range.byte_offset(index as u32))?),
        None => b.uniform().add(word, low_words(index)?, address(range)?),
    };
    Ok(())
}

/// Emits one address per channel of `b` in the words of a0: address of the range, plus the channel's offset in it,
/// plus the channel's index. `index` is the operand with the low words of the index.
fn spread(
    range: &Operand,
    index: Operand,
    exec_size: u8,
    target: &Target,
    b: &mut Builder<'_>,
) -> Result<(), PassError> {
    let base = address(range)?;
    let own = |channel: u32| if channel < u32::from(exec_size) { channel } else { 0 };
    let offsets = std::array::from_fn(|i| range.channel_offset(own(i as u32)));
    // The address register can only be source 0, and the index is not a constant.
    match Spread::of(offsets, target).ok_or_else(|| fail(range))? {
        Spread::Added { vector, times } => {
            b.add(a0(), index, base);
            for _ in 0..times {
                b.add(a0(), a0(), vector);
            }
        }
        Spread::Shifted { vector, shift } => {
            b.mov(a0(), vector);
            b.shl(a0(), a0(), Operand::imm_uw(shift));
            b.add(a0(), a0(), base);
            b.add(a0(), a0(), index);
        }
    }
    Ok(())
}

/// Emits the addresses of some channels in consecutive words of a0, one instruction each, with NoMask.
fn one_by_one(
    range: &Operand,
    index: Operand,
    channels: impl Iterator<Item = u32>,
    b: &mut Builder<'_>,
) -> Result<(), PassError> {
    for (word, channel) in (0u32..).zip(channels) {
        let own = address(&range.byte_offset(range.channel_offset(channel)))?;
        let index = index.byte_offset(index.channel_offset(channel)).with_stride(0);
        let word = a0().byte_offset(word * Type::Uw.size()).with_stride(0);
        b.uniform().add(word, index, own);
    }
    Ok(())
}

/// How a packed vector immediate of eight small integers represents the channels' offsets.
enum Spread {
    /// The offsets are the vector added `times` times.
    Added { vector: Operand, times: u32 },
    /// The offsets are the vector shifted left by `shift`.
    Shifted { vector: Operand, shift: u16 },
}

impl Spread {
    /// The cheapest way to add these byte offsets (0 to 63, one per channel) to the addresses in a0: a packed vector
    /// immediate added once, added twice, or shifted left. `None` if no way represents them.
    fn of(offsets: [u32; CHANNELS as usize], target: &Target) -> Option<Spread> {
        // The elements of a signed vector immediate are at most 7.
        let (ty, most) = if target.has_uv_immediates() { (Type::Uv, 15) } else { (Type::V, 7) };
        let vector = |scale: &dyn Fn(u32) -> u32| {
            let bits = offsets.iter().rev().fold(0, |bits, &at| bits << 4 | u64::from(scale(at)));
            Operand::imm(bits, ty)
        };
        let fits = |scale: u32| offsets.iter().all(|at| at % scale == 0 && at / scale <= most);
        if offsets == [0; CHANNELS as usize] {
            return Some(Spread::Added { vector: Operand::imm(0, ty), times: 0 });
        }
        if let Some(times) = (1..=2).find(|times| fits(*times)) {
            return Some(Spread::Added { vector: vector(&|at| at / times), times });
        }
        let shift = (2..=4).find(|shift| fits(1 << shift))?;
        Some(Spread::Shifted { vector: vector(&|at| at >> shift), shift })
    }
}

/// Lowers an Align1 indirect write, which has one index for all channels: emits the address, then a move with an
/// indirect destination. A 64-bit element takes two moves of dwords.
fn write(inst: &Inst, b: &mut Builder<'_>) -> Result<(), PassError> {
    let index = inst.srcs[1];
    if !index.is_scalar() {
        return Err(fail(&index));
    }
    one_address(&inst.dst, index, b)?;
    for (at, ty) in parts(inst.dst.ty, false) {
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

/// Lowers an Align16 indirect read. There is one address per channel; or one per vector, if the vector has one index
/// and its elements cannot cross a register boundary.
fn read_vectors(inst: &Inst, target: &Target, b: &mut Builder<'_>) -> Result<(), PassError> {
    let (range, index) = (inst.srcs[0], inst.srcs[1]);
    if inst.dst.write_mask() != WriteMask::XYZW || inst.is_predicated() {
        return Err(fail(&inst.dst));
    }
    let words = index_region(&index).ok_or_else(|| fail(&index))?;
    let mut b = b.align1();
    let channels = 0..u32::from(inst.exec_size);
    let row = match row_step(&range) {
        _ if target.has_uv_immediates() => {
            spread(&range, words, inst.exec_size, target, &mut b)?;
            None
        }
        Some(step) if words.region != Region::Stride(2) => {
            one_by_one(&range, words, channels.step_by(VECTOR as usize), &mut b)?;
            Some(step)
        }
        _ => {
            one_by_one(&range, words, channels, &mut b)?;
            None
        }
    };
    let parts = parts(range.ty, target.has_indirect_64bit_sources());
    // The parts of a double need the enable of the double's channel, so the move has four channels at a time.
    let halves = range.ty.size() == 8 && (parts.len() > 1 || target.has_compressed_instructions());
    let width = if halves { inst.exec_size.min(VECTOR as u8) } else { inst.exec_size };
    for first in (0..inst.exec_size).step_by(width.into()) {
        let mut half = b.exec(width);
        let mut half = half.group(inst.group + first);
        for &(at, ty) in &parts {
            let times = (range.ty.size() / ty.size()) as u8;
            let (word, region) = match row {
                Some(step) => {
                    let hstride = step * times;
                    (first / VECTOR as u8, Region::Indirect { width: VECTOR as u8, hstride })
                }
                None => (first, Region::Indirect { width: 1, hstride: 0 }),
            };
            let dst = inst.dst.horiz_offset(first.into())?.retype(ty).with_stride(times);
            half.mov(dst.byte_offset(at), through(word, at, ty, region)).no_mask = inst.no_mask;
        }
    }
    Ok(())
}

/// For a range whose rows cannot cross a register boundary, the distance between the channels of a row in elements: 0
/// if all channels of a vector read one element, 1 for consecutive elements of vectors that start at register
/// boundaries. Otherwise `None`.
fn row_step(range: &Operand) -> Option<u8> {
    match range.vectors()? {
        (Swizzle([x, y, z, w]), _) if x == y && y == z && z == w => Some(0),
        (Swizzle::XYZW, 4) => Some(1),
        _ => None,
    }
}

/// Lowers an Align16 indirect write: writes one vector to an address at the start of a row. A vector of doubles takes
/// one move of dwords per row.
fn write_vector(inst: &Inst, b: &mut Builder<'_>) -> Result<(), PassError> {
    let (value, index) = (inst.srcs[0], inst.srcs[1]);
    let words = index_region(&index).ok_or_else(|| fail(&index))?;
    if inst.exec_size != 4 {
        return Err(fail(&inst.dst));
    }
    let mut one = b.align1();
    one.exec(1).add(a0().with_stride(0), words.with_stride(0), address(&inst.dst)?);
    let mut moved = Inst { op: Op::Hw(Opcode::Mov), ..inst.clone() };
    if inst.dst.ty.size() < 8 {
        moved.srcs = smallvec::smallvec![value];
        moved.dst = through(0, 0, inst.dst.ty, inst.dst.region);
        b.push(moved);
        return Ok(());
    }
    let components = inst.dst.write_mask().0;
    for row in 0..2u8 {
        let pair = components >> (2 * row) & 3;
        // The mask of dwords: two for each double of the row.
        let dwords = WriteMask(((pair & 1) * 3) | ((pair >> 1) * 12));
        if pair != 0 {
            let at = u32::from(row) * ROW_BYTES;
            let whole = Region::Swizzle(Swizzle::XYZW);
            let source = value.retype(Type::Ud).byte_offset(at).with_region(whole);
            moved.srcs = smallvec::smallvec![source];
            moved.dst = through(0, at, Type::Ud, Region::Mask(dwords));
            b.push(moved.clone());
        }
    }
    Ok(())
}
