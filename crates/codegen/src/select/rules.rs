//! The table of operations that become one instruction.

use crestline_isa::{CondMod, MathFn, Opcode};
use crestline_ssa::ir::AluOp;

use super::Class;

/// How an operation is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// No instruction: the result consists of components of the sources.
    Components,
    /// One hardware instruction whose sources and result have this class.
    Hw(Opcode, Class),
    /// One hardware instruction whose sources have this class, with a 32-bit unsigned result.
    Count(Opcode, Class),
    /// Extended math.
    Math(MathFn, Class),
    /// Minimum or maximum: `sel` with a conditional modifier.
    MinMax(CondMod, Class),
    /// A move with a conversion from the first class to the second.
    Convert(Class, Class),
    /// A boolean, see [`super::booleans`].
    Boolean,
    /// A function of the mode selects it; there is no common rule.
    Special,
}

/// The rule of an operation.
pub(crate) fn rule(op: AluOp) -> Rule {
    use AluOp as A;
    use Class::{Float, Logic, Signed, Unsigned, Wrapping};
    match op {
        A::Mov | A::Vec2 | A::Vec3 | A::Vec4 | A::Pack64From32 | A::Unpack64To32 => {
            Rule::Components
        }
        A::Pack64FromHalves | A::Unpack64Low | A::Unpack64High => Rule::Components,
        A::Unpack32To16 => Rule::Components,
        A::FNeg | A::FAbs => Rule::Convert(Float, Float),
        A::INeg => Rule::Convert(Wrapping, Wrapping),
        A::FFloor => Rule::Hw(Opcode::Rndd, Float),
        A::FTrunc => Rule::Hw(Opcode::Rndz, Float),
        A::FRoundEven => Rule::Hw(Opcode::Rnde, Float),
        A::FFract => Rule::Hw(Opcode::Frc, Float),
        A::FAdd => Rule::Hw(Opcode::Add, Float),
        A::FMul => Rule::Hw(Opcode::Mul, Float),
        A::IAdd => Rule::Hw(Opcode::Add, Wrapping),
        A::IMul => Rule::Hw(Opcode::Mul, Wrapping),
        A::INot => Rule::Hw(Opcode::Not, Logic),
        A::IAnd => Rule::Hw(Opcode::And, Logic),
        A::IOr => Rule::Hw(Opcode::Or, Logic),
        A::IXor => Rule::Hw(Opcode::Xor, Logic),
        A::IShl => Rule::Hw(Opcode::Shl, Unsigned),
        A::UShr => Rule::Hw(Opcode::Shr, Unsigned),
        A::IShr => Rule::Hw(Opcode::Asr, Signed),
        A::BitReverse => Rule::Hw(Opcode::Bfrev, Unsigned),
        A::BitCount => Rule::Count(Opcode::Cbit, Unsigned),
        A::FindLsb => Rule::Count(Opcode::Fbl, Unsigned),
        A::FRcp => Rule::Math(MathFn::Inv, Float),
        A::FRsq => Rule::Math(MathFn::Rsq, Float),
        A::FSqrt => Rule::Math(MathFn::Sqrt, Float),
        A::FExp2 => Rule::Math(MathFn::Exp, Float),
        A::FLog2 => Rule::Math(MathFn::Log, Float),
        A::FSin => Rule::Math(MathFn::Sin, Float),
        A::FCos => Rule::Math(MathFn::Cos, Float),
        A::FPow => Rule::Math(MathFn::Pow, Float),
        A::IDiv => Rule::Math(MathFn::IntQuot, Signed),
        A::UDiv => Rule::Math(MathFn::IntQuot, Unsigned),
        A::IRem => Rule::Math(MathFn::IntRem, Signed),
        A::UMod => Rule::Math(MathFn::IntRem, Unsigned),
        A::FMin => Rule::MinMax(CondMod::L, Float),
        A::FMax => Rule::MinMax(CondMod::Ge, Float),
        A::IMin => Rule::MinMax(CondMod::L, Signed),
        A::IMax => Rule::MinMax(CondMod::Ge, Signed),
        A::UMin => Rule::MinMax(CondMod::L, Unsigned),
        A::UMax => Rule::MinMax(CondMod::Ge, Unsigned),
        A::F2I => Rule::Convert(Float, Signed),
        A::F2U => Rule::Convert(Float, Unsigned),
        A::I2F => Rule::Convert(Signed, Float),
        A::U2F => Rule::Convert(Unsigned, Float),
        A::I2I => Rule::Convert(Signed, Signed),
        A::U2U => Rule::Convert(Unsigned, Unsigned),
        A::F2F => Rule::Convert(Float, Float),
        A::FEq | A::FNe | A::FLt | A::FGe => Rule::Boolean,
        A::IEq | A::INe | A::ILt | A::IGe | A::ULt | A::UGe => Rule::Boolean,
        _ => Rule::Special,
    }
}
