//! The main function of the child process, without its streams.

use crestline::{Language, Source, Stage};
use crestline_frontend::{TranslateOptions, to_spirv_with};
use serde::Serialize;

use crate::compile::{self, Compiled, Problem};
use crate::run::{self, Ran};

/// What a child process is asked for. A request is the name in a line of its own, then JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Compile and analyse a source.
    Compile,
    /// Compile a source and run the code in the emulator.
    Run,
}

impl Task {
    /// The first line of a request.
    pub(crate) fn line(self) -> &'static str {
        match self {
            Task::Compile => "compile\n",
            Task::Run => "run\n",
        }
    }
}

/// The result of a request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Compiled(Compiled),
    Ran(Box<Ran>),
    Error(Problem),
}

/// Does what a request says, and returns the result or the error as JSON. The process that calls it must have a limit of
/// memory, because the parsers of source languages have none.
pub fn answer(request: &[u8]) -> Vec<u8> {
    let answer = result(request).unwrap_or_else(Answer::Error);
    serde_json::to_vec(&answer).unwrap_or_default()
}

/// Makes the tables that a parser needs, so that a process which waits for a request answers it sooner.
pub fn prepare() {
    for stage in [Stage::Vertex, Stage::Fragment, Stage::Compute] {
        let bytes = b"#version 450\nvoid main() {}\n";
        let source = Source { name: "", language: Language::Glsl, bytes };
        let options = TranslateOptions { stage: Some(stage), ..TranslateOptions::default() };
        // Only the tables are of use.
        let _ = to_spirv_with(&source, &options);
    }
}

fn result(request: &[u8]) -> Result<Answer, Problem> {
    let wrong = |error: serde_json::Error| Problem::request(error.to_string());
    if let Some(request) = request.strip_prefix(Task::Compile.line().as_bytes()) {
        let request = serde_json::from_slice(request).map_err(wrong)?;
        return compile::compile(&request).map(Answer::Compiled);
    }
    if let Some(request) = request.strip_prefix(Task::Run.line().as_bytes()) {
        let request = serde_json::from_slice(request).map_err(wrong)?;
        return run::run(&request).map(|ran| Answer::Ran(Box::new(ran)));
    }
    Err(Problem::request("the task is unknown"))
}
