//! Loads and stores of inputs and outputs. Each IR access stays within one slot.

use crestline_ssa::ir::{
    AluOp, BaryPlace, Builder, InstKind, InterpMode, IoSlot, Src, Ty, Value, WriteMask,
};

use super::{Compact, Root, SlotPtr, Vertex};
use crate::error::{ErrorCode, FrontendError, Result};
use crate::translate::Translator;
use crate::translate::pointer::Index;
use crate::translate::value::Val;

/// Components of 64 bits in a slot.
const WIDE_COMPS: usize = 2;

/// The place of a scalar or vector.
#[derive(Clone, Copy)]
struct SlotAccess {
    output: bool,
    slot: IoSlot,
    vertex: Option<Src>,
    index: Option<Src>,
    comp: u8,
}

impl Translator<'_, '_> {
    /// Reads what a pointer into inputs or outputs points to.
    pub(in crate::translate) fn load_slots(&mut self, pointer: &SlotPtr, ty: u32) -> Result<Val> {
        if let Root::Compact(Compact { at: Some(Index::Dyn(index)), .. }) = pointer.root {
            return self.load_distance(pointer, index).map(Val::Leaf);
        }
        if let Some((comp, vector)) = pointer.part {
            let whole = SlotPtr { part: None, ..pointer.clone() };
            let whole = self.load_slots(&whole, vector)?;
            let whole = self.as_leaf(&whole, vector)?;
            return Ok(Val::Leaf(self.dynamic_comp(whole, comp)));
        }
        if let Some((access, leaf)) = self.slot_access(pointer, ty)? {
            let value = self.load_access(access, Self::slot_ty(leaf))?;
            return Ok(Val::Leaf(self.narrowed_slot(value, ty)));
        }
        let mut parts = Vec::new();
        for (part, ty) in self.slot_parts(pointer, ty)? {
            parts.push(self.load_slots(&part, ty)?);
        }
        self.check_budget()?;
        Ok(Val::Parts(parts.into()))
    }

    /// Interpolates the scalar or vector that a pointer into inputs points to, at a place in the pixel. Inputs that are not
    /// interpolated have the same value everywhere.
    pub(in crate::translate) fn interpolate_slots(
        &mut self,
        pointer: &SlotPtr,
        ty: u32,
        at: BaryPlace,
    ) -> Result<Value> {
        if let Some((comp, vector)) = pointer.part {
            let whole = SlotPtr { part: None, ..pointer.clone() };
            let whole = self.interpolate_slots(&whole, vector, at)?;
            return Ok(self.dynamic_comp(whole, comp));
        }
        let Some((access, leaf)) = self.slot_access(pointer, ty)? else {
            let found = self.globals.types.describe(ty);
            let detail = format!("expected a scalar or vector of an input, found {found}");
            return Err(FrontendError::new(ErrorCode::OperandType, detail));
        };
        let interp = self.shader.input(access.slot).and_then(|var| var.interp);
        let Some(mode @ (InterpMode::Smooth | InterpMode::NoPerspective)) =
            interp.map(|interp| interp.mode)
        else {
            let value = self.load_slots(pointer, ty)?;
            return self.as_leaf(&value, ty);
        };
        let weights = Src::new(self.weights(mode, at));
        let SlotAccess { slot, index, comp, .. } = access;
        let kind = InstKind::Interpolate { slot, weights, index, comp };
        let value = self.value_of(kind, Self::slot_ty(leaf));
        Ok(self.narrowed_slot(value, ty))
    }

    /// A value from a slot, converted to its type in the shader.
    fn narrowed_slot(&mut self, value: Value, ty: u32) -> Value {
        match self.widening(ty) {
            Some(AluOp::F2F) => self.b().convert(AluOp::F2F, 16, value),
            Some(_) => {
                let bits = self.globals.types.leaf(ty).map_or(16, Ty::bits);
                self.b().convert(AluOp::U2U, bits, value)
            }
            None => value,
        }
    }

    /// Writes what a pointer into outputs points to.
    pub(in crate::translate) fn store_slots(
        &mut self,
        pointer: &SlotPtr,
        ty: u32,
        val: &Val,
    ) -> Result<()> {
        if !pointer.output {
            let detail = "expected a writable variable, found an input";
            return Err(FrontendError::new(ErrorCode::NotWritable, detail));
        }
        if let Root::Compact(compact @ Compact { at: Some(Index::Dyn(index)), count, .. }) =
            pointer.root
        {
            let data = self.as_leaf(val, ty)?;
            let accesses: Result<Vec<_>> =
                (0..count).map(|i| self.distance(pointer, compact, i)).collect();
            return self.store_chosen(&accesses?, index, data);
        }
        if let Some((comp, vector)) = pointer.part {
            let data = self.slot_data(val, ty)?;
            let whole = SlotPtr { part: None, ..pointer.clone() };
            let mut accesses = Vec::new();
            let shape = self.globals.types.expect(vector)?.clone();
            for i in 0..self.globals.types.parts(vector).unwrap_or(0) {
                let part = self.slot_step(whole.clone(), vector, &shape, Index::Const(i))?;
                accesses.extend(self.slot_access(&part, ty)?.map(|(access, _)| access));
            }
            return self.store_chosen(&accesses, comp, data);
        }
        if let Some((access, _)) = self.slot_access(pointer, ty)? {
            let data = self.slot_data(val, ty)?;
            return self.store_access(access, data);
        }
        for (i, (part, part_ty)) in self.slot_parts(pointer, ty)?.into_iter().enumerate() {
            let (val, _) = self.part(val, ty, i as u32)?;
            self.store_slots(&part, part_ty, &val)?;
        }
        self.check_budget()
    }

    /// A scalar or vector, converted to its type in a slot.
    fn slot_data(&mut self, val: &Val, ty: u32) -> Result<Value> {
        let data = self.as_leaf(val, ty)?;
        Ok(self.widening(ty).map_or(data, |op| self.b().convert(op, 32, data)))
    }

    /// Pointers to the parts of the composite of type `ty` that `pointer` points to, and their types.
    fn slot_parts(&mut self, pointer: &SlotPtr, ty: u32) -> Result<Vec<(SlotPtr, u32)>> {
        self.check_parts(ty)?;
        let shape = self.globals.types.expect(ty)?.clone();
        let count = self.globals.types.parts(ty).unwrap_or(0);
        let mut parts = Vec::new();
        for i in 0..count {
            let part = self.slot_step(pointer.clone(), ty, &shape, Index::Const(i))?;
            parts.push((part, self.globals.types.part(ty, i).unwrap_or(0)));
        }
        Ok(parts)
    }

    /// The place of a scalar or vector and its IR type; `None` for composites.
    fn slot_access(&mut self, pointer: &SlotPtr, ty: u32) -> Result<Option<(SlotAccess, Ty)>> {
        let Some(leaf) = self.globals.types.leaf(ty) else { return Ok(None) };
        if let Root::Compact(compact @ Compact { at: Some(Index::Const(i)), .. }) = pointer.root {
            return Ok(Some((self.distance(pointer, compact, i)?, leaf)));
        }
        let Root::Row(root) = pointer.root else { return Ok(None) };
        let slot = root.plus(pointer.slots).ok_or_else(outside)?;
        let vertex = self.vertex(pointer);
        let index = pointer.index.map(Src::new);
        Ok(Some((
            SlotAccess { output: pointer.output, slot, vertex, index, comp: pointer.comp },
            leaf,
        )))
    }

    /// The place of scalar number `i` of an array with four scalars per slot.
    fn distance(&mut self, pointer: &SlotPtr, compact: Compact, i: u32) -> Result<SlotAccess> {
        let at = compact.start + i;
        let slot = compact.slot.plus(at / 4).ok_or_else(outside)?;
        let (output, vertex) = (pointer.output, self.vertex(pointer));
        Ok(SlotAccess { output, slot, vertex, index: None, comp: (at % 4) as u8 })
    }

    fn vertex(&mut self, pointer: &SlotPtr) -> Option<Src> {
        match pointer.vertex {
            Vertex::One | Vertex::All => None,
            Vertex::At(Index::Const(i)) => Some(Src::new(self.imm(i))),
            Vertex::At(Index::Dyn(value)) => Some(Src::new(value)),
        }
    }

    /// The scalar number `index`, computed at run time, of an array with four scalars per slot. Any bits if `index` is
    /// out of range.
    fn load_distance(&mut self, pointer: &SlotPtr, index: Value) -> Result<Value> {
        let Root::Compact(compact) = pointer.root else { return Err(outside()) };
        let mut chosen = None;
        for i in 0..compact.count {
            let access = self.distance(pointer, compact, i)?;
            let this = self.load_access(access, Ty::X32)?;
            chosen = Some(match chosen {
                None => this,
                Some(others) => {
                    let number = self.imm(i);
                    let hit = self.alu(AluOp::IEq, &[index, number]);
                    self.alu(AluOp::Select, &[hit, this, others])
                }
            });
        }
        chosen.ok_or_else(outside)
    }

    /// Stores to place number `index`, computed at run time. Stores nothing if `index` is out of range.
    fn store_chosen(&mut self, accesses: &[SlotAccess], index: Value, data: Value) -> Result<()> {
        for (i, &access) in accesses.iter().enumerate() {
            let number = self.imm(i as u32);
            let hit = self.alu(AluOp::IEq, &[index, number]);
            let (_, then, else_) = self.b().if_(hit);
            let mut b = Builder::new(&mut self.shader.func, then);
            b.inst(store(access, Src::new(data), WriteMask::all(1)), &[]);
            b.yield_(&[]);
            b.switch_to(else_);
            b.yield_(&[]);
        }
        Ok(())
    }

    /// Loads a scalar or vector, in two parts if it occupies two slots.
    fn load_access(&mut self, access: SlotAccess, ty: Ty) -> Result<Value> {
        if ty.bits() == 32 || ty.comps() <= WIDE_COMPS {
            return Ok(self.load_slot(access, ty));
        }
        let low = self.load_slot(access, ty.with_comps(WIDE_COMPS));
        let next = SlotAccess { slot: access.slot.plus(1).ok_or_else(outside)?, ..access };
        let high = self.load_slot(next, ty.with_comps(ty.comps() - WIDE_COMPS));
        let comps: Vec<Src> =
            (0..ty.comps())
                .map(|c| {
                    if c < WIDE_COMPS { Src::comp(low, c) } else { Src::comp(high, c - WIDE_COMPS) }
                })
                .collect();
        Ok(self.b().vec(&comps))
    }

    /// Appends a load of a scalar or vector within one slot.
    fn load_slot(&mut self, access: SlotAccess, ty: Ty) -> Value {
        let SlotAccess { output, slot, vertex, index, comp } = access;
        let kind = match output {
            true => InstKind::LoadOutput { slot, vertex, index, comp },
            false => InstKind::LoadInput { slot, vertex, index, comp },
        };
        let mut b = self.b();
        let inst = b.inst(kind, &[ty]);
        b.func.inst(inst).results[0]
    }

    fn store_access(&mut self, access: SlotAccess, data: Value) -> Result<()> {
        store_vector(&mut self.b(), access.slot, data, |slot, data, mask| {
            store(SlotAccess { slot, ..access }, data, mask)
        })
    }
}

/// Appends stores of a scalar or vector to `slot` and, if necessary, the next slot; `kind` makes the store to one slot.
pub(super) fn store_vector(
    b: &mut Builder<'_>,
    slot: IoSlot,
    data: Value,
    kind: impl Fn(IoSlot, Src, WriteMask) -> InstKind,
) -> Result<()> {
    let ty = b.func.ty(data);
    let (comps, first) = match ty.bits() {
        64 => (ty.comps(), ty.comps().min(WIDE_COMPS)),
        _ => (ty.comps(), ty.comps()),
    };
    b.inst(kind(slot, Src::new(data), WriteMask::all(first)), &[]);
    if comps > first {
        let next = slot.plus(1).ok_or_else(outside)?;
        let high = Src { value: data, swizzle: [2, 3, 3, 3] };
        b.inst(kind(next, high, WriteMask::all(comps - first)), &[]);
    }
    Ok(())
}

fn store(access: SlotAccess, data: Src, mask: WriteMask) -> InstKind {
    let SlotAccess { slot, vertex, index, comp, .. } = access;
    InstKind::StoreOutput { slot, data, vertex, index, comp, mask }
}

pub(super) fn outside() -> FrontendError {
    let detail = "expected a slot of the variable";
    FrontendError::new(ErrorCode::BadAccessChain, detail)
}
