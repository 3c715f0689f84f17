//! Tests conversions and comparisons of doubles, constants of 64 bits, and dependency control: from IR text through the
//! whole back end.

use crate::harness::{PLATFORMS, compile, end, execute, listing, save};
use crestline_codegen::ir::{Builder, Operand, parse};
use crestline_codegen::verify::verify;
use crestline_device::{Device, Platform};
use crestline_isa::{Inst, Type};

/// The inputs: two vectors of doubles per vertex in g1 to g4, floats in g5, integers in g6.
const INPUT_BYTES: usize = 6 * 32;

/// Compiles a program's text. Its results are `pairs` pairs of registers from g60 on, which are 0 at first.
fn code(body: &str, pairs: u32, device: &Device, everywhere: bool) -> Vec<Inst> {
    let registers = "registers v0:64, v1:64, v2:32, v3:32, v4:32, vf5:2, v6:64, v7:32";
    let mut text =
        format!("function simd8 payload 7 push 0 bytes at g1 scratch 0\n{registers}\nb0:\n");
    for register in 60..60 + 2 * pairs {
        text += &format!("  mov(8) g{register}<1>:UD, 0x0:UD {{nomask}}\n");
    }
    text += body;
    let mut function = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&function).unwrap_or_else(|error| panic!("{error}"));
    let mut b = Builder::new(&mut function);
    let results: Vec<Operand> =
        (0..pairs).map(|pair| Operand::grf(60 + 2 * pair, Type::Ud)).collect();
    save(&mut b, device, 0, &results);
    end(&mut b, device);
    compile(&function, device, everywhere)
}

fn doubles() -> Vec<f64> {
    vec![
        1.5,
        -2.25,
        1e300,
        -0.75,
        3.999_999_9,
        7.0,
        -1e-3,
        4.0e9,
        8.5,
        0.0,
        -3.0,
        2.5,
        1.0,
        -7.0,
        6.0,
        0.125,
    ]
}

fn floats() -> Vec<f32> {
    vec![0.1, -2.5, 3e38, 7.0, -0.0, 1e-10, 123.25, -9.0]
}

fn integers() -> Vec<i32> {
    vec![1, -1, i32::MIN, i32::MAX, 0, 77, -1000, 1 << 24]
}

fn inputs() -> Vec<u8> {
    let doubles = doubles().into_iter().flat_map(f64::to_le_bytes);
    let floats = floats().into_iter().flat_map(f32::to_le_bytes);
    let integers = integers().into_iter().flat_map(i32::to_le_bytes);
    let bytes: Vec<u8> = doubles.chain(floats).chain(integers).collect();
    assert_eq!(bytes.len(), INPUT_BYTES);
    bytes
}

/// Runs a program on all platforms with four and with eight channels. `expected` gives the dwords of the result
/// registers for a number of channels.
fn check(body: &str, pairs: u32, expected: impl Fn(usize) -> Vec<u32>) {
    for platform in PLATFORMS {
        let device = Device::new(platform);
        for (everywhere, channels) in [(false, 8), (false, 4), (true, 8)] {
            let insts = code(body, pairs, &device, everywhere);
            let found = execute(insts.clone(), &device, &inputs(), channels, pairs as usize);
            let found: Vec<u32> = found
                .chunks(4)
                .map(|bytes| u32::from_le_bytes(bytes.try_into().expect("a dword")))
                .collect();
            let expected = expected(channels as usize);
            assert!(
                found == expected,
                "{platform}, {channels} channels\nexpected {expected:x?}\nfound    {found:x?}\n{}",
                listing(&insts, &device)
            );
        }
    }
}

/// The dwords of a result pair whose first register contains 32-bit values: `value` of each enabled channel, else 0.
fn narrow(channels: usize, value: impl Fn(usize) -> Option<u32>) -> Vec<u32> {
    let value = &value;
    (0..16).map(|i| if i < channels { value(i).unwrap_or(0) } else { 0 }).collect()
}

/// The dwords of a result pair that contains doubles: `value` of each enabled channel, else 0.
fn wide(channels: usize, value: impl Fn(usize) -> Option<f64>) -> Vec<u32> {
    let bits = |i: usize| match value(i) {
        Some(value) if i < channels => value.to_bits(),
        _ => 0,
    };
    (0..8).flat_map(|i| [bits(i) as u32, (bits(i) >> 32) as u32]).collect()
}

/// The channel that channel `i` reads through `swizzle`.
fn at(swizzle: [usize; 4], i: usize) -> usize {
    i / 4 * 4 + swizzle[i % 4]
}

#[test]
fn doubles_become_floats_and_integers() {
    let body = "  mov(8) g60.xyz:F, g1.wxxy:DF {align16}
  mov.sat(8) g60.w:F, -g1.yyyy:DF {align16}
  mov(8) g62.xyzw:D, g1.xyzw:DF {align16}
  mov(8) g64.xw:UD, |g1.ywzx|:DF {align16}
";
    check(body, 3, |channels| {
        let d = doubles();
        let single = |x: f64| (x as f32).to_bits();
        let first = narrow(channels, |i| match i % 4 {
            3 => Some(single((-d[at([1; 4], i)]).clamp(0.0, 1.0))),
            _ => Some(single(d[at([3, 0, 0, 1], i)])),
        });
        let second = narrow(channels, |i| Some(d[i] as i32 as u32));
        let third = narrow(channels, |i| {
            [0, 3].contains(&(i % 4)).then(|| d[at([1, 3, 2, 0], i)].abs() as u32)
        });
        [first, second, third].concat()
    });
}

#[test]
fn floats_and_integers_become_doubles() {
    let body = "  mov(8) g60.xyzw:DF, g5.xyzw:F {align16}
  mov(8) g62.xz:DF, -g5.yxwx:F {align16}
  mov(8) g64.yzw:DF, g6.xxyz:D {align16}
  add(8) g66.xyzw:DF, g1.zwxy:DF, g5.xxyy:F {align16}
";
    check(body, 4, |channels| {
        let (d, f, n) = (doubles(), floats(), integers());
        let first = wide(channels, |i| Some(f[i].into()));
        let second = wide(channels, |i| {
            [0, 2].contains(&(i % 4)).then(|| f64::from(-f[at([1, 0, 3, 0], i)]))
        });
        let third = wide(channels, |i| (i % 4 > 0).then(|| n[at([0, 0, 1, 2], i)].into()));
        let fourth =
            wide(channels, |i| Some(d[at([2, 3, 0, 1], i)] + f64::from(f[at([0, 0, 1, 1], i)])));
        [first, second, third, fourth].concat()
    });
}

#[test]
fn comparisons_of_doubles() {
    let body = "  cmp.l.vf5(8) null:DF, g1.xyzw:DF, g1.yyxx:DF {align16}
  (+vf5) mov(8) g60.xyzw:F, 0x3f800000:F {align16}
  cmp.ge.vf5(8) g62.xzw:D, g1.wzyx:DF, 0x3ff8000000000000:DF {align16}
  (+vf5.w) mov(8) g64.xy:DF, g1.zwzw:DF {align16}
  sel.l(8) g66.xyzw:DF, g1.wxyz:DF, g3<0>.xyxy:DF {align16}
";
    check(body, 4, |channels| {
        let d = doubles();
        let one = 1f32.to_bits();
        let first = narrow(channels, |i| (d[i] < d[at([1, 1, 0, 0], i)]).then_some(one));
        let at_least = |i: usize| d[at([3, 2, 1, 0], i)] >= 1.5;
        let second =
            narrow(channels, |i| (i % 4 != 1).then(|| if at_least(i) { u32::MAX } else { 0 }));
        let third = wide(channels, |i| {
            let on = at_least(i / 4 * 4 + 3) && i % 4 < 2;
            on.then(|| d[at([2, 3, 2, 3], i)])
        });
        let fourth = wide(channels, |i| Some(d[at([3, 0, 1, 2], i)].min(d[8 + i % 2])));
        [first, second, third, fourth].concat()
    });
}

#[test]
fn constants_of_64_bits() {
    let body = "  mov(8) g60.xw:DF, 0x400921fb54442d18:DF {align16}
  mul(8) g62.xyzw:DF, g1.xxyy:DF, 0x400921fb54442d18:DF {align16}
  mad(8) g64.xyz:DF, 0x3fe0000000000000:DF, g1.yzwx:DF, g1.xxxx:DF {align16}
";
    check(body, 3, |channels| {
        let d = doubles();
        let pi = std::f64::consts::PI;
        let first = wide(channels, |i| [0, 3].contains(&(i % 4)).then_some(pi));
        let second = wide(channels, |i| Some(d[at([0, 0, 1, 1], i)] * pi));
        let third = wide(channels, |i| {
            (i % 4 < 3).then(|| d[at([1, 2, 3, 0], i)].mul_add(d[at([0; 4], i)], 0.5))
        });
        [first, second, third].concat()
    });
}

/// Three instructions write parts of one register; dependency control lets them run without waiting for one another.
const PARTS: &str = "  mov(8) v2.x:F, g5.yyyy:F {align16}
  add(8) v2.yz:F, g5.xyzw:F, g5.wwww:F {align16}
  mul(8) v2.w:F, g5.xyzw:F, g5.xxxx:F {align16}
  mov(8) g60.xyzw:F, v2.wzyx:F {align16}
";

#[test]
fn parts_of_a_register_do_not_wait_for_one_another() {
    check(PARTS, 1, |channels| {
        let f = floats();
        let part = |i: usize| match i % 4 {
            0 => f[at([1; 4], i)],
            3 => f[i] * f[at([0; 4], i)],
            _ => f[i] + f[at([3; 4], i)],
        };
        narrow(channels, |i| Some(part(at([3, 2, 1, 0], i)).to_bits()))
    });
    let device = Device::new(Platform::Hsw);
    let insts = code(PARTS, 1, &device, false);
    let controlled: Vec<usize> =
        (0..insts.len()).filter(|i| insts[*i].no_dd_check || insts[*i].no_dd_clear).collect();
    assert_eq!(controlled.len(), 3, "{}", listing(&insts, &device));
    assert!(insts[controlled[0]].no_dd_clear && !insts[controlled[0]].no_dd_check);
    assert!(insts[controlled[2]].no_dd_check && !insts[controlled[2]].no_dd_clear);
    // The emulator must report each bit that is wrong.
    for index in controlled {
        for check in [false, true] {
            let mut wrong = insts.clone();
            let bit = match check {
                true => &mut wrong[index].no_dd_check,
                false => &mut wrong[index].no_dd_clear,
            };
            *bit = !*bit;
            let run = std::panic::catch_unwind(|| execute(wrong, &device, &inputs(), 8, 1));
            assert!(run.is_err(), "instruction {index}, check {check}");
        }
    }
}
