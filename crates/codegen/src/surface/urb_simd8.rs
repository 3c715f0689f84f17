//! URB messages of threads with eight channels. Each channel accesses consecutive dwords of the entry that its handle
//! names, from a slot (16 bytes) on.
//!
//! The payload is a register with the handles, then optional registers with an offset in slots for each channel and with
//! a mask of dwords for each channel, then one register for each dword that is written (PRM vol 7, "URB messages",
//! SIMD8 read and write). A message accesses the entries of enabled channels only.

use crate::target::Target;
use crestline_isa::Type;
use crestline_isa::message::{self as isa, DescriptorError, UrbLayout, UrbSwizzle};

use super::{Shape, message};
use crate::ir::{Builder, Effect, GRF_BYTES, Operand, Space};

/// Largest number of consecutive dwords that a message accesses.
pub const MAX_DWORDS: u32 = 8;

/// Bit position in a channel's mask of the bit for the first dword.
const MASK_SHIFT: u32 = 16;

/// The place in the entries of all channels.
#[derive(Clone, Copy, Debug)]
pub struct EntryAddress {
    /// A whole register with the handle of each channel's entry.
    pub handles: Operand,
    /// The slot at which the accessed dwords begin.
    pub slot: u32,
    /// A whole register with a number of slots for each channel, which is added to the slot.
    pub distance: Option<Operand>,
}

impl EntryAddress {
    /// The offset field of the message. A slot out of range becomes an offset that no message can have, so encoding
    /// reports an error.
    fn offset(&self) -> u16 {
        u16::try_from(self.slot).unwrap_or(u16::MAX)
    }

    /// The first parts of the payload.
    fn parts(&self) -> Vec<Operand> {
        let whole = |operand: Operand| operand.retype(Type::Ud).with_stride(1);
        std::iter::once(self.handles).chain(self.distance).map(whole).collect()
    }
}

/// Reads `dwords` dwords of each channel's entry, at most [`MAX_DWORDS`]. Returns a register for each.
///
/// # Errors
/// The device does not have the message, or the slot is out of its range.
pub fn read_entry(
    b: &mut Builder<'_>,
    target: &Target,
    address: EntryAddress,
    dwords: u32,
    effect: Effect,
) -> Result<Vec<Operand>, DescriptorError> {
    let kind = isa::Message::UrbRead {
        layout: UrbLayout::Simd8,
        offset: address.offset(),
        swizzle: UrbSwizzle::None,
        per_slot_offset: address.distance.is_some(),
        complete: false,
    };
    let parts = address.parts();
    let (first, response) = (parts.len() as u8, dwords * GRF_BYTES);
    let shape = Shape { headers: 1, first, response, effect, space: Space::Urb };
    let message = message(target, kind, shape)?;
    let dst = Operand::vgrf(b.vregs().bytes(response), Type::Ud);
    b.message(message, dst, Operand::null(Type::Ud), &parts);
    Ok((0..dwords).map(|dword| dst.byte_offset(dword * GRF_BYTES)).collect())
}

/// Writes consecutive dwords, at most [`MAX_DWORDS`], to each channel's entry. A dword without an operand becomes
/// undefined, unless `keep` is set: then it keeps its value. `last` ends the thread.
///
/// # Errors
/// The device does not have the message, or the slot is out of its range.
pub fn write_entry(
    b: &mut Builder<'_>,
    target: &Target,
    address: EntryAddress,
    dwords: &[Option<Operand>],
    keep: bool,
    last: bool,
) -> Result<(), DescriptorError> {
    let masked = keep && dwords.contains(&None);
    let kind = isa::Message::UrbWrite {
        layout: UrbLayout::Simd8,
        offset: address.offset(),
        swizzle: UrbSwizzle::None,
        per_slot_offset: address.distance.is_some(),
        channel_mask: masked,
        allocate: false,
        used: false,
        complete: false,
    };
    let mut parts = address.parts();
    if masked {
        let written = (0..).zip(dwords).filter(|(_, dword)| dword.is_some());
        let mask = written.fold(0, |mask, (at, _)| mask | 1 << at);
        parts.push(Operand::imm_ud(mask << MASK_SHIFT));
    }
    let addressing = parts.len() as u8;
    parts.extend(dwords.iter().map(|dword| dword.unwrap_or(Operand::null(Type::Ud))));
    // The last message has one payload, whose registers have to be at the end of the register file.
    let first = if last { parts.len() as u8 } else { addressing };
    let effect = if last { Effect::Barrier } else { Effect::Write };
    let shape = Shape { headers: 1, first, response: 0, effect, space: Space::Urb };
    let mut message = message(target, kind, shape)?;
    message.eot = last;
    b.message(message, Operand::null(Type::Ud), Operand::null(Type::Ud), &parts);
    Ok(())
}
