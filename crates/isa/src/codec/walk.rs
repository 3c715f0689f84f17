//! A walk over the fields of an instruction, in one of its directions.
//!
//! A format is described by one function that visits its fields. Run to encode, it writes the
//! fields of an [`Inst`](crate::Inst); run to decode, it fills them, and can record which field
//! owns which bit.

use super::fields::Field;
use crestline_device::Gen;

/// Why an instruction and its bits cannot be translated into each other.
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
    /// A code means nothing on this generation.
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
    /// The operation needs an operand or a property that the instruction lacks, or the other
    /// way round.
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

/// One pass over the fields. `value` parameters are read when encoding and written when
/// decoding.
pub(super) struct Walk<const ENCODE: bool> {
    generation: Gen,
    bits: u128,
    /// Bits that fields own; when encoding only those of fields that mirror the instruction,
    /// which a residue must not touch.
    claimed: u128,
    /// Bits of fixed fields, when encoding: the background does not show there.
    fixed: u128,
    /// Difference of fixed fields from their canonical values.
    residue: u128,
    /// Canonical value of the bits that no field takes.
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

    /// The bits of fields that mirror the instruction, so far.
    pub(super) fn owned(&self) -> u128 {
        self.claimed
    }

    /// The encoded bits, changed by a residue.
    pub(super) fn encoded(&self, residue: u128) -> Result<u128> {
        match residue & self.claimed {
            0 => Ok((self.bits | self.background & !(self.claimed | self.fixed)) ^ residue),
            bits => Err(CodecError::Residue { bits }),
        }
    }

    /// All decoded bits that the fields do not account for, as a difference from the canonical
    /// form.
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

    #[inline(always)]
    fn visit(&mut self, field: Field) {
        if let Some(trace) = &mut self.trace {
            trace.push(field);
        }
        self.claimed |= field.mask;
    }

    /// The bits of a field that decides how others are read (decoding).
    #[inline(always)]
    pub(super) fn peek(&self, field: Field) -> u64 {
        field.get(self.bits)
    }

    /// Writes a field (encoding).
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

    /// A field with no counterpart in the instruction: encoded as `canonical`; other values
    /// found when decoding go to the residue.
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

    /// The value of all bits that no field of the format takes. What is found to differ when
    /// decoding goes to the residue.
    pub(super) fn background(&mut self, canonical: u128) {
        self.background = canonical;
    }

    /// A field translated by a pair of functions.
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

    /// An unsigned number.
    #[inline(always)]
    pub(super) fn uint(&mut self, field: Field, value: &mut u64) -> Result<()> {
        if ENCODE {
            self.write(field, *value)
        } else {
            *value = self.read(field);
            Ok(())
        }
    }

    /// An unsigned number of at most eight bits.
    #[inline(always)]
    pub(super) fn byte(&mut self, field: Field, value: &mut u8) -> Result<()> {
        let mut wide = u64::from(*value);
        self.uint(field, &mut wide)?;
        *value = wide as u8;
        Ok(())
    }

    /// A byte offset stored in units of `unit` bytes.
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

    /// A signed number stored in units of `unit`, with `bias` units subtracted.
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
            // A hostile jump count may leave the range of a byte offset.
            let bytes = (units + i64::from(bias)) * i64::from(unit);
            *value = i32::try_from(bytes).map_err(|_| CodecError::Reserved {
                field: field.name,
                code: units as u64,
                bit: field.lowest_bit(),
            })?;
            Ok(())
        }
    }

    /// A flag; where the layout lacks it, it must be false.
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

    /// Refuses to encode a property that the format cannot express.
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
