//! Arithmetic: a table of the opcodes that are one IR operation, and functions for those that take several.

use crestline_ssa::ir::{AluOp, BitRule, Class, CompRule, Src, Ty, Value};
use rspirv::spirv::{Decoration, FPRoundingMode, Op};

use super::Translator;
use super::value::Val;
use crate::error::{ErrorCode, Result};
use crate::spirv::Inst;

/// How operands and result of an opcode map to those of the IR operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The same operands and the same result.
    Plain,
    /// The first two operands are exchanged.
    Swap,
    /// The boolean result is negated.
    Not,
    /// The first two operands are exchanged and the boolean result is negated.
    SwapNot,
    /// The operation is done with both orders of the operands; the result is true if either is (`a < b || b < a`).
    Either,
    /// The operation is done with both orders of the operands; the result is true if neither is.
    Neither,
}

/// An opcode that is one IR operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    opcode: Op,
    op: AluOp,
    form: Form,
}

macro_rules! rows {
    ($($opcode:ident => $op:ident $form:ident;)+) => {
        /// The opcodes in the order of the specification.
        const ROWS: &[Row] = &[$(Row { opcode: Op::$opcode, op: AluOp::$op, form: Form::$form },)+];
    };
}

rows! {
    ConvertFToU => F2U Plain;
    ConvertFToS => F2I Plain;
    ConvertSToF => I2F Plain;
    ConvertUToF => U2F Plain;
    UConvert => U2U Plain;
    SConvert => I2I Plain;
    FConvert => F2F Plain;
    QuantizeToF16 => FQuantize16 Plain;
    SNegate => INeg Plain;
    FNegate => FNeg Plain;
    IAdd => IAdd Plain;
    FAdd => FAdd Plain;
    ISub => ISub Plain;
    FSub => FSub Plain;
    IMul => IMul Plain;
    FMul => FMul Plain;
    UDiv => UDiv Plain;
    SDiv => IDiv Plain;
    FDiv => FDiv Plain;
    UMod => UMod Plain;
    SRem => IRem Plain;
    SMod => IMod Plain;
    LogicalEqual => IEq Plain;
    LogicalNotEqual => INe Plain;
    LogicalOr => IOr Plain;
    LogicalAnd => IAnd Plain;
    LogicalNot => INot Plain;
    IEqual => IEq Plain;
    INotEqual => INe Plain;
    UGreaterThan => ULt Swap;
    SGreaterThan => ILt Swap;
    UGreaterThanEqual => UGe Plain;
    SGreaterThanEqual => IGe Plain;
    ULessThan => ULt Plain;
    SLessThan => ILt Plain;
    ULessThanEqual => UGe Swap;
    SLessThanEqual => IGe Swap;
    LessOrGreater => FLt Either;
    FOrdEqual => FEq Plain;
    FUnordEqual => FLt Neither;
    FOrdNotEqual => FLt Either;
    FUnordNotEqual => FNe Plain;
    FOrdLessThan => FLt Plain;
    FUnordLessThan => FGe Not;
    FOrdGreaterThan => FLt Swap;
    FUnordGreaterThan => FGe SwapNot;
    FOrdLessThanEqual => FGe Swap;
    FUnordLessThanEqual => FLt SwapNot;
    FOrdGreaterThanEqual => FGe Plain;
    FUnordGreaterThanEqual => FLt Not;
    BitwiseOr => IOr Plain;
    BitwiseXor => IXor Plain;
    BitwiseAnd => IAnd Plain;
    Not => INot Plain;
    BitReverse => BitReverse Plain;
}

/// The row of an opcode; `None` if it is not in the table.
pub(super) fn row(opcode: Op) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.opcode == opcode)
}

impl Translator<'_, '_> {
    /// Translates an opcode of the table.
    pub(super) fn op_alu(&mut self, inst: &Inst<'_>, row: &Row) -> Result<()> {
        let mut srcs = Vec::new();
        for at in 0..row.op.row().srcs.len() {
            srcs.push(self.leaf(inst, at)?);
        }
        if matches!(row.form, Form::Swap | Form::SwapNot) {
            srcs.swap(0, 1);
        }
        let ty = self.result_leaf(inst)?;
        let op = match row.op {
            AluOp::F2F if self.rounds_toward_zero(inst, self.shader.func.ty(srcs[0]), ty)? => {
                AluOp::F2FRtz
            }
            op => op,
        };
        let mut value = self.checked(inst, op, &srcs, ty)?;
        if matches!(row.form, Form::Either | Form::Neither) {
            srcs.swap(0, 1);
            let other = self.checked(inst, op, &srcs, ty)?;
            value = self.alu(AluOp::IOr, &[value, other]);
        }
        if matches!(row.form, Form::Not | Form::SwapNot | Form::Neither) {
            value = self.alu(AluOp::INot, &[value]);
        }
        self.bind(inst.result, Val::Leaf(value));
        Ok(())
    }

    /// Whether a conversion of a float to a type is to a narrower one and rounds toward zero, because of a decoration or of the mode
    /// for half floats. The conversion to half floats of gen7 has no modes.
    fn rounds_toward_zero(&self, inst: &Inst<'_>, from: Ty, to: Ty) -> Result<bool> {
        let controls = self.shader.float_controls;
        let word = self.module.decoration_word(inst.result, Decoration::FPRoundingMode)?;
        let decided = match word.map(FPRoundingMode::from_u32) {
            None => to.bits() == 16 && controls.rounding_rtz & 1 != 0,
            Some(Some(FPRoundingMode::RTZ)) => true,
            Some(Some(FPRoundingMode::RTE)) if controls.rounding_rtz == 0 => false,
            Some(Some(FPRoundingMode::RTE)) => {
                let detail =
                    "expected no conversion with the rounding mode RTE in a module with RTZ";
                return Err(inst.error(ErrorCode::Unsupported, detail));
            }
            Some(_) => {
                let detail = "expected RTE or RTZ as rounding mode of a conversion";
                return Err(inst.error(ErrorCode::Unsupported, detail));
            }
        };
        Ok(decided && to.bits() < from.bits())
    }

    /// The IR type of an instruction's result, a scalar or vector.
    pub(super) fn result_leaf(&self, inst: &Inst<'_>) -> Result<Ty> {
        self.globals.types.leaf(inst.ty).ok_or_else(|| {
            let detail = format!("expected a scalar or vector type, found %{}", inst.ty);
            inst.error(ErrorCode::ResultType, detail)
        })
    }

    /// Appends one operation with operands and result type from the module. Their sizes and classes are checked against
    /// the operation's row.
    pub(super) fn checked(
        &mut self,
        inst: &Inst<'_>,
        op: AluOp,
        srcs: &[Value],
        ty: Ty,
    ) -> Result<Value> {
        let row = op.row();
        let (mut bits, mut comps) = (None, None);
        for (index, (operand, &src)) in row.srcs.iter().zip(srcs).enumerate() {
            let found = self.shader.func.ty(src);
            let bits_fit = match operand.bits {
                BitRule::Is(n) => found.bits() == u32::from(n),
                BitRule::Same => *bits.get_or_insert(found.bits()) == found.bits(),
                BitRule::Free => true,
            };
            let comps_fit = match operand.comps {
                CompRule::Is(n) => found.comps() == usize::from(n),
                CompRule::Each => *comps.get_or_insert(found.comps()) == found.comps(),
            };
            if !bits_fit || !comps_fit || !class_fits(operand.class, found) {
                let detail = format!(
                    "expected operand {} to be {} of the size that the other operands require, found {}",
                    index + 1,
                    class_name(operand.class),
                    described(found)
                );
                return Err(inst.error(ErrorCode::OperandType, detail));
            }
        }
        let want_bits = match row.result.bits {
            BitRule::Is(n) => u32::from(n),
            BitRule::Same => bits.unwrap_or(ty.bits()),
            BitRule::Free => ty.bits(),
        };
        let want_comps = match row.result.comps {
            CompRule::Is(n) => usize::from(n),
            CompRule::Each => comps.unwrap_or(ty.comps()),
        };
        if ty.bits() != want_bits || ty.comps() != want_comps || !class_fits(row.result.class, ty) {
            let wanted = match want_comps {
                1 => format!("one component of {want_bits} bits"),
                n => format!("{n} components of {want_bits} bits"),
            };
            let detail = format!("expected {wanted}, found {}", described(ty));
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        let srcs: Vec<Src> = srcs.iter().map(|&v| Src::new(v)).collect();
        Ok(self.b().alu_ty(op, ty, &srcs))
    }

    /// All operands from word `first` on, which must be scalars or vectors of one type.
    pub(super) fn equal_leaves(&mut self, inst: &Inst<'_>, first: usize) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        for at in first..inst.operands.len() {
            values.push(self.leaf(inst, at)?);
        }
        let Some(ty) = values.first().map(|&v| self.shader.func.ty(v)) else {
            return Err(inst.error(ErrorCode::MissingOperand, "expected an operand"));
        };
        match values.iter().find(|&&v| self.shader.func.ty(v) != ty) {
            None => Ok(values),
            Some(&odd) => {
                let detail = format!(
                    "expected all operands to be {}, found {}",
                    described(ty),
                    described(self.shader.func.ty(odd))
                );
                Err(inst.error(ErrorCode::OperandType, detail))
            }
        }
    }

    /// The type of `value`, which must have a size that floats can have. (IR values have no numeric type.)
    pub(super) fn need_float(&self, inst: &Inst<'_>, value: Value) -> Result<Ty> {
        let ty = self.shader.func.ty(value);
        if ty.bits() >= 16 {
            return Ok(ty);
        }
        Err(inst.error(ErrorCode::OperandType, format!("expected floats, found {}", described(ty))))
    }

    /// A constant of type `ty` with this float in all components.
    pub(super) fn imm_float(&mut self, ty: Ty, value: f64) -> Value {
        let bits = crate::half::convert(value.to_bits(), 64, ty.bits()).unwrap_or(0);
        self.imm_bits(ty, splat(ty, bits))
    }

    /// A constant of type `ty` with this integer in all components.
    pub(super) fn imm_int(&mut self, ty: Ty, value: u64) -> Value {
        self.imm_bits(ty, splat(ty, value & ty.mask()))
    }

    /// Binds the result of an instruction. Its result type must be that of `value`.
    pub(super) fn bind_leaf(&mut self, inst: &Inst<'_>, value: Value) -> Result<()> {
        let (want, found) = (self.result_leaf(inst)?, self.shader.func.ty(value));
        if want != found {
            let detail = format!("expected {found}, found {want}");
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        self.bind(inst.result, Val::Leaf(value));
        Ok(())
    }

    /// `OpFMod` (sign of the divisor) and `OpFRem` (sign of the dividend).
    pub(super) fn op_float_remainder(&mut self, inst: &Inst<'_>) -> Result<()> {
        let srcs = self.equal_leaves(inst, 0)?;
        let [x, y] = srcs[..] else {
            return Err(inst.error(ErrorCode::MissingOperand, "expected two operands"));
        };
        let ty = self.need_float(inst, x)?;
        let modulo = inst.op == Op::FMod;
        let round = if modulo { AluOp::FFloor } else { AluOp::FTrunc };
        let quotient = self.alu(AluOp::FDiv, &[x, y]);
        let whole = self.alu(round, &[quotient]);
        let value = if ty.bits() == 64 {
            self.double_remainder(x, y, whole, modulo)
        } else {
            let product = self.alu(AluOp::FMul, &[y, whole]);
            self.alu(AluOp::FSub, &[x, product])
        };
        self.bind_leaf(inst, value)
    }

    /// `x - y * whole` for doubles, exact for quotients below 2^53. If the division rounded the quotient up to a whole
    /// number, the remainder has the wrong sign; then one divisor is added.
    fn double_remainder(&mut self, x: Value, y: Value, whole: Value, modulo: bool) -> Value {
        let ty = self.shader.func.ty(x);
        let zero = self.imm_float(ty, 0.0);
        let mut b = self.b();
        b.set_exact(true);
        let negated = b.alu(AluOp::FNeg, &[whole]);
        let rest = b.alu(AluOp::FFma, &[negated, y, x]);
        let sign_of = if modulo { y } else { x };
        let [rest_below, below] = [rest, sign_of].map(|v| b.alu(AluOp::FLt, &[v, zero]));
        let differ = b.alu(AluOp::INe, &[rest_below, below]);
        let any = b.alu(AluOp::FNe, &[rest, zero]);
        let wrong = b.alu(AluOp::IAnd, &[differ, any]);
        let size = b.alu(AluOp::FAbs, &[y]);
        let opposite = b.alu(AluOp::FNeg, &[size]);
        let step = b.alu(AluOp::Select, &[below, opposite, size]);
        let other = b.alu(AluOp::FAdd, &[rest, step]);
        b.alu(AluOp::Select, &[wrong, other, rest])
    }

    /// The dot product of two float vectors of one type; the product of two scalars.
    pub(super) fn dot(&mut self, x: Value, y: Value) -> Value {
        let op = AluOp::fdot(self.shader.func.ty(x).comps()).unwrap_or(AluOp::FMul);
        self.alu(op, &[x, y])
    }

    /// `OpDot`, and the dot products of `SPV_VALVE_mixed_float_dot_product`, which have a third operand.
    pub(super) fn op_dot(&mut self, inst: &Inst<'_>) -> Result<()> {
        if inst.operands.len() > 2 {
            return self.op_mixed_dot(inst);
        }
        let srcs = self.equal_leaves(inst, 0)?;
        let [x, y] = srcs[..] else {
            return Err(inst.error(ErrorCode::MissingOperand, "expected two operands"));
        };
        self.need_float(inst, x)?;
        let value = self.dot(x, y);
        self.bind_leaf(inst, value)
    }

    /// A dot product of vectors of 16-bit floats, plus a number of the result's type. Vectors are converted to that type. The
    /// extension leaves the order and precision to implementations: here, each product is added with one rounding, the last
    /// component first.
    fn op_mixed_dot(&mut self, inst: &Inst<'_>) -> Result<()> {
        let ty = self.result_leaf(inst)?;
        let [x, y, accumulator] = [self.leaf(inst, 0)?, self.leaf(inst, 1)?, self.leaf(inst, 2)?];
        let found = [x, y, accumulator].map(|value| self.shader.func.ty(value));
        let [vector, other, added] = found;
        if vector.bits() != 16 || vector.comps() != 2 || other != vector {
            let detail = format!(
                "expected two vectors of two 16-bit floats, found {} and {}",
                described(vector),
                described(other)
            );
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        if added != ty || ty.comps() != 1 || !matches!(ty.bits(), 16 | 32) {
            let detail = format!(
                "expected a float of 16 or 32 bits as result and the same to add, found {} and {}",
                described(ty),
                described(added)
            );
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let factors = match ty.bits() {
            16 => [x, y],
            bits => [x, y].map(|vector| self.b().convert(AluOp::F2F, bits, vector)),
        };
        let mut sum = accumulator;
        for comp in (0..vector.comps()).rev() {
            let [x, y] = factors.map(|vector| self.b().comp(vector, comp));
            sum = self.alu(AluOp::FFma, &[x, y, sum]);
        }
        self.bind_leaf(inst, sum)
    }

    /// `OpIsNan` and `OpIsInf`.
    pub(super) fn op_classify(&mut self, inst: &Inst<'_>) -> Result<()> {
        let x = self.leaf(inst, 0)?;
        let ty = self.need_float(inst, x)?;
        let value = if inst.op == Op::IsNan {
            self.alu(AluOp::FNe, &[x, x])
        } else {
            let infinity = self.imm_float(ty, f64::INFINITY);
            let magnitude = self.alu(AluOp::FAbs, &[x]);
            self.alu(AluOp::FEq, &[magnitude, infinity])
        };
        self.bind_leaf(inst, value)
    }

    /// `OpAny` and `OpAll`.
    pub(super) fn op_any_all(&mut self, inst: &Inst<'_>) -> Result<()> {
        let vector = self.leaf(inst, 0)?;
        let ty = self.shader.func.ty(vector);
        if !ty.is_bool() {
            return Err(inst.error(ErrorCode::OperandType, "expected booleans"));
        }
        let op = if inst.op == Op::Any { AluOp::IOr } else { AluOp::IAnd };
        let mut value = self.b().comp(vector, 0);
        for comp in 1..ty.comps() {
            let next = self.b().comp(vector, comp);
            value = self.alu(op, &[value, next]);
        }
        self.bind_leaf(inst, value)
    }

    /// `OpIAddCarry`, `OpISubBorrow`, `OpUMulExtended`, `OpSMulExtended`: low and high part as a structure.
    pub(super) fn op_two_results(&mut self, inst: &Inst<'_>) -> Result<()> {
        let srcs = self.equal_leaves(inst, 0)?;
        let [x, y] = srcs[..] else {
            return Err(inst.error(ErrorCode::MissingOperand, "expected two operands"));
        };
        let ty = self.shader.func.ty(x);
        let types = &self.globals.types;
        let member = |i| types.part(inst.ty, i).and_then(|t| types.leaf(t));
        if ty.is_bool()
            || [member(0), member(1)] != [Some(ty); 2]
            || types.parts(inst.ty) != Some(2)
        {
            let detail = format!(
                "expected a structure of two members, each {} like the operands",
                described(ty)
            );
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        let (low, high) = match inst.op {
            Op::IAddCarry => (AluOp::IAdd, AluOp::UAddCarry),
            Op::ISubBorrow => (AluOp::ISub, AluOp::USubBorrow),
            Op::UMulExtended => (AluOp::IMul, AluOp::UMulHigh),
            _ => (AluOp::IMul, AluOp::IMulHigh),
        };
        let low = self.alu(low, &[x, y]);
        let high = self.alu(high, &[x, y]);
        self.bind(inst.result, Val::Parts([Val::Leaf(low), Val::Leaf(high)].into()));
        Ok(())
    }

    /// Operand word `at`, a shift count or bit position, as 32 bits with `comps` components. A wider one is truncated:
    /// if its upper bits are not zero, SPIR-V leaves the result undefined.
    fn count32(&mut self, inst: &Inst<'_>, at: usize, comps: usize) -> Result<Value> {
        let value = self.leaf(inst, at)?;
        let ty = self.shader.func.ty(value);
        if ty.is_bool() || (ty.comps() != comps && ty.comps() != 1) {
            let detail =
                format!("expected {comps} integers in operand {}, found {}", at + 1, described(ty));
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let value = if ty.bits() == 32 { value } else { self.b().convert(AluOp::U2U, 32, value) };
        if ty.comps() == comps {
            return Ok(value);
        }
        let wide = Ty::X32.with_comps(comps);
        Ok(self.alu_splat(AluOp::Mov, wide, &[value]))
    }

    /// Shifts. The size of the count may differ from that of the base.
    pub(super) fn op_shift(&mut self, inst: &Inst<'_>) -> Result<()> {
        let base = self.leaf(inst, 0)?;
        let ty = self.result_leaf(inst)?;
        let count = self.count32(inst, 1, ty.comps())?;
        let op = match inst.op {
            Op::ShiftLeftLogical => AluOp::IShl,
            Op::ShiftRightLogical => AluOp::UShr,
            _ => AluOp::IShr,
        };
        let value = self.checked(inst, op, &[base, count], ty)?;
        self.bind(inst.result, Val::Leaf(value));
        Ok(())
    }

    /// Bit field instructions. Offset and count are scalars, used for all components.
    pub(super) fn op_bit_field(&mut self, inst: &Inst<'_>) -> Result<()> {
        let ty = self.result_leaf(inst)?;
        let (op, bases) = match inst.op {
            Op::BitFieldInsert => (AluOp::BitfieldInsert, 2),
            Op::BitFieldSExtract => (AluOp::IBitfieldExtract, 1),
            _ => (AluOp::UBitfieldExtract, 1),
        };
        let mut srcs = Vec::new();
        for at in 0..bases {
            srcs.push(self.leaf(inst, at)?);
        }
        for at in bases..bases + 2 {
            srcs.push(self.count32(inst, at, ty.comps())?);
        }
        let value = self.checked(inst, op, &srcs, ty)?;
        self.bind(inst.result, Val::Leaf(value));
        Ok(())
    }

    /// `OpBitCount`. The IR's result has 32 bits; that of the instruction may have another size.
    pub(super) fn op_bit_count(&mut self, inst: &Inst<'_>) -> Result<()> {
        let base = self.leaf(inst, 0)?;
        let ty = self.result_leaf(inst)?;
        let counted = self.shader.func.ty(base);
        if counted.is_bool() || counted.comps() != ty.comps() || ty.is_bool() {
            let detail = format!("expected integers, as many as the result has, found {counted}");
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let mut value = self.alu(AluOp::BitCount, &[base]);
        if ty.bits() != 32 {
            value = self.b().convert(AluOp::U2U, ty.bits(), value);
        }
        self.bind_leaf(inst, value)
    }
}

/// Whether an operand of that class may have the type.
fn class_fits(class: Class, ty: Ty) -> bool {
    match class {
        Class::Any => true,
        Class::Float => ty.bits() >= 16,
        Class::Int | Class::Uint => !ty.is_bool(),
        Class::Bool => ty.is_bool(),
    }
}

/// A class of operands in words, with its article, for messages.
fn class_name(class: Class) -> &'static str {
    match class {
        Class::Any => "a value",
        Class::Float => "a float",
        Class::Int | Class::Uint => "an integer",
        Class::Bool => "a boolean",
    }
}

/// A type of the IR for messages, such as `2 components of 32 bits`.
pub(super) fn described(ty: Ty) -> String {
    match (ty.is_bool(), ty.comps()) {
        (true, 1) => "a boolean".to_owned(),
        (true, n) => format!("{n} booleans"),
        (false, 1) => format!("one component of {} bits", ty.bits()),
        (false, n) => format!("{n} components of {} bits", ty.bits()),
    }
}

fn splat(ty: Ty, bits: u64) -> [u64; 4] {
    let mut all = [0; 4];
    all[..ty.comps()].fill(bits);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_opcode_has_one_row_and_negated_rows_give_booleans() {
        for (i, row) in ROWS.iter().enumerate() {
            assert!(ROWS[..i].iter().all(|r| r.opcode != row.opcode), "{:?}", row.opcode);
            if row.form != Form::Plain {
                assert_eq!(row.op.row().result.class, Class::Bool, "{:?}", row.opcode);
            }
        }
    }
}
