//! Plans: decoded instructions.
//!
//! A plan is data. It contains an operation, operands as byte offsets in the register array, masks and targets;
//! everything that does not change between executions is already computed. A plan does not define how the operation is
//! executed: [`exec`](crate::exec) is one executor of plans, and another executor needs only the plans.

mod alu;
mod branch;
mod operand;
mod send;

pub(crate) use alu::{Alu, BinaryOp, LaneType, Operation, TernaryOp, UnaryOp};
pub(crate) use branch::{Branch, BranchKind};
pub(crate) use operand::{
    Destination, DestinationKind, IndirectLanes, MAX_LANES, Modifier, Source, SourceKind,
};
pub(crate) use send::Send;

use crate::Problem;
use crestline_isa::{CondMod, PredCtrl};
use std::collections::BTreeMap;

/// The plans of a program.
#[derive(Clone)]
pub(crate) struct Program {
    /// One for each instruction, in order of the code.
    pub(crate) plans: Vec<Plan>,
    /// Maps byte offsets to instruction indices, for instructions that a branch may lead to and the end of the code.
    pub(crate) starts: BTreeMap<u32, usize>,
    /// Whether a message changes global memory in a way that depends on the order of workgroups.
    pub(crate) order_matters: bool,
    /// Whether a message writes memory that other threads read.
    pub(crate) writes_memory: bool,
}

/// The plan of one instruction.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) action: Action,
    /// All channels of the instruction, one bit each from bit 0.
    pub(crate) full: u32,
    /// First channel of the instruction in the thread's masks.
    pub(crate) group: u8,
    pub(crate) no_mask: bool,
    /// Work that is necessary before the instruction executes.
    pub(crate) prelude: Prelude,
    /// A problem that is reported at each execution of the instruction.
    pub(crate) hazard: Option<Box<Problem>>,
    pub(crate) predicate: Predicate,
    /// The predicate selects between sources instead of enabling channels.
    pub(crate) selects: bool,
    pub(crate) condition: CondMod,
    pub(crate) saturate: bool,
    /// First flag bit of the instruction's channels, f1 counted from 32.
    pub(crate) flag_shift: u8,
    pub(crate) destination: Destination,
    pub(crate) sources: [Source; 3],
    /// A second destination, if the instruction implicitly writes the accumulator.
    pub(crate) accumulator: Option<Box<Destination>>,
    /// Extension registers of the destination and the sources of an IEEE macro: 0 to 7, or 8 for
    /// none.
    pub(crate) extensions: [u8; 4],
    /// The result is stored without saturation, condition, flags, accumulator or control register.
    pub(crate) plain: bool,
    /// Channels divided by eight, rounded up; for statistics.
    pub(crate) simd8_units: u8,
    /// Byte offset in the code.
    pub(crate) offset: u32,
    /// Size in bytes.
    pub(crate) size: u32,
}

/// What an instruction does.
#[derive(Clone)]
pub(crate) enum Action {
    /// Nothing.
    Nop,
    /// Arithmetic.
    Alu(Alu),
    /// Arithmetic that executes as two halves, one after the other.
    Halves(Box<[Plan; 2]>),
    /// Flow control.
    Branch(Branch),
    /// A message.
    Send(Box<Send>),
    /// Waits for a notification.
    Wait,
    /// Padding after the code of an entry point; it cannot be executed.
    End,
}

/// Flags for work before an instruction executes. Most instructions have none, which an executor checks with one
/// comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prelude(u8);

impl Prelude {
    /// Channels may wait at this instruction, so the set of active channels is updated.
    pub(crate) const JOIN: Prelude = Prelude(1);
    /// The instruction reads a register that must be updated first (ce0, ip, tm0).
    pub(crate) const LIVE_STATE: Prelude = Prelude(2);

    /// [`Plan::hazard`] is reported.
    pub(crate) const HAZARD: Prelude = Prelude(4);

    /// Whether any flag is set.
    #[inline(always)]
    pub(crate) fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the flag `what` is set.
    pub(crate) fn has(self, what: Prelude) -> bool {
        self.0 & what.0 != 0
    }

    /// Sets the flag `what`.
    pub(crate) fn add(&mut self, what: Prelude) {
        self.0 |= what.0;
    }
}

/// How flag bits enable channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Predicate {
    pub(crate) ctrl: PredCtrl,
    pub(crate) inverse: bool,
}
