//! [`Walk`]: one pass over the fields of an instruction, which encodes or decodes them.
//!
//! A format is described by one function that visits its fields, such as `w.flag(L::SATURATE, &mut
//! i.saturate)`. With `Walk<true>` the call writes the value to the field's bits; with
//! `Walk<false>` it sets the value from the bits, and can record which bits belong to which field.

use super::fields::Field;
use crestline_device::Gen;

/// Why an instruction does not encode or decode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// A value does not fit its field.
    #[error("{field} is {value}, which does not fit in {bits} bits")]
    TooWide {
        /// Field.
        field: &'static str,
        /// Value, in the field's own unit.
        value: i64,
        /// Width of the field.
        bits: u32,
    },
    /// A value has no code on this generation.
    #[error("{field} has no code for this {what} on {generation}")]
    NoCode {
        /// Field.
        field: &'static str,
        /// What the value is.
        what: &'static str,
        /// Generation.
        generation: Gen,
    },
    /// A code is not assigned on this generation.
    #[error("bit {bit}: {field} has the reserved code {code:#x}")]
    Reserved {
        /// Field.
        field: &'static str,
        /// Code found.
        code: u64,
        /// Lowest bit of the field in the instruction.
        bit: u32,
    },
    /// The operation does not exist on this generation.
    #[error("{opcode} does not exist on {generation}")]
    NoOpcode {
        /// Mnemonic.
        opcode: &'static str,
        /// Generation.
        generation: Gen,
    },
    /// No operation has this code.
    #[error("bit 0: no operation has code {code} on {generation}")]
    UnknownOpcode {
        /// Code found.
        code: u8,
        /// Generation.
        generation: Gen,
    },
    /// The instruction lacks an operand or property that the operation requires, or has one that
    /// the operation cannot have.
    #[error("{opcode} {rule}")]
    Shape {
        /// Mnemonic.
        opcode: &'static str,
        /// What is expected.
        rule: &'static str,
    },
    /// The residue changes bits that belong to a field.
    #[error("the extra bits {bits:#034x} overlap bits of fields")]
    Residue {
        /// The offending bits.
        bits: u128,
    },
    /// The compacted form has no expansion.
    #[error("bit {bit}: {field} index {index} of the compacted form is reserved")]
    ReservedIndex {
        /// Field.
        field: &'static str,
        /// Index found.
        index: u32,
        /// Lowest bit of the field in the compacted instruction.
        bit: u32,
    },
    /// The instruction has no compacted form.
    #[error("{opcode} has no compacted form: {reason}")]
    NotCompactable {
        /// Mnemonic.
        opcode: &'static str,
        /// What does not match.
        reason: &'static str,
    },
}

pub(super) type Result<T> = std::result::Result<T, CodecError>;

/// One pass over the fields. The `value` parameters of its functions are read when encoding and
/// written when decoding.
pub(super) struct Walk<const ENCODE: bool> {
    generation: Gen,
    bits: u128,
    /// Bits of the fields visited. When encoding, without fields of fixed values, which a residue
    /// may change.
    claimed: u128,
    /// When encoding, bits of the fields of fixed values, where the background does not apply.
    fixed: u128,
    /// When decoding, exclusive or of the fields of fixed values with their canonical values.
    residue: u128,
    /// Canonical value of the bits that no field owns.
    background: u128,
    /// Every field visited, if they are to be recorded.
    trace: Option<Vec<Field>>,
}

impl Walk<true> {
    /// A walk that writes bits.
    pub(super) fn encoder(generation: Gen) -> Walk<true> {
        Walk::new(generation, 0, None)
    }
}

impl Walk<false> {
    /// A walk that reads bits.
    pub(super) fn decoder(generation: Gen, bits: u128) -> Walk<false> {
        Walk::new(generation, bits, None)
    }

    /// A walk that reads bits and records the fields.
    pub(super) fn tracer(generation: Gen, bits: u128) -> Walk<false> {
        Walk::new(generation, bits, Some(Vec::new()))
    }
}

impl<const ENCODE: bool> Walk<ENCODE> {
    fn new(generation: Gen, bits: u128, trace: Option<Vec<Field>>) -> Walk<ENCODE> {
        Walk { generation, bits, claimed: 0, fixed: 0, residue: 0, background: 0, trace }
    }

    /// The generation whose codes apply.
    #[inline(always)]
    pub(super) fn generation(&self) -> Gen {
        self.generation
    }

    /// When encoding, the bits of the fields visited, without those of fixed values.
    pub(super) fn owned(&self) -> u128 {
        self.claimed
    }

    /// The encoded bits, exclusive or with a residue. Fails if the residue changes bits of fields.
    pub(super) fn encoded(&self, residue: u128) -> Result<u128> {
        match residue & self.claimed {
            0 => Ok((self.bits | self.background & !(self.claimed | self.fixed)) ^ residue),
            bits => Err(CodecError::Residue { bits }),
        }
    }

    /// The residue of decoded bits: the exclusive or with the canonical encoding, for all bits that
    /// the instruction's fields do not represent.
    pub(super) fn residue(&self) -> u128 {
        self.residue | (self.bits ^ self.background) & !self.claimed
    }

    /// The recorded fields, and the bits they own.
    pub(super) fn traced(self) -> (Vec<Field>, u128) {
        (self.trace.unwrap_or_default(), self.claimed)
    }

    /// Reads a field (decoding).
    #[inline(always)]
    fn read(&mut self, field: Field) -> u64 {
        self.visit(field);
        field.get(self.bits)
    }

    /// Records that a field was visited.
    #[inline(always)]
    fn visit(&mut self, field: Field) {
        if let Some(trace) = &mut self.trace {
            trace.push(field);
        }
        self.claimed |= field.mask;
    }

    /// Reads a field without visiting it, to decide how to decode others.
    #[inline(always)]
    pub(super) fn peek(&self, field: Field) -> u64 {
        field.get(self.bits)
    }

    /// Writes a field (encoding). Fails if the value does not fit.
    #[inline(always)]
    fn write(&mut self, field: Field, value: u64) -> Result<()> {
        let bits = field.width;
        if bits < 64 && value >> bits != 0 {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            return Err(CodecError::TooWide { field: field.name, value, bits });
        }
        self.bits |= field.put(value);
        self.claimed |= field.mask;
        Ok(())
    }

    /// Visits a field that [`Inst`](crate::Inst) does not represent. It is encoded as `canonical`;
    /// when decoding, other values go to the residue.
    #[inline(always)]
    pub(super) fn fixed(&mut self, field: Field, canonical: u64) {
        if ENCODE {
            self.bits |= field.put(canonical);
            self.fixed |= field.mask;
        } else {
            self.visit(field);
            self.residue |= self.bits & field.mask ^ field.put(canonical);
        }
    }

    /// Sets the canonical value of all bits that no field of the format owns. When decoding,
    /// differences from it go to the residue.
    pub(super) fn background(&mut self, canonical: u128) {
        self.background = canonical;
    }

    /// Visits a field whose values have codes. `to` returns the code of a value, or `None` if it
    /// has none; `from` returns the value of a code, or `None` if it is reserved. `what` is the
    /// kind of value, for errors.
    #[inline(always)]
    pub(super) fn code<T: Copy>(
        &mut self,
        field: Field,
        what: &'static str,
        value: &mut T,
        to: impl Fn(T) -> Option<u64>,
        from: impl Fn(u64) -> Option<T>,
    ) -> Result<()> {
        if ENCODE {
            let generation = self.generation();
            let code = to(*value);
            let code = code.ok_or(CodecError::NoCode { field: field.name, what, generation })?;
            self.write(field, code)
        } else {
            let code = self.read(field);
            let bit = field.lowest_bit();
            *value = from(code).ok_or(CodecError::Reserved { field: field.name, code, bit })?;
            Ok(())
        }
    }

    /// Visits an unsigned number.
    #[inline(always)]
    pub(super) fn uint(&mut self, field: Field, value: &mut u64) -> Result<()> {
        if ENCODE {
            self.write(field, *value)
        } else {
            *value = self.read(field);
            Ok(())
        }
    }

    /// Visits an unsigned number of at most eight bits.
    #[inline(always)]
    pub(super) fn byte(&mut self, field: Field, value: &mut u8) -> Result<()> {
        let mut wide = u64::from(*value);
        self.uint(field, &mut wide)?;
        *value = wide as u8;
        Ok(())
    }

    /// Visits a byte offset stored in units of `unit` bytes.
    #[inline(always)]
    pub(super) fn scaled(&mut self, field: Field, value: &mut u8, unit: u8) -> Result<()> {
        if ENCODE && !(*value).is_multiple_of(unit) {
            let (field, bits, value) = (field.name, field.width, i64::from(*value));
            return Err(CodecError::TooWide { field, value, bits });
        }
        let mut units = *value / unit;
        self.byte(field, &mut units)?;
        *value = units * unit;
        Ok(())
    }

    /// Visits a signed number; the field holds `value / unit - bias`.
    #[inline(always)]
    pub(super) fn signed(
        &mut self,
        field: Field,
        value: &mut i32,
        unit: i32,
        bias: i32,
    ) -> Result<()> {
        let bits = field.width;
        if ENCODE {
            let units = i64::from(*value) / i64::from(unit) - i64::from(bias);
            let limit = 1_i64 << (bits - 1);
            if *value % unit != 0 || units < -limit || units >= limit {
                let (field, value) = (field.name, i64::from(*value));
                return Err(CodecError::TooWide { field, value, bits });
            }
            self.write(field, units as u64 & (u64::MAX >> (64 - bits)))
        } else {
            let shift = 64 - bits;
            let units = (self.read(field) << shift) as i64 >> shift;
            // In damaged code, a large jump count can exceed the range of a byte offset.
            let bytes = (units + i64::from(bias)) * i64::from(unit);
            *value = i32::try_from(bytes).map_err(|_| CodecError::Reserved {
                field: field.name,
                code: units as u64,
                bit: field.lowest_bit(),
            })?;
            Ok(())
        }
    }

    /// Visits a flag of one bit. If the layout lacks it, `true` does not encode, and it decodes as
    /// `false`.
    #[inline(always)]
    pub(super) fn flag(&mut self, field: Field, value: &mut bool) -> Result<()> {
        if field.exists() {
            let mut wide = u64::from(*value);
            self.uint(field, &mut wide)?;
            *value = wide != 0;
            Ok(())
        } else if ENCODE && *value {
            let generation = self.generation();
            Err(CodecError::NoCode { field: field.name, what: "flag", generation })
        } else {
            *value = false;
            Ok(())
        }
    }

    /// When encoding, fails unless `holds`; `rule` completes the error "{opcode} {rule}". Decoding
    /// never fails here.
    #[inline(always)]
    pub(super) fn require(
        &self,
        holds: bool,
        opcode: &'static str,
        rule: &'static str,
    ) -> Result<()> {
        if ENCODE && !holds { Err(CodecError::Shape { opcode, rule }) } else { Ok(()) }
    }
}
