//! The result of each arithmetic operation, on bit patterns.
//!
//! The interpreter and constant folding share these functions. Where the IR leaves a result undefined, or Vulkan allows
//! several, these functions return a fixed one, so that results are the same everywhere:
//!
//! - a NaN that arithmetic or a conversion produces is the positive quiet NaN without payload;
//! - minimum and maximum order -0 below +0;
//! - an integer quotient by zero has all bits set; a remainder by zero is the first operand;
//! - a float out of an integer's range converts to the nearest integer, and NaN to 0;
//! - bit field positions beyond the operand read as zeros, and insertion there has no effect;
//! - denormals are kept.
//!
//! Binary16 and binary32 operations are computed in binary64 and rounded. Binary64 has 53 bits of precision, at least
//! twice theirs plus two, so for a sum, difference, product, quotient or root, rounding twice gives the same result as
//! rounding once. Only the fused multiply-add needs more care. Transcendental functions are those of the mathematical
//! library in binary64, rounded.

use crate::float::{Round, f16_to_f64, f64_to_f16, f64_to_f32, fma_f16, ldexp};
use crate::ir::{AluOp, Ty};

/// The components of a value, or those that a source selects: entry `i` is component `i`, zero extended to 64 bits.
pub type Comps = [u64; 4];

/// The result of an operation.
///
/// `bits` is the operation's bit size, that of source [`AluOp::size_src`]. `srcs` are the components that the
/// swizzles select. Entries of the result beyond the components of `result` are 0. For operations that the verifier
/// rejects, the result is arbitrary.
pub fn eval_alu(op: AluOp, result: Ty, bits: u32, srcs: &[Comps]) -> Comps {
    let mut out = [0; 4];
    if op.is_per_component() {
        for (i, out) in out.iter_mut().enumerate().take(result.comps()) {
            let mut operands = [0; 4];
            for (operand, src) in operands.iter_mut().zip(srcs) {
                *operand = src[i];
            }
            *out = eval_component(op, result.bits(), bits, operands);
        }
        return out;
    }
    let src = |i: usize| srcs.get(i).copied().unwrap_or_default();
    match op {
        AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4 => {
            for (out, src) in out.iter_mut().zip(srcs) {
                *out = src[0];
            }
        }
        AluOp::FDot2 => out[0] = dot(bits, 2, src(0), src(1)),
        AluOp::FDot3 => out[0] = dot(bits, 3, src(0), src(1)),
        AluOp::FDot4 => out[0] = dot(bits, 4, src(0), src(1)),
        AluOp::PackHalf2x16 => {
            let half = |x: u64| u64::from(f64_to_f16(to_f64(32, x), Round::NearestEven));
            out[0] = half(src(0)[0]) | half(src(0)[1]) << 16;
        }
        AluOp::UnpackHalf2x16 => {
            let whole = src(0)[0];
            out[0] = from_f64(32, f16_to_f64(whole as u16));
            out[1] = from_f64(32, f16_to_f64((whole >> 16) as u16));
        }
        // The other operations pack or unpack bits. Those whose result has one component pack.
        _ if result.comps() == 1 => {
            let parts = (result.bits() / bits.max(1)).min(4);
            out[0] = (0..parts).fold(0, |whole, i| whole | src(0)[i as usize] << (i * bits));
        }
        _ => {
            for (i, out) in out.iter_mut().enumerate().take(result.comps()) {
                let shift = i as u32 * result.bits();
                *out = src(0)[0].checked_shr(shift).unwrap_or(0) & result.mask();
            }
        }
    }
    out
}

/// One component of the result of an operation that works per component ([`AluOp::is_per_component`]); 0 for other
/// operations. `result_bits` is the result's bit size, `bits` the operation's. The operands are zero extended to 64
/// bits.
pub fn eval_component(op: AluOp, result_bits: u32, bits: u32, operands: Comps) -> u64 {
    component(op, result_bits, bits, operands)
}

/// Does the same as [`eval_component`]. It is inlined into loops that run one operation, so that the compiler removes
/// the code of all others.
#[inline(always)]
pub(super) fn component(op: AluOp, result_bits: u32, bits: u32, operands: Comps) -> u64 {
    let [a, b, c, d] = operands;
    let mask = mask(bits);
    // Reads of an operand as a float and as a signed integer.
    let f = |x: u64| to_f64(bits, x);
    let i = |x: u64| sign_extend(bits, x);
    // Conversion of results to bits.
    let real = |x: f64| from_f64(bits, x);
    let int = |x: i64| x as u64 & mask;
    let word = |x: i32| u64::from(x as u32);
    let sign_bit = 1 << (bits - 1);
    let shift = (b & u64::from(bits - 1)) as u32;
    match op {
        AluOp::Mov => a,
        AluOp::Select => {
            if a & 1 == 1 {
                b
            } else {
                c
            }
        }

        AluOp::FNeg => a ^ sign_bit,
        AluOp::FAbs => a & !sign_bit,
        AluOp::FSat => real(if f(a) > 0.0 { f(a).min(1.0) } else { 0.0 }),
        AluOp::FSign => real(if f(a) > 0.0 {
            1.0
        } else if f(a) < 0.0 {
            -1.0
        } else {
            0.0
        }),
        AluOp::FFloor => real(f(a).floor()),
        AluOp::FCeil => real(f(a).ceil()),
        AluOp::FTrunc => real(f(a).trunc()),
        AluOp::FRoundEven => real(f(a).round_ties_even()),
        AluOp::FFract => real(f(a) - f(a).floor()),
        AluOp::FRcp => real(1.0 / f(a)),
        AluOp::FRsq => real(1.0 / f(a).sqrt()),
        AluOp::FSqrt => real(f(a).sqrt()),
        AluOp::FExp2 => real(f(a).exp2()),
        AluOp::FLog2 => real(f(a).log2()),
        AluOp::FSin => real(f(a).sin()),
        AluOp::FCos => real(f(a).cos()),

        AluOp::FAdd => real(f(a) + f(b)),
        AluOp::FSub => real(f(a) - f(b)),
        AluOp::FMul => real(f(a) * f(b)),
        AluOp::FDiv => real(f(a) / f(b)),
        AluOp::FMin => minimum(bits, a, b, false),
        AluOp::FMax => minimum(bits, a, b, true),
        AluOp::FPow => real(f(a).powf(f(b))),
        AluOp::FLdexp => real(ldexp(f(a), b as i32)),

        AluOp::FFma => fma(bits, a, b, c),
        AluOp::FLrp => {
            let rounded = |x: f64| f(real(x));
            real(rounded(f(a) * rounded(1.0 - f(c))) + rounded(f(b) * f(c)))
        }

        AluOp::FEq => u64::from(f(a) == f(b)),
        AluOp::FNe => u64::from(f(a) != f(b)),
        AluOp::FLt => u64::from(f(a) < f(b)),
        AluOp::FGe => u64::from(f(a) >= f(b)),

        AluOp::INeg => int(i(a).wrapping_neg()),
        AluOp::IAbs => int(i(a).wrapping_abs()),
        AluOp::ISign => int(i(a).signum()),
        AluOp::INot => !a & mask,
        AluOp::BitCount => u64::from(a.count_ones()),
        AluOp::BitReverse => a.reverse_bits() >> (64 - bits),
        AluOp::FindLsb => word(if a == 0 { -1 } else { a.trailing_zeros() as i32 }),
        AluOp::FindUMsb => word(highest_bit(a)),
        AluOp::FindIMsb => word(highest_bit(if i(a) < 0 { !a & mask } else { a })),

        AluOp::IAdd => a.wrapping_add(b) & mask,
        AluOp::ISub => a.wrapping_sub(b) & mask,
        AluOp::IMul => a.wrapping_mul(b) & mask,
        AluOp::IMulHigh => int(((i128::from(i(a)) * i128::from(i(b))) >> bits) as i64),
        AluOp::UMulHigh => ((u128::from(a) * u128::from(b)) >> bits) as u64 & mask,
        AluOp::IDiv => {
            if b == 0 {
                mask
            } else {
                int(i(a).wrapping_div(i(b)))
            }
        }
        AluOp::UDiv => a.checked_div(b).unwrap_or(mask),
        AluOp::IRem => {
            if b == 0 {
                a
            } else {
                int(i(a).wrapping_rem(i(b)))
            }
        }
        AluOp::IMod => {
            if b == 0 {
                a
            } else {
                int(floor_mod(i(a), i(b)))
            }
        }
        AluOp::UMod => a.checked_rem(b).unwrap_or(a),
        AluOp::IMin => int(i(a).min(i(b))),
        AluOp::IMax => int(i(a).max(i(b))),
        AluOp::UMin => a.min(b),
        AluOp::UMax => a.max(b),
        AluOp::UAddCarry => u64::from(u128::from(a) + u128::from(b) > u128::from(mask)),
        AluOp::USubBorrow => u64::from(b > a),
        AluOp::IAnd => a & b,
        AluOp::IOr => a | b,
        AluOp::IXor => a ^ b,
        AluOp::IShl => a << shift & mask,
        AluOp::IShr => int(i(a) >> shift),
        AluOp::UShr => a >> shift,

        AluOp::UBitfieldExtract => field(a, b, c),
        AluOp::IBitfieldExtract => {
            let width = c.min(u64::from(bits)) as u32;
            if width == 0 { 0 } else { int(sign_extend(width, field(a, b, c))) }
        }
        AluOp::BitfieldInsert => {
            let place = ones(d).checked_shl(c.min(64) as u32).unwrap_or(0);
            let data = b.checked_shl(c.min(64) as u32).unwrap_or(0);
            (a & !place | data & place) & mask
        }

        AluOp::IEq => u64::from(a == b),
        AluOp::INe => u64::from(a != b),
        AluOp::ILt => u64::from(i(a) < i(b)),
        AluOp::IGe => u64::from(i(a) >= i(b)),
        AluOp::ULt => u64::from(a < b),
        AluOp::UGe => u64::from(a >= b),

        AluOp::F2F => from_f64(result_bits, f(a)),
        AluOp::F2FRtz => match result_bits {
            16 => from_f64(16, f16_to_f64(f64_to_f16(f(a), Round::TowardZero))),
            32 => from_f64(32, f64::from(f64_to_f32(f(a), Round::TowardZero))),
            _ => from_f64(result_bits, f(a)),
        },
        AluOp::F2I => float_to_int(f(a), result_bits),
        AluOp::F2U => (f(a) as u64).min(self::mask(result_bits)),
        AluOp::I2F if result_bits == 32 => u64::from((i(a) as f32).to_bits()),
        AluOp::U2F if result_bits == 32 => u64::from((a as f32).to_bits()),
        // An integer that binary64 cannot represent exactly is beyond the range of binary16, so the result is
        // infinite anyway.
        AluOp::I2F => from_f64(result_bits, i(a) as f64),
        AluOp::U2F => from_f64(result_bits, a as f64),
        AluOp::I2I => i(a) as u64 & self::mask(result_bits),
        AluOp::U2U => a & self::mask(result_bits),
        AluOp::B2F => from_f64(result_bits, if a & 1 == 1 { 1.0 } else { 0.0 }),
        AluOp::B2I => a & 1,
        AluOp::Unpack64Low => a & self::mask(32),
        AluOp::Unpack64High => a >> 32,
        AluOp::Pack64FromHalves => a | b << 32,
        AluOp::FQuantize16 => {
            let half = f64_to_f16(f(a), Round::NearestEven);
            let denormal = half & 0x7c00 == 0;
            real(f16_to_f64(if denormal { half & 0x8000 } else { half }))
        }

        // Not per component: see `eval_alu`.
        AluOp::Vec2
        | AluOp::Vec3
        | AluOp::Vec4
        | AluOp::FDot2
        | AluOp::FDot3
        | AluOp::FDot4
        | AluOp::Pack64From32
        | AluOp::Unpack64To32
        | AluOp::Pack64From16
        | AluOp::Unpack64To16
        | AluOp::Pack32From16
        | AluOp::Unpack32To16
        | AluOp::Pack32From8
        | AluOp::Unpack32To8
        | AluOp::Pack16From8
        | AluOp::Unpack16To8
        | AluOp::PackHalf2x16
        | AluOp::UnpackHalf2x16 => 0,
    }
}

/// The value of a float of `bits` bits (16, 32 or 64; other sizes are treated as 64).
pub fn to_f64(bits: u32, x: u64) -> f64 {
    match bits {
        16 => f16_to_f64(x as u16),
        32 => f64::from(f32::from_bits(x as u32)),
        _ => f64::from_bits(x),
    }
}

/// Rounds `x` to a float of `bits` bits. Every NaN becomes the positive quiet one.
pub fn from_f64(bits: u32, x: f64) -> u64 {
    match (bits, x.is_nan()) {
        (16, true) => 0x7e00,
        (16, false) => u64::from(f64_to_f16(x, Round::NearestEven)),
        (32, true) => 0x7fc0_0000,
        (32, false) => u64::from((x as f32).to_bits()),
        (_, true) => 0x7ff8_0000_0000_0000,
        (_, false) => x.to_bits(),
    }
}

/// The value of the low `bits` (1 to 64) bits as a two's complement number.
pub fn sign_extend(bits: u32, x: u64) -> i64 {
    let unused = 64 - bits;
    (x << unused) as i64 >> unused
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// A mask of the `count` lowest bits; all 64 if `count` is greater.
fn ones(count: u64) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// The `width` bits of `x` from position `offset` on; positions beyond 64 are zeros.
fn field(x: u64, offset: u64, width: u64) -> u64 {
    x.checked_shr(offset.min(64) as u32).unwrap_or(0) & ones(width)
}

/// The position of the highest set bit; -1 for 0.
fn highest_bit(x: u64) -> i32 {
    63 - x.leading_zeros() as i32
}

/// The remainder with the sign of `b`, which must not be 0.
fn floor_mod(a: i64, b: i64) -> i64 {
    let remainder = a.wrapping_rem(b);
    if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder }
}

/// Converts to a signed integer of `bits` bits, toward zero. Out of range gives the nearest integer, NaN gives 0.
fn float_to_int(x: f64, bits: u32) -> u64 {
    let largest = (mask(bits) >> 1) as i64;
    (x as i64).clamp(-largest - 1, largest) as u64 & mask(bits)
}

/// The lesser (or greater, if `maximum`) of two floats. If one is NaN, the other one.
fn minimum(bits: u32, a: u64, b: u64, maximum: bool) -> u64 {
    let (x, y) = (to_f64(bits, a), to_f64(bits, b));
    let first = match () {
        () if x.is_nan() || y.is_nan() => y.is_nan(),
        // Equal numbers are identical, or zeros of different signs. The bits of -0 are the greater number.
        () if x == y => (a >= b) != maximum,
        () => (x < y) != maximum,
    };
    from_f64(bits, if first { x } else { y })
}

/// The fused multiply-add `a * b + c`, rounded once.
fn fma(bits: u32, a: u64, b: u64, c: u64) -> u64 {
    let f = |x: u64| to_f64(bits, x);
    match bits {
        16 => from_f64(16, f16_to_f64(fma_f16(f(a), f(b), f(c), Round::NearestEven))),
        32 => {
            let f = |x: u64| f32::from_bits(x as u32);
            from_f64(32, f64::from(f(a).mul_add(f(b), f(c))))
        }
        _ => from_f64(bits, f(a).mul_add(f(b), f(c))),
    }
}

/// A dot product: the products are added in the order of [`dot_order`], and each operation rounds.
fn dot(bits: u32, comps: usize, a: Comps, b: Comps) -> u64 {
    let product = |i: usize| eval_component(AluOp::FMul, bits, bits, [a[i], b[i], 0, 0]);
    let mut order = dot_order(bits, comps);
    let first = order.next().map_or(0, product);
    order.fold(first, |sum, i| eval_component(AluOp::FAdd, bits, bits, [sum, product(i), 0, 0]))
}

/// The order in which the products of the components of a dot product are added: from the last component on, which is often
/// 1. Doubles begin with the first one, as other implementations do: where digits cancel, the order shows in the result.
pub(crate) fn dot_order(bits: u32, comps: usize) -> impl Iterator<Item = usize> {
    (0..comps).map(move |i| if bits < 64 { comps - 1 - i } else { i })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32_op(op: AluOp, operands: &[f32]) -> f32 {
        let mut bits = [0; 4];
        for (bits, x) in bits.iter_mut().zip(operands) {
            *bits = u64::from(x.to_bits());
        }
        f32::from_bits(eval_component(op, 32, 32, bits) as u32)
    }

    #[test]
    fn edges_of_float_operations() {
        assert_eq!(f32_op(AluOp::FMin, &[0.0, -0.0]).to_bits(), (-0.0f32).to_bits());
        assert_eq!(f32_op(AluOp::FMin, &[-0.0, 0.0]).to_bits(), (-0.0f32).to_bits());
        assert_eq!(f32_op(AluOp::FMax, &[-0.0, 0.0]).to_bits(), 0);
        assert_eq!(f32_op(AluOp::FMin, &[f32::NAN, 2.0]), 2.0);
        assert_eq!(f32_op(AluOp::FMax, &[2.0, f32::NAN]), 2.0);
        assert_eq!(f32_op(AluOp::FMin, &[1.0, 2.0]), 1.0);
        assert_eq!(f32_op(AluOp::FMax, &[1.0, 2.0]), 2.0);
        assert_eq!(f32_op(AluOp::FMax, &[-1.0, -2.0]), -1.0);
        assert_eq!(f32_op(AluOp::FSat, &[f32::NAN]), 0.0);
        assert_eq!(f32_op(AluOp::FSat, &[7.0]), 1.0);
        assert_eq!(f32_op(AluOp::FFract, &[-0.25]), 0.75);
        assert_eq!(f32_op(AluOp::FRoundEven, &[2.5]), 2.0);
        assert_eq!(f32_op(AluOp::FQuantize16, &[1e-7]), 0.0);
        assert_eq!(f32_op(AluOp::FQuantize16, &[1e6]), f32::INFINITY);
        assert_eq!(eval_component(AluOp::FDiv, 32, 32, [0; 4]), 0x7fc0_0000);
        assert_eq!(eval_component(AluOp::FNeg, 32, 32, [0x7fc0_0001, 0, 0, 0]), 0xffc0_0001);
    }

    #[test]
    fn edges_of_integer_operations() {
        let least = 0x8000_0000u64;
        let op = |op, a, b| eval_component(op, 32, 32, [a, b, 0, 0]);
        assert_eq!(op(AluOp::IDiv, least, 0xffff_ffff), least);
        assert_eq!(op(AluOp::IRem, least, 0xffff_ffff), 0);
        assert_eq!(op(AluOp::IRem, 0xffff_fff9, 3), 0xffff_ffff);
        assert_eq!(op(AluOp::IMod, 0xffff_fff9, 3), 2);
        assert_eq!(op(AluOp::IMod, 7, 0xffff_fffd), 0xffff_fffe);
        assert_eq!(op(AluOp::UDiv, 7, 0), 0xffff_ffff);
        assert_eq!(op(AluOp::IShl, 1, 33), 2);
        assert_eq!(op(AluOp::IShr, least, 31), 0xffff_ffff);
        assert_eq!(op(AluOp::FindIMsb, 0xffff_ffff, 0), 0xffff_ffff);
        assert_eq!(op(AluOp::FindIMsb, 0xffff_fffe, 0), 0);
        assert_eq!(op(AluOp::FindUMsb, least, 0), 31);
        assert_eq!(eval_component(AluOp::BitReverse, 8, 8, [1, 0, 0, 0]), 0x80);
        assert_eq!(eval_component(AluOp::INot, 1, 1, [1, 0, 0, 0]), 0);
        assert_eq!(eval_component(AluOp::F2I, 8, 32, [u64::from(300f32.to_bits()), 0, 0, 0]), 127);
        assert_eq!(eval_component(AluOp::F2U, 32, 32, [u64::from((-1f32).to_bits()), 0, 0, 0]), 0);
    }

    #[test]
    fn packing_keeps_component_0_lowest() {
        let x32 = |comps| Ty::X32.with_comps(comps);
        let bytes = [0x11, 0x22, 0x33, 0x44];
        assert_eq!(eval_alu(AluOp::Pack32From8, Ty::X32, 8, &[bytes])[0], 0x4433_2211);
        let whole = [0x4433_2211, 0, 0, 0];
        assert_eq!(eval_alu(AluOp::Unpack32To8, Ty::X8.with_comps(4), 32, &[whole]), bytes);
        let two = [0x1111_1111, 0x2222_2222, 0, 0];
        assert_eq!(eval_alu(AluOp::Pack64From32, Ty::X64, 32, &[two])[0], 0x2222_2222_1111_1111);
        let whole = [0x2222_2222_1111_1111, 0, 0, 0];
        assert_eq!(eval_alu(AluOp::Unpack64To32, x32(2), 64, &[whole]), two);
        let floats = [u64::from(1f32.to_bits()), u64::from((-2f32).to_bits()), 0, 0];
        let halves = eval_alu(AluOp::PackHalf2x16, Ty::X32, 32, &[floats]);
        assert_eq!(halves[0], 0xc000_3c00);
        assert_eq!(eval_alu(AluOp::UnpackHalf2x16, x32(2), 32, &[halves]), floats);
    }
}
