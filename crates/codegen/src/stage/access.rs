//! Where an access to an input or output finds its slot.
//!
//! Numbers out of range count as the last one: an access never reaches a slot that is not the variable's, whatever the
//! mode makes of it.

use crestline_ssa::ir::{InstKind, IoSlot, IoVar, MAX_PATCH_VERTICES, Shader, Src};

use super::io::{EntryPlace, GeometryIo, TessControlIo, TessEvalIo, VertexIo};

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

/// A number that only the run tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    /// Its first component is the number.
    pub(crate) src: Src,
    /// The last number that counts: any beyond it means the same.
    pub(crate) last: u32,
}

/// Slots for each of a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count {
    pub(crate) number: Number,
    pub(crate) slots: u32,
}

/// A slot: as far as it is known, and what the run adds.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) known: u32,
    pub(crate) more: Vec<Count>,
}

impl Slot {
    /// Adds so many slots for each of the numbers that an access has.
    fn new(first: u32, terms: &[(Option<Src>, u32, u32)], known: Known<'_>) -> Slot {
        let mut slot = Slot { known: first, more: Vec::new() };
        for &(src, slots, last) in terms {
            let Some(src) = src else { continue };
            match known(src) {
                Some(number) => slot.known += number.min(last) * slots,
                None => slot.more.push(Count { number: Number { src, last }, slots }),
            }
        }
        slot
    }
}

/// Whose entry it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handle {
    /// That of the patch, one for all invocations.
    Patch,
    /// That of the input vertex with this number, of those up to `last`; of the first one if there is no number. The
    /// handles are dwords of the payload, from place `first` on.
    Vertex { first: u32, number: Option<Src>, last: u32 },
}

/// Where an access finds what it is for.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    /// In a pushed slot.
    Pushed { slot: Slot, place: EntryPlace },
    /// In a slot of an entry, which takes a message.
    Entry { handle: Handle, slot: Slot, place: EntryPlace },
}

impl Access {
    /// The place in the slot.
    pub(crate) fn place(&self) -> EntryPlace {
        match self {
            Access::Pushed { place, .. } | Access::Entry { place, .. } => *place,
        }
    }
}

/// The last index that counts of an access.
fn last_index(var: Option<&IoVar>, slot: IoSlot) -> u32 {
    row_of(var, slot).len() as u32 - 1
}

impl VertexIo {
    /// The pushed slot of an attribute; `None` for one that the payload has not.
    pub(crate) fn input(&self, shader: &Shader, target: Target, known: Known<'_>) -> Option<Slot> {
        let first = *self.inputs.get(&target.slot)?;
        let last = last_index(shader.input(target.slot), target.slot);
        Some(Slot::new(first, &[(target.index, 1, last)], known))
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
        let place = *self.inputs.places.get(&target.slot)?;
        let last = self.input_vertices.unwrap_or(MAX_PATCH_VERTICES) - 1;
        let handle = Handle::Vertex { first: self.handles, number: target.vertex, last };
        let last = last_index(shader.input(target.slot), target.slot);
        let slot = Slot::new(place.slot, &[(target.index, 1, last)], known);
        Some(Access::Entry { handle, slot, place })
    }

    /// The slot of an output in the patch's entry, and the place in it; `None` if the entry has it not.
    pub(crate) fn output(
        &self,
        shader: &Shader,
        target: Target,
        known: Known<'_>,
    ) -> Option<(Slot, EntryPlace)> {
        let of_patch = target.slot.is_patch();
        let layout = if of_patch { &self.patch } else { &self.vertex };
        let place = *layout.places.get(&target.slot)?;
        let first = if of_patch { 0 } else { self.patch.slots } + place.slot;
        let last = last_index(shader.output(target.slot), target.slot);
        let terms =
            [(target.vertex, self.vertex.slots, self.output_vertices - 1), (target.index, 1, last)];
        Some((Slot::new(first, &terms, known), place))
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
        let of_patch = target.slot.is_patch();
        let layout = if of_patch { &self.patch } else { &self.vertex };
        let place = *layout.places.get(&target.slot)?;
        let first = if of_patch { 0 } else { self.patch.slots } + place.slot;
        let last = last_index(shader.input(target.slot), target.slot);
        let terms =
            [(target.vertex, self.vertex.slots, MAX_PATCH_VERTICES - 1), (target.index, 1, last)];
        let slot = Slot::new(first, &terms, known);
        Some(match slot.more.is_empty() && slot.known < self.pushed_slots {
            true => Access::Pushed { slot, place },
            false => Access::Entry { handle: Handle::Patch, slot, place },
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
        let place = *self.inputs.places.get(&target.slot)?;
        let last = last_index(shader.input(target.slot), target.slot);
        let last_vertex = self.input_vertices - 1;
        // Slots of one access are all pushed, or all read from the entry.
        let reach = target.index.map_or(0, |index| known(index).map_or(last, |n| n.min(last)));
        if place.slot + reach >= self.pushed_slots
            && let Some(first) = self.handles
        {
            let handle = Handle::Vertex { first, number: target.vertex, last: last_vertex };
            let slot = Slot::new(place.slot, &[(target.index, 1, last)], known);
            return Some(Access::Entry { handle, slot, place });
        }
        let terms = [(target.vertex, self.pushed_slots, last_vertex), (target.index, 1, last)];
        Some(Access::Pushed { slot: Slot::new(place.slot, &terms, known), place })
    }
}
