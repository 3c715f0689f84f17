//! URB messages of SIMD8 threads. Each channel has the handle of its own entry. A message reads or writes the same
//! number of consecutive dwords in the entry of each enabled channel, from the start of a slot (16 bytes) on.
//!
//! The payload of a message has, in this order (PRM vol 7, "URB messages", SIMD8 read and write):
//!
//! 1. a register with the handle of each channel;
//! 2. optionally, a register with an offset in slots for each channel;
//! 3. optionally, in a write, a register with a mask for each channel of the dwords that are written;
//! 4. in a write, one register for each dword.

use crate::target::Target;
use crestline_isa::Type;
use crestline_isa::message::{self as isa, DescriptorError, UrbLayout, UrbSwizzle};

use super::{Shape, message};
use crate::ir::{Builder, Effect, GRF_BYTES, Operand, Space};

/// Largest number of consecutive dwords that a message accesses.
pub const MAX_DWORDS: u32 = 8;

/// Position in a channel's mask of the bit for the first dword. The bits of the next dwords follow.
const MASK_SHIFT: u32 = 16;

/// The slot that a message accesses in the entry of each channel: `slot`, plus `distance` if it is given.
#[derive(Clone, Copy, Debug)]
pub struct EntryAddress {
    /// A whole register with the handle of each channel's entry.
    pub handles: Operand,
    /// The slot at which the accessed dwords begin.
    pub slot: u32,
    /// A whole register with a number of slots for each channel, which the hardware adds to `slot`.
    pub distance: Option<Operand>,
}

impl EntryAddress {
    /// The offset field of the message: `slot`. If `slot` has more than 16 bits, the result is a number that is too
    /// large for the field, so encoding reports an error.
    fn offset(&self) -> u16 {
        u16::try_from(self.slot).unwrap_or(u16::MAX)
    }

    /// The first registers of the payload: the handles and, if given, the offsets.
    fn parts(&self) -> Vec<Operand> {
        let whole = |operand: Operand| operand.retype(Type::Ud).with_stride(1);
        std::iter::once(self.handles).chain(self.distance).map(whole).collect()
    }
}

/// Emits a message that reads `dwords` dwords of each channel's entry, at most [`MAX_DWORDS`]. Returns one register for
/// each dword, with an element for each channel.
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

/// Emits a message that writes consecutive dwords, at most [`MAX_DWORDS`], to each channel's entry. A dword without an
/// operand keeps its value in the entry if `keep` is set, and becomes undefined otherwise. If `last` is set, the
/// message also ends the thread.
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
    // The message that ends the thread is no split send: it has one payload, which must be in the last registers of the
    // register file.
    let first = if last { parts.len() as u8 } else { addressing };
    let effect = if last { Effect::Barrier } else { Effect::Write };
    let shape = Shape { headers: 1, first, response: 0, effect, space: Space::Urb };
    let mut message = message(target, kind, shape)?;
    message.eot = last;
    b.message(message, Operand::null(Type::Ud), Operand::null(Type::Ud), &parts);
    Ok(())
}
