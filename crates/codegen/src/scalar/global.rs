//! Accesses at 64-bit addresses. The whole address is in the address operand: `lower_address_offsets` has made each
//! offset 0. (Where messages have addresses of 32 bits, an address is an offset in the surface of stateless memory.)

use crestline_isa::Type;
use crestline_ssa::ir::{AtomicOp, Src, Value};

use super::blocks::{Place, Reuse};
use super::memory::byte_size;
use super::operands::is_thread_scalar;
use super::{SelectError, Selector};
use crate::ir::Operand;
use crate::select::{Class, MemoryMessages, atomic_operation};
use crate::surface::{self, Atomic};

impl Selector<'_> {
    /// The addresses of an access, 64 bits each: one per channel, or one for the thread.
    fn addresses(&mut self, address: Src) -> Operand {
        self.whole(address).retype(Type::Uq)
    }

    /// Selects a load.
    pub(super) fn load_global(
        &mut self,
        address: Src,
        reuse: Reuse,
        result: Value,
    ) -> Result<(), SelectError> {
        let ty = self.shader.func.ty(result);
        let effect = reuse.effect();
        let place = Place::at_address(&self.shader.func, address);
        let address = self.addresses(address);
        let (target, comps) = (self.target, ty.comps());
        let uniform = self.uniform.is(result) && is_thread_scalar(&address);
        match ty.bits() {
            32 if uniform => {
                let dwords = self.uniform_read(place, address, comps, reuse)?;
                for (comp, dword) in dwords.into_iter().take(comps).enumerate() {
                    self.locate(result, comp, dword);
                }
            }
            32 => {
                let b = &mut self.b();
                let dwords = surface::read_at_address(b, target, address, comps as u32, effect)?;
                for (comp, dword) in dwords.into_iter().enumerate() {
                    self.locate(result, comp, dword);
                }
            }
            8 | 16 => {
                let size = byte_size(ty);
                let mut b = self.b();
                let dword = if uniform {
                    // Eight channels, whether enabled or not, read the same element.
                    let mut b = b.no_mask();
                    let b = &mut b.exec(8);
                    surface::read_scattered_at_address(b, target, address, size, effect)?
                        .with_stride(0)
                } else {
                    surface::read_scattered_at_address(&mut b, target, address, size, effect)?
                };
                self.locate(result, 0, dword);
            }
            bits => return Err(SelectError::BitSize { op: "load", bits }),
        }
        Ok(())
    }

    /// Selects a store of the first `comps` components of the data.
    pub(super) fn store_global(
        &mut self,
        address: Src,
        data: Src,
        comps: usize,
    ) -> Result<(), SelectError> {
        let ty = self.shader.func.ty(data.value);
        let (target, address) = (self.target, self.addresses(address));
        if matches!(ty.bits(), 8 | 16) && comps == 1 {
            let dword = self.read_dword(data, 0).retype(Type::Ud);
            let size = byte_size(ty);
            self.b_live(|b| surface::write_scattered_at_address(b, target, address, dword, size))?;
            return Ok(());
        }
        if ty.bits() != 32 {
            return Err(SelectError::BitSize { op: "store", bits: ty.bits() });
        }
        let values: Vec<Operand> =
            (0..comps).map(|comp| self.src_comp(data, comp, Class::Unsigned)).collect();
        self.b_live(|b| surface::write_at_address(b, target, address, &values))?;
        Ok(())
    }

    /// Selects an atomic on a number of 32 or 64 bits.
    pub(super) fn atomic_global(
        &mut self,
        address: Src,
        op: AtomicOp,
        data: Src,
        compare: Option<Src>,
        result: Option<Value>,
    ) -> Result<(), SelectError> {
        let target = self.target;
        if self.bits(data.value) == 64 {
            let (Atomic::Integer(op), _) = atomic_operation(op, None)? else {
                return Err(SelectError::AtomicSize { bits: 64, what: "floats" });
            };
            let address = self.addresses(address);
            // The value to compare with comes first.
            let operands: Vec<Operand> = compare
                .into_iter()
                .chain([data])
                .map(|src| self.whole(src).retype(Type::Uq))
                .collect();
            let wanted = result.filter(|result| self.used[result.index()]);
            let dst = wanted.map(|result| self.define_double(result).retype(Type::Uq));
            let op = Atomic::Integer(op);
            self.b_live(|b| {
                surface::atomic_at_address(b, target, op, true, address, &operands, dst)
            })?;
            return Ok(());
        }
        let (op, operands) = self.atomic_operands(op, data, compare)?;
        let address = self.addresses(address);
        self.with_old_value(result, |selector, wanted| {
            let dst = wanted.then(|| selector.out.lanes(Type::Ud, 1));
            selector.b_live(|b| {
                surface::atomic_at_address(b, target, op, false, address, &operands, dst)
            })?;
            Ok(dst)
        })
    }
}
