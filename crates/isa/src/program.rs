//! Whole programs: sequences of full and compacted instructions, to and from bytes.

use crate::codec::{CodecError, decode, encode};
use crate::compact::{self, COMPACT_BIT};
use crate::inst::Inst;
use crate::tables::Opcode;
use crestline_device::Gen;
use std::ops::Range;

/// Why a program does not encode or decode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// The code ends within an instruction.
    #[error("byte {offset:#x}: the code ends within an instruction ({left} bytes left)")]
    Truncated {
        /// Where the instruction starts, in bytes.
        offset: usize,
        /// Bytes left there.
        left: usize,
    },
    /// An instruction does not encode or decode.
    #[error("byte {offset:#x}: {error}")]
    Inst {
        /// Where the instruction starts, in bytes.
        offset: usize,
        /// Why.
        error: CodecError,
    },
}

/// Decodes the instruction at the start of `bytes`. [`Inst::compacted`] says whether it was
/// compacted, [`Inst::size`] how many bytes it has. `offset` is its place in the program, for
/// errors.
pub fn decode_at(bytes: &[u8], offset: usize, generation: Gen) -> Result<Inst, ProgramError> {
    let truncated = ProgramError::Truncated { offset, left: bytes.len() };
    let Some(low) = bytes.first_chunk::<8>() else { return Err(truncated) };
    let low = u64::from_le_bytes(*low);
    let wrap = |error| ProgramError::Inst { offset, error };
    if is_compacted(low, generation) {
        let (bits, residue) = compact::expand_exactly(low, generation).map_err(wrap)?;
        let mut inst = decode(bits, generation).map_err(wrap)?;
        inst.compacted = true;
        inst.compact_residue = residue;
        return Ok(inst);
    }
    let Some(full) = bytes.first_chunk::<16>() else { return Err(truncated) };
    decode(u128::from_le_bytes(*full), generation).map_err(wrap)
}

/// Whether the instruction with the low 64 bits `low` is compacted.
fn is_compacted(low: u64, generation: Gen) -> bool {
    low >> COMPACT_BIT & 1 != 0 && generation != Gen::Gen4
}

/// Returns the byte offset of each instruction from `start` on, and last the end of the last
/// instruction, which is beyond the code if that is truncated. Zero bytes at the end that are too
/// few for an instruction are padding and ignored.
///
/// One bit of an instruction determines its size, so this also works for instructions that do not
/// decode.
pub(crate) fn boundaries(bytes: &[u8], start: usize, generation: Gen) -> Vec<usize> {
    let mut out = Vec::with_capacity(bytes.len().saturating_sub(start) / 12);
    let mut offset = start;
    out.push(offset);
    while let Some(rest) = bytes.get(offset..) {
        if rest.len() < 16 && rest.iter().all(|byte| *byte == 0) {
            break;
        }
        let low = rest.first_chunk().map_or(0, |low| u64::from_le_bytes(*low));
        offset += if is_compacted(low, generation) { 8 } else { 16 };
        out.push(offset);
    }
    out
}

/// The operation of the full or compacted instruction at the start of `bytes`; `None` if `bytes` is
/// empty or the code is not assigned.
pub(crate) fn opcode_at(bytes: &[u8], generation: Gen) -> Option<Opcode> {
    Opcode::from_bits(generation, bytes.first()? & 0x7f)
}

/// Decodes a program to its instructions with their byte offsets. Zero bytes at the end that are
/// too few for an instruction are padding and ignored.
///
/// # Errors
/// At the first instruction that does not decode.
pub fn decode_program(bytes: &[u8], generation: Gen) -> Result<Vec<(usize, Inst)>, ProgramError> {
    decode_each(bytes, 0, generation).map(|(at, inst)| Ok((at.start, inst?))).collect()
}

/// Decodes the instructions of `bytes` from `start` on. Each item is the byte range of an
/// instruction and the instruction, or the error if it does not decode; decoding continues behind
/// it. Zero bytes at the end are treated as by [`decode_program`].
///
/// The ranges do not overlap and lie within `bytes`. The last one is short if the code ends within
/// an instruction.
pub fn decode_each(
    bytes: &[u8],
    start: usize,
    generation: Gen,
) -> impl Iterator<Item = (Range<usize>, Result<Inst, ProgramError>)> {
    let boundaries = boundaries(bytes, start, generation);
    (1..boundaries.len()).map(move |n| {
        let (offset, end) = (boundaries[n - 1], boundaries[n].min(bytes.len()));
        (offset..end, decode_at(&bytes[offset..], offset, generation))
    })
}

/// Instructions with their byte offsets.
pub type Instructions = Vec<(usize, Inst)>;

/// The byte range of an instruction that does not decode, and the error.
pub type Hole = (Range<usize>, ProgramError);

/// Decodes the instructions of `bytes` from `start` on. Instructions that do not decode are replaced by illegal
/// instructions of the same size, so that jump targets stay the same, and listed in the order of their offsets.
pub fn decode_around(bytes: &[u8], start: usize, generation: Gen) -> (Instructions, Vec<Hole>) {
    let (mut insts, mut holes) = (Vec::new(), Vec::new());
    for (at, inst) in decode_each(bytes, start, generation) {
        let offset = at.start;
        let inst = inst.unwrap_or_else(|error| {
            let compacted = at.len() <= 8;
            holes.push((at, error));
            Inst { compacted, ..Inst::new(Opcode::Illegal) }
        });
        insts.push((offset, inst));
    }
    (insts, holes)
}

/// Encodes one instruction and appends it to `out`: 8 bytes if [`Inst::compacted`], otherwise 16.
///
/// # Errors
/// If it does not encode, or [`Inst::compacted`] is set and it has no compacted form.
pub fn encode_into(inst: &Inst, generation: Gen, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let bits = encode(inst, generation)?;
    if !inst.compacted {
        out.extend_from_slice(&bits.to_le_bytes());
        return Ok(());
    }
    out.extend_from_slice(&short_form(inst, bits, generation)?.to_le_bytes());
    Ok(())
}

/// The 64-bit form of an instruction whose full form is `bits`, with its [`Inst::compact_residue`]
/// applied. A residue must give a form that expands to `bits` again.
fn short_form(inst: &Inst, bits: u128, generation: Gen) -> Result<u64, CodecError> {
    let canonical = compact::compact(bits, generation);
    if let (Some(short), 0) = (canonical, inst.compact_residue) {
        return Ok(short);
    }
    let short = canonical.unwrap_or(0) ^ inst.compact_residue;
    if inst.compact_residue != 0 && compact::expand(short, generation) == Ok(bits) {
        return Ok(short);
    }
    let reason = "its bits match no table entry";
    Err(CodecError::NotCompactable { opcode: inst.opcode.name(), reason })
}

/// Encodes a program. Branch targets are encoded unchanged: they must already fit the sizes of the
/// compacted instructions.
///
/// # Errors
/// At the first instruction that does not encode.
pub fn encode_program(insts: &[Inst], generation: Gen) -> Result<Vec<u8>, ProgramError> {
    let mut out = Vec::with_capacity(insts.len() * 16);
    for inst in insts {
        let offset = out.len();
        encode_into(inst, generation, &mut out)
            .map_err(|error| ProgramError::Inst { offset, error })?;
    }
    Ok(out)
}
