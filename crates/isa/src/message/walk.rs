//! [`Walk`]: one pass over the fields of a descriptor and an extended descriptor, which encodes or
//! decodes them.

use super::codec::{DescriptorError, Result};
use super::enums::*;
use crestline_device::Gen;

/// Lowest descriptor bit of a binding table index. Code adds an index that is known only at run
/// time here.
pub const SURFACE_BIT: u32 = 0;
/// Lowest descriptor bit of a sampler state index. Code adds an index that is known only at run
/// time here.
pub const SAMPLER_BIT: u32 = 8;
/// Lowest descriptor bit of the number of a sample in a message to the pixel interpolator. Code adds
/// a number that is known only at run time here.
pub const SAMPLE_BIT: u32 = 4;

/// The two words of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The descriptor.
    Desc = 0,
    /// The extended descriptor.
    Ex = 1,
}

impl Word {
    /// Name in lower case: `desc` or `ex_desc`.
    pub fn name(self) -> &'static str {
        match self {
            Word::Desc => "desc",
            Word::Ex => "ex_desc",
        }
    }
}

/// One field of a descriptor, as [`Descriptor::explain`](super::Descriptor::explain) lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptorField {
    /// Name.
    pub name: &'static str,
    /// Word that holds it.
    pub word: Word,
    /// Highest bit.
    pub hi: u32,
    /// Lowest bit.
    pub lo: u32,
    /// Value, right aligned.
    pub value: u32,
    /// The name of a coded value; empty for numbers and flags.
    pub meaning: String,
}

/// One pass over the fields. If `encode`, its functions write their values to `words`; otherwise
/// they set the values from `words`.
pub(super) struct Walk {
    pub(super) generation: Gen,
    pub(super) encode: bool,
    pub(super) words: [u32; 2],
    /// Bits of the fields visited.
    pub(super) claimed: [u32; 2],
    /// Every field visited, if they are to be recorded.
    pub(super) trace: Option<Vec<DescriptorField>>,
}

impl Walk {
    /// A walk that encodes.
    pub(super) fn encoder(generation: Gen) -> Walk {
        Walk { generation, encode: true, words: [0; 2], claimed: [0; 2], trace: None }
    }

    /// A walk that decodes.
    pub(super) fn decoder(generation: Gen, words: [u32; 2]) -> Walk {
        Walk { generation, encode: false, words, claimed: [0; 2], trace: None }
    }

    /// Visits the bits `hi` to `lo` of a word.
    pub(super) fn bits(
        &mut self,
        field: &'static str,
        w: Word,
        hi: u32,
        lo: u32,
        v: &mut u32,
    ) -> Result<()> {
        let bits = hi - lo + 1;
        let mask = u32::MAX >> (32 - bits);
        debug_assert_eq!(self.claimed[w as usize] & mask << lo, 0, "{field} occurs twice");
        self.claimed[w as usize] |= mask << lo;
        if self.encode {
            if *v > mask {
                return Err(DescriptorError::TooWide { field, value: *v, bits });
            }
            self.words[w as usize] |= *v << lo;
        } else {
            *v = self.words[w as usize] >> lo & mask;
        }
        if let Some(trace) = &mut self.trace {
            let meaning = String::new();
            trace.push(DescriptorField { name: field, word: w, hi, lo, value: *v, meaning });
        }
        Ok(())
    }

    /// Records the name of the value of the last field visited.
    pub(super) fn means(&mut self, meaning: &dyn std::fmt::Debug) {
        if let Some(last) = self.trace.as_mut().and_then(|trace| trace.last_mut()) {
            last.meaning = format!("{meaning:?}");
        }
    }

    /// Visits a number of at most eight bits.
    pub(super) fn num(
        &mut self,
        field: &'static str,
        w: Word,
        hi: u32,
        lo: u32,
        v: &mut u8,
    ) -> Result<()> {
        let mut wide = u32::from(*v);
        self.bits(field, w, hi, lo, &mut wide)?;
        // Such fields are at most eight bits wide.
        *v = wide as u8;
        Ok(())
    }

    /// Visits a flag in the descriptor.
    pub(super) fn flag(&mut self, field: &'static str, bit: u32, v: &mut bool) -> Result<()> {
        let mut wide = u32::from(*v);
        self.bits(field, Word::Desc, bit, bit, &mut wide)?;
        *v = wide != 0;
        Ok(())
    }

    /// Visits a flag that exists only on some generations. Fails if it is set where it does not
    /// exist.
    pub(super) fn flag_if(
        &mut self,
        exists: bool,
        f: &'static str,
        bit: u32,
        v: &mut bool,
    ) -> Result<()> {
        if exists { self.flag(f, bit, v) } else { self.absent(f, *v) }
    }

    /// Fails if a field that does not exist on this generation is `set`.
    pub(super) fn absent(&self, field: &'static str, set: bool) -> Result<()> {
        if set { Err(self.no_code(field, &set)) } else { Ok(()) }
    }

    /// The error for a value without a code.
    pub(super) fn no_code(
        &self,
        field: &'static str,
        value: &dyn std::fmt::Debug,
    ) -> DescriptorError {
        DescriptorError::NoCode { field, value: format!("{value:?}"), generation: self.generation }
    }

    /// Visits a field of the descriptor with a list of values and codes.
    pub(super) fn coded<T: Copy + PartialEq + std::fmt::Debug>(
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
        self.means(v);
        Ok(())
    }

    /// Visits the binding table index.
    pub(super) fn bti(&mut self, bti: &mut Bti) -> Result<()> {
        self.num("bti", Word::Desc, SURFACE_BIT + 7, SURFACE_BIT, &mut bti.0)
    }

    /// Visits a component mask. In the hardware's field the disabled components are set.
    pub(super) fn mask(&mut self, mask: &mut ChannelMask) -> Result<()> {
        if mask.0 > 15 {
            let value = u32::from(mask.0);
            return Err(DescriptorError::TooWide { field: "channel mask", value, bits: 4 });
        }
        let mut disabled = !mask.0 & 15;
        self.num("channel mask", Word::Desc, 11, 8, &mut disabled)?;
        mask.0 = !disabled & 15;
        Ok(())
    }

    /// Visits the SIMD mode as one bit: SIMD8 or SIMD16.
    pub(super) fn simd16(&mut self, bit: u32, simd: &mut SimdMode) -> Result<()> {
        self.coded("simd mode", (bit, bit), simd, &[(SimdMode::Simd8, 0), (SimdMode::Simd16, 1)])
    }

    /// Visits the SIMD mode as two bits. SIMD4x2 exists up to gen11.
    pub(super) fn simd_2bit(&mut self, simd: &mut SimdMode) -> Result<()> {
        const CODES: &[(SimdMode, u32)] =
            &[(SimdMode::Simd4x2, 0), (SimdMode::Simd16, 1), (SimdMode::Simd8, 2)];
        let first = usize::from(self.generation >= Gen::Gen12);
        self.coded("simd mode", (13, 12), simd, &CODES[first..])
    }

    /// Visits the SIMD mode of an atomic message. SIMD4x2 has a message type of its own and no such
    /// field.
    pub(super) fn atomic_simd(&mut self, simd: &mut SimdMode) -> Result<()> {
        if *simd == SimdMode::Simd4x2 {
            return Ok(());
        }
        self.coded("simd mode", (12, 12), simd, &[(SimdMode::Simd16, 0), (SimdMode::Simd8, 1)])
    }

    /// Visits an integer atomic operation.
    pub(super) fn atomic_op(&mut self, op: &mut AtomicOp) -> Result<()> {
        // CmpWr2W, from gen7.5, has code 0; the others follow in order.
        let codes: Vec<(AtomicOp, u32)> = AtomicOp::ALL.iter().copied().zip(0..).collect();
        let first = usize::from(self.generation < Gen::Gen75);
        self.coded("atomic op", (11, 8), op, &codes[first..])
    }

    /// Visits a floating-point atomic operation.
    pub(super) fn float_op(&mut self, op: &mut FloatAtomicOp) -> Result<()> {
        let codes: Vec<(FloatAtomicOp, u32)> =
            FloatAtomicOp::ALL.iter().copied().zip(1..).collect();
        let count = if self.generation >= Gen::Gen125 { codes.len() } else { 3 };
        self.coded("atomic op", (10, 8), op, &codes[..count])
    }

    /// Visits the size of an OWord block.
    pub(super) fn block(&mut self, size: &mut OwordBlock) -> Result<()> {
        let codes: Vec<(OwordBlock, u32)> = OwordBlock::ALL.iter().copied().zip(0..).collect();
        let count = if self.generation >= Gen::Gen125 { 6 } else { 5 };
        self.coded("block size", (10, 8), size, &codes[..count])
    }

    /// Visits the size of a dual OWord block.
    pub(super) fn dual(&mut self, four: &mut bool) -> Result<()> {
        let mut owords = if *four { 4 } else { 1 };
        self.coded("block size", (9, 8), &mut owords, &[(1, 0), (4, 2)])?;
        *four = owords == 4;
        Ok(())
    }

    /// Visits the SIMD mode of a dword scattered message, encoded as a block size.
    pub(super) fn dwords(&mut self, simd: &mut SimdMode) -> Result<()> {
        self.coded("block size", (9, 8), simd, &[(SimdMode::Simd8, 2), (SimdMode::Simd16, 3)])
    }

    /// Visits the bytes per lane of a byte scattered message.
    pub(super) fn bytes(&mut self, size: &mut ByteSize) -> Result<()> {
        let codes = [(ByteSize::Byte, 0), (ByteSize::Word, 1), (ByteSize::Dword, 2)];
        self.coded("data size", (11, 10), size, &codes)
    }

    /// Visits the slots of a typed message: one bit on gen7, two bits later.
    pub(super) fn slots(&mut self, slots: &mut SlotGroup) -> Result<()> {
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

    /// Visits the flag "invalidate after read" (gen7 on).
    pub(super) fn invalidate(&mut self, invalidate: &mut bool) -> Result<()> {
        self.flag_if(self.generation >= Gen::Gen7, "invalidate after read", 13, invalidate)
    }

    /// Visits the swizzle of a URB message; a field of one bit cannot hold
    /// [`UrbSwizzle::Transpose`].
    pub(super) fn swizzle(&mut self, (hi, lo): (u32, u32), swizzle: &mut UrbSwizzle) -> Result<()> {
        let codes =
            [(UrbSwizzle::None, 0), (UrbSwizzle::Interleave, 1), (UrbSwizzle::Transpose, 2)];
        let count = if hi == lo { 2 } else { 3 };
        self.coded("swizzle", (hi, lo), swizzle, &codes[..count])
    }

    /// Visits the offset of a URB message.
    pub(super) fn urb_offset(&mut self, offset: &mut u16) -> Result<()> {
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
