//! Textures: images that are read through the sampler unit, and the operations on them.

use super::{ImageDim, Resource, Src};

/// The type of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureTy {
    /// Its dimensions.
    pub dim: ImageDim,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether each texel has several samples, which are read one by one. Only in two dimensions.
    pub multisampled: bool,
}

impl TextureTy {
    /// A type without layers and with one sample per texel.
    pub const fn new(dim: ImageDim) -> TextureTy {
        TextureTy { dim, arrayed: false, multisampled: false }
    }

    /// Number of coordinates without the layer, 1 to 3. The coordinates of a cube are a direction.
    pub const fn dims(self) -> usize {
        match self.dim {
            ImageDim::D1 | ImageDim::Buffer => 1,
            ImageDim::D2 => 2,
            ImageDim::D3 | ImageDim::Cube => 3,
        }
    }

    /// Number of components of the texture's size: width, and height and depth if the dimension has them; then for an
    /// array the number of layers (of a cube array, the number of cubes).
    pub const fn size_comps(self) -> usize {
        let sides = match self.dim {
            ImageDim::Cube => 2,
            _ => self.dims(),
        };
        sides + self.arrayed as usize
    }
}

/// An operation of the sampler unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureOp {
    /// Reads the texel at signed integer coordinates, at level [`TextureRead::level`] (an integer; 0 if absent). It
    /// has no sampler. Out of bounds the result is any texel of the format, in practice zeros. Of a multisampled texture
    /// it reads sample [`TextureRead::sample`].
    Fetch,
    /// Reads at float coordinates with the sampler's filter. The level is [`TextureRead::level`] (a float), or it
    /// follows from [`TextureRead::gradients`] or [`TextureRead::implicit`], or it is 0.
    Sample,
    /// Returns one component, of this number, of each of the four texels that a linear filter at level 0 would use, in
    /// counter-clockwise order from the lower left: (0, 1), (1, 1), (1, 0), (0, 0).
    Gather(u8),
    /// Returns the texture's size at level [`TextureRead::level`] (an integer; 0 if absent). The first
    /// [`TextureTy::size_comps`] components are the size, the last one is the number of levels, and those in between
    /// are 0. It has no sampler. The number of levels of a multisampled texture is undefined.
    Size,
    /// Returns the number of samples of a texel of a multisampled texture in the first component; the others are
    /// undefined. It has no sampler.
    Samples,
    /// Returns the level of detail of a [`TextureOp::Sample`] with an implicit level at these coordinates, without
    /// a layer. Component 0 is the level from which texels are read (clamped to existing levels, and rounded if the
    /// sampler reads only one level), component 1 the level before that; the others are undefined. Fragment only.
    Lod,
}

/// The convention for coordinates and sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureForm {
    /// The convention of shading languages.
    Shader,
    /// The convention of the sampler unit's messages: in the direction for a cube, the coordinate with the greatest
    /// absolute value is 1 or -1; the size of a cube array counts faces.
    Message,
}

/// A read through the sampler unit. The result has four components of 32 bits, or one if a [`TextureOp::Sample`]
/// compares.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextureRead {
    /// The operation.
    pub op: TextureOp,
    /// The texture.
    pub texture: Resource,
    /// The sampler; `None` if the operation has none. It may be the same binding as the texture.
    pub sampler: Option<Resource>,
    /// The coordinates, followed by the layer for an array; `None` only for [`TextureOp::Size`].
    pub coord: Option<Src>,
    /// Number of coordinates, not counting the layer.
    pub dims: u8,
    /// Whether the coordinates include a layer. Those of [`TextureOp::Lod`] never do.
    pub arrayed: bool,
    /// The number of the sample, an unsigned integer: for [`TextureOp::Fetch`] of multisampled textures only.
    pub sample: Option<Src>,
    /// The level of detail, an integer or a float as described at [`TextureOp`]. If the level is implicit: the bias, which
    /// is added to it.
    pub level: Option<Src>,
    /// Whether the level of detail follows from the differences of the coordinates within the quad, as if those were
    /// the gradients: [`TextureOp::Sample`] in fragment shaders only.
    /// Also set for [`TextureOp::Lod`].
    pub implicit: bool,
    /// The least level of detail, a float: a [`TextureOp::Sample`] with an implicit level or with gradients reads no level
    /// below it.
    pub min_level: Option<Src>,
    /// Depth comparison: a float that is compared with each texel before filtering. The result is the filtered
    /// fraction of the texels that pass.
    pub compare: Option<Src>,
    /// The derivatives of the coordinates along x and y of the screen, `dims` floats each.
    pub gradients: Option<[Src; 2]>,
    /// Numbers of texels added to the coordinates before the layer, -8 to 7 each.
    pub offset: [i8; 3],
    /// Offsets computed at run time, -32 to 31 each, used instead of `offset`; only for [`TextureOp::Gather`] in two
    /// dimensions.
    pub offset_at_run_time: Option<Src>,
    /// The convention for coordinates and sizes.
    pub form: TextureForm,
}

impl TextureRead {
    /// A read with coordinates but no sampler, level or other optional operand.
    pub fn new(op: TextureOp, ty: TextureTy, texture: Resource, coord: Option<Src>) -> TextureRead {
        TextureRead {
            op,
            texture,
            sampler: None,
            coord,
            dims: ty.dims() as u8,
            arrayed: ty.arrayed && op != TextureOp::Lod,
            sample: None,
            level: None,
            implicit: op == TextureOp::Lod,
            min_level: None,
            compare: None,
            gradients: None,
            offset: [0; 3],
            offset_at_run_time: None,
            form: TextureForm::Shader,
        }
    }

    /// Number of coordinates including the layer.
    pub fn coords(&self) -> usize {
        usize::from(self.dims) + usize::from(self.arrayed)
    }

    /// Number of components of the result.
    pub fn comps(&self) -> usize {
        if self.op == TextureOp::Sample && self.compare.is_some() { 1 } else { 4 }
    }

    /// Each source with the number of components that are read from it, in the order of the text form.
    pub fn sources(&self) -> impl Iterator<Item = (Src, usize)> {
        let dims = usize::from(self.dims);
        let element = |resource: &Resource| resource.element.map(|src| (src, 1));
        let [x, y] = match self.gradients {
            Some([x, y]) => [Some((x, dims)), Some((y, dims))],
            None => [None; 2],
        };
        let parts = [
            element(&self.texture),
            self.sampler.as_ref().and_then(element),
            self.coord.map(|src| (src, self.coords())),
            self.sample.map(|src| (src, 1)),
            self.level.map(|src| (src, 1)),
            self.min_level.map(|src| (src, 1)),
            self.compare.map(|src| (src, 1)),
            x,
            y,
            self.offset_at_run_time.map(|src| (src, dims)),
        ];
        parts.into_iter().flatten()
    }
}
