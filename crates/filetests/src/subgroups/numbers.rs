//! Numbers of the types of subgroup operations, for the model.

use super::{Combine, Elem};

/// A number. Integers have their bits zero or sign extended, as their type demands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i128),
    Float(f64),
}

/// Bits of an integer type, and whether it is signed. Booleans are integers of one bit.
fn integer(elem: Elem) -> (u32, bool) {
    match elem {
        Elem::Bool => (1, false),
        Elem::I8 => (8, true),
        Elem::U8 => (8, false),
        Elem::I16 => (16, true),
        Elem::U16 => (16, false),
        Elem::I32 => (32, true),
        Elem::U32 => (32, false),
        Elem::I64 => (64, true),
        _ => (64, false),
    }
}

/// The number that an integer type has for a number of any size.
fn wrapped(elem: Elem, number: i128) -> Number {
    let (bits, signed) = integer(elem);
    let low = number & ((1 << bits) - 1);
    let negative = signed && low >> (bits - 1) & 1 == 1;
    Number::Int(if negative { low - (1 << bits) } else { low })
}

/// The number of type `elem` that stands for 32 bits in an operation. Floats are small whole numbers, of which sums and products
/// are exact in any order.
pub(super) fn from_bits(elem: Elem, bits: u32, combine: Option<Combine>) -> Number {
    let wide = u64::from(bits) | u64::from(bits.wrapping_mul(0x9e37_79b9)) << 32;
    match elem {
        Elem::Bool => Number::Int(i128::from(bits & 1)),
        Elem::I64 | Elem::U64 => wrapped(elem, wide.into()),
        _ if !elem.is_float() => wrapped(elem, bits.into()),
        _ => Number::Float(match combine {
            Some(Combine::Add) => f64::from(bits & 31),
            Some(Combine::Mul) => 1.0 - 2.0 * f64::from(bits & 1),
            _ => f64::from(bits & 1023) - 512.0,
        }),
    }
}

/// The 32 bits that stand for a number.
pub(super) fn to_bits(elem: Elem, number: Number) -> u32 {
    match number {
        Number::Int(number) if matches!(elem, Elem::I64 | Elem::U64) => {
            let bits = number as u64;
            (bits as u32).wrapping_add(((bits >> 32) as u32).wrapping_mul(31))
        }
        Number::Int(number) => number as u32,
        Number::Float(number) if number > 1e4 => 7777,
        Number::Float(number) if number < -1e4 => 8888,
        Number::Float(number) => number as i32 as u32,
    }
}

/// Two numbers combined.
pub(super) fn combined(combine: Combine, elem: Elem, a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Float(a), Number::Float(b)) => Number::Float(match combine {
            Combine::Add => a + b,
            Combine::Mul => a * b,
            Combine::Min => a.min(b),
            _ => a.max(b),
        }),
        (Number::Int(a), Number::Int(b)) => wrapped(
            elem,
            match combine {
                Combine::Add => a + b,
                Combine::Mul => a.wrapping_mul(b),
                Combine::Min => a.min(b),
                Combine::Max => a.max(b),
                Combine::And => a & b,
                Combine::Or => a | b,
                Combine::Xor => a ^ b,
            },
        ),
        (other, _) => other,
    }
}

/// The number that changes no other.
pub(super) fn neutral(combine: Combine, elem: Elem) -> Number {
    let (bits, signed) = integer(elem);
    if elem.is_float() {
        return Number::Float(match combine {
            Combine::Add => 0.0,
            Combine::Mul => 1.0,
            Combine::Min => f64::INFINITY,
            _ => f64::NEG_INFINITY,
        });
    }
    let largest = if signed { (1i128 << (bits - 1)) - 1 } else { (1 << bits) - 1 };
    let least = if signed { -(1i128 << (bits - 1)) } else { 0 };
    match combine {
        Combine::Add | Combine::Or | Combine::Xor => Number::Int(0),
        Combine::Mul => wrapped(elem, 1),
        Combine::And => wrapped(elem, -1),
        Combine::Min => Number::Int(largest),
        Combine::Max => Number::Int(least),
    }
}
