//! What a process does that compiles the modules of a batch.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use crestline::compile_spirv;
use crestline_batch::{Outcome, Row};
use crestline_device::Platform;
use crestline_frontend::entry_points;

use super::process::{Answer, Compiled, Request, Source, Wanted};
use super::unknown;
use crate::args::{self, Stage, Width};
use crate::error::{Code, Failure};
use crate::grammar::Spec;
use crate::reader;
use crate::source::Shader;

/// The main function of a process that compiles modules.
pub(crate) fn serve() -> ExitCode {
    let memory = std::env::args().nth(2).and_then(|bytes| bytes.parse().ok());
    if memory.is_none_or(|bytes| reader::limit_memory(bytes).is_err()) {
        eprintln!("the memory of the process cannot be limited");
        return ExitCode::FAILURE;
    }
    for line in io::stdin().lock().lines() {
        let Some(request) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else {
            eprintln!("expected a request");
            return ExitCode::FAILURE;
        };
        let answer = compile(&request);
        let mut line = serde_json::to_string(&answer).unwrap_or_default();
        line.push('\n');
        let mut out = io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Compiles the entry points of a module for all that is wanted.
fn compile(request: &Request) -> Answer {
    let refused = |failure: &Failure| {
        let row = |wanted: &Wanted| {
            unknown(&request.module, wanted).without(
                Outcome::Refused,
                Some(failure.code()),
                failure.message(),
            )
        };
        Answer { rows: request.wanted.iter().map(row).collect(), programs: Vec::new() }
    };
    let Ok(spec) = request.spec.iter().map(|text| text.parse()).collect::<Result<Vec<Spec>, _>>()
    else {
        let other = "the process that compiles has another version";
        return refused(&Failure::new(Code::Batch, other));
    };
    let of = |target, stage: Option<Stage>, simd| {
        let path = match &request.source {
            Source::File(path) => path.clone(),
            Source::Module { .. } => PathBuf::from(&request.module),
        };
        let mut source = args::Source::of(path, target, stage.unwrap_or(Stage::Compute), simd);
        source.stage = stage;
        source.spec.clone_from(&spec);
        source
    };
    let loaded = match &request.source {
        Source::File(_) => Shader::load_with_known_constants(&of(Platform::Skl, None, Width::Auto)),
        Source::Module { words, specialization, .. } => {
            Shader::of_module(&request.module, words, specialization, &spec)
        }
    };
    let shader = match loaded {
        Ok(shader) => shader,
        Err(failure) => return refused(&failure),
    };
    let entries = match &request.source {
        Source::Module { entry: Some((stage, entry)), .. } => match Stage::from_str(stage, false) {
            Ok(stage) => vec![(Some(stage), entry.clone())],
            Err(_) => {
                let message = format!("programs of the stage `{stage}` cannot be compiled");
                return refused(&Failure::new(Code::Batch, message));
            }
        },
        _ => match entry_points(&shader.spirv) {
            Ok(entries) => {
                entries.into_iter().map(|(stage, entry)| (stage.map(Stage::from), entry)).collect()
            }
            Err(error) => return refused(&shader.failure(&error.into())),
        },
    };
    let mut answer = Answer::default();
    for (stage, entry) in entries {
        for wanted in &request.wanted {
            let row = Row {
                entry: entry.clone(),
                stage: stage.map_or(String::new(), stage_name),
                ..unknown(&request.module, wanted)
            };
            let (Ok(platform), Ok(simd)) =
                (wanted.target.parse(), Width::from_str(&wanted.width, false))
            else {
                let reason = "the process that compiles has another version";
                answer.rows.push(row.without(Outcome::GivenUp, None, reason));
                continue;
            };
            let mut source = of(platform, stage, simd);
            source.entry = Some(entry.clone());
            one(&shader, &source, row, request.programs.then_some(wanted), &mut answer);
        }
    }
    answer
}

fn stage_name(stage: Stage) -> String {
    stage.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// Compiles an entry point, and adds a row for each of its widths, and the program if its `place` is given.
fn one(
    shader: &Shader,
    source: &args::Source,
    row: Row,
    place: Option<&Wanted>,
    answer: &mut Answer,
) {
    let program = shader.options(source, None).and_then(|mut options| {
        options.assume_image_formats = true;
        compile_spirv(&shader.spirv, &options).map_err(|error| shader.failure(&error))
    });
    match program {
        Err(failure) => {
            let (code, message) = (Some(failure.code()), failure.message());
            answer.rows.push(row.without(Outcome::Refused, code, message));
        }
        Ok(program) => {
            let code = program.code.len() as u64;
            let starts: Vec<u64> =
                program.metadata.dispatches.iter().map(|d| u64::from(d.offset)).collect();
            for dispatch in program.metadata.dispatches.iter() {
                let start = u64::from(dispatch.offset);
                let end = starts.iter().copied().filter(|&s| s > start).min().unwrap_or(code);
                let statistics = dispatch.statistics.unwrap_or_default();
                answer.rows.push(row.clone().with(&statistics, end.saturating_sub(start)));
            }
            if let Some(wanted) = place {
                answer.programs.push(Compiled {
                    entry: row.entry,
                    stage: row.stage,
                    wanted: wanted.clone(),
                    program: program.to_json(),
                });
            }
        }
    }
}
