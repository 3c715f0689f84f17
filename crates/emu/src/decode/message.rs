//! Decodes the message of a SEND: descriptor and registers.

use crate::error::Reject;
use crate::message::{check, decode};
use crate::plan::Send;
use crestline_device::Device;
use crestline_isa::{DescSrc, Dst, Inst, Place, Reg, Src};

/// Translates the message part of an instruction.
pub(super) fn translate(inst: &Inst, device: &Device) -> Result<Send, Reject> {
    let Some(send) = inst.send() else {
        return Err(Reject::Illegal("send without a message".into()));
    };
    let generation = device.generation();
    let DescSrc::Imm(ex_desc) = send.ex_desc else {
        return Err(Reject::Unsupported("extended descriptor from a register".into()));
    };
    let (descriptor, descriptor_register) = match send.desc {
        DescSrc::Imm(desc) => (Some(decode(generation, send.sfid, desc, ex_desc)?), None),
        DescSrc::Reg { dword } => (None, Some(dword)),
    };
    let second = match inst.srcs[1] {
        Src::Reg(reg) if !reg.place.is_null() => register(reg.place)?,
        _ => 0,
    };
    let first = match inst.srcs[0] {
        Src::Reg(reg) if !reg.place.is_null() => register(reg.place)?,
        _ => 0,
    };
    let message = Send {
        sfid: send.sfid,
        descriptor,
        descriptor_register,
        ex_desc,
        generation,
        payload: [first, second],
        response: response_place(&inst.dst)?,
        ends_thread: send.eot,
        first_eot_register: device.first_eot_register(),
        level_precedes_v: device.ld_level_precedes_v(),
    };
    if let Some(descriptor) = &message.descriptor {
        check(descriptor, message.payload, message.response)?;
    }
    Ok(message)
}

/// Byte offset of a payload operand.
fn register(place: Place) -> Result<usize, Reject> {
    match place {
        Place::Direct { reg: Reg::Grf(number), .. } => Ok(usize::from(number) * 32),
        Place::Direct { .. } => Err(Reject::Illegal("payload is no general register".into())),
        Place::Indirect { .. } => Err(Reject::Unsupported("indirect message payload".into())),
    }
}

fn response_place(dst: &Dst) -> Result<Option<usize>, Reject> {
    if dst.place.is_null() { Ok(None) } else { register(dst.place).map(Some) }
}
