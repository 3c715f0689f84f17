//! The output entry of a vertex: registers that its slots are collected in, and the messages that write them.
//!
//! A vertex or tessellation evaluation thread writes each slot once, at its end. The registers are the payloads of those
//! last messages, so a result that is computed there needs no move. One message has at most fourteen slots, from an even
//! one on and an even number; where the layout has gaps, whatever the registers hold is written.

use std::collections::BTreeMap;

use crestline_isa::{CondMod, Type, WriteMask};
use crestline_ssa::ir::{Function, InstKind, IoSlot, IoVar, Shader, Src};

use super::operands::{Lanes, Place, lanes_in_place};
use super::{SelectError, Selector};
use crate::interface::EntryLayout;
use crate::ir::{Builder, GRF_BYTES, Op, Operand, Region};
use crate::select::Class;
use crate::surface::{self, MAX_SLOTS, UrbPlace};

/// Messages that write an entry.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    messages: Vec<Message>,
    /// The register of each slot.
    registers: BTreeMap<u32, Operand>,
}

/// A run of slots.
#[derive(Clone, Copy, Debug)]
struct Message {
    /// First slot.
    first: u32,
    /// Number of slots.
    count: u32,
    /// Header and slots.
    payload: Operand,
}

/// How the code stores to a slot of an entry.
#[derive(Clone, Copy, Debug, Default)]
struct Stores {
    /// Stores to each dword.
    count: [u32; 4],
    /// Dwords stored whatever the control flow.
    always: u8,
}

/// What the stores of a shader do to the slots of a layout.
#[derive(Debug, Default)]
pub(super) struct Usage {
    slots: BTreeMap<u32, Stores>,
}

impl Usage {
    /// Looks at all stores of a shader to a layout's slots.
    pub(super) fn of(shader: &Shader, layout: &EntryLayout) -> Usage {
        let mut usage = Usage::default();
        let func = &shader.func;
        let mut stack = vec![func.body()];
        while let Some(region) = stack.pop() {
            for &id in &func.region(region).insts {
                let kind = &func.inst(id).kind;
                stack.extend(kind.regions());
                usage.add(shader, layout, kind, region == func.body());
            }
        }
        usage
    }

    fn add(&mut self, shader: &Shader, layout: &EntryLayout, kind: &InstKind, always: bool) {
        let InstKind::StoreOutput { slot, data, index, comp, mask, .. } = kind else { return };
        let slot = *slot;
        let wide = shader.func.ty(data.value).bits() == 64;
        let row = if index.is_some() { row_of(shader.output(slot), slot) } else { vec![slot] };
        for place in row.iter().filter_map(|slot| layout.places.get(slot)) {
            let stores = self.slots.entry(place.slot).or_default();
            let there = place.dwords_from(*comp);
            for c in (0..4).filter(|&c| mask.has(c)) {
                let dwords = if wide { vec![2 * c, 2 * c + 1] } else { vec![c] };
                for dword in dwords.into_iter().filter_map(|at| there.get(at).copied()) {
                    // A store by index is as good as several.
                    stores.count[usize::from(dword)] += if index.is_some() { 2 } else { 1 };
                    if always && index.is_none() {
                        stores.always |= 1 << dword;
                    }
                }
            }
        }
    }

    /// Whether only one store writes each of these dwords.
    fn once(&self, slot: u32, dwords: u8) -> bool {
        self.slots.get(&slot).is_some_and(|stores| {
            (0..4).all(|dword| dwords >> dword & 1 == 0 || stores.count[dword] == 1)
        })
    }

    /// The dwords that are stored whatever happens.
    fn always(&self, slot: u32) -> u8 {
        self.slots.get(&slot).map_or(0, |stores| stores.always)
    }
}

/// The slots that an index may move an access to, of the variable that `slot` is one of.
pub(super) fn row_of(var: Option<&IoVar>, slot: IoSlot) -> Vec<IoSlot> {
    let Some(var) = var else { return vec![slot] };
    let from = var.index_of(slot).unwrap_or(0);
    (0..var.slots() - from).filter_map(|n| slot.plus(n)).collect()
}

/// The header of a vertex is the first slot of its entry, and counts as zero where nothing is stored.
const HEADER: u32 = 0;

impl Entry {
    /// Registers for the slots that are stored to, and the header.
    pub(super) fn new(usage: &Usage, out: &mut crate::ir::Function, first_eot: u32) -> Entry {
        let mut entry = Entry::default();
        let mut slots: Vec<u32> = usage.slots.keys().copied().collect();
        if !slots.contains(&HEADER) {
            slots.insert(0, HEADER);
        }
        let mut slots = slots.into_iter().peekable();
        while let Some(slot) = slots.next() {
            let first = slot & !1;
            let mut last = slot;
            while let Some(next) = slots.next_if(|&next| next < first + MAX_SLOTS) {
                last = next;
            }
            let count = (last + 1 - first).next_multiple_of(2);
            let vreg = out.vregs.bytes((1 + count) * GRF_BYTES);
            entry.messages.push(Message { first, count, payload: Operand::vgrf(vreg, Type::Ud) });
        }
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
            for i in 0..message.count {
                let register = message.payload.byte_offset((1 + i) * GRF_BYTES);
                entry.registers.insert(message.first + i, register);
            }
        }
        entry
    }

    /// What holds before the code: the header is zero, other dwords that it may leave alone are anything.
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

    /// Writes everything; the last message ends the thread.
    pub(super) fn close(&self, selector: &mut Selector<'_>) -> Result<(), SelectError> {
        for (index, message) in self.messages.iter().enumerate() {
            let last = index + 1 == self.messages.len();
            let place = UrbPlace { slot: message.first, single: false, distances: false };
            let device = selector.device;
            let mut b = selector.b();
            surface::fill_header(&mut b, message.payload);
            let (payload, count) = (message.payload, message.count);
            surface::write_slots(&mut b, device, payload, place, count, WriteMask::XYZW, last)?;
        }
        Ok(())
    }

    pub(super) fn register(&self, slot: u32) -> Option<Operand> {
        self.registers.get(&slot).copied()
    }
}

/// Where a store to an output puts what, if it is the only one to do so.
pub(super) fn only_store(
    func: &Function,
    usage: &Usage,
    layout: &EntryLayout,
    entry: &Entry,
    kind: &InstKind,
) -> Option<(Src, Place)> {
    let InstKind::StoreOutput { slot, data, index: None, vertex: None, comp, mask } = kind else {
        return None;
    };
    if func.ty(data.value).bits() == 64 {
        return None;
    }
    let at = layout.places.get(slot)?;
    let comps = mask.width();
    let dwords: Vec<u8> =
        (0..comps).map(|c| at.dwords_from(*comp).get(c).copied()).collect::<Option<_>>()?;
    let lanes = Lanes::of(&dwords);
    let whole = mask.0 == (1 << comps) - 1;
    (whole && usage.once(at.slot, lanes.mask()))
        .then(|| Some((*data, Place { vector: entry.register(at.slot)?, lanes })))?
}

impl Selector<'_> {
    /// Stores to registers of slots, that `register` tells.
    pub(super) fn store_slots(
        &mut self,
        layout: &EntryLayout,
        kind: &InstKind,
        register: &dyn Fn(u32) -> Option<Operand>,
    ) -> Result<(), SelectError> {
        let InstKind::StoreOutput { slot, data, index, comp, mask, .. } = kind else {
            return Ok(());
        };
        let place = |slot: IoSlot| {
            let at = *layout.places.get(&slot)?;
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
            // What nobody asks for has no register.
            let Some((at, register)) = place(slot) else { return Ok(()) };
            let dwords = at.dwords_from(*comp);
            self.store_comps(*data, register, dwords, mask.0, None);
            return Ok(());
        }
        // Each slot of the row compares the index with its own number; the last one takes what lies beyond.
        let Some(index) = index.map(|index| index.select(0)) else { return Ok(()) };
        for (number, slot) in (0..).zip(row) {
            let Some((at, register)) = place(slot) else { continue };
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

    /// Moves the components of `mask` to dwords of a register.
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
        let place = Place { vector: register, lanes: Lanes::of(&to) };
        match only {
            None => self.move_parts(&parts, place, Class::Unsigned),
            Some(flag) => {
                let temporary = Place { vector: self.vector(Type::Ud), ..place };
                self.move_parts(&parts, temporary, Class::Unsigned);
                let mut b = self.b();
                let mut b = b.predicated(flag, false);
                b.mov(place.dst(Type::Ud), lanes_in_place(temporary));
            }
        }
    }
}
