//! Fast functions of the math unit on 32-bit floats.
//!
//! [`crestline_isa::semantics`] defines a result as that of a function with 64-bit floats, rounded to 32 bits. Quotients and roots
//! are computed just so. The other functions are computed with 64-bit floats by other formulas, for all channels at once. Both
//! are within [`Doubt`] of the exact result. So if the 64-bit result is further than that from the middle between two
//! 32-bit floats, both round to the same one; else, and for numbers outside of the range of a formula, the semantics compute the
//! channel.

use super::float::{Quick, compute, load, unless_nan};
use super::ops::{Cos, Exp, Fdiv, Inv, Log, Pow, Rsq, Sin, Sqrt};
use super::{Binary, Unary};
use crate::plan::Plan;
use crate::thread::Thread;

/// A formula for a function of one source.
pub(crate) trait Formula: Unary<f32> {
    /// The result for a number.
    fn quick<const FMA: bool>(x: f32) -> Quick;
}

/// A formula for a function of two sources.
pub(crate) trait BinaryFormula: Binary<f32> {
    /// The result for two numbers.
    fn quick<const FMA: bool>(a: f32, b: f32) -> Quick;
}

/// Executes a function of one source on `N` channels.
#[inline(always)]
pub(crate) fn elementary<O: Formula, const N: usize, const FMA: bool>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
) {
    let a = load::<N>(plan, t, mask, 0);
    let quick = |i: usize| O::quick::<FMA>(f32::from_bits(a[i]));
    compute::<N>(plan, t, mask, quick, |i, env| O::eval(f32::from_bits(a[i]), env));
}

/// Executes a function of two sources on `N` channels.
#[inline(always)]
pub(crate) fn binary_elementary<O: BinaryFormula, const N: usize, const FMA: bool>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
) {
    let (a, b) = (load::<N>(plan, t, mask, 0), load::<N>(plan, t, mask, 1));
    let at = |i: usize| [a[i], b[i]].map(f32::from_bits);
    let quick = |i: usize| {
        let [a, b] = at(i);
        O::quick::<FMA>(a, b)
    };
    compute::<N>(plan, t, mask, quick, |i, env| {
        let [a, b] = at(i);
        O::eval(a, b, env)
    });
}

impl Formula for Inv {
    #[inline(always)]
    fn quick<const FMA: bool>(x: f32) -> Quick {
        unless_nan((1.0 / f64::from(x)) as f32)
    }
}

impl Formula for Sqrt {
    #[inline(always)]
    fn quick<const FMA: bool>(x: f32) -> Quick {
        unless_nan(f64::from(x).sqrt() as f32)
    }
}

impl Formula for Rsq {
    #[inline(always)]
    fn quick<const FMA: bool>(x: f32) -> Quick {
        unless_nan((1.0 / f64::from(x).sqrt()) as f32)
    }
}

impl BinaryFormula for Fdiv {
    #[inline(always)]
    fn quick<const FMA: bool>(a: f32, b: f32) -> Quick {
        unless_nan((f64::from(a) / f64::from(b)) as f32)
    }
}

impl Formula for Exp {
    #[inline(always)]
    fn quick<const FMA: bool>(x: f32) -> Quick {
        let in_range = x.abs() <= EXPONENTS;
        rounded(exp2::<FMA>(f64::from(x)), in_range, Doubt::SMALL)
    }
}

impl Formula for Log {
    #[inline(always)]
    fn quick<const FMA: bool>(x: f32) -> Quick {
        rounded(log2::<FMA>(x), has_log(x), Doubt::SMALL)
    }
}

impl BinaryFormula for Pow {
    #[inline(always)]
    fn quick<const FMA: bool>(a: f32, b: f32) -> Quick {
        let exponent = f64::from(b) * log2::<FMA>(a);
        let in_range = has_log(a) & (exponent.abs() <= f64::from(EXPONENTS));
        // An error of the logarithm counts as often as the exponent says.
        rounded(exp2::<FMA>(exponent), in_range, Doubt::LARGE)
    }
}

impl Formula for Sin {
    #[inline(always)]
    fn quick<const FMA: bool>(x: f32) -> Quick {
        rounded(sine::<FMA>(x, 0), x.abs() <= TURNS, Doubt::SMALL)
    }
}

impl Formula for Cos {
    #[inline(always)]
    fn quick<const FMA: bool>(x: f32) -> Quick {
        rounded(sine::<FMA>(x, 1), x.abs() <= TURNS, Doubt::SMALL)
    }
}

/// How far a formula and the semantics may be from the exact result, in units of the last of the 53 bits of a 64-bit float.
struct Doubt;

impl Doubt {
    /// Both compute a few operations that round.
    const SMALL: i32 = 1 << 8;
    /// A relative error of 2^-50 of a logarithm, times an exponent of up to 2^7, and some reserve.
    const LARGE: i32 = 1 << 13;
}

/// A 64-bit float rounded to 32 bits. It is doubtful if it is near the middle between two 32-bit floats, is a denormal
/// of 32 bits, or is not in the range of the formula.
#[inline(always)]
fn rounded(value: f64, in_range: bool, doubt: i32) -> Quick {
    let low = (value.to_bits() as u32 & 0x1fff_ffff).cast_signed();
    let near = (low - 0x1000_0000).abs() <= doubt;
    let result = value as f32;
    let tiny = (result.abs() < 2.4e-38) & (result != 0.0);
    Quick { value: result, doubtful: near | tiny | !in_range | result.is_nan() }
}

/// `a * b + c`, rounded once or twice.
#[inline(always)]
fn multiply_add<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// The polynomial with these coefficients, that of the highest power first.
#[inline(always)]
fn polynomial<const FMA: bool, const COUNT: usize>(x: f64, coefficients: [f64; COUNT]) -> f64 {
    let mut sum = coefficients[0];
    for coefficient in &coefficients[1..] {
        sum = multiply_add::<FMA>(sum, x, *coefficient);
    }
    sum
}

/// A number that, added to one of at most 2^50, moves the bits of its fraction out, so that the host rounds it to an integer. The
/// integer is in the low bits of the sum.
const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;

/// The largest magnitude of an exponent for [`exp2`]. The results are not denormals of 32 bits.
const EXPONENTS: f32 = 125.0;

/// The inverse of the factorial of `n`.
const fn inverse_factorial(n: u32) -> f64 {
    let (mut product, mut i) = (1u64, 2);
    while i <= n {
        product *= i as u64;
        i += 1;
    }
    1.0 / product as f64
}

/// Two to the power of `x`, for magnitudes up to [`EXPONENTS`].
#[inline(always)]
fn exp2<const FMA: bool>(x: f64) -> f64 {
    // The power of an integer is exact; that of the rest, at most 1/2, is the series of the exponential function. The first term
    // left out is below 2^-52.
    const SERIES: [f64; 13] = {
        let (mut all, mut i) = ([0.0; 13], 0);
        while i < 13 {
            all[i] = inverse_factorial(12 - i as u32);
            i += 1;
        }
        all
    };
    let sum = x + SHIFT;
    let rest = x - (sum - SHIFT);
    let power = f64::from_bits((sum.to_bits() << 52).wrapping_add(1023 << 52));
    polynomial::<FMA, 13>(rest * std::f64::consts::LN_2, SERIES) * power
}

/// Whether [`log2`] computes the logarithm of a number: it is positive and finite.
#[inline(always)]
fn has_log(x: f32) -> bool {
    (f32::MIN_POSITIVE..f32::INFINITY).contains(&x)
}

/// The logarithm to base two of a number for which [`has_log`] is true.
#[inline(always)]
fn log2<const FMA: bool>(x: f32) -> f64 {
    // x = m * 2^e with m from 1/sqrt(2) to sqrt(2). With s = (m - 1) / (m + 1), at most 0.172, the logarithm of m is twice the
    // series s + s^3 / 3 + s^5 / 5 and so on, over that of 2. The first term left out is below 2^-56 of the sum.
    const SERIES: [f64; 11] = {
        let (mut all, mut i) = ([0.0; 11], 0);
        while i < 11 {
            all[i] = 2.0 * std::f64::consts::LOG2_E / (21 - 2 * i) as f64;
            i += 1;
        }
        all
    };
    /// The bits of 1/sqrt(2).
    const ROOT: u32 = 0x3f35_04f3;
    let bits = x.to_bits();
    let exponent = bits.wrapping_sub(ROOT).cast_signed() >> 23;
    let mantissa = f32::from_bits(bits.wrapping_sub((exponent << 23).cast_unsigned()));
    let m = f64::from(mantissa);
    let s = (m - 1.0) / (m + 1.0);
    multiply_add::<FMA>(s, polynomial::<FMA, 11>(s * s, SERIES), f64::from(exponent))
}

/// The largest magnitude of an angle for [`sine`].
const TURNS: f32 = 65536.0;

/// The sine of an angle plus `quarter` right angles.
#[inline(always)]
fn sine<const FMA: bool>(x: f32, quarter: u64) -> f64 {
    // A right angle in three parts. The products of the first two with the number of right angles, below 2^17, are exact.
    const FIRST: f64 = f64::from_bits(0x3ff9_21fb_5440_0000);
    const SECOND: f64 = f64::from_bits(0x3dd0_b461_1a60_0000);
    const THIRD: f64 = f64::from_bits(0x3ba3_198a_2e03_7073);
    const SINE: [f64; 9] = {
        let (mut all, mut i) = ([0.0; 9], 0);
        while i < 9 {
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            all[i] = sign * inverse_factorial(17 - 2 * i as u32);
            i += 1;
        }
        all
    };
    const COSINE: [f64; 9] = {
        let (mut all, mut i) = ([0.0; 9], 0);
        while i < 9 {
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            all[i] = sign * inverse_factorial(16 - 2 * i as u32);
            i += 1;
        }
        all
    };
    let x = f64::from(x);
    let sum = multiply_add::<FMA>(x, std::f64::consts::FRAC_2_PI, SHIFT);
    let count = sum - SHIFT;
    let rest = ((x - count * FIRST) - count * SECOND) - count * THIRD;
    let quarters = sum.to_bits().wrapping_add(quarter);
    let square = rest * rest;
    let (sine, cosine) =
        (rest * polynomial::<FMA, 9>(square, SINE), polynomial::<FMA, 9>(square, COSINE));
    let result = if quarters & 1 == 1 { cosine } else { sine };
    f64::from_bits(result.to_bits() ^ (quarters >> 1 & 1) << 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crestline_isa::semantics::FloatEnv;

    /// Compares a formula with the semantics, and returns the numbers of results in doubt and of all.
    fn compare(
        name: &str,
        random: &mut fastrand::Rng,
        quick: impl Fn(f32, f32) -> Quick,
        exact: impl Fn(f32, f32, &FloatEnv) -> f32,
    ) -> (u32, u32) {
        let env = FloatEnv { keep_denorm_f32: true, ..FloatEnv::default() };
        let (mut doubts, mut all) = (0, 0);
        for i in 0..400_000 {
            let scale = [1.0, 4.0, 100.0, 1e4, 1e-4][i % 5];
            let mut number = || match i % 7 {
                0 => f32::from_bits(random.u32(..)),
                // Numbers with exact results.
                1 => random.i32(-20..20) as f32 / 4.0,
                _ => (random.f32() - 0.3) * scale,
            };
            let (a, b) = (number(), number());
            let Quick { value, doubtful } = quick(a, b);
            all += 1;
            doubts += u32::from(doubtful);
            let expected = exact(a, b, &env);
            assert!(
                doubtful || value.to_bits() == expected.to_bits(),
                "{name} of {a:e} ({:#x}) and {b:e}: {value:e} instead of {expected:e}",
                a.to_bits()
            );
        }
        (doubts, all)
    }

    #[test]
    fn what_is_not_in_doubt_is_the_result_of_the_semantics() {
        let random = &mut fastrand::Rng::with_seed(2);
        macro_rules! unary {
            ($op:ident) => {
                for quick in [$op::quick::<false>, $op::quick::<true>] {
                    let name = stringify!($op);
                    let (doubts, all) =
                        compare(name, random, |a, _| quick(a), |a, _, env| $op::eval(a, env));
                    // Negative numbers have no logarithm and no root.
                    assert!(doubts < all * 2 / 3, "{name}: {doubts} of {all}");
                }
            };
        }
        macro_rules! binary {
            ($op:ident) => {
                for quick in [$op::quick::<false>, $op::quick::<true>] {
                    let name = stringify!($op);
                    let (doubts, all) = compare(name, random, quick, $op::eval);
                    assert!(doubts < all * 2 / 3, "{name}: {doubts} of {all}");
                }
            };
        }
        unary!(Inv);
        unary!(Sqrt);
        unary!(Rsq);
        unary!(Exp);
        unary!(Log);
        unary!(Sin);
        unary!(Cos);
        binary!(Fdiv);
        binary!(Pow);
    }

    /// The distance of a formula from the standard library's function is far below what [`rounded`] allows.
    #[test]
    fn formulas_are_accurate() {
        let random = &mut fastrand::Rng::with_seed(3);
        let far = |name: &str, found: f64, expected: f64, doubt: i32| {
            let units = (found - expected).abs() / expected.abs() * (1u64 << 52) as f64;
            assert!(units * 8.0 < f64::from(doubt), "{name}: {found:e}, {expected:e}: {units}");
        };
        for i in 0..200_000 {
            let scale = [1.0f32, 10.0, 100.0][i % 3];
            let x = (random.f32() - 0.5) * scale;
            far("exp2", exp2::<false>(x.into()), f64::from(x).exp2(), Doubt::SMALL);
            far("exp2", exp2::<true>(x.into()), f64::from(x).exp2(), Doubt::SMALL);
            let positive = if i % 2 == 0 { 1.0 + x.abs() / 1e4 } else { x.abs() };
            if has_log(positive) && positive != 1.0 {
                let expected = f64::from(positive).log2();
                far("log2", log2::<false>(positive), expected, Doubt::SMALL);
                far("log2", log2::<true>(positive), expected, Doubt::SMALL);
            }
            // Angles near multiples of a right angle have small results.
            let turns = random.u32(0..40_000) as f32 * std::f32::consts::FRAC_PI_2;
            for angle in [x, turns, TURNS - x.abs()] {
                if angle != 0.0 {
                    let exact = f64::from(angle);
                    far("sin", sine::<false>(angle, 0), exact.sin(), Doubt::SMALL);
                    far("sin", sine::<true>(angle, 0), exact.sin(), Doubt::SMALL);
                    far("cos", sine::<true>(angle, 1), exact.cos(), Doubt::SMALL);
                }
            }
        }
    }
}
