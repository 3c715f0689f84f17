//! Each value of each state of a draw call: factors, operations, comparisons, topologies, vertex formats and numbers of samples.
//!
//! Each group is a script. A row of the group runs copies of the script's pipelines, with attachments of their own, after a change
//! of the state of the pipeline `test`. What the emulator draws is compared with lavapipe's picture, with a model for the numbers
//! of samples that lavapipe lacks. The rows come from the lists of all values, so that none is without a test; they are the table
//! `cells` of `docs/stages.md`.

#[path = "states/formats.rs"]
mod formats;

use std::path::Path;

use crestline::{Platform, Simd};
use crestline_amber::script::{
    Action, Buffer, Command, Image, Pipeline, Sampler, Script, Topology, Work,
};
use crestline_device::CompareOp;
use crestline_emu::{Blend, BlendEquation, BlendFactor, BlendOp, LogicOp, StencilOp};
use crestline_filetests::scripts::{Expected, Verdict};
use crestline_filetests::stages_page::{self, Outcome, PLATFORMS, Row};
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;
use crestline_judges::pictures::sample_positions;

/// What a row changes.
struct Parts<'a> {
    pipeline: &'a mut Pipeline,
    samplers: &'a mut [Sampler],
    work: &'a mut Work,
    buffers: &'a mut [Buffer],
}

/// A row: its name, its SIMD width if only one is possible, the first device that has the value, and its change.
struct Change {
    feature: String,
    simd: Option<Simd>,
    first: Platform,
    change: Box<dyn Fn(&mut Parts<'_>)>,
}

fn row(feature: String, change: impl Fn(&mut Parts<'_>) + 'static) -> Change {
    Change { feature, simd: None, first: Platform::Ivb, change: Box::new(change) }
}

/// The script whose buffers, samplers, pipelines and commands are copies of those of `base`, changed for a row.
fn changed(base: &Script, change: &Change) -> Script {
    let mut script = base.clone();
    let number = script.pipelines.iter().position(|pipeline| pipeline.name == "test");
    let number = number.expect("a pipeline `test`");
    let is_run = |command: &&mut Command| matches!(command.action, Action::Run { pipeline, .. } if pipeline == number);
    let run = script.commands.iter_mut().find(is_run).expect("a run of `test`");
    let Action::Run { work, .. } = &mut run.action else { unreachable!("it is a run") };
    (change.change)(&mut Parts {
        pipeline: &mut script.pipelines[number],
        samplers: &mut script.samplers,
        work,
        buffers: &mut script.buffers,
    });
    script
}

const FULL_SCREEN: &str = "#!amber
SHADER vertex screen PASSTHROUGH
SHADER fragment color_fragment GLSL
#version 450
layout(location = 0) out vec4 color;
void main() {
  vec2 at = gl_FragCoord.xy / 16.0;
  color = vec4(at.x, at.y, 1.0 - at.x, 0.25 + 0.5 * at.y);
}
END
SHADER fragment dual_fragment GLSL
#version 450
layout(location = 0, index = 0) out vec4 color;
layout(location = 0, index = 1) out vec4 second;
void main() {
  vec2 at = gl_FragCoord.xy / 16.0;
  color = vec4(at.x, at.y, 1.0 - at.x, 0.25 + 0.5 * at.y);
  second = vec4(at.y, 0.75 - 0.5 * at.x, at.x * at.y, 0.5 * at.x);
}
END
SHADER fragment depth_fragment GLSL
#version 450
layout(location = 0) out vec4 color;
void main() {
  vec2 at = floor(gl_FragCoord.xy / 4.0) / 4.0;
  gl_FragDepth = at.x;
  color = vec4(at, 1.0, 1.0);
}
END
BUFFER picture FORMAT R8G8B8A8_UNORM
";

/// The end of a script that clears the picture and draws over all of it.
const BLENDED: &str = "
PIPELINE graphics test
  ATTACH screen
  ATTACH color_fragment
  FRAMEBUFFER_SIZE 16 16
  BIND BUFFER picture AS color LOCATION 0
END
CLEAR_COLOR test 51 153 204 102
CLEAR test
RUN test DRAW_RECT POS 0 0 SIZE 16 16
";

fn blend(source: BlendFactor, destination: BlendFactor, op: BlendOp) -> BlendEquation {
    BlendEquation { source, destination, op }
}

/// Blend factors: `of` is the factor of the source's colour and the attachment's alpha, or the other way round.
fn factors() -> Vec<Change> {
    let all = BlendFactor::ALL.iter().flat_map(|factor| [(*factor, true), (*factor, false)]);
    let change = |(factor, of_source): (BlendFactor, bool)| {
        let place = if of_source { "source" } else { "attachment" };
        let mut row =
            row(format!("blend factor `{}` of the {place}", factor.word()), move |parts| {
                let half = blend(factor, BlendFactor::SrcAlpha, BlendOp::Add);
                let other = blend(BlendFactor::DstAlpha, factor, BlendOp::Add);
                let [colour, alpha] = if of_source { [half, other] } else { [other, half] };
                parts.pipeline.blend = Some(Blend { colour, alpha });
                parts.pipeline.blend_constants = [0.25, 0.5, 0.75, 0.375];
            });
        if factor.word().contains("src1") {
            let inner = row.change;
            row.simd = Some(Simd::Simd8);
            row.change = Box::new(move |parts| {
                inner(parts);
                let fragment = parts.pipeline.shaders.last_mut().expect("a fragment shader");
                // `dual_fragment` follows `color_fragment`.
                fragment.shader += 1;
            });
        }
        row
    };
    all.map(change).collect()
}

fn blend_operations() -> Vec<Change> {
    let change = |op: &'static BlendOp| {
        row(format!("blend operation `{}`", op.word()), move |parts| {
            let colour = blend(BlendFactor::SrcAlpha, BlendFactor::One, *op);
            let alpha = blend(BlendFactor::One, BlendFactor::DstAlpha, *op);
            parts.pipeline.blend = Some(Blend { colour, alpha });
        })
    };
    BlendOp::ALL.iter().map(change).collect()
}

fn logical_operations() -> Vec<Change> {
    let change = |op: &'static LogicOp| {
        row(format!("logical operation `{}`", op.word()), move |parts| {
            parts.pipeline.logic_op = Some(*op);
        })
    };
    LogicOp::ALL.iter().map(change).collect()
}

/// Tests of depth: the attachment has 0.5 everywhere, the fragments 0, 0.25, 0.5 and 0.75.
const DEPTH: &str = "
BUFFER depth FORMAT D32_SFLOAT
PIPELINE graphics test
  ATTACH screen
  ATTACH depth_fragment
  FRAMEBUFFER_SIZE 16 16
  BIND BUFFER picture AS color LOCATION 0
  BIND BUFFER depth AS depth_stencil
  DEPTH
    TEST on
    WRITE on
  END
END
CLEAR_DEPTH test 0.5
CLEAR test
RUN test DRAW_RECT POS 0 0 SIZE 16 16
";

fn depth_comparisons() -> Vec<Change> {
    let change = |op: &'static CompareOp| {
        row(format!("depth comparison `{op:?}`"), move |parts| parts.pipeline.depth.compare = *op)
    };
    COMPARISONS.iter().map(change).collect()
}

const COMPARISONS: &[CompareOp] = &[
    CompareOp::Never,
    CompareOp::Less,
    CompareOp::Equal,
    CompareOp::LessOrEqual,
    CompareOp::Greater,
    CompareOp::NotEqual,
    CompareOp::GreaterOrEqual,
    CompareOp::Always,
];

/// Tests of stencil values: the columns of the attachment have 0, 3, 100 and 255, the reference is 3. Depths fail in the upper
/// half. `VALUE` is replaced.
const STENCIL: &str = "
BUFFER tested FORMAT D32_SFLOAT_S8_UINT
";
const STENCIL_SETUP: &str = "
PIPELINE graphics setup_VALUE
  ATTACH screen
  ATTACH color_fragment
  FRAMEBUFFER_SIZE 16 16
  BIND BUFFER picture AS color LOCATION 0
  BIND BUFFER tested AS depth_stencil
  STENCIL front_and_back
    TEST on
    FAIL_OP replace
    PASS_OP replace
    DEPTH_FAIL_OP replace
    COMPARE_OP always
    COMPARE_MASK 255
    WRITE_MASK 255
    REFERENCE VALUE
  END
END
";
const STENCIL_TEST: &str = "
PIPELINE graphics test
  ATTACH screen
  ATTACH depth_fragment
  FRAMEBUFFER_SIZE 16 16
  BIND BUFFER picture AS color LOCATION 0
  BIND BUFFER tested AS depth_stencil
  DEPTH
    TEST on
    WRITE off
    COMPARE_OP greater
  END
  STENCIL front_and_back
    TEST on
    FAIL_OP keep
    PASS_OP invert
    DEPTH_FAIL_OP keep
    COMPARE_OP always
    COMPARE_MASK 255
    WRITE_MASK 255
    REFERENCE 3
  END
END
CLEAR_DEPTH test 0.3
CLEAR test
RUN setup_3 DRAW_RECT POS 4 0 SIZE 4 16
RUN setup_100 DRAW_RECT POS 8 0 SIZE 4 16
RUN setup_255 DRAW_RECT POS 12 0 SIZE 4 16
RUN test DRAW_RECT POS 0 0 SIZE 16 16
";

fn stencil_text() -> String {
    let setups: String =
        ["3", "100", "255"].map(|value| STENCIL_SETUP.replace("VALUE", value)).concat();
    format!("{FULL_SCREEN}{STENCIL}{setups}{STENCIL_TEST}")
}

fn stencil_states() -> Vec<Change> {
    let tests = |parts: &mut Parts<'_>| parts.pipeline.stencil.expect("a stencil test");
    let compare = COMPARISONS.iter().map(move |op| {
        row(format!("stencil comparison `{op:?}`"), move |parts| {
            parts.pipeline.depth.test = false;
            parts.pipeline.stencil = Some(tests(parts).map(|mut test| {
                test.compare = *op;
                test
            }));
        })
    });
    // The comparison passes for 3 and 100, so that each operation is done for values that fail, too.
    let operate = StencilOp::ALL.iter().map(move |op| {
        row(format!("stencil operation `{}`", op.word()), move |parts| {
            parts.pipeline.stencil = Some(tests(parts).map(|mut test| {
                test.compare = CompareOp::LessOrEqual;
                (test.fail, test.pass, test.depth_fail) = (*op, *op, *op);
                test
            }));
        })
    });
    compare.chain(operate).collect()
}

/// Comparisons of samplers: the texture has 0, 0.25, 0.5 and 0.75 in its columns, the reference has them in its rows.
const SHADOW: &str = "
SHADER fragment compare_fragment GLSL
#version 450
layout(binding = 0) uniform sampler2DShadow depths;
layout(location = 0) out vec4 color;
void main() {
  vec2 at = gl_FragCoord.xy / 16.0;
  color = vec4(texture(depths, vec3(at, floor(at.y * 4.0) / 4.0)), at, 1.0);
}
END
BUFFER depth FORMAT D32_SFLOAT
BUFFER unused FORMAT R8G8B8A8_UNORM
SAMPLER comparing MAG_FILTER nearest MIN_FILTER nearest COMPARE on COMPARE_OP less
PIPELINE graphics fill
  ATTACH screen
  ATTACH depth_fragment
  FRAMEBUFFER_SIZE 16 16
  BIND BUFFER unused AS color LOCATION 0
  BIND BUFFER depth AS depth_stencil
  DEPTH
    TEST on
    WRITE on
    COMPARE_OP always
  END
END
PIPELINE graphics test
  ATTACH screen
  ATTACH compare_fragment
  FRAMEBUFFER_SIZE 16 16
  BIND BUFFER depth AS combined_image_sampler SAMPLER comparing DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER picture AS color LOCATION 0
END
RUN fill DRAW_RECT POS 0 0 SIZE 16 16
RUN test DRAW_RECT POS 0 0 SIZE 16 16
";

fn sampler_comparisons() -> Vec<Change> {
    let change = |op: &'static CompareOp| {
        row(format!("sampler comparison `{op:?}`"), move |parts| {
            parts.samplers[0].compare = Some(*op);
        })
    };
    COMPARISONS.iter().map(change).collect()
}

/// Twelve vertices between the pixel centres.
const VERTICES: &str = "#!amber
SHADER vertex place_vertex GLSL
#version 450
layout(location = 0) in vec2 place;
layout(location = 0) flat out uint number;
void main() {
  gl_Position = vec4(place / 16.0 - 1.0, 0.0, 1.0);
  gl_PointSize = 3.0;
  number = gl_VertexIndex;
}
END
SHADER vertex patch_vertex GLSL
#version 450
layout(location = 0) in vec2 place;
void main() { gl_Position = vec4(place / 16.0 - 1.0, 0.0, 1.0); }
END
SHADER tessellation_control patch_control GLSL
#version 450
layout(vertices = 3) out;
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
  gl_TessLevelInner[0] = 2.0;
}
END
SHADER tessellation_evaluation patch_eval GLSL
#version 450
layout(triangles) in;
layout(location = 0) flat out uint number;
void main() {
  gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y
    + gl_in[2].gl_Position * gl_TessCoord.z;
  number = 0u;
}
END
SHADER fragment number_fragment GLSL
#version 450
layout(location = 0) flat in uint number;
layout(location = 0) out vec4 color;
void main() { color = vec4(float(number) * 0.0625, gl_FragCoord.xy / 32.0, 1.0); }
END
BUFFER picture FORMAT R8G8B8A8_UNORM
BUFFER places DATA_TYPE vec2<float> DATA
2.25 3.25  9.25 1.25  4.25 13.25  12.25 11.25  8.25 22.25  17.25 17.25
15.25 29.25  23.25 21.25  21.25 5.25  29.25 11.25  24.25 2.25  30.25 27.25
END
PIPELINE graphics test
  ATTACH place_vertex
  ATTACH number_fragment
  FRAMEBUFFER_SIZE 32 32
  VERTEX_DATA places LOCATION 0
  BIND BUFFER picture AS color LOCATION 0
END
PIPELINE graphics patches
  ATTACH patch_vertex
  ATTACH patch_control
  ATTACH patch_eval
  ATTACH number_fragment
  FRAMEBUFFER_SIZE 32 32
  VERTEX_DATA places LOCATION 0
  BIND BUFFER picture AS color LOCATION 0
END
CLEAR test
RUN test DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 12
";

fn topologies(base: &Script) -> Vec<Change> {
    let patches = base.pipelines[1].clone();
    let change = |(name, topology): &'static (&'static str, Topology)| {
        let patches = patches.clone();
        row(format!("topology `{name}`"), move |parts| {
            if *topology == Topology::PatchList {
                parts.pipeline.shaders.clone_from(&patches.shaders);
            }
            if let Work::Array { topology: own, .. } = parts.work {
                *own = *topology;
            }
        })
    };
    Topology::NAMES.iter().map(change).collect()
}

/// Whether a device of the table is `first` or a later one.
fn is_since(platform: Platform, first: Platform) -> bool {
    let number = |wanted| PLATFORMS.iter().position(|platform| *platform == wanted);
    number(platform) >= number(first)
}

/// Compares the rows of a group, and adds them to the table.
fn judge(
    rows: &mut Vec<Row>,
    base: &Script,
    changes: &[Change],
    lavapipe: &'static Lavapipe,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, change) in changes.iter().enumerate() {
        let script = changed(base, change);
        let expected = match Expected::of(script, Path::new("."), lavapipe) {
            Ok(expected) => expected,
            Err(verdict) => {
                wrong.push(format!("{}: {verdict:?}", change.feature));
                continue;
            }
        };
        let widths = [Simd::Simd8, Simd::Simd16, Simd::Simd32];
        let simd = change.simd.unwrap_or(widths[number % widths.len()]);
        let mut outcomes = Vec::new();
        for platform in PLATFORMS {
            let verdict = expected.compare(platform, [simd, Simd::Auto]);
            let has = is_since(platform, change.first);
            let is_expected = match &verdict {
                Verdict::Equal => has,
                Verdict::Unsupported(text) => !has && text.contains("the device has no"),
                Verdict::Differs(_) => false,
            };
            let result = match verdict {
                Verdict::Equal => Ok(()),
                Verdict::Differs(text) | Verdict::Unsupported(text) => Err(text),
            };
            if !is_expected {
                let text = result.as_ref().err().map_or("it draws", String::as_str);
                wrong.push(format!("{} on {platform}, {simd}: {text}", change.feature));
            }
            outcomes.push(Outcome { platform, simd, result });
        }
        let feature = change.feature.clone();
        rows.push(Row { feature, judge: "lavapipe".to_owned(), outcomes });
    }
    wrong
}

fn parse(text: &str) -> Script {
    crestline_amber::parse(text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// A triangle whose edges cross pixels, on pixels with several samples.
const SAMPLES: &str = "#!amber
SHADER vertex place_vertex GLSL
#version 450
layout(location = 0) in vec2 place;
void main() { gl_Position = vec4(place / 8.0 - 1.0, 0.0, 1.0); }
END
SHADER fragment white_fragment GLSL
#version 450
layout(location = 0) out vec4 color;
void main() { color = vec4(1.0); }
END
BUFFER picture FORMAT R8G8B8A8_UNORM
BUFFER samples FORMAT R8G8B8A8_UNORM
BUFFER places DATA_TYPE vec2<float> DATA
1.03125 2.03125  14.59375 5.84375  4.65625 15.21875
END
PIPELINE graphics test
  ATTACH place_vertex
  ATTACH white_fragment
  FRAMEBUFFER_SIZE 16 16
  VERTEX_DATA places LOCATION 0
  BIND BUFFER picture AS color LOCATION 0
END
CLEAR test
RUN test DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3
";

const CORNERS: [[f64; 2]; 3] = [[1.03125, 2.03125], [14.59375, 5.84375], [4.65625, 15.21875]];

/// A number of samples: the pipeline draws to an image with them, which is resolved to the picture.
fn with_samples(count: u32) -> Change {
    row(format!("{count} samples"), move |parts| {
        let number = |parts: &Parts<'_>, name| {
            parts.buffers.iter().position(|buffer| buffer.name == name).expect("the buffer")
        };
        let (picture, samples) = (number(parts, "picture"), number(parts, "samples"));
        let image: &mut Option<Image> = &mut parts.buffers[samples].image;
        image.as_mut().expect("an image").samples = count;
        let attachment = parts.pipeline.colours[0];
        if count > 1 {
            parts.pipeline.colours[0].buffer = samples;
            parts.pipeline.resolves.push(attachment);
        }
        assert_eq!(attachment.buffer, picture);
    })
}

/// Whether a place is inside of the triangle, whose corners run clockwise in the picture.
fn is_inside([x, y]: [f64; 2]) -> bool {
    (0..3).all(|i| {
        let ([ax, ay], [bx, by]) = (CORNERS[i], CORNERS[(i + 1) % 3]);
        (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0
    })
}

/// The numbers of samples that lavapipe lacks, against the positions of samples.
fn judge_samples(rows: &mut Vec<Row>, base: &Script, lavapipe: &'static Lavapipe) -> Vec<String> {
    let mut wrong = judge(rows, base, &[with_samples(1), with_samples(4)], lavapipe);
    for (count, first) in [(2, Platform::Bdw), (8, Platform::Ivb), (16, Platform::Skl)] {
        let change = with_samples(count);
        let script = changed(base, &change);
        let mut outcomes = Vec::new();
        for platform in PLATFORMS {
            let simd = Simd::Simd8;
            let has = is_since(platform, first);
            let result = match has {
                false => Err("the device has no such number of samples".to_owned()),
                true => covered(script.clone(), platform, count),
            };
            if let (true, Err(text)) = (has, &result) {
                wrong.push(format!("{} on {platform}: {text}", change.feature));
            }
            outcomes.push(Outcome { platform, simd, result });
        }
        rows.push(Row { feature: change.feature, judge: "model".to_owned(), outcomes });
    }
    wrong
}

/// Compares the part of each pixel that is covered with the model.
fn covered(script: Script, platform: Platform, count: u32) -> Result<(), String> {
    let run = Expected::unjudged(script, Path::new("."));
    let memory = run
        .emulate(platform, [Simd::Simd8, Simd::Auto])
        .map_err(|verdict| format!("{verdict:?}"))?;
    let number = run.script.buffers.iter().position(|buffer| buffer.name == "picture");
    let picture = &memory.buffers[number.expect("the picture")].bytes;
    for (pixel, texel) in picture.chunks_exact(4).enumerate() {
        let at = [pixel % 16, pixel / 16].map(|side| side as f64);
        let place = |position: &&[u8; 2]| {
            is_inside([0, 1].map(|axis| at[axis] + f64::from(position[axis]) / 16.0))
        };
        let inside = sample_positions(count).iter().filter(place).count();
        let expected = 255.0 * inside as f64 / f64::from(count);
        if (f64::from(texel[0]) - expected).abs() > 1.0 {
            return Err(format!("pixel {at:?} is {}, expected {expected}", texel[0]));
        }
    }
    Ok(())
}

#[test]
fn every_value_of_every_state_is_drawn_as_by_lavapipe() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    let blended = parse(&format!("{FULL_SCREEN}{BLENDED}"));
    // With 8 bits, lavapipe rounds each product, so that a sum can be wrong by two codes.
    let floats = FULL_SCREEN.replace("R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT");
    let floats = parse(&format!("{floats}{BLENDED}"));
    let depth = parse(&format!("{FULL_SCREEN}{DEPTH}"));
    let stencil = parse(&stencil_text());
    let shadow = parse(&format!("{FULL_SCREEN}{SHADOW}"));
    let vertices = parse(VERTICES);
    for (base, changes) in [
        (&floats, factors()),
        (&floats, blend_operations()),
        (&blended, logical_operations()),
        (&depth, depth_comparisons()),
        (&stencil, stencil_states()),
        (&shadow, sampler_comparisons()),
        (&vertices, topologies(&vertices)),
    ] {
        wrong.extend(judge(&mut rows, base, &changes, lavapipe));
    }
    wrong.extend(formats::judge_all(&mut rows, lavapipe));
    wrong.extend(judge_samples(&mut rows, &parse(SAMPLES), lavapipe));
    assert!(wrong.is_empty(), "{} failures\n{}", wrong.len(), wrong.join("\n"));
    stages_page::check("cells", &stages_page::table(&rows));
}
