//! Selects the [`Operation`] of an arithmetic instruction.
//!
//! It depends on the opcode and on the execution type, which results from the source types.

use crate::error::Reject;
use crate::plan::{Alu, BinaryOp, LaneType, Operation, TernaryOp, UnaryOp};
use crestline_device::Device;
use crestline_isa::{ArfKind, CondMod, Inst, MathFn, Opcode, Place, Reg, Src, Type, TypeClass};

/// The arithmetic of an instruction.
pub(super) struct Choice {
    pub(super) alu: Alu,
    /// Whether all operands are read and written as unsigned integers of their size, without conversion.
    pub(super) bits: bool,
}

/// The execution type of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Execution {
    F32,
    F64,
    F16,
    /// Integers of up to 32 bits, if only the low 32 bits of the result are needed.
    Low32,
    /// Integers of up to 32 bits, if the exact result is needed.
    Exact,
    /// 64-bit integers.
    Int64,
}

impl Execution {
    /// The type of the value with which a channel computes.
    fn lane(self) -> LaneType {
        match self {
            Execution::F32 => LaneType::F32,
            Execution::F64 => LaneType::F64,
            Execution::F16 => LaneType::F16,
            Execution::Low32 => LaneType::U32,
            Execution::Exact => LaneType::I64,
            Execution::Int64 => LaneType::I128,
        }
    }
}

/// The instruction with the types of its sources, for the selection.
struct View<'a> {
    inst: &'a Inst,
    device: &'a Device,
    /// The types of the sources present.
    types: Vec<Type>,
}

impl View<'_> {
    fn any(&self, test: impl Fn(Type) -> bool) -> bool {
        self.types.iter().copied().any(test)
    }

    fn all(&self, test: impl Fn(Type) -> bool) -> bool {
        self.types.iter().copied().all(test)
    }

    fn has_modifiers(&self) -> bool {
        self.inst.srcs.iter().any(|src| src.as_reg().is_some_and(|reg| reg.negate || reg.abs))
    }

    fn writes_accumulator(&self) -> bool {
        let explicit = matches!(
            self.inst.dst.place,
            Place::Direct { reg: Reg::Arf(ArfKind::Accumulator, _), .. }
        );
        explicit || self.inst.acc_wr_en
    }

    fn unsigned(ty: Type) -> bool {
        matches!(ty.class(), TypeClass::Unsigned) || ty == Type::Uv
    }

    /// The execution type of arithmetic.
    fn arithmetic(&self) -> Execution {
        if self.any(|ty| ty == Type::Df) {
            Execution::F64
        } else if self.any(|ty| matches!(ty, Type::F | Type::Vf)) {
            Execution::F32
        } else if self.any(|ty| ty == Type::Hf) {
            Execution::F16
        } else if self.any(|ty| ty.size() == 8) || self.inst.dst.ty.size() == 8 {
            Execution::Int64
        } else if self.inst.saturate
            || self.inst.cond_mod != CondMod::None
            || self.writes_accumulator()
            || self.inst.dst.ty.is_float()
        {
            Execution::Exact
        } else {
            Execution::Low32
        }
    }

    /// The lane type in which `cmp` and `sel` compare their sources. It is `I64` if 32 bits of one signedness cannot
    /// represent all values.
    fn comparison(&self) -> LaneType {
        if self.any(|ty| ty == Type::Df) {
            LaneType::F64
        } else if self.any(Type::is_float) {
            LaneType::F32
        } else if self.any(|ty| ty.size() == 8) {
            LaneType::I128
        } else if self.has_modifiers() {
            LaneType::I64
        } else if self.all(|ty| ty != Type::Ud) {
            LaneType::I32
        } else if self.all(View::unsigned) {
            LaneType::U32
        } else {
            LaneType::I64
        }
    }
}

/// Selects the operation of an arithmetic instruction.
pub(super) fn choose(inst: &Inst, device: &Device) -> Result<Choice, Reject> {
    let types = inst.srcs.iter().filter_map(Src::ty).collect();
    let view = View { inst, device, types };
    if let Some(choice) = raw_bits(&view) {
        return Ok(choice);
    }
    let alu = Alu::new(arithmetic(&view)?, inst.exec_size);
    if usize::from(inst.exec_size) > alu.lanes {
        let what = format!("{} with {} channels", inst.opcode.name(), inst.exec_size);
        return Err(Reject::Unsupported(what));
    }
    Ok(Choice { alu, bits: only_bits(&view) })
}

/// The choice for a `mov` or predicated `sel` that only moves bits, because all operands have one type: NaN and
/// denormals do not change. `None` for other instructions.
fn raw_bits(view: &View<'_>) -> Option<Choice> {
    let inst = view.inst;
    let moves = match inst.opcode {
        Opcode::Mov | Opcode::Movi | Opcode::Dim => true,
        Opcode::Sel => inst.cond_mod == CondMod::None,
        _ => false,
    };
    let dst = inst.dst.ty;
    let same = |ty: Type| ty == dst || ty.size() == dst.size() && !ty.is_float() && !dst.is_float();
    let plain = !inst.saturate && inst.cond_mod == CondMod::None && !view.has_modifiers();
    if !moves || !plain || !view.all(same) || view.writes_accumulator() {
        return None;
    }
    let operation = match (inst.opcode, dst.size()) {
        (Opcode::Sel, 8) => Operation::Select(LaneType::I128),
        (Opcode::Sel, _) => Operation::Select(LaneType::U32),
        (_, 8) => Operation::Unary(UnaryOp::Mov, LaneType::I128),
        _ => Operation::Unary(UnaryOp::Mov, LaneType::U32),
    };
    Some(Choice { alu: Alu::new(operation, inst.exec_size), bits: true })
}

/// Whether it is a bitwise operation with float operands, whose values it must not convert.
fn only_bits(view: &View<'_>) -> bool {
    match view.inst.opcode {
        Opcode::F16To32 => true,
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not => {
            view.inst.dst.ty.is_float() || view.any(Type::is_float)
        }
        _ => false,
    }
}

/// The operation for the opcode and execution type.
fn arithmetic(view: &View<'_>) -> Result<Operation, Reject> {
    use Execution::*;
    use Operation::{Binary, Ternary, Unary};
    let inst = view.inst;
    let kind = view.arithmetic();
    let unsupported = || {
        let types: Vec<&str> = view.types.iter().map(|ty| ty.name()).collect();
        let what =
            format!("{} of {} to {}", inst.opcode.name(), types.join(", "), inst.dst.ty.name());
        Err(Reject::Unsupported(what))
    };
    let lane = kind.lane();
    let rounding = |op| match kind {
        F32 | F64 | F16 => Ok(Unary(op, lane)),
        _ => unsupported(),
    };
    Ok(match inst.opcode {
        Opcode::Mov | Opcode::Movi | Opcode::Dim => match kind {
            Exact if inst.dst.ty.is_float() && !view.has_modifiers() && !inst.saturate => {
                let unsigned = view.any(|ty| ty == Type::Ud);
                Unary(UnaryOp::Mov, if unsigned { LaneType::U32 } else { LaneType::I32 })
            }
            _ => Unary(UnaryOp::Mov, lane),
        },
        Opcode::Add => Binary(BinaryOp::Add, lane),
        // Devices without a full 32-bit multiplier use only the low half of a dword source 1.
        Opcode::Mul
            if matches!(kind, Low32 | Exact)
                && view.device.mul_uses_low_half_of_src1()
                && view.types.iter().all(|ty| ty.size() == 4) =>
        {
            Binary(BinaryOp::MulLowUnsigned, LaneType::I64)
        }
        Opcode::Mul => Binary(BinaryOp::Mul, lane),
        Opcode::Mad => Ternary(TernaryOp::Mad, lane),
        Opcode::Lrp if kind == F32 => Ternary(TernaryOp::Lrp, LaneType::F32),
        Opcode::Avg if kind == Int64 => Binary(BinaryOp::Avg, LaneType::I128),
        Opcode::Avg => Binary(BinaryOp::Avg, LaneType::I64),
        Opcode::Add3 => Ternary(TernaryOp::Add3, LaneType::I64),
        Opcode::Not if wide_bits(view) => Unary(UnaryOp::Not, LaneType::I128),
        Opcode::Not => Unary(UnaryOp::Not, LaneType::U32),
        Opcode::And if wide_bits(view) => Binary(BinaryOp::And, LaneType::I128),
        Opcode::And => Binary(BinaryOp::And, LaneType::U32),
        Opcode::Or if wide_bits(view) => Binary(BinaryOp::Or, LaneType::I128),
        Opcode::Or => Binary(BinaryOp::Or, LaneType::U32),
        Opcode::Xor if wide_bits(view) => Binary(BinaryOp::Xor, LaneType::I128),
        Opcode::Xor => Binary(BinaryOp::Xor, LaneType::U32),
        Opcode::Shl if wide_bits(view) => Binary(BinaryOp::Shl, LaneType::I128),
        Opcode::Shl if inst.saturate => Binary(BinaryOp::Shl, LaneType::I64),
        Opcode::Shl => Binary(BinaryOp::Shl, LaneType::U32),
        Opcode::Shr if wide_bits(view) => Binary(BinaryOp::Shr, LaneType::I128),
        Opcode::Shr => Binary(BinaryOp::Shr, LaneType::U32),
        Opcode::Asr if wide_bits(view) => Binary(BinaryOp::Asr, LaneType::I128),
        Opcode::Asr if view.types.first().is_some_and(|&ty| View::unsigned(ty)) => {
            Binary(BinaryOp::Asr, LaneType::U32)
        }
        Opcode::Asr => Binary(BinaryOp::Asr, LaneType::I32),
        Opcode::Rol if view.types[0].size() == 2 => Binary(BinaryOp::Rol16, LaneType::U32),
        Opcode::Rol => Binary(BinaryOp::Rol32, LaneType::U32),
        Opcode::Ror if view.types[0].size() == 2 => Binary(BinaryOp::Ror16, LaneType::U32),
        Opcode::Ror => Binary(BinaryOp::Ror32, LaneType::U32),
        Opcode::Bfrev => Unary(UnaryOp::Bfrev, LaneType::U32),
        Opcode::Cbit => Unary(UnaryOp::Cbit, LaneType::U32),
        Opcode::Lzd => Unary(UnaryOp::Lzd, LaneType::U32),
        Opcode::Fbl => Unary(UnaryOp::Fbl, LaneType::U32),
        Opcode::Fbh if view.any(Type::is_signed_int) => Unary(UnaryOp::Fbh, LaneType::I32),
        Opcode::Fbh => Unary(UnaryOp::Fbh, LaneType::U32),
        Opcode::Bfe if inst.dst.ty.is_signed_int() => Ternary(TernaryOp::Bfe, LaneType::I32),
        Opcode::Bfe => Ternary(TernaryOp::Bfe, LaneType::U32),
        Opcode::Bfi1 => Binary(BinaryOp::Bfi1, LaneType::U32),
        Opcode::Bfi2 => Ternary(TernaryOp::Bfi2, LaneType::U32),
        Opcode::F32To16 => Operation::F32To16,
        Opcode::F16To32 => Unary(UnaryOp::F16To32, LaneType::U32),
        Opcode::Dp4a if inst.dst.ty.is_signed_int() => {
            Ternary(TernaryOp::Dp4aSigned, LaneType::U32)
        }
        Opcode::Dp4a => Ternary(TernaryOp::Dp4aUnsigned, LaneType::U32),
        Opcode::Frc => rounding(UnaryOp::Frc)?,
        Opcode::Rndd => rounding(UnaryOp::RoundDown)?,
        Opcode::Rndu => rounding(UnaryOp::RoundUp)?,
        Opcode::Rnde => rounding(UnaryOp::RoundEven)?,
        Opcode::Rndz => rounding(UnaryOp::RoundZero)?,
        Opcode::Cmp => Operation::Compare { lane: view.comparison(), nan: false },
        Opcode::Cmpn => {
            let lane = match view.comparison() {
                LaneType::I32 | LaneType::U32 => LaneType::I64,
                lane => lane,
            };
            Operation::Compare { lane, nan: true }
        }
        Opcode::Sel if inst.cond_mod == CondMod::None => Operation::Select(lane),
        Opcode::Sel => Operation::SelectCondition(view.comparison()),
        Opcode::Csel if kind == F32 => Operation::CompareSelect(LaneType::F32),
        Opcode::Csel if kind == F16 => Operation::CompareSelect(LaneType::F16),
        Opcode::Csel if matches!(kind, Low32 | Exact) => Operation::CompareSelect(LaneType::I64),
        Opcode::Addc => Operation::Carry { subtract: false },
        Opcode::Subb => Operation::Carry { subtract: true },
        Opcode::Mach if view.device.mach_without_acc_is_low() && !inst.acc_wr_en => {
            Operation::MultiplyHigh { low: true }
        }
        Opcode::Mach => Operation::MultiplyHigh { low: false },
        Opcode::Mac if kind == F32 => Operation::MacFloat,
        Opcode::Mac if matches!(kind, Low32 | Exact) => Operation::MacInt,
        Opcode::Sad2 => Operation::AbsoluteDifferences { accumulate: false },
        Opcode::Sada2 => Operation::AbsoluteDifferences { accumulate: true },
        Opcode::Dp2 if kind == F32 => Operation::Dot { terms: 2 },
        Opcode::Dp3 if kind == F32 => Operation::Dot { terms: 3 },
        Opcode::Dp4 if kind == F32 => Operation::Dot { terms: 4 },
        Opcode::Dph if kind == F32 => Operation::DotHomogeneous,
        Opcode::Line if kind == F32 => Operation::Line,
        Opcode::Madm if kind == F32 => Operation::Madm(LaneType::F32),
        Opcode::Madm if kind == F64 => Operation::Madm(LaneType::F64),
        Opcode::Math => return math(view, kind),
        _ => return unsupported(),
    })
}

/// Whether a bitwise operation has a 64-bit operand.
fn wide_bits(view: &View<'_>) -> bool {
    view.any(|ty| ty.size() == 8) || view.inst.dst.ty.size() == 8
}

/// The operation of a `math` instruction.
fn math(view: &View<'_>, kind: Execution) -> Result<Operation, Reject> {
    let inst = view.inst;
    let Some(function) = inst.math() else {
        return Err(Reject::Illegal("math without a function".into()));
    };
    let float = matches!(kind, Execution::F32 | Execution::F16);
    let signed = !view.all(View::unsigned);
    use Operation::{Binary, Unary};
    Ok(match function {
        MathFn::Inv if float => Unary(UnaryOp::Inv, LaneType::F32),
        MathFn::Log if float => Unary(UnaryOp::Log, LaneType::F32),
        MathFn::Exp if float => Unary(UnaryOp::Exp, LaneType::F32),
        MathFn::Sqrt if float => Unary(UnaryOp::Sqrt, LaneType::F32),
        MathFn::Rsq if float => Unary(UnaryOp::Rsq, LaneType::F32),
        MathFn::Sin if float => Unary(UnaryOp::Sin, LaneType::F32),
        MathFn::Cos if float => Unary(UnaryOp::Cos, LaneType::F32),
        MathFn::Fdiv if float => Binary(BinaryOp::Fdiv, LaneType::F32),
        MathFn::Pow if float => Binary(BinaryOp::Pow, LaneType::F32),
        MathFn::IntQuot if signed => Binary(BinaryOp::Quotient, LaneType::I32),
        MathFn::IntQuot => Binary(BinaryOp::Quotient, LaneType::U32),
        MathFn::IntRem if signed => Binary(BinaryOp::Remainder, LaneType::I32),
        MathFn::IntRem => Binary(BinaryOp::Remainder, LaneType::U32),
        MathFn::IntDiv if signed => Operation::DivideBoth { signed: true },
        MathFn::IntDiv => Operation::DivideBoth { signed: false },
        MathFn::Invm if kind == Execution::F32 => Operation::InverseSeed(LaneType::F32),
        MathFn::Invm if kind == Execution::F64 => Operation::InverseSeed(LaneType::F64),
        MathFn::Rsqrtm if kind == Execution::F32 => Operation::RootSeed(LaneType::F32),
        MathFn::Rsqrtm if kind == Execution::F64 => Operation::RootSeed(LaneType::F64),
        other => {
            let what = format!("math.{} of {}", other.name(), inst.dst.ty.name());
            return Err(Reject::Unsupported(what));
        }
    })
}
