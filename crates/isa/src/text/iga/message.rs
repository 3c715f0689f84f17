//! Prints the comment that describes a message in the `iga` syntax: lengths, shared function, and
//! operation.
//!
//! For messages that compute kernels use, the words are those of `iga64`; for others, the names of
//! [`Message`].

use crate::inst::{DescSrc, Send};
use crate::message::{
    A64Element, AtomicOp, Bti, ByteSize, Cache, ChannelMask, Descriptor, GatewayFn, Message,
    SamplerOp, SamplerSimd,
};
use crate::tables::Sfid;
use crate::text::named_fields::named_fields;
use crate::text::number::push;
use crestline_device::Gen;
use std::fmt::Write;

/// The names of shared functions in `iga64`'s comments before gen12. From gen12 the operation has
/// the name as a suffix instead.
fn sfid_name(sfid: Sfid) -> &'static str {
    match sfid {
        Sfid::Null => "null",
        Sfid::Sampler => "sampler",
        Sfid::Gateway => "gateway",
        Sfid::DpSamplerCache => "hdc.dcro",
        Sfid::DataCache2 => "hdc.dc2",
        Sfid::RenderCache => "hdc.rc",
        Sfid::Urb => "hdc.urb",
        Sfid::ThreadSpawner => "spawner",
        Sfid::Vme => "vme",
        Sfid::ConstantCache => "hdc.ccdp",
        Sfid::DataCache0 => "hdc.dc0",
        Sfid::PixelInterpolator => "pi",
        Sfid::DataCache1 => "hdc.dc1",
        Sfid::Cre => "cre",
        other => other.name(),
    }
}

/// Prints the comment ` // wr:..., rd:...; ...`.
pub(in crate::text) fn comment(out: &mut String, generation: Gen, send: &Send) {
    let desc = send.desc.imm();
    let ex_desc = send.ex_desc.imm().unwrap_or(0);
    let words = (desc.unwrap_or(0), ex_desc);
    let decoded =
        desc.and_then(|desc| Descriptor::decode(generation, send.sfid, desc, ex_desc).ok());
    out.push_str(" // wr:");
    match desc {
        Some(desc) => {
            push(out, desc >> 25 & 15);
            out.push_str(if decoded.as_ref().is_some_and(|d| d.header_present) { "h" } else { "" });
        }
        None => out.push_str("a0.0[28:25]"),
    }
    let by_register = matches!(send.ex_desc, DescSrc::Reg { .. });
    out.push('+');
    match send.ex_desc {
        DescSrc::Imm(ex_desc) if generation >= Gen::Gen9 => {
            let bits = if generation >= Gen::Gen12 { 31 } else { 15 };
            push(out, ex_desc >> 6 & bits);
        }
        DescSrc::Imm(_) => out.push('0'),
        DescSrc::Reg { dword } => {
            let _ = write!(out, "a0.{dword}[10:6]");
        }
    }
    out.push_str(", rd:");
    match desc {
        Some(desc) => push(out, desc >> 20 & 31),
        None => out.push_str("a0.0[24:20]"),
    }
    if generation < Gen::Gen12 {
        out.push_str("; ");
        match send.ex_desc {
            DescSrc::Reg { dword } => {
                let _ = write!(out, "sfid a0.{dword}[3:0]");
            }
            DescSrc::Imm(_) => out.push_str(sfid_name(send.sfid)),
        }
    }
    if let Some(descriptor) = decoded.filter(|_| !by_register || generation >= Gen::Gen12) {
        out.push_str("; ");
        message(out, generation, send.sfid, &descriptor, words);
    }
}

/// Prints the enabled components.
fn components(out: &mut String, mask: ChannelMask) {
    out.push_str(" with ");
    for (n, name) in ["x", "y", "z", "w"].into_iter().enumerate() {
        if mask.0 >> n & 1 != 0 {
            out.push_str(name);
        }
    }
}

/// `iga64`'s words for an integer atomic operation.
fn atomic(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::CmpWr2W => "two-word integer compare and swap",
        AtomicOp::And => "logical AND",
        AtomicOp::Or => "logical OR",
        AtomicOp::Xor => "logical XOR",
        AtomicOp::Mov => "store",
        AtomicOp::Inc => "integer increment",
        AtomicOp::Dec => "integer decrement",
        AtomicOp::Add => "integer add",
        AtomicOp::Sub => "integer subtract",
        AtomicOp::RevSub => "integer reverse subtract",
        AtomicOp::Imax => "signed-integer max",
        AtomicOp::Imin => "signed-integer min",
        AtomicOp::Umax => "unsigned-integer max",
        AtomicOp::Umin => "unsigned-integer min",
        AtomicOp::CmpWr => "integer compare and swap",
        AtomicOp::PreDec => "integer pre-decrement",
    }
}

fn byte_size(size: ByteSize) -> &'static str {
    match size {
        ByteSize::Byte => "8b",
        ByteSize::Word => "16b",
        ByteSize::Dword => "32b",
    }
}

fn element(element: A64Element) -> &'static str {
    match element {
        A64Element::Byte => "byte",
        A64Element::Dword => "dword",
        A64Element::Qword => "qword",
        A64Element::Hword => "hword",
    }
}

/// `iga64`'s words for a sampler operation.
fn sampler(op: SamplerOp) -> &'static str {
    match op {
        SamplerOp::SampleB => "sample+LOD bias",
        SamplerOp::SampleL => "sample override LOD",
        SamplerOp::SampleLz => "sample with lod forced to 0",
        op => op.name(),
    }
}

/// Prints the operation of a message. `words` are descriptor and extended descriptor.
fn message(
    out: &mut String,
    generation: Gen,
    sfid: Sfid,
    descriptor: &Descriptor,
    words: (u32, u32),
) {
    let _ = match &descriptor.message {
        Message::UntypedRead { mask, .. } | Message::A64UntypedRead { mask, .. } => {
            out.push_str("untyped surface read");
            components(out, *mask);
            Ok(())
        }
        Message::UntypedWrite { mask, .. } | Message::A64UntypedWrite { mask, .. } => {
            out.push_str("untyped surface write");
            components(out, *mask);
            Ok(())
        }
        Message::TypedRead { mask, .. } => typed(out, "read", *mask, descriptor),
        Message::TypedWrite { mask, .. } => typed(out, "write", *mask, descriptor),
        Message::UntypedAtomic { op, .. } => write!(out, "untyped atomic int32 {}", atomic(*op)),
        Message::A64Atomic { op, qword, .. } => {
            let bits = if *qword { 64 } else { 32 };
            write!(out, "untyped a64 atomic int{bits} {}", atomic(*op))
        }
        Message::ByteScatteredRead { size, .. } => {
            write!(out, "byte gathering read {}", byte_size(*size))
        }
        Message::ByteScatteredWrite { size, .. } => {
            write!(out, "byte scattering write {}", byte_size(*size))
        }
        Message::DwordScatteredRead { .. } => write!(out, "dword gathering read"),
        Message::DwordScatteredWrite { .. } => write!(out, "dword scattering write"),
        Message::A64ScatteredRead { element: e, .. } => {
            write!(out, "a64 {} gathering read", element(*e))
        }
        Message::A64ScatteredWrite { element: e, .. } => {
            write!(out, "a64 {} scattering write", element(*e))
        }
        // The messages that the manual calls unaligned are aligned to dwords.
        Message::OwordBlockRead { unaligned, size, .. } => {
            let aligned = if *unaligned { "aligned " } else { "" };
            write!(out, "oword {aligned}block read x{}", size.owords())
        }
        Message::OwordBlockWrite { size, .. } => {
            write!(out, "oword block write x{}", size.owords())
        }
        Message::ScratchBlockRead { registers, .. } => {
            write!(out, "hword scratch block read x{registers}")
        }
        Message::ScratchBlockWrite { registers, .. } => {
            write!(out, "hword scratch block write x{registers}")
        }
        Message::MemoryFence { bti: Bti::SLM, .. } => write!(out, "synchronized SLM fence"),
        Message::MemoryFence { cache: Cache::Data, .. } if generation >= Gen::Gen11 => {
            write!(out, "synchronized global fence flushing")
        }
        Message::MemoryFence { .. } => write!(out, "synchronized global fence"),
        Message::Gateway { function: GatewayFn::Barrier, .. } => write!(out, "signal barrier"),
        Message::ThreadSpawner { spawn: false, .. } => write!(out, "end of thread"),
        Message::Sample { op, sampler: index, simd, .. } => {
            let simd = match simd {
                SamplerSimd::Simd4x2 => "simd8d",
                mode => mode.name(),
            };
            write!(out, "{simd} {} using sampler index {index}", sampler(*op))
        }
        other => {
            out.push_str(other.name());
            named_fields(out, generation, other, sfid, words);
            Ok(())
        }
    };
}

/// Prints a typed message. Without a header, its length gives the number of coordinates, which are
/// printed too.
fn typed(
    out: &mut String,
    direction: &str,
    mask: ChannelMask,
    descriptor: &Descriptor,
) -> std::fmt::Result {
    write!(out, "typed surface {direction}")?;
    components(out, mask);
    let coordinates = ["u", "uv", "uvr", "uvr,lod"];
    let count = usize::from(descriptor.mlen);
    match coordinates.get(count.wrapping_sub(1)) {
        Some(names) if !descriptor.header_present => write!(out, "; {names}"),
        _ => Ok(()),
    }
}
