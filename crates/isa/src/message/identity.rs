//! Determines the message type of a descriptor, and the shared function and the name of a message.

use super::Message;
use super::codec::{DescriptorError, Result};
use super::enums::*;
use super::kinds::{Kind, shared_function};
use crate::tables::{MathFn, Sfid};
use crestline_device::Gen;

/// The bits `(hi, lo)` of the message type field; `None` for shared functions whose message types
/// are not in the table of [`Kind`].
pub(super) fn type_field(generation: Gen, sfid: Sfid) -> Option<(u32, u32)> {
    Some(match (sfid, generation) {
        (Sfid::DpRead, Gen::Gen4) => (13, 12),
        (Sfid::DpRead, _) => (13, 11),
        (Sfid::DpWrite, _) => (14, 12),
        (Sfid::DpSamplerCache | Sfid::ConstantCache | Sfid::RenderCache, Gen::Gen6) => (16, 13),
        (Sfid::RenderCache, _) => (17, 14),
        (Sfid::DpSamplerCache | Sfid::ConstantCache | Sfid::DataCache0, Gen::Gen7 | Gen::Gen75)
        | (Sfid::DataCache1, Gen::Gen75) => (17, 14),
        (
            Sfid::DpSamplerCache
            | Sfid::ConstantCache
            | Sfid::DataCache0
            | Sfid::DataCache1
            | Sfid::DataCache2,
            _,
        ) => (18, 14),
        _ => return None,
    })
}

/// Bit that marks a scratch block message of data cache port 0 (gen7 on; `ocloc` uses it for
/// DG2 too).
const SCRATCH: u32 = 1 << 18;

/// The kinds of [`Message::Port`].
const PORT_OPS: [(PortOp, Kind); 8] = [
    (PortOp::UnormRead, Kind::UnormRead),
    (PortOp::LoopFilterRead, Kind::LoopFilterRead),
    (PortOp::VertexWrite, Kind::VertexWrite),
    (PortOp::UnormWrite, Kind::UnormWrite),
    (PortOp::FlushRenderCache, Kind::FlushRenderCache),
    (PortOp::DwordAtomicWrite, Kind::DwordAtomicWrite),
    (PortOp::SurfaceInfo, Kind::SurfaceInfo),
    (PortOp::TransposeRead, Kind::TransposeRead),
];

/// Bit that makes a write of gen4 to gen6 return a response when it is committed.
pub(super) fn commit_bit(generation: Gen) -> u32 {
    if generation >= Gen::Gen6 { 17 } else { 15 }
}

impl Message {
    /// The name used in errors and listings.
    pub fn name(&self) -> &'static str {
        match self {
            Message::OwordBlockRead { .. } => "oword block read",
            Message::OwordBlockWrite { .. } => "oword block write",
            Message::OwordDualBlockRead { .. } => "oword dual block read",
            Message::OwordDualBlockWrite { .. } => "oword dual block write",
            Message::DwordScatteredRead { .. } => "dword scattered read",
            Message::DwordScatteredWrite { .. } => "dword scattered write",
            Message::ByteScatteredRead { .. } => "byte scattered read",
            Message::ByteScatteredWrite { .. } => "byte scattered write",
            Message::UntypedRead { .. } => "untyped surface read",
            Message::UntypedWrite { .. } => "untyped surface write",
            Message::UntypedAtomic { .. } => "untyped atomic",
            Message::UntypedAtomicFloat { .. } => "untyped float atomic",
            Message::AtomicCounter { .. } => "atomic counter",
            Message::TypedRead { .. } => "typed surface read",
            Message::TypedWrite { .. } => "typed surface write",
            Message::TypedAtomic { .. } => "typed atomic",
            Message::MediaBlockRead { .. } => "media block read",
            Message::MediaBlockWrite { .. } => "media block write",
            Message::A64ScatteredRead { .. } => "A64 scattered read",
            Message::A64ScatteredWrite { .. } => "A64 scattered write",
            Message::A64UntypedRead { .. } => "A64 untyped surface read",
            Message::A64UntypedWrite { .. } => "A64 untyped surface write",
            Message::A64Atomic { .. } => "A64 atomic",
            Message::A64AtomicFloat { .. } => "A64 float atomic",
            Message::A64BlockRead { .. } => "A64 block read",
            Message::A64BlockWrite { .. } => "A64 block write",
            Message::ScratchBlockRead { .. } => "scratch block read",
            Message::ScratchBlockWrite { .. } => "scratch block write",
            Message::MemoryFence { .. } => "memory fence",
            Message::RenderTargetWrite { .. } => "render target write",
            Message::RenderTargetRead { .. } => "render target read",
            Message::Math { .. } => "math",
            Message::Sample { .. } | Message::SampleGen4 { .. } => "sampler message",
            Message::UrbWrite { .. } => "URB write",
            Message::UrbRead { .. } => "URB read",
            Message::UrbAtomic { .. } => "URB atomic",
            Message::UrbFfSync { .. } => "fixed function sync",
            Message::UrbFence => "URB fence",
            Message::Gateway { .. } => "gateway message",
            Message::ThreadSpawner { .. } => "thread spawner message",
            Message::Interpolate { .. } => "pixel interpolator message",
            Message::Lsc { .. } => "load/store cache message",
            Message::LscFence { .. } => "load/store cache fence",
            Message::QwordScatteredRead { .. } => "qword scattered read",
            Message::QwordScatteredWrite { .. } => "qword scattered write",
            Message::HwordBlockWrite { .. } => "hword block write",
            Message::TypedReadStatus { .. } => "typed surface read with status",
            Message::TypedAtomicWord { .. } => "typed 16-bit atomic",
            Message::AtomicCounterWord { .. } => "16-bit atomic counter",
            Message::A64Atomic4x2 { .. } => "A64 SIMD4x2 atomic",
            Message::A64AtomicFloat4x2 { .. } => "A64 SIMD4x2 float atomic",
            Message::Port { op, .. } => match op {
                PortOp::UnormRead => "render target unorm read",
                PortOp::LoopFilterRead => "AVC loop filter read",
                PortOp::VertexWrite => "streamed vertex buffer write",
                PortOp::UnormWrite => "render target unorm write",
                PortOp::FlushRenderCache => "render cache flush",
                PortOp::DwordAtomicWrite => "dword atomic write",
                PortOp::SurfaceInfo => "surface info read",
                PortOp::TransposeRead => "transpose read",
            },
            Message::Committed(inner) => inner.name(),
            Message::Scaled(inner) => match **inner {
                Message::UntypedRead { .. } => "scaled untyped surface read",
                Message::UntypedWrite { .. } => "scaled untyped surface write",
                Message::ByteScatteredRead { .. } => "scaled byte scattered read",
                Message::ByteScatteredWrite { .. } => "scaled byte scattered write",
                Message::A64UntypedRead { .. } => "scaled A64 untyped surface read",
                Message::A64UntypedWrite { .. } => "scaled A64 untyped surface write",
                Message::A64ScatteredRead { .. } => "scaled A64 scattered read",
                Message::A64ScatteredWrite { .. } => "scaled A64 scattered write",
                _ => "scaled message",
            },
            Message::MotionEstimation { .. } => "motion estimation",
            Message::Refinement { .. } => "check and refinement",
            Message::BindlessSpawn { .. } => "bindless thread spawn",
            Message::TraceRay { .. } => "ray trace",
            Message::Null { .. } => "null message",
        }
    }

    /// The kind of the message in the table of message types; `None` for messages that are not
    /// in the table.
    pub(super) fn kind(&self) -> Option<Kind> {
        Some(match self {
            Message::OwordBlockRead { unaligned: false, .. } => Kind::OwordBlockRead,
            Message::OwordBlockRead { unaligned: true, .. } => Kind::OwordBlockUnalignedRead,
            Message::OwordBlockWrite { .. } => Kind::OwordBlockWrite,
            Message::OwordDualBlockRead { .. } => Kind::OwordDualBlockRead,
            Message::OwordDualBlockWrite { .. } => Kind::OwordDualBlockWrite,
            Message::DwordScatteredRead { .. } => Kind::DwordScatteredRead,
            Message::DwordScatteredWrite { .. } => Kind::DwordScatteredWrite,
            Message::ByteScatteredRead { .. } => Kind::ByteScatteredRead,
            Message::ByteScatteredWrite { .. } => Kind::ByteScatteredWrite,
            Message::UntypedRead { .. } => Kind::UntypedRead,
            Message::UntypedWrite { .. } => Kind::UntypedWrite,
            Message::UntypedAtomic { word: true, .. } => Kind::UntypedAtomicWord,
            Message::UntypedAtomic { simd: SimdMode::Simd4x2, .. } => Kind::UntypedAtomic4x2,
            Message::UntypedAtomic { .. } => Kind::UntypedAtomic,
            Message::UntypedAtomicFloat { half: true, .. } => Kind::UntypedAtomicHalf,
            Message::UntypedAtomicFloat { simd: SimdMode::Simd4x2, .. } => {
                Kind::UntypedAtomicFloat4x2
            }
            Message::UntypedAtomicFloat { .. } => Kind::UntypedAtomicFloat,
            Message::AtomicCounter { simd: SimdMode::Simd4x2, .. } => Kind::AtomicCounter4x2,
            Message::AtomicCounter { .. } => Kind::AtomicCounter,
            Message::TypedRead { .. } => Kind::TypedRead,
            Message::TypedWrite { .. } => Kind::TypedWrite,
            Message::TypedAtomic { slots: SlotGroup::Simd4x2, .. } => Kind::TypedAtomic4x2,
            Message::TypedAtomic { .. } => Kind::TypedAtomic,
            Message::MediaBlockRead { .. } => Kind::MediaBlockRead,
            Message::MediaBlockWrite { .. } => Kind::MediaBlockWrite,
            Message::A64ScatteredRead { .. } => Kind::A64ScatteredRead,
            Message::A64ScatteredWrite { .. } => Kind::A64ScatteredWrite,
            Message::A64UntypedRead { .. } => Kind::A64UntypedRead,
            Message::A64UntypedWrite { .. } => Kind::A64UntypedWrite,
            Message::A64Atomic { word: true, .. } => Kind::A64AtomicWord,
            Message::A64Atomic { .. } => Kind::A64Atomic,
            Message::A64AtomicFloat { half: true, .. } => Kind::A64AtomicHalf,
            Message::A64AtomicFloat { .. } => Kind::A64AtomicFloat,
            Message::A64BlockRead { .. } => Kind::A64BlockRead,
            Message::A64BlockWrite { .. } => Kind::A64BlockWrite,
            Message::MemoryFence { .. } => Kind::MemoryFence,
            Message::RenderTargetWrite { .. } => Kind::RenderTargetWrite,
            Message::RenderTargetRead { .. } => Kind::RenderTargetRead,
            Message::QwordScatteredRead { .. } => Kind::QwordScatteredRead,
            Message::QwordScatteredWrite { .. } => Kind::QwordScatteredWrite,
            Message::HwordBlockWrite { .. } => Kind::HwordBlockWrite,
            Message::TypedReadStatus { .. } => Kind::TypedReadStatus,
            Message::TypedAtomicWord { .. } => Kind::TypedAtomicWord,
            Message::AtomicCounterWord { .. } => Kind::AtomicCounterWord,
            Message::A64Atomic4x2 { .. } => Kind::A64Atomic4x2,
            Message::A64AtomicFloat4x2 { .. } => Kind::A64AtomicFloat4x2,
            Message::Port { op, .. } => PORT_OPS.iter().find(|(o, _)| o == op)?.1,
            _ => return None,
        })
    }

    /// A message of a kind with default fields, which the decoder then sets.
    fn of_kind(kind: Kind, port: Sfid) -> Message {
        let bti = Bti(0);
        let simd = SimdMode::Simd8;
        let mask = ChannelMask(15);
        let size = OwordBlock::OneLow;
        let op = AtomicOp::Add;
        let fop = FloatAtomicOp::Fmax;
        let slots = SlotGroup::Low;
        let cache = cache_of(port);
        let invalidate = false;
        let return_data = false;
        let element = A64Element::Byte;
        let block = A64Block::OwordAligned;
        let legacy = false;
        match kind {
            Kind::OwordBlockRead => {
                Message::OwordBlockRead { cache, bti, size, unaligned: false, invalidate }
            }
            Kind::OwordBlockUnalignedRead => {
                Message::OwordBlockRead { cache, bti, size, unaligned: true, invalidate }
            }
            Kind::OwordBlockWrite => Message::OwordBlockWrite { bti, size },
            Kind::OwordDualBlockRead => {
                Message::OwordDualBlockRead { cache, bti, four: false, invalidate }
            }
            Kind::OwordDualBlockWrite => Message::OwordDualBlockWrite { bti, four: false },
            Kind::DwordScatteredRead => {
                Message::DwordScatteredRead { cache, bti, simd, invalidate }
            }
            Kind::DwordScatteredWrite => Message::DwordScatteredWrite { bti, simd },
            Kind::ByteScatteredRead => {
                Message::ByteScatteredRead { bti, simd, size: ByteSize::Byte }
            }
            Kind::ByteScatteredWrite => {
                Message::ByteScatteredWrite { bti, simd, size: ByteSize::Byte }
            }
            Kind::UntypedRead => Message::UntypedRead { bti, simd, mask },
            Kind::UntypedWrite => Message::UntypedWrite { bti, simd, mask },
            Kind::UntypedAtomic => {
                Message::UntypedAtomic { bti, op, simd, return_data, word: false }
            }
            Kind::UntypedAtomic4x2 => {
                let simd = SimdMode::Simd4x2;
                Message::UntypedAtomic { bti, op, simd, return_data, word: false }
            }
            Kind::UntypedAtomicWord => {
                Message::UntypedAtomic { bti, op, simd, return_data, word: true }
            }
            Kind::UntypedAtomicFloat => {
                Message::UntypedAtomicFloat { bti, op: fop, simd, return_data, half: false }
            }
            Kind::UntypedAtomicFloat4x2 => {
                let simd = SimdMode::Simd4x2;
                Message::UntypedAtomicFloat { bti, op: fop, simd, return_data, half: false }
            }
            Kind::UntypedAtomicHalf => {
                Message::UntypedAtomicFloat { bti, op: fop, simd, return_data, half: true }
            }
            Kind::AtomicCounter => Message::AtomicCounter { bti, op, simd, return_data },
            Kind::AtomicCounter4x2 => {
                Message::AtomicCounter { bti, op, simd: SimdMode::Simd4x2, return_data }
            }
            Kind::TypedRead => Message::TypedRead { bti, slots, mask },
            Kind::TypedWrite => Message::TypedWrite { bti, slots, mask },
            Kind::TypedAtomic => Message::TypedAtomic { bti, op, slots, return_data },
            Kind::TypedAtomic4x2 => {
                Message::TypedAtomic { bti, op, slots: SlotGroup::Simd4x2, return_data }
            }
            Kind::MediaBlockRead => Message::MediaBlockRead { cache, bti, line_stride: 0 },
            Kind::MediaBlockWrite => Message::MediaBlockWrite { cache, bti, line_stride: 0 },
            Kind::A64ScatteredRead => Message::A64ScatteredRead { bti, element, count: 1, simd },
            Kind::A64ScatteredWrite => Message::A64ScatteredWrite { bti, element, count: 1, simd },
            Kind::A64UntypedRead => Message::A64UntypedRead { bti, simd, mask },
            Kind::A64UntypedWrite => Message::A64UntypedWrite { bti, simd, mask },
            Kind::A64Atomic => {
                Message::A64Atomic { bti, op, qword: false, return_data, word: false }
            }
            Kind::A64AtomicWord => {
                Message::A64Atomic { bti, op, qword: false, return_data, word: true }
            }
            Kind::A64AtomicFloat => {
                Message::A64AtomicFloat { bti, op: fop, return_data, half: false }
            }
            Kind::A64AtomicHalf => {
                Message::A64AtomicFloat { bti, op: fop, return_data, half: true }
            }
            Kind::A64BlockRead => Message::A64BlockRead { bti, block, size, invalidate },
            Kind::A64BlockWrite => Message::A64BlockWrite { bti, block, size },
            Kind::MemoryFence => {
                Message::MemoryFence { cache, bti, commit: false, l1_flush: false, l3_flush: 0 }
            }
            Kind::RenderTargetWrite => Message::RenderTargetWrite {
                bti,
                subtype: RtSubtype::Simd16,
                upper_slots: false,
                last: false,
                per_sample: false,
                coarse: false,
                half: false,
                commit: false,
                rt_index: 0,
                src0_alpha: false,
                null_rt: false,
            },
            Kind::RenderTargetRead => Message::RenderTargetRead {
                bti,
                simd8: false,
                upper_slots: false,
                per_sample: false,
            },
            Kind::QwordScatteredRead => Message::QwordScatteredRead { bti, simd, count: 1, legacy },
            Kind::QwordScatteredWrite => {
                Message::QwordScatteredWrite { bti, simd, count: 1, legacy }
            }
            Kind::HwordBlockWrite => Message::HwordBlockWrite { bti, size },
            Kind::TypedReadStatus => Message::TypedReadStatus { bti, slots, mask },
            Kind::TypedAtomicWord => Message::TypedAtomicWord { bti, op, slots, return_data },
            Kind::AtomicCounterWord => Message::AtomicCounterWord { bti, op, simd, return_data },
            Kind::A64Atomic4x2 => Message::A64Atomic4x2 { bti, op, qword: false, return_data },
            Kind::A64AtomicFloat4x2 => Message::A64AtomicFloat4x2 { bti, op: fop, return_data },
            Kind::UnormRead
            | Kind::LoopFilterRead
            | Kind::VertexWrite
            | Kind::UnormWrite
            | Kind::FlushRenderCache
            | Kind::DwordAtomicWrite
            | Kind::SurfaceInfo
            | Kind::TransposeRead => {
                let op = PORT_OPS.iter().find(|(_, k)| *k == kind);
                let op = op.map_or(PortOp::SurfaceInfo, |(op, _)| *op);
                Message::Port { op, cache: Cache::Data, bti, control: 0, commit: false }
            }
        }
    }

    /// Whether the message is a write that can be [`Message::Committed`] on this generation.
    pub(super) fn can_commit(&self, generation: Gen) -> bool {
        generation <= Gen::Gen6
            && matches!(
                self,
                Message::OwordBlockWrite { .. }
                    | Message::OwordDualBlockWrite { .. }
                    | Message::DwordScatteredWrite { .. }
                    | Message::MediaBlockWrite { .. }
            )
    }

    /// The shared function that the message is sent to.
    ///
    /// # Errors
    /// If the generation lacks the message.
    pub fn sfid(&self, generation: Gen) -> Result<Sfid> {
        Ok(shared_function(self.port(generation)?, generation))
    }

    /// The port of the message: the shared function whose table of message types applies. It can
    /// differ from [`Message::sfid`], see [`shared_function`].
    pub(super) fn port(&self, generation: Gen) -> Result<Sfid> {
        let missing = || DescriptorError::NoMessage { message: self.name(), generation };
        let port = match self {
            Message::OwordBlockRead { cache, .. }
            | Message::OwordDualBlockRead { cache, .. }
            | Message::DwordScatteredRead { cache, .. } => match cache {
                _ if generation < Gen::Gen6 => Sfid::DpRead,
                Cache::Data => Sfid::DataCache0,
                Cache::Sampler => Sfid::DpSamplerCache,
                Cache::Constant => Sfid::ConstantCache,
                Cache::Render => Sfid::RenderCache,
            },
            Message::MediaBlockRead { cache, .. } => match cache {
                _ if generation < Gen::Gen6 => Sfid::DpRead,
                Cache::Data => Sfid::DataCache1,
                Cache::Sampler => Sfid::DpSamplerCache,
                Cache::Constant => Sfid::ConstantCache,
                Cache::Render => Sfid::RenderCache,
            },
            Message::MediaBlockWrite { cache, .. } => match cache {
                _ if generation < Gen::Gen6 => Sfid::DpWrite,
                Cache::Render => Sfid::RenderCache,
                _ => Sfid::DataCache1,
            },
            Message::MemoryFence { cache: Cache::Render, .. } => Sfid::RenderCache,
            Message::MemoryFence { .. } => Sfid::DataCache0,
            Message::ScratchBlockRead { .. } | Message::ScratchBlockWrite { .. } => {
                if generation < Gen::Gen7 {
                    return Err(missing());
                }
                Sfid::DataCache0
            }
            Message::Math { .. } => Sfid::Math,
            Message::Sample { .. } | Message::SampleGen4 { .. } => Sfid::Sampler,
            Message::UrbWrite { .. }
            | Message::UrbRead { .. }
            | Message::UrbAtomic { .. }
            | Message::UrbFfSync { .. }
            | Message::UrbFence => Sfid::Urb,
            Message::Gateway { .. } => Sfid::Gateway,
            Message::ThreadSpawner { .. } if generation == Gen::Gen125 => Sfid::BindlessDispatch,
            Message::ThreadSpawner { .. } => Sfid::ThreadSpawner,
            Message::Interpolate { .. } => Sfid::PixelInterpolator,
            Message::Lsc { space, .. } | Message::LscFence { space, .. } => match space {
                LscSpace::Untyped => Sfid::Ugm,
                LscSpace::Typed => Sfid::Tgm,
                LscSpace::Shared => Sfid::Slm,
            },
            Message::Committed(inner) => return inner.port(generation),
            Message::Scaled(_) => Sfid::DataCache2,
            Message::MotionEstimation { .. } => Sfid::Vme,
            Message::Refinement { .. } => Sfid::Cre,
            Message::BindlessSpawn { .. } => Sfid::BindlessDispatch,
            Message::TraceRay { .. } => Sfid::RayTrace,
            Message::Null { .. } => Sfid::Null,
            _ => self.kind().and_then(|kind| kind.default_port(generation)).ok_or_else(missing)?,
        };
        if shared_function(port, generation).bits(generation).is_none() {
            return Err(missing());
        }
        Ok(port)
    }

    /// Determines the message variant from the bits of `desc`. The fields of the result have
    /// default values, which the decoder then sets.
    pub(super) fn recognise(generation: Gen, sfid: Sfid, desc: u32) -> Result<Message> {
        let unknown =
            |code| DescriptorError::UnknownMessage { sfid: sfid.name(), generation, code };
        if sfid == Sfid::DataCache0 && generation >= Gen::Gen7 && desc & SCRATCH != 0 {
            let (registers, dword_mode, invalidate, hword_offset) = (1, false, false, 0);
            return Ok(if desc & 1 << 17 == 0 {
                Message::ScratchBlockRead { registers, dword_mode, invalidate, hword_offset }
            } else {
                Message::ScratchBlockWrite { registers, dword_mode, invalidate, hword_offset }
            });
        }
        if let Some((hi, lo)) = type_field(generation, sfid) {
            let code = desc >> lo & (u32::MAX >> (31 - (hi - lo)));
            let (kind, port) =
                Kind::from_code(generation, sfid, code).ok_or_else(|| unknown(code))?;
            let message = Message::of_kind(kind, port);
            let commit = desc >> commit_bit(generation) & 1 != 0;
            return Ok(match port {
                Sfid::DataCache2 => Message::Scaled(Box::new(message)),
                _ if commit && message.can_commit(generation) => {
                    Message::Committed(Box::new(message))
                }
                _ => message,
            });
        }
        let offset = 0;
        let per_slot_offset = false;
        let swizzle = UrbSwizzle::None;
        Ok(match sfid {
            Sfid::Math => Message::Math {
                function: MathFn::Inv,
                signed: false,
                partial: false,
                saturate: false,
                scalar: false,
            },
            Sfid::Sampler if generation < Gen::Gen5 => {
                Message::SampleGen4 { msg_type: 0, bti: Bti(0), sampler: 0, return_format: 0 }
            }
            Sfid::Sampler => Message::Sample {
                op: SamplerOp::Sample,
                bti: Bti(0),
                sampler: 0,
                simd: SamplerSimd::Simd8,
                half_return: false,
            },
            Sfid::Urb => {
                let code = desc & if matches!(generation, Gen::Gen7 | Gen::Gen75) { 7 } else { 15 };
                let write = |layout| Message::UrbWrite {
                    layout,
                    offset,
                    swizzle,
                    per_slot_offset,
                    channel_mask: false,
                    allocate: false,
                    used: false,
                    complete: false,
                };
                let complete = false;
                let read = |layout| Message::UrbRead {
                    layout,
                    offset,
                    swizzle,
                    per_slot_offset,
                    complete,
                };
                let atomic = |op| Message::UrbAtomic { op, offset, per_slot_offset };
                match (code, generation) {
                    (0, g) if g <= Gen::Gen11 => write(UrbLayout::Hword),
                    (1, Gen::Gen5 | Gen::Gen6) => {
                        Message::UrbFfSync { allocate: false, used: false, complete: false }
                    }
                    (1, g) if (Gen::Gen7..=Gen::Gen11).contains(&g) => write(UrbLayout::Oword),
                    (2, g) if (Gen::Gen7..=Gen::Gen11).contains(&g) => read(UrbLayout::Hword),
                    (3, g) if (Gen::Gen7..=Gen::Gen11).contains(&g) => read(UrbLayout::Oword),
                    (4, g) if (Gen::Gen7..=Gen::Gen12).contains(&g) => atomic(UrbAtomicOp::Mov),
                    (5, g) if (Gen::Gen7..=Gen::Gen12).contains(&g) => atomic(UrbAtomicOp::Inc),
                    (6, g) if (Gen::Gen75..=Gen::Gen12).contains(&g) => atomic(UrbAtomicOp::Add),
                    (7, g) if g >= Gen::Gen8 => write(UrbLayout::Simd8),
                    (8, g) if g >= Gen::Gen8 => read(UrbLayout::Simd8),
                    (9, Gen::Gen125) => Message::UrbFence,
                    _ => return Err(unknown(code)),
                }
            }
            Sfid::Gateway => Message::Gateway { function: GatewayFn::Barrier, notify: 0 },
            Sfid::ThreadSpawner => {
                Message::ThreadSpawner { spawn: false, child: false, keep_urb: false }
            }
            Sfid::PixelInterpolator => Message::Interpolate {
                at: InterpolateAt::Offset,
                data: 0,
                upper_slots: false,
                linear: false,
                coarse: false,
                simd16: false,
            },
            Sfid::Tgm | Sfid::Slm | Sfid::Ugm => {
                let space = match sfid {
                    Sfid::Tgm => LscSpace::Typed,
                    Sfid::Slm => LscSpace::Shared,
                    _ => LscSpace::Untyped,
                };
                if desc & 63 == 31 {
                    Message::LscFence {
                        space,
                        addr: LscAddrSize::A32,
                        scope: LscScope::ThreadGroup,
                        flush: LscFlush::None,
                        route_to_lsc: false,
                    }
                } else {
                    let op = lsc_ops()
                        .find(|(_, code)| *code == desc & 63)
                        .ok_or_else(|| unknown(desc & 63))?
                        .0;
                    let surface = match desc >> 29 & 3 {
                        0 => LscSurface::Flat,
                        1 => LscSurface::Bss,
                        2 => LscSurface::Ss,
                        _ => LscSurface::Bti,
                    };
                    Message::Lsc {
                        space,
                        op,
                        addr: LscAddrSize::A32,
                        data: LscDataSize::D32,
                        vector: 1,
                        transpose: false,
                        cache: 0,
                        surface,
                        bti: Bti(0),
                        offset: 0,
                    }
                }
            }
            Sfid::Vme => Message::MotionEstimation {
                bti: Bti(0),
                search_path: 0,
                lut_subindex: 0,
                kind: 0,
                stream_out: false,
                stream_in: false,
            },
            Sfid::Cre => Message::Refinement { bti: Bti(0), kind: 0 },
            Sfid::BindlessDispatch | Sfid::RayTrace => match (sfid, desc >> 14 & 15) {
                // On the first gen12.5 devices compilers end threads with the message of the thread
                // spawner, as on gen12.
                (Sfid::BindlessDispatch, 0) => {
                    Message::ThreadSpawner { spawn: false, child: false, keep_urb: false }
                }
                (Sfid::BindlessDispatch, 1) => Message::BindlessSpawn { simd16: false },
                (Sfid::RayTrace, 0) => Message::TraceRay { simd16: false },
                (_, code) => return Err(unknown(code)),
            },
            _ => Message::Null { function: 0, high: 0 },
        })
    }
}

/// The cache of a shared function's reads. On gen4 and gen5 the descriptor contains it, see
/// `target_cache`.
fn cache_of(sfid: Sfid) -> Cache {
    match sfid {
        Sfid::DpSamplerCache => Cache::Sampler,
        Sfid::ConstantCache => Cache::Constant,
        Sfid::RenderCache => Cache::Render,
        _ => Cache::Data,
    }
}

/// Load/store cache operations with their codes, without the fence, which is [`Message::LscFence`].
pub(super) fn lsc_ops() -> impl Iterator<Item = (LscOp, u32)> {
    const CODES: [u32; 29] = [
        0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
        27, 28, 29, 30,
    ];
    LscOp::ALL.iter().copied().zip(CODES)
}
