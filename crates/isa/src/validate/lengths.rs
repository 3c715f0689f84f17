//! The number of registers in the payload and response of each message.
//!
//! Source: PRM Shared Functions, payload and response of each message.

use crestline_device::{Device, Gen};

use crate::message::{
    A64Block, A64Element, AtomicOp, Descriptor, FloatAtomicOp, LscAddrSize, LscDataSize, LscOp,
    Message, OwordBlock, SamplerOp, SamplerSimd, SimdMode, SlotGroup,
};

/// Numbers of registers, without the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lengths {
    /// Minimum and maximum for addresses and data, in both payloads together.
    pub(super) payload: (u32, u32),
    /// Number in the response.
    pub(super) response: u32,
}

impl Lengths {
    /// Lengths of a message whose payload has a fixed number of registers.
    const fn exact(payload: u32, response: u32) -> Option<Lengths> {
        Some(Lengths { payload: (payload, payload), response })
    }
}

/// The lengths that a message must have. `channels` is the execution size of the `send`. `None` if
/// they depend on state outside the message, or are not public.
pub(super) fn lengths(descriptor: &Descriptor, channels: u32) -> Option<Lengths> {
    match &descriptor.message {
        Message::OwordBlockRead { size, .. } => Lengths::exact(0, block(*size)),
        Message::OwordBlockWrite { size, .. } => Lengths::exact(block(*size), 0),
        Message::DwordScatteredRead { simd, .. } | Message::ByteScatteredRead { simd, .. } => {
            let row = row(*simd)?;
            Lengths::exact(row, row)
        }
        Message::DwordScatteredWrite { simd, .. } | Message::ByteScatteredWrite { simd, .. } => {
            Lengths::exact(2 * row(*simd)?, 0)
        }
        Message::UntypedRead { simd, mask, .. } => {
            let row = row(*simd)?;
            Lengths::exact(row, row * mask.count())
        }
        Message::UntypedWrite { simd, mask, .. } => {
            let row = row(*simd)?;
            Lengths::exact(row + row * mask.count(), 0)
        }
        Message::UntypedAtomic { op, simd, return_data, .. } => {
            atomic(row(*simd)?, operands(*op)?, *return_data)
        }
        Message::UntypedAtomicFloat { op, simd, return_data, .. } => {
            atomic(row(*simd)?, float_operands(*op)?, *return_data)
        }
        Message::TypedRead { slots, mask, .. } => typed(*slots, 0, mask.count()),
        Message::TypedWrite { slots, mask, .. } => typed(*slots, mask.count(), 0),
        Message::TypedAtomic { op, slots, return_data, .. } => {
            typed(*slots, operands(*op)?, u32::from(*return_data))
        }
        Message::A64ScatteredRead { element, count, simd, .. } => {
            let row = row(*simd)?;
            Lengths::exact(2 * row, row * dwords(*element, *count)?)
        }
        Message::A64ScatteredWrite { element, count, simd, .. } => {
            let row = row(*simd)?;
            Lengths::exact(2 * row + row * dwords(*element, *count)?, 0)
        }
        Message::A64UntypedRead { simd, mask, .. } => {
            let row = row(*simd)?;
            Lengths::exact(2 * row, row * mask.count())
        }
        Message::A64UntypedWrite { simd, mask, .. } => {
            let row = row(*simd)?;
            Lengths::exact(2 * row + row * mask.count(), 0)
        }
        Message::A64Atomic { op, qword, return_data, .. } => {
            let size = if *qword { 2 } else { 1 };
            let response = if *return_data { size } else { 0 };
            Lengths::exact(2 + size * operands(*op)?, response)
        }
        Message::A64AtomicFloat { op, return_data, .. } => {
            Lengths::exact(2 + float_operands(*op)?, u32::from(*return_data))
        }
        Message::A64BlockRead { block: kind, size, .. } => {
            Lengths::exact(0, a64_block(*kind, *size)?)
        }
        Message::A64BlockWrite { block: kind, size, .. } => {
            Lengths::exact(a64_block(*kind, *size)?, 0)
        }
        Message::ScratchBlockRead { registers, .. } => Lengths::exact(0, u32::from(*registers)),
        Message::ScratchBlockWrite { registers, .. } => Lengths::exact(u32::from(*registers), 0),
        Message::Lsc { op, addr, data, vector, transpose, .. } => {
            let elements =
                if op.has_component_mask() { vector.count_ones() } else { u32::from(*vector) };
            lsc(*op, *addr, lsc_bytes(*data)?, elements, *transpose, channels)
        }
        _ => None,
    }
}

/// Number of registers that contain one dword per lane; `None` for SIMD4x2.
fn row(simd: SimdMode) -> Option<u32> {
    match simd {
        SimdMode::Simd4x2 => None,
        SimdMode::Simd8 => Some(1),
        SimdMode::Simd16 => Some(2),
    }
}

/// Number of registers of an OWord block.
fn block(size: OwordBlock) -> u32 {
    size.owords().div_ceil(2)
}

/// Lengths of an atomic whose operands take `row` registers each.
fn atomic(row: u32, operands: u32, return_data: bool) -> Option<Lengths> {
    Lengths::exact(row * (1 + operands), if return_data { row } else { 0 })
}

/// Number of data operands of an integer atomic; `None` for the operation with 64-bit operands.
fn operands(op: AtomicOp) -> Option<u32> {
    (op != AtomicOp::CmpWr2W).then(|| op.operands())
}

/// Number of data operands of a float atomic; `None` for operations with 64-bit operands.
fn float_operands(op: FloatAtomicOp) -> Option<u32> {
    let wide = matches!(op, FloatAtomicOp::Fadd64 | FloatAtomicOp::Fsub64);
    (!wide).then(|| op.operands())
}

/// Lengths of a typed message. It has one to four registers of coordinates, depending on the
/// surface.
fn typed(slots: SlotGroup, data: u32, response: u32) -> Option<Lengths> {
    (slots != SlotGroup::Simd4x2).then_some(Lengths { payload: (1 + data, 4 + data), response })
}

/// Number of dwords of data per lane.
fn dwords(element: A64Element, count: u8) -> Option<u32> {
    let count = u32::from(count);
    match element {
        A64Element::Byte => Some(count.div_ceil(4)),
        A64Element::Dword => Some(count),
        A64Element::Qword => Some(2 * count),
        A64Element::Hword => None,
    }
}

/// Number of registers of an A64 block.
fn a64_block(kind: A64Block, size: OwordBlock) -> Option<u32> {
    match kind {
        A64Block::OwordAligned | A64Block::OwordUnaligned => Some(block(size)),
        A64Block::DualBlock | A64Block::Hword => None,
    }
}

/// Size in bytes of an element in registers; `None` for sizes whose layout in registers is not
/// public.
fn lsc_bytes(data: LscDataSize) -> Option<u32> {
    match data {
        LscDataSize::D32 | LscDataSize::D8U32 | LscDataSize::D16U32 | LscDataSize::D16Bf32 => {
            Some(4)
        }
        LscDataSize::D64 => Some(8),
        LscDataSize::D8 | LscDataSize::D16 => None,
    }
}

/// Lengths of a load or store of the load/store cache; `None` for other operations.
fn lsc(
    op: LscOp,
    addr: LscAddrSize,
    bytes: u32,
    elements: u32,
    transpose: bool,
    channels: u32,
) -> Option<Lengths> {
    let lanes = if transpose { 1 } else { channels };
    let registers = |bytes: u32| (lanes * bytes).div_ceil(super::context::GRF);
    let address = match addr {
        LscAddrSize::A16 => return None,
        LscAddrSize::A32 => registers(4),
        LscAddrSize::A64 => registers(8),
    };
    // A transposed vector is packed. Otherwise each element of the vector starts at a new register.
    let data = if transpose { registers(bytes * elements) } else { registers(bytes) * elements };
    match op {
        LscOp::Load | LscOp::LoadCmask => Lengths::exact(address, data),
        LscOp::Store | LscOp::StoreCmask => Lengths::exact(address + data, 0),
        _ => None,
    }
}

/// Number of registers of one parameter of a sampler message; `None` for SIMD modes other than
/// SIMD8 and SIMD16.
pub(super) fn sampler_row(simd: SamplerSimd) -> Option<u32> {
    match simd {
        SamplerSimd::Simd8 => Some(1),
        SamplerSimd::Simd16 => Some(2),
        _ => None,
    }
}

/// Maximum number of parameters of a sampler operation, gen7 on. The last ones may be omitted.
pub(super) fn sampler_parameters(op: SamplerOp) -> Option<u32> {
    match op {
        SamplerOp::Sample | SamplerOp::SampleLz | SamplerOp::Lod | SamplerOp::Gather4 => Some(5),
        SamplerOp::SampleB | SamplerOp::SampleL | SamplerOp::SampleC | SamplerOp::SampleCLz => {
            Some(6)
        }
        SamplerOp::Gather4C => Some(5),
        SamplerOp::SampleBC | SamplerOp::SampleLC => Some(7),
        SamplerOp::SampleD | SamplerOp::SampleDC => Some(11),
        SamplerOp::Gather4Po => Some(5),
        SamplerOp::Gather4PoC => Some(6),
        SamplerOp::Ld | SamplerOp::LdLz | SamplerOp::LdMcs | SamplerOp::Ld2dss => Some(4),
        SamplerOp::ResInfo => Some(1),
        _ => None,
    }
}

/// Whether a message needs a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    /// It must.
    Needed,
    /// It must not.
    Forbidden,
    /// Both are allowed, or the requirement is not public.
    Free,
}

/// Whether a message needs a header on a device.
pub(super) fn header(message: &Message, device: &Device) -> Header {
    match message {
        Message::OwordBlockRead { .. }
        | Message::OwordBlockWrite { .. }
        | Message::OwordDualBlockRead { .. }
        | Message::OwordDualBlockWrite { .. }
        | Message::MediaBlockRead { .. }
        | Message::MediaBlockWrite { .. }
        | Message::A64BlockRead { .. }
        | Message::A64BlockWrite { .. }
        | Message::ScratchBlockRead { .. }
        | Message::ScratchBlockWrite { .. } => Header::Needed,
        Message::Sample { op: SamplerOp::SampleInfo, .. } => Header::Needed,
        Message::TypedRead { .. } | Message::TypedWrite { .. } | Message::TypedAtomic { .. } => {
            if device.typed_messages_need_header() {
                Header::Needed
            } else if device.generation() >= Gen::Gen11 {
                Header::Forbidden
            } else {
                Header::Free
            }
        }
        _ => Header::Free,
    }
}

/// Number of lanes of a message; `None` if it has no lanes, or for SIMD4x2.
pub(super) fn lanes(message: &Message) -> Option<u32> {
    match message {
        Message::DwordScatteredRead { simd, .. }
        | Message::DwordScatteredWrite { simd, .. }
        | Message::ByteScatteredRead { simd, .. }
        | Message::ByteScatteredWrite { simd, .. }
        | Message::UntypedRead { simd, .. }
        | Message::UntypedWrite { simd, .. }
        | Message::UntypedAtomic { simd, .. }
        | Message::UntypedAtomicFloat { simd, .. }
        | Message::A64ScatteredRead { simd, .. }
        | Message::A64ScatteredWrite { simd, .. }
        | Message::A64UntypedRead { simd, .. }
        | Message::A64UntypedWrite { simd, .. } => row(*simd).map(|row| 8 * row),
        Message::Sample { simd, .. } => sampler_row(*simd).map(|row| 8 * row),
        Message::TypedRead { .. }
        | Message::TypedWrite { .. }
        | Message::TypedAtomic { .. }
        | Message::A64Atomic { .. }
        | Message::A64AtomicFloat { .. } => Some(8),
        _ => None,
    }
}
