//! Outputs that are private variables until a vertex is complete, and the stores from these variables to slots.
//!
//! The stores are at the end of a vertex or tessellation evaluation shader, and before each `EmitVertex` of a geometry
//! shader. Variables that the shader never writes are not outputs.

use std::collections::{BTreeMap, BTreeSet};

use crestline_ssa::ir::{AluOp, Builder, InstKind, IoSlot, PathStep, RegionId, Stage, Ty, VarId};
use rspirv::spirv::{Decoration, Op, StorageClass};

use super::access::{outside, store_vector};
use super::{Compact, Root, SlotPtr};
use crate::error::Result;
use crate::spirv::{Inst, Type};
use crate::translate::Translator;
use crate::translate::pointer::Index;

/// An output variable of the module.
#[derive(Clone, Debug)]
pub(in crate::translate) struct Output {
    /// Its SPIR-V id.
    pub(super) id: u32,
    /// The private variable that contains its value.
    pub(super) var: VarId,
    /// Its type.
    pub(super) ty: u32,
    /// Whether it has an initializer.
    pub(super) stored: bool,
}

/// A scalar or vector of an output: its place in the private variable, and its slot.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    var: VarId,
    pub(super) path: Vec<PathStep>,
    pub(super) ty: Ty,
    /// The conversion to the type in the slot.
    pub(super) widening: Option<AluOp>,
    pub(super) slot: IoSlot,
    pub(super) comp: u8,
    pub(super) stream: u8,
}

impl Translator<'_, '_> {
    /// Inserts stores of all outputs at the places where a vertex is complete.
    pub(in crate::translate) fn place_outputs(&mut self) -> Result<()> {
        let leaves = self.written_leaves()?;
        let body = self.shader.func.body();
        if self.shader.stage.stage() != Stage::Geometry {
            let end = self.shader.func.region(body).insts.len().saturating_sub(1);
            return self.store_leaves(&leaves, body, end);
        }
        let mut regions = vec![body];
        while let Some(region) = regions.pop() {
            let func = &self.shader.func;
            let insts = func.region(region).insts.clone();
            regions.extend(insts.iter().flat_map(|&inst| func.inst(inst).kind.regions()));
            for (at, &inst) in insts.iter().enumerate().rev() {
                if let InstKind::EmitVertex { stream } = self.shader.func.inst(inst).kind {
                    let of_stream: Vec<Leaf> =
                        leaves.iter().filter(|leaf| leaf.stream == stream).cloned().collect();
                    self.store_leaves(&of_stream, region, at)?;
                    self.check_budget()?;
                }
            }
        }
        Ok(())
    }

    /// Declares the outputs with locations among the variables of the entry point's interface, whether the shader writes
    /// them or not. Fragment shaders are left as they are, because nothing reads their outputs by declaration.
    pub(in crate::translate) fn declare_outputs(&mut self, interface: &[u32]) -> Result<()> {
        if matches!(self.shader.stage.stage(), Stage::Fragment | Stage::Compute) {
            return Ok(());
        }
        for &id in interface {
            let variable = self.module.def(id).filter(|inst| inst.op == Op::Variable).copied();
            let Some(inst) = variable else { continue };
            let Some(&Type::Pointer { class: StorageClass::Output, pointee }) =
                self.globals.types.get(inst.ty)
            else {
                continue;
            };
            let mut block = pointee;
            while let Some(Type::Array { elem, .. }) = self.globals.types.get(block) {
                block = *elem;
            }
            let located = self.module.decoration_word(id, Decoration::Location)?.is_some()
                || self.module.member_word(block, 0, Decoration::Location)?.is_some();
            if located {
                self.declare_output(&inst, pointee).map_err(|e| e.at(inst.position()))?;
            }
        }
        Ok(())
    }

    /// Declares an output variable with all its members.
    fn declare_output(&mut self, inst: &Inst<'_>, mut ty: u32) -> Result<()> {
        let mut pointer = self.slot_pointer(inst, true, ty)?;
        // The index of the vertex.
        if pointer.selects_vertex()
            && let Some(&Type::Array { elem, .. }) = self.globals.types.get(ty)
        {
            let shape = self.globals.types.expect(ty)?.clone();
            pointer = self.slot_step(pointer, ty, &shape, Index::Const(0))?;
            ty = elem;
        }
        if let Root::Block(_) = pointer.root {
            let shape = self.globals.types.expect(ty)?.clone();
            for member in 0..self.globals.types.parts(ty).unwrap_or(0) {
                self.slot_step(pointer.clone(), ty, &shape, Index::Const(member))?;
            }
        }
        Ok(())
    }

    /// Inserts stores of `leaves` before instruction number `at` of a region.
    fn store_leaves(&mut self, leaves: &[Leaf], region: RegionId, at: usize) -> Result<()> {
        let mut b = Builder::at(&mut self.shader.func, region, at);
        for leaf in leaves {
            let data = b.load_var(leaf.var, leaf.path.clone(), leaf.ty);
            let data = leaf.widening.map_or(data, |op| b.convert(op, 32, data));
            let comp = leaf.comp;
            store_vector(&mut b, leaf.slot, data, |slot, data, mask| InstKind::StoreOutput {
                slot,
                data,
                vertex: None,
                index: None,
                comp,
                mask,
            })?;
        }
        Ok(())
    }

    /// The scalars and vectors of all variables that the shader writes; of a block, those of the members that it
    /// writes.
    fn written_leaves(&mut self) -> Result<Vec<Leaf>> {
        let mut written: BTreeMap<VarId, BTreeSet<Option<u32>>> = BTreeMap::new();
        for inst in self.reachable() {
            if let InstKind::StoreVar { var, path, .. } = &self.shader.func.inst(inst).kind {
                let first = match path.first() {
                    Some(PathStep::Const(i)) => Some(*i),
                    _ => None,
                };
                written.entry(*var).or_default().insert(first);
            }
        }
        let mut leaves = Vec::new();
        for output in std::mem::take(&mut self.outputs) {
            let parts = written.remove(&output.var).unwrap_or_default();
            if parts.is_empty() && !output.stored {
                continue;
            }
            let Some(inst) = self.module.def(output.id).copied() else { continue };
            let position = inst.position();
            let pointer = self.slot_pointer(&inst, true, output.ty).map_err(|e| e.at(position))?;
            let first = leaves.len();
            self.output_leaves(&output, pointer, &parts, &mut leaves)
                .map_err(|e| e.at(position))?;
            self.capture(&output, &leaves[first..]).map_err(|e| e.at(position))?;
        }
        self.check_captures()?;
        leaves.sort_by_key(|leaf| (leaf.slot, leaf.comp));
        Ok(leaves)
    }

    /// Appends the scalars and vectors of one output to `leaves`; `parts` are the written members, `None` for any.
    fn output_leaves(
        &mut self,
        output: &Output,
        whole: SlotPtr,
        parts: &BTreeSet<Option<u32>>,
        leaves: &mut Vec<Leaf>,
    ) -> Result<()> {
        self.check_parts(output.ty)?;
        let stream = self.module.decoration_word(output.id, Decoration::Stream)?;
        let Root::Block(block) = whole.root else {
            let stream = stream.unwrap_or(0) as u8;
            return self.leaves(output.var, &mut vec![], whole, output.ty, stream, leaves);
        };
        let shape = self.globals.types.expect(output.ty)?.clone();
        for member in 0..self.globals.types.parts(output.ty).unwrap_or(0) {
            if !output.stored && !parts.contains(&Some(member)) && !parts.contains(&None) {
                continue;
            }
            let own = self.module.member_word(block.ty, member, Decoration::Stream)?;
            let stream = own.or(stream).unwrap_or(0) as u8;
            let index = Index::Const(member);
            let pointer = self.slot_step(whole.clone(), output.ty, &shape, index)?;
            let ty = self.globals.types.part(output.ty, member).unwrap_or(0);
            self.leaves(
                output.var,
                &mut vec![PathStep::Const(member)],
                pointer,
                ty,
                stream,
                leaves,
            )?;
        }
        Ok(())
    }

    /// Appends the scalars and vectors of a value of type `ty` at `path` to `leaves`.
    fn leaves(
        &mut self,
        var: VarId,
        path: &mut Vec<PathStep>,
        pointer: SlotPtr,
        ty: u32,
        stream: u8,
        leaves: &mut Vec<Leaf>,
    ) -> Result<()> {
        if let Some(leaf) = self.globals.types.leaf(ty) {
            let (slot, comp) = match pointer.root {
                Root::Compact(Compact { slot, start, at: Some(Index::Const(i)), .. }) => {
                    (slot.plus((start + i) / 4), ((start + i) % 4) as u8)
                }
                Root::Row(slot) => (slot.plus(pointer.slots), pointer.comp),
                _ => (None, 0),
            };
            let slot = slot.ok_or_else(outside)?;
            let widening = self.widening(ty);
            leaves.push(Leaf { var, path: path.clone(), ty: leaf, widening, slot, comp, stream });
            return Ok(());
        }
        let shape = self.globals.types.expect(ty)?.clone();
        for i in 0..self.globals.types.parts(ty).unwrap_or(0) {
            let part = self.slot_step(pointer.clone(), ty, &shape, Index::Const(i))?;
            path.push(PathStep::Const(i));
            let part_ty = self.globals.types.part(ty, i).unwrap_or(0);
            self.leaves(var, path, part, part_ty, stream, leaves)?;
            path.pop();
        }
        Ok(())
    }
}
