//! S3TC and RGTC: BC1 to BC5.

/// What the codes of a colour block mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Without order between the two colours, code 3 is transparent black.
    Transparent,
    /// Without order between the two colours, code 3 is opaque black.
    Black,
    /// There are always two colours between.
    FourColours,
}

/// The colour of a texel.
pub(super) fn colour(block: u64, index: u32, mode: Mode) -> [f32; 4] {
    let codes = [block as u32 & 0xffff, (block >> 16) as u32 & 0xffff];
    let channels = |code: u32| {
        [(code >> 11) as f32 / 31.0, (code >> 5 & 63) as f32 / 63.0, (code & 31) as f32 / 31.0]
    };
    let [first, second] = codes.map(channels);
    let mix = |weight: f32| -> [f32; 4] {
        std::array::from_fn(|i| match i {
            3 => 1.0,
            _ => first[i] * (1.0 - weight) + second[i] * weight,
        })
    };
    let four = mode == Mode::FourColours || codes[0] > codes[1];
    match (block >> (32 + 2 * index) & 3, four) {
        (0, _) => mix(0.0),
        (1, _) => mix(1.0),
        (2, true) => mix(1.0 / 3.0),
        (_, true) => mix(2.0 / 3.0),
        (2, false) => mix(0.5),
        _ => [0.0, 0.0, 0.0, if mode == Mode::Transparent { 0.0 } else { 1.0 }],
    }
}

/// An RGTC value: `ends` are the two given ones, and `limits` the least and the greatest of the format.
fn ramp(block: u64, index: u32, ends: [f32; 2], is_ordered: bool, limits: [f32; 2]) -> f32 {
    let code = (block >> (16 + 3 * index) & 7) as u32;
    let steps = if is_ordered { 7 } else { 5 };
    match code {
        0 | 1 => ends[code as usize],
        6 | 7 if !is_ordered => limits[code as usize - 6],
        _ => {
            let weight = (code - 1) as f32;
            (ends[0] * (steps as f32 - weight) + ends[1] * weight) / steps as f32
        }
    }
}

/// An unsigned RGTC value, 0 to 1.
pub(super) fn unsigned(block: u64, index: u32) -> f32 {
    let ends = [block as u8, (block >> 8) as u8];
    ramp(block, index, ends.map(|end| f32::from(end) / 255.0), ends[0] > ends[1], [0.0, 1.0])
}

/// A signed RGTC value, -1 to 1. The code -128 counts as -127, but not for the order of both values.
pub(super) fn signed(block: u64, index: u32) -> f32 {
    let ends = [block as u8 as i8, (block >> 8) as u8 as i8];
    let values = ends.map(|end| f32::from(end.max(-127)) / 127.0);
    ramp(block, index, values, ends[0] > ends[1], [-1.0, 1.0])
}
