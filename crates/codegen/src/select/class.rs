//! The interpretation of an operand's bits, from which its type and its source modifiers follow.

use crestline_isa::Type;

/// How an instruction interprets the bits of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Float: negation and absolute value flip and clear the sign bit.
    Float,
    /// Signed integer. No modifiers, because the hardware negates with 33 bits.
    Signed,
    /// Unsigned integer; no modifiers.
    Unsigned,
    /// Integer modulo 2 to the number of bits: for sums and low products. There, negation is exact.
    Wrapping,
    /// Bits: the hardware's negation is complement.
    Logic,
}

impl Class {
    /// The register type for values of `bits` bits: 8, 16, 32 or 64; or 1 for booleans, which are masks of 32 bits.
    pub(crate) fn ty(self, bits: u32) -> Type {
        use Class::{Float, Logic, Signed, Unsigned, Wrapping};
        match (self, bits) {
            (Float, 16) => Type::Hf,
            (Float, 64) => Type::Df,
            (Float, _) => Type::F,
            (Signed | Wrapping, 8) => Type::B,
            (Signed | Wrapping, 16) => Type::W,
            (Signed | Wrapping, 64) => Type::Q,
            (_, 1) | (Signed | Wrapping, _) => Type::D,
            (Unsigned | Logic, 8) => Type::Ub,
            (Unsigned | Logic, 16) => Type::Uw,
            (Unsigned | Logic, 64) => Type::Uq,
            (Unsigned | Logic, _) => Type::Ud,
        }
    }
}

/// The bits of a constant of type `ty` after source modifiers.
pub(crate) fn modify(bits: u64, ty: Type, negate: bool, abs: bool) -> u64 {
    if !negate && !abs {
        return bits;
    }
    let size = 8 * ty.size();
    let mask = u64::MAX >> (64 - size);
    let sign = 1u64 << (size - 1);
    let value = match ty {
        Type::F | Type::Hf | Type::Df => {
            let value = if abs { bits & !sign } else { bits };
            if negate { value ^ sign } else { value }
        }
        Type::D | Type::W | Type::B | Type::Q => {
            let value = if abs && bits & sign != 0 { bits.wrapping_neg() } else { bits };
            if negate { value.wrapping_neg() } else { value }
        }
        _ => !bits,
    };
    value & mask
}
