//! Memory accesses of threads that run two vertices: one vector per vertex, at one address per vertex.
//!
//! SIMD4x2 messages have the address in the first dword of each half of a register and transfer a vector. If a device
//! does not have the SIMD4x2 form of a message, the SIMD8 form is used: it has an address and a dword for each of
//! eight channels, that is, for each component of both vertices. For an access with one dword per vertex, only the
//! first channel of each vertex is enabled, by the message's write mask (that of its destination, which a message
//! without response has too).

use crate::target::Target;
use crestline_isa::message::{
    self as isa, AtomicOp, Cache, ChannelMask, DescriptorError, SimdMode, SlotGroup,
};
use crestline_isa::{Swizzle, Type, WriteMask};

use super::{Atomic, Shape, Surface, message};
use crate::ir::{Builder, Effect, GRF_BYTES, Operand, Region, Space};

/// The first component of each vertex. Its channel is used for accesses with one dword per vertex.
const FIRST: u8 = 1;

/// A whole register as a payload part.
pub(super) fn register(operand: Operand) -> Operand {
    operand.retype(Type::Ud).with_region(Region::Swizzle(Swizzle::XYZW))
}

/// Emits a message for the channels of both vertices that `mask` selects. The response is written to `dst`.
#[allow(clippy::too_many_arguments, reason = "one per part of the message")]
fn send(
    b: &mut Builder<'_>,
    kind: isa::Message,
    shape: Shape,
    target: &Target,
    surface: Surface,
    mask: u8,
    dst: Operand,
    parts: &[Operand],
) -> Result<(), DescriptorError> {
    let message = message(target, kind, shape)?;
    let dst = dst.with_region(Region::Mask(WriteMask(mask)));
    b.align16().message(message, dst, surface.addend(), parts);
    Ok(())
}

/// Reads up to four dwords per vertex, from the byte offset in component x of `address` on. Returns a register with
/// the two vectors.
///
/// # Errors
/// The device does not have the message.
pub fn read_vectors(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    address: Operand,
    components: u32,
    effect: Effect,
) -> Result<Operand, DescriptorError> {
    let mask = ChannelMask::first(components);
    let kind = isa::Message::UntypedRead { bti: surface.bti(), simd: SimdMode::Simd4x2, mask };
    let space = surface.space();
    let shape = Shape { headers: 0, first: 1, response: GRF_BYTES, effect, space };
    let dst = Operand::vgrf(b.vregs().bytes(GRF_BYTES), Type::Ud);
    send(b, kind, shape, target, surface, 0xf, dst, &[register(address)])?;
    Ok(dst)
}

/// Writes the components of `mask` of each vertex's vector. With
/// [`vector_writes`](crate::target::MessageSet::vector_writes), they are written from the byte offset in component x
/// of `address` on; otherwise each is written to the offset in its own component.
///
/// # Errors
/// The device does not have the message.
pub fn write_vectors(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    address: Operand,
    data: Operand,
    mask: u8,
) -> Result<(), DescriptorError> {
    let vectors = target.messages.vector_writes;
    let (simd, channels) = match vectors {
        true => (SimdMode::Simd4x2, ChannelMask(mask)),
        false => (SimdMode::Simd8, ChannelMask::first(1)),
    };
    let kind = isa::Message::UntypedWrite { bti: surface.bti(), simd, mask: channels };
    let space = surface.space();
    let shape = Shape { headers: 0, first: 1, response: 0, effect: Effect::Write, space };
    let mask = if vectors { 0xf } else { mask };
    let (null, parts) = (Operand::null(Type::Ud), [register(address), register(data)]);
    send(b, kind, shape, target, surface, mask, null, &parts)
}

/// Emits a dword atomic per vertex. `parts` are registers with the offset and the operands in their first components.
/// Returns the old values in the first component if `wanted`.
///
/// # Errors
/// The device does not have the message or the operation.
pub fn atomic_vectors(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    op: Atomic,
    parts: &[Operand],
    wanted: bool,
) -> Result<Option<Operand>, DescriptorError> {
    let (bti, simd, return_data) = (surface.bti(), SimdMode::Simd8, wanted);
    let kind = match op {
        Atomic::Integer(op) => {
            isa::Message::UntypedAtomic { bti, op, simd, return_data, word: false }
        }
        Atomic::Float(op) => {
            isa::Message::UntypedAtomicFloat { bti, op, simd, return_data, half: false }
        }
    };
    atomic(b, kind, 0, target, surface, parts, wanted)
}

/// Emits an atomic message with one channel per vertex. The first `headers` parts are header registers.
fn atomic(
    b: &mut Builder<'_>,
    kind: isa::Message,
    headers: u8,
    target: &Target,
    surface: Surface,
    parts: &[Operand],
    wanted: bool,
) -> Result<Option<Operand>, DescriptorError> {
    let (effect, space) = (Effect::Write, surface.space());
    let response = if wanted { GRF_BYTES } else { 0 };
    let shape = Shape { headers, first: headers + 1, response, effect, space };
    let dst = wanted.then(|| Operand::vgrf(b.vregs().bytes(GRF_BYTES), Type::Ud));
    let to = dst.unwrap_or(Operand::null(Type::Ud));
    let parts: Vec<Operand> = parts.iter().copied().map(register).collect();
    send(b, kind, shape, target, surface, FIRST, to, &parts)?;
    Ok(dst)
}

/// Reads `components` (1 to 4) components of a texel per vertex. Coordinates are in the first components of
/// registers. Returns one register per texel component, which is in the first component of the register.
///
/// # Errors
/// The device does not have the message.
pub fn read_texels(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    header: Option<Operand>,
    coordinates: &[Operand],
    components: u32,
    effect: Effect,
) -> Result<Vec<Operand>, DescriptorError> {
    let mask = ChannelMask::first(components);
    let kind = isa::Message::TypedRead { bti: surface.bti(), slots: SlotGroup::Low, mask };
    let headers = u8::from(header.is_some());
    let first = headers + coordinates.len() as u8;
    let response = components * GRF_BYTES;
    let shape = Shape { headers, first, response, effect, space: surface.space() };
    let dst = Operand::vgrf(b.vregs().bytes(response), Type::Ud);
    let parts: Vec<Operand> =
        header.into_iter().chain(coordinates.iter().copied()).map(register).collect();
    send(b, kind, shape, target, surface, FIRST, dst, &parts)?;
    Ok((0..components).map(|c| dst.byte_offset(c * GRF_BYTES)).collect())
}

/// Writes a texel per vertex. Coordinates and texel components are in the first components of registers.
///
/// # Errors
/// The device does not have the message.
pub fn write_texels(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    header: Option<Operand>,
    coordinates: &[Operand],
    data: &[Operand],
) -> Result<(), DescriptorError> {
    let mask = ChannelMask::first(data.len() as u32);
    let kind = isa::Message::TypedWrite { bti: surface.bti(), slots: SlotGroup::Low, mask };
    let headers = u8::from(header.is_some());
    let first = headers + coordinates.len() as u8;
    let (effect, space) = (Effect::Write, surface.space());
    let shape = Shape { headers, first, response: 0, effect, space };
    let lists = coordinates.iter().chain(data).copied();
    let parts: Vec<Operand> = header.into_iter().chain(lists).map(register).collect();
    send(b, kind, shape, target, surface, FIRST, Operand::null(Type::Ud), &parts)
}

/// Emits an atomic on a texel, which must be a dword, per vertex. `lanes` are registers with the coordinates and
/// operands in their first components.
///
/// # Errors
/// The device does not have the message or the operation.
pub fn atomic_texels(
    b: &mut Builder<'_>,
    target: &Target,
    surface: Surface,
    op: AtomicOp,
    header: Option<Operand>,
    lanes: &[Operand],
    wanted: bool,
) -> Result<Option<Operand>, DescriptorError> {
    let (bti, slots) = (surface.bti(), SlotGroup::Low);
    let kind = isa::Message::TypedAtomic { bti, op, slots, return_data: wanted };
    let headers = u8::from(header.is_some());
    let parts: Vec<Operand> = header.into_iter().chain(lanes.iter().copied()).collect();
    atomic(b, kind, headers, target, surface, &parts, wanted)
}

/// Reads a dword of scratch space for each component of both vertices. `index` counts dwords; `header` is a register
/// filled by [`fill_scratch_header`](super::fill_scratch_header).
///
/// # Errors
/// The device does not have the message.
pub fn read_scratch_vectors(
    b: &mut Builder<'_>,
    target: &Target,
    header: Operand,
    index: Operand,
) -> Result<Operand, DescriptorError> {
    let kind = isa::Message::DwordScatteredRead {
        cache: Cache::Data,
        bti: target.messages.stateless,
        simd: SimdMode::Simd8,
        invalidate: false,
    };
    let (effect, space) = (Effect::Read, Space::Scratch);
    let shape = Shape { headers: 1, first: 2, response: GRF_BYTES, effect, space };
    let dst = Operand::vgrf(b.vregs().bytes(GRF_BYTES), Type::Ud);
    let parts = [register(header), register(index)];
    send(b, kind, shape, target, Surface::Index(0), 0xf, dst, &parts)?;
    Ok(dst)
}

/// Writes the components of `mask`, each to its own dword of scratch space.
///
/// # Errors
/// The device does not have the message.
pub fn write_scratch_vectors(
    b: &mut Builder<'_>,
    target: &Target,
    header: Operand,
    index: Operand,
    data: Operand,
    mask: u8,
) -> Result<(), DescriptorError> {
    let bti = target.messages.stateless;
    let kind = isa::Message::DwordScatteredWrite { bti, simd: SimdMode::Simd8 };
    let (effect, space) = (Effect::Write, Space::Scratch);
    let shape = Shape { headers: 1, first: 2, response: 0, effect, space };
    let parts = [register(header), register(index), register(data)];
    let null = Operand::null(Type::Ud);
    send(b, kind, shape, target, Surface::Index(0), mask, null, &parts)
}
