//! Replaces rounding of doubles to whole numbers, for which no device has an instruction. Truncation masks bits; the
//! other operations follow from it, except rounding to nearest, which adds and subtracts 2^52.

use super::LowerOptions;
use super::util::double::{BIAS, Doubles, FRACTION, PRECISION, SIGN, rewrite_doubles};
use crate::ir::{AluOp, Shader, Value};

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_f64_rounding(shader: &mut Shader, options: &LowerOptions) -> bool {
    use AluOp::{FCeil, FFloor, FFract, FRoundEven, FTrunc};
    rewrite_doubles(shader, options, &[FTrunc, FFloor, FCeil, FFract, FRoundEven], |d, op, srcs| {
        let x = srcs[0];
        Some(match op {
            FTrunc => truncated(d, x),
            FFloor => floor(d, x),
            FCeil => {
                let x = d.op(AluOp::FNeg, &[x]);
                let down = floor(d, x);
                d.op(AluOp::FNeg, &[down])
            }
            FFract => {
                let down = floor(d, x);
                d.op(AluOp::FSub, &[x, down])
            }
            _ => rounded(d, x),
        })
    })
}

/// Rounds toward zero: clears the bits with a value below 1. These are all bits but the sign for numbers below 1, and
/// none from 2^52 on.
fn truncated(d: &mut Doubles<'_, '_>, x: Value) -> Value {
    let (low, high) = (d.low(x), d.high(x));
    let exponent = d.op_imm(AluOp::UShr, high, FRACTION as i32);
    let exponent = d.op_imm(AluOp::IAnd, exponent, 0x7ff);
    let exponent = d.op_imm(AluOp::ISub, exponent, BIAS);
    // The high dword: as many bits of its fraction are kept as the exponent says.
    let count = d.op_imm(AluOp::IMax, exponent, 0);
    let count = d.op_imm(AluOp::IMin, count, 31);
    let fraction = d.dword((1 << FRACTION) - 1);
    let cut = d.op(AluOp::UShr, &[fraction, count]);
    let kept = d.op(AluOp::INot, &[cut]);
    let (zero, sign) = (d.dword(0), d.dword(SIGN as i32));
    let below_one = d.op(AluOp::ILt, &[exponent, zero]);
    let kept = d.select(below_one, sign, kept);
    let high = d.op(AluOp::IAnd, &[high, kept]);
    // The low dword: its last 0 to 32 bits are cleared. Two shifts are needed, because a shift by 32 would be one by 0.
    let all = d.dword(PRECISION);
    let count = d.op(AluOp::ISub, &[all, exponent]);
    let count = d.op_imm(AluOp::IMax, count, 0);
    let count = d.op_imm(AluOp::IMin, count, 32);
    let first = d.op_imm(AluOp::UShr, count, 1);
    let second = d.op(AluOp::ISub, &[count, first]);
    let ones = d.dword(-1);
    let kept = d.op(AluOp::IShl, &[ones, first]);
    let kept = d.op(AluOp::IShl, &[kept, second]);
    let low = d.op(AluOp::IAnd, &[low, kept]);
    d.join(low, high)
}

/// Rounds toward negative infinity.
fn floor(d: &mut Doubles<'_, '_>, x: Value) -> Value {
    let whole = truncated(d, x);
    let one = d.number(1.0);
    let less = d.op(AluOp::FSub, &[whole, one]);
    let above = d.op(AluOp::FLt, &[x, whole]);
    d.select(above, less, whole)
}

/// Rounds to the nearest whole number. The sum with 2^52 has no bits for fractions.
fn rounded(d: &mut Doubles<'_, '_>, x: Value) -> Value {
    let size = d.op(AluOp::FAbs, &[x]);
    let limit = d.number(2f64.powi(PRECISION));
    let sum = d.op(AluOp::FAdd, &[size, limit]);
    let whole = d.op(AluOp::FSub, &[sum, limit]);
    let fits = d.op(AluOp::FLt, &[size, limit]);
    let whole = d.select(fits, whole, size);
    let sign = d.sign(x);
    d.with_sign(whole, sign)
}
