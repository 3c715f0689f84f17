//! Random fragment shaders: the interpreter, and the compiled code on the emulator, must draw what lavapipe draws.
//!
//! `CRESTLINE_RANDOM=COUNT` sets the number of shaders, `CRESTLINE_SEED=N` the first seed. Each shader runs on one device at one
//! width, or on all at all widths if `CRESTLINE_EVERYWHERE` is set. A shader that fails is stored in `target/random/SEED.frag`.

use crestline_filetests::random_fragments::{self, BUFFER_BYTES};

use super::*;

/// The most failures that are printed.
const MAX_FAILURES: usize = 10;

/// The sides of the triangle in pixels, by seed. Interpolated values are exact only for powers of two. A triangle with the first
/// side covers the picture; the others have edges in it, and so helper invocations.
const SIDES: [f32; 3] = [64.0, 32.0, 16.0];

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_shaders_draw_what_lavapipe_draws() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let vertex = compile(&repository().join("tests/fragments/vertex.vert"));
    let (first, count) = (number("CRESTLINE_SEED", 0), number("CRESTLINE_RANDOM", 100));
    let everywhere = std::env::var_os("CRESTLINE_EVERYWHERE").is_some();
    let (mut failures, mut shaders, mut runs, mut limits) = (Vec::new(), 0, 0, 0);
    for seed in first..first + count {
        shaders += 1;
        let name = format!("{seed}.frag");
        let text = random_fragments::source(seed);
        let spirv = compile_source(&name, Language::Glsl, &text)
            .unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        let case = Case {
            name,
            feature: String::new(),
            spirv,
            buffer: BUFFER_BYTES,
            textures: vec![(1, 0)],
            side: SIDES[seed as usize % SIDES.len()],
            samples: positions(1),
            vertex: vertex.clone(),
            view: None,
            judged: None,
            within: 0.0,
        };
        let name = &case.name;
        let shader = translate(&case.spirv, &TranslateOptions::default())
            .unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        let job = job(&case, &shader);
        let drawn = draw(lavapipe, &job).unwrap_or_else(|error| panic!("{name}: {error}"));
        let vertices = vertices(&case.vertex, case.side);
        let mut wrong = differences(&case, &shader, &vertices, &drawn);
        let all = emulator::CHOICES;
        let chosen = seed as usize / SIDES.len() % all;
        for number in if everywhere { 0..all } else { chosen..chosen + 1 } {
            runs += 1;
            match emulator::difference(&case, &job, &vertices, &drawn, number) {
                // The registers are not enough for 32 channels.
                Some(error) if error.contains("SIMD32: E0910") => limits += 1,
                found => wrong.extend(found),
            }
        }
        if !wrong.is_empty() {
            let folder = repository().join("target/random");
            std::fs::create_dir_all(&folder).expect("a folder for what failed");
            std::fs::write(folder.join(format!("{seed}.frag")), &text).expect("a file");
            failures.extend(wrong.into_iter().map(|text| format!("{name}: {text}")));
        }
        if failures.len() >= MAX_FAILURES {
            break;
        }
    }
    println!("{shaders} of {count} shaders, {runs} compiled, {limits} without registers");
    assert!(limits <= runs / 100, "{limits} shaders without registers");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
