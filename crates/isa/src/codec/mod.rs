//! Encodes an [`Inst`] to its 128 bits and decodes it.
//!
//! Each format is one function that visits the fields of an instruction. The type parameter of
//! `walk::Walk` decides whether it encodes or decodes them. The functions are generic over the
//! layout of a generation, a column of the field table (`fields::Layout`), so that all bit
//! positions are compile-time constants.
//!
//! A decoder can also record the fields it visits. [`explain`] uses the record to list the fields
//! of an instruction and the bits that its format does not use; tests use it to check that no bit
//! belongs to two fields.
//!
//! Bits that no field represents are kept in [`Inst::residue`], as the exclusive or with the
//! canonical encoding, so that every decoded instruction encodes to the same bits.

mod branch;
mod common;
mod fields;
mod meaning;
mod mesa;
mod send;
mod three_src;
mod two_src;
mod walk;

pub use branch::has_uip;
pub(crate) use branch::scale;
pub(crate) use common::swsb_exists;
pub use meaning::{explain_inst, explain_message, meaning};
pub(crate) use mesa::{mesa_residue, unsigned_distance};
pub use walk::CodecError;

use crate::inst::Inst;
use crate::tables::{Form, Opcode};
use crestline_device::Gen;
use fields::{Field, Sources};
use walk::{Result, Walk};

/// Visits all fields of an instruction whose opcode is known.
fn walk<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    match i.opcode.form() {
        Form::Nullary => common::opcode::<L, _>(w, i),
        Form::One => two_src::one::<L, _>(w, i),
        Form::Two => two_src::two::<L, _>(w, i),
        Form::Three => three_src::three::<L, _>(w, i),
        Form::Math => two_src::math::<L, _>(w, i),
        Form::Jmpi => branch::jmpi::<L, _>(w, i),
        Form::BranchJip | Form::BranchJipUip => branch::branch::<L, _>(w, i),
        Form::Call => branch::call::<L, _>(w, i),
        Form::Ret => branch::ret::<L, _>(w, i),
        Form::MaskStack => branch::mask_stack::<L, _>(w, i),
        Form::Wait => send::wait::<L, _>(w, i),
        Form::Send => send::send::<L, _>(w, i),
        Form::Sends => send::sends::<L, _>(w, i),
        Form::Sync => send::sync::<L, _>(w, i),
        Form::Dpas => three_src::dpas::<L, _>(w, i),
        Form::Bfn => three_src::bfn::<L, _>(w, i),
    }
}

/// Runs [`walk`] with the layout of a generation.
fn walk_layout<const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    match w.generation() {
        Gen::Gen4 | Gen::Gen45 => walk::<fields::Gen4, E>(w, i),
        Gen::Gen5 => walk::<fields::Gen5, E>(w, i),
        Gen::Gen6 => walk::<fields::Gen6, E>(w, i),
        Gen::Gen7 | Gen::Gen75 => walk::<fields::Gen7, E>(w, i),
        Gen::Gen8 => walk::<fields::Gen8, E>(w, i),
        Gen::Gen9 | Gen::Gen11 => walk::<fields::Gen9, E>(w, i),
        Gen::Gen12 => walk::<fields::Gen12, E>(w, i),
        Gen::Gen125 => walk::<fields::Gen125, E>(w, i),
    }
}

/// Encodes an instruction in its full 128 bits, even if [`Inst::compacted`] is set.
///
/// # Errors
/// If the generation lacks the operation or the code of a value, a value does not fit its field,
/// the format cannot hold an operand, or the residue changes bits that belong to fields.
pub fn encode(inst: &Inst, generation: Gen) -> Result<u128> {
    if !inst.opcode.exists(generation) {
        return Err(CodecError::NoOpcode { opcode: inst.opcode.name(), generation });
    }
    let mut copy = inst.clone();
    let mut walk = Walk::encoder(generation);
    walk_layout(&mut walk, &mut copy)?;
    walk.encoded(inst.residue)
}

/// The operation of a full or compacted instruction.
fn opcode_of(bits: u128, generation: Gen) -> Result<Opcode> {
    let code = (bits & 0x7f) as u8;
    Opcode::from_bits(generation, code).ok_or(CodecError::UnknownOpcode { code, generation })
}

/// Decodes a full instruction.
///
/// # Errors
/// If the operation is not assigned on the generation or a field has a reserved code.
pub fn decode(bits: u128, generation: Gen) -> Result<Inst> {
    let mut inst = Inst::new(opcode_of(bits, generation)?);
    let mut walk = Walk::decoder(generation, bits);
    walk_layout(&mut walk, &mut inst)?;
    inst.residue = walk.residue();
    Ok(inst)
}

/// One field of an instruction, as [`explain`] lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldBits {
    /// Name of the field; empty for bits that the format does not use.
    pub name: &'static str,
    /// Ranges `(hi, lo)` of the 128-bit instruction, most significant part first.
    pub ranges: Vec<(u32, u32)>,
    /// Value, right aligned; for unused bits 0 if they are all clear, 1 otherwise.
    pub value: u64,
}

/// Lists every bit of a full instruction: the fields in the order of their lowest bits, then
/// the ranges that the format does not use, which have empty names.
///
/// # Errors
/// As [`decode`].
pub fn explain(bits: u128, generation: Gen) -> Result<Vec<FieldBits>> {
    let mut inst = Inst::new(opcode_of(bits, generation)?);
    let mut walk = Walk::tracer(generation, bits);
    walk_layout(&mut walk, &mut inst)?;
    let (mut fields, claimed) = walk.traced();
    fields.sort_by_key(|field| field.lowest_bit());
    let mut out: Vec<FieldBits> = fields.iter().map(|f| field_bits(*f, bits)).collect();
    out.extend(unused_ranges(claimed).map(|(hi, lo)| FieldBits {
        name: "",
        ranges: vec![(hi, lo)],
        value: u64::from(bits << (127 - hi) >> (127 - hi + lo) != 0),
    }));
    Ok(out)
}

/// Describes a field with its value in `bits`.
fn field_bits(field: Field, bits: u128) -> FieldBits {
    let parts = field.parts.iter().rev().filter(|(_, width)| *width != 0);
    FieldBits {
        name: field.name,
        ranges: parts.map(|(lo, width)| (lo + width - 1, *lo)).collect(),
        value: field.get(bits),
    }
}

/// The ranges `(hi, lo)` of consecutive bits that are clear in `claimed`, lowest first.
fn unused_ranges(claimed: u128) -> impl Iterator<Item = (u32, u32)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < 128 && claimed >> at & 1 != 0 {
            at += 1;
        }
        let lo = at;
        while at < 128 && claimed >> at & 1 == 0 {
            at += 1;
        }
        (lo < at).then(|| (at - 1, lo))
    })
}
