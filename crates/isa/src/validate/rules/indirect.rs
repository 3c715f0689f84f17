//! Group E: indirect addressing.

use super::rules;
use crate::inst::{Place, Region, VStride};
use crate::tables::{AccessMode, ArfKind, Opcode, Type};
use crate::validate::context::{has_cond_mod, is_arf};

rules! {
    "E1" Error Gen6..=Gen125 [THREE INDIRECT] "PRM Register-Indirect Addressing"
        "an instruction with three sources must not address an operand indirectly (through a0)"
        => |_c| true;
    "E2" Error Gen4..=Gen125 [INDIRECT] "PRM Register-Indirect Addressing; confirmed by iga64"
        "an address offset must be -512 to 511 bytes, and in Align16 a multiple of 16"
        => |c| c.reg_srcs().map(|(_, r)| r.place).chain([c.dst().place]).any(|p| match p {
            Place::Indirect { offset, .. } => !(-512..=511).contains(&offset)
                || c.inst.access_mode == AccessMode::Align16 && offset % 16 != 0,
            Place::Direct { .. } => false,
        });
    "E3" Error Gen4..=Gen125 [INDIRECT] "PRM Address Register; Mesa"
        "a region with an address per row needs as many words of a0 as it has rows"
        => |c| c.reg_srcs().any(|(_, r)| match (r.place, r.region) {
            (Place::Indirect { addr, .. }, Region::Align1 { vstride: VStride::VxH, width, .. }) =>
                u32::from(addr) + c.es / u32::from(width.max(1)) > c.device.address_register_words(),
            _ => false,
        });
    "E4" Warning Gen4..=Gen125 [INDIRECT] "vISA"
        "only source 0 should be a region with an address per row"
        => |c| c.reg_srcs().skip(1).any(|(_, r)| matches!(r.region, Region::Align1 { vstride: VStride::VxH, .. }));
    "E5" Warning Gen4..=Gen125 [INDIRECT] "vISA"
        "an instruction with an address per row should not have a conditional modifier"
        => |c| has_cond_mod(c.inst)
            && c.reg_srcs().any(|(_, r)| matches!(r.region, Region::Align1 { vstride: VStride::VxH, .. }));
    "E6" Warning Gen4..=Gen75 [INDIRECT BASIC DST] "PRM Register-Indirect Addressing; Mesa SIMD lowering"
        "the destination of an instruction with an indirect source should lie in one register"
        => |c| c.inst.access_mode == AccessMode::Align1 && c.dst_two_registers()
            && c.reg_srcs().any(|(_, r)| matches!(r.place, Place::Indirect { .. }));
    "E7" Warning Gen7..=Gen7 [INDIRECT] "Mesa"
        "avoid an indirect source of 8-byte elements, because the hardware reads two addresses per channel"
        => |c| c.reg_srcs().any(|(_, r)| matches!(r.place, Place::Indirect { .. }) && r.ty.size() == 8);
    "E8" Error Gen8..=Gen9 [INDIRECT WIDE] "PRM 64-bit Restrictions of the low-power parts; confirmed by Mesa's validator"
        "a 64-bit operation must not address registers indirectly"
        => |c| c.is_low_power_64();
    "E9" Error Gen125..=Gen125 [INDIRECT] "PRM Register-Indirect Addressing; confirmed by Mesa's validator"
        "a region with an address per row needs an integer type of at most 4 bytes"
        => |c| c.reg_srcs().any(|(_, r)| matches!(r.region, Region::Align1 { vstride: VStride::VxH, .. })
            && (r.ty.is_float() || r.ty.size() == 8));
    "E10" Error Gen8..=Gen125 [INDIRECT MIXED] "PRM Mixed Mode Float; confirmed by Mesa's validator"
        "sources of mixed-float instructions must be direct"
        => |c| c.reg_srcs().any(|(_, r)| matches!(r.place, Place::Indirect { .. }));
    "E12" Warning Gen6..=Gen125 [INDIRECT MATH] "vISA"
        "sources of math should be direct"
        => |c| c.reg_srcs().any(|(_, r)| matches!(r.place, Place::Indirect { .. }));
    "E13" Warning Gen12..=Gen125 [INDIRECT] "vISA"
        "an accumulator destination, or mach, should not have an indirect source"
        => |c| (is_arf(c.dst().place, ArfKind::Accumulator) || c.op() == Opcode::Mach)
            && c.reg_srcs().any(|(_, r)| matches!(r.place, Place::Indirect { .. }) && r.ty != Type::Nf);
}
