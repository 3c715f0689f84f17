//! Replaces square roots of doubles, for which no device has an instruction, by correctly rounded code, and reciprocal
//! square roots by code with an error of less than one unit in the last place.
//!
//! A number is written as `m * 4^e` with `m` in [1, 4). A 32-bit approximation of `1 / sqrt(m)` is improved by one
//! step of Goldschmidt's iteration, which gives the root and half its reciprocal with twice as many correct bits.
//! Another step gives the root with an error of less than one unit in the last place. The exact remainder
//! `m - root^2` shows whether it must be changed by one unit.

use super::LowerOptions;
use super::util::double::{Doubles, Parts, rewrite_doubles};
use crate::ir::{AluOp, Shader, Value};

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_f64_roots(shader: &mut Shader, options: &LowerOptions) -> bool {
    rewrite_doubles(shader, options, &[AluOp::FSqrt, AluOp::FRsq], |d, op, srcs| {
        let x = srcs[0];
        let parts = d.parts(x);
        let root = Root::new(d, &parts);
        Some(match op {
            AluOp::FSqrt => {
                let usual = root.rounded(d);
                // Zeros and positive infinity are their own roots.
                let infinity = d.number(f64::INFINITY);
                let endless = d.op(AluOp::FEq, &[x, infinity]);
                let zero = is_zero(d, &parts);
                let own = d.op(AluOp::IOr, &[endless, zero]);
                chosen(d, &parts, usual, [(own, x)])
            }
            _ => {
                let usual = root.reciprocal(d);
                let (infinity, none) = (d.number(f64::INFINITY), d.number(0.0));
                let endless = d.op(AluOp::FEq, &[x, infinity]);
                let zero = is_zero(d, &parts);
                let pole = d.with_sign(infinity, parts.sign);
                chosen(d, &parts, usual, [(endless, none), (zero, pole)])
            }
        })
    })
}

/// Whether the number is a zero.
fn is_zero(d: &mut Doubles<'_, '_>, parts: &Parts) -> Value {
    let zero = d.dword(0);
    d.op(AluOp::IEq, &[parts.field, zero])
}

/// `usual` for positive finite numbers. For other numbers, the value of the first condition in `cases` that holds, or
/// NaN.
fn chosen<const N: usize>(
    d: &mut Doubles<'_, '_>,
    parts: &Parts,
    usual: Value,
    cases: [(Value, Value); N],
) -> Value {
    let mut odd = d.number(f64::NAN);
    for (cond, value) in cases.into_iter().rev() {
        odd = d.select(cond, value, odd);
    }
    let zero = d.dword(0);
    let negative = d.op(AluOp::INe, &[parts.sign, zero]);
    let special = d.op(AluOp::IOr, &[parts.special, negative]);
    d.select(special, odd, usual)
}

/// Intermediate results of the computation of a root.
struct Root {
    /// The number `m` in [1, 4).
    number: Value,
    /// The exponent `e`, which is that of the root.
    exponent: Value,
    /// The root of `m`, with about 44 correct bits.
    root: Value,
    /// Half of the root's reciprocal, with about 44 correct bits.
    half_inverse: Value,
}

impl Root {
    /// Does the first step of the iteration.
    fn new(d: &mut Doubles<'_, '_>, parts: &Parts) -> Root {
        let odd = d.op_imm(AluOp::IAnd, parts.exponent, 1);
        let one = d.dword(1);
        let odd = d.op(AluOp::IEq, &[odd, one]);
        let doubled = d.op(AluOp::FAdd, &[parts.significand, parts.significand]);
        let number = d.select(odd, doubled, parts.significand);
        let exponent = d.op_imm(AluOp::IShr, parts.exponent, 1);

        let half = d.number(0.5);
        let inverse = d.seed(AluOp::FRsq, number);
        let root = d.op(AluOp::FMul, &[number, inverse]);
        let half_inverse = d.op(AluOp::FMul, &[half, inverse]);
        let error = d.minus_product(half, half_inverse, root);
        let root = d.plus_product(root, root, error);
        let half_inverse = d.plus_product(half_inverse, half_inverse, error);
        Root { number, exponent, root, half_inverse }
    }

    /// The square root, correctly rounded.
    fn rounded(&self, d: &mut Doubles<'_, '_>) -> Value {
        let rest = d.remainder(self.number, self.root, self.root);
        let root = d.plus_product(self.root, rest, self.half_inverse);
        // The root must be rounded up if m > (root + step / 2)^2, that is m - root^2 > root * step + (step / 2)^2,
        // and down if m - root^2 < -root * step + (step / 2)^2. All these numbers but (step / 2)^2 are multiples of
        // step^2, so that term only matters where the others are equal: it makes the second comparison include
        // equality.
        let step = d.number(f64::EPSILON);
        let rest = d.remainder(self.number, root, root);
        let limit = d.op(AluOp::FMul, &[root, step]);
        let above = d.op(AluOp::FLt, &[limit, rest]);
        let limit = d.op(AluOp::FNeg, &[limit]);
        let below = d.op(AluOp::FGe, &[limit, rest]);
        let (more, less) = (d.op(AluOp::FAdd, &[root, step]), d.op(AluOp::FSub, &[root, step]));
        let root = d.select(above, more, root);
        let root = d.select(below, less, root);
        let power = d.power_high(self.exponent);
        let power = d.high_only(power);
        d.op(AluOp::FMul, &[root, power])
    }

    /// The reciprocal square root.
    fn reciprocal(&self, d: &mut Doubles<'_, '_>) -> Value {
        let (one, half) = (d.number(1.0), d.number(0.5));
        let inverse = d.op(AluOp::FAdd, &[self.half_inverse, self.half_inverse]);
        // The error 1 - inverse^2 * number. The product is exact, as a sum of two doubles.
        let product = d.op(AluOp::FMul, &[self.number, inverse]);
        let lost = d.remainder(product, self.number, inverse);
        let rest = d.remainder(one, inverse, product);
        let rest = d.plus_product(rest, inverse, lost);
        let rest = d.op(AluOp::FMul, &[rest, half]);
        let inverse = d.plus_product(inverse, inverse, rest);
        let exponent = d.op(AluOp::INeg, &[self.exponent]);
        let power = d.power_high(exponent);
        let power = d.high_only(power);
        d.op(AluOp::FMul, &[inverse, power])
    }
}
