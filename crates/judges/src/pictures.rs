//! Comparison of pictures, with the tolerances that two correct rasterizers need.
//!
//! The figures were calibrated once with lavapipe 22.3 and the fragment shaders of the oracle pack. No test has its own.
//! Two properties of lavapipe limit what tests can draw:
//!
//! - It interpolates between the vertices as they are, not as they are rounded to sub-pixels. So vertices should be at
//!   multiples of 1/256 pixel; otherwise values near a distant vertex differ by more than [`INTERPOLATED`].
//! - It approximates the logarithm of the level of detail by straight lines (error up to 0.09). So textures should not be
//!   filtered between levels, and levels should not be near the middle between two.

/// The largest difference of colours that were not filtered, in codes of a normalized format.
pub const CODES: f64 = 1.0;

/// The largest difference of filtered colours.
pub const FILTERED: f64 = 2.0 / 255.0;

/// The largest difference of interpolated floats, as a part of their range.
pub const INTERPOLATED: f64 = 1.0 / 16384.0;

/// The distance from an edge, in pixels, within which a centre may be covered or not.
pub const EDGE: f64 = 2.0 / 256.0;

/// The largest part of a picture that may be left out because it is so close to an edge.
pub const LEFT_OUT: f64 = 0.01;

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Floats that follow from interpolated varyings.
    Interpolated {
        /// The range of the varyings over the primitive; `None` for that of the values in the picture.
        range: Option<f64>,
    },
    /// Floats that follow from filtered textures.
    Filtered,
    /// Normalized values, with the number of codes of the format without 0.
    Normalized {
        /// 255 for 8 bits.
        codes: f64,
    },
    /// Integers and copies.
    Exact,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The pixels that were compared.
    pub compared: usize,
    /// The pixels that were left out.
    pub left_out: usize,
    /// The largest difference, as a part of what the rule allows.
    pub worst: f64,
}

/// Whether the centre of a pixel is too close to an edge of one of the triangles, which are given in pixels.
pub fn near_edge(triangles: &[[[f64; 2]; 3]], x: usize, y: usize) -> bool {
    sample_near_edge(triangles, [x, y], 1, 0)
}

/// The positions of the samples of a pixel in sixteenths of a pixel from its upper left corner (Vulkan, "Multisampling", standard
/// sample locations).
///
/// # Panics
/// For numbers of samples other than 1, 2, 4, 8 and 16.
pub fn sample_positions(samples: u32) -> &'static [[u8; 2]] {
    match samples {
        1 => &[[8, 8]],
        2 => &[[12, 12], [4, 4]],
        4 => &[[6, 2], [14, 6], [2, 10], [10, 14]],
        8 => &[[9, 5], [7, 11], [13, 9], [5, 3], [3, 13], [1, 7], [11, 15], [15, 1]],
        16 => &[
            [9, 9],
            [7, 5],
            [5, 10],
            [12, 7],
            [3, 6],
            [10, 13],
            [13, 11],
            [11, 3],
            [6, 14],
            [8, 1],
            [4, 2],
            [2, 12],
            [0, 8],
            [15, 4],
            [14, 15],
            [1, 0],
        ],
        _ => panic!("{samples} samples"),
    }
}

/// Whether a sample of a pixel is too close to an edge of one of the triangles, which are given in pixels.
pub fn sample_near_edge(
    triangles: &[[[f64; 2]; 3]],
    [x, y]: [usize; 2],
    samples: u32,
    sample: usize,
) -> bool {
    let [u, v] = sample_positions(samples)[sample].map(|at| f64::from(at) / 16.0);
    is_near(triangles, [x as f64 + u, y as f64 + v])
}

fn is_near(triangles: &[[[f64; 2]; 3]], point: [f64; 2]) -> bool {
    triangles
        .iter()
        .any(|triangle| (0..3).any(|i| distance(point, triangle[i], triangle[(i + 1) % 3]) < EDGE))
}

/// The distance of a point from a segment.
fn distance(point: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let start = [point[0] - from[0], point[1] - from[1]];
    let length = along[0] * along[0] + along[1] * along[1];
    let dot = start[0] * along[0] + start[1] * along[1];
    let part = if length == 0.0 { 0.0 } else { (dot / length).clamp(0.0, 1.0) };
    (start[0] - part * along[0]).hypot(start[1] - part * along[1])
}

/// Compares two pictures of `width` pixels per row, with `components` values for each pixel. `leave_out` says which pixels
/// do not count.
///
/// # Errors
/// The first difference, or that too many pixels were left out.
pub fn compare(
    rule: Rule,
    (width, components): (usize, usize),
    expected: &[f64],
    found: &[f64],
    leave_out: impl Fn(usize, usize) -> bool,
) -> Result<Comparison, String> {
    if expected.len() != found.len() {
        return Err(format!("{} values, expected {}", found.len(), expected.len()));
    }
    let ranges: Vec<f64> = (0..components)
        .map(|component| {
            let values = || expected.iter().skip(component).step_by(components).copied();
            let known = || values().filter(|value| value.is_finite());
            known().fold(f64::MIN, f64::max) - known().fold(f64::MAX, f64::min)
        })
        .collect();
    let mut result = Comparison::default();
    let mut first = None;
    let mut wrong = 0;
    let pixels = expected.chunks(components).zip(found.chunks(components)).enumerate();
    for (pixel, (expected, found)) in pixels {
        let (x, y) = (pixel % width, pixel / width);
        if leave_out(x, y) {
            result.left_out += 1;
            continue;
        }
        result.compared += 1;
        let mut differs = false;
        for (component, (expected, found)) in expected.iter().zip(found).enumerate() {
            let allowed = match rule {
                Rule::Interpolated { range } => {
                    INTERPOLATED * range.unwrap_or(ranges[component]).max(f64::MIN_POSITIVE)
                }
                Rule::Filtered => FILTERED,
                Rule::Normalized { codes } => CODES / codes * 1.0001,
                Rule::Exact => 0.0,
            };
            let same = expected == found || expected.is_nan() && found.is_nan();
            let difference = (expected - found).abs();
            if same {
                continue;
            }
            if difference <= allowed {
                result.worst = result.worst.max(difference / allowed);
                continue;
            }
            differs = true;
            first.get_or_insert_with(|| {
                format!("component {component} of pixel ({x}, {y}) is {found}, expected {expected}")
            });
        }
        wrong += usize::from(differs);
    }
    if let Some(first) = first {
        return Err(format!("{first}; {wrong} of {} pixels differ", result.compared));
    }
    let all = result.compared + result.left_out;
    if result.left_out as f64 > LEFT_OUT * all as f64 {
        return Err(format!("{} of {all} pixels are left out", result.left_out));
    }
    Ok(result)
}

/// The values of a picture of 32-bit floats.
pub fn floats(bytes: &[u8]) -> Vec<f64> {
    let (dwords, _) = bytes.as_chunks::<4>();
    dwords.iter().map(|dword| f64::from(f32::from_le_bytes(*dword))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_beyond_the_rule_are_found() {
        let picture = [0.0, 1.0, 2.0, 3.0];
        let compare = |found: &[f64], rule| compare(rule, (2, 1), &picture, found, |_, _| false);
        assert_eq!(compare(&picture, Rule::Exact).unwrap().worst, 0.0);
        assert!(compare(&[0.0, 1.0, 2.0001, 3.0], Rule::Interpolated { range: None }).is_ok());
        assert!(compare(&[0.0, 1.0, 2.001, 3.0], Rule::Interpolated { range: None }).is_err());
        assert!(compare(&[0.0, 1.0, 2.001, 3.0], Rule::Filtered).is_ok());
    }

    #[test]
    fn only_centres_near_edges_are_left_out() {
        let triangle = [[[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]]];
        assert!(near_edge(&triangle, 3, 4));
        assert!(!near_edge(&triangle, 3, 3));
        assert!(!near_edge(&triangle, 0, 0));
    }
}
