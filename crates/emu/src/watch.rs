//! The state of a thread between two instructions, for debuggers.

use crate::registers::{
    ACCUMULATOR, ADDRESS, CONTROL, FLAG, GRF_END, NOTIFICATION, Registers, STATE,
};
use crate::thread::{Status, Thread};
use crate::{Diagnostic, Location};

/// A thread before or after an instruction. A [`Trace`](crate::Trace) gets it.
#[derive(Clone, Copy)]
pub struct State<'a> {
    /// The thread and the instruction.
    pub location: Location,
    /// Instructions that the thread has executed: without this one before it, with this one after it.
    pub executed: u64,
    /// The enabled channels of the instruction; bit 0 is its first channel.
    pub channels: u32,
    /// The problem that the instruction was reported for. Always `None` before the instruction.
    pub problem: Option<Diagnostic>,
    pub(crate) thread: &'a Thread,
    pub(crate) shared: &'a [u8],
}

impl std::fmt::Debug for State<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("location", &self.location)
            .field("executed", &self.executed)
            .field("channels", &self.channels)
            .field("problem", &self.problem)
            .finish_non_exhaustive()
    }
}

impl<'a> State<'a> {
    /// The channels of the thread that are active.
    pub fn active(&self) -> u32 {
        self.thread.active
    }

    /// The channels with which the thread was started.
    pub fn dispatched(&self) -> u32 {
        self.thread.dispatched
    }

    /// Whether the thread has ended.
    pub fn ended(&self) -> bool {
        self.thread.status == Status::Ended
    }

    /// Whether the instruction stopped the thread with an error.
    pub fn failed(&self) -> bool {
        self.thread.status == Status::Failed
    }

    /// A copy of the registers.
    pub fn registers(&self) -> RegisterFile {
        RegisterFile::of(&self.thread.registers)
    }

    /// The shared memory of the workgroup.
    pub fn shared(&self) -> &'a [u8] {
        self.shared
    }

    /// The scratch memory of the thread.
    pub fn scratch(&self) -> &'a [u8] {
        &self.thread.scratch
    }
}

/// The contents of a thread's registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterFile {
    /// The general registers: 32 bytes each, r0 first. A dword that was never written is `0xcdcdcdcd`.
    pub general: Vec<u8>,
    /// For each byte of the general registers, whether the thread wrote it or its payload contains it.
    pub written: Vec<bool>,
    /// f0 and f1.
    pub flags: [u32; 2],
    /// a0: sixteen words.
    pub address: [u16; 16],
    /// acc0 and acc1: 32 bytes each.
    pub accumulators: [[u8; 32]; 2],
    /// sr0.
    pub state: [u32; 4],
    /// cr0.0: the float modes.
    pub control: u32,
    /// n0.0: the notifications of barriers that have arrived.
    pub notifications: u32,
}

impl RegisterFile {
    fn of(registers: &Registers) -> RegisterFile {
        let bytes = |start: usize, length: usize| -> Vec<u8> {
            let words = &registers.words()[start / 4..(start + length) / 4];
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let accumulator = |n: usize| {
            let bytes = bytes(ACCUMULATOR + 32 * n, 32);
            bytes.try_into().unwrap_or_default()
        };
        RegisterFile {
            general: bytes(0, GRF_END),
            written: (0..GRF_END).map(|byte| registers.all_written(byte, 1)).collect(),
            flags: [registers.u32(FLAG), registers.u32(FLAG + 4)],
            address: std::array::from_fn(|n| registers.bits(ADDRESS + 2 * n, 2) as u16),
            accumulators: [accumulator(0), accumulator(1)],
            state: std::array::from_fn(|n| registers.u32(STATE + 4 * n)),
            control: registers.u32(CONTROL),
            notifications: registers.u32(NOTIFICATION),
        }
    }
}
