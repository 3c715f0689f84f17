//! Every draw call of `tests/stages/` through every engine: all must give what lavapipe gives.

use crestline_device::Platform;
use crestline_filetests::stages::{self, StageEmulator, StageInterpreter, StageTest};
use crestline_judges::ask;
use crestline_judges::lavapipe::{Drawn, Lavapipe};
use crestline_ssa::passes;

/// Draw calls that the compiler has no code for yet, or not the right one. One that stands here and is right on every
/// platform fails the test: then it is to be taken out.
const MISSING: &[&str] = &[
    "gs_amplify",
    "gs_buffers",
    "gs_clip",
    "gs_doubles",
    "gs_dynamic_vertex",
    "gs_invocations",
    "gs_layers",
    "gs_lines_adjacency",
    "gs_streams",
    "gs_triangles",
    "gs_triangles_adjacency",
    "tess_barrier",
    "tess_doubles",
    "tess_isolines",
    "tess_isolines_odd",
    "tess_patch_data",
    "tess_points",
    "tess_quads_equal",
    "tess_quads_even",
    "tess_terrain",
    "tess_triangles_equal",
    "tess_triangles_odd",
    "tess_vertex_counts",
    "vs_atomics",
    "vs_blocks",
    "vs_booleans",
    "vs_clip_cull",
    "vs_components",
    "vs_dmat4",
    "vs_double_conversions",
    "vs_doubles",
    "vs_dynamic_input",
    "vs_dynamic_output",
    "vs_dynamic_temp",
    "vs_dynamic_uniform",
    "vs_flow",
    "vs_functions",
    "vs_image",
    "vs_instancing",
    "vs_int_division",
    "vs_ints",
    "vs_layer_viewport",
    "vs_many_outputs",
    "vs_matrices",
    "vs_mvp",
    "vs_noise",
    "vs_pack",
    "vs_pressure",
    "vs_return",
    "vs_rounding",
    "vs_skinning",
    "vs_ssbo",
    "vs_swizzle",
    "vs_transcendental",
];

const PLATFORMS: [Platform; 2] = [Platform::Ivb, Platform::Hsw];

fn tests(lavapipe: &Lavapipe) -> Vec<(StageTest, Drawn)> {
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    let expected = |test: StageTest| {
        let drawn = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        assert!(drawn.streams.iter().any(|s| !s.is_empty()), "{}: nothing is drawn", test.name);
        (test, drawn)
    };
    tests.into_iter().map(expected).collect()
}

fn report(what: &str, failures: &[String]) {
    assert!(failures.is_empty(), "{what}: {} failures\n{}", failures.len(), failures.join("\n"));
}

/// What is wrong with a run, one line each.
fn check(test: &StageTest, engine: &mut dyn stages::Engine, expected: &Drawn) -> Vec<String> {
    let wrong = match stages::run(test, engine, expected) {
        Ok(found) => test.differences(&found, expected),
        Err(error) => vec![error],
    };
    let name = engine.name();
    wrong.into_iter().map(|text| format!("{} on {name}: {text}", test.name)).collect()
}

#[test]
fn the_interpreter_agrees_with_lavapipe_before_and_after_all_passes() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let mut failures = Vec::new();
    for (test, expected) in tests(lavapipe) {
        let plain = StageInterpreter::new(&test, "ssa", |_| {});
        let passed = StageInterpreter::new(&test, "ssa after passes", |shader| {
            passes::optimize(shader, &passes::Options::default(), &mut |_, _| {});
        });
        for engine in [plain, passed] {
            match engine {
                Ok(mut engine) => failures.extend(check(&test, &mut engine, &expected)),
                Err(error) => failures.push(format!("{}: {error}", test.name)),
            }
        }
    }
    report("ssa", &failures);
}

#[test]
fn the_emulator_agrees_with_lavapipe() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let mut failures = Vec::new();
    for (test, expected) in tests(lavapipe) {
        let mut wrong = Vec::new();
        for platform in PLATFORMS {
            let name = format!("{} on {platform}", test.name);
            match StageEmulator::new(&test, platform) {
                Ok(Ok(mut engine)) => wrong.extend(check(&test, &mut engine, &expected)),
                Ok(Err(stage)) => wrong.push(format!("{name}: no back end for {stage:?}")),
                Err(error) => wrong.push(format!("{name}: {error}")),
            }
        }
        match (MISSING.contains(&test.name.as_str()), wrong.is_empty()) {
            (true, true) => {
                failures.push(format!("{} is right: take it out of MISSING", test.name))
            }
            (true, false) => wrong.iter().for_each(|text| println!("missing: {text}")),
            (false, _) => failures.extend(wrong),
        }
    }
    report("emulator", &failures);
}
