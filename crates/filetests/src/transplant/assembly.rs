//! Run tests in SPIR-V assembly as vertex and fragment shaders.
//!
//! Such a test has one input: the number of the invocation in its only workgroup. In a vertex shader it is the number of the vertex,
//! in a fragment shader an input of a point that covers one pixel. The judge is the compute shader's.

use crestline::{Simd, Stage};
use crestline_device::Platform;
use crestline_emu::{SlotValues, Topology};
use crestline_judges::spirv::SpirvTools;
use crestline_program::Varying;

use super::{Drawing, WIDTH, draw_fragment};
use crate::corpus::RunTest;
use crate::engine::Emulator;
use crate::stages::Mode;

/// What other stages cannot have, or what depends on the arrangement of invocations.
const ONLY_COMPUTE: [&str; 7] = [
    " Workgroup",
    "OpControlBarrier",
    "Subgroup",
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
    let (model, modes) = match stage {
        Stage::Vertex => ("Vertex", ""),
        Stage::Fragment => ("Fragment", "OriginUpperLeft"),
        _ => return Ok(None),
    };
    let source = &test.source;
    let suits = test.name.ends_with(".spvasm")
        && test.case.groups == [1; 3]
        && test.case.spec.is_empty()
        && test.case.addresses.is_empty()
        && !ONLY_COMPUTE.iter().any(|word| source.contains(word));
    let mut text = String::new();
    let (mut count, mut inputs) = (None, 0);
    for line in source.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["OpEntryPoint", "GLCompute", ..] => text.push_str(&line.replace("GLCompute", model)),
            ["OpExecutionMode", entry, "LocalSize", x, "1", "1"] => {
                count = x.parse().ok();
                if !modes.is_empty() {
                    text.push_str(&format!("OpExecutionMode {entry} {modes}"));
                }
            }
            ["OpDecorate", id, "BuiltIn", "LocalInvocationIndex"] => {
                inputs += 1;
                text.push_str(&match stage {
                    Stage::Vertex => format!("OpDecorate {id} BuiltIn VertexIndex"),
                    _ => format!("OpDecorate {id} Location 0\nOpDecorate {id} Flat"),
                });
            }
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
    for &(platform, simd) in modes {
        let found = test.failures(&Emulator::new(platform, simd), expected);
        failures.extend(found.into_iter().filter(|error| !is_absent(test, simd, error)));
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
