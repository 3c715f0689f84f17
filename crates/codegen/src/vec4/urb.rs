//! Reads and writes of URB entries, one slot per message, also at slot numbers that are known at run time only.

use crestline_isa::{CondMod, Swizzle, Type, WriteMask};
use crestline_ssa::ir::{Src, Value};

use super::operands::{Form, Lanes, VectorRegister};
use super::{SelectError, Selector};
use crate::ir::{Builder, Effect, GRF_BYTES, Op, Operand, Region};
use crate::select::Class;
use crate::stage::{DynamicIndex, Handle, OffsetTerm, SlotOffset, VueSlot, is_own_number};
use crate::surface::{self, UrbAddress, header};

/// The URB entries that a message accesses, one per vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    /// The handles: a scalar if both vertices have the same entry, otherwise a register with one in the first
    /// component of each vertex.
    pub(super) handles: Operand,
    /// An offset in slots that is known at run time only, in the first component of a register.
    pub(super) distance: Option<Operand>,
}

/// The handle in the payload of the entry that all invocations of a patch write.
pub(super) const PATCH_ENTRY: Operand = Operand::grf(0, Type::Ud).with_stride(0);

/// An operand that reads the first component of each vertex from a register; a scalar is read twice.
fn halves(operand: Operand) -> Operand {
    let operand = operand.retype(Type::Ud);
    if operand.region == Region::SCALAR { operand } else { operand.with_stride(4) }
}

/// A dword of the payload, the same for both vertices.
pub(super) fn payload_dword(offset: u32) -> Operand {
    Operand::grf(0, Type::Ud).with_stride(0).byte_offset(offset)
}

impl Selector<'_> {
    /// Computes the sum of indices, each multiplied by its number of slots, in the first component of a register.
    /// `None` if there are no terms.
    pub(super) fn weighted_sum(&mut self, terms: &[OffsetTerm]) -> Option<Operand> {
        let mut sum: Option<VectorRegister> = None;
        for &OffsetTerm { index: DynamicIndex { src, last }, slots: scale } in terms {
            let part = VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(1) };
            let mut operand = self.src(src.select(0), 1, Class::Unsigned, Form::Register);
            let dst = part.dst(Type::Ud);
            if !self.is_invocation_up_to(src, last) {
                self.b().min_max(dst, operand, Operand::imm_ud(last), CondMod::L);
                operand = part.src();
            }
            let mut b = self.b();
            if scale.is_power_of_two() {
                b.shl(dst, operand, Operand::imm_ud(scale.ilog2()));
            } else {
                b.mul(dst, operand, Operand::imm_ud(scale));
            }
            if let Some(sum) = sum {
                b.add(dst, part.src(), sum.src());
            }
            sum = Some(part);
        }
        sum.map(|register| register.vector)
    }

    /// Whether a source is the invocation's own number and no invocation has a number above `last`.
    fn is_invocation_up_to(&self, src: Src, last: u32) -> bool {
        is_own_number(self.shader, self.peel(src, Class::Unsigned).src.value, last)
    }

    /// The handle of an input vertex's entry. The handles are dwords of the payload from byte `first` on; `last` is
    /// the number of the last one.
    pub(super) fn input_handle(&mut self, first: u32, last: u32, vertex: Option<Src>) -> Operand {
        let vertex = match vertex.map(|vertex| (vertex, self.known_scalar(vertex))) {
            None => return payload_dword(first),
            Some((_, Some(known))) => return payload_dword(first + 4 * known.min(last)),
            Some((vertex, None)) => vertex,
        };
        // An index out of range must select the last handle, never another register.
        let [clamped, bytes, handle] = [(); 3]
            .map(|()| VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(4) });
        let vertex = self.index(vertex);
        let range = Operand::uniform(first, Type::Ud);
        let range = range.with_region(Region::Swizzle(Swizzle([0; 4])));
        let size = Operand::imm_ud(4 * (last + 1));
        let mut b = self.b();
        b.min_max(clamped.dst(Type::Ud), vertex, Operand::imm_ud(last), CondMod::L);
        b.shl(bytes.dst(Type::Ud), clamped.src(), Operand::imm_ud(2));
        b.emit(Op::MovIndirect, handle.dst(Type::Ud), &[range, bytes.src(), size]);
        handle.vector
    }

    /// Reads an input from its slot in a URB entry.
    pub(super) fn read_input(
        &mut self,
        handle: Handle,
        offset: &SlotOffset,
        slot: VueSlot,
        comp: u8,
        result: Value,
    ) -> Result<(), SelectError> {
        let entries = match handle {
            Handle::Vertex { first, number, last } => {
                let handles = self.input_handle(first, last, number);
                Entries { handles, distance: self.weighted_sum(&offset.terms) }
            }
            Handle::Patch => {
                let distance = self.weighted_sum(&offset.terms);
                Entries { handles: self.patch_handle(), distance }
            }
        };
        let vector = self.read_entry(entries, offset.constant, Effect::Pure)?;
        self.set_dword_location(result, vector, slot.dwords_from(comp));
        Ok(())
    }

    /// Emits a header with the handles and offsets of entries.
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

    /// Reads one slot of each vertex's entry. Returns the register with both slots.
    pub(super) fn read_entry(
        &mut self,
        entries: Entries,
        slot: u32,
        effect: Effect,
    ) -> Result<Operand, SelectError> {
        let header = Operand::vgrf(self.out.vregs.bytes(GRF_BYTES), Type::Ud);
        let vector = self.vector(Type::Ud);
        self.entry_header(header, entries);
        let address = UrbAddress { slot, single: true, distances: entries.distance.is_some() };
        let target = self.target;
        surface::read_slots(&mut self.b(), target, header, address, vector, 1, effect)?;
        Ok(vector)
    }

    /// A new payload with a header and one slot.
    pub(super) fn slot_payload(&mut self) -> Operand {
        Operand::vgrf(self.out.vregs.bytes(2 * GRF_BYTES), Type::Ud)
    }

    /// Writes the components of `mask` of the slot in a payload to the entries; fills in the payload's header.
    pub(super) fn write_entry(
        &mut self,
        entries: Entries,
        slot: u32,
        payload: Operand,
        mask: u8,
    ) -> Result<(), SelectError> {
        self.entry_header(payload, entries);
        let address = UrbAddress { slot, single: true, distances: entries.distance.is_some() };
        let (target, mask) = (self.target, WriteMask(mask));
        surface::write_slots(&mut self.b(), target, payload, address, 1, mask, false)?;
        Ok(())
    }
}
