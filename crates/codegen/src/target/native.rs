//! Tables of the operations that the hardware supports at each operand size, and of those that each selection mode
//! supports: one row per class of operations.
//!
//! Sources: the opcode tables of the PRMs ("EU Instruction Set", Haswell volume 7, Broadwell volume 7, Skylake volume
//! 7) for the types of each instruction; the crate `device` for the parts that lack them.

use crestline_device::Device;
use crestline_ssa::ir::AluOp;

/// A capability that an operation requires of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Capability {
    /// None: all devices that instruction selection supports have the operation.
    Always,
    /// HF registers and arithmetic.
    HalfFloat,
    /// HF operands of MATH.
    HalfFloatMath,
    /// DF registers and arithmetic.
    Float64,
    /// Q and UQ registers and arithmetic.
    Int64,
    /// `mul` uses all 32 bits of both factors.
    Product32,
    /// LRP.
    Lrp,
    /// BFE, BFREV, CBIT and their like.
    BitFields,
}

impl Capability {
    /// Whether a device has the capability.
    fn holds(self, device: &Device) -> bool {
        match self {
            Capability::Always => true,
            Capability::HalfFloat => device.has_half_float(),
            Capability::HalfFloatMath => device.has_half_float_math(),
            Capability::Float64 => device.has_64bit_float(),
            Capability::Int64 => device.has_64bit_int(),
            Capability::Product32 => device.mul_32x32(),
            Capability::Lrp => device.has_lrp(),
            Capability::BitFields => device.has_bit_field_instructions(),
        }
    }
}

/// How the back end supports an operation at one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    /// Not at all: the mid-end replaces the operation by others.
    None,
    /// As one instruction, on devices with the capability.
    Native(Capability),
    /// As one instruction on devices with the capability, as a sequence that the back end emits on others.
    NativeOrSequence(Capability),
    /// As a sequence that selection emits, on devices with the capability.
    Sequence(Capability),
}

impl Support {
    /// Whether the back end supports the operation on a device.
    fn exists(self, device: &Device) -> bool {
        match self {
            Support::None => false,
            Support::Native(capability) | Support::Sequence(capability) => capability.holds(device),
            Support::NativeOrSequence(_) => true,
        }
    }

    /// Whether the operation is one instruction on a device.
    fn is_native(self, device: &Device) -> bool {
        match self {
            Support::Native(capability) | Support::NativeOrSequence(capability) => {
                capability.holds(device)
            }
            Support::None | Support::Sequence(_) => false,
        }
    }
}

/// Classes of operations that are native at the same sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperationClass {
    /// No instruction: the result has the registers of the sources.
    Location,
    Select,
    FloatArithmetic,
    FloatRounding,
    FloatMath,
    FloatInterpolation,
    FloatDot,
    FloatComparison,
    FloatToFloat,
    /// The hardware rounds a conversion between floats toward zero only after a change of the thread's rounding mode.
    FloatTowardZero,
    FloatAndInteger,
    /// Rounding to half precision and back, and packed halves: all operands have 32 bits.
    HalfInDword,
    IntegerSum,
    IntegerProduct,
    IntegerProductHigh,
    IntegerDivision,
    IntegerComparison,
    IntegerToInteger,
    Logic,
    /// The shift count is taken modulo the size of the value. For words, the hardware takes it modulo 32.
    Shift,
    BitField,
    HighestBit,
    BooleanToFloat,
    BooleanToInteger,
    /// A dword of two values of 16 bits, and its halves.
    HalvesOfDword,
    /// Extraction of other elements of 8 and 16 bits from larger values, and insertion.
    SmallPacking,
    /// Replaced by other operations in the mid-end, where their parts can be shared and simplified.
    Composite,
}

/// A set of operand sizes in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes(&'static [u32]);

/// A row of the table: properties of a class of operations.
struct Row {
    /// How the back end supports the class at 8, 16, 32 and 64 bits.
    support: [Support; 4],
    /// The operand sizes that scalar selection supports, if [`Row::support`] includes them.
    scalar: Sizes,
    /// The operand sizes that SIMD4x2 selection supports, if [`Row::support`] includes them.
    vec4: Sizes,
}

/// The mode of instruction selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// [`crate::scalar`].
    Scalar,
    /// [`crate::vec4`].
    Vec4,
}

/// The class of an operation.
fn class(op: AluOp) -> OperationClass {
    use AluOp as A;
    use OperationClass as C;
    match op {
        A::Mov | A::Vec2 | A::Vec3 | A::Vec4 => C::Location,
        A::Pack64From32 | A::Unpack64To32 => C::Location,
        A::Pack64FromHalves | A::Unpack64Low | A::Unpack64High => C::Location,
        A::Select => C::Select,
        A::FNeg | A::FAbs | A::FSat | A::FAdd | A::FSub | A::FMul | A::FFma => C::FloatArithmetic,
        A::FMin | A::FMax => C::FloatArithmetic,
        A::FFloor | A::FTrunc | A::FRoundEven | A::FFract => C::FloatRounding,
        A::FRcp | A::FRsq | A::FSqrt | A::FExp2 | A::FLog2 | A::FPow => C::FloatMath,
        A::FSin | A::FCos => C::FloatMath,
        A::FLrp => C::FloatInterpolation,
        A::FDot2 | A::FDot3 | A::FDot4 => C::FloatDot,
        A::FEq | A::FNe | A::FLt | A::FGe => C::FloatComparison,
        A::F2F => C::FloatToFloat,
        A::F2I | A::F2U | A::I2F | A::U2F => C::FloatAndInteger,
        A::FQuantize16 | A::PackHalf2x16 | A::UnpackHalf2x16 => C::HalfInDword,
        A::IAdd | A::ISub | A::INeg | A::IAbs => C::IntegerSum,
        A::IMul => C::IntegerProduct,
        A::IMulHigh | A::UMulHigh => C::IntegerProductHigh,
        A::IDiv | A::UDiv | A::IRem | A::UMod => C::IntegerDivision,
        A::IMin | A::IMax | A::UMin | A::UMax => C::IntegerComparison,
        A::IEq | A::INe | A::ILt | A::IGe | A::ULt | A::UGe => C::IntegerComparison,
        A::I2I | A::U2U => C::IntegerToInteger,
        A::INot | A::IAnd | A::IOr | A::IXor => C::Logic,
        A::IShl | A::IShr | A::UShr => C::Shift,
        A::BitCount | A::BitReverse | A::FindLsb => C::BitField,
        A::IBitfieldExtract | A::UBitfieldExtract | A::BitfieldInsert => C::BitField,
        A::FindUMsb | A::FindIMsb => C::HighestBit,
        A::B2F => C::BooleanToFloat,
        A::B2I => C::BooleanToInteger,
        A::Pack32From16 | A::Unpack32To16 => C::HalvesOfDword,
        A::Pack64From16 | A::Unpack64To16 => C::SmallPacking,
        A::Pack32From8 | A::Unpack32To8 | A::Pack16From8 | A::Unpack16To8 => C::SmallPacking,
        A::F2FRtz => C::FloatTowardZero,
        A::FCeil | A::FDiv | A::FLdexp | A::FSign => C::Composite,
        A::IMod | A::ISign | A::UAddCarry | A::USubBorrow => C::Composite,
    }
}

/// The row of a class.
#[rustfmt::skip]
fn row(class: OperationClass) -> Row {
    use Capability::{Always, BitFields, Float64, HalfFloat, HalfFloatMath, Int64, Lrp, Product32};
    use OperationClass as C;
    use Support::{Native as N, NativeOrSequence, None as X, Sequence as S};
    let row = |support, scalar, vec4| Row { support, scalar: Sizes(scalar), vec4: Sizes(vec4) };
    match class {
        //                                8          16                32                           64              scalar            vec4
        C::Location           => row([N(Always), N(Always),        N(Always),                   N(Always)],    &[8, 16, 32, 64], &[32, 64]),
        C::Select             => row([N(Always), N(Always),        N(Always),                   S(Always)],    &[8, 16, 32, 64], &[32, 64]),
        C::FloatArithmetic    => row([X,         N(HalfFloat),     N(Always),                   N(Float64)],   &[16, 32, 64],    &[32, 64]),
        C::FloatRounding      => row([X,         X,                N(Always),                   X],            &[32],            &[32]),
        C::FloatMath          => row([X,         N(HalfFloatMath), N(Always),                   X],            &[32],            &[32]),
        C::FloatInterpolation => row([X,         X,                N(Lrp),                      X],            &[32],            &[32]),
        C::FloatDot           => row([X,         X,                N(Always),                   S(Float64)],   &[],              &[32, 64]),
        C::FloatComparison    => row([X,         N(HalfFloat),     N(Always),                   N(Float64)],   &[16, 32, 64],    &[32, 64]),
        C::FloatToFloat       => row([X,         N(Always),        N(Always),                   N(Float64)],   &[16, 32, 64],    &[32, 64]),
        C::FloatTowardZero    => row([X,         X,                X,                           X],            &[],              &[]),
        C::FloatAndInteger    => row([N(Always), N(HalfFloat),     N(Always),                   N(Float64)],   &[32, 64],        &[32, 64]),
        C::HalfInDword        => row([X,         X,                S(Always),                   X],            &[32],            &[32]),
        C::IntegerSum         => row([N(Always), N(Always),        N(Always),                   N(Int64)],     &[32, 64],        &[32]),
        C::IntegerProduct     => row([N(Always), N(Always),        NativeOrSequence(Product32), X],            &[32],            &[32]),
        C::IntegerProductHigh => row([X,         X,                S(Always),                   X],            &[32],            &[32]),
        C::IntegerDivision    => row([X,         X,                N(Always),                   X],            &[32],            &[32]),
        C::IntegerComparison  => row([N(Always), N(Always),        N(Always),                   N(Int64)],     &[32],            &[32]),
        C::IntegerToInteger   => row([N(Always), N(Always),        N(Always),                   N(Int64)],     &[8, 16, 32, 64], &[32]),
        C::Logic              => row([N(Always), N(Always),        N(Always),                   N(Int64)],     &[32],            &[32]),
        C::Shift              => row([X,         X,                N(Always),                   N(Int64)],     &[32],            &[32]),
        C::BitField           => row([X,         X,                N(BitFields),                X],            &[32],            &[32]),
        C::HighestBit         => row([X,         X,                S(BitFields),                X],            &[32],            &[32]),
        C::BooleanToFloat     => row([X,         N(HalfFloat),     N(Always),                   N(Float64)],   &[16, 32],        &[32, 64]),
        C::BooleanToInteger   => row([N(Always), N(Always),        N(Always),                   N(Int64)],     &[8, 16, 32],     &[32]),
        C::HalvesOfDword      => row([X,         S(Always),        S(Always),                   X],            &[16, 32],        &[]),
        C::SmallPacking       => row([X,         X,                X,                           X],            &[],              &[]),
        C::Composite          => row([X,         X,                X,                           X],            &[],              &[]),
    }
}

fn column(bits: u32) -> Option<usize> {
    [8, 16, 32, 64].iter().position(|&size| size == bits)
}

/// Whether one instruction of the device does the operation on `bits` bits.
pub(super) fn is_native(device: &Device, op: AluOp, bits: u32) -> bool {
    column(bits).is_some_and(|at| row(class(op)).support[at].is_native(device))
}

/// Whether selection takes the operation with operands of `bits` bits: the device has it, and the mode selects it.
pub(super) fn selects(device: &Device, mode: Mode, op: AluOp, bits: u32) -> bool {
    let row = row(class(op));
    let taken = match mode {
        Mode::Scalar => row.scalar,
        Mode::Vec4 => row.vec4,
    };
    taken.0.contains(&bits) && column(bits).is_some_and(|at| row.support[at].exists(device))
}

/// Operations that are made of others before selection, on all devices.
pub fn unsupported_operations() -> impl Iterator<Item = AluOp> {
    AluOp::all().filter(|&op| class(op) == OperationClass::Composite)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crestline_device::Platform;

    fn device(platform: Platform) -> Device {
        Device::new(platform)
    }

    #[test]
    fn sizes_are_native_where_the_manuals_have_them() {
        use Platform::{Bdw, Bxt, Hsw, Icl, Ivb, Skl};
        let natives = |op, bits| {
            [Ivb, Hsw, Bdw, Skl, Bxt, Icl].map(|platform| is_native(&device(platform), op, bits))
        };
        let (yes, no) = (true, false);
        assert_eq!(natives(AluOp::FAdd, 16), [no, no, yes, yes, yes, yes]);
        assert_eq!(natives(AluOp::FRcp, 16), [no, no, no, yes, yes, yes]);
        assert_eq!(natives(AluOp::FAdd, 64), [yes, yes, yes, yes, yes, no]);
        assert_eq!(natives(AluOp::FRcp, 64), [no; 6]);
        assert_eq!(natives(AluOp::IAdd, 64), [no, no, yes, yes, yes, no]);
        assert_eq!(natives(AluOp::IMul, 64), [no; 6]);
        assert_eq!(natives(AluOp::IMul, 32), [no, no, yes, yes, no, no]);
        assert_eq!(natives(AluOp::IAdd, 16), [yes; 6]);
        assert_eq!(natives(AluOp::FLrp, 32), [yes, yes, yes, yes, yes, no]);
    }

    /// Packed integers, and math functions of half floats, are native, but not selected yet.
    #[test]
    fn what_is_native_need_not_be_selected() {
        let skl = device(Platform::Skl);
        for (op, bits) in [(AluOp::FRcp, 16), (AluOp::IAdd, 16), (AluOp::IAnd, 64)] {
            assert!(is_native(&skl, op, bits) && !selects(&skl, Mode::Scalar, op, bits), "{op:?}");
        }
        assert!(selects(&skl, Mode::Scalar, AluOp::FAdd, 16));
        assert!(!selects(&device(Platform::Hsw), Mode::Scalar, AluOp::FAdd, 16));
        assert!(selects(&skl, Mode::Scalar, AluOp::FAdd, 64));
        assert!(!selects(&device(Platform::Icl), Mode::Scalar, AluOp::FAdd, 64));
        assert!(selects(&skl, Mode::Scalar, AluOp::IAdd, 64));
        assert!(!selects(&skl, Mode::Vec4, AluOp::IAdd, 64));
        assert!(!selects(&device(Platform::Hsw), Mode::Scalar, AluOp::IAdd, 64));
        assert!(selects(&skl, Mode::Scalar, AluOp::I2I, 16));
        assert!(!selects(&skl, Mode::Vec4, AluOp::I2I, 16));
    }

    #[test]
    fn what_a_mode_takes_is_a_size_that_some_device_has() {
        for op in AluOp::all() {
            let row = row(class(op));
            for bits in row.scalar.0.iter().chain(row.vec4.0) {
                let at = column(*bits).unwrap_or_else(|| panic!("{op:?}: {bits} bits"));
                assert_ne!(row.support[at], Support::None, "{op:?}: {bits} bits");
            }
        }
    }
}
