//! Tests every arithmetic operation at every bit size, on edge cases and random inputs, against a reference that
//! computes in another way: integers as `i128`, floats as exact fractions or with the host's float operations.

use std::cmp::Ordering;

use crestline_ssa::interp::alu::{eval_alu, eval_component};
use crestline_ssa::ir::{AluOp, BitRule, Class, Ty};

/// A float format: its number of bits, its number of fraction bits, and the exponent of the last bit of denormals.
struct Format {
    bits: u32,
    fraction: u32,
    least: i32,
}

const HALF: Format = Format { bits: 16, fraction: 10, least: -24 };
const SINGLE: Format = Format { bits: 32, fraction: 23, least: -149 };

impl Format {
    fn infinity(&self) -> u64 {
        (u64::MAX >> (64 - (self.bits - 1 - self.fraction))) << self.fraction
    }

    /// A finite positive number as `n * 2^e`.
    fn parts(&self, bits: u64) -> (i128, i32) {
        let (exponent, fraction) = (bits >> self.fraction, bits & ((1 << self.fraction) - 1));
        match exponent {
            0 => (i128::from(fraction), self.least),
            _ => (i128::from(fraction | 1 << self.fraction), self.least + exponent as i32 - 1),
        }
    }

    /// The bits of the float nearest to a positive number. The number is given by `order`, which compares it to
    /// `n * 2^e`.
    fn nearest(&self, order: &dyn Fn(i128, i32) -> Ordering) -> u64 {
        // The bits of positive floats have the same order as the numbers: find the last float that is not greater.
        let (mut low, mut high) = (0, self.infinity());
        while high - low > 1 {
            let middle = (low + high) / 2;
            let (n, e) = self.parts(middle);
            if order(n, e) == Ordering::Less { high = middle } else { low = middle }
        }
        // Compare with the middle between this float and the next. After the last finite float, the next is what
        // infinity would be if its bits were those of a finite number.
        let (n, e) = self.parts(low);
        match order(2 * n + 1, e - 1) {
            Ordering::Less => low,
            Ordering::Equal => low + (low & 1),
            Ordering::Greater => low + 1,
        }
    }
}

/// Compares `a * 2^x` to `b * 2^y`, all positive.
fn compare(a: i128, x: i32, b: i128, y: i32) -> Ordering {
    if a == 0 || b == 0 {
        return a.cmp(&b);
    }
    let top = |n: i128, e: i32| 128 - n.leading_zeros() as i32 + e;
    top(a, x).cmp(&top(b, y)).then_with(|| match x >= y {
        true => (a << (x - y)).cmp(&b),
        false => a.cmp(&(b << (y - x))),
    })
}

struct Random(fastrand::Rng);

impl Random {
    fn new(seed: u64) -> Random {
        Random(fastrand::Rng::with_seed(seed))
    }

    fn next(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// A random operand of a class. Edge cases are frequent.
    fn operand(&mut self, class: Class, bits: u32) -> u64 {
        let mask = u64::MAX >> (64 - bits);
        let edges =
            [0, 1, 2, mask, mask - 1, mask / 2, mask / 2 + 1, mask / 2 + 2, 31, 32, 33, 63, 64];
        let floats = |one: u64, infinity: u64, sign: u64| {
            [0, 1, one, infinity, infinity - 1, infinity + 1, one + 1, one - 1]
                .map(|x| [x, x | sign])
        };
        match (class, self.next() % 4) {
            (Class::Float, 0) => {
                let edges = match bits {
                    16 => floats(0x3c00, 0x7c00, 0x8000),
                    32 => floats(0x3f80_0000, 0x7f80_0000, 0x8000_0000),
                    _ => floats(1023 << 52, 0x7ff << 52, 1 << 63),
                };
                edges[self.next() as usize % edges.len()][self.next() as usize % 2]
            }
            // Numbers of moderate size, so that sums and fractions matter.
            (Class::Float, 1) => {
                let x = (self.next() as i32 % 4096) as f64 / 16.0;
                match bits {
                    16 => half(x),
                    32 => u64::from((x as f32).to_bits()),
                    _ => x.to_bits(),
                }
            }
            (Class::Float, _) => self.next() & mask,
            (_, 0) => edges[self.next() as usize % edges.len()] & mask,
            (_, 1) => (self.next() % 80) & mask,
            _ => self.next() & mask,
        }
    }
}

/// The binary16 nearest to a small multiple of 1/16.
fn half(x: f64) -> u64 {
    let n = (x.abs() * 16.0) as i128;
    HALF.nearest(&|m, e| compare(n, -4, m, e)) | if x < 0.0 { 0x8000 } else { 0 }
}

fn signed(bits: u32, x: u64) -> i128 {
    let x = i128::from(x);
    if x >> (bits - 1) & 1 == 1 { x - (1 << bits) } else { x }
}

fn wrap(bits: u32, x: i128) -> u64 {
    x.rem_euclid(1 << bits) as u64
}

/// The expected result of an integer operation; `None` for other operations and undefined results.
fn integer(op: AluOp, bits: u32, to: u32, [a, b, c, d]: [u64; 4]) -> Option<u64> {
    let (u, s) = (i128::from, |x| signed(bits, x));
    let (ua, ub) = (u(a), u(b));
    let (sa, sb) = (s(a), s(b));
    let power = |n: u64| 1i128 << (n % u64::from(bits));
    let digits = |x: u64| -> Vec<bool> { (0..bits).map(|i| x >> i & 1 == 1).collect() };
    let number = |digits: &[bool]| digits.iter().rev().fold(0, |n, &d| n << 1 | u64::from(d));
    let position = |p: Option<usize>| p.map_or(0xffff_ffff, |p| p as u64);
    let bitwise = |f: fn(bool, bool) -> bool| {
        let both: Vec<_> = digits(a).into_iter().zip(digits(b)).map(|(a, b)| f(a, b)).collect();
        number(&both)
    };
    let field_fits = |offset: u64, width: u64| offset + width <= u64::from(bits);
    Some(match op {
        AluOp::INeg => wrap(bits, -sa),
        AluOp::IAbs => wrap(bits, sa.abs()),
        AluOp::ISign => wrap(bits, sa.signum()),
        AluOp::INot => wrap(bits, -1 - ua),
        AluOp::BitCount => digits(a).into_iter().filter(|&d| d).count() as u64,
        AluOp::BitReverse => {
            let mut digits = digits(a);
            digits.reverse();
            number(&digits)
        }
        AluOp::FindLsb => position(digits(a).iter().position(|&d| d)),
        AluOp::FindUMsb => position(digits(a).iter().rposition(|&d| d)),
        AluOp::FindIMsb => {
            let digits = digits(a);
            position(digits.iter().rposition(|d| *d != digits[bits as usize - 1]))
        }
        AluOp::IAdd => wrap(bits, ua + ub),
        AluOp::ISub => wrap(bits, ua - ub),
        AluOp::IMul => wrap(bits, sa * ub),
        AluOp::IMulHigh => wrap(bits, (sa * sb).div_euclid(1 << bits)),
        AluOp::UMulHigh if bits == 64 => {
            // The unsigned product does not fit `i128`, so it is computed from the signed one.
            let high = (sa * sb).div_euclid(1 << bits);
            let more = |x: i128, y: i128| if x < 0 { y } else { 0 };
            wrap(bits, high + more(sa, ub) + more(sb, ua))
        }
        AluOp::UMulHigh => wrap(bits, (ua * ub).div_euclid(1 << bits)),
        AluOp::IDiv | AluOp::UDiv | AluOp::IRem | AluOp::IMod | AluOp::UMod if b == 0 => {
            return None;
        }
        AluOp::IDiv => wrap(bits, sa / sb),
        AluOp::UDiv => wrap(bits, ua / ub),
        AluOp::IRem => wrap(bits, sa - sa / sb * sb),
        AluOp::IMod => {
            let floor = (sa / sb) - i128::from(sa % sb != 0 && (sa < 0) != (sb < 0));
            wrap(bits, sa - floor * sb)
        }
        AluOp::UMod => wrap(bits, ua - ua / ub * ub),
        AluOp::IMin => {
            if sa < sb {
                a
            } else {
                b
            }
        }
        AluOp::IMax => {
            if sa < sb {
                b
            } else {
                a
            }
        }
        AluOp::UMin => {
            if a < b {
                a
            } else {
                b
            }
        }
        AluOp::UMax => {
            if a < b {
                b
            } else {
                a
            }
        }
        AluOp::UAddCarry => ((ua + ub) >> bits) as u64,
        AluOp::USubBorrow => u64::from(ua - ub < 0),
        AluOp::IAnd => bitwise(|a, b| a && b),
        AluOp::IOr => bitwise(|a, b| a || b),
        AluOp::IXor => bitwise(|a, b| a != b),
        AluOp::IShl => wrap(bits, sa * power(b)),
        AluOp::IShr => wrap(bits, sa.div_euclid(power(b))),
        AluOp::UShr => wrap(bits, ua.div_euclid(power(b))),
        AluOp::IBitfieldExtract | AluOp::UBitfieldExtract if !field_fits(b, c) => return None,
        AluOp::UBitfieldExtract => number(&digits(a)[b as usize..][..c as usize]),
        AluOp::IBitfieldExtract => {
            let field = &digits(a)[b as usize..][..c as usize];
            let sign = field.last().copied().unwrap_or(false);
            let mut extended = field.to_vec();
            extended.resize(bits as usize, sign);
            number(&extended)
        }
        AluOp::BitfieldInsert if !field_fits(c, d) => return None,
        AluOp::BitfieldInsert => {
            let mut into = digits(a);
            into[c as usize..][..d as usize].copy_from_slice(&digits(b)[..d as usize]);
            number(&into)
        }
        AluOp::IEq => u64::from(ua == ub),
        AluOp::INe => u64::from(ua != ub),
        AluOp::ILt => u64::from(sa < sb),
        AluOp::IGe => u64::from(sa >= sb),
        AluOp::ULt => u64::from(ua < ub),
        AluOp::UGe => u64::from(ua >= ub),
        AluOp::I2I => wrap(to, sa),
        AluOp::U2U => wrap(to, ua),
        AluOp::B2I => ua as u64,
        AluOp::Unpack64Low => wrap(32, ua),
        AluOp::Unpack64High => wrap(32, ua.div_euclid(1 << 32)),
        AluOp::Pack64FromHalves => wrap(64, ua + ub * (1 << 32)),
        AluOp::Mov => a,
        AluOp::Select => {
            if a == 1 {
                b
            } else {
                c
            }
        }
        _ => return None,
    })
}

#[test]
fn integer_operations_are_those_of_the_integers() {
    let mut random = Random::new(1);
    let mut checked = std::collections::BTreeSet::new();
    for op in AluOp::all().filter(|op| op.is_per_component()) {
        let row = op.row();
        for (bits, to) in
            [1, 8, 16, 32, 64].into_iter().flat_map(|b| [8, 16, 32, 64].map(|t| (b, t)))
        {
            let takes = |class: Class| match class {
                Class::Int | Class::Uint => bits >= 8,
                Class::Bool => bits == 1,
                Class::Float => false,
                Class::Any => true,
            };
            let same = || row.srcs.iter().filter(|s| s.bits == BitRule::Same);
            let fixed = same().next().is_none();
            if !same().all(|s| takes(s.class)) || fixed && bits != 1 {
                continue;
            }
            for _ in 0..400 {
                let mut operands = [0; 4];
                for (operand, src) in operands.iter_mut().zip(row.srcs) {
                    *operand = match src.bits {
                        BitRule::Is(bits) => random.operand(src.class, bits.into()),
                        _ => random.operand(src.class, bits),
                    };
                    // Most shift counts and bit positions are within the operand.
                    if src.bits == BitRule::Is(32) && !random.next().is_multiple_of(8) {
                        *operand %= u64::from(bits) + 1;
                    }
                }
                if let Some(expected) = integer(op, bits, to, operands) {
                    let found = eval_component(op, to, bits, operands);
                    assert_eq!(
                        found, expected,
                        "{} of {bits} bits to {to}: {operands:x?}",
                        row.name
                    );
                    checked.insert(op);
                }
            }
        }
    }
    let of_integers = |op: &AluOp| {
        let row = op.row();
        std::iter::once(&row.result).chain(row.srcs).all(|o| o.class != Class::Float)
    };
    let expected: std::collections::BTreeSet<_> =
        AluOp::all().filter(|op| op.is_per_component()).filter(of_integers).collect();
    assert_eq!(checked, expected, "an operation was not checked");
}

/// An exact result as a fraction: `n / d * 2^e`, with a positive `d`.
#[derive(Clone, Copy)]
struct Exact {
    n: i128,
    d: i128,
    e: i32,
}

/// The exact result of an operation on finite operands of 16 bits, which are given as multiples of 2^-24.
fn exact_half(op: AluOp, [a, b, c]: [i128; 3]) -> Option<Exact> {
    let whole = |n, e| Some(Exact { n, d: 1, e });
    match op {
        AluOp::FAdd => whole(a + b, -24),
        AluOp::FSub => whole(a - b, -24),
        AluOp::FMul => whole(a * b, -48),
        AluOp::FFma => whole(a * b + (c << 24), -48),
        AluOp::FDiv if b != 0 => Some(Exact { n: a * b.signum(), d: b.abs(), e: 0 }),
        AluOp::FRcp if a != 0 => Some(Exact { n: (1 << 24) * a.signum(), d: a.abs(), e: 0 }),
        AluOp::FFloor => whole(a.div_euclid(1 << 24), 0),
        AluOp::FCeil => whole(-(-a).div_euclid(1 << 24), 0),
        AluOp::FTrunc => whole(a / (1 << 24), 0),
        AluOp::FFract => whole(a.rem_euclid(1 << 24), -24),
        AluOp::FRoundEven => {
            let (floor, rest) = (a.div_euclid(1 << 24), a.rem_euclid(1 << 24));
            let up = match rest.cmp(&(1 << 23)) {
                Ordering::Equal => floor.rem_euclid(2),
                order => i128::from(order == Ordering::Greater),
            };
            whole(floor + up, 0)
        }
        AluOp::FNeg => whole(-a, -24),
        AluOp::FAbs => whole(a.abs(), -24),
        AluOp::FSat => whole(a.clamp(0, 1 << 24), -24),
        AluOp::FSign => whole(a.signum(), 0),
        AluOp::FMin => whole(a.min(b), -24),
        AluOp::FMax => whole(a.max(b), -24),
        _ => None,
    }
}

#[test]
fn binary16_is_rounded_once_from_the_exact_result() {
    let mut random = Random::new(2);
    let mut checked = 0;
    for op in AluOp::all().filter(|op| op.is_per_component()) {
        for _ in 0..4000 {
            let bits = [0; 3].map(|_: i32| random.operand(Class::Float, 16));
            if bits.iter().any(|x| x & 0x7c00 == 0x7c00) {
                continue;
            }
            let exact = bits.map(|x| {
                let (n, e) = HALF.parts(x & 0x7fff);
                (n << (e + 24)) * if x >> 15 == 1 { -1 } else { 1 }
            });
            let Some(Exact { n, d, e }) = exact_half(op, exact) else {
                continue;
            };
            let found = eval_component(op, 16, 16, [bits[0], bits[1], bits[2], 0]);
            let order = |m: i128, f: i32| compare(n.abs(), e, m * d, f);
            let expected = HALF.nearest(&order) | if n < 0 { 0x8000 } else { 0 };
            // The sign of an exact zero is not checked here.
            let (found, expected) = if n == 0 { (found & 0x7fff, 0) } else { (found, expected) };
            assert_eq!(found, expected, "{} {bits:x?}", op.name());
            checked += 1;
        }
    }
    assert!(checked > 40_000);
    // Square roots are checked by comparing squares.
    for x in 1..0x7c00 {
        let (n, e) = HALF.parts(x);
        let expected = HALF.nearest(&|m, f| compare(n, e, m * m, 2 * f));
        assert_eq!(eval_component(AluOp::FSqrt, 16, 16, [x, 0, 0, 0]), expected, "sqrt {x:x}");
    }
}

#[test]
fn a_fused_sum_of_binary32_is_rounded_once() {
    let mut random = Random::new(3);
    for _ in 0..200_000 {
        // The numbers are so close to each other that the exact sum fits 128 bits.
        let exponents = [0, 1, 2].map(|_| 120 + random.next() % 14);
        let bits = exponents.map(|e| {
            let fraction = random.next() & 0x7f_ffff & !(random.next() % 2 * 0xffff);
            (random.next() % 2) << 31 | e << 23 | fraction
        });
        let [a, b, c] = bits.map(|x| {
            let (n, e) = SINGLE.parts(x & 0x7fff_ffff);
            (n << (e + 40)) * if x >> 31 == 1 { -1 } else { 1 }
        });
        let exact = a * b + (c << 40);
        if exact == 0 {
            continue;
        }
        let sign = if exact < 0 { 1 << 31 } else { 0 };
        let expected = SINGLE.nearest(&|m, f| compare(exact.abs(), -80, m, f)) | sign;
        let found = eval_component(AluOp::FFma, 32, 32, [bits[0], bits[1], bits[2], 0]);
        assert_eq!(found, expected, "{bits:x?}");
    }
}

/// The results must equal those of the host's float operations.
#[test]
fn binary32_and_binary64_are_those_of_the_machine() {
    macro_rules! check {
        ($float:ident, $bits:literal, $word:ident, $seed:literal) => {{
            let mut random = Random::new($seed);
            for _ in 0..60_000 {
                let bits = [0; 2].map(|_: i32| random.operand(Class::Float, $bits));
                let [a, b] = bits.map(|x| $float::from_bits(x as $word));
                let rows: &[(AluOp, $float)] = &[
                    (AluOp::FAdd, a + b),
                    (AluOp::FSub, a - b),
                    (AluOp::FMul, a * b),
                    (AluOp::FDiv, a / b),
                    (AluOp::FRcp, 1.0 / a),
                    (AluOp::FSqrt, a.sqrt()),
                    (AluOp::FFloor, a.floor()),
                    (AluOp::FCeil, a.ceil()),
                    (AluOp::FTrunc, a.trunc()),
                    (AluOp::FRoundEven, a.round_ties_even()),
                    (AluOp::FFract, a - a.floor()),
                ];
                for &(op, expected) in rows {
                    let found = eval_component(op, $bits, $bits, [bits[0], bits[1], 0, 0]);
                    let found = $float::from_bits(found as $word);
                    let equal = found.to_bits() == expected.to_bits();
                    assert!(
                        equal || found.is_nan() && expected.is_nan(),
                        "{} {a:?} {b:?}: {found:?}, expected {expected:?}",
                        op.name()
                    );
                }
                let orders = [
                    (AluOp::FEq, a == b),
                    (AluOp::FNe, a != b),
                    (AluOp::FLt, a < b),
                    (AluOp::FGe, a >= b),
                ];
                for (op, expected) in orders {
                    let found = eval_component(op, 1, $bits, [bits[0], bits[1], 0, 0]);
                    assert_eq!(found, u64::from(expected), "{} {a:?} {b:?}", op.name());
                }
                let (least, most) = if a.is_nan() {
                    (b, b)
                } else if b.is_nan() {
                    (a, a)
                } else if a < b {
                    (a, b)
                } else {
                    (b, a)
                };
                for (op, expected) in [(AluOp::FMin, least), (AluOp::FMax, most)] {
                    let found = eval_component(op, $bits, $bits, [bits[0], bits[1], 0, 0]);
                    let found = $float::from_bits(found as $word);
                    assert!(found == expected || found.is_nan() && expected.is_nan());
                }
            }
        }};
    }
    check!(f32, 32, u32, 4);
    check!(f64, 64, u64, 5);
}

#[test]
fn conversions_from_integers_are_nearest() {
    let mut random = Random::new(6);
    for bits in [8, 16, 32, 64] {
        for _ in 0..20_000 {
            let x = random.operand(Class::Int, bits);
            for (op, value) in [(AluOp::I2F, signed(bits, x)), (AluOp::U2F, i128::from(x))] {
                let sign = |bits: u32| if value < 0 { 1 << (bits - 1) } else { 0 };
                for format in [HALF, SINGLE] {
                    let expected = format.nearest(&|m, f| compare(value.abs(), 0, m, f));
                    let found = eval_component(op, format.bits, bits, [x, 0, 0, 0]);
                    assert_eq!(found, expected | sign(format.bits), "{} {value}", op.name());
                }
                let found = f64::from_bits(eval_component(op, 64, bits, [x, 0, 0, 0]));
                assert_eq!(found, value as f64);
            }
        }
    }
}

#[test]
fn conversions_to_integers_cut_and_saturate() {
    let mut random = Random::new(7);
    for (bits, to) in [16, 32, 64].into_iter().flat_map(|b| [8, 16, 32, 64].map(|t| (b, t))) {
        for _ in 0..10_000 {
            let x = random.operand(Class::Float, bits);
            let value = match bits {
                16 if x & 0x7c00 == 0x7c00 => {
                    [f64::INFINITY, f64::NAN][usize::from(x & 0x3ff != 0)]
                }
                16 => {
                    let (n, e) = HALF.parts(x & 0x7fff);
                    n as f64 * 2f64.powi(e)
                }
                32 => f64::from(f32::from_bits(x as u32)).abs(),
                _ => f64::from_bits(x).abs(),
            };
            let value = if x >> (bits - 1) & 1 == 1 { -value } else { value };
            // `as` truncates and saturates. All integer ranges here are within that of `i128`.
            let whole = value as i128;
            let limits = (-(1i128 << (to - 1)), (1i128 << (to - 1)) - 1);
            let expected = wrap(to, whole.clamp(limits.0, limits.1));
            assert_eq!(eval_component(AluOp::F2I, to, bits, [x, 0, 0, 0]), expected, "{value}");
            let expected = wrap(to, whole.clamp(0, (1 << to) - 1));
            assert_eq!(eval_component(AluOp::F2U, to, bits, [x, 0, 0, 0]), expected, "{value}");
        }
    }
}

#[test]
fn floats_of_other_sizes_are_nearest_or_cut() {
    let mut random = Random::new(8);
    for _ in 0..100_000 {
        let x = random.operand(Class::Float, 32) & 0x7fff_ffff;
        if x >= SINGLE.infinity() {
            continue;
        }
        let (n, e) = SINGLE.parts(x);
        let order = |m: i128, f: i32| compare(n, e, m, f);
        let nearest = HALF.nearest(&order);
        let found = eval_component(AluOp::F2F, 16, 32, [x | 1 << 31, 0, 0, 0]);
        assert_eq!(found, nearest | 0x8000, "{x:x}");
        let cut = eval_component(AluOp::F2FRtz, 16, 32, [x, 0, 0, 0]);
        let (m, f) = HALF.parts(cut);
        assert!(order(m, f) != Ordering::Less);
        assert!(
            cut + 1 == HALF.infinity() || {
                let (m, f) = HALF.parts(cut + 1);
                order(m, f) == Ordering::Less
            }
        );
        let packed = eval_alu(AluOp::PackHalf2x16, Ty::X32, 32, &[[x, x | 1 << 31, 0, 0]])[0];
        assert_eq!(packed, nearest | (nearest | 0x8000) << 16);
        let quantized =
            f32::from_bits(eval_component(AluOp::FQuantize16, 32, 32, [x, 0, 0, 0]) as u32);
        let (m, f) = HALF.parts(nearest.min(HALF.infinity()));
        let expected = match nearest {
            0..0x400 => 0.0,
            0x7c00 => f32::INFINITY,
            _ => m as f32 * 2f32.powi(f),
        };
        assert_eq!(quantized, expected);
        // Conversion to a larger format and back changes nothing.
        let wide = eval_component(AluOp::F2F, 64, 32, [x, 0, 0, 0]);
        assert_eq!(eval_component(AluOp::F2F, 32, 64, [wide, 0, 0, 0]), x);
    }
}

/// Checks mathematical identities with a tolerance for rounding.
#[test]
fn transcendental_functions_keep_their_identities() {
    let f = |op, x: f32, y: f32| {
        let operands = [u64::from(x.to_bits()), u64::from(y.to_bits()), 0, 0];
        f32::from_bits(eval_component(op, 32, 32, operands) as u32)
    };
    let near = |a: f32, b: f32| (a - b).abs() <= 4e-7 * a.abs().max(b.abs()).max(1e-30);
    let mut random = Random::new(9);
    for _ in 0..20_000 {
        let x = (random.next() % 100_000) as f32 / 1000.0 + 0.001;
        assert!(near(f(AluOp::FRsq, x, 0.0), 1.0 / f(AluOp::FSqrt, x, 0.0)));
        assert!((f(AluOp::FExp2, f(AluOp::FLog2, x, 0.0), 0.0) / x - 1.0).abs() < 1e-6);
        assert!(near(f(AluOp::FPow, x, 2.0), x * x));
        let (sin, cos) = (f(AluOp::FSin, x, 0.0), f(AluOp::FCos, x, 0.0));
        assert!((sin * sin + cos * cos - 1.0).abs() < 3e-7);
        // A known value, to distinguish the sine from the cosine.
        assert_eq!(f(AluOp::FSin, 0.5, 0.0), 0.479_425_55);
        let n = (random.next() % 40) as i32 - 20;
        let scaled =
            eval_component(AluOp::FLdexp, 32, 32, [x.to_bits().into(), n as u32 as u64, 0, 0]);
        assert_eq!(f32::from_bits(scaled as u32), x * 2f32.powi(n));
        let t = x / 200.0;
        let lrp = [x, 3.0, t].map(|x| u64::from(x.to_bits()));
        let lrp = eval_component(AluOp::FLrp, 32, 32, [lrp[0], lrp[1], lrp[2], 0]);
        assert!((f32::from_bits(lrp as u32) - (x * (1.0 - t) + 3.0 * t)).abs() < 1e-4);
    }
}

/// Runs every operation on random bits of every size: none panics or sets bits beyond the result's size.
#[test]
fn no_operation_panics_or_leaves_bits_beyond_its_result() {
    let mut random = Random::new(10);
    for op in AluOp::all() {
        let row = op.row();
        for (bits, to) in
            [1, 8, 16, 32, 64].into_iter().flat_map(|b| [1, 8, 16, 32, 64].map(|t| (b, t)))
        {
            let result = match row.result.bits {
                BitRule::Same => bits,
                BitRule::Free => to,
                BitRule::Is(bits) => bits.into(),
            };
            for comps in 1..=4 {
                let ty = Ty::new(result, comps).unwrap();
                for _ in 0..50 {
                    let srcs: Vec<_> = (row.srcs.iter())
                        .map(|src| {
                            let own =
                                if let BitRule::Is(own) = src.bits { own.into() } else { bits };
                            [0; 4].map(|_: i32| random.operand(Class::Any, own))
                        })
                        .collect();
                    let size = if let BitRule::Is(own) = row.srcs[op.size_src()].bits {
                        own.into()
                    } else {
                        bits
                    };
                    let out = eval_alu(op, ty, size, &srcs);
                    // The verifier rejects float operations on sizes below 16 bits.
                    let float = std::iter::once(&row.result)
                        .chain(row.srcs)
                        .any(|o| o.class == Class::Float);
                    if !(float && (bits < 16 || result < 16)) {
                        let fits = out.iter().all(|x| x & !ty.mask() == 0);
                        assert!(fits, "{} {bits} to {ty}: {srcs:x?} gave {out:x?}", row.name);
                    }
                }
            }
        }
    }
}
