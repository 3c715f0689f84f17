//! The dwords that a store to an output writes.

use crestline_isa::{CondMod, Type};
use crestline_ssa::ir::{InstKind, Src, WriteMask};

use super::super::Selector;
use crate::ir::{Flag, Operand};
use crate::select::Class;
use crate::stage::{VueMap, VueSlot, row_of};

/// A dword of a URB entry: the number of the slot, and the number of the dword in the slot.
pub(super) type Place = (u32, u8);

/// A dword that a store writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) place: Place,
    pub(super) value: Operand,
    /// A flag with the channels that write the dword; `None` if all enabled channels write it.
    pub(super) only: Option<Flag>,
}

impl Selector<'_> {
    /// The dwords that a store of `data` writes: for each, its number in the slot and the operand with its value.
    /// `dwords` are the numbers in the slot of the value's dwords from the first component on. `mask` selects the
    /// components that are stored. A 64-bit component has two dwords.
    pub(super) fn stored_dwords(
        &mut self,
        data: Src,
        mask: WriteMask,
        dwords: &[u8],
    ) -> Vec<(u8, Operand)> {
        let each = if self.bits(data.value) == 64 { 2 } else { 1 };
        let comps = (0..mask.width()).filter(|&comp| mask.has(comp));
        let parts = comps.flat_map(|comp| (0..each).map(move |part| (comp, part)));
        parts
            .filter_map(|(comp, part)| {
                let at = *dwords.get(comp * each + part)?;
                Some((at, self.read_dword(data.select(comp), part).retype(Type::Ud)))
            })
            .collect()
    }

    /// Calls `put` for each dword that a store writes. If the index is known at run time only, that is each dword that
    /// the store can write, with a flag of the channels that write it. A dword that `vue_map` does not contain is left
    /// out, because the next stage does not use it.
    pub(super) fn for_each_stored(
        &mut self,
        vue_map: &VueMap,
        kind: &InstKind,
        mut put: impl FnMut(&mut Self, Stored),
    ) {
        let InstKind::StoreOutput { slot, data, index, comp, mask, .. } = kind else { return };
        let row = row_of(self.shader.output(*slot), *slot);
        let last = row.len() as u32 - 1;
        let mut all = |selector: &mut Self, at: VueSlot, only: Option<Flag>| {
            for (dword, value) in selector.stored_dwords(*data, *mask, at.dwords_from(*comp)) {
                put(selector, Stored { place: (at.slot, dword), value, only });
            }
        };
        let known = index.map_or(Some(0), |index| self.known_scalar(index));
        if let Some(known) = known {
            let slot = slot.plus(known.min(last)).unwrap_or(*slot);
            if let Some(&at) = vue_map.slots.get(&slot) {
                all(self, at, None);
            }
            return;
        }
        // The index is known at run time only: for each slot of the variable, a comparison of the index with the slot's
        // number writes a flag, by which `put` predicates its moves. An index that is too large selects the last slot.
        let Some(index) = *index else { return };
        for (number, slot) in (0..).zip(row) {
            let Some(&at) = vue_map.slots.get(&slot) else { continue };
            let index = self.src(index, Class::Unsigned);
            let own = if number == last { CondMod::Ge } else { CondMod::Z };
            let mut b = self.b();
            let flag = b.flag();
            b.cmp(Operand::null(Type::Ud), index, own, Operand::imm_ud(number), flag);
            all(self, at, Some(flag));
        }
    }

    /// Emits the copy of a stored dword to a register, predicated if only some channels write the dword.
    pub(super) fn copy_stored(&mut self, register: Operand, stored: Stored) {
        let mut b = self.b();
        match stored.only {
            Some(flag) => b.predicated(flag, false).mov(register, stored.value),
            None => b.mov(register, stored.value),
        };
    }
}
