//! The tessellator: points and primitives of a patch (Vulkan, "Tessellation").
//!
//! Where Vulkan leaves a choice, this module makes the simplest one: the two short segments of fractional spacing are at
//! the ends of an edge, and triangles between two rows of points are formed by advancing along the row whose next point
//! is nearer to the start. Hardware may choose otherwise.

use crate::stage::SlotValues;
use crestline_program::{Domain, Spacing, TessEvalMetadata, TessOutput, Varying};

/// The largest level of equal and even spacing (gen7 to gen9).
const MAX_LEVEL: f32 = 64.0;

/// The points of a patch, and the primitives that they form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tessellation {
    /// The coordinates u, v and w of each point. The w of quads and isolines is 0.
    pub points: Vec<[f32; 3]>,
    /// The indices of the points of all primitives, one primitive after another.
    pub indices: Vec<u32>,
    /// The number of points of a primitive: 1, 2 or 3.
    pub size: usize,
}

/// A level, rounded: the number of segments of an edge, and the level before rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level {
    segments: usize,
    level: f32,
}

impl Level {
    fn new(level: f32, spacing: Spacing) -> Level {
        let level = match spacing {
            Spacing::Equal => level.clamp(1.0, MAX_LEVEL).ceil(),
            Spacing::FractionalEven => level.clamp(2.0, MAX_LEVEL),
            Spacing::FractionalOdd => level.clamp(1.0, MAX_LEVEL - 1.0),
        };
        let whole = level.ceil() as usize;
        let odd = whole % 2 == 1;
        let segments = match spacing {
            Spacing::Equal => whole,
            Spacing::FractionalEven => whole + usize::from(odd),
            Spacing::FractionalOdd => whole + usize::from(!odd),
        };
        Level { segments, level }
    }

    /// The next level above 1, if the level is 1.
    fn above_one(self, spacing: Spacing) -> Level {
        match self.segments {
            1 => Level::new(1.0f32.next_up(), spacing),
            _ => self,
        }
    }

    /// The place of point `i` on an edge from 0 to 1.
    fn place(&self, i: usize) -> f32 {
        let last = self.segments;
        if i == 0 || i >= last {
            return if i == 0 { 0.0 } else { 1.0 };
        }
        // The second half mirrors the first, so that both ends of an edge give the same points.
        if 2 * i > last {
            return 1.0 - self.place(last - i);
        }
        if 2 * i == last {
            return 0.5;
        }
        let long = 1.0 / self.level;
        let short = (1.0 - (last - 2) as f32 * long) / 2.0;
        short + (i - 1) as f32 * long
    }
}

/// A row of points from a corner of a ring to the next: the index and the place (0 to 1 along the outermost edge) of each.
type Row = Vec<(u32, f32)>;

impl Tessellation {
    /// Divides the patch whose header is in `values`. Without points if a level discards the patch.
    pub fn new(metadata: &TessEvalMetadata, values: &SlotValues) -> Tessellation {
        let level = |dword: usize| {
            let half = values.get(Varying::PatchHeader { half: (dword / 4) as u8 });
            half[dword % 4].map_or(0.0, f32::from_bits)
        };
        let (outer, inner): (&[usize], &[usize]) = match metadata.domain {
            Domain::Quads => (&[7, 6, 5, 4], &[3, 2]),
            Domain::Triangles => (&[7, 6, 5], &[4]),
            Domain::Isolines => (&[6, 7], &[]),
        };
        let outer: Vec<f32> = outer.iter().map(|dword| level(*dword)).collect();
        let inner: Vec<f32> = inner.iter().map(|dword| level(*dword)).collect();
        Tessellation::of(metadata.domain, metadata.spacing, metadata.output, &outer, &inner)
    }

    /// Divides a patch with these levels.
    fn of(
        domain: Domain,
        spacing: Spacing,
        output: TessOutput,
        outer: &[f32],
        inner: &[f32],
    ) -> Tessellation {
        let mut result = Tessellation { size: 3, ..Tessellation::default() };
        // A level that is not a number discards the patch, too.
        if outer.iter().any(|level| level.is_nan() || *level <= 0.0) {
            return result;
        }
        let level = |level: f32| Level::new(if level.is_nan() { 1.0 } else { level }, spacing);
        match domain {
            Domain::Isolines => {
                result.size = 2;
                result.isolines(Level::new(outer[0], Spacing::Equal), level(outer[1]));
            }
            Domain::Quads => {
                let outer = [outer[0], outer[1], outer[2], outer[3]].map(level);
                result.quads(outer, [inner[0], inner[1]].map(level), spacing);
            }
            Domain::Triangles => {
                let outer = [outer[0], outer[1], outer[2]].map(level);
                result.triangles(outer, level(inner[0]), spacing);
            }
        }
        match output {
            TessOutput::Points => {
                result.size = 1;
                result.indices = (0..result.points.len() as u32).collect();
            }
            // The rings run from u to v to w, and from u = 0 to v = 0, which is counter-clockwise.
            TessOutput::TrianglesCw if result.size == 3 => {
                for triangle in result.indices.chunks_exact_mut(3) {
                    triangle.swap(1, 2);
                }
            }
            _ => {}
        }
        result
    }

    fn add(&mut self, point: [f32; 3]) -> u32 {
        self.points.push(point);
        self.points.len() as u32 - 1
    }

    fn isolines(&mut self, lines: Level, segments: Level) {
        for line in 0..lines.segments {
            let v = line as f32 / lines.segments as f32;
            for i in 0..=segments.segments {
                let index = self.add([segments.place(i), v, 0.0]);
                if i > 0 {
                    self.indices.extend([index - 1, index]);
                }
            }
        }
    }

    /// The triangles between two rows. The outer row is to the right of the inner one, seen along the rows.
    fn stitch(&mut self, outer: &[(u32, f32)], inner: &[(u32, f32)]) {
        let (mut i, mut j) = (0, 0);
        while i + 1 < outer.len() || j + 1 < inner.len() {
            let along_outer = match (outer.get(i + 1), inner.get(j + 1)) {
                (Some((_, o)), Some((_, n))) => o <= n,
                (next, _) => next.is_some(),
            };
            if along_outer {
                self.indices.extend([outer[i].0, outer[i + 1].0, inner[j].0]);
                i += 1;
            } else {
                self.indices.extend([outer[i].0, inner[j + 1].0, inner[j].0]);
                j += 1;
            }
        }
    }

    /// Stitches the rows of a ring to those of the next one inside.
    fn stitch_rings(&mut self, outer: &[Row], inner: &[Row]) {
        for (outer, inner) in outer.iter().zip(inner) {
            self.stitch(outer, inner);
        }
    }

    /// A ring of points: `corners` are the points of its corners, `rows` the points of each side between its corners, as the
    /// places on the side and on the outermost edge.
    fn ring(&mut self, corners: &[[f32; 3]], rows: &[Vec<(f32, f32)>], ends: [f32; 2]) -> Vec<Row> {
        let indices: Vec<u32> = corners.iter().map(|corner| self.add(*corner)).collect();
        let count = corners.len();
        let mut ring = Vec::new();
        for (side, places) in rows.iter().enumerate() {
            let (from, to) = (corners[side], corners[(side + 1) % count]);
            let mut row = vec![(indices[side], ends[0])];
            for (part, place) in places {
                let point = std::array::from_fn(|i| from[i] + (to[i] - from[i]) * part);
                row.push((self.add(point), *place));
            }
            row.push((indices[(side + 1) % count], ends[1]));
            ring.push(row);
        }
        ring
    }

    fn triangles(&mut self, outer: [Level; 3], inner: Level, spacing: Spacing) {
        // Outer level 0 is that of the edge u = 0, from v to w; level 1 of v = 0; level 2 of w = 0.
        let [opposite_u, opposite_v, opposite_w] = outer;
        let sides = [opposite_w, opposite_u, opposite_v];
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let whole = |level: &Level| -> Vec<(f32, f32)> {
            (1..level.segments).map(|i| (level.place(i), level.place(i))).collect()
        };
        let mut ring = self.ring(&corners, &sides.map(|side| whole(&side)), [0.0, 1.0]);
        if inner.segments == 1 && outer.iter().all(|level| level.segments == 1) {
            self.indices.extend([0, 1, 2]);
            return;
        }
        let inner = inner.above_one(spacing);
        let n = inner.segments;
        for k in 1..=n / 2 {
            // The corner of ring k lies where the perpendiculars at place t of the adjacent edges meet.
            let t = inner.place(k);
            let (own, other) = (1.0 - 4.0 * t / 3.0, 2.0 * t / 3.0);
            if 2 * k == n {
                let center = self.add([1.0 / 3.0; 3]);
                let rows = vec![vec![(center, 0.5)]; 3];
                self.stitch_rings(&ring, &rows);
                return;
            }
            let corners: Vec<[f32; 3]> =
                (0..3).map(|i| std::array::from_fn(|j| if i == j { own } else { other })).collect();
            let width = 1.0 - 2.0 * t;
            let places: Vec<(f32, f32)> =
                (k + 1..n - k).map(|i| ((inner.place(i) - t) / width, inner.place(i))).collect();
            let next = self.ring(&corners, &vec![places; 3], [t, 1.0 - t]);
            self.stitch_rings(&ring, &next);
            if n == 2 * k + 1 {
                self.indices.extend(next.iter().map(|row| row[0].0));
                return;
            }
            ring = next;
        }
    }

    fn quads(&mut self, outer: [Level; 4], inner: [Level; 2], spacing: Spacing) {
        // Outer levels: of u = 0, v = 0, u = 1, v = 1. The ring runs counter-clockwise from the origin.
        let [left, bottom, right, top] = outer;
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let whole = |level: &Level| -> Vec<(f32, f32)> {
            (1..level.segments).map(|i| (level.place(i), level.place(i))).collect()
        };
        let sides = [bottom, right, top, left].map(|side| whole(&side));
        let ring = self.ring(&corners, &sides, [0.0, 1.0]);
        let ones = outer.iter().chain(&inner).all(|level| level.segments == 1);
        if ones {
            // Vulkan leaves the diagonal open; lavapipe has this one.
            self.indices.extend([0, 1, 3, 1, 2, 3]);
            return;
        }
        let [across, up] = inner.map(|level| level.above_one(spacing));
        let (columns, rows) = (across.segments - 1, up.segments - 1);
        let first = self.points.len() as u32;
        let at = |column: usize, row: usize| first + (row * columns + column) as u32;
        for row in 1..=rows {
            for column in 1..=columns {
                self.add([across.place(column), up.place(row), 0.0]);
            }
        }
        for row in 1..rows {
            for column in 1..columns {
                let [a, b] = [at(column - 1, row - 1), at(column, row - 1)];
                let [c, d] = [at(column, row), at(column - 1, row)];
                self.indices.extend([a, b, c, a, c, d]);
            }
        }
        let horizontal = |row: usize| (0..columns).map(move |c| (at(c, row), across.place(c + 1)));
        let vertical = |column: usize| (0..rows).map(move |r| (at(column, r), up.place(r + 1)));
        let back =
            |row: Row| -> Row { row.into_iter().rev().map(|(i, at)| (i, 1.0 - at)).collect() };
        let inside = [
            horizontal(0).collect(),
            vertical(columns - 1).collect(),
            back(horizontal(rows - 1).collect()),
            back(vertical(0).collect()),
        ];
        self.stitch_rings(&ring, &inside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACINGS: [Spacing; 3] =
        [Spacing::Equal, Spacing::FractionalEven, Spacing::FractionalOdd];

    /// Twice the signed area in (u, v) of all triangles together; none may be of the other orientation.
    fn area(tessellation: &Tessellation, sign: f64) -> f64 {
        let triangles = tessellation.indices.chunks_exact(3);
        let areas = triangles.map(|triangle| {
            let [a, b, c] =
                [0, 1, 2].map(|i| tessellation.points[triangle[i] as usize].map(f64::from));
            (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        });
        areas.inspect(|area| assert!(area * sign > -1e-6, "{area}")).sum()
    }

    #[test]
    fn triangles_cover_the_domain_once() {
        for spacing in SPACINGS {
            for outer in [[1.0, 1.0, 1.0], [4.0, 5.0, 6.0], [1.5, 64.0, 2.5], [3.0, 1.0, 7.3]] {
                for inner in [0.0, 1.0, 2.0, 3.0, 4.0, 5.5, 8.0, 64.0] {
                    let of = |output| {
                        Tessellation::of(Domain::Triangles, spacing, output, &outer, &[inner])
                    };
                    let up = of(TessOutput::TrianglesCcw);
                    assert!((area(&up, 1.0) - 1.0).abs() < 1e-4, "{spacing:?} {outer:?} {inner}");
                    assert!((area(&of(TessOutput::TrianglesCw), -1.0) + 1.0).abs() < 1e-4);
                    assert_eq!(of(TessOutput::Points).indices.len(), up.points.len());
                }
            }
        }
    }

    #[test]
    fn quads_cover_the_domain_once() {
        for spacing in SPACINGS {
            for outer in [[1.0; 4], [4.0, 5.0, 6.0, 7.0], [1.5, 64.0, 2.5, 3.0]] {
                for inner in [[1.0, 1.0], [1.0, 4.0], [2.0, 2.0], [5.5, 3.0], [2.0, 9.0]] {
                    let output = TessOutput::TrianglesCcw;
                    let quads = Tessellation::of(Domain::Quads, spacing, output, &outer, &inner);
                    let found = area(&quads, 1.0);
                    assert!((found - 2.0).abs() < 1e-4, "{spacing:?} {outer:?} {inner:?}: {found}");
                }
            }
        }
    }

    #[test]
    fn numbers_of_primitives_follow_from_the_levels() {
        let count = |domain, outer: &[f32], inner: &[f32]| {
            let all =
                Tessellation::of(domain, Spacing::Equal, TessOutput::TrianglesCcw, outer, inner);
            (all.points.len(), all.indices.len() / all.size)
        };
        assert_eq!(count(Domain::Triangles, &[1.0; 3], &[1.0]), (3, 1));
        assert_eq!(count(Domain::Triangles, &[2.0; 3], &[2.0]), (7, 6));
        assert_eq!(count(Domain::Triangles, &[3.0; 3], &[3.0]), (12, 13));
        assert_eq!(count(Domain::Quads, &[1.0; 4], &[1.0; 2]), (4, 2));
        assert_eq!(count(Domain::Quads, &[3.0; 4], &[3.0; 2]), (16, 18));
        assert_eq!(count(Domain::Isolines, &[6.0, 2.0], &[]), (18, 12));
        assert_eq!(count(Domain::Triangles, &[1.0, 0.0, 1.0], &[1.0]), (0, 0));
        assert_eq!(count(Domain::Triangles, &[1.0, f32::NAN, 1.0], &[1.0]), (0, 0));
    }

    #[test]
    fn fractional_levels_have_two_short_segments() {
        let level = Level::new(2.5, Spacing::FractionalOdd);
        assert_eq!(level.segments, 3);
        let places: Vec<f32> = (0..=3).map(|i| level.place(i)).collect();
        assert_eq!(places, [0.0, 0.3, 0.7, 1.0]);
        assert_eq!(Level::new(1.0, Spacing::FractionalEven).segments, 2);
        assert_eq!(Level::new(100.0, Spacing::FractionalOdd).segments, 63);
    }
}
