//! Compacted instructions: 64-bit forms of full instructions. Some bits are copied; groups of bits
//! with few common values (control, types, subregisters, regions) are replaced by an index into a
//! table of the hardware. For example, register files, types and destination stride have 21 bits in
//! a full instruction of gen8; the compacted form has a 5-bit index into a table of the 32 most
//! common values instead.
//!
//! The functions work on bits, not on [`Inst`](crate::Inst). An instruction has a compacted form
//! only if that form expands to exactly the same bits, so compaction cannot change what an
//! instruction does.

mod layout;
mod program;
mod tables;

pub use program::{
    ResizeError, compact_in_pairs, compact_program, expand_program, has_compact_form,
};

use crate::codec::CodecError;
use crate::inst::imm_size;
use crate::tables::{Form as OpForm, Opcode, Type};
use crestline_device::Gen;
use layout::{Form, ImmLayout};

/// The bit that is set in a compacted instruction and clear in a full one.
pub const COMPACT_BIT: u32 = 29;

/// Bit of the debug control: in the compacted two-source form, and in the full form.
const DEBUG_BITS: (u32, u32) = (7, 30);

/// Extracts the bits of a range `(lo, width)`.
fn field(bits: u64, (lo, width): (u32, u32)) -> u64 {
    bits >> lo & (u64::MAX >> (64 - width))
}

/// The layout of the compacted form of an operation; `None` if it has no compacted form.
fn form(op: Opcode, generation: Gen) -> Option<&'static Form> {
    match op.form() {
        OpForm::Three => layout::three_src(generation),
        OpForm::Dpas | OpForm::Bfn => None,
        _ => layout::two_src(generation),
    }
}

/// The type of the immediate of a full instruction with one or two sources; `None` if no source is
/// an immediate.
fn imm_type(bits: u128, generation: Gen) -> Option<Type> {
    let at = |lo: u32, width: u32| (bits >> lo) as u8 & (0xff >> (8 - width));
    // For both sources: whether it is an immediate, and the code of its type.
    let sources = match generation {
        Gen::Gen12 | Gen::Gen125 => [(at(46, 1) == 1, at(40, 4)), (at(47, 1) == 1, at(88, 4))],
        Gen::Gen8 | Gen::Gen9 | Gen::Gen11 => {
            [(at(41, 2) == 3, at(43, 4)), (at(89, 2) == 3, at(91, 4))]
        }
        _ => [(at(37, 2) == 3, at(39, 3)), (at(42, 2) == 3, at(44, 3))],
    };
    let code = sources.iter().find(|(is_imm, _)| *is_imm)?.1;
    // A reserved type code counts as UD here; the decoder reports it.
    Some(Type::from_imm_bits(generation, code).unwrap_or(Type::Ud))
}

/// Expands the immediate in `compact` to the 32 bits of the full form.
fn expand_imm(layout: ImmLayout, compact: u64, ty: Type) -> u32 {
    match layout {
        ImmLayout::Signed13 => {
            let c = (field(compact, (35, 5)) << 8 | field(compact, (56, 8))) as u32;
            ((c << 19) as i32 >> 19) as u32
        }
        ImmLayout::Typed12 => {
            let c = (field(compact, (56, 8)) << 4 | field(compact, (52, 4))) as u32;
            let signed = ((c << 20) as i32 >> 20) as u32;
            let twice = |half: u32| half & 0xffff | half << 16;
            match ty {
                Type::F => c << 20,
                Type::Hf => twice(c << 4),
                Type::Uw => twice(c),
                Type::D => signed,
                Type::W => twice(signed),
                _ => c,
            }
        }
    }
}

/// The inverse of [`expand_imm`]: the bits of the compacted form that hold the immediate. `None` if
/// no compacted immediate expands to `imm`.
fn compact_imm(layout: ImmLayout, imm: u32, ty: Type) -> Option<u64> {
    let bits = match layout {
        ImmLayout::Signed13 => {
            let c = u64::from(imm & 0x1fff);
            (c >> 8) << 35 | (c & 0xff) << 56
        }
        ImmLayout::Typed12 => {
            let c = u64::from(match ty {
                Type::F => imm >> 20,
                Type::Hf => imm >> 4 & 0xfff,
                _ => imm & 0xfff,
            });
            (c >> 4) << 56 | (c & 15) << 52
        }
    };
    (expand_imm(layout, bits, ty) == imm).then_some(bits)
}

/// Bits 127:96 of the full form, which hold a 32-bit immediate.
const IMM_MASK: u128 = (u32::MAX as u128) << 96;

/// Expands a compacted instruction to its full form, with the compaction marker clear.
///
/// # Errors
/// If the generation has no compacted form of the operation, or an index is reserved.
pub fn expand(compact: u64, generation: Gen) -> Result<u128, CodecError> {
    Ok(expand_exactly(compact, generation)?.0)
}

/// Expands as [`expand`] does. Also returns
/// [`Inst::compact_residue`](crate::Inst::compact_residue): the exclusive or of `compact` and the
/// form that [`compact`] chooses for the expanded instruction (0 if it chooses none).
pub(crate) fn expand_exactly(compact: u64, generation: Gen) -> Result<(u128, u64), CodecError> {
    let code = (compact & 0x7f) as u8;
    let op = Opcode::from_bits(generation, code)
        .ok_or(CodecError::UnknownOpcode { code, generation })?;
    let marker = 1 << COMPACT_BIT;
    if op.form() == OpForm::Nullary && compact & !(0x7f | 1 << DEBUG_BITS.0) == marker {
        let debug = compact >> DEBUG_BITS.0 & 1;
        let bits = u128::from(compact & 0x7f | debug << DEBUG_BITS.1);
        return Ok((bits, residue(compact, bits, generation)));
    }
    let form = form(op, generation).ok_or(CodecError::NotCompactable {
        opcode: op.name(),
        reason: "the generation has no such form",
    })?;
    let mut bits = 0;
    for copied in form.copied {
        bits |= u128::from(field(compact, (copied.compact, copied.width))) << copied.full;
    }
    for table in form.tables {
        let index = field(compact, table.index) as usize;
        let entry = table.entries.get(index).ok_or(CodecError::ReservedIndex {
            field: table.name,
            index: index as u32,
            bit: table.index.0,
        })?;
        bits |= entry;
    }
    let imm = imm_type(bits, generation).filter(|_| op.form() != OpForm::Three);
    if let (Some(layout), Some(ty)) = (form.imm, imm) {
        if imm_size(ty) == 8 {
            let reason = "a 64-bit immediate does not fit";
            return Err(CodecError::NotCompactable { opcode: op.name(), reason });
        }
        bits = bits & !IMM_MASK | u128::from(expand_imm(layout, compact, ty)) << 96;
    }
    // Most code contains the form that `compact` chooses: no unused bits set, and the first
    // suitable entry of each table. The residue is then 0; detecting this here is faster than
    // calling `compact`.
    let is_imm = imm.is_some();
    let chosen = compact & !form.used == 0
        && is_compacted(op)
        && (form.imm.is_some() || !is_imm)
        && form.tables.iter().all(|table| {
            let index = field(compact, table.index);
            table.is_first(index, is_imm) && !disputed(table.name, index as usize, generation)
        });
    Ok((bits, if chosen { 0 } else { residue(compact, bits, generation) }))
}

/// The exclusive or of a compacted form and of the form that [`compact`] chooses for the full
/// instruction `bits`.
fn residue(form: u64, bits: u128, generation: Gen) -> u64 {
    form ^ compact(bits, generation).unwrap_or(0)
}

/// Whether [`compact`] compacts the operation with the tables. It does not compact messages and
/// flow control, and operations without operands have a form without tables.
fn is_compacted(op: Opcode) -> bool {
    !op.is_send() && !op.is_flow_control() && op.form() != OpForm::Nullary
}

/// Compacts a full instruction, or returns `None` if no compacted instruction expands to it.
///
/// Messages and flow control are never compacted. The disputed entry of the gen7 subregister table
/// is not used.
pub fn compact(bits: u128, generation: Gen) -> Option<u64> {
    let op = Opcode::from_bits(generation, (bits & 0x7f) as u8)?;
    let marker = 1 << COMPACT_BIT;
    if op.form() == OpForm::Nullary && !op.is_flow_control() {
        let debug = (bits >> DEBUG_BITS.1 & 1) as u64;
        let nop = bits & !(1 << DEBUG_BITS.1) <= 0x7f;
        let exists = layout::two_src(generation).is_some();
        return (nop && exists).then_some((bits & 0x7f) as u64 | debug << DEBUG_BITS.0 | marker);
    }
    if !is_compacted(op) {
        return None;
    }
    let form = form(op, generation)?;
    let imm = match imm_type(bits, generation) {
        Some(ty) if op.form() != OpForm::Three => {
            if imm_size(ty) == 8 {
                return None;
            }
            Some(compact_imm(form.imm?, (bits >> 96) as u32, ty)?)
        }
        _ => None,
    };
    // An immediate occupies the bits of source 1; the parts of table entries for these bits do not
    // matter.
    let ignored = if imm.is_some() { IMM_MASK } else { 0 };
    let mut out = marker | imm.unwrap_or(0);
    let mut covered = ignored | u128::from(marker);
    for copied in form.copied {
        let mask = u128::from(u64::MAX >> (64 - copied.width)) << copied.full;
        if mask & ignored != 0 {
            continue;
        }
        out |= ((bits & mask) >> copied.full) as u64 * (1 << copied.compact);
        covered |= mask;
    }
    for table in form.tables {
        let mask = table.mask & !ignored;
        if mask == 0 {
            // The table is for source 1 only; its index field holds part of the immediate.
            continue;
        }
        let index = table.entries.iter().enumerate().position(|(index, entry)| {
            entry & mask == bits & mask && !disputed(table.name, index, generation)
        })?;
        out |= (index as u64) << table.index.0;
        covered |= mask;
    }
    (bits & !covered == 0).then_some(out)
}

/// Whether this is the table entry on which public sources disagree (see `docs/isa-notes.md`).
/// [`expand`] accepts it; [`compact`] does not use it.
fn disputed(table: &str, index: usize, generation: Gen) -> bool {
    table == "subregister" && index == 10 && matches!(generation, Gen::Gen7 | Gen::Gen75)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_are_the_difference_from_what_compaction_chooses() {
        for generation in Gen::ALL {
            let mut random = fastrand::Rng::with_seed(1);
            let mut chosen = 0;
            for _ in 0..1 << 16 {
                let word = random.u64(..) | 1 << COMPACT_BIT;
                let Ok((full, found)) = expand_exactly(word, generation) else { continue };
                assert_eq!(found, residue(word, full, generation), "{generation} {word:#018x}");
                chosen += usize::from(found == 0);
            }
            let exists = layout::two_src(generation).is_some();
            assert_eq!(chosen > 500, exists, "{generation}: {chosen} of the patterns");
        }
    }

    #[test]
    fn every_index_expands_and_compacts_to_the_same_meaning() {
        // Walk all control and datatype indices with a fixed rest.
        for generation in Gen::ALL {
            let Some(code) = Opcode::Add.bits(generation) else { continue };
            if layout::two_src(generation).is_none() {
                assert!(expand(u64::from(code) | 1 << COMPACT_BIT, generation).is_err());
                continue;
            }
            let mut random = fastrand::Rng::with_seed(2);
            let mut seen = 0;
            for _ in 0..1 << 15 {
                let word = random.u64(..) & !0x7f | u64::from(code) | 1 << COMPACT_BIT;
                let Ok(full) = expand(word, generation) else { continue };
                let Some(back) = compact(full, generation) else { continue };
                assert_eq!(expand(back, generation), Ok(full), "{generation} {word:#018x}");
                seen += 1;
            }
            assert!(seen > 1 << 11, "{generation}: only {seen} of the patterns compact");
        }
    }
}
