//! Conversions between types.

use super::env::{FloatEnv, Rounding};
use super::float::Float;
use super::half::Half;
use super::soft::{Format, Number};

/// An integer type's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntRange {
    /// Bits: 8, 16, 32 or 64.
    pub bits: u32,
    /// Whether it is signed.
    pub signed: bool,
}

impl IntRange {
    /// The smallest number.
    #[inline(always)]
    pub const fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    /// The greatest number.
    #[inline(always)]
    pub const fn max(self) -> i128 {
        if self.signed { (1 << (self.bits - 1)) - 1 } else { (1 << self.bits) - 1 }
    }

    /// The low bits of `value` that this type has, zero extended.
    #[inline(always)]
    pub const fn truncate(self, value: i128) -> u64 {
        value as u64 & u64::MAX >> (64 - self.bits)
    }

    /// The bits of the number of this type that is nearest to `value`, zero extended.
    #[inline(always)]
    pub fn clamp(self, value: i128) -> u64 {
        self.truncate(value.clamp(self.min(), self.max()))
    }

    /// [`clamp`](Self::clamp) for a number of 64 bits.
    #[inline(always)]
    fn clamp_i64(self, value: i64) -> u64 {
        let mask = u64::MAX >> (64 - self.bits);
        let most = i64::try_from(mask >> u32::from(self.signed)).unwrap_or(i64::MAX);
        let least = if self.signed { -1 - most } else { 0 };
        value.clamp(least, most) as u64 & mask
    }

    /// The number of this type that the low bits of `bits` represent.
    #[inline(always)]
    pub const fn extend(self, bits: u64) -> i64 {
        let unused = 64 - self.bits;
        if self.signed {
            (bits << unused) as i64 >> unused
        } else {
            (bits << unused >> unused) as i64
        }
    }
}

/// Converts a float to an integer and returns its bits. Rounds toward zero, or as `cr0` says if
/// [`FloatEnv::round_to_int`]. Numbers out of range are clamped, also without `.sat`; NaN becomes
/// 0.
#[inline(always)]
pub fn float_to_int<F: Float>(value: F, range: IntRange, env: &FloatEnv) -> u64 {
    let value = value.flush(env);
    let host = value.to_f64();
    // The host converts exactly. Larger numbers, infinities and NaN need more care.
    if host.abs() < EXACT && !env.round_to_int {
        range.clamp_i64(host as i64)
    } else {
        rounded_to_int(value, range, env)
    }
}

/// The magnitude below which a rounded `f64` is far from the limits of `i64`.
const EXACT: f64 = (1u64 << 62) as f64;

/// [`float_to_int`] of a float without denormals that are flushed, for all floats and rounding modes.
fn rounded_to_int<F: Float>(value: F, range: IntRange, env: &FloatEnv) -> u64 {
    let rounding = if env.round_to_int { env.rounding } else { Rounding::Zero };
    let host = value.to_f64();
    if host.abs() < EXACT {
        return range.clamp_i64(match rounding {
            Rounding::NearestEven => host.round_ties_even() as i64,
            Rounding::Up => host.ceil() as i64,
            Rounding::Down => host.floor() as i64,
            Rounding::Zero => host as i64,
        });
    }
    match value.unpack().to_int(rounding) {
        None => 0,
        Some(int) => range.clamp(int),
    }
}

/// Converts an integer to a float, rounded as the environment says.
#[inline]
pub fn int_to_float<F: Float>(value: i128, env: &FloatEnv) -> F {
    F::pack(Number::from_int(value), env)
}

/// Converts a float to another format, rounded if that is narrower. NaN becomes quiet and keeps the
/// most significant bits of its payload.
#[inline]
pub fn float_to_float<A: Float, B: Float>(value: A, env: &FloatEnv) -> B {
    let value = value.flush(env);
    if value.is_nan() {
        return B::from_bits(convert_nan(value.to_bits(), A::FORMAT, B::FORMAT));
    }
    if A::FORMAT == B::FORMAT {
        return B::from_bits(value.to_bits());
    }
    B::pack(value.unpack(), env)
}

/// Converts the bits of a NaN between formats.
fn convert_nan(bits: u64, from: Format, to: Format) -> u64 {
    let payload = bits & ((1 << from.fraction) - 1);
    let payload = if to.fraction >= from.fraction {
        payload << (to.fraction - from.fraction)
    } else {
        payload >> (from.fraction - to.fraction)
    };
    let sign = if bits & from.sign() != 0 { to.sign() } else { 0 };
    sign | to.nan() | payload
}

/// The result of `f32to16` (gen7): the bits of the 16-bit float, rounded to nearest even. Denormal
/// results are kept.
#[inline]
pub fn f32_to_16(value: f32) -> u16 {
    Half::from_f32(value, Rounding::NearestEven).0
}

/// Element `lane` (modulo 8) of a `V` immediate: eight signed 4-bit integers.
#[inline]
pub const fn vector_v(imm: u32, lane: usize) -> i16 {
    ((imm >> (lane % 8 * 4)) as i16) << 12 >> 12
}

/// Element `lane` (modulo 8) of a `UV` immediate: eight unsigned 4-bit integers.
#[inline]
pub const fn vector_uv(imm: u32, lane: usize) -> u16 {
    (imm >> (lane % 8 * 4) & 15) as u16
}

/// Element `lane` (modulo 4) of a `VF` immediate: four 8-bit floats. Each has a sign, three
/// exponent bits (bias 3) and four fraction bits. There are no denormals: only the codes 0x00 and
/// 0x80 are zeros.
#[inline]
pub const fn vector_vf(imm: u32, lane: usize) -> f32 {
    let code = imm >> (lane % 4 * 8) & 0xff;
    let sign = (code & 0x80) << 24;
    if code & 0x7f == 0 {
        return f32::from_bits(sign);
    }
    f32::from_bits(sign | ((code >> 4 & 7) + 124) << 23 | (code & 15) << 19)
}

#[cfg(test)]
mod tests {
    use super::*;

    const D: IntRange = IntRange { bits: 32, signed: true };
    const UB: IntRange = IntRange { bits: 8, signed: false };

    #[test]
    fn the_host_rounds_like_exact_arithmetic() {
        fn check<F: Float>(bits: u64) {
            let range = IntRange { bits: 8 << (bits % 4), signed: bits & 4 == 0 };
            let modes = [Rounding::NearestEven, Rounding::Up, Rounding::Down, Rounding::Zero];
            for (rounding, round_to_int) in
                modes.map(|mode| (mode, true)).into_iter().chain([(Rounding::Zero, false)])
            {
                let env = FloatEnv { rounding, round_to_int, ..FloatEnv::default() };
                let value = F::from_bits(bits).flush(&env);
                let expected = value.unpack().to_int(rounding).map_or(0, |int| range.clamp(int));
                assert_eq!(float_to_int(value, range, &env), expected, "{value:?} {rounding:?}");
            }
        }
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..20_000 {
            let bits = random.u64(..);
            check::<Half>(bits);
            check::<f32>(bits);
            check::<f64>(bits);
            // Halves, which are ties, and their neighbours.
            let half = f64::from(random.i32(-100..100)) / 2.0;
            check::<f64>(half.to_bits().wrapping_add(bits % 3).wrapping_sub(1));
            check::<f32>(u64::from((half as f32).to_bits()).wrapping_add(bits % 3).wrapping_sub(1));
        }
    }

    #[test]
    fn floats_clamp_to_integers() {
        let env = FloatEnv::default();
        assert_eq!(float_to_int(3e9f32, D, &env), 0x7fff_ffff);
        assert_eq!(float_to_int(f32::NEG_INFINITY, D, &env), 0x8000_0000);
        assert_eq!(float_to_int(f32::NAN, D, &env), 0);
        assert_eq!(float_to_int(-1.5f32, D, &env), 0xffff_ffff);
        assert_eq!(float_to_int(-1.0f32, UB, &env), 0);
        assert_eq!(float_to_int(1e300f64, IntRange { bits: 64, signed: false }, &env), u64::MAX);
    }

    #[test]
    fn conversions_agree_with_the_host() {
        let env = FloatEnv { keep_denorm_f32: true, ..FloatEnv::default() };
        for value in [1.5f64, 1e-40, 16_777_217.0, -3.3, 1e40, 0.1] {
            assert_eq!(float_to_float::<f64, f32>(value, &env), value as f32);
        }
        for value in [16_777_217i64, -1, i64::MAX, 1 << 53 | 1] {
            assert_eq!(int_to_float::<f32>(value.into(), &env), value as f32);
            assert_eq!(int_to_float::<f64>(value.into(), &env), value as f64);
        }
    }

    #[test]
    fn packed_vectors() {
        assert_eq!(
            [vector_v(0x8000_00f1, 0), vector_v(0x8000_00f1, 1), vector_v(0x8000_00f1, 7)],
            [1, -1, -8]
        );
        assert_eq!(vector_uv(0xf000_0000, 15), 15);
        assert_eq!(
            [0x30, 0xb0, 0x7f, 0x00, 0x48].map(|c| vector_vf(c, 0)),
            [1.0, -1.0, 31.0, 0.0, 3.0]
        );
    }
}
