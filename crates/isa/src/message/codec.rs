//! Between messages and descriptor bits: one walk per message, run in both directions.

use super::enums::*;
use super::kinds::Kind;
use super::{Descriptor, Message};
use crate::tables::{MathFn, Sfid};
use crestline_device::Gen;

/// Why a descriptor and a message cannot be translated into each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// A value does not fit its field.
    #[error("{field} is {value}, which does not fit in {bits} bits")]
    TooWide {
        /// Field.
        field: &'static str,
        /// Value.
        value: u32,
        /// Width of the field.
        bits: u32,
    },
    /// A named value has no code here.
    #[error("{field} cannot be {value} in this message on {generation}")]
    NoCode {
        /// Field.
        field: &'static str,
        /// Value, as Rust's debug output shows it.
        value: String,
        /// Generation.
        generation: Gen,
    },
    /// A code means nothing here.
    #[error("{field} has the reserved code {code} (descriptor {word}, bit {bit})")]
    BadCode {
        /// Field.
        field: &'static str,
        /// Code found.
        code: u32,
        /// `desc` or `ex_desc`.
        word: &'static str,
        /// Lowest bit of the field.
        bit: u32,
    },
    /// The generation has no such message.
    #[error("{message} does not exist on {generation}")]
    NoMessage {
        /// Message.
        message: &'static str,
        /// Generation.
        generation: Gen,
    },
    /// The message type is not assigned.
    #[error("{sfid} on {generation} has no message type {code}")]
    UnknownMessage {
        /// Shared function.
        sfid: &'static str,
        /// Generation.
        generation: Gen,
        /// Message type code.
        code: u32,
    },
    /// Bits are set that no field explains.
    #[error("{word} has bits {bits:#010x} set, which {message} does not use")]
    StrayBits {
        /// `desc` or `ex_desc`.
        word: &'static str,
        /// The bits.
        bits: u32,
        /// Message.
        message: &'static str,
    },
}

type Result<T> = std::result::Result<T, DescriptorError>;

/// Which of the two words a field is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Desc = 0,
    Ex = 1,
}

impl Word {
    fn name(self) -> &'static str {
        match self {
            Word::Desc => "desc",
            Word::Ex => "ex_desc",
        }
    }
}

/// One pass over the fields of a descriptor, reading or writing.
struct Walk {
    generation: Gen,
    encode: bool,
    words: [u32; 2],
    /// Bits that some field owns.
    claimed: [u32; 2],
}

impl Walk {
    fn bits(&mut self, field: &'static str, w: Word, hi: u32, lo: u32, v: &mut u32) -> Result<()> {
        let bits = hi - lo + 1;
        let mask = u32::MAX >> (32 - bits);
        debug_assert_eq!(self.claimed[w as usize] & mask << lo, 0, "{field} is claimed twice");
        self.claimed[w as usize] |= mask << lo;
        if self.encode {
            if *v > mask {
                return Err(DescriptorError::TooWide { field, value: *v, bits });
            }
            self.words[w as usize] |= *v << lo;
        } else {
            *v = self.words[w as usize] >> lo & mask;
        }
        Ok(())
    }

    fn num(&mut self, field: &'static str, w: Word, hi: u32, lo: u32, v: &mut u8) -> Result<()> {
        let mut wide = u32::from(*v);
        self.bits(field, w, hi, lo, &mut wide)?;
        // Fields read into bytes are at most eight bits wide.
        *v = wide as u8;
        Ok(())
    }

    fn flag(&mut self, field: &'static str, bit: u32, v: &mut bool) -> Result<()> {
        let mut wide = u32::from(*v);
        self.bits(field, Word::Desc, bit, bit, &mut wide)?;
        *v = wide != 0;
        Ok(())
    }

    /// A flag that exists only on some generations; elsewhere it must be false.
    fn flag_if(&mut self, exists: bool, f: &'static str, bit: u32, v: &mut bool) -> Result<()> {
        if exists { self.flag(f, bit, v) } else { self.absent(f, *v) }
    }

    /// A field that this generation does not have must be left at its neutral value.
    fn absent(&self, field: &'static str, set: bool) -> Result<()> {
        if set { Err(self.no_code(field, &set)) } else { Ok(()) }
    }

    fn no_code(&self, field: &'static str, value: &dyn std::fmt::Debug) -> DescriptorError {
        DescriptorError::NoCode { field, value: format!("{value:?}"), generation: self.generation }
    }

    /// A field whose codes are listed.
    fn coded<T: Copy + PartialEq + std::fmt::Debug>(
        &mut self,
        field: &'static str,
        (hi, lo): (u32, u32),
        v: &mut T,
        codes: &[(T, u32)],
    ) -> Result<()> {
        let mut code = 0;
        if self.encode {
            code =
                codes.iter().find(|(value, _)| value == v).ok_or_else(|| self.no_code(field, v))?.1;
        }
        self.bits(field, Word::Desc, hi, lo, &mut code)?;
        *v = codes
            .iter()
            .find(|(_, c)| *c == code)
            .ok_or(DescriptorError::BadCode { field, code, word: "desc", bit: lo })?
            .0;
        Ok(())
    }

    fn bti(&mut self, bti: &mut Bti) -> Result<()> {
        self.num("bti", Word::Desc, 7, 0, &mut bti.0)
    }

    /// Component mask: the hardware holds the disabled ones.
    fn mask(&mut self, mask: &mut ChannelMask) -> Result<()> {
        if mask.0 > 15 {
            let value = u32::from(mask.0);
            return Err(DescriptorError::TooWide { field: "channel mask", value, bits: 4 });
        }
        let mut disabled = !mask.0 & 15;
        self.num("channel mask", Word::Desc, 11, 8, &mut disabled)?;
        mask.0 = !disabled & 15;
        Ok(())
    }

    fn simd16(&mut self, bit: u32, simd: &mut SimdMode) -> Result<()> {
        self.coded("simd mode", (bit, bit), simd, &[(SimdMode::Simd8, 0), (SimdMode::Simd16, 1)])
    }

    fn simd_2bit(&mut self, simd: &mut SimdMode) -> Result<()> {
        const CODES: &[(SimdMode, u32)] =
            &[(SimdMode::Simd4x2, 0), (SimdMode::Simd16, 1), (SimdMode::Simd8, 2)];
        let first = usize::from(self.generation >= Gen::Gen12);
        self.coded("simd mode", (13, 12), simd, &CODES[first..])
    }

    /// Lanes of an atomic: a bit, or no field where the message type says SIMD4x2.
    fn atomic_simd(&mut self, simd: &mut SimdMode) -> Result<()> {
        if *simd == SimdMode::Simd4x2 {
            return Ok(());
        }
        self.coded("simd mode", (12, 12), simd, &[(SimdMode::Simd16, 0), (SimdMode::Simd8, 1)])
    }

    fn atomic_op(&mut self, op: &mut AtomicOp) -> Result<()> {
        // CmpWr2W is code 0, the rest follow in order.
        let codes: Vec<(AtomicOp, u32)> = AtomicOp::ALL.iter().copied().zip(0..).collect();
        let first = usize::from(self.generation < Gen::Gen75);
        self.coded("atomic op", (11, 8), op, &codes[first..])
    }

    fn float_op(&mut self, op: &mut FloatAtomicOp) -> Result<()> {
        let codes: Vec<(FloatAtomicOp, u32)> =
            FloatAtomicOp::ALL.iter().copied().zip(1..).collect();
        let count = if self.generation >= Gen::Gen125 { codes.len() } else { 3 };
        self.coded("atomic op", (10, 8), op, &codes[..count])
    }

    fn block(&mut self, size: &mut OwordBlock) -> Result<()> {
        let codes: Vec<(OwordBlock, u32)> = OwordBlock::ALL.iter().copied().zip(0..).collect();
        let count = if self.generation >= Gen::Gen125 { 6 } else { 5 };
        self.coded("block size", (10, 8), size, &codes[..count])
    }

    fn dual(&mut self, four: &mut bool) -> Result<()> {
        self.coded("block size", (9, 8), four, &[(false, 0), (true, 2)])
    }

    fn dwords(&mut self, simd: &mut SimdMode) -> Result<()> {
        self.coded("block size", (9, 8), simd, &[(SimdMode::Simd8, 2), (SimdMode::Simd16, 3)])
    }

    fn bytes(&mut self, size: &mut ByteSize) -> Result<()> {
        let codes = [(ByteSize::Byte, 0), (ByteSize::Word, 1), (ByteSize::Dword, 2)];
        self.coded("data size", (11, 10), size, &codes)
    }

    /// Typed slots: gen7 has one bit, later generations two.
    fn slots(&mut self, slots: &mut SlotGroup) -> Result<()> {
        if self.generation < Gen::Gen75 {
            return self.coded(
                "slot group",
                (13, 13),
                slots,
                &[(SlotGroup::Low, 0), (SlotGroup::High, 1)],
            );
        }
        let codes = [(SlotGroup::Simd4x2, 0), (SlotGroup::Low, 1), (SlotGroup::High, 2)];
        self.coded("slot group", (13, 12), slots, &codes)
    }

    fn invalidate(&mut self, invalidate: &mut bool) -> Result<()> {
        self.flag_if(self.generation >= Gen::Gen7, "invalidate after read", 13, invalidate)
    }

    fn swizzle(&mut self, (hi, lo): (u32, u32), swizzle: &mut UrbSwizzle) -> Result<()> {
        let codes =
            [(UrbSwizzle::None, 0), (UrbSwizzle::Interleave, 1), (UrbSwizzle::Transpose, 2)];
        let count = if hi == lo { 2 } else { 3 };
        self.coded("swizzle", (hi, lo), swizzle, &codes[..count])
    }

    fn urb_offset(&mut self, offset: &mut u16) -> Result<()> {
        let (hi, lo) = match self.generation {
            g if g < Gen::Gen7 => (9, 4),
            g if g < Gen::Gen8 => (13, 3),
            _ => (14, 4),
        };
        let mut wide = u32::from(*offset);
        self.bits("offset", Word::Desc, hi, lo, &mut wide)?;
        *offset = wide as u16;
        Ok(())
    }
}

/// Where the message type field is, for the shared functions that have one.
fn type_field(generation: Gen, sfid: Sfid) -> Option<(u32, u32)> {
    Some(match (sfid, generation) {
        (Sfid::DpRead, Gen::Gen4) => (13, 12),
        (Sfid::DpRead, _) => (13, 11),
        (Sfid::DpWrite, _) => (14, 12),
        (Sfid::DpSamplerCache | Sfid::ConstantCache | Sfid::RenderCache, Gen::Gen6) => (16, 13),
        (Sfid::RenderCache, _) => (17, 14),
        (Sfid::DpSamplerCache | Sfid::ConstantCache | Sfid::DataCache0, Gen::Gen7 | Gen::Gen75)
        | (Sfid::DataCache1, Gen::Gen75) => (17, 14),
        (Sfid::DpSamplerCache | Sfid::ConstantCache | Sfid::DataCache0 | Sfid::DataCache1, _) => {
            (18, 14)
        }
        _ => return None,
    })
}

/// Bit that marks a scratch block message of data cache port 0 (gen7 to gen12).
const SCRATCH: u32 = 1 << 18;

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
            Message::Other { .. } => "message",
        }
    }

    /// The message type, if the shared function's types are tabled.
    fn kind(&self) -> Option<Kind> {
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
            _ => return None,
        })
    }

    /// A message of a kind with neutral fields, for the decoder to fill.
    fn of_kind(kind: Kind, sfid: Sfid) -> Option<Message> {
        let bti = Bti(0);
        let simd = SimdMode::Simd8;
        let mask = ChannelMask(15);
        let size = OwordBlock::OneLow;
        let op = AtomicOp::Add;
        let fop = FloatAtomicOp::Fmax;
        let slots = SlotGroup::Low;
        let cache = cache_of(sfid);
        let invalidate = false;
        let return_data = false;
        let element = A64Element::Byte;
        let block = A64Block::OwordAligned;
        Some(match kind {
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
            Kind::Other => return None,
        })
    }

    /// The shared function the message goes to.
    pub fn sfid(&self, generation: Gen) -> Result<Sfid> {
        let missing = || DescriptorError::NoMessage { message: self.name(), generation };
        let sfid = match self {
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
                if !(Gen::Gen7..=Gen::Gen12).contains(&generation) {
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
            Message::ThreadSpawner { .. } => Sfid::ThreadSpawner,
            Message::Interpolate { .. } => Sfid::PixelInterpolator,
            Message::Lsc { space, .. } | Message::LscFence { space, .. } => match space {
                LscSpace::Untyped => Sfid::Ugm,
                LscSpace::Typed => Sfid::Tgm,
                LscSpace::Shared => Sfid::Slm,
            },
            Message::Other { sfid, .. } => *sfid,
            _ => self.kind().and_then(|kind| kind.home(generation)).ok_or_else(missing)?,
        };
        if sfid.bits(generation).is_none() {
            return Err(missing());
        }
        Ok(sfid)
    }

    /// A neutral message for the decoder to fill, chosen by the bits that say which it is.
    fn recognise(generation: Gen, sfid: Sfid, desc: u32) -> Result<Message> {
        let unknown =
            |code| DescriptorError::UnknownMessage { sfid: sfid.name(), generation, code };
        let other = Message::Other { sfid, function: 0, high: 0 };
        let scratch_gens = Gen::Gen7..=Gen::Gen12;
        if sfid == Sfid::DataCache0 && scratch_gens.contains(&generation) && desc & SCRATCH != 0 {
            let (registers, dword_mode, invalidate, hword_offset) = (1, false, false, 0);
            return Ok(if desc & 1 << 17 == 0 {
                Message::ScratchBlockRead { registers, dword_mode, invalidate, hword_offset }
            } else {
                Message::ScratchBlockWrite { registers, dword_mode, invalidate, hword_offset }
            });
        }
        if let Some((hi, lo)) = type_field(generation, sfid) {
            let code = desc >> lo & (u32::MAX >> (31 - (hi - lo)));
            let kind = Kind::from_code(generation, sfid, code).ok_or_else(|| unknown(code))?;
            return Ok(Message::of_kind(kind, sfid).unwrap_or(other));
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
                let read = |layout| Message::UrbRead { layout, offset, swizzle, per_slot_offset };
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
                    (6, g) if (Gen::Gen8..=Gen::Gen12).contains(&g) => atomic(UrbAtomicOp::Add),
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
            _ => other,
        })
    }

    /// Whether the header bit and the bindless offset belong to this message.
    fn is_lsc(&self) -> bool {
        matches!(self, Message::Lsc { .. } | Message::LscFence { .. })
    }

    /// Visits every field of the message's function control.
    fn walk(&mut self, w: &mut Walk) -> Result<()> {
        let generation = w.generation;
        if let Some(kind) = self.kind() {
            let sfid = self.sfid(generation)?;
            let missing = DescriptorError::NoMessage { message: self.name(), generation };
            let mut code = kind.code(generation, sfid).ok_or(missing)?;
            let (hi, lo) = type_field(generation, sfid).unwrap_or((18, 14));
            w.bits("message type", Word::Desc, hi, lo, &mut code)?;
        }
        match self {
            Message::OwordBlockRead { cache, bti, size, invalidate, unaligned: _ } => {
                w.bti(bti)?;
                w.block(size)?;
                target_cache(w, cache)?;
                w.invalidate(invalidate)
            }
            Message::OwordBlockWrite { bti, size } => {
                w.bti(bti)?;
                w.block(size)
            }
            Message::OwordDualBlockRead { cache, bti, four, invalidate } => {
                w.bti(bti)?;
                w.dual(four)?;
                target_cache(w, cache)?;
                w.invalidate(invalidate)
            }
            Message::OwordDualBlockWrite { bti, four } => {
                w.bti(bti)?;
                w.dual(four)
            }
            Message::DwordScatteredRead { cache, bti, simd, invalidate } => {
                w.bti(bti)?;
                w.dwords(simd)?;
                target_cache(w, cache)?;
                w.invalidate(invalidate)
            }
            Message::DwordScatteredWrite { bti, simd } => {
                w.bti(bti)?;
                w.dwords(simd)
            }
            Message::ByteScatteredRead { bti, simd, size }
            | Message::ByteScatteredWrite { bti, simd, size } => {
                w.bti(bti)?;
                w.simd16(8, simd)?;
                w.bytes(size)
            }
            Message::UntypedRead { bti, simd, mask }
            | Message::UntypedWrite { bti, simd, mask }
            | Message::A64UntypedRead { bti, simd, mask }
            | Message::A64UntypedWrite { bti, simd, mask } => {
                w.bti(bti)?;
                w.mask(mask)?;
                w.simd_2bit(simd)
            }
            Message::UntypedAtomic { bti, op, simd, return_data, word: _ }
            | Message::AtomicCounter { bti, op, simd, return_data } => {
                w.bti(bti)?;
                w.atomic_op(op)?;
                w.atomic_simd(simd)?;
                w.flag("return data", 13, return_data)
            }
            Message::UntypedAtomicFloat { bti, op, simd, return_data, half: _ } => {
                w.bti(bti)?;
                w.float_op(op)?;
                w.atomic_simd(simd)?;
                w.flag("return data", 13, return_data)
            }
            Message::TypedRead { bti, slots, mask } | Message::TypedWrite { bti, slots, mask } => {
                w.bti(bti)?;
                w.mask(mask)?;
                w.slots(slots)
            }
            Message::TypedAtomic { bti, op, slots, return_data } => {
                w.bti(bti)?;
                w.atomic_op(op)?;
                if *slots != SlotGroup::Simd4x2 {
                    let codes = [(SlotGroup::Low, 0), (SlotGroup::High, 1)];
                    w.coded("slot group", (12, 12), slots, &codes)?;
                }
                w.flag("return data", 13, return_data)
            }
            Message::MediaBlockRead { cache, bti, line_stride } => {
                w.bti(bti)?;
                target_cache(w, cache)?;
                w.num("line stride control", Word::Desc, 10, 8, line_stride)
            }
            Message::MediaBlockWrite { cache: _, bti, line_stride } => {
                w.bti(bti)?;
                w.num("line stride control", Word::Desc, 10, 8, line_stride)
            }
            Message::A64ScatteredRead { bti, element, count, simd }
            | Message::A64ScatteredWrite { bti, element, count, simd } => {
                w.bti(bti)?;
                let elements = [
                    (A64Element::Byte, 0),
                    (A64Element::Dword, 1),
                    (A64Element::Qword, 2),
                    (A64Element::Hword, 3),
                ];
                w.coded("element", (9, 8), element, &elements)?;
                w.coded("element count", (11, 10), count, &[(1, 0), (2, 1), (4, 2), (8, 3)])?;
                w.simd16(12, simd)
            }
            Message::A64Atomic { bti, op, qword, return_data, word } => {
                w.bti(bti)?;
                w.atomic_op(op)?;
                w.flag_if(!*word, "64-bit data", 12, qword)?;
                w.flag("return data", 13, return_data)
            }
            Message::A64AtomicFloat { bti, op, return_data, half: _ } => {
                w.bti(bti)?;
                w.float_op(op)?;
                w.flag("return data", 13, return_data)
            }
            Message::A64BlockRead { bti, block, size, invalidate } => {
                w.bti(bti)?;
                a64_block(w, block, size)?;
                w.invalidate(invalidate)
            }
            Message::A64BlockWrite { bti, block, size } => {
                w.bti(bti)?;
                a64_block(w, block, size)
            }
            Message::ScratchBlockRead { registers, dword_mode, invalidate, hword_offset } => {
                scratch(w, false, registers, dword_mode, invalidate, hword_offset)
            }
            Message::ScratchBlockWrite { registers, dword_mode, invalidate, hword_offset } => {
                scratch(w, true, registers, dword_mode, invalidate, hword_offset)
            }
            Message::MemoryFence { cache: _, bti, commit, l1_flush, l3_flush } => {
                w.flag("commit", 13, commit)?;
                if generation >= Gen::Gen11 {
                    w.bti(bti)?;
                    w.flag("L1 flush", 8, l1_flush)?;
                    return w.num("L3 flush", Word::Desc, 12, 9, l3_flush);
                }
                w.absent("bti", *bti != Bti(0))?;
                w.absent("L1 flush", *l1_flush)?;
                w.absent("L3 flush", *l3_flush != 0)
            }
            Message::RenderTargetWrite {
                bti,
                subtype,
                upper_slots,
                last,
                per_sample,
                coarse,
                half,
                commit,
                rt_index,
                src0_alpha,
                null_rt,
            } => {
                let subtypes = [
                    (RtSubtype::Simd16, 0),
                    (RtSubtype::Simd16Replicated, 1),
                    (RtSubtype::Simd8DualLow, 2),
                    (RtSubtype::Simd8DualHigh, 3),
                    (RtSubtype::Simd8, 4),
                    (RtSubtype::Simd8ImageWrite, 5),
                    (RtSubtype::Simd16ReplicatedAlt, 7),
                ];
                let gen6 = generation >= Gen::Gen6;
                w.bti(bti)?;
                w.coded("subtype", (10, 8), subtype, &subtypes[..if gen6 { 7 } else { 5 }])?;
                w.flag_if(gen6, "upper slots", 11, upper_slots)?;
                w.flag("last render target", if gen6 { 12 } else { 11 }, last)?;
                w.flag_if(generation >= Gen::Gen9, "per sample", 13, per_sample)?;
                w.flag_if(generation >= Gen::Gen11, "coarse pixel", 18, coarse)?;
                w.flag_if(generation >= Gen::Gen8, "16-bit data", 30, half)?;
                let commit_bit = if gen6 { 17 } else { 15 };
                w.flag_if(generation <= Gen::Gen6, "commit", commit_bit, commit)?;
                if generation < Gen::Gen11 {
                    let set = *rt_index != 0 || *src0_alpha || *null_rt;
                    return w.absent("render target in the extended descriptor", set);
                }
                w.num("render target index", Word::Ex, 14, 12, rt_index)?;
                let mut alpha = u32::from(*src0_alpha);
                w.bits("source 0 alpha", Word::Ex, 15, 15, &mut alpha)?;
                *src0_alpha = alpha != 0;
                let mut null = u32::from(*null_rt);
                w.bits("null render target", Word::Ex, 20, 20, &mut null)?;
                *null_rt = null != 0;
                Ok(())
            }
            Message::RenderTargetRead { bti, simd8, upper_slots, per_sample } => {
                w.bti(bti)?;
                w.flag("SIMD8", 8, simd8)?;
                w.flag("upper slots", 11, upper_slots)?;
                w.flag_if(generation >= Gen::Gen9, "per sample", 13, per_sample)
            }
            Message::Math { function, signed, partial, saturate, scalar } => {
                let codes: Vec<(MathFn, u32)> = MathFn::ALL
                    .iter()
                    .filter_map(|f| Some((*f, u32::from(f.bits(generation)?))))
                    .collect();
                w.coded("function", (3, 0), function, &codes)?;
                w.flag("signed", 4, signed)?;
                w.flag("partial precision", 5, partial)?;
                w.flag("saturate", 6, saturate)?;
                w.flag("scalar", 7, scalar)
            }
            Message::Sample { op, bti, sampler, simd, half_return } => {
                w.bti(bti)?;
                w.num("sampler", Word::Desc, 11, 8, sampler)?;
                let wide = generation >= Gen::Gen7;
                let types = sampler_types(generation);
                w.coded("sampler operation", if wide { (16, 12) } else { (15, 12) }, op, &types)?;
                sampler_simd(w, simd)?;
                w.flag_if(generation >= Gen::Gen8, "16-bit return", 30, half_return)
            }
            Message::SampleGen4 { msg_type, bti, sampler, return_format } => {
                if generation >= Gen::Gen5 {
                    let message = "gen4 sampler message";
                    return Err(DescriptorError::NoMessage { message, generation });
                }
                w.bti(bti)?;
                w.num("sampler", Word::Desc, 11, 8, sampler)?;
                w.num("return format", Word::Desc, 13, 12, return_format)?;
                w.num("message type", Word::Desc, 15, 14, msg_type)
            }
            Message::UrbWrite { .. }
            | Message::UrbRead { .. }
            | Message::UrbAtomic { .. }
            | Message::UrbFfSync { .. }
            | Message::UrbFence => self.walk_urb(w),
            Message::Gateway { function, notify } => {
                let codes: Vec<(GatewayFn, u32)> = GatewayFn::ALL
                    .iter()
                    .copied()
                    .zip(0..)
                    .filter(|(_, code)| gateway_exists(generation, *code))
                    .collect();
                let hi = if generation < Gen::Gen6 { 1 } else { 2 };
                w.coded("function", (hi, 0), function, &codes)?;
                // On gen4 and gen4.5 the response length begins at bit 16.
                if (Gen::Gen5..=Gen::Gen11).contains(&generation) {
                    return w.num("notify", Word::Desc, 16, 15, notify);
                }
                w.absent("notify", *notify != 0)
            }
            Message::ThreadSpawner { spawn, child, keep_urb } => {
                w.flag("spawn", 0, spawn)?;
                // The manuals drop these bits on gen11, but compilers still set bit 4 there.
                w.flag("child thread", 1, child)?;
                w.flag("keep URB handle", 4, keep_urb)
            }
            Message::Interpolate { at, data, upper_slots, linear, coarse, simd16 } => {
                let codes = [
                    (InterpolateAt::Offset, 0),
                    (InterpolateAt::Sample, 1),
                    (InterpolateAt::Centroid, 2),
                    (InterpolateAt::PerSlotOffset, 3),
                ];
                w.num("message data", Word::Desc, 7, 0, data)?;
                w.flag("upper slots", 11, upper_slots)?;
                w.coded("message type", (13, 12), at, &codes)?;
                w.flag("linear", 14, linear)?;
                w.flag_if(generation >= Gen::Gen11, "coarse pixel rate", 15, coarse)?;
                w.flag("SIMD16", 16, simd16)
            }
            Message::Lsc { .. } | Message::LscFence { .. } => self.walk_lsc(w),
            Message::Other { sfid: _, function, high } => {
                let hi = if generation < Gen::Gen5 { 15 } else { 18 };
                w.bits("function control", Word::Desc, hi, 0, function)?;
                if generation < Gen::Gen5 {
                    return w.absent("high bits", *high != 0);
                }
                w.num("high bits", Word::Desc, 31, 29, high)
            }
        }
    }

    fn walk_urb(&mut self, w: &mut Walk) -> Result<()> {
        let generation = w.generation;
        let gen7 = matches!(generation, Gen::Gen7 | Gen::Gen75);
        let old = generation < Gen::Gen7;
        let code_field = if gen7 { (2, 0) } else { (3, 0) };
        let missing = DescriptorError::NoMessage { message: self.name(), generation };
        let vec4 = generation <= Gen::Gen11;
        let mut code = match self {
            Message::UrbWrite { layout: UrbLayout::Hword, .. } if vec4 => 0,
            Message::UrbWrite { layout: UrbLayout::Oword, .. } if vec4 && !old => 1,
            Message::UrbFfSync { .. } if matches!(generation, Gen::Gen5 | Gen::Gen6) => 1,
            Message::UrbRead { layout: UrbLayout::Hword, .. } if vec4 && !old => 2,
            Message::UrbRead { layout: UrbLayout::Oword, .. } if vec4 && !old => 3,
            Message::UrbAtomic { op, .. } if !old && generation <= Gen::Gen12 => match op {
                UrbAtomicOp::Mov => 4,
                UrbAtomicOp::Inc => 5,
                UrbAtomicOp::Add if !gen7 => 6,
                UrbAtomicOp::Add => return Err(missing),
            },
            Message::UrbWrite { layout: UrbLayout::Simd8, .. } if !old && !gen7 => 7,
            Message::UrbRead { layout: UrbLayout::Simd8, .. } if !old && !gen7 => 8,
            Message::UrbFence if generation >= Gen::Gen125 => 9,
            _ => return Err(missing),
        };
        w.bits("opcode", Word::Desc, code_field.0, code_field.1, &mut code)?;
        let per_slot_bit = if gen7 { 16 } else { 17 };
        match self {
            Message::UrbWrite {
                layout,
                offset,
                swizzle,
                per_slot_offset,
                channel_mask,
                allocate,
                used,
                complete,
            } => {
                w.urb_offset(offset)?;
                if *layout == UrbLayout::Simd8 {
                    w.flag("channel mask", 15, channel_mask)?;
                    w.absent("swizzle", *swizzle != UrbSwizzle::None)?;
                } else {
                    let field = if old {
                        (11, 10)
                    } else if gen7 {
                        (14, 14)
                    } else {
                        (15, 15)
                    };
                    w.swizzle(field, swizzle)?;
                    w.absent("channel mask", *channel_mask)?;
                }
                w.flag_if(old, "allocate", 13, allocate)?;
                w.flag_if(old, "used", 14, used)?;
                w.flag_if(old || gen7, "complete", 15, complete)?;
                w.flag_if(!old, "per slot offset", per_slot_bit, per_slot_offset)
            }
            Message::UrbRead { layout, offset, swizzle, per_slot_offset } => {
                w.urb_offset(offset)?;
                if *layout == UrbLayout::Simd8 {
                    w.absent("swizzle", *swizzle != UrbSwizzle::None)?;
                } else {
                    w.swizzle(if gen7 { (14, 14) } else { (15, 15) }, swizzle)?;
                }
                w.flag("per slot offset", per_slot_bit, per_slot_offset)
            }
            Message::UrbAtomic { offset, per_slot_offset, op: _ } => {
                w.urb_offset(offset)?;
                w.flag("per slot offset", per_slot_bit, per_slot_offset)
            }
            Message::UrbFfSync { allocate, used, complete } => {
                w.flag("allocate", 13, allocate)?;
                w.flag("used", 14, used)?;
                w.flag("complete", 15, complete)
            }
            _ => Ok(()),
        }
    }

    fn walk_lsc(&mut self, w: &mut Walk) -> Result<()> {
        let addrs = [(LscAddrSize::A16, 1), (LscAddrSize::A32, 2), (LscAddrSize::A64, 3)];
        match self {
            Message::Lsc {
                space: _,
                op,
                addr,
                data,
                vector,
                transpose,
                cache,
                surface,
                bti,
                offset,
            } => {
                let ops: Vec<(LscOp, u32)> = lsc_ops().collect();
                w.coded("operation", (5, 0), op, &ops)?;
                w.coded("address size", (8, 7), addr, &addrs)?;
                let sizes: Vec<(LscDataSize, u32)> =
                    LscDataSize::ALL.iter().copied().zip(0..).collect();
                w.coded("data size", (11, 9), data, &sizes)?;
                if op.has_component_mask() {
                    w.num("component mask", Word::Desc, 15, 12, vector)?;
                    w.absent("transpose", *transpose)?;
                } else {
                    const LENGTHS: [(u8, u32); 8] =
                        [(1, 0), (2, 1), (3, 2), (4, 3), (8, 4), (16, 5), (32, 6), (64, 7)];
                    w.coded("vector size", (14, 12), vector, &LENGTHS)?;
                    w.flag("transpose", 15, transpose)?;
                }
                w.num("cache control", Word::Desc, 19, 17, cache)?;
                let surfaces: Vec<(LscSurface, u32)> =
                    LscSurface::ALL.iter().copied().zip(0..).collect();
                w.coded("surface type", (30, 29), surface, &surfaces)?;
                if *surface == LscSurface::Bti {
                    w.num("bti", Word::Ex, 31, 24, &mut bti.0)?;
                    return w.bits("base offset", Word::Ex, 23, 12, offset);
                }
                w.absent("bti", *bti != Bti(0))?;
                w.bits("offset", Word::Ex, 31, 12, offset)
            }
            Message::LscFence { space: _, addr, scope, flush, route_to_lsc } => {
                let mut op = 31;
                w.bits("operation", Word::Desc, 5, 0, &mut op)?;
                w.coded("address size", (8, 7), addr, &addrs)?;
                let scopes: Vec<(LscScope, u32)> = LscScope::ALL.iter().copied().zip(0..).collect();
                w.coded("scope", (11, 9), scope, &scopes)?;
                let flushes: Vec<(LscFlush, u32)> =
                    LscFlush::ALL.iter().copied().zip(0..).collect();
                w.coded("flush", (14, 12), flush, &flushes)?;
                w.flag("route to LSC", 18, route_to_lsc)
            }
            _ => Ok(()),
        }
    }
}

/// The cache that a shared function's reads go through; for gen4-5 the descriptor says.
fn cache_of(sfid: Sfid) -> Cache {
    match sfid {
        Sfid::DpSamplerCache => Cache::Sampler,
        Sfid::ConstantCache => Cache::Constant,
        Sfid::RenderCache => Cache::Render,
        _ => Cache::Data,
    }
}

/// Target cache field of gen4 and gen5; later the shared function says it.
fn target_cache(w: &mut Walk, cache: &mut Cache) -> Result<()> {
    if w.generation >= Gen::Gen6 {
        return Ok(());
    }
    let codes = [(Cache::Data, 0), (Cache::Render, 1), (Cache::Sampler, 2)];
    w.coded("target cache", (15, 14), cache, &codes)
}

fn a64_block(w: &mut Walk, block: &mut A64Block, size: &mut OwordBlock) -> Result<()> {
    let codes: Vec<(A64Block, u32)> = A64Block::ALL.iter().copied().zip(0..).collect();
    w.coded("block kind", (12, 11), block, &codes)?;
    w.block(size)
}

fn scratch(
    w: &mut Walk,
    write: bool,
    registers: &mut u8,
    dword_mode: &mut bool,
    invalidate: &mut bool,
    hword_offset: &mut u16,
) -> Result<()> {
    let mut category = 1;
    let mut direction = u32::from(write);
    w.bits("category", Word::Desc, 18, 18, &mut category)?;
    w.bits("write", Word::Desc, 17, 17, &mut direction)?;
    // Gen11 and gen12 manuals reserve this bit, but Intel's own compiler still sets it there.
    w.flag("dword mode", 16, dword_mode)?;
    w.flag("invalidate after read", 15, invalidate)?;
    let old = w.generation < Gen::Gen8;
    let codes: &[(u8, u32)] =
        if old { &[(1, 0), (2, 1), (4, 3)] } else { &[(1, 0), (2, 1), (4, 2), (8, 3)] };
    w.coded("registers", (13, 12), registers, codes)?;
    let mut offset = u32::from(*hword_offset);
    w.bits("offset", Word::Desc, 11, 0, &mut offset)?;
    *hword_offset = offset as u16;
    Ok(())
}

/// Sampler operations of a generation with their codes.
fn sampler_types(generation: Gen) -> Vec<(SamplerOp, u32)> {
    use SamplerOp::*;
    // operation, code, first and last generation
    const ROWS: &[(SamplerOp, u32, Gen, Gen)] = &[
        (Sample, 0, Gen::Gen5, Gen::Gen125),
        (SampleB, 1, Gen::Gen5, Gen::Gen125),
        (SampleL, 2, Gen::Gen5, Gen::Gen125),
        (SampleC, 3, Gen::Gen5, Gen::Gen125),
        (SampleD, 4, Gen::Gen5, Gen::Gen125),
        (SampleBC, 5, Gen::Gen5, Gen::Gen125),
        (SampleLC, 6, Gen::Gen5, Gen::Gen125),
        (Ld, 7, Gen::Gen5, Gen::Gen125),
        (Gather4, 8, Gen::Gen7, Gen::Gen125),
        (Lod, 9, Gen::Gen5, Gen::Gen125),
        (ResInfo, 10, Gen::Gen5, Gen::Gen125),
        (SampleInfo, 11, Gen::Gen6, Gen::Gen125),
        (KillPix, 12, Gen::Gen7, Gen::Gen125),
        (Gather4C, 16, Gen::Gen7, Gen::Gen125),
        (Gather4Po, 17, Gen::Gen7, Gen::Gen125),
        (Gather4PoC, 18, Gen::Gen7, Gen::Gen125),
        (SampleDC, 20, Gen::Gen75, Gen::Gen125),
        (SampleMin, 22, Gen::Gen9, Gen::Gen12),
        (SampleMax, 23, Gen::Gen9, Gen::Gen12),
        (SampleLz, 24, Gen::Gen9, Gen::Gen125),
        (SampleCLz, 25, Gen::Gen9, Gen::Gen125),
        (LdLz, 26, Gen::Gen9, Gen::Gen125),
        (Ld2dmsW, 28, Gen::Gen9, Gen::Gen125),
        (LdMcs, 29, Gen::Gen7, Gen::Gen125),
        (Ld2dms, 30, Gen::Gen7, Gen::Gen12),
        (Ld2dss, 31, Gen::Gen7, Gen::Gen12),
    ];
    ROWS.iter()
        .filter(|(_, _, from, to)| (*from..=*to).contains(&generation))
        .map(|(op, code, ..)| (*op, *code))
        .collect()
}

/// Sampler SIMD mode: bits 18:17 (gen5, 6: 17:16), from gen8 with bit 29 above them.
fn sampler_simd(w: &mut Walk, simd: &mut SamplerSimd) -> Result<()> {
    use SamplerSimd::*;
    let generation = w.generation;
    let codes: &[(SamplerSimd, u32)] = match generation {
        Gen::Gen11 | Gen::Gen12 => {
            &[(Simd4x2, 0), (Simd8, 1), (Simd16, 2), (Simd32, 3), (Simd8Half, 5), (Simd16Half, 6)]
        }
        Gen::Gen125 => &[
            (Simd4x2, 0),
            (Simd8, 1),
            (Simd16, 2),
            (Simd16IntReturn, 4),
            (Simd8Half, 5),
            (Simd16Half, 6),
        ],
        _ => &[(Simd4x2, 0), (Simd8, 1), (Simd16, 2), (Simd32, 3)],
    };
    let lo = if generation < Gen::Gen7 { 16 } else { 17 };
    let mut code = 0;
    if w.encode {
        code = codes
            .iter()
            .find(|(value, _)| value == simd)
            .ok_or_else(|| w.no_code("simd mode", simd))?
            .1;
    }
    let (mut low, mut high) = (code & 3, code >> 2);
    w.bits("simd mode", Word::Desc, lo + 1, lo, &mut low)?;
    if generation >= Gen::Gen8 {
        w.bits("simd mode", Word::Desc, 29, 29, &mut high)?;
    }
    let code = high << 2 | low;
    *simd = codes
        .iter()
        .find(|(_, c)| *c == code)
        .ok_or(DescriptorError::BadCode { field: "simd mode", code, word: "desc", bit: lo })?
        .0;
    Ok(())
}

fn gateway_exists(generation: Gen, code: u32) -> bool {
    match code {
        0 => generation <= Gen::Gen8 || generation == Gen::Gen125,
        1 | 2 => generation <= Gen::Gen8 || generation >= Gen::Gen12,
        3 => generation >= Gen::Gen6,
        4 => generation >= Gen::Gen7,
        5 => matches!(generation, Gen::Gen7 | Gen::Gen75 | Gen::Gen8),
        6 => matches!(generation, Gen::Gen7 | Gen::Gen75 | Gen::Gen8) || generation >= Gen::Gen12,
        _ => false,
    }
}

/// Load/store cache operations with their codes; the fence is a message of its own.
fn lsc_ops() -> impl Iterator<Item = (LscOp, u32)> {
    const CODES: [u32; 29] = [
        0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
        27, 28, 29, 30,
    ];
    LscOp::ALL.iter().copied().zip(CODES)
}

impl Descriptor {
    /// Reads a message from its descriptors.
    ///
    /// Bits 5 and 3:0 of `ex_desc`, where software that builds extended descriptors in a
    /// register repeats end-of-thread and function id, are ignored.
    ///
    /// # Errors
    /// If the shared function has no such message on the generation, a control has a reserved
    /// code, or a bit is set that no field of the message explains.
    pub fn decode(generation: Gen, sfid: Sfid, desc: u32, ex_desc: u32) -> Result<Descriptor> {
        let mut out = Descriptor {
            mlen: 0,
            ex_mlen: 0,
            rlen: 0,
            header_present: false,
            surface_offset: 0,
            message: Message::recognise(generation, sfid, desc)?,
        };
        let ex_desc = ex_desc & !0x2f;
        let mut walk = Walk { generation, encode: false, words: [desc, ex_desc], claimed: [0; 2] };
        out.walk(&mut walk)?;
        for word in [Word::Desc, Word::Ex] {
            let bits = walk.words[word as usize] & !walk.claimed[word as usize];
            if bits != 0 {
                let message = out.message.name();
                return Err(DescriptorError::StrayBits { word: word.name(), bits, message });
            }
        }
        Ok(out)
    }

    /// Writes the message as shared function, descriptor and extended descriptor.
    ///
    /// # Errors
    /// If a value does not fit its field or the generation lacks the message or a control.
    pub fn encode(&self, generation: Gen) -> Result<(Sfid, u32, u32)> {
        let sfid = self.message.sfid(generation)?;
        let mut copy = self.clone();
        let mut walk = Walk { generation, encode: true, words: [0; 2], claimed: [0; 2] };
        copy.walk(&mut walk)?;
        let [desc, ex_desc] = walk.words;
        Ok((sfid, desc, ex_desc))
    }

    /// Visits every field: the lengths, then those of the message.
    fn walk(&mut self, w: &mut Walk) -> Result<()> {
        let generation = w.generation;
        if generation < Gen::Gen5 {
            w.num("message length", Word::Desc, 23, 20, &mut self.mlen)?;
            w.num("response length", Word::Desc, 19, 16, &mut self.rlen)?;
            if w.encode {
                w.absent("missing header", !self.header_present)?;
            }
            self.header_present = true;
        } else {
            w.num("message length", Word::Desc, 28, 25, &mut self.mlen)?;
            w.num("response length", Word::Desc, 24, 20, &mut self.rlen)?;
            if self.message.is_lsc() {
                w.absent("header", self.header_present)?;
            } else {
                w.flag("header present", 19, &mut self.header_present)?;
            }
        }
        match generation {
            Gen::Gen9 | Gen::Gen11 => {
                w.num("second message length", Word::Ex, 9, 6, &mut self.ex_mlen)?;
            }
            Gen::Gen12 | Gen::Gen125 => {
                w.num("second message length", Word::Ex, 10, 6, &mut self.ex_mlen)?;
            }
            _ => w.absent("second message length", self.ex_mlen != 0)?,
        }
        let owns_offset = self.message.is_lsc()
            || generation >= Gen::Gen11
                && matches!(self.message, Message::RenderTargetWrite { .. });
        if generation >= Gen::Gen9 && !owns_offset {
            w.bits("surface offset", Word::Ex, 31, 12, &mut self.surface_offset)?;
        } else {
            w.absent("surface offset", self.surface_offset != 0)?;
        }
        self.message.walk(w)
    }
}
