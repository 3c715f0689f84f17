//! Analysis of a shader's stores to the slots of a URB entry: which dwords are stored where, which slots one message
//! writes, and which stores share a message.

use std::collections::{BTreeMap, BTreeSet};

use crestline_ssa::ir::{InstId, InstKind, Shader};

use super::access::{Target, row_of};
use super::io::VueMap;

/// The first slot of an entry. In a vertex's entry, it is the vertex header, whose dwords without a store are 0. In a
/// patch's entry, it is the first half of the patch header.
pub(crate) const HEADER: u32 = 0;

/// Consecutive slots that one message writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The first slot, an even number.
    pub(crate) first: u32,
    /// Number of slots, an even number.
    pub(crate) count: u32,
}

impl Run {
    /// Whether the run contains a slot.
    pub(crate) fn has(self, slot: u32) -> bool {
        (self.first..self.first + self.count).contains(&slot)
    }
}

/// Divides `slots`, which are ascending, into runs of at most `most` slots; `most` must be even. Messages write
/// pairs of slots, so a run may contain slots that are not in `slots`: the other slot of a pair, and gaps. These may be
/// written with any value.
pub(crate) fn runs(slots: impl IntoIterator<Item = u32>, most: u32) -> Vec<Run> {
    let mut slots = slots.into_iter().peekable();
    let mut runs = Vec::new();
    while let Some(slot) = slots.next() {
        let first = slot & !1;
        let mut last = slot;
        while let Some(next) = slots.next_if(|&next| next < first + most) {
            last = next;
        }
        runs.push(Run { first, count: (last + 1 - first).next_multiple_of(2) });
    }
    runs
}

/// Divides `slots`, which are ascending, into groups of up to `most` consecutive slots.
pub(crate) fn groups(slots: impl IntoIterator<Item = u32>, most: usize) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for slot in slots {
        match groups.last_mut() {
            Some(group) if group.len() < most && group.last().is_some_and(|&l| l + 1 == slot) => {
                group.push(slot);
            }
            _ => groups.push(vec![slot]),
        }
    }
    groups
}

/// The stores of a shader to one slot of an entry.
#[derive(Clone, Copy, Debug, Default)]
struct Stores {
    /// Number of stores to each dword. A store with an index counts as two.
    count: [u32; 4],
    /// Mask of the dwords that have a store outside all control flow and without an index.
    always: u8,
    /// Mask of the dwords that have a store inside control flow or with an index.
    elsewhere: u8,
}

/// The stores of a shader to the slots of an entry, by slot.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    slots: BTreeMap<u32, Stores>,
}

impl Usage {
    /// Collects all stores of a shader to the slots of an entry.
    pub(crate) fn of(shader: &Shader, vue_map: &VueMap) -> Usage {
        let mut usage = Usage::default();
        let func = &shader.func;
        let mut stack = vec![func.body()];
        while let Some(region) = stack.pop() {
            for &id in &func.region(region).insts {
                let kind = &func.inst(id).kind;
                stack.extend(kind.regions());
                usage.add(shader, vue_map, kind, region == func.body());
            }
        }
        usage
    }

    /// Adds a store. `always` states whether it is outside all control flow.
    fn add(&mut self, shader: &Shader, vue_map: &VueMap, kind: &InstKind, always: bool) {
        let InstKind::StoreOutput { slot, data, index, comp, mask, .. } = kind else { return };
        let slot = *slot;
        let wide = shader.func.ty(data.value).bits() == 64;
        let row = if index.is_some() { row_of(shader.output(slot), slot) } else { vec![slot] };
        for vue_slot in row.iter().filter_map(|slot| vue_map.slots.get(slot)) {
            let stores = self.slots.entry(vue_slot.slot).or_default();
            let there = vue_slot.dwords_from(*comp);
            for c in (0..4).filter(|&c| mask.has(c)) {
                let dwords = if wide { vec![2 * c, 2 * c + 1] } else { vec![c] };
                for dword in dwords.into_iter().filter_map(|at| there.get(at).copied()) {
                    // A store with an index may write another slot. It counts as two, so that it is never the only
                    // store.
                    stores.count[usize::from(dword)] += if index.is_some() { 2 } else { 1 };
                    match always && index.is_none() {
                        true => stores.always |= 1 << dword,
                        false => stores.elsewhere |= 1 << dword,
                    }
                }
            }
        }
    }

    /// The slots that a vertex's entry must contain, ascending: those that are stored to, and the header.
    pub(crate) fn vertex_slots(&self) -> impl Iterator<Item = u32> + '_ {
        let header = (!self.slots.contains_key(&HEADER)).then_some(HEADER);
        header.into_iter().chain(self.slots.keys().copied())
    }

    /// The slots that are stored to, ascending.
    pub(crate) fn stored_slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.slots.keys().copied()
    }

    /// Whether exactly one store writes each of these dwords.
    pub(crate) fn once(&self, slot: u32, dwords: u8) -> bool {
        self.slots.get(&slot).is_some_and(|stores| {
            (0..4).all(|dword| dwords >> dword & 1 == 0 || stores.count[dword] == 1)
        })
    }

    /// Mask of the dwords of a slot that are stored at all.
    pub(crate) fn stored(&self, slot: u32) -> u8 {
        self.slots.get(&slot).map_or(0, |stores| stores.always | stores.elsewhere)
    }

    /// The dwords that have a store inside control flow or with an index: slots, and dwords in them.
    pub(crate) fn stored_elsewhere(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        self.slots.iter().flat_map(|(&slot, stores)| {
            let mask = stores.elsewhere;
            (0..4).filter(move |dword| mask >> dword & 1 == 1).map(move |dword| (slot, dword))
        })
    }

    /// Mask of the dwords of a slot that have a store outside all control flow and without an index.
    pub(crate) fn always(&self, slot: u32) -> u8 {
        self.slots.get(&slot).map_or(0, |stores| stores.always)
    }
}

/// Finds stores to outputs of a tessellation control shader that can share one message. Each store emits a message,
/// because other invocations may read the output. For example, these two stores to one slot can be one message:
///
/// ```text
/// store_output slot.x
/// store_output slot.y
/// ```
///
/// A store is joined with the last later store to the same slot in the same region if no instruction between them reads
/// an output, is a barrier, contains regions, or stores to a slot that may be the same.
pub(crate) fn joined_stores(shader: &Shader) -> JoinedStores {
    let func = &shader.func;
    let mut joined = JoinedStores::default();
    let mut stack = vec![func.body()];
    while let Some(region) = stack.pop() {
        let mut last: Vec<(Target, InstId)> = Vec::new();
        for &id in func.region(region).insts.iter().rev() {
            let kind = &func.inst(id).kind;
            stack.extend(kind.regions());
            match kind {
                InstKind::StoreOutput { slot, vertex, index, .. } => {
                    let target = Target { slot: *slot, vertex: *vertex, index: *index };
                    if let Some((_, behind)) = last.iter().find(|(other, _)| *other == target) {
                        joined.earlier.entry(*behind).or_default().push(id);
                        joined.without_message.insert(id);
                    } else {
                        last.retain(|(other, _)| !other.may_be(target));
                        last.push((target, id));
                    }
                }
                InstKind::LoadOutput { .. } | InstKind::Barrier { .. } => last.clear(),
                _ if kind.regions().len() != 0 => last.clear(),
                _ => {}
            }
        }
    }
    // They were found from the last to the first.
    joined.earlier.values_mut().for_each(|stores| stores.reverse());
    joined
}

/// Stores that share a message with a later store.
#[derive(Debug, Default)]
pub(crate) struct JoinedStores {
    /// For each store that emits a message for others, these others in program order.
    earlier: BTreeMap<InstId, Vec<InstId>>,
    /// The stores that emit no message.
    without_message: BTreeSet<InstId>,
}

impl JoinedStores {
    /// Whether a later store emits the message.
    pub(crate) fn is_joined(&self, store: InstId) -> bool {
        self.without_message.contains(&store)
    }

    /// The stores whose values the message of `store` contains, in program order, itself last.
    pub(crate) fn of(&self, store: InstId) -> impl Iterator<Item = InstId> {
        self.earlier.get(&store).into_iter().flatten().copied().chain([store])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_pairs_of_slots_up_to_the_limit() {
        let of = |slots: &[u32], most| -> Vec<(u32, u32)> {
            runs(slots.iter().copied(), most).iter().map(|run| (run.first, run.count)).collect()
        };
        assert_eq!(of(&[], 14), []);
        assert_eq!(of(&[0, 1, 5], 14), [(0, 6)]);
        // The next run begins with the pair that contains the slot.
        assert_eq!(of(&[0, 13, 15], 14), [(0, 14), (14, 2)]);
        assert_eq!(of(&[3, 4], 2), [(2, 2), (4, 2)]);
    }
}
