//! The cost of one instruction.

use crestline_device::Gen;
use crestline_isa::{MathFn, Opcode};

use crate::Unit;
use crate::rows::{AluKind, MessageKind, SequenceKind};

/// The costs of one instruction, in cycles. Without waits it is issued `issue` cycles after the previous one; the other
/// times count from the end of the issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The unit that executes the instruction; `None` if no unit is occupied.
    pub unit: Option<Unit>,
    /// Cycles for which the front end is busy.
    pub issue: u32,
    /// Cycles for which the unit is busy.
    pub busy: u32,
    /// Cycles until the payload of a message has been read and its registers can be written.
    pub read: u32,
    /// Cycles until the destination can be read.
    pub result: u32,
    /// Cycles until the accumulator can be read.
    pub accumulator: u32,
    /// Cycles until the flag can be read.
    pub flag: u32,
}

/// The properties of an instruction that its cost depends on. Sizes are in registers of 32 bytes, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Arithmetic and flow control.
    Alu {
        /// The kind.
        kind: AluKind,
        /// Size of the destination.
        destination: u32,
        /// Size of the channels in their execution type.
        channels: u32,
        /// Whether the execution type has 8 bytes. Products of two 32-bit integers count as if it had.
        wide: bool,
        /// Whether an instruction with three sources reads two of them from the same bank of registers.
        conflict: bool,
    },
    /// A message.
    Message {
        /// The kind.
        kind: MessageKind,
        /// Size of the channels as dwords.
        channels: u32,
        /// Size of both payloads.
        payload: u32,
        /// Size of the response.
        response: u32,
        /// Whether the message ends the thread.
        ends_thread: bool,
    },
    /// A sequence of instructions that counts as one.
    Sequence {
        /// The kind.
        kind: SequenceKind,
        /// Size of the destination.
        destination: u32,
    },
    /// No work: padding, or a wait that belongs to the cost of a message before it.
    Nothing,
}

impl Work {
    /// Whether a product of two operands of types of this size and kind counts as an operation on 8 bytes: 32-bit
    /// integers take the multiplier several passes.
    pub fn is_wide_product(opcode: Opcode, sizes_and_floats: [(u32, bool); 2]) -> bool {
        matches!(opcode, Opcode::Mul | Opcode::Mad)
            && sizes_and_floats.iter().all(|&(size, float)| size == 4 && !float)
    }

    /// The work of a math function.
    pub fn math(function: MathFn, destination: u32, channels: u32) -> Work {
        let kind = AluKind::of_math(function);
        Work::Alu { kind, destination, channels, wide: false, conflict: false }
    }

    /// Cycles from the issue to the use of the result that a scheduler assumes before registers are assigned.
    pub fn assumed_latency(&self) -> u32 {
        match *self {
            Work::Alu { kind, .. } => kind.assumed(),
            // Nothing waits for the result of an atomic that returns none.
            Work::Message { kind: MessageKind::Atomic, response: 0, .. } => {
                MessageKind::Data.row().assumed
            }
            Work::Message { kind, .. } => kind.row().assumed,
            Work::Sequence { .. } | Work::Nothing => AluKind::Plain.assumed(),
        }
    }

    /// The cost on a generation.
    pub fn cost(&self, generation: Gen) -> Cost {
        match *self {
            Work::Alu { kind, destination, channels, wide, conflict } => {
                let row = kind.row(generation, wide);
                let extra = if conflict { destination } else { 0 };
                Cost {
                    unit: kind.unit(),
                    issue: linear(row.issue, destination).saturating_add(extra),
                    busy: linear(row.busy, channels),
                    read: 0,
                    result: row.result,
                    accumulator: row.accumulator,
                    flag: row.flag,
                }
            }
            Work::Message { kind, channels, payload, response, ends_thread: _ } => {
                let row = kind.row();
                let (base, per_payload, per_response) = row.result;
                Cost {
                    unit: row.unit,
                    issue: row.issue,
                    busy: row.busy.0.saturating_add(row.busy.1.saturating_mul(channels)),
                    read: row.read.0.saturating_add(row.read.1.saturating_mul(payload)),
                    result: base
                        .saturating_add(per_payload.saturating_mul(payload))
                        .saturating_add(per_response.saturating_mul(response)),
                    accumulator: 0,
                    flag: 0,
                }
            }
            Work::Sequence { kind, destination } => {
                let (row, class) = (kind.row(generation), AluKind::Plain.row(generation, false));
                Cost {
                    unit: Some(Unit::Fpu),
                    issue: linear(row.issue, destination),
                    busy: linear(row.busy, destination),
                    read: 0,
                    result: class.result,
                    accumulator: class.accumulator,
                    flag: class.flag,
                }
            }
            Work::Nothing => {
                Cost { unit: None, issue: 0, busy: 0, read: 0, result: 0, accumulator: 0, flag: 0 }
            }
        }
    }
}

/// The value of a linear figure: cycles for each register, and a part that does not depend on their number.
fn linear((per_register, fixed): (u32, i32), registers: u32) -> u32 {
    per_register.saturating_mul(registers).saturating_add_signed(fixed)
}
