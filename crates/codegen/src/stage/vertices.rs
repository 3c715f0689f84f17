//! The vertices of a geometry shader: which stores belong to which vertex, and the layout of the output entry.
//!
//! The output entry contains the number of vertices, on devices that require it there, then the control data, then
//! the vertices.
//!
//! A store to an output sets a component of the vertex that the next `EmitVertex` emits. The message of this
//! `EmitVertex` can have the stored operand as its payload, without a copy, if the store
//!
//! - is in the same region as the `EmitVertex`,
//! - has no index,
//! - and no control flow that contains stores or emissions, and no store with an index, is between the two.
//!
//! Any other store writes to *variables*: registers for the dwords of a slot, which exist for the whole program and
//! which each `EmitVertex` reads.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crestline_program::SLOT_BYTES;
use crestline_ssa::ir::{Function, InstId, InstKind, RegionId, Shader};

use super::access::row_of;
use super::io::GeometryIo;
use super::stores::HEADER;

impl GeometryIo {
    /// Number of control data bits per vertex.
    pub(crate) fn control_bits(&self) -> u32 {
        if self.streams { 2 } else { 1 }
    }

    /// The slots of the entry that contain the control data.
    pub(crate) fn control_slots(&self) -> Range<u32> {
        let first = self.count_bytes / SLOT_BYTES;
        first..first + self.control_bytes / SLOT_BYTES
    }

    /// The slot of the entry that contains slot `slot` of the first vertex. Later vertices are at a distance of
    /// `vertex_slots`.
    pub(crate) fn first_vertex_slot(&self, slot: u32) -> u32 {
        (self.count_bytes + self.control_bytes) / SLOT_BYTES + slot
    }
}

/// The assignment of stores to vertices.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// For each store that writes directly to the messages of an `EmitVertex`, that `EmitVertex`.
    emit_of: BTreeMap<InstId, InstId>,
    /// For each `EmitVertex`, the dwords of each slot that such stores write.
    stored: BTreeMap<InstId, BTreeMap<u32, u8>>,
    /// The slots that other stores write. Their dwords have variables.
    variables: BTreeSet<u32>,
    /// All `EmitVertex` instructions, in program order.
    emits: Vec<InstId>,
    /// Whether an `EmitVertex` or `EndPrimitive` is inside control flow.
    nested: bool,
}

impl Plan {
    /// Analyses all stores and emissions of a shader.
    pub(crate) fn new(shader: &Shader, io: &GeometryIo) -> Plan {
        let mut plan = Plan::default();
        let body = shader.func.body();
        plan.region(shader, io, body);
        plan
    }

    /// Analyses the instructions of a region in order. A store is pending until the next `EmitVertex` in the same
    /// region, to which it is then assigned. Pending stores are assigned to variables at control flow that contains
    /// stores or emissions, at a store with an index, and at the end of the region.
    fn region(&mut self, shader: &Shader, io: &GeometryIo, region: RegionId) {
        let func = &shader.func;
        let mut pending: Vec<InstId> = Vec::new();
        for &id in &func.region(region).insts {
            let kind = &func.inst(id).kind;
            match kind {
                InstKind::StoreOutput { index: None, .. } => pending.push(id),
                InstKind::StoreOutput { .. } => {
                    self.variable(shader, io, id);
                    self.flush(shader, io, &mut pending);
                }
                InstKind::EmitVertex { .. } => {
                    self.emits.push(id);
                    self.nested |= region != func.body();
                    for store in pending.drain(..) {
                        self.emit_of.insert(store, id);
                        let stored = self.stored.entry(id).or_default();
                        if let Some((slot, dwords)) = dwords_of(func, io, &func.inst(store).kind) {
                            *stored.entry(slot).or_default() |= dwords;
                        }
                    }
                }
                InstKind::EndPrimitive { .. } => self.nested |= region != func.body(),
                _ if kind.regions().len() == 0 => {}
                _ => {
                    if kind.regions().any(|inner| touches_outputs(func, inner)) {
                        self.flush(shader, io, &mut pending);
                    }
                    kind.regions().for_each(|inner| self.region(shader, io, inner));
                }
            }
        }
        self.flush(shader, io, &mut pending);
    }

    /// Assigns the pending stores to variables.
    fn flush(&mut self, shader: &Shader, io: &GeometryIo, pending: &mut Vec<InstId>) {
        pending.drain(..).for_each(|store| self.variable(shader, io, store));
    }

    /// Assigns a store to variables: adds the slots that it can write to those with variables.
    fn variable(&mut self, shader: &Shader, io: &GeometryIo, store: InstId) {
        let InstKind::StoreOutput { slot, index, .. } = &shader.func.inst(store).kind else {
            return;
        };
        let row = if index.is_some() { row_of(shader.output(*slot), *slot) } else { vec![*slot] };
        self.variables.extend(row.iter().filter_map(|s| Some(io.outputs.slots.get(s)?.slot)));
    }

    /// Whether an `EmitVertex` or `EndPrimitive` is inside control flow, so that the number of vertices so far is not
    /// known at compile time.
    pub(crate) fn is_nested(&self) -> bool {
        self.nested
    }

    /// All `EmitVertex` instructions, in program order.
    pub(crate) fn emits(&self) -> &[InstId] {
        &self.emits
    }

    /// The `EmitVertex` to whose messages a store writes directly; `None` for a store to variables.
    pub(crate) fn emit_of(&self, store: InstId) -> Option<InstId> {
        self.emit_of.get(&store).copied()
    }

    /// Mask of the dwords of a slot that the stores assigned to an `EmitVertex` write.
    pub(crate) fn stored(&self, emit: InstId, slot: u32) -> u8 {
        self.stored.get(&emit).and_then(|slots| slots.get(&slot)).copied().unwrap_or(0)
    }

    /// The slots that have variables.
    pub(crate) fn variables(&self) -> &BTreeSet<u32> {
        &self.variables
    }

    /// The slots that are written for every vertex: those that are stored to, and the header if it is one of them or if
    /// `header` is set.
    pub(crate) fn vertex_slots(&self, header: bool) -> BTreeSet<u32> {
        let stored = self.stored.values().flat_map(|slots| slots.keys().copied());
        let header = header.then_some(HEADER);
        stored.chain(self.variables.iter().copied()).chain(header).collect()
    }

    /// Whether no other store that is assigned to the same `EmitVertex` writes a dword that `store` writes. Stores that
    /// write the same dword must stay in order.
    pub(crate) fn is_alone(&self, func: &Function, io: &GeometryIo, store: InstId) -> bool {
        let dwords = |id: InstId| dwords_of(func, io, &func.inst(id).kind);
        let emit = self.emit_of(store);
        self.emit_of.iter().filter(|&(_, other)| Some(*other) == emit).all(|(&other, _)| {
            other == store
                || match (dwords(other), dwords(store)) {
                    (Some((a, mask_a)), Some((b, mask_b))) => a != b || mask_a & mask_b == 0,
                    _ => true,
                }
        })
    }
}

/// The slot that a store writes, and the mask of its dwords; `None` if the output entry does not contain it.
fn dwords_of(func: &Function, io: &GeometryIo, kind: &InstKind) -> Option<(u32, u8)> {
    let InstKind::StoreOutput { slot, data, comp, mask, .. } = kind else { return None };
    let vue_slot = io.outputs.slots.get(slot)?;
    let wide = func.ty(data.value).bits() == 64;
    let there = vue_slot.dwords_from(*comp);
    let dwords = (0..4).filter(|&c| mask.has(c)).flat_map(|c| match wide {
        true => vec![2 * c, 2 * c + 1],
        false => vec![c],
    });
    let dwords = dwords.filter_map(|dword| there.get(dword));
    Some((vue_slot.slot, dwords.fold(0, |mask, dword| mask | 1 << dword)))
}

/// Whether a region contains a store to an output, an `EmitVertex` or an `EndPrimitive`.
fn touches_outputs(func: &Function, region: RegionId) -> bool {
    func.region(region).insts.iter().any(|&id| {
        let kind = &func.inst(id).kind;
        matches!(
            kind,
            InstKind::StoreOutput { .. }
                | InstKind::EmitVertex { .. }
                | InstKind::EndPrimitive { .. }
        ) || kind.regions().any(|inner| touches_outputs(func, inner))
    })
}
