//! The macro operations of IEEE division and square root: `invm`, `rsqrtm`, `madm`.
//!
//! Each operand of these operations consists of a register and a math macro extension (mme)
//! register. The extension widens the exponent, so that no step of the macro overflows or
//! underflows. How the hardware splits a number between the two registers is not public. Here the
//! register holds the number scaled to an exponent of zero, and the extension holds the exponent.
//! The results of a macro have no extension and do not depend on the split.

use super::env::{FloatEnv, Rounding};
use super::float::Float;
use super::soft::Number;

/// An operand of a macro operation: the number `value * 2^extension`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extended<F> {
    /// Content of the register.
    pub value: F,
    /// Content of the extension register; 0 for an operand without one.
    pub extension: i32,
}

/// The result of `invm` and `rsqrtm`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed<F> {
    /// The approximation, or the final result.
    pub result: Extended<F>,
    /// Whether the result is already final. It is written to the flag that predicates the later
    /// steps of the macro.
    pub early_out: bool,
}

impl<F: Float> Extended<F> {
    /// An operand without an extension.
    pub const fn plain(value: F) -> Self {
        Extended { value, extension: 0 }
    }

    /// The number, with the extension added to its exponent.
    fn number(self) -> Number {
        match self.value.unpack() {
            Number::Finite { negative, mantissa, exponent } => {
                Number::Finite { negative, mantissa, exponent: exponent + self.extension }
            }
            other => other,
        }
    }

    /// Rounds a number to the precision of `F`. The exponent goes to the extension, up to
    /// [`MAX_EXTENSION`] in size.
    fn pack(number: Number, rounding: Rounding) -> Self {
        match number {
            Number::Finite { negative, mantissa, exponent } if mantissa != 0 => {
                let top = exponent + 127 - mantissa.leading_zeros() as i32;
                let near_one = Number::Finite { negative, mantissa, exponent: exponent - top };
                let extension = top.clamp(-MAX_EXTENSION, MAX_EXTENSION);
                Extended { value: F::from_bits(near_one.pack(F::FORMAT, rounding)), extension }
            }
            other => Extended::plain(F::from_bits(other.pack(F::FORMAT, rounding))),
        }
    }
}

/// The greatest size of an extension. No quotient or root comes near it; the limit keeps programs
/// that multiply extended numbers again and again from an overflow.
const MAX_EXTENSION: i32 = 1 << 24;

/// `madm`: `a + b * c`, rounded once to the precision of the format. `extended` is whether the
/// destination has an extension register; without one the result is an ordinary number of the
/// format.
pub fn madm<F: Float>(
    a: Extended<F>,
    b: Extended<F>,
    c: Extended<F>,
    extended: bool,
    env: &FloatEnv,
) -> Extended<F> {
    let sum = b.number().times(c.number()).add(a.number(), env.rounding);
    if extended { Extended::pack(sum, env.rounding) } else { Extended::plain(F::pack(sum, env)) }
}

/// `invm`, the first step of `a / b`: an approximation of `1 / b`, or the final quotient if an
/// operand is zero, infinite or NaN.
pub fn invm<F: Float>(a: F, b: F, env: &FloatEnv) -> Seed<F> {
    let (a, b) = (a.flush(env), b.flush(env));
    let sign = a.is_sign_negative() != b.is_sign_negative();
    let signed = |bits: u64| F::from_bits(bits | if sign { F::FORMAT.sign() } else { 0 });
    let last = |value| Seed { result: Extended::plain(value), early_out: true };
    if a.is_nan() || b.is_nan() {
        return last(if a.is_nan() { a.quiet() } else { b.quiet() });
    }
    let (infinity, nan) = (F::FORMAT.infinity(), F::from_bits(F::FORMAT.nan()));
    let kind = |x: F| (x.absolute().to_bits() == 0, x.absolute().to_bits() == infinity);
    match (kind(a), kind(b)) {
        ((true, _), (true, _)) | ((_, true), (_, true)) => last(nan),
        ((true, _), _) | (_, (_, true)) => last(signed(0)),
        ((_, true), _) | (_, (true, _)) => last(signed(infinity)),
        _ => Seed {
            result: Extended::pack(reciprocal(b.unpack()), Rounding::NearestEven),
            early_out: false,
        },
    }
}

/// `rsqrtm`, the first step of `sqrt(x)`: an approximation of `1 / sqrt(x)`, or the final root if
/// `x` is zero, infinite, NaN or negative.
pub fn rsqrtm<F: Float>(x: F, env: &FloatEnv) -> Seed<F> {
    let x = x.flush(env);
    let last = |value| Seed { result: Extended::plain(value), early_out: true };
    match x.unpack() {
        Number::Nan => last(x.quiet()),
        Number::Finite { mantissa: 0, .. } => last(x),
        Number::Infinity { negative: false } => last(x),
        Number::Infinity { negative: true } | Number::Finite { negative: true, .. } => {
            last(F::from_bits(F::FORMAT.nan()))
        }
        Number::Finite { mantissa, exponent, .. } => {
            let root = reciprocal_root(mantissa, exponent);
            Seed { result: Extended::pack(root, Rounding::NearestEven), early_out: false }
        }
    }
}

/// `1 / number` with more bits than any format has. The number must be finite and not zero.
fn reciprocal(number: Number) -> Number {
    let Number::Finite { negative, mantissa, exponent } = number else { return Number::Nan };
    // 2^126 / mantissa has at least 73 bits for the mantissas of the formats.
    let quotient = (1u128 << 126) / mantissa;
    let inexact = u128::from(!(1u128 << 126).is_multiple_of(mantissa));
    Number::Finite { negative, mantissa: quotient | inexact, exponent: -126 - exponent }
}

/// `1 / sqrt(mantissa * 2^exponent)` with about 62 bits.
fn reciprocal_root(mantissa: u128, exponent: i32) -> Number {
    // Make the exponent even; then root = floor(sqrt(2^126 / mantissa)) * 2^(-63 - exponent / 2).
    let (mantissa, exponent) =
        if exponent % 2 == 0 { (mantissa, exponent) } else { (mantissa << 1, exponent - 1) };
    let quotient = (1u128 << 126) / mantissa;
    let up = quotient.leading_zeros() & !1;
    let root = (quotient << up).isqrt();
    Number::Finite {
        negative: false,
        mantissa: root | 1,
        exponent: -63 - exponent / 2 - (up / 2) as i32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain<F: Float>(value: F) -> Extended<F> {
        Extended::plain(value)
    }

    #[test]
    fn repeated_products_do_not_overflow() {
        for start in [1e300f64, -1e-300] {
            let (env, zero) = (FloatEnv::default(), plain(0.0));
            let mut number = plain(start);
            for _ in 0..100 {
                number = madm(zero, number, number, true, &env);
                let sum = madm(plain(1.0), number, plain(-2.0), true, &env);
                assert!(!sum.value.is_nan());
            }
            assert_eq!(number.extension.abs(), MAX_EXTENSION);
        }
    }

    /// The IEEE division macro of the public documentation, step by step.
    fn divide<F: Float>(a: F, b: F) -> F {
        let env = FloatEnv { keep_denorm_f32: true, keep_denorm_f64: true, ..FloatEnv::default() };
        let seed = invm(a, b, &env);
        if seed.early_out {
            return seed.result.value;
        }
        let neg = |x: Extended<F>| Extended { value: x.value.negate(), ..x };
        let mad = |a, b, c| madm::<F>(a, b, c, true, &env);
        let (a, b, one, y) = (plain(a), plain(b), plain(F::one()), seed.result);
        let q = mad(plain(F::zero()), a, y);
        let e = mad(one, neg(b), y);
        let r = mad(a, neg(b), q);
        let y1 = mad(y, e, y);
        let e1 = mad(one, neg(b), y1);
        let y2 = mad(y, e, y1);
        let q1 = mad(q, r, y1);
        let y3 = mad(y1, y2, e1);
        let r1 = mad(a, neg(b), q1);
        madm(q1, r1, y3, false, &env).value
    }

    /// The IEEE square root macro.
    fn root<F: Float>(x: F) -> F {
        let env = FloatEnv { keep_denorm_f32: true, keep_denorm_f64: true, ..FloatEnv::default() };
        let seed = rsqrtm(x, &env);
        if seed.early_out {
            return seed.result.value;
        }
        let neg = |x: Extended<F>| Extended { value: x.value.negate(), ..x };
        let mad = |a, b, c| madm::<F>(a, b, c, true, &env);
        let (x, zero, one, y) = (plain(x), plain(F::zero()), plain(F::one()), seed.result);
        let half = plain(F::from_bits(F::one().to_bits() - (1 << F::FORMAT.fraction)));
        let h = mad(zero, half, y);
        let s = mad(zero, x, y);
        let e = mad(half, neg(s), h);
        let three_halves = mad(one, half, one);
        let f = mad(one, three_halves, e);
        let g = mad(zero, e, s);
        let k = mad(zero, e, h);
        let s1 = mad(s, f, g);
        let h1 = mad(h, f, k);
        let d = mad(x, neg(s1), s1);
        madm(s1, d, h1, false, &env).value
    }

    #[test]
    fn the_macros_divide_and_root_as_ieee_says() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut next = || random.u64(..);
        for _ in 0..20_000 {
            let (a, b) = (f64::from_bits(next()), f64::from_bits(next()));
            assert!(
                divide(a, b).to_bits() == (a / b).to_bits() || (a / b).is_nan(),
                "{a:e} / {b:e}"
            );
            let a = a.abs();
            assert!(root(a).to_bits() == a.sqrt().to_bits() || a.is_nan(), "sqrt {a:e}");
            let (a, b) = (f32::from_bits(next() as u32), f32::from_bits(next() as u32));
            assert!(
                divide(a, b).to_bits() == (a / b).to_bits() || (a / b).is_nan(),
                "{a:e} / {b:e}"
            );
        }
    }
}
