//! Reads, writes and atomics on surfaces, shared memory and scratch memory.

use crate::target::Target;
use crestline_isa::Type;
use crestline_isa::message::{
    self as isa, AtomicOp, ByteSize, Cache, ChannelMask, DescriptorError, FloatAtomicOp,
};

use super::{Shape, Surface, at, halves, message, simd_mode};
use crate::ir::{Builder, Effect, GRF_BYTES, Operand, Space};

/// Reads `components` (1 to 4) dwords per channel, from byte offset `offset` on. Returns a register per component.
///
/// # Errors
/// The device does not have the message.
pub fn read(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    offset: Operand,
    components: u32,
    effect: Effect,
) -> Result<Vec<Operand>, DescriptorError> {
    let mut parts = Vec::new();
    for (group, channels) in halves(b) {
        let simd = simd_mode(channels);
        let mask = ChannelMask::first(components);
        let kind = isa::Message::UntypedRead { bti: surface.bti(), simd, mask };
        let bytes = u32::from(channels) * Type::Ud.size();
        let space = surface.space();
        let shape = Shape { headers: 0, first: 1, response: bytes * components, effect, space };
        let message = message(target, kind, shape)?;
        let mut b = b.exec(channels);
        let dst = b.lanes(Type::Ud, components);
        let offset = at(&mut b, offset, group);
        b.group(group).message(message, dst, surface.addend(), &[offset]);
        parts.push(dst);
    }
    Ok(join(b, &parts, components))
}

/// Writes `data`, one to four dwords per channel, from byte offset `offset` on.
///
/// # Errors
/// The device does not have the message.
pub fn write(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    offset: Operand,
    data: &[Operand],
) -> Result<(), DescriptorError> {
    for (group, channels) in halves(b) {
        let simd = simd_mode(channels);
        let mask = ChannelMask::first(data.len() as u32);
        let kind = isa::Message::UntypedWrite { bti: surface.bti(), simd, mask };
        let message = message(target, kind, write_shape(surface.space()))?;
        let parts: Vec<Operand> =
            [offset].iter().chain(data).map(|&part| at(b, part, group)).collect();
        send(b, group, channels, message, None, surface, &parts);
    }
    Ok(())
}

fn write_shape(space: Space) -> Shape {
    Shape { headers: 0, first: 1, response: 0, effect: Effect::Write, space }
}

/// Emits a message for `channels` channels from number `group` on.
fn send(
    b: &mut Builder<'_>,
    group: u8,
    channels: u8,
    message: crate::ir::Message,
    dst: Option<Operand>,
    surface: Surface,
    parts: &[Operand],
) {
    let dst = dst.unwrap_or(Operand::null(Type::Ud));
    b.exec(channels).group(group).message(message, dst, surface.addend(), parts);
}

/// Reads `count` consecutive dwords (1 to 16), from a byte offset on that is the same for all channels. Returns them in
/// one register, or two for more than eight.
///
/// Each of 8 or 16 channels reads one dword, whether it is enabled or not, so the bounds check is exact for each dword.
/// `steps` has each channel's distance from `offset` in bytes, as words: 0, 4, 8 and so on; if fewer dwords are
/// needed, the last distance is repeated. Without it, all channels read the dword at `offset`.
///
/// # Errors
/// The device does not have the message.
pub fn read_block(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    offset: Operand,
    (count, steps): (u32, Option<Operand>),
    effect: Effect,
) -> Result<Operand, DescriptorError> {
    let channels = if count > 8 { 16 } else { 8 };
    let (bti, simd, mask) = (surface.bti(), simd_mode(channels), ChannelMask::first(1));
    let kind = isa::Message::UntypedRead { bti, simd, mask };
    let registers = u32::from(channels) / 8;
    let response = registers * GRF_BYTES;
    let space = surface.space();
    let shape = Shape { headers: 0, first: 1, response, effect, space };
    let message = message(target, kind, shape)?;
    let mut b = b.no_mask();
    let mut b = b.exec(channels);
    let (address, dst) = (b.lanes(Type::Ud, 1), b.lanes(Type::Ud, 1));
    match steps {
        Some(steps) => b.add(address, steps, offset),
        None => b.mov(address, offset),
    };
    b.message(message, dst, surface.addend(), &[address]);
    Ok(dst)
}

/// The operation of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// An operation on integers.
    Integer(AtomicOp),
    /// An operation on floats.
    Float(FloatAtomicOp),
}

/// Emits a dword atomic per channel at byte offset `offset`. `operands` are the operands of the operation. Returns
/// the old values if `wanted`.
///
/// # Errors
/// The device does not have the message or the operation.
pub fn atomic(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    op: Atomic,
    offset: Operand,
    operands: &[Operand],
    wanted: bool,
) -> Result<Option<Operand>, DescriptorError> {
    let mut parts = Vec::new();
    for (group, channels) in halves(b) {
        let (bti, simd, return_data) = (surface.bti(), simd_mode(channels), wanted);
        let kind = match op {
            Atomic::Integer(op) => {
                isa::Message::UntypedAtomic { bti, op, simd, return_data, word: false }
            }
            Atomic::Float(op) => {
                isa::Message::UntypedAtomicFloat { bti, op, simd, return_data, half: false }
            }
        };
        let bytes = if wanted { u32::from(channels) * Type::Ud.size() } else { 0 };
        let message =
            message(target, kind, Shape { response: bytes, ..write_shape(surface.space()) })?;
        let payload: Vec<Operand> =
            [offset].iter().chain(operands).map(|&part| at(b, part, group)).collect();
        let dst = wanted.then(|| b.exec(channels).lanes(Type::Ud, 1));
        send(b, group, channels, message, dst, surface, &payload);
        parts.extend(dst);
    }
    Ok(wanted.then(|| join(b, &parts, 1)[0]))
}

/// Reads `size` bytes per channel into the low part of a dword, whose other bits are undefined.
///
/// # Errors
/// The device does not have the message.
pub fn read_scattered(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    offset: Operand,
    size: ByteSize,
    effect: Effect,
) -> Result<Operand, DescriptorError> {
    let mut parts = Vec::new();
    for (group, channels) in halves(b) {
        let simd = simd_mode(channels);
        let kind = isa::Message::ByteScatteredRead { bti: surface.bti(), simd, size };
        let response = u32::from(channels) * Type::Ud.size();
        let shape = Shape { headers: 0, first: 1, response, effect, space: surface.space() };
        let message = message(target, kind, shape)?;
        let mut b = b.exec(channels);
        let dst = b.lanes(Type::Ud, 1);
        let offset = at(&mut b, offset, group);
        b.group(group).message(message, dst, surface.addend(), &[offset]);
        parts.push(dst);
    }
    Ok(join(b, &parts, 1)[0])
}

/// Writes the low `size` bytes of a dword per channel.
///
/// # Errors
/// The device does not have the message.
pub fn write_scattered(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    offset: Operand,
    data: Operand,
    size: ByteSize,
) -> Result<(), DescriptorError> {
    for (group, channels) in halves(b) {
        let simd = simd_mode(channels);
        let kind = isa::Message::ByteScatteredWrite { bti: surface.bti(), simd, size };
        let message = message(target, kind, write_shape(surface.space()))?;
        let payload = [offset, data].map(|part| at(b, part, group));
        send(b, group, channels, message, None, surface, &payload);
    }
    Ok(())
}

/// Writes the header of a scattered access to scratch space: the thread's scratch base from r0.5, all else zero.
pub fn fill_scratch_header(b: &mut Builder<'_>, header: Operand) {
    b.no_mask().exec(8).mov(header, Operand::imm_ud(0));
    let base = Operand::grf(0, Type::Ud).with_stride(0).byte_offset(20);
    b.uniform().and(header.byte_offset(20), base, Operand::imm_ud(!0x3ff));
}

/// A new register with the header of a scattered access to scratch space.
fn scratch_header(b: &mut Builder<'_>) -> Operand {
    let header = b.exec(8).lanes(Type::Ud, 1);
    fill_scratch_header(b, header);
    header
}

/// Reads a dword per channel from scratch space. `index` counts dwords.
///
/// # Errors
/// The device does not have the message.
pub fn read_scratch(
    b: &mut Builder<'_>,
    target: &Target,
    index: Operand,
) -> Result<Operand, DescriptorError> {
    let mut parts = Vec::new();
    let header = scratch_header(b);
    for (group, channels) in halves(b) {
        let kind = isa::Message::DwordScatteredRead {
            cache: Cache::Data,
            bti: target.messages.stateless,
            simd: simd_mode(channels),
            invalidate: false,
        };
        let shape = Shape {
            headers: 1,
            first: 2,
            response: u32::from(channels) * Type::Ud.size(),
            effect: Effect::Read,
            space: Space::Scratch,
        };
        let message = message(target, kind, shape)?;
        let mut b = b.exec(channels);
        let dst = b.lanes(Type::Ud, 1);
        let parts_ = [header, at(&mut b, index, group)];
        b.group(group).message(message, dst, Operand::null(Type::Ud), &parts_);
        parts.push(dst);
    }
    Ok(join(b, &parts, 1)[0])
}

/// Writes a dword per channel to scratch space. `index` counts dwords.
///
/// # Errors
/// The device does not have the message.
pub fn write_scratch(
    b: &mut Builder<'_>,
    target: &Target,
    index: Operand,
    data: Operand,
) -> Result<(), DescriptorError> {
    let header = scratch_header(b);
    for (group, channels) in halves(b) {
        let kind = isa::Message::DwordScatteredWrite {
            bti: target.messages.stateless,
            simd: simd_mode(channels),
        };
        let shape = Shape { headers: 1, first: 2, ..write_shape(Space::Scratch) };
        let message = message(target, kind, shape)?;
        let parts = [header, at(b, index, group), at(b, data, group)];
        let null = Operand::null(Type::Ud);
        b.exec(channels).group(group).message(message, null, null, &parts);
    }
    Ok(())
}

/// Joins the responses of the messages of one access: returns one register per component with all channels.
pub(super) fn join(b: &mut Builder<'_>, responses: &[Operand], components: u32) -> Vec<Operand> {
    let width = b.exec_size();
    if let [response] = responses {
        return (0..components).map(|c| response.component(width, c)).collect();
    }
    let each = width / responses.len() as u8;
    (0..components)
        .map(|c| {
            let whole = b.lanes(Type::Ud, 1);
            for (i, response) in responses.iter().enumerate() {
                let group = each * i as u8;
                let mut b = b.exec(each);
                let to = at(&mut b, whole, group);
                b.group(group).mov(to, response.component(each, c));
            }
            whole
        })
        .collect()
}
