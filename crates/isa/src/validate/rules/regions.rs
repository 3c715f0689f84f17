//! Group D: source and destination regions.
//!
//! D1 to D17 check the direct Align1 operands of one- and two-source instructions and of `math`.

use super::rules;
use crate::inst::{Compression, Place, Reg, Region, Src};
use crate::tables::{ArfKind, Form, Type};
use crate::validate::context::{Context, Facts, GRF, RegionSrc, has_cond_mod, is_arf};
use crestline_device::Gen;

rules! {
    "D1" Error Gen4..=Gen125 [BASIC ALIGN1 IRREGULAR] "PRM Register Region Restrictions; confirmed by Mesa's validator and iga64"
        "the execution size must not be below the width of a source region"
        => |c| c.regions().any(|r| c.es < r.w);
    "D2" Error Gen4..=Gen125 [BASIC ALIGN1 IRREGULAR] "PRM Register Region Restrictions; confirmed by Mesa's validator and iga64"
        "a region of a single row with a horizontal stride needs vertical stride = width x horizontal stride"
        => |c| c.regions().any(|r| c.es == r.w && r.h != 0 && r.v != r.w * r.h);
    "D4" Error Gen4..=Gen125 [BASIC ALIGN1 IRREGULAR] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "a region of width 1 needs horizontal stride 0"
        => |c| c.regions().any(|r| r.w == 1 && r.h != 0);
    "D5" Error Gen4..=Gen125 [BASIC ALIGN1 IRREGULAR] "PRM Register Region Restrictions; confirmed by Mesa's validator and iga64"
        "a scalar region of a one-channel instruction needs strides 0"
        => |c| c.regions().any(|r| c.es == 1 && r.w == 1 && (r.v != 0 || r.h != 0));
    "D6" Error Gen4..=Gen125 [BASIC ALIGN1 IRREGULAR] "PRM Register Region Restrictions; confirmed by Mesa's validator and iga64"
        "a region with both strides 0 needs width 1"
        => |c| c.regions().any(|r| r.v == 0 && r.h == 0 && r.w != 1);
    "D7" Error Gen4..=Gen125 [BASIC ALIGN1 IRREGULAR] "PRM Register Region Restrictions; confirmed by Mesa's validator and iga64"
        "the elements of one row of a source region must be in one register; only the vertical stride may cross a register boundary"
        => |c| c.regions().any(|r| {
            (0..c.es / r.w).any(|row| {
                let first = r.byte(row * r.w);
                let last = first + (r.w - 1) * r.h * r.size + r.size - 1;
                first / GRF != last / GRF
            })
        });
    "D8" Error Gen4..=Gen125 [BASIC ALIGN1 PAIR_SRC] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "a source must touch at most two adjacent registers"
        => |c| c.regions().any(|r| r.end() > 2 * GRF);
    "D9" Error Gen4..=Gen125 [BASIC ALIGN1 DST PAIR_DST] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "a destination must touch at most two adjacent registers"
        => |c| c.is_direct_dst() && c.dst_end() > 2 * GRF;
    "D10" Error Gen4..=Gen125 [BASIC ALIGN1 DST IRREGULAR] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "a destination must not have stride 0"
        => |c| c.hd() == 0;
    "D11" Error Gen4..=Gen125 [BASIC ALIGN1 IRREGULAR] "PRM Instruction Fields, region codes"
        "a region must have vertical stride 0, 1, 2, 4, 8, 16 or 32, width 1, 2, 4, 8 or 16 and horizontal stride 0, 1, 2 or 4; a destination stride 1, 2 or 4"
        => |c| !matches!(c.hd(), 0 | 1 | 2 | 4) || c.regions().any(|r| !matches!(r.v, 0 | 1 | 2 | 4 | 8 | 16 | 32)
            || !matches!(r.w, 1 | 2 | 4 | 8 | 16) || !matches!(r.h, 0 | 1 | 2 | 4));
    "D12" Warning Gen4..=Gen5 [BASIC ALIGN1] "Mesa SIMD lowering"
        "an operand of two registers should start at an even register"
        => |c| c.regions().any(|r| r.two_registers() && is_odd_grf(r.reg.place))
            || c.dst_two_registers() && is_odd_grf(c.dst().place);
    "D13" Error Gen4..=Gen8 [BASIC ALIGN1 DST PAIR_SRC] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "if a source has two registers and the destination one, the channels must all be in one half of the destination register, or half of them in each"
        => |c| c.is_direct_dst() && !c.dst_two_registers() && c.regions().any(RegionSrc::two_registers) && {
            let upper = (0..c.es).filter(|&i| dst_byte(c, i) >= 16).count() as u32;
            upper != 0 && upper != c.es && upper * 2 != c.es
        };
    "D14" Error Gen4..=Gen125 [BASIC ALIGN1 DST PAIR_DST] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "a destination of two registers must have equally many channels in each"
        => |c| c.dst_two_registers() && (c.generation <= Gen::Gen8 || c.has(Facts::MATH)) && {
            (0..c.es).filter(|&i| dst_byte(c, i) >= GRF).count() as u32 * 2 != c.es
        };
    "D15" Error Gen4..=Gen75 [BASIC ALIGN1 DST PAIR_DST PAIR_SRC] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "if the destination and a source both span two registers, each channel must be in the first register of both or in the second register of both"
        => |c| c.dst_two_registers() && c.regions().filter(|r| r.two_registers())
            .any(|r| (0..c.es).any(|i| (dst_byte(c, i) >= GRF) != (r.byte(i) >= GRF)));
    "D16" Error Gen4..=Gen75 [TWO ALIGN1 DST PAIR_DST PAIR_SRC] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "a source must have the same offset in its second register as in the first"
        => |c| c.dst_two_registers() && c.regions().filter(|r| r.two_registers())
            .any(|r| (0..c.es).map(|i| r.byte(i)).find(|b| *b >= GRF).is_some_and(|b| b - GRF != r.off));
    "D17" Error Gen4..=Gen75 [BASIC ALIGN1 DST PAIR_DST] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "with a destination of two registers each source must touch two, be scalar, or be packed words for packed dwords"
        => |c| c.dst_two_registers() && c.regions().any(|r| {
            let packed_words = c.hd() == 1 && c.dst_size() == 4 && matches!(r.reg.ty, Type::W | Type::Uw)
                && r.h == 1 && r.is_linear();
            !r.two_registers() && !r.is_scalar() && !packed_words
        });
    "D18" Warning Gen4..=Gen75 [BASIC ALIGN1 DST PAIR_DST] "Mesa SIMD lowering"
        "each half of a compressed instruction should have 8 channels (4 for DF), because the second half uses the next 8 (4) channel enables"
        => |c| c.dst_two_registers() && !c.inst.no_mask && {
            let per_register = c.es / 2;
            let wide = c.dst_size() == 8 || c.exec_size_bytes() == 8;
            per_register != if wide && !c.device.df_exec_size_counts_dwords() { 4 } else { 8 }
        };
    "D19" Warning Gen7..=Gen7 [BASIC QWORD] "Mesa SIMD lowering"
        "a DF instruction of more than four channels needs NoMask, because the hardware uses the same channel enables for both halves"
        => |c| !c.inst.no_mask && c.es > 8 && (c.exec == Some(Type::Df) || c.has(Facts::DST) && c.dst().ty == Type::Df);
    "D20" Warning Gen4..=Gen125 [COND] "Mesa SIMD lowering"
        "an instruction with more than 16 channels should not have a conditional modifier (before gen8, or with three sources)"
        => |c| has_cond_mod(c.inst) && c.es > 16 && (c.generation < Gen::Gen8 || c.has(Facts::THREE));
    "D21" Warning Gen4..=Gen45 [ALIGN16 BASIC DST] "Mesa SIMD lowering"
        "Align16 instructions must not write two registers"
        => |c| c.es * c.dst_size() > GRF;
    "D22" Error Gen4..=Gen5 [BASIC ALIGN1] "PRM Compression Control; Mesa's emitter"
        "a 16-channel instruction with an operand of two registers must be marked as compressed"
        => |c| c.es == 16 && c.inst.compression == Compression::None
            && (c.dst_two_registers() || c.regions().any(RegionSrc::two_registers));
    "D24" Error Gen4..=Gen9 [ALIGN16 BASIC DST] "PRM Align16; confirmed by Mesa's validator"
        "an Align16 destination must have stride 1"
        => |c| c.hd() != 1;
    "D25" Error Gen4..=Gen9 [ALIGN16 BASIC] "PRM Align16; confirmed by Mesa's validator"
        "an Align16 source must have vertical stride 0 or 4, or (gen7.5 on) 2"
        => |c| c.reg_srcs().any(|(_, r)| match r.region {
            Region::Align16 { vstride, .. } => !matches!((vstride, c.generation >= Gen::Gen75), (0 | 4, _) | (2, true)),
            _ => false,
        });
    "D26" Error Gen4..=Gen9 [ALIGN16 BASIC] "PRM Align16"
        "Align16 operands must be aligned to 16 bytes and enable at least one component"
        => |c| c.direct_regs().any(|(reg, sub)| !matches!(reg, Reg::Arf(..)) && !sub.is_multiple_of(16))
            || c.has(Facts::DST) && c.dst().writemask.0 & 15 == 0;
    "D28" Error Gen8..=Gen9 [ALIGN16 BASIC DST QWORD] "PRM Align16; confirmed by Mesa's validator"
        "a conversion to an 8-byte type must have at most two channels in Align16"
        => |c| c.dst_size() == 8 && c.es > 2 && c.srcs().iter().filter_map(Src::ty).any(|ty| ty.size() != 8);
    "D30" Error Gen4..=Gen9 [ALIGN16] "PRM Align16"
        "Align16 operands must have Align16 regions, without an address per channel"
        => |c| c.op().form() != Form::Three && c.has(Facts::BASIC)
            && c.reg_srcs().any(|(_, r)| !matches!(r.region, Region::Align16 { .. }) && !is_arf(r.place, ArfKind::Null));
    "D31" Warning Gen6..=Gen6 [ALIGN16 BASIC DST] "Mesa SIMD lowering"
        "an Align16 operand of two registers should start at an even register"
        => |c| c.es * c.dst_size() > GRF
            && (is_odd_grf(c.dst().place) || c.reg_srcs().any(|(_, r)| is_odd_grf(r.place)));
    "D32" Warning Gen7..=Gen7 [ALIGN16 BASIC DST] "Mesa SIMD lowering"
        "an Align16 instruction should not have 16 channels of dwords or 8 of DF"
        => |c| c.es * c.dst_size() > if c.dst().ty == Type::Df { 2 * GRF } else { GRF };
}

/// Offset of the first byte of a channel's element in the destination, from the start of its
/// register.
fn dst_byte(c: &Context<'_>, channel: u32) -> u32 {
    c.dst_off() + channel * c.hd() * c.dst_region_size()
}

fn is_odd_grf(place: Place) -> bool {
    matches!(place, Place::Direct { reg: Reg::Grf(nr), .. } if nr % 2 == 1)
}
