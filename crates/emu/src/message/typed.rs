//! Typed surface messages: one texel per channel, converted between memory and 32-bit channels.
//!
//! A message has eight channels. Coordinates are signed integers, one register each; their number follows from the
//! payload's length.

use super::atomic::Operation;
use super::{Bound, Call, World, dwords};
use crate::buffer::Buffer;
use crate::image::{ImageShape, Level, texel_offset};
use crate::layout::Placement;
use crate::memory::Memory;
use crate::texel::{decode, encode, is_integer, wrapped};
use crate::thread::{Fault, Thread};
use crate::weak::Path;
use crate::{Problem, SurfaceName};
use crestline_device::{SurfaceFormat, TypedRead};
use crestline_isa::message::{Bti, ChannelMask, SlotGroup};

/// Channels of a message.
const LANES: usize = 8;

/// An image or texel buffer that is bound as a typed surface.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) shape: ImageShape,
    pub(crate) memory: &'a Buffer,
    /// The memory layout of level 0, if it is not tightly packed.
    pub(crate) placement: Option<&'a Placement>,
    /// The format of the surface state, which the driver may choose.
    pub(crate) format: SurfaceFormat,
    /// The form in which typed reads return texels.
    pub(crate) read: TypedRead,
}

impl View<'_> {
    /// The byte offset of a texel of a level, or `None` outside. Of a texel with several samples, that of slice 0.
    pub(super) fn offset(&self, level: &Level, at: [i64; 3]) -> Option<u64> {
        match self.placement {
            Some(placement) if level.contains(at) => {
                Some(placement.texel_offset(at.map(i64::cast_unsigned)))
            }
            Some(_) => None,
            None => texel_offset(level, at, self.format.bytes() * self.shape.samples),
        }
    }

    /// The result of a typed read of the texel at a byte offset.
    fn read(&self, t: &mut Thread, memory: &mut Memory<'_>, bti: Bti, offset: u64) -> [u32; 4] {
        match self.read {
            TypedRead::Converted => decode(self.format, &self.load_from(memory, offset)),
            // The dword extends beyond the end, where memory belongs to other resources. Return a conspicuous value.
            TypedRead::Dword if offset + 4 > self.memory.len() as u64 => {
                [0xdead_0000 | memory.load(offset, self.format.bytes() as usize), 0, 0, 0]
            }
            TypedRead::Dword => [memory.load(offset, 4), 0, 0, 0],
            TypedRead::Bits => {
                let texel = self.load_from(memory, offset);
                std::array::from_fn(|i| {
                    u32::from_le_bytes(std::array::from_fn(|byte| texel[4 * i + byte]))
                })
            }
            TypedRead::Undefined => {
                t.report(Problem::TypedRead { index: bti.0, format: self.format }, None);
                [0; 4]
            }
        }
    }

    /// The bytes of a texel in memory.
    pub(super) fn load(&self, offset: u64) -> [u8; 16] {
        self.memory.load_texel(offset as usize, self.format.bytes() as usize)
    }

    /// The bytes of a texel, loaded through `memory`, which may be weak.
    pub(super) fn load_from(&self, memory: &mut Memory<'_>, offset: u64) -> [u8; 16] {
        let mut bytes = [0; 16];
        let size = self.format.bytes() as usize;
        for (i, part) in bytes[..size].chunks_mut(4).enumerate() {
            let word = memory.load(offset + 4 * i as u64, part.len());
            part.copy_from_slice(&word.to_le_bytes()[..part.len()]);
        }
        bytes
    }
}

/// Stores the bytes of a texel.
fn store(memory: &mut Memory<'_>, offset: u64, bytes: &[u8]) {
    for (i, part) in bytes.chunks(4).enumerate() {
        let mut word = [0; 4];
        word[..part.len()].copy_from_slice(part);
        memory.store(offset + 4 * i as u64, part.len(), u32::from_le_bytes(word));
    }
}

/// The image at a binding table index; `None` for a null surface. An entry that is not bound is reported, and a raw
/// surface is a fault of the thread.
fn view<'a>(t: &mut Thread, world: &World<'a>, bti: Bti) -> Option<View<'a>> {
    match world.surfaces.get(usize::from(bti.0)) {
        Some(Bound::Image(view)) if view.shape.samples > 1 => {
            t.fail(Fault::Message("a typed access to a multisampled image".into()));
            None
        }
        Some(Bound::Image(view)) if view.format.info().compression.is_some() => {
            t.fail(Fault::Message("a typed access to a compressed image".into()));
            None
        }
        Some(Bound::Image(view)) => Some(*view),
        Some(Bound::Null) => None,
        Some(Bound::Buffer(_) | Bound::RenderTarget(_) | Bound::Other(_)) => {
            t.fail(Fault::Message("a typed access to a surface that is no image".into()));
            None
        }
        Some(Bound::Unbound) | None => {
            t.report(Problem::Unbound { index: bti.0 }, None);
            None
        }
    }
}

/// The enabled channels of a slot group, as numbers 0 to 7: those of the instruction that are also in the header's pixel
/// mask, if there is a header.
fn channels(
    call: &Call<'_>,
    t: &mut Thread,
    slots: SlotGroup,
) -> impl Iterator<Item = usize> + use<> {
    let high = slots == SlotGroup::High;
    let mut mask = if high && call.wide { call.mask >> 8 } else { call.mask };
    if call.descriptor.header_present {
        mask &= call.header(t, 7) >> if high { 8 } else { 0 };
    }
    crate::mask::lanes_of(mask & 0xff)
}

/// The surface of a typed message: an image, or none.
pub(super) struct Texels<'a> {
    view: Option<View<'a>>,
    bti: Bti,
}

impl<'a> Texels<'a> {
    /// The texels of the image at a binding table index, see [`view`].
    pub(super) fn of(t: &mut Thread, world: &World<'a>, bti: Bti) -> Texels<'a> {
        Texels { view: view(t, world, bti), bti }
    }

    /// Like [`of`](Self::of), for atomics. Reports a null surface on devices that write memory in this case.
    pub(super) fn of_atomic(t: &mut Thread, world: &World<'a>, bti: Bti) -> Texels<'a> {
        let null = matches!(world.surfaces.get(usize::from(bti.0)), Some(Bound::Null));
        if null && world.null_atomics_stray {
            t.report(Problem::NullAtomic { index: bti.0 }, None);
        }
        Texels::of(t, world, bti)
    }

    /// The image, and the byte offset of the texel at the given coordinates. Reports coordinates outside of the image,
    /// and returns `None` for them.
    fn locate(
        &self,
        t: &mut Thread,
        at: [i64; 3],
        lane: usize,
        write: bool,
    ) -> Option<(View<'a>, u64)> {
        let view = self.view?;
        let [x, y, z] = view.shape.place(at);
        if let Some(offset) = view.offset(&view.shape.level(0)?, [x, y, z]) {
            return Some((view, offset));
        }
        let address = (y as u64 & 0xffff_ffff) << 32 | x as u64 & 0xffff_ffff;
        let surface = SurfaceName::Image(self.bti.0);
        let (size, limit) = (view.format.bytes(), view.memory.len() as u64);
        t.report(Problem::OutOfBounds { surface, address, size, limit, write }, Some(lane as u8));
        None
    }

    /// Reads a texel; the value for reads out of bounds if there is none.
    pub(super) fn read(
        &self,
        t: &mut Thread,
        world: &mut World<'_>,
        at: [i64; 3],
        lane: usize,
    ) -> [u32; 4] {
        if let Some((view, offset)) = self.locate(t, at, lane, false) {
            let mut memory = world.memory(t, Path::Typed, view.memory);
            return view.read(t, &mut memory, self.bti, offset);
        }
        match self.view {
            Some(view) if world.alpha_one => {
                [0, 0, 0, if is_integer(view.format) { 1 } else { 1f32.to_bits() }]
            }
            _ => [0; 4],
        }
    }

    /// Writes a texel.
    pub(super) fn write(
        &self,
        t: &mut Thread,
        world: &mut World<'_>,
        at: [i64; 3],
        lane: usize,
        mut channels: [u32; 4],
    ) {
        let Some((view, offset)) = self.locate(t, at, lane, true) else { return };
        if world.wrap_integers {
            channels = wrapped(view.format, channels);
        }
        let mut bytes = [0; 16];
        let size = view.format.bytes() as usize;
        encode(view.format, channels, &mut bytes[..size]);
        let mut memory = world.memory(t, Path::Typed, view.memory);
        store(&mut memory, offset, &bytes[..size]);
    }

    /// Executes an atomic on a texel. Returns the value to return to the thread; 0 outside of the image.
    pub(super) fn update(
        &self,
        t: &mut Thread,
        world: &mut World<'_>,
        at: [i64; 3],
        lane: usize,
        operation: Operation,
        operands: [u64; 2],
    ) -> u32 {
        let Some((view, offset)) = self.locate(t, at, lane, true) else { return 0 };
        let mut memory = world.memory(t, Path::Typed, view.memory);
        operation.update(t, &mut memory, offset, operands)
    }
}

/// The coordinates of a channel.
fn place(call: &Call<'_>, t: &mut Thread, coordinates: usize, lane: usize) -> [i64; 3] {
    let mut at = [0; 3];
    for (i, at) in at.iter_mut().enumerate().take(coordinates) {
        *at = call.dword(t, i, LANES, lane).cast_signed().into();
    }
    at
}

/// Number of coordinates: the payload's registers without header and data.
fn coordinates(call: &Call<'_>, data: usize) -> usize {
    let payload = usize::from(call.descriptor.mlen) + usize::from(call.descriptor.ex_mlen);
    payload.saturating_sub(call.header_registers() + data)
}

/// Reads a texel per channel. The payload contains the coordinates; each component of `mask` is one response register.
pub(super) fn read(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    slots: SlotGroup,
    mask: ChannelMask,
) {
    let coordinates = coordinates(call, 0);
    if !call.fits(t, call.header_registers() + 1, dwords(mask).count()) {
        return;
    }
    let texels = Texels::of(t, world, bti);
    for lane in channels(call, t, slots) {
        let at = place(call, t, coordinates, lane);
        let texel = texels.read(t, world, at, lane);
        for (position, component) in dwords(mask) {
            call.respond(t, position * LANES + lane, texel[component]);
        }
    }
}

/// Writes a texel per channel. The payload contains the coordinates, then a register per component of `mask`.
pub(super) fn write(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    slots: SlotGroup,
    mask: ChannelMask,
) {
    let data = dwords(mask).count();
    let coordinates = coordinates(call, data);
    if !call.fits(t, call.header_registers() + 1 + data, 0) {
        return;
    }
    let texels = Texels::of(t, world, bti);
    for lane in channels(call, t, slots) {
        let mut channels = [0; 4];
        for (position, component) in dwords(mask) {
            channels[component] = call.dword(t, coordinates + position, LANES, lane);
        }
        let at = place(call, t, coordinates, lane);
        texels.write(t, world, at, lane, channels);
    }
}

/// Executes an atomic on a texel per channel. The payload contains the coordinates, then a register per data operand.
pub(super) fn atomic(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    operation: Operation,
    slots: SlotGroup,
    return_data: bool,
) {
    let data = operation.operands();
    let coordinates = coordinates(call, data);
    if !call.fits(t, call.header_registers() + 1 + data, usize::from(return_data)) {
        return;
    }
    let texels = Texels::of_atomic(t, world, bti);
    for lane in channels(call, t, slots) {
        let mut operands = [0; 2];
        for (i, operand) in operands.iter_mut().enumerate().take(data) {
            *operand = u64::from(call.dword(t, coordinates + i, LANES, lane));
        }
        let at = place(call, t, coordinates, lane);
        let old = texels.update(t, world, at, lane, operation, operands);
        if return_data {
            call.respond(t, lane, old);
        }
    }
}
