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

use crestline::Simd;
use crestline_emu::DrawState;
use crestline_filetests::random_pipelines::{self, Pipeline};
use crestline_filetests::repository;
use crestline_filetests::stages::{
    Engine, Expected, Found, MODES, Mode, Picture, StageEmulator, StageInterpreter, StageTest,
    mode_name, run,
};
use crestline_judges::ask;
use crestline_judges::lavapipe::{Lavapipe, RasterState};

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

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
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
        Some(source) => {
            let picture = Picture::new(test, lavapipe, source, SIZE, RasterState::default())?;
            if !picture.is_empty() {
                println!("{PICTURE}");
            }
            Some(picture)
        }
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
                let drawn = picture.compare(test, &found, mode, DrawState::new([SIZE; 2]));
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
