//! Atomic instructions and barriers.

use crestline_ssa::ir::{
    Access, AluOp, AtomicOp, InstKind, Memory, MemorySemantics, Scope, Src, Ty, Value, VarTy,
};
use rspirv::spirv::{MemorySemantics as Semantics, Op};

use super::Translator;
use super::alu::described;
use super::image::TexelPtr;
use super::pointer::{Base, MemPtr, Pointer};
use super::value::Val;
use crate::error::{ErrorCode, Result};
use crate::spirv::{Inst, Type};

/// How an atomic's data operand is obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Data {
    /// The operand word of that index.
    Operand(usize),
    /// The operand word of that index, negated.
    Negated(usize),
    /// A constant.
    Const(i64),
}

/// The read-modify-write atomics. Operand words: pointer, scope, semantics, then the value. `OpAtomicCompareExchange`
/// has two semantics (equal, unequal), then value and comparator.
const ROWS: &[(Op, AtomicOp, Data)] = &[
    (Op::AtomicExchange, AtomicOp::Exchange, Data::Operand(3)),
    (Op::AtomicCompareExchange, AtomicOp::CompareExchange, Data::Operand(4)),
    (Op::AtomicIIncrement, AtomicOp::IAdd, Data::Const(1)),
    (Op::AtomicIDecrement, AtomicOp::IAdd, Data::Const(-1)),
    (Op::AtomicIAdd, AtomicOp::IAdd, Data::Operand(3)),
    (Op::AtomicISub, AtomicOp::IAdd, Data::Negated(3)),
    (Op::AtomicSMin, AtomicOp::IMin, Data::Operand(3)),
    (Op::AtomicUMin, AtomicOp::UMin, Data::Operand(3)),
    (Op::AtomicSMax, AtomicOp::IMax, Data::Operand(3)),
    (Op::AtomicUMax, AtomicOp::UMax, Data::Operand(3)),
    (Op::AtomicAnd, AtomicOp::And, Data::Operand(3)),
    (Op::AtomicOr, AtomicOp::Or, Data::Operand(3)),
    (Op::AtomicXor, AtomicOp::Xor, Data::Operand(3)),
    (Op::AtomicFAddEXT, AtomicOp::FAdd, Data::Operand(3)),
    (Op::AtomicFMinEXT, AtomicOp::FMin, Data::Operand(3)),
    (Op::AtomicFMaxEXT, AtomicOp::FMax, Data::Operand(3)),
];

/// Whether [`Translator::op_atomic`] translates the opcode.
pub(super) fn is_atomic(op: Op) -> bool {
    matches!(op, Op::AtomicLoad | Op::AtomicStore) || ROWS.iter().any(|row| row.0 == op)
}

impl Translator<'_, '_> {
    /// Translates any atomic, on buffers, shared memory and texels.
    pub(super) fn op_atomic(&mut self, inst: &Inst<'_>) -> Result<()> {
        let pointer = self.pointer(inst, 0)?;
        if let Base::Texel(texel) = &pointer.base {
            return self.fenced(inst, |t| t.op_texel_atomic(inst, texel));
        }
        let Base::Choice(choice) = &pointer.base else {
            let (mem, ty) = self.atomic_place(inst, &pointer)?;
            return self.fenced(inst, |t| match t.atomic_at(inst, &mem, ty)? {
                Some(old) => t.bind_leaf(inst, old),
                None => Ok(()),
            });
        };
        let ty = self.atomic_type(inst, &pointer)?;
        let result = self.new_var(String::new(), VarTy::Vector(ty), None);
        self.fenced(inst, |t| {
            t.each_option(choice, &mut |t, mem| {
                let pointer = Pointer { base: Base::Mem(mem), pointee: pointer.pointee };
                let (mem, ty) = t.atomic_place(inst, &pointer)?;
                if let Some(old) = t.atomic_at(inst, &mem, ty)? {
                    t.b().store_var(result, vec![], old);
                }
                Ok(())
            })
        })?;
        if inst.op == Op::AtomicStore {
            return Ok(());
        }
        let old = self.b().load_var(result, vec![], ty);
        self.bind_leaf(inst, old)
    }

    /// Translates an atomic at a place in memory, without its barriers. Returns its result, if it has one.
    fn atomic_at(&mut self, inst: &Inst<'_>, mem: &MemPtr, ty: Ty) -> Result<Option<Value>> {
        match inst.op {
            Op::AtomicLoad => self.load_leaf(mem, ty).map(Some),
            Op::AtomicStore => {
                let data = self.atomic_data(inst, 3, ty)?;
                self.store_leaf(mem, data)?;
                Ok(None)
            }
            _ => self.read_modify_write(inst, mem, ty).map(Some),
        }
    }

    /// Translates an atomic on a texel.
    fn op_texel_atomic(&mut self, inst: &Inst<'_>, texel: &TexelPtr) -> Result<()> {
        if !texel.writable && inst.op != Op::AtomicLoad {
            let detail = "expected a writable image, found a read-only one";
            return Err(inst.error(ErrorCode::NotWritable, detail));
        }
        match inst.op {
            Op::AtomicLoad => self.texel_atomic(inst, texel, None, None, None),
            Op::AtomicStore => {
                let data = self.atomic_data(inst, 3, Ty::X32)?;
                self.texel_atomic(inst, texel, None, Some(data), None)
            }
            _ => {
                let (op, data, compare) = self.operands(inst, Ty::X32)?;
                self.texel_atomic(inst, texel, Some(op), Some(data), compare)
            }
        }
    }

    /// Emits `body`, the atomic itself, between the memory barriers that its semantics require.
    fn fenced(
        &mut self,
        inst: &Inst<'_>,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let scope = self.scope(inst, 1)?;
        let semantics = self.semantics(inst, 2)?;
        if semantics.release {
            self.barrier(None, scope, MemorySemantics { acquire: false, ..semantics });
        }
        body(self)?;
        if semantics.acquire {
            self.barrier(None, scope, MemorySemantics { release: false, ..semantics });
        }
        Ok(())
    }

    /// For a read-modify-write atomic: the operation, the data operand, and the comparator.
    fn operands(&mut self, inst: &Inst<'_>, ty: Ty) -> Result<(AtomicOp, Value, Option<Src>)> {
        let Some(&(_, op, data)) = ROWS.iter().find(|row| row.0 == inst.op) else {
            return Err(inst.error(ErrorCode::Unsupported, "expected an atomic"));
        };
        let data = match data {
            Data::Operand(at) => self.atomic_data(inst, at, ty)?,
            Data::Negated(at) => {
                let value = self.atomic_data(inst, at, ty)?;
                self.alu(AluOp::INeg, &[value])
            }
            Data::Const(value) => self.imm_int(ty, value as u64),
        };
        let compare = match op {
            AtomicOp::CompareExchange => Some(Src::new(self.atomic_data(inst, 5, ty)?)),
            _ => None,
        };
        Ok((op, data, compare))
    }

    fn read_modify_write(&mut self, inst: &Inst<'_>, mem: &MemPtr, ty: Ty) -> Result<Value> {
        let (op, data, compare) = self.operands(inst, ty)?;
        let offset = self.address(mem);
        let (memory, access) = (mem.memory, mem.access);
        Ok(self.b().atomic(memory, op, offset.into(), data.into(), compare, access, ty))
    }

    /// The value in operand word `at`, which must have the type that the pointer points to.
    fn atomic_data(
        &mut self,
        inst: &Inst<'_>,
        at: usize,
        ty: Ty,
    ) -> Result<crestline_ssa::ir::Value> {
        let value = self.leaf(inst, at)?;
        let found = self.shader.func.ty(value);
        if found == ty {
            return Ok(value);
        }
        let detail = format!(
            "expected a value of the type that the pointer points to ({}), found {}",
            described(ty),
            described(found)
        );
        Err(inst.error(ErrorCode::OperandType, detail))
    }

    /// The type of the number that an atomic works on.
    fn atomic_type(&self, inst: &Inst<'_>, pointer: &Pointer) -> Result<Ty> {
        match self.globals.types.leaf(pointer.pointee) {
            Some(ty @ (Ty::X16 | Ty::X32 | Ty::X64)) => Ok(ty),
            _ => {
                let detail = format!(
                    "expected a number of 16, 32 or 64 bits, found type %{}",
                    pointer.pointee
                );
                Err(inst.error(ErrorCode::BadAtomic, detail))
            }
        }
    }

    /// The place in memory and the type of the number that an atomic works on.
    fn atomic_place(&self, inst: &Inst<'_>, pointer: &Pointer) -> Result<(MemPtr, Ty)> {
        let ty = self.atomic_type(inst, pointer)?;
        let reads = inst.op == Op::AtomicLoad;
        match &pointer.base {
            Base::Mem(mem)
                if matches!(mem.memory, Memory::Ssbo(_) | Memory::Global(_) | Memory::Shared) =>
            {
                if !mem.writable && !reads {
                    let detail = "expected writable memory, found a read-only buffer";
                    return Err(inst.error(ErrorCode::NotWritable, detail));
                }
                // Atomic loads and stores must not be cached or merged.
                let access = Access { coherent: true, volatile: true, ..mem.access };
                Ok((MemPtr { access, ..mem.clone() }, ty))
            }
            _ => {
                let detail = "expected a pointer to a storage buffer or shared memory, found a pointer to other memory";
                Err(inst.error(ErrorCode::BadAtomic, detail))
            }
        }
    }

    /// `OpControlBarrier` and `OpMemoryBarrier`.
    pub(super) fn op_barrier(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (execution, rest) = match inst.op {
            Op::ControlBarrier => (Some(self.scope(inst, 0)?), 1),
            _ => (None, 0),
        };
        let memory = self.scope(inst, rest)?;
        let semantics = self.semantics(inst, rest + 1)?;
        self.barrier(execution, memory, semantics);
        Ok(())
    }

    fn barrier(&mut self, execution: Option<Scope>, memory: Scope, semantics: MemorySemantics) {
        self.b().inst(InstKind::Barrier { execution, memory, semantics }, &[]);
    }

    /// Operand word `at`, which must be a constant integer of 32 bits.
    pub(super) fn const_word(&mut self, inst: &Inst<'_>, at: usize) -> Result<u32> {
        let (val, ty) = self.operand(inst, at)?;
        let Val::Const(value) = val else {
            let detail = format!("expected a constant in operand {}", at + 1);
            return Err(inst.error(ErrorCode::NotAConstant, detail));
        };
        match (self.globals.types.get(ty), u32::try_from(value.bits())) {
            (Some(Type::Int { bits: 32, .. }), Ok(word)) => Ok(word),
            (other, _) => {
                let found = other.map_or("nothing".into(), Type::describe);
                let detail =
                    format!("expected an integer of 32 bits in operand {}, found {found}", at + 1);
                Err(inst.error(ErrorCode::OperandType, detail))
            }
        }
    }

    /// The scope in operand word `at`.
    fn scope(&mut self, inst: &Inst<'_>, at: usize) -> Result<Scope> {
        match self.const_word(inst, at)? {
            // CrossDevice, Device and QueueFamily: there is only one device.
            0 | 1 | 5 => Ok(Scope::Device),
            2 => Ok(Scope::Workgroup),
            3 => Ok(Scope::Subgroup),
            4 => Ok(Scope::Invocation),
            n => Err(inst.error(ErrorCode::BadEnumerant, format!("expected a scope, found {n}"))),
        }
    }

    /// The memory semantics in operand word `at`.
    fn semantics(&mut self, inst: &Inst<'_>, at: usize) -> Result<MemorySemantics> {
        let bits = Semantics::from_bits_truncate(self.const_word(inst, at)?);
        let both = Semantics::ACQUIRE_RELEASE | Semantics::SEQUENTIALLY_CONSISTENT;
        Ok(MemorySemantics {
            acquire: bits.intersects(both | Semantics::ACQUIRE),
            release: bits.intersects(both | Semantics::RELEASE),
            buffer: bits.intersects(Semantics::UNIFORM_MEMORY | Semantics::ATOMIC_COUNTER_MEMORY),
            image: bits.contains(Semantics::IMAGE_MEMORY),
            shared: bits.contains(Semantics::WORKGROUP_MEMORY),
            output: bits.contains(Semantics::OUTPUT_MEMORY),
        })
    }
}
