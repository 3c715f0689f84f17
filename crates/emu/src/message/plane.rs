//! Sampling and fetching of two-dimensional images without mipmaps, for all channels of a message.
//!
//! The functions compute the same as those of [`Texture`], in less time: what is the same for all channels is computed once.

use super::filter::{Texture, floor, wrap};
use super::typed::View;
use super::{ROW, Row};
use crate::host::Host;
use crate::image::ImageDimension;
use crate::mask::lanes_of;
use crate::texel::{decode, decode_unorm8};
use crestline_device::{Filter, SurfaceFormat};

/// The memory of level 0 of a two-dimensional image that is not compressed and whose rows follow one another.
pub(super) struct Grid<'a> {
    view: &'a View<'a>,
    /// The first byte of the level.
    start: usize,
    width: i32,
    height: i32,
}

/// The texels of a format or of several formats.
trait Texel {
    /// The texel with a number, counted row by row, which is inside the level. The channels are as [`decode`] gives them.
    fn load(grid: &Grid<'_>, number: usize) -> [u32; 4];
}

/// Four channels of 32 bits.
struct Words;
/// One float of 32 bits.
struct Float;
/// Four bytes, red first.
struct Rgba8;
/// Four bytes, blue first.
struct Bgra8;
/// Any format.
struct Any;

impl Texel for Words {
    #[inline(always)]
    fn load(grid: &Grid<'_>, number: usize) -> [u32; 4] {
        grid.view.memory.load_words(grid.offset(number, 16))
    }
}

impl Texel for Float {
    #[inline(always)]
    fn load(grid: &Grid<'_>, number: usize) -> [u32; 4] {
        let [value] = grid.view.memory.load_words(grid.offset(number, 4));
        [value, 0, 0, 1f32.to_bits()]
    }
}

impl Texel for Rgba8 {
    #[inline(always)]
    fn load(grid: &Grid<'_>, number: usize) -> [u32; 4] {
        let [texel] = grid.view.memory.load_words(grid.offset(number, 4));
        decode_unorm8(texel)
    }
}

impl Texel for Bgra8 {
    #[inline(always)]
    fn load(grid: &Grid<'_>, number: usize) -> [u32; 4] {
        let [blue, green, red, alpha] = Rgba8::load(grid, number);
        [red, green, blue, alpha]
    }
}

impl Texel for Any {
    fn load(grid: &Grid<'_>, number: usize) -> [u32; 4] {
        let format = grid.view.format;
        let offset = grid.offset(number, format.bytes() as usize);
        decode(format, &grid.view.load(offset as u64))
    }
}

/// Calls a function that is generic over [`Texel`] with the one for a format.
macro_rules! for_format {
    ($format:expr, $host:expr, $state:expr, $of:ident, $function:ident) => {{
        macro_rules! call {
            ($texel:ident) => {
                $host.run(
                    #[inline(always)]
                    |state| $of::$function::<$texel>(state),
                    $state,
                    $of::$function::<$texel>,
                )
            };
        }
        match $format {
            SurfaceFormat::R32G32B32A32_FLOAT
            | SurfaceFormat::R32G32B32A32_UINT
            | SurfaceFormat::R32G32B32A32_SINT => call!(Words),
            SurfaceFormat::R32_FLOAT => call!(Float),
            SurfaceFormat::R8G8B8A8_UNORM => call!(Rgba8),
            SurfaceFormat::B8G8R8A8_UNORM => call!(Bgra8),
            _ => $of::$function::<Any>($state),
        }
    }};
}

impl<'a> Grid<'a> {
    /// The level 0 of an image; `None` if it is not as a grid requires.
    pub(super) fn new(view: &'a View<'a>) -> Option<Grid<'a>> {
        let shape = &view.shape;
        let is_grid = shape.dimension == ImageDimension::D2
            && shape.samples == 1
            && view.placement.is_none()
            && view.format.info().compression.is_none();
        let level = shape.level(0).filter(|_| is_grid)?;
        let [width, height] = [level.size[0], level.size[1]].map(i32::try_from);
        let start = usize::try_from(level.start).ok()?;
        Some(Grid { view, start, width: width.ok()?, height: height.ok()? })
    }

    #[inline(always)]
    fn offset(&self, number: usize, size: usize) -> usize {
        self.start + number * size
    }

    /// The number of the texel at a column and row, which are inside the level.
    #[inline(always)]
    fn number(&self, x: usize, y: usize) -> usize {
        y * self.width as usize + x
    }

    /// The texels at the columns and rows of the channels of `mask`, plus an offset, by component; 0 outside of the level.
    pub(super) fn fetch(
        &self,
        host: Host,
        at: [&Row; 2],
        offsets: [i64; 2],
        mask: u32,
    ) -> [Row; 4] {
        for_format!(self.view.format, host, (self, at, offsets, mask), Grid, fetch_as)
    }

    #[inline(always)]
    fn fetch_as<T: Texel>(
        (grid, [x, y], [u, v], mask): (&Grid<'_>, [&Row; 2], [i64; 2], u32),
    ) -> [Row; 4] {
        let mut rows = [[0; ROW]; 4];
        for lane in lanes_of(mask) {
            let x = i64::from(x[lane].cast_signed()) + u;
            let y = i64::from(y[lane].cast_signed()) + v;
            if (0..grid.width.into()).contains(&x) && (0..grid.height.into()).contains(&y) {
                let number = grid.number(x as usize, y as usize);
                put(&mut rows, lane, T::load(grid, number));
            }
        }
        rows
    }
}

/// Sets the components of a channel.
#[inline(always)]
fn put(rows: &mut [Row; 4], lane: usize, texel: [u32; 4]) {
    for (row, component) in rows.iter_mut().zip(texel) {
        row[lane] = component;
    }
}

/// A two-dimensional image of which one level is sampled, with the same filter everywhere.
pub(super) struct Plane<'a> {
    texture: &'a Texture<'a>,
    grid: Grid<'a>,
    /// Texels per unit of each coordinate.
    scale: [f32; 2],
    /// Offsets in texels that are added to the coordinates.
    offsets: [f32; 2],
    linear: bool,
}

/// For each channel, the texels along an axis between which a filter interpolates.
struct Steps {
    /// The number of the lower texel, before the address mode.
    low: [f32; ROW],
    /// The same as an integer if its magnitude is at most [`LARGEST_NUMBER`]; else a number that is outside of every level.
    number: [i32; ROW],
    /// Distance of the coordinate from the lower texel's center, 0 to 1.
    beyond: [f32; ROW],
}

/// The largest number of a texel. Images are much smaller.
const LARGEST_NUMBER: f32 = (1 << 22) as f32;

/// An integer as [`Steps::number`]. Compilers convert floats to integers one by one, so that a vector takes long. In the sum
/// with 1.5 * 2^23, the low bits are the integer.
#[inline(always)]
fn number(integer: f32) -> i32 {
    const SHIFT: f32 = 1.5 * (1 << 23) as f32;
    let at_most = if integer < LARGEST_NUMBER { integer } else { LARGEST_NUMBER };
    let limited = if at_most > -LARGEST_NUMBER { at_most } else { -LARGEST_NUMBER };
    (limited + SHIFT).to_bits().cast_signed() - SHIFT.to_bits().cast_signed()
}

impl<'a> Plane<'a> {
    /// The image of a texture as a plane; `None` if it is none.
    pub(super) fn new(texture: &'a Texture<'a>, offsets: [i64; 3]) -> Option<Plane<'a>> {
        let grid = Grid::new(texture.view).filter(|_| texture.is_same_at_all_levels())?;
        let size = [grid.width, grid.height];
        Some(Plane {
            texture,
            grid,
            scale: size.map(|side| if texture.sampler.normalized { side as f32 } else { 1.0 }),
            offsets: [offsets[0] as f32, offsets[1] as f32],
            linear: texture.sampler.magnify == Filter::Linear && !texture.is_integer,
        })
    }

    /// Sets `rows` to the results for the coordinates (floats) of the channels of `mask`, by component. `compare` are the
    /// references with which texels are compared. The other channels keep what they have.
    pub(super) fn sample(
        &self,
        host: Host,
        at: [&Row; 2],
        compare: Option<&Row>,
        mask: u32,
        rows: &mut [Row; 4],
    ) {
        let format = self.grid.view.format;
        for_format!(format, host, (self, at, compare, mask, rows), Plane, sample_as);
    }

    #[inline(always)]
    fn sample_as<T: Texel>(
        (plane, at, compare, mask, rows): (&Plane<'_>, [&Row; 2], Option<&Row>, u32, &mut [Row; 4]),
    ) {
        // A closure would not be compiled for the host's vector instructions.
        let (x, y) = (plane.steps(0, at[0]), plane.steps(1, at[1]));
        let inside = plane.inside(&x, &y);
        let width = plane.grid.width as usize;
        for lane in lanes_of(mask) {
            let reference = compare.map(|compare| f32::from_bits(compare[lane]));
            // The number of the upper left texel, if all that the filter uses are inside of the level.
            let first = usize::try_from(inside[lane]).ok();
            if !plane.linear {
                let texel = match first {
                    Some(first) => plane.compared(reference, T::load(&plane.grid, first)),
                    None => {
                        let [column, line] = [plane.pair(0, &x, lane), plane.pair(1, &y, lane)];
                        plane.texel::<T>(column[0], line[0], reference)
                    }
                };
                put(rows, lane, texel);
                continue;
            }
            let (right, below) = (x.beyond[lane], y.beyond[lane]);
            let weights = [
                (1.0 - right) * (1.0 - below),
                right * (1.0 - below),
                (1.0 - right) * below,
                right * below,
            ];
            let mut sum = [0f32; 4];
            // A texel without weight counts nothing, not even as infinity.
            let mut add = |weight: f32, texel: [u32; 4]| {
                for (sum, value) in sum.iter_mut().zip(texel) {
                    *sum += weight * f32::from_bits(value);
                }
            };
            match first {
                Some(first) => {
                    let numbers = [first, first + 1, first + width, first + width + 1];
                    for (weight, number) in weights.into_iter().zip(numbers) {
                        if weight != 0.0 {
                            let texel = T::load(&plane.grid, number);
                            add(weight, plane.compared(reference, texel));
                        }
                    }
                }
                None => {
                    let (columns, lines) = (plane.pair(0, &x, lane), plane.pair(1, &y, lane));
                    for (corner, weight) in weights.into_iter().enumerate() {
                        if weight != 0.0 {
                            let (column, line) = (columns[corner & 1], lines[corner >> 1]);
                            add(weight, plane.texel::<T>(column, line, reference));
                        }
                    }
                }
            }
            put(rows, lane, sum.map(f32::to_bits));
        }
    }

    /// For each channel, the number of the lower texel along both axes if it, and those beyond it that a filter uses, are inside
    /// of the level; else a negative number.
    #[inline(always)]
    fn inside(&self, x: &Steps, y: &Steps) -> [i32; ROW] {
        let beyond = i32::from(self.linear);
        let (width, height) = (self.grid.width, self.grid.height);
        let is_small = i64::from(width) * i64::from(height) <= i64::from(i32::MAX);
        let [columns, lines] = match is_small {
            true => [width - beyond, height - beyond],
            false => [0, 0],
        };
        let mut inside = [-1; ROW];
        for (lane, inside) in inside.iter_mut().enumerate() {
            let (column, line) = (x.number[lane], y.number[lane]);
            let fits = (column >= 0) & (column < columns) & (line >= 0) & (line < lines);
            let number = line.wrapping_mul(width).wrapping_add(column);
            *inside = if fits { number } else { -1 };
        }
        inside
    }

    /// The texel at a column and row, or that of the border if one is negative, after the comparison with a reference.
    #[inline(always)]
    fn texel<T: Texel>(&self, x: i32, y: i32, reference: Option<f32>) -> [u32; 4] {
        let texel = match x | y {
            0.. => T::load(&self.grid, self.grid.number(x as usize, y as usize)),
            _ => self.texture.border(),
        };
        self.compared(reference, texel)
    }

    #[inline(always)]
    fn compared(&self, reference: Option<f32>, texel: [u32; 4]) -> [u32; 4] {
        match reference {
            Some(_) => self.texture.compared(reference, texel),
            None => texel,
        }
    }

    #[inline(always)]
    fn steps(&self, axis: usize, at: &Row) -> Steps {
        let half = if self.linear { 0.5 } else { 0.0 };
        let (scale, offset) = (self.scale[axis], self.offsets[axis]);
        let mut steps = Steps { low: [0.0; ROW], number: [0; ROW], beyond: [0.0; ROW] };
        for (lane, at) in at.iter().enumerate() {
            let texels = f32::from_bits(*at) * scale + offset - half;
            let low = floor(texels);
            steps.low[lane] = low;
            steps.number[lane] = number(low);
            steps.beyond[lane] = texels - low;
        }
        steps
    }

    /// The numbers of the lower and the upper texel of a channel along an axis, after the address mode; negative for one
    /// outside of the level.
    #[inline(always)]
    fn pair(&self, axis: usize, steps: &Steps, lane: usize) -> [i32; 2] {
        let size = if axis == 0 { self.grid.width } else { self.grid.height };
        self.pair_by_mode(axis, size, steps.low[lane] as i64)
    }

    #[inline(never)]
    fn pair_by_mode(&self, axis: usize, size: i32, low: i64) -> [i32; 2] {
        let mode = self.texture.sampler.address[axis];
        [low, low.saturating_add(1)].map(|at| {
            let at = wrap(at, size.cast_unsigned(), mode);
            if (0..i64::from(size)).contains(&at) { at as i32 } else { -1 }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::filter::SampleParameters;
    use super::*;
    use crate::buffer::Buffer;
    use crate::image::ImageShape;
    use crate::sampler::SamplerState;
    use crestline_device::{AddressMode, BorderColor, CompareOp, TypedRead};

    const FORMATS: [SurfaceFormat; 8] = [
        SurfaceFormat::R8G8B8A8_UNORM,
        SurfaceFormat::B8G8R8A8_UNORM,
        SurfaceFormat::R32G32B32A32_FLOAT,
        SurfaceFormat::R32G32B32A32_SINT,
        SurfaceFormat::R32_FLOAT,
        SurfaceFormat::R16_UNORM,
        SurfaceFormat::R8G8B8A8_UINT,
        SurfaceFormat::R8G8B8A8_UNORM_SRGB,
    ];

    const MODES: [AddressMode; 5] = [
        AddressMode::Repeat,
        AddressMode::Mirror,
        AddressMode::MirrorOnce,
        AddressMode::Clamp,
        AddressMode::Border,
    ];

    /// An image of a random size with random texels.
    fn image(random: &mut fastrand::Rng, format: SurfaceFormat) -> (ImageShape, Buffer) {
        let shape = ImageShape {
            dimension: ImageDimension::D2,
            format,
            width: random.u32(1..9),
            height: random.u32(1..9),
            depth: 1,
            levels: 1,
            samples: 1,
        };
        let is_float = format.info().channels.iter().flatten().any(|c| c.bits == 32);
        let bytes: Vec<u8> = match is_float {
            true => (0..shape.bytes() / 4).flat_map(|_| random.f32().to_le_bytes()).collect(),
            false => (0..shape.bytes()).map(|_| random.u8(..)).collect(),
        };
        (shape, Buffer::new(&bytes))
    }

    fn view<'a>(shape: ImageShape, memory: &'a Buffer) -> View<'a> {
        View { shape, memory, placement: None, format: shape.format, read: TypedRead::Converted }
    }

    /// All address modes and filters, with coordinates inside and far outside, and with comparisons; on this host and on one
    /// without special instructions.
    #[test]
    fn planes_are_sampled_as_other_images() {
        let mut random = fastrand::Rng::with_seed(4);
        for round in 0..4000 {
            let (shape, memory) = image(&mut random, FORMATS[round % FORMATS.len()]);
            let view = view(shape, &memory);
            let filter = if random.bool() { Filter::Linear } else { Filter::Nearest };
            let borders =
                [BorderColor::OpaqueWhite, BorderColor::OpaqueBlack, BorderColor::TransparentBlack];
            let sampler = SamplerState {
                magnify: filter,
                minify: filter,
                mip: Filter::Nearest,
                address: [MODES[random.usize(0..5)], MODES[random.usize(0..5)], MODES[0]],
                normalized: random.bool(),
                compare: random.bool().then_some(CompareOp::LessOrEqual),
                border: borders[random.usize(0..3)],
                lod: [0.0, 1.0],
                anisotropy: 1.0,
            };
            let texture = Texture::new(&view, &sampler);
            let offsets = [random.i64(-8..8), random.i64(-8..8), 0];
            let scale = [1.0, 20.0, 1e6, 1e30][random.usize(0..4)];
            let mut coordinates = || -> Row {
                std::array::from_fn(|lane| {
                    let at = match lane {
                        0 => f32::NAN,
                        1 => f32::INFINITY,
                        // Between two texels, or on the centre of one.
                        2..6 => random.u8(0..20) as f32 / 2.0,
                        _ => (random.f32() - 0.4) * scale,
                    };
                    at.to_bits()
                })
            };
            let at = [coordinates(), coordinates()];
            let references = coordinates();
            let compare = sampler.compare.map(|_| &references);
            let mask = random.u32(..) & 0xffff;
            let plane = Plane::new(&texture, offsets).unwrap();
            let [own, plain] = [Host::new(), Host::plain()].map(|host| {
                let mut rows = [[0; ROW]; 4];
                plane.sample(host, [&at[0], &at[1]], compare, mask, &mut rows);
                rows
            });
            for lane in 0..ROW {
                let parameters = SampleParameters {
                    at: [f32::from_bits(at[0][lane]), f32::from_bits(at[1][lane]), 0.0, 0.0],
                    lod: 0.0,
                    gradients: None,
                    compare: compare.map(|row| f32::from_bits(row[lane])),
                    least: 0.0,
                    offsets,
                };
                let expected = match mask >> lane & 1 {
                    1 => texture.sample(&parameters),
                    _ => [0; 4],
                };
                for rows in [&own, &plain] {
                    let found = rows.each_ref().map(|row| row[lane]);
                    let is_same = |(a, b): (u32, u32)| {
                        // The payload of a NaN is the host's.
                        a == b || f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
                    };
                    assert!(
                        found.into_iter().zip(expected).all(is_same),
                        "{:?} {sampler:?} lane {lane}: {found:x?}, expected {expected:x?}",
                        shape.format
                    );
                }
            }
        }
    }

    #[test]
    fn grids_are_fetched_as_other_images() {
        use super::super::filter::fetch;
        let mut random = fastrand::Rng::with_seed(5);
        for round in 0..2000 {
            let (shape, memory) = image(&mut random, FORMATS[round % FORMATS.len()]);
            let view = view(shape, &memory);
            let offsets = [random.i64(-8..8), random.i64(-8..8)];
            let mut coordinates = || -> Row {
                std::array::from_fn(|lane| match lane {
                    0 => i32::MIN.cast_unsigned(),
                    1 => i32::MAX.cast_unsigned(),
                    _ => random.i32(-10..20).cast_unsigned(),
                })
            };
            let at = [coordinates(), coordinates()];
            let mask = random.u32(..) & 0xffff;
            let grid = Grid::new(&view).unwrap();
            for host in [Host::new(), Host::plain()] {
                let rows = grid.fetch(host, [&at[0], &at[1]], offsets, mask);
                for lane in 0..ROW {
                    let place = [0, 1].map(|i| i64::from(at[i][lane].cast_signed()) + offsets[i]);
                    let level = shape.level(0).unwrap();
                    let expected = match mask >> lane & 1 {
                        1 => fetch(&view, &level, [place[0], place[1], 0]).unwrap_or_default(),
                        _ => [0; 4],
                    };
                    assert_eq!(rows.each_ref().map(|row| row[lane]), expected);
                }
            }
        }
    }
}
