//! Counts of executed instructions.

use crate::recorder::Accessed;
use crate::trace::{Step, Trace};

/// The counts of one instruction over all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstructionCounts {
    /// Byte offset in the code.
    pub offset: u32,
    /// Executions.
    pub executions: u64,
    /// Enabled channels of all executions.
    pub channels: u64,
    /// Memory that the executions accessed, if it is a message. Lines are different within each execution only.
    pub accessed: Accessed,
}

/// Counts the executions of each instruction of one program. It is a [`Trace`], so the program runs on one host thread.
///
/// Results are the same as without it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// One entry for each instruction up to the last one that was executed, in order of the code. An instruction that was not
    /// executed has the offset 0.
    pub instructions: Vec<InstructionCounts>,
}

impl Profile {
    /// The number of executions of each instruction.
    pub fn executions(&self) -> Vec<u64> {
        self.instructions.iter().map(|counts| counts.executions).collect()
    }
}

impl Trace for Profile {
    fn instruction(&mut self, step: &Step<'_>) {
        let index = step.location.instruction;
        if self.instructions.len() <= index {
            self.instructions.resize(index + 1, InstructionCounts::default());
        }
        let counts = &mut self.instructions[index];
        counts.offset = step.location.offset;
        counts.executions += 1;
        counts.channels += u64::from(step.channels.count_ones());
        counts.accessed.bytes += step.accessed.bytes;
        counts.accessed.lines += step.accessed.lines;
    }

    fn compares_registers(&self) -> bool {
        false
    }
}
