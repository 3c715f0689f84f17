//! What the child process does: it compiles a source and analyses the code.

use crestline::analysis::{Analysis, analyze_program};
use crestline::{
    CompileError, Device, FrontendError, Language, Options, Platform, Simd, Source, Stage,
    compile_spirv,
};
use crestline_frontend::{TranslateOptions, to_spirv_with};
use serde::{Deserialize, Serialize};

/// A request to compile.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    source: String,
    language: String,
    /// `auto`, or the name of a stage.
    stage: String,
    target: String,
    /// `auto`, or the number of channels.
    width: String,
}

/// The result of a compilation.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Compiled(Compiled),
    Error(Problem),
}

#[derive(Debug, Serialize)]
struct Compiled {
    target: String,
    /// The whole code as hex digits.
    code: String,
    /// A report for each code entry.
    programs: Vec<Analysis>,
}

/// An error, with its place in the source if it has one.
#[derive(Debug, Serialize)]
struct Problem {
    code: String,
    message: String,
    line: Option<u32>,
    column: Option<u32>,
}

impl Problem {
    fn new(code: &str, message: String) -> Problem {
        Problem { code: code.to_owned(), message, line: None, column: None }
    }
}

impl From<FrontendError> for Problem {
    fn from(error: FrontendError) -> Problem {
        let place = error.source_position;
        Problem {
            code: error.code.as_str().to_owned(),
            line: place.map(|place| place.line).or_else(|| named_line(&error.detail)),
            column: place.map(|place| place.column),
            message: error.detail,
        }
    }
}

/// The line that the first message of a parser names: `ERROR: 0:5: ...` of `glslang`, `┌─ source:5:13` of `naga`.
fn named_line(detail: &str) -> Option<u32> {
    let (_, rest) = detail.split_once("ERROR: ").or_else(|| detail.split_once("┌─ "))?;
    let line = rest.split(':').nth(1)?.parse().ok()?;
    (line > 0).then_some(line)
}

impl From<CompileError> for Problem {
    fn from(error: CompileError) -> Problem {
        match error {
            CompileError::Frontend(error) => error.into(),
            error => Problem::new(error.code(), error.to_string()),
        }
    }
}

/// The code of errors in requests, which the page does not cause.
const REQUEST: &str = "request";

/// Compiles the source of a request, and returns the report or the error; both are JSON. The process that calls it must
/// have a limit of memory, because the parsers of source languages have none.
pub fn answer(request: &[u8]) -> Vec<u8> {
    let answer = match serde_json::from_slice(request) {
        Ok(request) => match compile(&request) {
            Ok(compiled) => Answer::Compiled(compiled),
            Err(problem) => Answer::Error(problem),
        },
        Err(error) => Answer::Error(Problem::new(REQUEST, error.to_string())),
    };
    serde_json::to_vec(&answer).unwrap_or_default()
}

/// The stage with a name; `None` for `auto`.
fn stage(name: &str) -> Option<Option<Stage>> {
    Some(match name {
        "auto" => None,
        "vertex" => Some(Stage::Vertex),
        "tess_control" => Some(Stage::TessControl),
        "tess_eval" => Some(Stage::TessEval),
        "geometry" => Some(Stage::Geometry),
        "fragment" => Some(Stage::Fragment),
        "compute" => Some(Stage::Compute),
        _ => return None,
    })
}

fn simd(name: &str) -> Option<Simd> {
    Some(match name {
        "auto" => Simd::Auto,
        "8" => Simd::Simd8,
        "16" => Simd::Simd16,
        "32" => Simd::Simd32,
        "4x2" => Simd::Simd4x2,
        _ => return None,
    })
}

fn compile(request: &Request) -> Result<Compiled, Problem> {
    let unknown = |what: &str| Problem::new(REQUEST, format!("the {what} is unknown"));
    let language = match request.language.as_str() {
        "glsl" => Language::Glsl,
        "wgsl" => Language::Wgsl,
        "hlsl" => Language::Hlsl,
        _ => return Err(unknown("language")),
    };
    let stage = stage(&request.stage).ok_or_else(|| unknown("stage"))?;
    let simd = simd(&request.width).ok_or_else(|| unknown("width"))?;
    let target: Platform = request.target.parse().map_err(|_| unknown("target"))?;
    let name = "source";
    let source = Source { name, language, bytes: request.source.as_bytes() };
    let translate = TranslateOptions { stage, lines: true, ..TranslateOptions::default() };
    let words = to_spirv_with(&source, &translate)?;
    let mut options = Options::new(target).with_simd(simd);
    options.stage = stage;
    options.assume_image_formats = true;
    let program = compile_spirv(&words, &options)?;
    let device = Device::new(target);
    let text = Some((name, request.source.as_str()));
    let programs = analyze_program(name, &program, &device, text, |_, _| {})
        .map_err(|error| Problem::new("analysis", error.to_string()))?;
    Ok(Compiled { target: target.name().to_owned(), code: hex(&program.code), programs })
}

/// Bytes as hex digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
