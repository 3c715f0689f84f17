//! The last step of code generation: from IR on physical registers to machine instructions.
//!
//! 1. Each IR instruction becomes one [`crestline_isa::Inst`]. The module `operand` converts operands to register
//!    numbers and regions, `align16` those of Align16 instructions to rows and swizzles. `do` and `undef` become no
//!    instruction.
//! 2. The module `jumps` sets the targets of branches.
//! 3. [`compact`] replaces instructions by their compacted forms, and adapts the branches.

mod align16;
mod forms;
mod jumps;
mod operand;

use crate::target::Target;
use crestline_isa as isa;
use crestline_isa::compact::{ResizeError, compact_in_pairs};
use crestline_isa::message::DescriptorError;
use crestline_isa::{AccessMode, ArfKind, DescSrc, Extra, Opcode, PredCtrl, Sfid, ThreadCtrl};

use crate::ir::{Flag, FlowError, Function, Inst, Message, Op, Origin};
use crate::legal;

/// Why an instruction cannot be converted to a machine instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FinishError {
    /// The flow instructions are not nested correctly.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// A branch to a place that is too far away.
    #[error("a branch over {bytes} bytes of code: expected at most {limit}")]
    Far {
        /// Distance in bytes.
        bytes: u32,
        /// The greatest distance.
        limit: u32,
    },
    /// A branch to a place where no instruction starts.
    #[error(transparent)]
    Resize(#[from] ResizeError),
    /// A virtual operation that no pass has lowered, or a virtual flag.
    #[error("operation was not lowered: {0}")]
    Virtual(String),
    /// A message whose fields do not fit in the descriptors.
    #[error("{error} in {inst}")]
    Message {
        /// The field that does not fit.
        error: DescriptorError,
        /// The instruction as printed.
        inst: String,
    },
    /// An operand that the instruction formats do not support.
    #[error("{what}: {operand} in {inst}")]
    Operand {
        /// What is wrong.
        what: &'static str,
        /// The operand as printed.
        operand: String,
        /// The instruction as printed.
        inst: String,
    },
}

/// The shared function, the descriptor and the extended descriptor of a message.
///
/// # Errors
/// The device cannot encode the message.
pub fn encode_message(
    message: &Message,
    target: &Target,
) -> Result<(Sfid, u32, u32), DescriptorError> {
    message.descriptor().encode(target.generation())
}

/// Converts a function to machine instructions, and tells the origin of each. Branch targets are byte offsets; no
/// instruction is compacted.
///
/// # Errors
/// See [`FinishError`].
pub fn finish(
    function: &Function,
    target: &Target,
) -> Result<(Vec<isa::Inst>, Vec<Origin>), FinishError> {
    let mut insts = Vec::with_capacity(function.inst_count());
    let mut origins = Vec::with_capacity(function.inst_count());
    let mut flow = jumps::Jumps::default();
    for inst in function.insts() {
        flow.note(insts.len(), inst);
        convert(inst, target, &mut insts)?;
        origins.resize(insts.len(), inst.origin);
    }
    flow.resolve(&mut insts, target)?;
    if let Some(limit) = target.max_branch_bytes() {
        let distances = insts.iter().flat_map(|inst| match inst.extra {
            Extra::Branch(branch) => [branch.jip, branch.uip],
            _ => [None; 2],
        });
        if let Some(bytes) =
            distances.flatten().map(i32::unsigned_abs).max().filter(|&bytes| bytes > limit)
        {
            return Err(FinishError::Far { bytes, limit });
        }
    }
    Ok((insts, origins))
}

/// Uses the compacted form of each instruction that has one, or of an equal instruction, and adapts the branches. The number
/// of instructions and their order stay.
///
/// # Errors
/// If a branch leads to a place where no instruction starts.
pub fn compact(insts: &[isa::Inst], target: &Target) -> Result<Vec<isa::Inst>, FinishError> {
    let generation = target.generation();
    let insts: Vec<_> = insts.iter().map(|inst| forms::compactable(inst, generation)).collect();
    Ok(compact_in_pairs(&insts, generation)?)
}

/// Appends the machine instruction for `inst`, if there is one: copies the execution controls, then converts the
/// operands and the fields that depend on the operation.
fn convert(inst: &Inst, target: &Target, insts: &mut Vec<isa::Inst>) -> Result<(), FinishError> {
    let opcode = match inst.op {
        Op::Do | Op::Undef => return Ok(()),
        Op::HaltTarget => Opcode::Halt,
        Op::Send => send_opcode(inst),
        // A move that reads the response waits until it has arrived.
        Op::Await => Opcode::Mov,
        op => op.opcode().ok_or_else(|| FinishError::Virtual(inst.to_string()))?,
    };
    insts.push(isa::Inst::new(opcode));
    let Some(out) = insts.last_mut() else { return Ok(()) };
    out.exec_size = inst.exec_size;
    out.group = inst.group;
    out.no_mask = inst.no_mask;
    out.predicate = inst.predicate;
    out.cond_mod = inst.cond_mod;
    out.saturate = inst.saturate;
    out.acc_wr_en = inst.acc_wr_en;
    out.no_dd_clear = inst.no_dd_clear;
    out.no_dd_check = inst.no_dd_check;
    out.swsb = inst.swsb;
    if inst.predicate.ctrl != PredCtrl::None || inst.cond_mod != isa::CondMod::None {
        out.flag = match inst.flag {
            Flag::Fixed(sub) => isa::Flag { nr: sub / 2, subnr: sub % 2 },
            Flag::Virtual(_) => return Err(FinishError::Virtual(inst.to_string())),
        };
    }
    let three_align16 = legal::is_three_source(inst.op) && !target.has_align1_three_source();
    out.access_mode = if three_align16 { AccessMode::Align16 } else { inst.access_mode };
    if legal::doubles::counts_dwords(inst, target) {
        out.exec_size *= 2;
    }
    match inst.op {
        Op::Send => {
            return message(inst, target, out);
        }
        Op::HaltTarget => {
            out.extra = Extra::Branch(isa::Branch::jip_uip(16, 16));
            out.exec_size = inst.exec_size;
            return Ok(());
        }
        Op::Sync(function) => {
            out.extra = Extra::Sync(function);
            return Ok(());
        }
        Op::Math(function) => out.extra = Extra::Math(function),
        op if op.is_flow() => {
            out.extra = Extra::Branch(isa::Branch::default());
            return Ok(());
        }
        _ => {}
    }
    let place = operand::Placer { inst, target };
    out.dst = place.dst()?;
    if needs_thread_switch(inst, target) {
        out.thread_ctrl = ThreadCtrl::Switch;
    }
    for (index, slot) in out.srcs.iter_mut().enumerate().take(inst.srcs.len()) {
        *slot = place.src(index)?;
    }
    Ok(())
}

/// Whether an instruction needs thread control Switch, because the hardware does not track its result: a comparison
/// that writes only a flag, or a write of a state register (PRM, "thread control").
fn needs_thread_switch(inst: &Inst, target: &Target) -> bool {
    let compare = matches!(inst.op, Op::Hw(Opcode::Cmp | Opcode::Cmpn)) && inst.dst.is_null();
    compare && target.compare_needs_thread_switch() || inst.dst.is_arf(ArfKind::State)
}

/// The opcode of a `send`: split or not, with or without check.
fn send_opcode(inst: &Inst) -> Opcode {
    let message = inst.message.as_ref();
    let check = message.is_some_and(|m| m.check);
    let split = message.is_some_and(|m| m.lengths[1] > 0);
    match (split, check) {
        (false, false) => Opcode::Send,
        (false, true) => Opcode::Sendc,
        (true, false) => Opcode::Sends,
        (true, true) => Opcode::Sendsc,
    }
}

/// Converts a lowered message.
fn message(inst: &Inst, target: &Target, out: &mut isa::Inst) -> Result<(), FinishError> {
    let Some(message) = &inst.message else {
        return Err(FinishError::Virtual(inst.to_string()));
    };
    let place = operand::Placer { inst, target };
    out.dst = place.payload_dst()?;
    out.srcs[0] = place.payload(1)?;
    if message.lengths[1] > 0 {
        out.srcs[1] = place.payload(2)?;
    }
    let (sfid, desc, ex_desc) = encode_message(message, target)
        .map_err(|error| FinishError::Message { error, inst: inst.to_string() })?;
    let mut send = isa::Send::imm(sfid, desc, ex_desc);
    if !inst.srcs[0].is_null() {
        send.desc = DescSrc::Reg { dword: 0 };
    }
    send.eot = message.eot;
    out.extra = Extra::Send(send);
    Ok(())
}
