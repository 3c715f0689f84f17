//! Group B: sources and destinations.

use super::rules;
use crate::inst::{Imm, Place, Region, Src, SrcReg};
use crate::tables::{ArfKind, CondMod, Form, MathFn, Opcode, PredCtrl, ThreadCtrl, Type};
use crate::validate::context::{
    Context, Facts, has_cond_mod, is_any_arf, is_arf, is_dword_int, is_int,
};
use crestline_device::Gen;

rules! {
    "B1" Error Gen4..=Gen125 [] "PRM Null Register; confirmed by Mesa's validator"
        "a required source must not be null"
        => |c| {
            let required = c.has(Facts::BASIC) || c.has(Facts::SEND) && c.generation >= Gen::Gen6;
            let srcs = if c.has(Facts::SEND) { &c.srcs()[..1] } else { c.srcs() };
            required && srcs.iter().any(|s| s.as_reg().is_some_and(|r| r.place.is_null()))
        };
    "B2" Error Gen4..=Gen125 [TWO IMM] "PRM Immediate"
        "only the last source may be an immediate"
        => |c| c.srcs()[0].as_imm().is_some() && !c.has(Facts::MATH);
    "B3" Error Gen4..=Gen125 [IMM QWORD] "PRM 64-bit Immediates; vISA"
        "a 64-bit immediate is for a one-source mov (gen8 on) or dim (gen7.5) only"
        => |c| c.imms().any(|i| i.ty.size() == 8 && !matches!(c.op(), Opcode::Mov | Opcode::Dim))
            || c.imms().any(|i| i.ty.size() == 8 && c.generation < Gen::Gen8 && c.op() != Opcode::Dim);
    "B4" Error Gen4..=Gen125 [IMM] "PRM Immediate"
        "an immediate must fit its type's encoded size"
        => |c| c.imms().any(|i| i.ty.size() < 8 && i.bits >> imm_bits(i) != 0);
    "B5" Error Gen4..=Gen125 [IMM] "PRM Immediate Types; confirmed by iga64"
        "an immediate must not have a byte type"
        => |c| c.imms().any(|i| matches!(i.ty, Type::B | Type::Ub));
    "B6" Error Gen4..=Gen75 [TWO ARF] "PRM Accumulator Restrictions"
        "source 1 must not be an accumulator"
        => |c| src1(c).is_some_and(|r| is_arf(r.place, ArfKind::Accumulator));
    "B7" Warning Gen4..=Gen125 [TWO ARF] "vISA"
        "source 1 should not be an architecture register other than null and accumulator"
        => |c| src1(c).is_some_and(|r| is_any_arf(r.place) && !is_arf(r.place, ArfKind::Accumulator));
    "B8" Error Gen4..=Gen125 [TWO INDIRECT] "PRM Register Region Addressing"
        "source 1 must be addressed directly"
        => |c| src1(c).is_some_and(|r| matches!(r.place, Place::Indirect { .. }));
    "B9" Warning Gen4..=Gen11 [DST ARF] "PRM Thread Control; iga64 warns"
        "an instruction that writes a control register needs thread control Switch"
        => |c| {
            use ArfKind::{Control, Debug, Ip, MessageControl, Notification, State, Timestamp};
            let kinds = [Ip, State, Control, Timestamp, MessageControl, Notification, Debug];
            kinds.iter().any(|&k| is_arf(c.dst().place, k)) && c.inst.thread_ctrl != ThreadCtrl::Switch
        };
    "B11" Warning Gen8..=Gen125 [BASIC MODIFIER] "Mesa: never emitted"
        "a logic operation should not have the modifier (abs); its negation is a bitwise not"
        => |c| c.op().is_logic() && c.reg_srcs().any(|(_, r)| r.abs);
    "B12" Error Gen4..=Gen11 [BASIC BYTE] "Mesa's emitter"
        "a null destination of byte type must have stride 2"
        => |c| c.dst().place.is_null() && c.dst_size() == 1 && c.hd() < 2;
    "B13" Error Gen11..=Gen125 [BYTE] "PRM Byte Data Type; confirmed by Mesa's validator"
        "source 1 and source 2 must not have byte types"
        => |c| (c.has(Facts::TWO) || c.op().form() == Form::Three && c.op() != Opcode::Dp4a)
            && c.srcs()[1..].iter().any(|s| s.ty().is_some_and(|t| t.size() == 1));
    "B14" Error Gen11..=Gen125 [QWORD] "PRM Types by device; confirmed by Mesa's validator"
        "an operand must not have a 64-bit type that the device lacks"
        => |c| {
            let bad = |ty| match ty {
                Type::Df => !c.device.has_64bit_float(),
                Type::Q | Type::Uq => !c.device.has_64bit_int(),
                _ => false,
            };
            (c.has(Facts::BASIC) || c.has(Facts::THREE))
                && (c.srcs().iter().filter_map(Src::ty).any(bad) || c.has(Facts::DST) && bad(c.dst().ty))
        };
    "B15" Error Gen6..=Gen125 [TWO INT FLOAT] "PRM Execution Data Type; Mesa's emitter"
        "integer and float sources must not be mixed"
        => |c| {
            let ints = c.srcs().iter().filter_map(Src::ty).filter(|&ty| is_int(ty)).count();
            ints != 0 && ints != c.srcs().len()
        };
    "B16" Error Gen4..=Gen125 [TWO MUL] "PRM mul"
        "a mul with a source of type D or UD must not have a destination of type F"
        => |c| c.op() == Opcode::Mul && c.srcs().iter().filter_map(Src::ty).any(is_dword_int) && c.dst().ty == Type::F;
    "B17" Error Gen4..=Gen125 [TWO RARE] "PRM avg"
        "avg needs one integer type of at most 4 bytes for all operands"
        => |c| c.op() == Opcode::Avg
            && (!is_int(c.dst().ty) || c.dst_size() > 4 || c.srcs().iter().any(|s| s.ty() != Some(c.dst().ty)));
    "B18" Error Gen4..=Gen9 [TWO RARE] "PRM line, pln"
        "line and pln need a scalar source 0; pln also needs a packed source 1 and destination, and no source modifiers"
        => |c| {
            let scalar0 = c.srcs()[0].as_reg().is_some_and(|r| r.region == Region::SCALAR);
            let packed1 = src1(c).is_some_and(|r| r.region == Region::align1(8, 8, 1));
            let plain = c.reg_srcs().all(|(_, r)| !r.negate && !r.abs);
            c.op() == Opcode::Line && c.has(Facts::ALIGN1) && !scalar0
                || c.op() == Opcode::Pln && !(scalar0 && packed1 && plain && c.hd() == 1)
        };
    "B19" Error Gen7..=Gen75 [BASIC RARE] "PRM f32to16, f16to32"
        "f32to16 writes W or UW (UD in Align16) from F; f16to32 reads W or UW (in Align1) and writes F"
        => |c| match c.op() {
            Opcode::F32To16 => if c.has(Facts::ALIGN16) { c.dst().ty != Type::Ud }
                else { !matches!(c.dst().ty, Type::W | Type::Uw) },
            Opcode::F16To32 => c.dst().ty != Type::F
                || c.has(Facts::ALIGN1) && !matches!(c.srcs()[0].ty(), Some(Type::W | Type::Uw)),
            _ => false,
        };
    "B20" Warning Gen11..=Gen125 [TWO RARE] "vISA"
        "rol and ror need type UW or UD, the same for destination and source 0, and no byte type in source 1"
        => |c| matches!(c.op(), Opcode::Rol | Opcode::Ror)
            && (!matches!(c.dst().ty, Type::Uw | Type::Ud) || c.srcs()[0].ty() != Some(c.dst().ty)
                || c.srcs()[1].ty().is_some_and(|ty| ty.size() == 1));
    "B21" Warning Gen4..=Gen125 [IMM RARE] "vISA"
        "lzd of an immediate needs type UD"
        => |c| c.op() == Opcode::Lzd && c.imms().any(|i| i.ty != Type::Ud);
    "B22" Warning Gen7..=Gen125 [TWO RARE] "vISA"
        "addc and subb should have type UD, at most 8 channels (16 on devices with more accumulators), and operands that start at a register"
        => |c| matches!(c.op(), Opcode::Addc | Opcode::Subb)
            && (c.es > 16 || c.es < 8 && c.dst_off() != 0 || c.srcs().iter().any(|s| s.ty() != Some(Type::Ud)) || c.has(Facts::DST) && c.dst().ty != Type::Ud);
    "B23" Warning Gen4..=Gen125 [TWO] "PRM sel"
        "sel needs a predicate or (gen6 on) a conditional modifier, not both"
        => |c| c.op() == Opcode::Sel && {
            let (predicate, cond) = (c.inst.predicate.ctrl != PredCtrl::None, has_cond_mod(c.inst));
            predicate == cond || cond && c.generation < Gen::Gen6
        };
    "B24" Error Gen8..=Gen9 [THREE RARE] "PRM csel"
        "csel must have type F before gen11"
        => |c| c.op() == Opcode::Csel && (c.dst().ty != Type::F || c.srcs().iter().any(|s| s.ty() != Some(Type::F)));
    "B25" Error Gen12..=Gen125 [THREE RARE] "PRM dp4a; confirmed by Mesa's validator"
        "dp4a may read the accumulator in one of its first two sources, but not in both"
        => |c| c.op() == Opcode::Dp4a && c.reg_srcs().take(2).filter(|(_, r)| is_arf(r.place, ArfKind::Accumulator)).count() > 1;
    "B26" Error Gen4..=Gen75 [TWO ARF CMP] "PRM cmp; confirmed by Mesa's validator"
        "the destination of a comparison must not be an accumulator"
        => |c| is_cmp(c) && is_arf(c.dst().place, ArfKind::Accumulator);
    "B27" Error Gen7..=Gen75 [TWO CMP] "PRM cmp, null destination; confirmed by Mesa's validator"
        "a comparison with a null destination needs thread control Switch"
        => |c| is_cmp(c) && c.dst().place.is_null() && c.inst.thread_ctrl != ThreadCtrl::Switch;
    "B28" Warning Gen7..=Gen7 [TWO DST CMP] "Mesa SIMD lowering"
        "a comparison with a register destination should have at most 8 channels"
        => |c| is_cmp(c) && c.es > 8;
    "B29" Warning Gen75..=Gen75 [RARE] "Mesa SIMD lowering"
        "bfi1 and bfi2 should have at most 8 channels"
        => |c| matches!(c.op(), Opcode::Bfi1 | Opcode::Bfi2) && c.es > 8;
    "B30" Error Gen12..=Gen125 [TWO MUL MODIFIER] "PRM mul; confirmed by Mesa's validator"
        "the narrower source of a dword product must not have a modifier"
        => |c| c.op() == Opcode::Mul && c.srcs().iter().filter_map(Src::ty).any(is_dword_int)
            && c.reg_srcs().any(|(_, r)| r.ty.size() < 4 && is_int(r.ty) && (r.negate || r.abs));
    "B31" Warning Gen4..=Gen125 [TWO MUL INT] "PRM mul; Mesa's lowering"
        "on this device a mul of two dwords uses only 16 bits of one source: use an immediate of at most 16 bits, or write the accumulator and continue with mach"
        => |c| c.op() == Opcode::Mul && !c.device.mul_32x32() && !is_arf(c.dst().place, ArfKind::Accumulator)
            && c.srcs().iter().all(|s| s.ty().is_some_and(is_dword_int))
            && !matches!(c.dst().ty, Type::Q | Type::Uq)
            && !c.imms().any(|i| i.bits <= 0xffff);
    "B32" Warning Gen4..=Gen125 [] "PRM instruction reference"
        "the operation is not known to support saturation or conditional modifiers"
        => |c| !c.has(Facts::SEND) && !c.has(Facts::FLOW)
            && (c.inst.saturate && !c.op().flags().saturate
                || has_cond_mod(c.inst) && !c.op().flags().cond_mod && !is_seed(c));
    "B33" Warning Gen4..=Gen125 [BASIC COND MODIFIER] "PRM Conditional Modifier"
        "a conditional modifier with a negated unsigned source compares a 33-bit result"
        => |c| has_cond_mod(c.inst) && !c.op().is_logic() && c.reg_srcs().any(|(_, r)| r.negate && r.ty == Type::Ud);
    "B34" Warning Gen8..=Gen9 [BASIC COND QWORD] "vISA"
        "a mov from DF should have no conditional modifier"
        => |c| c.op() == Opcode::Mov && has_cond_mod(c.inst) && c.srcs()[0].ty() == Some(Type::Df)
            && c.dst().ty != Type::Df;
    "B35" Error Gen4..=Gen125 [TWO CMP] "PRM cmp"
        "a comparison needs a conditional modifier"
        => |c| is_cmp(c) && c.inst.cond_mod == CondMod::None;
    "B36" Error Gen4..=Gen5 [TWO INT FLOAT] "PRM Execution Data Type; Mesa's emitter"
        "add and mul must not mix F with D or UD sources"
        => |c| matches!(c.op(), Opcode::Add | Opcode::Mul)
            && c.srcs().iter().any(|s| s.ty() == Some(Type::F))
            && c.srcs().iter().filter_map(Src::ty).any(is_dword_int);
    "B37" Error Gen4..=Gen125 [RARE] "PRM frc, rndd, rndu, rnde, rndz, dp2, dp3, dp4, dph, line, pln, madm"
        "fractions, roundings, dot products, plane equations and madm must have a float type; only madm may have type DF"
        => |c| works_on_floats(c.op()) && c.srcs().iter().filter_map(Src::ty)
            .any(|ty| is_int(ty) || ty == Type::Df && c.op() != Opcode::Madm);
}

/// Whether an operation needs float operands.
fn works_on_floats(op: Opcode) -> bool {
    use Opcode::{Dp2, Dp3, Dp4, Dph, Frc, Line, Madm, Pln, Rndd, Rnde, Rndu, Rndz};
    matches!(op, Frc | Rndd | Rndu | Rnde | Rndz | Dp2 | Dp3 | Dp4 | Dph | Line | Pln | Madm)
}

/// Source 1, if it is a register.
fn src1<'a>(c: &Context<'a>) -> Option<&'a SrcReg> {
    c.srcs().get(1)?.as_reg()
}

fn is_cmp(c: &Context<'_>) -> bool {
    matches!(c.op(), Opcode::Cmp | Opcode::Cmpn)
}

/// Whether the instruction is the first step of a division or square root macro. Its conditional
/// modifier selects the early-out flag.
fn is_seed(c: &Context<'_>) -> bool {
    c.inst.math().is_some_and(MathFn::is_macro)
}

/// Number of bits of the encoded immediate.
fn imm_bits(imm: &Imm) -> u32 {
    match imm.ty {
        Type::V | Type::Uv | Type::Vf => 32,
        ty => ty.size() * 8,
    }
}
