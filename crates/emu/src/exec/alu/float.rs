//! Fast `add`, `mul`, `mad`, `lrp`, `line` and `pln` on 32-bit floats, the most frequent operations of most programs.
//!
//! The host's float arithmetic computes all channels at once. If a result is NaN, or the rounding mode is not the
//! host's, [`crestline_isa::semantics`] computes the channel again. On hosts with wide vectors, [`vector`](super::vector)
//! executes most of these instructions.

use super::finish;
use super::ops::{Add, Frc, Lrp, Mad, Mov, Mul, RoundDown, RoundEven, RoundUp, RoundZero};
use super::{Binary, Ternary, Unary};
use crate::exec::access::keep_in_memory;
use crate::exec::lane::{flushed, saturated};
use crate::mask::lanes_of;
use crate::plan::{Plan, SourceKind};
use crate::thread::Thread;
use crestline_isa::semantics::{FloatEnv, Rounding};
use crestline_isa::{CondMod, Type};

/// The bits of a source in all channels.
type Bits<const N: usize> = [u32; N];

/// Replaces denormals by zeros of the same sign.
#[inline(always)]
fn flush<const N: usize>(values: &mut Bits<N>) {
    for bits in values {
        let keep = if *bits & 0x7f80_0000 == 0 { 0x8000_0000 } else { u32::MAX };
        *bits &= keep;
    }
}

/// Loads a source, and flushes denormals if the float mode requires it.
#[inline(always)]
pub(super) fn load<const N: usize>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
    source: usize,
) -> Bits<N> {
    let mut bits = [0; N];
    t.load_float_bits(&plan.sources[source], mask, &mut bits);
    if !t.env.keep_denorm_f32 {
        flush(&mut bits);
    }
    keep_in_memory(&mut bits);
    bits
}

/// A channel's result from the host's arithmetic.
pub(crate) struct Quick {
    pub(super) value: f32,
    /// Whether the result may be wrong, so that the semantics must compute it.
    pub(super) doubtful: bool,
}

/// A result that is doubtful only if it is NaN.
#[inline(always)]
pub(super) fn unless_nan(value: f32) -> Quick {
    Quick { value, doubtful: value.is_nan() }
}

/// Computes all channels on the host with `quick`, recomputes doubtful ones with `exact`, and stores the results.
#[inline(always)]
pub(super) fn compute<const N: usize>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
    quick: impl Fn(usize) -> Quick,
    exact: impl Fn(usize, &FloatEnv) -> f32,
) {
    let mut result = [0; N];
    let mut doubtful = false;
    for (i, bits) in result.iter_mut().enumerate() {
        let channel = quick(i);
        *bits = channel.value.to_bits();
        doubtful |= channel.doubtful;
    }
    let env = t.env;
    if !env.keep_denorm_f32 {
        flush(&mut result);
    }
    if doubtful || env.rounding != Rounding::NearestEven {
        // This is rare, apart from disabled channels, whose registers may contain anything.
        let all = env.rounding != Rounding::NearestEven;
        for i in lanes_of(mask & plan.full) {
            if all || quick(i).doubtful {
                result[i] = exact(i, &env).to_bits();
            }
        }
    }
    if plan.destination.ty == Type::F && only_saturates(plan) {
        for bits in &mut result {
            *bits = saturated(f32::from_bits(*bits)).to_bits();
        }
        t.store_float_bits(&plan.destination, &result, mask, plan.full);
    } else if plan.plain && plan.destination.ty == Type::F {
        t.store_float_bits(&plan.destination, &result, mask, plan.full);
    } else {
        finish::<f32, N>(plan, t, mask, result.map(f32::from_bits));
    }
}

/// Whether saturation is all that keeps a plan from being [`plain`](Plan::plain).
#[inline(always)]
pub(super) fn only_saturates(plan: &Plan) -> bool {
    let destination = &plan.destination;
    plan.saturate
        && plan.condition == CondMod::None
        && plan.accumulator.is_none()
        && destination.accumulator.is_none()
        && !destination.control
        && !destination.flag
}

/// A move of 32-bit floats that converts or modifies.
#[inline(always)]
pub(crate) fn mov<const N: usize>(plan: &Plan, t: &mut Thread, mask: u32) {
    let a = load::<N>(plan, t, mask, 0);
    let quick = |i: usize| Quick { value: f32::from_bits(a[i]), doubtful: false };
    compute::<N>(plan, t, mask, quick, |i, env| Mov::eval(f32::from_bits(a[i]), env));
}

/// A function that rounds a 32-bit float to an integer.
pub(crate) trait Round: Unary<f32> {
    /// The result for a number. The host may round zeros and NaN otherwise.
    fn quick(x: f32) -> f32;
}

macro_rules! round {
    ($($op:ident $function:ident)*) => {$(
        impl Round for $op {
            #[inline(always)]
            fn quick(x: f32) -> f32 {
                x.$function()
            }
        }
    )*};
}

round! {
    RoundDown floor
    RoundUp ceil
    RoundEven round_ties_even
    RoundZero trunc
}

/// `rndd`, `rndu`, `rnde` and `rndz` of 32-bit floats.
#[inline(always)]
pub(crate) fn round<O: Round, const N: usize>(plan: &Plan, t: &mut Thread, mask: u32) {
    let a = load::<N>(plan, t, mask, 0);
    let quick = |i: usize| unless_nan(O::quick(f32::from_bits(a[i])));
    compute::<N>(plan, t, mask, quick, |i, env| O::eval(f32::from_bits(a[i]), env));
}

/// `frc` of 32-bit floats.
#[inline(always)]
pub(crate) fn frc<const N: usize>(plan: &Plan, t: &mut Thread, mask: u32) {
    let a = load::<N>(plan, t, mask, 0);
    let quick = |i: usize| {
        let x = f32::from_bits(a[i]);
        let value = x - x.floor();
        // A tiny negative number gives one.
        Quick { value, doubtful: (value >= 1.0) | value.is_nan() }
    };
    compute::<N>(plan, t, mask, quick, |i, env| Frc::eval(f32::from_bits(a[i]), env));
}

/// `add` of 32-bit floats.
#[inline(always)]
pub(crate) fn add<const N: usize>(plan: &Plan, t: &mut Thread, mask: u32) {
    let (a, b) = (load::<N>(plan, t, mask, 0), load::<N>(plan, t, mask, 1));
    let at = |i: usize| [a[i], b[i]].map(f32::from_bits);
    let quick = |i| {
        let [a, b] = at(i);
        unless_nan(a + b)
    };
    compute::<N>(plan, t, mask, quick, |i, env| {
        let [a, b] = at(i);
        Add::eval(a, b, env)
    });
}

/// `mul` of 32-bit floats.
#[inline(always)]
pub(crate) fn mul<const N: usize>(plan: &Plan, t: &mut Thread, mask: u32) {
    let (a, b) = (load::<N>(plan, t, mask, 0), load::<N>(plan, t, mask, 1));
    let at = |i: usize| [a[i], b[i]].map(f32::from_bits);
    let quick = |i| {
        let [a, b] = at(i);
        unless_nan(a * b)
    };
    compute::<N>(plan, t, mask, quick, |i, env| {
        let [a, b] = at(i);
        Mul::eval(a, b, env)
    });
}

/// `mad` of 32-bit floats: source 0 plus the product of sources 1 and 2, rounded once.
#[inline(always)]
pub(crate) fn mad<const N: usize, const FMA: bool>(plan: &Plan, t: &mut Thread, mask: u32) {
    let a = load::<N>(plan, t, mask, 0);
    let b = load::<N>(plan, t, mask, 1);
    let c = load::<N>(plan, t, mask, 2);
    let at = |i: usize| [a[i], b[i], c[i]].map(f32::from_bits);
    let quick = |i| {
        let [a, b, c] = at(i);
        fused::<FMA>(b, c, a)
    };
    compute::<N>(plan, t, mask, quick, |i, env| {
        let [a, b, c] = at(i);
        Mad::eval(a, b, c, env)
    });
}

/// `lrp` of 32-bit floats: source 2 plus the product of source 0 and the difference of sources 1 and 2.
#[inline(always)]
pub(crate) fn lrp<const N: usize, const FMA: bool>(plan: &Plan, t: &mut Thread, mask: u32) {
    let a = load::<N>(plan, t, mask, 0);
    let b = load::<N>(plan, t, mask, 1);
    let c = load::<N>(plan, t, mask, 2);
    let env = t.env;
    let at = |i: usize| [a[i], b[i], c[i]].map(f32::from_bits);
    let quick = |i| {
        let [a, b, c] = at(i);
        fused::<FMA>(a, flushed(b - c, &env), c)
    };
    compute::<N>(plan, t, mask, quick, |i, env| {
        let [a, b, c] = at(i);
        Lrp::eval(a, b, c, env)
    });
}

/// The offset of the four floats of a plane operand: the 16 aligned bytes that contain its subregister.
#[inline(always)]
fn plane_offset(plan: &Plan) -> Option<usize> {
    match &plan.sources[0].kind {
        SourceKind::Scalar(offset) | SourceKind::Packed(offset) => Some(usize::from(*offset) & !15),
        _ => None,
    }
}

/// The four floats of a plane operand.
#[inline]
pub(super) fn plane(plan: &Plan, t: &Thread) -> [f32; 4] {
    let Some(offset) = plane_offset(plan) else { return [0.0; 4] };
    let env = t.env;
    [0, 1, 2, 3]
        .map(|component| flushed(f32::from_bits(t.registers.u32(offset + 4 * component)), &env))
}

/// Reports the floats of a plane operand that were never written.
#[inline]
pub(super) fn check_plane(plan: &Plan, t: &mut Thread, mask: u32) {
    if let Some(offset) = plane_offset(plan).filter(|_| mask != 0) {
        for component in [0, 1, 3] {
            t.report_unwritten_if_any(offset + 4 * component, 4);
        }
    }
}

/// `line`: `p * x + s` with a plane operand (p, q, -, s).
#[inline(always)]
pub(crate) fn line<const N: usize, const FMA: bool>(plan: &Plan, t: &mut Thread, mask: u32) {
    check_plane(plan, t, mask);
    let [p, _, _, s] = plane(plan, t);
    let x = load::<N>(plan, t, mask, 1);
    let quick = |i: usize| fused::<FMA>(p, f32::from_bits(x[i]), s);
    compute::<N>(plan, t, mask, quick, |i, env| Mad::eval(s, p, f32::from_bits(x[i]), env));
}

/// `pln`: `p * u + q * v + s`. For each eight channels, u is in one register and v in the next.
#[inline(always)]
pub(crate) fn pln<const N: usize, const FMA: bool>(plan: &Plan, t: &mut Thread, mask: u32) {
    check_plane(plan, t, mask);
    let [p, q, _, s] = plane(plan, t);
    let (u, v) = (load::<N>(plan, t, mask, 1), load::<N>(plan, t, mask, 2));
    let env = t.env;
    let quick = |i: usize| {
        let first = fused::<FMA>(p, f32::from_bits(u[i]), s);
        let sum = fused::<FMA>(q, f32::from_bits(v[i]), flushed(first.value, &env));
        Quick { value: sum.value, doubtful: first.doubtful | sum.doubtful }
    };
    compute::<N>(plan, t, mask, quick, |i, env| {
        let first = Mad::eval(s, p, f32::from_bits(u[i]), env);
        Mad::eval(first, q, f32::from_bits(v[i]), env)
    });
}

/// `b * c + a`, rounded once, and whether that result is doubtful.
///
/// The product of two 32-bit floats is exact as a 64-bit float. Rounding the 64-bit sum again to 32 bits can be wrong
/// only if the sum lies exactly between two 32-bit floats (its low 29 bits are a one and then zeros), or in the range
/// of 32-bit denormals, which are less dense. NaN is doubtful too. A result of zero is exact if a factor is zero. The
/// tests use 32-bit values, because a host vector contains twice as many of them.
///
/// With `FMA`, the host rounds once, so that only NaN is doubtful. A host without the instruction would call a slow function.
#[inline(always)]
fn fused<const FMA: bool>(b: f32, c: f32, a: f32) -> Quick {
    if FMA {
        return unless_nan(b.mul_add(c, a));
    }
    let sum = f64::from(b) * f64::from(c) + f64::from(a);
    let result = sum as f32;
    let between = sum.to_bits() as u32 & 0x1fff_ffff == 0x1000_0000;
    let tiny = (result.abs() < 2.4e-38) & ((result != 0.0) | ((b != 0.0) & (c != 0.0)));
    Quick { value: result, doubtful: between | tiny | result.is_nan() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_in_doubt_is_rounded_once() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut doubts = 0;
        for i in 0..2_000_000 {
            // Few significant bits make ties frequent.
            let mask = if i % 2 == 0 { u32::MAX } else { 0xffff_c000 };
            let [a, b, c] = [(); 3].map(|()| f32::from_bits(random.u32(..) & mask));
            let Quick { value: got, doubtful: doubt } = fused::<false>(b, c, a);
            doubts += u32::from(doubt);
            let expected = b.mul_add(c, a);
            assert!(
                doubt || got.to_bits() == expected.to_bits(),
                "{b:e} * {c:e} + {a:e}: {got:e} instead of {expected:e}"
            );
        }
        assert!(doubts < 1_000_000);
        let (a, b, c) = (1.0f32, 1.0f32.next_up(), 2f32.powi(-24));
        let tie = fused::<false>(b, c, a);
        assert!(tie.doubtful || tie.value == b.mul_add(c, a));
    }
}
