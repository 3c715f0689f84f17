//! Groups I (three sources) and O (systolic).

use super::rules;
use crate::inst::{Extra, Imm, Place, Reg, Region, Src};
use crate::tables::{ArfKind, Opcode, Type};
use crate::validate::context::{Context, GRF, is_any_arf, is_arf, is_int};
use crestline_device::Gen;

rules! {
    "I1" Error Gen6..=Gen9 [THREE] "PRM Three-Source Instruction Encoding"
        "an Align16 three-source destination must be a general register of type F, DF, D, UD or (gen8 on) HF; on gen6 only F"
        => |c| is_any_arf(c.dst().place) || match c.dst().ty {
            Type::F => false,
            Type::Df | Type::D | Type::Ud => c.generation < Gen::Gen7,
            Type::Hf => c.generation < Gen::Gen8,
            _ => true,
        };
    "I2" Error Gen6..=Gen9 [THREE] "PRM Three-Source Instruction Encoding"
        "the three sources must have the same type; from gen8 on F and HF may be mixed"
        => |c| {
            let half = |ty| if c.generation >= Gen::Gen8 && ty == Type::Hf { Type::F } else { ty };
            let first = c.srcs()[0].ty().map(half);
            c.srcs().iter().any(|s| s.ty().map(half) != first)
        };
    "I3" Error Gen6..=Gen9 [THREE] "PRM lrp, mad; the tables of iga64"
        "lrp and mad must have a float type"
        => |c| matches!(c.op(), Opcode::Lrp | Opcode::Mad) && (is_int(c.dst().ty) || c.srcs().iter().filter_map(Src::ty).any(is_int));
    "I4" Error Gen6..=Gen9 [THREE] "PRM Three-Source Instruction Encoding"
        "a source that is not replicated must be aligned to 16 bytes"
        => |c| c.reg_srcs().any(|(_, r)| matches!(r.region, Region::ThreeAlign16 { rep: false, .. })
            && matches!(r.place, Place::Direct { sub, .. } if !sub.is_multiple_of(16)) && r.ty != Type::Hf);
    "I5" Warning Gen6..=Gen9 [THREE] "Mesa SIMD lowering"
        "three-source instructions should have at most 8 channels before gen7.5, and at most 16 after"
        => |c| c.es > if c.device.has_simd16_three_source() { 16 } else { 8 };
    "I6" Error Gen6..=Gen9 [THREE] "PRM Three-Source Instruction Encoding"
        "the three sources must be general registers"
        => |c| c.srcs().iter().any(|s| match s {
            Src::Reg(r) => is_any_arf(r.place) && !c.inst.is_macro(),
            Src::Imm(_) => true,
            Src::None => true,
        });
    "I7" Error Gen11..=Gen125 [THREE IMM] "PRM Three-Source Align1 Encoding"
        "an immediate must have type W, UW or HF, and be source 0 or source 2, but not both"
        => |c| c.srcs()[1].as_imm().is_some() || c.imms().count() > 1
            || c.imms().any(|i: &Imm| !matches!(i.ty, Type::W | Type::Uw | Type::Hf));
    "I8" Error Gen11..=Gen125 [THREE] "PRM Three-Source Align1 Encoding; confirmed by iga64"
        "the destination must be a general register, an accumulator or (gen12 on) null, with stride 1 or 2"
        => |c| !matches!(c.hd(), 1 | 2) || match c.dst().place {
            Place::Direct { reg: Reg::Grf(_), .. } => false,
            place => !(is_arf(place, ArfKind::Accumulator) || place.is_null() && c.generation >= Gen::Gen12),
        };
    "I9" Error Gen11..=Gen11 [THREE] "PRM Three-Source Align1 Encoding"
        "an accumulator must be source 1, or source 0 of type NF"
        => |c| c.reg_srcs().any(|(i, r)| is_arf(r.place, ArfKind::Accumulator) && i != 1 && !(i == 0 && r.ty == Type::Nf));
    "I10" Error Gen11..=Gen125 [THREE] "PRM Three-Source Align1 Encoding; confirmed by iga64"
        "vertical strides must be 0, 2, 4 or 8 on gen11, and 0, 1, 4 or 8 from gen12 on; horizontal strides must be 0, 1, 2 or 4"
        => |c| c.reg_srcs().any(|(i, r)| match r.region {
            Region::ThreeAlign1 { vstride, hstride } => {
                let least = if c.generation == Gen::Gen11 { 2 } else { 1 };
                !matches!(hstride, 0 | 1 | 2 | 4) || vstride.is_some() != (i < 2)
                    || vstride.is_some_and(|v| v != 0 && v != least && v != 4 && v != 8)
            }
            _ => true,
        });
    "I11" Error Gen11..=Gen125 [THREE] "PRM Three-Source Align1 Encoding; confirmed by iga64"
        "destination and sources must be all integers or all floats"
        => |c| c.op() != Opcode::Bfn && c.srcs().iter().filter_map(Src::ty).any(|ty| is_int(ty) != is_int(c.dst().ty));
    "I12" Error Gen11..=Gen12 [THREE] "PRM Three-Source Align1 Encoding; confirmed by iga64"
        "the destination must be aligned to 8 bytes"
        => |c| c.is_direct_dst() && !c.dst_off().is_multiple_of(8) && !c.inst.is_macro();
    "I13" Warning Gen11..=Gen125 [THREE] "vISA"
        "a three-source instruction should have no byte destination and no 8-byte integers; an integer mad should have words in source 2"
        => |c| c.dst_size() == 1 || c.srcs().iter().filter_map(Src::ty).any(|ty| matches!(ty, Type::Q | Type::Uq))
            || c.op() == Opcode::Mad && c.srcs()[2].ty().is_some_and(|ty| is_int(ty) && ty.size() == 4);
    "I14" Error Gen11..=Gen125 [THREE] "PRM Three-Source Align1 Encoding"
        "a three-source operand must not be an architecture register other than null and the accumulators"
        => |c| c.reg_srcs().any(|(_, r)| is_any_arf(r.place) && !is_arf(r.place, ArfKind::Accumulator));
    "I15" Warning Gen11..=Gen11 [THREE] "vISA"
        "a packed source should be aligned to two elements, because a row of two must not cross a register boundary"
        => |c| c.reg_srcs().any(|(_, r)| match (r.place, r.region) {
            (Place::Direct { sub, .. }, Region::ThreeAlign1 { vstride: Some(2), hstride: 1 }) =>
                !u32::from(sub).is_multiple_of(2 * r.ty.size()),
            _ => false,
        });
    "I16" Warning Gen11..=Gen125 [THREE IMM] "vISA"
        "a three-source instruction of 16 channels should not have an immediate source 0"
        => |c| c.es >= 16 && c.srcs()[0].as_imm().is_some();
    "I17" Warning Gen11..=Gen125 [THREE] "vISA"
        "a source 2 that is not scalar should have the destination's offset"
        => |c| c.srcs()[2].as_reg().is_some_and(|r| match (r.place, r.region) {
            (Place::Direct { sub, reg: Reg::Grf(_) }, Region::ThreeAlign1 { hstride, .. }) =>
                hstride != 0 && u32::from(sub) != c.dst_off() && c.es > 1,
            _ => false,
        });
    "I18" Error Gen7..=Gen9 [THREE] "PRM Three-Source Instruction Encoding"
        "the destination has the kind of the sources: integer, F or HF, or DF"
        => |c| {
            let kind = |ty: Type| (is_int(ty), ty == Type::Df);
            c.srcs().iter().filter_map(Src::ty).any(|ty| kind(ty) != kind(c.dst().ty))
        };
    "O1" Warning Gen125..=Gen125 [DPAS] "vISA"
        "dpas should have no predicate, conditional modifier or source modifiers"
        => |c| is_dpas(c) && (c.inst.predicate != crate::inst::Predicate::NONE
            || crate::validate::context::has_cond_mod(c.inst)
            || c.reg_srcs().any(|(_, r)| r.negate || r.abs));
    "O2" Warning Gen125..=Gen125 [DPAS] "vISA"
        "dpas should have 8 channels, depth 8, and a repeat count of 1 to 8"
        => |c| match &c.inst.extra {
            Extra::Dpas(d) => c.es != 8 || d.depth != 8 || !(1..=8).contains(&d.repeat),
            _ => false,
        };
    "O3" Warning Gen125..=Gen125 [DPAS] "vISA"
        "destination and source 0 of dpas should start at a multiple of 8 elements"
        => |c| is_dpas(c) && [Some((c.dst().place, c.dst().ty)), c.srcs()[0].as_reg().map(|r| (r.place, r.ty))]
            .into_iter().flatten()
            .any(|(place, ty)| matches!(place, Place::Direct { sub, .. } if !u32::from(sub).is_multiple_of(c.es * ty.size())));
    "O4" Warning Gen125..=Gen125 [DPAS] "vISA"
        "source 1 of dpas should start at a register, source 2 at a multiple of 4 bytes times the depth"
        => |c| match &c.inst.extra {
            Extra::Dpas(d) => c.reg_srcs().any(|(i, r)| {
                let unit = match i { 1 => GRF, 2 => 4 * u32::from(d.depth), _ => 1 };
                matches!(r.place, Place::Direct { sub, .. } if !u32::from(sub).is_multiple_of(unit.max(1)))
            }),
            _ => false,
        };
    "O5" Warning Gen125..=Gen125 [DPAS] "vISA"
        "dpas should accumulate integers in D or UD, and HF or BF in F"
        => |c| is_dpas(c) && match c.srcs()[1].ty() {
            Some(Type::Hf | Type::Bf) => c.dst().ty != Type::F || c.srcs()[2].ty() != c.srcs()[1].ty(),
            Some(ty) => !is_int(ty) || !matches!(c.dst().ty, Type::D | Type::Ud),
            None => true,
        };
    "O6" Warning Gen125..=Gen125 [DPAS] "vISA"
        "the destination of dpas may equal source 0, but should not overlap the sources otherwise"
        => |c| dpas_overlaps(c);
}

/// Whether the destination of a systolic instruction overlaps a source. The same place as source 0
/// does not count.
fn dpas_overlaps(c: &Context<'_>) -> bool {
    let Extra::Dpas(d) = &c.inst.extra else { return false };
    let (repeat, depth) = (u32::from(d.repeat), u32::from(d.depth));
    let rows = |ty: Type| c.es * ty.size() * repeat;
    let range = |place: Place, bytes: u32| match place {
        Place::Direct { reg: Reg::Grf(nr), sub } => {
            let start = u32::from(nr) * GRF + u32::from(sub);
            Some((start, start + bytes))
        }
        _ => None,
    };
    let Some(dst) = range(c.dst().place, rows(c.dst().ty)) else { return false };
    c.reg_srcs().any(|(i, r)| {
        let bytes = match i {
            0 => rows(r.ty),
            1 => depth * c.es * 4,
            _ => depth * 4 * repeat,
        };
        let same = i == 0 && r.place == c.dst().place;
        !same && range(r.place, bytes).is_some_and(|s| s.0 < dst.1 && dst.0 < s.1)
    })
}

fn is_dpas(c: &Context<'_>) -> bool {
    matches!(c.inst.extra, Extra::Dpas(_))
}
