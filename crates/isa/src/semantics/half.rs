//! The 16-bit float.

use super::env::Rounding;
use super::soft::{HALF, Number, SINGLE};

/// An IEEE 754 binary16 number, as its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Half(pub u16);

impl Half {
    /// One.
    pub const ONE: Half = Half(0x3c00);

    /// Converts to a 32-bit float, which is exact. NaN keeps its payload and becomes quiet.
    #[inline]
    pub fn to_f32(self) -> f32 {
        half::f16::from_bits(self.0).to_f32()
    }

    /// Rounds a 32-bit float to 16 bits. NaN becomes quiet and keeps the most significant bits of
    /// its payload.
    #[inline]
    pub fn from_f32(value: f32, rounding: Rounding) -> Half {
        // NaN and infinity need no rounding.
        if rounding == Rounding::NearestEven || !value.is_finite() {
            return Half(half::f16::from_f32(value).to_bits());
        }
        Half(Number::unpack(u64::from(value.to_bits()), SINGLE).pack(HALF, rounding) as u16)
    }

    /// Whether it is NaN.
    #[inline]
    pub const fn is_nan(self) -> bool {
        self.0 & 0x7fff > 0x7c00
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_through_single() {
        for bits in 0..=u16::MAX {
            let half = Half(bits);
            let single = half.to_f32();
            assert_eq!(single.is_nan(), half.is_nan());
            let back = Half::from_f32(single, Rounding::NearestEven);
            assert_eq!(back.0, if half.is_nan() { bits | 0x200 } else { bits });
            let exact = Number::unpack(u64::from(bits), HALF).pack(SINGLE, Rounding::NearestEven);
            assert!(half.is_nan() || u64::from(single.to_bits()) == exact);
            if half.is_nan() {
                let (sign, payload) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x3ff));
                assert_eq!(single.to_bits(), sign | 0x7fc0_0000 | payload << 13, "{bits:#06x}");
            }
        }
    }

    /// Compares a conversion to nearest even with the integer arithmetic that the other roundings
    /// use.
    fn check(single: u32) {
        let value = f32::from_bits(single);
        let found = Half::from_f32(value, Rounding::NearestEven).0;
        let expected = match value.is_nan() {
            true => (single >> 16 & 0x8000 | 0x7e00 | single >> 13 & 0x1ff) as u16,
            false => {
                let rounding = Rounding::NearestEven;
                Number::unpack(u64::from(single), SINGLE).pack(HALF, rounding) as u16
            }
        };
        assert_eq!(found, expected, "{single:#010x}: {value:e}");
    }

    #[test]
    fn singles_become_the_nearest_half() {
        // Every half, every midpoint of two adjacent halves, and the singles next to each of them.
        // The midpoint above the greatest half becomes infinity.
        for bits in 0..0x7c00_u16 {
            let half = Half(bits).to_f32();
            let next = if bits == 0x7bff { 65536.0 } else { Half(bits + 1).to_f32() };
            for value in [half, f32::midpoint(half, next)] {
                for single in
                    [value.to_bits().saturating_sub(1), value.to_bits(), value.to_bits() + 1]
                {
                    check(single);
                    check(single | 1 << 31);
                }
            }
        }
        // All exponents, with various patterns of the bits that rounding removes.
        for top in 0..=u16::MAX {
            for low in [0, 1, 0x1000, 0x1001, 0x8000, 0xe000, 0xefff, 0xf000, 0xf001, 0xffff] {
                check(u32::from(top) << 16 | low);
            }
        }
        let mut random = fastrand::Rng::with_seed(1);
        (0..1_000_000).for_each(|_| check(random.u32(..)));
    }
}
