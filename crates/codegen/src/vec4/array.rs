//! Scratch space in registers: a shader's arrays, if they are small, with indirect moves where an index is known only at
//! run time. A choice among all elements, which the scalar mode makes of such an index, would be an instruction for each
//! of them; an indirect move is three or four, whatever the size.
//!
//! Sixteen bytes of scratch space are a register, the lower half for the first vertex. So byte `b` of a vertex is
//! `b + (b & !15)` bytes from where its first one is.

use crestline_isa::{CondMod, Swizzle, Type, WriteMask};
use crestline_ssa::ir::{Align, Shader, Src};

use super::Selector;
use super::operands::{Form, Lanes, VECTOR_BYTES, VectorRegister, in_channel_order, swizzled};
use crate::ir::{Builder, Function, GRF_BYTES, Op, Operand, Region};
use crate::target::Target;

/// Dwords in scratch space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// A byte offset.
    pub(super) offset: Src,
    /// Bytes from there.
    pub(super) distance: u32,
    /// What is known of the sum.
    pub(super) align: Align,
    /// Number of dwords.
    pub(super) dwords: u32,
}

impl Spot {
    /// The first dword's number in its vector, if all lie in one.
    fn first(self) -> Option<u32> {
        let within = self.align.offset % VECTOR_BYTES;
        let fits = self.align.mul >= VECTOR_BYTES && within + 4 * self.dwords <= VECTOR_BYTES;
        fits.then_some(within / 4)
    }
}

/// Registers for a shader's scratch space, if it is small. A larger one is in scratch memory, all of a shader's arrays
/// together. If the registers do not suffice, an array is spilled as anything else, at the price of all of it for each
/// access.
pub(super) fn registers(shader: &Shader, target: &Target, out: &mut Function) -> Option<Operand> {
    let count = shader.scratch_bytes.div_ceil(VECTOR_BYTES);
    let fits = (1..=target.registers.for_arrays()).contains(&count);
    let vreg = fits.then(|| out.vregs.bytes(count * GRF_BYTES))?;
    let array = Operand::vgrf(vreg, Type::Ud);
    let mut b = Builder::new(out);
    for register in 0..count {
        b.no_mask().emit(Op::Undef, array.byte_offset(register * GRF_BYTES), &[]);
    }
    Some(array)
}

impl Selector<'_> {
    fn array_bytes(&self) -> u32 {
        self.shader.scratch_bytes.next_multiple_of(VECTOR_BYTES)
    }

    /// The vector of the array that a known spot is in, and its first dword there.
    fn known_vector(&self, array: Operand, at: Spot) -> Option<(Operand, u32)> {
        let offset = self.known_scalar(at.offset)?.wrapping_add(at.distance);
        let (vector, dword) = (offset / VECTOR_BYTES, offset % VECTOR_BYTES / 4);
        let inside = offset < self.array_bytes() && dword + at.dwords <= 4;
        inside.then(|| (array.byte_offset(vector * GRF_BYTES), dword))
    }

    /// Reads dwords in order into a register.
    pub(super) fn read_array(&mut self, array: Operand, at: Spot) -> Operand {
        let value = VectorRegister {
            vector: self.vector(Type::Ud),
            lanes: Lanes::first(at.dwords as usize),
        };
        if let Some((vector, first)) = self.known_vector(array, at) {
            let swizzle = Swizzle([0, 1, 2, 3].map(|i: u8| (first as u8 + i).min(3)));
            let src = vector.with_region(Region::Swizzle(swizzle));
            self.b().mov(value.dst(Type::Ud), src);
            return value.vector;
        }
        let (index, range) = match at.first() {
            Some(first) => {
                let swizzle = Swizzle([0, 1, 2, 3].map(|i: u8| (first as u8 + i).min(3)));
                (self.vector_index(at), Region::Swizzle(swizzle))
            }
            None => (self.dword_index(at, false), Region::Swizzle(Swizzle([0; 4]))),
        };
        let bytes = Operand::imm_ud(2 * self.array_bytes());
        let range = array.with_region(range);
        self.b().emit(Op::MovIndirect, value.dst(Type::Ud), &[range, index, bytes]);
        value.vector
    }

    /// Writes the components of `mask` of a register to dwords in order.
    pub(super) fn write_array(&mut self, array: Operand, at: Spot, data: Operand, mask: u8) {
        let data = in_channel_order(VectorRegister { vector: data, lanes: Lanes::first(4) });
        let shifted = |first: u32| {
            let swizzle = Swizzle([0, 1, 2, 3].map(|i: u8| i.saturating_sub(first as u8)));
            (Region::Mask(WriteMask(mask << first)), data.with_region(Region::Swizzle(swizzle)))
        };
        if let Some((vector, first)) = self.known_vector(array, at) {
            let (dst, src) = shifted(first);
            self.b().mov(vector.with_region(dst), src);
            return;
        }
        let (index, (dst, src)) = match at.first() {
            Some(first) => (self.vector_index(at), shifted(first)),
            None => (self.dword_index(at, true), shifted(0)),
        };
        let bytes = Operand::imm_ud(2 * self.array_bytes());
        let dst = array.with_region(dst);
        self.b().emit(Op::MovIndirectDst, dst, &[src, index, bytes]);
    }

    /// The byte of the vector that a spot is in, in the array. Out of range is the last vector, never another register.
    fn vector_index(&mut self, at: Spot) -> Operand {
        let [sum, clamped, index] = [(); 3]
            .map(|()| VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(1) });
        let offset = self.index(at.offset);
        let last = Operand::imm_ud(self.array_bytes() - VECTOR_BYTES);
        let whole = at.distance.wrapping_sub(at.align.offset % VECTOR_BYTES);
        let mut b = self.b();
        let mut from = offset;
        if whole != 0 {
            b.add(sum.dst(Type::Ud), offset, Operand::imm_ud(whole));
            from = swizzled(sum.src(), [0; 4]);
        }
        b.min_max(clamped.dst(Type::Ud), from, last, CondMod::L);
        b.shl(index.dst(Type::Ud), clamped.src(), Operand::imm_ud(1));
        swizzled(index.src(), [0; 4])
    }

    /// The byte of each of a spot's dwords in the array; less what the place of the dword in a vector adds, if `placed`.
    /// Out of range is the last dword.
    fn dword_index(&mut self, at: Spot, placed: bool) -> Operand {
        let lanes = Lanes::first(4);
        let [sum, clamped, vector, index, own] =
            [(); 5].map(|()| VectorRegister { vector: self.vector(Type::Ud), lanes });
        let steps = [0u32, 4, 8, 12];
        let first = steps.map(|step| u64::from(at.distance.wrapping_add(step)));
        let first = self.constant_operand(first, 0xf, Type::Ud, Form::Register);
        let back = steps.map(|step| u64::from(step.wrapping_neg()));
        let offset = self.index(at.offset);
        let last = Operand::imm_ud(self.array_bytes() - 4);
        let mut b = self.b();
        b.add(sum.dst(Type::Ud), offset, first);
        b.min_max(clamped.dst(Type::Ud), sum.src(), last, CondMod::L);
        b.and(vector.dst(Type::Ud), clamped.src(), Operand::imm_ud(!(VECTOR_BYTES - 1)));
        b.add(index.dst(Type::Ud), clamped.src(), vector.src());
        if !placed {
            return index.src();
        }
        let back = self.constant_operand(back, 0xf, Type::Ud, Form::Register);
        self.b().add(own.dst(Type::Ud), index.src(), back);
        own.src()
    }
}
