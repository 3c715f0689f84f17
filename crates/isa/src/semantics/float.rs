//! Arithmetic on 16, 32 and 64-bit floats.
//!
//! In flush mode (the default of [`FloatEnv`]) denormal sources and results become zeros of the
//! same sign. If a source is NaN, the result is the first NaN source, made quiet. An invalid
//! operation without NaN sources gives the quiet NaN without payload.
//!
//! With rounding to nearest even, the functions use the float operations of the host; for other
//! roundings they compute with [`Number`].

use super::env::{FloatEnv, Rounding};
use super::half::Half;
use super::soft::{DOUBLE, Format, HALF, Number, SINGLE};

/// A float type of the EU, with its operations.
pub trait Float: Copy + std::fmt::Debug + PartialEq + Send + Sync + 'static {
    /// Bits of exponent and fraction.
    const FORMAT: Format;

    /// The float with these bits; bits beyond the format are ignored.
    fn from_bits(bits: u64) -> Self;

    /// Its bits, zero extended.
    fn to_bits(self) -> u64;

    /// Whether the environment keeps denormals of this format.
    fn keeps_denormals(env: &FloatEnv) -> bool;

    /// The same number in the format of `f64`, which represents all numbers of the smaller formats.
    fn to_f64(self) -> f64;

    /// The sum, computed by the host and rounded to nearest even.
    fn host_add(self, other: Self) -> Self;

    /// The product, computed by the host and rounded to nearest even.
    fn host_mul(self, other: Self) -> Self;

    /// `self * b + c` rounded once, to nearest even.
    fn host_fma(self, b: Self, c: Self) -> Self;

    /// `self < other`, false for NaN.
    fn less(self, other: Self) -> bool;

    /// `self == other`: zeros are equal, NaN equals nothing.
    fn equal(self, other: Self) -> bool;

    /// Rounded to an integer in the given direction.
    fn round_to(self, rounding: Rounding) -> Self;

    /// Whether it is NaN.
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.to_bits() & !Self::FORMAT.sign() > Self::FORMAT.infinity()
    }

    /// Whether it is negative, or a zero or NaN with its sign set.
    #[inline(always)]
    fn is_sign_negative(self) -> bool {
        self.to_bits() & Self::FORMAT.sign() != 0
    }

    /// Positive zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::from_bits(0)
    }

    /// One.
    #[inline(always)]
    fn one() -> Self {
        Self::from_bits((Self::FORMAT.bias() as u64) << Self::FORMAT.fraction)
    }

    /// Sign flipped, of NaN too.
    #[inline(always)]
    fn negate(self) -> Self {
        Self::from_bits(self.to_bits() ^ Self::FORMAT.sign())
    }

    /// Sign cleared, of NaN too.
    #[inline(always)]
    fn absolute(self) -> Self {
        Self::from_bits(self.to_bits() & !Self::FORMAT.sign())
    }

    /// Replaces a denormal by a zero of the same sign, unless the environment keeps denormals of
    /// this format.
    #[inline(always)]
    fn flush(self, env: &FloatEnv) -> Self {
        if self.to_bits() & Self::FORMAT.infinity() == 0 && !Self::keeps_denormals(env) {
            Self::from_bits(self.to_bits() & Self::FORMAT.sign())
        } else {
            self
        }
    }

    /// Sets the quiet bit of a NaN; other numbers are unchanged.
    #[inline(always)]
    fn quiet(self) -> Self {
        if self.is_nan() {
            Self::from_bits(self.to_bits() | 1 << (Self::FORMAT.fraction - 1))
        } else {
            self
        }
    }

    /// Splits the float into sign, exponent and fraction.
    #[inline]
    fn unpack(self) -> Number {
        Number::unpack(self.to_bits(), Self::FORMAT)
    }

    /// Rounds a number to a float as the environment says, and flushes a denormal result.
    #[inline]
    fn pack(number: Number, env: &FloatEnv) -> Self {
        Self::from_bits(number.pack(Self::FORMAT, env.rounding)).flush(env)
    }

    /// The result of `add`.
    #[inline(always)]
    fn add(self, other: Self, env: &FloatEnv) -> Self {
        let (a, b) = (self.flush(env), other.flush(env));
        let sum = match env.rounding {
            Rounding::NearestEven => a.host_add(b),
            mode => Self::from_bits(a.unpack().add(b.unpack(), mode).pack(Self::FORMAT, mode)),
        };
        finish(sum, &[a, b], env)
    }

    /// The result of `mul`.
    #[inline(always)]
    fn mul(self, other: Self, env: &FloatEnv) -> Self {
        let (a, b) = (self.flush(env), other.flush(env));
        let product = match env.rounding {
            Rounding::NearestEven => a.host_mul(b),
            mode => Self::from_bits(a.unpack().times(b.unpack()).pack(Self::FORMAT, mode)),
        };
        finish(product, &[a, b], env)
    }

    /// The result of `mad`: `addend + b * c`, rounded once.
    #[inline(always)]
    fn mad(addend: Self, b: Self, c: Self, env: &FloatEnv) -> Self {
        let (a, b, c) = (addend.flush(env), b.flush(env), c.flush(env));
        let sum = match env.rounding {
            Rounding::NearestEven => b.host_fma(c, a),
            mode => Self::from_bits(
                b.unpack().times(c.unpack()).add(a.unpack(), mode).pack(Self::FORMAT, mode),
            ),
        };
        finish(sum, &[a, b, c], env)
    }

    /// The result of `lrp`: `a * b + (1 - a) * c`, computed as `c + a * (b - c)`.
    #[inline]
    fn lrp(a: Self, b: Self, c: Self, env: &FloatEnv) -> Self {
        Self::mad(c, a, b.add(c.negate(), env), env)
    }

    /// The result of `frc`: `x - floor(x)`, in [0, 1); NaN for infinities.
    #[inline]
    fn frc(self, env: &FloatEnv) -> Self {
        let x = self.flush(env);
        let part = x.host_add(x.round_to(Rounding::Down).negate());
        // For a tiny negative number the difference rounds to one; the result is then the greatest
        // number below one.
        let below_one = Self::from_bits(Self::one().to_bits() - 1);
        finish(if part.less(Self::one()) || part.is_nan() { part } else { below_one }, &[x], env)
    }

    /// The result of `rndd` (down), `rnde` (nearest even), `rndz` (zero) or `rndu` (up).
    #[inline]
    fn rnd(self, rounding: Rounding, env: &FloatEnv) -> Self {
        let x = self.flush(env);
        finish(x.round_to(rounding), &[x], env)
    }

    /// The number clamped to [0, 1]; 0 for NaN.
    #[inline(always)]
    fn saturate(self) -> Self {
        if self.less(Self::one()) {
            if Self::zero().less(self) { self } else { Self::zero() }
        } else if self.is_nan() {
            Self::zero()
        } else {
            Self::one()
        }
    }

    /// The result of `sel.l`: the smaller number; the other source if one is NaN; `other` if
    /// neither is smaller.
    #[inline(always)]
    fn sel_l(self, other: Self, env: &FloatEnv) -> Self {
        let (a, b) = (self.flush(env), other.flush(env));
        if b.is_nan() && !a.is_nan() || a.less(b) { a } else { b.quiet() }
    }

    /// The result of `sel.ge`: the greater number; the other source if one is NaN; `self` if they
    /// are equal.
    #[inline(always)]
    fn sel_ge(self, other: Self, env: &FloatEnv) -> Self {
        let (a, b) = (self.flush(env), other.flush(env));
        if b.is_nan() && !a.is_nan() || b.less(a) || a.equal(b) { a } else { b.quiet() }
    }
}

/// Completes the result of an operation: applies the rules for NaN (see the module) and flushes
/// denormals.
#[inline(always)]
fn finish<F: Float>(result: F, sources: &[F], env: &FloatEnv) -> F {
    if result.is_nan() { nan_result(sources) } else { result.flush(env) }
}

/// The result if it is NaN: the first NaN source, made quiet, or the quiet NaN without payload.
#[cold]
fn nan_result<F: Float>(sources: &[F]) -> F {
    match sources.iter().find(|x| x.is_nan()) {
        Some(nan) => nan.quiet(),
        None => F::from_bits(F::FORMAT.nan()),
    }
}

macro_rules! host_float {
    ($float:ident, $bits:ident, $format:ident, $keeps:ident) => {
        impl Float for $float {
            const FORMAT: Format = $format;

            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                $float::from_bits(bits as $bits)
            }

            #[inline(always)]
            fn to_bits(self) -> u64 {
                u64::from($float::to_bits(self))
            }

            #[inline(always)]
            fn keeps_denormals(env: &FloatEnv) -> bool {
                env.$keeps
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.into()
            }

            #[inline(always)]
            fn host_add(self, other: Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn host_mul(self, other: Self) -> Self {
                self * other
            }

            #[inline(always)]
            fn host_fma(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }

            #[inline(always)]
            fn less(self, other: Self) -> bool {
                self < other
            }

            #[inline(always)]
            fn equal(self, other: Self) -> bool {
                self == other
            }

            #[inline(always)]
            fn round_to(self, rounding: Rounding) -> Self {
                match rounding {
                    Rounding::NearestEven => self.round_ties_even(),
                    Rounding::Up => self.ceil(),
                    Rounding::Down => self.floor(),
                    Rounding::Zero => self.trunc(),
                }
            }
        }
    };
}

host_float!(f32, u32, SINGLE, keep_denorm_f32);
host_float!(f64, u64, DOUBLE, keep_denorm_f64);

impl Half {
    /// Rounds to the nearest half, ties to even.
    fn nearest(value: f32) -> Half {
        Half::from_f32(value, Rounding::NearestEven)
    }
}

impl Float for Half {
    const FORMAT: Format = HALF;

    #[inline(always)]
    fn from_bits(bits: u64) -> Self {
        Half(bits as u16)
    }

    #[inline(always)]
    fn to_bits(self) -> u64 {
        u64::from(self.0)
    }

    #[inline(always)]
    fn keeps_denormals(env: &FloatEnv) -> bool {
        env.keep_denorm_f16
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.to_f32().into()
    }

    // A 32-bit float has 24 significant bits, which is 2 * 11 + 2 for the 11 of a half. For sums
    // and products this is enough that rounding to 32 bits and then to 16 gives the same result as
    // rounding once.
    #[inline]
    fn host_add(self, other: Self) -> Self {
        Half::nearest(self.to_f32() + other.to_f32())
    }

    #[inline]
    fn host_mul(self, other: Self) -> Self {
        Half::nearest(self.to_f32() * other.to_f32())
    }

    #[inline]
    fn host_fma(self, b: Self, c: Self) -> Self {
        let mode = Rounding::NearestEven;
        Half(self.unpack().times(b.unpack()).add(c.unpack(), mode).pack(HALF, mode) as u16)
    }

    #[inline]
    fn less(self, other: Self) -> bool {
        self.to_f32() < other.to_f32()
    }

    #[inline]
    fn equal(self, other: Self) -> bool {
        self.to_f32() == other.to_f32()
    }

    #[inline]
    fn round_to(self, rounding: Rounding) -> Self {
        Half::nearest(self.to_f32().round_to(rounding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RNE: FloatEnv = FloatEnv {
        rounding: Rounding::NearestEven,
        keep_denorm_f16: false,
        keep_denorm_f32: false,
        keep_denorm_f64: false,
        round_to_int: false,
    };

    #[test]
    fn denormals_are_flushed_in_and_out_unless_kept() {
        let tiny = f32::from_bits(1);
        assert_eq!(tiny.negate().add(0.0, &RNE).to_bits(), 0);
        assert_eq!(tiny.negate().mul(1.0, &RNE).to_bits(), (-0.0f32).to_bits());
        assert_eq!(f32::MIN_POSITIVE.mul(0.5, &RNE).to_bits(), 0);
        let keep = FloatEnv { keep_denorm_f32: true, ..RNE };
        assert_eq!(f32::MIN_POSITIVE.mul(0.5, &keep), f32::MIN_POSITIVE / 2.0);
    }

    #[test]
    fn minimum_and_maximum_prefer_numbers_and_order_zeros_as_the_comparison_does() {
        assert_eq!(f32::NAN.sel_l(1.0, &RNE), 1.0);
        assert_eq!(Float::sel_l(1.0, f32::NAN, &RNE), 1.0);
        assert_eq!(Float::to_bits(Float::sel_l(-0.0f32, 0.0, &RNE)), 0);
        assert_eq!(Float::to_bits(Float::sel_ge(-0.0f32, 0.0, &RNE)), 0x8000_0000);
    }

    #[test]
    fn the_first_nan_wins() {
        let (a, b) = (f32::from_bits(0x7f80_0001), f32::from_bits(0xffc0_0002));
        assert_eq!(a.add(b, &RNE).to_bits(), 0x7fc0_0001);
        assert_eq!(Float::add(1.0, b, &RNE).to_bits(), 0xffc0_0002);
        assert_eq!(f32::INFINITY.add(f32::NEG_INFINITY, &RNE).to_bits(), 0x7fc0_0000);
    }

    #[test]
    fn fraction_stays_below_one() {
        assert_eq!((-1e-30f32).frc(&RNE), 1.0f32.next_down());
        assert_eq!(2.75f32.frc(&RNE), 0.75);
        assert_eq!((-2.75f32).frc(&RNE), 0.25);
    }
}
