//! The types of a module's specialization constants, which determine how a value is converted to bits.
//!
//! This code reads decorations, scalar types and constants only. The front end checks whether the module is valid, so
//! this code skips everything that it cannot parse.

use std::collections::BTreeMap;
use std::fmt;

use crestline_frontend::{Override, OverrideKind};

use crate::grammar::SpecValue;

/// The type of each specialization constant, with its key: its `SpecId` in decimal, or the name of a WGSL `override`
/// that has no `@id`.
pub(crate) type Types = Vec<(String, SpecType)>;

/// The type of a specialization constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpecType {
    Bool,
    Int { bits: u32, signed: bool },
    Float { bits: u32 },
}

impl fmt::Display for SpecType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecType::Bool => f.write_str("bool"),
            SpecType::Int { bits, signed: true } => write!(f, "i{bits}"),
            SpecType::Int { bits, signed: false } => write!(f, "u{bits}"),
            SpecType::Float { bits } => write!(f, "f{bits}"),
        }
    }
}

impl SpecType {
    /// The bits of a value as a driver gives it in memory, where each boolean that is not 0 is true.
    pub(crate) fn of_memory(self, bits: u64) -> u64 {
        match self {
            SpecType::Bool => u64::from(bits != 0),
            SpecType::Int { bits: count, .. } | SpecType::Float { bits: count } => {
                bits & (u64::MAX >> 64_u32.saturating_sub(count).min(63))
            }
        }
    }

    /// The bits of `value` in this type, zero extended. A value written as an integer is accepted for every type.
    pub(crate) fn bits(self, value: SpecValue) -> Result<u64, String> {
        let wrong = || Err(format!("the constant is of type {self}"));
        match (self, value) {
            (SpecType::Bool, SpecValue::Bool(value)) => Ok(u64::from(value)),
            (SpecType::Bool, SpecValue::Integer(value @ (0 | 1))) => Ok(value as u64),
            (SpecType::Int { bits, .. }, SpecValue::Integer(value)) => {
                // A value may be written as signed or unsigned: -1 and 0xffffffff are the same.
                let (low, high) = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
                if value < low || value > high {
                    return Err(format!("the value does not fit {self}"));
                }
                Ok(value as u64 & (u64::MAX >> (64 - bits)))
            }
            (SpecType::Float { .. }, SpecValue::Integer(value)) => {
                self.bits(SpecValue::Float(value as f64))
            }
            (SpecType::Float { bits: 32 }, SpecValue::Float(value)) => {
                Ok(u64::from((value as f32).to_bits()))
            }
            (SpecType::Float { bits: 64 }, SpecValue::Float(value)) => Ok(value.to_bits()),
            (SpecType::Float { bits }, SpecValue::Float(_)) => {
                Err(format!("constants of type f{bits} cannot be given on the command line yet"))
            }
            _ => wrong(),
        }
    }
}

/// The types of WGSL's `override`s.
pub(crate) fn wgsl_types(overrides: &[Override]) -> Types {
    let ty = |o: &Override| match o.kind {
        OverrideKind::Bool => SpecType::Bool,
        OverrideKind::Sint => SpecType::Int { bits: o.bits, signed: true },
        OverrideKind::Uint => SpecType::Int { bits: o.bits, signed: false },
        OverrideKind::Float => SpecType::Float { bits: o.bits },
    };
    overrides.iter().map(|o| (o.key.clone(), ty(o))).collect()
}

/// Reads the types from a module's words, by ascending id.
pub(crate) fn types(spirv: &[u32]) -> Types {
    const HEADER_WORDS: usize = 5;
    let mut scalars = BTreeMap::new();
    let mut ids = BTreeMap::new();
    let mut found: BTreeMap<u32, SpecType> = BTreeMap::new();
    let mut rest = spirv.get(HEADER_WORDS..).unwrap_or_default();
    while let [first, ..] = rest {
        let count = (*first >> 16) as usize;
        let Some(words) = rest.get(..count).filter(|words| !words.is_empty()) else { break };
        match (first & 0xffff, words) {
            // OpTypeBool, OpTypeInt, OpTypeFloat
            (20, [_, id]) => drop(scalars.insert(*id, SpecType::Bool)),
            (21, [_, id, bits @ (8 | 16 | 32 | 64), signed]) => {
                scalars.insert(*id, SpecType::Int { bits: *bits, signed: *signed != 0 });
            }
            (22, [_, id, bits, ..]) => drop(scalars.insert(*id, SpecType::Float { bits: *bits })),
            // OpDecorate id SpecId n
            (71, [_, id, 1, spec]) => drop(ids.insert(*id, *spec)),
            // OpSpecConstantTrue, OpSpecConstantFalse, OpSpecConstant
            (48..=50, [_, ty, id, ..]) => {
                if let (Some(ty), Some(spec)) = (scalars.get(ty), ids.get(id)) {
                    found.insert(*spec, *ty);
                }
            }
            _ => {}
        }
        rest = &rest[count..];
    }
    found.into_iter().map(|(id, ty)| (id.to_string(), ty)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_by_their_ids() {
        let module = [
            0x0723_0203,
            0x10000,
            0,
            9,
            0, // header
            4 << 16 | 71,
            5,
            1,
            42, // %5 SpecId 42
            4 << 16 | 71,
            6,
            1,
            7, // %6 SpecId 7
            4 << 16 | 21,
            2,
            32,
            1, // %2 = i32
            2 << 16 | 20,
            3, // %3 = bool
            4 << 16 | 50,
            2,
            5,
            99, // %5 = i32 99
            3 << 16 | 48,
            3,
            6, // %6 = true
        ];
        let types = types(&module);
        let signed = SpecType::Int { bits: 32, signed: true };
        assert_eq!(types, [("7".to_owned(), SpecType::Bool), ("42".to_owned(), signed)]);
        assert!(super::types(&module[..7]).is_empty());
        assert!(super::types(&[0, 0, 0, 0, 0, 0]).is_empty());
    }

    #[test]
    fn values_take_the_type_of_the_constant() {
        let int = SpecType::Int { bits: 32, signed: true };
        assert_eq!(int.bits(SpecValue::Integer(-1)), Ok(0xffff_ffff));
        assert_eq!(int.bits(SpecValue::Integer(0xffff_ffff)), Ok(0xffff_ffff));
        assert!(int.bits(SpecValue::Integer(1 << 32)).unwrap_err().contains("does not fit i32"));
        assert!(int.bits(SpecValue::Float(1.5)).unwrap_err().contains("of type i32"));
        let float = SpecType::Float { bits: 32 };
        assert_eq!(float.bits(SpecValue::Integer(1)), Ok(0x3f80_0000));
        assert_eq!(SpecType::Bool.bits(SpecValue::Bool(true)), Ok(1));
        assert!(SpecType::Bool.bits(SpecValue::Integer(2)).is_err());
    }
}
