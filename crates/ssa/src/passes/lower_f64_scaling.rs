//! Replaces products of doubles with powers of two, rounded once where the result is denormal.

use super::LowerOptions;
use super::util::double::rewrite_doubles;
use crate::ir::{AluOp, Shader};

/// Beyond this power every number is zero or infinite.
const LIMIT: i32 = 2200;

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_f64_scaling(shader: &mut Shader, options: &LowerOptions) -> bool {
    rewrite_doubles(shader, options, &[AluOp::FLdexp], |d, _, srcs| {
        let parts = d.parts(srcs[0]);
        let power = d.op_imm(AluOp::IMax, srcs[1], -LIMIT);
        let power = d.op_imm(AluOp::IMin, power, LIMIT);
        let exponent = d.op(AluOp::IAdd, &[parts.exponent, power]);
        let scaled = d.assembled(parts.sign, parts.significand, exponent);
        // Zero and infinity stay, and NaN becomes a quiet one.
        let one = d.number(1.0);
        let own = d.op(AluOp::FMul, &[srcs[0], one]);
        Some(d.select(parts.special, own, scaled))
    })
}
