//! Random draw calls of two to five stages: the interpreter, and the compiled code on the emulator, must give what lavapipe
//! captures, also if the stages are linked, and the emulator must draw lavapipe's picture.
//!
//! `CRESTLINE_RANDOM=COUNT` sets the number of draw calls, `CRESTLINE_SEED=N` the first seed. Without these variables each draw
//! call runs in one mode only. A draw call that fails is stored in `target/random/SEED.glsl`, its fragment shader in
//! `target/random/SEED.frag`. With `CRESTLINE_RANDOM_DRAW=SEED` and `CRESTLINE_RANDOM_STORED=FILE`, the test runs a stored draw
//! call, perhaps shortened, and prints what differs.
//!
//! Each draw call runs in a process of its own: lavapipe 22.3 corrupts its heap if it makes some pipelines one after another,
//! whatever they draw. A few pipelines make it crash alone. The code of this project is safe, so a process that a signal ends is
//! lavapipe's fault, unless a stack has overflowed; the test counts such draw calls.

use std::process::Command;

use crestline::{Options, Simd, compile_spirv};
use crestline_device::{Device, SurfaceFormat};
use crestline_emu::{Class, DrawState, Framebuffer, Kernel, Problem, SurfaceName, Topology};
use crestline_filetests::corpus::compile_source;
use crestline_filetests::engine::{bound_resources, emulator_key};
use crestline_filetests::random_pipelines::{self, Pipeline};
use crestline_filetests::repository;
use crestline_filetests::stages::{
    Engine, Expected, Found, MODES, Mode, StageEmulator, StageInterpreter, StageTest, mode_name,
    run, to_values,
};
use crestline_frontend::Language;
use crestline_judges::ask;
use crestline_judges::lavapipe::{
    self, Attachment, Lavapipe, RasterInput, RasterJob, RasterState, Rasterized, VertexStage,
};

/// The most failures that are printed.
const MAX_FAILURES: usize = 40;

/// The variable with the seed of the one draw call that a process runs.
const CHILD: &str = "CRESTLINE_RANDOM_DRAW";

/// The variable that makes a process use all modes.
const ALL_MODES: &str = "CRESTLINE_RANDOM_MODES";

/// What a process prints before each difference.
const MARK: &str = "difference: ";

/// What a process prints if it has compared a picture in which something was drawn.
const PICTURE: &str = "a picture";

/// Width and height of the picture.
const SIZE: u32 = 32;

/// What attachments contain before.
const CLEAR: u8 = 0xcd;

/// The largest difference of interpolated values. Vertices have values below 1024, and the gradients of narrow triangles are
/// large.
const TOLERANCE: f32 = 0.05;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

/// The fragment shader of a draw call and lavapipe's picture.
struct Picture {
    fragment: Vec<u32>,
    drawn: Rasterized,
}

/// Draws the picture in lavapipe.
fn picture(test: &StageTest, lavapipe: &Lavapipe, source: &str) -> Result<Picture, String> {
    let fragment = compile_source("shader.frag", Language::Glsl, source)?;
    let case = &test.case;
    let module = |stage| test.module(stage).unwrap_or_default();
    let (topology, patch) = match case.topology {
        lavapipe::Topology::Points => ("points", 0),
        lavapipe::Topology::Lines => ("lines", 0),
        lavapipe::Topology::LinesAdjacency => ("lines_adjacency", 0),
        lavapipe::Topology::Triangles => ("triangles", 0),
        lavapipe::Topology::TrianglesAdjacency => ("triangles_adjacency", 0),
        lavapipe::Topology::Patches(vertices) => ("patches", vertices),
    };
    let stages = [VertexStage::TessControl, VertexStage::TessEval].map(module);
    let input = RasterInput {
        tessellation: (patch > 0).then_some((stages, patch)),
        geometry: test.module(VertexStage::Geometry),
        attributes: case.attributes.clone(),
        instances: case.instances,
        first_vertex: case.first_vertex,
        first_instance: case.first_instance,
    };
    let contents = vec![CLEAR; 16 * (SIZE * SIZE) as usize];
    let attachment = |format| Attachment { format, contents: contents.clone(), written: true };
    let job = RasterJob {
        vertex: module(VertexStage::Vertex),
        fragment: &fragment,
        vertices: case.vertices,
        size: [SIZE; 2],
        push: case.resources.push.clone(),
        buffers: case.resources.buffers.clone(),
        attachments: vec![attachment("rgba32f"), attachment("rgba32ui")],
        views: 0,
        samples: 1,
    };
    let state = RasterState { topology, ..RasterState::default() };
    let drawn = lavapipe.rasterize_through(&job, &input, &state);
    let drawn = drawn.map_err(|error| format!("lavapipe: {error}"))?;
    if drawn.attachments.iter().any(|texels| texels.iter().any(|byte| *byte != CLEAR)) {
        println!("{PICTURE}");
    }
    Ok(Picture { fragment, drawn })
}

/// Draws the vertices that an engine found, and compares the picture.
fn draw(test: &StageTest, picture: &Picture, found: &Found, mode: Mode) -> Result<(), String> {
    let mut options = Options::new(mode.0).with_simd(Simd::Auto);
    options.verify = true;
    let program = compile_spirv(&picture.fragment, &options).map_err(|error| error.to_string())?;
    let kernel = Kernel::load(&program.code, program.metadata, &Device::new(mode.0))
        .map_err(|error| error.to_string())?;
    let mut buffers = test.case.resources.buffers.clone();
    for (buffer, contents) in buffers.iter_mut().zip(&found.buffers) {
        buffer.contents.clone_from(contents);
    }
    let resources = bound_resources(&buffers, &test.case.resources.push, None)?;
    let mut framebuffer = Framebuffer::new([SIZE; 2]).map_err(|error| error.to_string())?;
    let formats = [SurfaceFormat::R32G32B32A32_FLOAT, SurfaceFormat::R32G32B32A32_UINT];
    for (number, format) in (0..).zip(formats) {
        let contents = vec![CLEAR; 16 * (SIZE * SIZE) as usize];
        framebuffer.set_colour(number, format, contents).map_err(|error| error.to_string())?;
    }
    let topology = match found.primitive_vertices {
        1 => Topology::Points,
        2 => Topology::Lines,
        _ => Topology::Triangles,
    };
    let state = DrawState { topology, ..DrawState::new([SIZE; 2]) };
    let strip = found.vertices.iter().map(to_values).collect();
    let options = crestline_emu::Options { budget: 50_000_000, ..Default::default() };
    let report = kernel
        .draw(&state, &[strip], &mut framebuffer, &resources, &options, None)
        .map_err(|error| error.to_string())?;
    let harmless = |problem: Problem| match problem {
        Problem::OutOfBounds { surface: SurfaceName::Image(_), .. } => true,
        problem => problem.class() == Class::UninitializedRead,
    };
    if let Some(wrong) = report.diagnostics.iter().find(|found| !harmless(found.problem)) {
        return Err(wrong.to_string());
    }
    for (number, expected) in (0..).zip(&picture.drawn.attachments) {
        let found = framebuffer.colour(number).map_or(&[][..], |colour| colour.1);
        if let Some(difference) = difference(found, expected, number) {
            return Err(difference);
        }
    }
    for (buffer, expected) in test.case.resources.buffers.iter().zip(&picture.drawn.buffers) {
        if resources.buffer(emulator_key(buffer)).as_ref() != Some(expected) {
            return Err(format!("buffer {}.{} differs", buffer.set, buffer.binding));
        }
    }
    Ok(())
}

/// The first component of an attachment that differs.
fn difference(found: &[u8], expected: &[u8], attachment: u8) -> Option<String> {
    let [found, expected] = [found, expected].map(|bytes| bytes.as_chunks::<4>().0);
    let differs = |at: &usize| {
        let [found, expected] = [found, expected].map(|dwords| dwords[*at]);
        let [a, b] = [found, expected].map(f32::from_le_bytes);
        let near = attachment == 0 && (a - b).abs() <= TOLERANCE;
        found != expected && !near
    };
    let count = (0..expected.len()).filter(differs).count();
    let at = (0..expected.len()).find(differs)?;
    let [found, expected] = [found, expected].map(|dwords| u32::from_le_bytes(dwords[at]));
    let [a, b] = [found, expected].map(f32::from_bits);
    let (component, x, y) = (at % 4, at / 4 % SIZE as usize, at / 4 / SIZE as usize);
    Some(format!(
        "component {component} of pixel ({x}, {y}) of attachment {attachment} is {found:#x} ({a}), expected {expected:#x} ({b}); {count} differ"
    ))
}

/// The differences between engines and lavapipe for a draw call: the interpreter and the modes, and the interpreter and the
/// mode `linked` with linked stages.
fn differences(
    test: &StageTest,
    pipeline: &Pipeline,
    lavapipe: &Lavapipe,
    modes: &[Mode],
    linked: Mode,
) -> Result<Vec<String>, String> {
    let expected = test.expected(lavapipe).map_err(|error| format!("lavapipe: {error}"))?;
    let picture = match &pipeline.fragment {
        Some(source) => Some(picture(test, lavapipe, source)?),
        None => None,
    };
    let mut wrong = Vec::new();
    let mut interpreter = StageInterpreter::new(test, "ssa", |_| {})?;
    match compare(test, &mut interpreter, &expected) {
        Ok((_, found)) => wrong.extend(found.into_iter().map(|text| format!("ssa: {text}"))),
        Err(error) => wrong.push(format!("ssa: {error}")),
    }
    let mut interpreter = StageInterpreter::linked(test, "ssa, linked", |_| {})?;
    match compare(test, &mut interpreter, &expected) {
        Ok((_, found)) => {
            wrong.extend(found.into_iter().map(|text| format!("ssa, linked: {text}")));
        }
        Err(error) => wrong.push(format!("ssa, linked: {error}")),
    }
    for &mode in modes {
        let name = mode_name(mode);
        let compared = StageEmulator::new(test, mode)
            .and_then(|mut engine| compare(test, &mut engine, &expected));
        match (compared, &picture) {
            (Err(error), _) => wrong.push(format!("{name}: {error}")),
            (Ok((found, different)), Some(picture)) if different.is_empty() => {
                let drawn = draw(test, picture, &found, mode);
                wrong.extend(drawn.err().map(|error| format!("{name}: fragment: {error}")));
            }
            (Ok((_, different)), _) => {
                wrong.extend(different.into_iter().map(|text| format!("{name}: {text}")));
            }
        }
    }
    let name = format!("{}, linked", mode_name(linked));
    let compared = StageEmulator::linked(test, linked)
        .and_then(|mut engine| compare(test, &mut engine, &expected));
    match compared {
        Ok((_, found)) => wrong.extend(found.into_iter().map(|text| format!("{name}: {text}"))),
        Err(error) => wrong.push(format!("{name}: {error}")),
    }
    Ok(wrong)
}

/// Runs an engine. Returns what it found, and how that differs from what lavapipe captured.
fn compare(
    test: &StageTest,
    engine: &mut dyn Engine,
    expected: &Expected,
) -> Result<(Found, Vec<String>), String> {
    let found = run(test, engine, expected)?;
    let differences = test.differences(&found, &expected.drawn);
    Ok((found, differences))
}

/// The modes for which code is compiled: those of each generation that its driver uses.
fn modes() -> Vec<Mode> {
    let both = |mode: &Mode| mode.0 == crestline_device::Platform::Bdw;
    MODES.into_iter().filter(|mode| !both(mode) || mode.1 == Simd::Simd8).collect()
}

/// Runs one draw call, and prints what differs. `CRESTLINE_RANDOM_STORED` names a file of `target/random/` that replaces what
/// the seed gives.
fn run_one(lavapipe: &Lavapipe, seed: u64) {
    let mut pipeline = random_pipelines::generate(seed);
    if let Ok(path) = std::env::var("CRESTLINE_RANDOM_STORED") {
        let path = std::path::Path::new(&path);
        pipeline.text = std::fs::read_to_string(path).expect("a stored draw call");
        pipeline.fragment = std::fs::read_to_string(path.with_extension("frag")).ok();
    }
    let test = StageTest::parse(&seed.to_string(), &pipeline.text)
        .unwrap_or_else(|error| panic!("{seed}: {error}\n{}", pipeline.text));
    let all = modes();
    let own = [all[seed as usize % all.len()]];
    let chosen = if number(ALL_MODES).is_some() { &all[..] } else { &own[..] };
    let wrong =
        differences(&test, &pipeline, lavapipe, chosen, own[0]).unwrap_or_else(|error| vec![error]);
    wrong.iter().for_each(|text| println!("{MARK}{text}"));
}

/// Stores a draw call in `target/random/`.
fn store(seed: u64) {
    let folder = repository().join("target/random");
    std::fs::create_dir_all(&folder).expect("a folder for what failed");
    let Pipeline { text, fragment } = random_pipelines::generate(seed);
    std::fs::write(folder.join(format!("{seed}.glsl")), text).expect("a file");
    if let Some(fragment) = fragment {
        std::fs::write(folder.join(format!("{seed}.frag")), fragment).expect("a file");
    }
}

#[test]
fn random_draw_calls_give_what_lavapipe_captures() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    if let Some(seed) = number(CHILD) {
        return run_one(lavapipe, seed);
    }
    let first = number("CRESTLINE_SEED").unwrap_or(0);
    let wanted = number("CRESTLINE_RANDOM");
    let count = wanted.unwrap_or(50);
    let own = std::env::current_exe().expect("the path of the test");
    let (mut failures, mut crashes, mut pictures, mut agreed) = (Vec::new(), 0, 0, 0);
    for seed in first..first + count {
        let name = "random_draw_calls_give_what_lavapipe_captures";
        let mut child = Command::new(&own);
        child.args(["--exact", name, "--nocapture"]).env(CHILD, seed.to_string());
        if wanted.is_some() {
            child.env(ALL_MODES, "1");
        }
        let output = child.output().expect("the test runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let mut wrong: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix(MARK)).collect();
        let errors = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {
                pictures += u64::from(text.lines().any(|line| line == PICTURE));
                agreed += u64::from(wrong.is_empty());
            }
            Some(_) => wrong.push(errors.trim()),
            None if errors.contains("overflowed its stack") => wrong.push(errors.trim()),
            None => crashes += 1,
        }
        if !wrong.is_empty() {
            store(seed);
            failures.extend(wrong.into_iter().map(|text| format!("{seed}: {text}")));
        }
        if failures.len() >= MAX_FAILURES {
            break;
        }
    }
    println!(
        "{agreed} draw calls agreed, {pictures} with a picture; {crashes} of {count} crashed lavapipe"
    );
    assert!(crashes <= count / 10, "{crashes} draw calls crashed lavapipe");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
