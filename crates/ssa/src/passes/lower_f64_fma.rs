//! Replaces `ffma` of doubles on devices without a fused instruction. An `ffma` that is not `exact` becomes a product
//! and a sum. An `exact` one becomes code that rounds once.
//!
//! The product of the significands is computed exactly as a sum of two doubles, and so is each further sum. The lesser
//! parts are added with rounding to odd, so that the last addition rounds the exact result (Boldo and Melquiond,
//! "Emulation of FMA and correctly rounded sums", 2008). A denormal result is rounded a second time.

use super::LowerOptions;
use super::util::double::{Doubles, rewrite_doubles};
use super::util::{Action, rewrite};
use crate::ir::{AluOp, InstKind, Shader, Ty, Value};

/// If exponents differ by more than this, the lesser number affects the result only through being nonzero.
const FAR: i32 = 120;

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_f64_fma(shader: &mut Shader, options: &LowerOptions) -> bool {
    if options.doubles.is_none_or(|doubles| doubles.fused) {
        return false;
    }
    let loose = rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let ty = |b: &crate::ir::Builder<'_>| b.func.ty(b.func.inst(inst).results[0]);
        match &data.kind {
            InstKind::Alu { op: AluOp::FFma, srcs, exact: false } if ty(b).bits() == 64 => {
                let (srcs, ty): (_, Ty) = (srcs.clone(), ty(b));
                let product = b.alu_ty(AluOp::FMul, ty, &srcs[..2]);
                Action::Replace(b.alu_ty(AluOp::FAdd, ty, &[product.into(), srcs[2]]).into())
            }
            _ => Action::Keep,
        }
    });
    let exact = rewrite_doubles(shader, options, &[AluOp::FFma], |d, _, srcs| {
        Some(fused(d, srcs[0], srcs[1], srcs[2]))
    });
    loose | exact
}

/// The exact product plus `z`, rounded once.
fn fused(d: &mut Doubles<'_, '_>, x: Value, y: Value, z: Value) -> Value {
    let [a, b, c] = [x, y, z].map(|v| d.parts(v));
    let exponent = d.op(AluOp::IAdd, &[a.exponent, b.exponent]);
    let sign = d.op(AluOp::IXor, &[a.sign, b.sign]);
    let (product, lost) = d.product(a.significand, b.significand);
    // The summand, scaled relative to the product's exponent and sign.
    let apart = d.op(AluOp::ISub, &[c.exponent, exponent]);
    let apart = d.op_imm(AluOp::IMax, apart, -FAR);
    let apart = d.op_imm(AluOp::IMin, apart, FAR);
    let scale = d.power_high(apart);
    let relative = d.op(AluOp::IXor, &[sign, c.sign]);
    let scale = d.op(AluOp::IOr, &[scale, relative]);
    let scale = d.high_only(scale);
    let summand = d.op(AluOp::FMul, &[c.significand, scale]);

    let (upper, lower) = d.sum(summand, lost);
    let (sum, rest) = d.sum(product, upper);
    let rest = odd_sum(d, rest, lower);
    let sum = d.op(AluOp::FAdd, &[sum, rest]);
    // The difference of exponents was limited to FAR above. If the summand's exponent is larger, the rest is added
    // here.
    let parts = d.parts(sum);
    let total = d.op(AluOp::IAdd, &[parts.exponent, exponent]);
    let farther = d.op(AluOp::ISub, &[c.exponent, exponent]);
    let farther = d.op_imm(AluOp::ISub, farther, FAR);
    let farther = d.op_imm(AluOp::IMax, farther, 0);
    let total = d.op(AluOp::IAdd, &[total, farther]);
    let sign = d.op(AluOp::IXor, &[sign, parts.sign]);
    let usual = d.assembled(sign, parts.significand, total);
    // If everything cancels, the result is positive zero.
    let zero = d.number(0.0);
    let cancelled = d.op(AluOp::FEq, &[sum, zero]);
    let usual = d.select(cancelled, zero, usual);

    // Special cases. If `z` is zero, the result is the product alone, with its sign. If `z` is infinite and `x` and
    // `y` are finite, the result is `z`, even if the rounded product would be infinite.
    let product = d.op(AluOp::FMul, &[x, y]);
    let (none, top) = (d.dword(0), d.dword(0x7ff));
    let odd = d.op(AluOp::IOr, &[a.special, b.special]);
    let finite = d.op(AluOp::INe, &[c.field, top]);
    let counts = d.op(AluOp::IOr, &[odd, finite]);
    let counted = d.select(counts, product, zero);
    let plain = d.op(AluOp::FAdd, &[counted, z]);
    let present = d.op(AluOp::INe, &[c.field, none]);
    let present = d.op(AluOp::IOr, &[odd, present]);
    let plain = d.select(present, plain, product);
    let special = d.op(AluOp::IOr, &[odd, c.special]);
    d.select(special, plain, usual)
}

/// The sum of two doubles, rounded to odd: if it is inexact, the one of its two neighbouring doubles whose last bit
/// is 1.
fn odd_sum(d: &mut Doubles<'_, '_>, x: Value, y: Value) -> Value {
    let (sum, lost) = d.sum(x, y);
    let (low, high) = (d.low(sum), d.high(sum));
    let (zero, none) = (d.number(0.0), d.dword(0));
    let inexact = d.op(AluOp::FNe, &[lost, zero]);
    // The bits of the next greater double are one more (the last bit of an even number becomes 1); those of the next
    // lesser one are one less. The lost part's sign shows on which side the exact sum is.
    let more = d.op_imm(AluOp::IOr, low, 1);
    let more = d.join(more, high);
    let before = d.op_imm(AluOp::ISub, low, 1);
    let borrow = d.op(AluOp::IEq, &[low, none]);
    let lesser = d.op_imm(AluOp::ISub, high, 1);
    let lesser = d.select(borrow, lesser, high);
    let less = d.join(before, lesser);
    let (sign, lost) = (d.sign(sum), d.sign(lost));
    let same = d.op(AluOp::IEq, &[sign, lost]);
    let neighbour = d.select(same, more, less);
    let last = d.op_imm(AluOp::IAnd, low, 1);
    let even = d.op(AluOp::IEq, &[last, none]);
    let adjust = d.op(AluOp::IAnd, &[inexact, even]);
    d.select(adjust, neighbour, sum)
}
