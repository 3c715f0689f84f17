//! The compute shaders of the published crate `vello_shaders`: a GPU renderer's pipeline,
//! written by others, run stage by stage on a picture that its own encoder made.

#[path = "vello/canonical.rs"]
mod canonical;
#[path = "vello/scene.rs"]
mod scene;
#[path = "vello/stages.rs"]
mod stages;

use crestline_filetests::engine::{Emulator, Engine, Failure, Interpreter};
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;

#[test]
fn every_shader_without_images_is_run() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let images = stages::need_images();
    assert_eq!(images, ["fine_area", "fine_msaa16", "fine_msaa8"]);
    let stages = stages::run_all(lavapipe);
    for shader in stages::every_shader() {
        let name = &shader.name;
        let is_run = stages.iter().any(|stage| stage.test.name.ends_with(&format!(":{name}")));
        assert!(is_run != images.contains(&name.to_string()), "{name}");
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
        // The second run's inputs may differ in the free order already; compare the outputs of
        // the same inputs.
        let again = first.test.expected(lavapipe).expect("ran before");
        failures.extend(
            first.differences(&again).into_iter().map(|d| format!("{}: {d}", first.test.name)),
        );
        assert_eq!(first.test.name, second.test.name);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn compare(lavapipe: &Lavapipe, engines: &[&dyn Engine]) {
    let mut failures = Vec::new();
    for stage in stages::run_all(lavapipe) {
        for engine in engines {
            let name = format!("{} on {}", stage.test.name, engine.name());
            match engine.run(&stage.test) {
                Ok(found) => failures
                    .extend(stage.differences(&found).into_iter().map(|d| format!("{name}: {d}"))),
                Err(Failure::Limit(_)) => {}
                Err(error) => failures.push(format!("{name}: {error}")),
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_interpreter_agrees_with_lavapipe() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    compare(lavapipe, &[&Interpreter]);
}

#[test]
fn the_emulator_agrees_with_lavapipe_on_every_chip_at_every_width() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let all = Emulator::all();
    compare(lavapipe, &all.iter().map(|emulator| emulator as &dyn Engine).collect::<Vec<_>>());
}
