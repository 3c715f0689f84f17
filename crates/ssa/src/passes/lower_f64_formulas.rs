//! Replaces operations on doubles that are simple formulas of other operations: `fsign` and `flrp`.

use super::LowerOptions;
use super::util::double::{BIAS, FRACTION, rewrite_doubles};
use crate::ir::{AluOp, Shader};

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_f64_formulas(shader: &mut Shader, options: &LowerOptions) -> bool {
    rewrite_doubles(shader, options, &[AluOp::FSign, AluOp::FLrp], |d, op, srcs| {
        Some(match op {
            AluOp::FSign => {
                let x = srcs[0];
                let sign = d.sign(x);
                let one = d.op_imm(AluOp::IOr, sign, BIAS << FRACTION);
                let (zero, none) = (d.number(0.0), d.dword(0));
                // For zero and NaN, the result is 0.
                let size = d.op(AluOp::FAbs, &[x]);
                let any = d.op(AluOp::FLt, &[zero, size]);
                let high = d.select(any, one, none);
                d.high_only(high)
            }
            _ => {
                let one = d.number(1.0);
                let rest = d.op(AluOp::FSub, &[one, srcs[2]]);
                let first = d.op(AluOp::FMul, &[srcs[0], rest]);
                let second = d.op(AluOp::FMul, &[srcs[1], srcs[2]]);
                d.op(AluOp::FAdd, &[first, second])
            }
        })
    })
}
