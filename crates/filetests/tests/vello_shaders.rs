//! Runs the compute shaders of the published crate `vello_shaders`, a GPU renderer's pipeline that others wrote, stage
//! by stage on a picture from the renderer's own encoder. The results must be those of lavapipe.

#[path = "vello/canonical.rs"]
mod canonical;
#[path = "vello/scene.rs"]
mod scene;
#[path = "vello/stages.rs"]
mod stages;

use crestline::{Platform, Simd};
use crestline_filetests::engine::{Emulator, Engine, Failure, Interpreter};
use crestline_filetests::repository;
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;
use crestline_testing::golden;
use stages::Stage;

#[test]
fn every_shader_is_run() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let stages = stages::run_all(lavapipe);
    for shader in stages::every_shader() {
        let name = &shader.name;
        let is_run = stages.iter().any(|stage| stage.test.name.ends_with(&format!(":{name}")));
        assert!(is_run, "{name}");
    }
}

#[test]
fn the_judge_agrees_with_itself_and_every_stage_does_something() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let (first, second) = (stages::run_all(lavapipe), stages::run_all(lavapipe));
    let mut failures = Vec::new();
    for (first, second) in first.iter().zip(&second) {
        let before = first.test.case.buffers.iter().map(|buffer| &buffer.contents);
        if before.eq(&first.expected) {
            failures.push(format!("{}: no buffer changed", first.test.name));
        }
        // Atomics may already have changed the order of the second run's inputs; compare the outputs for
        // the same inputs.
        let again = first.test.expected(lavapipe).expect("ran before");
        failures.extend(
            first.differences(&again).into_iter().map(|d| format!("{}: {d}", first.test.name)),
        );
        assert_eq!(first.test.name, second.test.name);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs a stage on an engine and compares the results with lavapipe's.
fn differences(stage: &Stage, engine: &dyn Engine) -> Vec<String> {
    let name = format!("{} on {}", stage.test.name, engine.name());
    let wrong = match engine.run(&stage.test) {
        Ok(found) => stage.differences(&found),
        Err(Failure::Limit(_)) => Vec::new(),
        Err(error) => vec![error.to_string()],
    };
    wrong.into_iter().map(|d| format!("{name}: {d}")).collect()
}

#[test]
fn the_interpreter_agrees_with_lavapipe() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let stages = stages::run_all(lavapipe);
    let failures: Vec<_> = stages.iter().flat_map(|s| differences(s, &Interpreter)).collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// Whether a stage runs on a chip at a width. Multisampling takes longer than all other stages together, so it runs at
/// one width on each chip.
fn is_run(stage: &Stage, emulator: &Emulator) -> bool {
    let width = match &stage.test.name {
        name if name.ends_with(":fine_msaa8") => Simd::Simd8,
        name if name.ends_with(":fine_msaa16") => Simd::Simd16,
        _ => emulator.simd,
    };
    emulator.simd == width
}

#[test]
fn the_emulator_agrees_with_lavapipe_on_every_chip_at_every_width() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let stages = stages::run_all(lavapipe);
    let mut failures = Vec::new();
    for emulator in Emulator::all() {
        let stages = stages.iter().filter(|stage| is_run(stage, &emulator));
        failures.extend(stages.flat_map(|stage| differences(stage, &emulator)));
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// The picture of the drawn scene: `examples/vello-scene.png`.
fn saved() -> std::path::PathBuf {
    repository().join("examples/vello-scene.png")
}

fn decode(file: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a small picture")];
    reader.next_frame(&mut pixels).expect("its pixels");
    pixels
}

fn encode(pixels: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, scene::SIDE, scene::SIDE);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(pixels).expect("as many pixels as the size says");
    writer.finish().expect("an end");
    file
}

/// Checks that no byte of two pictures of the same size is more than `most` apart.
fn alike(a: &[u8], b: &[u8], most: u8) -> Result<(), String> {
    if a.len() != b.len() {
        return Err(format!("{} and {} bytes", a.len(), b.len()));
    }
    let apart = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).enumerate();
    let wrong: Vec<_> = apart.filter(|(_, apart)| *apart > most).collect();
    match wrong.first() {
        None => Ok(()),
        Some((at, apart)) => {
            let (x, y) = (at / 4 % scene::SIDE as usize, at / 4 / scene::SIDE as usize);
            let worst = wrong.iter().map(|(_, apart)| apart).max();
            Err(format!(
                "{} bytes differ, the first by {apart} at {x}, {y}; {worst:?}",
                wrong.len()
            ))
        }
    }
}

/// The whole pipeline on the emulator alone, stage after stage on its own results.
/// `UPDATE_EXPECT=1` saves the picture.
#[test]
fn the_scene_is_drawn_on_the_emulator_as_by_lavapipe_and_as_saved() {
    let emulator = Emulator::new(Platform::Skl, Simd::Auto);
    let drawn = stages::draw(&|test| {
        emulator.run(test).unwrap_or_else(|error| panic!("{}: {error}", test.name))
    });
    let file = golden::bytes(&saved(), || encode(&drawn));
    alike(&drawn, &decode(&file), 1).expect("examples/vello-scene.png shows the same");
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let theirs = stages::draw(&|test| test.expected(lavapipe).expect("it runs"));
    // The tolerance is that of the last stage, see `rule`.
    alike(&drawn, &theirs, 8).expect("lavapipe draws the same");
    let colours = |pixels: &[u8]| {
        let all: std::collections::BTreeSet<_> = pixels.as_chunks::<4>().0.iter().collect();
        all.len()
    };
    assert!(colours(&drawn) > 1000, "gradients and soft edges");
}
