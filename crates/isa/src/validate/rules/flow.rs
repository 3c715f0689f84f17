//! Group N: flow control.

use super::rules;
use crate::inst::Inst;
use crate::tables::{AccessMode, CondMod, Form, Opcode, PredCtrl, ThreadCtrl, Type};
use crate::validate::Padding;
use crestline_device::Gen;

rules! {
    "N1" Error Gen4..=Gen5 [FLOW] "PRM if, else, endif"
        "if, iff, else and endif need thread control Switch"
        => |c| matches!(c.op(), Opcode::If | Opcode::Iff | Opcode::Else | Opcode::EndIf)
            && c.inst.thread_ctrl != ThreadCtrl::Switch;
    "N4" Error Gen4..=Gen125 [FLOW] "PRM Flow Control"
        "while must jump backwards; if, else, break and continue must jump forwards"
        => |c| {
            let targets = c.inst.branch().map_or([None; 2], |b| [b.jip, b.uip]);
            let mut targets = targets.into_iter().flatten();
            match c.op() {
                Opcode::While => targets.any(|t| t > 0),
                Opcode::If | Opcode::Iff | Opcode::Else | Opcode::Break | Opcode::Cont => targets.any(|t| t < 0),
                _ => false,
            }
        };
    "N6" Error Gen4..=Gen125 [FLOW] "PRM if"
        "if needs a predicate (or on gen6 a comparison)"
        => |c| c.op() == Opcode::If && c.inst.predicate.ctrl == PredCtrl::None
            && !(c.generation == Gen::Gen6 && c.inst.cond_mod != CondMod::None);
    "N7" Error Gen4..=Gen125 [] "PRM else, endif"
        "else and endif must have as many channels as their if"
        => program |insts, generation, found| block_sizes(insts, generation, found);
    "N8" Warning Gen4..=Gen75 [FLOW] "Mesa SIMD lowering"
        "flow control instructions should have at most 16 channels before gen8"
        => |c| c.es > 16;
    "N10" Error Gen4..=Gen125 [FLOW] "PRM Flow Control"
        "a branch needs a target: an immediate, or a register if the operation supports it"
        => |c| c.inst.branch().is_none_or(|b| b.jip.is_none()) && c.srcs().iter().all(|s| s.as_reg().is_none())
            && !matches!(c.op(), Opcode::Do | Opcode::Msave | Opcode::Mrest | Opcode::Push | Opcode::Pop | Opcode::Ret);
    "N11" Error Gen4..=Gen125 [FLOW] "PRM jmpi, call, ret; confirmed by iga64"
        "a jump distance in a register must be a scalar of type D or UD"
        => |c| c.op().form() == Form::Jmpi && c.reg_srcs().any(|(_, r)| {
            !matches!(r.ty, Type::D | Type::Ud) || c.inst.access_mode == AccessMode::Align1 && !r.region.is_scalar()
        });
    "N12" Error Gen4..=Gen125 [] "PRM Flow Control"
        "a branch target must be the start of an instruction or the end of the program, and not be in the padding after the end"
        => program |insts, generation, found| targets(insts, generation, found);
    "N13" Warning Gen4..=Gen125 [] "PRM Thread Lifecycle"
        "a program should end with a message that ends the thread"
        => program |insts, _generation, found| {
            let last = insts.iter().rposition(|(_, inst)| !matches!(inst.opcode, Opcode::Nop | Opcode::Illegal));
            if let Some(last) = last
                && !insts.iter().any(|(_, inst)| inst.send().is_some_and(|s| s.eot))
            {
                found(last);
            }
        };
    "N14" Error Gen6..=Gen125 [FLOW] "PRM call, ret"
        "the address that call saves and ret reads must have type D or UD"
        => |c| match c.op().form() {
            Form::Call => !matches!(c.dst().ty, Type::D | Type::Ud),
            Form::Ret => c.reg_srcs().any(|(_, r)| !matches!(r.ty, Type::D | Type::Ud)),
            _ => false,
        };
}

/// Calls `found` for every branch with an immediate target that is not the start of an instruction,
/// or is in the padding.
fn targets(insts: &[(usize, Inst)], _generation: Gen, found: &mut dyn FnMut(usize)) {
    let end = insts.last().map_or(0, |(offset, inst)| *offset as i64 + i64::from(inst.size()));
    let padding = Padding::of(insts.iter().map(|(_, inst)| inst));
    let ends_in_padding = padding.runs().last().is_some_and(|run| run.end == insts.len());
    let is_start =
        |target: i64| match insts.binary_search_by_key(&target, |(offset, _)| *offset as i64) {
            Ok(index) => padding.may_be_target(index),
            Err(_) => target == end && !ends_in_padding,
        };
    for (index, (offset, inst)) in insts.iter().enumerate() {
        if branch_targets(inst, *offset as i64)
            .into_iter()
            .flatten()
            .any(|target| !is_start(target))
        {
            found(index);
        }
    }
}

/// Calls `found` for every `else` and `endif` whose execution size differs from that of its `if`.
fn block_sizes(insts: &[(usize, Inst)], _generation: Gen, found: &mut dyn FnMut(usize)) {
    // Execution size of each open `if`, innermost last.
    let mut blocks = Vec::new();
    for (index, (_, inst)) in insts.iter().enumerate() {
        let channels = match inst.opcode {
            Opcode::If | Opcode::Iff => {
                blocks.push(inst.exec_size);
                continue;
            }
            Opcode::Else => blocks.last().copied(),
            Opcode::EndIf => blocks.pop(),
            _ => None,
        };
        if channels.is_some_and(|channels| channels != inst.exec_size) {
            found(index);
        }
    }
}

/// Byte offsets in the program of a branch's immediate targets.
fn branch_targets(inst: &Inst, offset: i64) -> [Option<i64>; 2] {
    let Some(branch) = inst.branch() else { return [None; 2] };
    let base = if inst.opcode == Opcode::Calla { 0 } else { offset };
    [branch.jip, branch.uip].map(|target| target.map(|t| base + i64::from(t)))
}
