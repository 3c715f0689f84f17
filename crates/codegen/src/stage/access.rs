//! Where an access to an input or output finds its slot.
//!
//! Numbers out of range count as the last one: an access never reaches a slot that is not the variable's, whatever the
//! mode makes of it.

use crestline_ssa::ir::{InstKind, IoSlot, IoVar, MAX_PATCH_VERTICES, Shader, Src};

use super::io::{GeometryIo, TessControlIo, TessEvalIo, VertexIo, VueMap, VueSlot};

/// Tells the first component of a source, if it is known before the program runs.
pub(crate) type Known<'k> = &'k dyn Fn(Src) -> Option<u32>;

/// What an instruction accesses: slots of one variable, of one vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The slot, where no index adds to it.
    pub(crate) slot: IoSlot,
    /// The vertex or control point.
    pub(crate) vertex: Option<Src>,
    /// Slots further.
    pub(crate) index: Option<Src>,
}

impl Target {
    /// That of a load or store.
    pub(crate) fn of(kind: &InstKind) -> Option<Target> {
        match kind {
            InstKind::LoadInput { slot, vertex, index, .. }
            | InstKind::LoadOutput { slot, vertex, index, .. }
            | InstKind::StoreOutput { slot, vertex, index, .. } => {
                Some(Target { slot: *slot, vertex: *vertex, index: *index })
            }
            _ => None,
        }
    }

    /// Whether two that are named differently may be the same slot.
    pub(crate) fn may_be(self, other: Target) -> bool {
        let indexed = self.index.is_some() || other.index.is_some();
        self.slot.is_patch() == other.slot.is_patch() && (self.slot == other.slot || indexed)
    }
}

/// The slots that an index may move an access to, of the variable that `slot` is one of.
pub(crate) fn row_of(var: Option<&IoVar>, slot: IoSlot) -> Vec<IoSlot> {
    let Some(var) = var else { return vec![slot] };
    let from = var.index_of(slot).unwrap_or(0);
    (0..var.slots() - from).filter_map(|n| slot.plus(n)).collect()
}

/// An index that is known only when the program runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynamicIndex {
    /// Its first component is the index.
    pub(crate) src: Src,
    /// The last index that counts: any beyond it means the same.
    pub(crate) last: u32,
}

/// Slots for each unit of an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OffsetTerm {
    pub(crate) index: DynamicIndex,
    pub(crate) slots: u32,
}

/// The number of a slot: a constant, and terms that are known only when the program runs.
#[derive(Clone, Debug)]
pub(crate) struct SlotOffset {
    pub(crate) constant: u32,
    pub(crate) terms: Vec<OffsetTerm>,
}

impl SlotOffset {
    /// Adds so many slots for each unit of the indices that an access has: index, slots, last index that counts.
    fn new(first: u32, terms: &[(Option<Src>, u32, u32)], known: Known<'_>) -> SlotOffset {
        let mut offset = SlotOffset { constant: first, terms: Vec::new() };
        for &(src, slots, last) in terms {
            let Some(src) = src else { continue };
            match known(src) {
                Some(index) => offset.constant += index.min(last) * slots,
                None => offset.terms.push(OffsetTerm { index: DynamicIndex { src, last }, slots }),
            }
        }
        offset
    }
}

/// Whose entry it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handle {
    /// That of the patch, one for all invocations.
    Patch,
    /// That of the input vertex with this number, of those up to `last`; of the first one if there is no number. The
    /// handles are dwords of the payload, from byte `first` on.
    Vertex { first: u32, number: Option<Src>, last: u32 },
}

/// Where an access finds what it is for.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    /// In a pushed slot.
    Pushed { offset: SlotOffset, slot: VueSlot },
    /// In a slot of an entry, which takes a message.
    Entry { handle: Handle, offset: SlotOffset, slot: VueSlot },
}

impl Access {
    /// Where the components are in the slot.
    pub(crate) fn slot(&self) -> VueSlot {
        match self {
            Access::Pushed { slot, .. } | Access::Entry { slot, .. } => *slot,
        }
    }
}

/// The last index that counts of an access.
fn last_index(var: Option<&IoVar>, slot: IoSlot) -> u32 {
    row_of(var, slot).len() as u32 - 1
}

/// A patch's entry: the part of the patch, then its control points.
struct PatchEntry<'a> {
    patch: &'a VueMap,
    vertex: &'a VueMap,
    /// The last control point that counts.
    last_vertex: u32,
}

impl PatchEntry<'_> {
    /// The slot in the entry of an access to a variable; `None` if the entry has it not.
    fn slot(
        &self,
        var: Option<&IoVar>,
        target: Target,
        known: Known<'_>,
    ) -> Option<(SlotOffset, VueSlot)> {
        let of_patch = target.slot.is_patch();
        let (first, vue_map) = match of_patch {
            true => (0, self.patch),
            false => (self.patch.num_slots, self.vertex),
        };
        let slot = *vue_map.slots.get(&target.slot)?;
        let terms = [
            (target.vertex, self.vertex.num_slots, self.last_vertex),
            (target.index, 1, last_index(var, target.slot)),
        ];
        Some((SlotOffset::new(first + slot.slot, &terms, known), slot))
    }
}

impl VertexIo {
    /// The pushed slot of an attribute; `None` for one that the payload has not.
    pub(crate) fn input(
        &self,
        shader: &Shader,
        target: Target,
        known: Known<'_>,
    ) -> Option<SlotOffset> {
        let first = *self.inputs.get(&target.slot)?;
        let last = last_index(shader.input(target.slot), target.slot);
        Some(SlotOffset::new(first, &[(target.index, 1, last)], known))
    }
}

impl TessControlIo {
    /// Where an input is; `None` if no entry has it.
    pub(crate) fn input(
        &self,
        shader: &Shader,
        target: Target,
        known: Known<'_>,
    ) -> Option<Access> {
        let slot = *self.inputs.slots.get(&target.slot)?;
        let last = self.input_vertices.unwrap_or(MAX_PATCH_VERTICES) - 1;
        let handle = Handle::Vertex { first: self.handles, number: target.vertex, last };
        let last = last_index(shader.input(target.slot), target.slot);
        let offset = SlotOffset::new(slot.slot, &[(target.index, 1, last)], known);
        Some(Access::Entry { handle, offset, slot })
    }

    /// The slot of an output in the patch's entry; `None` if the entry has it not.
    pub(crate) fn output(
        &self,
        shader: &Shader,
        target: Target,
        known: Known<'_>,
    ) -> Option<(SlotOffset, VueSlot)> {
        let last_vertex = self.output_vertices - 1;
        let entry = PatchEntry { patch: &self.patch, vertex: &self.vertex, last_vertex };
        entry.slot(shader.output(target.slot), target, known)
    }
}

impl TessEvalIo {
    /// Where an input is; `None` if the patch's entry has it not.
    pub(crate) fn input(
        &self,
        shader: &Shader,
        target: Target,
        known: Known<'_>,
    ) -> Option<Access> {
        let last_vertex = MAX_PATCH_VERTICES - 1;
        let entry = PatchEntry { patch: &self.patch, vertex: &self.vertex, last_vertex };
        let (offset, slot) = entry.slot(shader.input(target.slot), target, known)?;
        Some(match offset.terms.is_empty() && offset.constant < self.pushed_slots {
            true => Access::Pushed { offset, slot },
            false => Access::Entry { handle: Handle::Patch, offset, slot },
        })
    }
}

impl GeometryIo {
    /// Slots that are pushed of all vertices together.
    pub(crate) fn all_pushed_slots(&self) -> u32 {
        self.pushed_slots * self.input_vertices
    }

    /// Where an input is; `None` if no entry has it.
    pub(crate) fn input(
        &self,
        shader: &Shader,
        target: Target,
        known: Known<'_>,
    ) -> Option<Access> {
        let slot = *self.inputs.slots.get(&target.slot)?;
        let last = last_index(shader.input(target.slot), target.slot);
        let last_vertex = self.input_vertices - 1;
        // Slots of one access are all pushed, or all read from the entry.
        let reach = target.index.map_or(0, |index| known(index).map_or(last, |n| n.min(last)));
        if slot.slot + reach >= self.pushed_slots
            && let Some(first) = self.handles
        {
            let handle = Handle::Vertex { first, number: target.vertex, last: last_vertex };
            let offset = SlotOffset::new(slot.slot, &[(target.index, 1, last)], known);
            return Some(Access::Entry { handle, offset, slot });
        }
        let terms = [(target.vertex, self.pushed_slots, last_vertex), (target.index, 1, last)];
        Some(Access::Pushed { offset: SlotOffset::new(slot.slot, &terms, known), slot })
    }
}
