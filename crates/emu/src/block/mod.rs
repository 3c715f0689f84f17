//! Decoding of compressed formats, as the sampler does it: one texel of a block.
//!
//! The rules are those of the Khronos Data Format Specification, chapters "S3TC", "RGTC", "BPTC", "ETC2" and "ASTC". A block of 64
//! bits is in the first eight bytes. Interpolated values are not rounded to eight bits where the specification defines real
//! numbers (S3TC and RGTC).

mod astc;
mod bc;
mod bptc;
mod bptc_tables;
mod etc;

use crestline_device::{Codec, Compression};

/// The texel at column `x` and row `y` of a block: red, green, blue, alpha. Channels that the format lacks are 0, 0, 0, 1. Colours of
/// sRGB formats are still encoded. `srgb` is whether the format is such a one, which changes the precision of ASTC.
pub(crate) fn texel(
    compression: Compression,
    srgb: bool,
    block: &[u8; 16],
    [x, y]: [u32; 2],
) -> [f32; 4] {
    let [width, height] = compression.block;
    let (x, y) = (x.min(width - 1), y.min(height - 1));
    let index = 4 * y + x;
    let (first, second) = (half(block, 0), half(block, 1));
    let red = |red: f32| [red, 0.0, 0.0, 1.0];
    match compression.codec {
        Codec::Bc1 => bc::colour(first, index, bc::Mode::Transparent),
        Codec::Bc1Opaque => bc::colour(first, index, bc::Mode::Black),
        Codec::Bc2 => {
            let [r, g, b, _] = bc::colour(second, index, bc::Mode::FourColours);
            [r, g, b, (first >> (4 * index) & 15) as f32 / 15.0]
        }
        Codec::Bc3 => {
            let [r, g, b, _] = bc::colour(second, index, bc::Mode::FourColours);
            [r, g, b, bc::unsigned(first, index)]
        }
        Codec::Bc4 => red(bc::unsigned(first, index)),
        Codec::Bc4Signed => red(bc::signed(first, index)),
        Codec::Bc5 => [bc::unsigned(first, index), bc::unsigned(second, index), 0.0, 1.0],
        Codec::Bc5Signed => [bc::signed(first, index), bc::signed(second, index), 0.0, 1.0],
        Codec::Bc6 => bptc::half_floats(u128::from_le_bytes(*block), index, false),
        Codec::Bc6Signed => bptc::half_floats(u128::from_le_bytes(*block), index, true),
        Codec::Bc7 => bptc::bytes(u128::from_le_bytes(*block), index).map(unorm8),
        Codec::Etc2 => etc::colour(first.swap_bytes(), [x, y], false).map(unorm8),
        Codec::Etc2PunchThrough => etc::colour(first.swap_bytes(), [x, y], true).map(unorm8),
        Codec::Etc2Alpha => {
            let [r, g, b, _] = etc::colour(second.swap_bytes(), [x, y], false);
            [r, g, b, etc::alpha(first.swap_bytes(), [x, y])].map(unorm8)
        }
        Codec::EacR11 => red(etc::eleven(first.swap_bytes(), [x, y])),
        Codec::EacSignedR11 => red(etc::signed_eleven(first.swap_bytes(), [x, y])),
        Codec::EacRg11 => {
            let [red, green] = [first, second].map(|part| etc::eleven(part.swap_bytes(), [x, y]));
            [red, green, 0.0, 1.0]
        }
        Codec::EacSignedRg11 => {
            let [red, green] =
                [first, second].map(|part| etc::signed_eleven(part.swap_bytes(), [x, y]));
            [red, green, 0.0, 1.0]
        }
        Codec::Astc => astc::texel(u128::from_le_bytes(*block), [width, height], [x, y], srgb),
    }
}

/// The first or second eight bytes of a block.
fn half(block: &[u8; 16], number: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| block[8 * number + i]))
}

fn unorm8(code: u8) -> f32 {
    f32::from(code) / 255.0
}

/// The lowest `count` bits, up to 32, from bit `first`.
fn bits(value: u128, first: u32, count: u32) -> u32 {
    let mask = (1u128 << count) - 1;
    (value.checked_shr(first).unwrap_or(0) & mask) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crestline_device::SurfaceFormat;

    /// Each byte pattern gives finite numbers at each texel, and no panic.
    #[test]
    fn every_block_has_texels() {
        let mut random = fastrand::Rng::with_seed(7);
        let formats = SurfaceFormat::ALL.iter().map(|format| format.info());
        for info in formats.filter(|info| info.compression.is_some()) {
            let compression = info.compression.unwrap();
            let [width, height] = compression.block;
            for round in 0..2000 {
                let mut block: [u8; 16] = std::array::from_fn(|_| random.u8(..));
                match round % 4 {
                    0 => block[0] = 1 << random.u32(0..8),
                    1 => block[1] &= random.u8(..) & 1,
                    _ => {}
                }
                let at = [random.u32(0..width), random.u32(0..height)];
                let texel = texel(compression, info.srgb, &block, at);
                assert!(texel.iter().all(|value| value.is_finite()), "{} {block:x?}", info.name);
            }
        }
    }
}
