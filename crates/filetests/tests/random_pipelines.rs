//! Random draw calls of two to four stages: the interpreter, and the compiled code on the emulator, must give what lavapipe
//! captures, also if the stages are linked.
//!
//! `CRESTLINE_RANDOM=COUNT` sets the number of draw calls, `CRESTLINE_SEED=N` the first seed. A draw call that fails is stored
//! in `target/random/SEED.glsl`.
//!
//! Each draw call runs in a process of its own: lavapipe 22.3 corrupts its heap if it makes some pipelines one after another,
//! such as those of seeds 6 and 7, whatever they draw. A few pipelines make it crash alone. The code of this project is safe, so
//! a process that a signal ends is lavapipe's fault; the test counts such draw calls.

use std::process::Command;

use crestline_filetests::random_pipelines;
use crestline_filetests::repository;
use crestline_filetests::stages::{
    Engine, MODES, StageEmulator, StageInterpreter, StageTest, mode_name, run,
};
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;

/// The most failures that are printed.
const MAX_FAILURES: usize = 10;

/// The variable with the seed of the one draw call that a process runs.
const CHILD: &str = "CRESTLINE_RANDOM_DRAW";

/// What a process prints before each difference.
const MARK: &str = "difference: ";

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

/// The differences between engines and lavapipe for a draw call: the interpreter, and two of the modes.
fn differences(test: &StageTest, lavapipe: &Lavapipe, seed: u64) -> Result<Vec<String>, String> {
    let expected = test.expected(lavapipe).map_err(|error| format!("lavapipe: {error}"))?;
    let mut wrong = Vec::new();
    let mut check = |name: String, engine: Result<&mut dyn Engine, String>| {
        let found = engine.and_then(|engine| run(test, engine, &expected));
        match found {
            Ok(found) => {
                let all = test.differences(&found, &expected.drawn);
                wrong.extend(all.into_iter().map(|text| format!("{name}: {text}")));
            }
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    };
    let mut interpreter = StageInterpreter::new(test, "ssa", |_| {})?;
    check("interpreter".to_owned(), Ok(&mut interpreter));
    let mut linked = StageInterpreter::linked(test, "ssa, linked", |_| {})?;
    check("interpreter, linked".to_owned(), Ok(&mut linked));
    // Consecutive seeds run in different modes; each second mode is one of eight channels.
    for mode in [MODES[seed as usize % 3], MODES[3 + seed as usize % 2]] {
        match StageEmulator::new(test, mode) {
            Ok(mut engine) => check(mode_name(mode), Ok(&mut engine)),
            Err(error) => check(mode_name(mode), Err(error)),
        }
    }
    let mode = MODES[seed as usize % MODES.len()];
    let name = format!("{}, linked", mode_name(mode));
    match StageEmulator::linked(test, mode) {
        Ok(mut engine) => check(name, Ok(&mut engine)),
        Err(error) => check(name, Err(error)),
    }
    Ok(wrong)
}

/// Runs one draw call, and prints what differs.
fn run_one(lavapipe: &Lavapipe, seed: u64) {
    let text = random_pipelines::source(seed);
    let test = StageTest::parse(&seed.to_string(), &text)
        .unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
    let wrong = differences(&test, lavapipe, seed).unwrap_or_else(|error| vec![error]);
    wrong.iter().for_each(|text| println!("{MARK}{text}"));
}

#[test]
fn random_draw_calls_give_what_lavapipe_captures() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    if let Some(seed) = number(CHILD) {
        return run_one(lavapipe, seed);
    }
    let first = number("CRESTLINE_SEED").unwrap_or(0);
    let count = number("CRESTLINE_RANDOM").unwrap_or(50);
    let own = std::env::current_exe().expect("the path of the test");
    let (mut failures, mut crashes) = (Vec::new(), 0);
    for seed in first..first + count {
        let name = "random_draw_calls_give_what_lavapipe_captures";
        let mut child = Command::new(&own);
        child.args(["--exact", name, "--nocapture"]).env(CHILD, seed.to_string());
        let output = child.output().expect("the test runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let mut wrong: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix(MARK)).collect();
        let errors = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {}
            Some(_) => wrong.push(errors.trim()),
            None => crashes += 1,
        }
        if !wrong.is_empty() {
            let folder = repository().join("target/random");
            std::fs::create_dir_all(&folder).expect("a folder for what failed");
            let path = folder.join(format!("{seed}.glsl"));
            std::fs::write(path, random_pipelines::source(seed)).expect("a file");
            failures.extend(wrong.into_iter().map(|text| format!("{seed}: {text}")));
        }
        if failures.len() >= MAX_FAILURES {
            break;
        }
    }
    println!("{crashes} of {count} draw calls crashed lavapipe");
    assert!(crashes <= count / 10, "{crashes} draw calls crashed lavapipe");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
