//! Run tests in SPIR-V assembly as shaders of other stages.
//!
//! Such a test has one input: the number of the invocation in its only workgroup. In a vertex shader it is the number of the vertex,
//! in a fragment shader an input of a point that covers one pixel, in other shaders the number of the primitive. The judge is the
//! compute shader's.

use crestline::{Simd, Stage};
use crestline_device::Platform;
use crestline_emu::{SlotValues, Topology};
use crestline_judges::lavapipe::{Drawn, VertexStage};
use crestline_judges::spirv::SpirvTools;
use crestline_program::Varying;

use super::{CONTROL, Drawing, EVALUATION, TRIVIAL_VERTEX, WIDTH, directives, draw_fragment};
use crate::corpus::RunTest;
use crate::engine::Emulator;
use crate::stages::{self, Expected, Mode, StageEmulator, StageTest};

const GEOMETRY: &str = "//@ geometry\n#version 450\nlayout(points) in;\nlayout(points, max_vertices = 1) out;\n\
    void main() { EmitVertex(); }\n";

/// What other stages cannot have, or what depends on the arrangement of invocations.
const ONLY_COMPUTE: [&str; 9] = [
    " Workgroup ",
    " Workgroup\n",
    "OpControlBarrier",
    "BuiltIn Subgroup",
    "OpSubgroup",
    "AMD_shader_ballot",
    " OpGroupNonUniform",
    "LocalSizeId",
    "%gl_WorkGroupID",
];

/// Run tests that SIMD4x2 code cannot do: a part of the error's text.
const NOT_IN_SIMD4X2: [(&str, &str); 2] = [
    ("int64_products.spvasm", "on 64-bit values"),
    ("image_wide_operands.spvasm", "on 64-bit values"),
];

/// The module in another stage, and the number of invocations; `None` if it cannot be there.
///
/// # Errors
///
/// The assembler's message.
pub fn module(test: &RunTest, stage: Stage) -> Result<Option<(Vec<u32>, u32)>, String> {
    let (model, modes, capability): (_, &[&str], _) = match stage {
        Stage::Vertex => ("Vertex", &[], ""),
        Stage::Fragment => ("Fragment", &["OriginUpperLeft"], ""),
        Stage::TessControl => ("TessellationControl", &["OutputVertices 1"], "Tessellation"),
        Stage::TessEval => {
            ("TessellationEvaluation", &["Isolines", "SpacingEqual", "PointMode"], "Tessellation")
        }
        Stage::Geometry => {
            let modes = &["InputPoints", "OutputPoints", "Invocations 1", "OutputVertices 1"];
            ("Geometry", modes, "Geometry")
        }
        Stage::Compute => return Ok(None),
    };
    let source = &test.source;
    let suits = test.name.ends_with(".spvasm")
        && test.case.groups == [1; 3]
        && test.case.spec.is_empty()
        && (test.case.addresses.is_empty() || matches!(stage, Stage::Vertex | Stage::Fragment))
        && !ONLY_COMPUTE.iter().any(|word| source.contains(word));
    let mut text = String::new();
    let (mut count, mut inputs) = (None, 0);
    for line in source.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["OpEntryPoint", "GLCompute", ..] => text.push_str(&line.replace("GLCompute", model)),
            ["OpExecutionMode", entry, "LocalSize", x, "1", "1"] => {
                count = x.parse().ok();
                for mode in modes {
                    text.push_str(&format!("OpExecutionMode {entry} {mode}\n"));
                }
            }
            ["OpDecorate", id, "BuiltIn", "LocalInvocationIndex"] => {
                inputs += 1;
                text.push_str(&match stage {
                    Stage::Vertex => format!("OpDecorate {id} BuiltIn VertexIndex"),
                    Stage::Fragment => format!("OpDecorate {id} Location 0\nOpDecorate {id} Flat"),
                    _ => format!("OpDecorate {id} BuiltIn PrimitiveId"),
                });
            }
            ["OpCapability", "Shader"] if !capability.is_empty() => {
                text.push_str(&format!("{line}\nOpCapability {capability}"));
            }
            ["OpDecorate", _, "BuiltIn", "WorkgroupSize"] => {}
            ["OpDecorate", _, "BuiltIn", name] if name != "DeviceIndex" => return Ok(None),
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    let Some(count) = count.filter(|_| suits && inputs == 1) else { return Ok(None) };
    let tools = SpirvTools::find().map_err(|absent| absent.to_string())?;
    let words = tools.assemble(&text).map_err(|error| format!("{}: {error}", test.name))?;
    Ok(Some((words, count)))
}

/// The run test with a vertex shader, one vertex for each invocation.
pub fn of_vertices(test: &RunTest, words: Vec<u32>, count: u32) -> RunTest {
    let mut case = test.case.clone();
    case.groups = [count, 1, 1];
    RunTest { name: test.name.clone(), source: test.source.clone(), case, spirv: words }
}

/// Whether a mode cannot have the test.
fn is_absent(test: &RunTest, simd: Simd, error: &str) -> bool {
    let row = NOT_IN_SIMD4X2.iter().find(|row| row.0 == test.name);
    row.is_some_and(|row| simd == Simd::Simd4x2 && error.contains(row.1))
}

/// Runs the vertex shader in each mode. Returns one line for each difference to the expected buffers.
pub fn vertex_failures(test: &RunTest, expected: &[Vec<u8>], modes: &[Mode]) -> Vec<String> {
    let mut failures = Vec::new();
    // SIMD4x2 has no messages with 64-bit addresses.
    let lacks =
        |mode: &Mode| !test.case.addresses.is_empty() && *mode == (Platform::Bdw, Simd::Simd4x2);
    for &(platform, simd) in modes.iter().filter(|mode| !lacks(mode)) {
        let found = test.failures(&Emulator::new(platform, simd), expected);
        failures.extend(found.into_iter().filter(|error| !is_absent(test, simd, error)));
    }
    failures
}

/// The run test as a draw call, with the module as the shader of its stage and trivial shaders of other stages.
///
/// # Errors
///
/// A directive of the run test that draw calls do not have.
pub fn draw_call(
    test: &RunTest,
    stage: Stage,
    words: Vec<u32>,
    count: u32,
) -> Result<StageTest, String> {
    let trivial = match stage {
        Stage::Geometry => GEOMETRY.to_owned(),
        _ => format!("{CONTROL}{EVALUATION}"),
    };
    let head = match stage {
        Stage::Geometry => "",
        _ => "//! topology patches 1\n//! points 7\n",
    };
    let text = format!("{}{head}{TRIVIAL_VERTEX}{trivial}", directives(&test.source, ";! ", count));
    let mut draw = StageTest::parse(&test.name, &text).map_err(|error| error.to_string())?;
    // The module writes no position.
    draw.case.outputs.clear();
    let place = match stage {
        Stage::TessControl => VertexStage::TessControl,
        Stage::TessEval => VertexStage::TessEval,
        _ => VertexStage::Geometry,
    };
    for module in draw.modules.iter_mut().filter(|module| module.0 == place) {
        module.1.clone_from(&words);
    }
    Ok(draw)
}

/// Runs the draw call in each mode. Returns one line for each difference to the expected buffers.
pub fn draw_failures(
    (test, draw): (&RunTest, &StageTest),
    count: u32,
    buffers: &[Vec<u8>],
    modes: &[Mode],
) -> Vec<String> {
    // The tessellator makes one point of each patch.
    let points = (0..count as usize).map(|patch| (patch, [0.0; 3])).collect();
    let drawn = Drawn { streams: vec![Vec::new()], buffers: buffers.to_vec() };
    let expected = Expected { drawn, points };
    let mut failures = Vec::new();
    for &mode in modes {
        let found = StageEmulator::new(draw, mode)
            .and_then(|mut engine| stages::run(draw, &mut engine, &expected));
        let wrong = match found {
            Ok(found) => test.differences(&found.buffers, buffers),
            Err(error) if is_absent(test, mode.1, &error) => Vec::new(),
            Err(error) => vec![error],
        };
        let name = format!("{} on {}", test.name, stages::mode_name(mode));
        failures.extend(wrong.into_iter().map(|error| format!("{name}: {error}")));
    }
    failures
}

/// Draws a point for each invocation. Returns one line for each difference to the expected buffers.
pub fn fragment_failures(
    test: &RunTest,
    (words, count): (&[u32], u32),
    expected: &[Vec<u8>],
    modes: impl IntoIterator<Item = (Platform, Simd)>,
) -> Vec<String> {
    let rows = count.div_ceil(WIDTH);
    let vertex = |number: u32| {
        let place = |at: u32, size: u32| (2.0 * at as f32 + 1.0) / size as f32 - 1.0;
        let (x, y) = (place(number % WIDTH, WIDTH), place(number / WIDTH, rows));
        SlotValues::new()
            .with(Varying::Position, [x, y, 0.5, 1.0].map(f32::to_bits))
            .with(Varying::Header, [0, 0, 0, 1f32.to_bits()])
            .with(Varying::Location { location: 0 }, [number, 0, 0, 0])
    };
    let drawing = Drawing {
        words,
        size: [WIDTH, rows],
        topology: Topology::Points,
        strip: (0..count).map(vertex).collect(),
    };
    let mut failures = Vec::new();
    for mode in modes {
        let wrong = match draw_fragment(test, &drawing, mode) {
            Ok(found) => test.differences(&found, expected),
            Err(error) => vec![error],
        };
        let name = format!("{} on {} {}", test.name, mode.0, mode.1);
        failures.extend(wrong.into_iter().map(|error| format!("{name}: {error}")));
    }
    failures
}
