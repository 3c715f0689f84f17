//! The arithmetic operations, one table row each.
//!
//! Every operation is a pure function of its sources. The row gives, for the result and for each source, how the
//! operation interprets the bits ([`Class`]), the number of bits per component ([`BitRule`]) and the number of
//! components ([`CompRule`]). The verifier, the printer, the parser, the interpreter and the passes use these rows.

/// How an operation interprets the bits of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Any bits; the operation does not interpret them.
    Any,
    /// IEEE 754 binary16, binary32 or binary64.
    Float,
    /// Two's complement, signed.
    Int,
    /// Unsigned.
    Uint,
    /// A boolean of one bit.
    Bool,
}

/// How many bits an operand's components have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitRule {
    /// The operation's bit size, which is equal for all operands with this rule.
    Same,
    /// Any size, independent of the other operands (conversions).
    Free,
    /// Exactly this many.
    Is(u8),
}

/// How many components an operand has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompRule {
    /// The operation's component count, 1 to 4, which is equal for all operands with this rule. If the result has
    /// this rule too, result component `i` depends only on component `i` of these sources.
    Each,
    /// Exactly this many.
    Is(u8),
}

/// One operand (source or result) of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// What the bits mean.
    pub class: Class,
    /// Bits per component.
    pub bits: BitRule,
    /// Components.
    pub comps: CompRule,
}

/// The table row of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AluRow {
    /// The operation.
    pub op: AluOp,
    /// Its name in the text form.
    pub name: &'static str,
    /// Its result.
    pub result: Operand,
    /// Its sources.
    pub srcs: &'static [Operand],
    /// Whether exchanging the first two sources never changes the result.
    pub commutative: bool,
}

/// Short names of operands for the table below: a letter for the class; a number of components if it is fixed.
mod shorthand {
    use super::{BitRule, Class, CompRule, Operand};

    const fn operand(class: Class, bits: BitRule, comps: CompRule) -> Operand {
        Operand { class, bits, comps }
    }
    pub(super) const X: Operand = operand(Class::Any, BitRule::Same, CompRule::Each);
    pub(super) const F: Operand = operand(Class::Float, BitRule::Same, CompRule::Each);
    pub(super) const I: Operand = operand(Class::Int, BitRule::Same, CompRule::Each);
    pub(super) const U: Operand = operand(Class::Uint, BitRule::Same, CompRule::Each);
    pub(super) const B: Operand = operand(Class::Bool, BitRule::Is(1), CompRule::Each);
    /// A shift count or bit position: always 32 bits.
    pub(super) const N: Operand = operand(Class::Uint, BitRule::Is(32), CompRule::Each);
    /// A signed 32-bit number, whatever the operation's bit size.
    pub(super) const E: Operand = operand(Class::Int, BitRule::Is(32), CompRule::Each);
    /// Results of conversions: their bit size is independent of the sources'.
    pub(super) const FF: Operand = operand(Class::Float, BitRule::Free, CompRule::Each);
    pub(super) const II: Operand = operand(Class::Int, BitRule::Free, CompRule::Each);
    pub(super) const UU: Operand = operand(Class::Uint, BitRule::Free, CompRule::Each);
    /// A fixed number of components of the operation's bit size.
    pub(super) const X1: Operand = operand(Class::Any, BitRule::Same, CompRule::Is(1));
    pub(super) const F1: Operand = operand(Class::Float, BitRule::Same, CompRule::Is(1));
    pub(super) const F2: Operand = operand(Class::Float, BitRule::Same, CompRule::Is(2));
    pub(super) const F3: Operand = operand(Class::Float, BitRule::Same, CompRule::Is(3));
    pub(super) const F4: Operand = operand(Class::Float, BitRule::Same, CompRule::Is(4));
    pub(super) const X2: Operand = operand(Class::Any, BitRule::Same, CompRule::Is(2));
    pub(super) const X3: Operand = operand(Class::Any, BitRule::Same, CompRule::Is(3));
    pub(super) const X4: Operand = operand(Class::Any, BitRule::Same, CompRule::Is(4));

    /// `comps` components of exactly `bits` bits.
    pub(super) const fn fixed(bits: u8, comps: u8) -> Operand {
        operand(Class::Any, BitRule::Is(bits), CompRule::Is(comps))
    }
    pub(super) const X64: Operand = fixed(64, 1);
    pub(super) const X32: Operand = fixed(32, 1);
    pub(super) const X32X2: Operand = fixed(32, 2);
    pub(super) const X16X2: Operand = fixed(16, 2);
    pub(super) const X16X4: Operand = fixed(16, 4);
    pub(super) const X8X4: Operand = fixed(8, 4);
    pub(super) const X16: Operand = fixed(16, 1);
    pub(super) const X8X2: Operand = fixed(8, 2);
    /// Any number of components of exactly 64 (`W`) or 32 (`H`) bits.
    pub(super) const W: Operand = operand(Class::Any, BitRule::Is(64), CompRule::Each);
    pub(super) const H: Operand = operand(Class::Any, BitRule::Is(32), CompRule::Each);
}

macro_rules! alu_ops {
    ($($(#[doc = $doc:literal])+ $op:ident = $name:literal ($($src:ident),*) -> $result:ident $($commutes:ident)?;)+) => {
        /// An arithmetic operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum AluOp {
            $($(#[doc = $doc])+ $op,)+
        }

        /// Every row, in the order of the enumeration, so that an operation indexes its row.
        static ROWS: &[AluRow] = &[
            $(AluRow {
                op: AluOp::$op,
                name: $name,
                result: shorthand::$result,
                srcs: &[$(shorthand::$src),*],
                commutative: alu_ops!(@commutes $($commutes)?),
            },)+
        ];
    };
    (@commutes commutes) => { true };
    (@commutes) => { false };
}

alu_ops! {
    // Moves and vector construction.
    /// The source itself: a copy or a swizzle.
    Mov = "mov" (X) -> X;
    /// A vector of two scalars.
    Vec2 = "vec2" (X1, X1) -> X2;
    /// A vector of three scalars.
    Vec3 = "vec3" (X1, X1, X1) -> X3;
    /// A vector of four scalars.
    Vec4 = "vec4" (X1, X1, X1, X1) -> X4;
    /// The second source in components where the first is true, else the third.
    Select = "select" (B, X, X) -> X;

    // Float, one source.
    /// The source with its sign flipped, also for NaN.
    FNeg = "fneg" (F) -> F;
    /// The source with its sign cleared, also for NaN.
    FAbs = "fabs" (F) -> F;
    /// The source clamped to [0, 1]; NaN gives 0.
    FSat = "fsat" (F) -> F;
    /// -1, 0 or 1 with the sign of the source; the sign of a zero result is undefined.
    FSign = "fsign" (F) -> F;
    /// Rounded toward negative infinity.
    FFloor = "ffloor" (F) -> F;
    /// Rounded toward positive infinity.
    FCeil = "fceil" (F) -> F;
    /// Rounded toward zero.
    FTrunc = "ftrunc" (F) -> F;
    /// Rounded to nearest, ties to even.
    FRoundEven = "fround_even" (F) -> F;
    /// `x - floor(x)`.
    FFract = "ffract" (F) -> F;
    /// `1 / x`.
    FRcp = "frcp" (F) -> F;
    /// `1 / sqrt(x)`.
    FRsq = "frsq" (F) -> F;
    /// Square root.
    FSqrt = "fsqrt" (F) -> F;
    /// Two to the power of the source.
    FExp2 = "fexp2" (F) -> F;
    /// Logarithm to base two.
    FLog2 = "flog2" (F) -> F;
    /// Sine of radians. Vulkan promises an absolute error of 2^-11 in [-pi, pi], and nothing outside.
    FSin = "fsin" (F) -> F;
    /// Cosine of radians, as accurate as the sine.
    FCos = "fcos" (F) -> F;

    // Float, two sources.
    /// Sum.
    FAdd = "fadd" (F, F) -> F commutes;
    /// Difference.
    FSub = "fsub" (F, F) -> F;
    /// Product.
    FMul = "fmul" (F, F) -> F commutes;
    /// Quotient.
    FDiv = "fdiv" (F, F) -> F;
    /// Lesser number; if one source is NaN, the other source (IEEE 754-2008 minNum).
    FMin = "fmin" (F, F) -> F commutes;
    /// Greater number; if one source is NaN, the other source (IEEE 754-2008 maxNum).
    FMax = "fmax" (F, F) -> F commutes;
    /// First source to the power of the second; undefined if the first is negative.
    FPow = "fpow" (F, F) -> F;
    /// First source times two to the power of the second.
    FLdexp = "fldexp" (F, E) -> F;

    // Float, three sources.
    /// First source times second plus third, rounded once.
    FFma = "ffma" (F, F, F) -> F commutes;
    /// `first * (1 - third) + second * third`.
    FLrp = "flrp" (F, F, F) -> F;
    /// Sum of the products of two components.
    FDot2 = "fdot2" (F2, F2) -> F1 commutes;
    /// Sum of the products of three components.
    FDot3 = "fdot3" (F3, F3) -> F1 commutes;
    /// Sum of the products of four components.
    FDot4 = "fdot4" (F4, F4) -> F1 commutes;

    // Float comparisons.
    /// Ordered and equal: false if a source is NaN.
    FEq = "feq" (F, F) -> B commutes;
    /// Unordered or not equal: true if a source is NaN.
    FNe = "fne" (F, F) -> B commutes;
    /// Ordered and less: false if a source is NaN.
    FLt = "flt" (F, F) -> B;
    /// Ordered and greater or equal: false if a source is NaN.
    FGe = "fge" (F, F) -> B;

    // Integer, one source.
    /// Two's complement negation.
    INeg = "ineg" (I) -> I;
    /// Absolute value; for the least number, the number itself.
    IAbs = "iabs" (I) -> I;
    /// -1, 0 or 1.
    ISign = "isign" (I) -> I;
    /// All bits flipped; for booleans, the negation.
    INot = "inot" (X) -> X;
    /// Number of bits set.
    BitCount = "bit_count" (U) -> N;
    /// Bits in reverse order.
    BitReverse = "bit_reverse" (U) -> U;
    /// Position of the lowest bit set; -1 if none.
    FindLsb = "find_lsb" (U) -> E;
    /// Position of the highest bit set; -1 if none.
    FindUMsb = "find_umsb" (U) -> E;
    /// Position of the highest bit that differs from the sign bit; -1 if none.
    FindIMsb = "find_imsb" (I) -> E;

    // Integer, two sources.
    /// Sum, wrapping.
    IAdd = "iadd" (I, I) -> I commutes;
    /// Difference, wrapping.
    ISub = "isub" (I, I) -> I;
    /// Low half of the product.
    IMul = "imul" (I, I) -> I commutes;
    /// High half of the signed product.
    IMulHigh = "imul_high" (I, I) -> I commutes;
    /// High half of the unsigned product.
    UMulHigh = "umul_high" (U, U) -> U commutes;
    /// Signed quotient rounded toward zero; undefined if the divisor is 0.
    IDiv = "idiv" (I, I) -> I;
    /// Unsigned quotient; undefined if the divisor is 0.
    UDiv = "udiv" (U, U) -> U;
    /// Signed remainder with the sign of the first source; undefined if the divisor is 0.
    IRem = "irem" (I, I) -> I;
    /// Signed remainder with the sign of the second source; undefined if the divisor is 0.
    IMod = "imod" (I, I) -> I;
    /// Unsigned remainder; undefined if the divisor is 0.
    UMod = "umod" (U, U) -> U;
    /// Lesser, signed.
    IMin = "imin" (I, I) -> I commutes;
    /// Greater, signed.
    IMax = "imax" (I, I) -> I commutes;
    /// Lesser, unsigned.
    UMin = "umin" (U, U) -> U commutes;
    /// Greater, unsigned.
    UMax = "umax" (U, U) -> U commutes;
    /// 1 if the unsigned sum overflows, else 0.
    UAddCarry = "uadd_carry" (U, U) -> U commutes;
    /// 1 if the second source is greater than the first, unsigned, else 0.
    USubBorrow = "usub_borrow" (U, U) -> U;
    /// Bitwise and, also for booleans.
    IAnd = "iand" (X, X) -> X commutes;
    /// Bitwise or, also for booleans.
    IOr = "ior" (X, X) -> X commutes;
    /// Bitwise exclusive or, also for booleans.
    IXor = "ixor" (X, X) -> X commutes;
    /// First source shifted left by the second modulo the bit size.
    IShl = "ishl" (U, N) -> U;
    /// First source shifted right arithmetically by the second modulo the bit size.
    IShr = "ishr" (I, N) -> I;
    /// First source shifted right logically by the second modulo the bit size.
    UShr = "ushr" (U, N) -> U;

    // Integer, more sources.
    /// Bits [second, second + third) of the first source, sign extended; 0 if the third is 0.
    IBitfieldExtract = "ibitfield_extract" (I, N, N) -> I;
    /// Bits [second, second + third) of the first source, zero extended; 0 if the third is 0.
    UBitfieldExtract = "ubitfield_extract" (U, N, N) -> U;
    /// The first source with bits [third, third + fourth) replaced by the low bits of the second.
    BitfieldInsert = "bitfield_insert" (U, U, N, N) -> U;

    // Integer comparisons.
    /// Equal, also for booleans.
    IEq = "ieq" (X, X) -> B commutes;
    /// Not equal, also for booleans.
    INe = "ine" (X, X) -> B commutes;
    /// Less, signed.
    ILt = "ilt" (I, I) -> B;
    /// Greater or equal, signed.
    IGe = "ige" (I, I) -> B;
    /// Less, unsigned.
    ULt = "ult" (U, U) -> B;
    /// Greater or equal, unsigned.
    UGe = "uge" (U, U) -> B;

    // Conversions. The result's bit size is free.
    /// Float to float, round to nearest even.
    F2F = "f2f" (F) -> FF;
    /// Float to float, round toward zero.
    F2FRtz = "f2f_rtz" (F) -> FF;
    /// Float to signed integer, rounded toward zero; undefined for NaN and out of range.
    F2I = "f2i" (F) -> II;
    /// Float to unsigned integer, rounded toward zero; undefined for NaN and out of range.
    F2U = "f2u" (F) -> UU;
    /// Signed integer to float, round to nearest even.
    I2F = "i2f" (I) -> FF;
    /// Unsigned integer to float, round to nearest even.
    U2F = "u2f" (U) -> FF;
    /// The integer sign extended or truncated.
    I2I = "i2i" (I) -> II;
    /// The integer zero extended or truncated.
    U2U = "u2u" (U) -> UU;
    /// 1.0 for true, 0.0 for false.
    B2F = "b2f" (B) -> FF;
    /// 1 for true, 0 for false.
    B2I = "b2i" (B) -> UU;
    /// Rounded to the precision and range of binary16 (denormals to zero), as a 32-bit float.
    FQuantize16 = "fquantize_16" (F) -> F;

    // Packing: component 0 in the lowest bits.
    /// Two 32-bit components as one 64-bit number.
    Pack64From32 = "pack_64_from_32" (X32X2) -> X64;
    /// A 64-bit number as two 32-bit components.
    Unpack64To32 = "unpack_64_to_32" (X64) -> X32X2;
    /// The low dword of each component.
    Unpack64Low = "unpack_64_low" (W) -> H;
    /// The high dword of each component.
    Unpack64High = "unpack_64_high" (W) -> H;
    /// For each component, the 64-bit number with its low dword from the first and its high dword from the second
    /// source.
    Pack64FromHalves = "pack_64_from_halves" (H, H) -> W;
    /// Four 16-bit components as one 64-bit number.
    Pack64From16 = "pack_64_from_16" (X16X4) -> X64;
    /// A 64-bit number as four 16-bit components.
    Unpack64To16 = "unpack_64_to_16" (X64) -> X16X4;
    /// Two 16-bit components as one 32-bit number.
    Pack32From16 = "pack_32_from_16" (X16X2) -> X32;
    /// A 32-bit number as two 16-bit components.
    Unpack32To16 = "unpack_32_to_16" (X32) -> X16X2;
    /// Four 8-bit components as one 32-bit number.
    Pack32From8 = "pack_32_from_8" (X8X4) -> X32;
    /// A 32-bit number as four 8-bit components.
    Unpack32To8 = "unpack_32_to_8" (X32) -> X8X4;
    /// Two 8-bit components as one 16-bit number.
    Pack16From8 = "pack_16_from_8" (X8X2) -> X16;
    /// A 16-bit number as two 8-bit components.
    Unpack16To8 = "unpack_16_to_8" (X16) -> X8X2;
    /// Two floats of 32 bits rounded to binary16 (nearest even), packed.
    PackHalf2x16 = "pack_half_2x16" (X32X2) -> X32;
    /// Two binary16 numbers as floats of 32 bits.
    UnpackHalf2x16 = "unpack_half_2x16" (X32) -> X32X2;
}

impl AluOp {
    /// The operation's table row.
    pub fn row(self) -> &'static AluRow {
        &ROWS[self as usize]
    }

    /// The operation's name in the text form.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The operation with this name in the text form.
    pub fn from_name(name: &str) -> Option<AluOp> {
        ROWS.iter().find(|row| row.name == name).map(|row| row.op)
    }

    /// Every operation.
    pub fn all() -> impl Iterator<Item = AluOp> {
        ROWS.iter().map(|row| row.op)
    }

    /// The dot product of vectors of `comps` components; `None` unless `comps` is 2 to 4.
    pub fn fdot(comps: usize) -> Option<AluOp> {
        match comps {
            2 => Some(AluOp::FDot2),
            3 => Some(AluOp::FDot3),
            4 => Some(AluOp::FDot4),
            _ => None,
        }
    }

    /// How many components of source `src` the operation reads when its result has `result_comps` components. This is
    /// the number of swizzle entries of the source that have a meaning.
    ///
    /// # Panics
    /// If the operation has no such source.
    pub fn src_comps(self, src: usize, result_comps: usize) -> usize {
        match self.row().srcs[src].comps {
            CompRule::Each => result_comps,
            CompRule::Is(comps) => usize::from(comps),
        }
    }

    /// The source that has the operation's bit size: the first one whose row has [`BitRule::Same`]. If none has (such
    /// as conversions from booleans), the first source.
    pub fn size_src(self) -> usize {
        self.row().srcs.iter().position(|s| s.bits == BitRule::Same).unwrap_or(0)
    }

    /// Whether each result component depends on the same component of the sources only.
    pub fn is_per_component(self) -> bool {
        let row = self.row();
        row.result.comps == CompRule::Each && row.srcs.iter().all(|s| s.comps == CompRule::Each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enumeration_and_names_are_unique() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!(row.op as usize, i, "{}", row.name);
            assert_eq!(AluOp::from_name(row.name), Some(row.op));
        }
    }

    /// `src_comps` relies on this: an operation's component count is always that of its result.
    #[test]
    fn sources_follow_the_component_count_only_where_the_result_does() {
        for row in ROWS {
            let each = row.srcs.iter().any(|s| s.comps == CompRule::Each);
            assert!(!each || row.result.comps == CompRule::Each, "{}", row.name);
        }
    }
}
