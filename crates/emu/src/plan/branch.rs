//! Plans of flow control instructions. Targets are instruction indices.

/// A flow control instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    pub(crate) kind: BranchKind,
    /// The instruction at which execution continues if no channel remains active.
    pub(crate) jip: usize,
    /// The instruction at which the leaving channels wait; equal to `jip` in instructions with one target.
    pub(crate) uip: usize,
}

/// The effect of a flow control instruction on the channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BranchKind {
    /// `if`: channels whose predicate does not hold wait at the first target.
    If,
    /// `else`: active channels wait at the second target, and those that wait at the next instruction become active.
    Else,
    /// `endif` and `join`: channels that wait at this instruction become active.
    Join,
    /// `break`: channels whose predicate holds wait at the instruction after the loop's `while`.
    Break,
    /// `cont`, `halt`, `brc`: channels whose predicate holds wait at the second target.
    Leave,
    /// `while`: channels whose predicate holds continue at the first target, the others wait at the next instruction.
    While,
    /// `goto`: channels whose predicate is `taken_if` wait at the second target.
    Goto {
        taken_if: bool,
        /// Execution continues at the second target, and the other channels wait at the next instruction.
        follow: bool,
    },
    /// `brd`: channels whose predicate holds wait at the first target.
    Diverge,
    /// `jmpi` to a fixed target.
    Jump,
    /// `jmpi` to the next instruction plus a register value in bytes.
    JumpRegister,
    /// `call`: channels whose predicate holds continue at the first target, the others wait at the next instruction.
    Call,
    /// `ret`: channels whose predicate holds continue at the saved address.
    Return,
}

impl Branch {
    /// The instructions at which channels may wait because of this branch, whose index is `here`. At these, active
    /// channels must be determined anew.
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
