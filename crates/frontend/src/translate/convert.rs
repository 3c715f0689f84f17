//! Bit casts between vectors with different component sizes, and integer dot products.

use crestline_ssa::ir::{AluOp, Src, Ty, Value};
use rspirv::spirv::Op;

use super::Translator;
use super::alu::described;
use crate::error::{ErrorCode, Result};
use crate::spirv::Inst;

/// The operation that splits one number of `wide` bits into numbers of `narrow` bits, and its inverse; `None` if the IR
/// has none.
fn packing(wide: u32, narrow: u32) -> Option<(AluOp, AluOp)> {
    match (wide, narrow) {
        (64, 32) => Some((AluOp::Unpack64To32, AluOp::Pack64From32)),
        (64, 16) => Some((AluOp::Unpack64To16, AluOp::Pack64From16)),
        (32, 16) => Some((AluOp::Unpack32To16, AluOp::Pack32From16)),
        (32, 8) => Some((AluOp::Unpack32To8, AluOp::Pack32From8)),
        (16, 8) => Some((AluOp::Unpack16To8, AluOp::Pack16From8)),
        _ => None,
    }
}

impl Translator<'_, '_> {
    /// `OpBitcast`. The lowest bits of a wide component correspond to the first narrow component.
    pub(super) fn op_bitcast(&mut self, inst: &Inst<'_>) -> Result<()> {
        let value = self.leaf(inst, 0)?;
        let (from, to) = (self.shader.func.ty(value), self.result_leaf(inst)?);
        let total = |ty: Ty| ty.bits() as usize * ty.comps();
        if from.is_bool() || to.is_bool() || total(from) != total(to) {
            let detail = format!(
                "expected as many bits as the result has ({}), found {}",
                described(to),
                described(from)
            );
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let value = if from.bits() == to.bits() { value } else { self.recast(inst, value, to)? };
        self.bind_leaf(inst, value)
    }

    /// `value` as type `to`, which has the same number of bits but another component size.
    fn recast(&mut self, inst: &Inst<'_>, value: Value, to: Ty) -> Result<Value> {
        let from = self.shader.func.ty(value);
        let (wide, narrow) = (from.bits().max(to.bits()), from.bits().min(to.bits()));
        // A cast between 64 and 8 bits is not possible: vectors have fewer than eight components.
        let Some((unpack, pack)) = packing(wide, narrow) else {
            let detail = format!(
                "expected sizes of which one divides the other, found {} and {}",
                described(from),
                described(to)
            );
            return Err(inst.error(ErrorCode::OperandType, detail));
        };
        let ratio = (wide / narrow) as usize;
        let mut comps: Vec<Src> = Vec::new();
        if from.bits() == wide {
            for comp in 0..from.comps() {
                let one = self.b().comp(value, comp);
                let pieces = self.alu(unpack, &[one]);
                comps.extend((0..ratio).map(|i| Src::comp(pieces, i)));
            }
        } else {
            for comp in 0..to.comps() {
                let pieces: Vec<Src> =
                    (0..ratio).map(|i| Src::comp(value, comp * ratio + i)).collect();
                let pieces = self.b().vec(&pieces);
                comps.push(Src::new(self.alu(pack, &[pieces])));
            }
        }
        Ok(self.b().vec(&comps))
    }

    /// `OpSDot`, `OpUDot`, `OpSUDot` and the forms that add an accumulator with saturation. The operands are vectors,
    /// or four bytes packed into 32 bits.
    pub(super) fn op_integer_dot(&mut self, inst: &Inst<'_>) -> Result<()> {
        let ty = self.result_leaf(inst)?;
        let saturates = matches!(inst.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        let signed = match inst.op {
            Op::SDot | Op::SDotAccSat => [true, true],
            Op::UDot | Op::UDotAccSat => [false, false],
            _ => [true, false],
        };
        if ty.comps() != 1 || ty.is_bool() {
            let detail = format!("expected an integer as result, found {}", described(ty));
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        let mut factors = Vec::new();
        for (at, signed) in signed.into_iter().enumerate() {
            let mut vector = self.leaf(inst, at)?;
            if self.shader.func.ty(vector) == Ty::X32 {
                vector = self.alu(AluOp::Unpack32To8, &[vector]);
            }
            let found = self.shader.func.ty(vector);
            if found.is_bool() || found.comps() < 2 || found.bits() > ty.bits() {
                let detail = format!("expected integers no wider than {ty}, found {found}");
                return Err(inst.error(ErrorCode::OperandType, detail));
            }
            if found.bits() < ty.bits() {
                let widen = if signed { AluOp::I2I } else { AluOp::U2U };
                vector = self.b().convert(widen, ty.bits(), vector);
            }
            factors.push(vector);
        }
        let comps = self.shader.func.ty(factors[0]).comps();
        if self.shader.func.ty(factors[1]).comps() != comps {
            return Err(inst.error(ErrorCode::OperandType, "expected vectors of equal length"));
        }
        let products = self.alu(AluOp::IMul, &factors);
        let mut sum = self.b().comp(products, 0);
        for comp in 1..comps {
            let next = self.b().comp(products, comp);
            sum = self.alu(AluOp::IAdd, &[sum, next]);
        }
        if saturates {
            let accumulator = self.leaf(inst, 2)?;
            if self.shader.func.ty(accumulator) != ty {
                let detail = format!("expected {} as operand to add", described(ty));
                return Err(inst.error(ErrorCode::OperandType, detail));
            }
            sum = self.saturated_sum(sum, accumulator, signed[0]);
        }
        self.bind_leaf(inst, sum)
    }
}
