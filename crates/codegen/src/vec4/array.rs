//! Scratch space in registers: a shader's arrays, if they are small. An access with an index known only at run time
//! becomes an indirect move, which takes three or four instructions for an array of any size.
//!
//! Each 16 bytes of scratch space are one register, whose lower half belongs to the first vertex. So byte `b` of a
//! vertex's scratch space is `b + (b & !15)` bytes after the vertex's byte 0.

use crestline_isa::{CondMod, Swizzle, Type, WriteMask};
use crestline_ssa::ir::{Align, Shader, Src};

use super::Selector;
use super::operands::{Form, Lanes, VECTOR_BYTES, VectorRegister, in_channel_order, swizzled};
use crate::ir::{Builder, Function, GRF_BYTES, Op, Operand, Region};
use crate::target::Target;

/// Consecutive dwords in scratch space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// A byte offset in scratch space.
    pub(super) offset: Src,
    /// A constant number of bytes that is added to it.
    pub(super) distance: u32,
    /// The known alignment of the sum.
    pub(super) align: Align,
    /// Number of dwords.
    pub(super) dwords: u32,
}

impl Spot {
    /// The number of the first dword in its vector, if all dwords are known to be in one vector.
    fn first(self) -> Option<u32> {
        let within = self.align.offset % VECTOR_BYTES;
        let fits = self.align.mul >= VECTOR_BYTES && within + 4 * self.dwords <= VECTOR_BYTES;
        fits.then_some(within / 4)
    }
}

/// Allocates registers for a shader's scratch space, if it is small. A larger one is in scratch memory, with all
/// arrays of the shader. If there are not enough registers, the allocator spills these registers like others; then
/// each access fills or stores the whole array.
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
    /// Size of the array per vertex in bytes.
    fn array_bytes(&self) -> u32 {
        self.shader.scratch_bytes.next_multiple_of(VECTOR_BYTES)
    }

    /// For a constant offset: the array's vector with the dwords, and the number of the first dword in it.
    fn known_vector(&self, array: Operand, at: Spot) -> Option<(Operand, u32)> {
        let offset = self.known_scalar(at.offset)?.wrapping_add(at.distance);
        let (vector, dword) = (offset / VECTOR_BYTES, offset % VECTOR_BYTES / 4);
        let inside = offset < self.array_bytes() && dword + at.dwords <= 4;
        inside.then(|| (array.byte_offset(vector * GRF_BYTES), dword))
    }

    /// Reads the dwords into the first components of a register.
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

    /// Writes the components of `mask` of a register to consecutive dwords.
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

    /// The byte index in the array of the vector that contains the dwords. An index out of range must select the last
    /// vector, never another register.
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

    /// The byte index in the array of each dword. If `placed` is set, the byte offset of the dword's component in its
    /// vector is subtracted, because the destination region adds it. An index out of range selects the last dword.
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
