//! Latencies and costs of instructions, in EU clock cycles.
//!
//! Source: public static models of the EU (scheduler latencies and the performance model of gen7.5 to gen9 code).
//! None was measured here. The numbers affect scheduling decisions and estimates only, not correctness.

use crestline_device::Gen;
use crestline_isa::{MathFn, Opcode, Sfid};

use crate::ir::{Effect, GRF_BYTES, Inst, Message, Op, Space};
use crate::legal;

/// A shared unit that instructions occupy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Floating point and integer pipe.
    Fpu,
    /// Extended math.
    Math,
    /// Sampler.
    Sampler,
    /// Data cache.
    DataCache,
    /// Render cache.
    RenderCache,
    /// Constant cache.
    ConstantCache,
    /// Unified return buffer.
    Urb,
    /// None: flow control, gateway, thread end.
    None,
}

impl Unit {
    /// Number of units.
    pub const COUNT: usize = 8;
}

/// Costs of one instruction, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The unit that executes the instruction.
    pub unit: Unit,
    /// Cycles for which the front end is busy.
    pub issue: u32,
    /// Cycles for which the unit is busy.
    pub busy: u32,
    /// Cycles until the payload of a message has been read.
    pub read: u32,
    /// Cycles until the destination can be read.
    pub result: u32,
    /// Cycles until the flag can be read.
    pub flag: u32,
    /// Cycles until the accumulator can be read.
    pub acc: u32,
}

/// Number of registers that the instruction's channels take in its execution type.
fn exec_registers(inst: &Inst) -> u32 {
    let wide_product = matches!(inst.op, Op::Hw(Opcode::Mul | Opcode::Mad | Opcode::Mach))
        && inst.srcs.iter().rev().take(2).all(|src| src.ty.size() == 4 && !src.ty.is_float());
    let size = if wide_product { 8 } else { legal::exec_type_size(inst) };
    (u32::from(inst.exec_size) * size).div_ceil(GRF_BYTES)
}

/// The costs of an instruction in the performance model.
pub fn cost(inst: &Inst, generation: Gen) -> Cost {
    if let Some(message) = &inst.message {
        return message_cost(inst, message, generation);
    }
    let dst = inst.dst.region_bytes(inst.exec_size).div_ceil(GRF_BYTES).max(1);
    let exec = exec_registers(inst).max(1);
    let alu = Cost {
        unit: Unit::Fpu,
        issue: 2 * dst,
        busy: 2 * exec,
        read: 0,
        result: 8,
        flag: 12,
        acc: 4,
    };
    match inst.op {
        op if op.is_flow() => Cost { unit: Unit::None, issue: 8, busy: 0, ..alu },
        Op::Math(MathFn::IntDiv | MathFn::IntQuot | MathFn::IntRem) => {
            Cost { unit: Unit::Math, issue: 2, busy: 26, result: 28, ..alu }
        }
        Op::Math(MathFn::Pow | MathFn::Fdiv) => {
            Cost { unit: Unit::Math, issue: 4 * dst - 2, busy: 8 * exec, result: 24, ..alu }
        }
        Op::Math(_) => {
            Cost { unit: Unit::Math, issue: 4 * dst - 2, busy: 4 * exec, result: 16, ..alu }
        }
        Op::Hw(Opcode::Lrp) => {
            Cost { issue: 4 * dst, busy: 4 * exec, result: 12, acc: 8, flag: 16, ..alu }
        }
        Op::MovIndirect | Op::MovIndirectDst | Op::Shuffle => Cost { issue: 34, busy: 34, ..alu },
        _ if legal::exec_type_size(inst) == 8 => {
            Cost { issue: 4 * dst, busy: 4 * exec, result: 12, acc: 8, flag: 16, ..alu }
        }
        _ => alu,
    }
}

/// The shared function that receives a message; the null function if the generation does not have the message.
fn shared_function(message: &Message, generation: Gen) -> Sfid {
    message.kind.sfid(generation).unwrap_or(Sfid::Null)
}

/// The costs of a message in the performance model.
fn message_cost(inst: &Inst, message: &Message, generation: Gen) -> Cost {
    let width = u32::from(inst.exec_size).div_ceil(8);
    let payload = u32::from(message.lengths[0]) + u32::from(message.lengths[1]);
    let response = message.response / GRF_BYTES;
    let base = Cost { unit: Unit::None, issue: 2, busy: 0, read: 10, result: 0, flag: 0, acc: 0 };
    let atomic = message.effect == Effect::Write && message.response > 0;
    match shared_function(message, generation) {
        Sfid::Sampler => Cost {
            unit: Unit::Sampler,
            busy: 16 * width,
            read: 8 + 2 * payload,
            result: 750 + 2 * payload,
            ..base
        },
        Sfid::ConstantCache => {
            Cost { unit: Unit::ConstantCache, busy: 16 * width, result: 100, ..base }
        }
        Sfid::RenderCache => {
            Cost { unit: Unit::RenderCache, busy: 450 * width, result: 300, ..base }
        }
        Sfid::Urb => Cost { unit: Unit::Urb, busy: 6 * width, read: 32, result: 200, ..base },
        Sfid::DataCache0 | Sfid::DataCache1 | Sfid::DataCache2 => match message.space {
            _ if atomic => Cost {
                unit: Unit::DataCache,
                busy: 30 + 400 * width,
                result: 100 + 400 * response,
                ..base
            },
            Space::Scratch => Cost { unit: Unit::DataCache, busy: 8 * width, result: 100, ..base },
            Space::None => Cost { unit: Unit::DataCache, busy: 30, result: 100, ..base },
            _ => Cost { unit: Unit::DataCache, busy: 20 * width, result: 100, ..base },
        },
        Sfid::Gateway => Cost { issue: 90, read: 0, ..base },
        Sfid::ThreadSpawner | Sfid::BindlessDispatch => base,
        // The compiler does not send messages to these.
        Sfid::Null
        | Sfid::Math
        | Sfid::DpRead
        | Sfid::DpSamplerCache
        | Sfid::DpWrite
        | Sfid::Vme
        | Sfid::RayTrace
        | Sfid::PixelInterpolator
        | Sfid::Cre
        | Sfid::Tgm
        | Sfid::Slm
        | Sfid::Ugm => base,
    }
}

/// Cycles that the schedulers assume between the issue of an instruction and the use of its result.
pub fn result_latency(inst: &Inst, generation: Gen) -> u32 {
    let Some(message) = &inst.message else {
        return match inst.op {
            Op::Hw(Opcode::Mad) => 16,
            Op::Math(MathFn::Pow | MathFn::Fdiv) => 22,
            Op::Math(function) if function.is_int() => 28,
            _ => 14,
        };
    };
    match shared_function(message, generation) {
        Sfid::Sampler | Sfid::ConstantCache | Sfid::Urb => 200,
        Sfid::RenderCache => 600,
        _ if message.space == Space::Scratch => 50,
        _ if message.effect == Effect::Write && message.response > 0 => 1400,
        _ => 300,
    }
}

/// Cycles that the front end needs for an instruction.
pub fn issue_time(inst: &Inst) -> u32 {
    if inst.exec_size > 8 && inst.message.is_none() { 4 } else { 2 }
}
