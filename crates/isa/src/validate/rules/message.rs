//! Group K, second part: the content of message descriptors.

use super::rules;
use crate::inst::{DescSrc, Predicate};
use crate::message::{
    Bti, Descriptor, DescriptorError, LscOp, LscSpace, LscSurface, Message, RtSubtype, SamplerOp,
    UrbLayout,
};
use crate::tables::{MathFn, Sfid};
use crate::validate::context::Context;
use crate::validate::lengths::{self, Header};

rules! {
    "J7" Error Gen4..=Gen5 [SEND] "PRM Extended Math messages"
        "a math message must have no predicate; pow and integer division must have a payload of two registers, sincos and intdivmod a response of two"
        => |c| message(c).is_some_and(|d| match d.message {
            Message::Math { function, .. } => c.inst.predicate != Predicate::NONE
                || d.mlen != if function == MathFn::Pow || function.is_int() { 2 } else { 1 }
                || d.rlen != if matches!(function, MathFn::SinCos | MathFn::IntDiv) { 2 } else { 1 },
            _ => false,
        });
    "K11" Error Gen12..=Gen12 [SEND] "PRM Load/Store Cache"
        "load/store cache messages need a device with this cache"
        => |c| c.inst.send().is_some_and(|s| matches!(s.sfid, Sfid::Tgm | Sfid::Slm | Sfid::Ugm));
    "K12" Error Gen125..=Gen125 [SEND] "PRM Load/Store Cache; confirmed by Mesa's validator"
        "a transposed message must have one channel, and must be a load or store"
        => |c| message(c).is_some_and(|d| match d.message {
            Message::Lsc { op, transpose: true, .. } => c.es != 1 || !matches!(op, LscOp::Load | LscOp::Store),
            _ => false,
        });
    // Cache controls have no effect for shared memory; Intel's compiler sets some.
    "K13" Error Gen125..=Gen125 [SEND] "PRM Load/Store Cache; confirmed by iga64"
        "accesses of shared memory must use flat addresses, and a component mask must not be empty"
        => |c| message(c).is_some_and(|d| match d.message {
            Message::Lsc { space: LscSpace::Shared, surface, .. } if surface != LscSurface::Flat => true,
            Message::Lsc { op, vector, .. } => op.has_component_mask() && vector == 0,
            _ => false,
        });
    "K14" Error Gen5..=Gen125 [SEND] "PRM URB messages; confirmed by Mesa's validator"
        "a URB message needs its header"
        => |c| c.inst.send().is_some_and(|s| s.sfid == Sfid::Urb
            && s.desc.imm().is_some_and(|d| d >> 19 & 1 == 0));
    "K15" Error Gen5..=Gen125 [SEND] "PRM Shared Functions, message descriptors"
        "the descriptor must be a message of the shared function, with every reserved bit zero"
        => |c| c.message().and_then(Result::err).is_some_and(|error| !is_lane_count(error));
    "K16" Error Gen5..=Gen6 [SEND] "PRM URB messages, FF_SYNC; confirmed by Mesa's validator"
        "FF_SYNC must return at most one register, and must set neither `used` nor `complete`"
        => |c| message(c).is_some_and(|d| match d.message {
            Message::UrbFfSync { used, complete, .. } => d.rlen > 1 || used || complete,
            _ => false,
        });
    "K17" Error Gen7..=Gen11 [SEND] "PRM URB messages"
        "an oword URB write must have a header and one register of data"
        => |c| matches!(message(c), Some(Descriptor { mlen, ex_mlen, message: Message::UrbWrite { layout: UrbLayout::Oword, .. }, .. })
            if mlen + ex_mlen != 2);
    "K18" Error Gen7..=Gen12 [SEND] "PRM Scratch Block Messages"
        "a scratch block message must have 1, 2, 4 or (gen8 on) 8 registers, and its lengths must match"
        => |c| message(c).is_some_and(|d| is_scratch(d) && wrong_lengths(c, d));
    "K19" Warning Gen6..=Gen125 [SEND] "Mesa SIMD lowering"
        "typed, sample_d, dual-source and A64 atomic messages should have 8 channels, other surface messages at most 16"
        => |c| message(c).is_some_and(|d| !c.inst.no_mask && match d.message {
            Message::TypedRead { .. } | Message::TypedWrite { .. } | Message::TypedAtomic { .. }
            | Message::A64Atomic { .. } | Message::A64AtomicFloat { .. } => c.es > 8,
            Message::Sample { op, .. } => c.es > if matches!(op, SamplerOp::SampleD | SamplerOp::SampleDC) { 8 } else { 16 },
            Message::RenderTargetWrite { subtype, .. } =>
                c.es > if matches!(subtype, RtSubtype::Simd8DualLow | RtSubtype::Simd8DualHigh) { 8 } else { 16 },
            _ => c.es > 16 && lengths::lanes(&d.message).is_some(),
        });
    "K22" Error Gen7..=Gen125 [SEND] "PRM Shared Functions, payloads and responses"
        "payload and response must have as many registers as the message's type, lanes and components require"
        => |c| message(c).is_some_and(|d| !is_scratch(d) && wrong_lengths(c, d));
    "K23" Error Gen5..=Gen125 [SEND] "PRM Shared Functions, message headers"
        "block messages and (up to gen8) typed messages need a header; from gen11 typed messages must not have one"
        => |c| message(c).is_some_and(|d| match lengths::header(&d.message, c.device) {
            Header::Needed => !d.header_present,
            Header::Forbidden => d.header_present,
            Header::Free => false,
        });
    "K24" Warning Gen7..=Gen125 [SEND] "PRM Shared Functions, SIMD modes"
        "a message with 8 lanes should not be sent by an instruction with more than 8 channels, unless it is NoMask"
        => |c| message(c).is_some_and(|d| !c.inst.no_mask
            && lengths::lanes(&d.message).is_some_and(|lanes| c.es > lanes && lanes < 16));
    "K25" Error Gen7..=Gen125 [SEND] "PRM Binding Table, special surfaces"
        "typed, sampler and render target messages must not use the binding table indices 253 to 255, which stand for memory without a surface"
        => |c| message(c).is_some_and(|d| match d.message {
            Message::TypedRead { bti, .. } | Message::TypedWrite { bti, .. } | Message::TypedAtomic { bti, .. }
            | Message::Sample { bti, .. } | Message::RenderTargetRead { bti, .. }
            | Message::RenderTargetWrite { bti, .. } => bti == Bti::SLM || bti.is_stateless(),
            _ => false,
        });
    "K26" Error Gen8..=Gen125 [SEND] "PRM A64 messages"
        "a message with 64-bit addresses must have binding table index 255 or 253"
        => |c| message(c).is_some_and(|d| match d.message {
            Message::A64ScatteredRead { bti, .. } | Message::A64ScatteredWrite { bti, .. }
            | Message::A64UntypedRead { bti, .. } | Message::A64UntypedWrite { bti, .. }
            | Message::A64Atomic { bti, .. } | Message::A64AtomicFloat { bti, .. }
            | Message::A64BlockRead { bti, .. } | Message::A64BlockWrite { bti, .. } => !bti.is_stateless(),
            _ => false,
        });
    "K27" Warning Gen7..=Gen125 [SEND] "PRM Sampling Engine, payload parameters"
        "a sampler payload should consist of whole parameters, and of no more parameters than the operation has"
        => |c| message(c).is_some_and(|d| match d.message {
            Message::Sample { op, simd, .. } => {
                let registers = u32::from(d.mlen + d.ex_mlen).saturating_sub(u32::from(d.header_present));
                match (lengths::sampler_row(simd), lengths::sampler_parameters(op)) {
                    (Some(row), Some(most)) => !registers.is_multiple_of(row) || registers > row * most,
                    _ => false,
                }
            }
            _ => false,
        });
    "K29" Error Gen7..=Gen9 [SEND] "PRM OWord Block messages, shared local memory"
        "block messages must not access shared local memory (binding table index 254) before gen11"
        => |c| message(c).is_some_and(|d| match d.message {
            Message::OwordBlockRead { bti, .. } | Message::OwordBlockWrite { bti, .. }
            | Message::OwordDualBlockRead { bti, .. } | Message::OwordDualBlockWrite { bti, .. } => bti == Bti::SLM,
            _ => false,
        });
    "K30" Error Gen5..=Gen125 [SEND] "PRM send, response length"
        "a response must have at most 16 registers"
        => |c| c.inst.send().and_then(|s| s.desc.imm()).is_some_and(|d| d >> 20 & 31 > 16);
    "K32" Error Gen7..=Gen125 [SEND] "PRM Shared Functions, SIMD modes and slot groups"
        "the SIMD mode or slot group of a message must not be a code that the generation reserves"
        => |c| c.message().and_then(Result::err).is_some_and(is_lane_count);
}

/// Whether a descriptor is invalid because its SIMD mode or slot group is reserved.
fn is_lane_count(error: &DescriptorError) -> bool {
    matches!(error, DescriptorError::BadCode { field: "simd mode" | "slot group", .. })
}

/// The message, if its descriptor is an immediate and valid.
fn message<'c>(c: &'c Context<'_>) -> Option<&'c Descriptor> {
    c.message()?.ok()
}

fn is_scratch(d: &Descriptor) -> bool {
    matches!(d.message, Message::ScratchBlockRead { .. } | Message::ScratchBlockWrite { .. })
}

/// Whether the lengths of a message differ from those that it must have, if these are known.
/// Returns `false` if a required header is missing, which is rule K23.
fn wrong_lengths(c: &Context<'_>, d: &Descriptor) -> bool {
    let Some(wanted) = lengths::lengths(d, c.es) else { return false };
    if lengths::header(&d.message, c.device) == Header::Needed && !d.header_present {
        return false;
    }
    // The second payload's length is unknown if the extended descriptor is in a register.
    let split = c.inst.send().map(|s| s.ex_desc);
    let known = matches!(split, Some(DescSrc::Imm(_)));
    let header = u32::from(d.header_present);
    let payload = u32::from(d.mlen) + u32::from(d.ex_mlen);
    let fits = (wanted.payload.0 + header..=wanted.payload.1 + header).contains(&payload);
    known && !fits || u32::from(d.rlen) != wanted.response
}
