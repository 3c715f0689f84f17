//! The shapes of images.

use crestline_device::SurfaceFormat;

/// The dimension of an image: number and meaning of its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageDimension {
    /// x.
    D1,
    /// x, y.
    D2,
    /// x, y, z.
    D3,
    /// x, y, face; sampled by direction.
    Cube,
    /// x, layer.
    D1Array,
    /// x, y, layer.
    D2Array,
    /// x, y, layer of faces.
    CubeArray,
}

/// The shape of an image. Texels are tightly packed: levels one after another, each with all
/// its layers or slices, each with all its rows. The samples of a texel follow one another. Compressed formats have
/// blocks instead of texels: the sizes are in texels nevertheless, and the last block of a row or column may be partly
/// outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageShape {
    /// Dimension.
    pub dimension: ImageDimension,
    /// Format of the memory.
    pub format: SurfaceFormat,
    /// Width of level 0 in texels.
    pub width: u32,
    /// Height of level 0 in texels; 1 for one-dimensional images.
    pub height: u32,
    /// Depth of level 0, or layers (six per cube); 1 for the others.
    pub depth: u32,
    /// Levels, at least 1.
    pub levels: u32,
    /// Samples of a texel: 1, 2, 4, 8 or 16. An image with several has two dimensions and one level.
    pub samples: u32,
}

/// Byte offset and size of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) start: u64,
    pub(crate) size: [u32; 3],
}

impl Level {
    /// Whether the coordinates name a texel of the level.
    pub(crate) fn contains(&self, at: [i64; 3]) -> bool {
        at.iter().zip(self.size).all(|(&at, size)| (0..i64::from(size)).contains(&at))
    }
}

impl ImageShape {
    /// Size of a level: width, height, and depth or layers.
    pub(crate) fn level_size(&self, level: u32) -> [u32; 3] {
        // An image without texels has none on any level.
        let minify = |size: u32| size.checked_shr(level).unwrap_or(0).max(size.min(1));
        let depth =
            if self.dimension == ImageDimension::D3 { minify(self.depth) } else { self.depth };
        let height = match self.dimension {
            ImageDimension::D1 | ImageDimension::D1Array => 1,
            _ => minify(self.height),
        };
        [minify(self.width), height, depth]
    }

    pub(crate) fn level(&self, level: u32) -> Option<Level> {
        (level < self.levels.min(32)).then(|| {
            let start =
                (0..level).map(|level| self.level_bytes(level)).fold(0, u64::saturating_add);
            Level { start, size: self.level_size(level) }
        })
    }

    /// Bytes of all samples of a texel, or of a block of a compressed format.
    pub(crate) fn texel_bytes(&self) -> u32 {
        self.format.bytes().saturating_mul(self.samples)
    }

    fn level_bytes(&self, level: u32) -> u64 {
        let [width, height, depth] = self.level_size(level);
        let [columns, rows] = self.format.block();
        let units = [width.div_ceil(columns), height.div_ceil(rows), depth];
        let units = units.iter().fold(1u64, |units, &n| units.saturating_mul(n.into()));
        units.saturating_mul(self.texel_bytes().into())
    }

    /// Bytes of all levels.
    pub fn bytes(&self) -> u64 {
        (0..self.levels.min(32)).map(|level| self.level_bytes(level)).fold(0, u64::saturating_add)
    }

    /// The number of texels along each coordinate of level 0; 0 for coordinates that the image does not have.
    pub(crate) fn extent(&self) -> [u32; 3] {
        let [width, height, depth] = self.level_size(0);
        match self.dimension {
            ImageDimension::D1 => [width, 0, 0],
            ImageDimension::D1Array => [width, depth, 0],
            ImageDimension::D2 => [width, height, 0],
            _ => [width, height, depth],
        }
    }

    /// The texel position (column, row, slice or layer) for coordinates. Unused coordinates become 0; in
    /// one-dimensional arrays the second coordinate is the layer.
    pub(crate) fn place(&self, coordinates: [i64; 3]) -> [i64; 3] {
        let [x, y, z] = coordinates;
        match self.dimension {
            ImageDimension::D1 => [x, 0, 0],
            ImageDimension::D1Array => [x, 0, y],
            ImageDimension::D2 => [x, y, 0],
            _ => [x, y, z],
        }
    }
}

/// The byte offset of a texel of a level; `None` if it is outside the level. `size` are the bytes of a texel.
pub(crate) fn texel_offset(level: &Level, [x, y, z]: [i64; 3], size: u32) -> Option<u64> {
    let [width, height, _] = level.size;
    if !level.contains([x, y, z]) {
        return None;
    }
    let texel = (z as u64 * u64::from(height) + y as u64) * u64::from(width) + x as u64;
    Some(level.start + texel * u64::from(size))
}

/// The byte offset of the block of a compressed format that contains a texel of a level, and the texel's place in the
/// block; `None` if it is outside the level.
pub(crate) fn block_offset(
    level: &Level,
    at: [i64; 3],
    format: SurfaceFormat,
) -> Option<(u64, [u32; 2])> {
    if !level.contains(at) {
        return None;
    }
    let [x, y, z] = at.map(i64::cast_unsigned);
    let [columns, rows] = format.block().map(u64::from);
    let [width, height, _] = level.size.map(u64::from);
    let block = (z * height.div_ceil(rows) + y / rows) * width.div_ceil(columns) + x / columns;
    let place = [(x % columns) as u32, (y % rows) as u32];
    Some((level.start + block * u64::from(format.bytes()), place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_lie_one_after_another() {
        let shape = ImageShape {
            dimension: ImageDimension::D3,
            format: SurfaceFormat::R32_UINT,
            width: 8,
            height: 4,
            depth: 4,
            levels: 3,
            samples: 1,
        };
        assert_eq!(shape.level(1), Some(Level { start: 512, size: [4, 2, 2] }));
        assert_eq!(shape.level(2), Some(Level { start: 512 + 64, size: [2, 1, 1] }));
        assert_eq!(shape.level(3), None);
        assert_eq!(shape.bytes(), 512 + 64 + 8);
    }

    #[test]
    fn levels_of_compressed_images_have_whole_blocks() {
        let shape = ImageShape {
            dimension: ImageDimension::D2Array,
            format: SurfaceFormat::ASTC_LDR_2D_6X5_FLT16,
            width: 13,
            height: 5,
            depth: 2,
            levels: 2,
            samples: 1,
        };
        let level = Level { start: 96, size: [6, 2, 2] };
        assert_eq!(shape.level(1), Some(level));
        assert_eq!(shape.bytes(), 96 + 32);
        let offset = |at| block_offset(&level, at, shape.format);
        assert_eq!(offset([5, 1, 1]), Some((96 + 16, [5, 1])));
        assert_eq!(offset([6, 1, 1]), None);
        let first = Level { start: 0, size: [13, 5, 2] };
        assert_eq!(block_offset(&first, [12, 4, 1], shape.format), Some((80, [0, 4])));
    }
}
