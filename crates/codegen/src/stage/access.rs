//! The positions of inputs and outputs: which pushed slot or which slot of a URB entry a load or store accesses.
//!
//! The number of the slot may depend on an index or vertex number that is known at run time only. An index that is too
//! large is replaced by the last valid one, in both back ends. So an access never reaches a slot of another variable.

use crestline_ssa::ir::{
    InstKind, IoSlot, IoVar, MAX_PATCH_VERTICES, Shader, Src, StageInfo, SysVal, Value,
};

use super::io::{GeometryIo, TessControlIo, TessEvalIo, VertexIo, VueMap, VueSlot};

/// Returns the first component of a source if it is constant.
pub(crate) type Known<'k> = &'k dyn Fn(Src) -> Option<u32>;

/// The input or output that an instruction accesses: a slot of a variable, and if the variable has one value for each
/// vertex, the vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The slot that is accessed with index 0.
    pub(crate) slot: IoSlot,
    /// The vertex or control point, if the variable has one value for each.
    pub(crate) vertex: Option<Src>,
    /// An index that is added to the slot.
    pub(crate) index: Option<Src>,
}

impl Target {
    /// The target of a load or store; `None` for other instructions.
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

    /// Whether two targets that are not equal may still be the same slot of the same vertex at run time. Conservative:
    /// the vertices are not compared.
    pub(crate) fn may_be(self, other: Target) -> bool {
        let indexed = self.index.is_some() || other.index.is_some();
        self.slot.is_patch() == other.slot.is_patch() && (self.slot == other.slot || indexed)
    }
}

/// The slots that an access with an index can reach: those of the variable of `slot`, from `slot` on.
pub(crate) fn row_of(var: Option<&IoVar>, slot: IoSlot) -> Vec<IoSlot> {
    let Some(var) = var else { return vec![slot] };
    let from = var.index_of(slot).unwrap_or(0);
    (0..var.slots() - from).filter_map(|n| slot.plus(n)).collect()
}

/// Whether a value is the built-in `InvocationId` and no invocation has a number above `last`. Such an index is always
/// in range.
pub(crate) fn is_own_number(shader: &Shader, value: Value, last: u32) -> bool {
    let invocations = match shader.stage {
        StageInfo::TessControl(info) => info.output_vertices,
        StageInfo::Geometry(info) => info.invocations,
        _ => return false,
    };
    let def = shader.func.def(value);
    let own = matches!(def.map(|inst| &inst.kind), Some(InstKind::SysVal(SysVal::InvocationId)));
    own && invocations <= last.saturating_add(1)
}

/// An index that is known at run time only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynamicIndex {
    /// A source whose first component is the index.
    pub(crate) src: Src,
    /// The last valid index; higher ones count as this one.
    pub(crate) last: u32,
}

/// A term of a slot number: a dynamic index times a number of slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OffsetTerm {
    pub(crate) index: DynamicIndex,
    pub(crate) slots: u32,
}

/// The number of a slot: a constant plus terms that are known at run time only.
#[derive(Clone, Debug)]
pub(crate) struct SlotOffset {
    pub(crate) constant: u32,
    pub(crate) terms: Vec<OffsetTerm>,
}

impl SlotOffset {
    /// The slot number `first` plus, for each element of `terms`, an index times a number of slots. An element has the
    /// index, if there is one, the number of slots, and the last valid index. An index that `known` returns is added to
    /// the constant.
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

/// The handle of a URB entry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handle {
    /// The handle of the patch's entry, the same for all invocations.
    Patch,
    /// The handle of the entry of input vertex `number`, or of the first vertex if there is no number; `last` is the
    /// last valid number. The handles are dwords of the payload, from byte `first` on.
    Vertex { first: u32, number: Option<Src>, last: u32 },
}

/// The position of an input: where the slot is, and in which dwords of the slot its components are.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    /// A pushed slot.
    Pushed { offset: SlotOffset, slot: VueSlot },
    /// A slot of a URB entry, which is read with a message.
    Entry { handle: Handle, offset: SlotOffset, slot: VueSlot },
}

impl Access {
    /// The dwords of the slot in which the components are.
    pub(crate) fn slot(&self) -> VueSlot {
        match self {
            Access::Pushed { slot, .. } | Access::Entry { slot, .. } => *slot,
        }
    }
}

/// The last valid index of an access to the slots of `var` from `slot` on.
fn last_index(var: Option<&IoVar>, slot: IoSlot) -> u32 {
    row_of(var, slot).len() as u32 - 1
}

/// The layout of a patch's entry: the slots of the patch, then the slots of each control point.
struct PatchEntry<'a> {
    patch: &'a VueMap,
    vertex: &'a VueMap,
    /// The last valid control point.
    last_vertex: u32,
}

impl PatchEntry<'_> {
    /// The slot in the entry of an access to a variable; `None` if the entry does not contain it.
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
    /// The pushed slot of an attribute; `None` if the payload does not contain it.
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
    /// The position of an input; `None` if no entry contains it.
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

    /// The slot of an output in the patch's entry; `None` if the entry does not contain it.
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
    /// The position of an input; `None` if the patch's entry does not contain it.
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
    /// Number of pushed slots of all vertices together.
    pub(crate) fn all_pushed_slots(&self) -> u32 {
        self.pushed_slots * self.input_vertices
    }

    /// The position of an input: a pushed slot, or a slot of the vertex's entry if the access may reach slots that
    /// are not pushed. `None` if no entry contains it.
    pub(crate) fn input(
        &self,
        shader: &Shader,
        target: Target,
        known: Known<'_>,
    ) -> Option<Access> {
        let slot = *self.inputs.slots.get(&target.slot)?;
        let last = last_index(shader.input(target.slot), target.slot);
        let last_vertex = self.input_vertices - 1;
        // If the access may reach a slot that is not pushed, it reads the entry.
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
