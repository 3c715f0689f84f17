//! The vertices of a geometry shader: which stores are for which, and what the output entry has where.
//!
//! The entry is the number of vertices, where the device wants it there, then the control data, then the vertices.
//!
//! Stores to outputs are for the next vertex. Those in the region of its `EmitVertex`, with nothing between that stores or
//! emits inside of control flow, can go straight to what writes the vertex; others to variables, which live as long as the
//! thread.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crestline_program::SLOT_BYTES;
use crestline_ssa::ir::{Function, InstId, InstKind, RegionId, Shader};

use super::access::row_of;
use super::io::GeometryIo;
use super::stores::HEADER;

impl GeometryIo {
    /// Bits of control data for each vertex.
    pub(crate) fn control_bits(&self) -> u32 {
        if self.streams { 2 } else { 1 }
    }

    /// The slots of the entry that hold the control data.
    pub(crate) fn control_slots(&self) -> Range<u32> {
        let first = self.count_bytes / SLOT_BYTES;
        first..first + self.control_bytes / SLOT_BYTES
    }

    /// The slot of the entry that holds a slot of the first vertex; later vertices are `vertex_slots` apart.
    pub(crate) fn first_vertex_slot(&self, slot: u32) -> u32 {
        (self.count_bytes + self.control_bytes) / SLOT_BYTES + slot
    }
}

/// Which stores belong to which vertex.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The `EmitVertex` that a store goes straight to.
    emit_of: BTreeMap<InstId, InstId>,
    /// Dwords of each slot that those stores write, by `EmitVertex`.
    stored: BTreeMap<InstId, BTreeMap<u32, u8>>,
    /// All dwords of slots that other stores write.
    variables: BTreeSet<u32>,
    emits: Vec<InstId>,
    /// Something is emitted, or a strip ended, inside of control flow.
    nested: bool,
}

impl Plan {
    /// Looks at all stores and emissions of a shader.
    pub(crate) fn new(shader: &Shader, io: &GeometryIo) -> Plan {
        let mut plan = Plan::default();
        let body = shader.func.body();
        plan.region(shader, io, body);
        plan
    }

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

    fn flush(&mut self, shader: &Shader, io: &GeometryIo, pending: &mut Vec<InstId>) {
        pending.drain(..).for_each(|store| self.variable(shader, io, store));
    }

    fn variable(&mut self, shader: &Shader, io: &GeometryIo, store: InstId) {
        let InstKind::StoreOutput { slot, index, .. } = &shader.func.inst(store).kind else {
            return;
        };
        let row = if index.is_some() { row_of(shader.output(*slot), *slot) } else { vec![*slot] };
        self.variables.extend(row.iter().filter_map(|s| Some(io.outputs.slots.get(s)?.slot)));
    }

    /// Whether the number of vertices so far is known nowhere: something is emitted, or a strip ended, inside of control
    /// flow.
    pub(crate) fn is_nested(&self) -> bool {
        self.nested
    }

    /// The emissions, in the order of the program.
    pub(crate) fn emits(&self) -> &[InstId] {
        &self.emits
    }

    /// The `EmitVertex` that a store goes straight to; `None` for one to variables.
    pub(crate) fn emit_of(&self, store: InstId) -> Option<InstId> {
        self.emit_of.get(&store).copied()
    }

    /// The dwords of a slot that stores straight to an `EmitVertex` write, as a mask.
    pub(crate) fn stored(&self, emit: InstId, slot: u32) -> u8 {
        self.stored.get(&emit).and_then(|slots| slots.get(&slot)).copied().unwrap_or(0)
    }

    /// The slots that are variables.
    pub(crate) fn variables(&self) -> &BTreeSet<u32> {
        &self.variables
    }

    /// The slots that every vertex is written with: those stored to and the header.
    pub(crate) fn vertex_slots(&self) -> BTreeSet<u32> {
        let stored = self.stored.values().flat_map(|slots| slots.keys().copied());
        stored.chain(self.variables.iter().copied()).chain([HEADER]).collect()
    }

    /// Whether a store straight to an `EmitVertex` shares no dword with another for the same vertex. Such ones must write
    /// in order.
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

/// The dwords of slots that a store writes.
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

/// Whether a region stores to outputs or emits.
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
