//! Replaces conversions of doubles that the devices do not have: rounding toward zero, to half floats, and from
//! booleans.

use super::LowerOptions;
use super::util::double::{BIAS, Doubles, FRACTION, rewrite_doubles};
use crate::ir::{AluOp, Shader, Value};

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_f64_conversions(shader: &mut Shader, options: &LowerOptions) -> bool {
    rewrite_doubles(shader, options, &[AluOp::F2F, AluOp::F2FRtz, AluOp::B2F], |d, op, srcs| {
        let x = srcs[0];
        match (op, d.result.bits()) {
            (AluOp::B2F, 64) => {
                let (one, zero) = (d.dword(BIAS << FRACTION), d.dword(0));
                let high = d.select(x, one, zero);
                Some(d.high_only(high))
            }
            (AluOp::F2FRtz, 32) => Some(toward_zero(d, x)),
            (AluOp::F2FRtz, 16) => {
                let single = toward_zero(d, x);
                Some(d.convert(AluOp::F2FRtz, 16, single))
            }
            (AluOp::F2F, 16) => {
                let odd = to_odd(d, x);
                Some(d.convert(AluOp::F2F, 16, odd))
            }
            _ => None,
        }
    })
}

/// Converts to 32 bits, rounded toward zero: the nearest float, or its predecessor if the nearest is greater in
/// magnitude.
fn toward_zero(d: &mut Doubles<'_, '_>, x: Value) -> Value {
    let near = d.convert(AluOp::F2F, 32, x);
    let back = d.convert(AluOp::F2F, 64, near);
    let (size, limit) = (d.op(AluOp::FAbs, &[back]), d.op(AluOp::FAbs, &[x]));
    let beyond = d.op(AluOp::FLt, &[limit, size]);
    let before = d.op_imm(AluOp::ISub, near, 1);
    d.select(beyond, before, near)
}

/// Converts to 32 bits with rounding to odd: toward zero, and the last bit is set if the result is inexact. A further
/// rounding to 16 bits then gives the same as rounding the double directly (Boldo and Melquiond, "When double
/// rounding is odd").
fn to_odd(d: &mut Doubles<'_, '_>, x: Value) -> Value {
    let cut = toward_zero(d, x);
    let back = d.convert(AluOp::F2F, 64, cut);
    let inexact = d.op(AluOp::FNe, &[back, x]);
    let odd = d.op_imm(AluOp::IOr, cut, 1);
    d.select(inexact, odd, cut)
}
