//! Programs as shaders of the graphics pipeline, and the check of their results.
//!
//! The test does not choose which invocations form a subgroup. The shader gives each subgroup a number, and stores it with the
//! number of the lane beside the variables. [`check`] builds the subgroups from these records, runs the model for each, and compares the
//! variables. Lanes without a record take no part in the model, so a helper invocation that took part in an operation would show.

use std::collections::BTreeMap;

use super::generate::{each_of, operations};
use super::{Elem, Expr, Op, Program, VARIABLES, glsl, model};

/// Width and height of the picture.
const SIDE: u32 = 16;

/// Words of the record of an invocation: the variables, the number of the subgroup, and the lane.
const WORDS: usize = VARIABLES + 2;

/// The buffer of a script that has the records.
pub const RESULTS: &str = "results";

/// The stage whose shader runs the program, and what it draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A vertex shader, for this many points.
    Vertex(u32),
    /// A geometry shader, for this many points.
    Geometry(u32),
    /// A fragment shader for all pixels, so that there are no helper invocations.
    Fragment,
    /// A fragment shader for some pixels of many quads, with derivatives, so that it has helper invocations.
    Helpers,
    /// As [`Helpers`](Stage::Helpers), and some pixels become helper invocations before the program runs.
    Demoted,
}

/// The parts of a record besides the variables. The subgroup's number is the sum of an atomic counter, which one invocation
/// increments.
const RECORD: &str = "    uint group = 0u;
    if (subgroupElect()) group = atomicAdd(count, 1u) + 1u;
    group = subgroupBroadcastFirst(group);
    result[ID * 6u + 4u] = group;
    result[ID * 6u + 5u] = gl_SubgroupInvocationID;
";

impl Stage {
    /// The number of records.
    fn invocations(self) -> u32 {
        match self {
            Stage::Vertex(count) | Stage::Geometry(count) => count,
            _ => SIDE * SIDE,
        }
    }

    fn is_fragment(self) -> bool {
        !matches!(self, Stage::Vertex(_) | Stage::Geometry(_))
    }

    /// A script that draws with the program in this stage.
    pub fn script(self, program: &Program) -> String {
        let count = "layout(set = 0, binding = 1) buffer Count { uint count; };\n";
        let write = |declarations: &str, id: &str, [first, last]: [&str; 2]| {
            let declarations = format!("{count}{declarations}");
            glsl::stage(program, &declarations, id, WORDS, [&format!("{first}{RECORD}"), last])
        };
        let point = "gl_Position = vec4(0.0, 0.0, 0.0, 1.0); gl_PointSize = 1.0;";
        let plain = format!("#version 450\nvoid main() {{ {point} }}\n");
        // The first triangle covers the picture; the second has edges that cross many quads.
        let triangle = |corners: &str| {
            format!(
                "#version 450\nvoid main() {{ vec2 at[3] = vec2[3]({corners});\n  \
                 gl_Position = vec4(at[gl_VertexIndex], 0.0, 1.0); }}\n"
            )
        };
        let whole = triangle("vec2(-1, -1), vec2(3, -1), vec2(-1, 3)");
        let part = triangle("vec2(-0.9, -0.8), vec2(0.8, -0.1), vec2(-0.4, 0.9)");
        let pixel = "(uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x))";
        let colour = "layout(location = 0) out vec4 colour;\n";
        let blank = format!("#version 450\n{colour}void main() {{ colour = vec4(1.0); }}\n");
        let demote = format!("#extension GL_EXT_demote_to_helper_invocation : require\n{colour}");
        let change = "    colour = vec4(dFdx(gl_FragCoord.x * gl_FragCoord.y));\n";
        let some = format!("    if ({pixel} % 5u == 1u) demote;\n{change}");
        let shaders = match self {
            Stage::Vertex(_) => [
                Some(write("", "uint(gl_VertexIndex)", ["", &format!("{point}\n")])),
                None,
                Some(blank),
            ],
            Stage::Geometry(_) => {
                let layout = "layout(points) in;\nlayout(points, max_vertices = 1) out;\n";
                let id = "uint(gl_PrimitiveIDIn)";
                let last = format!("{point} EmitVertex();\n");
                [Some(plain), Some(write(layout, id, ["", &last])), Some(blank)]
            }
            Stage::Fragment => {
                [Some(whole), None, Some(write(colour, pixel, ["    colour = vec4(1.0);\n", ""]))]
            }
            Stage::Helpers => [Some(part), None, Some(write(colour, pixel, [change, ""]))],
            Stage::Demoted => [Some(part), None, Some(write(&demote, pixel, [&some, ""]))],
        };
        let (mut text, mut attached) = (String::from("#!amber\n"), String::new());
        for (name, shader) in ["vertex", "geometry", "fragment"].iter().zip(shaders) {
            if let Some(shader) = shader {
                text += &format!("SHADER {name} {name}_shader GLSL\n{shader}END\n");
                attached += &format!("  ATTACH {name}_shader\n");
            }
        }
        let words = self.invocations() as usize * WORDS;
        let (topology, vertices) = match self.is_fragment() {
            true => ("TRIANGLE_LIST", 3),
            false => ("POINT_LIST", self.invocations()),
        };
        text + &format!(
            "BUFFER {RESULTS} DATA_TYPE uint32 SIZE {words} FILL 0\n\
             BUFFER counter DATA_TYPE uint32 SIZE 1 FILL 0\n\
             BUFFER picture FORMAT R8G8B8A8_UNORM\n\
             PIPELINE graphics draw\n{attached}  FRAMEBUFFER_SIZE {SIDE} {SIDE}\n  \
             BIND BUFFER picture AS color LOCATION 0\n  \
             BIND BUFFER {RESULTS} AS storage DESCRIPTOR_SET 0 BINDING 0\n  \
             BIND BUFFER counter AS storage DESCRIPTOR_SET 0 BINDING 1\nEND\n\
             RUN draw DRAW_ARRAY AS {topology} START_IDX 0 COUNT {vertices}\n"
        )
    }
}

/// Operations of a program of [`each_operation`].
const OPS_EACH: usize = 12;

/// Programs that together have each operation, on numbers of 32 bits, in each stage without helper invocations.
pub fn each_operation() -> Vec<(Stage, Program)> {
    let mut ops = operations(&Expr::Var(0));
    ops.retain(|op| match op {
        Op::AllEqual(elem)
        | Op::BroadcastFirst(elem)
        | Op::Broadcast(elem, _)
        | Op::Shuffle(elem, _)
        | Op::ShuffleXor(elem, _)
        | Op::ShuffleUp(elem, _)
        | Op::ShuffleDown(elem, _)
        | Op::Rotate(elem, _)
        | Op::RotateCluster(elem, ..)
        | Op::QuadBroadcast(elem, _)
        | Op::QuadSwap(elem, _)
        | Op::Combine(_, elem, _) => matches!(elem, Elem::U32 | Elem::F32),
        _ => true,
    });
    let stages = [Stage::Vertex(45), Stage::Geometry(27), Stage::Fragment];
    let programs = ops.chunks(OPS_EACH);
    let programs = programs
        .flat_map(|ops| stages.map(|stage: Stage| (stage, each_of(ops, stage.invocations()))));
    programs.collect()
}

/// Checks the records of all invocations for subgroups of a size.
///
/// # Errors
/// The first subgroup that is wrong.
pub fn check(stage: Stage, program: &Program, size: u32, bytes: &[u8]) -> Result<(), String> {
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect();
    let records: Vec<&[u32]> = words.chunks_exact(WORDS).collect();
    // The number of the invocation in each lane, by the number of the subgroup.
    let mut subgroups = BTreeMap::<u32, Vec<Option<u32>>>::new();
    for (id, record) in (0..).zip(&records) {
        let (number, lane) = (record[VARIABLES], record[VARIABLES + 1]);
        if number == 0 {
            continue;
        }
        if lane >= size {
            return Err(format!("invocation {id} is in lane {lane} of {size}"));
        }
        let lanes = subgroups.entry(number).or_insert_with(|| vec![None; size as usize]);
        if let Some(other) = lanes[lane as usize].replace(id) {
            return Err(format!("invocations {other} and {id} are in lane {lane} of {number}"));
        }
    }
    let found: usize = subgroups.values().flatten().flatten().count();
    let expected = match stage {
        Stage::Helpers | Stage::Demoted => SIDE as usize..=stage.invocations() as usize,
        _ => stage.invocations() as usize..=stage.invocations() as usize,
    };
    if !expected.contains(&found) {
        return Err(format!("{found} invocations have a record: expected {expected:?}"));
    }
    for (number, lanes) in &subgroups {
        if stage.is_fragment() {
            check_quads(lanes)?;
        }
        let results = model::run_subgroup(program, size, lanes);
        for (lane, (id, result)) in lanes.iter().zip(results).enumerate() {
            let Some(id) = *id else { continue };
            let found = &records[id as usize][..VARIABLES];
            if found != result {
                let present: Vec<usize> =
                    (0..lanes.len()).filter(|&at| lanes[at].is_some()).collect();
                return Err(format!(
                    "invocation {id}, lane {lane} of subgroup {number} with lanes {present:?}: \
                     found {found:x?}, expected {result:x?}"
                ));
            }
        }
    }
    Ok(())
}

/// Checks that the pixels of four lanes are in the places of one quad.
fn check_quads(lanes: &[Option<u32>]) -> Result<(), String> {
    for quad in lanes.chunks(4) {
        let places = quad.iter().zip(0..).filter_map(|(id, at)| Some(((*id)?, at)));
        let corners = places.map(|(id, at)| {
            let (x, y) = (id % SIDE, id / SIDE);
            (x % 2 == at % 2 && y % 2 == at / 2).then_some((x / 2, y / 2))
        });
        let corners: Vec<_> = corners.collect();
        if corners.windows(2).any(|pair| pair[0] != pair[1]) || corners.contains(&None) {
            return Err(format!("pixels {quad:?} are not in their places of a quad"));
        }
    }
    Ok(())
}
