//! Operand types: one row per type, a column per encoding.
//!
//! Source: the "operand types" tables of the public PRMs; every code of gen7.5 and later
//! confirmed by iga64.

use super::gen_index;
use crestline_device::Gen;

/// Type class. It determines the kind of arithmetic and what source modifiers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeClass {
    /// Unsigned integer.
    Unsigned,
    /// Signed integer.
    Signed,
    /// Floating point.
    Float,
    /// Packed vector of an immediate operand.
    PackedVector,
}

const NONE: u8 = 0xff;

macro_rules! code {
    (-) => {
        NONE
    };
    ($code:literal) => {
        $code
    };
}

macro_rules! types {
    ($($variant:ident $name:literal $size:literal $class:ident
       [$($reg:tt)*] [$($imm:tt)*] [$($a16:tt)*] [$($a1:tt)*] $doc:literal;)*) => {
        /// An operand's element type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Type {
            $(#[doc = $doc] $variant,)*
        }

        impl Type {
            /// Every type, in table order.
            pub const ALL: &[Type] = &[$(Type::$variant,)*];
        }

        const NAMES: &[&str] = &[$($name,)*];
        const SIZES: &[u32] = &[$($size,)*];
        const CLASSES: &[TypeClass] = &[$(TypeClass::$class,)*];
        const REG: &[[u8; 7]] = &[$([$(code!($reg),)*],)*];
        const IMM: &[[u8; 7]] = &[$([$(code!($imm),)*],)*];
        const THREE_ALIGN16: &[[u8; 2]] = &[$([$(code!($a16),)*],)*];
        const THREE_ALIGN1: &[[u8; 3]] = &[$([$(code!($a1),)*],)*];
    };
}

// variant name bytes class [register: 4-5 6 7-7.5 8-9 11 12 12.5] [immediate: the same columns]
//   [three-source align16: 7-7.5 8-9] [three-source align1: 11 12 12.5]
// Three-source align1 codes are relative to the execution type bit (integer or float).
#[rustfmt::skip]
types! {
    Ud "UD" 4 Unsigned     [0 0 0 0  0  2  2]  [0 0 0 0  0  2  2]  [2 2] [0 2 2] "Unsigned 32-bit integer.";
    D  "D"  4 Signed       [1 1 1 1  1  6  6]  [1 1 1 1  1  6  6]  [1 1] [1 6 6] "Signed 32-bit integer.";
    Uw "UW" 2 Unsigned     [2 2 2 2  2  1  1]  [2 2 2 2  2  1  1]  [- -] [2 1 1] "Unsigned 16-bit integer.";
    W  "W"  2 Signed       [3 3 3 3  3  5  5]  [3 3 3 3  3  5  5]  [- -] [3 5 5] "Signed 16-bit integer.";
    Ub "UB" 1 Unsigned     [4 4 4 4  4  0  0]  [- - - -  -  -  -]  [- -] [4 0 0] "Unsigned 8-bit integer.";
    B  "B"  1 Signed       [5 5 5 5  5  4  4]  [- - - -  -  -  -]  [- -] [5 4 4] "Signed 8-bit integer.";
    Uq "UQ" 8 Unsigned     [- - - 8  6  3  3]  [- - - 8  6  3  3]  [- -] [- - 3] "Unsigned 64-bit integer (encodable but without hardware on gen11 and gen12).";
    Q  "Q"  8 Signed       [- - - 9  7  7  7]  [- - - 9  7  7  7]  [- -] [- - 7] "Signed 64-bit integer (encodable but without hardware on gen11 and gen12).";
    F  "F"  4 Float        [7 7 7 7  9 10 10]  [7 7 7 7  9 10 10]  [0 0] [1 2 2] "32-bit float.";
    Hf "HF" 2 Float        [- - - 10 8  9  9]  [- - - 11 8  9  9]  [- 4] [0 1 1] "16-bit float.";
    Df "DF" 8 Float        [- - 6 6 10 11 11]  [- - - 10 10 11 11] [3 3] [- - 3] "64-bit float (encodable but without hardware on gen11 and gen12).";
    Nf "NF" 8 Float        [- - - - 11  -  -]  [- - - -  -  -  -]  [- -] [3 - -] "Native float of the accumulator (gen11).";
    Bf "BF" 2 Float        [- - - -  -  - 13]  [- - - -  -  -  -]  [- -] [- - 5] "Brain float, 16 bits (gen12.5).";
    Uv "UV" 2 PackedVector [- - - -  -  -  -]  [- 4 4 4  4  0  0]  [- -] [- - -] "Immediate of eight unsigned 4-bit integers, widened to UW.";
    V  "V"  2 PackedVector [- - - -  -  -  -]  [6 6 6 6  5  4  4]  [- -] [- - -] "Immediate of eight signed 4-bit integers, widened to W.";
    Vf "VF" 4 PackedVector [- - - -  -  -  -]  [5 5 5 5 11  8  8]  [- -] [- - -] "Immediate of four 8-bit restricted floats, widened to F.";
}

/// Column of the register and immediate codes.
const fn column(generation: Gen) -> usize {
    match generation {
        Gen::Gen4 | Gen::Gen45 | Gen::Gen5 => 0,
        Gen::Gen6 => 1,
        Gen::Gen7 | Gen::Gen75 => 2,
        Gen::Gen8 | Gen::Gen9 => 3,
        Gen::Gen11 => 4,
        Gen::Gen12 => 5,
        Gen::Gen125 => 6,
    }
}

type Inverse = [[Option<Type>; 16]; Gen::ALL.len()];

/// Inverts a table of codes: the type of each code, per generation.
const fn inverse(codes: &[[u8; 7]]) -> Inverse {
    let mut table = [[None; 16]; Gen::ALL.len()];
    let mut g = 0;
    while g < Gen::ALL.len() {
        let mut row = 0;
        while row < codes.len() {
            let code = codes[row][column(Gen::ALL[g])];
            if code != NONE {
                assert!(table[g][code as usize].is_none(), "two types share a code");
                table[g][code as usize] = Some(Type::ALL[row]);
            }
            row += 1;
        }
        g += 1;
    }
    table
}

static REG_BY_CODE: Inverse = inverse(REG);
static IMM_BY_CODE: Inverse = inverse(IMM);

const fn present(code: u8) -> Option<u8> {
    if code == NONE { None } else { Some(code) }
}

impl Type {
    /// Upper-case name, as in the `mesa` syntax: `UD`.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// The type with a name, in any letter case.
    pub fn from_name(name: &str) -> Option<Type> {
        NAMES.iter().position(|n| n.eq_ignore_ascii_case(name)).map(|row| Type::ALL[row])
    }

    /// Element size in bytes: for packed vectors, the size of the widened element.
    pub const fn size(self) -> u32 {
        SIZES[self as usize]
    }

    /// The type's class.
    pub const fn class(self) -> TypeClass {
        CLASSES[self as usize]
    }

    /// Whether it is a floating-point type (VF, a packed vector of floats, included).
    pub const fn is_float(self) -> bool {
        matches!(self.class(), TypeClass::Float) || matches!(self, Type::Vf)
    }

    /// Whether it is a signed integer type (V, a packed vector of signed integers, included).
    pub const fn is_signed_int(self) -> bool {
        matches!(self.class(), TypeClass::Signed) || matches!(self, Type::V)
    }

    /// Whether it is a packed vector (V, UV, VF), which only immediates can be.
    pub const fn is_packed_vector(self) -> bool {
        matches!(self.class(), TypeClass::PackedVector)
    }

    /// Code as a register operand of the two-source formats.
    pub const fn reg_bits(self, generation: Gen) -> Option<u8> {
        present(REG[self as usize][column(generation)])
    }

    /// Code as an immediate operand of the two-source formats.
    ///
    /// The 64-bit immediate of the gen7.5 `dim` instruction has no code of its own; the codec
    /// writes it as F.
    pub const fn imm_bits(self, generation: Gen) -> Option<u8> {
        present(IMM[self as usize][column(generation)])
    }

    /// The register type with a code.
    pub fn from_reg_bits(generation: Gen, code: u8) -> Option<Type> {
        *REG_BY_CODE[gen_index(generation)].get(usize::from(code))?
    }

    /// The immediate type with a code.
    pub fn from_imm_bits(generation: Gen, code: u8) -> Option<Type> {
        *IMM_BY_CODE[gen_index(generation)].get(usize::from(code))?
    }

    /// Code in the Align16 three-source format (gen7 to gen9). `None` on gen6, which has no type
    /// field: all operands are F.
    pub fn three_align16_bits(self, generation: Gen) -> Option<u8> {
        match generation {
            Gen::Gen7 | Gen::Gen75 => present(THREE_ALIGN16[self as usize][0]),
            Gen::Gen8 | Gen::Gen9 => present(THREE_ALIGN16[self as usize][1]),
            _ => None,
        }
    }

    /// The type with a code in the Align16 three-source format.
    pub fn from_three_align16_bits(generation: Gen, code: u8) -> Option<Type> {
        Type::ALL.iter().copied().find(|t| t.three_align16_bits(generation) == Some(code))
    }

    /// Code in the Align1 three-source format (gen11 on), without the execution type bit.
    pub fn three_align1_bits(self, generation: Gen) -> Option<u8> {
        match generation {
            Gen::Gen11 => present(THREE_ALIGN1[self as usize][0]),
            Gen::Gen12 => present(THREE_ALIGN1[self as usize][1]),
            Gen::Gen125 => present(THREE_ALIGN1[self as usize][2]),
            _ => None,
        }
    }

    /// The type with a code in the Align1 three-source format; `float` is the instruction's
    /// execution type bit.
    pub fn from_three_align1_bits(generation: Gen, code: u8, float: bool) -> Option<Type> {
        Type::ALL
            .iter()
            .copied()
            .find(|t| t.is_float() == float && t.three_align1_bits(generation) == Some(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_name_one_type_and_back() {
        for generation in Gen::ALL {
            for &ty in Type::ALL {
                if let Some(code) = ty.reg_bits(generation) {
                    assert_eq!(Type::from_reg_bits(generation, code), Some(ty));
                }
                if let Some(code) = ty.imm_bits(generation) {
                    assert_eq!(Type::from_imm_bits(generation, code), Some(ty));
                }
                if let Some(code) = ty.three_align16_bits(generation) {
                    assert_eq!(Type::from_three_align16_bits(generation, code), Some(ty));
                }
                if let Some(code) = ty.three_align1_bits(generation) {
                    let back = Type::from_three_align1_bits(generation, code, ty.is_float());
                    assert_eq!(back, Some(ty));
                }
            }
        }
    }
}
