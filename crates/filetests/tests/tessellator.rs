//! The emulator's tessellator against lavapipe's: the points and primitives of patches of several levels, and pictures of the
//! areas that they cover, drawn by compiled code of all stages.
//!
//! Vulkan leaves open where the two short segments of an edge with fractional spacing are, and how the area between two rings
//! is divided into triangles. The emulator does it as lavapipe. The script `tests/amber/tessellator.amber` compares triangles.

use std::collections::BTreeSet;

use crestline::Simd;
use crestline_device::Platform;
use crestline_emu::{CullMode, DrawState, FrontFace, PolygonMode};
use crestline_filetests::stages::{
    Expected, Mode, Picture, Point, StageEmulator, StageTest, mode_name, run,
};
use crestline_judges::ask;
use crestline_judges::lavapipe::{Lavapipe, RasterState};

const MODES: [Mode; 3] =
    [(Platform::Hsw, Simd::Simd4x2), (Platform::Bdw, Simd::Simd8), (Platform::Skl, Simd::Simd8)];

/// Width and height of a picture: four cells of 16 pixels, each with a patch.
const SIZE: u32 = 64;

/// The outer and inner levels of the patches.
const LEVELS: [[f32; 6]; 16] = [
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    [2.0, 2.0, 2.0, 2.0, 2.0, 2.0],
    [3.5, 3.5, 3.5, 3.5, 3.5, 3.5],
    [7.3, 7.3, 7.3, 7.3, 7.3, 7.3],
    [64.0, 64.0, 64.0, 64.0, 64.0, 64.0],
    [4.0, 0.0, 4.0, 4.0, 4.0, 4.0],
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    [7.3, 1.0, 2.5, 63.0, 4.0, 3.0],
    [5.0, 3.0, 7.0, 9.0, 1.0, 1.0],
    [1.0, 1.0, 1.0, 1.0, 3.0, 1.0],
    [1.0, 1.0, 1.0, 1.0, 2.0, 5.0],
    [63.0, 63.0, 63.0, 63.0, 63.0, 63.0],
    [100.0, 80.0, 3.0, 6.0, 70.0, 2.0],
    [0.5, 0.25, 0.75, 0.125, 0.0, -1.0],
    [2.0, 6.0, 4.0, 8.0, 4.0, 6.0],
    [3.0, 5.0, 3.0, 5.0, 3.0, 7.0],
];

/// The levels of patches whose division into triangles does not depend on the tessellator.
const SIMPLE: [[f32; 6]; 4] = [
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    [2.0, 2.0, 2.0, 2.0, 2.0, 2.0],
    [2.0, 1.0, 1.0, 2.0, 2.0, 2.0],
    [4.0, 0.0, 4.0, 4.0, 4.0, 4.0],
];

/// A draw call of several patches.
struct Case {
    /// The outer and inner levels of each patch.
    levels: &'static [[f32; 6]],
    /// What is drawn of a triangle.
    polygon_mode: PolygonMode,
    domain: &'static str,
    spacing: &'static str,
    order: &'static str,
    points: bool,
}

impl Case {
    fn name(&self) -> String {
        let points = if self.points { ", points" } else { "" };
        let mode = self.polygon_mode.word();
        format!("{}, {}, {}{points}, {mode}", self.domain, self.spacing, self.order)
    }

    /// Number of vertices of a primitive.
    fn size(&self) -> usize {
        match self.domain {
            _ if self.points => 1,
            "isolines" => 2,
            _ => 3,
        }
    }

    /// The draw call in the form of the files of `tests/stages`.
    fn text(&self) -> String {
        let Case { domain, spacing, order, points, levels, .. } = self;
        let points = if *points { ", point_mode" } else { "" };
        let list = |range: std::ops::Range<usize>| -> String {
            let all = levels.iter().flat_map(|levels| &levels[range.clone()]);
            all.map(|level| format!(" {level:?}")).collect()
        };
        let (outer, inner) = (list(0..4), list(4..6));
        let (outers, inners) = match *domain {
            "triangles" => (3, 1),
            "quads" => (4, 2),
            _ => (2, 0),
        };
        let stores: String = (0..outers)
            .map(|i| format!("    gl_TessLevelOuter[{i}] = o[0][{i}];\n"))
            .chain((0..inners).map(|i| format!("    gl_TessLevelInner[{i}] = n[0][{i}];\n")))
            .collect();
        format!(
            "//! draw {count}
//! topology patches 1
//! attribute 0 = f32 4:{outer}
//! attribute 1 = f32 2:{inner}
//! points 0
//! output 0 = 4 * f32
//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec2 b;
layout(location = 0) out vec4 outer;
layout(location = 1) out vec2 inner;
void main() {{ gl_Position = vec4(0.0); outer = a; inner = b; }}
//@ tess_control
#version 450
layout(vertices = 1) out;
layout(location = 0) in vec4 o[];
layout(location = 1) in vec2 n[];
void main() {{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
{stores}}}
//@ tess_eval
#version 450
layout({domain}, {spacing}, {order}{points}) in;
layout(location = 0) out vec4 where;
void main() {{
    vec2 cell = vec2(gl_PrimitiveID % 4, gl_PrimitiveID / 4) * 16.0;
    vec2 at = cell + 0.28125 + gl_TessCoord.xy * vec2(15.34375, 15.28125);
    gl_Position = vec4(at / 32.0 - 1.0, 0.5, 1.0);
    gl_PointSize = 1.0;
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
}}
",
            count = levels.len(),
        )
    }

    /// The fragment shader. The places of points and lines are not compared, because several may cover a pixel.
    fn fragment(&self) -> String {
        let filled = self.size() == 3 && self.polygon_mode == PolygonMode::Fill;
        let place = if filled { "where.xy" } else { "vec2(0.0)" };
        format!(
            "#version 450
layout(location = 0) in vec4 where;
layout(location = 0) out vec4 o;
layout(location = 1) out uvec4 p;
void main() {{ o = vec4({place}, 0.0, 1.0); p = uvec4(uint(where.w + 0.5), gl_FrontFacing, 2, 3); }}
"
        )
    }

    /// Whether no edge of a patch has short segments.
    fn is_regular(&self, patch: usize) -> bool {
        let parity = match self.spacing {
            "equal_spacing" => return true,
            "fractional_even_spacing" => 0.0,
            _ => 1.0,
        };
        let [a, b, c, d, x, y] =
            self.levels[patch].map(|level| level.clamp(2.0 - parity, 64.0 - parity));
        let whole = |level: &f32| level % 2.0 == parity;
        match self.domain {
            // A level of 1 inside may be rounded up, without a long segment inside.
            "triangles" => [a, b, c, x].iter().all(whole) && (x > 1.0 || a.max(b).max(c) == 1.0),
            "quads" => {
                let most = a.max(b).max(c).max(d).max(x).max(y);
                [a, b, c, d, x, y].iter().all(whole) && (x.min(y) > 1.0 || most == 1.0)
            }
            _ => whole(&b),
        }
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for domain in ["triangles", "quads", "isolines"] {
        for spacing in ["equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"] {
            for (order, points) in [("ccw", false), ("cw", false), ("ccw", true)] {
                if domain != "isolines" || order == "ccw" {
                    let (levels, polygon_mode) = (&LEVELS[..], PolygonMode::Fill);
                    cases.push(Case { levels, polygon_mode, domain, spacing, order, points });
                }
            }
        }
    }
    for polygon_mode in [PolygonMode::Line, PolygonMode::Point] {
        for (domain, order) in [("triangles", "ccw"), ("quads", "cw")] {
            let (levels, spacing) = (&SIMPLE[..], "equal_spacing");
            cases.push(Case { levels, polygon_mode, domain, spacing, order, points: false });
        }
    }
    cases
}

/// The points of a patch, primitive by primitive.
fn of_patch(points: &[(usize, Point)], patch: usize) -> Vec<Point> {
    points.iter().filter(|(of, _)| *of == patch).map(|(_, point)| *point).collect()
}

/// The number of different points.
fn distinct(points: &[Point]) -> usize {
    let bits = points.iter().map(|point| point.map(f32::to_bits));
    bits.collect::<BTreeSet<_>>().len()
}

/// The greatest difference of a coordinate of a patch. Lavapipe divides 1 by a level with 16 fraction bits, and multiplies the
/// result by up to half the level.
fn tolerance(levels: &[f32; 6]) -> f32 {
    let most = levels.iter().fold(1f32, |most, level| most.max(*level)).min(64.0);
    (most / 2.0 + 2.0) * 0.5f32.powi(16)
}

/// The first point of `a` that is not in `b`.
fn missing(a: &[Point], b: &[Point], tolerance: f32) -> Option<Point> {
    let mut sorted = b.to_vec();
    sorted.sort_by(|x, y| x[0].total_cmp(&y[0]));
    let has = |point: &Point| {
        let start = sorted.partition_point(|other| other[0] < point[0] - tolerance);
        let near = sorted[start..].iter().take_while(|other| other[0] <= point[0] + tolerance);
        near.into_iter().any(|other| (0..3).all(|i| (other[i] - point[i]).abs() <= tolerance))
    };
    a.iter().copied().find(|point| !has(point))
}

/// Compares the points of all patches.
fn compare_points(case: &Case, ours: &[(usize, Point)], theirs: &[(usize, Point)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (patch, levels) in case.levels.iter().enumerate() {
        let [ours, theirs] = [ours, theirs].map(|points| of_patch(points, patch));
        let mut fail = |text: String| wrong.push(format!("patch {levels:?}: {text}"));
        if ours.len() != theirs.len() {
            let size = case.size();
            fail(format!("{} primitives, expected {}", ours.len() / size, theirs.len() / size));
        }
        if case.is_regular(patch) {
            // Short segments may have no length in one tessellator, and a little in the other.
            let [found, expected] = [&ours, &theirs].map(|points| distinct(points));
            if found != expected {
                fail(format!("{found} different points, expected {expected}"));
            }
        }
        if let Some(point) = missing(&ours, &theirs, tolerance(levels)) {
            fail(format!("unexpected point {point:?}"));
        }
        if let Some(point) = missing(&theirs, &ours, tolerance(levels)) {
            fail(format!("missing point {point:?}"));
        }
        let same_everywhere = levels[..4].iter().all(|level| *level == levels[0]);
        if case.domain != "isolines" && same_everywhere {
            let mirrored: Vec<Point> = ours
                .iter()
                .map(|[u, v, w]| match case.domain {
                    "triangles" => [*v, *u, *w],
                    _ => [1.0 - u, *v, *w],
                })
                .collect();
            if let Some(point) = missing(&mirrored, &ours, 1e-6) {
                fail(format!("no point {point:?}, which mirrors another"));
            }
        }
    }
    wrong
}

/// Compares a draw call in all modes.
fn compare(case: &Case, lavapipe: &Lavapipe) -> Result<Vec<String>, String> {
    let test = StageTest::parse(&case.name(), &case.text()).map_err(|error| error.to_string())?;
    let Expected { drawn, points: theirs } =
        test.expected(lavapipe).map_err(|error| error.to_string())?;
    let mut expected = Expected { drawn, points: Vec::new() };
    let mut pictures = Vec::new();
    // Points that are at other places cover other pixels.
    let has_picture = case.size() == 3 || case.spacing == "equal_spacing";
    for (cull, clockwise) in [("none", false), ("back", false), ("back", true)] {
        if has_picture && (case.size() == 3 || cull == "none") {
            let state = RasterState {
                cull,
                clockwise_front: clockwise,
                polygon_mode: case.polygon_mode.word(),
                ..RasterState::default()
            };
            let picture = Picture::new(&test, lavapipe, &case.fragment(), SIZE, state)?;
            pictures.push((cull, clockwise, picture));
        }
    }
    if !pictures.is_empty() && pictures.iter().all(|(_, _, picture)| picture.is_empty()) {
        return Err("lavapipe draws nothing".to_owned());
    }
    let mut wrong = Vec::new();
    for mode in MODES {
        let name = mode_name(mode);
        let mut engine = StageEmulator::new(&test, mode)?;
        expected.points = engine.tessellate(&test)?;
        let differences = compare_points(case, &expected.points, &theirs);
        wrong.extend(differences.into_iter().map(|text| format!("{name}: {text}")));
        let found = run(&test, &mut engine, &expected)?;
        for (cull, clockwise, picture) in &pictures {
            let mut state =
                DrawState { polygon_mode: case.polygon_mode, ..DrawState::new([SIZE; 2]) };
            if *cull == "back" {
                state.cull = CullMode::Back;
            }
            if *clockwise {
                state.front_face = FrontFace::Clockwise;
            }
            if let Err(text) = picture.compare(&test, &found, mode, state) {
                wrong.push(format!("{name}: cull {cull}, clockwise {clockwise}: {text}"));
            }
        }
    }
    Ok(wrong)
}

#[test]
fn patches_are_divided_as_by_lavapipe() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let only = std::env::var("CRESTLINE_ONLY").unwrap_or_default();
    let mut failures = Vec::new();
    for case in cases().iter().filter(|case| case.name().contains(&only)) {
        let wrong = compare(case, lavapipe).unwrap_or_else(|error| vec![error]);
        println!("{}: {} differences", case.name(), wrong.len());
        failures.extend(wrong.into_iter().map(|text| format!("{}: {text}", case.name())));
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
