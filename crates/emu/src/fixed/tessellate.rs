//! The tessellator: points and primitives of a patch (Vulkan, "Tessellation").
//!
//! Where Vulkan leaves a choice, this module makes that of lavapipe: the segments of half an edge have an order, in which a
//! growing level adds them. The first one is at the corner, and each later one bisects the half edge further (*slots*). The
//! order determines where the short segments of fractional spacing are, and how triangles between two rows of points are formed.

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
        // All points move from their places with two segments less to their places with all segments; the segment that the
        // last level added to each half grows from nothing.
        let before = last.saturating_sub(2);
        let part = (self.level - before as f32) / 2.0;
        let newest = slot(last / 2 - 1);
        let added = (0..last / 2).filter(|rank| slot(*rank) < newest).count();
        let floor = if i > added { i - 1 } else { i };
        let from = floor as f32 / before.max(1) as f32;
        from + (i as f32 / last as f32 - from) * part
    }
}

/// The place of a segment of half an edge among all possible ones. `rank` counts the segments in the order in which a growing
/// level adds them.
fn slot(rank: usize) -> usize {
    match rank {
        0 => 0,
        // The odd multiples of the smallest power of two that is not in use, in 64ths of the half edge.
        rank => {
            let bits = rank.ilog2();
            (2 * (rank - (1 << bits)) + 1) << (5 - bits)
        }
    }
}

/// The indices of a row of points from a corner of a ring to the next.
type Row = Vec<u32>;

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

    /// The triangles between two rows. The outer row is to the right of the inner one, seen along the rows. The inner row has two
    /// segments less than an edge of its level.
    fn stitch(&mut self, outer: &[u32], inner: &[u32]) {
        let counts = [outer.len() - 1, inner.len() + 1];
        let mut moves: Vec<(usize, bool)> = Vec::new();
        moves.extend((0..counts[0] / 2).map(|rank| (slot(rank), true)));
        // The segments of the inner edge that are at its ends are not there.
        moves.extend((1..counts[1] / 2).map(|rank| (slot(rank), false)));
        moves.sort_unstable();
        let first = moves.iter().map(|(_, along_outer)| *along_outer);
        let odd = counts.map(|count| count % 2 == 1);
        let middle = [(odd[1], false), (odd[0], true)];
        let middle = middle.into_iter().filter(|(is_odd, _)| *is_odd).map(|(_, outer)| outer);
        let (mut i, mut j) = (0, 0);
        for along_outer in first.clone().chain(middle).chain(first.rev()) {
            if along_outer {
                self.indices.extend([outer[i], outer[i + 1], inner[j]]);
                i += 1;
            } else {
                self.indices.extend([outer[i], inner[j + 1], inner[j]]);
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

    /// A ring of points: `corners` are the points of its corners, `rows` the places of the points of each side between its
    /// corners, from 0 to 1.
    fn ring(&mut self, corners: &[[f32; 3]], rows: &[Vec<f32>]) -> Vec<Row> {
        let indices: Vec<u32> = corners.iter().map(|corner| self.add(*corner)).collect();
        let count = corners.len();
        let mut ring = Vec::new();
        for (side, places) in rows.iter().enumerate() {
            let (from, to) = (corners[side], corners[(side + 1) % count]);
            let mut row = vec![indices[side]];
            for place in places {
                let point = std::array::from_fn(|i| from[i] + (to[i] - from[i]) * place);
                row.push(self.add(point));
            }
            row.push(indices[(side + 1) % count]);
            ring.push(row);
        }
        ring
    }

    fn triangles(&mut self, outer: [Level; 3], inner: Level, spacing: Spacing) {
        // Outer level 0 is that of the edge u = 0, from v to w; level 1 of v = 0; level 2 of w = 0.
        let [opposite_u, opposite_v, opposite_w] = outer;
        let sides = [opposite_w, opposite_u, opposite_v];
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let whole =
            |level: &Level| -> Vec<f32> { (1..level.segments).map(|i| level.place(i)).collect() };
        let mut ring = self.ring(&corners, &sides.map(|side| whole(&side)));
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
                let rows = vec![vec![center]; 3];
                self.stitch_rings(&ring, &rows);
                return;
            }
            let corners: Vec<[f32; 3]> =
                (0..3).map(|i| std::array::from_fn(|j| if i == j { own } else { other })).collect();
            let width = 1.0 - 2.0 * t;
            let places: Vec<f32> = (k + 1..n - k).map(|i| (inner.place(i) - t) / width).collect();
            let next = self.ring(&corners, &vec![places; 3]);
            self.stitch_rings(&ring, &next);
            if n == 2 * k + 1 {
                self.indices.extend(next.iter().map(|row| row[0]));
                return;
            }
            ring = next;
        }
    }

    fn quads(&mut self, outer: [Level; 4], inner: [Level; 2], spacing: Spacing) {
        // Outer levels: of u = 0, v = 0, u = 1, v = 1. The ring runs counter-clockwise from the origin.
        let [left, bottom, right, top] = outer;
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let whole =
            |level: &Level| -> Vec<f32> { (1..level.segments).map(|i| level.place(i)).collect() };
        let sides = [bottom, right, top, left].map(|side| whole(&side));
        let ring = self.ring(&corners, &sides);
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
        // The sides of ring `k` of the inner points, counter-clockwise from its lower left corner.
        let sides = |k: usize| -> [Row; 4] {
            let (right, top) = (columns - 1 - k, rows - 1 - k);
            [
                (k..=right).map(|column| at(column, k)).collect(),
                (k..=top).map(|row| at(right, row)).collect(),
                (k..=right).rev().map(|column| at(column, top)).collect(),
                (k..=top).rev().map(|row| at(k, row)).collect(),
            ]
        };
        self.stitch_rings(&ring, &sides(0));
        let shorter = columns.min(rows);
        for k in 0..(shorter - 1) / 2 {
            self.stitch_rings(&sides(k), &sides(k + 1));
        }
        if shorter % 2 == 0 {
            // A row or column of quads is left in the middle.
            let [bottom, right, top, left] = sides(shorter / 2 - 1);
            match columns >= rows {
                true => self.strip(&bottom, &top, None),
                // The middle quad, if there is one, has the other diagonal.
                false => {
                    let count = right.len() - 1;
                    self.strip(&right, &left, (count % 2 == 1).then_some(count / 2));
                }
            }
        }
    }

    /// The triangles of a row of quads. `far` runs in the other direction than `near`. One of the quads may have the other
    /// diagonal.
    fn strip(&mut self, near: &[u32], far: &[u32], other: Option<usize>) {
        let count = near.len() - 1;
        for i in 0..count {
            let [a, b] = [near[i], near[i + 1]];
            let [c, d] = [far[count - 1 - i], far[count - i]];
            match other == Some(i) {
                true => self.indices.extend([a, b, c, a, c, d]),
                false => self.indices.extend([a, b, d, b, c, d]),
            }
        }
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
        let places = |level: f32, spacing| {
            let level = Level::new(level, spacing);
            (0..=level.segments).map(|i| level.place(i)).collect::<Vec<f32>>()
        };
        assert_eq!(places(2.5, Spacing::FractionalOdd), [0.0, 0.25, 0.75, 1.0]);
        // Segments are 1/4 long with the level 4, 1/6 with the level 6. The second one of each half is new.
        let middle = places(5.0, Spacing::FractionalEven);
        let (long, new) = (5.0 / 24.0, 1.0 / 12.0);
        for (found, expected) in middle.iter().zip([0.0, long, long + new, 0.5]) {
            assert!((found - expected).abs() < 1e-6, "{middle:?}");
        }
        assert_eq!(Level::new(1.0, Spacing::FractionalEven).segments, 2);
        assert_eq!(Level::new(100.0, Spacing::FractionalOdd).segments, 63);
    }
}
