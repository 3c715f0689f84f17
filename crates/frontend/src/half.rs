//! Float formats at compile time: conversions between binary16, binary32 and binary64.

use std::cmp::Ordering;

use half::f16;

/// Converts the bits of a float of `from` bits to those of a float of `to` bits, rounding to nearest even.
///
/// `None` if either size is not 16, 32 or 64.
pub(crate) fn convert(value: u64, from: u32, to: u32) -> Option<u64> {
    let wide = match from {
        16 => f16::from_bits(value as u16).to_f64(),
        32 => f64::from(f32::from_bits(value as u32)),
        64 => f64::from_bits(value),
        _ => return None,
    };
    match to {
        16 => Some(u64::from(to_half(wide).to_bits())),
        32 => Some(u64::from((wide as f32).to_bits())),
        64 => Some(wide.to_bits()),
        _ => None,
    }
}

/// Rounds a binary32 number to one that binary16 can represent; a result that is denormal in binary16 becomes zero.
pub(crate) fn quantize(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    let half = f16::from_f32(value);
    let half = if half.is_normal() || !half.is_finite() { half } else { f16::ZERO.copysign(half) };
    half.to_f32().to_bits()
}

/// Rounds to the nearest binary16 number, ties to even.
///
/// `f16::from_f64` (`half` 2.7.1) ignores the low 32 bits of the number. It therefore treats a number slightly above
/// the middle of two binary16 numbers as the middle. So the number is first rounded to binary32 with an odd mantissa if
/// inexact; such a number is never a middle.
fn to_half(value: f64) -> f16 {
    if value.is_nan() {
        return if value.is_sign_negative() { -f16::NAN } else { f16::NAN };
    }
    let near = value as f32;
    let cut = match f64::from(near).abs().total_cmp(&value.abs()) {
        Ordering::Equal => near,
        Ordering::Less => f32::from_bits(near.to_bits() | 1),
        Ordering::Greater => f32::from_bits((near.to_bits() - 1) | 1),
    };
    f16::from_f32(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_half_survives_the_round_trip() {
        for half in (0..=u16::MAX).map(f16::from_bits).filter(|half| !half.is_nan()) {
            assert_eq!(to_half(half.to_f64()).to_bits(), half.to_bits(), "{half:?}");
        }
        assert_eq!(to_half(65519.0).to_bits(), 0x7bff);
        assert_eq!(to_half(65520.0).to_bits(), 0x7c00);
        assert_eq!(to_half(1e300).to_bits(), 0x7c00);
        assert_eq!(to_half(-1e-300).to_bits(), 0x8000);
        assert_eq!(to_half(f64::NAN.copysign(-1.0)).to_bits(), 0xfe00);
    }

    #[test]
    fn between_two_halves_the_nearer_wins_and_ties_go_to_even() {
        for bits in 0..0x7bff_u16 {
            let [low, high] = [bits, bits + 1].map(|bits| f16::from_bits(bits).to_f64());
            let middle = f64::midpoint(low, high);
            for (value, expected) in [
                (middle.next_down(), bits),
                (middle, bits + (bits & 1)),
                (middle.next_up(), bits + 1),
                // So close to the middle that rounding to binary32 first would result in the middle.
                (middle * (1.0 - 2f64.powi(-40)), bits),
                (middle * (1.0 + 2f64.powi(-40)), bits + 1),
            ] {
                assert_eq!(to_half(value).to_bits(), expected, "{value:e}");
                assert_eq!(to_half(-value).to_bits(), expected | 0x8000, "{value:e}");
            }
        }
    }

    #[test]
    fn quantizing_flushes_denormals_and_overflows_to_infinity() {
        assert_eq!(quantize(1e-6f32.to_bits()), 0);
        assert_eq!(quantize(1e6f32.to_bits()), f32::INFINITY.to_bits());
        assert_eq!(quantize(1.0f32.to_bits()), 1.0f32.to_bits());
    }
}
