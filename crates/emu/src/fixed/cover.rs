//! Coverage: which samples of pixels are inside a polygon.
//!
//! Positions are integers with 8 sub-pixel bits. A convex polygon is divided into triangles. A sample is inside a
//! triangle if the [`Edge`] function of each of its three edges is not negative there. A sample that is exactly on an
//! edge is inside if the edge is an upper or left one. So if two polygons share an edge, each sample on it is in
//! exactly one of them (Vulkan, "Basic Polygon Rasterization").

use super::state::Area;
use crate::samples::{self, STEPS};
use std::ops::Range;

/// Number of sub-pixel units along the side of a pixel.
pub(super) const UNITS: i64 = 256;
/// The largest distance of a position from the origin in pixels, so that the products of differences fit 64 bits.
pub(super) const LIMIT: f64 = 32768.0;

/// A position in sub-pixel units.
pub(super) type Place = [i64; 2];

/// Rounds a position in pixels to sub-pixel units. Each coordinate is clamped to [`LIMIT`]. Triangles are clipped there
/// before, and points and lines with a position beyond it are not drawn. So a coordinate can be beyond the limit only
/// by a rounding error, or by half of the size of a point or line. Such positions are outside all framebuffers.
pub(super) fn snap(place: [f64; 2]) -> Place {
    place.map(|at| (at.clamp(-LIMIT, LIMIT) * UNITS as f64).round_ties_even() as i64)
}

/// Twice the signed area of a polygon, positive if it runs clockwise in a framebuffer whose y runs downwards.
pub(super) fn area(polygon: &[Place]) -> i64 {
    let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
    edges.map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum()
}

/// An edge of a polygon that runs clockwise, as a linear function ([`at`](Self::at)) of the position that is not
/// negative at positions inside.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Place,
    /// The vector from the start of the edge to its end.
    along: [i64; 2],
    /// 1 if positions exactly on the edge are outside, else 0.
    exclusive: i64,
}

impl Edge {
    /// The edge from one corner to the next of a polygon that runs clockwise.
    fn new(from: Place, to: Place) -> Edge {
        let along = [to[0] - from[0], to[1] - from[1]];
        let upper_or_left = along[1] < 0 || along[1] == 0 && along[0] > 0;
        Edge { from, along, exclusive: i64::from(!upper_or_left) }
    }

    /// The value of the edge's function at a position: not negative if the position is on the inner side.
    fn at(&self, place: Place) -> i64 {
        let [dx, dy] = self.along;
        dx * (place[1] - self.from[1]) - dy * (place[0] - self.from[0]) - self.exclusive
    }
}

/// A rectangle outside of which no position is covered. `low` is inside, `high` is not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) low: Place,
    pub(super) high: Place,
}

impl Window {
    /// The positions in the pixels of an area.
    pub(super) fn of(area: Area) -> Window {
        let low = [area.x, area.y].map(|at| i64::from(at) * UNITS);
        let size = [area.width, area.height].map(|size| i64::from(size) * UNITS);
        Window { low, high: [low[0] + size[0], low[1] + size[1]] }
    }

    /// Reduces the window along an axis (0 is x, 1 is y) to the positions from `start` on and before `end`, both in
    /// pixels.
    pub(super) fn limit(&mut self, axis: usize, start: f64, end: f64) {
        let units = |at: f64| (at * UNITS as f64).ceil() as i64;
        self.low[axis] = self.low[axis].max(units(start));
        self.high[axis] = self.high[axis].min(units(end));
    }

    /// Whether a position is inside the window.
    fn contains(&self, place: Place) -> bool {
        (0..2).all(|axis| (self.low[axis]..self.high[axis]).contains(&place[axis]))
    }

    /// Whether all positions of the 2x2 block of pixels whose upper left corner is `place` are inside the window.
    fn contains_block(&self, place: Place) -> bool {
        self.contains(place) && self.contains(place.map(|at| at + 2 * UNITS - 1))
    }

    /// The mask of the samples of a block that are inside the window.
    fn covered(&self, [x, y]: Place, samples: &[Place]) -> u64 {
        let inside = |[u, v]: &Place| self.contains([x + u, y + v]);
        (0..).zip(samples).map(|(i, sample)| u64::from(inside(sample)) << i).sum()
    }
}

/// The area that a primitive covers: a polygon, divided into triangles that run clockwise, inside a window.
pub(super) struct Coverage {
    triangles: Vec<[Edge; 3]>,
    /// The edges of the polygon.
    outline: Vec<Edge>,
    window: Window,
    /// The first and the last column of pixels with positions that can be inside, then the first and the last row.
    bounds: [[i64; 2]; 2],
}

impl Coverage {
    /// The coverage of a convex polygon inside a window. The rounding of its corners may have made the polygon slightly
    /// concave. Then triangles may overlap, but a position is still covered only once.
    pub(super) fn new(polygon: &[Place], window: Window) -> Coverage {
        let clockwise = area(polygon) > 0;
        let triangle = |i: usize| {
            let [a, mut b, mut c] = [polygon[0], polygon[i], polygon[i + 1]];
            if !clockwise {
                (b, c) = (c, b);
            }
            (area(&[a, b, c]) > 0).then(|| [Edge::new(a, b), Edge::new(b, c), Edge::new(c, a)])
        };
        let triangles = (1..polygon.len().saturating_sub(1)).filter_map(triangle).collect();
        let next = polygon.iter().cycle().skip(1);
        let outline = polygon.iter().zip(next).map(|(&from, &to)| match clockwise {
            true => Edge::new(from, to),
            false => Edge::new(to, from),
        });
        let outline = outline.collect();
        let bounds = [0, 1].map(|axis| {
            let all = || polygon.iter().map(|place| place[axis]);
            let (low, high) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
            [low.max(window.low[axis]), high.min(window.high[axis] - 1)]
                .map(|at| at.div_euclid(UNITS))
        });
        Coverage { triangles, outline, window, bounds }
    }

    /// The pixels of the 2x2 block at `place` (in pixels) whose area is inside as a whole; bit `i` is pixel `i`. Parts of the area
    /// may be on the edges.
    pub(super) fn whole_pixels(&self, place: [u32; 2]) -> u8 {
        let corners = [[0, 0], [1, 0], [0, 1], [1, 1]];
        let is_whole = |pixel: [i64; 2]| {
            let first = [0, 1].map(|axis| (i64::from(place[axis]) + pixel[axis]) * UNITS);
            let last = first.map(|at| at + UNITS - 1);
            self.window.contains(first)
                && self.window.contains(last)
                && self.outline.iter().all(|edge| {
                    let on = |corner: [i64; 2]| {
                        edge.at([0, 1].map(|axis| first[axis] + corner[axis] * UNITS))
                    };
                    corners.iter().all(|&corner| on(corner) + edge.exclusive >= 0)
                })
        };
        (0..4).map(|pixel| u8::from(is_whole(corners[pixel])) << pixel).sum()
    }

    /// The rows of pixels with positions that can be inside. The range may be empty.
    pub(super) fn rows(&self) -> Range<u32> {
        let [[left, right], [top, bottom]] = self.bounds;
        if left > right || top > bottom || self.triangles.is_empty() {
            return 0..0;
        }
        top as u32..bottom as u32 + 1
    }

    /// Calls `each` for every 2x2 block of pixels with a covered sample whose upper row is in `rows`. Its arguments are the position of the upper
    /// left pixel, and the masks of the covered samples of the upper left, upper right, lower left and lower right
    /// pixel. `samples` are those of a block. The order is row by row from top to bottom, and from left to right in a row.
    pub(super) fn blocks(
        &self,
        rows: Range<u32>,
        samples: &BlockSamples,
        each: impl FnMut([u32; 2], [u16; 4]),
    ) {
        // The values at the samples are kept in arrays, which are no larger than necessary.
        match samples.places.len() {
            ..=4 => self.blocks_of::<4>(rows, samples, each),
            5..=16 => self.blocks_of::<16>(rows, samples, each),
            _ => self.blocks_of::<{ 4 * samples::MOST }>(rows, samples, each),
        }
    }

    /// [`blocks`](Self::blocks) for blocks with at most `MOST` samples.
    fn blocks_of<const MOST: usize>(
        &self,
        rows: Range<u32>,
        samples: &BlockSamples,
        mut each: impl FnMut([u32; 2], [u16; 4]),
    ) {
        let [[left, right], _] = self.bounds;
        let Range { start, end } = self.rows();
        let (start, end) = ((start & !1).max(rows.start), end.min(rows.end));
        if start >= end {
            return;
        }
        let of_pixel = samples.of_pixel;
        let all = samples::all(of_pixel as u32);
        let mut triangles: Vec<BlockEdges<'_, MOST>> =
            self.triangles.iter().map(|edges| BlockEdges::new(edges, &samples.places)).collect();
        let left = left & !1;
        for y in (i64::from(start)..i64::from(end)).step_by(2) {
            // The first and the last block of the row that a triangle can cover, counted from the left.
            let mut ends: Option<[i64; 2]> = None;
            for triangle in &mut triangles {
                triangle.begin([left * UNITS, y * UNITS]);
                if let Some([first, last]) = triangle.span((right - left).div_euclid(2)) {
                    let [low, high] = ends.unwrap_or([first, last]);
                    ends = Some([low.min(first), high.max(last)]);
                }
            }
            let Some([first, last]) = ends else { continue };
            for triangle in &mut triangles {
                triangle.advance(first);
            }
            for x in (left + 2 * first..=left + 2 * last).step_by(2) {
                let mut covered = 0u64;
                for triangle in &mut triangles {
                    covered |= triangle.covered();
                    triangle.advance(1);
                }
                if covered == 0 {
                    continue;
                }
                let place = [x, y].map(|at| at * UNITS);
                if !self.window.contains_block(place) {
                    covered &= self.window.covered(place, &samples.places);
                }
                let masks = [0, 1, 2, 3].map(|pixel| (covered >> (pixel * of_pixel)) as u16 & all);
                if masks != [0; 4] {
                    each([x as u32, y as u32], masks);
                }
            }
        }
    }
}

/// The samples of a 2x2 block of pixels.
pub(super) struct BlockSamples {
    /// The positions from the upper left corner of the block: those of the upper left, upper right, lower left and lower right
    /// pixel, one pixel after another.
    places: Vec<Place>,
    /// The number of samples of a pixel.
    of_pixel: usize,
}

impl BlockSamples {
    /// The samples of pixels with these positions of samples, in sixteenths of a pixel; at most [`samples::MOST`].
    pub(super) fn new(positions: &[[u8; 2]]) -> BlockSamples {
        let step = UNITS / i64::from(STEPS);
        let pixels = [[0, 0], [1, 0], [0, 1], [1, 1]];
        let of_pixel = |pixel: [i64; 2]| {
            positions.iter().map(move |position| {
                [0, 1].map(|axis| pixel[axis] * UNITS + i64::from(position[axis]) * step)
            })
        };
        let places = pixels.into_iter().flat_map(of_pixel).collect();
        BlockSamples { places, of_pixel: positions.len() }
    }
}

/// The edges of a triangle at one block after another of a row of blocks with at most `MOST` samples.
struct BlockEdges<'a, const MOST: usize> {
    edges: &'a [Edge; 3],
    /// For each edge, the value of its function at each sample minus that at the block's upper left corner.
    samples: [[i64; MOST]; 3],
    /// The number of samples of the block.
    count: usize,
    /// For each edge, the smallest and the largest of these.
    limits: [[i64; 2]; 3],
    /// For each edge, the value of its function at the upper left corner of the block.
    here: [i64; 3],
    /// All samples of a block.
    all: u64,
}

impl<'a, const MOST: usize> BlockEdges<'a, MOST> {
    fn new(edges: &'a [Edge; 3], places: &[Place]) -> BlockEdges<'a, MOST> {
        let count = places.len().min(MOST);
        let mut samples = [[0; MOST]; 3];
        let mut limits = [[0; 2]; 3];
        for ((edge, samples), limits) in edges.iter().zip(&mut samples).zip(&mut limits) {
            let [dx, dy] = edge.along;
            for (sample, [x, y]) in samples.iter_mut().zip(places) {
                *sample = dx * y - dy * x;
            }
            let all = || samples[..count].iter().copied();
            *limits = [all().min().unwrap_or(0), all().max().unwrap_or(0)];
        }
        let all = u64::MAX >> (64 - count.max(1));
        BlockEdges { edges, samples, count, limits, here: [0; 3], all }
    }

    /// Goes to the first block of a row.
    fn begin(&mut self, place: Place) {
        self.here = self.edges.each_ref().map(|edge| edge.at(place));
    }

    /// Goes to a later block of the row.
    #[inline]
    fn advance(&mut self, blocks: i64) {
        for (here, edge) in self.here.iter_mut().zip(self.edges) {
            *here -= edge.along[1] * 2 * UNITS * blocks;
        }
    }

    /// The first and the last of the blocks 0 to `last` of the row, counted from the current one, that no edge excludes as a
    /// whole; `None` if there is none.
    fn span(&self, last: i64) -> Option<[i64; 2]> {
        let (mut first, mut last) = (0, last);
        for ((here, [_, most]), edge) in self.here.iter().zip(&self.limits).zip(self.edges) {
            // The largest value of the edge's function at a sample of the current block, and its change to the next block.
            let (reach, step) = (here + most, -edge.along[1] * 2 * UNITS);
            if reach < 0 && step <= 0 {
                return None;
            }
            if reach < 0 {
                first = first.max((step - 1 - reach) / step);
            } else if reach + last * step < 0 {
                last = reach / -step;
            }
        }
        (first <= last).then_some([first, last])
    }

    /// The mask of the covered samples of the block.
    fn covered(&self) -> u64 {
        let each = || self.here.iter().zip(&self.limits);
        if each().any(|(here, [_, most])| here + most < 0) {
            return 0;
        }
        if each().all(|(here, [least, _])| here + least >= 0) {
            return self.all;
        }
        let [first, second, third] = self.samples.each_ref().map(|all| &all[..self.count]);
        let mut covered = 0;
        for (i, ((first, second), third)) in first.iter().zip(second).zip(third).enumerate() {
            let inside = (self.here[0] + first) | (self.here[1] + second) | (self.here[2] + third);
            covered |= u64::from(inside >= 0) << i;
        }
        covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::positions;
    use std::collections::BTreeMap;

    const AREA: Area = Area { x: 0, y: 0, width: 64, height: 64 };

    fn count(pixels: &mut BTreeMap<[u32; 2], u32>, polygon: &[Place], area: Area) {
        Coverage::new(polygon, Window::of(area)).blocks(
            0..u32::MAX,
            &BlockSamples::new(positions(1)),
            |[x, y], covered| {
                for pixel in (0..4u32).filter(|pixel| covered[*pixel as usize] == 1) {
                    *pixels.entry([x + pixel % 2, y + pixel / 2]).or_default() += 1;
                }
            },
        );
    }

    #[test]
    fn triangles_around_a_point_cover_each_pixel_once() {
        let mut random = fastrand::Rng::with_seed(7);
        for round in 0..500 {
            let coordinate = |random: &mut fastrand::Rng| match round % 3 {
                // On a grid of half pixels, many centres are on edges.
                0 => random.i64(0..=2 * 24) * UNITS / 2,
                1 => random.i64(0..=8 * 24) * UNITS / 8,
                _ => random.i64(0..=24 * UNITS),
            };
            let size = 24 * UNITS;
            let inner = [coordinate(&mut random), coordinate(&mut random)];
            let corners = [[0, 0], [size, 0], [size, size], [0, size]];
            let mut pixels = BTreeMap::new();
            for i in 0..4 {
                let mut triangle = vec![corners[i], corners[(i + 1) % 4], inner];
                triangle.rotate_left(random.usize(0..3));
                if random.bool() {
                    triangle.reverse();
                }
                count(&mut pixels, &triangle, AREA);
            }
            assert_eq!(pixels.len(), 24 * 24, "{inner:?}");
            assert!(pixels.values().all(|count| *count == 1), "{inner:?}");
        }
    }

    #[test]
    fn centres_on_upper_and_left_edges_are_inside() {
        let half = UNITS / 2;
        let square = |left: i64, top: i64, right: i64, bottom: i64| {
            [[left, top], [right, top], [right, bottom], [left, bottom]].map(|p: Place| p)
        };
        let mut pixels = BTreeMap::new();
        count(&mut pixels, &square(half, half, 3 * UNITS + half, 2 * UNITS + half), AREA);
        let expected: Vec<[u32; 2]> = (0..3).flat_map(|x| (0..2).map(move |y| [x, y])).collect();
        assert_eq!(pixels.into_keys().collect::<Vec<_>>(), expected);
    }

    /// A triangle with corners on corners of pixels, and one whose edges cut pixels.
    #[test]
    fn pixels_are_covered_wholly() {
        let at = |places: [[i64; 2]; 3]| places.map(|place| place.map(|at| at * UNITS / 4));
        let window = Window::of(AREA);
        let of = |polygon: &[Place], place| Coverage::new(polygon, window).whole_pixels(place);
        // The long edge runs through the corners of pixels (1, 0) and (0, 1).
        let corner = at([[0, 0], [8, 0], [0, 8]]);
        assert_eq!(of(&corner, [0, 0]), 0b0001);
        let turned = [corner[0], corner[2], corner[1]];
        assert_eq!(of(&turned, [0, 0]), 0b0001);
        assert_eq!(of(&at([[0, 0], [12, 0], [0, 12]]), [0, 0]), 0b0111);
        // A quarter of a pixel is missing on the left.
        assert_eq!(of(&at([[1, 0], [17, 0], [1, 17]]), [0, 0]), 0b1010);
        let all = at([[-400, -400], [4000, -400], [-400, 4000]]);
        assert_eq!(of(&all, [2, 2]), 0b1111);
        let area = Area { x: 3, y: 2, width: 1, height: 1 };
        assert_eq!(Coverage::new(&all, Window::of(area)).whole_pixels([2, 2]), 0b0010);
    }

    #[test]
    fn areas_limit_pixels() {
        let mut pixels = BTreeMap::new();
        let all = [[-900, -900], [90_000, -900], [-900, 90_000]];
        count(&mut pixels, &all, Area { x: 3, y: 5, width: 2, height: 1 });
        assert_eq!(pixels.into_keys().collect::<Vec<_>>(), [[3, 5], [4, 5]]);
        let mut none = BTreeMap::new();
        count(&mut none, &all, Area { x: 0, y: 0, width: 0, height: 9 });
        assert!(none.is_empty());
    }

    #[test]
    fn the_sign_of_the_area_is_the_orientation() {
        assert!(area(&[[0, 0], [10, 0], [0, 10]]) > 0);
        assert!(area(&[[0, 0], [0, 10], [10, 0]]) < 0);
    }
}
