//! Flow control instructions with their targets as instruction indices.

/// A flow control instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    pub(crate) kind: BranchKind,
    /// The instruction at which execution continues if no channel remains active.
    pub(crate) jip: usize,
    /// Where channels that leave wait; equal to `jip` in operations with one target.
    pub(crate) uip: usize,
}

/// What a flow control instruction does to the channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BranchKind {
    If,
    Else,
    /// `endif` and `join`: channels that wait here become active.
    Join,
    /// `break`: leavers wait after the loop's `while`.
    Break,
    /// `cont`, `halt`, `brc`: leavers wait at the second target.
    Leave,
    While,
    /// `goto`: channels whose predicate is `taken_if` leave for the second target.
    Goto {
        taken_if: bool,
        /// Execution follows the leavers.
        follow: bool,
    },
    /// `brd`: channels whose predicate holds go to the first target.
    Diverge,
    /// `jmpi` to a fixed target.
    Jump,
    /// `jmpi` to the next instruction plus a register value in bytes.
    JumpRegister,
    Call,
    Return,
}

impl Branch {
    /// The instructions at which channels may wait because of this branch at `here`, and from
    /// which execution may go on without an active channel.
    pub(crate) fn wait_points(&self, here: usize) -> Vec<usize> {
        match self.kind {
            BranchKind::If | BranchKind::Diverge => vec![self.jip],
            BranchKind::Else => vec![here + 1, self.uip],
            BranchKind::Leave => vec![self.uip],
            BranchKind::Break => vec![self.uip + 1],
            BranchKind::While => vec![here + 1],
            BranchKind::Goto { .. } => vec![here + 1, self.uip],
            BranchKind::Call => vec![here + 1, self.jip],
            BranchKind::Join | BranchKind::JumpRegister | BranchKind::Return => vec![here],
            BranchKind::Jump => vec![],
        }
    }
}
