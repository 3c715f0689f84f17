//! The run tests of `tests/run/` in other stages: the same GLSL as a vertex, tessellation, geometry or fragment shader.
//!
//! A compute shader that uses neither shared memory nor barriers is a function of the numbers of its invocation. The new shader
//! has that function under another name, and variables with the numbers, which its `main` computes from the number of the
//! vertex, patch, primitive or pixel. Results are in the buffers and images of the run test, and are compared with those of
//! lavapipe for the new shader. [`assembly`] does the same for tests in SPIR-V assembly.

pub mod assembly;

use std::fmt::Write;

use crestline::{Options, Simd, Stage, compile_spirv};
use crestline_device::{Device, SurfaceFormat};
use crestline_emu::{
    Class, DrawState, Framebuffer, Kernel, Problem, SlotValues, SurfaceName, Topology,
};
use crestline_frontend::Language;
use crestline_judges::lavapipe::{Attachment, Lavapipe, RasterJob, RasterState};
use crestline_program::{Program, Varying};

use crate::corpus::{RunTest, compile_source};
use crate::engine::{contents_after, emulator_resources, tell_resources};
use crate::stages::{self, Mode, StageEmulator, StageTest};

/// The most invocations of a test.
const MAX_INVOCATIONS: u32 = 1024;

/// The width of the picture of a fragment shader.
const WIDTH: u32 = 32;

/// The other stages.
pub const STAGES: [Stage; 5] =
    [Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Geometry, Stage::Fragment];

/// Words of shaders that other stages cannot have, or whose results depend on the arrangement of invocations, and directives that
/// only compute shaders have.
const ONLY_COMPUTE: &[&str] = &[
    "shared ",
    "barrier(",
    "Barrier(",
    "ubgroup",
    "derivative_group",
    "_id = ",
    "#include",
    "//! spec",
    "//! inactive",
    "//! scratch",
    "//! entry",
];

/// Run tests that only compute and fragment shaders run, and why.
const ONLY_FRAGMENTS: [(&str, &str); 2] = [
    ("image_formatless.comp", "the formats of images are options of the compiler"),
    ("open_textures.comp", "the sizes of arrays are options of the compiler"),
];

/// Run tests that only compute shaders run, and why.
const EXCLUDED: [(&str, &str); 3] = [
    ("open_array.comp", "the index is the same only in a workgroup"),
    ("image_array.comp", "lavapipe takes one element for several workgroups"),
    ("image_invert.comp", "invocations outside of the image access it on purpose"),
];

/// Run tests whose judge is lavapipe's compute shader. In other stages, its packing of signed bytes is wrong, doubles and floats
/// that are denormalized become zeros, and in fragment shaders all invocations read the same element of an array of textures.
const JUDGED_AS_COMPUTE: [&str; 5] = [
    "pack.comp",
    "float64_bits.comp",
    "float64_convert.comp",
    "float64_edges.comp",
    "texture_arrays.comp",
];

/// Run tests that SIMD4x2 code cannot do: a part of the error's text.
pub const NOT_IN_SIMD4X2: [(&str, &str); 4] = [
    ("int64.comp", "on 64-bit values is not supported yet"),
    ("int64_sums.comp", "on 64-bit values is not supported yet"),
    ("float64.comp", "f2i on 64-bit values is not supported yet"),
    ("float64_convert.comp", "f2i on 64-bit values is not supported yet"),
];

/// The built-ins of compute shaders, and the variables that take their places.
const BUILTINS: [(&str, &str); 6] = [
    ("gl_GlobalInvocationID", "of_all"),
    ("gl_LocalInvocationID", "of_group"),
    ("gl_LocalInvocationIndex", "index_of_group"),
    ("gl_WorkGroupID", "group"),
    ("gl_NumWorkGroups", "groups"),
    ("gl_WorkGroupSize", "group_size"),
];

const TRIVIAL_VERTEX: &str =
    "//@ vertex\n#version 450\nvoid main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }\n";

const CONTROL: &str = "//@ tess_control\n#version 450\nlayout(vertices = 1) out;\nvoid main() {
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = 1.0;
}
";

const EVALUATION: &str = "//@ tess_eval\n#version 450\nlayout(isolines, point_mode) in;
layout(location = 7) out vec4 where;
void main() {
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}
";

/// The directives of a run test that draw calls have too, and those of a draw call of `count` vertices.
fn directives(source: &str, prefix: &str, count: u32) -> String {
    let ours = ["dispatch", "simd", "also", "inactive", "scratch", "unjudged", "expect"];
    let mut text = String::new();
    for line in source.lines().filter_map(|line| line.strip_prefix(prefix)) {
        if !ours.iter().any(|word| line.starts_with(word)) {
            let _ = writeln!(text, "//! {line}");
        }
    }
    let _ = writeln!(text, "//! draw {count}\n//! output position = 4 * f32");
    text
}

/// A run test as a shader of another stage.
#[derive(Debug)]
pub enum Transplant {
    /// A draw call whose shaders before the fragment shader run the test.
    Draw(Box<StageTest>),
    /// A fragment shader. A triangle covers the picture, which has a pixel for each invocation.
    Fragment {
        /// The module.
        words: Vec<u32>,
        /// Rows of the picture.
        rows: u32,
    },
}

/// The numbers after `local_size_x = ` and so on; those that are absent are 1.
fn local_size(source: &str) -> Option<[u32; 3]> {
    let number = |axis: &str| {
        let Some((_, rest)) = source.split_once(&format!("local_size_{axis} = ")) else {
            return Some(1);
        };
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..digits].parse().ok()
    };
    Some([number("x")?, number("y")?, number("z")?])
}

/// The shader with its function, and a `main` that calls it. `number` is the expression of the invocation's number, `layouts` are
/// the declarations, `before` and `after` the statements around the call.
fn shader(
    test: &RunTest,
    layouts: &str,
    number: &str,
    [before, after]: [&str; 2],
) -> Option<(String, u32)> {
    let size = local_size(&test.source)?;
    let groups = test.case.groups;
    let total = size.iter().chain(&groups).product::<u32>();
    if total > MAX_INVOCATIONS {
        return None;
    }
    let (mut head, mut body) = (String::new(), String::new());
    for line in test.source.lines() {
        if line.starts_with('#') && !line.starts_with("#define") {
            let _ = writeln!(head, "{line}");
        } else if line.contains("local_size_") {
            // The statement must be alone in its line.
            if !line.trim_end().ends_with("in;") {
                return None;
            }
        } else {
            let _ = writeln!(body, "{line}");
        }
    }
    if !body.contains("void main()") {
        return None;
    }
    body = body.replace("void main()", "void whole()");
    for (builtin, name) in BUILTINS {
        body = body.replace(builtin, name);
    }
    if body.contains("gl_") {
        return None;
    }
    let ([x, y, z], [across, down, deep]) = (size, groups);
    let text = format!(
        "{head}{layouts}
uvec3 of_all, of_group, group;
uint index_of_group;
const uvec3 group_size = uvec3({x}, {y}, {z}), groups = uvec3({across}, {down}, {deep});
{body}
void run(uint number) {{
    uint at = number / {invocations}u;
    index_of_group = number % {invocations}u;
    of_group = uvec3(index_of_group % {x}u, index_of_group / {x}u % {y}u, index_of_group / {plane}u);
    group = uvec3(at % {across}u, at / {across}u % {down}u, at / {layer}u);
    of_all = group * group_size + of_group;
    whole();
}}
void main() {{
    {before}
    if ({number} < {total}u) run({number});
    {after}
}}
",
        invocations = x * y * z,
        plane = x * y,
        layer = across * down,
    );
    Some((text, total))
}

/// The run test in another stage; `None` if it cannot be there.
///
/// # Errors
///
/// The new shader does not compile to SPIR-V, which is a defect of this module.
pub fn transplant(test: &RunTest, stage: Stage) -> Result<Option<Transplant>, String> {
    let source = &test.source;
    let is_glsl = test.name.ends_with(".comp");
    let is_judged = test.case.judged && test.case.expected.is_empty();
    // The engine of draw calls does not take addresses out of the buffers again.
    let only_fragments = !is_judged
        || !test.case.addresses.is_empty()
        || ONLY_FRAGMENTS.iter().any(|(name, _)| *name == test.name);
    let excluded = only_fragments && stage != Stage::Fragment
        || EXCLUDED.iter().any(|(name, _)| *name == test.name);
    if !is_glsl || excluded || ONLY_COMPUTE.iter().any(|word| source.contains(word)) {
        return Ok(None);
    }
    let place = "gl_Position = vec4(0.0, 0.0, 0.0, 1.0);";
    let found = match stage {
        Stage::Vertex => shader(test, "", "uint(gl_VertexIndex)", [place, ""]),
        Stage::Geometry => shader(
            test,
            "layout(points) in;\nlayout(points, max_vertices = 1) out;\n",
            "uint(gl_PrimitiveIDIn)",
            [place, "EmitVertex();"],
        ),
        Stage::TessControl => shader(
            test,
            "layout(vertices = 1) out;\n",
            "uint(gl_PrimitiveID)",
            ["gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = 1.0;", ""],
        ),
        Stage::TessEval => shader(
            test,
            "layout(isolines, point_mode) in;\nlayout(location = 7) out vec4 where;\n",
            "uint(gl_PrimitiveID)",
            ["where = vec4(gl_TessCoord, float(gl_PrimitiveID));", place],
        ),
        Stage::Fragment => shader(
            test,
            "layout(location = 0) out vec4 colour;\n",
            &format!("(uint(gl_FragCoord.y) * {WIDTH}u + uint(gl_FragCoord.x))"),
            ["colour = vec4(1.0);", ""],
        ),
        Stage::Compute => None,
    };
    let Some((text, total)) = found else { return Ok(None) };
    if stage == Stage::Fragment {
        let words = compile_source("shader.frag", Language::Glsl, &text)
            .map_err(|error| format!("{}: {error}\n{text}", test.name))?;
        return Ok(Some(Transplant::Fragment { words, rows: total.div_ceil(WIDTH) }));
    }
    let mut file = directives(source, "//! ", total);
    match stage {
        Stage::Vertex => _ = write!(file, "//@ vertex\n{text}"),
        Stage::Geometry => _ = write!(file, "{TRIVIAL_VERTEX}//@ geometry\n{text}"),
        _ => {
            let _ = write!(file, "//! topology patches 1\n//! points 7\n{TRIVIAL_VERTEX}");
            let _ = match stage {
                Stage::TessControl => write!(file, "//@ tess_control\n{text}{EVALUATION}"),
                _ => write!(file, "{CONTROL}//@ tess_eval\n{text}"),
            };
        }
    }
    let parsed = StageTest::parse(&test.name, &file)
        .map_err(|error| format!("{}, {stage:?}: {error}\n{file}", test.name))?;
    Ok(Some(Transplant::Draw(Box::new(parsed))))
}

/// The buffers that the compute shader's judge gives; `None` if the judge is lavapipe with the shader of the other stage. Pictures
/// of lavapipe are drawn without addresses of buffers.
fn of_compute(test: &RunTest, stage: Stage, lavapipe: &Lavapipe) -> Option<Vec<Vec<u8>>> {
    let has_addresses = stage == Stage::Fragment && !test.case.addresses.is_empty();
    let chosen = JUDGED_AS_COMPUTE.contains(&test.name.as_str())
        || has_addresses
        || !test.case.judged
        || !test.case.expected.is_empty();
    chosen.then(|| test.expected(lavapipe).unwrap_or_default())
}

/// Runs the draw call in each mode. Returns one line for each difference to lavapipe.
pub fn draw_failures(
    of: &RunTest,
    test: &StageTest,
    lavapipe: &Lavapipe,
    modes: &[Mode],
) -> Vec<String> {
    let mut expected = match test.expected(lavapipe) {
        Ok(expected) => expected,
        Err(error) => return vec![format!("{}: {error}", test.name)],
    };
    if let Some(buffers) = of_compute(of, Stage::Vertex, lavapipe) {
        expected.drawn.buffers = buffers;
    }
    let mut failures = Vec::new();
    for &mode in modes.iter().filter(|mode| test.runs_in(**mode)) {
        let absent = NOT_IN_SIMD4X2.iter().find(|row| row.0 == test.name);
        let absent = absent.filter(|_| mode.1 == Simd::Simd4x2).map(|row| row.1);
        let found = StageEmulator::new(test, mode)
            .and_then(|mut engine| stages::run(test, &mut engine, &expected));
        let wrong = match (found, absent) {
            (Ok(_), Some(_)) => vec!["expected an error".to_owned()],
            (Ok(found), None) => test.differences(&found, &expected.drawn),
            (Err(error), Some(part)) if error.contains(part) => Vec::new(),
            (Err(error), _) => vec![error],
        };
        let name = format!("{} on {}", test.name, stages::mode_name(mode));
        failures.extend(wrong.into_iter().map(|error| format!("{name}: {error}")));
    }
    failures
}

const COVERING_VERTEX: &str = "#version 450
void main() {
    gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.5, 1.0);
}";

/// Compiles a fragment shader.
///
/// # Errors
///
/// The compiler's message.
pub fn compile_fragment(
    test: &RunTest,
    words: &[u32],
    (platform, simd): Mode,
) -> Result<Program, String> {
    let mut options = Options::new(platform).with_simd(simd);
    options.verify = true;
    tell_resources(&mut options, test);
    compile_spirv(words, &options).map_err(|error| error.to_string())
}

/// What a fragment shader draws.
struct Drawing<'a> {
    words: &'a [u32],
    /// Width and height of the picture.
    size: [u32; 2],
    topology: Topology,
    strip: Vec<SlotValues>,
}

/// Draws with the fragment shader in each mode. Returns one line for each difference to the judge.
pub fn fragment_failures(
    test: &RunTest,
    (words, rows): (&[u32], u32),
    lavapipe: &Lavapipe,
    modes: &[Mode],
) -> Vec<String> {
    let size = [WIDTH, rows];
    let expected = of_compute(test, Stage::Fragment, lavapipe);
    let expected = expected.map_or_else(|| rasterized(test, words, size, lavapipe), Ok);
    let expected = match expected {
        Ok(expected) => expected,
        Err(error) => return vec![format!("{}: {error}", test.name)],
    };
    let corners = [[-1.0f32, -1.0], [3.0, -1.0], [-1.0, 3.0]];
    let vertex = |[x, y]: [f32; 2]| {
        SlotValues::new().with(Varying::Position, [x, y, 0.5, 1.0].map(f32::to_bits))
    };
    let strip = corners.into_iter().map(vertex).collect();
    let drawing = Drawing { words, size, topology: Topology::Triangles, strip };
    let mut failures = Vec::new();
    for &(platform, simd) in modes {
        let wrong = match draw_fragment(test, &drawing, (platform, simd)) {
            Ok(found) => test.differences(&found, &expected),
            Err(error) => vec![error],
        };
        let name = format!("{} on {platform} {simd}", test.name);
        failures.extend(wrong.into_iter().map(|error| format!("{name}: {error}")));
    }
    failures
}

/// The buffers after a draw call on lavapipe.
fn rasterized(
    test: &RunTest,
    words: &[u32],
    size: [u32; 2],
    lavapipe: &Lavapipe,
) -> Result<Vec<Vec<u8>>, String> {
    let vertex = compile_source("covering.vert", Language::Glsl, COVERING_VERTEX)?;
    let contents = vec![0; (16 * size[0] * size[1]) as usize];
    let job = RasterJob {
        vertex: &vertex,
        fragment: words,
        vertices: 3,
        size,
        push: test.case.push.clone(),
        buffers: test.case.buffers.clone(),
        attachments: vec![Attachment { format: "rgba32f", contents, written: true }],
        views: 0,
        samples: 1,
    };
    let drawn = lavapipe.rasterize_with(&job, &RasterState::default());
    drawn.map(|drawn| drawn.buffers).map_err(|error| error.to_string())
}

/// The buffers after a draw call in the emulator.
fn draw_fragment(
    test: &RunTest,
    drawing: &Drawing<'_>,
    mode: Mode,
) -> Result<Vec<Vec<u8>>, String> {
    let program = compile_fragment(test, drawing.words, mode)?;
    let device = Device::new(mode.0);
    let kernel = Kernel::load(&program.code, program.metadata, &device)
        .map_err(|error| error.to_string())?;
    let resources = emulator_resources(&test.case, None)?;
    let mut framebuffer = Framebuffer::new(drawing.size).map_err(|error| error.to_string())?;
    framebuffer
        .clear_colour(0, SurfaceFormat::R32G32B32A32_FLOAT, [0; 4])
        .map_err(|error| error.to_string())?;
    let state = DrawState { topology: drawing.topology, ..DrawState::new(drawing.size) };
    let strips: Vec<Vec<SlotValues>> = match drawing.topology {
        Topology::Points => drawing.strip.iter().map(|vertex| vec![vertex.clone()]).collect(),
        _ => vec![drawing.strip.clone()],
    };
    let options = crestline_emu::Options::default();
    let report = kernel
        .draw(&state, &strips, &mut framebuffer, &resources, &options, None)
        .map_err(|error| error.to_string())?;
    let harmless = |problem: Problem| match problem {
        Problem::OutOfBounds { surface: SurfaceName::Image(_), .. } => true,
        problem => problem.class() == Class::UninitializedRead,
    };
    if let Some(found) = report.diagnostics.iter().find(|found| !harmless(found.problem)) {
        return Err(found.to_string());
    }
    Ok(contents_after(&test.case, &resources))
}
