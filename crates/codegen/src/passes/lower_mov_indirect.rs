//! `lower_mov_indirect`: indirect moves set up the address register and use it. Runs after
//! register allocation, when the addresses of ranges are known.
//!
//! One address for all channels: the move reads (or writes) its usual region from there. An
//! address for each channel: eight words of a0, where a packed vector of small constants spreads
//! the channels' own offsets, which also carries the swizzle of an Align16 move. That move itself
//! is Align1: Align16 has one address for an operand. Elements of 64 bits move as two dwords
//! where the hardware cannot address them.
//!
//! Without packed vectors of unsigned constants an Align16 move has a region of two rows, an
//! address for each: four consecutive elements, or one for all. A row must not leave its
//! register, so that the addresses of vectors that may begin anywhere are computed one by one.
//!
//! Align16 writes go to one vector at an address of its own, a row of 16 bytes at a time, so that
//! the write mask holds. All four channels of a vector are enabled or none, as everywhere in
//! vec4 programs.
//!
//! No move is unmasked that was not. The set-up of addresses is, where a word of a0 is not its
//! channel's own; otherwise it is masked as the move is, so that nobody reads what a disabled
//! channel has for an index, which may never have been written. Nothing here limits the index:
//! whoever emits an indirect move keeps it inside the range.

use crate::target::Target;
use crestline_isa::{AccessMode, ArfKind, Opcode, Swizzle, Type, WriteMask};

use super::PassError;
use super::legal::align16::{ROW_BYTES, index_region};
use crate::ir::{Builder, File, Function, Inst, Op, Operand, Region};

/// Channels that an address can be had for at once.
const CHANNELS: u32 = 8;
/// Channels of a vector.
const VECTOR: u32 = 4;

/// Runs the pass.
///
/// # Errors
/// Operands that are still virtual, or regions without a step from channel to channel.
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

/// An operand through the address in a word of a0, `at` bytes further on.
fn through(addr: u8, at: u32, ty: Type, region: Region) -> Operand {
    Operand { file: File::Indirect { addr }, offset: at, ..Operand::grf(0, ty).with_region(region) }
}

/// Parts that an element moves in, which the hardware can address: each part's byte offset and type.
fn parts(ty: Type, addressable: bool) -> Vec<(u32, Type)> {
    match ty.size() {
        8 if !addressable => vec![(0, Type::Ud), (4, Type::Ud)],
        _ => vec![(0, ty)],
    }
}

/// The part of each element of a direct operand.
fn part_of(operand: Operand, at: u32, ty: Type) -> Result<Operand, PassError> {
    operand.subscript(ty, at / ty.size()).ok_or_else(|| fail(&operand))
}

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

/// Fills the first word of a0, for all channels.
fn one_address(range: &Operand, index: Operand, b: &mut Builder<'_>) -> Result<(), PassError> {
    let word = a0().with_stride(0);
    match index.imm_bits() {
        Some(index) => b.uniform().mov(word, address(&range.byte_offset(index as u32))?),
        None => b.uniform().add(word, low_words(index)?, address(range)?),
    };
    Ok(())
}

/// Fills words of a0, one for each channel of `b`: range, channel's own offset in it, index (the
/// words of which are given).
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
    // The address register can only be the first source, and the index must not be a constant.
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

/// Fills words of a0 one after another, for some channels, enabled or not.
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

/// How a packed vector of eight small constants gives the channels their offsets.
enum Spread {
    /// Added so many times.
    Added { vector: Operand, times: u32 },
    /// Shifted left so far.
    Shifted { vector: Operand, shift: u16 },
}

impl Spread {
    /// The cheapest way to bytes 0 to 63 on; `None` if there is none.
    fn of(offsets: [u32; CHANNELS as usize], target: &Target) -> Option<Spread> {
        // The elements of a signed vector go up to 7.
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

/// Whole vectors from an address for each channel, or for each vector where that has one index and its elements are
/// known to lie in one register.
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
    // Four channels at a time, so that the parts of a double have its channel's enable.
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

/// Elements from channel to channel of a row of the range that does not leave its register: one that all channels of a
/// vector read, or consecutive ones of vectors that begin where registers do.
fn row_step(range: &Operand) -> Option<u8> {
    match range.vectors()? {
        (Swizzle([x, y, z, w]), _) if x == y && y == z && z == w => Some(0),
        (Swizzle::XYZW, 4) => Some(1),
        _ => None,
    }
}

/// One vector to an address that begins a row.
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
        // Two dwords for each of the row's doubles.
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
