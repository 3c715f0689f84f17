//! Errors as exceptions.

use crestline::analysis::AnalysisError;
use crestline::{CompileError, DisassemblyError, FrontendError, PipelineError};
use crestline_emu::EmuError;
use crestline_isa::ProgramError;
use crestline_program::MetadataError;
use pyo3::PyErr;
use pyo3::exceptions::PyException;

pyo3::create_exception!(
    _native,
    CrestlineError,
    PyException,
    "An input is wrong, or the compiler has a bug. The attributes are set by the package."
);

/// Why a function failed.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    code: &'static str,
    message: String,
    line: Option<u32>,
    column: Option<u32>,
    /// Word of a SPIR-V module.
    word: Option<u32>,
    /// Byte of machine code.
    offset: Option<usize>,
    /// Number of the shader of a pipeline.
    shader: Option<usize>,
}

/// The error of a wrong argument.
pub(crate) fn argument(message: String) -> Failure {
    Failure { code: "E1401", message, ..Failure::default() }
}

/// The exception for a failure. Its arguments are those that the class `CrestlineError` of the package documents.
pub(crate) fn failed(failure: Failure) -> PyErr {
    let Failure { code, message, line, column, word, offset, shader } = failure;
    CrestlineError::new_err((message, code, line, column, word, offset, shader))
}

impl Failure {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), ..Failure::default() }
    }

    /// Adds a place in a text; 0 is not known.
    pub(crate) fn at(mut self, line: u32, column: u32) -> Failure {
        self.line = Some(line).filter(|&line| line != 0);
        self.column = Some(column).filter(|&column| column != 0);
        self
    }
}

impl From<FrontendError> for Failure {
    fn from(error: FrontendError) -> Failure {
        let failure = Failure::new(error.code.as_str(), error.to_string());
        match (error.source_position, error.position) {
            (Some(at), _) => failure.at(at.line, at.column),
            (None, Some(at)) => Failure { word: Some(at.word), ..failure },
            (None, None) => failure,
        }
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Failure {
        match error {
            CompileError::Frontend(error) => error.into(),
            other => {
                let failure = Failure::new(other.code(), other.to_string());
                match other.place() {
                    Some(place) => failure.at(place.line, place.column),
                    None => failure,
                }
            }
        }
    }
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Failure {
        let plain = Failure::new(error.code(), error.to_string());
        match error {
            PipelineError::Stage { job, error, .. } => {
                Failure { message: plain.message, shader: Some(job), ..Failure::from(error) }
            }
            PipelineError::Interface { job, .. } => Failure { shader: job, ..plain },
            PipelineError::Platforms { job, .. } => Failure { shader: Some(job), ..plain },
            _ => plain,
        }
    }
}

impl From<MetadataError> for Failure {
    fn from(error: MetadataError) -> Failure {
        Failure::new("E1002", error.to_string())
    }
}

impl From<DisassemblyError> for Failure {
    fn from(error: DisassemblyError) -> Failure {
        let cause = error.cause();
        let (ProgramError::Truncated { offset, .. } | ProgramError::Inst { offset, .. }) = cause;
        Failure { offset: Some(*offset), ..Failure::new("E1003", cause.to_string()) }
    }
}

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Failure {
        let code = match error {
            AnalysisError::Undecodable { .. } => "E1003",
            _ => "E1007",
        };
        Failure::new(code, error.to_string())
    }
}

impl From<EmuError> for Failure {
    fn from(error: EmuError) -> Failure {
        let code = match error {
            EmuError::Unsupported { .. } | EmuError::Message(..) => "E1102",
            EmuError::MissingResource { .. } => "E0803",
            EmuError::Metadata(_) => "E1002",
            _ => "E1101",
        };
        Failure::new(code, error.to_string())
    }
}
