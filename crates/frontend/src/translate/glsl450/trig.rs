//! Exponentials, inverse trigonometric and hyperbolic functions.
//!
//! The polynomials are minimax fits of the relative error (Remez exchange in double precision), made for this file:
//!
//! - `atan(x) / x` as a function of `x * x` over [0, 1], error 4.4e-6;
//! - `(asin(x) / x - 1) / (x * x)` as a function of `x * x` over [0, 1/4], error 1.8e-6.
//!
//! Vulkan allows 4096 ULP (4.9e-4) for these functions.

use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, PI};

use crestline_ssa::ir::{AluOp, Value};

use super::super::Translator;

/// `atan(x) / x` in powers of `x * x`.
const ATAN: [f64; 6] = [
    0.9999956296073312,
    -0.33299459695090877,
    0.19563592546252287,
    -0.12123907212563373,
    0.05747731491586388,
    -0.01348047001010257,
];

/// `(asin(x) / x - 1) / (x * x)` in powers of `x * x`.
const ASIN: [f64; 3] = [0.1668012593845868, 0.07189979682208901, 0.06410730960977998];

impl Translator<'_, '_> {
    /// e to the power of `x`.
    pub(super) fn exp(&mut self, x: Value) -> Value {
        let power = self.scaled(x, LOG2_E);
        self.alu(AluOp::FExp2, &[power])
    }

    /// Natural logarithm.
    pub(super) fn log(&mut self, x: Value) -> Value {
        let log2 = self.alu(AluOp::FLog2, &[x]);
        self.scaled(log2, LN_2)
    }

    /// `magnitude` with the sign of `sign`. `magnitude` must not be negative.
    fn copy_sign(&mut self, magnitude: Value, sign: Value) -> Value {
        let ty = self.shader.func.ty(sign);
        let mask = self.imm_int(ty, 1 << (ty.bits() - 1));
        let sign = self.alu(AluOp::IAnd, &[sign, mask]);
        self.alu(AluOp::IOr, &[magnitude, sign])
    }

    /// `atan` of numbers in [0, 1].
    fn atan_unit(&mut self, x: Value) -> Value {
        let square = self.alu(AluOp::FMul, &[x, x]);
        let factor = self.polynomial(square, &ATAN);
        self.alu(AluOp::FMul, &[x, factor])
    }

    /// Arc tangent. Magnitudes above 1 use `atan(x) = pi/2 - atan(1/x)`.
    pub(super) fn atan(&mut self, x: Value) -> Value {
        let ty = self.shader.func.ty(x);
        let one = self.imm_float(ty, 1.0);
        let magnitude = self.alu(AluOp::FAbs, &[x]);
        let steep = self.alu(AluOp::FLt, &[one, magnitude]);
        let reciprocal = self.alu(AluOp::FRcp, &[magnitude]);
        let reduced = self.alu(AluOp::Select, &[steep, reciprocal, magnitude]);
        let angle = self.atan_unit(reduced);
        let complement = self.less(FRAC_PI_2, angle);
        let angle = self.alu(AluOp::Select, &[steep, complement, angle]);
        self.copy_sign(angle, x)
    }

    /// The angle from the positive x axis to the point (`x`, `y`).
    pub(super) fn atan2(&mut self, y: Value, x: Value) -> Value {
        let ty = self.shader.func.ty(x);
        let (zero, one) = (self.imm_float(ty, 0.0), self.imm_float(ty, 1.0));
        let (ax, ay) = (self.alu(AluOp::FAbs, &[x]), self.alu(AluOp::FAbs, &[y]));
        let (low, high) = (self.alu(AluOp::FMin, &[ax, ay]), self.alu(AluOp::FMax, &[ax, ay]));
        let quotient = self.alu(AluOp::FDiv, &[low, high]);
        // Equal magnitudes have the quotient 1, which the division does not give for infinities. If both are zero, the
        // quotient is taken as 0, so the angle depends on the sign of x only.
        let equal = self.alu(AluOp::FEq, &[low, high]);
        let reduced = self.alu(AluOp::Select, &[equal, one, quotient]);
        let nothing = self.alu(AluOp::FEq, &[high, zero]);
        let reduced = self.alu(AluOp::Select, &[nothing, zero, reduced]);
        let angle = self.atan_unit(reduced);
        let steep = self.alu(AluOp::FLt, &[ax, ay]);
        let complement = self.less(FRAC_PI_2, angle);
        let angle = self.alu(AluOp::Select, &[steep, complement, angle]);
        let left = self.alu(AluOp::FLt, &[x, zero]);
        let supplement = self.less(PI, angle);
        let angle = self.alu(AluOp::Select, &[left, supplement, angle]);
        self.copy_sign(angle, y)
    }

    /// For magnitudes above 1/2, half of `acos`; for others, `asin`. The second result is whether the magnitude is
    /// above 1/2.
    fn asin_core(&mut self, magnitude: Value) -> (Value, Value) {
        let ty = self.shader.func.ty(magnitude);
        let half = self.imm_float(ty, 0.5);
        let large = self.alu(AluOp::FLt, &[half, magnitude]);
        // asin(sqrt((1 - x) / 2)) = acos(x) / 2.
        let rest = self.less(1.0, magnitude);
        let folded = self.alu(AluOp::FMul, &[rest, half]);
        let square = self.alu(AluOp::FMul, &[magnitude, magnitude]);
        let square = self.alu(AluOp::Select, &[large, folded, square]);
        let root = self.alu(AluOp::FSqrt, &[folded]);
        let base = self.alu(AluOp::Select, &[large, root, magnitude]);
        let factor = self.polynomial(square, &ASIN);
        let cube = self.alu(AluOp::FMul, &[base, square]);
        let angle = self.alu(AluOp::FFma, &[cube, factor, base]);
        (angle, large)
    }

    /// Arc sine; NaN outside [-1, 1].
    pub(super) fn asin(&mut self, x: Value) -> Value {
        let magnitude = self.alu(AluOp::FAbs, &[x]);
        let (angle, large) = self.asin_core(magnitude);
        let twice = self.alu(AluOp::FAdd, &[angle, angle]);
        let complement = self.less(FRAC_PI_2, twice);
        let angle = self.alu(AluOp::Select, &[large, complement, angle]);
        self.copy_sign(angle, x)
    }

    /// Arc cosine; NaN outside [-1, 1].
    pub(super) fn acos(&mut self, x: Value) -> Value {
        let ty = self.shader.func.ty(x);
        let zero = self.imm_float(ty, 0.0);
        let magnitude = self.alu(AluOp::FAbs, &[x]);
        let (angle, large) = self.asin_core(magnitude);
        let twice = self.alu(AluOp::FAdd, &[angle, angle]);
        let supplement = self.less(PI, twice);
        let negative = self.alu(AluOp::FLt, &[x, zero]);
        let steep = self.alu(AluOp::Select, &[negative, supplement, twice]);
        let signed = self.copy_sign(angle, x);
        let flat = self.less(FRAC_PI_2, signed);
        self.alu(AluOp::Select, &[large, steep, flat])
    }

    /// `exp(x) / 2` and `exp(-x) / 2`. The exponent is decremented before the power is computed, so that a result in
    /// range does not overflow.
    fn half_exps(&mut self, x: Value) -> [Value; 2] {
        let power = self.scaled(x, LOG2_E);
        let up = self.shifted(power, -1.0);
        let down = self.less(-1.0, power);
        [self.alu(AluOp::FExp2, &[up]), self.alu(AluOp::FExp2, &[down])]
    }

    /// Hyperbolic sine or cosine.
    pub(super) fn sinh_cosh(&mut self, x: Value, sine: bool) -> Value {
        let halves = self.half_exps(x);
        self.alu(if sine { AluOp::FSub } else { AluOp::FAdd }, &halves)
    }

    /// Hyperbolic tangent. The argument is clamped to [-10, 10], where the result is 1 or -1 in 32 bits; otherwise
    /// infinity would be divided by infinity.
    pub(super) fn tanh(&mut self, x: Value) -> Value {
        let ty = self.shader.func.ty(x);
        let (least, most) = (self.imm_float(ty, -10.0), self.imm_float(ty, 10.0));
        let raised = self.alu(AluOp::FMax, &[x, least]);
        let x = self.alu(AluOp::FMin, &[raised, most]);
        let halves = self.half_exps(x);
        let (sinh, cosh) = (self.alu(AluOp::FSub, &halves), self.alu(AluOp::FAdd, &halves));
        self.alu(AluOp::FDiv, &[sinh, cosh])
    }

    /// Inverse hyperbolic sine: that of the magnitude, so that the logarithm's argument is at least 1, then the sign.
    pub(super) fn asinh(&mut self, x: Value) -> Value {
        let ty = self.shader.func.ty(x);
        let one = self.imm_float(ty, 1.0);
        let magnitude = self.alu(AluOp::FAbs, &[x]);
        let square = self.alu(AluOp::FFma, &[x, x, one]);
        let root = self.alu(AluOp::FSqrt, &[square]);
        let sum = self.alu(AluOp::FAdd, &[magnitude, root]);
        let log = self.log(sum);
        self.copy_sign(log, x)
    }

    /// Inverse hyperbolic cosine.
    pub(super) fn acosh(&mut self, x: Value) -> Value {
        let ty = self.shader.func.ty(x);
        let minus_one = self.imm_float(ty, -1.0);
        let square = self.alu(AluOp::FFma, &[x, x, minus_one]);
        let root = self.alu(AluOp::FSqrt, &[square]);
        let sum = self.alu(AluOp::FAdd, &[x, root]);
        self.log(sum)
    }

    /// Inverse hyperbolic tangent.
    pub(super) fn atanh(&mut self, x: Value) -> Value {
        let (above, below) = (self.shifted(x, 1.0), self.less(1.0, x));
        let quotient = self.alu(AluOp::FDiv, &[above, below]);
        let log2 = self.alu(AluOp::FLog2, &[quotient]);
        self.scaled(log2, LN_2 / 2.0)
    }
}
