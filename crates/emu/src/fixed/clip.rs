//! Clipping of triangles and lines by planes. A plane is given by the signed distance of each vertex from it. The part
//! of the primitive where no distance is negative remains.
//!
//! Each corner of the remaining part is a weighted sum of the original vertices, in clip coordinates. The result is
//! these weights, not positions; the caller computes positions from them. Attributes are interpolated between the
//! original vertices, so clipping does not change their values.

/// Clips a triangle by each plane in turn (Sutherland and Hodgman's algorithm). `planes` contains, for each plane, the
/// distances of the three vertices. The result is the corners of a convex polygon, or empty if nothing remains.
///
/// The corner where a plane cuts an edge is computed from the end that remains towards the end that is cut off, for
/// either direction of the edge. So two triangles that share the edge get the same corner.
pub(super) fn clip_triangle(planes: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let mut corners = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for plane in planes {
        if plane.iter().all(|distance| *distance >= 0.0) {
            continue;
        }
        let distance = |corner: &[f64; 3]| dot(corner, plane);
        let mut kept = Vec::with_capacity(corners.len() + 1);
        for (i, from) in corners.iter().enumerate() {
            let to = &corners[(i + 1) % corners.len()];
            let (here, there) = (distance(from), distance(to));
            if here >= 0.0 {
                kept.push(*from);
            }
            if here >= 0.0 && there < 0.0 {
                kept.push(between(from, to, here / (here - there)));
            } else if here < 0.0 && there >= 0.0 {
                kept.push(between(to, from, there / (there - here)));
            }
        }
        corners = kept;
        if corners.len() < 3 {
            return Vec::new();
        }
    }
    corners
}

/// Clips a line. `planes` contains, for each plane, the distances of the two vertices. The result is the weights of the
/// second vertex at both ends of the remaining part; `None` if nothing remains.
pub(super) fn clip_line(planes: &[[f64; 2]]) -> Option<[f64; 2]> {
    let (mut first, mut last) = (0f64, 1f64);
    for [start, end] in planes {
        match (*start >= 0.0, *end >= 0.0) {
            (true, true) => {}
            (true, false) => last = last.min(start / (start - end)),
            (false, true) => first = first.max(start / (start - end)),
            (false, false) => return None,
        }
    }
    (first <= last).then_some([first, last])
}

/// The value of a quantity at a corner, given its values at the three vertices. The quantity must be linear in clip
/// coordinates.
pub(super) fn dot(corner: &[f64; 3], values: &[f64; 3]) -> f64 {
    corner.iter().zip(values).map(|(weight, value)| weight * value).sum()
}

/// The corner on the line from one corner to another, at a `part` (0 to 1) of the way.
fn between(from: &[f64; 3], to: &[f64; 3], part: f64) -> [f64; 3] {
    std::array::from_fn(|i| from[i] + part * (to[i] - from[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_cuts_a_corner_or_leaves_one() {
        let all = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!(clip_triangle(&[[1.0, 0.0, 2.0]]), all);
        assert_eq!(
            clip_triangle(&[[1.0, 1.0, -1.0]]),
            [all[0], all[1], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]]
        );
        assert_eq!(clip_triangle(&[[3.0, -1.0, -1.0]]).len(), 3);
        assert!(clip_triangle(&[[-1.0, -2.0, -3.0]]).is_empty());
        assert!(clip_triangle(&[[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0]]).len() <= 4);
    }

    #[test]
    fn lines_are_cut_at_both_ends() {
        assert_eq!(clip_line(&[[1.0, -1.0], [-1.0, 3.0]]), Some([0.25, 0.5]));
        assert_eq!(clip_line(&[[-1.0, -1.0]]), None);
        assert_eq!(clip_line(&[[1.0, -3.0], [-1.0, 1.0]]), None);
    }
}
