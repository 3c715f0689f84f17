//! Elements of operands in text: the unit of subregister numbers, and names of the element types of
//! systolic sources that are narrower than a byte.
//!
//! Source: `iga64`'s syntax for `u4`, `s4`, `u2` and `s2`; it has no names for single bits.

use crate::inst::{Dpas, Extra, Inst, SrcReg};
use crate::tables::Type;

/// Name in lower case, type in the instruction, and bits per element.
const NARROW: &[(&str, Type, u8)] = &[
    ("u4", Type::Ub, 4),
    ("s4", Type::B, 4),
    ("u2", Type::Ub, 2),
    ("s2", Type::B, 2),
    ("u1", Type::Ub, 1),
    ("s1", Type::B, 1),
];

/// The bits per element of source `n`.
fn bits(dpas: &mut Dpas, n: usize) -> Option<&mut u8> {
    match n {
        1 => Some(&mut dpas.src1_bits),
        2 => Some(&mut dpas.src2_bits),
        _ => None,
    }
}

/// The type name and bits per element of source `n`, if its elements are narrower than a byte.
pub(super) fn of(inst: &Inst, src: &SrcReg, n: usize) -> Option<(&'static str, u8)> {
    let Extra::Dpas(mut dpas) = inst.extra else { return None };
    let bits = *bits(&mut dpas, n)?;
    let row = NARROW.iter().find(|(_, ty, width)| *ty == src.ty && *width == bits)?;
    Some((row.0, bits))
}

/// The type and bits per element for the name of a narrow type, in any letter case.
pub(super) fn from_name(name: &str) -> Option<(Type, u8)> {
    let row = NARROW.iter().find(|(narrow, ..)| narrow.eq_ignore_ascii_case(name))?;
    Some((row.1, row.2))
}

/// Sets the bits per element of source `n` of a systolic instruction.
pub(super) fn set(inst: &mut Inst, n: usize, width: u8) {
    if let Extra::Dpas(dpas) = &mut inst.extra
        && let Some(bits) = bits(dpas, n)
    {
        *bits = width;
    }
}

/// Size in bytes of the unit of subregister numbers of a type.
pub(super) fn subregister_unit(ty: Type) -> u8 {
    // `iga64` counts subregisters of the accumulator's native float as for F.
    if ty == Type::Nf { 4 } else { ty.size() as u8 }
}
