//! Replaces `fldexp` of doubles, the product with a power of two. A denormal result is rounded once.

use super::LowerOptions;
use super::util::double::rewrite_doubles;
use crate::ir::{AluOp, Shader};

/// Scaling by more than this power of two always gives zero or infinity.
const LIMIT: i32 = 2200;

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_f64_scaling(shader: &mut Shader, options: &LowerOptions) -> bool {
    rewrite_doubles(shader, options, &[AluOp::FLdexp], |d, _, srcs| {
        let parts = d.parts(srcs[0]);
        let power = d.op_imm(AluOp::IMax, srcs[1], -LIMIT);
        let power = d.op_imm(AluOp::IMin, power, LIMIT);
        let exponent = d.op(AluOp::IAdd, &[parts.exponent, power]);
        let scaled = d.assembled(parts.sign, parts.significand, exponent);
        // Zero and infinity keep their value. A NaN becomes quiet.
        let one = d.number(1.0);
        let own = d.op(AluOp::FMul, &[srcs[0], one]);
        Some(d.select(parts.special, own, scaled))
    })
}
