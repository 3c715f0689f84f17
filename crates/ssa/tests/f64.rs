//! Tests the lowered arithmetic on doubles against exact arithmetic on big integers. Each result must be the double
//! nearest to the exact result, or less than one unit in the last place away if the pass guarantees no more.

use std::cmp::Ordering;

use crestline_ssa::float::{Round, f64_to_f16, f64_to_f32};
use crestline_ssa::interp::{self, Resources};
use crestline_ssa::ir::{
    Access, Align, AluOp, Binding, BindingId, BindingKind, Builder, ComputeInfo, InstKind, Memory,
    Resource, Shader, Src, Srcs, StageInfo, SysVal, Ty, Value,
};
use crestline_ssa::passes::{Doubles, LowerOptions, all_passes};
use crestline_ssa::text::parse;
use crestline_ssa::verify::verify;
use dashu_int::IBig;
use fastrand::Rng;

/// Number of random cases for each operation.
const CASES: usize = 100_000;
const LOCAL_SIZE: u32 = 64;

/// The exact number `number * 2^exponent`.
#[derive(Clone, Debug)]
struct Exact {
    number: IBig,
    exponent: i64,
}

impl Exact {
    fn new(number: i64, exponent: i64) -> Exact {
        Exact { number: IBig::from(number), exponent }
    }

    /// The value of a double. Infinity is treated as the power of two after the greatest finite double.
    fn of(bits: u64) -> Exact {
        let field = bits >> 52 & 0x7ff;
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        let (number, exponent) = match field {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, field as i64 - 1075),
        };
        Exact::new(if bits >> 63 == 1 { -number } else { number }, exponent)
    }

    fn times(&self, other: &Exact) -> Exact {
        Exact { number: &self.number * &other.number, exponent: self.exponent + other.exponent }
    }

    /// Both numbers scaled to the lesser exponent, and that exponent.
    fn aligned(&self, other: &Exact) -> (IBig, IBig, i64) {
        let least = self.exponent.min(other.exponent);
        let shifted = |x: &Exact| &x.number << (x.exponent - least) as usize;
        (shifted(self), shifted(other), least)
    }

    fn plus(&self, other: &Exact) -> Exact {
        let (x, y, exponent) = self.aligned(other);
        Exact { number: x + y, exponent }
    }

    fn compare(&self, other: &Exact) -> Ordering {
        let (x, y, _) = self.aligned(other);
        x.cmp(&y)
    }

    fn sign(&self) -> Ordering {
        self.number.cmp(&IBig::ZERO)
    }
}

/// The precision that is required of a result.
#[derive(Clone, Copy, PartialEq)]
enum Precision {
    /// The nearest double; in a tie, the even one.
    Rounded,
    /// Less than one unit in the last place away.
    Near,
}

/// Whether a result is precise enough. The exact number is given by `order`, which compares it to another number.
fn is_right(found: u64, order: &dyn Fn(&Exact) -> Ordering, precision: Precision) -> bool {
    let negative = found >> 63 == 1;
    let order = |x: Exact| match negative {
        false => order(&x),
        true => order(&x.times(&Exact::new(-1, 0))).reverse(),
    };
    let size = found & !(1 << 63);
    if size > 0x7ff << 52 {
        return false;
    }
    let value = |size: u64| Exact::of(size);
    let neighbours = match size {
        0 => [Exact::of(1 | 1 << 63), value(1)],
        0x7ff0_0000_0000_0000 => [value(size - 1), Exact::new(1, 2000)],
        _ => [value(size - 1), value(size + 1)],
    };
    if precision == Precision::Near {
        return order(neighbours[0].clone()) == Ordering::Greater
            && order(neighbours[1].clone()) == Ordering::Less;
    }
    let border = |other: &Exact| {
        let sum = value(size).plus(other);
        Exact { number: sum.number, exponent: sum.exponent - 1 }
    };
    let tie = |order: Ordering| order == Ordering::Equal && size & 1 == 0;
    let below = order(border(&neighbours[0]));
    let above = match size {
        0x7ff0_0000_0000_0000 => Ordering::Less,
        _ => order(border(&neighbours[1])),
    };
    (below == Ordering::Greater || tie(below)) && (above == Ordering::Less || tie(above))
}

struct Random(Rng);

impl Random {
    fn new(seed: u64) -> Random {
        Random(Rng::with_seed(seed))
    }

    fn next(&mut self) -> u64 {
        self.0.u64(..)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0.u64(..n)
    }

    /// A random double: edge cases, few significant bits, denormals, numbers near 1, arbitrary bits.
    fn double(&mut self) -> u64 {
        const ONE: u64 = 1023 << 52;
        const INFINITY: u64 = 0x7ff << 52;
        let edges = [
            0,
            1,
            2,
            3,
            (1 << 52) - 1,
            1 << 52,
            (1 << 52) + 1,
            ONE - 1,
            ONE,
            ONE + 1,
            2 * ONE / 2 + (1 << 52) - 1,
            INFINITY - 1,
            INFINITY,
            INFINITY + 1,
        ];
        let sign = (self.next() & 1) << 63;
        let size = match self.below(8) {
            0 => edges[self.below(edges.len() as u64) as usize],
            // Few significant bits, any exponent: exact results and ties.
            1 => self.below(0x7ff) << 52 | self.below(64) << 46,
            // Denormals with few or many significant bits.
            2 => self.next() >> (12 + self.below(50)),
            // Near the ends of the range.
            3 => {
                (self.below(60) + [0, 0x7ff - 60][self.below(2) as usize]) << 52 | self.next() >> 12
            }
            4 | 5 => (1000 + self.below(46)) << 52 | self.next() >> 12,
            // Numbers just below or above a power of two.
            6 => ((self.below(0x7fd) + 1) << 52).wrapping_add(self.below(9)).wrapping_sub(4),
            _ => self.next() >> 1,
        };
        size | sign
    }

    fn cases(&mut self) -> Vec<[u64; 3]> {
        (0..CASES).map(|_| [self.double(), self.double(), self.double()]).collect()
    }
}

/// An operation to test, the number of components, and properties of the device.
#[derive(Clone, Copy, Debug)]
struct Setup {
    op: AluOp,
    comps: usize,
    fused: bool,
    /// Bits to flip in each 32-bit approximation, to make it less precise.
    noise: u32,
    /// The type of the second source, which need not be a double.
    second: Ty,
    result: Ty,
}

impl Setup {
    fn new(op: AluOp) -> Setup {
        Setup { op, comps: 1, fused: true, noise: 0, second: Ty::X64, result: Ty::X64 }
    }

    /// A shader with the operation. The sources are in buffers 0, 1, 2, the result in buffer 3. Each buffer has 32
    /// bytes per invocation.
    fn shader(&self) -> Shader {
        let mut shader = Shader::new_compute("f64");
        let local_size = [LOCAL_SIZE, 1, 1];
        shader.stage = StageInfo::Compute(ComputeInfo::new(local_size));
        let ssbo = |binding| Binding {
            set: 0,
            binding,
            kind: BindingKind::StorageBuffer,
            count: None,
            name: String::new(),
            readonly: false,
            non_uniform: false,
        };
        shader.bindings.extend((0..4).map(ssbo));
        let body = shader.func.body();
        let mut b = Builder::new(&mut shader.func, body);
        let id = b.sysval(SysVal::GlobalInvocationId);
        let (x, stride) = (b.comp(id, 0), b.imm(32));
        let offset = b.alu(AluOp::IMul, &[x, stride]);
        let memory = |i: u32| Memory::Ssbo(Resource { binding: BindingId(i), element: None });
        let count = self.op.row().srcs.len();
        let srcs: Srcs = (0..count)
            .map(|i| {
                let ty = if i == 1 { self.second } else { Ty::X64 }.with_comps(self.comps);
                let access = Access::default();
                Src::new(b.load(memory(i as u32), offset, Align::to(8), access, ty))
            })
            .collect();
        b.set_exact(true);
        let result = b.alu_ty(self.op, self.result.with_comps(self.comps), &srcs);
        b.store(memory(3), offset, result, Align::to(8), Access::default());
        b.return_();
        shader
    }

    fn lowered(&self) -> Shader {
        let mut shader = self.shader();
        let options = LowerOptions {
            doubles: Some(Doubles { fused: self.fused }),
            ..LowerOptions::default()
        };
        let mut changed = false;
        for pass in all_passes().filter(|pass| pass.name.starts_with("lower_f64")) {
            changed |= (pass.run)(&mut shader, &options);
            verify(&shader).unwrap_or_else(|e| panic!("after {}: {e}\n{shader}", pass.name));
        }
        assert!(changed, "nothing was lowered: {self:?}");
        if self.noise != 0 { with_noise(&shader, self.noise) } else { shader }
    }

    /// Runs a shader on these cases, one component per case. Returns the results.
    fn run(&self, shader: &Shader, cases: &[[u64; 3]]) -> Vec<u64> {
        let mut resources = Resources::default();
        let groups = cases.len().div_ceil(self.comps).div_ceil(LOCAL_SIZE as usize);
        let bytes = groups * LOCAL_SIZE as usize * 32;
        // The byte offset of a case's operand.
        let size = |ty: Ty| ty.bits() as usize / 8;
        let place = |case: usize, size: usize| case / self.comps * 32 + case % self.comps * size;
        for binding in 0..3 {
            let size = size(if binding == 1 { self.second } else { Ty::X64 });
            let mut buffer = vec![0; bytes];
            for (index, case) in cases.iter().enumerate() {
                let at = place(index, size);
                buffer[at..at + size].copy_from_slice(&case[binding].to_le_bytes()[..size]);
            }
            resources.bind(0, binding as u32, buffer);
        }
        resources.bind(0, 3, vec![0; bytes]);
        let options = interp::Options { subgroup_size: 64, ..interp::Options::default() };
        interp::run(shader, &mut resources, [groups as u32, 1, 1], &options)
            .unwrap_or_else(|e| panic!("{e}\n{shader}"));
        let out = resources.buffer(0, 3).unwrap();
        let size = size(self.result);
        (0..cases.len())
            .map(|index| {
                let mut bits = [0; 8];
                bits[..size].copy_from_slice(&out[place(index, size)..][..size]);
                u64::from_le_bytes(bits)
            })
            .collect()
    }

    /// Runs cases, and checks each result with `right`.
    fn check(&self, cases: &[[u64; 3]], right: &dyn Fn([u64; 3], u64) -> bool) {
        let shader = self.lowered();
        let found = self.run(&shader, cases);
        let wrong: Vec<_> = cases.iter().zip(&found).filter(|(c, f)| !right(**c, **f)).collect();
        if let Some((case, found)) = wrong.first() {
            let [x, y, z] = case.map(f64::from_bits);
            panic!(
                "{self:?}: {} wrong, first {x:e} {y:e} {z:e} ({case:x?}) gives {:e} ({found:x})\n{shader}",
                wrong.len(),
                f64::from_bits(**found)
            );
        }
    }

    /// Checks all variants: scalars and vectors, with and without fused multiply-add, with precise and imprecise
    /// approximations.
    fn check_all(self, cases: &[[u64; 3]], right: &dyn Fn([u64; 3], u64) -> bool) {
        for fused in [true, false] {
            if self.op == AluOp::FFma && fused {
                continue;
            }
            Setup { fused, ..self }.check(cases, right);
            if matches!(self.op, AluOp::FDiv | AluOp::FRcp | AluOp::FSqrt | AluOp::FRsq) {
                Setup { fused, noise: 0xb, ..self }.check(&cases[..cases.len() / 4], right);
            }
            for comps in 2..=4 {
                Setup { fused, comps, ..self }.check(&cases[..cases.len() / 8], right);
            }
        }
    }
}

/// The shader with some of the last bits of its 32-bit reciprocal or reciprocal root flipped.
fn with_noise(shader: &Shader, noise: u32) -> Shader {
    let (mut text, mut seeds) = (String::new(), 0);
    for line in shader.to_string().lines() {
        let seed = [" frcp", " frsq"].iter().any(|op| line.contains(op));
        match line.split_once(':') {
            Some((name, rest)) if seed => {
                let number = name.trim().trim_start_matches('%');
                let (raw, mask) = (format!("%100{number}"), format!("%200{number}"));
                text += &format!("{raw}:{rest}\n{mask}: 32 = const {noise}\n");
                text += &format!("{name}: 32 = ixor {raw}, {mask}\n");
                seeds += 1;
            }
            _ => text += &format!("{line}\n"),
        }
    }
    assert_eq!(seeds, 1, "{shader}");
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn float(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn is_number(bits: u64) -> bool {
    float(bits).is_finite() && float(bits) != 0.0
}

/// Equal in every bit, or both NaN.
fn same(found: u64, expected: f64) -> bool {
    found == expected.to_bits() || float(found).is_nan() && expected.is_nan()
}

fn quotient_is_right(x: u64, y: u64, found: u64) -> bool {
    if !is_number(x) || !is_number(y) {
        return same(found, float(x) / float(y));
    }
    let (n, d) = (Exact::of(x), Exact::of(y));
    let order = |q: &Exact| match d.sign() {
        Ordering::Less => q.times(&d).compare(&n),
        _ => n.compare(&q.times(&d)),
    };
    (found ^ x ^ y) >> 63 == 0 && is_right(found, &order, Precision::Rounded)
}

#[test]
fn quotients_are_rounded_once() {
    let mut cases = Random::new(1).cases();
    // Quotients exactly halfway between two denormals, or close to halfway.
    let mut random = Random::new(7);
    for case in cases.iter_mut().step_by(9) {
        let divisor =
            f64::from_bits((1023 + random.below(900)) << 52 | random.below(1 << 20) << 32);
        let halves = (2 * random.below(1 << 20) + 1) as f64;
        let product = halves * 2f64.powi(-1000) * divisor;
        let near = product.to_bits().wrapping_add(random.below(3)).wrapping_sub(1);
        *case = [near, (divisor * 2f64.powi(75)).to_bits(), 0];
    }
    let setup = Setup::new(AluOp::FDiv);
    setup.check_all(&cases, &|[x, y, _], found| quotient_is_right(x, y, found));
}

#[test]
fn reciprocals_are_rounded_once() {
    let one = 1f64.to_bits();
    let setup = Setup::new(AluOp::FRcp);
    setup.check_all(&Random::new(2).cases(), &|[x, ..], found| quotient_is_right(one, x, found));
}

#[test]
fn roots_are_rounded_once() {
    let mut cases = Random::new(3).cases();
    // Squares, and the numbers next to them.
    let mut random = Random::new(8);
    for case in cases.iter_mut().step_by(5) {
        let root = f64::from_bits((1023 - 300 + random.below(600)) << 52 | random.next() >> 12);
        case[0] = (root * root).to_bits() + random.below(3) - 1;
    }
    Setup::new(AluOp::FSqrt).check_all(&cases, &|[x, ..], found| {
        if !is_number(x) || x >> 63 == 1 {
            return same(found, float(x).sqrt());
        }
        let square = Exact::of(x);
        let order = |root: &Exact| match root.sign() {
            Ordering::Less => Ordering::Greater,
            _ => square.compare(&root.times(root)),
        };
        is_right(found, &order, Precision::Rounded)
    });
}

#[test]
fn inverse_roots_are_near() {
    Setup::new(AluOp::FRsq).check_all(&Random::new(4).cases(), &|[x, ..], found| {
        if !is_number(x) || x >> 63 == 1 {
            return same(found, 1.0 / float(x).sqrt());
        }
        let (number, one) = (Exact::of(x), Exact::new(1, 0));
        let order = |root: &Exact| match root.sign() {
            Ordering::Less => Ordering::Greater,
            _ => one.compare(&root.times(root).times(&number)),
        };
        is_right(found, &order, Precision::Near)
    });
}

#[test]
fn scaled_numbers_are_rounded_once() {
    let mut cases = Random::new(5).cases();
    let mut random = Random::new(9);
    for case in &mut cases {
        case[1] = match random.below(4) {
            0 => random.next() & 0xffff_ffff,
            _ => u64::from((random.below(4500) as i32 - 2250) as u32),
        };
    }
    let setup = Setup { second: Ty::X32, ..Setup::new(AluOp::FLdexp) };
    setup.check_all(&cases, &|[x, power, _], found| {
        if !is_number(x) {
            return same(found, float(x));
        }
        let power = i64::from(power as u32 as i32).clamp(-5000, 5000);
        let scaled = Exact::of(x).times(&Exact::new(1, power));
        (found ^ x) >> 63 == 0 && is_right(found, &|y| scaled.compare(y), Precision::Rounded)
    });
}

#[test]
fn sums_with_products_are_rounded_once() {
    let mut cases = Random::new(6).cases();
    let mut random = Random::new(10);
    for case in cases.iter_mut().step_by(2) {
        // The summand is close to the product: cancellation and ties.
        let product = float(case[0]) * float(case[1]);
        let away = random.below(120) as i32 - 60;
        case[2] = match random.below(3) {
            0 => (-product).to_bits(),
            1 => (-product).to_bits() ^ random.below(4),
            _ => (product * 2f64.powi(away)).to_bits() ^ random.below(2) << 63,
        };
    }
    Setup::new(AluOp::FFma).check_all(&cases, &|[x, y, z], found| {
        if ![x, y, z].into_iter().all(is_number) {
            return same(found, float(x).mul_add(float(y), float(z)));
        }
        let sum = Exact::of(x).times(&Exact::of(y)).plus(&Exact::of(z));
        if sum.sign() == Ordering::Equal {
            return found == 0;
        }
        // A denormal result may have been rounded twice.
        let denormal = found & !(1 << 63) <= 1 << 52;
        let precision = if denormal { Precision::Near } else { Precision::Rounded };
        is_right(found, &|other| sum.compare(other), precision)
    });
}

#[test]
fn whole_numbers_are_exact() {
    let mut cases = Random::new(11).cases();
    let mut random = Random::new(12);
    for case in cases.iter_mut().step_by(2) {
        // Multiples of one half, and the numbers next to them.
        let limit = 1 << (1 + random.below(53));
        let half = (random.below(limit) as f64 * 0.5).to_bits();
        let near = half.wrapping_add(random.below(3)).wrapping_sub(1);
        case[0] = near & !(1 << 63) | random.next() & 1 << 63;
    }
    type Row = (AluOp, fn(f64) -> f64);
    let ops: [Row; 6] = [
        (AluOp::FTrunc, f64::trunc),
        (AluOp::FFloor, f64::floor),
        (AluOp::FCeil, f64::ceil),
        (AluOp::FRoundEven, f64::round_ties_even),
        (AluOp::FFract, |x| x - x.floor()),
        (AluOp::FSign, |x| if x > 0.0 { 1.0 } else { -f64::from(u8::from(x < 0.0)) }),
    ];
    for (op, expected) in ops {
        Setup::new(op).check_all(&cases, &|[x, ..], found| {
            // The sign of a zero result is not checked for these operations.
            let zero = matches!(op, AluOp::FSign | AluOp::FFract | AluOp::FFloor | AluOp::FCeil);
            same(found, expected(float(x)))
                || zero && float(found) == 0.0 && expected(float(x)) == 0.0
        });
    }
}

#[test]
fn narrow_floats_are_rounded_once() {
    let mut cases = Random::new(13).cases();
    let mut random = Random::new(14);
    for case in cases.iter_mut().step_by(2) {
        // In the range of half floats: halfway between two of them, or close to halfway.
        let exponent = 1023 - 16 + random.below(32);
        let fraction = random.below(1 << 12) << 40;
        let last = [0, 0, 1, (1 << 40) - 1, 1 << 29, 1 << 28][random.below(6) as usize];
        case[0] = random.next() & 1 << 63 | exponent << 52 | fraction | last;
    }
    let half = |x: f64| f64_to_f16(x, Round::NearestEven);
    let to_half = Setup { result: Ty::X16, ..Setup::new(AluOp::F2F) };
    to_half.check_all(&cases, &|[x, ..], found| {
        let nan = float(x).is_nan() && found & 0x7fff > 0x7c00;
        nan || found == u64::from(half(float(x)))
    });
    let cut = Setup { result: Ty::X32, ..Setup::new(AluOp::F2FRtz) };
    cut.check_all(&cases, &|[x, ..], found| {
        let found = f32::from_bits(found as u32);
        let expected = f64_to_f32(float(x), Round::TowardZero);
        found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan()
    });
}

#[test]
fn booleans_become_doubles() {
    let mut shader = Shader::new_compute("booleans");
    let body = shader.func.body();
    let mut b = Builder::new(&mut shader.func, body);
    let yes = b.constant(Ty::BOOL.with_comps(2), [1, 0, 0, 0]);
    let converted: Value = b.convert(AluOp::B2F, 64, yes);
    b.return_();
    let options = LowerOptions { doubles: Some(Doubles::default()), ..LowerOptions::default() };
    for pass in all_passes().filter(|pass| pass.name == "lower_f64_conversions") {
        assert!((pass.run)(&mut shader, &options));
    }
    verify(&shader).unwrap();
    let left = shader.func.region(body).insts.iter().any(|&inst| {
        let inst = shader.func.inst(inst);
        matches!(inst.kind, InstKind::Alu { op: AluOp::B2F, .. }) && inst.results[0] == converted
    });
    assert!(!left, "{shader}");
}
