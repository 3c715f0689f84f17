//! Constants for instructions that cannot have an immediate: three-source instructions, and the first of two sources.
//!
//! Eight constants are packed in a register. The program's first block writes them once.

use std::collections::BTreeMap;

use crestline_isa::Type;

use crate::ir::{Block, Builder, Function, GRF_BYTES, Inst, Operand, Origin, Vreg};
use crate::surface;

/// Scalar registers for constants.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// For each 32-bit constant, its register and byte offset.
    places: BTreeMap<u32, (Vreg, u32)>,
    /// The 32-bit constants in order of first use.
    order: Vec<u32>,
    /// 64-bit constants with their registers and byte offsets, in order of first use.
    doubles: Vec<(u64, Vreg, u32)>,
    /// For blocks of 1 to 16 consecutive dwords (the index plus 1), a register with 8 or 16 byte offsets as words: 0, 4, 8
    /// and so on; the last one is repeated.
    steps: [Option<Vreg>; 16],
    /// A register with the number of each channel as a dword.
    channels: Option<Vreg>,
    /// A register with the header of typed messages.
    typed_header: Option<Vreg>,
    /// A register with the handle of a patch's entry in each dword.
    patch_handles: Option<Vreg>,
}

impl Pool {
    /// A scalar register with the 32-bit constant `bits`, read as type `ty`. A new constant gets a place in the pool.
    pub(super) fn get(&mut self, out: &mut Function, bits: u32, ty: Type) -> Operand {
        let size = Type::Ud.size();
        let per_register = (GRF_BYTES / size) as usize;
        let (vreg, offset) = match self.places.get(&bits) {
            Some(&place) => place,
            None => {
                let slot = self.order.len() % per_register;
                let vreg = match self.order.last() {
                    Some(last) if slot != 0 => self.places[last].0,
                    _ => out.vregs.bytes(GRF_BYTES),
                };
                let place = (vreg, slot as u32 * size);
                self.places.insert(bits, place);
                self.order.push(bits);
                place
            }
        };
        Operand::scalar(vreg, ty).byte_offset(offset)
    }

    /// A scalar register with the 64-bit constant `bits`, read as DF. A new constant gets a place in the pool.
    pub(super) fn get_double(&mut self, out: &mut Function, bits: u64) -> Operand {
        let size = Type::Df.size();
        let slot = self.doubles.len() as u32 % (GRF_BYTES / size);
        let (vreg, offset) = match self.doubles.iter().find(|place| place.0 == bits) {
            Some(&(_, vreg, offset)) => (vreg, offset),
            None => {
                let vreg = match self.doubles.last() {
                    Some(&(_, last, _)) if slot != 0 => last,
                    _ => out.vregs.bytes(GRF_BYTES),
                };
                self.doubles.push((bits, vreg, slot * size));
                (vreg, slot * size)
            }
        };
        Operand::scalar(vreg, Type::Df).byte_offset(offset)
    }

    /// A register with 8 words, or 16 for more than 8 dwords: the byte offsets of `dwords` (2 to 16) consecutive dwords; the
    /// last one is repeated. `None` for one dword, whose offset is 0.
    pub(super) fn steps(&mut self, out: &mut Function, dwords: u32) -> Option<Operand> {
        if dwords <= 1 {
            return None;
        }
        let place = &mut self.steps[dwords.clamp(1, 16) as usize - 1];
        let count = if dwords > 8 { 16 } else { 8 };
        let vreg = *place.get_or_insert_with(|| out.vregs.bytes(count * Type::Uw.size()));
        Some(Operand::vgrf(vreg, Type::Uw))
    }

    /// A register with the number of each channel as a dword.
    pub(super) fn channels(&mut self, out: &mut Function) -> Operand {
        let bytes = u32::from(out.dispatch_width) * Type::Ud.size();
        let vreg = *self.channels.get_or_insert_with(|| out.vregs.bytes(bytes));
        Operand::vgrf(vreg, Type::Ud)
    }

    /// A register with the header of typed messages; see [`surface::fill_typed_header`].
    pub(super) fn typed_header(&mut self, out: &mut Function) -> Operand {
        let vreg = *self.typed_header.get_or_insert_with(|| out.vregs.bytes(GRF_BYTES));
        Operand::vgrf(vreg, Type::Ud)
    }

    /// A register with the handle of the patch's entry, which is in r0.0, in each dword.
    pub(super) fn patch_handles(&mut self, out: &mut Function) -> Operand {
        let vreg = *self.patch_handles.get_or_insert_with(|| out.vregs.bytes(GRF_BYTES));
        Operand::vgrf(vreg, Type::Ud)
    }

    /// Emits the writes of all constants at the start of the program.
    pub(super) fn fill(self, out: &mut Function) {
        let width = out.dispatch_width;
        let mut insts: Vec<Inst> = Vec::with_capacity(self.order.len());
        let b = Builder::list(&mut out.vregs, &mut insts, width);
        let mut b = b.from_origin(Origin::Constant);
        for bits in &self.order {
            let (vreg, offset) = self.places[bits];
            let place = Operand::scalar(vreg, Type::Ud).byte_offset(offset);
            b.uniform().mov(place, Operand::imm_ud(*bits));
        }
        for (bits, vreg, offset) in &self.doubles {
            for (half, bits) in [(0, *bits as u32), (1, (*bits >> 32) as u32)] {
                let place = Operand::scalar(*vreg, Type::Ud);
                let place = place.byte_offset(offset + half * Type::Ud.size());
                b.uniform().mov(place, Operand::imm_ud(bits));
            }
        }
        for (last, vreg) in (0..16).zip(self.steps) {
            let Some(vreg) = vreg else { continue };
            let steps = Operand::vgrf(vreg, Type::Uw);
            let mut b = b.no_mask();
            let vector = |first: u64, scale: u64| {
                let number = |i: u64| (scale * (first + i).min(last)) << (4 * i);
                Operand::imm((0..8).map(number).fold(0, |all, bits| all | bits), Type::Uv)
            };
            // A packed vector has numbers up to 15.
            if last < 4 {
                b.exec(8).mov(steps, vector(0, 4));
                continue;
            }
            b.exec(8).mov(steps, vector(0, 1));
            if last >= 8 {
                b.exec(8).mov(steps.byte_offset(8 * Type::Uw.size()), vector(8, 1));
            }
            let count = if last >= 8 { 16 } else { 8 };
            b.exec(count).shl(steps, steps, Operand::imm_uw(2));
        }
        if let Some(vreg) = self.channels {
            count_channels(&mut b, Operand::vgrf(vreg, Type::Ud));
        }
        if let Some(vreg) = self.typed_header {
            surface::fill_typed_header(&mut b, Operand::vgrf(vreg, Type::Ud));
        }
        if let Some(vreg) = self.patch_handles {
            let handle = Operand::grf(0, Type::Ud).with_stride(0);
            b.no_mask().exec(8).mov(Operand::vgrf(vreg, Type::Ud), handle);
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

/// Writes the number of each channel to `dst`. A packed vector immediate has the numbers 0 to 7; additions compute
/// the further ones.
pub(super) fn count_channels(b: &mut Builder<'_>, dst: Operand) {
    let width = b.dispatch_width();
    let mut b = b.no_mask();
    let count = b.lanes(Type::Uw, 1);
    b.exec(8).mov(count, Operand::imm(0x7654_3210, Type::V));
    let mut done = 8;
    while done < width {
        let next = count.byte_offset(u32::from(done) * Type::Uw.size());
        b.exec(done).add(next, count, Operand::imm_uw(u16::from(done)));
        done *= 2;
    }
    b.mov(dst, count);
}
