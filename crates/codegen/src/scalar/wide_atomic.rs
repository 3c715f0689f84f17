//! Atomics of 64 bits on storage buffers.
//!
//! Their messages take addresses, not surfaces. So the payload brings where a buffer begins, and the code adds the offset
//! and keeps within the buffer: out of bounds nothing happens and 0 comes back, as surfaces have it.

use crestline_isa::{CondMod, Type};
use crestline_ssa::ir::{AtomicOp, Resource, Src, Value};

use super::sysvals::payload;
use super::wide::dword;
use super::{SelectError, Selector};
use crate::ir::{Flag, Operand};
use crate::select::{Class, atomic_operation};
use crate::surface::{self, Atomic};

/// Bytes of what such an atomic works on.
const BYTES: u32 = 8;

/// A storage buffer by its address: what the payload has of it.
#[derive(Clone, Copy)]
struct Buffer {
    /// The dwords of the address.
    address: [Operand; 2],
    /// The size in bytes.
    size: Operand,
}

impl Selector<'_> {
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
        let device = self.device;
        let b = &mut self.b();
        for half in dst.iter().flat_map(|&dst| [0, 1].map(|index| dword(dst, index))) {
            b.mov(half, Operand::imm_ud(0));
        }
        let dst = dst.map(|dst| dst.retype(Type::Uq));
        let b = &mut b.predicated(inside, false);
        Ok(surface::atomic_at_address(b, device, op, address, &operands, dst)?)
    }

    fn buffer(&mut self, resource: &Resource) -> Result<Buffer, SelectError> {
        let count = self.shader.binding(resource.binding).count.unwrap_or(1);
        let element = match resource.element {
            None => 0,
            Some(element) => match self.src(element, Class::Unsigned).imm_bits() {
                Some(bits) => (bits as u32).min(count.saturating_sub(1)),
                None => {
                    let what = "an atomic of 64 bits on a buffer chosen at run time";
                    return Err(SelectError::Memory { what });
                }
            },
        };
        let (interface, key) = (self.interface, (resource.binding, element));
        let missing = |what| SelectError::NoPlace { what };
        let &address = interface.buffer_addresses.get(&key).ok_or(missing("a buffer's address"))?;
        let &size = interface.buffer_sizes.get(&key).ok_or(missing("a buffer's size"))?;
        let address = [address, address + Type::Ud.size()].map(payload);
        Ok(Buffer { address, size: payload(size) })
    }

    /// The flag of the channels whose offset has all of its bytes within the size.
    fn within(&mut self, size: Operand, offset: Operand) -> Flag {
        let last = self.out.scalar(Type::Ud);
        let mut b = self.b();
        b.uniform().add(
            last.retype(Type::D),
            size.retype(Type::D),
            Operand::imm_d(-(BYTES as i32)),
        );
        let flag = b.flag();
        let null = Operand::null(Type::Ud);
        b.cmp(null, size, CondMod::Ge, Operand::imm_ud(BYTES), flag);
        b.predicated(flag, false).cmp(null, last, CondMod::Ge, offset, flag);
        flag
    }

    /// The address of each channel's offset.
    fn address_at(&mut self, [low, high]: [Operand; 2], offset: Operand) -> Operand {
        let whole = self.out.lanes(Type::Uq, 1);
        let places = [0, 1].map(|index| dword(whole, index));
        let mut b = self.b();
        b.add(places[0], low, offset);
        b.mov(places[1], high);
        let carry = b.flag();
        b.cmp(Operand::null(Type::Ud), places[0], CondMod::L, low, carry);
        b.predicated(carry, false).add(places[1], high, Operand::imm_ud(1));
        whole
    }
}
