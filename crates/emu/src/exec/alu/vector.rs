//! The operations of [`float`](super::float) on vectors of eight channels.
//!
//! A function here handles the usual operands: packed registers, scalars and immediates of 32-bit floats, and a packed
//! destination. It leaves the registers as they are, and says so, if an operand is of another kind or if a result is doubtful;
//! then the function of `float` computes the instruction. Compilers keep vectors in registers of the host, but they copy arrays
//! through memory.

use super::float::{check_plane, only_saturates, plane};
use super::ops::{RoundDown, RoundEven, RoundUp, RoundZero};
use crate::plan::{DestinationKind, Modifier, Plan, Source, SourceKind};
use crate::thread::Thread;
use crestline_isa::semantics::Rounding;
use crestline_isa::{CondMod, Type};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8, u32x8};

/// Channels of a vector.
const CHANNELS: usize = 8;
/// The sign bit of a float.
const SIGN: u32 = 1 << 31;

/// How an instruction treats denormals.
#[derive(Clone, Copy)]
pub(crate) struct Denormals {
    keep: bool,
}

impl Denormals {
    /// Replaces denormals by zeros of the same sign if the float mode requires it.
    #[inline(always)]
    fn flush<S: Simd>(self, simd: S, values: f32x8<S>) -> f32x8<S> {
        if self.keep {
            return values;
        }
        let is_tiny = values.abs().simd_lt(f32x8::splat(simd, f32::MIN_POSITIVE));
        let keep = is_tiny.select(u32x8::splat(simd, SIGN), u32x8::splat(simd, u32::MAX));
        let bits: u32x8<S> = values.bitcast();
        (bits & keep).bitcast()
    }
}

/// What all channels of an instruction have in common.
pub(crate) trait Common: Copy {
    /// Reads it from a plan, or from the registers that the plan names.
    fn read(plan: &Plan, t: &Thread) -> Self;

    /// Reports what [`read`](Self::read) reads from registers that were never written.
    #[inline(always)]
    fn check(_: &Plan, _: &mut Thread, _: u32) {}
}

impl Common for () {
    #[inline(always)]
    fn read(_: &Plan, _: &Thread) {}
}

impl Common for CondMod {
    #[inline(always)]
    fn read(plan: &Plan, _: &Thread) -> CondMod {
        plan.condition
    }
}

/// A plane operand: p, q, a number that is not used, and s.
#[derive(Clone, Copy)]
pub(crate) struct PlaneOperand([f32; 4]);

impl Common for PlaneOperand {
    #[inline(always)]
    fn read(plan: &Plan, t: &Thread) -> PlaneOperand {
        PlaneOperand(plane(plan, t))
    }

    #[inline(always)]
    fn check(plan: &Plan, t: &mut Thread, mask: u32) {
        check_plane(plan, t, mask);
    }
}

/// An operation on vectors.
pub(crate) trait Vectorized<const SOURCES: usize> {
    /// What all channels of an instruction have in common, apart from its vectors.
    type Common: Common;

    /// Whether the operation is one of this type, for types that compute only some variants of it.
    #[inline(always)]
    fn handles(_: &Plan) -> bool {
        true
    }

    /// The results. Sums and products are rounded to the nearest even number.
    fn eval<S: Simd>(
        simd: S,
        denormals: Denormals,
        common: Self::Common,
        sources: [f32x8<S>; SOURCES],
    ) -> f32x8<S>;

    /// The channels whose results may be wrong.
    #[inline(always)]
    fn doubtful<S: Simd>(_: S, results: f32x8<S>) -> mask32x8<S> {
        results.is_nan()
    }
}

/// Executes an operation on `VECTORS` times eight channels, of which the plan has sources from number `FIRST` on. Returns
/// whether it did.
#[inline(always)]
pub(crate) fn execute<
    O: Vectorized<SOURCES>,
    S: Simd,
    const FIRST: usize,
    const SOURCES: usize,
    const VECTORS: usize,
>(
    simd: S,
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
) -> bool {
    let DestinationKind::Packed(to) = plan.destination.kind else { return false };
    let is_usual = (plan.plain || only_saturates(plan)) && O::handles(plan);
    if !is_usual || plan.destination.ty != Type::F || t.env.rounding != Rounding::NearestEven {
        return false;
    }
    let denormals = Denormals { keep: t.env.keep_denorm_f32 };
    let mut sources = [[f32x8::splat(simd, 0.0); SOURCES]; VECTORS];
    for number in 0..SOURCES {
        let source = &plan.sources[FIRST + number];
        let Some(vectors) = load::<S, VECTORS>(simd, t, source) else { return false };
        for (sources, vector) in sources.iter_mut().zip(vectors) {
            sources[number] = denormals.flush(simd, modified(simd, source.modifier, vector));
        }
    }
    let common = O::Common::read(plan, t);
    let mut results = [f32x8::splat(simd, 0.0); VECTORS];
    let mut doubtful = 0;
    for vector in 0..VECTORS {
        let result = O::eval(simd, denormals, common, sources[vector]);
        doubtful |= O::doubtful(simd, result).to_bitmask() << (CHANNELS * vector);
        results[vector] = denormals.flush(simd, result);
    }
    // Disabled channels may contain anything.
    if doubtful as u32 & mask & plan.full != 0 {
        return false;
    }
    O::Common::check(plan, t, mask);
    for source in &plan.sources[FIRST..FIRST + SOURCES] {
        if !t.registers.is_written(&source.bytes) {
            t.check_written(source, mask);
        }
    }
    if plan.saturate {
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        for result in &mut results {
            // NaN gives zero.
            let above = result.simd_gt(zero).select(*result, zero);
            *result = above.simd_lt(one).select(above, one);
        }
    }
    store(simd, t, plan, to.into(), results, mask);
    true
}

/// The values of a source before its modifier; `None` if it is not of a usual kind.
#[inline(always)]
fn load<S: Simd, const VECTORS: usize>(
    simd: S,
    t: &Thread,
    source: &Source,
) -> Option<[f32x8<S>; VECTORS]> {
    let words = t.registers.words();
    let at = |offset: usize| -> Option<f32x8<S>> {
        let chunk = words.get(offset / 4..)?.first_chunk::<CHANNELS>()?;
        let bits: u32x8<S> = (*chunk).simd_into(simd);
        Some(bits.bitcast())
    };
    let mut vectors = [f32x8::splat(simd, 0.0); VECTORS];
    match source.kind {
        SourceKind::Packed(offset) if source.ty == Type::F => {
            for (number, vector) in vectors.iter_mut().enumerate() {
                *vector = at(usize::from(offset) + 4 * CHANNELS * number)?;
            }
        }
        SourceKind::Halves(offsets) if source.ty == Type::F => {
            for (number, vector) in vectors.iter_mut().enumerate() {
                *vector = at((*offsets.get(number)?).into())?;
            }
        }
        SourceKind::Scalar(offset) if source.ty == Type::F && offset % 4 == 0 => {
            let bits = words[usize::from(offset) / 4];
            vectors = [f32x8::splat(simd, f32::from_bits(bits)); VECTORS];
        }
        SourceKind::Immediate(bits) if source.ty == Type::F => {
            vectors = [f32x8::splat(simd, f32::from_bits(bits as u32)); VECTORS];
        }
        _ => return None,
    }
    Some(vectors)
}

/// Applies a source modifier. Most sources have none; the same steps for all others take less time than branches.
#[inline(always)]
fn modified<S: Simd>(simd: S, modifier: Modifier, values: f32x8<S>) -> f32x8<S> {
    let (keep, flip) = match modifier {
        Modifier::None | Modifier::Invert => return values,
        Modifier::Negate => (u32::MAX, SIGN),
        Modifier::Absolute => (!SIGN, 0),
        Modifier::NegateAbsolute => (!SIGN, SIGN),
    };
    let bits: u32x8<S> = values.bitcast();
    (bits & u32x8::splat(simd, keep) ^ u32x8::splat(simd, flip)).bitcast()
}

/// Stores the results of the channels of `mask` as dwords from byte `offset` on.
#[inline(always)]
fn store<S: Simd, const VECTORS: usize>(
    simd: S,
    t: &mut Thread,
    plan: &Plan,
    offset: usize,
    results: [f32x8<S>; VECTORS],
    mask: u32,
) {
    let words = &mut t.registers.words_mut()[offset / 4..][..CHANNELS * VECTORS];
    let chunks = words.as_chunks_mut::<CHANNELS>().0;
    for (number, (chunk, result)) in chunks.iter_mut().zip(results).enumerate() {
        let bits: u32x8<S> = result.bitcast();
        let bits = if mask == plan.full {
            bits
        } else {
            let enabled = u64::from(mask >> (CHANNELS * number));
            let before: u32x8<S> = (*chunk).simd_into(simd);
            mask32x8::from_bitmask(simd, enabled).select(bits, before)
        };
        bits.store_slice(chunk);
    }
    let set = &plan.destination.bytes;
    if mask == plan.full {
        t.registers.mark_set(set);
    } else if !t.registers.is_written(set) {
        t.registers.mark_lanes(offset, mask);
    }
}

/// Implements an operation that has nothing in common for all channels.
macro_rules! operations {
    ($($(#[$attribute:meta])* $op:ident ($simd:ident, $denormals:ident, [$($source:ident),*]) $body:block)*) => {$(
        $(#[$attribute])*
        pub(crate) struct $op;

        operations!(for $op ($simd, $denormals, [$($source),*]) $body);
    )*};
    (for $op:ident ($simd:ident, $denormals:ident, [$($source:ident),*]) $body:block) => {
        impl Vectorized<{ [$(stringify!($source)),*].len() }> for $op {
            type Common = ();

            #[inline(always)]
            fn eval<S: Simd>(
                $simd: S,
                $denormals: Denormals,
                (): (),
                [$($source),*]: [f32x8<S>; [$(stringify!($source)),*].len()],
            ) -> f32x8<S> {
                $body
            }
        }
    };
}

operations! {
    /// `add`.
    Add(_simd, _denormals, [a, b]) { a + b }
    /// `mul`.
    Mul(_simd, _denormals, [a, b]) { a * b }
    /// `mad`: source 0 plus the product of sources 1 and 2, rounded once.
    Mad(_simd, _denormals, [a, b, c]) { b.mul_add_precise(c, a) }
    /// `lrp`: source 2 plus the product of source 0 and the difference of sources 1 and 2.
    Lrp(simd, denormals, [a, b, c]) { a.mul_add_precise(denormals.flush(simd, b - c), c) }
}

operations!(for RoundDown(_simd, _denormals, [a]) { a.floor() });
operations!(for RoundUp(_simd, _denormals, [a]) { a.ceil() });
operations!(for RoundEven(_simd, _denormals, [a]) { a.round_ties_even() });
operations!(for RoundZero(_simd, _denormals, [a]) { a.trunc() });

/// `mov` that modifies or saturates.
pub(crate) struct Mov;

impl Vectorized<1> for Mov {
    type Common = ();

    #[inline(always)]
    fn eval<S: Simd>(_: S, _: Denormals, (): (), [a]: [f32x8<S>; 1]) -> f32x8<S> {
        a
    }

    /// NaN stays NaN.
    #[inline(always)]
    fn doubtful<S: Simd>(simd: S, _: f32x8<S>) -> mask32x8<S> {
        mask32x8::from_bitmask(simd, 0)
    }
}

/// `frc`.
pub(crate) struct Frc;

impl Vectorized<1> for Frc {
    type Common = ();

    #[inline(always)]
    fn eval<S: Simd>(_: S, _: Denormals, (): (), [a]: [f32x8<S>; 1]) -> f32x8<S> {
        a - a.floor()
    }

    /// The fraction of a tiny negative number is rounded to one.
    #[inline(always)]
    fn doubtful<S: Simd>(simd: S, results: f32x8<S>) -> mask32x8<S> {
        !results.simd_lt(f32x8::splat(simd, 1.0))
    }
}

/// `sel.l` and `sel.ge`: the minimum and the maximum. If one source is NaN, the result is the other one.
pub(crate) struct Extreme;

impl Vectorized<2> for Extreme {
    type Common = CondMod;

    #[inline(always)]
    fn handles(plan: &Plan) -> bool {
        matches!(plan.condition, CondMod::L | CondMod::Ge)
    }

    #[inline(always)]
    fn eval<S: Simd>(_: S, _: Denormals, condition: CondMod, [a, b]: [f32x8<S>; 2]) -> f32x8<S> {
        let is_chosen = if condition == CondMod::L { a.simd_lt(b) } else { a.simd_ge(b) };
        (is_chosen | b.is_nan()).select(a, b)
    }
}

/// `line`: `p * x + s` with a plane operand (p, q, -, s).
pub(crate) struct Line;

impl Vectorized<1> for Line {
    type Common = PlaneOperand;

    #[inline(always)]
    fn eval<S: Simd>(
        simd: S,
        _: Denormals,
        PlaneOperand([p, _, _, s]): PlaneOperand,
        [x]: [f32x8<S>; 1],
    ) -> f32x8<S> {
        f32x8::splat(simd, p).mul_add_precise(x, f32x8::splat(simd, s))
    }
}

/// `pln`: `p * u + q * v + s`.
pub(crate) struct Pln;

impl Vectorized<2> for Pln {
    type Common = PlaneOperand;

    #[inline(always)]
    fn eval<S: Simd>(
        simd: S,
        denormals: Denormals,
        PlaneOperand([p, q, _, s]): PlaneOperand,
        [u, v]: [f32x8<S>; 2],
    ) -> f32x8<S> {
        let first = f32x8::splat(simd, p).mul_add_precise(u, f32x8::splat(simd, s));
        f32x8::splat(simd, q).mul_add_precise(v, denormals.flush(simd, first))
    }
}
