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
/// its layers or slices, each with all its rows. The samples of a texel follow one another.
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

    /// Bytes of all samples of a texel.
    pub(crate) fn texel_bytes(&self) -> u32 {
        self.format.bytes().saturating_mul(self.samples)
    }

    fn level_bytes(&self, level: u32) -> u64 {
        let texels =
            self.level_size(level).iter().fold(1u64, |texels, &n| texels.saturating_mul(n.into()));
        texels.saturating_mul(self.texel_bytes().into())
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
}
