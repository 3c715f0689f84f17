//! Group A: encoding validity.

use super::rules;
use crate::codec::mesa_residue;
use crate::inst::{Place, Reg, Region};
use crate::tables::{AccessMode, ArfKind, Opcode, PredCtrl};
use crate::validate::context::{Facts, GRF, GRF_COUNT};
use crestline_device::Gen;

rules! {
    "A1" Error Gen4..=Gen125 [] "PRM Instruction Fields, ExecSize"
        "the execution size must be 1, 2, 4, 8, 16 or 32 channels"
        => |c| !c.es.is_power_of_two() || c.es > 32;
    "A2" Error Gen7..=Gen125 [] "PRM Register Files; confirmed by Mesa's validator"
        "message registers do not exist from gen7 on: use a general register"
        => |c| c.direct_regs().any(|(reg, _)| matches!(reg, Reg::Mrf(_)));
    "A3" Error Gen4..=Gen125 [] "PRM Register and Immediate Types; confirmed by Mesa's validator"
        "an operand has a type that the generation cannot encode"
        => |c| {
            let three = c.has(Facts::THREE);
            // The 64-bit immediate of `dim` is encoded with the code of F.
            !three && c.op() != Opcode::Dim && (c.srcs().iter().any(|s| match s {
                crate::inst::Src::Reg(r) => r.ty.reg_bits(c.generation).is_none(),
                crate::inst::Src::Imm(i) => i.ty.imm_bits(c.generation).is_none(),
                crate::inst::Src::None => false,
            }) || c.has(Facts::BASIC) && c.dst().ty.reg_bits(c.generation).is_none())
        };
    "A4" Error Gen4..=Gen125 [] "PRM Opcode Encoding; confirmed by Mesa's validator"
        "the operation does not exist on this generation, or is illegal by definition"
        => |c| c.op() == Opcode::Illegal || !c.op().exists(c.generation);
    "A5" Warning Gen4..=Gen125 [] "PRM Instruction Fields, reserved bits"
        "bits that belong to no field of this instruction must be zero"
        => |c| c.inst.residue != 0 && c.inst.residue != mesa_residue(c.inst, c.generation);
    "A6" Error Gen4..=Gen125 [] "PRM Register Files"
        "a register number is beyond the register file: general registers are r0 to r127"
        => |c| c.direct_regs().any(|(reg, _)| match reg {
            Reg::Grf(nr) => nr > 127,
            Reg::Mrf(nr) => nr & 0x7f > if c.generation < Gen::Gen6 { 15 } else { 23 },
            Reg::Arf(_, index) => index > 15,
        });
    "A7" Error Gen4..=Gen125 [] "PRM Register Region Addressing; confirmed by iga64"
        "a subregister offset must be a multiple of the operand's element size"
        => |c| {
            let off = |place: Place| match place {
                Place::Direct { sub, .. } => u32::from(sub),
                Place::Indirect { .. } => 0,
            };
            let regions = c.reg_srcs().any(|(_, r)| {
                !off(r.place).is_multiple_of(r.ty.size().min(subreg_unit(&r.region)))
            });
            !c.op().is_send() && (regions || !off(c.dst().place).is_multiple_of(c.dst_size()))
        };
    "A9" Error Gen4..=Gen125 [] "PRM Flag Register"
        "the flag register must be f0 (before gen7) or f0 or f1, subregister 0 or 1"
        => |c| c.inst.flag.subnr > 1 || c.inst.flag.nr > u8::from(c.generation >= Gen::Gen7);
    "A10" Error Gen11..=Gen125 [] "PRM Access Mode; confirmed by Mesa's validator"
        "Align16 does not exist from gen11 on"
        => |c| c.inst.access_mode == AccessMode::Align16;
    "A11" Error Gen6..=Gen125 [THREE] "PRM Three-Source Instruction Encoding; confirmed by Mesa's validator"
        "three-source operands must have the form of the generation: Align16 up to gen9, Align1 after"
        => |c| c.reg_srcs().any(|(_, r)| match r.region {
            Region::ThreeAlign16 { .. } => c.generation > Gen::Gen9,
            Region::ThreeAlign1 { .. } => c.generation < Gen::Gen11,
            Region::Align1 { .. } | Region::Align16 { .. } => true,
        });
    "A12" Error Gen4..=Gen125 [] "PRM Quarter and Nibble Control; confirmed by iga64"
        "the channel group must be a multiple of 4 (8 before gen7; 0 or 8 before gen6) and end within 32 channels"
        => |c| {
            let group = u32::from(c.inst.group);
            let channels = c.channels();
            let unit = if c.generation < Gen::Gen7 || channels > 4 { 8 } else { 4 };
            let end = if c.generation < Gen::Gen6 { 16 } else { 32 };
            !group.is_multiple_of(unit) || group + channels.min(end) > end
        };
    "A13" Warning Gen4..=Gen75 [] "Mesa SIMD lowering"
        "a SIMD32 instruction needs NoMask, because the hardware uses the low 16 channel enables for both halves"
        => |c| c.es == 32 && !c.inst.no_mask;
    "A14" Error Gen4..=Gen125 [] "PRM Predicate Control"
        "the predicate control must exist in the access mode"
        => |c| c.inst.predicate.ctrl.bits(c.inst.access_mode).is_none() && c.inst.predicate.ctrl != PredCtrl::None;
    "A15" Error Gen4..=Gen125 [] "PRM Register Files"
        "every element of an operand must lie in the register file: r127 is the last general register"
        => |c| c.reaches().any(|(reg, end)| match reg {
            // A register number above 127 breaks A6.
            Reg::Grf(nr) => u32::from(nr) < GRF_COUNT && u32::from(nr) * GRF + end > GRF_COUNT * GRF,
            Reg::Mrf(_) | Reg::Arf(..) => false,
        });
    "A16" Error Gen4..=Gen125 [ARF] "PRM Architecture Register File"
        "an operand must name an architecture register that exists, and stay within it"
        => |c| c.reaches().any(|(reg, end)| match reg {
            Reg::Arf(kind, nr) => beyond_register(kind, nr, end, c.generation),
            Reg::Mrf(_) | Reg::Grf(_) => false,
        });
}

/// Whether an operand in architecture register `nr` of a kind, whose last element ends at byte
/// `end`, extends beyond the last register of that kind. Registers of a kind are consecutive.
/// `false` for kinds whose size is not public.
fn beyond_register(kind: ArfKind, nr: u8, end: u32, generation: Gen) -> bool {
    let (count, bytes) = match kind {
        ArfKind::Address => (1, if generation < Gen::Gen8 { 16 } else { 32 }),
        // From gen8 on the mme registers follow.
        ArfKind::Accumulator => match generation {
            Gen::Gen12 | Gen::Gen125 => (16, GRF),
            Gen::Gen8 | Gen::Gen9 | Gen::Gen11 => (10, GRF),
            _ => (2, GRF),
        },
        ArfKind::Flag => (if generation < Gen::Gen7 { 1 } else { 2 }, 4),
        ArfKind::State => (if generation < Gen::Gen12 { 2 } else { 1 }, 16),
        ArfKind::ChannelEnable | ArfKind::Control | ArfKind::Notification => (1, 16),
        ArfKind::Ip => (1, 4),
        ArfKind::Timestamp => (1, 20),
        ArfKind::Debug => (1, 8),
        _ => return false,
    };
    u32::from(nr) >= count || u32::from(nr) * bytes + end > count * bytes
}

/// Maximum unit of subregister numbers in bytes: a dword for Align16 three-source operands.
fn subreg_unit(region: &Region) -> u32 {
    match region {
        Region::ThreeAlign16 { .. } => 4,
        _ => 8,
    }
}
