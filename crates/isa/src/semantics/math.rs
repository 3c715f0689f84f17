//! The functions of the math unit.
//!
//! The hardware computes approximations whose exact bits are not public. These functions compute in
//! 64 bits and round to 32 bits, which is within every documented tolerance. Denormal sources and
//! results are flushed unless the environment keeps them; its rounding mode has no effect.

use super::env::FloatEnv;
use super::float::Float;

/// `inv`: `1 / x`. Zeros give infinities of the same sign, and infinities give zeros.
pub fn inv(x: f32, env: &FloatEnv) -> f32 {
    unary(x, env, |x| 1.0 / x)
}

/// `log`: the logarithm to base two; NaN for negative numbers, negative infinity for zeros.
pub fn log(x: f32, env: &FloatEnv) -> f32 {
    unary(x, env, libm::log2)
}

/// `exp`: two to the power of `x`.
pub fn exp(x: f32, env: &FloatEnv) -> f32 {
    unary(x, env, libm::exp2)
}

/// `sqt`: the square root; NaN for negative numbers.
pub fn sqrt(x: f32, env: &FloatEnv) -> f32 {
    unary(x, env, f64::sqrt)
}

/// `rsqt`: the reciprocal square root. Zeros give infinities of the same sign.
pub fn rsqrt(x: f32, env: &FloatEnv) -> f32 {
    unary(x, env, |x| 1.0 / x.sqrt())
}

/// `sin` of radians.
pub fn sin(x: f32, env: &FloatEnv) -> f32 {
    unary(x, env, libm::sin)
}

/// `cos` of radians.
pub fn cos(x: f32, env: &FloatEnv) -> f32 {
    unary(x, env, libm::cos)
}

/// `fdiv`: the quotient.
pub fn fdiv(a: f32, b: f32, env: &FloatEnv) -> f32 {
    binary(a, b, env, |a, b| a / b)
}

/// `pow`: `a` to the power of `b`; NaN for negative `a`, 1 for `b = 0`.
pub fn pow(a: f32, b: f32, env: &FloatEnv) -> f32 {
    binary(a, b, env, |a, b| if a < 0.0 && b != 0.0 { f64::NAN } else { libm::pow(a, b) })
}

/// Computes a function of one source: handles denormals and NaN, and rounds the result.
fn unary(x: f32, env: &FloatEnv, f: impl Fn(f64) -> f64) -> f32 {
    let x = x.flush(env);
    if x.is_nan() {
        return x.quiet();
    }
    settle(f(f64::from(x)), env)
}

/// Computes a function of two sources: handles denormals and NaN, and rounds the result.
fn binary(a: f32, b: f32, env: &FloatEnv, f: impl Fn(f64, f64) -> f64) -> f32 {
    let (a, b) = (a.flush(env), b.flush(env));
    match (a.is_nan(), b.is_nan()) {
        (true, _) => a.quiet(),
        (_, true) => b.quiet(),
        _ => settle(f(f64::from(a), f64::from(b)), env),
    }
}

/// Rounds a result to 32 bits and flushes a denormal; NaN becomes the quiet NaN without payload.
fn settle(result: f64, env: &FloatEnv) -> f32 {
    if result.is_nan() { f32::from_bits(0x7fc0_0000) } else { (result as f32).flush(env) }
}

/// Unsigned integer division: quotient and remainder. Division by zero gives all ones for both.
pub const fn udivrem(a: u32, b: u32) -> (u32, u32) {
    match (a.checked_div(b), a.checked_rem(b)) {
        (Some(quotient), Some(remainder)) => (quotient, remainder),
        _ => (u32::MAX, u32::MAX),
    }
}

/// Signed integer division toward zero: quotient and remainder. The remainder has the sign of `a`.
/// Division by zero gives the quotient `i32::MIN` for negative `a`, otherwise `i32::MAX`, and the
/// remainder -1. `i32::MIN / -1` wraps.
pub const fn idivrem(a: i32, b: i32) -> (i32, i32) {
    if b == 0 {
        (if a < 0 { i32::MIN } else { i32::MAX }, -1)
    } else {
        (a.wrapping_div(b), a.wrapping_rem(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        let env = FloatEnv::default();
        assert_eq!(inv(-0.0, &env), f32::NEG_INFINITY);
        assert_eq!(inv(f32::INFINITY, &env), 0.0);
        assert_eq!(log(0.0, &env), f32::NEG_INFINITY);
        assert!(
            log(-1.0, &env).is_nan() && sqrt(-1.0, &env).is_nan() && pow(-1.0, 2.0, &env).is_nan()
        );
        assert_eq!(exp(f32::NEG_INFINITY, &env), 0.0);
        assert_eq!(rsqrt(0.0, &env), f32::INFINITY);
        assert_eq!(pow(0.0, 0.0, &env), 1.0);
        assert_eq!(inv(3.0, &env), 1.0 / 3.0);
    }

    #[test]
    fn integer_division() {
        assert_eq!(udivrem(7, 2), (3, 1));
        assert_eq!(udivrem(7, 0), (u32::MAX, u32::MAX));
        assert_eq!(idivrem(-7, 2), (-3, -1));
        assert_eq!(idivrem(i32::MIN, -1), (i32::MIN, 0));
    }
}
