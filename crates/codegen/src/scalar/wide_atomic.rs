//! 64-bit atomics on storage buffers.
//!
//! Their messages take addresses, not surfaces. The payload contains the start address of each buffer; the emitted
//! code adds the offset and checks the bounds. As with surfaces, an atomic out of bounds has no effect and returns 0.

use crestline_isa::{CondMod, Type};
use crestline_ssa::ir::{AtomicOp, Resource, Src, Value};

use super::operands::is_thread_scalar;
use super::{SelectError, Selector};
use crate::ir::{Flag, Operand};
use crate::select::{Class, atomic_operation};
use crate::surface::{self, Atomic};

/// Size in bytes of the memory that such an atomic accesses.
const BYTES: u32 = 8;

/// The address and size of a storage buffer, from the payload.
#[derive(Clone, Copy)]
struct Buffer {
    /// The dwords of the address.
    address: [Operand; 2],
    /// The size in bytes.
    size: Operand,
}

impl Selector<'_> {
    /// Selects a 64-bit atomic on a storage buffer.
    pub(super) fn wide_atomic(
        &mut self,
        resource: &Resource,
        op: AtomicOp,
        offset: Src,
        data: Src,
        compare: Option<Src>,
        result: Option<Value>,
    ) -> Result<(), SelectError> {
        let (Atomic::Integer(op), _) = atomic_operation(op, None)? else {
            return Err(SelectError::AtomicSize { bits: 8 * BYTES, what: "floats" });
        };
        let buffer = self.buffer(resource)?;
        let offset = self.src(offset, Class::Unsigned);
        // The value to compare with comes first.
        let operands: Vec<Operand> =
            compare.into_iter().chain([data]).map(|src| self.whole(src).retype(Type::Uq)).collect();
        let inside = self.within(buffer.size, offset);
        let address = self.address_at(buffer.address, offset);
        let wanted = result.filter(|result| self.used[result.index()]);
        let dst = wanted.map(|result| self.define_double(result));
        let target = self.target;
        let halves = dst.map(|dst| [0, 1].map(|index| self.dword_in(dst, index)));
        let b = &mut self.b();
        for half in halves.into_iter().flatten() {
            b.mov(half, Operand::imm_ud(0));
        }
        let dst = dst.map(|dst| dst.retype(Type::Uq));
        let b = &mut b.predicated(inside, false);
        let op = Atomic::Integer(op);
        Ok(surface::atomic_at_address(b, target, op, true, address, &operands, dst)?)
    }

    /// The address and the size of a binding's buffer.
    fn buffer(&mut self, resource: &Resource) -> Result<Buffer, SelectError> {
        let (interface, binding) = (self.interface, resource.binding);
        let size = |element| interface.buffer_sizes.get(&(binding, element)).copied();
        let low = |element| interface.buffer_addresses.get(&(binding, element)).copied();
        let high = |element| Some(low(element)? + Type::Ud.size());
        Ok(Buffer {
            address: [
                self.dword_of(resource, &low, "a buffer's address")?,
                self.dword_of(resource, &high, "a buffer's address")?,
            ],
            size: self.dword_of(resource, &size, "a buffer's size")?,
        })
    }

    /// A dword of the payload for a binding, or for the selected element if it is an array.
    fn dword_of(
        &mut self,
        resource: &Resource,
        place: &dyn Fn(u32) -> Option<u32>,
        what: &'static str,
    ) -> Result<Operand, SelectError> {
        let missing = SelectError::NotInLayout { what };
        match self.known_dword(resource, place) {
            Some(known) => known.ok_or(missing),
            None => {
                let dst = self.out.lanes(Type::Ud, 1);
                self.chosen_dword(resource, place, missing, dst)
            }
        }
    }

    /// Computes a flag of the channels that write memory and for which all bytes at the offset are inside the buffer: the
    /// size is at least 8, and the offset is at most the size minus 8.
    fn within(&mut self, size: Operand, offset: Operand) -> Flag {
        let scalar = is_thread_scalar(&size);
        let last = if scalar { self.out.scalar(Type::Ud) } else { self.out.lanes(Type::Ud, 1) };
        let bytes = Operand::imm_d(-(BYTES as i32));
        let mut b = self.b();
        let mut one = if scalar { b.uniform() } else { b };
        one.add(last.retype(Type::D), size.retype(Type::D), bytes);
        let helpers = self.helper_flag();
        let mut b = self.b();
        let flag = b.flag();
        let null = Operand::null(Type::Ud);
        match (helpers, flag) {
            (Some(Flag::Virtual(helpers)), Flag::Virtual(bits)) => {
                let ty = if b.dispatch_width() > 16 { Type::Ud } else { Type::Uw };
                b.uniform().not(Operand::scalar(bits, ty), Operand::scalar(helpers, ty));
                let mut b = b.predicated(flag, false);
                b.cmp(null, size, CondMod::Ge, Operand::imm_ud(BYTES), flag);
            }
            _ => _ = b.cmp(null, size, CondMod::Ge, Operand::imm_ud(BYTES), flag),
        }
        b.predicated(flag, false).cmp(null, last, CondMod::Ge, offset, flag);
        flag
    }

    /// Computes the 64-bit address of each channel's offset: a sum of low dwords, and an addition of the carry to the
    /// high dword.
    fn address_at(&mut self, [low, high]: [Operand; 2], offset: Operand) -> Operand {
        let whole = self.out.lanes(Type::Uq, 1);
        let places = [0, 1].map(|index| self.dword_in(whole, index));
        let mut b = self.b();
        b.add(places[0], low, offset);
        b.mov(places[1], high);
        let carry = b.flag();
        b.cmp(Operand::null(Type::Ud), places[0], CondMod::L, low, carry);
        b.predicated(carry, false).add(places[1], high, Operand::imm_ud(1));
        whole
    }
}
