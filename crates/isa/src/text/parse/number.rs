//! Numbers in text, and their bits in an operand type.

use crate::inst::imm_size;
use crate::tables::Type;

/// A number in text, without its sign.
pub(super) enum Number {
    Integer(u64),
    Bits(u64),
    Float(String),
    Infinity,
    Nan { quiet: bool, payload: u64 },
}

impl Number {
    /// The bits of the number in a type; `None` if it is not a value of the type.
    pub(super) fn bits(&self, ty: Type, negative: bool) -> Option<u64> {
        let width = 8 * imm_size(ty);
        let fits = |value: u64| (width == 64 || value >> width == 0).then_some(value);
        let (exponent, fraction) = match ty {
            Type::F => (8, 23),
            Type::Hf => (5, 10),
            Type::Df => (11, 52),
            _ => return self.integer_bits(ty, negative),
        };
        let sign = u64::from(negative) << (exponent + fraction);
        let infinity = ((1 << exponent) - 1) << fraction;
        let magnitude = match self {
            Number::Bits(bits) => return fits(*bits).filter(|_| !negative),
            Number::Infinity => infinity,
            Number::Nan { quiet, payload } => {
                let quiet_bit = 1 << (fraction - 1);
                let in_range = *payload < quiet_bit && (*quiet || *payload != 0);
                in_range.then_some(infinity | if *quiet { quiet_bit } else { 0 } | payload)?
            }
            Number::Integer(value) => float_bits(ty, &value.to_string())?,
            Number::Float(text) => float_bits(ty, text)?,
        };
        Some(sign | magnitude)
    }

    /// [`Number::bits`] for types that are not F, HF or DF.
    fn integer_bits(&self, ty: Type, negative: bool) -> Option<u64> {
        let width = 8 * imm_size(ty);
        let mask = u64::MAX >> (64 - width);
        let value = match self {
            Number::Integer(value) | Number::Bits(value) => *value,
            _ => return None,
        };
        if negative {
            let limit = 1_u64 << (width - 1);
            return (ty.is_signed_int() && value <= limit).then(|| value.wrapping_neg() & mask);
        }
        (value <= mask).then_some(value)
    }
}

/// The bits of a decimal number, rounded to a float type.
fn float_bits(ty: Type, text: &str) -> Option<u64> {
    match ty {
        Type::F => text.parse::<f32>().ok().map(|value| u64::from(value.to_bits())),
        Type::Df => text.parse::<f64>().ok().map(f64::to_bits),
        _ => half_bits(text.parse::<f64>().ok()?),
    }
}

/// The bits of a number rounded to a half float, to nearest even; `None` if it is too large.
fn half_bits(value: f64) -> Option<u64> {
    // Scale so that the half's unit in the last place is one, then round to nearest even.
    if value == 0.0 {
        return Some(0);
    }
    let exponent = (((value.to_bits() >> 52) as i32 & 0x7ff) - 1023).max(-14);
    let units = (value * 2_f64.powi(10 - exponent)).round_ties_even();
    let bits = units as u64 + (((exponent + 14) as u64) << 10);
    (bits < 0x7c00).then_some(bits)
}
