//! Flow control in the dialect of `intel-gen4asm`. Each operation has its own grammar, most without
//! options.

use crestline_isa::*;
use std::fmt::Write;

/// Operations whose grammar this is.
pub(crate) fn is_flow(inst: &Inst) -> bool {
    inst.opcode.is_flow_control() || matches!(inst.opcode.form(), Form::Nullary | Form::Wait)
}

/// Why the dialect cannot say an instruction.
pub(crate) fn unsaid(i: &Inst, generation: Gen) -> Option<&'static str> {
    use Opcode::*;
    let branch = i.branch().copied().unwrap_or_default();
    match i.opcode {
        Msave | Mrest | Push | Pop | Iff | Case | Goto | Join | Fork | Calla | Illegal | Nenop => {
            Some("flow control without a name")
        }
        // It leaves the register file at that of a register.
        Call | Brd | Brc => Some("call, brd and brc, whose distances it does not mark"),
        Do if i.access_mode == AccessMode::Align16 => Some("do in Align16"),
        Jmpi if branch.jip == Some(0) => Some("jumps to themselves, for which it writes zero"),
        // It extends the sign of what it takes for a 16-bit distance.
        op if op.form() != Form::Jmpi
            && generation >= Gen::Gen8
            && branch.jip.is_some_and(|jip| jip < 0) =>
        {
            Some("backward branches of gen8 and gen9")
        }
        // It writes the first distance where operations with one target have theirs.
        Break | Cont | Halt if generation == Gen::Gen6 && branch.uip == Some(0) => {
            Some("branches of gen6 whose second target is themselves")
        }
        While | Break | Cont | Halt
            if generation == Gen::Gen5 && branch.jip.is_some_and(|jip| jip < 0) =>
        {
            Some("backward branches of gen5, whose sign runs into the next field")
        }
        _ => None,
    }
}

/// The instruction with what the grammar fixes.
pub(crate) fn tame(i: &mut Inst, generation: Gen) {
    use Opcode::*;
    (i.no_dd_check, i.no_dd_clear, i.no_mask) = (false, false, false);
    (i.saturate, i.cond_mod, i.thread_ctrl) = (false, CondMod::None, ThreadCtrl::Normal);
    let old = generation <= Gen::Gen5;
    if matches!(i.opcode, Else | EndIf | Do | Wait) || i.opcode.form() == Form::Nullary {
        (i.predicate, i.flag) = (Predicate::NONE, Flag::default());
    }
    match i.opcode {
        If if generation == Gen::Gen6 => i.exec_size = 1,
        While | EndIf if old => i.exec_size = 1,
        Do => (i.exec_size, i.flag) = (1, Flag::default()),
        Jmpi | Wait => i.exec_size = 1,
        Ret => i.exec_size = 2,
        _ => {}
    }
    if matches!(i.opcode, If | Else | While | EndIf) && old {
        i.thread_ctrl = ThreadCtrl::Switch;
    }
    if i.opcode == Wait {
        i.dst.ty = Type::D;
        i.srcs[0] = Src::Reg(SrcReg::new(i.dst.place, Type::D, Region::SCALAR));
    }
    let Extra::Branch(branch) = &mut i.extra else { return };
    branch.branch_ctrl = false;
    match i.opcode {
        Else if old => branch.pop_count = 1,
        // It doubles the number of entries as it doubles distances.
        Break | Cont | Halt if generation == Gen::Gen5 => branch.pop_count &= !1,
        Break | Cont | Halt => {}
        _ => branch.pop_count = 0,
    }
    if i.opcode == EndIf && old {
        branch.jip = Some(0);
    }
    if i.opcode == Else && generation >= Gen::Gen8 {
        branch.uip = Some(0);
    }
}

/// Bytes to which a unit of the text leads: an instruction, but from gen8 on it writes to fields
/// of bytes what it used to write to fields of 8 bytes.
fn unit(i: &Inst, generation: Gen) -> i32 {
    match i.opcode.form() {
        Form::Jmpi => 16,
        _ if generation >= Gen::Gen8 => 2,
        _ => 16,
    }
}

/// What stands behind the operation's name.
pub(crate) fn text(out: &mut String, i: &Inst, generation: Gen) {
    let form = i.opcode.form();
    if i.opcode == Opcode::Do {
        out.push_str(";\n");
        return;
    }
    if form != Form::Nullary && form != Form::Wait && form != Form::Jmpi {
        let size = i.opcode == Opcode::EndIf && generation <= Gen::Gen5;
        if !size {
            let _ = write!(out, " ({})", i.exec_size);
        }
    }
    let unit = unit(i, generation);
    let branch = i.branch().copied().unwrap_or_default();
    let number = |out: &mut String, target: Option<i32>| {
        let Some(bytes) = target else { return };
        let _ = write!(out, " {}", bytes / unit);
    };
    match form {
        Form::Nullary => {}
        Form::Wait => out.push_str(" n0"),
        Form::Ret => {
            out.push_str(" null ");
            super::dialect::source(out, &i.srcs[0]);
        }
        Form::Jmpi if branch.jip.is_none() => {
            out.push(' ');
            super::dialect::source(out, &i.srcs[0]);
        }
        _ if generation <= Gen::Gen5 => match i.opcode {
            Opcode::EndIf => {}
            Opcode::Break | Opcode::Cont | Opcode::Halt => {
                number(out, branch.jip);
                let scale = if generation == Gen::Gen5 { 2 } else { 1 };
                let _ = write!(out, " {}", branch.pop_count / scale);
            }
            _ => number(out, branch.jip),
        },
        _ => {
            number(out, branch.jip);
            if i.opcode != Opcode::Else {
                number(out, branch.uip);
            }
        }
    }
    out.push_str(";\n");
}
