//! The arithmetic operations, one row each.
//!
//! Every operation is a pure function of its sources. The row gives, for the result and for each source, what the
//! bits mean ([`Class`]), how many bits ([`BitRule`]) and how many components ([`CompRule`]). The verifier, the
//! printer, the parser, the interpreter and the scalariser all read the row.

/// What the bits of an operand mean to the operation.
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
    /// One bit.
    Bool,
}

/// How many bits an operand's components have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitRule {
    /// The operation's bit size: equal for all operands with this rule.
    Same,
    /// A bit size of its own, free (conversions).
    Free,
    /// Exactly this many.
    Is(u8),
}

/// How many components an operand has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompRule {
    /// The operation's component count, 1 to 4: equal for all operands with this rule; result component `i` depends
    /// on component `i` of these sources only (if the result has this rule too).
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

/// The facts of one operation.
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

/// Operand shorthands for the table below: class, then `n` for "operation's bits, each component".
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
    /// A signed 32-bit number beside operands of the operation's size.
    pub(super) const E: Operand = operand(Class::Int, BitRule::Is(32), CompRule::Each);
    /// Results whose bit size is free of the sources'.
    pub(super) const FF: Operand = operand(Class::Float, BitRule::Free, CompRule::Each);
    pub(super) const II: Operand = operand(Class::Int, BitRule::Free, CompRule::Each);
    pub(super) const UU: Operand = operand(Class::Uint, BitRule::Free, CompRule::Each);
    /// One component of the operation's bit size.
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
    /// Each component of exactly 64 or 32 bits.
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

        /// Every row, in the order of the enumeration.
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
    /// The second source where the first is true, else the third.
    Select = "select" (B, X, X) -> X;

    // Float, one source.
    /// Sign flipped, NaN too.
    FNeg = "fneg" (F) -> F;
    /// Sign cleared, NaN too.
    FAbs = "fabs" (F) -> F;
    /// Clamped to [0, 1]; NaN gives 0.
    FSat = "fsat" (F) -> F;
    /// -1, 0 or 1; zero keeps no defined sign.
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
    /// Sine of radians, any magnitude.
    FSin = "fsin" (F) -> F;
    /// Cosine of radians, any magnitude.
    FCos = "fcos" (F) -> F;
    /// Sine of radians that are known to lie in the range which a hardware unit serves.
    FSinReduced = "fsin_reduced" (F) -> F;
    /// Cosine of radians that are known to lie in the range which a hardware unit serves.
    FCosReduced = "fcos_reduced" (F) -> F;

    // Float, two sources.
    /// Sum.
    FAdd = "fadd" (F, F) -> F commutes;
    /// Difference.
    FSub = "fsub" (F, F) -> F;
    /// Product.
    FMul = "fmul" (F, F) -> F commutes;
    /// Quotient.
    FDiv = "fdiv" (F, F) -> F;
    /// Lesser; if one is NaN the other (IEEE 754-2008 minNum).
    FMin = "fmin" (F, F) -> F commutes;
    /// Greater; if one is NaN the other (IEEE 754-2008 maxNum).
    FMax = "fmax" (F, F) -> F commutes;
    /// First to the power of the second; undefined for a negative first.
    FPow = "fpow" (F, F) -> F;
    /// First times two to the power of the second.
    FLdexp = "fldexp" (F, E) -> F;

    // Float, three sources.
    /// First times second plus third, rounded once.
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
    /// Ordered and equal.
    FEq = "feq" (F, F) -> B commutes;
    /// Unordered or not equal.
    FNe = "fne" (F, F) -> B commutes;
    /// Ordered and less.
    FLt = "flt" (F, F) -> B;
    /// Ordered and greater or equal.
    FGe = "fge" (F, F) -> B;

    // Integer, one source.
    /// Two's complement negation.
    INeg = "ineg" (I) -> I;
    /// Absolute value; the least number gives itself.
    IAbs = "iabs" (I) -> I;
    /// -1, 0 or 1.
    ISign = "isign" (I) -> I;
    /// All bits flipped; of a boolean the negation.
    INot = "inot" (X) -> X;
    /// Number of bits set.
    BitCount = "bit_count" (U) -> N;
    /// Bits in reverse order.
    BitReverse = "bit_reverse" (U) -> U;
    /// Position of the lowest bit set; -1 if none.
    FindLsb = "find_lsb" (U) -> E;
    /// Position of the highest bit set; -1 if none.
    FindUMsb = "find_umsb" (U) -> E;
    /// Position of the highest bit that differs from the sign; -1 if none.
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
    /// Signed quotient toward zero; undefined by zero.
    IDiv = "idiv" (I, I) -> I;
    /// Unsigned quotient; undefined by zero.
    UDiv = "udiv" (U, U) -> U;
    /// Signed remainder with the sign of the first; undefined by zero.
    IRem = "irem" (I, I) -> I;
    /// Signed remainder with the sign of the second; undefined by zero.
    IMod = "imod" (I, I) -> I;
    /// Unsigned remainder; undefined by zero.
    UMod = "umod" (U, U) -> U;
    /// Lesser, signed.
    IMin = "imin" (I, I) -> I commutes;
    /// Greater, signed.
    IMax = "imax" (I, I) -> I commutes;
    /// Lesser, unsigned.
    UMin = "umin" (U, U) -> U commutes;
    /// Greater, unsigned.
    UMax = "umax" (U, U) -> U commutes;
    /// 1 where the unsigned sum does not fit, else 0.
    UAddCarry = "uadd_carry" (U, U) -> U commutes;
    /// 1 where the second exceeds the first, unsigned, else 0.
    USubBorrow = "usub_borrow" (U, U) -> U;
    /// Bitwise and; of booleans too.
    IAnd = "iand" (X, X) -> X commutes;
    /// Bitwise or; of booleans too.
    IOr = "ior" (X, X) -> X commutes;
    /// Bitwise exclusive or; of booleans too.
    IXor = "ixor" (X, X) -> X commutes;
    /// Shifted left by the second modulo the bit size.
    IShl = "ishl" (U, N) -> U;
    /// Shifted right arithmetically by the second modulo the bit size.
    IShr = "ishr" (I, N) -> I;
    /// Shifted right logically by the second modulo the bit size.
    UShr = "ushr" (U, N) -> U;

    // Integer, more sources.
    /// Bits [second, second + third) of the first, sign extended; third = 0 gives 0.
    IBitfieldExtract = "ibitfield_extract" (I, N, N) -> I;
    /// Bits [second, second + third) of the first, zero extended; third = 0 gives 0.
    UBitfieldExtract = "ubitfield_extract" (U, N, N) -> U;
    /// The first with bits [third, third + fourth) replaced by the low bits of the second.
    BitfieldInsert = "bitfield_insert" (U, U, N, N) -> U;

    // Integer comparisons.
    /// Equal; of booleans too.
    IEq = "ieq" (X, X) -> B commutes;
    /// Not equal; of booleans too.
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
    /// Float to signed integer toward zero; out of range undefined, NaN undefined.
    F2I = "f2i" (F) -> II;
    /// Float to unsigned integer toward zero; out of range undefined, NaN undefined.
    F2U = "f2u" (F) -> UU;
    /// Signed integer to float, round to nearest even.
    I2F = "i2f" (I) -> FF;
    /// Unsigned integer to float, round to nearest even.
    U2F = "u2f" (U) -> FF;
    /// Sign extended or truncated.
    I2I = "i2i" (I) -> II;
    /// Zero extended or truncated.
    U2U = "u2u" (U) -> UU;
    /// 1.0 for true, 0.0 for false.
    B2F = "b2f" (B) -> FF;
    /// 1 for true, 0 for false.
    B2I = "b2i" (B) -> UU;
    /// Rounded to binary16 precision and range (denormals to zero), still 32 bits.
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
    /// Each component of the low dword in the first and the high dword in the second source.
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
    /// The operation's row.
    pub fn row(self) -> &'static AluRow {
        &ROWS[self as usize]
    }

    /// The operation's name in the text form.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The operation of that name.
    pub fn from_name(name: &str) -> Option<AluOp> {
        ROWS.iter().find(|row| row.name == name).map(|row| row.op)
    }

    /// Every operation.
    pub fn all() -> impl Iterator<Item = AluOp> {
        ROWS.iter().map(|row| row.op)
    }

    /// The dot product of vectors of `comps` components, 2 to 4.
    pub fn fdot(comps: usize) -> Option<AluOp> {
        match comps {
            2 => Some(AluOp::FDot2),
            3 => Some(AluOp::FDot3),
            4 => Some(AluOp::FDot4),
            _ => None,
        }
    }

    /// How many components of source `src` the operation reads when its result has `result_comps`: so many entries
    /// of the source's swizzle count.
    ///
    /// # Panics
    /// If the operation has no such source.
    pub fn src_comps(self, src: usize, result_comps: usize) -> usize {
        match self.row().srcs[src].comps {
            CompRule::Each => result_comps,
            CompRule::Is(comps) => usize::from(comps),
        }
    }

    /// Which source has the operation's bit size: the first whose row says so, or of a conversion from a fixed size
    /// the first.
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

    /// `src_comps` rests on this: the component count of an operation is always that of its result.
    #[test]
    fn sources_follow_the_component_count_only_where_the_result_does() {
        for row in ROWS {
            let each = row.srcs.iter().any(|s| s.comps == CompRule::Each);
            assert!(!each || row.result.comps == CompRule::Each, "{}", row.name);
        }
    }
}
