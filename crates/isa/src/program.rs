//! Whole programs: a sequence of full and compacted instructions.

use crate::codec::{CodecError, decode, encode};
use crate::compact::{self, COMPACT_BIT};
use crate::inst::Inst;
use crate::tables::Opcode;
use crestline_device::Gen;
use std::ops::Range;

/// Why a program and its instructions cannot be translated into each other.
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
    /// An instruction does not translate.
    #[error("byte {offset:#x}: {error}")]
    Inst {
        /// Where the instruction starts, in bytes.
        offset: usize,
        /// Why.
        error: CodecError,
    },
}

/// Decodes the instruction at the start of `bytes`, full or compacted
/// ([`Inst::compacted`] says which, [`Inst::size`] how long it is); `offset` is its place in the
/// program, for errors.
///
/// # Errors
/// If the bytes end within the instruction, or it does not decode.
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

/// Whether the instruction that starts with these bits is a compacted one.
fn is_compacted(low: u64, generation: Gen) -> bool {
    low >> COMPACT_BIT & 1 != 0 && generation != Gen::Gen4
}

/// Where the instructions of a program start, in bytes, from `start` on, and where the last one
/// ends (beyond the code if that is truncated). Zero bytes at the end that are too few for an
/// instruction are padding, and left out.
///
/// The size of an instruction is one bit of it, so that what follows one that does not decode is
/// found nevertheless.
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

/// The operation of the instruction at the start of `bytes`, full or compacted, if there is one.
pub(crate) fn opcode_at(bytes: &[u8], generation: Gen) -> Option<Opcode> {
    Opcode::from_bits(generation, bytes.first()? & 0x7f)
}

/// Decodes a program to its instructions with their byte offsets. Zero bytes at the end that
/// are too few for an instruction are padding, and left out.
///
/// # Errors
/// At the first instruction that does not decode.
pub fn decode_program(bytes: &[u8], generation: Gen) -> Result<Vec<(usize, Inst)>, ProgramError> {
    decode_each(bytes, 0, generation).map(|(at, inst)| Ok((at.start, inst?))).collect()
}

/// Decodes the instructions of `bytes` from `start` on, each with its place in bytes, and goes on
/// behind one that does not decode. Zero bytes at the end are treated as by [`decode_program`].
///
/// Places never overlap and lie within `bytes`; the last one is short where the code ends within
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

/// Encodes one instruction to `out`, in the form that [`Inst::compacted`] asks for.
///
/// # Errors
/// If it does not encode, or is to be compacted and has no compacted form.
pub fn encode_into(inst: &Inst, generation: Gen, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let bits = encode(inst, generation)?;
    if !inst.compacted {
        out.extend_from_slice(&bits.to_le_bytes());
        return Ok(());
    }
    out.extend_from_slice(&short_form(inst, bits, generation)?.to_le_bytes());
    Ok(())
}

/// The 64 bits of a compacted instruction whose full form is `bits`.
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

/// Encodes a program. Branch targets are taken as they are.
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
