//! Sequences of machine instructions that Mesa's analysis counts as one instruction, and other differences between what
//! it counts and the machine code.
//!
//! Mesa computes its estimates before its generator replaces some instructions by several. These functions find the
//! sequences in the machine code, where they are always consecutive. What is part of a sequence was found by comparing
//! Mesa's machine code with Mesa's estimates of it.

use std::ops::Range;

use crestline_device::Device;
use crestline_isa::{
    AccessMode, ArfKind, Form, Inst, Opcode, Place, Reg, Region, Sfid, SrcReg, VStride,
};

use crate::cost::Work;
use crate::flow::Flow;
use crate::rows::{HALVES_AFTER_HALT, MessageKind, SequenceKind};

/// A sequence at the start of some code.
pub(crate) struct Sequence {
    /// Number of instructions.
    pub(crate) len: usize,
    /// The work of the whole; `None`: that of the last instruction.
    pub(crate) work: Option<Work>,
}

/// The sequence at the start of `insts`, if there is one.
pub(crate) fn at(insts: &[&Inst], device: &Device) -> Option<Sequence> {
    message_header(insts).or_else(|| indirect(insts, device))
}

/// A message with a header that is a copy of r0, changed by instructions for one channel: in SIMD4x2 writes to the URB
/// and accesses to scratch memory, which may also copy the data, otherwise writes to scratch memory.
fn message_header(insts: &[&Inst]) -> Option<Sequence> {
    let (first, rest) = insts.split_first()?;
    let r0 = Place::Direct { reg: Reg::Grf(0), sub: 0 };
    let copies = first.opcode == Opcode::Mov && first.no_mask && first.exec_size == 8;
    if !copies || first.srcs[0].as_reg().is_none_or(|src| src.place != r0) {
        return None;
    }
    let changes =
        rest.iter().take(3).take_while(|inst| inst.no_mask && inst.exec_size == 1).count();
    let after = rest.get(changes..).filter(|_| changes > 0)?;
    let is_vec4 = |inst: &Inst| inst.access_mode == AccessMode::Align16;
    let is_scratch = |inst: &Inst| {
        inst.send().is_some_and(|send| matches!(send.sfid, Sfid::DataCache0 | Sfid::RenderCache))
    };
    let len = match after {
        [send, ..] if send.opcode.is_send() && (is_vec4(send) || changes == 1) => changes + 2,
        [data, send, ..] if data.opcode == Opcode::Mov && is_scratch(send) && is_vec4(send) => {
            changes + 3
        }
        _ => return None,
    };
    Some(Sequence { len, work: None })
}

/// Instructions that compute addresses or a message descriptor in a0, and one that reads through a0 or sends the message.
fn indirect(insts: &[&Inst], device: &Device) -> Option<Sequence> {
    let setup = insts.iter().take(4).take_while(|inst| writes_address(inst)).count();
    let read = insts.get(setup).filter(|_| setup > 0)?;
    if let Some(send) = read.send()
        && [send.desc, send.ex_desc].iter().any(|desc| desc.imm().is_none())
    {
        return Some(Sequence { len: setup + 1, work: None });
    }
    let src = read.srcs.iter().find_map(indirect_source)?;
    let scattered = matches!(src.region, Region::Align1 { vstride: VStride::VxH, .. });
    // An index of channels is scaled by the size of an element, an offset in a register file is not.
    let scaled = insts[..setup].iter().any(|inst| inst.opcode == Opcode::Shl);
    let kind = match (scaled, scattered) {
        (true, true) => SequenceKind::Shuffle,
        (true, false) => SequenceKind::Broadcast,
        (false, _) => SequenceKind::Indirect,
    };
    let channels = crate::registers::channels(read, device);
    let bytes = crate::registers::destination_bytes(&read.dst, read.access_mode, channels);
    let destination = bytes.div_ceil(crate::registers::GRF_BYTES);
    Some(Sequence { len: setup + 1, work: Some(Work::Sequence { kind, destination }) })
}

/// Whether an instruction writes the address register.
fn writes_address(inst: &Inst) -> bool {
    matches!(inst.dst.place, Place::Direct { reg: Reg::Arf(ArfKind::Address, _), .. })
}

/// The source, if its address is in the address register.
fn indirect_source(src: &crestline_isa::Src) -> Option<&SrcReg> {
    src.as_reg().filter(|src| matches!(src.place, Place::Indirect { .. }))
}

/// Changes the work of an instruction to what Mesa's analysis counts. `descriptor` has the descriptor's bits if it is a
/// message. `vec4` states whether the program is SIMD4x2.
pub(crate) fn adjust(inst: &Inst, descriptor: u32, vec4: bool, work: &mut Work) {
    match work {
        // The analysis takes the message type of scattered dword reads, 3, for that of an atomic of data port 1.
        Work::Message { kind: kind @ MessageKind::Data, .. } => {
            let port = inst.send().map(|send| send.sfid);
            if port == Some(Sfid::DataCache0) && descriptor >> 14 & 15 == 3 {
                *kind = MessageKind::Atomic;
            }
        }
        // It has no banks in SIMD4x2.
        Work::Alu { conflict, .. } => *conflict &= !vec4,
        _ => {}
    }
}

/// Whether a program is SIMD4x2: it has Align16 instructions other than those with three sources, which have no other
/// form before gen11.
pub(crate) fn is_vec4(insts: &[&Inst]) -> bool {
    insts
        .iter()
        .any(|inst| inst.access_mode == AccessMode::Align16 && inst.opcode.form() != Form::Three)
}

/// Whether the analysis sees the read of a message's payload: that of a scratch read is always r0, and it adds that later.
pub(crate) fn sees_payload(work: &Work) -> bool {
    !matches!(work, Work::Message { kind: MessageKind::Scratch, response: 1.., .. })
}

/// The instructions whose times count half: those between the first `halt` and its target.
pub(crate) fn halved(insts: &[&Inst], flow: &Flow, device: &Device) -> Range<usize> {
    let halt = insts.iter().position(|inst| inst.opcode == Opcode::Halt);
    let halves = HALVES_AFTER_HALT[device.generation() as usize];
    match halt {
        Some(first) if halves && insts[first].exec_size <= 16 => {
            first + 1..flow.halt_target.unwrap_or(insts.len()).max(first + 1)
        }
        _ => 0..0,
    }
}
