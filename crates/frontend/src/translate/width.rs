//! Operands that SPIR-V allows in any width where the IR has 32 bits. None is cut off where the rest of its bits could
//! make it mean another number.

use crestline_ssa::ir::{AluOp, Ty, Value};

use super::Translator;
use crate::error::{ErrorCode, Result};
use crate::spirv::{Const, Inst, Type};

/// What an integer of 64 bits becomes that 32 bits cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Narrow {
    /// The nearest signed one.
    Signed,
    /// The greatest unsigned one.
    Unsigned,
    /// Signed, always the greatest one: multiples of the least one wrap around to zero, which is an index into
    /// everything.
    Index,
}

impl Translator<'_, '_> {
    /// Integers of any width as 32 bits.
    pub(super) fn narrowed(&mut self, value: Value, how: Narrow) -> Value {
        let ty = self.shader.func.ty(value);
        match (ty.bits(), how) {
            (32, _) => return value,
            (64, _) => {}
            (_, Narrow::Unsigned) => return self.b().convert(AluOp::U2U, 32, value),
            (_, Narrow::Signed | Narrow::Index) => return self.b().convert(AluOp::I2I, 32, value),
        }
        let words = Ty::X32.with_comps(ty.comps());
        let low = self.alu(AluOp::Unpack64Low, &[value]);
        let high = self.alu(AluOp::Unpack64High, &[value]);
        let greatest = u64::from(i32::MAX.cast_unsigned());
        let sign = self.imm_int(words, 31);
        let (rest, limit) = match how {
            Narrow::Unsigned => (self.imm_int(words, 0), self.imm_int(words, u32::MAX.into())),
            Narrow::Index => (self.alu(AluOp::IShr, &[low, sign]), self.imm_int(words, greatest)),
            Narrow::Signed => {
                let negative = self.alu(AluOp::IShr, &[high, sign]);
                let greatest = self.imm_int(words, greatest);
                let limit = self.alu(AluOp::IXor, &[negative, greatest]);
                (self.alu(AluOp::IShr, &[low, sign]), limit)
            }
        };
        let fits = self.alu(AluOp::IEq, &[high, rest]);
        self.alu(AluOp::Select, &[fits, low, limit])
    }

    /// Operand word `at`, integers of any width, as 32 bits.
    pub(super) fn int32(&mut self, inst: &Inst<'_>, at: usize, how: Narrow) -> Result<Value> {
        let (val, ty) = self.operand(inst, at)?;
        if !self.globals.types.is_int(ty) {
            let found = self.globals.types.get(ty).map_or("nothing".into(), Type::describe);
            let detail = format!("expected integers in operand {at}, found {}", found);
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let value = self.as_leaf(&val, ty).map_err(|e| e.at(inst.position()))?;
        Ok(self.narrowed(value, how))
    }

    /// Operand word `at`, integers of any width, as 32 bits, by the sign that their type has.
    pub(super) fn coordinate32(&mut self, inst: &Inst<'_>, at: usize) -> Result<Value> {
        let (_, ty) = self.operand(inst, at)?;
        let how = match self.globals.types.scalar(ty) {
            Some(Type::Int { signed: false, .. }) => Narrow::Unsigned,
            _ => Narrow::Signed,
        };
        self.int32(inst, at, how)
    }

    /// Operand word `at`, floats of any width, as 32 bits.
    pub(super) fn float32(&mut self, inst: &Inst<'_>, at: usize) -> Result<Value> {
        let (val, ty) = self.operand(inst, at)?;
        if !self.globals.types.is_float(ty) {
            let found = self.globals.types.get(ty).map_or("nothing".into(), Type::describe);
            let detail = format!("expected floats in operand {at}, found {}", found);
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let value = self.as_leaf(&val, ty).map_err(|e| e.at(inst.position()))?;
        match self.shader.func.ty(value).bits() {
            32 => Ok(value),
            _ => Ok(self.b().convert(AluOp::F2F, 32, value)),
        }
    }

    /// A constant integer of type `ty`, or component `index` of a vector of them, by the sign that the type has.
    pub(super) fn known_int(&self, value: &Const, ty: u32, index: u32) -> Option<i64> {
        let Some(&Type::Int { bits, signed }) = self.globals.types.scalar(ty) else { return None };
        let value = match self.globals.types.parts(ty) {
            Some(_) => value.part(index).bits(),
            None => value.bits(),
        };
        let unused = u64::BITS - bits;
        match signed {
            true => Some((value << unused).cast_signed() >> unused),
            false => Some(i64::try_from(value).unwrap_or(i64::MAX)),
        }
    }
}
