//! Compares the images and buffers after runs of two engines.

use crestline_device::ChannelKind;
use crestline_filetests::corpus::RunTest;
use crestline_judges::lavapipe::BufferKind;

use crate::cases::{KINDS, LANES, TEXELS, prefix, surface};

/// How much the results of two engines may differ.
#[derive(Clone, Copy)]
pub(crate) struct Tolerance {
    /// The greatest difference of two channels that are normalized numbers or small floats, as integers.
    pub(crate) codes: u64,
    /// Compares only results that Vulkan defines: not the alpha of loads outside of the image. All texels may differ by
    /// `codes`.
    pub(crate) vulkan: bool,
    /// Does not compare images that are only written, because the hardware's writes may wrap integers around.
    pub(crate) wrapped: bool,
}

/// The first difference between the buffers and images after runs of two engines.
pub(crate) fn difference(
    format: &str,
    test: &RunTest,
    found: &[Vec<u8>],
    expected: &[Vec<u8>],
    tolerance: Tolerance,
) -> Option<String> {
    for ((buffer, found), expected) in test.case.buffers.iter().zip(found).zip(expected) {
        // The hardware itself converts texels only for images that the shader never reads.
        let written = [KINDS.len(), KINDS.len() + 1].contains(&(buffer.binding as usize));
        if written && tolerance.wrapped {
            continue;
        }
        let converted = !tolerance.vulkan && !written;
        let tolerance = if converted { Tolerance { codes: 0, ..tolerance } } else { tolerance };
        let differs = match buffer.kind {
            BufferKind::Image(image) => texels_differ(format, found, expected, tolerance)
                .map(|at| format!("{image:?} {at}")),
            _ => loads_differ(format, found, expected, tolerance),
        };
        if let Some(what) = differs {
            return Some(format!("binding {}: {what}", buffer.binding));
        }
    }
    None
}

/// The first difference between texels in memory, compared channel by channel.
fn texels_differ(
    format: &str,
    found: &[u8],
    expected: &[u8],
    tolerance: Tolerance,
) -> Option<String> {
    let surface = surface(format);
    let size = surface.bytes() as usize;
    let bits = |texel: &[u8]| {
        let mut bytes = [0; 16];
        bytes[..texel.len()].copy_from_slice(texel);
        u128::from_le_bytes(bytes)
    };
    for (i, (a, b)) in found.chunks(size).zip(expected.chunks(size)).enumerate() {
        let (a, b) = (bits(a), bits(b));
        for (c, channel) in surface.info().channels.iter().enumerate() {
            let Some(channel) = channel else { continue };
            let mask = (1u128 << channel.bits) - 1;
            let part = |texel: u128| (texel >> channel.shift & mask) as u64;
            let (x, y) = (part(a), part(b));
            let integer = matches!(channel.kind, ChannelKind::Uint | ChannelKind::Sint);
            let codes = if integer || channel.bits == 32 { 0 } else { tolerance.codes };
            // Signed numbers next to zero are the greatest and the least integer.
            let apart = x.wrapping_sub(y).min(y.wrapping_sub(x)) & mask as u64;
            if x != y && apart > codes {
                return Some(format!("texel {i} channel {c}: {x:#x}, expected {y:#x}"));
            }
        }
    }
    None
}

/// The first difference between texels that the shader loaded.
fn loads_differ(
    format: &str,
    found: &[u8],
    expected: &[u8],
    tolerance: Tolerance,
) -> Option<String> {
    let word = |bytes: &[u8], i: usize| {
        u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]])
    };
    let channels = surface(format).info().channels;
    for i in (0..found.len()).step_by(4) {
        let (a, b) = (word(found, i), word(expected, i));
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        let (lane, comp) = (i / 16 % LANES, i / 4 % 4);
        let near = (x - y).abs() <= y.abs() * f32::EPSILON || x.is_nan() && y.is_nan();
        let outside = lane >= TEXELS && tolerance.vulkan && (comp == 3 || channels[comp].is_none());
        if a != b && !(prefix(format).is_empty() && near) && !outside {
            let kind = KINDS[i / 16 / LANES].glsl;
            return Some(format!("{kind} lane {lane} component {comp}: {a:#x}, expected {b:#x}"));
        }
    }
    None
}
