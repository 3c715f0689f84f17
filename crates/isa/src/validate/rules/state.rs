//! Groups L (accumulators), M (dependency control and options) and P (work-arounds).

use super::rules;
use crate::inst::{Compression, Inst, Place, Reg, TokenMode};
use crate::tables::{ArfKind, Form, MathFn, Opcode, ThreadCtrl, Type};
use crate::validate::context::{Context, Facts, has_cond_mod, is_arf, is_int};
use crestline_device::{Device, Gen, Platform};

rules! {
    "L1" Warning Gen4..=Gen125 [BASIC DST RARE] "vISA"
        "an instruction that reads the accumulator implicitly needs a packed, register-aligned destination"
        => |c| matches!(c.op(), Opcode::Mac | Opcode::Mach | Opcode::Sada2)
            && c.inst.access_mode == crate::tables::AccessMode::Align1 && c.es > 1
            && (c.hd() != 1 || !c.dst_off().is_multiple_of(16));
    "L2" Warning Gen4..=Gen125 [BASIC DST ALIGN1 ARF] "vISA"
        "an explicit accumulator source should have an offset that is a multiple of 16 bytes"
        => |c| c.es > 1 && c.regions().any(|r| r.is_acc() && !r.is_scalar()
            && (!r.off.is_multiple_of(16) || !c.dst_off().is_multiple_of(16)));
    "L3" Warning Gen7..=Gen11 [BASIC ARF] "PRM Accumulator Registers"
        "an integer instruction on the accumulator should have at most 8 dword channels"
        => |c| c.es > 8 && touches_acc(c) && is_int(c.dst().ty) && c.exec_size_bytes() == 4;
    "L4" Warning Gen4..=Gen125 [TWO RARE] "vISA"
        "mach should have no saturation, no conditional modifier, and no modifier of source 1"
        => |c| c.op() == Opcode::Mach && (c.inst.saturate || has_cond_mod(c.inst)
            || c.reg_srcs().any(|(i, r)| i == 1 && (r.negate || r.abs)));
    "L8" Error Gen11..=Gen11 [QWORD] "PRM Native Float"
        "only accumulators may have type NF"
        => |c| c.reg_srcs().any(|(_, r)| r.ty == Type::Nf && !is_arf(r.place, ArfKind::Accumulator))
            || c.has(Facts::DST) && c.dst().ty == Type::Nf && !is_arf(c.dst().place, ArfKind::Accumulator);
    "L9" Warning Gen7..=Gen7 [TWO RARE] "Mesa: mach of the second quarter"
        "mach should have channel group 0 and NoMask, because for channels from 8 on it uses the wrong accumulator channels"
        => |c| c.op() == Opcode::Mach && !c.inst.group.is_multiple_of(16);
    "M1" Error Gen12..=Gen125 [] "PRM Software Scoreboard"
        "dependency control does not exist from gen12 on: use register distances and tokens"
        => |c| c.inst.no_dd_clear || c.inst.no_dd_check;
    "M2" Error Gen12..=Gen125 [] "PRM Software Scoreboard"
        "a register distance must be 0 to 7 and a token 0 to 15"
        => |c| c.inst.swsb.distance > 7 || c.inst.swsb.token.is_some_and(|t| t.id > 15);
    "M3" Error Gen12..=Gen125 [] "PRM Software Scoreboard; confirmed by iga64"
        "only messages, math and systolic instructions can allocate a token"
        => |c| c.inst.swsb.token.is_some_and(|t| t.mode == TokenMode::Set)
            && !(c.has(Facts::SEND) || c.has(Facts::MATH) || c.op().form() == Form::Dpas);
    "M4" Error Gen4..=Gen125 [] "PRM Instruction Fields; confirmed by iga64"
        "the instruction must not have an option that the generation lacks: AccWrEn (exists from gen6 on), a thread control, or compression (gen4 and gen5 only)"
        => |c| c.inst.acc_wr_en && c.generation < Gen::Gen6
            || c.inst.thread_ctrl != ThreadCtrl::Normal && c.inst.thread_ctrl.bits(c.generation).is_none()
            || c.inst.compression != Compression::None && c.generation > Gen::Gen5;
    "M5" Error Gen6..=Gen125 [FLOW] "PRM jmpi; confirmed by iga64"
        "jmpi must have one channel and NoMask"
        => |c| c.op() == Opcode::Jmpi && (c.es != 1 || !c.inst.no_mask);
    "M6" Error Gen4..=Gen11 [RARE] "PRM nop"
        "nop must have no predicate, modifier or operand"
        => |c| c.op() == Opcode::Nop && (has_cond_mod(c.inst) || c.inst.saturate
            || c.inst.predicate != crate::inst::Predicate::NONE);
    "M7" Error Gen4..=Gen11 [RARE] "PRM wait"
        "wait must have one channel, and a notification register of type UD as operand"
        => |c| c.op() == Opcode::Wait && (c.es != 1 || c.dst().ty != Type::Ud
            || !is_arf(c.dst().place, ArfKind::Notification));
    "P1" Warning Gen11..=Gen125 [BASIC ALIGN1 DST PAIR_DST PAIR_SRC] "vISA"
        "avoid an instruction on two registers whose destination overlaps a source by one register"
        => |c| c.dst_two_registers() && c.regions().any(|r| r.two_registers()
            && matches!((grf(c.dst().place), grf(r.reg.place)), (Some(d), Some(s)) if d.abs_diff(s) == 1));
    "P4" Error Gen8..=Gen9 [] "PRM math, POW and FDIV"
        "the instruction after pow or fdiv must not write two registers: put a nop between them"
        => program |insts, generation, found| after_power(insts, generation, found);
}

/// Calls `found` for every instruction directly after `pow` or `fdiv` whose destination has two
/// registers.
fn after_power(insts: &[(usize, Inst)], generation: Gen, found: &mut dyn FnMut(usize)) {
    let device = Device::new(Platform::of_generation(generation));
    for (index, pair) in insts.windows(2).enumerate() {
        let [(_, first), (_, second)] = pair else { continue };
        if matches!(first.math(), Some(MathFn::Pow | MathFn::Fdiv))
            && Context::new(second, &device).dst_two_registers()
        {
            found(index + 1);
        }
    }
}

/// The number of a direct general register.
fn grf(place: Place) -> Option<u8> {
    match place {
        Place::Direct { reg: Reg::Grf(nr), .. } => Some(nr),
        _ => None,
    }
}

/// Whether the instruction reads or writes the accumulator explicitly.
fn touches_acc(c: &Context<'_>) -> bool {
    let inst: &Inst = c.inst;
    inst.acc_wr_en
        || is_arf(inst.dst.place, ArfKind::Accumulator)
        || c.reg_srcs().any(|(_, r)| is_arf(r.place, ArfKind::Accumulator))
}
