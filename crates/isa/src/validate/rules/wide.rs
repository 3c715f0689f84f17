//! Groups F (64-bit data, dword multiplication, aligned float regions), G (mixed float) and H (packed immediates).

use super::rules;
use crate::inst::{Place, Region, Src};
use crate::tables::{AccessMode, ArfKind, Opcode, Type};
use crate::validate::context::{Context, Facts, is_any_arf, is_arf, is_dword_int};

rules! {
    "F1" Error Gen8..=Gen9 [WIDE ALIGN1 BASIC] "PRM 64-bit Restrictions of the low-power parts; confirmed by Mesa's validator"
        "on the low-power devices (CHV, Broxton, Gemini Lake), source and destination elements of a 64-bit operation or multiplication of dwords must be equally far apart, a multiple of 8 bytes"
        => |c| c.is_low_power_64() && c.regions().any(|r| {
            let dst = c.hd() * c.dst_size();
            !r.is_scalar() && (r.byte_stride() != dst || !dst.is_multiple_of(8))
        });
    "F2" Error Gen8..=Gen9 [WIDE ALIGN1 BASIC] "PRM 64-bit Restrictions of the low-power parts; confirmed by Mesa's validator"
        "on the low-power devices (CHV, Broxton, Gemini Lake), the vertical stride in a 64-bit operation or multiplication of dwords must be width x horizontal stride"
        => |c| c.is_low_power_64() && c.regions().any(|r| r.v != r.w * r.h);
    "F3" Error Gen8..=Gen9 [WIDE ALIGN1 BASIC] "PRM 64-bit Restrictions of the low-power parts; confirmed by Mesa's validator"
        "on the low-power devices (CHV, Broxton, Gemini Lake), source and destination of a 64-bit operation or multiplication of dwords must have the same offset in their registers"
        => |c| c.is_low_power_64() && c.regions().any(|r| !r.is_scalar() && r.off != c.dst_off());
    "F4" Error Gen8..=Gen9 [WIDE] "PRM 64-bit Restrictions of the low-power parts; confirmed by Mesa's validator"
        "on the low-power devices (CHV, Broxton, Gemini Lake) a 64-bit operation or multiplication of dwords must not use an architecture register other than null, AccWrEn or mac"
        => |c| c.is_low_power_64() && (c.op() == Opcode::Mac || c.inst.acc_wr_en || any_arf(c));
    "F5" Error Gen8..=Gen9 [WIDE] "PRM 64-bit Restrictions of the low-power parts; confirmed by Mesa's validator"
        "on the low-power devices (CHV, Broxton, Gemini Lake), a 64-bit operation or multiplication of dwords must not use dependency control"
        => |c| c.is_low_power_64() && (c.inst.no_dd_clear || c.inst.no_dd_check);
    "F6" Error Gen125..=Gen125 [BASIC ALIGN1 DST] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "with a float or 64-bit destination a source must have the destination's stride and offset"
        => |c| (c.dst().ty.is_float() || c.has(Facts::WIDE)) && !half_conversion(c) && c.regions().any(|r| !r.is_scalar()
            && (!r.is_linear() || r.byte_stride() != c.hd() * c.dst_size() || r.off != c.dst_off()));
    "F7" Error Gen125..=Gen125 [BASIC DST ARF] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "float and 64-bit operations may name only null and accumulators among the architecture registers"
        => |c| (c.dst().ty.is_float() || c.has(Facts::WIDE)) && any_foreign_arf(c);
    "F9" Error Gen7..=Gen7 [BASIC QWORD] "PRM Region Parameters, 64-bit elements; Mesa's emitter"
        "regions of DF count dwords: the two dwords of an element must be adjacent (a scalar is <0;2,1>)"
        => |c| c.has(Facts::ALIGN1.and(Facts::DST)) && c.dst().ty == Type::Df && c.hd() != 1
            || c.regions().any(|r| r.reg.ty == Type::Df && (0..c.es).step_by(2).any(|i| r.byte(i + 1) != r.byte(i) + 4))
            || c.reg_srcs().any(|(_, r)| r.ty == Type::Df && matches!(r.place, Place::Indirect { .. }) && parts_dwords(c.es, r.region));
    "F15" Error Gen7..=Gen7 [QWORD] "PRM Region Parameters, 64-bit elements; Mesa's emitter"
        "the execution size counts dwords, two for each DF element, so it is at least 2"
        => |c| c.es < 2 && !c.inst.opcode.is_send() && c.op() != Opcode::Wait;
    "F14" Error Gen7..=Gen9 [QWORD] "PRM Swizzle Control, 64-bit elements"
        "a swizzle keeps the two dwords of each 64-bit element together: xy or zw"
        => |c| c.reg_srcs().any(|(_, r)| match r.region {
            Region::Align16 { swizzle, .. } | Region::ThreeAlign16 { rep: false, swizzle } if r.ty.size() == 8 => {
                let elements = if c.device.df_exec_size_counts_dwords() { c.es / 2 } else { c.es };
                swizzle.0.chunks(2).take(elements as usize).any(|pair| pair[0] % 2 != 0 || pair[1] != pair[0] + 1)
            }
            _ => false,
        });
    "F10" Error Gen7..=Gen9 [THREE QWORD] "PRM Three-Source Instruction Encoding; confirmed by iga64"
        "replicate control does not replicate DF: use a swizzle of dword pairs"
        => |c| c.reg_srcs().any(|(_, r)| r.ty == Type::Df && matches!(r.region, Region::ThreeAlign16 { rep: true, .. }));
    "F11" Warning Gen8..=Gen8 [THREE HALF] "Mesa SIMD lowering"
        "an HF mad should not have a non-scalar source at an offset, because its result is wrong"
        => |c| c.op() == Opcode::Mad && c.reg_srcs().any(|(_, r)| r.ty == Type::Hf
            && matches!(r.region, Region::ThreeAlign16 { rep: false, .. })
            && matches!(r.place, Place::Direct { sub, .. } if sub != 0));
    "F12" Warning Gen8..=Gen9 [TWO MUL QWORD] "vISA"
        "a 64-bit product of dwords needs a device with full dword multiplication"
        => |c| c.op() == Opcode::Mul && matches!(c.dst().ty, Type::Q | Type::Uq) && !c.device.mul_32x32()
            && c.srcs().iter().all(|s| s.ty().is_some_and(is_dword_int));
    "F13" Error Gen7..=Gen9 [TWO QWORD FLOAT] "PRM Execution Data Type, 64-bit floats"
        "DF and F sources must not be mixed: convert first"
        => |c| c.srcs().iter().any(|s| s.ty() == Some(Type::Df)) && c.srcs().iter().any(|s| s.ty() == Some(Type::F));

    "G1" Error Gen8..=Gen125 [MIXED] "PRM Mixed Mode Float; confirmed by Mesa's validator"
        "mixed-float arithmetic with an F destination must have at most 8 channels"
        => |c| c.dst().ty == Type::F && c.es > 8 && c.op() != Opcode::Mov;
    "G2" Error Gen8..=Gen9 [MIXED ALIGN16] "PRM Mixed Mode Float; confirmed by Mesa's validator"
        "a mixed-float Align16 instruction needs packed sources, at most 8 channels, no accumulator"
        => |c| c.es > 8 || matches!(c.op(), Opcode::Mac | Opcode::Mach | Opcode::Sada2)
            || c.reg_srcs().any(|(_, r)| is_arf(r.place, ArfKind::Accumulator)
                || matches!(r.region, Region::Align16 { vstride, .. } if vstride != 4));
    "G3" Error Gen8..=Gen125 [MIXED ALIGN1] "PRM Mixed Mode Float; confirmed by Mesa's validator"
        "a packed HF destination of mixed float needs at most 8 channels and an alignment of 16 bytes"
        => |c| packed_half_dst(c) && (c.es > 8 || !c.dst_off().is_multiple_of(16));
    "G4" Error Gen8..=Gen125 [MIXED ALIGN1 MATH] "PRM Mixed Mode Float; confirmed by Mesa's validator"
        "HF sources of mixed-float math need a horizontal stride of 2 or more"
        => |c| c.regions().any(|r| r.reg.ty == Type::Hf && r.h < 2);
    "G5" Error Gen8..=Gen125 [MIXED ALIGN1] "PRM Mixed Mode Float; confirmed by Mesa's validator"
        "in a mixed-float instruction with a packed HF destination, an accumulator source must have subregister 0"
        => |c| packed_half_dst(c) && c.regions().any(|r| r.is_acc() && r.off != 0);
    "G6" Error Gen8..=Gen125 [MIXED ALIGN1] "PRM Mixed Mode Float; confirmed by Mesa's validator"
        "with an accumulator source an HF destination needs stride 2"
        => |c| c.dst().ty == Type::Hf && c.hd() != 2 && c.regions().any(|r| r.is_acc());
    "G8" Warning Gen125..=Gen125 [BASIC DST HALF] "vISA"
        "an instruction with BF operands needs an F operand too"
        => |c| has_bf(c) && c.op() != Opcode::Mov && !types(c).any(|ty| ty == Type::F);
    "G9" Warning Gen125..=Gen125 [BASIC DST HALF] "vISA"
        "only mov, add, cmp, sel, and destination and source 0 of mul and mac should have BF operands"
        => |c| has_bf(c) && match c.op() {
            Opcode::Mov | Opcode::Add | Opcode::Cmp | Opcode::Sel => false,
            Opcode::Mul | Opcode::Mac => c.srcs()[1].ty() == Some(Type::Bf),
            _ => true,
        };
    "G10" Warning Gen125..=Gen125 [BASIC DST HALF] "vISA"
        "an instruction with BF operands should have at most 8 channels, and no scalar BF source if it has several channels"
        => |c| has_bf(c) && (c.es > 8 || c.es > 1 && c.regions().any(|r| r.reg.ty == Type::Bf && r.is_scalar()));
    "G11" Warning Gen125..=Gen125 [BASIC DST HALF] "vISA"
        "a BF destination should be packed at element 0 or 8, or have stride 2 at element 0 or 1"
        => |c| c.dst().ty == Type::Bf && c.es > 1 && !match c.hd() {
            1 => matches!(c.dst_off(), 0 | 16),
            2 => matches!(c.dst_off(), 0 | 2),
            _ => false,
        };
    "G12" Warning Gen125..=Gen125 [BASIC DST ALIGN1 HALF] "vISA"
        "with BF operands a packed BF source should start at element 0 or 8, and an F operand at offset 0"
        => |c| has_bf(c) && c.es > 1 && (c.dst().ty == Type::F && c.dst_off() != 0
            || c.regions().filter(|r| !r.is_scalar()).any(|r| match r.reg.ty {
                Type::Bf => r.h == 1 && !matches!(r.off, 0 | 16),
                Type::F => r.off != 0,
                _ => false,
            }));

    "H1" Error Gen4..=Gen125 [IMM ALIGN1 DST] "PRM Packed Vector Immediates; confirmed by Mesa's validator"
        "with a packed vector immediate the destination must be aligned to 16 bytes"
        => |c| c.imms().any(|i| i.ty.is_packed_vector()) && !c.dst_off().is_multiple_of(16);
    "H2" Error Gen4..=Gen125 [IMM ALIGN1 DST] "PRM Packed Vector Immediates; confirmed by Mesa's validator"
        "destination elements must be 4 bytes apart with a VF immediate, 2 bytes with V and UV"
        => |c| c.imms().filter(|i| i.ty.is_packed_vector())
            .any(|i| c.hd() * c.dst_size() != if i.ty == Type::Vf { 4 } else { 2 });
    "H3" Warning Gen4..=Gen125 [IMM TWO] "vISA"
        "beside a V or UV immediate the other source should have words, beside VF floats"
        => |c| c.imms().filter(|i| i.ty.is_packed_vector()).any(|i| c.reg_srcs()
            .any(|(_, r)| if i.ty == Type::Vf { r.ty != Type::F } else { r.ty.size() != 2 }));
}

/// Whether an operand is an architecture register other than null.
fn any_arf(c: &Context<'_>) -> bool {
    is_any_arf(c.dst().place) || c.reg_srcs().any(|(_, r)| is_any_arf(r.place))
}

/// Whether an operand is an architecture register other than null and the accumulators.
fn any_foreign_arf(c: &Context<'_>) -> bool {
    let foreign = |place| is_any_arf(place) && !is_arf(place, ArfKind::Accumulator);
    foreign(c.dst().place) || c.reg_srcs().any(|(_, r)| foreign(r.place))
}

/// Whether the instruction is a conversion between F and HF. Intel's compiler emits these with
/// packed source and destination.
fn half_conversion(c: &Context<'_>) -> bool {
    c.op() == Opcode::Mov && types(c).all(|ty| matches!(ty, Type::F | Type::Hf))
}

/// Whether the destination is a packed HF region in Align1.
fn packed_half_dst(c: &Context<'_>) -> bool {
    c.dst().ty == Type::Hf && c.hd() == 1 && c.inst.access_mode == AccessMode::Align1
}

/// The types of sources and destination.
fn types<'a>(c: &Context<'a>) -> impl Iterator<Item = Type> + use<'a> {
    c.srcs().iter().filter_map(Src::ty).chain([c.dst().ty])
}

fn has_bf(c: &Context<'_>) -> bool {
    types(c).any(|ty| ty == Type::Bf)
}

/// Whether a region that counts dwords separates the two dwords of an 8-byte element.
fn parts_dwords(es: u32, region: Region) -> bool {
    let Some((vstride, width, hstride)) = region.strides() else { return false };
    let width = width.max(1);
    let dword = |i: u32| i / width * vstride + i % width * hstride;
    (0..es).step_by(2).any(|i| dword(i + 1) != dword(i) + 1)
}
