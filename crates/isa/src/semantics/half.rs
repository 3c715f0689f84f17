//! The 16-bit float.

use super::env::Rounding;
use super::soft::{HALF, Number, SINGLE};

/// An IEEE 754 binary16 number, as its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Half(pub u16);

impl Half {
    /// One.
    pub const ONE: Half = Half(0x3c00);

    /// The same number as a 32-bit float: exact. NaN keeps its payload and becomes quiet.
    #[inline]
    pub fn to_f32(self) -> f32 {
        let bits = u32::from(self.0);
        let (sign, field, fraction) = ((bits & 0x8000) << 16, bits >> 10 & 0x1f, bits & 0x3ff);
        f32::from_bits(match field {
            0x1f if fraction != 0 => sign | 0x7fc0_0000 | fraction << 13,
            0x1f => sign | 0x7f80_0000,
            // A denormal is a small integer in units of 2^-24: exact as a 32-bit float.
            0 => sign | (fraction as f32 * f32::from_bits(0x3380_0000)).to_bits(),
            _ => sign | ((field + 112) << 23) | fraction << 13,
        })
    }

    /// The nearest 16-bit float under `rounding`. NaN keeps the top of its payload and becomes quiet.
    #[inline]
    pub fn from_f32(value: f32, rounding: Rounding) -> Half {
        let bits = value.to_bits();
        if value.is_nan() {
            return Half((bits >> 16 & 0x8000) as u16 | 0x7e00 | (bits >> 13 & 0x1ff) as u16);
        }
        Half(Number::unpack(u64::from(bits), SINGLE).pack(HALF, rounding) as u16)
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
        }
    }
}
