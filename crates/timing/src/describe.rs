//! The [`Work`] of a machine instruction.

use crestline_device::Device;
use crestline_isa::message::Descriptor;
use crestline_isa::{
    DescSrc, Extra, Inst, Opcode, Place, Reg, Region, Send, Src, SyncFn, Type, VStride,
};

use crate::cost::Work;
use crate::registers::{GRF_BYTES, Lengths, channels, destination_bytes};
use crate::rows::{AluKind, MessageKind};

/// The work of an instruction, and the lengths of its message. `descriptor` has the bits that are known of a descriptor in
/// the address register.
pub(crate) fn describe(inst: &Inst, device: &Device, descriptor: u32) -> (Work, Lengths) {
    if let Some(send) = inst.send() {
        return message(inst, send, device, descriptor);
    }
    let work = match inst.opcode {
        // The wait for a barrier is part of the cost of its message.
        Opcode::Nenop | Opcode::Illegal | Opcode::Wait => Work::Nothing,
        Opcode::Sync if inst.extra == Extra::Sync(SyncFn::Bar) => Work::Nothing,
        _ => arithmetic(inst, device),
    };
    (work, Lengths::default())
}

/// The work of an instruction that is no message.
fn arithmetic(inst: &Inst, device: &Device) -> Work {
    let count = channels(inst, device);
    let bytes = destination_bytes(&inst.dst, inst.access_mode, count);
    let destination = bytes.div_ceil(GRF_BYTES).max(1);
    let size = execution_size(inst);
    let wide_product = matches!(inst.opcode, Opcode::Mul | Opcode::Mad) && {
        let factors = if inst.opcode == Opcode::Mad { &inst.srcs[1..] } else { &inst.srcs[..2] };
        let typed: Vec<Type> = factors.iter().filter_map(Src::ty).collect();
        typed.len() == 2 && typed.iter().all(|ty| ty.size() == 4 && !ty.is_float())
    };
    let registers = (count * size).div_ceil(GRF_BYTES).max(1);
    if let Some(function) = inst.math() {
        return Work::math(function, destination, registers);
    }
    let float = size == 4 && inst.srcs.iter().any(|src| src.ty().is_some_and(Type::is_float));
    let kind = match inst.opcode {
        _ if is_scattered(inst) => AluKind::Scattered,
        Opcode::Mov if inst.dst.ty == Type::Hf && float => AluKind::ToHalf,
        opcode => AluKind::of(opcode, float),
    };
    Work::Alu {
        kind,
        destination,
        channels: registers,
        wide: size == 8 || wide_product,
        conflict: has_bank_conflict(inst),
    }
}

/// Bytes of the execution type: the largest type of the sources, where bytes count as words and packed vectors as their
/// elements.
fn execution_size(inst: &Inst) -> u32 {
    let sizes = inst.srcs.iter().filter_map(Src::ty).map(|ty| ty.size().max(2));
    sizes.max().unwrap_or(inst.dst.ty.size().max(2))
}

/// Whether each channel has an address of its own.
fn is_scattered(inst: &Inst) -> bool {
    inst.srcs.iter().any(|src| {
        src.as_reg().is_some_and(|src| {
            matches!(src.place, Place::Indirect { .. })
                && matches!(src.region, Region::Align1 { vstride: VStride::VxH, .. })
        })
    })
}

/// Whether sources 1 and 2 of an instruction with three sources are in one of the four banks of general registers: even
/// and odd registers, below and from 64. (Source: section 2.5 of the performance model.)
fn has_bank_conflict(inst: &Inst) -> bool {
    let number = |src: &Src| match src.as_reg()?.place {
        Place::Direct { reg: Reg::Grf(number), .. } => Some(number),
        _ => None,
    };
    let [first, second, third] = [&inst.srcs[0], &inst.srcs[1], &inst.srcs[2]].map(number);
    let bank = |number: u8| (number >= 64, number % 2);
    match (second, third) {
        (Some(second), Some(third)) => {
            let twice = first == Some(second) || first == Some(third) || second == third;
            bank(second) == bank(third) && !twice
        }
        _ => false,
    }
}

/// The work and the lengths of a message.
fn message(inst: &Inst, send: &Send, device: &Device, descriptor: u32) -> (Work, Lengths) {
    let desc = send.desc.imm().unwrap_or(descriptor);
    let ex_desc = send.ex_desc.imm().unwrap_or(0);
    let decoded = Descriptor::decode(device.generation(), send.sfid, desc, ex_desc);
    let split = |ex_mlen: u32| if send.src1_len > 0 { send.src1_len.into() } else { ex_mlen };
    let (kind, lengths) = match &decoded {
        Ok(found) => {
            let payload = [found.mlen.into(), split(found.ex_mlen.into())];
            let lengths = Lengths { payload, response: found.rlen.into() };
            (MessageKind::of(&found.message, send.sfid), lengths)
        }
        Err(_) => {
            // The lengths stand at the same bits in all descriptors since gen5 (PRM, Message Descriptor).
            let payload = [desc >> 25 & 15, split(ex_desc >> 6 & 15)];
            let lengths = Lengths { payload, response: desc >> 20 & 31 };
            (MessageKind::of_function(send.sfid), lengths)
        }
    };
    let known = matches!(send.desc, DescSrc::Imm(_)) || descriptor != 0;
    let lengths = if known {
        lengths
    } else {
        // A descriptor in a register: at least one register of payload, and of response if there is a destination.
        Lengths { payload: [1, 0], response: u32::from(!inst.dst.place.is_null()) }
    };
    let channels = u32::from(inst.exec_size).div_ceil(8).max(1);
    let [first, second] = lengths.payload;
    let work = Work::Message {
        kind,
        channels,
        payload: first + second,
        response: lengths.response,
        ends_thread: send.eot,
    };
    (work, lengths)
}
