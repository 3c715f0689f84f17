//! Group K, first part: `send` instructions and their registers. `message.rs` has the rules about
//! the content of descriptors.

use super::rules;
use crate::inst::{Compression, DescSrc, Inst, Place, Reg, Send, SrcReg};
use crate::tables::{ArfKind, Form};
use crate::validate::context::{Context, has_cond_mod, is_any_arf, is_arf};
use crestline_device::Gen;

rules! {
    "K1" Error Gen6..=Gen125 [SEND] "PRM send; confirmed by Mesa's validator"
        "a payload must be direct and start at a register"
        => |c| c.srcs().iter().filter_map(|s| s.as_reg()).any(|r| match r.place {
            Place::Direct { sub, reg } => sub != 0 && !matches!(reg, Reg::Arf(..)),
            Place::Indirect { .. } => c.op().form() == Form::Send,
        });
    "K2" Error Gen7..=Gen125 [SEND] "PRM send, end of thread; confirmed by Mesa's validator"
        "the payloads of the message that ends the thread must be in r112 to r127"
        => |c| is_eot(c) && payloads(c).any(|(r, _)| grf(r).is_some_and(|nr| nr < u32::from(c.device.first_eot_register() as u8)));
    "K3" Error Gen9..=Gen125 [SEND] "PRM sends; confirmed by Mesa's validator"
        "the second payload must be in general registers or null"
        => |c| is_split(c) && c.srcs().get(1).and_then(|s| s.as_reg())
            .is_some_and(|r| grf(r).is_none() && !r.place.is_null());
    "K4" Error Gen9..=Gen125 [SEND] "PRM sends; confirmed by Mesa's validator"
        "the two payloads must not overlap"
        => |c| {
            let mut ranges = payloads(c).filter_map(|(r, len)| Some((grf(r)?, len)));
            match (ranges.next(), ranges.next()) {
                (Some((a, a_len)), Some((b, b_len))) => is_split(c) && a < b + b_len && b < a + a_len,
                _ => false,
            }
        };
    "K5" Error Gen8..=Gen11 [SEND DST] "PRM send, r127; confirmed by Mesa's validator"
        "r127 must not be a return register while payload and response overlap"
        => |c| !is_split(c) && match (c.dst().place, c.srcs()[0].as_reg().and_then(grf), lengths(c)) {
            (Place::Direct { reg: Reg::Grf(dst), .. }, Some(src), Some((mlen, rlen))) =>
                u32::from(dst) + rlen > 127 && src + mlen > u32::from(dst),
            _ => false,
        };
    "K6" Error Gen4..=Gen125 [SEND] "PRM send"
        "a message must have no saturation, conditional modifier or source modifiers, and its destination must start at a register"
        => |c| c.inst.saturate || has_cond_mod(c.inst) || c.reg_srcs().any(|(_, r)| r.negate || r.abs)
            || matches!(c.dst().place, Place::Direct { sub, reg: Reg::Grf(_) } if !sub.is_multiple_of(16));
    "K7" Error Gen6..=Gen125 [SEND] "PRM send"
        "the message and its response must lie within the register file"
        => |c| payloads(c).any(|(r, len)| grf(r).is_some_and(|nr| nr + len > 128))
            || match (c.dst().place, lengths(c)) {
                (Place::Direct { reg: Reg::Grf(dst), .. }, Some((_, rlen))) => u32::from(dst) + rlen > 128,
                _ => false,
            };
    "K8" Error Gen4..=Gen125 [SEND] "PRM send, register descriptors"
        "a message descriptor in a register must be in a0.0"
        => |c| c.inst.send().is_some_and(|s| matches!(s.desc, DescSrc::Reg { dword } if dword != 0));
    "K10" Error Gen4..=Gen5 [SEND] "PRM send"
        "a message must not be compressed"
        => |c| c.inst.compression != Compression::None;
    "K20" Warning Gen12..=Gen125 [] "Mesa: work-around of gen12"
        "the message that ends the thread must wait for instructions that use the accumulator"
        => program |insts, generation, found| early_ends(insts, generation, found);
    "K21" Error Gen5..=Gen125 [SEND] "PRM send"
        "a message must have at least one register of payload"
        => |c| lengths(c).is_some_and(|(mlen, _)| mlen == 0);
    "K31" Error Gen7..=Gen125 [SEND] "PRM send"
        "payload and response must be general registers or null"
        => |c| is_any_arf(c.dst().place) || c.srcs().first().and_then(|s| s.as_reg()).is_some_and(|r| is_any_arf(r.place));
    "K28" Error Gen6..=Gen125 [SEND] "PRM send, end of thread"
        "the message that ends the thread must not have a response"
        => |c| is_eot(c) && lengths(c).is_some_and(|(_, rlen)| rlen != 0);
}

/// Calls `found` for every message that ends the thread, if one of the 7 instructions before it
/// uses the accumulator, and neither the message nor an instruction between them waits for that
/// instruction with a register distance.
fn early_ends(insts: &[(usize, Inst)], _generation: Gen, found: &mut dyn FnMut(usize)) {
    // Maximum register distance.
    const REACH: usize = 7;
    for (index, (_, inst)) in insts.iter().enumerate() {
        if !inst.send().is_some_and(|send| send.eot) {
            continue;
        }
        let before = insts[..index].iter().rev().map(|(_, inst)| inst).take(REACH);
        // Distance from the end of the thread back to the last use of the accumulator. The message
        // waits for it directly (`waits`), or follows an instruction that does (`waited`).
        let last_use = before.clone().position(uses_accumulator).map(|at| at + 1);
        let distance = usize::from(inst.swsb.distance);
        let waits = distance != 0 && last_use.is_some_and(|at| distance <= at);
        let waited = before.enumerate().take(last_use.unwrap_or(0)).any(|(at, inst)| {
            let distance = usize::from(inst.swsb.distance);
            distance != 0 && last_use.is_some_and(|last| at + 1 + distance <= last)
        });
        if last_use.is_some() && !waits && !waited {
            found(index);
        }
    }
}

/// Whether an instruction reads or writes the accumulator explicitly.
fn uses_accumulator(inst: &Inst) -> bool {
    inst.acc_wr_en
        || is_arf(inst.dst.place, ArfKind::Accumulator)
        || inst
            .srcs
            .iter()
            .filter_map(|s| s.as_reg())
            .any(|r| is_arf(r.place, ArfKind::Accumulator))
}

/// Whether the instruction has two payloads.
fn is_split(c: &Context<'_>) -> bool {
    c.op().form() == Form::Sends || c.generation >= Gen::Gen12
}

fn is_eot(c: &Context<'_>) -> bool {
    c.inst.send().is_some_and(|s| s.eot)
}

/// The descriptor; `None` if it is in a register.
fn desc(c: &Context<'_>) -> Option<u32> {
    c.inst.send()?.desc.imm()
}

/// Number of registers of the first payload and of the response; `None` if the descriptor is in a
/// register, or before gen5.
fn lengths(c: &Context<'_>) -> Option<(u32, u32)> {
    let desc = desc(c).filter(|_| c.generation >= Gen::Gen5)?;
    Some((desc >> 25 & 15, desc >> 20 & 31))
}

/// Number of registers of the second payload; 1 if the extended descriptor is in a register.
fn ex_length(send: &Send, generation: Gen) -> u32 {
    let mask = if generation < Gen::Gen12 { 15 } else { 31 };
    send.ex_desc.imm().map_or(1, |d| d >> 6 & mask)
}

/// The payloads and their numbers of registers; 1 for unknown numbers.
fn payloads<'a>(c: &Context<'a>) -> impl Iterator<Item = (&'a SrcReg, u32)> + use<'a> {
    let first = lengths(c).map_or(1, |(mlen, _)| mlen);
    let second = c.inst.send().map_or(1, |send| ex_length(send, c.generation));
    let count = if is_split(c) { 2 } else { 1 };
    c.srcs().iter().take(count).zip([first, second]).filter_map(|(s, len)| Some((s.as_reg()?, len)))
}

/// The number of a direct general register.
fn grf(r: &SrcReg) -> Option<u32> {
    match r.place {
        Place::Direct { reg: Reg::Grf(nr), .. } => Some(u32::from(nr)),
        _ => None,
    }
}
