//! What the child process does first: it compiles a source and analyses the code.

use crestline::analysis::{Analysis, analyze_program};
use crestline::{
    CompileError, Device, FrontendError, Language, Options, Platform, Program, Simd, Source, Stage,
    compile_spirv, line_variables,
};
use crestline_frontend::{TranslateOptions, named_line, to_spirv_with};
use serde::{Deserialize, Serialize};

use crate::encoding;

/// A request to compile.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The text; SPIR-V as base64.
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
pub(crate) struct Compiled {
    target: String,
    stage: &'static str,
    /// The whole code as hex digits.
    code: String,
    /// A report for each code entry.
    programs: Vec<Analysis>,
}

/// An error, with its place in the source if it has one.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    code: String,
    message: String,
    line: Option<u32>,
    column: Option<u32>,
}

impl Problem {
    pub(crate) fn new(code: &str, message: String) -> Problem {
        Problem { code: code.to_owned(), message, line: None, column: None }
    }

    /// An error in the request.
    pub(crate) fn request(message: impl Into<String>) -> Problem {
        Problem::new(REQUEST, message.into())
    }
}

impl From<FrontendError> for Problem {
    fn from(error: FrontendError) -> Problem {
        let place = error.source_position;
        Problem {
            code: error.code.as_str().to_owned(),
            line: place.map(|place| place.line).or_else(|| line_of(&error.detail)),
            column: place.map(|place| place.column),
            message: error.detail,
        }
    }
}

/// The line that a parser's message names: `ERROR: 0:5: ...` of `glslang`, `┌─ source:5:13` of `naga`.
fn line_of(detail: &str) -> Option<u32> {
    let naga = || detail.split_once("┌─ ")?.1.split(':').nth(1)?.parse().ok();
    named_line(detail).or_else(naga)
}

impl From<CompileError> for Problem {
    fn from(error: CompileError) -> Problem {
        match error {
            CompileError::Frontend(error) => error.into(),
            error => Problem::new(error.code(), error.to_string()),
        }
    }
}

/// The code of errors in requests.
const REQUEST: &str = "request";

/// The name of the source in reports.
const NAME: &str = "source";

/// The width with a name.
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

/// Compiles the source of a request.
pub(crate) fn program(request: &Request) -> Result<(Program, Device), Problem> {
    let (program, device, _) = compiled(request)?;
    Ok((program, device))
}

/// Compiles the source of a request. Returns also the module that was made of it.
fn compiled(request: &Request) -> Result<(Program, Device, Vec<u32>), Problem> {
    let unknown = |what: &str| Problem::request(format!("the {what} is unknown"));
    let language: Language = request.language.parse().map_err(|_| unknown("language"))?;
    let stage = match request.stage.as_str() {
        "auto" => None,
        name => Some(name.parse::<Stage>().map_err(|_| unknown("stage"))?),
    };
    let simd = simd(&request.width).ok_or_else(|| unknown("width"))?;
    let target: Platform = request.target.parse().map_err(|_| unknown("target"))?;
    let decoded;
    let bytes = match language {
        Language::Spirv => {
            decoded = encoding::decode(&request.source)
                .ok_or_else(|| Problem::request("expected SPIR-V as base64"))?;
            &decoded
        }
        _ => request.source.as_bytes(),
    };
    let source = Source { name: NAME, language, bytes };
    let translate = TranslateOptions { stage, lines: true, ..TranslateOptions::default() };
    let words = to_spirv_with(&source, &translate)?;
    let mut options = Options::new(target).with_simd(simd);
    options.stage = stage;
    options.assume_image_formats = true;
    Ok((compile_spirv(&words, &options)?, Device::new(target), words))
}

/// Compiles the source of a request, and analyses the code.
pub(crate) fn compile(request: &Request) -> Result<Compiled, Problem> {
    let (program, device, words) = compiled(request)?;
    let variables = line_variables(&words);
    let text = Some((NAME, request.source.as_str())).filter(|_| request.language != "spirv");
    let programs = analyze_program(NAME, &program, &device, text, |_, input| {
        input.variables = &variables;
    })
    .map_err(|error| Problem::new("analysis", error.to_string()))?;
    Ok(Compiled {
        target: device.platform().name().to_owned(),
        stage: program.metadata.stage.name(),
        code: hex(&program.code),
        programs,
    })
}

/// Bytes as hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
