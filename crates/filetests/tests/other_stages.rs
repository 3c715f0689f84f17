//! The run tests that need no workgroup, as shaders of the other stages: results must be those of lavapipe.

use crestline::{Simd, Stage};
use crestline_filetests::corpus;
use crestline_filetests::stages::MODES;
use crestline_filetests::stages_page::PLATFORMS;
use crestline_filetests::transplant::{
    Transplant, assembly, draw_failures, fragment_failures, transplant,
};
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;

const WIDTHS: [Simd; 3] = [Simd::Simd8, Simd::Simd16, Simd::Simd32];

fn check(stage: Stage) {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let (mut failures, mut ran) = (Vec::new(), 0);
    let tests = corpus::run_tests().unwrap_or_else(|error| panic!("{error}"));
    for (number, test) in tests.iter().enumerate() {
        // One width for each test and platform; together they have all.
        let mode = |platform| (platform, WIDTHS[(number + platform as usize) % 3]);
        let found = assembly::module(test, stage).unwrap_or_else(|error| panic!("{error}"));
        if let Some((words, count)) = found {
            ran += 1;
            let expected = test.expected(lavapipe).unwrap_or_else(|error| panic!("{error}"));
            failures.extend(match stage {
                Stage::Vertex => {
                    let test = assembly::of_vertices(test, words, count);
                    assembly::vertex_failures(&test, &expected, &MODES)
                }
                Stage::Fragment => {
                    let modes = PLATFORMS.map(mode);
                    assembly::fragment_failures(test, (&words, count), &expected, modes)
                }
                _ => {
                    let draw = assembly::draw_call(test, stage, words, count);
                    let draw = draw.unwrap_or_else(|error| panic!("{}: {error}", test.name));
                    assembly::draw_failures((test, &draw), count, &expected, &MODES)
                }
            });
            continue;
        }
        let found = transplant(test, stage).unwrap_or_else(|error| panic!("{error}"));
        let Some(found) = found else { continue };
        ran += 1;
        failures.extend(match found {
            Transplant::Draw(draw) => draw_failures(test, &draw, lavapipe, &MODES),
            Transplant::Fragment { words, rows } => {
                fragment_failures(test, (&words, rows), lavapipe, &PLATFORMS.map(mode))
            }
        });
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(ran > 30 || std::env::var_os("CRESTLINE_ONLY").is_some(), "{ran} tests");
}

#[test]
fn vertex_shaders_agree_with_lavapipe() {
    check(Stage::Vertex);
}

#[test]
fn tessellation_control_shaders_agree_with_lavapipe() {
    check(Stage::TessControl);
}

#[test]
fn tessellation_evaluation_shaders_agree_with_lavapipe() {
    check(Stage::TessEval);
}

#[test]
fn geometry_shaders_agree_with_lavapipe() {
    check(Stage::Geometry);
}

#[test]
fn fragment_shaders_agree_with_lavapipe() {
    check(Stage::Fragment);
}
