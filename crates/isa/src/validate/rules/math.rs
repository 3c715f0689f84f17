//! Group J: math.

use super::rules;
use crate::inst::{Place, Reg, Src};
use crate::tables::{AccessMode, MathFn, Type};
use crate::validate::context::{Context, Facts};
use crestline_device::Gen;

rules! {
    "J1" Error Gen6..=Gen125 [MATH] "PRM math"
        "the destination must be a general register with stride 1"
        => |c| !matches!(c.dst().place, Place::Direct { reg: Reg::Grf(_) | Reg::Mrf(_), .. } | Place::Indirect { .. })
            && !c.dst().place.is_null() || c.hd() != 1 && c.inst.access_mode == AccessMode::Align1 && !c.has(Facts::MIXED);
    "J2" Error Gen6..=Gen125 [MATH] "PRM math"
        "the float functions must have type F, or (on gen9 and later, and on CHV) HF"
        => |c| !is_int_division(c) && !c.inst.is_macro() && c.srcs().iter().filter_map(Src::ty).chain([c.dst().ty])
            .any(|ty| !(ty == Type::F || ty == Type::Hf && c.device.has_half_float_math()));
    "J3" Error Gen6..=Gen12 [MATH] "PRM math; confirmed by Mesa's validator"
        "the sources of an integer division must have type D or UD and no source modifiers; before gen8 they must be registers"
        => |c| is_int_division(c) && (c.srcs().iter().filter_map(Src::ty).any(|ty| !matches!(ty, Type::D | Type::Ud))
            || c.reg_srcs().any(|(_, r)| r.negate || r.abs)
            || c.generation < Gen::Gen8 && c.has(Facts::IMM));
    "J4" Warning Gen6..=Gen125 [MATH] "Mesa SIMD lowering"
        "the function should have at most 8 channels (integer division, HF, gen6) or 16 channels (otherwise)"
        => |c| c.es > if is_int_division(c) || c.dst().ty == Type::Hf || c.generation == Gen::Gen6 { 8 } else { 16 };
    "J5" Warning Gen6..=Gen125 [MATH ALIGN1] "vISA"
        "sources should be contiguous or scalar"
        => |c| c.regions().any(|r| !r.is_linear());
    "J8" Warning Gen8..=Gen125 [MATH] "vISA; confirmed by iga64"
        "the operands of macro functions should be aligned to registers and name their extension registers"
        => |c| c.inst.is_macro() && (c.dst().mme.is_none() || c.reg_srcs().any(|(_, r)| r.mme.is_none()));
    "J9" Error Gen6..=Gen125 [MATH] "PRM math"
        "source 1 of a function of one source must be null"
        => |c| c.sources == 1 && match &c.inst.srcs[1] {
            Src::None => false,
            Src::Reg(r) => !r.place.is_null(),
            Src::Imm(_) => true,
        };
    "J10" Error Gen6..=Gen125 [MATH TWO IMM] "PRM math"
        "source 0 of a function of two sources must be a register"
        => |c| c.srcs()[0].as_imm().is_some();
    "J11" Error Gen6..=Gen6 [MATH ALIGN1] "PRM math; Mesa's emitter"
        "on gen6 the sources must have horizontal stride 1 and no modifiers, because the hardware ignores them"
        => |c| c.regions().any(|r| r.h != 1 || r.reg.negate || r.reg.abs);
}

fn is_int_division(c: &Context<'_>) -> bool {
    c.inst.math().is_some_and(MathFn::is_int)
}
