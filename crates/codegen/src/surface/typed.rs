//! Reads, writes and atomics on texels of typed surfaces.
//!
//! A message has eight channels. Coordinates are signed dwords, one for each dimension of the surface. The surface
//! checks bounds: reads out of bounds return 0 (the fourth component may be 1), and writes and atomics have no
//! effect. Some devices need a header, see [`fill_typed_header`].

use crate::target::Target;
use crestline_isa::Type;
use crestline_isa::message::{self as isa, AtomicOp, ChannelMask, DescriptorError, SlotGroup};

use super::memory::join;
use super::{Shape, Surface, at, message, parts};
use crate::ir::{Builder, Effect, Operand};

/// Number of channels of a message.
const CHANNELS: u8 = 8;

/// Byte offset in the header of the channel mask.
const MASK: u32 = 28;

/// All channels, so that only the channel enables of the instruction decide.
const ALL: u32 = 0xffff;

/// Reads `components` (1 to 4) components of the texel at each channel's coordinates. Returns a register per
/// component.
///
/// # Errors
/// The device does not have the message.
pub fn read_texel(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    header: Option<Operand>,
    coordinates: &[Operand],
    components: u32,
    effect: Effect,
) -> Result<Vec<Operand>, DescriptorError> {
    let mut responses = Vec::new();
    for (group, channels) in parts(b, CHANNELS) {
        let (slots, mask) = (slots(group), ChannelMask::first(components));
        let kind = isa::Message::TypedRead { bti: surface.bti(), slots, mask };
        let response = u32::from(channels) * Type::Ud.size() * components;
        let mut b = b.exec(channels);
        let dst = b.lanes(Type::Ud, components);
        let shape = shape(header, coordinates, surface, effect, response);
        let payload = payload(&mut b, header, [coordinates], group);
        let message = message(target, kind, shape)?;
        b.group(group).message(message, dst, surface.addend(), &payload);
        responses.push(dst);
    }
    Ok(join(b, &responses, components))
}

/// Writes the components of the texel at each channel's coordinates.
///
/// # Errors
/// The device does not have the message.
pub fn write_texel(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    header: Option<Operand>,
    coordinates: &[Operand],
    data: &[Operand],
) -> Result<(), DescriptorError> {
    for (group, channels) in parts(b, CHANNELS) {
        let (slots, mask) = (slots(group), ChannelMask::first(data.len() as u32));
        let kind = isa::Message::TypedWrite { bti: surface.bti(), slots, mask };
        let shape = shape(header, coordinates, surface, Effect::Write, 0);
        let payload = payload(b, header, [coordinates, data], group);
        let message = message(target, kind, shape)?;
        let null = Operand::null(Type::Ud);
        b.exec(channels).group(group).message(message, null, surface.addend(), &payload);
    }
    Ok(())
}

/// Emits an atomic on the texel, which must be a dword, at each channel's coordinates. `operands` are the operands of
/// the operation. Returns the old values if `wanted`.
///
/// # Errors
/// The device does not have the message or the operation.
#[allow(clippy::too_many_arguments, reason = "one per part of the message")]
pub fn atomic_texel(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    op: AtomicOp,
    header: Option<Operand>,
    coordinates: &[Operand],
    operands: &[Operand],
    wanted: bool,
) -> Result<Option<Operand>, DescriptorError> {
    let mut responses = Vec::new();
    for (group, channels) in parts(b, CHANNELS) {
        let (bti, slots) = (surface.bti(), slots(group));
        let kind = isa::Message::TypedAtomic { bti, op, slots, return_data: wanted };
        let response = if wanted { u32::from(channels) * Type::Ud.size() } else { 0 };
        let shape = shape(header, coordinates, surface, Effect::Write, response);
        let payload = payload(b, header, [coordinates, operands], group);
        let message = message(target, kind, shape)?;
        let mut b = b.exec(channels);
        let dst = if wanted { b.lanes(Type::Ud, 1) } else { Operand::null(Type::Ud) };
        b.group(group).message(message, dst, surface.addend(), &payload);
        responses.push(dst);
    }
    Ok(wanted.then(|| join(b, &responses, 1)[0]))
}

/// Writes the header of typed messages, for devices with [`typed_header`](crate::target::MessageSet::typed_header).
/// All messages of a program can use the same header.
pub fn fill_typed_header(b: &mut Builder<'_>, header: Operand) {
    b.no_mask().exec(CHANNELS).mov(header, Operand::imm_ud(0));
    b.uniform().mov(header.byte_offset(MASK), Operand::imm_ud(ALL));
}

/// The shape of a typed message.
fn shape(
    header: Option<Operand>,
    coordinates: &[Operand],
    surface: Surface,
    effect: Effect,
    response: u32,
) -> Shape {
    let headers = u8::from(header.is_some());
    let first = headers + coordinates.len() as u8;
    Shape { headers, first, response, effect, space: surface.space() }
}

/// The payload parts of a message for channels from `group` on.
fn payload<const N: usize>(
    b: &mut Builder<'_>,
    header: Option<Operand>,
    lists: [&[Operand]; N],
    group: u8,
) -> Vec<Operand> {
    let lanes = lists.into_iter().flatten().map(|&part| at(b, part, group));
    header.into_iter().chain(lanes).collect()
}

/// Whether channels from `group` on are the low or the high half of 16 channels.
fn slots(group: u8) -> SlotGroup {
    if (group / CHANNELS).is_multiple_of(2) { SlotGroup::Low } else { SlotGroup::High }
}
