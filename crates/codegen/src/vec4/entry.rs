//! The URB entry of an output vertex: the registers that collect its slots, and the messages that write it.
//!
//! A thread of a vertex or tessellation evaluation shader writes each slot once, at its end. The collecting registers
//! are the payloads of these messages, so a result that is computed in them needs no move. Gaps in the layout are
//! written with undefined contents.

use std::collections::BTreeMap;

use crestline_isa::{CondMod, Type, WriteMask};
use crestline_ssa::ir::{Function, InstKind, IoSlot, Src};

use super::operands::{Lanes, VectorRegister, in_channel_order};
use super::{SelectError, Selector};
use crate::ir::{Builder, GRF_BYTES, Op, Operand, Region};
use crate::select::Class;
use crate::stage::{HEADER, Run, Usage, VueMap, row_of, runs};
use crate::surface::{self, MAX_SLOTS, UrbAddress};

/// The messages that write an entry.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    messages: Vec<Message>,
    /// For each slot, the register that holds it until the end.
    registers: BTreeMap<u32, Operand>,
}

/// A message that writes a run of slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) run: Run,
    /// The payload's registers: the header, then one register per slot.
    pub(super) payload: Operand,
}

impl Message {
    /// Allocates the payloads of messages for `slots`, which are in ascending order.
    pub(super) fn for_slots(
        slots: impl IntoIterator<Item = u32>,
        out: &mut crate::ir::Function,
    ) -> Vec<Message> {
        let message = |run: Run| {
            let vreg = out.vregs.bytes((1 + run.count) * GRF_BYTES);
            Message { run, payload: Operand::vgrf(vreg, Type::Ud) }
        };
        runs(slots, MAX_SLOTS).into_iter().map(message).collect()
    }

    /// The payload register of slot number `index` of the run.
    pub(super) fn register(&self, index: u32) -> Operand {
        self.payload.byte_offset((1 + index) * GRF_BYTES)
    }
}

impl Entry {
    /// Allocates registers for the slots that the shader stores to and for the vertex header.
    pub(super) fn new(usage: &Usage, out: &mut crate::ir::Function, first_eot: u32) -> Entry {
        let messages = Message::for_slots(usage.vertex_slots(), out);
        let mut entry = Entry { messages, registers: BTreeMap::new() };
        if let Some(info) = entry
            .messages
            .last()
            .and_then(|last| last.payload.vreg())
            .and_then(|vreg| out.vregs.get_mut(vreg))
        {
            info.min_register = first_eot as u8;
            info.no_spill = true;
        }
        for message in &entry.messages {
            for i in 0..message.run.count {
                entry.registers.insert(message.run.first + i, message.register(i));
            }
        }
        entry
    }

    /// Initialises the registers before the shader's code. Dwords of the vertex header that the shader may leave
    /// unwritten become 0; other such dwords become undefined.
    pub(super) fn open(&self, usage: &Usage, out: &mut crate::ir::Function) {
        for (&slot, &register) in &self.registers {
            let missing = 0xf & !usage.always(slot);
            if missing == 0 {
                continue;
            }
            let mut b = Builder::new(out);
            if slot == HEADER {
                let dst = register.with_region(Region::Mask(WriteMask(missing)));
                b.align16().mov(dst, Operand::imm_ud(0));
            } else {
                b.no_mask().emit(Op::Undef, register, &[]);
            }
        }
    }

    /// Emits the messages that write the entry; the last one ends the thread.
    pub(super) fn close(&self, selector: &mut Selector<'_>) -> Result<(), SelectError> {
        for (index, message) in self.messages.iter().enumerate() {
            let last = index + 1 == self.messages.len();
            let address = UrbAddress { slot: message.run.first, single: false, distances: false };
            let target = selector.target;
            let mut b = selector.b();
            surface::fill_header(&mut b, message.payload);
            let (payload, count) = (message.payload, message.run.count);
            surface::write_slots(&mut b, target, payload, address, count, WriteMask::XYZW, last)?;
        }
        Ok(())
    }

    /// The register of a slot, by its number in the URB entry; `None` if the slot has no register.
    pub(super) fn register(&self, slot: u32) -> Option<Operand> {
        self.registers.get(&slot).copied()
    }
}

/// The value that a store to an output stores, and the register that it goes to. `None` if another store writes the
/// same components or the value is not stored in one piece.
pub(super) fn only_store(
    func: &Function,
    usage: &Usage,
    vue_map: &VueMap,
    entry: &Entry,
    kind: &InstKind,
) -> Option<(Src, VectorRegister)> {
    let InstKind::StoreOutput { slot, data, index: None, vertex: None, comp, mask } = kind else {
        return None;
    };
    if func.ty(data.value).bits() == 64 {
        return None;
    }
    let at = vue_map.slots.get(slot)?;
    let comps = mask.width();
    let dwords: Vec<u8> =
        (0..comps).map(|c| at.dwords_from(*comp).get(c).copied()).collect::<Option<_>>()?;
    let lanes = Lanes::of(&dwords);
    let whole = mask.0 == (1 << comps) - 1;
    (whole && usage.once(at.slot, lanes.mask()))
        .then(|| Some((*data, VectorRegister { vector: entry.register(at.slot)?, lanes })))?
}

impl Selector<'_> {
    /// Selects a store to an output: moves the value to the registers of its slots. `register` returns the register
    /// of a slot.
    pub(super) fn store_slots(
        &mut self,
        vue_map: &VueMap,
        kind: &InstKind,
        register: &dyn Fn(u32) -> Option<Operand>,
    ) -> Result<(), SelectError> {
        let InstKind::StoreOutput { slot, data, index, comp, mask, .. } = kind else {
            return Ok(());
        };
        let find = |slot: IoSlot| {
            let at = *vue_map.slots.get(&slot)?;
            Some((at, register(at.slot)?))
        };
        let known = index.map(|index| self.known_scalar(index));
        let row = row_of(self.shader.output(*slot), *slot);
        let last = row.len() as u32 - 1;
        if let None | Some(Some(_)) = known {
            let slot = match known.flatten() {
                Some(distance) => slot.plus(distance.min(last)).unwrap_or(*slot),
                None => *slot,
            };
            // A slot without a register is not used by the next stage.
            let Some((at, register)) = find(slot) else { return Ok(()) };
            let dwords = at.dwords_from(*comp);
            self.store_comps(*data, register, dwords, mask.0, None);
            return Ok(());
        }
        // The index is known at run time only: for each slot of the variable, a move is predicated on the comparison
        // of the index with the slot's number. The last slot also receives indices beyond it.
        let Some(index) = index.map(|index| index.select(0)) else { return Ok(()) };
        for (number, slot) in (0..).zip(row) {
            let Some((at, register)) = find(slot) else { continue };
            let index = self.index(index);
            let own = if number == last { CondMod::Ge } else { CondMod::Z };
            let mut b = self.b();
            let flag = b.flag();
            b.cmp(Operand::null(Type::Ud), index, own, Operand::imm_ud(number), flag);
            let dwords = at.dwords_from(*comp);
            self.store_comps(*data, register, dwords, mask.0, Some(flag));
        }
        Ok(())
    }

    /// Moves the components of `mask` to dwords of a register, predicated on the flag `only` if there is one.
    pub(super) fn store_comps(
        &mut self,
        data: Src,
        register: Operand,
        dwords: &[u8],
        mask: u8,
        only: Option<crate::ir::Flag>,
    ) {
        let comps: Vec<usize> = (0..4).filter(|c| mask >> c & 1 == 1).collect();
        if self.bits(data.value) == 64 {
            return self.store_doubles(data, register, dwords, &comps, only);
        }
        let to: Vec<u8> = comps.iter().filter_map(|&c| dwords.get(c).copied()).collect();
        let parts: Vec<Src> = comps.iter().take(to.len()).map(|&c| data.select(c)).collect();
        let register = VectorRegister { vector: register, lanes: Lanes::of(&to) };
        match only {
            None => self.move_parts(&parts, register, Class::Unsigned),
            Some(flag) => {
                let temporary = VectorRegister { vector: self.vector(Type::Ud), ..register };
                self.move_parts(&parts, temporary, Class::Unsigned);
                let mut b = self.b();
                let mut b = b.predicated(flag, false);
                b.mov(register.dst(Type::Ud), in_channel_order(temporary));
            }
        }
    }
}
