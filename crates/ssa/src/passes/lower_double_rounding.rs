//! Replaces rounding of doubles, for which no device has an instruction, by operations on their bits, and what follows
//! from it. Comes before [`lower_int64`](super::lower_int64()), which splits the bits.

use super::util::{Action, rewrite};
use crate::ir::{AluOp, Builder, InstKind, Shader, Src, Ty, Value};

/// The sign bit.
const SIGN: u64 = 1 << 63;
/// Bits of the fraction.
const FRACTION: u32 = 52;
/// The exponent of 1.
const BIAS: u32 = 1023;

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_double_rounding(shader: &mut Shader) -> bool {
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let InstKind::Alu { op, srcs, .. } = &data.kind else { return Action::Keep };
        let (op, src) = (*op, srcs[0]);
        if b.func.ty(data.results[0]) != Ty::X64 {
            return Action::Keep;
        }
        let x = |b: &mut Builder<'_>| b.comp(src.value, usize::from(src.swizzle[0]));
        let by = match op {
            AluOp::FTrunc => {
                let x = x(b);
                truncated(b, x)
            }
            AluOp::FFloor => {
                let x = x(b);
                floor(b, x)
            }
            AluOp::FCeil => {
                let x = x(b);
                let x = b.alu(AluOp::FNeg, &[x]);
                let down = floor(b, x);
                b.alu(AluOp::FNeg, &[down])
            }
            AluOp::FFract => {
                let x = x(b);
                let down = floor(b, x);
                b.alu(AluOp::FSub, &[x, down])
            }
            AluOp::FRoundEven => {
                let x = x(b);
                rounded(b, x)
            }
            AluOp::FSign => {
                let x = x(b);
                let (zero, one) = (double(b, 0.0), double(b, 1.0));
                let signed = with_sign_of(b, one, x);
                let size = b.alu(AluOp::FAbs, &[x]);
                let any = b.alu(AluOp::FLt, &[zero, size]);
                b.alu(AluOp::Select, &[any, signed, zero])
            }
            _ => return Action::Keep,
        };
        Action::Replace(by.into())
    })
}

fn constant(b: &mut Builder<'_>, bits: u64) -> Value {
    b.constant(Ty::X64, [bits, 0, 0, 0])
}

fn double(b: &mut Builder<'_>, value: f64) -> Value {
    constant(b, value.to_bits())
}

fn with_sign_of(b: &mut Builder<'_>, size: Value, x: Value) -> Value {
    let sign = constant(b, SIGN);
    let sign = b.alu(AluOp::IAnd, &[x, sign]);
    b.alu(AluOp::IOr, &[size, sign])
}

/// Without the bits that stand for less than 1: all but the sign below 1, none from 2^52 on.
fn truncated(b: &mut Builder<'_>, x: Value) -> Value {
    let halves = b.alu_ty(AluOp::Unpack64To32, Ty::X32.with_comps(2), &[x.into()]);
    let high = Src::comp(halves, 1);
    let mut op = |op, x: Src, y: u32| -> Src {
        let y = b.imm(y);
        b.alu_ty(op, Ty::X32, &[x, y.into()]).into()
    };
    let exponent = op(AluOp::UShr, high, FRACTION - 32);
    let exponent = op(AluOp::IAnd, exponent, 0x7ff);
    let exponent = op(AluOp::ISub, exponent, BIAS);
    let count = b.imm(FRACTION);
    let count = b.alu(AluOp::ISub, &[count, exponent.value]);
    let all = constant(b, u64::MAX);
    let mask = b.alu_ty(AluOp::IShl, Ty::X64, &[all.into(), count.into()]);
    let cut = b.alu(AluOp::IAnd, &[x, mask]);
    let (zero, whole) = (b.imm(0), b.imm(FRACTION));
    let below = b.alu(AluOp::ILt, &[exponent.value, zero]);
    let beyond = b.alu(AluOp::IGe, &[exponent.value, whole]);
    let none = constant(b, 0);
    let none = with_sign_of(b, none, x);
    let cut = b.alu(AluOp::Select, &[beyond, x, cut]);
    b.alu(AluOp::Select, &[below, none, cut])
}

fn floor(b: &mut Builder<'_>, x: Value) -> Value {
    let whole = truncated(b, x);
    let one = double(b, 1.0);
    let less = b.alu(AluOp::FSub, &[whole, one]);
    let above = b.alu(AluOp::FLt, &[x, whole]);
    b.alu(AluOp::Select, &[above, less, whole])
}

/// To the nearest: a sum with 2^52 has no room for fractions.
fn rounded(b: &mut Builder<'_>, x: Value) -> Value {
    let outer = b.set_exact(true);
    let size = b.alu(AluOp::FAbs, &[x]);
    let limit = double(b, (1u64 << FRACTION) as f64);
    let sum = b.alu(AluOp::FAdd, &[size, limit]);
    let whole = b.alu(AluOp::FSub, &[sum, limit]);
    b.set_exact(outer);
    let fits = b.alu(AluOp::FLt, &[size, limit]);
    let whole = b.alu(AluOp::Select, &[fits, whole, size]);
    with_sign_of(b, whole, x)
}
