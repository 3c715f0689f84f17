//! The types in which a channel computes, and their conversion from and to register bytes.

use crestline_isa::semantics::compare::compare;
use crestline_isa::semantics::convert::{IntRange, float_to_float, float_to_int, int_to_float};
use crestline_isa::semantics::soft::SINGLE;
use crestline_isa::semantics::{Float, FloatEnv, Half, Rounding};
use crestline_isa::{CondMod, Type, TypeClass};

/// A value of an execution type.
///
/// Integers of up to 32 bits run as `i32` or `u32` where only the low 32 bits of the result
/// matter, as `i64` where the exact result does (saturation, comparisons of mixed signs);
/// 64-bit integers as `i128`. Floats run as they are.
pub(crate) trait Lane: Copy + Default + 'static {
    /// Whether register elements of a type are dwords with the same bits as this value.
    fn is_native(ty: Type) -> bool;

    /// Converts a dword of a native type.
    fn from_word(word: u32) -> Self;

    /// Converts dwords of a native type.
    #[inline(always)]
    fn from_words<const N: usize>(words: [u32; N]) -> [Self; N] {
        words.map(Self::from_word)
    }

    /// Converts to a dword of a native type.
    fn to_word(self) -> u32;

    /// Converts an integer element. It is truncated if this type is too narrow.
    fn from_int(value: i128) -> Self;

    /// Converts a 16-bit float. Integer types return 0, because operands of integer instructions are never floats.
    fn from_half(value: Half, env: &FloatEnv) -> Self;

    /// Converts a 32-bit float.
    fn from_f32(value: f32, env: &FloatEnv) -> Self;

    /// Converts a 64-bit float.
    fn from_f64(value: f64, env: &FloatEnv) -> Self;

    /// Converts to an integer element. Integers are truncated, or clamped with `saturate`; floats are always clamped.
    fn to_int(self, range: IntRange, saturate: bool, env: &FloatEnv) -> u64;

    /// Converts to a float element.
    fn to_float<F: Float>(self, env: &FloatEnv) -> F;

    /// The bits of values as elements of a 32-bit type, for the conversions that the host does for all channels at once; `None`
    /// for others.
    #[inline(always)]
    fn converted<const N: usize>(_: Type, _: &[Self; N], _: &FloatEnv) -> Option<[u32; N]> {
        None
    }

    /// The source modifier `-`.
    fn negate(self) -> Self;

    /// The source modifier `(abs)`.
    fn absolute(self) -> Self;

    /// Bitwise not, the meaning of a negation in logic instructions. Floats are returned unchanged.
    fn invert(self) -> Self;

    /// Clamps an integer to the range of a destination type, or a float to [0, 1] if that type is a float.
    fn saturate_to(self, ty: Type) -> Self;

    /// The exact integer for an accumulator; 0 for floats.
    fn wide(self) -> i64;

    /// Whether the value meets a condition when compared with zero. If `signed` is set, the bits of an unsigned lane
    /// are taken as a signed number.
    fn meets(self, condition: CondMod, signed: bool) -> bool;
}

macro_rules! int_lane {
    ($int:ident, $unsigned:ident, [$($native:ident)*]) => {
        impl Lane for $int {
            #[inline(always)]
            fn is_native(ty: Type) -> bool {
                [$(Type::$native),*].contains(&ty)
            }

            #[inline(always)]
            fn from_word(word: u32) -> Self {
                word as $int
            }

            int_lane!(@words $int);
            int_lane!(@converted $int);

            #[inline(always)]
            fn to_word(self) -> u32 {
                self as u32
            }

            #[inline(always)]
            fn from_int(value: i128) -> Self {
                value as $int
            }

            #[inline(always)]
            fn from_half(_: Half, _: &FloatEnv) -> Self {
                0
            }

            #[inline(always)]
            fn from_f32(_: f32, _: &FloatEnv) -> Self {
                0
            }

            #[inline(always)]
            fn from_f64(_: f64, _: &FloatEnv) -> Self {
                0
            }

            #[inline(always)]
            fn to_int(self, range: IntRange, saturate: bool, _: &FloatEnv) -> u64 {
                if saturate {
                    range.clamp(self as i128)
                } else {
                    self as u64 & u64::MAX >> (64 - range.bits)
                }
            }

            #[inline(always)]
            fn to_float<F: Float>(self, env: &FloatEnv) -> F {
                // Small integers are exact in every rounding mode.
                if (self as i128).unsigned_abs() < 1 << 24 && F::FORMAT == SINGLE {
                    return F::from_bits((self as f32).to_bits().into());
                }
                int_to_float(self as i128, env)
            }

            #[inline(always)]
            fn negate(self) -> Self {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn absolute(self) -> Self {
                int_lane!(@abs $unsigned self)
            }

            #[inline(always)]
            fn invert(self) -> Self {
                !self
            }

            #[inline(always)]
            fn saturate_to(self, ty: Type) -> Self {
                let range = int_range(ty);
                (self as i128).clamp(range.min(), range.max()) as $int
            }

            #[inline(always)]
            fn wide(self) -> i64 {
                self as i64
            }

            #[inline(always)]
            fn meets(self, condition: CondMod, signed: bool) -> bool {
                int_lane!(@meets $unsigned self condition signed)
            }
        }
    };
    // The host copies arrays of dwords as a whole, other arrays element by element.
    (@words u32) => {
        #[inline(always)]
        fn from_words<const N: usize>(words: [u32; N]) -> [u32; N] {
            words
        }
    };
    (@words $other:ident) => {};
    (@converted i32) => { int_lane!(@to_float i32); };
    (@converted u32) => { int_lane!(@to_float u32); };
    (@converted $other:ident) => {};
    // The host rounds to the nearest.
    (@to_float $int:ident) => {
        #[inline(always)]
        fn converted<const N: usize>(
            ty: Type,
            values: &[$int; N],
            env: &FloatEnv,
        ) -> Option<[u32; N]> {
            let is_host = ty == Type::F && env.rounding == Rounding::NearestEven;
            is_host.then(|| values.map(|value| (value as f32).to_bits()))
        }
    };
    (@meets signed $value:ident $condition:ident $signed:ident) => {{
        let _ = $signed;
        compare($condition, $value, 0)
    }};
    (@meets unsigned $value:ident $condition:ident $signed:ident) => {
        if $signed {
            compare($condition, $value.cast_signed(), 0)
        } else {
            compare($condition, $value, 0)
        }
    };
    // `decode::region` drops the modifier for unsigned elements, so the bits of this lane are those of a signed
    // element.
    (@abs unsigned $value:ident) => { $value.cast_signed().wrapping_abs().cast_unsigned() };
    (@abs signed $value:ident) => { $value.wrapping_abs() };
}

int_lane!(i32, signed, [Ud D]);
int_lane!(u32, unsigned, [Ud D]);
int_lane!(i64, signed, []);
int_lane!(i128, signed, []);

macro_rules! float_lane {
    ($float:ident, [$($native:ident)*]) => {
        impl Lane for $float {
            #[inline(always)]
            fn is_native(ty: Type) -> bool {
                [$(Type::$native),*].contains(&ty)
            }

            #[inline(always)]
            fn from_word(word: u32) -> Self {
                <$float as Float>::from_bits(word.into())
            }

            #[inline(always)]
            fn to_word(self) -> u32 {
                Float::to_bits(self) as u32
            }

            #[inline(always)]
            fn from_int(value: i128) -> Self {
                int_to_float(value, &FloatEnv::default())
            }

            #[inline(always)]
            fn from_half(value: Half, env: &FloatEnv) -> Self {
                float_to_float(value, env)
            }

            #[inline(always)]
            fn from_f32(value: f32, env: &FloatEnv) -> Self {
                float_to_float(value, env)
            }

            #[inline(always)]
            fn from_f64(value: f64, env: &FloatEnv) -> Self {
                float_to_float(value, env)
            }

            #[inline(always)]
            fn to_int(self, range: IntRange, _: bool, env: &FloatEnv) -> u64 {
                float_to_int(self, range, env)
            }

            #[inline(always)]
            fn to_float<F: Float>(self, env: &FloatEnv) -> F {
                // The operation has already flushed denormals in its result.
                if F::FORMAT == Self::FORMAT {
                    return F::from_bits(Float::to_bits(self));
                }
                float_to_float(self, env)
            }

            #[inline(always)]
            fn negate(self) -> Self {
                Float::negate(self)
            }

            #[inline(always)]
            fn absolute(self) -> Self {
                Float::absolute(self)
            }

            float_lane!(@converted $float);

            #[inline(always)]
            fn invert(self) -> Self {
                self
            }

            #[inline(always)]
            fn saturate_to(self, ty: Type) -> Self {
                if ty.is_float() { float_lane!(@saturated $float self) } else { self }
            }

            #[inline(always)]
            fn wide(self) -> i64 {
                0
            }

            #[inline(always)]
            fn meets(self, condition: CondMod, _: bool) -> bool {
                compare(condition, float_lane!(@ordered $float self), 0.0)
            }
        }
    };
    // The host truncates, limits numbers to the range of the integer, and makes 0 of NaN.
    (@converted f32) => {
        #[inline(always)]
        fn converted<const N: usize>(
            ty: Type,
            values: &[f32; N],
            env: &FloatEnv,
        ) -> Option<[u32; N]> {
            match ty {
                Type::D if !env.round_to_int => {
                    Some(values.map(|value| (value as i32).cast_unsigned()))
                }
                Type::Ud if !env.round_to_int => Some(values.map(|value| value as u32)),
                _ => None,
            }
        }
    };
    (@converted $other:ident) => {};
    (@saturated f32 $value:ident) => { saturated($value) };
    (@saturated $float:ident $value:ident) => { Float::saturate($value) };
    (@ordered Half $value:ident) => { $value.to_f32() };
    (@ordered $float:ident $value:ident) => { $value };
}

float_lane!(f32, [F]);
float_lane!(f64, []);
float_lane!(Half, []);

/// The range of an integer type. It is inlined, so that nothing of it remains for a type that is known.
#[inline(always)]
pub(crate) fn int_range(ty: Type) -> IntRange {
    let (bits, signed) = match ty {
        Type::Ub => (8, false),
        Type::B => (8, true),
        Type::Uw => (16, false),
        Type::W => (16, true),
        Type::Ud => (32, false),
        Type::D => (32, true),
        Type::Uq => (64, false),
        Type::Q => (64, true),
        other => (other.size() * 8, matches!(other.class(), TypeClass::Signed)),
    };
    IntRange { bits, signed }
}

/// A 32-bit float with a denormal replaced by a zero of the same sign, if the float mode requires it.
#[inline(always)]
pub(crate) fn flushed(value: f32, env: &FloatEnv) -> f32 {
    let bits = value.to_bits();
    let keep = if bits & 0x7f80_0000 == 0 && !env.keep_denorm_f32 { 0x8000_0000 } else { u32::MAX };
    f32::from_bits(bits & keep)
}

/// A 32-bit float limited to 0..1; 0 for NaN.
#[inline(always)]
pub(crate) fn saturated(value: f32) -> f32 {
    let above = if value > 0.0 { value } else { 0.0 };
    if above < 1.0 { above } else { 1.0 }
}
