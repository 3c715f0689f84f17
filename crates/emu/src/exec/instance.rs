//! Selects the function that computes an operation.
//!
//! The functions are generic over the number of channels. Common operations have an instance for each number of
//! channels, the others one for up to eight and one for more. These are the numbers that [`Operation::lanes`] returns.

use super::alu::{Comparable, accumulate, float, macros, ops, special};
use super::alu::{binary, cmp, costly_binary, costly_unary, csel};
use super::alu::{select, select_condition, ternary, unary};
use crate::plan::{Alu, BinaryOp, LaneType, Operation, Plan, TernaryOp, UnaryOp};
use crate::thread::Thread;
use crestline_isa::semantics::Half;

/// A function that executes the arithmetic of a plan on the channels of a mask.
pub(crate) type Run = fn(&Plan, &mut Thread, u32);

/// The instance of a common operation for a number of channels.
macro_rules! common {
    ($lanes:expr, $($function:ident)::+ $(, $arg:ty)*) => {
        match $lanes {
            1 => $($function)::+::<$($arg,)* 1> as Run,
            8 => $($function)::+::<$($arg,)* 8> as Run,
            16 => $($function)::+::<$($arg,)* 16> as Run,
            32 => $($function)::+::<$($arg,)* 32> as Run,
            _ => return None,
        }
    };
}

/// The instance of another operation for a number of channels.
macro_rules! rare {
    ($lanes:expr, $function:ident $(, $arg:ty)*) => {
        match $lanes {
            8 => $function::<$($arg,)* 8> as Run,
            32 => $function::<$($arg,)* 32> as Run,
            _ => return None,
        }
    };
}

/// The instance for a plan's arithmetic; `None` if there is none.
pub(crate) fn instance(alu: Alu) -> Option<Run> {
    use LaneType::{F16, F32, F64, I32, I64, I128, U32};
    let lanes = alu.lanes;
    Some(match alu.operation {
        Operation::Unary(op, lane) => return unary_instance(op, lane, lanes),
        Operation::Binary(op, lane) => return binary_instance(op, lane, lanes),
        Operation::Ternary(op, lane) => return ternary_instance(op, lane, lanes),
        Operation::Select(U32) => common!(lanes, select, u32),
        Operation::Select(F16) => rare!(lanes, select, Half),
        Operation::Select(F32) => rare!(lanes, select, f32),
        Operation::Select(F64) => rare!(lanes, select, f64),
        Operation::Select(I64) => rare!(lanes, select, i64),
        Operation::Select(I128) => rare!(lanes, select, i128),
        Operation::SelectCondition(F32) => common!(lanes, select_condition, f32),
        Operation::SelectCondition(I32) => common!(lanes, select_condition, i32),
        Operation::SelectCondition(U32) => common!(lanes, select_condition, u32),
        Operation::SelectCondition(F64) => rare!(lanes, select_condition, f64),
        Operation::SelectCondition(I64) => rare!(lanes, select_condition, i64),
        Operation::SelectCondition(I128) => rare!(lanes, select_condition, i128),
        Operation::CompareSelect(F16) => rare!(lanes, csel, Half),
        Operation::CompareSelect(F32) => rare!(lanes, csel, f32),
        Operation::CompareSelect(I64) => rare!(lanes, csel, i64),
        Operation::Compare { lane, nan: false } => match lane {
            F32 => compare::<f32, false>(lanes)?,
            F64 => compare::<f64, false>(lanes)?,
            I32 => compare::<i32, false>(lanes)?,
            U32 => compare::<u32, false>(lanes)?,
            I64 => compare::<i64, false>(lanes)?,
            I128 => compare::<i128, false>(lanes)?,
            F16 => return None,
        },
        Operation::Compare { lane, nan: true } => match lane {
            F32 => compare::<f32, true>(lanes)?,
            F64 => compare::<f64, true>(lanes)?,
            I64 => compare::<i64, true>(lanes)?,
            I128 => compare::<i128, true>(lanes)?,
            F16 | I32 | U32 => return None,
        },
        Operation::F32To16 => special::f32_to_16,
        Operation::Carry { subtract: false } => accumulate::carry::<false>,
        Operation::Carry { subtract: true } => accumulate::carry::<true>,
        Operation::MultiplyHigh { low: false } => accumulate::mach::<false>,
        Operation::MultiplyHigh { low: true } => accumulate::mach::<true>,
        Operation::MacFloat => accumulate::mac_float,
        Operation::MacInt => accumulate::mac_int,
        Operation::AbsoluteDifferences { accumulate: false } => accumulate::sad2::<false>,
        Operation::AbsoluteDifferences { accumulate: true } => accumulate::sad2::<true>,
        Operation::Dot { terms: 2 } => special::dot::<2, false>,
        Operation::Dot { terms: 3 } => special::dot::<3, false>,
        Operation::Dot { terms: 4 } => special::dot::<4, false>,
        Operation::DotHomogeneous => special::dot::<3, true>,
        Operation::Line => float::line,
        Operation::Plane => float::pln,
        Operation::Madm(F32) => macros::madm::<f32>,
        Operation::Madm(F64) => macros::madm::<f64>,
        Operation::InverseSeed(F32) => macros::seed::<f32, false>,
        Operation::InverseSeed(F64) => macros::seed::<f64, false>,
        Operation::RootSeed(F32) => macros::seed::<f32, true>,
        Operation::RootSeed(F64) => macros::seed::<f64, true>,
        Operation::DivideBoth { signed: false } => special::divide_both::<false>,
        Operation::DivideBoth { signed: true } => special::divide_both::<true>,
        Operation::Select(_)
        | Operation::SelectCondition(_)
        | Operation::CompareSelect(_)
        | Operation::Dot { .. }
        | Operation::Madm(_)
        | Operation::InverseSeed(_)
        | Operation::RootSeed(_) => return None,
    })
}

/// The instance of `cmp` or, with `NAN`, `cmpn` for a lane type.
fn compare<L: Comparable, const NAN: bool>(lanes: usize) -> Option<Run> {
    Some(match lanes {
        1 => cmp::<L, 1, NAN> as Run,
        8 => cmp::<L, 8, NAN> as Run,
        16 => cmp::<L, 16, NAN> as Run,
        32 => cmp::<L, 32, NAN> as Run,
        _ => return None,
    })
}

/// The instance of an operation with one source; `None` if the lane type does not have it.
fn unary_instance(op: UnaryOp, lane: LaneType, lanes: usize) -> Option<Run> {
    use LaneType::{F16, F32, F64, I32, I64, I128, U32};
    use UnaryOp::*;
    Some(match (op, lane) {
        (Mov, F16) => rare!(lanes, unary, ops::Mov, Half),
        (Mov, F32) => common!(lanes, unary, ops::Mov, f32),
        (Mov, F64) => rare!(lanes, unary, ops::Mov, f64),
        (Mov, I32) => common!(lanes, unary, ops::Mov, i32),
        (Mov, U32) => common!(lanes, unary, ops::Mov, u32),
        (Mov, I64) => rare!(lanes, unary, ops::Mov, i64),
        (Mov, I128) => rare!(lanes, unary, ops::Mov, i128),
        (Not, U32) => common!(lanes, unary, ops::Not, u32),
        (Not, I128) => rare!(lanes, unary, ops::Not, i128),
        (Bfrev, U32) => rare!(lanes, unary, ops::Bfrev, u32),
        (Cbit, U32) => rare!(lanes, unary, ops::Cbit, u32),
        (Lzd, U32) => rare!(lanes, unary, ops::Lzd, u32),
        (Fbl, U32) => rare!(lanes, unary, ops::Fbl, u32),
        (Fbh, I32) => rare!(lanes, unary, ops::Fbh, i32),
        (Fbh, U32) => rare!(lanes, unary, ops::Fbh, u32),
        (F16To32, U32) => rare!(lanes, unary, ops::F16To32, u32),
        (Frc, F16) => rare!(lanes, unary, ops::Frc, Half),
        (Frc, F32) => common!(lanes, unary, ops::Frc, f32),
        (Frc, F64) => rare!(lanes, unary, ops::Frc, f64),
        (RoundDown, F16) => rare!(lanes, unary, ops::RoundDown, Half),
        (RoundDown, F32) => common!(lanes, unary, ops::RoundDown, f32),
        (RoundDown, F64) => rare!(lanes, unary, ops::RoundDown, f64),
        (RoundUp, F16) => rare!(lanes, unary, ops::RoundUp, Half),
        (RoundUp, F32) => common!(lanes, unary, ops::RoundUp, f32),
        (RoundUp, F64) => rare!(lanes, unary, ops::RoundUp, f64),
        (RoundEven, F16) => rare!(lanes, unary, ops::RoundEven, Half),
        (RoundEven, F32) => common!(lanes, unary, ops::RoundEven, f32),
        (RoundEven, F64) => rare!(lanes, unary, ops::RoundEven, f64),
        (RoundZero, F16) => rare!(lanes, unary, ops::RoundZero, Half),
        (RoundZero, F32) => common!(lanes, unary, ops::RoundZero, f32),
        (RoundZero, F64) => rare!(lanes, unary, ops::RoundZero, f64),
        (Inv, F32) => common!(lanes, costly_unary, ops::Inv),
        (Log, F32) => common!(lanes, costly_unary, ops::Log),
        (Exp, F32) => common!(lanes, costly_unary, ops::Exp),
        (Sqrt, F32) => common!(lanes, costly_unary, ops::Sqrt),
        (Rsq, F32) => common!(lanes, costly_unary, ops::Rsq),
        (Sin, F32) => common!(lanes, costly_unary, ops::Sin),
        (Cos, F32) => common!(lanes, costly_unary, ops::Cos),
        _ => return None,
    })
}

/// The instance of an operation with two sources; `None` if the lane type does not have it.
fn binary_instance(op: BinaryOp, lane: LaneType, lanes: usize) -> Option<Run> {
    use BinaryOp::*;
    use LaneType::{F16, F32, F64, I32, I64, I128, U32};
    Some(match (op, lane) {
        (Add, F16) => rare!(lanes, binary, ops::Add, Half),
        (Add, F32) => common!(lanes, float::add),
        (Add, F64) => rare!(lanes, binary, ops::Add, f64),
        (Add, U32) => common!(lanes, binary, ops::Add, u32),
        (Add, I64) => rare!(lanes, binary, ops::Add, i64),
        (Add, I128) => rare!(lanes, binary, ops::Add, i128),
        (Mul, F16) => rare!(lanes, binary, ops::Mul, Half),
        (Mul, F32) => common!(lanes, float::mul),
        (Mul, F64) => rare!(lanes, binary, ops::Mul, f64),
        (Mul, U32) => common!(lanes, binary, ops::Mul, u32),
        (Mul, I64) => rare!(lanes, binary, ops::Mul, i64),
        (Mul, I128) => rare!(lanes, binary, ops::Mul, i128),
        (MulLowUnsigned, I64) => rare!(lanes, binary, ops::MulLowUnsigned, i64),
        (Avg, I64) => rare!(lanes, binary, ops::Avg, i64),
        (Avg, I128) => rare!(lanes, binary, ops::Avg, i128),
        (And, U32) => common!(lanes, binary, ops::And, u32),
        (And, I128) => rare!(lanes, binary, ops::And, i128),
        (Or, U32) => common!(lanes, binary, ops::Or, u32),
        (Or, I128) => rare!(lanes, binary, ops::Or, i128),
        (Xor, U32) => common!(lanes, binary, ops::Xor, u32),
        (Xor, I128) => rare!(lanes, binary, ops::Xor, i128),
        (Shl, U32) => common!(lanes, binary, ops::Shl, u32),
        (Shl, I64) => rare!(lanes, binary, ops::Shl, i64),
        (Shl, I128) => rare!(lanes, binary, ops::Shl, i128),
        (Shr, U32) => common!(lanes, binary, ops::Shr, u32),
        (Shr, I128) => rare!(lanes, binary, ops::Shr, i128),
        (Asr, I32) => common!(lanes, binary, ops::Asr, i32),
        (Asr, U32) => rare!(lanes, binary, ops::Asr, u32),
        (Asr, I128) => rare!(lanes, binary, ops::Asr, i128),
        (Rol16, U32) => rare!(lanes, binary, ops::Rol16, u32),
        (Rol32, U32) => rare!(lanes, binary, ops::Rol32, u32),
        (Ror16, U32) => rare!(lanes, binary, ops::Ror16, u32),
        (Ror32, U32) => rare!(lanes, binary, ops::Ror32, u32),
        (Bfi1, U32) => rare!(lanes, binary, ops::Bfi1, u32),
        (Fdiv, F32) => common!(lanes, costly_binary, ops::Fdiv),
        (Pow, F32) => common!(lanes, costly_binary, ops::Pow),
        (Quotient, I32) => rare!(lanes, binary, ops::Quotient, i32),
        (Quotient, U32) => rare!(lanes, binary, ops::Quotient, u32),
        (Remainder, I32) => rare!(lanes, binary, ops::Remainder, i32),
        (Remainder, U32) => rare!(lanes, binary, ops::Remainder, u32),
        _ => return None,
    })
}

/// The instance of an operation with three sources; `None` if the lane type does not have it.
fn ternary_instance(op: TernaryOp, lane: LaneType, lanes: usize) -> Option<Run> {
    use LaneType::{F16, F32, F64, I32, I64, I128, U32};
    use TernaryOp::*;
    Some(match (op, lane) {
        (Mad, F16) => rare!(lanes, ternary, ops::Mad, Half),
        (Mad, F32) => common!(lanes, float::mad),
        (Mad, F64) => rare!(lanes, ternary, ops::Mad, f64),
        (Mad, U32) => rare!(lanes, ternary, ops::Mad, u32),
        (Mad, I64) => rare!(lanes, ternary, ops::Mad, i64),
        (Mad, I128) => rare!(lanes, ternary, ops::Mad, i128),
        (Lrp, F32) => common!(lanes, float::lrp),
        (Add3, I64) => rare!(lanes, ternary, ops::Add3, i64),
        (Bfe, I32) => rare!(lanes, ternary, ops::Bfe, i32),
        (Bfe, U32) => rare!(lanes, ternary, ops::Bfe, u32),
        (Bfi2, U32) => rare!(lanes, ternary, ops::Bfi2, u32),
        (Dp4aSigned, U32) => rare!(lanes, ternary, ops::Dp4aSigned, u32),
        (Dp4aUnsigned, U32) => rare!(lanes, ternary, ops::Dp4aUnsigned, u32),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Operation::{Binary, Ternary, Unary};

    const LANE_TYPES: [LaneType; 7] = [
        LaneType::F16,
        LaneType::F32,
        LaneType::F64,
        LaneType::I32,
        LaneType::U32,
        LaneType::I64,
        LaneType::I128,
    ];

    /// If an operation has an instance for a lane type, it must have one for each number of lanes that a plan may
    /// contain. Otherwise the tables of this module and `Operation::lanes` differ.
    #[test]
    fn operations_have_instances_for_all_channels_or_for_none() {
        let mut found = 0;
        let mut look = |operation: Operation| {
            let has = |channels| instance(Alu::new(operation, channels)).is_some();
            let all = [1, 2, 4, 8, 16, 32].map(has);
            assert!(all.iter().all(|&some| some == all[0]), "{operation:?}: {all:?}");
            found += usize::from(all[0]);
        };
        for lane in LANE_TYPES {
            UnaryOp::ALL.iter().for_each(|&op| look(Unary(op, lane)));
            BinaryOp::ALL.iter().for_each(|&op| look(Binary(op, lane)));
            TernaryOp::ALL.iter().for_each(|&op| look(Ternary(op, lane)));
            look(Operation::Select(lane));
            look(Operation::SelectCondition(lane));
            look(Operation::CompareSelect(lane));
            look(Operation::Compare { lane, nan: false });
            look(Operation::Compare { lane, nan: true });
        }
        assert_eq!(found, 116);
    }
}
