//! Values that contain a large array ("bulky" types). They stay in memory.
//!
//! A value with a small array is represented by one IR value per part. For a large array, these would not fit in the
//! registers. So the value of its id is a place in memory ([`Val::InMemory`]) that does not change while the id is in
//! use: a new variable, into which a loop copies the array at the load; or the loaded memory itself, if nothing writes
//! it before the last use.

use crestline_ssa::ir::{Access, AluOp, Memory, Value};
use rspirv::spirv::{Op, StorageClass};

use super::Translator;
use super::pointer::{Base, Index, Pointer};
use super::value::Val;
use crate::error::Result;
use crate::ids::IdMap;
use crate::spirv::{Const, Inst, Module, Type};

/// The number of instructions after a load in which its uses are searched.
const LOOK_AHEAD: usize = 64;

impl<'m> Translator<'m, '_> {
    /// Whether values of that type stay in memory.
    pub(super) fn is_bulky(&self, ty: u32) -> bool {
        self.globals.types.is_bulky(ty)
    }

    /// The current value of the bulky type that `pointer` points to, copied to a new variable.
    pub(super) fn snapshot(&mut self, pointer: &Pointer) -> Result<Val> {
        let place = self.bulky_var(pointer.pointee)?;
        self.copy_bulky(&place, &Val::InMemory(pointer.clone().into()))?;
        Ok(Val::InMemory(place.into()))
    }

    /// A new variable for a value of a bulky type.
    pub(super) fn bulky_var(&mut self, ty: u32) -> Result<Pointer> {
        self.count_scalars(ty)?;
        let shape = self.globals.types.var_ty(ty)?;
        let base = Base::Var { var: self.new_var(String::new(), shape, None), path: vec![] };
        Ok(Pointer { base, pointee: ty })
    }

    /// `OpLoad` of a bulky type.
    pub(super) fn load_bulky(
        &mut self,
        inst: &Inst<'_>,
        pointer: Pointer,
        access: Access,
    ) -> Result<Val> {
        let pointer = pointer.with_access(access);
        if !access.volatile && self.is_only_copied(inst, &pointer) {
            return Ok(Val::InMemory(pointer.into()));
        }
        self.snapshot(&pointer)
    }

    /// Whether all uses of `load` soon follow it in its block (extractions of small parts, or finally a copy to a place
    /// that does not overlap `from`), without a write to memory between them. Then the uses can read from `from`
    /// directly.
    fn is_only_copied(&mut self, load: &Inst<'_>, from: &Pointer) -> bool {
        let module = self.module;
        let Some(index) = module.def_index(load.result) else { return false };
        let uses = self.bulky_uses.get_or_insert_with(|| bulky_uses(module, self.globals));
        let uses = uses.get(&load.result).copied().unwrap_or(0);
        let mut seen = 0;
        for inst in module.insts.iter().skip(index + 1).take(LOOK_AHEAD) {
            if seen == uses {
                break;
            }
            let here = inst.operands.iter().filter(|&&word| word == load.result).count();
            match inst.op {
                // The last use may be a store.
                Op::Store if inst.operands.get(1) == Some(&load.result) => {
                    return seen + here == uses && self.lies_apart(from, inst.operands[0]);
                }
                Op::CompositeExtract
                    if inst.operands.first() == Some(&load.result) && !self.is_bulky(inst.ty) =>
                {
                    seen += here;
                }
                op if here == 0 && only_computes(op) => {}
                _ => return false,
            }
        }
        seen == uses
    }

    /// Whether a copy from `from` to the place that pointer `to` points to never writes what it still has to read.
    fn lies_apart(&self, from: &Pointer, to: u32) -> bool {
        let ty = self.module.def(to).map_or(0, |inst| inst.ty);
        let Some(&Type::Pointer { class, .. }) = self.globals.types.get(ty) else { return false };
        let private = matches!(class, StorageClass::Function | StorageClass::Private);
        match &from.base {
            // Two parts of a variable that have the same type are identical or do not overlap.
            Base::Var { .. } => true,
            Base::Mem(mem) => match mem.memory {
                _ if private => true,
                Memory::Shared => class != StorageClass::Workgroup,
                memory => memory.is_read_only() || class == StorageClass::Workgroup,
            },
            _ => false,
        }
    }

    /// Writes `from`, a value in memory or a null constant, to where `to` points. Large arrays are copied in a loop.
    pub(super) fn copy_bulky(&mut self, to: &Pointer, from: &Val) -> Result<()> {
        let ty = to.pointee;
        if !self.is_bulky(ty) {
            let val = match from {
                Val::InMemory(from) => self.load(from, Access::default())?,
                other => other.clone(),
            };
            return self.store(to, &val, Access::default());
        }
        let count = self.globals.types.parts(ty).unwrap_or(0);
        if !matches!(self.globals.types.get(ty), Some(Type::Array { .. })) {
            for index in 0..count {
                self.copy_part(to, from, Index::Const(index))?;
            }
            return self.check_budget();
        }
        let first = self.imm(0);
        let (_, body) = self.b().loop_(&[first]);
        let outer = self.enter(body)?;
        let index = self.shader.func.region(body).params[0];
        let end = self.imm(count);
        let done = self.alu(AluOp::UGe, &[index, end]);
        let leave = |t: &mut Self| {
            t.b().break_(&[]);
            Ok(())
        };
        self.if_(done, leave, |_| Ok(()))?;
        self.copy_part(to, from, Index::Dyn(index))?;
        let next = self.next_index(index);
        self.b().continue_(&[next]);
        self.leave(outer);
        self.check_budget()
    }

    fn next_index(&mut self, index: Value) -> Value {
        let one = self.imm(1);
        self.alu(AluOp::IAdd, &[index, one])
    }

    /// Copies part `index` of `from` to that of `to`.
    fn copy_part(&mut self, to: &Pointer, from: &Val, index: Index) -> Result<()> {
        let to = self.step(to.clone(), index)?;
        let from = match from {
            Val::InMemory(from) => Val::InMemory(self.step((**from).clone(), index)?.into()),
            other => other.clone(),
        };
        self.copy_bulky(&to, &from)
    }

    /// The value of part `index` of `place`, which must exist.
    pub(super) fn place_part(&mut self, place: &Pointer, index: u32) -> Result<Val> {
        let part = self.step(place.clone(), Index::Const(index))?;
        match self.is_bulky(part.pointee) {
            true => Ok(Val::InMemory(part.into())),
            false => self.load(&part, Access::default()),
        }
    }
}

impl Val {
    /// Whether a value of a bulky type is copied by [`Translator::copy_bulky`], instead of part by part.
    pub(super) fn is_copied(&self) -> bool {
        matches!(self, Val::InMemory(_) | Val::Const(Const::Null))
    }
}

/// Per id that a load of a bulky type defines, the number of operand words of functions that are equal to it. Literals
/// with the same value count too, so the number of uses may be less.
fn bulky_uses(module: &Module<'_>, globals: &crate::spirv::Globals) -> IdMap<usize> {
    let loads = |inst: &&Inst<'_>| inst.op == Op::Load && globals.types.is_bulky(inst.ty);
    let mut uses: IdMap<usize> =
        module.insts.iter().filter(loads).map(|inst| (inst.result, 0)).collect();
    let code = module.insts.iter().skip_while(|inst| inst.op != Op::Function);
    for word in code.flat_map(|inst| inst.operands) {
        if let Some(uses) = uses.get_mut(word) {
            *uses += 1;
        }
    }
    uses
}

/// Whether an instruction neither writes memory nor ends its block.
fn only_computes(op: Op) -> bool {
    matches!(
        op,
        Op::Line
            | Op::NoLine
            | Op::Nop
            | Op::Undef
            | Op::Load
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::CompositeConstruct
            | Op::CompositeExtract
            | Op::VectorShuffle
            | Op::CopyObject
            | Op::Bitcast
            | Op::Select
    ) || super::alu::row(op).is_some()
}
