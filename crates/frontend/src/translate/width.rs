//! Conversion of operands that SPIR-V allows in any width to the 32 bits that the IR requires. A 64-bit value that does
//! not fit is not truncated to an unrelated number, but replaced as [`Narrow`] says.

use crestline_ssa::ir::{AluOp, Ty, Value};

use super::Translator;
use crate::error::{ErrorCode, Result};
use crate::spirv::{Const, Inst, Type};

/// The result for a 64-bit integer that does not fit in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Narrow {
    /// The nearest signed number.
    Signed,
    /// The greatest unsigned number.
    Unsigned,
    /// `i32::MAX`, also for negative numbers: the product of `i32::MIN` and an even stride is 0 in 32 bits, so an index
    /// out of bounds would become index 0.
    Index,
}

impl Translator<'_, '_> {
    /// Converts integers of any width to 32 bits. `how` says what 64-bit values become that do not fit.
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

    /// Operand word `at`, which must be integers, as 32 bits.
    pub(super) fn int32(&mut self, inst: &Inst<'_>, at: usize, how: Narrow) -> Result<Value> {
        let (val, ty) = self.operand(inst, at)?;
        if !self.globals.types.is_int(ty) {
            let found = self.globals.types.get(ty).map_or("nothing".into(), Type::describe);
            let detail = format!("expected integers in operand {}, found {}", at + 1, found);
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let value = self.as_leaf(&val, ty).map_err(|e| e.at(inst.position()))?;
        Ok(self.narrowed(value, how))
    }

    /// Operand word `at`, which must be integers, as 32 bits. The signedness of its type decides how it is converted.
    pub(super) fn coordinate32(&mut self, inst: &Inst<'_>, at: usize) -> Result<Value> {
        let (_, ty) = self.operand(inst, at)?;
        let how = match self.globals.types.scalar(ty) {
            Some(Type::Int { signed: false, .. }) => Narrow::Unsigned,
            _ => Narrow::Signed,
        };
        self.int32(inst, at, how)
    }

    /// Operand word `at`, which must be floats, as 32 bits.
    pub(super) fn float32(&mut self, inst: &Inst<'_>, at: usize) -> Result<Value> {
        let (val, ty) = self.operand(inst, at)?;
        if !self.globals.types.is_float(ty) {
            let found = self.globals.types.get(ty).map_or("nothing".into(), Type::describe);
            let detail = format!("expected floats in operand {}, found {}", at + 1, found);
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let value = self.as_leaf(&val, ty).map_err(|e| e.at(inst.position()))?;
        match self.shader.func.ty(value).bits() {
            32 => Ok(value),
            _ => Ok(self.b().convert(AluOp::F2F, 32, value)),
        }
    }

    /// A constant integer of type `ty`, or component `index` of a vector constant, interpreted with the signedness of
    /// the type. `None` if the type is not an integer type.
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
