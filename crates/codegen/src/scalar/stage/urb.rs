//! Handles of URB entries, and reads of slots from entries and from the payload. This includes slots whose number is
//! known at run time only: in an entry, the message has an offset for each channel; in the payload, a move has an
//! indirect operand.

use crestline_isa::{CondMod, Type};
use crestline_ssa::ir::{Src, Value};

use super::super::operands::is_thread_scalar;
use super::super::sysvals::payload;
use super::super::{SelectError, Selector};
use super::{OWN_SLOT_BYTES, lanes};
use crate::ir::{Effect, GRF_BYTES, Op, Operand};
use crate::scalar::location::ValueLocation;
use crate::select::Class;
use crate::stage::{DynamicIndex, OffsetTerm, SlotOffset, VueSlot, is_own_number};
use crate::surface::{self, EntryAddress};

/// The positions in the payload of the handles of input vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputHandles {
    /// Byte offset of the first handle.
    pub(super) first: u32,
    /// The last valid vertex.
    pub(super) last: u32,
    /// Whether each channel has its own vertices. If so, the handles of a vertex are a register with a dword for each
    /// channel; otherwise the handle of a vertex is one dword, the same for all channels.
    pub(super) own: bool,
}

impl Selector<'_> {
    /// The first component of a source, if it is constant.
    pub(super) fn known_scalar(&self, src: Src) -> Option<u32> {
        match self.location(src) {
            ValueLocation::Constant(bits, _) => Some(bits as u32),
            _ => None,
        }
    }

    /// Emits min(index, `last`) * `factor`. The result has one element if the index is uniform, otherwise one per
    /// channel. The minimum is left out if the index is the invocation's own number and never greater than `last`.
    fn scaled(&mut self, src: Src, last: u32, factor: u32) -> Operand {
        let bounded = is_own_number(self.shader, self.peel(src, Class::Unsigned).src.value, last);
        let index = self.src(src, Class::Unsigned);
        let index = self.in_register(index);
        self.computed(is_thread_scalar(&index), |b, register| {
            let limited = match bounded {
                true => index,
                false => {
                    b.min_max(register, index, Operand::imm_ud(last), CondMod::L);
                    register
                }
            };
            match (factor.is_power_of_two(), u16::try_from(factor)) {
                (true, _) if factor == 1 && !bounded => return,
                (true, _) if factor == 1 => b.mov(register, limited),
                (true, _) => b.shl(register, limited, Operand::imm_ud(factor.ilog2())),
                (false, Ok(factor)) => b.mul(register, limited, Operand::imm_uw(factor)),
                (false, Err(_)) => b.mul(register, limited, Operand::imm_ud(factor)),
            };
        })
    }

    /// Emits the sum of the terms of a slot number: each index times its number of slots times `unit`. The result
    /// counts slots if `unit` is 1, bytes if `unit` is the size of a slot in bytes. `None` if there are no terms.
    fn distance(&mut self, terms: &[OffsetTerm], unit: u32) -> Option<Operand> {
        let mut sum: Option<Operand> = None;
        for &OffsetTerm { index: DynamicIndex { src, last }, slots } in terms {
            let part = self.scaled(src, last, slots * unit);
            sum = Some(match sum {
                None => part,
                Some(sum) => {
                    let thread = is_thread_scalar(&sum) && is_thread_scalar(&part);
                    self.computed(thread, |b, register| _ = b.add(register, sum, part))
                }
            });
        }
        sum
    }

    /// An operand as a register with an element for each channel. A uniform operand is copied to all channels, also to
    /// disabled ones; any other operand is returned as it is.
    fn in_lanes(&mut self, operand: Operand) -> Operand {
        if !is_thread_scalar(&operand) {
            return operand;
        }
        let mut b = self.b();
        let register = b.lanes(Type::Ud, 1);
        b.no_mask().mov(register, operand);
        register
    }

    /// A register that has the handle of the patch's entry in each channel.
    pub(super) fn patch_handles(&mut self) -> Operand {
        self.pool.patch_handles(&mut self.out)
    }

    /// A register with the handle of an input vertex's entry for each channel. `vertex` is the number of the vertex; 0
    /// if it is `None`. A number that is too large selects the last handle.
    pub(super) fn input_handles(&mut self, handles: InputHandles, vertex: Option<Src>) -> Operand {
        let InputHandles { first, last, own } = handles;
        let bytes = if own { GRF_BYTES } else { Type::Ud.size() };
        let element = |number: u32| match own {
            true => lanes(first + number * bytes),
            false => payload(first + number * bytes),
        };
        let known = match vertex {
            None => Some(0),
            Some(vertex) => self.known_scalar(vertex),
        };
        let (Some(vertex), None) = (vertex, known) else {
            return self.in_lanes(element(known.unwrap_or(0).min(last)));
        };
        let distance = self.scaled(vertex, last, bytes);
        let range = Operand::imm_ud(last * bytes + if own { GRF_BYTES } else { Type::Ud.size() });
        let thread = !own && is_thread_scalar(&distance);
        let handle = self.computed(thread, |b, register| {
            b.emit(Op::MovIndirect, register, &[element(0), distance, range]);
        });
        self.in_lanes(handle)
    }

    /// The address of a slot in the entries that `handles` name. Emits the part of the slot number that is known at run
    /// time only.
    pub(super) fn address(&mut self, handles: Operand, offset: &SlotOffset) -> EntryAddress {
        let distance = self.distance(&offset.terms, 1);
        let distance = distance.map(|distance| self.in_lanes(distance));
        EntryAddress { handles, slot: offset.constant, distance }
    }

    /// Reads components of an input or output from its slot in a URB entry, from component `comp` on. If the result is
    /// uniform, the message also reads for disabled channels, and the value is element 0 of each returned register.
    pub(super) fn read_slot(
        &mut self,
        address: EntryAddress,
        slot: VueSlot,
        comp: u8,
        effect: Effect,
        result: Value,
    ) -> Result<(), SelectError> {
        let dwords = slot.dwords_from(comp);
        let used = dwords.iter().take(self.slot_dwords(result));
        let count = used.max().map_or(1, |last| u32::from(*last) + 1);
        let (target, uniform) = (self.target, self.uniform.is(result));
        let mut b = self.b();
        let read = match uniform {
            true => surface::read_entry(&mut b.no_mask(), target, address, count, effect)?,
            false => surface::read_entry(&mut b, target, address, count, effect)?,
        };
        let dword = |at: u8| {
            let register = read.get(usize::from(at)).copied().unwrap_or(read[0]);
            if uniform { register.with_stride(0) } else { register }
        };
        self.locate_slot(result, dwords, dword)
    }

    /// Reads an input from pushed slots of which each channel has its own copy. The payload has `slots` such slots from
    /// byte offset `first` on; `offset` is the number of the slot, and `dwords` are the numbers of the dwords in it. If
    /// the number is constant, the value's location is in the payload; otherwise indirect moves copy the dwords.
    pub(super) fn read_pushed(
        &mut self,
        first: u32,
        slots: u32,
        offset: &SlotOffset,
        dwords: &[u8],
        result: Value,
    ) -> Result<(), SelectError> {
        let place = first + offset.constant * OWN_SLOT_BYTES;
        let register = |dword: u8| lanes(place + u32::from(dword) * GRF_BYTES);
        let Some(distance) = self.distance(&offset.terms, OWN_SLOT_BYTES) else {
            return self.locate_slot(result, dwords, register);
        };
        let after = slots.saturating_sub(offset.constant + 1);
        let range = Operand::imm_ud(after * OWN_SLOT_BYTES + GRF_BYTES);
        let wanted = self.slot_dwords(result).min(dwords.len());
        let mut read = Vec::new();
        for &dword in &dwords[..wanted] {
            let mut b = self.b();
            let value = b.lanes(Type::Ud, 1);
            b.emit(Op::MovIndirect, value, &[register(dword), distance, range]);
            read.push((dword, value));
        }
        self.locate_slot(result, dwords, |dword| {
            let found = read.iter().find(|(at, _)| *at == dword);
            found.map_or(register(dword), |(_, value)| *value)
        })
    }

    /// Number of dwords that a value has in a slot. A component of fewer than 32 bits counts as one dword.
    fn slot_dwords(&self, value: Value) -> usize {
        let ty = self.shader.func.ty(value);
        ty.comps() * (ty.bits() / 32).max(1) as usize
    }

    /// Sets the location of a value to operands that hold the dwords of a slot. `dwords` are the numbers of the value's
    /// dwords in the slot, in the order of its components; `dword` returns the operand with a dword.
    ///
    /// # Errors
    /// The value has more dwords than `dwords`.
    pub(super) fn locate_slot(
        &mut self,
        result: Value,
        dwords: &[u8],
        dword: impl Fn(u8) -> Operand,
    ) -> Result<(), SelectError> {
        let ty = self.shader.func.ty(result);
        if dwords.len() < self.slot_dwords(result) {
            return Err(SelectError::NotInLayout { what: "an input" });
        }
        for comp in 0..ty.comps() {
            match ty.bits() {
                64 => {
                    let parts = [dwords[2 * comp], dwords[2 * comp + 1]].map(&dword);
                    self.locate_dwords(result, comp, parts);
                }
                _ => self.locate(result, comp, dword(dwords[comp])),
            }
        }
        Ok(())
    }
}
