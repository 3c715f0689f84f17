//! Assembly: which vertices of a list form each primitive (Vulkan, "Primitive Topologies").
//!
//! Geometry shaders get primitives with their adjacent vertices ([`Topology::primitives`]). Rasterization gets them
//! without these, and with the provoking vertex first ([`Topology::drawn`]).

use super::state::Topology;
use crestline_program::GeometryOutput;

impl Topology {
    /// The topology of the strips that a geometry shader emits.
    pub fn of_output(output: GeometryOutput) -> Topology {
        match output {
            GeometryOutput::Points => Topology::Points,
            GeometryOutput::LineStrip => Topology::LineStrip,
            GeometryOutput::TriangleStrip => Topology::TriangleStrip,
        }
    }

    /// The number of vertices of a primitive, without adjacent ones.
    pub fn size(self) -> usize {
        match self {
            Topology::Points => 1,
            Topology::Lines
            | Topology::LinesAdjacency
            | Topology::LineStrip
            | Topology::LineStripAdjacency => 2,
            Topology::Triangles
            | Topology::TrianglesAdjacency
            | Topology::TriangleStrip
            | Topology::TriangleStripAdjacency
            | Topology::TriangleFan => 3,
        }
    }

    /// The number of vertices of a primitive of a geometry shader: with adjacent ones.
    pub fn input_size(self) -> usize {
        match self {
            Topology::LinesAdjacency | Topology::LineStripAdjacency => 4,
            Topology::TrianglesAdjacency | Topology::TriangleStripAdjacency => 6,
            _ => self.size(),
        }
    }

    /// The number of primitives that a list of `count` vertices forms.
    pub fn count(self, count: usize) -> usize {
        match self {
            Topology::Points => count,
            Topology::Lines => count / 2,
            Topology::LinesAdjacency => count / 4,
            Topology::LineStrip => count.saturating_sub(1),
            Topology::LineStripAdjacency => count.saturating_sub(3),
            Topology::Triangles => count / 3,
            Topology::TrianglesAdjacency => count / 6,
            Topology::TriangleStrip | Topology::TriangleFan => count.saturating_sub(2),
            Topology::TriangleStripAdjacency => count.saturating_sub(4) / 2,
        }
    }

    /// The indices of the vertices of each primitive that a list of `count` vertices forms, in the order in which a
    /// geometry shader gets them, adjacent ones included.
    pub fn primitives(self, count: usize) -> impl Iterator<Item = Vec<usize>> {
        let triangles = self.count(count);
        (0..triangles).map(move |i| match self {
            Topology::Points => vec![i],
            Topology::Lines => vec![2 * i, 2 * i + 1],
            Topology::LinesAdjacency => (4 * i..4 * i + 4).collect(),
            Topology::LineStrip => vec![i, i + 1],
            Topology::LineStripAdjacency => (i..i + 4).collect(),
            Topology::Triangles => (3 * i..3 * i + 3).collect(),
            Topology::TrianglesAdjacency => (6 * i..6 * i + 6).collect(),
            Topology::TriangleStrip if i % 2 == 0 => vec![i, i + 1, i + 2],
            Topology::TriangleStrip => vec![i, i + 2, i + 1],
            Topology::TriangleFan => vec![i + 1, i + 2, 0],
            Topology::TriangleStripAdjacency => strip_with_adjacency(i, triangles),
        })
    }

    /// The indices of the vertices of each primitive that rasterization draws of a list of `count` vertices, the
    /// provoking vertex first. Points and lines repeat their first vertex to fill the array.
    pub(crate) fn drawn(self, count: usize) -> impl Iterator<Item = [usize; 3]> {
        (0..self.count(count)).map(move |i| match self {
            Topology::Points => [i; 3],
            Topology::Lines => [2 * i, 2 * i + 1, 2 * i],
            Topology::LinesAdjacency => [4 * i + 1, 4 * i + 2, 4 * i + 1],
            Topology::LineStrip => [i, i + 1, i],
            Topology::LineStripAdjacency => [i + 1, i + 2, i + 1],
            Topology::Triangles => [3 * i, 3 * i + 1, 3 * i + 2],
            Topology::TrianglesAdjacency => [6 * i, 6 * i + 2, 6 * i + 4],
            Topology::TriangleStrip if i % 2 == 0 => [i, i + 1, i + 2],
            Topology::TriangleStrip => [i, i + 2, i + 1],
            Topology::TriangleFan => [i + 1, i + 2, 0],
            Topology::TriangleStripAdjacency if i % 2 == 0 => [2 * i, 2 * i + 2, 2 * i + 4],
            Topology::TriangleStripAdjacency => [2 * i, 2 * i + 4, 2 * i + 2],
        })
    }
}

/// The six vertices of triangle number `i` of a strip with adjacent vertices (Vulkan, "Triangle Strips With Adjacency").
fn strip_with_adjacency(i: usize, triangles: usize) -> Vec<usize> {
    let after = if i + 1 == triangles { 2 * i + 5 } else { 2 * i + 6 };
    match i {
        0 => vec![0, 1, 2, after, 4, 3],
        _ if i % 2 == 1 => vec![2 * i + 2, 2 * i - 2, 2 * i, 2 * i + 3, 2 * i + 4, after],
        _ => vec![2 * i, 2 * i - 2, 2 * i + 2, after, 2 * i + 4, 2 * i + 3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vertices of a primitive of a geometry shader without the adjacent ones.
    fn own(primitive: &[usize]) -> Vec<usize> {
        match primitive.len() {
            4 => primitive[1..3].to_vec(),
            6 => primitive.iter().copied().step_by(2).collect(),
            _ => primitive.to_vec(),
        }
    }

    #[test]
    fn drawn_primitives_are_those_of_geometry_shaders_with_another_first_vertex() {
        for topology in Topology::ALL.iter().copied() {
            for count in 0..14 {
                let drawn: Vec<_> = topology.drawn(count).collect();
                let primitives: Vec<_> = topology.primitives(count).collect();
                assert_eq!(drawn.len(), primitives.len());
                for (drawn, primitive) in drawn.iter().zip(&primitives) {
                    assert_eq!(primitive.len(), topology.input_size(), "{topology:?}");
                    let primitive = own(primitive);
                    let turns = |first: usize| {
                        let turned = primitive.iter().cycle().skip(first).take(primitive.len());
                        turned.eq(&drawn[..topology.size()])
                    };
                    assert!(
                        (0..primitive.len()).any(turns),
                        "{topology:?}: {primitive:?}, {drawn:?}"
                    );
                    assert!(drawn.iter().all(|index| *index < count));
                }
            }
        }
    }

    #[test]
    fn adjacent_vertices_of_a_strip_are_across_the_edges() {
        let of = |count| -> Vec<_> { Topology::TriangleStripAdjacency.primitives(count).collect() };
        assert_eq!(of(7), [[0, 1, 2, 5, 4, 3]]);
        assert_eq!(of(8), [[0, 1, 2, 6, 4, 3], [4, 0, 2, 5, 6, 7]]);
        assert_eq!(of(10)[2], [4, 2, 6, 9, 8, 7]);
    }
}
