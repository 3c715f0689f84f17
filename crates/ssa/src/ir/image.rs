//! Storage images: their dimensions, and the two forms of accesses to texels.

pub use crestline_device::SurfaceFormat;

use super::InstKind;

/// The dimension of an image. It determines the coordinates, apart from the layer of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageDim {
    /// x.
    D1,
    /// x, y.
    D2,
    /// x, y, z.
    D3,
    /// x, y and face; for an array of cubes the third coordinate is `6 * cube + face`.
    Cube,
    /// x: a sequence of texels in a buffer.
    Buffer,
}

/// The type of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageTy {
    /// Its dimensions.
    pub dim: ImageDim,
    /// Whether it is an array. Then there is one more coordinate, the layer; for cubes the face coordinate includes it.
    pub arrayed: bool,
    /// The format that the shader declares; `None` if the shader only writes and the application chooses the format.
    pub format: Option<SurfaceFormat>,
}

impl ImageTy {
    /// Number of coordinates of a texel, 1 to 3.
    pub const fn coords(self) -> usize {
        match self.dim {
            ImageDim::D1 | ImageDim::Buffer => 1 + self.arrayed as usize,
            ImageDim::D2 => 2 + self.arrayed as usize,
            ImageDim::D3 | ImageDim::Cube => 3,
        }
    }

    /// Number of components of the image's size: width, and height and depth if the dimension has them; then for an
    /// array the number of layers (of a cube array, the number of cubes).
    pub const fn size_comps(self) -> usize {
        match self.dim {
            ImageDim::Cube => 2 + self.arrayed as usize,
            _ => self.coords(),
        }
    }
}

/// Whether the components of an access are those of the shader or those of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageForm {
    /// As in the shader: always four components, converted from or to the image's declared format. A load returns 0,
    /// 0, 0 and 1 for components that the format does not have; out of bounds it returns 0 for those that the format
    /// has. Stores out of bounds have no effect.
    Shader,
    /// As in a message to a typed surface of this format: the components that the format has. Out of bounds, a load
    /// returns 0, except that a fourth component may also be 1.
    ///
    /// `None` is used for stores only: the format is that of the bound image, and there are four components.
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

/// The number of channels that a format stores; 1 for a format without channels.
pub fn channels(format: SurfaceFormat) -> usize {
    format.info().channels.iter().flatten().count().max(1)
}

/// A parameter of an image whose addresses the shader computes itself. The driver supplies it. Names, components and
/// units are those of `ImageParameter` in the program's metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImageParam {
    /// x and y, in texels and rows, at which the mip level starts.
    Offset,
    /// The number of texels along each coordinate; all 0 if no image is bound.
    Size,
    /// Bytes per texel; texels from row to row; texels and rows from slice to slice.
    Stride,
    /// log2 of a tile's width in texels; log2 of its height in rows; log2 of the number of slices that are side by
    /// side.
    Tiling,
    /// Two shift counts. Each moves a higher address bit to position 6, where the bits are combined by exclusive or.
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
    /// The image that the instruction accesses or queries, either as texels or as memory.
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

    /// Whether the instruction reads texels of a storage image.
    pub fn reads_image(&self) -> bool {
        match self {
            InstKind::ImageLoad { .. } | InstKind::ImageAtomic { .. } => true,
            InstKind::Load { memory, .. } => matches!(memory, super::Memory::Image(_)),
            _ => false,
        }
    }
}
