//! Reads, writes and atomics at 64-bit addresses (A64 messages, gen8 on), without a surface and without a check of
//! bounds.
//!
//! Addresses are 64-bit elements, one per channel or one for all channels. Messages of gen8 have eight channels; later
//! ones up to 16, except those of atomics (PRM of Skylake, volume 7, "A64 Untyped Surface Read").

use crate::target::Target;
use crestline_isa::Type;
use crestline_isa::message::{self as isa, A64Element, ByteSize, ChannelMask, DescriptorError};

use super::memory::join;
use super::{Atomic, Shape, at, message, parts, simd_mode};
use crate::ir::{Builder, Effect, GRF_BYTES, Operand, Space};

/// The shape of a message whose payload begins with addresses.
fn shape(response: u32, effect: Effect) -> Shape {
    Shape { headers: 0, first: 1, response, effect, space: Space::Global }
}

/// Number of elements in a scattered message, which counts bytes.
fn bytes(size: ByteSize) -> u8 {
    match size {
        ByteSize::Byte => 1,
        ByteSize::Word => 2,
        ByteSize::Dword => 4,
    }
}

/// Reads `components` (1 to 4) dwords per channel. Returns a register per component.
///
/// # Errors
/// The device does not have the message.
pub fn read_at_address(
    b: &mut Builder<'_>,
    target: &Target,
    address: Operand,
    components: u32,
    effect: Effect,
) -> Result<Vec<Operand>, DescriptorError> {
    let mut responses = Vec::new();
    for (group, channels) in parts(b, target.messages.address_channels) {
        let (bti, simd) = (target.messages.stateless, simd_mode(channels));
        let mask = ChannelMask::first(components);
        let kind = isa::Message::A64UntypedRead { bti, simd, mask };
        let response = u32::from(channels) * Type::Ud.size() * components;
        let message = message(target, kind, shape(response, effect))?;
        let mut b = b.exec(channels);
        let dst = b.lanes(Type::Ud, components);
        let address = at(&mut b, address, group);
        b.group(group).message(message, dst, Operand::null(Type::Ud), &[address]);
        responses.push(dst);
    }
    Ok(join(b, &responses, components))
}

/// Reads `count` consecutive dwords, at most one for each channel of a message, from an address that is the same for all
/// channels. Returns them in one register, or two for more than eight. `steps` has each channel's distance from the
/// address in bytes, as words, unless there is one dword; see [`super::read_block`].
///
/// # Errors
/// The device does not have the message.
pub fn read_block_at_address(
    b: &mut Builder<'_>,
    target: &Target,
    address: Operand,
    (count, steps): (u32, Option<Operand>),
    effect: Effect,
) -> Result<Operand, DescriptorError> {
    let channels = if count > 8 { 16 } else { 8 };
    let (bti, simd, mask) = (target.messages.stateless, simd_mode(channels), ChannelMask::first(1));
    let kind = isa::Message::A64UntypedRead { bti, simd, mask };
    let response = u32::from(channels) / 8 * GRF_BYTES;
    let message = message(target, kind, shape(response, effect))?;
    let mut b = b.no_mask();
    let mut b = b.exec(channels);
    let (places, dst) = (b.lanes(Type::Uq, 1), b.lanes(Type::Ud, 1));
    match steps {
        Some(steps) => b.add(places, address, steps),
        None => b.mov(places, address),
    };
    b.message(message, dst, Operand::null(Type::Ud), &[places]);
    Ok(dst)
}

/// Writes `data`, one to four dwords per channel.
///
/// # Errors
/// The device does not have the message.
pub fn write_at_address(
    b: &mut Builder<'_>,
    target: &Target,
    address: Operand,
    data: &[Operand],
) -> Result<(), DescriptorError> {
    for (group, channels) in parts(b, target.messages.address_channels) {
        let (bti, simd) = (target.messages.stateless, simd_mode(channels));
        let mask = ChannelMask::first(data.len() as u32);
        let kind = isa::Message::A64UntypedWrite { bti, simd, mask };
        let message = message(target, kind, shape(0, Effect::Write))?;
        let payload: Vec<Operand> =
            [address].iter().chain(data).map(|&part| at(b, part, group)).collect();
        let null = Operand::null(Type::Ud);
        b.exec(channels).group(group).message(message, null, null, &payload);
    }
    Ok(())
}

/// Reads `size` bytes per channel into the low part of a dword, whose other bits are undefined.
///
/// # Errors
/// The device does not have the message.
pub fn read_scattered_at_address(
    b: &mut Builder<'_>,
    target: &Target,
    address: Operand,
    size: ByteSize,
    effect: Effect,
) -> Result<Operand, DescriptorError> {
    let mut responses = Vec::new();
    for (group, channels) in parts(b, target.messages.address_channels) {
        let (bti, simd) = (target.messages.stateless, simd_mode(channels));
        let (element, count) = (A64Element::Byte, bytes(size));
        let kind = isa::Message::A64ScatteredRead { bti, element, count, simd };
        let response = u32::from(channels) * Type::Ud.size();
        let message = message(target, kind, shape(response, effect))?;
        let mut b = b.exec(channels);
        let dst = b.lanes(Type::Ud, 1);
        let address = at(&mut b, address, group);
        b.group(group).message(message, dst, Operand::null(Type::Ud), &[address]);
        responses.push(dst);
    }
    Ok(join(b, &responses, 1)[0])
}

/// Writes the low `size` bytes of a dword per channel.
///
/// # Errors
/// The device does not have the message.
pub fn write_scattered_at_address(
    b: &mut Builder<'_>,
    target: &Target,
    address: Operand,
    data: Operand,
    size: ByteSize,
) -> Result<(), DescriptorError> {
    for (group, channels) in parts(b, target.messages.address_channels) {
        let (bti, simd) = (target.messages.stateless, simd_mode(channels));
        let (element, count) = (A64Element::Byte, bytes(size));
        let kind = isa::Message::A64ScatteredWrite { bti, element, count, simd };
        let message = message(target, kind, shape(0, Effect::Write))?;
        let payload = [address, data].map(|part| at(b, part, group));
        let null = Operand::null(Type::Ud);
        b.exec(channels).group(group).message(message, null, null, &payload);
    }
    Ok(())
}

/// Emits an atomic per channel on a number of 32 bits, or of 64 bits if `qword`. `operands` are the operands of the
/// operation, with as many bits. The old values are written to `dst`, if there is one. The builder's predicate applies to
/// the messages.
///
/// # Errors
/// The device does not have the message or the operation.
pub fn atomic_at_address(
    b: &mut Builder<'_>,
    target: &Target,
    op: Atomic,
    qword: bool,
    address: Operand,
    operands: &[Operand],
    dst: Option<Operand>,
) -> Result<(), DescriptorError> {
    let size = if qword { Type::Uq.size() } else { Type::Ud.size() };
    for (group, channels) in parts(b, 8) {
        let (bti, return_data) = (target.messages.stateless, dst.is_some());
        let kind = match op {
            Atomic::Integer(op) => {
                isa::Message::A64Atomic { bti, op, qword, return_data, word: false }
            }
            Atomic::Float(op) => isa::Message::A64AtomicFloat { bti, op, return_data, half: false },
        };
        let response = if return_data { u32::from(channels) * size } else { 0 };
        let message = message(target, kind, shape(response, Effect::Write))?;
        let payload: Vec<Operand> =
            [address].iter().chain(operands).map(|&part| at(b, part, group)).collect();
        let dst = match dst {
            Some(dst) => at(b, dst, group),
            None => Operand::null(Type::Ud),
        };
        b.exec(channels).group(group).message(message, dst, Operand::null(Type::Ud), &payload);
    }
    Ok(())
}
