//! Reads and writes of URB entries at places known only at run time, slot by slot.

use crestline_isa::{Type, WriteMask};

use super::{SelectError, Selector};
use crate::ir::{Builder, Effect, GRF_BYTES, Operand, Region};
use crate::surface::{self, UrbPlace, header};

/// The entries of a message, one for each vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    /// The handles: one element for both, or the first component of a register for each.
    pub(super) handles: Operand,
    /// Slots from where the message says, in the first component of a register.
    pub(super) distance: Option<Operand>,
}

/// The handle of the entry that all invocations of a patch write, in the payload.
pub(super) const PATCH_ENTRY: Operand = Operand::grf(0, Type::Ud).with_stride(0);

/// Two dwords side by side, from the first components of both halves of a register, or from one element.
fn halves(operand: Operand) -> Operand {
    let operand = operand.retype(Type::Ud);
    if operand.region == Region::SCALAR { operand } else { operand.with_stride(4) }
}

impl Selector<'_> {
    /// A header for entries.
    fn entry_header(&mut self, header: Operand, entries: Entries) {
        let own = entries.handles == PATCH_ENTRY;
        let base = match own {
            true => self.pool.patch_header(&mut self.out),
            false => self.pool.urb_header(&mut self.out),
        };
        let mut b = Builder::new(&mut self.out);
        b.no_mask().exec(8).mov(header, base);
        let mut b = b.no_mask();
        let mut b = b.exec(2);
        if !own {
            b.mov(header.byte_offset(header::HANDLES), halves(entries.handles));
        }
        if let Some(distance) = entries.distance {
            b.mov(header.byte_offset(header::DISTANCES), halves(distance));
        }
    }

    /// Reads a slot of each entry.
    pub(super) fn read_entry(
        &mut self,
        entries: Entries,
        slot: u32,
        effect: Effect,
    ) -> Result<Operand, SelectError> {
        let header = Operand::vgrf(self.out.vregs.bytes(GRF_BYTES), Type::Ud);
        let vector = self.vector(Type::Ud);
        self.entry_header(header, entries);
        let place = UrbPlace { slot, single: true, distances: entries.distance.is_some() };
        let device = self.device;
        surface::read_slots(&mut self.b(), device, header, place, vector, 1, effect)?;
        Ok(vector)
    }

    /// A payload of a header for entries and one slot, to be filled.
    pub(super) fn slot_payload(&mut self) -> Operand {
        Operand::vgrf(self.out.vregs.bytes(2 * GRF_BYTES), Type::Ud)
    }

    /// Writes the components of `mask` of a payload's slot.
    pub(super) fn write_entry(
        &mut self,
        entries: Entries,
        slot: u32,
        payload: Operand,
        mask: u8,
    ) -> Result<(), SelectError> {
        self.entry_header(payload, entries);
        let place = UrbPlace { slot, single: true, distances: entries.distance.is_some() };
        let (device, mask) = (self.device, WriteMask(mask));
        surface::write_slots(&mut self.b(), device, payload, place, 1, mask, false)?;
        Ok(())
    }
}
