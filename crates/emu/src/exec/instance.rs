//! Selects the function that computes an operation.
//!
//! The functions are generic over the number of channels. Common operations have an instance for each number of
//! channels, the others one for up to eight and one for more. These are the numbers that [`Operation::lanes`] returns.

use super::alu::elementary::{binary_elementary, elementary};
use super::alu::{Comparable, accumulate, float, macros, ops, special, vector};
use super::alu::{binary, cmp, csel};
use super::alu::{select, select_condition, ternary, unary};
use crate::host::Host;
use crate::plan::{Alu, BinaryOp, LaneType, Operation, Plan, TernaryOp, UnaryOp};
use crate::thread::Thread;
use crestline_isa::semantics::Half;
use fearless_simd::Simd;

/// A function that executes the arithmetic of a plan on the channels of a mask.
pub(crate) type Run = fn(&Plan, &mut Thread, u32);

/// A function that calls the two given ones: the first one, compiled for the vector instructions of [`Host`], if the host has
/// them; else the second one.
macro_rules! wide {
    ($wide:expr, $plain:expr) => {
        (|plan, t, mask| {
            let host = t.host;
            host.run(
                #[inline(always)]
                |state: (&Plan, &mut Thread, u32)| $wide(state.0, state.1, state.2),
                (plan, t, mask),
                |(plan, t, mask)| plainly($plain, plan, t, mask),
            )
        }) as Run
    };
}

/// Calls a function. It is separate, so that its code is not a part of each function made by `wide`.
#[cold]
#[inline(never)]
fn plainly(run: Run, plan: &Plan, t: &mut Thread, mask: u32) {
    run(plan, t, mask);
}

/// The instance of a common operation for a number of channels, for a host.
macro_rules! common {
    ($host:expr, $lanes:expr, $($function:ident)::+ $(, $arg:ty)*) => {
        match ($lanes, $host.is_wide()) {
            (1, _) => $($function)::+::<$($arg,)* 1> as Run,
            (8, false) => $($function)::+::<$($arg,)* 8> as Run,
            (16, false) => $($function)::+::<$($arg,)* 16> as Run,
            (32, false) => $($function)::+::<$($arg,)* 32> as Run,
            (8, true) => wide!($($function)::+::<$($arg,)* 8>, $($function)::+::<$($arg,)* 8>),
            (16, true) => wide!($($function)::+::<$($arg,)* 16>, $($function)::+::<$($arg,)* 16>),
            (32, true) => wide!($($function)::+::<$($arg,)* 32>, $($function)::+::<$($arg,)* 32>),
            _ => return None,
        }
    };
}

/// The instance of an operation that uses fused multiplications and additions of the host, for a number of channels and a host.
macro_rules! fused {
    ($host:expr, $lanes:expr, $($function:ident)::+ $(, $arg:ty)*) => {
        match ($lanes, $host.is_wide()) {
            (1, false) => $($function)::+::<$($arg,)* 1, false> as Run,
            (8, false) => $($function)::+::<$($arg,)* 8, false> as Run,
            (16, false) => $($function)::+::<$($arg,)* 16, false> as Run,
            (32, false) => $($function)::+::<$($arg,)* 32, false> as Run,
            (1, true) => {
                wide!($($function)::+::<$($arg,)* 1, true>, $($function)::+::<$($arg,)* 1, false>)
            }
            (8, true) => {
                wide!($($function)::+::<$($arg,)* 8, true>, $($function)::+::<$($arg,)* 8, false>)
            }
            (16, true) => {
                wide!($($function)::+::<$($arg,)* 16, true>, $($function)::+::<$($arg,)* 16, false>)
            }
            (32, true) => {
                wide!($($function)::+::<$($arg,)* 32, true>, $($function)::+::<$($arg,)* 32, false>)
            }
            _ => return None,
        }
    };
}

/// The instance of an operation with a plane operand, for a number of channels and a host.
macro_rules! plane {
    ($host:expr, $lanes:expr, $($function:ident)::+) => {
        match ($lanes, $host.is_wide()) {
            (8, false) => $($function)::+::<8, false> as Run,
            (16, false) => $($function)::+::<16, false> as Run,
            (8, true) => wide!($($function)::+::<8, true>, $($function)::+::<8, false>),
            (16, true) => wide!($($function)::+::<16, true>, $($function)::+::<16, false>),
            _ => return None,
        }
    };
}

/// The instance of an operation on vectors, for a number of channels and a host: `$op` with the given number of sources from
/// source `$first` on. What it does not handle, and other hosts, get the instance of the macro `$kind`.
macro_rules! vectors {
    ($host:expr, $lanes:expr, $op:ty [$first:literal, $sources:literal], $kind:ident $($function:tt)+) => {
        match ($lanes, $host.is_wide()) {
            (8, true) => vectors!(@run 8, 1, $op [$first, $sources], $kind $($function)+),
            (16, true) => vectors!(@run 16, 2, $op [$first, $sources], $kind $($function)+),
            (32, true) => vectors!(@run 32, 4, $op [$first, $sources], $kind $($function)+),
            _ => $kind!($host, $lanes, $($function)+),
        }
    };
    (@run $lanes:literal, $vectors:literal, $op:ty [$first:literal, $sources:literal], $kind:ident $($function:tt)+) => {
        (|plan, t, mask| {
            let done = t.host.vectors().is_some_and(|simd| {
                simd.vectorize(
                    #[inline(always)]
                    || vector::execute::<$op, _, $first, $sources, $vectors>(simd, plan, t, mask),
                )
            });
            if !done {
                let instance = |host: Host| Some($kind!(host, $lanes, $($function)+));
                if let Some(run) = instance(t.host) {
                    run(plan, t, mask);
                }
            }
        }) as Run
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
pub(crate) fn instance(alu: Alu, host: Host) -> Option<Run> {
    use LaneType::{F16, F32, F64, I32, I64, I128, U32};
    let lanes = alu.lanes;
    Some(match alu.operation {
        Operation::Unary(op, lane) => return unary_instance(op, lane, lanes, host),
        Operation::Binary(op, lane) => return binary_instance(op, lane, lanes, host),
        Operation::Ternary(op, lane) => return ternary_instance(op, lane, lanes, host),
        Operation::Select(U32) => common!(host, lanes, select, u32),
        Operation::Select(F16) => rare!(lanes, select, Half),
        Operation::Select(F32) => rare!(lanes, select, f32),
        Operation::Select(F64) => rare!(lanes, select, f64),
        Operation::Select(I64) => rare!(lanes, select, i64),
        Operation::Select(I128) => rare!(lanes, select, i128),
        Operation::SelectCondition(F32) => {
            vectors!(host, lanes, vector::Extreme[0, 2], common select_condition, f32)
        }
        Operation::SelectCondition(I32) => common!(host, lanes, select_condition, i32),
        Operation::SelectCondition(U32) => common!(host, lanes, select_condition, u32),
        Operation::SelectCondition(F64) => rare!(lanes, select_condition, f64),
        Operation::SelectCondition(I64) => rare!(lanes, select_condition, i64),
        Operation::SelectCondition(I128) => rare!(lanes, select_condition, i128),
        Operation::CompareSelect(F16) => rare!(lanes, csel, Half),
        Operation::CompareSelect(F32) => rare!(lanes, csel, f32),
        Operation::CompareSelect(I64) => rare!(lanes, csel, i64),
        Operation::Compare { lane, nan: false } => match lane {
            F32 => compare::<f32, false>(lanes, host)?,
            F64 => compare::<f64, false>(lanes, host)?,
            I32 => compare::<i32, false>(lanes, host)?,
            U32 => compare::<u32, false>(lanes, host)?,
            I64 => compare::<i64, false>(lanes, host)?,
            I128 => compare::<i128, false>(lanes, host)?,
            F16 => return None,
        },
        Operation::Compare { lane, nan: true } => match lane {
            F32 => compare::<f32, true>(lanes, host)?,
            F64 => compare::<f64, true>(lanes, host)?,
            I64 => compare::<i64, true>(lanes, host)?,
            I128 => compare::<i128, true>(lanes, host)?,
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
        Operation::Line => vectors!(host, lanes, vector::Line[1, 1], plane float::line),
        Operation::Plane => vectors!(host, lanes, vector::Pln[1, 2], plane float::pln),
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
fn compare<L: Comparable, const NAN: bool>(lanes: usize, host: Host) -> Option<Run> {
    Some(match (lanes, host.is_wide()) {
        (1, _) => cmp::<L, 1, NAN> as Run,
        (8, false) => cmp::<L, 8, NAN> as Run,
        (16, false) => cmp::<L, 16, NAN> as Run,
        (32, false) => cmp::<L, 32, NAN> as Run,
        (8, true) => wide!(cmp::<L, 8, NAN>, cmp::<L, 8, NAN>),
        (16, true) => wide!(cmp::<L, 16, NAN>, cmp::<L, 16, NAN>),
        (32, true) => wide!(cmp::<L, 32, NAN>, cmp::<L, 32, NAN>),
        _ => return None,
    })
}

/// The instance of an operation with one source; `None` if the lane type does not have it.
fn unary_instance(op: UnaryOp, lane: LaneType, lanes: usize, host: Host) -> Option<Run> {
    use LaneType::{F16, F32, F64, I32, I64, I128, U32};
    use UnaryOp::*;
    Some(match (op, lane) {
        (Mov, F16) => rare!(lanes, unary, ops::Mov, Half),
        (Mov, F32) => vectors!(host, lanes, vector::Mov[0, 1], common float::mov),
        (Mov, F64) => rare!(lanes, unary, ops::Mov, f64),
        (Mov, I32) => common!(host, lanes, unary, ops::Mov, i32),
        (Mov, U32) => common!(host, lanes, unary, ops::Mov, u32),
        (Mov, I64) => rare!(lanes, unary, ops::Mov, i64),
        (Mov, I128) => rare!(lanes, unary, ops::Mov, i128),
        (Not, U32) => common!(host, lanes, unary, ops::Not, u32),
        (Not, I128) => rare!(lanes, unary, ops::Not, i128),
        (Bfrev, U32) => rare!(lanes, unary, ops::Bfrev, u32),
        (Cbit, U32) => rare!(lanes, unary, ops::Cbit, u32),
        (Lzd, U32) => rare!(lanes, unary, ops::Lzd, u32),
        (Fbl, U32) => rare!(lanes, unary, ops::Fbl, u32),
        (Fbh, I32) => rare!(lanes, unary, ops::Fbh, i32),
        (Fbh, U32) => rare!(lanes, unary, ops::Fbh, u32),
        (F16To32, U32) => rare!(lanes, unary, ops::F16To32, u32),
        (Frc, F16) => rare!(lanes, unary, ops::Frc, Half),
        (Frc, F32) => vectors!(host, lanes, vector::Frc[0, 1], common float::frc),
        (Frc, F64) => rare!(lanes, unary, ops::Frc, f64),
        (RoundDown, F16) => rare!(lanes, unary, ops::RoundDown, Half),
        (RoundDown, F32) => {
            vectors!(host, lanes, ops::RoundDown[0, 1], common float::round, ops::RoundDown)
        }
        (RoundDown, F64) => rare!(lanes, unary, ops::RoundDown, f64),
        (RoundUp, F16) => rare!(lanes, unary, ops::RoundUp, Half),
        (RoundUp, F32) => {
            vectors!(host, lanes, ops::RoundUp[0, 1], common float::round, ops::RoundUp)
        }
        (RoundUp, F64) => rare!(lanes, unary, ops::RoundUp, f64),
        (RoundEven, F16) => rare!(lanes, unary, ops::RoundEven, Half),
        (RoundEven, F32) => {
            vectors!(host, lanes, ops::RoundEven[0, 1], common float::round, ops::RoundEven)
        }
        (RoundEven, F64) => rare!(lanes, unary, ops::RoundEven, f64),
        (RoundZero, F16) => rare!(lanes, unary, ops::RoundZero, Half),
        (RoundZero, F32) => {
            vectors!(host, lanes, ops::RoundZero[0, 1], common float::round, ops::RoundZero)
        }
        (RoundZero, F64) => rare!(lanes, unary, ops::RoundZero, f64),
        (Inv, F32) => fused!(host, lanes, elementary, ops::Inv),
        (Log, F32) => fused!(host, lanes, elementary, ops::Log),
        (Exp, F32) => fused!(host, lanes, elementary, ops::Exp),
        (Sqrt, F32) => fused!(host, lanes, elementary, ops::Sqrt),
        (Rsq, F32) => fused!(host, lanes, elementary, ops::Rsq),
        (Sin, F32) => fused!(host, lanes, elementary, ops::Sin),
        (Cos, F32) => fused!(host, lanes, elementary, ops::Cos),
        _ => return None,
    })
}

/// The instance of an operation with two sources; `None` if the lane type does not have it.
fn binary_instance(op: BinaryOp, lane: LaneType, lanes: usize, host: Host) -> Option<Run> {
    use BinaryOp::*;
    use LaneType::{F16, F32, F64, I32, I64, I128, U32};
    Some(match (op, lane) {
        (Add, F16) => rare!(lanes, binary, ops::Add, Half),
        (Add, F32) => vectors!(host, lanes, vector::Add[0, 2], common float::add),
        (Add, F64) => rare!(lanes, binary, ops::Add, f64),
        (Add, U32) => common!(host, lanes, binary, ops::Add, u32),
        (Add, I64) => rare!(lanes, binary, ops::Add, i64),
        (Add, I128) => rare!(lanes, binary, ops::Add, i128),
        (Mul, F16) => rare!(lanes, binary, ops::Mul, Half),
        (Mul, F32) => vectors!(host, lanes, vector::Mul[0, 2], common float::mul),
        (Mul, F64) => rare!(lanes, binary, ops::Mul, f64),
        (Mul, U32) => common!(host, lanes, binary, ops::Mul, u32),
        (Mul, I64) => rare!(lanes, binary, ops::Mul, i64),
        (Mul, I128) => rare!(lanes, binary, ops::Mul, i128),
        (MulLowUnsigned, I64) => rare!(lanes, binary, ops::MulLowUnsigned, i64),
        (Avg, I64) => rare!(lanes, binary, ops::Avg, i64),
        (Avg, I128) => rare!(lanes, binary, ops::Avg, i128),
        (And, U32) => common!(host, lanes, binary, ops::And, u32),
        (And, I128) => rare!(lanes, binary, ops::And, i128),
        (Or, U32) => common!(host, lanes, binary, ops::Or, u32),
        (Or, I128) => rare!(lanes, binary, ops::Or, i128),
        (Xor, U32) => common!(host, lanes, binary, ops::Xor, u32),
        (Xor, I128) => rare!(lanes, binary, ops::Xor, i128),
        (Shl, U32) => common!(host, lanes, binary, ops::Shl, u32),
        (Shl, I64) => rare!(lanes, binary, ops::Shl, i64),
        (Shl, I128) => rare!(lanes, binary, ops::Shl, i128),
        (Shr, U32) => common!(host, lanes, binary, ops::Shr, u32),
        (Shr, I128) => rare!(lanes, binary, ops::Shr, i128),
        (Asr, I32) => common!(host, lanes, binary, ops::Asr, i32),
        (Asr, U32) => rare!(lanes, binary, ops::Asr, u32),
        (Asr, I128) => rare!(lanes, binary, ops::Asr, i128),
        (Rol16, U32) => rare!(lanes, binary, ops::Rol16, u32),
        (Rol32, U32) => rare!(lanes, binary, ops::Rol32, u32),
        (Ror16, U32) => rare!(lanes, binary, ops::Ror16, u32),
        (Ror32, U32) => rare!(lanes, binary, ops::Ror32, u32),
        (Bfi1, U32) => rare!(lanes, binary, ops::Bfi1, u32),
        (Fdiv, F32) => fused!(host, lanes, binary_elementary, ops::Fdiv),
        (Pow, F32) => fused!(host, lanes, binary_elementary, ops::Pow),
        (Quotient, I32) => rare!(lanes, binary, ops::Quotient, i32),
        (Quotient, U32) => rare!(lanes, binary, ops::Quotient, u32),
        (Remainder, I32) => rare!(lanes, binary, ops::Remainder, i32),
        (Remainder, U32) => rare!(lanes, binary, ops::Remainder, u32),
        _ => return None,
    })
}

/// The instance of an operation with three sources; `None` if the lane type does not have it.
fn ternary_instance(op: TernaryOp, lane: LaneType, lanes: usize, host: Host) -> Option<Run> {
    use LaneType::{F16, F32, F64, I32, I64, I128, U32};
    use TernaryOp::*;
    Some(match (op, lane) {
        (Mad, F16) => rare!(lanes, ternary, ops::Mad, Half),
        (Mad, F32) => vectors!(host, lanes, vector::Mad[0, 3], fused float::mad),
        (Mad, F64) => rare!(lanes, ternary, ops::Mad, f64),
        (Mad, U32) => rare!(lanes, ternary, ops::Mad, u32),
        (Mad, I64) => rare!(lanes, ternary, ops::Mad, i64),
        (Mad, I128) => rare!(lanes, ternary, ops::Mad, i128),
        (Lrp, F32) => vectors!(host, lanes, vector::Lrp[0, 3], fused float::lrp),
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
            let has = |channels| instance(Alu::new(operation, channels), Host::plain()).is_some();
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
