//! Instructions that construct, extract from, insert into, copy and select composites.

use crestline_ssa::ir::{Access, AluOp, Src, Ty};

use super::Translator;
use super::alu::described;
use super::pointer::Index;
use super::value::Val;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::{Const, Inst, Type};

impl Translator<'_, '_> {
    /// `OpCopyObject`, `OpCopyLogical`, `OpExpectKHR`: the result is the operand.
    pub(super) fn op_copy(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (val, ty) = self.operand(inst, 0)?;
        if !self.globals.types.same_shape(ty, inst.ty) {
            let detail = format!("expected a type like %{ty}, found %{}", inst.ty);
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        self.bind(inst.result, val);
        Ok(())
    }

    /// `OpCompositeConstruct`. The operands for a vector are scalars and vectors whose components are concatenated.
    pub(super) fn op_construct(&mut self, inst: &Inst<'_>) -> Result<()> {
        let types = &self.globals.types;
        if let (Some(ty), Some(Type::Vector { .. })) = (types.leaf(inst.ty), types.get(inst.ty)) {
            let mut comps = Vec::new();
            for at in 0..inst.operands.len().min(4) {
                let value = self.leaf(inst, at)?;
                let found = self.shader.func.ty(value);
                if found.bits() != ty.bits() {
                    let detail =
                        format!("expected components of {} bits, found {found}", ty.bits());
                    return Err(inst.error(ErrorCode::OperandType, detail));
                }
                comps.extend((0..found.comps()).map(|c| Src::comp(value, c)));
            }
            if comps.len() != ty.comps() {
                let detail = format!("expected {} components, found {}", ty.comps(), comps.len());
                return Err(inst.error(ErrorCode::OperandType, detail));
            }
            let value = self.b().vec(&comps);
            self.bind(inst.result, Val::Leaf(value));
            return Ok(());
        }
        let count = types.parts(inst.ty).map_or(0, |n| n as usize);
        if count != inst.operands.len() {
            let detail = format!("expected {count} parts, found {}", inst.operands.len());
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        self.check_parts(inst.ty).map_err(|e| e.at(inst.position()))?;
        let mut parts = Vec::new();
        for at in 0..count {
            let (val, ty) = self.operand(inst, at)?;
            if self.globals.types.part(inst.ty, at as u32) != Some(ty) {
                let detail = format!(
                    "expected operand {0} to have the type of part {0} of the result, found a value of type %{ty}",
                    at + 1
                );
                return Err(inst.error(ErrorCode::OperandType, detail));
            }
            parts.push(val);
        }
        self.bind(inst.result, Val::Parts(parts.into()));
        Ok(())
    }

    /// `OpCompositeExtract`.
    pub(super) fn op_extract(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (mut val, mut ty) = self.operand(inst, 0)?;
        for &index in inst.rest(1) {
            (val, ty) = self.part(&val, ty, index).map_err(|e| e.at(inst.position()))?;
        }
        if ty != inst.ty {
            let detail = format!("expected %{ty}, the type of the part, found %{}", inst.ty);
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        self.bind(inst.result, val);
        Ok(())
    }

    /// `OpCompositeInsert`.
    pub(super) fn op_insert(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (object, object_ty) = self.operand(inst, 0)?;
        let (base, ty) = self.operand(inst, 1)?;
        if ty != inst.ty {
            let detail = format!("expected %{ty}, the composite's type, found %{}", inst.ty);
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        let val = self
            .inserted(&base, ty, inst.rest(2), &object, object_ty)
            .map_err(|e| e.at(inst.position()))?;
        self.bind(inst.result, val);
        Ok(())
    }

    /// `base`, of type `ty`, with the part at `path` (a list of indices) replaced by `object`.
    fn inserted(
        &mut self,
        base: &Val,
        ty: u32,
        path: &[u32],
        object: &Val,
        object_ty: u32,
    ) -> Result<Val> {
        let [index, path @ ..] = path else {
            if ty == object_ty {
                return Ok(object.clone());
            }
            let detail = format!("expected a value of type %{ty}, found %{object_ty}");
            return Err(FrontendError::new(ErrorCode::OperandType, detail));
        };
        let (part, part_ty) = self.part(base, ty, *index)?;
        if matches!(base, Val::InMemory(_)) {
            let whole = self.bulky_var(ty)?;
            self.store(&whole, base, Access::default())?;
            let part = self.inserted(&part, part_ty, path, object, object_ty)?;
            let place = self.step(whole.clone(), Index::Const(*index))?;
            self.store(&place, &part, Access::default())?;
            return Ok(Val::InMemory(whole.into()));
        }
        let part = self.inserted(&part, part_ty, path, object, object_ty)?;
        if let Some(leaf) = self.globals.types.leaf(ty) {
            let (whole, new) = (self.as_leaf(base, ty)?, self.as_leaf(&part, part_ty)?);
            let comps: Vec<Src> = (0..leaf.comps())
                .map(|c| if c == *index as usize { Src::new(new) } else { Src::comp(whole, c) })
                .collect();
            return Ok(Val::Leaf(self.b().vec(&comps)));
        }
        let mut parts: Vec<Val> = match base {
            Val::Parts(parts) => {
                self.check_parts(ty)?;
                parts.to_vec()
            }
            _ => self.parts(base, ty)?.into_iter().map(|(part, _)| part).collect(),
        };
        if let Some(slot) = parts.get_mut(*index as usize) {
            *slot = part;
        }
        Ok(Val::Parts(parts.into()))
    }

    /// `OpVectorShuffle`.
    pub(super) fn op_shuffle(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (a, b) = (self.leaf(inst, 0)?, self.leaf(inst, 1)?);
        let ty = self.result_leaf(inst)?;
        let (x, y) = (self.shader.func.ty(a), self.shader.func.ty(b));
        let picks = inst.rest(2);
        if x.bits() != y.bits() || ty.bits() != x.bits() || picks.len() != ty.comps() {
            let detail = format!("expected {} components of {} bits", picks.len(), x.bits());
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        let mut comps = Vec::new();
        for &pick in picks {
            let index = pick as usize;
            comps.push(match pick {
                u32::MAX => Src::comp(a, 0),
                _ if index < x.comps() => Src::comp(a, index),
                _ if index < x.comps() + y.comps() => Src::comp(b, index - x.comps()),
                _ => {
                    let detail = format!("expected a component below {}", x.comps() + y.comps());
                    return Err(inst.error(ErrorCode::BadIndex, detail));
                }
            });
        }
        // All components come from one vector, so a swizzle is sufficient.
        let value = if comps.iter().all(|c| c.value == comps[0].value) {
            let mut swizzle = [0; 4];
            for (slot, comp) in swizzle.iter_mut().zip(&comps) {
                *slot = comp.swizzle[0];
            }
            self.b().alu_ty(AluOp::Mov, ty, &[Src { value: comps[0].value, swizzle }])
        } else {
            self.b().vec(&comps)
        };
        self.bind_leaf(inst, value)
    }

    /// `OpVectorExtractDynamic`.
    pub(super) fn op_extract_dynamic(&mut self, inst: &Inst<'_>) -> Result<()> {
        let vector = self.leaf(inst, 0)?;
        let index = self.index_value(inst, 1)?;
        let value = self.dynamic_comp(vector, index);
        self.bind_leaf(inst, value)
    }

    /// `OpVectorInsertDynamic`.
    pub(super) fn op_insert_dynamic(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (vector, new) = (self.leaf(inst, 0)?, self.leaf(inst, 1)?);
        let index = self.index_value(inst, 2)?;
        let ty = self.shader.func.ty(vector);
        if self.shader.func.ty(new) != ty.scalar() {
            let detail = format!("expected a component of {} bits", ty.bits());
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let mut comps = Vec::new();
        for comp in 0..ty.comps() {
            let number = self.imm(comp as u32);
            let hit = self.alu(AluOp::IEq, &[index, number]);
            let old = self.b().comp(vector, comp);
            comps.push(Src::new(self.alu(AluOp::Select, &[hit, new, old])));
        }
        let value = self.b().vec(&comps);
        self.bind_leaf(inst, value)
    }

    /// The index in operand word `at` as a 32-bit value.
    fn index_value(&mut self, inst: &Inst<'_>, at: usize) -> Result<crestline_ssa::ir::Value> {
        match self.index(inst, at)? {
            super::pointer::Index::Const(index) => Ok(self.imm(index)),
            super::pointer::Index::Dyn(value) => Ok(value),
        }
    }

    /// `OpSelect`. A scalar condition selects between whole values, a vector condition per component.
    pub(super) fn op_select(&mut self, inst: &Inst<'_>) -> Result<()> {
        let cond = self.leaf(inst, 0)?;
        let (yes, yes_ty) = self.operand(inst, 1)?;
        let (no, no_ty) = self.operand(inst, 2)?;
        if yes_ty != inst.ty || no_ty != inst.ty {
            let detail = format!("expected two values of type %{}", inst.ty);
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let ty = self.shader.func.ty(cond);
        let fits = match self.globals.types.leaf(inst.ty) {
            Some(leaf) => ty.comps() == 1 || ty.comps() == leaf.comps(),
            None => ty.comps() == 1,
        };
        if !ty.is_bool() || !fits {
            let detail = format!(
                "expected one boolean or one per component as condition, found {}",
                described(ty)
            );
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let cond = Src { value: cond, swizzle: Src::IDENTITY };
        let val = self.selected(cond, ty, &yes, &no, inst.ty).map_err(|e| e.at(inst.position()))?;
        self.bind(inst.result, val);
        Ok(())
    }

    /// The value of a select of type `ty`: part by part for a composite, by an `if` for a value in memory.
    fn selected(&mut self, cond: Src, cond_ty: Ty, yes: &Val, no: &Val, ty: u32) -> Result<Val> {
        if let Some(leaf) = self.globals.types.leaf(ty) {
            let (yes, no) = (self.as_leaf(yes, ty)?, self.as_leaf(no, ty)?);
            let cond = if cond_ty.comps() == 1 { Src::comp(cond.value, 0) } else { cond };
            let srcs = [cond, Src::new(yes), Src::new(no)];
            return Ok(Val::Leaf(self.b().alu_ty(AluOp::Select, leaf, &srcs)));
        }
        if matches!(yes, Val::Pointer(_)) || matches!(no, Val::Pointer(_)) {
            let detail = "expected values to select from, found pointers";
            return Err(FrontendError::new(ErrorCode::VariablePointer, detail));
        }
        if matches!((yes, no), (Val::Const(Const::Undef), Val::Const(Const::Undef))) {
            return Ok(yes.clone());
        }
        if self.is_bulky(ty) {
            let place = self.bulky_var(ty)?;
            let write = |t: &mut Self, val| t.store(&place, val, Access::default());
            self.if_(cond.value, |t| write(t, yes), |t| write(t, no))?;
            return Ok(Val::InMemory(place.into()));
        }
        let (yes, no) = (self.parts(yes, ty)?, self.parts(no, ty)?);
        let mut parts = Vec::new();
        for ((yes, part_ty), (no, _)) in yes.iter().zip(&no) {
            parts.push(self.selected(cond, cond_ty, yes, no, *part_ty)?);
        }
        Ok(Val::Parts(parts.into()))
    }
}
