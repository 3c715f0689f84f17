//! Plans of arithmetic: the operation, and the type in which each channel computes.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alu {
    pub(crate) operation: Operation,
    /// The number of channels that an executor computes at once: see [`Operation::lanes`]. Packed operands have this
    /// many elements.
    pub(crate) lanes: usize,
}

/// The type of the value with which a channel computes.
///
/// Integers of up to 32 bits are `I32` or `U32` where only the low 32 bits of the result matter,
/// `I64` where the exact result does (saturation, comparisons of mixed signs); 64-bit integers
/// are `I128`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneType {
    F16,
    F32,
    F64,
    I32,
    U32,
    I64,
    I128,
}

/// An operation on the sources of each channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Unary(UnaryOp, LaneType),
    Binary(BinaryOp, LaneType),
    Ternary(TernaryOp, LaneType),
    /// `sel` by the predicate.
    Select(LaneType),
    /// `sel` by a condition.
    SelectCondition(LaneType),
    /// `csel`.
    CompareSelect(LaneType),
    /// `cmp`, or with `nan` `cmpn`.
    Compare {
        lane: LaneType,
        nan: bool,
    },
    /// `f32to16`.
    F32To16,
    /// `addc`, or with `subtract` `subb`.
    Carry {
        subtract: bool,
    },
    /// `mach`; `low` is the form that gives the low half of the product.
    MultiplyHigh {
        low: bool,
    },
    /// `mac` on 32-bit floats.
    MacFloat,
    /// `mac` on integers.
    MacInt,
    /// `sad2`, or with `accumulate` `sada2`.
    AbsoluteDifferences {
        accumulate: bool,
    },
    /// `dp2`, `dp3`, `dp4`.
    Dot {
        terms: u8,
    },
    /// `dph`.
    DotHomogeneous,
    /// `line`.
    Line,
    /// `pln`.
    Plane,
    /// `madm`.
    Madm(LaneType),
    /// `math.invm`.
    InverseSeed(LaneType),
    /// `math.rsqrtm`.
    RootSeed(LaneType),
    /// Integer division with quotient and remainder.
    DivideBoth {
        signed: bool,
    },
}

/// An operation of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Mov,
    Not,
    Bfrev,
    Cbit,
    Lzd,
    Fbl,
    Fbh,
    F16To32,
    Frc,
    RoundDown,
    RoundUp,
    RoundEven,
    RoundZero,
    Inv,
    Log,
    Exp,
    Sqrt,
    Rsq,
    Sin,
    Cos,
}

/// An operation of two sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Mul,
    /// A product with the low half of source 1.
    MulLowUnsigned,
    Avg,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Asr,
    Rol16,
    Rol32,
    Ror16,
    Ror32,
    Bfi1,
    Fdiv,
    Pow,
    Quotient,
    Remainder,
}

/// An operation of three sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TernaryOp {
    Mad,
    Lrp,
    Add3,
    Bfe,
    Bfi2,
    Dp4aSigned,
    Dp4aUnsigned,
}

impl Alu {
    /// An operation on `channels` channels.
    pub(crate) fn new(operation: Operation, channels: u8) -> Alu {
        Alu { operation, lanes: operation.lanes(channels) }
    }
}

impl Operation {
    /// The number of channels that an executor computes at once for an instruction of `channels` channels. Common
    /// operations are rounded up to 1, 8, 16 or 32, others to 8 or 32. Operations that exist only for few channels have
    /// one fixed number; instructions with more channels are not supported.
    pub(crate) fn lanes(self, channels: u8) -> usize {
        use LaneType::{F32, I32, U32};
        let common = match self {
            Operation::Compare { .. } => true,
            Operation::Unary(op, lane) => {
                lane == F32
                    || op == UnaryOp::Mov && matches!(lane, I32 | U32)
                    || op == UnaryOp::Not && lane == U32
            }
            Operation::Binary(op, lane) => match op {
                BinaryOp::Add | BinaryOp::Mul => matches!(lane, F32 | U32),
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => {
                    lane == U32
                }
                BinaryOp::Asr => lane == I32,
                BinaryOp::Pow | BinaryOp::Fdiv => lane == F32,
                _ => false,
            },
            Operation::Ternary(op, lane) => {
                matches!(op, TernaryOp::Mad | TernaryOp::Lrp) && lane == F32
            }
            Operation::Select(lane) => lane == U32,
            Operation::SelectCondition(lane) => matches!(lane, F32 | I32 | U32),
            Operation::CompareSelect(_) => false,
            Operation::DivideBoth { .. } => return 8,
            Operation::Line | Operation::Plane => return if channels <= 8 { 8 } else { 16 },
            Operation::F32To16
            | Operation::Carry { .. }
            | Operation::MultiplyHigh { .. }
            | Operation::MacFloat
            | Operation::MacInt
            | Operation::AbsoluteDifferences { .. }
            | Operation::Dot { .. }
            | Operation::DotHomogeneous
            | Operation::Madm(_)
            | Operation::InverseSeed(_)
            | Operation::RootSeed(_) => return 16,
        };
        match channels {
            1 if common => 1,
            ..=8 => 8,
            9..=16 if common => 16,
            _ => 32,
        }
    }
}

#[cfg(test)]
impl UnaryOp {
    pub(crate) const ALL: &[UnaryOp] = &[
        UnaryOp::Mov,
        UnaryOp::Not,
        UnaryOp::Bfrev,
        UnaryOp::Cbit,
        UnaryOp::Lzd,
        UnaryOp::Fbl,
        UnaryOp::Fbh,
        UnaryOp::F16To32,
        UnaryOp::Frc,
        UnaryOp::RoundDown,
        UnaryOp::RoundUp,
        UnaryOp::RoundEven,
        UnaryOp::RoundZero,
        UnaryOp::Inv,
        UnaryOp::Log,
        UnaryOp::Exp,
        UnaryOp::Sqrt,
        UnaryOp::Rsq,
        UnaryOp::Sin,
        UnaryOp::Cos,
    ];
}

#[cfg(test)]
impl BinaryOp {
    pub(crate) const ALL: &[BinaryOp] = &[
        BinaryOp::Add,
        BinaryOp::Mul,
        BinaryOp::MulLowUnsigned,
        BinaryOp::Avg,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Asr,
        BinaryOp::Rol16,
        BinaryOp::Rol32,
        BinaryOp::Ror16,
        BinaryOp::Ror32,
        BinaryOp::Bfi1,
        BinaryOp::Fdiv,
        BinaryOp::Pow,
        BinaryOp::Quotient,
        BinaryOp::Remainder,
    ];
}

#[cfg(test)]
impl TernaryOp {
    pub(crate) const ALL: &[TernaryOp] = &[
        TernaryOp::Mad,
        TernaryOp::Lrp,
        TernaryOp::Add3,
        TernaryOp::Bfe,
        TernaryOp::Bfi2,
        TernaryOp::Dp4aSigned,
        TernaryOp::Dp4aUnsigned,
    ];
}
