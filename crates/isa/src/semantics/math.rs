//! The shared math unit.
//!
//! The hardware's functions are approximations whose exact bits are not public. These give the correctly rounded
//! result of a 64-bit evaluation instead, which lies within every documented tolerance. Denormals are flushed; the
//! rounding mode has no influence.

use super::env::FloatEnv;
use super::float::Float;

/// `inv`: `1 / x`; zeros give infinities of their sign and the reverse.
pub fn inv(x: f32, env: &FloatEnv) -> f32 {
    unary(x, env, |x| 1.0 / x)
}

/// `log`: to base two; negative gives NaN, zero negative infinity.
pub fn log(x: f32, env: &FloatEnv) -> f32 {
    unary(x, env, libm::log2)
}

/// `exp`: two to the power of `x`.
pub fn exp(x: f32, env: &FloatEnv) -> f32 {
    unary(x, env, libm::exp2)
}

/// `sqt`: square root; negative gives NaN.
pub fn sqrt(x: f32, env: &FloatEnv) -> f32 {
    unary(x, env, f64::sqrt)
}

/// `rsqt`: reciprocal square root; zeros give infinities of their sign.
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

fn unary(x: f32, env: &FloatEnv, f: impl Fn(f64) -> f64) -> f32 {
    let x = x.flush(env);
    if x.is_nan() {
        return x.quiet();
    }
    settle(f(f64::from(x)), env)
}

fn binary(a: f32, b: f32, env: &FloatEnv, f: impl Fn(f64, f64) -> f64) -> f32 {
    let (a, b) = (a.flush(env), b.flush(env));
    match (a.is_nan(), b.is_nan()) {
        (true, _) => a.quiet(),
        (_, true) => b.quiet(),
        _ => settle(f(f64::from(a), f64::from(b)), env),
    }
}

fn settle(result: f64, env: &FloatEnv) -> f32 {
    if result.is_nan() { f32::from_bits(0x7fc0_0000) } else { (result as f32).flush(env) }
}

/// Unsigned integer division: quotient and remainder. By zero both are all ones.
pub const fn udivrem(a: u32, b: u32) -> (u32, u32) {
    match (a.checked_div(b), a.checked_rem(b)) {
        (Some(quotient), Some(remainder)) => (quotient, remainder),
        _ => (u32::MAX, u32::MAX),
    }
}

/// Signed integer division toward zero: quotient and remainder, which has the sign of `a`. By zero the quotient is
/// the greatest number of the sign of `a` and the remainder all ones; the least number by -1 wraps.
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
