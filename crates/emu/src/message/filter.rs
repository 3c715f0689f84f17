//! Filtering in the sampler: addresses, weights, levels and comparisons.
//!
//! This code is independent of the interpreter's model of the same rules (Vulkan, "Image Operations").

use super::typed::View;
use crate::image::{ImageDimension, Level, block_offset};
use crate::sampler::SamplerState;
use crate::texel::{decode, decode_block, is_integer};
use crestline_device::{AddressMode, ChannelKind, CompareOp, Filter};

/// The parameters of one channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleParameters {
    /// The coordinates, and the layer of a cube array. The layer of other arrays follows the last coordinate.
    pub(super) at: [f32; 4],
    /// The level of detail. With gradients, it is added to the level that follows from these.
    pub(super) lod: f32,
    /// The derivatives of each coordinate along x and along y.
    pub(super) gradients: Option<[[f32; 2]; 3]>,
    /// The reference with which texels are compared.
    pub(super) compare: Option<f32>,
    /// The least level of detail.
    pub(super) least: f32,
    /// Offsets in texels that are added to the coordinates.
    pub(super) offsets: [i64; 3],
}

/// The texels of a level that a linear filter reads: two along each of `axes` coordinates.
struct Footprint {
    axes: usize,
    low: [i64; 3],
    /// Distance of the coordinate from the lower texel's center, 0 to 1.
    beyond: [f32; 3],
    layer: i64,
}

/// The texel at integer coordinates; `None` outside of the level.
pub(super) fn fetch(view: &View<'_>, level: &Level, at: [i64; 3]) -> Option<[u32; 4]> {
    let info = view.format.info();
    if let Some(compression) = info.compression {
        let (offset, place) = block_offset(level, at, view.format)?;
        return Some(decode_block(info, compression, &view.load(offset), place));
    }
    let offset = view.offset(level, at)?;
    Some(decode(view.format, &view.load(offset)))
}

/// A slice of the texel at integer coordinates; `None` outside of the level. A surface has as many slices as samples.
pub(super) fn fetch_slice(
    view: &View<'_>,
    level: &Level,
    at: [i64; 3],
    slice: u32,
) -> Option<[u32; 4]> {
    let first = view.offset(level, at)?;
    let offset = first + u64::from(slice) * u64::from(view.format.bytes());
    Some(decode(view.format, &view.load(offset)))
}

/// The most samples of an anisotropic filter (SAMPLER_STATE, "Maximum Anisotropy").
const MAX_ANISOTROPY: f32 = 16.0;

/// The samples of an anisotropic filter: their number, and the longer gradient along which they are.
struct Anisotropy {
    count: u32,
    along: [f32; 3],
    /// The level of detail of the samples, before the bias.
    lod: f32,
}

/// An image with a sampler, and what follows from both for all channels of a message.
pub(super) struct Texture<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) sampler: &'a SamplerState,
    /// Level 0; `None` for an image without levels.
    first: Option<Level>,
    pub(super) is_integer: bool,
    /// Number of coordinates that are filtered.
    axes: usize,
}

impl Texture<'_> {
    pub(super) fn new<'a>(view: &'a View<'a>, sampler: &'a SamplerState) -> Texture<'a> {
        Texture {
            view,
            sampler,
            first: view.shape.level(0),
            is_integer: is_integer(view.format),
            axes: axes(view.shape.dimension),
        }
    }

    /// Whether the level of detail does not change what is sampled.
    pub(super) fn is_same_at_all_levels(&self) -> bool {
        self.view.shape.levels == 1
            && self.sampler.magnify == self.sampler.minify
            && self.sampler.anisotropy <= 1.0
    }

    /// The samples of an anisotropic filter (Vulkan, "Texel Anisotropic Filtering"); `None` if the filter is isotropic: the
    /// state says so, there are no gradients, the image is no two-dimensional one, or both gradients have the same length.
    fn anisotropy(&self, parameters: &SampleParameters) -> Option<Anisotropy> {
        let gradients = parameters.gradients.filter(|_| self.sampler.anisotropy > 1.0)?;
        let shape = &self.view.shape;
        if !matches!(shape.dimension, ImageDimension::D2 | ImageDimension::D2Array) {
            return None;
        }
        let size = shape.level_size(0);
        let length = |direction: usize| {
            (0..2)
                .map(|axis| (gradients[axis][direction] * size[axis] as f32).powi(2))
                .sum::<f32>()
                .sqrt()
        };
        let lengths = [length(0), length(1)];
        let longer = usize::from(lengths[1] > lengths[0]);
        let (most, least) = (lengths[longer], lengths[1 - longer]);
        let limit = self.sampler.anisotropy.min(MAX_ANISOTROPY);
        let ratio = if least > 0.0 { most / least } else { limit };
        if !most.is_finite() || most == 0.0 || !ratio.is_finite() || ratio <= 1.0 {
            return None;
        }
        let count = ratio.min(limit).ceil();
        let along = gradients.map(|gradient| gradient[longer]);
        Some(Anisotropy { count: count as u32, along, lod: (most / count).log2() })
    }

    /// Samples at the level of detail that the parameters give. An anisotropic filter takes the mean of several samples.
    pub(super) fn sample(&self, parameters: &SampleParameters) -> [u32; 4] {
        let several = self.anisotropy(parameters).filter(|_| !self.is_integer);
        let Some(Anisotropy { count, along, lod }) = several else {
            return self.sample_once(parameters);
        };
        let mut sum = [0f32; 4];
        for number in 1..=count {
            let part = number as f32 / (count + 1) as f32 - 0.5;
            let mut own = *parameters;
            (own.gradients, own.lod) = (None, lod + parameters.lod);
            for (at, along) in own.at.iter_mut().zip(&along[..2]) {
                *at += part * along;
            }
            for (sum, value) in sum.iter_mut().zip(self.sample_once(&own)) {
                *sum += f32::from_bits(value);
            }
        }
        sum.map(|sum| (sum / count as f32).to_bits())
    }

    /// Takes one sample at the level of detail that the parameters give.
    fn sample_once(&self, parameters: &SampleParameters) -> [u32; 4] {
        let sampler = self.sampler;
        if self.is_same_at_all_levels() {
            return match &self.first {
                Some(level) => self.sample_level(level, sampler.magnify, parameters),
                None => [0; 4],
            };
        }
        let last = self.view.shape.levels.saturating_sub(1) as f32;
        let lod = self.unclamped_lod(parameters);
        let lod = if lod.is_nan() { 0.0 } else { sampler.limited(lod.max(parameters.least)) };
        let filter = if lod <= 0.0 { sampler.magnify } else { sampler.minify };
        let lod = lod.clamp(0.0, last);
        let one = |level: f32| match self.view.shape.level(level as u32) {
            Some(level) => self.sample_level(&level, filter, parameters),
            None => [0; 4],
        };
        let below = lod.floor();
        if sampler.mip == Filter::Nearest || below == lod || self.is_integer {
            return one((lod + 0.5).ceil() - 1.0);
        }
        let (near, far) = (one(below), one(below + 1.0));
        let mix = |i: usize| {
            let (near, far) = (f32::from_bits(near[i]), f32::from_bits(far[i]));
            near + (far - near) * (lod - below)
        };
        std::array::from_fn(|i| mix(i).to_bits())
    }

    /// One component of each of the four texels around the coordinates, counter-clockwise from the lower left.
    pub(super) fn gather(&self, parameters: &SampleParameters, component: usize) -> [u32; 4] {
        let Some(level) = &self.first else { return [0; 4] };
        let footprint = self.footprint(level, parameters, true);
        [0b10, 0b11, 0b01, 0b00].map(|corner| {
            let texel = self.corner_texel(level, &footprint, corner);
            self.compared(parameters.compare, texel)[component]
        })
    }

    /// The result of a query of the level of detail: the level that is sampled, and the level before the limits of the image.
    pub(super) fn query_lod(&self, parameters: &SampleParameters) -> [u32; 4] {
        let last = self.view.shape.levels.saturating_sub(1) as f32;
        let lod = match self.anisotropy(parameters) {
            Some(several) => several.lod + parameters.lod,
            None => self.unclamped_lod(parameters),
        };
        let sampler = self.sampler;
        let limited = if lod.is_nan() { 0.0 } else { sampler.limited(lod).clamp(0.0, last) };
        let level = match sampler.mip {
            Filter::Nearest => (limited + 0.5).ceil() - 1.0,
            Filter::Linear => limited,
        };
        [level.to_bits(), lod.to_bits(), 0, 0]
    }

    /// The level of detail of the parameters, before the limits of the image.
    fn unclamped_lod(&self, parameters: &SampleParameters) -> f32 {
        match parameters.gradients {
            Some(gradients) => lod_of(self.view, parameters.at, gradients) + parameters.lod,
            None => parameters.lod,
        }
    }

    /// The result of the comparison of the reference with the texel's first component, as 0.0 or 1.0; the texel itself if
    /// nothing is compared.
    #[inline]
    pub(super) fn compared(&self, compare: Option<f32>, texel: [u32; 4]) -> [u32; 4] {
        let (Some(mut reference), Some(op)) = (compare, self.sampler.compare) else {
            return texel;
        };
        let first = self.view.format.info().channels[0];
        if first.is_some_and(|c| c.kind == ChannelKind::Unorm) {
            reference = reference.clamp(0.0, 1.0);
        }
        let depth = f32::from_bits(texel[0]);
        let passes = match op {
            CompareOp::Never => false,
            CompareOp::Less => reference < depth,
            CompareOp::Equal => reference == depth,
            CompareOp::LessOrEqual => reference <= depth,
            CompareOp::Greater => reference > depth,
            CompareOp::NotEqual => reference != depth,
            CompareOp::GreaterOrEqual => reference >= depth,
            CompareOp::Always => true,
        };
        [if passes { 1f32.to_bits() } else { 0 }; 4]
    }

    /// Samples one level.
    fn sample_level(
        &self,
        level: &Level,
        filter: Filter,
        parameters: &SampleParameters,
    ) -> [u32; 4] {
        let linear = filter == Filter::Linear && !self.is_integer;
        let footprint = self.footprint(level, parameters, linear);
        if !linear {
            return self.compared(parameters.compare, self.corner_texel(level, &footprint, 0));
        }
        let mut sum = [0f32; 4];
        for corner in 0..1 << footprint.axes {
            let weight: f32 = (0..footprint.axes)
                .map(|axis| match corner >> axis & 1 {
                    1 => footprint.beyond[axis],
                    _ => 1.0 - footprint.beyond[axis],
                })
                .product();
            if weight != 0.0 {
                let texel = self.corner_texel(level, &footprint, corner);
                for (sum, value) in sum.iter_mut().zip(self.compared(parameters.compare, texel)) {
                    *sum += weight * f32::from_bits(value);
                }
            }
        }
        sum.map(f32::to_bits)
    }

    /// The position of the texels around the coordinates.
    #[inline]
    fn footprint(&self, level: &Level, parameters: &SampleParameters, linear: bool) -> Footprint {
        use ImageDimension::*;
        let dimension = self.view.shape.dimension;
        let clamped = |layer: f32, layers: u32| {
            layer.round_ties_even().clamp(0.0, layers.saturating_sub(1) as f32) as i64
        };
        let (at, layer) = match dimension {
            D1Array => (parameters.at, clamped(parameters.at[1], level.size[2])),
            D2Array => (parameters.at, clamped(parameters.at[2], level.size[2])),
            Cube | CubeArray => {
                let (face, u, v) =
                    cube_face([parameters.at[0], parameters.at[1], parameters.at[2]]);
                let cube = match dimension {
                    CubeArray => clamped(parameters.at[3], level.size[2] / 6),
                    _ => 0,
                };
                ([u, v, 0.0, 0.0], 6 * cube + face)
            }
            _ => (parameters.at, 0),
        };
        let axes = self.axes;
        let mut footprint = Footprint { axes, low: [0; 3], beyond: [0.0; 3], layer };
        let half = if linear { 0.5 } else { 0.0 };
        for (axis, at) in at.into_iter().enumerate().take(axes) {
            let scale = if self.sampler.normalized { level.size[axis] as f32 } else { 1.0 };
            let texels = at * scale + parameters.offsets[axis] as f32 - half;
            let low = floor(texels);
            footprint.low[axis] = low as i64;
            footprint.beyond[axis] = texels - low;
        }
        footprint
    }

    /// The texel at a corner of a footprint. Bit `axis` of `corner` selects the lower or upper texel along that axis.
    #[inline]
    fn corner_texel(&self, level: &Level, footprint: &Footprint, corner: usize) -> [u32; 4] {
        let mut at: [i64; 3] = std::array::from_fn(|axis| {
            footprint.low[axis].saturating_add((corner >> axis & 1) as i64)
        });
        if footprint.axes < 3 {
            at[2] = footprint.layer;
        }
        let view = self.view;
        if matches!(view.shape.dimension, ImageDimension::Cube | ImageDimension::CubeArray) {
            return cube_texel(view, level, at);
        }
        for (axis, (at, &size)) in at.iter_mut().zip(&level.size).take(footprint.axes).enumerate() {
            *at = wrap(*at, size, self.sampler.address[axis]);
        }
        fetch(view, level, at).unwrap_or_else(|| self.border())
    }

    /// The colour beyond the border. Channels that the format lacks are 0, 0, 0, 1 there too (Vulkan, "Texel Replacement"
    /// and "Conversion to RGBA").
    pub(super) fn border(&self) -> [u32; 4] {
        let one = if self.is_integer { 1 } else { 1f32.to_bits() };
        let (ones, accessible) = (self.sampler.border.ones(), self.view.format.info().accessible());
        std::array::from_fn(|i| match if accessible[i] { ones[i] } else { i == 3 } {
            true => one,
            false => 0,
        })
    }
}

/// The largest integer that is not above a number. Hosts without an instruction for it call a function for `f32::floor`, and
/// compilers convert floats to integers one by one.
#[inline(always)]
pub(super) fn floor(value: f32) -> f32 {
    // Floats from this magnitude on are integers, so a sum with it has no fraction.
    const INTEGERS: f32 = (1 << 23) as f32;
    let magnitude = value.abs();
    let nearest = (magnitude + INTEGERS - INTEGERS).copysign(value);
    let below = if nearest > value { nearest - 1.0 } else { nearest };
    // NaN is kept.
    if magnitude < INTEGERS { below } else { value }
}

/// The level of detail for gradients: log2 of the length, in texels of level 0, of the longer gradient.
fn lod_of(view: &View<'_>, at: [f32; 4], mut gradients: [[f32; 2]; 3]) -> f32 {
    let size = view.shape.level_size(0);
    let axes = axes(view.shape.dimension);
    if matches!(view.shape.dimension, ImageDimension::Cube | ImageDimension::CubeArray) {
        gradients = face_gradients([at[0], at[1], at[2]], gradients);
    }
    let length = |direction: usize| {
        let along = (0..axes).map(|axis| gradients[axis][direction] * size[axis] as f32);
        along.map(|texels| texels * texels).sum::<f32>().sqrt()
    };
    length(0).max(length(1)).log2()
}

/// Number of coordinates that are filtered.
fn axes(dimension: ImageDimension) -> usize {
    match dimension {
        ImageDimension::D1 | ImageDimension::D1Array => 1,
        ImageDimension::D3 => 3,
        _ => 2,
    }
}

/// Applies the address mode to a coordinate. With a border, the result may be outside of the image.
pub(super) fn wrap(at: i64, size: u32, mode: AddressMode) -> i64 {
    let size = i64::from(size).max(1);
    if (0..size).contains(&at) {
        return at;
    }
    match mode {
        AddressMode::Repeat => at.rem_euclid(size),
        AddressMode::Mirror => {
            let at = at.rem_euclid(2 * size);
            at.min(2 * size - 1 - at)
        }
        AddressMode::MirrorOnce => if at < 0 { -1 - at } else { at }.min(size - 1),
        AddressMode::Clamp => at.clamp(0, size - 1),
        AddressMode::Border => at,
    }
}

/// The gradients of the position on a cube's face, for a direction and its gradients. The third one is zero.
fn face_gradients(direction: [f32; 3], gradients: [[f32; 2]; 3]) -> [[f32; 2]; 3] {
    let (face, _, _) = cube_face(direction);
    let [s, t, m] = on_face(face, direction);
    let mut result = [[0.0; 2]; 3];
    for along in 0..2 {
        let [ds, dt, dm] = on_face(face, gradients.map(|gradient| gradient[along]));
        result[0][along] = 0.5 * (ds - s * dm / m) / m;
        result[1][along] = 0.5 * (dt - t * dm / m) / m;
    }
    result
}

/// The coordinates of a vector in the system of a face: along the columns, along the rows, and towards the face.
fn on_face(face: i64, [x, y, z]: [f32; 3]) -> [f32; 3] {
    match face {
        0 => [-z, -y, x],
        1 => [z, -y, -x],
        2 => [x, z, y],
        3 => [x, -z, -y],
        4 => [x, -y, z],
        _ => [-x, -y, -z],
    }
}

/// The face that a direction points to (+x, -x, +y, -y, +z, -z), and the position on it, 0 to 1 each.
fn cube_face([x, y, z]: [f32; 3]) -> (i64, f32, f32) {
    let (face, s, t, m) = if z.abs() >= x.abs() && z.abs() >= y.abs() {
        if z < 0.0 { (5, -x, -y, z) } else { (4, x, -y, z) }
    } else if y.abs() >= x.abs() {
        if y < 0.0 { (3, x, -z, y) } else { (2, x, z, y) }
    } else if x < 0.0 {
        (1, z, -y, x)
    } else {
        (0, -z, -y, x)
    };
    let scale = 0.5 / m.abs();
    (face, s * scale + 0.5, t * scale + 0.5)
}

/// The direction to a position on a face, -1 to 1 each (or beyond).
fn cube_direction(face: i64, s: f32, t: f32) -> [f32; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// The texel at a column and row of a cube's layer. Both may be one beyond the face: past an edge, the texel is on the
/// adjacent face; past a corner, it is the mean of the three texels around the corner.
fn cube_texel(view: &View<'_>, level: &Level, [x, y, layer]: [i64; 3]) -> [u32; 4] {
    let last = i64::from(level.size[0]) - 1;
    let (inner_x, inner_y) = (x.clamp(0, last), y.clamp(0, last));
    match (inner_x == x, inner_y == y) {
        (true, true) => fetch(view, level, [x, y, layer]).unwrap_or_default(),
        (false, false) => {
            let three = [[inner_x, inner_y], [inner_x, y], [x, inner_y]]
                .map(|[x, y]| cube_texel(view, level, [x, y, layer]).map(f32::from_bits));
            std::array::from_fn(|i| (three.iter().map(|t| t[i]).sum::<f32>() / 3.0).to_bits())
        }
        _ => {
            let size = (last + 1) as f32;
            let center = |at: i64| (at as f32 + 0.5) / size * 2.0 - 1.0;
            let (face, u, v) = cube_face(cube_direction(layer % 6, center(x), center(y)));
            let texel = |at: f32| ((at * size).floor() as i64).clamp(0, last);
            let at = [texel(u), texel(v), layer - layer % 6 + face];
            fetch(view, level, at).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_wrap() {
        let all = |mode| [-5, -1, 0, 3, 4, 7, 8].map(|at| wrap(at, 4, mode));
        assert_eq!(all(AddressMode::Repeat), [3, 3, 0, 3, 0, 3, 0]);
        assert_eq!(all(AddressMode::Mirror), [3, 0, 0, 3, 3, 0, 0]);
        assert_eq!(all(AddressMode::MirrorOnce), [3, 0, 0, 3, 3, 3, 3]);
        assert_eq!(all(AddressMode::Clamp), [0, 0, 0, 3, 3, 3, 3]);
        assert_eq!(all(AddressMode::Border), [-5, -1, 0, 3, 4, 7, 8]);
    }

    /// Vulkan, "Texel Anisotropic Filtering": N samples at i / (N + 1) - 1/2 of the longer gradient, i = 1 to N. A ramp of 16
    /// texels with value x + y^2 shows the places of the samples: the mean of squares grows with their spread.
    #[test]
    fn anisotropic_filters_take_samples_along_the_longer_gradient() {
        use crate::buffer::Buffer;
        use crate::image::ImageShape;
        use crestline_device::{BorderColor, SurfaceFormat, TypedRead};
        let format = SurfaceFormat::R32G32B32A32_FLOAT;
        let shape = ImageShape {
            dimension: ImageDimension::D2,
            format,
            width: 16,
            height: 16,
            depth: 1,
            levels: 1,
            samples: 1,
        };
        let texels = (0..256u16).flat_map(|i| {
            let (x, y) = (f32::from(i % 16), f32::from(i / 16));
            [x + y * y, 0.0, 0.0, 1.0].map(f32::to_le_bytes).into_iter().flatten()
        });
        let memory = Buffer::new(&texels.collect::<Vec<u8>>());
        let view =
            View { shape, memory: &memory, placement: None, format, read: TypedRead::Converted };
        let value = |anisotropy: f32, along_x: [f32; 2], along_y: [f32; 2]| {
            let sampler = SamplerState {
                magnify: Filter::Nearest,
                minify: Filter::Nearest,
                mip: Filter::Nearest,
                address: [AddressMode::Clamp; 3],
                normalized: true,
                compare: None,
                border: BorderColor::OpaqueWhite,
                lod: [0.0, 1.0],
                anisotropy,
            };
            // The centre of texel (8, 8). Gradients are given in texels.
            let gradients = std::array::from_fn(|axis| match axis {
                2 => [0.0; 2],
                _ => [along_x[axis] / 16.0, along_y[axis] / 16.0],
            });
            let parameters = SampleParameters {
                at: [8.5 / 16.0, 8.5 / 16.0, 0.0, 0.0],
                lod: 0.0,
                gradients: Some(gradients),
                compare: None,
                least: 0.0,
                offsets: [0; 3],
            };
            f32::from_bits(Texture::new(&view, &sampler).sample(&parameters)[0])
        };
        let isotropic = 8.0 + 64.0;
        // Off, and gradients of one length.
        assert_eq!(value(1.0, [5.0, 0.0], [0.0, 1.0]), isotropic);
        assert_eq!(value(16.0, [3.0, 0.0], [0.0, 3.0]), isotropic);
        // Four samples along x, at texels 8 - 3, 8 - 1, 8 + 1, 8 + 3: the mean of x is the same.
        assert_eq!(value(16.0, [10.0, 0.0], [0.0, 2.5]), isotropic);
        // The same along y: the mean of y^2 is 64 + (9 + 1 + 1 + 9) / 4.
        assert_eq!(value(16.0, [2.5, 0.0], [0.0, 10.0]), isotropic + 5.0);
        // The order of the gradients does not matter.
        assert_eq!(value(16.0, [0.0, 10.0], [2.5, 0.0]), isotropic + 5.0);
        // At most two samples: at -1/6 and 1/6 of 12 texels, so at y of 6 and 10.
        assert_eq!(value(2.0, [1.0, 0.0], [0.0, 12.0]), isotropic + 4.0);
    }

    #[test]
    fn floors_are_those_of_the_standard_library() {
        let mut random = fastrand::Rng::with_seed(9);
        for i in 0..100_000 {
            let scale = [1.0, 16.0, 1e5, 1e7, 1e30][i % 5];
            let value = (random.f32() - 0.5) * scale;
            assert_eq!(floor(value), value.floor());
        }
        for value in [0.0, -0.5, -1.0, 8_388_607.5, -8_388_607.5, f32::INFINITY] {
            assert_eq!(floor(value), value.floor());
        }
    }

    #[test]
    fn faces_and_directions_are_inverse() {
        for face in 0..6 {
            for (s, t) in [(0.25, -0.5), (-0.75, 0.125)] {
                let (back, u, v) = cube_face(cube_direction(face, s, t));
                assert_eq!((back, 2.0 * u - 1.0, 2.0 * v - 1.0), (face, s, t));
            }
        }
    }
}
