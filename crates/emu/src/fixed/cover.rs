//! Coverage: the pixels whose centre is inside a polygon.
//!
//! Positions have 8 sub-pixel bits. A centre on an edge is inside if the edge is an upper or left one, so polygons that
//! share an edge cover each pixel along it once (Vulkan, "Basic Polygon Rasterization").

use super::state::Area;

/// Sub-pixel units of a pixel.
pub(super) const UNITS: i64 = 256;
/// The largest distance of a position from the origin in pixels, so that the products of differences fit 64 bits.
pub(super) const LIMIT: f64 = 32768.0;

/// A position in sub-pixel units.
pub(super) type Place = [i64; 2];

/// Rounds a position in pixels to sub-pixel units. Positions beyond [`LIMIT`], which clipping leaves only by its rounding, are
/// limited to it.
pub(super) fn snap(place: [f64; 2]) -> Place {
    place.map(|at| (at.clamp(-LIMIT, LIMIT) * UNITS as f64).round_ties_even() as i64)
}

/// Twice the signed area of a polygon, positive if it runs clockwise in a framebuffer whose y runs downwards.
pub(super) fn area(polygon: &[Place]) -> i64 {
    let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
    edges.map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum()
}

/// A function that is not negative at pixel centres on the inner side of an edge.
#[derive(Clone, Copy, Debug)]
struct Edge {
    /// The changes per column and per row.
    step: [i64; 2],
    /// The value at the centre of pixel (0, 0).
    origin: i64,
}

impl Edge {
    /// The edge of a polygon that runs clockwise.
    fn new(from: Place, to: Place) -> Edge {
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let upper_or_left = dy < 0 || dy == 0 && dx > 0;
        let centre = UNITS / 2;
        let value = dx * (centre - from[1]) - dy * (centre - from[0]);
        Edge { step: [-dy * UNITS, dx * UNITS], origin: value - i64::from(!upper_or_left) }
    }

    fn at(&self, x: i64, y: i64) -> i64 {
        self.origin + x * self.step[0] + y * self.step[1]
    }
}

/// A polygon as triangles that run clockwise.
pub(super) struct Coverage {
    triangles: Vec<[Edge; 3]>,
    /// The first and last column and row that can be inside.
    bounds: [[i64; 2]; 2],
}

impl Coverage {
    /// The coverage of a convex polygon, limited to an area. Pixels are covered once even if rounding made the polygon
    /// concave.
    pub(super) fn new(polygon: &[Place], limits: Area) -> Coverage {
        let clockwise = area(polygon) > 0;
        let triangle = |i: usize| {
            let [a, mut b, mut c] = [polygon[0], polygon[i], polygon[i + 1]];
            if !clockwise {
                (b, c) = (c, b);
            }
            (area(&[a, b, c]) > 0).then(|| [Edge::new(a, b), Edge::new(b, c), Edge::new(c, a)])
        };
        let triangles = (1..polygon.len().saturating_sub(1)).filter_map(triangle).collect();
        let limits = [[limits.x, limits.width], [limits.y, limits.height]];
        let bounds = [0, 1].map(|axis| {
            let [first, count] = limits[axis].map(i64::from);
            let all = || polygon.iter().map(|place| place[axis]);
            let (low, high) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
            [low.div_euclid(UNITS).max(first), high.div_euclid(UNITS).min(first + count - 1)]
        });
        Coverage { triangles, bounds }
    }

    /// Calls `each` for every 2x2 block with a covered pixel: the upper left pixel, and a mask of the covered ones in the
    /// order upper left, upper right, lower left, lower right. Rows come from top to bottom, blocks from left to right.
    pub(super) fn blocks(&self, mut each: impl FnMut([u32; 2], u8)) {
        let [[left, right], [top, bottom]] = self.bounds;
        if left > right || top > bottom || self.triangles.is_empty() {
            return;
        }
        for y in (top & !1..=bottom).step_by(2) {
            for x in (left & !1..=right).step_by(2) {
                let mut covered = 0;
                for pixel in 0..4 {
                    let (x, y) = (x + pixel % 2, y + pixel / 2);
                    let within = (left..=right).contains(&x) && (top..=bottom).contains(&y);
                    if within && self.contains(x, y) {
                        covered |= 1 << pixel;
                    }
                }
                if covered != 0 {
                    each([x as u32, y as u32], covered);
                }
            }
        }
    }

    fn contains(&self, x: i64, y: i64) -> bool {
        self.triangles.iter().any(|edges| edges.iter().all(|edge| edge.at(x, y) >= 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const AREA: Area = Area { x: 0, y: 0, width: 64, height: 64 };

    fn count(pixels: &mut BTreeMap<[u32; 2], u32>, polygon: &[Place], area: Area) {
        Coverage::new(polygon, area).blocks(|[x, y], covered| {
            for pixel in (0..4).filter(|pixel| covered >> pixel & 1 == 1) {
                *pixels.entry([x + pixel % 2, y + pixel / 2]).or_default() += 1;
            }
        });
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
