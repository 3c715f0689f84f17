//! Textures: images that are read through the sampler unit, and what it is asked.

use super::{ImageDim, Resource, Src};

/// The type of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureTy {
    /// Its dimensions.
    pub dim: ImageDim,
    /// Whether it has layers.
    pub arrayed: bool,
}

impl TextureTy {
    /// Number of coordinates without the layer, 1 to 3: a cube is sampled by direction.
    pub const fn dims(self) -> usize {
        match self.dim {
            ImageDim::D1 | ImageDim::Buffer => 1,
            ImageDim::D2 => 2,
            ImageDim::D3 | ImageDim::Cube => 3,
        }
    }

    /// Number of components of the texture's size: width, height, depth as far as there are such, then the number of
    /// layers of an array (of cubes: of whole cubes).
    pub const fn size_comps(self) -> usize {
        let sides = match self.dim {
            ImageDim::Cube => 2,
            _ => self.dims(),
        };
        sides + self.arrayed as usize
    }
}

/// What the sampler unit is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureOp {
    /// The texel at signed integer coordinates, of level [`TextureRead::level`] (an integer, 0 if there is none).
    /// Without a sampler. Out of bounds any texel of the format, in practice zeros.
    Fetch,
    /// A texel filtered as the sampler says, at float coordinates: of level [`TextureRead::level`] (a float), or the
    /// one that [`TextureRead::gradients`] ask for, or 0.
    Sample,
    /// One component of the four texels that a linear filter would read of level 0, counter-clockwise from the lower
    /// left: (0, 1), (1, 1), (1, 0), (0, 0).
    Gather(u8),
    /// The texture's size at level [`TextureRead::level`] (an integer, 0 if there is none): in the first components as
    /// [`TextureTy::size_comps`] says, then 0; the last is the number of levels. Without a sampler.
    Size,
}

/// How coordinates and sizes are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureForm {
    /// As a shader sees them.
    Shader,
    /// As the sampler unit's messages do: the greatest coordinate of a direction is 1 or -1, and the size of an array of
    /// cubes counts their faces.
    Message,
}

/// A read through the sampler unit. Four components of 32 bits; a comparison of [`TextureOp::Sample`] has one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextureRead {
    /// What is asked.
    pub op: TextureOp,
    /// The texture.
    pub texture: Resource,
    /// The sampler, where the operation has one. May be the same binding as the texture.
    pub sampler: Option<Resource>,
    /// Where, the layer of an array last; `None` only for [`TextureOp::Size`].
    pub coord: Option<Src>,
    /// Number of coordinates without the layer.
    pub dims: u8,
    /// Whether a layer follows.
    pub arrayed: bool,
    /// The level of detail.
    pub level: Option<Src>,
    /// A float that is compared with each texel before it is filtered: the result is how much of it passes.
    pub compare: Option<Src>,
    /// How coordinates change along x and y of the screen, each `dims` floats.
    pub gradients: Option<[Src; 2]>,
    /// Whole texels that are added to the first coordinates: -8 to 7 each.
    pub offset: [i8; 3],
    /// The same as integers known at run time, -32 to 31: only of [`TextureOp::Gather`] in two dimensions, and instead.
    pub offset_at_run_time: Option<Src>,
    /// How coordinates and sizes are seen.
    pub form: TextureForm,
}

impl TextureRead {
    /// A read with nothing but coordinates.
    pub fn new(op: TextureOp, ty: TextureTy, texture: Resource, coord: Option<Src>) -> TextureRead {
        TextureRead {
            op,
            texture,
            sampler: None,
            coord,
            dims: ty.dims() as u8,
            arrayed: ty.arrayed,
            level: None,
            compare: None,
            gradients: None,
            offset: [0; 3],
            offset_at_run_time: None,
            form: TextureForm::Shader,
        }
    }

    /// Number of coordinates with the layer.
    pub fn coords(&self) -> usize {
        usize::from(self.dims) + usize::from(self.arrayed)
    }

    /// Number of components of the result.
    pub fn comps(&self) -> usize {
        if self.op == TextureOp::Sample && self.compare.is_some() { 1 } else { 4 }
    }

    /// Each source and the number of components that are read of it, in the order of the text form.
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
            self.level.map(|src| (src, 1)),
            self.compare.map(|src| (src, 1)),
            x,
            y,
            self.offset_at_run_time.map(|src| (src, dims)),
        ];
        parts.into_iter().flatten()
    }
}
