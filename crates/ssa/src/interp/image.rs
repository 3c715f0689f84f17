//! Images in the interpreter: texels stored in rows without gaps, and conversions between components and formats.
//!
//! The conversions follow the rules of the formats, one texel and one component at a time. They are computed in
//! binary64 and rounded once.

use crate::float::{Round, f16_to_f64, f64_to_f16};
use crate::ir::{ImageDim, ImageParam, ImageTy, SurfaceFormat};
use crestline_device::{Channel, ChannelKind};

/// An image with its texels. In memory, x varies fastest, then y, then z or the layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The format of the texels in memory.
    pub format: SurfaceFormat,
    /// Width, height, and depth or number of layers (each face of a cube is a layer). A missing dimension has size 1.
    pub size: [u32; 3],
    /// Number of mip levels, at least 1. Storage images access the first. The sides of each level are half as long as
    /// those of the previous level; the number of layers stays.
    pub levels: u32,
    /// Number of samples of a texel, at least 1. With more than 1, the texels of a row are groups of this many samples.
    pub samples: u32,
    /// The texels of all levels, one level after another. Bytes beyond the end read as 0, and writes there have no
    /// effect.
    pub bytes: Vec<u8>,
}

impl Image {
    /// An image whose texels are all zero bits.
    pub fn new(format: SurfaceFormat, size: [u32; 3]) -> Image {
        let texels = size.iter().fold(1usize, |n, &size| n.saturating_mul(size as usize));
        let bytes = vec![0; texels.saturating_mul(format.bytes() as usize)];
        Image { format, size, levels: 1, samples: 1, bytes }
    }

    /// The size of a level. If `solid` is true (3D images), the depth is halved too.
    pub(super) fn level_size(&self, solid: bool, level: u32) -> [u32; 3] {
        let half = |side: u32| side.checked_shr(level).unwrap_or(0).max(side.min(1));
        let [width, height, depth] = self.size;
        [half(width), half(height), if solid { half(depth) } else { depth }]
    }

    /// The byte offset of a level.
    pub(super) fn level_start(&self, solid: bool, level: u32) -> u64 {
        let texels = |level| {
            let sides = self.level_size(solid, level).map(u64::from);
            sides.into_iter().fold(1, u64::saturating_mul)
        };
        let before = (0..level).map(texels).fold(0, u64::saturating_add);
        before.saturating_mul(self.format.bytes().into())
    }

    /// The size along each coordinate of an image of type `ty`; 0 for coordinates that do not exist.
    fn extent(&self, ty: ImageTy) -> [u32; 3] {
        let [width, height, depth] = self.size;
        match (ty.dim, ty.arrayed) {
            (ImageDim::D1 | ImageDim::Buffer, false) => [width, 0, 0],
            (ImageDim::D1 | ImageDim::Buffer, true) => [width, depth, 0],
            (ImageDim::D2, false) => [width, height, 0],
            _ => [width, height, depth],
        }
    }

    /// A component of the image's size as a shader's query returns it.
    pub(super) fn size_comp(&self, ty: ImageTy, comp: usize) -> u32 {
        let size = self.extent(ty)[comp];
        if ty.dim == ImageDim::Cube && comp == 2 { size / 6 } else { size }
    }

    /// The value of an image parameter that the driver would supply.
    pub(super) fn param(&self, ty: ImageTy, param: ImageParam, comp: usize) -> u32 {
        let [width, height, _] = self.size;
        match param {
            ImageParam::Size => self.extent(ty)[comp],
            ImageParam::Stride => [self.format.bytes(), width, 0, height][comp],
            ImageParam::Swizzling => 31,
            ImageParam::Offset | ImageParam::Tiling => 0,
        }
    }

    /// The byte offset of a texel; `None` out of bounds.
    fn offset(&self, ty: ImageTy, coord: [u32; 3]) -> Option<usize> {
        let extent = self.extent(ty);
        if (0..ty.coords()).any(|i| coord[i] >= extent[i]) {
            return None;
        }
        let [x, y, z] = match (ty.dim, ty.arrayed) {
            (ImageDim::D1 | ImageDim::Buffer, true) => [coord[0], 0, coord[1]],
            (ImageDim::D1 | ImageDim::Buffer, false) => [coord[0], 0, 0],
            (ImageDim::D2, false) => [coord[0], coord[1], 0],
            _ => coord,
        }
        .map(|c| c as usize);
        let [width, height, _] = self.size.map(|size| size as usize);
        let texel = z.checked_mul(height)?.checked_add(y)?.checked_mul(width)?.checked_add(x)?;
        texel.checked_mul(self.format.bytes() as usize)
    }

    /// The bits of a texel; `None` out of bounds.
    pub(super) fn read(&self, ty: ImageTy, coord: [u32; 3]) -> Option<u128> {
        Some(self.bits_at(self.offset(ty, coord)?))
    }

    /// The bits of the texel at a byte offset.
    pub(super) fn bits_at(&self, start: usize) -> u128 {
        let mut texel = [0; 16];
        let bytes = self.bytes.iter().skip(start).take(self.format.bytes() as usize);
        texel.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        u128::from_le_bytes(texel)
    }

    /// Replaces a texel. Returns false, without a change, out of bounds.
    pub(super) fn write(&mut self, ty: ImageTy, coord: [u32; 3], texel: u128) -> bool {
        let Some(start) = self.offset(ty, coord) else { return false };
        let size = self.format.bytes() as usize;
        let bytes = self.bytes.iter_mut().skip(start).take(size);
        bytes.zip(texel.to_le_bytes()).for_each(|(to, from)| *to = from);
        true
    }
}

/// Converts a texel to the components that the format stores, 32 bits each.
pub(super) fn decode(format: SurfaceFormat, texel: u128) -> [u32; 4] {
    format.info().channels.map(|channel| match channel {
        None => 0,
        Some(channel) => {
            let mask = (1u128 << channel.bits) - 1;
            decode_channel(channel, (texel >> channel.shift & mask) as u32)
        }
    })
}

/// Converts the bits of a channel to a component.
fn decode_channel(channel: Channel, bits: u32) -> u32 {
    let size = u32::from(channel.bits);
    let signed = (bits << (32 - size)).cast_signed() >> (32 - size);
    let float = match channel.kind {
        ChannelKind::Uint | ChannelKind::Unused => return bits,
        ChannelKind::Sint => return signed.cast_unsigned(),
        ChannelKind::Float if size == 32 => return bits,
        ChannelKind::Unorm => f64::from(bits) / greatest(size),
        ChannelKind::Snorm => (f64::from(signed) / greatest(size - 1)).max(-1.0),
        ChannelKind::Float => f16_to_f64(bits as u16),
        // The upper bits of a binary16 number without its sign.
        ChannelKind::UFloat => f16_to_f64((bits << (15 - size)) as u16),
    };
    (float as f32).to_bits()
}

/// The greatest unsigned number of this many bits.
fn greatest(bits: u32) -> f64 {
    ((1u64 << bits) - 1) as f64
}

/// The values of components that a format does not have: 0, 0, 0 and 1, as integers or floats.
pub(super) fn missing(format: SurfaceFormat) -> [u32; 4] {
    let integer = format
        .info()
        .channels
        .iter()
        .flatten()
        .any(|channel| matches!(channel.kind, ChannelKind::Uint | ChannelKind::Sint));
    [0, 0, 0, if integer { 1 } else { 1f32.to_bits() }]
}

/// Converts four components to a texel. Components that the format does not have are dropped. Integers and normalized
/// numbers out of the format's range become the nearest number in it. Floats are rounded to nearest even, and keep
/// infinities and NaN.
pub(super) fn encode(format: SurfaceFormat, comps: [u32; 4]) -> u128 {
    let channels = format.info().channels.into_iter().zip(comps);
    channels.fold(0, |texel, (channel, comp)| match channel {
        None => texel,
        Some(channel) => texel | u128::from(encode_channel(channel, comp)) << channel.shift,
    })
}

/// Converts a component to the bits of a channel.
fn encode_channel(channel: Channel, comp: u32) -> u32 {
    let size = u32::from(channel.bits);
    let mask = u32::MAX >> (32 - size);
    let float = f32::from_bits(comp);
    // Vulkan leaves the result for NaN undefined; here it is the lower bound.
    let scaled = |low: f32, greatest: f64| {
        let clamped = if float.is_nan() { low } else { float.clamp(low, 1.0) };
        (clamped * greatest as f32).round_ties_even()
    };
    match channel.kind {
        ChannelKind::Uint => comp.min(mask),
        ChannelKind::Sint => {
            let limit = (mask >> 1).cast_signed();
            comp.cast_signed().clamp(-limit - 1, limit).cast_unsigned() & mask
        }
        ChannelKind::Unused => 0,
        ChannelKind::Float if size == 32 => comp,
        ChannelKind::Float => f64_to_f16(f64::from(float), Round::NearestEven).into(),
        ChannelKind::Unorm => scaled(0.0, greatest(size)) as u32,
        ChannelKind::Snorm => (scaled(-1.0, greatest(size - 1)) as i32).cast_unsigned() & mask,
        ChannelKind::UFloat => {
            let half =
                f64_to_f16(f64::from(if float < 0.0 { 0.0 } else { float }), Round::NearestEven);
            u32::from(half & 0x7fff) >> (15 - size)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str) -> SurfaceFormat {
        SurfaceFormat::from_glsl(name).expect(name)
    }

    #[test]
    fn texels_are_what_the_formats_say() {
        let f = |values: [f32; 4]| values.map(f32::to_bits);
        assert_eq!(decode(format("rgba8"), 0x00ff_0033), f([0.2, 0.0, 1.0, 0.0]));
        assert_eq!(decode(format("rg8_snorm"), 0x7f80), f([-1.0, 1.0, 0.0, 0.0]));
        assert_eq!(decode(format("rg16i"), 0x8000_7fff), [0x7fff, 0xffff_8000, 0, 0]);
        assert_eq!(decode(format("r16f"), 0xc000), f([-2.0, 0.0, 0.0, 0.0]));
        // The number 1.0 has exponent 15 and no fraction bits.
        let ones = 15 << 6 | 15 << 17 | 15 << 27;
        assert_eq!(decode(format("r11f_g11f_b10f"), ones), f([1.0, 1.0, 1.0, 0.0]));
        assert_eq!(encode(format("r11f_g11f_b10f"), f([1.0, 1.0, 1.0, 9.0])), ones);
        assert_eq!(encode(format("rgba8"), f([0.2, -3.0, 7.0, f32::NAN])), 0x00ff_0033);
        assert_eq!(encode(format("rgb10_a2ui"), [5000, 1, 2, 3]), 0xc020_07ff);
        assert_eq!(encode(format("rg8i"), [(-200i32).cast_unsigned(), 200, 0, 0]), 0x7f80);
        assert_eq!(missing(format("r32ui")), [0, 0, 0, 1]);
    }

    #[test]
    fn every_texel_of_small_formats_survives() {
        for name in ["r8", "r8_snorm", "r16", "r16i", "rg8", "rg8ui", "r16_snorm"] {
            let format = format(name);
            for texel in 0..1u128 << (8 * format.bytes()) {
                let back = encode(format, decode(format, texel));
                // -1 has two encodings, one of which is the least integer. Encoding returns the other one.
                let least = |bits: u32| texel == 1 << (bits - 1);
                let twin = name == "r8_snorm" && least(8) || name == "r16_snorm" && least(16);
                assert!(back == texel || twin, "{name} {texel:#x} became {back:#x}");
            }
        }
    }

    #[test]
    fn layers_follow_the_rows() {
        let ty = |dim, arrayed| ImageTy { dim, arrayed, format: None };
        let mut image = Image::new(format("r8ui"), [4, 2, 3]);
        assert!(image.write(ty(ImageDim::D2, true), [1, 1, 2], 7));
        assert_eq!(image.bytes[2 * 8 + 4 + 1], 7);
        assert!(!image.write(ty(ImageDim::D3, false), [0, 2, 0], 7));
        assert!(!image.write(ty(ImageDim::D3, false), [u32::MAX, 0, 0], 7));
        assert_eq!(image.read(ty(ImageDim::D2, false), [1, 1, 9]), Some(0));
        let rows = Image::new(format("r8ui"), [4, 1, 3]);
        assert_eq!(rows.offset(ty(ImageDim::D1, true), [1, 2, 0]), Some(9));
        assert_eq!(rows.size_comp(ty(ImageDim::D1, true), 1), 3);
    }
}
