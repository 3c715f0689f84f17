//! The values of SPIR-V ids during the translation of a function, and their use outside the region that defines them.
//!
//! SPIR-V allows the use of a value wherever its definition dominates; the IR only inside the region that defines it.
//! If a value is used after its region is closed, it is stored to a variable directly after its definition, and loaded
//! from the variable at the use. The store is inserted when the function is complete ([`Deferred`]):
//!
//! ```text
//! before:  once { v = ...; break }  use v
//! after:   once { v = ...; store var, v; break }  w = load var; use w
//! ```

use std::rc::Rc;

use crestline_ssa::ir::{
    Access, InstId, InstKind, PathStep, RegionId, Src, Ty, Value, VarId, VarStorage, VarTy,
    Variable, WriteMask,
};
use rspirv::spirv::Decoration;

use super::Translator;
use super::pointer::{Base, Index, Pointer};
use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::{Const, Inst, Type};

/// The most parts (scalars, vectors and matrix columns) of a value that is split into its parts.
pub(super) const MAX_PARTS: u64 = 1 << 16;

/// The value of an id.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// A scalar or vector.
    Leaf(Value),
    /// The parts of a matrix, array or structure.
    Parts(Rc<[Val]>),
    /// A value with a large array. It is in memory at this place, which does not change while the value is in use.
    InMemory(Rc<Pointer>),
    /// A constant. The IR instruction is made at the use.
    Const(Const),
    /// A pointer.
    Pointer(Rc<Pointer>),
}

impl Val {
    /// This value with `f` applied to every IR value in it.
    pub(super) fn map(&self, f: &mut dyn FnMut(Value) -> Value) -> Val {
        match self {
            Val::Leaf(value) => Val::Leaf(f(*value)),
            Val::Parts(parts) => Val::Parts(parts.iter().map(|p| p.map(f)).collect()),
            Val::Const(_) => self.clone(),
            Val::InMemory(place) => Val::InMemory(place.map(f).into()),
            Val::Pointer(pointer) => Val::Pointer(pointer.map(f).into()),
        }
    }
}

/// An id's value and where it was defined.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    val: Val,
    region: RegionId,
    /// Number of instructions of the region when the value was complete.
    pos: usize,
    /// The variables through which other regions read it, one per IR value in it. Made on first need.
    carriers: Option<Rc<[(VarId, Ty)]>>,
}

/// A store that is inserted into a region, before its instruction number `pos`, when the function is complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deferred {
    /// The region.
    pub(super) region: RegionId,
    /// Index among the region's instructions, not counting deferred stores.
    pub(super) pos: usize,
    /// The store.
    pub(super) inst: InstId,
}

impl Translator<'_, '_> {
    /// Sets the value of `id` in the innermost call.
    pub(super) fn bind(&mut self, id: u32, val: Val) {
        if let Val::Parts(parts) = &val {
            self.steps += parts.len();
        }
        if let Val::Pointer(pointer) = &val
            && self.module.has(id, Decoration::NonUniform)
        {
            self.mark_non_uniform(&pointer.base);
        }
        let pos = self.shader.func.region(self.region).insts.len();
        let bound = Bound { val, region: self.region, pos, carriers: None };
        self.frame().values.insert(id, bound);
    }

    /// The value and type of operand word `index`.
    pub(super) fn operand(&mut self, inst: &Inst<'_>, index: usize) -> Result<(Val, u32)> {
        let id = inst.word(index)?;
        self.value(id).map_err(|e| e.at(inst.position()))
    }

    /// The value and type of an id. A value from a closed region is loaded from variables.
    pub(super) fn value(&mut self, id: u32) -> Result<(Val, u32)> {
        if let Some((ty, value)) = self.globals.get(id) {
            return Ok((Val::Const(value.clone()), *ty));
        }
        let Some(def) = self.module.def(id) else {
            let detail = format!("expected the id of a value, found %{id}");
            return Err(FrontendError::new(ErrorCode::UndefinedId, detail));
        };
        let ty = def.ty;
        let Some(bound) = self.frame().values.get(&id).cloned() else {
            if let Some(pointer) = self.module_variable(id)? {
                return Ok((Val::Pointer(pointer.into()), ty));
            }
            let detail = format!("expected a value computed before, found %{id} (Op{})", def.name);
            return Err(FrontendError::new(ErrorCode::UndefinedValue, detail));
        };
        if self.is_active(bound.region) {
            return Ok((bound.val, ty));
        }
        Ok((self.carry(id, bound), ty))
    }

    /// Loads a value that was defined in a closed region from its carrier variables, which are made on first use.
    fn carry(&mut self, id: u32, mut bound: Bound) -> Val {
        let carriers = match bound.carriers.take() {
            Some(carriers) => carriers,
            None => {
                let mut values = Vec::new();
                bound.val.map(&mut |v| {
                    values.push(v);
                    v
                });
                let mut carriers = Vec::new();
                for value in values {
                    let ty = self.shader.func.ty(value);
                    let var = self.new_var(String::new(), VarTy::Vector(ty), None);
                    let mask = WriteMask::all(ty.comps());
                    let store =
                        InstKind::StoreVar { var, path: vec![], data: Src::new(value), mask };
                    let inst = self.shader.func.add_inst(store, &[]);
                    self.deferred.push(Deferred { region: bound.region, pos: bound.pos, inst });
                    carriers.push((var, ty));
                }
                let carriers: Rc<[(VarId, Ty)]> = carriers.into();
                if let Some(bound) = self.frame().values.get_mut(&id) {
                    bound.carriers = Some(carriers.clone());
                }
                carriers
            }
        };
        let mut next = carriers.iter();
        let mut load = |value: Value| match next.next() {
            Some(&(var, ty)) => self.b().load_var(var, vec![], ty),
            None => value,
        };
        bound.val.map(&mut load)
    }

    /// The IR value of operand word `index`, which must be a scalar or vector.
    pub(super) fn leaf(&mut self, inst: &Inst<'_>, index: usize) -> Result<Value> {
        let (val, ty) = self.operand(inst, index)?;
        self.as_leaf(&val, ty).map_err(|e| e.at(inst.position()))
    }

    /// The IR value of `val`, which must be a scalar or vector of type `ty`.
    pub(super) fn as_leaf(&mut self, val: &Val, ty: u32) -> Result<Value> {
        match (val, self.globals.types.leaf(ty)) {
            (Val::Leaf(value), _) => Ok(*value),
            (Val::Const(value), Some(leaf)) => Ok(self.constant(value, leaf)),
            (Val::Pointer(pointer), Some(_)) => {
                let pointer = Rc::clone(pointer);
                self.pointer_value(&pointer, ty)
            }
            _ => {
                let found = self.globals.types.get(ty).map_or("nothing".into(), Type::describe);
                let detail = format!("expected a scalar or vector, found {found}");
                Err(FrontendError::new(ErrorCode::OperandType, detail))
            }
        }
    }

    /// A constant scalar or vector. One that an open region defines already is used again.
    fn constant(&mut self, value: &Const, ty: Ty) -> Value {
        if *value == Const::Undef {
            return self.b().undef(ty);
        }
        let mut bits = [0; 4];
        for (i, bits) in bits.iter_mut().enumerate().take(ty.comps()) {
            let part = if ty.comps() == 1 { value.clone() } else { value.part(i as u32) };
            *bits = part.bits() & ty.mask();
        }
        self.imm_bits(ty, bits)
    }

    /// The constant with these bits per component.
    pub(super) fn imm_bits(&mut self, ty: Ty, bits: [u64; 4]) -> Value {
        if let Some(&(value, region)) = self.constants.get(&(ty, bits))
            && self.is_active(region)
        {
            return value;
        }
        let value = self.b().constant(ty, bits);
        self.constants.insert((ty, bits), (value, self.region));
        value
    }

    /// A 32-bit constant.
    pub(super) fn imm(&mut self, value: u32) -> Value {
        self.imm_bits(Ty::X32, [u64::from(value), 0, 0, 0])
    }

    /// Part `index` of a composite of type `ty`, and the part's type.
    pub(super) fn part(&mut self, val: &Val, ty: u32, index: u32) -> Result<(Val, u32)> {
        let types = &self.globals.types;
        let Some(part) = types.part(ty, index) else {
            let count = types.parts(ty).unwrap_or(0);
            let detail = format!("expected an index below {count}, found {index}");
            return Err(FrontendError::new(ErrorCode::BadIndex, detail));
        };
        let val = match val {
            Val::Leaf(value) => Val::Leaf(self.b().comp(*value, index as usize)),
            Val::Parts(parts) => match parts.get(index as usize) {
                Some(part) => part.clone(),
                None => Val::Const(Const::Undef),
            },
            Val::InMemory(place) => {
                let place = Rc::clone(place);
                self.place_part(&place, index)?
            }
            Val::Const(value) => Val::Const(value.part(index)),
            // The value of an array of descriptors is its pointer.
            Val::Pointer(whole) if matches!(whole.base, Base::Descriptors(_)) => {
                let element = self.step((**whole).clone(), Index::Const(index))?;
                self.load(&element, Access::default())?
            }
            Val::Pointer(_) => {
                let detail = "expected a composite, found a pointer";
                return Err(FrontendError::new(ErrorCode::OperandType, detail));
            }
        };
        Ok((val, part))
    }

    /// All parts of a matrix, array or structure.
    pub(super) fn parts(&mut self, val: &Val, ty: u32) -> Result<Vec<(Val, u32)>> {
        self.check_apart(ty)?;
        let count = self.globals.types.parts(ty).unwrap_or(0);
        (0..count).map(|i| self.part(val, ty, i)).collect()
    }

    /// Checks that a value of type `ty` can be split one level. This holds for every structure with large arrays,
    /// because these stay in memory.
    pub(super) fn check_apart(&self, ty: u32) -> Result<()> {
        match self.globals.types.get(ty) {
            Some(Type::Struct { .. }) if self.is_bulky(ty) => Ok(()),
            _ => self.check_parts(ty),
        }
    }

    /// Checks that a value of type `ty` can be split into all its parts.
    pub(super) fn check_parts(&self, ty: u32) -> Result<()> {
        match self.globals.types.leaves(ty) {
            0..=MAX_PARTS => Ok(()),
            n => {
                let detail = format!("expected at most {MAX_PARTS} parts, found {n}");
                Err(FrontendError::new(ErrorCode::TooManyParts, detail))
            }
        }
    }

    /// Adds a private variable. `init` are its initial scalars.
    pub(super) fn new_var(&mut self, name: String, ty: VarTy, init: Option<Vec<u64>>) -> VarId {
        let id = VarId::from_index(self.shader.vars.len());
        self.shader.vars.push(Variable { name, ty, storage: VarStorage::Private, init });
        id
    }

    /// Reads the part of type `ty` at `path` of a variable; the whole variable if `path` is empty.
    pub(super) fn load_var(&mut self, var: VarId, path: &[PathStep], ty: u32) -> Result<Val> {
        if let Some(leaf) = self.globals.types.leaf(ty) {
            return Ok(Val::Leaf(self.b().load_var(var, path.to_vec(), leaf)));
        }
        self.check_parts(ty)?;
        let count = self.globals.types.parts(ty).unwrap_or(0);
        let mut parts = Vec::new();
        for index in 0..count {
            let part = self.globals.types.part(ty, index).unwrap_or(0);
            let path: Vec<PathStep> =
                path.iter().copied().chain([PathStep::Const(index)]).collect();
            parts.push(self.load_var(var, &path, part)?);
        }
        self.check_budget()?;
        Ok(Val::Parts(parts.into()))
    }

    /// Writes the part of type `ty` at `path` of a variable; the whole variable if `path` is empty.
    pub(super) fn store_var(
        &mut self,
        var: VarId,
        path: &[PathStep],
        ty: u32,
        val: &Val,
    ) -> Result<()> {
        if matches!(val, Val::Const(Const::Undef)) {
            return Ok(());
        }
        if val.is_copied() && self.is_bulky(ty) {
            let base = Base::Var { var, path: path.to_vec() };
            return self.copy_bulky(&Pointer { base, pointee: ty }, val);
        }
        if self.globals.types.leaf(ty).is_some() {
            let data = self.as_leaf(val, ty)?;
            self.b().store_var(var, path.to_vec(), data);
            return Ok(());
        }
        for (index, (part, part_ty)) in self.parts(val, ty)?.into_iter().enumerate() {
            let path: Vec<PathStep> =
                path.iter().copied().chain([PathStep::Const(index as u32)]).collect();
            self.store_var(var, &path, part_ty, &part)?;
        }
        self.check_budget()
    }
}
