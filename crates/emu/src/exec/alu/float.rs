//! The three operations that most programs spend their time in, on 32-bit floats.
//!
//! The host computes all channels at once; where a result is NaN, or the rounding mode is not
//! the host's, the semantics decide channel by channel.

use super::finish;
use super::ops::{Add, Mad, Mul};
use super::{Binary, Ternary};
use crate::exec::op::Op;
use crate::exec::thread::Thread;
use crestline_isa::semantics::{FloatEnv, Rounding};

/// Denormals become zeros of their sign.
#[inline(always)]
fn flush<const N: usize>(values: &mut [f32; N]) {
    for value in values {
        let bits = value.to_bits();
        let keep = if bits & 0x7f80_0000 == 0 { 0x8000_0000 } else { u32::MAX };
        *value = f32::from_bits(bits & keep);
    }
}

#[inline(always)]
fn any_nan<const N: usize>(values: &[f32; N]) -> bool {
    values.iter().fold(false, |any, value| any | value.is_nan())
}

/// Flushes operands, computes with `host`, and settles results that need the semantics.
#[inline(always)]
fn compute<const N: usize, const S: usize>(
    env: FloatEnv,
    mut sources: [[f32; N]; S],
    host: impl Fn([f32; S]) -> f32,
    exact: impl Fn([f32; S], &FloatEnv) -> f32,
) -> [f32; N] {
    let channel = |sources: &[[f32; N]; S], i: usize| std::array::from_fn(|s| sources[s][i]);
    if env.rounding == Rounding::NearestEven {
        if !env.keep_denorm_f32 {
            sources.iter_mut().for_each(flush);
        }
        let mut result = std::array::from_fn(|i| host(channel(&sources, i)));
        if !any_nan(&result) {
            if !env.keep_denorm_f32 {
                flush(&mut result);
            }
            return result;
        }
    }
    std::array::from_fn(|i| exact(channel(&sources, i), &env))
}

pub(crate) fn add<const N: usize>(op: &Op, t: &mut Thread, mask: u32) {
    let sources = [t.load(&op.sources[0], mask), t.load(&op.sources[1], mask)];
    let exact = |[a, b]: [f32; 2], env: &FloatEnv| Add::eval(a, b, env);
    finish::<f32, N>(op, t, mask, compute(t.env, sources, |[a, b]| a + b, exact));
}

pub(crate) fn mul<const N: usize>(op: &Op, t: &mut Thread, mask: u32) {
    let sources = [t.load(&op.sources[0], mask), t.load(&op.sources[1], mask)];
    let exact = |[a, b]: [f32; 2], env: &FloatEnv| Mul::eval(a, b, env);
    finish::<f32, N>(op, t, mask, compute(t.env, sources, |[a, b]| a * b, exact));
}

pub(crate) fn mad<const N: usize>(op: &Op, t: &mut Thread, mask: u32) {
    let sources = [0, 1, 2].map(|s| t.load(&op.sources[s], mask));
    let exact = |[a, b, c]: [f32; 3], env: &FloatEnv| Mad::eval(a, b, c, env);
    finish::<f32, N>(op, t, mask, compute(t.env, sources, |[a, b, c]| fma(b, c, a), exact));
}

/// `b * c + a` rounded once.
///
/// The product of two 32-bit floats is exact as a 64-bit one. Rounding the 64-bit sum again to
/// 32 bits errs only if that sum lies exactly between two 32-bit floats, or among their
/// denormals, where floats are sparser; then the host's slow fused operation decides.
#[inline(always)]
fn fma(b: f32, c: f32, a: f32) -> f32 {
    let sum = f64::from(b) * f64::from(c) + f64::from(a);
    let between = sum.to_bits() & 0x1fff_ffff == 0x1000_0000;
    let tiny = sum.abs() < 2.4e-38 && sum != 0.0;
    if between || tiny { b.mul_add(c, a) } else { sum as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fma_rounds_once() {
        let mut state = 0x9e37_79b9u32;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        };
        for i in 0..2_000_000 {
            // Few significant bits make ties frequent.
            let mask = if i % 2 == 0 { u32::MAX } else { 0xffff_c000 };
            let [a, b, c] = [(); 3].map(|()| f32::from_bits(next() & mask));
            let (got, expected) = (fma(b, c, a), b.mul_add(c, a));
            assert!(
                got.to_bits() == expected.to_bits() || expected.is_nan() && got.is_nan(),
                "{b:e} * {c:e} + {a:e}: {got:e} instead of {expected:e}"
            );
        }
        for (a, b, c) in [(1.0f32, 1.0f32.next_up(), 2f32.powi(-25)), (16_777_216.0, 1.0, 1.0)] {
            assert_eq!(fma(b, c, a), b.mul_add(c, a));
        }
    }
}
