//! ETC2 and EAC. Blocks are numbers in the order of the specification: the first byte is the highest.

/// Steps of brightness of the individual and differential modes, by table and by the size of the step.
const STEPS: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// Distances of the T and H modes.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

/// Steps of EAC by table and code.
const EAC_STEPS: [[i32; 8]; 16] = [
    [-3, -6, -9, -15, 2, 5, 8, 14],
    [-3, -7, -10, -13, 2, 6, 9, 12],
    [-2, -5, -8, -13, 1, 4, 7, 12],
    [-2, -4, -6, -13, 1, 3, 5, 12],
    [-3, -6, -8, -12, 2, 5, 7, 11],
    [-3, -7, -9, -11, 2, 6, 8, 10],
    [-4, -7, -8, -11, 3, 6, 7, 10],
    [-3, -5, -8, -11, 2, 4, 7, 10],
    [-2, -6, -8, -10, 1, 5, 7, 9],
    [-2, -5, -8, -10, 1, 4, 7, 9],
    [-2, -4, -8, -10, 1, 3, 7, 9],
    [-2, -5, -7, -10, 1, 4, 6, 9],
    [-3, -4, -7, -10, 2, 3, 6, 9],
    [-1, -2, -3, -10, 0, 1, 2, 9],
    [-4, -6, -8, -9, 3, 5, 7, 8],
    [-3, -5, -7, -9, 2, 4, 6, 8],
];

/// `count` bits of which `high` is the highest.
fn field(block: u64, high: u32, count: u32) -> i32 {
    (block >> (high + 1 - count) & ((1 << count) - 1)) as i32
}

/// A number of `count` bits as eight bits, of which the lower ones repeat the highest.
fn extended(value: i32, count: u32) -> i32 {
    value << (8 - count) | value >> (2 * count - 8)
}

fn opaque(rgb: [i32; 3]) -> [u8; 4] {
    let [r, g, b] = rgb.map(|value| value.clamp(0, 255) as u8);
    [r, g, b, 255]
}

fn brighter(rgb: [i32; 3], step: i32) -> [i32; 3] {
    rgb.map(|value| value + step)
}

/// The colour of a texel. With `punch_through`, the block's differential bit tells that it is opaque.
pub(super) fn colour(block: u64, at: [u32; 2], punch_through: bool) -> [u8; 4] {
    let differential = field(block, 33, 1) == 1;
    let is_opaque = !punch_through || differential;
    // Codes of texels are stored column after column: the lower bit in bits 15:0, the upper in bits 31:16.
    let position = 4 * at[0] + at[1];
    let code = (block >> position & 1 | (block >> (16 + position) & 1) << 1) as usize;
    if !differential && !punch_through {
        let part =
            |low: u32| [63, 55, 47].map(|high: u32| extended(field(block, high - 4 * low, 4), 4));
        return stepped(block, at, [part(0), part(1)], code, is_opaque);
    }
    let base = [63, 55, 47].map(|high| field(block, high, 5));
    let sum: [i32; 3] = std::array::from_fn(|i| {
        let step = field(block, 58 - 8 * i as u32, 3);
        base[i] + if step > 3 { step - 8 } else { step }
    });
    match sum.map(|value| (0..32).contains(&value)) {
        [false, ..] => in_t_mode(block, code, is_opaque),
        [true, false, _] => in_h_mode(block, code, is_opaque),
        [true, true, false] => planar(block, at),
        _ => {
            let parts = [base, sum].map(|part| part.map(|value| extended(value, 5)));
            stepped(block, at, parts, code, is_opaque)
        }
    }
}

/// The colour in the individual and differential modes.
fn stepped(
    block: u64,
    at: [u32; 2],
    parts: [[i32; 3]; 2],
    code: usize,
    is_opaque: bool,
) -> [u8; 4] {
    let flipped = field(block, 32, 1) == 1;
    let part = usize::from(at[usize::from(flipped)] >= 2);
    let table = field(block, if part == 0 { 39 } else { 36 }, 3) as usize;
    let mut steps = STEPS[table];
    if !is_opaque {
        if code == 2 {
            return [0; 4];
        }
        steps[0] = 0;
    }
    let step = steps[code & 1];
    opaque(brighter(parts[part], if code & 2 == 2 { -step } else { step }))
}

/// The colour of the T mode.
fn in_t_mode(block: u64, code: usize, is_opaque: bool) -> [u8; 4] {
    let red = field(block, 60, 2) << 2 | field(block, 57, 2);
    let first = [red, field(block, 55, 4), field(block, 51, 4)].map(|value| extended(value, 4));
    let second = [47, 43, 39].map(|high| extended(field(block, high, 4), 4));
    let distance = DISTANCES[(field(block, 35, 2) << 1 | field(block, 32, 1)) as usize];
    match code {
        0 => opaque(first),
        1 => opaque(brighter(second, distance)),
        2 if !is_opaque => [0; 4],
        2 => opaque(second),
        _ => opaque(brighter(second, -distance)),
    }
}

/// The colour of the H mode.
fn in_h_mode(block: u64, code: usize, is_opaque: bool) -> [u8; 4] {
    let green = field(block, 58, 3) << 1 | field(block, 52, 1);
    let blue = field(block, 51, 1) << 3 | field(block, 49, 3);
    let first = [field(block, 62, 4), green, blue];
    let second = [46, 42, 38].map(|high| field(block, high, 4));
    let number = |[r, g, b]: [i32; 3]| r << 8 | g << 4 | b;
    let order = i32::from(number(first) >= number(second));
    let index = field(block, 34, 1) << 2 | field(block, 32, 1) << 1 | order;
    let distance = DISTANCES[index as usize];
    let [first, second] = [first, second].map(|rgb| rgb.map(|value| extended(value, 4)));
    match code {
        0 => opaque(brighter(first, distance)),
        1 => opaque(brighter(first, -distance)),
        2 if !is_opaque => [0; 4],
        2 => opaque(brighter(second, distance)),
        _ => opaque(brighter(second, -distance)),
    }
}

/// The colour of the planar mode: colours at the origin, to the right and below, and linear between.
fn planar(block: u64, [x, y]: [u32; 2]) -> [u8; 4] {
    let origin = [
        extended(field(block, 62, 6), 6),
        extended(field(block, 56, 1) << 6 | field(block, 54, 6), 7),
        extended(field(block, 48, 1) << 5 | field(block, 44, 2) << 3 | field(block, 41, 3), 6),
    ];
    let right = [
        extended(field(block, 38, 5) << 1 | field(block, 32, 1), 6),
        extended(field(block, 31, 7), 7),
        extended(field(block, 24, 6), 6),
    ];
    let below = [
        extended(field(block, 18, 6), 6),
        extended(field(block, 12, 7), 7),
        extended(field(block, 5, 6), 6),
    ];
    let (x, y) = (x as i32, y as i32);
    opaque(std::array::from_fn(|i| {
        (x * (right[i] - origin[i]) + y * (below[i] - origin[i]) + 4 * origin[i] + 2) >> 2
    }))
}

/// The base, the multiplier and the step of an EAC block's texel.
fn eac(block: u64, at: [u32; 2]) -> (u8, i32, i32) {
    let position = 4 * at[0] + at[1];
    let code = field(block, 47 - 3 * position, 3) as usize;
    let table = field(block, 51, 4) as usize;
    ((block >> 56) as u8, field(block, 55, 4), EAC_STEPS[table][code])
}

/// The alpha of a texel.
pub(super) fn alpha(block: u64, at: [u32; 2]) -> u8 {
    let (base, multiplier, step) = eac(block, at);
    (i32::from(base) + multiplier * step).clamp(0, 255) as u8
}

/// The step of a number of 11 bits. A multiplier of zero counts as one eighth.
fn eleven_step(multiplier: i32, step: i32) -> i32 {
    if multiplier == 0 { step } else { 8 * multiplier * step }
}

/// An unsigned value of 11 bits, 0 to 1.
pub(super) fn eleven(block: u64, at: [u32; 2]) -> f32 {
    let (base, multiplier, step) = eac(block, at);
    let value = 8 * i32::from(base) + 4 + eleven_step(multiplier, step);
    value.clamp(0, 2047) as f32 / 2047.0
}

/// A signed value of 11 bits, -1 to 1. The base -128 counts as -127.
pub(super) fn signed_eleven(block: u64, at: [u32; 2]) -> f32 {
    let (base, multiplier, step) = eac(block, at);
    let value = 8 * i32::from(base.cast_signed().max(-127)) + eleven_step(multiplier, step);
    value.clamp(-1023, 1023) as f32 / 1023.0
}
