//! Constants for instructions that cannot have an immediate: vectors with different components, and sources that must
//! be registers.
//!
//! Constants share registers, four dwords per register (the same for both vertices). The program's first block writes
//! them once. Components that are small floats or small integers are written together, by one move of a packed vector
//! immediate of four 8-bit floats (PRM vol 4 part 3, "restricted float").

use crestline_isa::{Swizzle, Type, WriteMask};

use crate::ir::{
    Block, Builder, Function, GRF_BYTES, Inst, Operand, Origin, Region, Vreg, float_code,
    integer_code,
};
use crate::surface;

/// Registers with the constants of a program.
#[derive(Debug, Default)]
pub(super) struct Pool {
    dwords: Vec<(Vreg, Vec<u64>)>,
    qwords: Vec<(Vreg, Vec<u64>)>,
    /// A register with the dword number of each component in scratch memory, where the dwords of the two vertices
    /// alternate.
    scratch_steps: Option<Vreg>,
    /// A register with the header of scratch messages, see [`surface::fill_scratch_header`].
    scratch_header: Option<Vreg>,
    /// A register with the header of typed messages, see [`surface::fill_typed_header`].
    typed_header: Option<Vreg>,
    /// A register with a header of URB messages without handles, see [`surface::fill_blank_header`].
    urb_header: Option<Vreg>,
    /// A register with a header of URB messages with the patch's handle.
    patch_header: Option<Vreg>,
}

impl Pool {
    /// A source that reads `bits[i]` in each channel `i` of `mask`, from a register of the pool. Constants that the
    /// pool does not have yet are added to a register with room for them, or to a new one.
    pub(super) fn get(
        &mut self,
        out: &mut Function,
        bits: [u64; 4],
        mask: u8,
        ty: Type,
    ) -> Operand {
        let wide = ty.size() == 8;
        let list = if wide { &mut self.qwords } else { &mut self.dwords };
        let needed: Vec<u64> = (0..4).filter(|i| mask >> i & 1 == 1).map(|i| bits[i]).collect();
        let missing = |have: &[u64]| {
            let mut missing: Vec<u64> =
                needed.iter().copied().filter(|bits| !have.contains(bits)).collect();
            missing.sort_unstable();
            missing.dedup();
            missing
        };
        // The register to which the fewest constants must be added.
        let best = (0..list.len())
            .map(|index| (missing(&list[index].1).len(), index))
            .filter(|&(more, index)| list[index].1.len() + more <= 4)
            .min();
        let index = best.map_or(list.len(), |(_, index)| index);
        if index == list.len() {
            let bytes = if wide { 2 * GRF_BYTES } else { GRF_BYTES };
            list.push((out.vregs.bytes(bytes), Vec::new()));
        }
        let (vreg, have) = &mut list[index];
        let more = missing(have);
        have.extend(more);
        let mut missing = false;
        let mut channel = |bits: u64| {
            let channel = have.iter().position(|&b| b == bits);
            missing |= channel.is_none();
            channel.unwrap_or(0) as u8
        };
        let first = needed.first().map_or(0, |&bits| channel(bits));
        let swizzle =
            std::array::from_fn(|i| if mask >> i & 1 == 1 { channel(bits[i]) } else { first });
        if missing {
            out.vregs.note_fault("a constant is not in its vector");
        }
        Operand::vgrf(*vreg, ty).with_region(Region::Swizzle(Swizzle(swizzle)))
    }

    /// A source with the dwords 0, 2, 4, 6 for the first vertex and 1, 3, 5, 7 for the second.
    pub(super) fn scratch_steps(&mut self, out: &mut Function) -> Operand {
        let vreg = *self.scratch_steps.get_or_insert_with(|| out.vregs.bytes(GRF_BYTES));
        Operand::vgrf(vreg, Type::Ud).with_region(Region::Swizzle(Swizzle::XYZW))
    }

    /// A register with the header of scratch messages.
    pub(super) fn scratch_header(&mut self, out: &mut Function) -> Operand {
        let vreg = *self.scratch_header.get_or_insert_with(|| out.vregs.bytes(GRF_BYTES));
        Operand::vgrf(vreg, Type::Ud)
    }

    /// A register with the header of typed messages.
    pub(super) fn typed_header(&mut self, out: &mut Function) -> Operand {
        let vreg = *self.typed_header.get_or_insert_with(|| out.vregs.bytes(GRF_BYTES));
        Operand::vgrf(vreg, Type::Ud)
    }

    /// A register with a header of URB messages without handles and with a mask of all channels.
    pub(super) fn urb_header(&mut self, out: &mut Function) -> Operand {
        let vreg = *self.urb_header.get_or_insert_with(|| out.vregs.bytes(GRF_BYTES));
        Operand::vgrf(vreg, Type::Ud)
    }

    /// A register with such a header that contains the handle of the patch's entry for both vertices.
    pub(super) fn patch_header(&mut self, out: &mut Function) -> Operand {
        let vreg = *self.patch_header.get_or_insert_with(|| out.vregs.bytes(GRF_BYTES));
        Operand::vgrf(vreg, Type::Ud)
    }

    /// Emits `prologue` and the writes of all constants at the start of the program.
    pub(super) fn fill(self, out: &mut Function, prologue: Vec<Inst>) {
        let mut insts = prologue;
        let width = out.dispatch_width;
        let b = Builder::list(&mut out.vregs, &mut insts, width);
        let mut b = b.from_origin(Origin::Constant);
        let mut b = b.align16();
        for (vreg, bits) in &self.dwords {
            let dwords = std::array::from_fn(|i| bits.get(i).copied());
            fill_channels(&mut b, Operand::vgrf(*vreg, Type::Ud), dwords);
        }
        for (vreg, bits) in &self.qwords {
            for (comp, &bits) in bits.iter().enumerate() {
                let mask = Region::Mask(WriteMask(1 << comp));
                let dst = Operand::vgrf(*vreg, Type::Df).with_region(mask);
                b.mov(dst, Operand::imm(bits, Type::Df));
            }
        }
        let mut b = b.align1();
        if let Some(vreg) = self.scratch_steps {
            let mut b = b.no_mask();
            let words = b.lanes(Type::Uw, 1);
            b.mov(words, Operand::imm(0x7531_6420, Type::Uv));
            b.mov(Operand::vgrf(vreg, Type::Ud), words);
        }
        if let Some(vreg) = self.scratch_header {
            surface::fill_scratch_header(&mut b, Operand::vgrf(vreg, Type::Ud));
        }
        if let Some(vreg) = self.typed_header {
            surface::fill_typed_header(&mut b, Operand::vgrf(vreg, Type::Ud));
        }
        if let Some(vreg) = self.urb_header {
            surface::fill_blank_header(&mut b, Operand::vgrf(vreg, Type::Ud));
        }
        if let Some(vreg) = self.patch_header {
            let header = Operand::vgrf(vreg, Type::Ud);
            surface::fill_blank_header(&mut b, header);
            b.no_mask().exec(2).mov(header, super::urb::PATCH_ENTRY);
        }
        if insts.is_empty() {
            return;
        }
        match out.blocks.first_mut() {
            Some(block) if !block.insts.first().is_some_and(|inst| inst.op.starts_block()) => {
                block.insts.splice(0..0, insts);
            }
            _ => out.blocks.insert(0, Block { insts }),
        }
    }
}

/// Writes constants to components of a vector; `None` leaves a component unchanged. Different small floats are
/// written by one packed immediate, different small integers by another, and all else by one move per value.
pub(super) fn fill_channels(b: &mut Builder<'_>, vector: Operand, dwords: [Option<u64>; 4]) {
    let bits = dwords.map(|bits| bits.unwrap_or(0));
    let all = (0..4).filter(|&i| dwords[i].is_some()).fold(0u8, |mask, i| mask | 1 << i);
    let having = |has: &dyn Fn(u64) -> bool| {
        (0..4).filter(|i| all >> i & 1 == 1 && has(bits[*i])).fold(0u8, |mask, i| mask | 1 << i)
    };
    let floats = having(&|bits| float_code(bits).is_some());
    let integers = having(&|bits| integer_code(bits).is_some());
    // Zero is both a float and an integer.
    let (floats, integers) = match (floats & !integers != 0, integers & !floats != 0) {
        (true, _) => (floats, integers & !floats),
        (false, _) => (0, integers),
    };
    let mut left = all;
    for (mask, ty) in [(floats, Type::F), (integers, Type::D)] {
        let count = mask.count_ones();
        let same = (0..4).filter(|i| mask >> i & 1 == 1).map(|i| bits[i]);
        if count < 2 || same.clone().min() == same.max() {
            continue;
        }
        let code = |bits| if ty == Type::F { float_code(bits) } else { integer_code(bits) };
        let packed = (0..4).fold(0, |packed, i| match code(bits[i]) {
            Some(code) if mask >> i & 1 == 1 => packed | u64::from(code) << (8 * i),
            _ => packed,
        });
        let dst = vector.retype(ty).with_region(Region::Mask(WriteMask(mask)));
        b.mov(dst, Operand::imm(packed, Type::Vf));
        left &= !mask;
    }
    while left != 0 {
        let value = bits[left.trailing_zeros() as usize];
        let mask = (0..4).filter(|&i| left >> i & 1 == 1 && bits[i] == value);
        let mask = mask.fold(0u8, |mask, i| mask | 1 << i);
        let dst = vector.with_region(Region::Mask(WriteMask(mask)));
        b.mov(dst, Operand::imm_ud(value as u32));
        left &= !mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_of_eight_bits_are_found() {
        for (value, code) in [(0.0f32, 0x00), (1.0, 0x30), (2.0, 0x40), (-0.5, 0xa0), (31.0, 0x7f)]
        {
            assert_eq!(float_code(u64::from(value.to_bits())), Some(code), "{value}");
        }
        for value in [0.125f32, 32.0, 1.03, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE] {
            assert_eq!(float_code(u64::from(value.to_bits())), None, "{value}");
        }
        assert_eq!(integer_code(3), float_code(u64::from(3f32.to_bits())));
        assert_eq!(integer_code(u64::from(u32::MAX)), float_code(u64::from((-1f32).to_bits())));
        assert_eq!(integer_code(33), None);
    }
}
