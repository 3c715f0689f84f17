//! Replaces sums with a product of doubles where no instruction rounds them once: by a product and a sum, or if the
//! shader forbids to round twice by what is rounded once.
//!
//! The significands' product has two parts, and so has each sum; the lesser parts are added with rounding to odd, so that
//! the last sum rounds the whole (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008). A denormal
//! result is rounded again.

use super::LowerOptions;
use super::util::double::{Doubles, rewrite_doubles};
use super::util::{Action, rewrite};
use crate::ir::{AluOp, InstKind, Shader, Ty, Value};

/// Exponents further apart than this make the lesser number matter only as being there.
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

fn fused(d: &mut Doubles<'_, '_>, x: Value, y: Value, z: Value) -> Value {
    let [a, b, c] = [x, y, z].map(|v| d.parts(v));
    let exponent = d.op(AluOp::IAdd, &[a.exponent, b.exponent]);
    let sign = d.op(AluOp::IXor, &[a.sign, b.sign]);
    let (product, lost) = d.product(a.significand, b.significand);
    // The summand in the scale of the product, and with its sign.
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
    // A sum in the product's scale may be as large as the farthest summand: bring its exponent to that of the result.
    let parts = d.parts(sum);
    let total = d.op(AluOp::IAdd, &[parts.exponent, exponent]);
    let farther = d.op(AluOp::ISub, &[c.exponent, exponent]);
    let farther = d.op_imm(AluOp::ISub, farther, FAR);
    let farther = d.op_imm(AluOp::IMax, farther, 0);
    let total = d.op(AluOp::IAdd, &[total, farther]);
    let sign = d.op(AluOp::IXor, &[sign, parts.sign]);
    let usual = d.assembled(sign, parts.significand, total);
    // Where the parts cancel there is no sign but that of positive zero.
    let zero = d.number(0.0);
    let cancelled = d.op(AluOp::FEq, &[sum, zero]);
    let usual = d.select(cancelled, zero, usual);

    // Beside a zero stands the product alone, with its sign; an infinity stands alone even if the product would become one
    // by rounding.
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

/// The sum, or where it is inexact that of its two neighbours which is odd.
fn odd_sum(d: &mut Doubles<'_, '_>, x: Value, y: Value) -> Value {
    let (sum, lost) = d.sum(x, y);
    let (low, high) = (d.low(sum), d.high(sum));
    let (zero, none) = (d.number(0.0), d.dword(0));
    let inexact = d.op(AluOp::FNe, &[lost, zero]);
    // The neighbour of an even number is one more in its bits, or one less if what was lost has the other sign.
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
