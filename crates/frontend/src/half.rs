//! Float formats at compile time: conversions between binary16, binary32 and binary64.

/// Converts bits of a float of `from` bits to one of `to` bits, rounding to nearest even.
///
/// `None` if either size is not 16, 32 or 64.
pub(crate) fn convert(value: u64, from: u32, to: u32) -> Option<u64> {
    let wide = match from {
        16 => from_half(value as u16),
        32 => f64::from(f32::from_bits(value as u32)),
        64 => f64::from_bits(value),
        _ => return None,
    };
    match to {
        16 => Some(u64::from(to_half(wide))),
        32 => Some(u64::from((wide as f32).to_bits())),
        64 => Some(wide.to_bits()),
        _ => None,
    }
}

/// A binary32 number rounded to what binary16 can hold, denormals to zero.
pub(crate) fn quantize(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    let half = to_half(f64::from(value));
    let half = if half & 0x7c00 == 0 { half & 0x8000 } else { half };
    (from_half(half) as f32).to_bits()
}

fn from_half(half: u16) -> f64 {
    let sign = if half & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, mantissa) = (i32::from(half >> 10 & 0x1f), f64::from(half & 0x3ff));
    sign * match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa != 0.0 => f64::NAN,
        31 => f64::INFINITY,
        _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
    }
}

fn to_half(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The unit in the last place at this magnitude; denormals share that of the least normal number.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let units = (magnitude * 2f64.powi(10 - exponent)).round_ties_even() as u16;
    // A normal number's units lie in 1024..=2048: the carry of 2048 moves into the exponent by itself.
    sign | (units + (((exponent + 14) as u16) << 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_half_survives_the_round_trip() {
        for half in (0..=u16::MAX).filter(|h| h & 0x7c00 != 0x7c00) {
            assert_eq!(to_half(from_half(half)), half, "{half:#06x}");
        }
        assert_eq!(to_half(f64::INFINITY), 0x7c00);
        assert_eq!(to_half(65519.0), 0x7bff);
        assert_eq!(to_half(1.0 + 2f64.powi(-11)), 0x3c00, "ties go to even");
    }

    #[test]
    fn quantizing_flushes_denormals_and_overflows_to_infinity() {
        assert_eq!(quantize(1e-6f32.to_bits()), 0);
        assert_eq!(quantize(1e6f32.to_bits()), f32::INFINITY.to_bits());
        assert_eq!(quantize(1.0f32.to_bits()), 1.0f32.to_bits());
    }
}
