//! Packed vector immediates of type VF: four 8-bit floats (PRM vol 4 part 3, "restricted float").

use crestline_isa::Type;

use super::Operand;

/// Packs the bits of four 32-bit floats into a VF immediate. `None` if a component in `mask` has no 8-bit form.
pub fn packed_floats(bits: [u64; 4], mask: u8) -> Option<Operand> {
    packed_vector(bits, mask, float_code)
}

/// Packs four dwords into a VF immediate. `code` returns the 8-bit float for a dword: [`float_code`] or
/// [`integer_code`]. `None` if `code` returns `None` for a component in `mask`.
pub fn packed_vector(
    bits: [u64; 4],
    mask: u8,
    code: impl Fn(u64) -> Option<u8>,
) -> Option<Operand> {
    let mut packed = 0;
    for (i, &bits) in bits.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1) {
        packed |= u64::from(code(bits)?) << (8 * i);
    }
    Some(Operand::imm(packed, Type::Vf))
}

/// The 8-bit float whose value is the 32-bit signed integer `bits`, if there is one.
pub fn integer_code(bits: u64) -> Option<u8> {
    let value = bits as u32 as i32;
    (-31..=31).contains(&value).then(|| float_code(u64::from((value as f32).to_bits())))?
}

/// The 8-bit float equal to the 32-bit float `bits`, if there is one. The format has a sign, three exponent bits with
/// bias 3 and four mantissa bits; the code with exponent and mantissa 0 is zero.
pub fn float_code(bits: u64) -> Option<u8> {
    let bits = bits as u32;
    let sign = (bits >> 31 << 7) as u8;
    if bits << 1 == 0 {
        return Some(sign);
    }
    let exponent = (bits >> 23 & 0xff).checked_sub(127 - 3).filter(|&e| e < 8)?;
    let mantissa = bits & 0x007f_ffff;
    let code = (exponent << 4 | mantissa >> 19) as u8;
    (mantissa & 0x0007_ffff == 0 && code != 0).then_some(sign | code)
}
