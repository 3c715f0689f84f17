//! Conversions of binary16, and roundings that Rust's float operations do not offer.

/// Converts binary16 to binary64, which represents every binary16 number exactly. A NaN stays a NaN.
pub fn f16_to_f64(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The rounding direction for numbers that a format cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// To the nearest number; in a tie, to the one with the even last bit.
    NearestEven,
    /// To the next number toward zero; never to infinity.
    TowardZero,
}

/// Converts to binary16, rounded once. Denormal results are kept.
pub fn f64_to_f16(x: f64, round: Round) -> u16 {
    narrow(x, 10, 15, round) as u16
}

/// Converts to binary32, rounded once. Denormal results are kept.
pub fn f64_to_f32(x: f64, round: Round) -> f32 {
    match round {
        Round::NearestEven => x as f32,
        Round::TowardZero => f32::from_bits(narrow(x, 23, 127, round) as u32),
    }
}

/// Converts to an IEEE format with `fraction` fraction bits and a greatest exponent of `max`. Returns the bits.
fn narrow(x: f64, fraction: u32, max: i32, round: Round) -> u64 {
    let bits = x.to_bits();
    let infinity = (2 * max as u64 + 1) << fraction;
    let sign = (bits >> 63) * (infinity + (1 << fraction));
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    if x.is_nan() {
        return sign | infinity | 1 << (fraction - 1);
    }
    if exponent > max {
        return match round {
            Round::TowardZero if x.is_finite() => sign | (infinity - 1),
            _ => sign | infinity,
        };
    }
    // The significand with its leading one at bit 52. A zero or denormal of binary64 is smaller than every denormal of
    // the target, so its significand does not matter.
    let significand = if exponent == -1023 { 0 } else { bits & ((1 << 52) - 1) | 1 << 52 };
    let below = (1 - max - exponent).max(0) as u32;
    let shift = (52 - fraction + below).min(63);
    let (kept, lost) = (significand >> shift, significand & ((1 << shift) - 1));
    let biased = if below > 0 { 0 } else { (exponent + max - 1) as u64 };
    let magnitude = (biased << fraction) + kept;
    let half = 1 << (shift - 1);
    let up = round == Round::NearestEven && (lost > half || lost == half && kept & 1 == 1);
    // A carry from rounding up increments the exponent, up to infinity, which is the correct result in IEEE formats.
    sign | (magnitude + u64::from(up))
}

/// The bits of `a * b + c` in binary16, rounded once.
pub fn fma_f16(a: f64, b: f64, c: f64, round: Round) -> u16 {
    // The product of two binary16 numbers is exact in binary64, but the sum may not be. The sum is rounded to odd, so
    // that the second rounding has the information on which side of a tie the exact sum is.
    let product = a * b;
    let sum = product + c;
    let back = sum - product;
    let error = (product - (sum - back)) + (c - back);
    let odd = if sum.is_finite() && error != 0.0 && sum.to_bits() & 1 == 0 {
        let away = (error > 0.0) == (sum > 0.0);
        f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
    } else {
        sum
    };
    f64_to_f16(odd, round)
}

/// `x * 2^exponent`, rounded once.
pub fn ldexp(x: f64, exponent: i32) -> f64 {
    let mut left = exponent.clamp(-4000, 4000);
    let mut x = x;
    while left > 1023 {
        x *= 2f64.powi(1023);
        left -= 1023;
    }
    // Each step is 53 less than the exponent of the least normal number. If an intermediate result is denormal, the
    // final result is zero anyway, so rounding twice does not matter.
    while left < -1022 {
        x *= 2f64.powi(-969);
        left += 969;
    }
    x * 2f64.powi(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_binary16_number_survives_the_round_trip() {
        for bits in 0..=u16::MAX {
            let x = f16_to_f64(bits);
            for round in [Round::NearestEven, Round::TowardZero] {
                let back = f64_to_f16(x, round);
                if x.is_nan() {
                    assert!(f16_to_f64(back).is_nan());
                } else {
                    assert_eq!(back, bits);
                }
            }
        }
    }

    #[test]
    fn between_two_binary16_numbers_the_nearer_wins_and_ties_go_to_even() {
        for bits in 0..0x7bffu16 {
            let (low, high) = (f16_to_f64(bits), f16_to_f64(bits + 1));
            let middle = (low + high) / 2.0;
            let even = bits + (bits & 1);
            for sign in [1.0, -1.0] {
                let flag = if sign < 0.0 { 0x8000 } else { 0 };
                let near = |x: f64| f64_to_f16(sign * x, Round::NearestEven);
                assert_eq!(near(middle), even | flag);
                assert_eq!(near(middle * (1.0 - 1e-12)), bits | flag);
                assert_eq!(near(middle * (1.0 + 1e-12)), (bits + 1) | flag);
                assert_eq!(f64_to_f16(sign * middle, Round::TowardZero), bits | flag);
            }
        }
        assert_eq!(f64_to_f16(65519.9, Round::NearestEven), 0x7bff);
        assert_eq!(f64_to_f16(65520.0, Round::NearestEven), 0x7c00);
        assert_eq!(f64_to_f16(1e300, Round::TowardZero), 0x7bff);
        assert_eq!(f64_to_f16(1e-300, Round::NearestEven), 0);
        assert_eq!(f64_to_f16(-1e-300, Round::NearestEven), 0x8000);
    }

    #[test]
    fn narrowing_to_binary32_agrees_with_the_machine() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..100_000 {
            let x = random.u64(..);
            // Exponents around the range of binary32.
            let bits = x & 0x800f_ffff_ffff_ffff | (1023 - 200 + (x >> 52 & 0x7ff) % 400) << 52;
            let value = f64::from_bits(bits);
            let near = narrow(value, 23, 127, Round::NearestEven) as u32;
            assert_eq!(near, (value as f32).to_bits(), "{value:e}");
            let zero = f64_to_f32(value, Round::TowardZero);
            assert!(f64::from(zero).abs() <= value.abs());
            assert!(f64::from(f32::from_bits(zero.to_bits() + 1)).abs() > value.abs());
        }
    }

    #[test]
    fn a_fused_sum_of_binary16_sees_what_lies_behind_a_tie() {
        // 32768 + 16 is halfway between two binary16 numbers. The product adds or subtracts 2^-48, or 0.
        let tiny = f16_to_f64(1);
        let near = |c: f64, a: f64| fma_f16(a, tiny, c, Round::NearestEven);
        let tie = 32784.0;
        assert_eq!(f16_to_f64(near(tie, tiny)), 32800.0);
        assert_eq!(f16_to_f64(near(tie, -tiny)), 32768.0);
        assert_eq!(f16_to_f64(near(tie, 0.0)), 32768.0);
    }

    #[test]
    fn ldexp_rounds_once_at_the_end_of_the_range() {
        assert_eq!(ldexp(1.0, -1074), f64::from_bits(1));
        assert_eq!(ldexp(1.5, -1074), f64::from_bits(2));
        assert_eq!(ldexp(1.0, -1075), 0.0);
        assert_eq!(ldexp(1.000001, -1075), f64::from_bits(1));
        assert_eq!(ldexp(f64::from_bits(1), 2097), 2f64.powi(1023));
        assert_eq!(ldexp(1.0, i32::MAX), f64::INFINITY);
        assert_eq!(ldexp(-1.0, i32::MIN).to_bits(), 1 << 63);
    }
}
