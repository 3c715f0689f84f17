//! Decodes flow control instructions and resolves their targets.

use crate::error::Reject;
use crate::plan::{Branch, BranchKind};
use crestline_isa::{Inst, Opcode, Src};

/// Maps a byte offset in the code to the index of the instruction that starts there.
pub(crate) type Index<'a> = &'a dyn Fn(i64) -> Option<usize>;

/// Translates the flow control instruction at byte `offset`.
pub(crate) fn translate(
    inst: &Inst,
    offset: u32,
    goto_taken_if_true: bool,
    index_of: Index<'_>,
) -> Result<Branch, Reject> {
    let Some(branch) = inst.branch() else {
        return Err(Reject::Illegal(format!("{} without a target", inst.opcode.name())));
    };
    let target = |relative: Option<i32>, name: &str| -> Result<usize, Reject> {
        let Some(relative) = relative else {
            let what = format!("{} with {name} in a register", inst.opcode.name());
            return Err(Reject::Unsupported(what));
        };
        let to = i64::from(offset) + i64::from(relative);
        index_of(to).ok_or_else(|| {
            Reject::Illegal(format!("{name} is byte {to:#x}, where no instruction starts"))
        })
    };
    let jip = |kind| {
        let jip = target(branch.jip, "JIP")?;
        Ok(Branch { kind, jip, uip: jip })
    };
    let both = |kind| {
        Ok(Branch { kind, jip: target(branch.jip, "JIP")?, uip: target(branch.uip, "UIP")? })
    };
    match inst.opcode {
        Opcode::If => both(BranchKind::If),
        Opcode::Else if branch.uip.is_some() => both(BranchKind::Else),
        Opcode::Else => jip(BranchKind::Else),
        Opcode::EndIf | Opcode::Join => jip(BranchKind::Join),
        Opcode::Break => both(BranchKind::Break),
        Opcode::Cont | Opcode::Halt | Opcode::Brc => both(BranchKind::Leave),
        Opcode::While => jip(BranchKind::While),
        Opcode::Goto => both(BranchKind::Goto {
            taken_if: goto_taken_if_true || branch.branch_ctrl,
            follow: branch.branch_ctrl,
        }),
        Opcode::Brd => jip(BranchKind::Diverge),
        Opcode::Jmpi if branch.jip.is_some() => jip(BranchKind::Jump),
        Opcode::Jmpi if matches!(inst.srcs[0], Src::Reg(_)) => {
            Ok(Branch { kind: BranchKind::JumpRegister, jip: 0, uip: 0 })
        }
        Opcode::Call => jip(BranchKind::Call),
        Opcode::Ret => Ok(Branch { kind: BranchKind::Return, jip: 0, uip: 0 }),
        other => Err(Reject::Unsupported(other.name().to_owned())),
    }
}
