//! Moves between 64-bit values, which have one register per vertex, and vectors of dwords, which have half a register
//! per vertex.
//!
//! Such a move consists of two instructions, one per vertex, with four channels each; a channel is one dword.

use crestline_isa::{Swizzle, Type, WriteMask};
use crestline_ssa::ir::{Src, Value};

use super::Selector;
use super::operands::{Form, Lanes, VECTOR_BYTES, ValueLocation, VectorRegister};
use crate::ir::{Builder, Flag, GRF_BYTES, Operand, Region};
use crate::select::Class;

/// Emits a move of four dwords per vertex. `dst_step` and `src_step` are the distances in bytes from the first
/// vertex's data to the second's.
fn move_halves(
    b: &mut Builder<'_>,
    (dst, dst_step): (Operand, u32),
    mask: u8,
    (src, src_step): (Operand, u32),
    swizzle: [u8; 4],
    only: Option<Flag>,
) {
    let dst = dst.retype(Type::Ud).with_region(Region::Mask(WriteMask(mask)));
    // Data that both vertices share exists only once.
    let src_step = if src.in_grf() { src_step } else { 0 };
    let src = src.without_modifiers().retype(Type::Ud);
    let src = match src.is_imm() {
        true => src,
        false => src.with_region(Region::Swizzle(Swizzle(swizzle))),
    };
    for vertex in 0..2u32 {
        let mut b = b.exec(4);
        let mut b = b.group(4 * vertex as u8);
        let mut b = match only {
            Some(flag) => b.predicated(flag, false),
            None => b,
        };
        b.mov(dst.byte_offset(vertex * dst_step), src.byte_offset(vertex * src_step));
    }
}

/// The swizzle of dwords for two doubles of a 16-byte row: `a` and `b` are the numbers of the doubles in the row (0
/// or 1).
fn dwords_of(a: u8, b: u8) -> [u8; 4] {
    [2 * a, 2 * a + 1, 2 * b, 2 * b + 1]
}

impl Selector<'_> {
    /// Composes doubles from a vector of dwords: component `i` of `register` gets the dwords `swizzle[2 i]` and
    /// `swizzle[2 i + 1]` of `src`.
    pub(super) fn widen(&mut self, src: Operand, swizzle: [u8; 4], register: VectorRegister) {
        let channels = register.lanes.channels().to_vec();
        for (i, to) in channels.iter().copied().enumerate() {
            let dwords = dwords_of(i as u8, i as u8).map(|dword| swizzle[usize::from(dword)]);
            let half = register.vector.byte_offset(VECTOR_BYTES * u32::from(to / 2));
            // Two doubles of the same row need only one move.
            let pair = i == 0 && channels.len() == 2 && to == 0 && channels[1] == 1;
            let (mask, dwords) = match pair {
                true => (0xf, swizzle),
                false => (0b11 << (2 * (to % 2)), dwords),
            };
            let mut b = self.b();
            move_halves(&mut b, (half, GRF_BYTES), mask, (src, VECTOR_BYTES), dwords, None);
            if pair {
                return;
            }
        }
    }

    /// Stores doubles as dwords: component `comps[i]` of `data` goes to dwords `dwords[2 * comps[i]]` and the next
    /// one of `register`.
    pub(super) fn store_doubles(
        &mut self,
        data: Src,
        register: Operand,
        dwords: &[u8],
        comps: &[usize],
        only: Option<Flag>,
    ) {
        for &comp in comps {
            let Some(&first) = dwords.get(2 * comp) else { continue };
            let operand = self.src(data.select(comp), 0xf, Class::Unsigned, Form::Register);
            let Some(component) = component_of(&operand) else { continue };
            let half = operand.byte_offset(VECTOR_BYTES * u32::from(component / 2));
            let mask = 0b11 << first;
            let swizzle = dwords_of(component % 2, component % 2);
            let mut b = self.b();
            move_halves(&mut b, (register, VECTOR_BYTES), mask, (half, GRF_BYTES), swizzle, only);
        }
    }

    /// Selects the composition of a double from two dwords.
    pub(super) fn pack_double(&mut self, src: Src, result: Value) {
        let register = self.define(result);
        let operand = self.src(src, 0b11, Class::Unsigned, Form::Register);
        let Region::Swizzle(Swizzle(swizzle)) = operand.region else { return };
        self.widen(operand, swizzle, register);
    }

    /// Selects the split of a double into its two dwords.
    pub(super) fn unpack_double(&mut self, src: Src, result: Value) {
        if let ValueLocation::Constant(bits) = self.location(src.value) {
            let bits = bits[usize::from(src.swizzle[0])];
            let (low, high) = (bits & 0xffff_ffff, bits >> 32);
            return self.set_location(result, ValueLocation::Constant([low, high, high, high]));
        }
        let register = self.define(result);
        let to = register.lanes.channels().to_vec();
        let operand = self.src(src.select(0), 0xf, Class::Unsigned, Form::Register);
        let Some(component) = component_of(&operand) else { return };
        let half = operand.byte_offset(VECTOR_BYTES * u32::from(component / 2));
        let low = 2 * (component % 2);
        let mut swizzle = [low; 4];
        swizzle[usize::from(to[1])] = low + 1;
        let mask = Lanes::of(&to).mask();
        let mut b = self.b();
        move_halves(
            &mut b,
            (register.vector, VECTOR_BYTES),
            mask,
            (half, GRF_BYTES),
            swizzle,
            None,
        );
    }
}

impl Selector<'_> {
    /// Selects dword `which` (0 is the low one) of each component of a source.
    pub(super) fn half_of(&mut self, src: Src, which: u8, result: Value) {
        if let ValueLocation::Constant(bits) = self.location(src.value) {
            let half = |comp: u8| bits[usize::from(comp)] >> (32 * which) & 0xffff_ffff;
            return self.set_location(result, ValueLocation::Constant(src.swizzle.map(half)));
        }
        let register = self.define(result);
        let operand = self.src(src, 0xf, Class::Unsigned, Form::Register);
        let Region::Swizzle(Swizzle(comps)) = operand.region else { return };
        let channels = register.lanes.channels().to_vec();
        for row in 0..2 {
            let (mut mask, mut swizzle) = (0, [0; 4]);
            for (&to, comp) in channels.iter().zip(comps).filter(|(_, comp)| comp / 2 == row) {
                mask |= 1 << to;
                swizzle[usize::from(to)] = 2 * (comp % 2) + which;
            }
            if mask != 0 {
                let from = operand.byte_offset(VECTOR_BYTES * u32::from(row));
                let (dst, src) = ((register.vector, VECTOR_BYTES), (from, GRF_BYTES));
                move_halves(&mut self.b(), dst, mask, src, swizzle, None);
            }
        }
    }

    /// Selects the composition of doubles from vectors of low and high dwords.
    pub(super) fn join_halves(&mut self, halves: [Src; 2], result: Value) {
        let register = self.define(result);
        let channels = register.lanes.channels().to_vec();
        for (which, src) in (0..).zip(halves) {
            let operand =
                self.src(src, Lanes::first(channels.len()).mask(), Class::Unsigned, Form::Any);
            let comps = match operand.region {
                Region::Swizzle(Swizzle(comps)) => comps,
                _ => [0; 4],
            };
            for row in 0..2 {
                let (mut mask, mut swizzle) = (0, [comps[0]; 4]);
                for (&to, comp) in channels.iter().zip(comps).filter(|(to, _)| *to / 2 == row) {
                    let dword = 2 * (to % 2) + which;
                    mask |= 1 << dword;
                    swizzle[usize::from(dword)] = comp;
                }
                if mask != 0 {
                    let to = register.vector.byte_offset(VECTOR_BYTES * u32::from(row));
                    let (dst, src) = ((to, GRF_BYTES), (operand, VECTOR_BYTES));
                    move_halves(&mut self.b(), dst, mask, src, swizzle, None);
                }
            }
        }
    }
}

/// The component that all channels of a source read.
fn component_of(operand: &Operand) -> Option<u8> {
    match operand.region {
        Region::Swizzle(Swizzle([first, ..])) => Some(first),
        _ => None,
    }
}
