//! Checks whether the emulator supports a message.

use super::{render_target, sampler};
use crate::error::Reject;
use crate::registers::GRF_END;
use crestline_device::Gen;
use crestline_isa::Sfid;
use crestline_isa::message::{
    A64Block, Descriptor, FloatAtomicOp, GatewayFn, Message as Kind, SimdMode,
};

/// Decodes a descriptor and its extension.
pub(crate) fn decode(
    generation: Gen,
    sfid: Sfid,
    desc: u32,
    ex_desc: u32,
) -> Result<Descriptor, Reject> {
    Descriptor::decode(generation, sfid, desc, ex_desc)
        .map_err(|error| Reject::Illegal(format!("message descriptor {desc:#010x}: {error}")))
}

/// Checks that a message is supported, and that the registers of its payloads and its response exist. These are given
/// by their byte offsets.
pub(crate) fn check(
    descriptor: &Descriptor,
    payload: [usize; 2],
    response: Option<usize>,
) -> Result<(), Reject> {
    let ranges = [
        (Some(payload[0]), descriptor.mlen, "payload"),
        (Some(payload[1]), descriptor.ex_mlen, "second payload"),
        (response, descriptor.rlen, "response"),
    ];
    for (start, length, name) in ranges {
        let Some(start) = start else { continue };
        if start + usize::from(length) * 32 > GRF_END {
            return Err(Reject::Illegal(format!(
                "{name} of {length} registers from r{} extends beyond the register file",
                start / 32
            )));
        }
    }
    check_supported(descriptor)
}

/// Checks that a module executes the message.
fn check_supported(descriptor: &Descriptor) -> Result<(), Reject> {
    use Kind::*;
    let simd4x2 = matches!(
        descriptor.message,
        A64UntypedRead { simd: SimdMode::Simd4x2, .. }
            | A64UntypedWrite { simd: SimdMode::Simd4x2, .. }
            | AtomicCounter { simd: SimdMode::Simd4x2, .. }
    );
    if let Sample { op, simd, half_return: false, .. } = descriptor.message
        && let Some(lanes) = sampler::lanes(simd)
        && sampler::supports(op, lanes)
    {
        return Ok(());
    }
    if let RenderTargetWrite { subtype, per_sample: false, coarse: false, half: false, .. } =
        descriptor.message
        && render_target::supports(subtype)
    {
        return Ok(());
    }
    let known = matches!(
        descriptor.message,
        UntypedRead { .. }
            | UntypedWrite { .. }
            | UntypedAtomic { word: false, .. }
            | UntypedAtomicFloat {
                half: false,
                op: FloatAtomicOp::Fmax | FloatAtomicOp::Fmin | FloatAtomicOp::FcmpWr,
                ..
            }
            | ByteScatteredRead { .. }
            | ByteScatteredWrite { .. }
            | DwordScatteredRead { .. }
            | DwordScatteredWrite { .. }
            | OwordBlockRead { .. }
            | OwordBlockWrite { .. }
            | OwordDualBlockRead { four: false, .. }
            | OwordDualBlockWrite { four: false, .. }
            | A64UntypedRead { .. }
            | A64UntypedWrite { .. }
            | A64ScatteredRead { .. }
            | A64ScatteredWrite { .. }
            | A64Atomic { word: false, .. }
            | A64AtomicFloat {
                half: false,
                op: FloatAtomicOp::Fmax | FloatAtomicOp::Fmin | FloatAtomicOp::FcmpWr,
                ..
            }
            | A64BlockRead { block: A64Block::OwordAligned | A64Block::OwordUnaligned, .. }
            | A64BlockWrite { block: A64Block::OwordAligned, .. }
            | ScratchBlockRead { .. }
            | ScratchBlockWrite { .. }
            | TypedRead { .. }
            | TypedWrite { .. }
            | TypedAtomic { .. }
            | UrbWrite { .. }
            | UrbRead { .. }
            | MemoryFence { .. }
            | ThreadSpawner { spawn: false, .. }
            | Interpolate { coarse: false, .. }
            | Gateway { function: GatewayFn::Barrier, .. }
    );
    if known && !simd4x2 {
        Ok(())
    } else {
        let detail = match descriptor.message {
            Sample { op, simd, .. } => format!(" {} ({})", op.name(), simd.name()),
            _ if simd4x2 => " (SIMD4x2)".to_owned(),
            _ => String::new(),
        };
        Err(Reject::Unsupported(format!("{}{detail}", descriptor.message.name())))
    }
}
