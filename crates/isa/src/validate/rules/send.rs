//! Group K: messages.

use super::rules;
use crate::inst::{DescSrc, Place, Reg, Send, SrcReg};
use crate::message::{Descriptor, Message, UrbLayout};
use crate::tables::{Form, Sfid};
use crate::validate::context::{Context, has_cond_mod};
use crestline_device::Gen;

rules! {
    "K1" Error Gen6..=Gen125 [SEND] "PRM send; confirmed by Mesa's validator"
        "a payload is direct and starts at a register"
        => |c| c.srcs().iter().filter_map(|s| s.as_reg()).any(|r| match r.place {
            Place::Direct { sub, reg } => sub != 0 && !matches!(reg, Reg::Arf(..)),
            Place::Indirect { .. } => c.op().form() == Form::Send,
        });
    "K2" Error Gen7..=Gen125 [SEND] "PRM send, end of thread; confirmed by Mesa's validator"
        "the payloads of the message that ends the thread lie in r112 to r127"
        => |c| is_eot(c) && payloads(c).any(|(r, _)| grf(r).is_some_and(|nr| nr < u32::from(c.device.first_eot_register() as u8)));
    "K3" Error Gen9..=Gen125 [SEND] "PRM sends; confirmed by Mesa's validator"
        "the second payload is in general registers or null"
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
        "a message has no saturation, conditional modifier or source modifiers, and an aligned destination"
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
        "a message descriptor in a register is a0.0"
        => |c| c.inst.send().is_some_and(|s| matches!(s.desc, DescSrc::Reg { dword } if dword != 0));
    "K11" Error Gen12..=Gen12 [SEND] "PRM Load/Store Cache"
        "the device has no load/store cache messages"
        => |c| c.inst.send().is_some_and(|s| matches!(s.sfid, Sfid::Tgm | Sfid::Slm | Sfid::Ugm));
    "K14" Error Gen5..=Gen12 [SEND] "PRM URB messages; confirmed by Mesa's validator"
        "a URB message needs its header"
        => |c| c.inst.send().is_some_and(|s| s.sfid == Sfid::Urb)
            && desc(c).is_some_and(|d| d >> 19 & 1 == 0);
    "K15" Error Gen5..=Gen125 [SEND] "PRM Shared Functions, message descriptors"
        "the descriptor must be a message of the shared function, with every reserved bit zero"
        => |c| matches!(c.message(), Some(Err(_)));
    "K17" Error Gen7..=Gen12 [SEND] "PRM URB messages"
        "an oword URB write has a header and one register of data"
        => |c| matches!(message(c), Some(Descriptor { mlen, ex_mlen, message: Message::UrbWrite { layout: UrbLayout::Oword, .. }, .. })
            if mlen + ex_mlen != 2);
    "K18" Error Gen7..=Gen12 [SEND] "PRM Scratch Block Messages"
        "a scratch block message carries 1, 2, 4 or (gen8 on) 8 registers, as many as its lengths say"
        => |c| match message(c) {
            Some(d) => match d.message {
                Message::ScratchBlockRead { registers, .. } => d.rlen != registers,
                Message::ScratchBlockWrite { registers, .. } => d.mlen + d.ex_mlen != registers + 1,
                _ => false,
            },
            None => false,
        };
    "K19" Warning Gen7..=Gen12 [SEND] "Mesa SIMD lowering"
        "typed messages have 8 channels, the other surface messages 16 at most"
        => |c| !c.inst.no_mask && match message(c).map(|d| &d.message) {
            Some(Message::TypedRead { .. } | Message::TypedWrite { .. } | Message::TypedAtomic { .. }) => c.es > 8,
            Some(Message::UntypedRead { .. } | Message::UntypedWrite { .. } | Message::UntypedAtomic { .. }
                | Message::ByteScatteredRead { .. } | Message::ByteScatteredWrite { .. }) => c.es > 16,
            _ => false,
        };
    "K21" Error Gen5..=Gen125 [SEND] "PRM send"
        "a message has at least one register of payload"
        => |c| lengths(c).is_some_and(|(mlen, _)| mlen == 0) && !is_split(c);
}

fn is_split(c: &Context<'_>) -> bool {
    c.op().form() == Form::Sends || c.generation >= Gen::Gen12
}

fn is_eot(c: &Context<'_>) -> bool {
    c.inst.send().is_some_and(|s| s.eot)
}

/// The message, if its descriptor is an immediate and valid.
fn message<'c>(c: &'c Context<'_>) -> Option<&'c Descriptor> {
    c.message()?.ok()
}

/// The immediate descriptor.
fn desc(c: &Context<'_>) -> Option<u32> {
    c.inst.send()?.desc.imm()
}

/// Registers of the first payload and of the response, where the descriptor is known.
fn lengths(c: &Context<'_>) -> Option<(u32, u32)> {
    let desc = desc(c).filter(|_| c.generation >= Gen::Gen5)?;
    Some((desc >> 25 & 15, desc >> 20 & 31))
}

/// Registers of the second payload; 1 where that is unknown.
fn ex_length(send: &Send) -> u32 {
    send.ex_desc.imm().map_or(1, |d| d >> 6 & 15)
}

/// The payloads and their lengths in registers; 1 where that is unknown.
fn payloads<'a>(c: &Context<'a>) -> impl Iterator<Item = (&'a SrcReg, u32)> + use<'a> {
    let first = lengths(c).map_or(1, |(mlen, _)| mlen);
    let second = c.inst.send().map_or(1, ex_length);
    let count = if is_split(c) { 2 } else { 1 };
    c.srcs().iter().take(count).zip([first, second]).filter_map(|(s, len)| Some((s.as_reg()?, len)))
}

fn grf(r: &SrcReg) -> Option<u32> {
    match r.place {
        Place::Direct { reg: Reg::Grf(nr), .. } => Some(u32::from(nr)),
        _ => None,
    }
}
