//! Replaces quotients and reciprocals of doubles, for which no device has an instruction, by correctly rounded ones.
//!
//! The quotient of the significands, in [1, 2), comes from a seed of 32 bits by one Newton step for the reciprocal and
//! one for the quotient, which leaves it less than a unit in the last place off. It is then brought to the grid on which
//! the result lies - a coarser one, if that is denormal - and the exact remainder tells whether it must go one step of
//! the grid up or down. So it is rounded once, whatever the quality of the seed.

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

fn quotient(d: &mut Doubles<'_, '_>, x: Value, y: Value) -> Value {
    let (n, m) = (d.parts(x), d.parts(y));
    let sign = d.op(AluOp::IXor, &[n.sign, m.sign]);
    let exponent = d.op(AluOp::ISub, &[n.exponent, m.exponent]);
    // The numerator is doubled if it is the lesser one, so that the quotient is in [1, 2).
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

/// The quotient of significands, at least 1 and less than a unit in the last place off.
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

/// The multiple of the result's last place, as far as a result with that exponent has one, that is nearest to the
/// quotient `n / m`.
fn on_grid(d: &mut Doubles<'_, '_>, near: Value, n: Value, m: Value, exponent: Value) -> Value {
    // How many bits a denormal lacks. With 54 nothing is left, not even by rounding.
    let lowest = d.dword(1 - BIAS);
    let missing = d.op(AluOp::ISub, &[lowest, exponent]);
    let missing = d.op_imm(AluOp::IMax, missing, 0);
    let missing = d.op_imm(AluOp::IMin, missing, PRECISION + 2);
    let high = d.power_high(missing);
    // A sum with that power of two has no room for the bits; of a tie it leaves the even neighbour, which is right
    // since such a quotient is exact so far.
    let (zero, any) = (d.dword(0), d.dword(1));
    let some = d.op(AluOp::IGe, &[missing, any]);
    let room = d.select(some, high, zero);
    let room = d.high_only(room);
    let cut = d.op(AluOp::FAdd, &[near, room]);
    let cut = d.op(AluOp::FSub, &[cut, room]);

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

/// The quotient where one of the numbers is zero, infinite or NaN: a product with what the divisor's inverse would be,
/// as far as it matters.
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
