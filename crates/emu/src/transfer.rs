//! Clears, copies and scaled copies of images, which a driver does without a program of the application.
//!
//! The functions work on the memory of an image, tightly packed as [`ImageShape`] says. Colours are converted as in
//! attachments (Vulkan, "Clear Commands" and "Copy Commands").

use crate::image::{ImageDimension, ImageShape, texel_offset};
use crate::texel::{decode, encode_colour, is_integer};
use crestline_device::{ChannelKind, Filter, SurfaceFormat};

/// The largest size of an image in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Why an image cannot be cleared or copied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The contents do not have the size of the image, or the image is too large.
    #[error(
        "an image of {expected} bytes with contents of {given} bytes: expected the same size, at most 2^30"
    )]
    Contents {
        /// Bytes of the image.
        expected: u64,
        /// Bytes of the contents.
        given: u64,
    },
    /// An image of a compressed format, whose texels cannot be written.
    #[error(
        "an image of the compressed format {format}: expected a format with texels of their own"
    )]
    Compressed {
        /// The format.
        format: SurfaceFormat,
    },
    /// A part of a level that does not exist.
    #[error("texels {size:?} from {origin:?} on of level {level}, which has {whole:?} texels")]
    Outside {
        /// The level.
        level: u32,
        /// The first texel.
        origin: [u32; 3],
        /// The texels along each coordinate.
        size: [u32; 3],
        /// The texels of the level; 0 if there is no such level.
        whole: [u32; 3],
    },
    /// Two images that cannot be copied to one another.
    #[error(
        "{from} with {from_samples} samples cannot be copied to {to} with {to_samples} samples"
    )]
    Formats {
        /// The format of the source.
        from: SurfaceFormat,
        /// The samples of the source.
        from_samples: u32,
        /// The format of the destination.
        to: SurfaceFormat,
        /// The samples of the destination.
        to_samples: u32,
    },
}

/// A part of a level of an image: a box of texels. The third coordinate is the slice or layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The level.
    pub level: u32,
    /// The first texel.
    pub origin: [u32; 3],
    /// The number of texels along each coordinate.
    pub size: [u32; 3],
}

/// A rectangle of texels in a level or layer whose rows follow one another in memory. Its functions move texels as bytes, so that
/// they work for all formats. Parts of the rectangle outside of the memory are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelArea {
    /// Bytes of all samples of a texel.
    pub texel: u32,
    /// Texels of a row of the level.
    pub width: u32,
    /// The first column and row.
    pub origin: [u32; 2],
    /// The number of columns and rows.
    pub size: [u32; 2],
}

impl TexelArea {
    /// The bytes of each row.
    fn rows(self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let [texel, width] = [self.texel, self.width].map(|size| size as usize);
        let ([x, y], [columns, rows]) =
            (self.origin.map(|at| at as usize), self.size.map(|size| size as usize));
        (y..y + rows).map(move |row| {
            let start = (row * width + x) * texel;
            start..start + columns * texel
        })
    }

    /// The texels of the rectangle, row after row.
    pub fn extract(self, level: &[u8]) -> Vec<u8> {
        let mut texels = Vec::with_capacity(self.rows().map(|row| row.len()).sum());
        for row in self.rows() {
            texels.extend_from_slice(level.get(row).unwrap_or_default());
        }
        texels
    }

    /// Replaces the texels of the rectangle, given row after row.
    pub fn insert(self, level: &mut [u8], texels: &[u8]) {
        let mut rest = texels;
        for row in self.rows() {
            let (texels, later) = rest.split_at(row.len().min(rest.len()));
            if let Some(row) = level.get_mut(row)
                && row.len() == texels.len()
            {
                row.copy_from_slice(texels);
            }
            rest = later;
        }
    }

    /// Sets each texel of the rectangle to the same bytes.
    pub fn fill(self, level: &mut [u8], texel: &[u8]) {
        let row = texel.repeat(self.size[0] as usize);
        for place in self.rows() {
            if let Some(place) = level.get_mut(place)
                && place.len() == row.len()
            {
                place.copy_from_slice(&row);
            }
        }
    }
}

/// An image with its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageData {
    shape: ImageShape,
    bytes: Vec<u8>,
}

impl ImageData {
    /// An image with these contents.
    ///
    /// # Errors
    /// [`TransferError::Contents`], or [`TransferError::Compressed`].
    pub fn new(shape: ImageShape, bytes: Vec<u8>) -> Result<ImageData, TransferError> {
        if shape.format.info().compression.is_some() {
            return Err(TransferError::Compressed { format: shape.format });
        }
        let (expected, given) = (shape.bytes(), bytes.len() as u64);
        if expected != given || expected > MAX_BYTES {
            return Err(TransferError::Contents { expected, given });
        }
        Ok(ImageData { shape, bytes })
    }

    /// The shape.
    pub fn shape(&self) -> &ImageShape {
        &self.shape
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The contents, without the shape.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// A layer or slice of level 0 as pixels of four bytes: red, green, blue and alpha. Colours of sRGB formats are encoded as
    /// sRGB. A format with one channel gives grey. Integers are clamped to 0 to 255. Of several samples the first is shown.
    /// `None` if there is no such layer.
    pub fn picture(&self, layer: u32) -> Option<Vec<u8>> {
        let format = self.shape.format;
        let [width, height, layers] = self.shape.level(0)?.size;
        if layer >= layers {
            return None;
        }
        let shown = match format.info().srgb {
            true => SurfaceFormat::R8G8B8A8_UNORM_SRGB,
            false => SurfaceFormat::R8G8B8A8_UNORM,
        };
        let grey = format.info().channels.iter().flatten().count() == 1;
        let signed = numbers(format);
        let mut picture = vec![0; 4 * width as usize * height as usize];
        for (pixel, at) in picture.chunks_exact_mut(4).zip(places([width, height, 1])) {
            let mut colour = self.nearest(0, moved(at, [0, 0, layer]));
            if grey {
                colour = [colour[0], colour[0], colour[0], colour[3]];
            }
            match signed {
                None => encode_colour(shown, colour, pixel),
                Some(signed) => {
                    for (byte, value) in pixel.iter_mut().zip(colour) {
                        let negative = signed && value.cast_signed() < 0;
                        *byte = if negative { 0 } else { value.min(255) as u8 };
                    }
                }
            }
        }
        Some(picture)
    }

    /// The region of a whole level.
    ///
    /// # Errors
    /// [`TransferError::Outside`] if there is no such level.
    pub fn level(&self, level: u32) -> Result<Region, TransferError> {
        let none = Region { level, origin: [0; 3], size: [0; 3] };
        let found = self.shape.level(level).ok_or_else(|| self.outside(&none))?;
        Ok(Region { size: found.size, ..none })
    }

    fn outside(&self, region: &Region) -> TransferError {
        let Region { level, origin, size } = *region;
        let whole = self.shape.level(level).map_or([0; 3], |level| level.size);
        TransferError::Outside { level, origin, size, whole }
    }

    /// Checks that the image has all texels of a region.
    fn check(&self, region: &Region) -> Result<(), TransferError> {
        let level = self.shape.level(region.level).ok_or_else(|| self.outside(region))?;
        let mut sides = region.origin.iter().zip(region.size).zip(level.size);
        let fits = sides
            .all(|((first, size), whole)| first.checked_add(size).is_some_and(|end| end <= whole));
        if fits { Ok(()) } else { Err(self.outside(region)) }
    }

    /// The texel at a place of a level; `None` outside of the level.
    fn texel(&self, level: u32, at: [i64; 3]) -> Option<&[u8]> {
        let size = self.shape.texel_bytes();
        let start = texel_offset(&self.shape.level(level)?, at, size)? as usize;
        self.bytes.get(start..start + size as usize)
    }

    /// Replaces the texel at a place of a level.
    fn set_texel(&mut self, level: u32, at: [i64; 3], texel: &[u8]) {
        let size = self.shape.texel_bytes();
        let level = self.shape.level(level);
        let start = level.and_then(|level| texel_offset(&level, at, size));
        if let Some(start) = start
            && let Some(place) = self.bytes.get_mut(start as usize..start as usize + texel.len())
        {
            place.copy_from_slice(texel);
        }
    }

    /// Sets all texels of a region, with all their samples, to a colour: integers or the bits of floats, depending on
    /// the format.
    ///
    /// # Errors
    /// [`TransferError::Outside`].
    pub fn clear(&mut self, region: &Region, colour: [u32; 4]) -> Result<(), TransferError> {
        self.check(region)?;
        let mut sample = vec![0; self.shape.format.bytes() as usize];
        encode_colour(self.shape.format, colour, &mut sample);
        let texel = sample.repeat(self.shape.samples as usize);
        for layer in 0..region.size[2] {
            if let Some((area, start)) = self.layer(region, layer) {
                area.fill(&mut self.bytes[start..], &texel);
            }
        }
        Ok(())
    }

    /// The rectangle of a region in one of its layers or slices, and the first byte of that layer.
    fn layer(&self, region: &Region, layer: u32) -> Option<(TexelArea, usize)> {
        let level = self.shape.level(region.level)?;
        let [width, height, _] = level.size;
        let [x, y, first] = region.origin;
        let texel = self.shape.texel_bytes();
        let area =
            TexelArea { texel, width, origin: [x, y], size: [region.size[0], region.size[1]] };
        let before = u64::from(width) * u64::from(height) * u64::from(first + layer);
        let start = usize::try_from(level.start + before * u64::from(texel)).ok()?;
        (start <= self.bytes.len()).then_some((area, start))
    }

    /// Copies a region of another image to the region of the same size at `origin` of level `level`. The bytes of texels
    /// do not change, so the formats may differ if their texels have the same size.
    ///
    /// # Errors
    /// [`TransferError::Outside`], or [`TransferError::Formats`] for texels of other sizes or numbers of samples.
    pub fn copy(
        &mut self,
        level: u32,
        origin: [u32; 3],
        from: &ImageData,
        source: &Region,
    ) -> Result<(), TransferError> {
        let (own, other) = (self.shape, from.shape);
        if (own.format.bytes(), own.samples) != (other.format.bytes(), other.samples) {
            return Err(self.formats(from));
        }
        from.check(source)?;
        self.check(&Region { level, origin, size: source.size })?;
        let to = Region { level, origin, size: source.size };
        for layer in 0..source.size[2] {
            if let (Some((area, start)), Some((own, own_start))) =
                (from.layer(source, layer), self.layer(&to, layer))
            {
                own.insert(&mut self.bytes[own_start..], &area.extract(&from.bytes[start..]));
            }
        }
        Ok(())
    }

    fn formats(&self, from: &ImageData) -> TransferError {
        TransferError::Formats {
            from: from.shape.format,
            from_samples: from.shape.samples,
            to: self.shape.format,
            to_samples: self.shape.samples,
        }
    }

    /// Scales a region of another image to a region, with conversion of the format. `mirrored` says along which
    /// coordinates the copy runs backwards. A linear filter reads the edge texel of the level beyond its edge.
    ///
    /// # Errors
    /// [`TransferError::Outside`]; [`TransferError::Formats`] for several samples, and for integers with floats or
    /// with integers of the other sign.
    pub fn blit(
        &mut self,
        to: &Region,
        from: &ImageData,
        source: &Region,
        mirrored: [bool; 3],
        filter: Filter,
    ) -> Result<(), TransferError> {
        let (own, other) = (self.shape, from.shape);
        if own.samples != 1 || other.samples != 1 || numbers(own.format) != numbers(other.format) {
            return Err(self.formats(from));
        }
        from.check(source)?;
        self.check(to)?;
        let linear = filter == Filter::Linear && !is_integer(own.format);
        // Layers are not filtered.
        let axes = if own.dimension == ImageDimension::D3 { 3 } else { 2 };
        let mut texel = vec![0; own.format.bytes() as usize];
        for at in places(to.size) {
            // The position in the source, in texels. The centre of a texel is at one half.
            let place: [f64; 3] = std::array::from_fn(|axis| {
                let part = (at[axis] as f64 + 0.5) / f64::from(to.size[axis]);
                let part = if mirrored[axis] { 1.0 - part } else { part };
                f64::from(source.origin[axis]) + part * f64::from(source.size[axis])
            });
            let colour = match linear {
                true => from.filtered(source.level, place, axes),
                false => from.nearest(source.level, place.map(|at| at.floor() as i64)),
            };
            encode_colour(own.format, colour, &mut texel);
            self.set_texel(to.level, moved(at, to.origin), &texel);
        }
        Ok(())
    }

    /// Computes each level but the first from the one before, with a linear filter, or the nearest texel of integers.
    ///
    /// # Errors
    /// [`TransferError::Formats`] for an image with several samples.
    pub fn generate_levels(&mut self) -> Result<(), TransferError> {
        for level in 1..self.shape.levels.min(32) {
            let (to, source) = (self.level(level)?, self.level(level - 1)?);
            let before = self.clone();
            self.blit(&to, &before, &source, [false; 3], Filter::Linear)?;
        }
        Ok(())
    }

    /// The colour of the texel at a place of a level, or of the one at the edge that is next to the place.
    fn nearest(&self, level: u32, at: [i64; 3]) -> [u32; 4] {
        let size = self.shape.level_size(level);
        let at = [0, 1, 2].map(|axis| at[axis].clamp(0, i64::from(size[axis]).max(1) - 1));
        self.texel(level, at).map_or([0; 4], |texel| decode(self.shape.format, texel))
    }

    /// The weighted mean of the texels around a position along the first `axes` coordinates.
    fn filtered(&self, level: u32, place: [f64; 3], axes: usize) -> [u32; 4] {
        let mut sum = [0f64; 4];
        for corner in 0..1usize << axes {
            let mut weight = 1.0;
            let at = std::array::from_fn(|axis| {
                if axis >= axes {
                    return place[axis].floor() as i64;
                }
                let low = (place[axis] - 0.5).floor();
                let beyond = place[axis] - 0.5 - low;
                let upper = corner >> axis & 1;
                weight *= if upper == 1 { beyond } else { 1.0 - beyond };
                low as i64 + upper as i64
            });
            if weight != 0.0 {
                for (sum, value) in sum.iter_mut().zip(self.nearest(level, at)) {
                    *sum += weight * f64::from(f32::from_bits(value));
                }
            }
        }
        sum.map(|value| (value as f32).to_bits())
    }
}

/// The kind of a format's numbers: `None` for floats and normalized numbers, else whether integers have a sign.
fn numbers(format: SurfaceFormat) -> Option<bool> {
    let signed = |kind: ChannelKind| kind == ChannelKind::Sint;
    let first = format.info().channels.iter().flatten().next()?;
    is_integer(format).then(|| signed(first.kind))
}

/// The places in a box, row by row and slice by slice.
fn places([width, height, depth]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}

/// A place in a region, from the start of its level.
fn moved(at: [u32; 3], origin: [u32; 3]) -> [i64; 3] {
    std::array::from_fn(|axis| i64::from(at[axis]) + i64::from(origin[axis]))
}
