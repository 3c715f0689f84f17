//! Conversion of texels between memory and channels, for the typed data port and the sampler.
//!
//! This code is independent of the compiler's lowering of the same conversions, so that a comparison finds bugs in
//! either.

use crestline_device::{Channel, ChannelKind, Compression, FormatInfo, SurfaceFormat};
use crestline_isa::semantics::soft::{Format, Number};
use crestline_isa::semantics::{Half, Rounding};

/// The size of the largest texel in bytes.
const MAX_BYTES: usize = 16;

/// The unsigned floats of 11 and 10 bits.
const fn unsigned_float(bits: u8) -> Format {
    Format { fraction: bits as u32 - 5, exponent: 5 }
}

/// The floats of the codes of 8-bit normalized channels.
const UNORM8: [u32; 256] = {
    let mut table = [0; 256];
    let mut code = 0;
    while code < 256 {
        table[code] = ((code as f64 / 255.0) as f32).to_bits();
        code += 1;
    }
    table
};

/// The texels of frequent formats, converted without a look at their channels; `None` for the other formats.
#[inline]
fn decode_quickly(format: SurfaceFormat, bytes: &[u8]) -> Option<[u32; 4]> {
    use SurfaceFormat::*;
    const ONE: u32 = 1f32.to_bits();
    let byte = |i: usize| UNORM8[usize::from(bytes[i])];
    match format {
        R32G32B32A32_FLOAT | R32G32B32A32_UINT | R32G32B32A32_SINT => {
            let words = bytes.first_chunk::<16>()?.as_chunks::<4>().0;
            Some(std::array::from_fn(|i| u32::from_le_bytes(words[i])))
        }
        R32_FLOAT => Some([u32::from_le_bytes(*bytes.first_chunk()?), 0, 0, ONE]),
        R8G8B8A8_UNORM if bytes.len() >= 4 => Some([byte(0), byte(1), byte(2), byte(3)]),
        B8G8R8A8_UNORM if bytes.len() >= 4 => Some([byte(2), byte(1), byte(0), byte(3)]),
        _ => None,
    }
}

/// Converts a texel of four 8-bit normalized channels, red in the low byte, to floats.
#[inline(always)]
pub(crate) fn decode_unorm8(texel: u32) -> [u32; 4] {
    texel.to_le_bytes().map(|code| UNORM8[usize::from(code)])
}

/// Converts a texel to four 32-bit channels, which are floats or integers depending on the format. Missing channels are
/// 0, 0, 0, 1.
pub(crate) fn decode(format: SurfaceFormat, bytes: &[u8]) -> [u32; 4] {
    if let Some(texel) = decode_quickly(format, bytes) {
        return texel;
    }
    let info = format.info();
    let mut texel = [0; MAX_BYTES];
    let size = bytes.len().min(MAX_BYTES);
    texel[..size].copy_from_slice(&bytes[..size]);
    let bits = u128::from_le_bytes(texel);
    if format == SurfaceFormat::R9G9B9E5_SHAREDEXP {
        return shared_exponent(bits as u32);
    }
    let one = if is_integer(format) { 1 } else { 1f32.to_bits() };
    let missing = [0, 0, 0, one];
    std::array::from_fn(|i| match info.channels[i] {
        None | Some(Channel { kind: ChannelKind::Unused, .. }) => missing[i],
        Some(channel) => {
            let raw = (bits >> channel.shift) as u64 & u64::MAX >> (64 - u32::from(channel.bits));
            let value = channel_value(channel, raw);
            if info.srgb && i < 3 { linear(f32::from_bits(value)).to_bits() } else { value }
        }
    })
}

/// Whether the channels of a format are integers, not floats.
pub(crate) fn is_integer(format: SurfaceFormat) -> bool {
    format
        .info()
        .channels
        .iter()
        .flatten()
        .any(|channel| matches!(channel.kind, ChannelKind::Uint | ChannelKind::Sint))
}

/// The integer channels reduced to the low bits that the format stores, and extended again; other channels unchanged.
pub(crate) fn wrapped(format: SurfaceFormat, channels: [u32; 4]) -> [u32; 4] {
    let info = format.info();
    std::array::from_fn(|i| match info.channels[i] {
        Some(Channel { kind: ChannelKind::Uint, bits, .. }) => {
            channels[i] & u32::MAX >> (32 - u32::from(bits))
        }
        Some(Channel { kind: ChannelKind::Sint, bits, .. }) => {
            let unused = 32 - u32::from(bits);
            ((channels[i] << unused).cast_signed() >> unused).cast_unsigned()
        }
        _ => channels[i],
    })
}

fn shared_exponent(bits: u32) -> [u32; 4] {
    let scale = 2f32.powi((bits >> 27) as i32 - 24);
    let channel = |i: u32| ((bits >> (9 * i) & 0x1ff) as f32 * scale).to_bits();
    [channel(0), channel(1), channel(2), 1f32.to_bits()]
}

/// Converts the stored bits of a channel to a 32-bit value.
pub(crate) fn channel_value(channel: Channel, raw: u64) -> u32 {
    let bits = u32::from(channel.bits);
    let signed = (raw << (64 - bits)).cast_signed() >> (64 - bits);
    match channel.kind {
        ChannelKind::Unorm => { (raw as f64 / (u64::MAX >> (64 - bits)) as f64) as f32 }.to_bits(),
        ChannelKind::Snorm => {
            let scale = ((1u64 << (bits - 1)) - 1) as f64;
            ((signed as f64 / scale).max(-1.0) as f32).to_bits()
        }
        ChannelKind::Float => match bits {
            16 => Half(raw as u16).to_f32().to_bits(),
            64 => (f64::from_bits(raw) as f32).to_bits(),
            _ => raw as u32,
        },
        ChannelKind::UFloat => {
            let number = Number::unpack(raw, unsigned_float(channel.bits));
            number.pack(crestline_isa::semantics::soft::SINGLE, Rounding::NearestEven) as u32
        }
        ChannelKind::Uint | ChannelKind::Unused => raw as u32,
        ChannelKind::Sint => signed as u32,
    }
}

/// Decodes a texel of a block of a compressed format to four floats. `at` is the texel's place in the block.
pub(crate) fn decode_block(
    info: &FormatInfo,
    compression: Compression,
    block: &[u8; 16],
    at: [u32; 2],
) -> [u32; 4] {
    let [red, green, blue, alpha] = crate::block::texel(compression, info.srgb, block, at);
    let colour = [red, green, blue].map(|value| if info.srgb { linear(value) } else { value });
    [colour[0], colour[1], colour[2], alpha].map(f32::to_bits)
}

/// Converts an sRGB component to linear.
fn linear(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Converts a linear component to sRGB.
fn nonlinear(value: f32) -> f32 {
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

/// Like [`encode`], and converts red, green and blue to sRGB for an sRGB format.
pub(crate) fn encode_colour(format: SurfaceFormat, mut channels: [u32; 4], bytes: &mut [u8]) {
    if format.info().srgb {
        for channel in &mut channels[..3] {
            *channel = nonlinear(f32::from_bits(*channel)).to_bits();
        }
    }
    encode(format, channels, bytes);
}

/// Stores four channels as a texel: floats are clamped to the range of normalized formats and
/// rounded to the nearest, integers are clamped to the range of their channel. `bytes` is the
/// texel's memory.
pub(crate) fn encode(format: SurfaceFormat, channels: [u32; 4], bytes: &mut [u8]) {
    use SurfaceFormat::*;
    if matches!(format, R32G32B32A32_FLOAT | R32G32B32A32_UINT | R32G32B32A32_SINT) {
        for (bytes, value) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(channels) {
            *bytes = value.to_le_bytes();
        }
        return;
    }
    if let (R8G8B8A8_UNORM | B8G8R8A8_UNORM, [first, second, third, fourth]) = (format, &mut *bytes)
    {
        let [red, green, blue, alpha] = channels.map(unorm8);
        let [low, high] = if format == R8G8B8A8_UNORM { [red, blue] } else { [blue, red] };
        (*first, *second, *third, *fourth) = (low, green, high, alpha);
        return;
    }
    let mut bits = 0u128;
    for (value, channel) in channels.into_iter().zip(format.info().channels) {
        if let Some(channel) = channel {
            bits |= u128::from(channel_bits(channel, value)) << channel.shift;
        }
    }
    let size = bytes.len().min(MAX_BYTES);
    bytes[..size].copy_from_slice(&bits.to_le_bytes()[..size]);
}

/// The code of a float in an 8-bit normalized channel: the nearest one, of two the even one; 0 for NaN.
#[inline]
fn unorm8(value: u32) -> u8 {
    let float = f32::from_bits(value);
    let scaled = if float > 0.0 { f64::from(float.min(1.0)) * 255.0 } else { 0.0 };
    // The sum has no bits for fractions, so that the host rounds it to an integer.
    const SHIFT: f64 = (1u64 << 52) as f64;
    (scaled + SHIFT).to_bits() as u8
}

/// Converts a 32-bit value to the stored bits of a channel.
fn channel_bits(channel: Channel, value: u32) -> u64 {
    let bits = u32::from(channel.bits);
    let mask = u64::MAX >> (64 - bits);
    let float = f64::from(f32::from_bits(value));
    // NaN counts as zero in normalized formats.
    let clamped = |low: f64| if float.is_nan() { 0.0 } else { float.clamp(low, 1.0) };
    match channel.kind {
        ChannelKind::Unorm => (clamped(0.0) * mask as f64).round_ties_even() as u64,
        ChannelKind::Snorm => {
            let scale = (mask >> 1) as f64;
            (clamped(-1.0) * scale).round_ties_even() as i64 as u64 & mask
        }
        ChannelKind::Float => match bits {
            16 => Half::from_f32(f32::from_bits(value), Rounding::NearestEven).0.into(),
            64 => float.to_bits(),
            _ => value.into(),
        },
        ChannelKind::UFloat if float.is_nan() => unsigned_float(channel.bits).nan(),
        ChannelKind::UFloat if float <= 0.0 => 0,
        ChannelKind::UFloat => {
            let single = crestline_isa::semantics::soft::SINGLE;
            let number = Number::unpack(value.into(), single);
            number.pack(unsigned_float(channel.bits), Rounding::Zero)
        }
        ChannelKind::Uint => u64::from(value).min(mask),
        ChannelKind::Sint => {
            let limit = (mask >> 1).cast_signed();
            i64::from(value.cast_signed()).clamp(-limit - 1, limit) as u64 & mask
        }
        ChannelKind::Unused => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(format: SurfaceFormat, channels: [u32; 4]) -> [u32; 4] {
        let mut bytes = vec![0; format.bytes() as usize];
        encode(format, channels, &mut bytes);
        decode(format, &bytes)
    }

    #[test]
    fn floats_go_through_normalized_formats() {
        let f = |values: [f32; 4]| values.map(f32::to_bits);
        let half = 128.0 / 255.0;
        assert_eq!(
            round_trip(SurfaceFormat::R8G8B8A8_UNORM, f([2.0, 0.5, -1.0, f32::NAN])),
            f([1.0, half, 0.0, 0.0])
        );
        assert_eq!(
            round_trip(SurfaceFormat::R16_SNORM, f([-3.0, 9.0, 9.0, 9.0])),
            f([-1.0, 0.0, 0.0, 1.0])
        );
        assert_eq!(
            round_trip(SurfaceFormat::R16G16_FLOAT, f([0.1, -65504.0, 1.0, 2.0])),
            f([0.099_975_586, -65504.0, 0.0, 1.0])
        );
        assert_eq!(
            round_trip(SurfaceFormat::R11G11B10_FLOAT, f([1.5, -2.0, 65024.0, 7.0])),
            f([1.5, 0.0, 64512.0, 1.0])
        );
    }

    #[test]
    fn quick_conversions_are_those_of_all_channels() {
        let channel = |shift| Channel { kind: ChannelKind::Unorm, bits: 8, shift };
        let mut random = fastrand::Rng::with_seed(3);
        for i in 0..100_000u32 {
            let value = match i % 4 {
                // Half codes, where the rounding matters.
                0 => ((f64::from(i % 1024) / 510.0) as f32).to_bits(),
                1 => random.f32().to_bits(),
                _ => random.u32(..),
            };
            assert_eq!(u64::from(unorm8(value)), channel_bits(channel(0), value), "{value:#x}");
        }
        for code in 0..=255u8 {
            assert_eq!(UNORM8[usize::from(code)], channel_value(channel(0), code.into()));
        }
        let bytes = [1, 2, 3, 4];
        let of = |format: SurfaceFormat| decode(format, &bytes).map(unorm8);
        assert_eq!(of(SurfaceFormat::R8G8B8A8_UNORM), [1, 2, 3, 4]);
        assert_eq!(of(SurfaceFormat::B8G8R8A8_UNORM), [3, 2, 1, 4]);
        let mut back = [0; 4];
        let texel = decode(SurfaceFormat::B8G8R8A8_UNORM, &bytes);
        encode(SurfaceFormat::B8G8R8A8_UNORM, texel, &mut back);
        assert_eq!(back, bytes);
    }

    #[test]
    fn integers_clamp_and_extend() {
        let minus = |v: i32| v.cast_unsigned();
        assert_eq!(
            round_trip(SurfaceFormat::R8G8B8A8_SINT, [minus(-300), 300, minus(-1), 5]),
            [minus(-128), 127, minus(-1), 5]
        );
        assert_eq!(round_trip(SurfaceFormat::R10G10B10A2_UINT, [5000, 1, 2, 9]), [1023, 1, 2, 3]);
        assert_eq!(round_trip(SurfaceFormat::R32_UINT, [u32::MAX, 1, 2, 9]), [u32::MAX, 0, 0, 1]);
    }

    #[test]
    fn every_texel_of_small_formats_survives() {
        for format in [
            SurfaceFormat::R8_UNORM,
            SurfaceFormat::R16_UINT,
            SurfaceFormat::R16_SINT,
            SurfaceFormat::R16_UNORM,
            SurfaceFormat::B5G6R5_UNORM,
        ] {
            let size = format.bytes() as usize;
            for code in 0..1u32 << (8 * size) {
                let bytes = &code.to_le_bytes()[..size];
                let mut back = vec![0; size];
                encode(format, decode(format, bytes), &mut back);
                assert_eq!(back, bytes, "{format}");
            }
        }
    }
}
