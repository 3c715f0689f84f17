//! Draws with random programs of subgroup operations in vertex, geometry and fragment shaders, on the emulator for every chip at
//! every width, and fragment shaders also on lavapipe. The test reads from the results which invocations form a subgroup. The
//! values must be those of the model, in which helper invocations take no part.
//!
//! `CRESTLINE_RANDOM=COUNT` sets the number of programs, `CRESTLINE_SEED=N` the first seed. A script that fails is stored in
//! `target/random/NAME.amber`.

use crestline::{Platform, Simd};
use crestline_amber::run::Memory;
use crestline_amber::script::Script;
use crestline_filetests::repository;
use crestline_filetests::scripts::{Expected, Verdict};
use crestline_filetests::stages_page::PLATFORMS;
use crestline_filetests::subgroups::generate::{Choice, program};
use crestline_filetests::subgroups::graphics::{RESULTS, Stage, check, each_operation};
use crestline_filetests::subgroups::{Op, Program, Stmt};
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;

/// The most failures that are printed.
const MAX_FAILURES: usize = 10;

/// The size of lavapipe's subgroups.
const LAVAPIPE: u32 = 8;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Checks the records that a run has left.
fn verdict(
    stage: Stage,
    program: &Program,
    size: u32,
    script: &Script,
    memory: Result<&Memory, Verdict>,
) -> Result<(), String> {
    let memory = memory.map_err(|verdict| format!("{verdict:?}"))?;
    let buffer = script.buffers.iter().position(|buffer| buffer.name == RESULTS);
    check(stage, program, size, &memory.buffers[buffer.expect("the results")].bytes)
}

/// Draws with a program everywhere. `rotation` selects one width of each chip, or all if it is `None`.
fn failures(
    name: &str,
    stage: Stage,
    program: &Program,
    judge: Option<&'static Lavapipe>,
    rotation: Option<u64>,
) -> Vec<String> {
    let text = stage.script(program);
    let script = crestline_amber::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut failures = Vec::new();
    let mut report = |place: String, result: Result<(), String>| {
        failures.extend(result.err().map(|what| format!("{name} {stage:?} {place}: {what}")));
    };
    if let Some(lavapipe) = judge {
        let expected = Expected::of(script.clone(), repository(), lavapipe);
        let memory = match &expected {
            Ok(expected) => Ok(&expected.memory),
            Err(verdict) => Err(verdict.clone()),
        };
        report("in lavapipe".to_owned(), verdict(stage, program, LAVAPIPE, &script, memory));
    }
    let unjudged = Expected::unjudged(script.clone(), repository());
    let early = matches!(stage, Stage::Vertex(_) | Stage::Geometry(_));
    for (at, platform) in PLATFORMS.into_iter().enumerate() {
        let widths: &[Simd] = match early {
            true if matches!(platform, Platform::Ivb | Platform::Hsw) => &[],
            true => &[Simd::Simd8],
            false => &[Simd::Simd8, Simd::Simd16, Simd::Simd32],
        };
        for (number, &width) in widths.iter().enumerate() {
            if rotation.is_some_and(|seed| (at + seed as usize) % widths.len() != number) {
                continue;
            }
            let simd = if early { [Simd::Simd8, width] } else { [width, Simd::Auto] };
            let memory = unjudged.emulate(platform, simd);
            let size = width.channels().map_or(8, u32::from);
            let memory = memory.as_ref().map_err(Clone::clone);
            let result = verdict(stage, program, size, &script, memory);
            report(format!("on {platform} at {width}"), result);
        }
    }
    if !failures.is_empty() {
        let folder = repository().join("target/random");
        std::fs::create_dir_all(&folder).expect("a folder for what failed");
        let file = folder.join(format!("{}_{stage:?}.amber", name.replace(' ', "_")));
        std::fs::write(&file, &text).expect("a file for what failed");
    }
    failures
}

#[test]
fn random_programs_agree_with_the_model() {
    let lavapipe = ask(Lavapipe::open());
    let (first, count) = (number("CRESTLINE_SEED", 0), number("CRESTLINE_RANDOM", 40));
    let mut all = Vec::new();
    for seed in first..first + count {
        let stage = match seed % 5 {
            0 => Stage::Fragment,
            1 => Stage::Helpers,
            2 => Stage::Demoted,
            3 => Stage::Vertex(45),
            _ => Stage::Geometry(27),
        };
        let fragment = !matches!(stage, Stage::Vertex(_) | Stage::Geometry(_));
        // Which values a quad operation reads of a helper invocation is not in the records.
        let quads = !matches!(stage, Stage::Helpers | Stage::Demoted);
        let choice = Choice { common: fragment && seed / 5 % 2 == 0, quads };
        let judge = lavapipe.filter(|_| choice.common);
        let program = program(seed, choice);
        all.extend(failures(&format!("seed {seed}"), stage, &program, judge, Some(seed / 5)));
        if all.len() >= MAX_FAILURES {
            break;
        }
    }
    assert!(all.is_empty(), "{} failures\n{}", all.len(), all.join("\n"));
}

#[test]
fn each_operation_agrees_with_the_model_in_each_stage() {
    let mut all = Vec::new();
    for (at, (stage, program)) in each_operation().into_iter().enumerate() {
        let name = format!("operations {at}");
        all.extend(failures(&name, stage, &program, None, Some(at as u64)));
    }
    assert!(all.is_empty(), "{} failures\n{}", all.len(), all.join("\n"));
}

#[test]
fn threads_of_two_vertices_have_no_subgroups() {
    let program = Program {
        invocations: 4,
        body: vec![Stmt::Op(0, Op::Elect, crestline_filetests::subgroups::Expr::Lane)],
    };
    let script = crestline_amber::parse(&Stage::Vertex(4).script(&program)).expect("a script");
    let unjudged = Expected::unjudged(script, repository());
    for platform in [Platform::Ivb, Platform::Hsw] {
        let verdict = unjudged.emulate(platform, [Simd::Auto; 2]);
        let error = format!("{:?}", verdict.expect_err("no subgroups"));
        assert!(error.contains("SIMD4x2"), "{error}");
    }
}
