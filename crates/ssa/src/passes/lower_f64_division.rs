//! Replaces divisions and reciprocals of doubles, for which no device has an instruction, by correctly rounded code.
//!
//! 1. The quotient of the significands, scaled to [1, 2), is approximated: a 32-bit reciprocal as first
//!    approximation, one Newton step for the reciprocal, and one for the quotient. The error is then less than one
//!    unit in the last place.
//! 2. The approximation is rounded to a multiple of the result's last place, which is coarser if the result is
//!    denormal.
//! 3. The exact remainder shows whether the result must be changed by one unit of that place.
//!
//! So the result is rounded once, however precise the first approximation is.

use super::LowerOptions;
use super::util::double::{BIAS, Doubles, FRACTION, PRECISION, Parts, rewrite_doubles};
use crate::ir::{AluOp, Shader, Value};

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_f64_division(shader: &mut Shader, options: &LowerOptions) -> bool {
    rewrite_doubles(shader, options, &[AluOp::FDiv, AluOp::FRcp], |d, op, srcs| {
        Some(match op {
            AluOp::FDiv => quotient(d, srcs[0], srcs[1]),
            _ => {
                let one = d.number(1.0);
                quotient(d, one, srcs[0])
            }
        })
    })
}

/// The quotient of two doubles.
fn quotient(d: &mut Doubles<'_, '_>, x: Value, y: Value) -> Value {
    let (n, m) = (d.parts(x), d.parts(y));
    let sign = d.op(AluOp::IXor, &[n.sign, m.sign]);
    let exponent = d.op(AluOp::ISub, &[n.exponent, m.exponent]);
    // If the numerator is the lesser significand it is doubled, so that the quotient is in [1, 2).
    let less = d.op(AluOp::FLt, &[n.significand, m.significand]);
    let doubled = d.op(AluOp::FAdd, &[n.significand, n.significand]);
    let numerator = d.select(less, doubled, n.significand);
    let lower = d.op_imm(AluOp::ISub, exponent, 1);
    let exponent = d.select(less, lower, exponent);

    let near = near_quotient(d, numerator, m.significand);
    let rounded = on_grid(d, near, numerator, m.significand, exponent);
    let usual = d.assembled(sign, rounded, exponent);
    let special = special_quotient(d, x, y, &m);
    let odd = d.op(AluOp::IOr, &[n.special, m.special]);
    d.select(odd, special, usual)
}

/// The approximate quotient of two significands: at least 1, with an error of less than one unit in the last place.
fn near_quotient(d: &mut Doubles<'_, '_>, n: Value, m: Value) -> Value {
    let one = d.number(1.0);
    let inverse = d.seed(AluOp::FRcp, m);
    let error = d.minus_product(one, m, inverse);
    let inverse = d.plus_product(inverse, inverse, error);
    let quotient = d.op(AluOp::FMul, &[n, inverse]);
    let rest = d.remainder(n, quotient, m);
    let quotient = d.plus_product(quotient, rest, inverse);
    d.op(AluOp::FMax, &[quotient, one])
}

/// The quotient `n / m`, rounded to the nearest number that a result with this exponent can represent. `near` is the
/// approximate quotient.
fn on_grid(d: &mut Doubles<'_, '_>, near: Value, n: Value, m: Value, exponent: Value) -> Value {
    // The number of bits that a denormal result loses: the result is a multiple of `step = 2^(missing - 52)`. If it is
    // 54, no bit is left, not even after rounding up.
    let lowest = d.dword(1 - BIAS);
    let missing = d.op(AluOp::ISub, &[lowest, exponent]);
    let missing = d.op_imm(AluOp::IMax, missing, 0);
    let missing = d.op_imm(AluOp::IMin, missing, PRECISION + 2);
    let high = d.power_high(missing);
    // Adding and subtracting 2^missing rounds `near` to a multiple of `step`. In a tie the even neighbour remains,
    // which is right because the approximation is exact then.
    let (zero, any) = (d.dword(0), d.dword(1));
    let some = d.op(AluOp::IGe, &[missing, any]);
    let room = d.select(some, high, zero);
    let room = d.high_only(room);
    let cut = d.op(AluOp::FAdd, &[near, room]);
    let cut = d.op(AluOp::FSub, &[cut, room]);

    // The exact remainder of the rounded quotient. If it exceeds half a step, the quotient is one step off.
    let rest = d.remainder(n, cut, m);
    let step = d.op_imm(AluOp::ISub, high, PRECISION << FRACTION);
    let half = d.op_imm(AluOp::ISub, step, 1 << FRACTION);
    let half = d.high_only(half);
    let half = d.op(AluOp::FMul, &[m, half]);
    let size = d.op(AluOp::FAbs, &[rest]);
    let beyond = d.op(AluOp::FLt, &[half, size]);
    let direction = d.sign(rest);
    let step = d.op(AluOp::IOr, &[step, direction]);
    let step = d.select(beyond, step, zero);
    let step = d.high_only(step);
    d.op(AluOp::FAdd, &[cut, step])
}

/// The quotient if one of the numbers is zero, infinite or NaN. It is the product with a stand-in for the divisor's
/// reciprocal: zero, infinity, NaN, or one, with the divisor's sign.
fn special_quotient(d: &mut Doubles<'_, '_>, x: Value, y: Value, parts: &Parts) -> Value {
    let (zero, top) = (d.dword(0), d.dword(0x7ff));
    let (one, infinity) = (d.dword(BIAS << FRACTION), d.dword(0x7ff << FRACTION));
    let by_zero = d.op(AluOp::IEq, &[parts.field, zero]);
    let endless = d.op(AluOp::IEq, &[parts.field, top]);
    let inverse = d.select(by_zero, infinity, one);
    let inverse = d.select(endless, zero, inverse);
    let inverse = d.op(AluOp::IOr, &[inverse, parts.sign]);
    let inverse = d.high_only(inverse);
    let unordered = d.op(AluOp::FNe, &[y, y]);
    let inverse = d.select(unordered, y, inverse);
    d.op(AluOp::FMul, &[x, inverse])
}
