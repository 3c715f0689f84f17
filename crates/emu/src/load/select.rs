//! Which instance of the arithmetic runs an instruction.
//!
//! The choice depends on the operation, the execution type (which follows from the source
//! types) and the number of channels. Common types have an instance per number of channels,
//! the others one for up to eight and one for more.

use super::Reject;
use crate::exec::alu::{accumulate, float, macros, ops, special};
use crate::exec::alu::{binary, cmp, csel, select as choose, select_condition, ternary, unary};
use crate::exec::op::Run;
use crestline_device::Device;
use crestline_isa::semantics::Half;
use crestline_isa::{ArfKind, CondMod, Inst, MathFn, Opcode, Place, Reg, Src, Type, TypeClass};

/// An instance of the arithmetic.
pub(crate) struct Choice {
    pub(crate) run: Run,
    /// Channels of the instance.
    pub(crate) lanes: usize,
    /// Only the bits of operands matter: they are read as unsigned integers of their size.
    pub(crate) bits: bool,
}

/// The execution type of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Execution {
    F32,
    F64,
    F16,
    /// Integers of up to 32 bits whose low 32 result bits suffice.
    Low32,
    /// Integers of up to 32 bits that need the exact result.
    Exact,
    /// 64-bit integers.
    Int64,
}

/// What the choice looks at.
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

    /// The lane type in which sources compare: `None` for one that 32 bits of one signedness
    /// cannot hold.
    fn comparison(&self) -> Comparison {
        if self.any(|ty| ty == Type::Df) {
            Comparison::F64
        } else if self.any(Type::is_float) {
            Comparison::F32
        } else if self.any(|ty| ty.size() == 8) {
            Comparison::I128
        } else if self.has_modifiers() {
            Comparison::I64
        } else if self.all(|ty| ty != Type::Ud) {
            Comparison::I32
        } else if self.all(View::unsigned) {
            Comparison::U32
        } else {
            Comparison::I64
        }
    }
}

#[derive(Clone, Copy)]
enum Comparison {
    F32,
    F64,
    I32,
    U32,
    I64,
    I128,
}

/// An instance per number of channels.
macro_rules! hot {
    ($size:expr, $($function:ident)::+ $(, $arg:tt)*) => {
        match $size {
            1 => ($($function)::+::<$($arg,)* 1> as Run, 1),
            2..=8 => ($($function)::+::<$($arg,)* 8> as Run, 8),
            9..=16 => ($($function)::+::<$($arg,)* 16> as Run, 16),
            _ => ($($function)::+::<$($arg,)* 32> as Run, 32),
        }
    };
}

/// Two instances.
macro_rules! cold {
    ($size:expr, $function:ident $(, $arg:ty)*) => {
        match $size {
            ..=8 => ($function::<$($arg,)* 8> as Run, 8),
            _ => ($function::<$($arg,)* 32> as Run, 32),
        }
    };
}

macro_rules! hot_op {
    ($size:expr, $function:ident, $op:ident, $lane:ident) => {
        match $size {
            1 => ($function::<ops::$op, $lane, 1> as Run, 1),
            2..=8 => ($function::<ops::$op, $lane, 8> as Run, 8),
            9..=16 => ($function::<ops::$op, $lane, 16> as Run, 16),
            _ => ($function::<ops::$op, $lane, 32> as Run, 32),
        }
    };
}

/// Chooses the instance for an instruction that computes.
pub(crate) fn select(inst: &Inst, device: &Device) -> Result<Choice, Reject> {
    let types = inst.srcs.iter().filter_map(Src::ty).collect();
    let view = View { inst, device, types };
    if let Some(choice) = raw_bits(&view) {
        return Ok(choice);
    }
    let (run, lanes) = arithmetic(&view)?;
    if usize::from(inst.exec_size) > lanes {
        let what = format!("{} with {} channels", inst.opcode.name(), inst.exec_size);
        return Err(Reject::Unsupported(what));
    }
    Ok(Choice { run, lanes, bits: only_bits(&view) })
}

/// `mov` and predicated `sel` between operands of one type move bits: NaN and denormals stay
/// as they are.
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
    let e = inst.exec_size;
    let (run, lanes) = match (inst.opcode, dst.size()) {
        (Opcode::Sel, 8) => cold!(e, choose, i128),
        (Opcode::Sel, _) => hot!(e, choose, u32),
        (_, 8) => cold!(e, unary, ops::Mov, i128),
        _ => hot_op!(e, unary, Mov, u32),
    };
    Some(Choice { run, lanes, bits: true })
}

/// Whether an operation on bits has float operands.
fn only_bits(view: &View<'_>) -> bool {
    match view.inst.opcode {
        Opcode::F16To32 => true,
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not => {
            view.inst.dst.ty.is_float() || view.any(Type::is_float)
        }
        _ => false,
    }
}

fn arithmetic(view: &View<'_>) -> Result<(Run, usize), Reject> {
    use Execution::*;
    let inst = view.inst;
    let e = inst.exec_size;
    let kind = view.arithmetic();
    let unsupported = || {
        let types: Vec<&str> = view.types.iter().map(|ty| ty.name()).collect();
        let what =
            format!("{} of {} to {}", inst.opcode.name(), types.join(", "), inst.dst.ty.name());
        Err(Reject::Unsupported(what))
    };
    macro_rules! floats {
        ($function:ident, $op:ident) => {
            match kind {
                F32 => cold!(e, $function, ops::$op, f32),
                F64 => cold!(e, $function, ops::$op, f64),
                F16 => cold!(e, $function, ops::$op, Half),
                _ => return unsupported(),
            }
        };
    }
    Ok(match inst.opcode {
        Opcode::Mov | Opcode::Movi | Opcode::Dim => match kind {
            F32 => hot_op!(e, unary, Mov, f32),
            F64 => cold!(e, unary, ops::Mov, f64),
            F16 => cold!(e, unary, ops::Mov, Half),
            Low32 => hot_op!(e, unary, Mov, u32),
            Int64 => cold!(e, unary, ops::Mov, i128),
            Exact if inst.dst.ty.is_float() && !view.has_modifiers() && !inst.saturate => {
                if view.any(|ty| ty == Type::Ud) {
                    hot_op!(e, unary, Mov, u32)
                } else {
                    hot_op!(e, unary, Mov, i32)
                }
            }
            Exact => cold!(e, unary, ops::Mov, i64),
        },
        Opcode::Add => match kind {
            F32 => hot!(e, float::add),
            F64 => cold!(e, binary, ops::Add, f64),
            F16 => cold!(e, binary, ops::Add, Half),
            Low32 => hot_op!(e, binary, Add, u32),
            Exact => cold!(e, binary, ops::Add, i64),
            Int64 => cold!(e, binary, ops::Add, i128),
        },
        Opcode::Mul => match kind {
            F32 => hot!(e, float::mul),
            F64 => cold!(e, binary, ops::Mul, f64),
            F16 => cold!(e, binary, ops::Mul, Half),
            // The hardware without a full multiplier uses the low half of a dword source 1.
            Low32 | Exact
                if view.device.mul_uses_low_half_of_src1()
                    && view.types.iter().all(|ty| ty.size() == 4) =>
            {
                cold!(e, binary, ops::MulLowUnsigned, i64)
            }
            Low32 => hot_op!(e, binary, Mul, u32),
            Exact => cold!(e, binary, ops::Mul, i64),
            Int64 => cold!(e, binary, ops::Mul, i128),
        },
        Opcode::Mad => match kind {
            F32 => hot!(e, float::mad),
            F64 => cold!(e, ternary, ops::Mad, f64),
            F16 => cold!(e, ternary, ops::Mad, Half),
            Low32 => cold!(e, ternary, ops::Mad, u32),
            Exact => cold!(e, ternary, ops::Mad, i64),
            Int64 => cold!(e, ternary, ops::Mad, i128),
        },
        Opcode::Lrp if kind == F32 => cold!(e, ternary, ops::Lrp, f32),
        Opcode::Avg if kind == Int64 => cold!(e, binary, ops::Avg, i128),
        Opcode::Avg => cold!(e, binary, ops::Avg, i64),
        Opcode::Add3 => cold!(e, ternary, ops::Add3, i64),
        Opcode::Not if wide_bits(view) => cold!(e, unary, ops::Not, i128),
        Opcode::Not => hot_op!(e, unary, Not, u32),
        Opcode::And if wide_bits(view) => cold!(e, binary, ops::And, i128),
        Opcode::And => hot_op!(e, binary, And, u32),
        Opcode::Or if wide_bits(view) => cold!(e, binary, ops::Or, i128),
        Opcode::Or => hot_op!(e, binary, Or, u32),
        Opcode::Xor if wide_bits(view) => cold!(e, binary, ops::Xor, i128),
        Opcode::Xor => hot_op!(e, binary, Xor, u32),
        Opcode::Shl if wide_bits(view) => cold!(e, binary, ops::Shl, i128),
        Opcode::Shl if inst.saturate => cold!(e, binary, ops::Shl, i64),
        Opcode::Shl => hot_op!(e, binary, Shl, u32),
        Opcode::Shr if wide_bits(view) => cold!(e, binary, ops::Shr, i128),
        Opcode::Shr => hot_op!(e, binary, Shr, u32),
        Opcode::Asr if wide_bits(view) => cold!(e, binary, ops::Asr, i128),
        Opcode::Asr if view.types.first().is_some_and(|&ty| View::unsigned(ty)) => {
            cold!(e, binary, ops::Asr, u32)
        }
        Opcode::Asr => hot_op!(e, binary, Asr, i32),
        Opcode::Rol if view.types[0].size() == 2 => cold!(e, binary, ops::Rol16, u32),
        Opcode::Rol => cold!(e, binary, ops::Rol32, u32),
        Opcode::Ror if view.types[0].size() == 2 => cold!(e, binary, ops::Ror16, u32),
        Opcode::Ror => cold!(e, binary, ops::Ror32, u32),
        Opcode::Bfrev => cold!(e, unary, ops::Bfrev, u32),
        Opcode::Cbit => cold!(e, unary, ops::Cbit, u32),
        Opcode::Lzd => cold!(e, unary, ops::Lzd, u32),
        Opcode::Fbl => cold!(e, unary, ops::Fbl, u32),
        Opcode::Fbh if view.any(Type::is_signed_int) => cold!(e, unary, ops::Fbh, i32),
        Opcode::Fbh => cold!(e, unary, ops::Fbh, u32),
        Opcode::Bfe if inst.dst.ty.is_signed_int() => cold!(e, ternary, ops::Bfe, i32),
        Opcode::Bfe => cold!(e, ternary, ops::Bfe, u32),
        Opcode::Bfi1 => cold!(e, binary, ops::Bfi1, u32),
        Opcode::Bfi2 => cold!(e, ternary, ops::Bfi2, u32),
        Opcode::F32To16 => (special::f32_to_16 as Run, 16),
        Opcode::F16To32 => cold!(e, unary, ops::F16To32, u32),
        Opcode::Dp4a if inst.dst.ty.is_signed_int() => cold!(e, ternary, ops::Dp4aSigned, u32),
        Opcode::Dp4a => cold!(e, ternary, ops::Dp4aUnsigned, u32),
        Opcode::Frc => floats!(unary, Frc),
        Opcode::Rndd => floats!(unary, RoundDown),
        Opcode::Rndu => floats!(unary, RoundUp),
        Opcode::Rnde => floats!(unary, RoundEven),
        Opcode::Rndz => floats!(unary, RoundZero),
        Opcode::Cmp => match view.comparison() {
            Comparison::F32 => compare_instance::<f32, false>(e),
            Comparison::F64 => compare_instance::<f64, false>(e),
            Comparison::I32 => compare_instance::<i32, false>(e),
            Comparison::U32 => compare_instance::<u32, false>(e),
            Comparison::I64 => compare_instance::<i64, false>(e),
            Comparison::I128 => compare_instance::<i128, false>(e),
        },
        Opcode::Cmpn => match view.comparison() {
            Comparison::F32 => compare_instance::<f32, true>(e),
            Comparison::F64 => compare_instance::<f64, true>(e),
            Comparison::I128 => compare_instance::<i128, true>(e),
            _ => compare_instance::<i64, true>(e),
        },
        Opcode::Sel if inst.cond_mod == CondMod::None => match kind {
            F32 => cold!(e, choose, f32),
            F64 => cold!(e, choose, f64),
            F16 => cold!(e, choose, Half),
            Low32 => hot!(e, choose, u32),
            Exact => cold!(e, choose, i64),
            Int64 => cold!(e, choose, i128),
        },
        Opcode::Sel => match view.comparison() {
            Comparison::F32 => hot!(e, select_condition, f32),
            Comparison::F64 => cold!(e, select_condition, f64),
            Comparison::I32 => hot!(e, select_condition, i32),
            Comparison::U32 => hot!(e, select_condition, u32),
            Comparison::I64 => cold!(e, select_condition, i64),
            Comparison::I128 => cold!(e, select_condition, i128),
        },
        Opcode::Csel if kind == F32 => cold!(e, csel, f32),
        Opcode::Csel if kind == F16 => cold!(e, csel, Half),
        Opcode::Csel if matches!(kind, Low32 | Exact) => cold!(e, csel, i64),
        Opcode::Addc => (accumulate::carry::<false> as Run, 16),
        Opcode::Subb => (accumulate::carry::<true> as Run, 16),
        Opcode::Mach if view.device.mach_without_acc_is_low() && !inst.acc_wr_en => {
            (accumulate::mach::<true> as Run, 16)
        }
        Opcode::Mach => (accumulate::mach::<false> as Run, 16),
        Opcode::Mac if kind == F32 => (accumulate::mac_float as Run, 16),
        Opcode::Mac if matches!(kind, Low32 | Exact) => (accumulate::mac_int as Run, 16),
        Opcode::Sad2 => (accumulate::sad2::<false> as Run, 16),
        Opcode::Sada2 => (accumulate::sad2::<true> as Run, 16),
        Opcode::Dp2 if kind == F32 => (special::dot::<2, false> as Run, 16),
        Opcode::Dp3 if kind == F32 => (special::dot::<3, false> as Run, 16),
        Opcode::Dp4 if kind == F32 => (special::dot::<4, false> as Run, 16),
        Opcode::Dph if kind == F32 => (special::dot::<3, true> as Run, 16),
        Opcode::Line if kind == F32 => (special::line as Run, 16),
        Opcode::Madm if kind == F32 => (macros::madm::<f32> as Run, 16),
        Opcode::Madm if kind == F64 => (macros::madm::<f64> as Run, 16),
        Opcode::Math => return math(view, kind),
        _ => return unsupported(),
    })
}

fn compare_instance<L: crate::exec::alu::Comparable, const NAN: bool>(size: u8) -> (Run, usize) {
    match size {
        1 => (cmp::<L, 1, NAN> as Run, 1),
        2..=8 => (cmp::<L, 8, NAN> as Run, 8),
        9..=16 => (cmp::<L, 16, NAN> as Run, 16),
        _ => (cmp::<L, 32, NAN> as Run, 32),
    }
}

/// Whether an operation on bits needs 64 of them.
fn wide_bits(view: &View<'_>) -> bool {
    view.any(|ty| ty.size() == 8) || view.inst.dst.ty.size() == 8
}

fn math(view: &View<'_>, kind: Execution) -> Result<(Run, usize), Reject> {
    let inst = view.inst;
    let e = inst.exec_size;
    let Some(function) = inst.math() else {
        return Err(Reject::Illegal("math without a function".into()));
    };
    let float = matches!(kind, Execution::F32 | Execution::F16);
    let signed = !view.all(View::unsigned);
    Ok(match function {
        MathFn::Inv if float => cold!(e, unary, ops::Inv, f32),
        MathFn::Log if float => cold!(e, unary, ops::Log, f32),
        MathFn::Exp if float => cold!(e, unary, ops::Exp, f32),
        MathFn::Sqrt if float => cold!(e, unary, ops::Sqrt, f32),
        MathFn::Rsq if float => cold!(e, unary, ops::Rsq, f32),
        MathFn::Sin if float => cold!(e, unary, ops::Sin, f32),
        MathFn::Cos if float => cold!(e, unary, ops::Cos, f32),
        MathFn::Fdiv if float => cold!(e, binary, ops::Fdiv, f32),
        MathFn::Pow if float => cold!(e, binary, ops::Pow, f32),
        MathFn::IntQuot if signed => cold!(e, binary, ops::Quotient, i32),
        MathFn::IntQuot => cold!(e, binary, ops::Quotient, u32),
        MathFn::IntRem if signed => cold!(e, binary, ops::Remainder, i32),
        MathFn::IntRem => cold!(e, binary, ops::Remainder, u32),
        MathFn::IntDiv if signed => (special::divide_both::<true> as Run, 8),
        MathFn::IntDiv => (special::divide_both::<false> as Run, 8),
        MathFn::Invm if kind == Execution::F32 => (macros::seed::<f32, false> as Run, 16),
        MathFn::Invm if kind == Execution::F64 => (macros::seed::<f64, false> as Run, 16),
        MathFn::Rsqrtm if kind == Execution::F32 => (macros::seed::<f32, true> as Run, 16),
        MathFn::Rsqrtm if kind == Execution::F64 => (macros::seed::<f64, true> as Run, 16),
        other => {
            let what = format!("math.{} of {}", other.name(), inst.dst.ty.name());
            return Err(Reject::Unsupported(what));
        }
    })
}
