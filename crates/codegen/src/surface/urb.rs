//! URB messages of threads that run two vertices. A message accesses consecutive slots (16 bytes each) in the URB
//! entry of each vertex.
//!
//! The header contains the two handles in dwords 0 and 1, and in dwords 3 and 4, if the message states so, an offset
//! for each entry. Bits 15:8 of dword 5 are a mask of channels that is combined with the channel enables (PRM vol 4
//! part 2, "URB message header"). A data register holds one slot of both entries; the low half belongs to the first
//! entry.

use crate::target::Target;
use crestline_isa::message::{self as isa, DescriptorError, UrbLayout, UrbSwizzle};
use crestline_isa::{Type, WriteMask};

use super::vec4::register;
use super::{Shape, message};
use crate::ir::{Builder, Effect, GRF_BYTES, Operand, Region, Space};

/// Byte offsets of the dwords in the header, and values of the mask.
pub mod header {
    /// Handle of the first entry, followed by that of the second.
    pub const HANDLES: u32 = 0;
    /// Vertex counts of a geometry shader's two objects, one word each, in the last message.
    pub const COUNTS: u32 = 8;
    /// Offset in the first entry, followed by that in the second.
    pub const DISTANCES: u32 = 12;
    /// Channel mask.
    pub const MASK: u32 = 20;
    /// Value of the mask for all channels.
    pub const ALL: u32 = 0xff00;
    /// Value of the mask for the first dword of the first entry.
    pub const FIRST_DWORD: u32 = 0x0100;
}

/// The slots that a message accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrbAddress {
    /// First slot; a multiple of 2 unless `single` is set.
    pub slot: u32,
    /// Whether the message accesses one slot and not an even number of slots.
    pub single: bool,
    /// Whether the header contains offsets. They count slots if `single` is set, otherwise pairs of slots.
    pub distances: bool,
}

impl UrbAddress {
    fn layout(self) -> UrbLayout {
        if self.single { UrbLayout::Oword } else { UrbLayout::Hword }
    }

    /// The offset field of the message.
    fn offset(self) -> u16 {
        let offset = if self.single { self.slot } else { self.slot / 2 };
        // A slot out of range becomes an offset that no message can have, so encoding reports an error.
        u16::try_from(offset).unwrap_or(u16::MAX)
    }
}

/// Largest number of slots in one message: a payload has at most fifteen registers, and the header is one of them.
pub const MAX_SLOTS: u32 = 14;

/// Writes a header with the handles and the scratch base of r0, and a mask of all channels.
pub fn fill_header(b: &mut Builder<'_>, header: Operand) {
    let r0 = Operand::grf(0, Type::Ud);
    let header = header.retype(Type::Ud).with_stride(1);
    b.uniform().no_mask().exec(8).mov(header, r0);
    let mask = r0.with_stride(0).byte_offset(header::MASK);
    let mask_dword = header.with_stride(0).byte_offset(header::MASK);
    b.uniform().or(mask_dword, mask, Operand::imm_ud(header::ALL));
}

/// Writes a header without handles, with a mask of all channels.
pub fn fill_blank_header(b: &mut Builder<'_>, header: Operand) {
    let header = header.retype(Type::Ud).with_stride(1);
    b.uniform().exec(8).mov(header, Operand::imm_ud(0));
    let mask_dword = header.with_stride(0).byte_offset(header::MASK);
    b.uniform().mov(mask_dword, Operand::imm_ud(header::ALL));
}

/// Writes the components of `mask` of the slots in the registers from `payload` on; the header is the first register
/// there. `last` ends the thread and completes the entry.
///
/// # Errors
/// The device does not have the message, or a slot is out of its range.
pub fn write_slots(
    b: &mut Builder<'_>,
    target: &Target,
    payload: Operand,
    address: UrbAddress,
    slots: u32,
    mask: WriteMask,
    last: bool,
) -> Result<(), DescriptorError> {
    let kind = isa::Message::UrbWrite {
        layout: address.layout(),
        offset: address.offset(),
        swizzle: UrbSwizzle::Interleave,
        per_slot_offset: address.distances,
        channel_mask: false,
        allocate: false,
        used: false,
        complete: last && target.has_urb_complete(),
    };
    let parts = slots as u8 + 1;
    let (effect, space) = (if last { Effect::Barrier } else { Effect::Write }, Space::Urb);
    let shape = Shape { headers: 1, first: parts, response: 0, effect, space };
    let mut message = message(target, kind, shape)?;
    message.eot = last;
    let parts: Vec<Operand> = (0..u32::from(parts))
        .map(|i| payload.retype(Type::Ud).with_stride(1).byte_offset(i * GRF_BYTES))
        .collect();
    let null = Operand::null(Type::Ud);
    if mask == WriteMask::XYZW {
        whole(b, |b| _ = b.message(message, null, null, &parts));
    } else {
        let dst = null.with_region(Region::Mask(mask));
        let parts: Vec<Operand> = parts.into_iter().map(register).collect();
        b.align16().message(message, dst, null, &parts);
    }
    Ok(())
}

/// Reads slots into the registers from `dst` on.
///
/// # Errors
/// The device does not have the message, or a slot is out of its range.
pub fn read_slots(
    b: &mut Builder<'_>,
    target: &Target,
    header: Operand,
    address: UrbAddress,
    dst: Operand,
    slots: u32,
    effect: Effect,
) -> Result<(), DescriptorError> {
    let kind = isa::Message::UrbRead {
        layout: address.layout(),
        offset: address.offset(),
        swizzle: UrbSwizzle::Interleave,
        per_slot_offset: address.distances,
        complete: false,
    };
    let response = slots * GRF_BYTES;
    let shape = Shape { headers: 1, first: 1, response, effect, space: Space::Urb };
    let message = message(target, kind, shape)?;
    let header = header.retype(Type::Ud).with_stride(1);
    let dst = dst.retype(Type::Ud).with_stride(1);
    whole(b, |b| _ = b.message(message, dst, Operand::null(Type::Ud), &[header]));
    Ok(())
}

/// Ends a tessellation control thread, with a payload of a header and one slot.
///
/// # Errors
/// The device does not have the message.
pub fn end_patch(
    b: &mut Builder<'_>,
    target: &Target,
    payload: Operand,
) -> Result<(), DescriptorError> {
    let kind = isa::Message::UrbWrite {
        layout: UrbLayout::Oword,
        offset: 0,
        swizzle: UrbSwizzle::None,
        per_slot_offset: false,
        channel_mask: false,
        allocate: false,
        used: false,
        complete: false,
    };
    let (effect, space) = (Effect::Barrier, Space::Urb);
    let shape = Shape { headers: 1, first: 2, response: 0, effect, space };
    let mut message = message(target, kind, shape)?;
    message.eot = true;
    let null = Operand::null(Type::Ud);
    let payload = payload.retype(Type::Ud).with_stride(1);
    let parts = [payload, payload.byte_offset(GRF_BYTES)];
    whole(b, |b| _ = b.message(message, null, null, &parts));
    Ok(())
}

/// Releases the entries of a header: the thread will not read them any more.
///
/// # Errors
/// The device does not have the message.
pub fn release(
    b: &mut Builder<'_>,
    target: &Target,
    header: Operand,
) -> Result<(), DescriptorError> {
    let kind = isa::Message::UrbRead {
        layout: UrbLayout::Oword,
        offset: 0,
        swizzle: UrbSwizzle::Interleave,
        per_slot_offset: false,
        complete: true,
    };
    let (effect, space) = (Effect::Barrier, Space::Urb);
    let shape = Shape { headers: 1, first: 1, response: 0, effect, space };
    let message = message(target, kind, shape)?;
    let null = Operand::null(Type::Ud);
    let header = header.retype(Type::Ud).with_stride(1);
    whole(b, |b| _ = b.message(message, null, null, &[header]));
    Ok(())
}

/// Calls `build` with an Align1 builder: registers of a message are whole, whatever the access mode of the code
/// around it.
pub(super) fn whole(b: &mut Builder<'_>, build: impl FnOnce(&mut Builder<'_>)) {
    let mut b = b.align1();
    build(&mut b);
}
