//! Arithmetic over channels: load the sources, compute each channel, store the result.
//!
//! Each function here is instantiated per operation, execution type and number of channels, so that the loop over
//! channels contains no branches. [`instance`](super::instance) selects an instance for each instruction.
//! [`crestline_isa::semantics`] defines the results; [`ops`] only maps operations to its functions.

pub(crate) mod accumulate;
pub(crate) mod elementary;
pub(crate) mod float;
pub(crate) mod macros;
pub(crate) mod ops;
pub(crate) mod special;
pub(crate) mod vector;

use super::access::keep_in_memory;
use super::lane::{Lane, flushed};
use crate::mask::lanes_of;
use crate::plan::{DestinationKind, Plan, Source};
use crate::thread::Thread;
use crestline_isa::CondMod;
use crestline_isa::semantics::FloatEnv;
use crestline_isa::semantics::compare::{compare, compare_nan};

/// An operation of one source.
pub(crate) trait Unary<L: Lane> {
    fn eval(a: L, env: &FloatEnv) -> L;
}

/// An operation of two sources.
pub(crate) trait Binary<L: Lane> {
    fn eval(a: L, b: L, env: &FloatEnv) -> L;
}

/// An operation of three sources.
pub(crate) trait Ternary<L: Lane> {
    fn eval(a: L, b: L, c: L, env: &FloatEnv) -> L;
}

/// Executes an operation of one source on `N` channels.
#[inline(always)]
pub(crate) fn unary<O: Unary<L>, L: Lane, const N: usize>(plan: &Plan, t: &mut Thread, mask: u32) {
    let a: [L; N] = t.load(&plan.sources[0], mask);
    let env = t.env;
    let mut result = [L::default(); N];
    for i in 0..N {
        result[i] = O::eval(a[i], &env);
    }
    finish(plan, t, mask, result);
}

/// Executes an operation of two sources on `N` channels.
#[inline(always)]
pub(crate) fn binary<O: Binary<L>, L: Lane, const N: usize>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
) {
    let a: [L; N] = t.load(&plan.sources[0], mask);
    let b: [L; N] = t.load(&plan.sources[1], mask);
    let env = t.env;
    let mut result = [L::default(); N];
    for i in 0..N {
        result[i] = O::eval(a[i], b[i], &env);
    }
    finish(plan, t, mask, result);
}

/// Executes an operation of three sources on `N` channels.
#[inline(always)]
pub(crate) fn ternary<O: Ternary<L>, L: Lane, const N: usize>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
) {
    let a: [L; N] = t.load(&plan.sources[0], mask);
    let b: [L; N] = t.load(&plan.sources[1], mask);
    let c: [L; N] = t.load(&plan.sources[2], mask);
    let env = t.env;
    let mut result = [L::default(); N];
    for i in 0..N {
        result[i] = O::eval(a[i], b[i], c[i], &env);
    }
    finish(plan, t, mask, result);
}

/// Saturates the results, sets flags, and stores.
#[inline(always)]
pub(crate) fn finish<L: Lane, const N: usize>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
    mut result: [L; N],
) {
    if !plan.plain {
        before_store(plan, t, mask, &mut result[..]);
    }
    t.store(&plan.destination, &result, plan.saturate, mask, plan.full);
    if !plan.plain {
        after_store(plan, t, mask, &result[..]);
    }
}

/// Saturates the results and sets flags.
#[inline(never)]
fn before_store<L: Lane>(plan: &Plan, t: &mut Thread, mask: u32, result: &mut [L]) {
    if plan.saturate {
        for value in &mut *result {
            *value = value.saturate_to(plan.destination.ty);
        }
    }
    if plan.condition != CondMod::None {
        let signed = plan.destination.ty.is_signed_int();
        let mut bits = 0;
        for (lane, value) in result.iter().enumerate() {
            bits |= u32::from(value.meets(plan.condition, signed)) << lane;
        }
        plan.set_flags(t, bits, mask);
    }
}

/// Writes the accumulator, and updates state that depends on the destination (float modes, record of written flags).
#[inline(never)]
fn after_store<L: Lane>(plan: &Plan, t: &mut Thread, mask: u32, result: &[L]) {
    for destination in [Some(&plan.destination), plan.accumulator.as_deref()].into_iter().flatten()
    {
        if let Some(first) = destination.accumulator {
            for lane in lanes_of(mask) {
                if let Some(accumulator) = t.accumulators.get_mut(usize::from(first) + lane) {
                    *accumulator = result[lane].wide();
                }
            }
        }
    }
    if let Some(accumulator) = &plan.accumulator {
        t.scatter(accumulator, result, false, mask);
    }
    if plan.destination.control {
        t.refresh_control();
    }
    if plan.destination.flag {
        t.registers.refresh_flags_written();
    }
}

/// `cmp` and `cmpn`: set the flags, and write all ones or all zeros to the destination.
#[inline(always)]
pub(crate) fn cmp<L: Comparable, const N: usize, const NAN: bool>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
) {
    let bits = if L::IS_DWORD {
        let a: [u32; N] = L::load_dwords(t, &plan.sources[0], mask);
        let b: [u32; N] = L::load_dwords(t, &plan.sources[1], mask);
        compare_lanes::<L, N, NAN>(plan.condition, &t.env, |i| {
            (L::from_word(a[i]), L::from_word(b[i]))
        })
    } else {
        let a: [L; N] = t.load(&plan.sources[0], mask);
        let b: [L; N] = t.load(&plan.sources[1], mask);
        compare_lanes::<L, N, NAN>(plan.condition, &t.env, |i| (a[i], b[i]))
    };
    plan.set_flags(t, bits, mask);
    if matches!(plan.destination.kind, DestinationKind::Null) {
        return;
    }
    // Decoding has replaced a float destination type by the integer type of the same size.
    if plan.destination.ty.size() <= 4 {
        let mut all = [0u32; N];
        for (i, value) in all.iter_mut().enumerate() {
            *value = 0u32.wrapping_sub(bits >> i & 1);
        }
        t.store(&plan.destination, &all, false, mask, plan.full);
    } else {
        let mut all = [0i64; N];
        for (i, value) in all.iter_mut().enumerate() {
            *value = -i64::from(bits >> i & 1 == 1);
        }
        t.store(&plan.destination, &all, false, mask, plan.full);
    }
}

/// The mask of channels whose operands meet the condition.
#[inline(always)]
fn compare_lanes<L: Comparable, const N: usize, const NAN: bool>(
    condition: CondMod,
    env: &FloatEnv,
    operands: impl Fn(usize) -> (L, L),
) -> u32 {
    let mut bits = 0u32;
    macro_rules! each {
        ($condition:expr) => {
            for i in 0..N {
                let (a, b) = operands(i);
                let (a, b) = (a.comparable(env), b.comparable(env));
                let met =
                    if NAN { compare_nan($condition, a, b) } else { compare($condition, a, b) };
                bits |= u32::from(met) << i;
            }
        };
    }
    // The condition is matched once for all channels.
    match condition {
        CondMod::Z => each!(CondMod::Z),
        CondMod::Nz => each!(CondMod::Nz),
        CondMod::G => each!(CondMod::G),
        CondMod::Ge => each!(CondMod::Ge),
        CondMod::L => each!(CondMod::L),
        CondMod::Le => each!(CondMod::Le),
        other => each!(other),
    }
    bits
}

/// Lane types that `cmp` and `sel` compare.
pub(crate) trait Comparable: Lane + PartialOrd {
    /// Whether a value has 32 bits, so that [`load_dwords`](Self::load_dwords) can load it.
    const IS_DWORD: bool;

    /// Loads a source as dwords, which the host copies faster than the values.
    #[inline(always)]
    fn load_dwords<const N: usize>(t: &mut Thread, source: &Source, mask: u32) -> [u32; N] {
        let mut dwords = [0; N];
        t.load_into(source, mask, &mut dwords);
        dwords
    }

    /// The value with denormals flushed if the float mode requires it.
    fn comparable(self, env: &FloatEnv) -> Self;

    /// `sel.l`.
    fn least(self, other: Self, env: &FloatEnv) -> Self;

    /// `sel.ge`.
    fn greatest(self, other: Self, env: &FloatEnv) -> Self;
}

macro_rules! comparable_int {
    ($($int:ident $is_dword:literal)*) => {$(
        impl Comparable for $int {
            const IS_DWORD: bool = $is_dword;

            #[inline(always)]
            fn comparable(self, _: &FloatEnv) -> Self {
                self
            }

            #[inline(always)]
            fn least(self, other: Self, _: &FloatEnv) -> Self {
                self.min(other)
            }

            #[inline(always)]
            fn greatest(self, other: Self, _: &FloatEnv) -> Self {
                self.max(other)
            }
        }
    )*};
}

impl Comparable for f32 {
    const IS_DWORD: bool = true;

    #[inline(always)]
    fn load_dwords<const N: usize>(t: &mut Thread, source: &Source, mask: u32) -> [u32; N] {
        let mut bits = [0; N];
        t.load_float_bits(source, mask, &mut bits);
        keep_in_memory(&mut bits);
        bits
    }

    #[inline(always)]
    fn comparable(self, env: &FloatEnv) -> Self {
        flushed(self, env)
    }

    // These compute the same as the functions of `Float`, without calls.
    #[inline(always)]
    fn least(self, other: Self, env: &FloatEnv) -> Self {
        let (a, b) = (flushed(self, env), flushed(other, env));
        if (b.is_nan() & !a.is_nan()) | (a < b) { a } else { quiet(b) }
    }

    #[inline(always)]
    fn greatest(self, other: Self, env: &FloatEnv) -> Self {
        let (a, b) = (flushed(self, env), flushed(other, env));
        if (b.is_nan() & !a.is_nan()) | (a >= b) { a } else { quiet(b) }
    }
}

/// Sets the quiet bit of a NaN.
#[inline(always)]
fn quiet(value: f32) -> f32 {
    f32::from_bits(value.to_bits() | if value.is_nan() { 1 << 22 } else { 0 })
}

macro_rules! comparable_float {
    ($($float:ident $is_dword:literal)*) => {$(
        impl Comparable for $float {
            const IS_DWORD: bool = $is_dword;

            #[inline(always)]
            fn load_dwords<const N: usize>(t: &mut Thread, source: &Source, mask: u32) -> [u32; N] {
                t.load(source, mask)
            }

            #[inline(always)]
            fn comparable(self, env: &FloatEnv) -> Self {
                crestline_isa::semantics::Float::flush(self, env)
            }

            #[inline(always)]
            fn least(self, other: Self, env: &FloatEnv) -> Self {
                crestline_isa::semantics::Float::sel_l(self, other, env)
            }

            #[inline(always)]
            fn greatest(self, other: Self, env: &FloatEnv) -> Self {
                crestline_isa::semantics::Float::sel_ge(self, other, env)
            }
        }
    )*};
}

comparable_int!(i32 true u32 true i64 false i128 false);
comparable_float!(f64 false);

/// `sel` by the predicate. All channels of the execution mask are written.
#[inline(always)]
pub(crate) fn select<L: Lane, const N: usize>(plan: &Plan, t: &mut Thread, mask: u32) {
    let chosen = plan.predicate_mask(t, mask);
    let a: [L; N] = t.load(&plan.sources[0], mask & chosen);
    let b: [L; N] = t.load(&plan.sources[1], mask & !chosen);
    let mut result = [L::default(); N];
    for i in 0..N {
        result[i] = if chosen >> i & 1 == 1 { a[i] } else { b[i] };
    }
    finish(plan, t, mask, result);
}

/// `sel` by a condition: minimum, maximum, or source 0 if the comparison holds and source 1 otherwise.
#[inline(always)]
pub(crate) fn select_condition<L: Comparable, const N: usize>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
) {
    let (a, b): ([L; N], [L; N]) = if L::IS_DWORD {
        let a = L::load_dwords(t, &plan.sources[0], mask);
        let b = L::load_dwords(t, &plan.sources[1], mask);
        (L::from_words(a), L::from_words(b))
    } else {
        (t.load(&plan.sources[0], mask), t.load(&plan.sources[1], mask))
    };
    let env = t.env;
    let mut result = [L::default(); N];
    macro_rules! each {
        (|$a:ident, $b:ident| $chosen:expr) => {
            for i in 0..N {
                let ($a, $b) = (a[i], b[i]);
                result[i] = $chosen;
            }
        };
    }
    match plan.condition {
        CondMod::L => each!(|a, b| a.least(b, &env)),
        CondMod::Ge => each!(|a, b| a.greatest(b, &env)),
        condition => {
            each!(|a, b| if compare(condition, a.comparable(&env), b.comparable(&env)) {
                a
            } else {
                b
            });
        }
    }
    store_chosen(plan, t, mask, result);
}

/// Stores the results of a selection by a condition, which sets no flags.
#[inline(always)]
fn store_chosen<L: Lane, const N: usize>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
    mut result: [L; N],
) {
    if plan.saturate {
        for value in &mut result {
            *value = value.saturate_to(plan.destination.ty);
        }
    }
    t.store(&plan.destination, &result, plan.saturate, mask, plan.full);
}

/// `csel`: source 0 if source 2 meets the condition when compared with zero, else source 1.
pub(crate) fn csel<L: Lane, const N: usize>(plan: &Plan, t: &mut Thread, mask: u32) {
    let a: [L; N] = t.load(&plan.sources[0], mask);
    let b: [L; N] = t.load(&plan.sources[1], mask);
    let c: [L; N] = t.load(&plan.sources[2], mask);
    let mut result = [L::default(); N];
    for i in 0..N {
        result[i] = if c[i].meets(plan.condition, true) { a[i] } else { b[i] };
    }
    store_chosen(plan, t, mask, result);
}
