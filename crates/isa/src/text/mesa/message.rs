//! Prints the line that describes a message in the `mesa` syntax.

use crate::inst::{DescSrc, Send};
use crate::message::{
    AtomicOp, Cache, ChannelMask, Descriptor, Message, OwordBlock, RtSubtype, SamplerSimd,
    SimdMode, SlotGroup, UrbLayout, UrbSwizzle,
};
use crate::tables::Sfid;
use crate::text::named_fields::named_fields;
use crestline_device::Gen;
use std::fmt::Write;

/// Mesa's name of a shared function.
pub(in crate::text) fn sfid_name(sfid: Sfid) -> &'static str {
    match sfid {
        Sfid::Null => "null",
        Sfid::Math => "math",
        Sfid::Sampler => "sampler",
        Sfid::Gateway => "gateway",
        Sfid::DpRead => "read",
        Sfid::DpSamplerCache => "dp_sampler",
        Sfid::DataCache2 => "dp data 2",
        Sfid::DpWrite => "write",
        Sfid::RenderCache => "render",
        Sfid::Urb => "urb",
        Sfid::ThreadSpawner => "thread_spawner",
        Sfid::BindlessDispatch => "bindless thread dispatch",
        Sfid::Vme => "vme",
        Sfid::RayTrace => "rt accel",
        Sfid::ConstantCache => "const",
        Sfid::DataCache0 => "data",
        Sfid::PixelInterpolator => "pixel interp",
        Sfid::DataCache1 => "dp data 1",
        Sfid::Cre => "cre",
        Sfid::Tgm => "tgm",
        Sfid::Slm => "slm",
        Sfid::Ugm => "ugm",
    }
}

/// Prints shared function, message and lengths. `split`: also the length of the second payload.
pub(super) fn message(out: &mut String, generation: Gen, send: &Send, split: bool) {
    let _ = write!(out, "{} MsgDesc: ", sfid_name(send.sfid));
    descriptor(out, generation, send, split);
    if send.ex_bso {
        let _ = write!(out, "src1_len = {} ex_bso ", send.src1_len);
    }
}

/// Prints the decoded descriptor.
fn descriptor(out: &mut String, generation: Gen, send: &Send, split: bool) {
    let DescSrc::Imm(desc) = send.desc else {
        out.push_str("indirect ");
        return;
    };
    let ex_desc = send.ex_desc.imm().unwrap_or(0);
    match Descriptor::decode(generation, send.sfid, desc, ex_desc) {
        Ok(descriptor) => {
            fields(out, generation, &descriptor.message, send.sfid, (desc, ex_desc));
            let _ = write!(out, "mlen {} ", descriptor.mlen);
            if split && send.ex_desc.imm().is_some() {
                let _ = write!(out, "ex_mlen {} ", descriptor.ex_mlen);
            }
            let _ = write!(out, "rlen {} ", descriptor.rlen);
        }
        Err(error) => {
            let _ = write!(out, "(invalid: {error}) ");
        }
    }
}

fn simd(mode: SimdMode) -> &'static str {
    match mode {
        SimdMode::Simd4x2 => "SIMD4x2",
        SimdMode::Simd8 => "SIMD8",
        SimdMode::Simd16 => "SIMD16",
    }
}

/// The name of a slot group. Mesa prints it as if it were a SIMD mode.
fn slots(group: SlotGroup) -> &'static str {
    match group {
        SlotGroup::Simd4x2 => "SIMD4x2",
        SlotGroup::Low => "SIMD16",
        SlotGroup::High => "SIMD8",
    }
}

fn owords(size: OwordBlock) -> &'static str {
    match size {
        OwordBlock::OneLow => "1-low",
        OwordBlock::OneHigh => "1-high",
        OwordBlock::Two => "2",
        OwordBlock::Four => "4",
        OwordBlock::Eight => "8",
        OwordBlock::Sixteen => "16",
    }
}

/// The mask as in the hardware's field: a set bit means disabled.
fn disabled(mask: ChannelMask) -> u8 {
    !mask.0 & 15
}

/// Prints the fields of a message. For some messages Mesa prints the message control field as a
/// number; it is taken from the descriptor.
fn fields(
    out: &mut String,
    generation: Gen,
    message: &Message,
    sfid: Sfid,
    (desc, ex_desc): (u32, u32),
) {
    let control = desc >> 8 & 0x3f;
    let aligned = control >> 3 & 3;
    let gen7 = generation == Gen::Gen7;
    let _ = match message {
        Message::OwordBlockRead { cache: Cache::Constant | Cache::Sampler, bti, .. }
        | Message::OwordDualBlockRead { cache: Cache::Constant | Cache::Sampler, bti, .. }
        | Message::DwordScatteredRead { cache: Cache::Constant | Cache::Sampler, bti, .. } => {
            let kind = desc >> 14 & 31;
            write!(out, "(bti {}, msg_ctrl {control}, msg_type {kind}, write_commit 0) ", bti.0)
        }
        Message::OwordBlockRead { bti, size, unaligned, .. } => {
            let unaligned = if *unaligned { "unaligned " } else { "" };
            let (bti, size) = (bti.0, owords(*size));
            write!(
                out,
                "(DC {unaligned}OWORD block read, bti {bti}, owords = {size}, aligned = {aligned}) "
            )
        }
        Message::OwordBlockWrite { bti, size } => {
            let (bti, size) = (bti.0, owords(*size));
            write!(out, "(DC OWORD block write, bti {bti}, owords = {size}, aligned = {aligned}) ")
        }
        Message::OwordDualBlockRead { bti, .. } => {
            write!(out, "(DC OWORD dual block read, bti {}, {control}) ", bti.0)
        }
        Message::OwordDualBlockWrite { bti, .. } => {
            write!(out, "(DC OWORD dual block write, bti {}, {control}) ", bti.0)
        }
        Message::DwordScatteredRead { bti, .. } => {
            write!(out, "(DC DWORD scattered read, bti {}, {control}) ", bti.0)
        }
        // Mesa has this spelling.
        Message::DwordScatteredWrite { bti, .. } => {
            write!(out, "(DC DWORD scatterd write, bti {}, {control}) ", bti.0)
        }
        Message::ByteScatteredRead { bti, .. } => {
            write!(out, "(DC byte scattered read, bti {}, {control}) ", bti.0)
        }
        Message::ByteScatteredWrite { bti, .. } => {
            write!(out, "(DC byte scattered write, bti {}, {control}) ", bti.0)
        }
        Message::UntypedRead { bti, .. } if gen7 => {
            write!(out, "(DC untyped surface read, bti {}, {control}) ", bti.0)
        }
        Message::UntypedWrite { bti, .. } if gen7 => {
            write!(out, "(DC untyped surface write, bti {}, {control}) ", bti.0)
        }
        Message::UntypedAtomic { bti, op, .. } if gen7 => {
            write!(out, "(DC untyped atomic, bti {}, {}) ", bti.0, op.name())
        }
        Message::TypedRead { bti, .. } if gen7 => {
            write!(out, "typed surface read MsgCtrl = 0x{control} Surface = {} ", bti.0)
        }
        Message::TypedWrite { bti, .. } if gen7 => {
            write!(out, "typed surface write MsgCtrl = 0x{control} Surface = {} ", bti.0)
        }
        Message::TypedAtomic { bti, .. } if gen7 => {
            write!(out, "typed atomic MsgCtrl = 0x{control} Surface = {} ", bti.0)
        }
        Message::UntypedRead { bti, simd: mode, mask } => {
            surface(out, "untyped surface read", bti.0, simd(*mode), *mask)
        }
        Message::UntypedWrite { bti, simd: mode, mask } => {
            surface(out, "DC untyped surface write", bti.0, simd(*mode), *mask)
        }
        Message::TypedRead { bti, slots: group, mask } => {
            surface(out, "DC typed surface read", bti.0, slots(*group), *mask)
        }
        Message::TypedWrite { bti, slots: group, mask } => {
            surface(out, "DC typed surface write", bti.0, slots(*group), *mask)
        }
        Message::A64UntypedRead { bti, simd: mode, mask } => {
            surface(out, "DC A64 untyped surface read", bti.0, simd(*mode), *mask)
        }
        Message::A64UntypedWrite { bti, simd: mode, mask } => {
            surface(out, "DC A64 untyped surface write", bti.0, simd(*mode), *mask)
        }
        Message::UntypedAtomic { bti, op, simd: SimdMode::Simd4x2, .. } => {
            write!(out, "(DC untyped 4x2 atomic op, Surface = {}, {}) ", bti.0, op.name())
        }
        Message::UntypedAtomic { bti, op, simd: mode, .. } => {
            atomic(out, "DC untyped atomic op", bti.0, simd(*mode), *op)
        }
        Message::AtomicCounter { bti, op, simd: mode, .. } => {
            atomic(out, "DC untyped atomic counter op", bti.0, simd(*mode), *op)
        }
        Message::TypedAtomic { bti, op, slots: group, .. } => {
            atomic(out, "DC typed atomic", bti.0, slots(*group), *op)
        }
        Message::UntypedAtomicFloat { bti, op, simd: mode, .. } => write!(
            out,
            "(DC untyped atomic float op, Surface = {}, {}, {}) ",
            bti.0,
            simd(*mode),
            op.name()
        ),
        Message::MemoryFence { bti, .. } => {
            write!(out, "(DC mfence, bti {}, {control}) ", bti.0)
        }
        Message::ScratchBlockRead { registers, hword_offset, .. } => {
            write!(out, "(DC scratch block read, offset {hword_offset}, regs {registers}) ")
        }
        Message::ScratchBlockWrite { registers, hword_offset, .. } => {
            write!(out, "(DC scratch block write, offset {hword_offset}, regs {registers}) ")
        }
        Message::RenderTargetWrite { bti, subtype, upper_slots, last, .. } => {
            let subtype = match subtype {
                RtSubtype::Simd16 => "SIMD16",
                RtSubtype::Simd16Replicated => "SIMD16/RepData",
                RtSubtype::Simd8DualLow => "SIMD8/DualSrcLow",
                RtSubtype::Simd8DualHigh => "SIMD8/DualSrcHigh",
                RtSubtype::Simd8 => "SIMD8",
                RtSubtype::Simd8ImageWrite => "SIMD8/ImageWrite",
                RtSubtype::Simd16ReplicatedAlt => "SIMD16/RepData-111",
            };
            let high = if *upper_slots { " Hi" } else { "" };
            let last = if *last { " LastRT" } else { "" };
            write!(out, "RT write {subtype}{high}{last} Surface = {} ", bti.0)
        }
        Message::Sample { op, bti, sampler, simd: mode, .. } => {
            let mode = match mode {
                SamplerSimd::Simd4x2 => "SIMD4x2",
                SamplerSimd::Simd8 => "SIMD8",
                SamplerSimd::Simd16 => "SIMD16",
                SamplerSimd::Simd32 => "SIMD32/64",
                SamplerSimd::Simd16IntReturn => "SIMD16/Int",
                SamplerSimd::Simd8Half => "SIMD8H",
                SamplerSimd::Simd16Half => "SIMD16H",
            };
            write!(out, "{} {mode} Surface = {} Sampler = {sampler} ", op.name(), bti.0)
        }
        Message::UrbWrite {
            layout,
            offset,
            swizzle,
            per_slot_offset,
            channel_mask,
            complete,
            ..
        } => {
            let _ = write!(out, "offset {offset} write {}", urb_layout(*layout));
            urb_flags(out, *swizzle, *per_slot_offset, *channel_mask, *complete)
        }
        Message::UrbRead { layout, offset, swizzle, per_slot_offset, complete } => {
            let _ = write!(out, "offset {offset} read {}", urb_layout(*layout));
            urb_flags(out, *swizzle, *per_slot_offset, false, *complete)
        }
        Message::UrbAtomic { op, offset, per_slot_offset } => {
            let _ = write!(out, "offset {offset} atomic {}", op.name());
            urb_flags(out, UrbSwizzle::None, *per_slot_offset, false, false)
        }
        Message::Gateway { function, .. } => write!(out, "({} msg) ", function.name()),
        Message::ThreadSpawner { .. } => Ok(()),
        Message::Interpolate { at, data, linear, simd16, .. } => {
            let perspective = if *linear { "linear" } else { "persp" };
            let mode = if *simd16 { "SIMD16" } else { "SIMD8" };
            write!(out, "({perspective}, {}, {mode}, 0x{data:02x}) ", at.name())
        }
        other => {
            let _ = write!(out, "({}", other.name());
            named_fields(out, generation, other, sfid, (desc, ex_desc));
            write!(out, ") ")
        }
    };
}

fn surface(
    out: &mut String,
    name: &str,
    bti: u8,
    lanes: &str,
    mask: ChannelMask,
) -> std::fmt::Result {
    write!(out, "({name}, Surface = {bti}, {lanes}, Mask = 0x{:x}) ", disabled(mask))
}

fn atomic(out: &mut String, name: &str, bti: u8, lanes: &str, op: AtomicOp) -> std::fmt::Result {
    write!(out, "({name}, Surface = {bti}, {lanes}, {}) ", op.name())
}

fn urb_layout(layout: UrbLayout) -> &'static str {
    match layout {
        UrbLayout::Hword => "HWord",
        UrbLayout::Oword => "OWord",
        UrbLayout::Simd8 => "SIMD8",
    }
}

/// Prints the flags of a URB message and a space.
fn urb_flags(
    out: &mut String,
    swizzle: UrbSwizzle,
    per_slot: bool,
    masked: bool,
    complete: bool,
) -> std::fmt::Result {
    for (set, name) in [
        (per_slot, "per-slot"),
        (masked, "masked"),
        (swizzle == UrbSwizzle::Interleave, "interleave"),
        (swizzle == UrbSwizzle::Transpose, "transpose"),
        (complete, "complete"),
    ] {
        if set {
            write!(out, " {name}")?;
        }
    }
    out.push(' ');
    Ok(())
}
