//! Group N: flow control.

use super::rules;
use crate::inst::Inst;
use crate::tables::{CondMod, Opcode, PredCtrl};
use crestline_device::Gen;

rules! {
    "N6" Error Gen4..=Gen125 [FLOW] "PRM if"
        "if needs a predicate (on gen6 it may compare instead)"
        => |c| c.op() == Opcode::If && c.inst.predicate.ctrl == PredCtrl::None
            && !(c.generation == Gen::Gen6 && c.inst.cond_mod != CondMod::None);
    "N8" Warning Gen4..=Gen75 [FLOW] "Mesa SIMD lowering"
        "flow control has at most 16 channels before gen8"
        => |c| c.es > 16;
    "N10" Error Gen4..=Gen125 [FLOW] "PRM Flow Control"
        "a branch needs its target: an immediate, or where the operation takes one a register"
        => |c| c.inst.branch().is_none_or(|b| b.jip.is_none()) && c.srcs().iter().all(|s| s.as_reg().is_none())
            && !matches!(c.op(), Opcode::Do | Opcode::Msave | Opcode::Mrest | Opcode::Push | Opcode::Pop | Opcode::Ret);
    "N12" Error Gen4..=Gen125 [] "PRM Flow Control"
        "a branch target must be the start of an instruction, or the end of the program"
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
}

/// Calls back with every branch whose immediate targets are not instruction starts.
fn targets(insts: &[(usize, Inst)], _generation: Gen, found: &mut dyn FnMut(usize)) {
    let end = insts.last().map_or(0, |(offset, inst)| *offset as i64 + i64::from(inst.size()));
    let is_start = |target: i64| {
        target == end || insts.binary_search_by_key(&target, |(offset, _)| *offset as i64).is_ok()
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

/// Byte offsets in the program that a branch names.
fn branch_targets(inst: &Inst, offset: i64) -> [Option<i64>; 2] {
    let Some(branch) = inst.branch() else { return [None; 2] };
    let base = if inst.opcode == Opcode::Calla { 0 } else { offset };
    [branch.jip, branch.uip].map(|target| target.map(|t| base + i64::from(t)))
}
