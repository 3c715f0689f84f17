//! Executes SEND: determines the channels and the descriptor, and executes the message.

use crate::Problem;
use crate::error::Reject;
use crate::message::{Call, World, check, decode, execute};
use crate::plan::{Plan, Send};
use crate::registers::Registers;
use crate::thread::{Fault, Status, Thread};
use crestline_isa::PredCtrl;
use crestline_isa::message::{Descriptor, Message};

/// Executes a SEND.
pub(super) fn send(plan: &Plan, send: &Send, t: &mut Thread, world: &mut World<'_>) {
    t.sends += 1;
    let within = plan.execution_mask(t);
    let mask = plan.predicate_mask(t, within) & plan.destination.lanes;
    let predicated_off = mask == 0 && within != 0 && plan.predicate.ctrl != PredCtrl::None;
    if !predicated_off {
        let call = |descriptor| Call {
            descriptor,
            payload: send.payload,
            response: send.response,
            mask,
            wide: plan.full > 0xff,
            ends_thread: send.ends_thread,
            level_precedes_v: send.level_precedes_v,
        };
        match &send.descriptor {
            Some(descriptor) => execute(&call(descriptor), t, world),
            None => match register_descriptor(send, t) {
                Ok(descriptor) => execute(&call(&descriptor), t, world),
                Err(reject) => t.fail(Fault::Message(reject.to_string())),
            },
        }
    }
    if send.ends_thread {
        let last = matches!(
            send.descriptor.as_ref().map(|descriptor| &descriptor.message),
            None | Some(Message::RenderTargetWrite { last: true, .. })
        );
        if world.pixels.is_some() && !last {
            t.report(Problem::NoLastPixelWrite, None);
        }
        let register = (send.payload[0] / 32) as u8;
        if u32::from(register) < send.first_eot_register {
            let first = send.first_eot_register as u8;
            t.report(Problem::EotPayload { register, first }, None);
        }
        let lost = t.dispatched & !t.active;
        if lost != 0 {
            t.report(Problem::LostChannels { channels: lost }, None);
        }
        t.status = Status::Ended;
    }
}

/// Decodes the descriptor of a message from a0.
fn register_descriptor(send: &Send, t: &mut Thread) -> Result<Descriptor, Reject> {
    let dword = usize::from(send.descriptor_register.unwrap_or(0));
    let offset = Registers::address_offset(2 * dword);
    t.report_unwritten_if_any(offset, 4);
    let desc = t.registers.u32(offset);
    let descriptor = decode(send.generation, send.sfid, desc, send.ex_desc)?;
    check(&descriptor, send.payload, send.response)?;
    Ok(descriptor)
}
