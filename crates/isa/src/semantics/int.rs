//! Integer operations.
//!
//! Arithmetic uses intermediates that are wide enough to be exact: `i64` for execution types of up
//! to 32 bits, `i128` for 64 bits (both through [`Wide`]). Conversion to the destination type
//! truncates or saturates ([`super::convert`]). Bit operations work on the bits of the execution
//! type.

/// An intermediate that holds every sum, difference and product of the execution type exactly.
pub trait Wide: Copy + Ord + 'static {
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
    /// The negated number.
    fn opposite(self) -> Self;
    /// The absolute value.
    fn magnitude(self) -> Self;
    /// `(self + other + 1) >> 1`.
    fn average(self, other: Self) -> Self;
}

macro_rules! wide {
    ($int:ident) => {
        impl Wide for $int {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn opposite(self) -> Self {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn magnitude(self) -> Self {
                self.wrapping_abs()
            }

            #[inline(always)]
            fn average(self, other: Self) -> Self {
                self.wrapping_add(other).wrapping_add(1) >> 1
            }
        }
    };
}

wide!(i64);
wide!(i128);

/// The shift count that the hardware uses: the low 5 bits of `count`, or the low 6 for 64-bit data.
#[inline(always)]
pub const fn shift_count(count: u64, bits: u32) -> u32 {
    (count & if bits == 64 { 63 } else { 31 }) as u32
}

/// The result of `shl` on the extended value. Bits shifted out of the execution type are kept, so
/// that saturation can detect them.
#[inline(always)]
pub fn shl(value: i128, count: u64, bits: u32) -> i128 {
    value << shift_count(count, bits)
}

/// The result of `shr`: a logical shift of the bits of the execution type. For 16-bit data the
/// shift count can be up to 31.
#[inline(always)]
pub const fn shr(value: u64, count: u64, bits: u32) -> u64 {
    value >> shift_count(count, bits)
}

/// The result of `asr`: an arithmetic shift of the sign-extended value.
#[inline(always)]
pub const fn asr(value: i64, count: u64, bits: u32) -> i64 {
    value >> shift_count(count, bits)
}

/// The result of `rol` on 16 or 32 bits.
#[inline(always)]
pub const fn rol(value: u64, count: u64, bits: u32) -> u64 {
    if bits == 16 {
        (value as u16).rotate_left(count as u32 & 15) as u64
    } else {
        (value as u32).rotate_left(count as u32 & 31) as u64
    }
}

/// The result of `ror` on 16 or 32 bits.
#[inline(always)]
pub const fn ror(value: u64, count: u64, bits: u32) -> u64 {
    rol(value, (bits as u64).wrapping_sub(count & (bits as u64 - 1)), bits)
}

/// The result of `bfrev`: the bits in reverse order.
#[inline(always)]
pub const fn bfrev(value: u32) -> u32 {
    value.reverse_bits()
}

/// The result of `cbit`: the number of set bits.
#[inline(always)]
pub const fn cbit(value: u32) -> u32 {
    value.count_ones()
}

/// The result of `lzd`: the number of leading zeros; 32 for 0.
#[inline(always)]
pub const fn lzd(value: u32) -> u32 {
    value.leading_zeros()
}

/// The result of `fbl`: the position of the lowest set bit; all ones for 0.
#[inline(always)]
pub const fn fbl(value: u32) -> u32 {
    if value == 0 { u32::MAX } else { value.trailing_zeros() }
}

/// The result of `fbh` for an unsigned number: the number of leading zeros; all ones for 0.
#[inline(always)]
pub const fn fbh_unsigned(value: u32) -> u32 {
    if value == 0 { u32::MAX } else { value.leading_zeros() }
}

/// The result of `fbh` for a signed number: the number of leading bits equal to the sign bit,
/// including it; all ones for 0 and -1.
#[inline(always)]
pub const fn fbh_signed(value: i32) -> u32 {
    fbh_unsigned((value ^ (value >> 31)) as u32)
}

/// The result of `bfe` for an unsigned number: `width` bits of `value` from bit `offset` on. Width
/// and offset are taken modulo 32; width 0 gives 0.
#[inline(always)]
pub const fn bfe_unsigned(width: u32, offset: u32, value: u32) -> u32 {
    let (width, offset) = (width & 31, offset & 31);
    value >> offset & ((1 << width) - 1)
}

/// The result of `bfe` for a signed number: as [`bfe_unsigned`], but sign extended. Bits of the
/// field beyond bit 31 are copies of the sign bit.
#[inline(always)]
pub const fn bfe_signed(width: u32, offset: u32, value: i32) -> i32 {
    let (width, offset) = (width & 31, offset & 31);
    if width == 0 { 0 } else { (value >> offset) << (32 - width) >> (32 - width) }
}

/// The result of `bfi1`: a mask of `width` bits from bit `offset` on. Both are taken modulo 32.
#[inline(always)]
pub const fn bfi1(width: u32, offset: u32) -> u32 {
    let (width, offset) = (width & 31, offset & 31);
    ((1 << width) - 1) << offset
}

/// The result of `bfi2`: the bits of `insert`, shifted left to the lowest bit of `mask`, where
/// `mask` is set; the bits of `base` elsewhere.
#[inline(always)]
pub const fn bfi2(mask: u32, insert: u32, base: u32) -> u32 {
    let offset = if mask == 0 { 0 } else { mask.trailing_zeros() };
    insert << offset & mask | base & !mask
}

/// The results of `addc`: the sum, and the carry (0 or 1) for the accumulator.
#[inline(always)]
pub const fn addc(a: u32, b: u32) -> (u32, u32) {
    let (sum, carry) = a.overflowing_add(b);
    (sum, carry as u32)
}

/// The results of `subb`: the difference, and the borrow (0 or 1) for the accumulator.
#[inline(always)]
pub const fn subb(a: u32, b: u32) -> (u32, u32) {
    let (difference, borrow) = a.overflowing_sub(b);
    (difference, borrow as u32)
}

/// The first step of a multiplication of 32 by 32 bits, `mul acc, a, b`: the exact product of `a`
/// and the low 16 bits of `b`.
#[inline(always)]
pub const fn mul_low_half(a: i64, b: i64, b_signed: bool) -> i64 {
    let low = if b_signed { b as i16 as i64 } else { b as u16 as i64 };
    a * low
}

/// The second step, `mach`: returns the accumulator plus `a` times the high 16 bits of `b`, shifted
/// left by 16. This is the new accumulator; the destination gets its bits 63:32.
#[inline(always)]
pub const fn mach(acc: i64, a: i64, b: i64) -> i64 {
    acc.wrapping_add(a.wrapping_mul(b >> 16).wrapping_shl(16))
}

/// The result of `dp4a`: `acc` plus the products of the four pairs of bytes of `a` and `b`,
/// wrapping.
#[inline]
pub const fn dp4a(acc: u32, a: u32, a_signed: bool, b: u32, b_signed: bool) -> u32 {
    let mut sum = acc;
    let mut i = 0;
    while i < 32 {
        let (x, y) = ((a >> i) as u8, (b >> i) as u8);
        let x = if a_signed { x as i8 as i32 } else { x as i32 };
        let y = if b_signed { y as i8 as i32 } else { y as i32 };
        sum = sum.wrapping_add((x * y) as u32);
        i += 8;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn find_first_bits() {
        assert_eq!([fbl(0), fbl(8), fbh_unsigned(0), fbh_unsigned(1)], [u32::MAX, 3, u32::MAX, 31]);
        assert_eq!(
            [fbh_signed(0), fbh_signed(-1), fbh_signed(-2), fbh_signed(1)],
            [u32::MAX, u32::MAX, 31, 31]
        );
    }

    #[test]
    fn bit_fields() {
        assert_eq!(bfe_unsigned(8, 4, 0xabc), 0xab);
        assert_eq!(bfe_signed(4, 8, 0xf00), -1);
        assert_eq!(bfe_unsigned(32, 0, 0xabc), 0);
        assert_eq!(bfi1(8, 4), 0xff0);
        assert_eq!(bfi2(0xff0, 0x12, 0xffff_ffff), 0xffff_f12f);
    }

    #[test]
    fn the_high_multiply_macro_gives_the_high_half() {
        for (a, b) in [
            (i32::MIN, i32::MIN),
            (-7, 123_456_789),
            (i32::MAX, -1),
            (0x1234_5678, 0x9abc_def0u32 as i32),
        ] {
            let (wide_a, wide_b) = (i64::from(a), i64::from(b));
            let acc = mach(mul_low_half(wide_a, wide_b, false), wide_a, wide_b);
            assert_eq!(acc, wide_a * wide_b);
        }
        for (a, b) in [(u32::MAX, u32::MAX), (0x8000_0000, 0xffff_0001)] {
            let (wide_a, wide_b) = (i64::from(a), i64::from(b));
            let acc = mach(mul_low_half(wide_a, wide_b, false), wide_a, wide_b);
            assert_eq!(acc as u64, u64::from(a) * u64::from(b));
        }
    }

    #[test]
    fn rotations() {
        assert_eq!(rol(0x8001, 1, 16), 3);
        assert_eq!(ror(1, 1, 32), 0x8000_0000);
        assert_eq!(ror(1, 0, 32), 1);
    }
}
