//! Interpolation between the vertices of a primitive.
//!
//! The hardware delivers weights ("barycentric coordinates") of the vertices, not values of attributes. They refer to the
//! vertices as the geometry stages produced them, also in the parts of a primitive that clipping leaves.

/// The weights of the vertices at a position, and what follows from them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights<'a> {
    /// Perspective-correct weights. Their sum is 1.
    pub(crate) perspective: [f64; 3],
    of: &'a Interpolation,
}

impl Weights<'_> {
    /// The mean of a value of each vertex.
    #[inline]
    fn mean(&self, values: [f64; 3]) -> f64 {
        self.perspective.iter().zip(values).map(|(weight, value)| weight * value).sum()
    }

    /// The clip coordinate w.
    #[inline]
    pub(crate) fn w(&self) -> f64 {
        self.mean(self.of.w)
    }

    /// z / w, before the viewport transformation.
    #[inline]
    pub(crate) fn depth(&self) -> f64 {
        self.mean(self.of.z) / self.w()
    }

    /// Weights that are linear in the framebuffer. Their sum is 1.
    #[inline]
    pub(crate) fn linear(&self) -> [f64; 3] {
        let w = self.w();
        std::array::from_fn(|i| self.perspective[i] * self.of.w[i] / w)
    }
}

/// How the weights depend on the position.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// For each vertex the three coefficients (of x, y and 1) of a linear function of the position. The perspective-correct
    /// weights are proportional to the values of these functions.
    Triangle([[f64; 3]; 3]),
    /// A line. Its visible part starts at `start` (in pixels) and ends at `start + along`.
    Line {
        start: [f64; 2],
        along: [f64; 2],
        /// 1 / w at both ends of the visible part.
        inverse_w: [f64; 2],
        /// The perspective-correct weight of the second vertex at both ends of the visible part.
        weights: [f64; 2],
    },
    /// A point: the weights of the second and third vertex grow from 0 to 1 along x and y of the square, as
    /// `gl_PointCoord` does.
    Point { corner: [f64; 2], size: f64 },
}

/// The interpolation of one primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interpolation {
    shape: Shape,
    /// Clip coordinates z of the vertices.
    z: [f64; 3],
    /// Clip coordinates w of the vertices.
    w: [f64; 3],
}

/// A vertex for interpolation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    /// Clip coordinates z and w.
    pub(crate) zw: [f64; 2],
    /// The position in the framebuffer in pixels, multiplied by w.
    pub(crate) place: [f64; 2],
}

/// The perspective-correct weights in a triangle. See [`Shape::Triangle`].
#[inline(always)]
fn triangle_weights(functions: &[[f64; 3]; 3], x: f64, y: f64) -> [f64; 3] {
    let values = functions.map(|[fx, fy, f]| fx * x + fy * y + f);
    let sum = values[0] + values[1] + values[2];
    values.map(|value| value / sum)
}

impl Interpolation {
    /// A triangle. `None` if its vertices are on one line.
    pub(crate) fn triangle(corners: &[Corner; 3]) -> Option<Interpolation> {
        let row = |i: usize| {
            let Corner { zw: [_, w], place: [x, y] } = corners[i % 3];
            [x, y, w]
        };
        // The function of a vertex is 0 on the line through the others: the cross product of these.
        let mut functions = [0, 1, 2].map(|i| {
            let (a, b) = (row(i + 1), row(i + 2));
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        });
        let determinant: f64 = row(0).iter().zip(functions[0]).map(|(a, b)| a * b).sum();
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        if determinant < 0.0 {
            functions = functions.map(|function| function.map(|factor| -factor));
        }
        let (z, w) = (corners.map(|corner| corner.zw[0]), corners.map(|corner| corner.zw[1]));
        Some(Interpolation { shape: Shape::Triangle(functions), z, w })
    }

    /// A line. `ends` are the ends of its visible part, in pixels, with 1 / w and the perspective-correct weight of the
    /// second vertex.
    pub(crate) fn line(vertices: [[f64; 2]; 2], ends: [([f64; 2], f64, f64); 2]) -> Interpolation {
        let [(start, first_w, first), (end, last_w, last)] = ends;
        let shape = Shape::Line {
            start,
            along: [end[0] - start[0], end[1] - start[1]],
            inverse_w: [first_w, last_w],
            weights: [first, last],
        };
        let [[z0, w0], [z1, w1]] = vertices;
        Interpolation { shape, z: [z0, z1, z0], w: [w0, w1, w0] }
    }

    /// A point with z and w. `corner` is the upper left corner of its square, and `size` the length of its sides, in
    /// pixels.
    pub(crate) fn point([z, w]: [f64; 2], corner: [f64; 2], size: f64) -> Interpolation {
        Interpolation { shape: Shape::Point { corner, size }, z: [z; 3], w: [w; 3] }
    }

    /// `N` numbers for each of eight positions in pixels, which `of` computes from the weights there.
    #[inline(always)]
    pub(crate) fn rows<const N: usize>(
        &self,
        [x, y]: &[[f64; 8]; 2],
        of: impl Fn(&Weights<'_>) -> [f32; N],
    ) -> [[f32; 8]; N] {
        let mut rows = [[0.0; 8]; N];
        let mut put = |i: usize, values: [f32; N]| {
            for (row, value) in rows.iter_mut().zip(values) {
                row[i] = value;
            }
        };
        match self.shape {
            // The host computes several positions at once.
            Shape::Triangle(functions) => {
                for i in 0..8 {
                    let perspective = triangle_weights(&functions, x[i], y[i]);
                    put(i, of(&Weights { perspective, of: self }));
                }
            }
            _ => (0..8).for_each(|i| put(i, of(&self.at(x[i], y[i])))),
        }
        rows
    }

    /// The weights at a position in pixels.
    #[inline]
    pub(crate) fn at(&self, x: f64, y: f64) -> Weights<'_> {
        let perspective = match self.shape {
            Shape::Triangle(functions) => triangle_weights(&functions, x, y),
            Shape::Line { start, along, inverse_w, weights } => {
                let length = along[0] * along[0] + along[1] * along[1];
                let dot = (x - start[0]) * along[0] + (y - start[1]) * along[1];
                let part = if length == 0.0 { 0.0 } else { dot / length };
                let [first, last] = [(1.0 - part) * inverse_w[0], part * inverse_w[1]];
                let second = (first * weights[0] + last * weights[1]) / (first + last);
                [1.0 - second, second, 0.0]
            }
            Shape::Point { corner, size } => {
                let [s, t] = [(x - corner[0]) / size, (y - corner[1]) / size];
                [1.0 - s - t, s, t]
            }
        };
        Weights { perspective, of: self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of a row are those of its positions, bit by bit, for all kinds of primitives and on all hosts.
    #[test]
    fn rows_are_the_weights_at_their_positions() {
        let mut random = fastrand::Rng::with_seed(6);
        for round in 0..300 {
            let mut number = |scale: f64| (random.f64() - 0.3) * scale;
            let mut corner = || {
                let w = 1.0 + number(0.9);
                Corner { zw: [number(1.0), w], place: [number(64.0) * w, number(64.0) * w] }
            };
            let triangle = Interpolation::triangle(&[corner(), corner(), corner()]);
            let ends = [([1.0, 2.0], 1.0, 0.0), ([9.0, 5.0], number(2.0), 1.0)];
            let line = Interpolation::line([[0.1, 1.0], [0.2, 2.0]], ends);
            let point = Interpolation::point([0.5, 1.0], [3.0, 4.0], 2.5);
            let all = [triangle, Some(line), Some(point)];
            let Some(interpolation) = all[round % 3] else { continue };
            let places = [(); 2].map(|()| [(); 8].map(|()| number(64.0)));
            let of =
                |w: &Weights<'_>| [w.perspective[1] as f32, w.depth() as f32, w.linear()[2] as f32];
            for host in [crate::host::Host::new(), crate::host::Host::plain()] {
                let rows = host.run(
                    #[inline(always)]
                    |places| interpolation.rows(places, of),
                    &places,
                    |places| interpolation.rows(places, of),
                );
                for i in 0..8 {
                    let expected = of(&interpolation.at(places[0][i], places[1][i]));
                    let found = rows.map(|row| row[i].to_bits());
                    assert_eq!(found, expected.map(f32::to_bits));
                }
            }
        }
    }

    #[test]
    fn weights_follow_the_perspective() {
        // The second vertex is four times as far away as the others.
        let corner = |x: f64, y: f64, w: f64| Corner { zw: [0.5 * w, w], place: [x * w, y * w] };
        let corners = [corner(0.0, 0.0, 1.0), corner(8.0, 0.0, 4.0), corner(0.0, 8.0, 1.0)];
        let triangle = Interpolation::triangle(&corners).unwrap();
        let one = triangle.at(4.0, 0.0);
        assert_eq!(one.linear(), [0.5, 0.5, 0.0]);
        assert_eq!(one.perspective, [0.8, 0.2, 0.0]);
        assert_eq!((one.w(), one.depth()), (1.6, 0.5));
        assert!(Interpolation::triangle(&[corners[0], corners[1], corners[1]]).is_none());
    }

    #[test]
    fn the_order_of_vertices_does_not_change_weights() {
        let corner = |x: f64, y: f64| Corner { zw: [0.0, 1.0], place: [x, y] };
        let [a, b, c] = [corner(1.0, 1.0), corner(9.0, 3.0), corner(2.0, 7.0)];
        let one = Interpolation::triangle(&[a, b, c]).unwrap().at(3.0, 3.0).linear();
        let other = Interpolation::triangle(&[a, c, b]).unwrap().at(3.0, 3.0).linear();
        for (one, other) in one.into_iter().zip([other[0], other[2], other[1]]) {
            assert!(one > 0.0 && (one - other).abs() < 1e-12);
        }
    }
}
