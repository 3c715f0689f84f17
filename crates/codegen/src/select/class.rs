//! What the bits of an operand mean to an instruction: its type, and the modifiers it can take.

use crestline_isa::Type;

/// How an instruction understands the bits of a source, which decides the type and the modifiers it can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Float: negation and absolute value flip and clear the sign bit.
    Float,
    /// Signed integer; no modifiers, since the hardware's negation has a 33rd bit.
    Signed,
    /// Unsigned integer; no modifiers.
    Unsigned,
    /// Integer modulo its size: sums and low products. Negation is exact there.
    Wrapping,
    /// Bits: negation means complement.
    Logic,
}

impl Class {
    /// The register type for `bits` bits: 8, 16, 32 or 64. Booleans are masks of 32.
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

/// The bits of a constant after modifiers of its type.
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
