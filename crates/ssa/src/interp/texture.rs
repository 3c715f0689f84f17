//! Textures in the interpreter: which texels a sampler reads, and how they are weighted.
//!
//! This follows the rules of Vulkan ("Image Operations"), with binary64 numbers that are rounded once at the end.
//! Where the rules allow several results: at the corner of a cube, the missing texel is the mean of the three texels
//! around the corner; a fetch out of bounds returns 0.

use super::Image;
use super::image::{decode, missing};
use crate::ir::{ImageDim, SurfaceFormat, TextureForm, TextureOp, TextureTy};
use crestline_device::{AddressMode, ChannelKind, CompareOp, Filter, Sampler};

/// A read with the values of its operands for one invocation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) op: TextureOp,
    pub(super) ty: TextureTy,
    pub(super) form: TextureForm,
    /// The coordinates, followed by the layer.
    pub(super) coord: [u32; 4],
    /// The number of the sample.
    pub(super) sample: u32,
    /// The level of detail; with gradients, a bias that is added to the level that follows from them.
    pub(super) level: Option<u32>,
    /// The least level of detail.
    pub(super) min_level: Option<f32>,
    pub(super) compare: Option<f32>,
    pub(super) gradients: Option<[[f32; 3]; 2]>,
    pub(super) offset: [i32; 3],
}

/// Number of faces of a cube.
const FACES: u32 = 6;

/// For each face of a cube: the axes along its columns, along its rows, and outward, each with a sign. Axes 0, 1, 2
/// are x, y, z.
const AXES: [[(usize, f64); 3]; 6] = [
    [(2, -1.0), (1, -1.0), (0, 1.0)],
    [(2, 1.0), (1, -1.0), (0, -1.0)],
    [(0, 1.0), (2, 1.0), (1, 1.0)],
    [(0, 1.0), (2, -1.0), (1, -1.0)],
    [(0, 1.0), (1, -1.0), (2, 1.0)],
    [(0, -1.0), (1, -1.0), (2, -1.0)],
];

impl Read {
    /// The result of the read; zeros if no image is bound.
    pub(super) fn run(&self, image: Option<&Image>, sampler: Sampler) -> [u32; 4] {
        let Some(image) = image else { return [0; 4] };
        match self.op {
            TextureOp::Size => self.size(image),
            TextureOp::Samples => [image.samples, 0, 0, 0],
            TextureOp::Lod => self.levels_read(image, sampler),
            TextureOp::Fetch => {
                let coord = self.coord.map(|c| i64::from(c.cast_signed()));
                let dims = self.ty.dims();
                let mut at = [0; 3];
                at[..dims].copy_from_slice(&coord[..dims]);
                if self.ty.arrayed {
                    at[2] = coord[dims];
                }
                if self.sample >= image.samples {
                    return [0; 4];
                }
                let texel = self.texel(image, self.level.unwrap_or(0), at);
                texel.map_or([0; 4], |texel| filled(image.format, texel))
            }
            TextureOp::Sample | TextureOp::Gather(_) => self.filtered(image, sampler),
        }
    }

    /// The result of a size query.
    fn size(&self, image: &Image) -> [u32; 4] {
        let level = self.level.unwrap_or(0);
        let [width, height, depth] = self.level_size(image, level);
        let layers = if self.ty.dim == ImageDim::Cube && self.form == TextureForm::Shader {
            depth / FACES
        } else {
            depth
        };
        let sides = match self.ty.dim {
            ImageDim::D1 | ImageDim::Buffer => vec![width],
            ImageDim::D2 | ImageDim::Cube => vec![width, height],
            ImageDim::D3 => vec![width, height, depth],
        };
        let mut size = [0; 4];
        let all = sides.into_iter().chain(self.ty.arrayed.then_some(layers));
        size.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        size[3] = image.levels;
        size
    }

    /// The size of a level; 0 if the level does not exist.
    fn level_size(&self, image: &Image, level: u32) -> [u32; 3] {
        if level >= image.levels {
            return [0; 3];
        }
        image.level_size(self.ty.dim == ImageDim::D3, level)
    }

    /// The components of the texel at column, row, and slice or layer; `None` out of bounds.
    fn texel(&self, image: &Image, level: u32, at: [i64; 3]) -> Option<[u32; 4]> {
        let size = self.level_size(image, level);
        if at.iter().zip(size).any(|(&at, size)| !(0..i64::from(size)).contains(&at)) {
            return None;
        }
        let start = image.level_start(self.ty.dim == ImageDim::D3, level);
        let [x, y, z] = at.map(|c| c as u64);
        let texel = (z * u64::from(size[1]) + y) * u64::from(size[0]) + x;
        let texel = texel * u64::from(image.samples.max(1)) + u64::from(self.sample);
        let at = start.checked_add(texel.checked_mul(image.format.bytes().into())?)?;
        Some(decode(image.format, image.bits_at(usize::try_from(at).ok()?)))
    }

    /// The result of a filtered read or gather.
    fn filtered(&self, image: &Image, sampler: Sampler) -> [u32; 4] {
        let lod = clamped(self.lod(image), image);
        if let TextureOp::Gather(comp) = self.op {
            let corners = self.corners(image, 0, Sampler { filter: Filter::Linear, ..sampler });
            let chosen = [(0, 1), (1, 1), (1, 0), (0, 0)].map(|(x, y)| {
                let texel = corners.iter().find(|c| c.corner == [x, y, 0]).map(|c| c.texel);
                let texel = texel.unwrap_or([0; 4]);
                self.compared(image, sampler, texel)[usize::from(comp)]
            });
            return chosen;
        }
        let (low, weight) = match sampler.mip {
            Filter::Nearest => (nearest_level(lod), 0.0),
            Filter::Linear => (lod.floor(), lod - lod.floor()),
        };
        let low = low as u32;
        if is_integer(image.format) {
            return self.corners(image, low, sampler).first().map_or([0; 4], |c| c.texel);
        }
        let mut sum = [0.0; 4];
        for (level, share) in [(low, 1.0 - weight), (low + 1, weight)] {
            if share == 0.0 {
                continue;
            }
            for corner in self.corners(image, level, sampler) {
                let texel = self.compared(image, sampler, corner.texel);
                for (sum, bits) in sum.iter_mut().zip(texel) {
                    *sum += share * corner.weight * f64::from(f32::from_bits(bits));
                }
            }
        }
        sum.map(|sum| (sum as f32).to_bits())
    }

    /// The result of a query of the level of detail.
    fn levels_read(&self, image: &Image, sampler: Sampler) -> [u32; 4] {
        let computed = self.lod(image);
        let lod = clamped(computed, image);
        let read = match sampler.mip {
            Filter::Nearest => nearest_level(lod),
            Filter::Linear => lod,
        };
        [(read as f32).to_bits(), (computed as f32).to_bits(), 0, 0]
    }

    /// The level of detail: the explicit level, or that which follows from the gradients, or 0; at least the least level.
    fn lod(&self, image: &Image) -> f64 {
        let computed = self.computed_lod(image);
        self.min_level.map_or(computed, |least| computed.max(f64::from(least)))
    }

    /// The level of detail without the least level.
    fn computed_lod(&self, image: &Image) -> f64 {
        let level = self.level.map_or(0.0, |level| f64::from(f32::from_bits(level)));
        let Some(gradients) = self.gradients else { return level };
        let size = self.level_size(image, 0);
        let length = |gradient: [f32; 3]| {
            let (along, dims) = match self.ty.dim {
                ImageDim::Cube => (self.on_face(gradient), 2),
                _ => (gradient.map(f64::from), self.ty.dims()),
            };
            let squares = (0..dims).map(|i| (along[i] * f64::from(size[i])).powi(2));
            squares.sum::<f64>().sqrt()
        };
        length(gradients[0]).max(length(gradients[1])).log2() + level
    }

    /// The change of the coordinates on a cube's face (0 to 1 across the face) if the direction changes by `gradient`.
    fn on_face(&self, gradient: [f32; 3]) -> [f64; 3] {
        let direction = [0, 1, 2].map(|i| f64::from(f32::from_bits(self.coord[i])));
        let (face, ..) = face_of(direction);
        let along = |of: [f64; 3], number: usize| {
            let (axis, sign) = AXES[face][number];
            sign * of[axis]
        };
        let change = gradient.map(f64::from);
        let (outward, growth) = (along(direction, 2), along(change, 2));
        let place = |number| {
            let quotient = outward * along(change, number) - along(direction, number) * growth;
            0.5 * quotient / (outward * outward)
        };
        [place(0), place(1), 0.0]
    }

    /// The texel itself, or if the read compares, 1 or 0 for the result of the comparison.
    fn compared(&self, image: &Image, sampler: Sampler, texel: [u32; 4]) -> [u32; 4] {
        let (Some(reference), Some(compare)) = (self.compare, sampler.compare) else {
            return texel;
        };
        let mut channels = image.format.info().channels.iter().flatten();
        let normalized = channels.any(|c| c.kind == ChannelKind::Unorm);
        let reference = if normalized { reference.clamp(0.0, 1.0) } else { reference };
        let texel = f32::from_bits(texel[0]);
        let passes = match compare {
            CompareOp::Never => false,
            CompareOp::Less => reference < texel,
            CompareOp::Equal => reference == texel,
            CompareOp::LessOrEqual => reference <= texel,
            CompareOp::Greater => reference > texel,
            CompareOp::NotEqual => reference != texel,
            CompareOp::GreaterOrEqual => reference >= texel,
            CompareOp::Always => true,
        };
        [f32::from(u8::from(passes)).to_bits(); 4]
    }

    /// The texels of a level that a filter combines, with their weights.
    fn corners(&self, image: &Image, level: u32, sampler: Sampler) -> Vec<Corner> {
        let size = self.level_size(image, level);
        let coord = self.coord.map(|c| f64::from(f32::from_bits(c)));
        let dims = self.ty.dims();
        let mut layer = 0;
        if self.ty.arrayed {
            let layers = if self.ty.dim == ImageDim::Cube { size[2] / FACES } else { size[2] };
            let last = f64::from(layers.saturating_sub(1));
            layer = coord[dims].round_ties_even().clamp(0.0, last) as i64;
        }
        let (axes, place) = match self.ty.dim {
            ImageDim::Cube => {
                let (face, s, t) = face_of([coord[0], coord[1], coord[2]]);
                layer = layer * i64::from(FACES) + face as i64;
                (2, [(s + 1.0) / 2.0, (t + 1.0) / 2.0, 0.0])
            }
            _ => (dims, [coord[0], coord[1], coord[2]]),
        };
        let linear = sampler.filter == Filter::Linear && !is_integer(image.format)
            || matches!(self.op, TextureOp::Gather(_));
        let half = if linear { 0.5 } else { 0.0 };
        let mut base = [0; 3];
        let mut beyond = [0.0; 3];
        for axis in 0..axes {
            let at = place[axis] * f64::from(size[axis]) + f64::from(self.offset[axis]) - half;
            base[axis] = at.floor() as i64;
            beyond[axis] = at - at.floor();
        }
        let count = if linear { 1 << axes } else { 1 };
        (0..count)
            .map(|number: usize| {
                let corner = [0, 1, 2].map(|axis| number >> axis & 1);
                let mut at: [i64; 3] =
                    std::array::from_fn(|i| base[i].saturating_add(corner[i] as i64));
                if axes < 3 {
                    at[2] = layer;
                }
                let shares = (0..axes).map(|axis| match (linear, corner[axis]) {
                    (false, _) => 1.0,
                    (true, 0) => 1.0 - beyond[axis],
                    _ => beyond[axis],
                });
                let texel = if self.ty.dim == ImageDim::Cube {
                    self.around(image, level, at)
                } else {
                    for axis in 0..axes {
                        at[axis] = wrapped(at[axis], size[axis], sampler.address);
                    }
                    self.texel(image, level, at)
                };
                let texel = match texel {
                    Some(texel) => filled(image.format, texel),
                    None => {
                        sampler.border.ones().map(|one| match (one, is_integer(image.format)) {
                            (false, _) => 0,
                            (true, true) => 1,
                            (true, false) => 1f32.to_bits(),
                        })
                    }
                };
                Corner { corner, weight: shares.product(), texel }
            })
            .collect()
    }

    /// The texel at a column and row of a cube's face. The position may be one texel beyond an edge; then the texel
    /// is on the neighbouring face.
    fn around(&self, image: &Image, level: u32, [x, y, layer]: [i64; 3]) -> Option<[u32; 4]> {
        let size = i64::from(self.level_size(image, level)[0]);
        let outside = |c: i64| !(0..size).contains(&c);
        if !outside(x) && !outside(y) {
            return self.texel(image, level, [x, y, layer]);
        }
        if outside(x) && outside(y) {
            let (near_x, near_y) = (x.clamp(0, size - 1), y.clamp(0, size - 1));
            let three = [(near_x, near_y), (near_x, y), (x, near_y)]
                .map(|(x, y)| self.around(image, level, [x, y, layer]).unwrap_or([0; 4]));
            return Some(std::array::from_fn(|i| {
                let sum: f64 = three.iter().map(|t| f64::from(f32::from_bits(t[i]))).sum();
                ((sum / 3.0) as f32).to_bits()
            }));
        }
        let faces = i64::from(FACES);
        let center = |c: i64| (2 * c + 1) as f64 / size as f64 - 1.0;
        let axes = AXES[(layer % faces) as usize];
        let mut direction = [0.0; 3];
        for ((axis, sign), along) in axes.into_iter().zip([center(x), center(y), 1.0]) {
            direction[axis] = sign * along;
        }
        let (face, s, t) = face_of(direction);
        let back = |c: f64| (((c + 1.0) / 2.0 * size as f64) as i64).clamp(0, size - 1);
        self.texel(image, level, [back(s), back(t), layer / faces * faces + face as i64])
    }
}

/// A texel that a filter combines.
struct Corner {
    /// Position relative to the texel with the lowest coordinates, 0 or 1 along each axis.
    corner: [usize; 3],
    weight: f64,
    texel: [u32; 4],
}

/// The face of a cube that a direction points to, and the position on it: two coordinates from -1 to 1.
fn face_of(direction: [f64; 3]) -> (usize, f64, f64) {
    let [x, y, z] = direction.map(f64::abs);
    // If absolute values are equal, z is preferred to y, and y to x.
    let axis = if z >= x && z >= y {
        2
    } else if y >= x {
        1
    } else {
        0
    };
    let face = 2 * axis + usize::from(direction[axis] < 0.0);
    let greatest = direction[axis].abs();
    let along = |(axis, sign): (usize, f64)| sign * direction[axis] / greatest;
    (face, along(AXES[face][0]), along(AXES[face][1]))
}

/// A level of detail, clamped to the levels of an image.
fn clamped(lod: f64, image: &Image) -> f64 {
    lod.clamp(0.0, f64::from(image.levels.saturating_sub(1)))
}

/// The level that is nearest to a level of detail, which is at least 0.
fn nearest_level(lod: f64) -> f64 {
    ((lod + 0.5).ceil() - 1.0).max(0.0)
}

/// Applies the address mode to a texel coordinate. With a border, the result may be outside the image.
fn wrapped(at: i64, size: u32, address: AddressMode) -> i64 {
    let size = i64::from(size).max(1);
    match address {
        AddressMode::Repeat => at.rem_euclid(size),
        AddressMode::Mirror => {
            let at = at.rem_euclid(2 * size);
            if at < size { at } else { 2 * size - 1 - at }
        }
        AddressMode::MirrorOnce => {
            let from_edge = if at >= 0 { at } else { -1 - at };
            from_edge.min(size - 1)
        }
        AddressMode::Clamp => at.clamp(0, size - 1),
        AddressMode::Border => at,
    }
}

/// A texel, with the components that its format does not have filled in.
fn filled(format: SurfaceFormat, texel: [u32; 4]) -> [u32; 4] {
    let (channels, missing) = (format.info().channels, missing(format));
    std::array::from_fn(|i| if channels[i].is_some() { texel[i] } else { missing[i] })
}

fn is_integer(format: SurfaceFormat) -> bool {
    let mut channels = format.info().channels.iter().flatten();
    channels.any(|c| matches!(c.kind, ChannelKind::Uint | ChannelKind::Sint))
}
