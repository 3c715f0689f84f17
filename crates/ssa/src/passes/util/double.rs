//! Building blocks of the `lower_f64_*` passes: arithmetic on doubles in software, on all components at once.
//!
//! Devices add, multiply, compare and convert doubles. The passes build all other operations from these, from 32-bit
//! operations that give a first approximation, and from integer arithmetic on the high dword, which holds sign and
//! exponent.

use super::{Action, rewrite};
use crate::ir::{AluOp, Builder, InstData, InstKind, Shader, Src, Ty, Value};
use crate::passes::LowerOptions;

/// The sign bit in the high dword.
pub(crate) const SIGN: u32 = 1 << 31;
/// The exponent field in the high dword.
const EXPONENT: u32 = 0x7ff << FRACTION;
/// Number of fraction bits in the high dword: the position of the exponent field.
pub(crate) const FRACTION: u32 = 20;
/// Number of fraction bits of a double.
pub(crate) const PRECISION: i32 = 52;
/// The exponent field of the number 1.
pub(crate) const BIAS: i32 = 1023;
/// Exponent of a factor: a denormal times two to this power is a normal number.
const NORMALIZE: i32 = 54;

/// Calls `f` for each operation among `ops` that computes on 64-bit values, with its sources. The value that `f`
/// returns replaces the result; `None` keeps the operation. The built instructions are marked exact, so that later
/// passes keep their order. Returns whether an operation was replaced; this is false for devices without doubles.
pub(crate) fn rewrite_doubles(
    shader: &mut Shader,
    options: &LowerOptions,
    ops: &[AluOp],
    f: impl Fn(&mut Doubles<'_, '_>, AluOp, &[Value]) -> Option<Value>,
) -> bool {
    let Some(support) = options.doubles else { return false };
    let named =
        |inst: &InstData| matches!(&inst.kind, InstKind::Alu { op, .. } if ops.contains(op));
    if !shader.func.may_have(named) {
        return false;
    }
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let InstKind::Alu { op, srcs, .. } = &data.kind else { return Action::Keep };
        let ty = b.func.ty(data.results[0]);
        let wide = ty.bits() == 64 || b.func.ty(srcs[op.size_src()].value).bits() == 64;
        if !wide || !ops.contains(op) {
            return Action::Keep;
        }
        let (op, srcs) = (*op, srcs.clone());
        b.set_exact(true);
        let values: Vec<Value> = srcs.iter().map(|&src| whole(b, src, ty.comps())).collect();
        let mut doubles = Doubles { b, comps: ty.comps(), result: ty, fused: support.fused };
        f(&mut doubles, op, &values).map_or(Action::Keep, |by| Action::Replace(by.into()))
    })
}

/// The components that a source selects, as a value of its own. No instruction is made if the source selects all
/// components of its value in order.
fn whole(b: &mut Builder<'_>, src: Src, comps: usize) -> Value {
    let ty = b.func.ty(src.value);
    if src.is_identity(comps) && ty.comps() == comps {
        return src.value;
    }
    b.alu_ty(AluOp::Mov, ty.with_comps(comps), &[src])
}

/// Builds arithmetic on doubles, all of the same number of components.
pub(crate) struct Doubles<'b, 'f> {
    b: &'b mut Builder<'f>,
    comps: usize,
    /// The type of the result.
    pub(crate) result: Ty,
    fused: bool,
}

/// A double decomposed into a sign, a significand and an exponent: `± significand * 2^exponent`.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    /// A dword that has the sign in bit 31.
    pub(crate) sign: Value,
    /// The exponent field. A denormal is first scaled to a normal number, so the field is 0 only for zero, and 2047 for
    /// infinity and NaN.
    pub(crate) field: Value,
    /// The significand, a double in [1, 2).
    pub(crate) significand: Value,
    /// The exponent, a signed dword.
    pub(crate) exponent: Value,
    /// Whether the number is zero, infinite or NaN. Significand and exponent have no meaning then.
    pub(crate) special: Value,
}

impl Doubles<'_, '_> {
    /// The type with as many components as the operation.
    fn ty(&self, bits: Ty) -> Ty {
        bits.with_comps(self.comps)
    }

    /// A double constant, the same in all components.
    pub(crate) fn number(&mut self, value: f64) -> Value {
        let ty = self.ty(Ty::X64);
        self.b.constant(ty, [value.to_bits(); 4])
    }

    /// A dword constant, the same in all components.
    pub(crate) fn dword(&mut self, value: i32) -> Value {
        let ty = self.ty(Ty::X32);
        self.b.constant(ty, [u64::from(value as u32); 4])
    }

    /// An operation whose result size follows from its sources.
    pub(crate) fn op(&mut self, op: AluOp, srcs: &[Value]) -> Value {
        self.b.alu(op, srcs)
    }

    /// An operation on dwords whose second source is the constant `y`.
    pub(crate) fn op_imm(&mut self, op: AluOp, x: Value, y: i32) -> Value {
        let y = self.dword(y);
        self.b.alu(op, &[x, y])
    }

    /// A conversion to `bits` bits.
    pub(crate) fn convert(&mut self, op: AluOp, bits: u32, x: Value) -> Value {
        self.b.convert(op, bits, x)
    }

    /// `x` where `cond` holds, else `y`.
    pub(crate) fn select(&mut self, cond: Value, x: Value, y: Value) -> Value {
        self.b.alu(AluOp::Select, &[cond, x, y])
    }

    /// The low dword of a double.
    pub(crate) fn low(&mut self, x: Value) -> Value {
        self.b.alu(AluOp::Unpack64Low, &[x])
    }

    /// The high dword of a double.
    pub(crate) fn high(&mut self, x: Value) -> Value {
        self.b.alu(AluOp::Unpack64High, &[x])
    }

    /// The double with these two dwords.
    pub(crate) fn join(&mut self, low: Value, high: Value) -> Value {
        self.b.alu(AluOp::Pack64FromHalves, &[low, high])
    }

    /// The double with this high dword and a low dword of zero.
    pub(crate) fn high_only(&mut self, high: Value) -> Value {
        let zero = self.dword(0);
        self.join(zero, high)
    }

    /// The sign of a double, in bit 31 of a dword.
    pub(crate) fn sign(&mut self, x: Value) -> Value {
        let high = self.high(x);
        self.op_imm(AluOp::IAnd, high, SIGN as i32)
    }

    /// The nonnegative double `size` with the sign bit `sign` (bit 31 of a dword).
    pub(crate) fn with_sign(&mut self, size: Value, sign: Value) -> Value {
        let (low, high) = (self.low(size), self.high(size));
        let high = self.op(AluOp::IOr, &[high, sign]);
        self.join(low, high)
    }

    /// The high dword of the double 2^`exponent`. The exponent, a dword, must be in the range of normal numbers.
    pub(crate) fn power_high(&mut self, exponent: Value) -> Value {
        let field = self.op_imm(AluOp::IAdd, exponent, BIAS);
        self.op_imm(AluOp::IShl, field, FRACTION as i32)
    }

    /// Decomposes a double.
    pub(crate) fn parts(&mut self, x: Value) -> Parts {
        let high = self.high(x);
        let field = self.op_imm(AluOp::IAnd, high, EXPONENT as i32);
        let tiny = {
            let zero = self.dword(0);
            self.op(AluOp::IEq, &[field, zero])
        };
        let factor = self.number(2f64.powi(NORMALIZE));
        let raised = self.op(AluOp::FMul, &[x, factor]);
        let x = self.select(tiny, raised, x);
        let high = self.high(x);
        let field = self.op_imm(AluOp::UShr, high, FRACTION as i32);
        let field = self.op_imm(AluOp::IAnd, field, 0x7ff);
        let (usual, raised) = (self.dword(BIAS), self.dword(BIAS + NORMALIZE));
        let bias = self.select(tiny, raised, usual);
        let exponent = self.op(AluOp::ISub, &[field, bias]);
        let below = self.op_imm(AluOp::ISub, field, 1);
        let limit = self.dword(0x7fe);
        let special = self.op(AluOp::UGe, &[below, limit]);
        let sign = self.op_imm(AluOp::IAnd, high, SIGN as i32);
        let fraction = self.op_imm(AluOp::IAnd, high, (1 << FRACTION) - 1);
        let top = self.op_imm(AluOp::IOr, fraction, BIAS << FRACTION);
        let low = self.low(x);
        let significand = self.join(low, top);
        Parts { sign, field, significand, exponent, special }
    }

    /// `significand * 2^exponent` with a sign, rounded once. The significand must be in [0, 4); the exponent is any
    /// dword.
    pub(crate) fn assembled(&mut self, sign: Value, significand: Value, exponent: Value) -> Value {
        // The power of two is applied as two factors, since a single one cannot represent all exponents. Only the
        // second product can leave the range of normal numbers, so only it rounds.
        let exponent = self.op_imm(AluOp::IMax, exponent, -1200);
        let exponent = self.op_imm(AluOp::IMin, exponent, 1200);
        let first = self.op_imm(AluOp::IShr, exponent, 1);
        let second = self.op(AluOp::ISub, &[exponent, first]);
        let first = self.power_high(first);
        let first = self.op(AluOp::IOr, &[first, sign]);
        let (first, second) = (self.high_only(first), self.power_high(second));
        let second = self.high_only(second);
        let product = self.op(AluOp::FMul, &[significand, first]);
        self.op(AluOp::FMul, &[product, second])
    }

    /// The result of the 32-bit operation `op` as a first approximation: about 22 bits are correct. The double must
    /// be in the range of normal 32-bit floats.
    pub(crate) fn seed(&mut self, op: AluOp, x: Value) -> Value {
        let x = self.convert(AluOp::F2F, 32, x);
        let seed = self.op(op, &[x]);
        self.convert(AluOp::F2F, 64, seed)
    }

    /// `c + x * y`, rounded once on devices with a fused multiply-add, else twice.
    pub(crate) fn plus_product(&mut self, c: Value, x: Value, y: Value) -> Value {
        if self.fused {
            return self.op(AluOp::FFma, &[x, y, c]);
        }
        let product = self.op(AluOp::FMul, &[x, y]);
        self.op(AluOp::FAdd, &[c, product])
    }

    /// `c - x * y`, rounded once on devices with a fused multiply-add, else twice.
    pub(crate) fn minus_product(&mut self, c: Value, x: Value, y: Value) -> Value {
        let x = self.op(AluOp::FNeg, &[x]);
        self.plus_product(c, x, y)
    }

    /// `c - x * y`, rounded once. The rounded product must be between half and twice `c`, so that their difference is
    /// exact. The factors must be so small that [`Doubles::product`] does not overflow.
    pub(crate) fn remainder(&mut self, c: Value, x: Value, y: Value) -> Value {
        if self.fused {
            return self.minus_product(c, x, y);
        }
        let (product, lost) = self.product(x, y);
        let rest = self.op(AluOp::FSub, &[c, product]);
        self.op(AluOp::FSub, &[rest, lost])
    }

    /// The rounded product and its exact rounding error. Each factor is split into halves of 26 bits, whose products
    /// are exact (Dekker, "A floating-point technique for extending the available precision", 1971). The factors must
    /// be so small that neither the splitting nor the products overflow or become denormal.
    pub(crate) fn product(&mut self, x: Value, y: Value) -> (Value, Value) {
        let product = self.op(AluOp::FMul, &[x, y]);
        let (x, y) = (self.split(x), self.split(y));
        let mut rest = self.op(AluOp::FNeg, &[product]);
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let partial = self.op(AluOp::FMul, &[x[i], y[j]]);
            rest = self.op(AluOp::FAdd, &[rest, partial]);
        }
        (product, rest)
    }

    /// The upper and the lower half of the bits of a double; their sum is the double.
    fn split(&mut self, x: Value) -> [Value; 2] {
        let factor = self.number(f64::from((1 << 27) + 1));
        let scaled = self.op(AluOp::FMul, &[x, factor]);
        let excess = self.op(AluOp::FSub, &[scaled, x]);
        let upper = self.op(AluOp::FSub, &[scaled, excess]);
        let lower = self.op(AluOp::FSub, &[x, upper]);
        [upper, lower]
    }

    /// The rounded sum and its exact rounding error (Knuth, The Art of Computer Programming, 4.2.2).
    pub(crate) fn sum(&mut self, x: Value, y: Value) -> (Value, Value) {
        let sum = self.op(AluOp::FAdd, &[x, y]);
        let of_y = self.op(AluOp::FSub, &[sum, x]);
        let of_x = self.op(AluOp::FSub, &[sum, of_y]);
        let lost_x = self.op(AluOp::FSub, &[x, of_x]);
        let lost_y = self.op(AluOp::FSub, &[y, of_y]);
        let lost = self.op(AluOp::FAdd, &[lost_x, lost_y]);
        (sum, lost)
    }
}
