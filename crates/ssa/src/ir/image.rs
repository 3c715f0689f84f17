//! Images: their shapes, and how an access sees their texels.

pub use crestline_device::SurfaceFormat;

use super::InstKind;

/// What the coordinates of an image are, but for the layer of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageDim {
    /// x.
    D1,
    /// x, y.
    D2,
    /// x, y, z.
    D3,
    /// x, y and face, or for an array of cubes `6 * cube + face`.
    Cube,
    /// x: a row of texels in a buffer.
    Buffer,
}

/// The type of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageTy {
    /// Its dimensions.
    pub dim: ImageDim,
    /// Whether it has layers: one coordinate more, but for cubes, whose faces already are layers.
    pub arrayed: bool,
    /// The format that the shader declares; `None` if it only writes and leaves the format to whoever binds the image.
    pub format: Option<SurfaceFormat>,
}

impl ImageTy {
    /// Number of coordinates that name a texel, 1 to 3.
    pub const fn coords(self) -> usize {
        match self.dim {
            ImageDim::D1 | ImageDim::Buffer => 1 + self.arrayed as usize,
            ImageDim::D2 => 2 + self.arrayed as usize,
            ImageDim::D3 | ImageDim::Cube => 3,
        }
    }

    /// Number of components of the image's size: width, height, depth as far as there are such, then the number of
    /// layers of an array (of cubes: of whole cubes).
    pub const fn size_comps(self) -> usize {
        match self.dim {
            ImageDim::Cube => 2 + self.arrayed as usize,
            _ => self.coords(),
        }
    }
}

/// How an image access sees texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageForm {
    /// As the shader: always four components in the image's declared format. A load fills components which the format
    /// lacks with 0, 0, 0 and 1; out of bounds it gives 0 for those that the format has. Stores out of bounds are
    /// dropped.
    Shader,
    /// As a message to a typed surface of this format: the components that the format has. Out of bounds a load gives
    /// 0, but for a fourth component, which may also be 1.
    ///
    /// `None`, of stores only, is the format with which the image was made, and four components.
    Surface(Option<SurfaceFormat>),
}

impl ImageForm {
    /// Number of components of a texel.
    pub fn comps(self) -> usize {
        match self {
            ImageForm::Shader | ImageForm::Surface(None) => 4,
            ImageForm::Surface(Some(format)) => channels(format),
        }
    }
}

/// The number of channels that a format stores.
pub fn channels(format: SurfaceFormat) -> usize {
    format.info().channels.iter().flatten().count().max(1)
}

/// What the driver tells of an image whose memory the shader addresses itself. The names, components and units are
/// those of `ImageParameter` in the program's metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImageParam {
    /// x and y: where the level begins, in texels and rows.
    Offset,
    /// The number of texels along each coordinate; all 0 for an image that is not bound.
    Size,
    /// Bytes of a texel; texels from row to row; texels and rows from slice to slice.
    Stride,
    /// log2 of a tile's width in texels and height in rows; log2 of the slices that lie side by side.
    Tiling,
    /// How far two higher address bits are shifted right to meet bit 6.
    Swizzling,
}

impl ImageParam {
    /// Every parameter and its number of components.
    pub const ALL: [(ImageParam, usize); 5] = [
        (ImageParam::Offset, 2),
        (ImageParam::Size, 3),
        (ImageParam::Stride, 4),
        (ImageParam::Tiling, 3),
        (ImageParam::Swizzling, 2),
    ];

    /// Number of components.
    pub fn comps(self) -> usize {
        ImageParam::ALL[self as usize].1
    }
}

impl InstKind {
    /// The binding that an image instruction names, or the image whose memory a load or store addresses.
    pub fn image(&self) -> Option<&super::Resource> {
        match self {
            InstKind::ImageLoad { image, .. }
            | InstKind::ImageStore { image, .. }
            | InstKind::ImageAtomic { image, .. }
            | InstKind::ImageSize(image)
            | InstKind::ImageParam { image, .. }
            | InstKind::Load { memory: super::Memory::Image(image), .. }
            | InstKind::Store { memory: super::Memory::Image(image), .. } => Some(image),
            _ => None,
        }
    }

    /// Whether the instruction reads texels, or may.
    pub fn reads_image(&self) -> bool {
        match self {
            InstKind::ImageLoad { .. } | InstKind::ImageAtomic { .. } => true,
            InstKind::Load { memory, .. } => matches!(memory, super::Memory::Image(_)),
            _ => false,
        }
    }
}
