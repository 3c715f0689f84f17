//! The URB entry of an output vertex. Each channel of a vertex or tessellation evaluation shader writes one.
//!
//! Stores to outputs emit no messages. Messages write the stored values later:
//!
//! - If all stores to a dword are outside control flow and without an index, the message has the operand of the last
//!   store as its payload. Any other dword has a register, to which each of its stores copies.
//! - A message writes up to two consecutive slots. It is emitted right after the last store to these slots, so that few
//!   values are live at the same time.
//! - The last message ends the thread.
//!
//! Dwords without a store in the slots that messages write become undefined, except those of the vertex header, which
//! become 0. No message writes the vertex header if the shader has no output there.

use std::collections::BTreeMap;

use crestline_isa::Type;
use crestline_ssa::ir::{InstId, InstKind, Shader};

use super::super::{SelectError, Selector};
use super::lanes;
use super::outputs::Place;
use crate::ir::{Op, Operand};
use crate::stage::{HEADER, Usage, VueMap, groups};
use crate::surface::{self, EntryAddress, MAX_DWORDS};

/// Dwords of a slot.
const SLOT_DWORDS: u8 = 4;

/// The state of selection for the outputs of a vertex or tessellation evaluation shader.
#[derive(Debug)]
pub(in crate::scalar) struct Entry {
    /// A register with the handle of each channel's entry.
    handles: Operand,
    /// The registers of the dwords that have a store inside control flow or with an index.
    registers: BTreeMap<Place, Operand>,
    /// For each other dword that has been stored so far, the operand of its last store.
    values: BTreeMap<Place, Operand>,
    /// The messages that are not emitted yet, in the order in which they will be.
    groups: Vec<Group>,
}

/// The slots of one message.
#[derive(Debug)]
pub(super) struct Group {
    /// Consecutive slots.
    slots: Vec<u32>,
    /// The number of the last instruction of the body that stores to one of the slots; `None` if there is no store.
    last_store: Option<usize>,
}

/// For each slot of the entry, the number of the last instruction of the body that is a store to it or contains one in
/// its regions. A store with an index counts for each slot that the index can select.
fn last_stores(shader: &Shader, vue_map: &VueMap) -> BTreeMap<u32, usize> {
    fn visit(shader: &Shader, vue_map: &VueMap, id: InstId, stored: &mut dyn FnMut(u32)) {
        let kind = &shader.func.inst(id).kind;
        if let InstKind::StoreOutput { slot, index, .. } = kind {
            let row = match index {
                Some(_) => crate::stage::row_of(shader.output(*slot), *slot),
                None => vec![*slot],
            };
            row.iter().filter_map(|slot| vue_map.slots.get(slot)).for_each(|at| stored(at.slot));
        }
        for region in kind.regions() {
            for &inner in &shader.func.region(region).insts {
                visit(shader, vue_map, inner, stored);
            }
        }
    }
    let mut last = BTreeMap::new();
    let body = shader.func.region(shader.func.body());
    for (index, &id) in body.insts.iter().enumerate() {
        visit(shader, vue_map, id, &mut |slot| _ = last.insert(slot, index));
    }
    last
}

impl Entry {
    /// Removes and returns the messages for whose slots no store follows after instruction number `index` of the body.
    /// At least one message always remains, because the last message ends the thread.
    pub(super) fn complete_groups(&mut self, index: usize) -> Vec<Group> {
        let complete = |group: &&Group| group.last_store.is_none_or(|last| last <= index);
        let count = self.groups.iter().take_while(complete).count();
        let count = count.min(self.groups.len().saturating_sub(1));
        self.groups.drain(..count).collect()
    }

    /// The operand with the current value of a dword: 0 for a dword of the vertex header without a store, `None` for
    /// another dword without a store, whose value is undefined.
    fn dword(&self, place: Place) -> Option<Operand> {
        let found = self.registers.get(&place).or_else(|| self.values.get(&place));
        found.copied().or_else(|| (place.0 == HEADER).then_some(Operand::imm_ud(0)))
    }
}

impl Selector<'_> {
    /// Divides the slots of the output entry into messages and initialises the registers of dwords. The payload has the
    /// handles of the entries at byte offset `handles`.
    pub(super) fn open_entry(&mut self, handles: u32) -> Result<Entry, SelectError> {
        let vue_map = self.output_entry()?;
        let usage = Usage::of(self.shader, vue_map);
        let mut registers = BTreeMap::new();
        for place in usage.stored_elsewhere() {
            let register = self.output_register(place.0 == HEADER);
            registers.insert(place, register);
        }
        let last = last_stores(self.shader, vue_map);
        // The last message ends the thread, so there is one even if the shader has no outputs. It writes an undefined dword to the
        // slot of the position, which has no value in such a shader, and leaves the header alone.
        let none = usage.stored_slots().next().is_none().then_some(HEADER + 1);
        let slots = usage.stored_slots().chain(none);
        let slots = groups(slots, (MAX_DWORDS / u32::from(SLOT_DWORDS)) as usize);
        let group = |slots: Vec<u32>| {
            let last_store = slots.iter().filter_map(|slot| last.get(slot)).max().copied();
            Group { slots, last_store }
        };
        let mut groups: Vec<Group> = slots.into_iter().map(group).collect();
        groups.sort_by_key(|group| group.last_store);
        Ok(Entry { handles: lanes(handles), registers, values: BTreeMap::new(), groups })
    }

    /// A new register for a dword of an output. Emits its initialisation: to 0 if `zero` is set, otherwise to
    /// undefined.
    pub(super) fn output_register(&mut self, zero: bool) -> Operand {
        let register = self.out.lanes(Type::Ud, 1);
        let mut b = self.b();
        match zero {
            true => b.mov(register, Operand::imm_ud(0)),
            false => b.no_mask().emit(Op::Undef, register, &[]),
        };
        register
    }

    /// Selects a store to an output: copies its dwords to their registers, or records their operands.
    pub(super) fn store_in_entry(&mut self, kind: &InstKind) -> Result<(), SelectError> {
        let vue_map = self.output_entry()?;
        self.for_each_stored(vue_map, kind, |selector, stored| {
            let super::State::Entry(entry) = &mut selector.stage else { return };
            match entry.registers.get(&stored.place) {
                Some(&register) => selector.copy_stored(register, stored),
                None => _ = entry.values.insert(stored.place, stored.value),
            }
        });
        Ok(())
    }

    /// Emits messages that write the given groups of slots. None of them ends the thread.
    pub(super) fn write_groups(&mut self, groups: Vec<Group>) -> Result<(), SelectError> {
        if groups.is_empty() {
            return Ok(());
        }
        let super::State::Entry(entry) = std::mem::take(&mut self.stage) else { return Ok(()) };
        for group in &groups {
            self.write_group(&entry, group, false)?;
        }
        self.stage = super::State::Entry(entry);
        Ok(())
    }

    /// Emits the message that writes a group of slots. If `last` is set, the message also ends the thread. Undefined
    /// dwords at the end of the group are left out of the message.
    fn write_group(&mut self, entry: &Entry, group: &Group, last: bool) -> Result<(), SelectError> {
        let places =
            group.slots.iter().flat_map(|&slot| (0..SLOT_DWORDS).map(move |at| (slot, at)));
        let mut dwords: Vec<Option<Operand>> = places.map(|place| entry.dword(place)).collect();
        let written = dwords.iter().rposition(Option::is_some).map_or(1, |at| at + 1);
        dwords.truncate(written);
        let slot = group.slots.first().copied().unwrap_or(HEADER);
        let address = EntryAddress { handles: entry.handles, slot, distance: None };
        let target = self.target;
        Ok(surface::write_entry(&mut self.b(), target, address, &dwords, false, last)?)
    }

    /// Emits the remaining messages and ends the thread.
    pub(super) fn close_entry(&mut self, mut entry: Entry) -> Result<(), SelectError> {
        let groups = std::mem::take(&mut entry.groups);
        for (index, group) in groups.iter().enumerate() {
            self.write_group(&entry, group, index + 1 == groups.len())?;
        }
        Ok(())
    }
}
