//! `iga64`'s names of types, functions and registers.

use crate::tables::{ArfKind, CondMod, MathFn, Sfid, Type};

/// Lower-case type name.
pub(in crate::text) fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Ud => "ud",
        Type::D => "d",
        Type::Uw => "uw",
        Type::W => "w",
        Type::Ub => "ub",
        Type::B => "b",
        Type::Uq => "uq",
        Type::Q => "q",
        Type::F => "f",
        Type::Hf => "hf",
        Type::Df => "df",
        Type::Nf => "nf",
        Type::Bf => "bf",
        Type::Uv => "uv",
        Type::V => "v",
        Type::Vf => "vf",
    }
}

/// `iga64`'s name of a math function.
pub(in crate::text) fn math_name(function: MathFn) -> &'static str {
    match function {
        MathFn::Inv => "inv",
        MathFn::Log => "log",
        MathFn::Exp => "exp",
        MathFn::Sqrt => "sqt",
        MathFn::Rsq => "rsqt",
        MathFn::Sin => "sin",
        MathFn::Cos => "cos",
        MathFn::SinCos => "sincos",
        MathFn::Fdiv => "fdiv",
        MathFn::Pow => "pow",
        MathFn::IntDiv => "idiv",
        MathFn::IntQuot => "iqot",
        MathFn::IntRem => "irem",
        MathFn::Invm => "invm",
        MathFn::Rsqrtm => "rsqtm",
    }
}

/// `iga64`'s name of a shared function in the suffix of `send` (gen12 on).
pub(in crate::text) fn sfid_name(sfid: Sfid) -> &'static str {
    match sfid {
        Sfid::Null => "null",
        Sfid::Math => "math",
        Sfid::Sampler => "smpl",
        Sfid::Gateway => "gtwy",
        Sfid::DpRead => "dp_read",
        Sfid::DpSamplerCache | Sfid::DataCache2 => "dc2",
        Sfid::DpWrite => "dp_write",
        Sfid::RenderCache => "rc",
        Sfid::Urb => "urb",
        Sfid::ThreadSpawner => "ts",
        Sfid::BindlessDispatch => "btd",
        Sfid::Vme => "vme",
        Sfid::RayTrace => "rta",
        Sfid::ConstantCache => "dcro",
        Sfid::DataCache0 => "dc0",
        Sfid::PixelInterpolator => "pixi",
        Sfid::DataCache1 => "dc1",
        Sfid::Cre => "cre",
        Sfid::Tgm => "tgm",
        Sfid::Slm => "slm",
        Sfid::Ugm => "ugm",
    }
}

/// `iga64`'s name of a conditional modifier; empty for none.
pub(in crate::text) fn cond_name(cond: CondMod) -> &'static str {
    match cond {
        CondMod::None => "",
        CondMod::Z => "eq",
        CondMod::Nz => "ne",
        CondMod::G => "gt",
        CondMod::Ge => "ge",
        CondMod::L => "lt",
        CondMod::Le => "le",
        CondMod::R => "ro",
        CondMod::O => "ov",
        CondMod::U => "un",
    }
}

/// Whether the number of an architecture register is printed, and whether its subregister is
/// printed.
pub(in crate::text) fn arf_style(kind: ArfKind) -> (bool, bool) {
    match kind {
        ArfKind::Null | ArfKind::Ip | ArfKind::ChannelEnable => (false, false),
        ArfKind::StackPointer => (false, true),
        _ => (true, true),
    }
}

/// `iga64`'s name of a kind of architecture register, without a number.
pub(in crate::text) fn arf_name(kind: ArfKind) -> &'static str {
    match kind {
        ArfKind::Null => "null",
        ArfKind::Address => "a",
        ArfKind::Accumulator => "acc",
        ArfKind::Flag => "f",
        ArfKind::ChannelEnable => "ce",
        ArfKind::MessageControl => "msg",
        ArfKind::StackPointer => "sp",
        ArfKind::State => "sr",
        ArfKind::Control => "cr",
        ArfKind::Notification => "n",
        ArfKind::Ip => "ip",
        ArfKind::ThreadDep => "tdr",
        ArfKind::Timestamp => "tm",
        ArfKind::FlowControl => "fc",
        ArfKind::Debug => "dbg",
    }
}
