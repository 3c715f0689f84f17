//! The three operations that most programs spend their time in, on 32-bit floats.
//!
//! The host computes all channels at once; where a result is NaN, or the rounding mode is not
//! the host's, the semantics decide channel by channel.

use super::finish;
use super::ops::{Add, Mad, Mul};
use super::{Binary, Ternary};
use crate::exec::op::Op;
use crate::exec::thread::Thread;
use crestline_isa::Type;
use crestline_isa::semantics::{FloatEnv, Rounding};

/// The bits of a source in all channels.
type Bits<const N: usize> = [u32; N];

/// Denormals become zeros of their sign.
#[inline(always)]
fn flush<const N: usize>(values: &mut Bits<N>) {
    for bits in values {
        let keep = if *bits & 0x7f80_0000 == 0 { 0x8000_0000 } else { u32::MAX };
        *bits &= keep;
    }
}

/// Loads `S` sources, their denormals flushed if the mode says so.
#[inline(always)]
fn load<const N: usize, const S: usize>(op: &Op, t: &mut Thread, mask: u32) -> [Bits<N>; S] {
    let mut sources = [[0; N]; S];
    for (bits, source) in sources.iter_mut().zip(&op.sources) {
        *bits = t.load_float_bits(source, mask);
        if !t.env.keep_denorm_f32 {
            flush(bits);
        }
    }
    sources
}

/// Flushes the host's result, or lets the semantics decide where it is in doubt; stores it.
#[inline(always)]
fn settle<const N: usize, const S: usize>(
    op: &Op,
    t: &mut Thread,
    mask: u32,
    sources: &[Bits<N>; S],
    mut result: Bits<N>,
    doubtful: bool,
    exact: fn([f32; S], &FloatEnv) -> f32,
) {
    if doubtful || t.env.rounding != Rounding::NearestEven {
        recompute(sources, &mut result, &t.env, exact);
    } else if !t.env.keep_denorm_f32 {
        flush(&mut result);
    }
    if op.plain && op.destination.ty == Type::F {
        t.store_float_bits(&op.destination, &result, mask, op.full);
    } else {
        finish::<f32, N>(op, t, mask, result.map(f32::from_bits));
    }
}

/// Computes channel by channel as the semantics say.
#[cold]
#[inline(never)]
fn recompute<const N: usize, const S: usize>(
    sources: &[Bits<N>; S],
    result: &mut Bits<N>,
    env: &FloatEnv,
    exact: fn([f32; S], &FloatEnv) -> f32,
) {
    for i in 0..N {
        let operands = std::array::from_fn(|s| f32::from_bits(sources[s][i]));
        result[i] = exact(operands, env).to_bits();
    }
}

pub(crate) fn add<const N: usize>(op: &Op, t: &mut Thread, mask: u32) {
    let sources = load::<N, 2>(op, t, mask);
    let mut result = [0; N];
    let mut doubtful = false;
    for i in 0..N {
        let sum = f32::from_bits(sources[0][i]) + f32::from_bits(sources[1][i]);
        result[i] = sum.to_bits();
        doubtful |= sum.is_nan();
    }
    settle(op, t, mask, &sources, result, doubtful, |[a, b], env| Add::eval(a, b, env));
}

pub(crate) fn mul<const N: usize>(op: &Op, t: &mut Thread, mask: u32) {
    let sources = load::<N, 2>(op, t, mask);
    let mut result = [0; N];
    let mut doubtful = false;
    for i in 0..N {
        let product = f32::from_bits(sources[0][i]) * f32::from_bits(sources[1][i]);
        result[i] = product.to_bits();
        doubtful |= product.is_nan();
    }
    settle(op, t, mask, &sources, result, doubtful, |[a, b], env| Mul::eval(a, b, env));
}

pub(crate) fn mad<const N: usize>(op: &Op, t: &mut Thread, mask: u32) {
    let sources = load::<N, 3>(op, t, mask);
    let mut result = [0; N];
    let mut doubtful = false;
    for i in 0..N {
        let [a, b, c] = [0, 1, 2].map(|s| f32::from_bits(sources[s][i]));
        let (sum, doubt) = fused(b, c, a);
        result[i] = sum.to_bits();
        doubtful |= doubt;
    }
    settle(op, t, mask, &sources, result, doubtful, |[a, b, c], env| Mad::eval(a, b, c, env));
}

/// `b * c + a` rounded once, and whether that is in doubt.
///
/// The product of two 32-bit floats is exact as a 64-bit one. Rounding the 64-bit sum again to
/// 32 bits errs only if that sum lies exactly between two 32-bit floats (its low 29 bits are a
/// one and zeros), or among their denormals, where floats are sparser. NaN is in doubt too. A
/// zero is exact if a factor is zero. The tests are made on 32-bit values, of which a vector
/// holds twice as many.
#[inline(always)]
fn fused(b: f32, c: f32, a: f32) -> (f32, bool) {
    let sum = f64::from(b) * f64::from(c) + f64::from(a);
    let result = sum as f32;
    let between = sum.to_bits() as u32 & 0x1fff_ffff == 0x1000_0000;
    let tiny = (result.abs() < 2.4e-38) & ((result != 0.0) | ((b != 0.0) & (c != 0.0)));
    (result, between | tiny | result.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_in_doubt_is_rounded_once() {
        let mut state = 0x9e37_79b9u32;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        };
        let mut doubts = 0;
        for i in 0..2_000_000 {
            // Few significant bits make ties frequent.
            let mask = if i % 2 == 0 { u32::MAX } else { 0xffff_c000 };
            let [a, b, c] = [(); 3].map(|()| f32::from_bits(next() & mask));
            let (got, doubt) = fused(b, c, a);
            doubts += u32::from(doubt);
            let expected = b.mul_add(c, a);
            assert!(
                doubt || got.to_bits() == expected.to_bits(),
                "{b:e} * {c:e} + {a:e}: {got:e} instead of {expected:e}"
            );
        }
        assert!(doubts < 1_000_000);
        let (a, b, c) = (1.0f32, 1.0f32.next_up(), 2f32.powi(-24));
        assert!(fused(b, c, a).1 || fused(b, c, a).0 == b.mul_add(c, a));
    }
}
