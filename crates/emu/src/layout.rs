//! Memory layouts of images: rows, tiles, slices.

use crate::image::{ImageDimension, ImageShape};

/// The order of texels in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tiling {
    /// Row after row.
    #[default]
    Linear,
    /// Tiles of 512 bytes by 8 rows, row after row inside.
    X,
    /// Tiles of 128 bytes by 32 rows, made of columns of 16 bytes.
    Y,
}

impl Tiling {
    /// Bytes and rows of a tile.
    const fn tile(self) -> [u64; 2] {
        match self {
            Tiling::Linear => [64, 1],
            Tiling::X => [512, 8],
            Tiling::Y => [128, 32],
        }
    }
}

/// The memory layout of an image with one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Order of texels.
    pub tiling: Tiling,
    /// Whether the memory controller exclusive-ors bits 9 and 10 (X) or 9 (Y) of addresses into bit 6.
    pub swizzled: bool,
    /// Number of tiles to the left of the image and of rows of tiles above it, as if the image were a level of a
    /// larger image.
    pub margin: [u32; 2],
    /// log2 of the number of slices of a 3D image that are side by side, at most 4.
    pub across: u32,
}

/// An image's layout with the offsets and sizes that result from the image's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placement {
    layout: Layout,
    /// Bytes of a texel.
    texel: u64,
    /// Bytes from row to row.
    pitch: u64,
    /// Position of the first texel, in texels and rows.
    offset: [u64; 2],
    /// Distance of slices: texels to the next one on the right, rows to the next one below.
    slice: [u64; 2],
    /// Size of the memory in bytes.
    bytes: u64,
}

/// Width in texels and height in rows of slices are multiples of this.
const ALIGNMENT: u64 = 4;

impl Placement {
    pub(crate) fn new(shape: &ImageShape, layout: Layout) -> Placement {
        let texel = u64::from(shape.format.bytes());
        let [width, height, depth] = shape.level_size(0).map(u64::from);
        let across = match shape.dimension {
            ImageDimension::D3 => layout.across.min(4),
            _ => 0,
        };
        let layout = Layout { across, ..layout };
        let [tile_bytes, tile_rows] = layout.tiling.tile();
        let slice = [width, height].map(|size| size.next_multiple_of(ALIGNMENT));
        let offset = [
            u64::from(layout.margin[0]) * tile_bytes / texel,
            u64::from(layout.margin[1]) * tile_rows,
        ];
        let row = (offset[0] + (slice[0] << across)) * texel;
        let rows = offset[1] + slice[1] * depth.max(1).div_ceil(1 << across);
        // The pitch is one tile larger than necessary, so that code which computes it from the width gives wrong
        // results.
        let pitch = row.next_multiple_of(tile_bytes) + tile_bytes;
        let bytes = pitch.saturating_mul(rows.next_multiple_of(tile_rows));
        Placement { layout, texel, pitch, offset, slice, bytes }
    }

    /// Bytes of the memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The byte offset of a texel inside of the image.
    pub(crate) fn texel_offset(&self, [x, y, z]: [u64; 3]) -> u64 {
        let across = z & ((1 << self.layout.across) - 1);
        let down = z >> self.layout.across;
        let byte = (self.offset[0] + x + across * self.slice[0]) * self.texel;
        let row = self.offset[1] + y + down * self.slice[1];
        let [tile_bytes, tile_rows] = self.layout.tiling.tile();
        let tiles =
            row / tile_rows * self.pitch * tile_rows + byte / tile_bytes * tile_bytes * tile_rows;
        let (byte, row) = (byte % tile_bytes, row % tile_rows);
        let bit = |address: u64, bit: u32| address >> bit & 1;
        match self.layout.tiling {
            Tiling::Linear => tiles + byte,
            Tiling::X => {
                let address = tiles + row * tile_bytes + byte;
                let flip = bit(address, 9) ^ bit(address, 10);
                address ^ ((u64::from(self.layout.swizzled) * flip) << 6)
            }
            Tiling::Y => {
                let address = tiles + byte / 16 * 512 + row * 16 + byte % 16;
                address ^ ((u64::from(self.layout.swizzled) * bit(address, 9)) << 6)
            }
        }
    }

    /// Size of a texel in bytes; texels from row to row; texels and rows from slice to slice.
    pub(crate) fn strides(&self) -> [u32; 4] {
        let across = if self.layout.across > 0 { self.slice[0] } else { 0 };
        [self.texel, self.pitch / self.texel, across, self.slice[1]].map(|n| n as u32)
    }

    /// Position of the first texel, in texels and rows.
    pub(crate) fn start(&self) -> [u32; 2] {
        self.offset.map(|n| n as u32)
    }

    /// log2 of the width and height of a tile in texels, and of the number of slices side by side.
    pub(crate) fn tile_logs(&self) -> [u32; 3] {
        let log = |bytes: u64| (bytes / self.texel).ilog2();
        let [width, height] = match self.layout.tiling {
            Tiling::Linear => [0, 0],
            Tiling::X => [log(512), 3],
            Tiling::Y => [log(16), 5],
        };
        [width, height, self.layout.across]
    }

    /// The right shifts that move each address bit of the swizzle to bit 6; 255 for none.
    pub(crate) fn swizzle_shifts(&self) -> [u32; 2] {
        match self.layout {
            Layout { swizzled: true, tiling: Tiling::X, .. } => [3, 4],
            Layout { swizzled: true, tiling: Tiling::Y, .. } => [3, 255],
            _ => [255, 255],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ImageDimension;
    use crestline_device::SurfaceFormat;
    use std::collections::BTreeSet;

    fn shape(format: SurfaceFormat) -> ImageShape {
        let dimension = ImageDimension::D3;
        ImageShape { dimension, format, width: 40, height: 11, depth: 5, levels: 1, samples: 1 }
    }

    #[test]
    fn texels_of_every_layout_are_apart_and_inside() {
        for format in [SurfaceFormat::R8_UINT, SurfaceFormat::R32G32B32A32_UINT] {
            for tiling in [Tiling::Linear, Tiling::X, Tiling::Y] {
                for (swizzled, margin, across) in [(false, [0, 0], 0), (true, [1, 2], 2)] {
                    let layout = Layout { tiling, swizzled, margin, across };
                    let placement = Placement::new(&shape(format), layout);
                    let mut seen = BTreeSet::new();
                    for at in (0..40 * 11 * 5).map(|i| [i % 40, i / 40 % 11, i / 440]) {
                        let offset = placement.texel_offset(at);
                        assert!(offset + u64::from(format.bytes()) <= placement.bytes());
                        assert!(seen.insert(offset), "{layout:?} {at:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn tiles_lie_as_the_manuals_say() {
        let place = |tiling, at| {
            let layout = Layout { tiling, ..Layout::default() };
            Placement::new(&shape(SurfaceFormat::R32_UINT), layout).texel_offset(at)
        };
        assert_eq!(place(Tiling::X, [1, 1, 0]), 512 + 4);
        // Row 8 begins the next row of tiles; a row of the surface has two tiles.
        assert_eq!(place(Tiling::X, [0, 8, 0]), 2 * 4096);
        assert_eq!(place(Tiling::Y, [3, 1, 0]), 16 + 12);
        assert_eq!(place(Tiling::Y, [4, 0, 0]), 512);
        assert_eq!(place(Tiling::Y, [32, 0, 0]), 4096);
    }
}
