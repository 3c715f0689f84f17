//! Messages to the URB (unified return buffer) from threads of two vertices: rows of slots of 16 bytes in an entry for
//! each.
//!
//! The header has the handles in dwords 0 and 1, distances in slots in dwords 3 and 4 if the message says so, and in bits
//! 15:8 of dword 5 a mask of channels that is combined with the channel enables (PRM vol 4 part 2, "URB message
//! header"). A data register is one slot of the two entries: the low half goes to the first.

use crate::target::Target;
use crestline_isa::message::{self as isa, DescriptorError, UrbLayout, UrbSwizzle};
use crestline_isa::{Type, WriteMask};

use super::vec4::register;
use super::{Shape, message};
use crate::ir::{Builder, Effect, GRF_BYTES, Operand, Region, Space};

/// Bytes of the header's dwords: the two handles, the two distances, the mask.
pub mod header {
    /// Handle of the first entry; that of the second follows.
    pub const HANDLES: u32 = 0;
    /// Vertex counts of a geometry shader's two objects, a word each, in its last message.
    pub const COUNTS: u32 = 8;
    /// Distance of the first entry; that of the second follows.
    pub const DISTANCES: u32 = 12;
    /// Channel masks.
    pub const MASK: u32 = 20;
    /// All channels.
    pub const ALL: u32 = 0xff00;
    /// The first dword of the first entry.
    pub const FIRST_DWORD: u32 = 0x0100;
}

/// Where in its entries a message works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrbAddress {
    /// First slot; a multiple of 2 unless `single`.
    pub slot: u32,
    /// One slot rather than an even number of them.
    pub single: bool,
    /// The header has distances, in slots if `single`, else in pairs of slots.
    pub distances: bool,
}

impl UrbAddress {
    fn layout(self) -> UrbLayout {
        if self.single { UrbLayout::Oword } else { UrbLayout::Hword }
    }

    fn offset(self) -> u16 {
        let offset = if self.single { self.slot } else { self.slot / 2 };
        // More than the field of any message: an error where that is encoded.
        u16::try_from(offset).unwrap_or(u16::MAX)
    }
}

/// Slots that one message can have: a payload is at most fifteen registers, the header one of them.
pub const MAX_SLOTS: u32 = 14;

/// A header like r0, whose handles and scratch base it has: all channels write.
pub fn fill_header(b: &mut Builder<'_>, header: Operand) {
    let r0 = Operand::grf(0, Type::Ud);
    let header = header.retype(Type::Ud).with_stride(1);
    b.uniform().no_mask().exec(8).mov(header, r0);
    let mask = r0.with_stride(0).byte_offset(header::MASK);
    let mask_dword = header.with_stride(0).byte_offset(header::MASK);
    b.uniform().or(mask_dword, mask, Operand::imm_ud(header::ALL));
}

/// A header without handles: all channels write.
pub fn fill_blank_header(b: &mut Builder<'_>, header: Operand) {
    let header = header.retype(Type::Ud).with_stride(1);
    b.uniform().exec(8).mov(header, Operand::imm_ud(0));
    let mask_dword = header.with_stride(0).byte_offset(header::MASK);
    b.uniform().mov(mask_dword, Operand::imm_ud(header::ALL));
}

/// Writes the components of `mask` of the slots that follow the header in the registers from `payload` on. `last` ends
/// the thread and the entry.
///
/// # Errors
/// A device without the message, or a slot out of its reach.
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

/// Reads slots into registers from `dst` on.
///
/// # Errors
/// A device without the message, or a slot out of its reach.
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

/// Ends a tessellation control thread with a payload of a header and one slot.
///
/// # Errors
/// A device without the message.
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

/// Tells that the thread will not read the entries of a header any more.
///
/// # Errors
/// A device without the message.
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

/// A message's registers are whole, whatever the mode of the code around it.
pub(super) fn whole(b: &mut Builder<'_>, build: impl FnOnce(&mut Builder<'_>)) {
    let mut b = b.align1();
    build(&mut b);
}
