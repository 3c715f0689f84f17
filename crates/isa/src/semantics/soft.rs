//! Exact arithmetic on unpacked floats, rounded once.
//!
//! The host's floats round to nearest even and have 32 or 64 bits; this module computes everything
//! else. A [`Number`] is exact, except that the lowest bit of a sum may be *sticky*: it is set if
//! nonzero bits below it were dropped. That bit is far below the position where results are
//! rounded, so rounding still gives the correct result.

use super::env::Rounding;

/// A binary interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Stored fraction bits.
    pub fraction: u32,
    /// Exponent bits.
    pub exponent: u32,
}

/// IEEE 754 binary16.
pub const HALF: Format = Format { fraction: 10, exponent: 5 };
/// IEEE 754 binary32.
pub const SINGLE: Format = Format { fraction: 23, exponent: 8 };
/// IEEE 754 binary64.
pub const DOUBLE: Format = Format { fraction: 52, exponent: 11 };

impl Format {
    /// The exponent's bias.
    pub const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The sign bit.
    pub const fn sign(self) -> u64 {
        1 << (self.fraction + self.exponent)
    }

    /// Positive infinity.
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// The quiet NaN without a payload.
    pub const fn nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction - 1)
    }

    /// The greatest finite number.
    pub const fn max(self) -> u64 {
        self.infinity() - 1
    }
}

/// A float, split into sign, mantissa and exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Not a number.
    Nan,
    /// Infinity.
    Infinity {
        /// Whether it is negative.
        negative: bool,
    },
    /// `mantissa * 2^exponent`; zero if the mantissa is zero.
    Finite {
        /// Whether the number, which may be zero, has a negative sign.
        negative: bool,
        /// Any integer.
        mantissa: u128,
        /// The weight of the mantissa's lowest bit.
        exponent: i32,
    },
}

/// Bit to which [`Number::add`] shifts the leading bit of the greater operand: one bit remains for
/// the carry, and enough bits remain below for correct rounding.
const SUM_TOP: u32 = 125;

impl Number {
    /// The number that `bits` encode.
    pub fn unpack(bits: u64, format: Format) -> Number {
        let negative = bits & format.sign() != 0;
        let field = (bits >> format.fraction) & ((1 << format.exponent) - 1);
        let fraction = bits & ((1 << format.fraction) - 1);
        let lowest = 1 - format.bias() - format.fraction as i32;
        if field == (1 << format.exponent) - 1 {
            if fraction == 0 { Number::Infinity { negative } } else { Number::Nan }
        } else if field == 0 {
            Number::Finite { negative, mantissa: u128::from(fraction), exponent: lowest }
        } else {
            let mantissa = u128::from(fraction | 1 << format.fraction);
            Number::Finite { negative, mantissa, exponent: lowest + field as i32 - 1 }
        }
    }

    /// An integer as a number.
    pub fn from_int(value: i128) -> Number {
        Number::Finite { negative: value < 0, mantissa: value.unsigned_abs(), exponent: 0 }
    }

    /// The negated number; NaN stays NaN.
    pub fn negated(self) -> Number {
        match self {
            Number::Nan => Number::Nan,
            Number::Infinity { negative } => Number::Infinity { negative: !negative },
            Number::Finite { negative, mantissa, exponent } => {
                Number::Finite { negative: !negative, mantissa, exponent }
            }
        }
    }

    /// The exact product. Mantissas must have at most 64 bits.
    pub fn times(self, other: Number) -> Number {
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
            (Number::Infinity { negative }, Number::Infinity { negative: n }) => {
                Number::Infinity { negative: negative != n }
            }
            (Number::Infinity { negative }, Number::Finite { negative: n, mantissa, .. })
            | (Number::Finite { negative: n, mantissa, .. }, Number::Infinity { negative }) => {
                if mantissa == 0 {
                    Number::Nan
                } else {
                    Number::Infinity { negative: negative != n }
                }
            }
            (
                Number::Finite { negative: n0, mantissa: m0, exponent: e0 },
                Number::Finite { negative: n1, mantissa: m1, exponent: e1 },
            ) => Number::Finite { negative: n0 != n1, mantissa: m0 * m1, exponent: e0 + e1 },
        }
    }

    /// The sum, exact except for a sticky lowest bit. If numbers of opposite signs cancel to zero,
    /// the zero is negative only when rounding down.
    pub fn add(self, other: Number, rounding: Rounding) -> Number {
        let (a, b) = match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) => return Number::Nan,
            (Number::Infinity { negative: a }, Number::Infinity { negative: b }) if a != b => {
                return Number::Nan;
            }
            (Number::Infinity { negative }, _) | (_, Number::Infinity { negative }) => {
                return Number::Infinity { negative };
            }
            (Number::Finite { .. }, Number::Finite { .. }) => (Parts::of(self), Parts::of(other)),
        };
        if a.mantissa == 0 && b.mantissa == 0 {
            let negative =
                if a.negative == b.negative { a.negative } else { rounding == Rounding::Down };
            return Number::Finite { negative, mantissa: 0, exponent: 0 };
        }
        let (hi, lo) = if a.top() >= b.top() { (a, b) } else { (b, a) };
        let up = SUM_TOP - (127 - hi.mantissa.leading_zeros());
        let (top, exponent) = (hi.mantissa << up, hi.exponent - up as i32);
        let low = shift_to(lo.mantissa, lo.exponent - exponent);
        let (negative, mantissa) = if hi.negative == lo.negative {
            (hi.negative, top + low)
        } else if top >= low {
            (hi.negative, top - low)
        } else {
            (lo.negative, low - top)
        };
        let negative = if mantissa == 0 { rounding == Rounding::Down } else { negative };
        Number::Finite { negative, mantissa, exponent }
    }

    /// The bits of the number rounded to `format`; NaN gives the quiet NaN without payload.
    pub fn pack(self, format: Format, rounding: Rounding) -> u64 {
        let Parts { negative, mantissa, exponent } = match self {
            Number::Nan => return format.nan(),
            Number::Infinity { negative } => {
                return format.infinity() | if negative { format.sign() } else { 0 };
            }
            Number::Finite { .. } => Parts::of(self),
        };
        let sign = if negative { format.sign() } else { 0 };
        if mantissa == 0 {
            return sign;
        }
        let top = exponent + 127 - mantissa.leading_zeros() as i32;
        let least = 1 - format.bias() - format.fraction as i32;
        let lowest = (top - format.fraction as i32).max(least);
        if lowest - least >= 1 << format.exponent {
            return sign | overflow(format, rounding, negative);
        }
        // `kept` contains the leading bit of a normal number, which adds one to the exponent field.
        // A carry out of the fraction also adds one; the result is then at most infinity.
        let kept = round_at(mantissa, exponent, lowest, negative, rounding);
        let bits = (((lowest - least) as u64) << format.fraction) + kept;
        if bits < format.infinity() {
            return sign | bits;
        }
        sign | overflow(format, rounding, negative)
    }

    /// The number rounded to an integer; `None` for NaN. Numbers beyond `i128` give its limits.
    pub fn to_int(self, rounding: Rounding) -> Option<i128> {
        let Parts { negative, mantissa, exponent } = match self {
            Number::Nan => return None,
            Number::Infinity { negative } => {
                return Some(if negative { i128::MIN } else { i128::MAX });
            }
            Number::Finite { .. } => Parts::of(self),
        };
        let magnitude = if exponent >= 0 {
            if mantissa == 0 {
                0
            } else if exponent as u32 >= mantissa.leading_zeros() {
                return Some(if negative { i128::MIN } else { i128::MAX });
            } else {
                mantissa << exponent
            }
        } else {
            u128::from(round_at(mantissa, exponent, 0, negative, rounding))
        };
        let magnitude = i128::try_from(magnitude).unwrap_or(i128::MAX);
        Some(if negative { -magnitude } else { magnitude })
    }
}

/// The fields of [`Number::Finite`].
#[derive(Clone, Copy)]
struct Parts {
    negative: bool,
    mantissa: u128,
    exponent: i32,
}

impl Parts {
    /// The fields of a finite number; zero for others.
    fn of(number: Number) -> Parts {
        match number {
            Number::Finite { negative, mantissa, exponent } => {
                Parts { negative, mantissa, exponent }
            }
            Number::Nan | Number::Infinity { .. } => {
                Parts { negative: false, mantissa: 0, exponent: 0 }
            }
        }
    }

    /// The exponent of the leading bit; `i32::MIN` for zero.
    fn top(self) -> i32 {
        if self.mantissa == 0 {
            i32::MIN
        } else {
            self.exponent + 127 - self.mantissa.leading_zeros() as i32
        }
    }
}

/// The bits of the magnitude of a result that exceeds the greatest finite number: infinity or that
/// number, depending on the rounding.
fn overflow(format: Format, rounding: Rounding, negative: bool) -> u64 {
    let to_infinity = match rounding {
        Rounding::NearestEven => true,
        Rounding::Zero => false,
        Rounding::Up => !negative,
        Rounding::Down => negative,
    };
    if to_infinity { format.infinity() } else { format.max() }
}

/// Shifts left by `by`, or right if `by` is negative. A right shift sets the lowest bit if nonzero
/// bits are shifted out (sticky bit).
fn shift_to(mantissa: u128, by: i32) -> u128 {
    match by {
        0.. => mantissa.checked_shl(by as u32).unwrap_or(0),
        -127..0 => mantissa >> -by | u128::from(mantissa << (128 + by) != 0),
        _ => u128::from(mantissa != 0),
    }
}

/// Rounds `mantissa * 2^exponent` to a multiple of `2^lowest` and returns that multiple. It must
/// fit in 64 bits.
fn round_at(mantissa: u128, exponent: i32, lowest: i32, negative: bool, rounding: Rounding) -> u64 {
    let drop = lowest - exponent;
    if drop <= 0 {
        return (mantissa << -drop) as u64;
    }
    // Two bits below the kept ones: the first dropped bit, and the sticky bit for the rest.
    let jammed = if drop == 1 { mantissa << 1 } else { shift_to(mantissa, -(drop - 2)) };
    let (kept, rest) = ((jammed >> 2) as u64, jammed & 3);
    let up = match rounding {
        Rounding::NearestEven => rest == 3 || rest == 2 && kept & 1 == 1,
        Rounding::Zero => false,
        Rounding::Up => rest != 0 && !negative,
        Rounding::Down => rest != 0 && negative,
    };
    kept + u64::from(up)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fma64(a: u64, b: u64, c: u64) -> u64 {
        let [a, b, c] = [a, b, c].map(|x| Number::unpack(x, DOUBLE));
        a.times(b).add(c, Rounding::NearestEven).pack(DOUBLE, Rounding::NearestEven)
    }

    #[test]
    fn nearest_even_equals_the_host_for_singles_and_doubles() {
        let edges =
            [0u64, 1, 0x8000_0000, 0x7f80_0000, 0x7f7f_ffff, 0x0080_0000, 0x007f_ffff, 0x3f80_0000];
        let mut bits = fastrand::Rng::with_seed(7);
        for i in 0..200_000 {
            let mut pick = |j: usize| {
                if i % 11 == j { edges[i % 8] } else { bits.u64(..) & 0xffff_ffff }
            };
            let (a, b) = (pick(0), pick(1));
            let (fa, fb) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let [na, nb] = [a, b].map(|x| Number::unpack(x, SINGLE));
            let same = |soft: u64, host: f32| {
                let soft = f32::from_bits(soft as u32);
                assert!(
                    soft.to_bits() == host.to_bits() || soft.is_nan() && host.is_nan(),
                    "{fa:e} {fb:e}: {soft:e}"
                );
            };
            let rne = Rounding::NearestEven;
            same(na.add(nb, rne).pack(SINGLE, rne), fa + fb);
            same(na.times(nb).pack(SINGLE, rne), fa * fb);
            // Doubles near each other, so that cancellation and ties occur.
            let near = |x: u64| (x & !(0x7ff << 52)) | (1000 + (x >> 52 & 63)) << 52;
            let [x, y, z] = [bits.u64(..), bits.u64(..), bits.u64(..)].map(near);
            let host = f64::from_bits(x).mul_add(f64::from_bits(y), f64::from_bits(z));
            assert_eq!(fma64(x, y, z), host.to_bits());
        }
    }

    #[test]
    fn directed_modes_bracket_the_exact_result() {
        let mut bits = fastrand::Rng::with_seed(3);
        for _ in 0..50_000 {
            let [a, b] = [0; 2].map(|_| Number::unpack(bits.u64(..) & 0xffff_ffff, SINGLE));
            let sum = |mode| f32::from_bits(a.add(b, mode).pack(SINGLE, mode) as u32);
            let (down, up, zero) = (sum(Rounding::Down), sum(Rounding::Up), sum(Rounding::Zero));
            if down.is_nan() {
                continue;
            }
            let near = sum(Rounding::NearestEven);
            assert!(down <= up && (near == down || near == up));
            assert_eq!(zero, if near > 0.0 || down >= 0.0 && up > 0.0 { down } else { up });
            assert!(up == down || down.next_up() == up, "{down:e} {up:e}");
        }
    }
}
