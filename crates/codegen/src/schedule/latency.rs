//! The costs of the back end's instructions, from the rows of `crestline_timing`. They decide the order of instructions only,
//! so they affect no result.

use crestline_device::Gen;
use crestline_isa::{Opcode, Sfid, Type};
use crestline_timing::rows::{ASSUMED_MAD, AluKind, MessageKind, SequenceKind};
use crestline_timing::{Unit, Work};

use crate::ir::{File, GRF_BYTES, Inst, Message, Op, Operand};
use crate::legal;

/// Which latencies a scheduler uses: the index of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Latencies {
    /// Those that are assumed before registers are assigned. They include time in caches, so that loads are issued early.
    Assumed = 0,
    /// Those of the model of an EU that estimates the times of machine code.
    Model = 1,
}

/// Number of [`Latencies`].
pub(super) const COLUMNS: usize = 2;

/// The times of an instruction, in cycles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// Cycles of the front end.
    pub(super) issue: u32,
    /// Cycles from the start of the issue to the use of the destination.
    pub(super) result: u32,
    /// The same for a flag.
    pub(super) flag: u32,
    /// The same for the accumulator.
    pub(super) accumulator: u32,
    /// The same for a control register.
    pub(super) control: u32,
    /// Cycles from the start of the issue until another instruction may access the same memory.
    pub(super) memory: u32,
    /// Cycles from the start of the issue until the payload of a message can be written; otherwise 0.
    pub(super) payload: u32,
    /// The unit that executes the instruction, and the cycles for which it is busy.
    pub(super) unit: Option<(Unit, u32)>,
    /// Whether it waits for registers and takes time: whether it becomes a machine instruction.
    pub(super) waits: bool,
}

impl Times {
    /// Cycles from the end of the issue until nothing of the instruction is in flight.
    pub(super) fn longest(&self) -> u32 {
        let latest = self.result.max(self.flag).max(self.accumulator).max(self.payload);
        latest.saturating_sub(self.issue)
    }

    /// The times of an instruction, for each of [`Latencies`]. An operation that a pass replaces by machine instructions has
    /// the times of the sequence, if there is a figure for it, otherwise those of one instruction.
    pub(super) fn of(inst: &Inst, generation: Gen) -> [Times; COLUMNS] {
        let work = work(inst, generation);
        let waits = work != Work::Nothing;
        let latency = match inst.op {
            Op::Hw(Opcode::Mad) => ASSUMED_MAD,
            _ => work.assumed_latency(),
        };
        let assumed = Times {
            issue: if inst.exec_size > 8 && inst.message.is_none() { 4 } else { 2 },
            result: latency,
            flag: latency,
            accumulator: latency,
            control: latency,
            memory: latency,
            payload: 0,
            unit: None,
            waits,
        };
        let cost = machine_work(inst, work).cost(generation);
        let issue = cost.issue;
        let model = Times {
            issue,
            result: issue + cost.result,
            flag: issue + cost.flag,
            accumulator: issue + cost.accumulator,
            control: issue,
            memory: issue,
            payload: if inst.message.is_some() { issue + cost.read } else { 0 },
            unit: cost.unit.map(|unit| (unit, cost.busy)),
            waits,
        };
        [assumed, model]
    }
}

/// The properties of an instruction that its cost depends on.
fn work(inst: &Inst, generation: Gen) -> Work {
    if let Some(message) = &inst.message {
        return message_work(inst, message, generation);
    }
    // A discarded result takes the same time.
    let bytes = match inst.dst.file {
        File::Null => u32::from(inst.exec_size) * inst.dst.ty.size(),
        _ => inst.dst.region_bytes(inst.exec_size),
    };
    let destination = bytes.div_ceil(GRF_BYTES).max(1);
    let size = legal::exec_type_size(inst);
    let channels = (u32::from(inst.exec_size) * size).div_ceil(GRF_BYTES).max(1);
    let sequence = |kind| Work::Sequence { kind, destination };
    let kind = match inst.op {
        Op::MovIndirect | Op::MovIndirectDst => return sequence(SequenceKind::Indirect),
        Op::Shuffle => return sequence(SequenceKind::Shuffle),
        Op::Broadcast => return sequence(SequenceKind::Broadcast),
        Op::Do | Op::HaltTarget | Op::Undef => return Work::Nothing,
        Op::Math(function) => return Work::math(function, destination, channels),
        Op::Hw(opcode) => {
            let is_float = |ty: crestline_isa::Type| ty.is_float();
            AluKind::of(opcode, size == 4 && inst.srcs.iter().any(|src| is_float(src.ty)))
        }
        _ => AluKind::Plain,
    };
    let product = matches!(inst.op, Op::Hw(Opcode::Mul | Opcode::Mad))
        && inst.srcs.iter().rev().take(2).all(|src| src.ty.size() == 4 && !src.ty.is_float());
    Work::Alu { kind, destination, channels, wide: size == 8 || product, conflict: false }
}

/// The work of the machine instruction for `inst`, if there is one: with what assumed latencies leave out.
fn machine_work(inst: &Inst, work: Work) -> Work {
    match (inst.op, work) {
        // The wait for a barrier is part of the cost of its message.
        (Op::Hw(Opcode::Wait), _) => Work::Nothing,
        (Op::HaltTarget, _) => {
            let kind = AluKind::Plain;
            Work::Alu { kind, destination: 1, channels: 1, wide: false, conflict: false }
        }
        (Op::Hw(opcode), Work::Alu { kind, destination, channels, wide, .. }) => {
            let is_float = |src: &Operand| src.ty.is_float() && src.ty.size() == 4;
            let to_half =
                opcode == Opcode::Mov && inst.dst.ty == Type::Hf && inst.srcs.iter().any(is_float);
            let kind = if to_half { AluKind::ToHalf } else { kind };
            Work::Alu { kind, destination, channels, wide, conflict: has_bank_conflict(inst) }
        }
        (_, work) => work,
    }
}

/// Whether sources 1 and 2 of an instruction with three sources are different registers of one bank: even or odd registers,
/// below or from 64. (Source: section 2.5 of the performance model.)
fn has_bank_conflict(inst: &Inst) -> bool {
    let number = |src: &Operand| (src.file == File::Grf).then_some(src.offset / GRF_BYTES);
    let [first, second, third] = [0, 1, 2].map(|index| inst.srcs.get(index).and_then(number));
    let bank = |number: u32| (number >= 64, number % 2);
    match (second, third) {
        (Some(second), Some(third)) => {
            let twice = first == Some(second) || first == Some(third) || second == third;
            bank(second) == bank(third) && !twice
        }
        _ => false,
    }
}

/// The work of a message.
fn message_work(inst: &Inst, message: &Message, generation: Gen) -> Work {
    let function = message.kind.sfid(generation).unwrap_or(Sfid::Null);
    Work::Message {
        kind: MessageKind::of(&message.kind, function),
        channels: u32::from(inst.exec_size).div_ceil(8),
        payload: message.lengths.iter().map(|length| u32::from(*length)).sum(),
        response: message.response / GRF_BYTES,
        ends_thread: message.eot,
    }
}
