//! Errors as objects.

use std::ffi::{CString, c_char};
use std::ptr;

use crestline::analysis::AnalysisError;
use crestline::{CompileError, DisassemblyError, FrontendError, PipelineError};
use crestline_isa::ProgramError;
use crestline_program::MetadataError;

use crate::arguments;

/// Whether a function succeeded.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineStatus {
    /// The function succeeded.
    Ok = 0,
    /// The function failed. The error object gives the reason.
    Error = 1,
}

/// What the numbers of a `CrestlinePlace` count.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlinePlaceKind {
    /// The error has no place.
    None = 0,
    /// `line` and `column` of a source text.
    Source = 1,
    /// `offset` is the number of a 32-bit word of a SPIR-V module.
    Word = 2,
    /// `offset` is a byte of machine code.
    Byte = 3,
}

/// The place of the input that an error concerns.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrestlinePlace {
    /// A constant of `CrestlinePlaceKind`: what the other fields mean.
    pub kind: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1; 0 if only the line is known.
    pub column: u32,
    /// Word of a module or byte of machine code.
    pub offset: u64,
    /// The number of the shader in the array that `crestline_link` got; 0 for other functions.
    pub shader: usize,
}

impl CrestlinePlace {
    const NONE: CrestlinePlace = CrestlinePlace {
        kind: CrestlinePlaceKind::None as u32,
        line: 0,
        column: 0,
        offset: 0,
        shader: 0,
    };

    fn byte(offset: usize) -> CrestlinePlace {
        let kind = CrestlinePlaceKind::Byte as u32;
        CrestlinePlace { kind, offset: offset as u64, ..CrestlinePlace::NONE }
    }
}

/// Why a function failed.
#[derive(Debug)]
pub struct CrestlineError {
    code: CString,
    message: CString,
    place: CrestlinePlace,
    defect: bool,
}

/// A C string. A zero byte, which only names from the input can contain, is replaced.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

impl CrestlineError {
    pub(crate) fn new(code: &str, message: &str, place: CrestlinePlace) -> CrestlineError {
        let (code, message) = (c_string(code), c_string(message));
        CrestlineError { code, message, place, defect: false }
    }

    /// The error of a wrong argument.
    pub(crate) fn argument(message: impl AsRef<str>) -> CrestlineError {
        CrestlineError::new("E1401", message.as_ref(), CrestlinePlace::NONE)
    }

    pub(crate) fn null(name: &str) -> CrestlineError {
        CrestlineError::argument(format!("{name}: expected a pointer, found NULL"))
    }

    /// The error for a panic.
    pub(crate) fn defect(text: &str) -> CrestlineError {
        let message = format!("bug of the compiler: {text}");
        let error = CrestlineError::new("E0999", &message, CrestlinePlace::NONE);
        CrestlineError { defect: true, ..error }
    }

    fn of_shader(self, shader: usize) -> CrestlineError {
        CrestlineError { place: CrestlinePlace { shader, ..self.place }, ..self }
    }
}

fn frontend_place(error: &FrontendError) -> CrestlinePlace {
    if let Some(at) = error.source_position {
        let kind = CrestlinePlaceKind::Source as u32;
        return CrestlinePlace { kind, line: at.line, column: at.column, ..CrestlinePlace::NONE };
    }
    error.position.map_or(CrestlinePlace::NONE, |at| CrestlinePlace {
        kind: CrestlinePlaceKind::Word as u32,
        offset: at.word.into(),
        ..CrestlinePlace::NONE
    })
}

impl From<&CompileError> for CrestlineError {
    fn from(error: &CompileError) -> CrestlineError {
        let place = match error {
            CompileError::Frontend(error) => frontend_place(error),
            error => error.place().map_or(CrestlinePlace::NONE, |at| CrestlinePlace {
                kind: CrestlinePlaceKind::Source as u32,
                line: at.line,
                column: at.column,
                ..CrestlinePlace::NONE
            }),
        };
        let defect = error.is_defect();
        CrestlineError { defect, ..CrestlineError::new(error.code(), &error.to_string(), place) }
    }
}

impl From<&PipelineError> for CrestlineError {
    fn from(error: &PipelineError) -> CrestlineError {
        let plain = CrestlineError::new(error.code(), &error.to_string(), CrestlinePlace::NONE);
        match error {
            PipelineError::Stage { job, error, .. } => {
                let of_stage = CrestlineError::from(error);
                CrestlineError { message: plain.message, ..of_stage }.of_shader(*job)
            }
            PipelineError::Interface { job, .. } => plain.of_shader(job.unwrap_or(0)),
            PipelineError::Platforms { job, .. } => plain.of_shader(*job),
            _ => plain,
        }
    }
}

impl From<&MetadataError> for CrestlineError {
    fn from(error: &MetadataError) -> CrestlineError {
        CrestlineError::new("E1002", &error.to_string(), CrestlinePlace::NONE)
    }
}

impl From<&ProgramError> for CrestlineError {
    fn from(error: &ProgramError) -> CrestlineError {
        let (ProgramError::Truncated { offset, .. } | ProgramError::Inst { offset, .. }) = error;
        CrestlineError::new("E1003", &error.to_string(), CrestlinePlace::byte(*offset))
    }
}

impl From<&DisassemblyError> for CrestlineError {
    fn from(error: &DisassemblyError) -> CrestlineError {
        CrestlineError::from(error.cause())
    }
}

impl From<&AnalysisError> for CrestlineError {
    fn from(error: &AnalysisError) -> CrestlineError {
        let (code, place) = match error {
            AnalysisError::Undecodable { .. } => ("E1003", CrestlinePlace::byte(0)),
            AnalysisError::NoEntry { entry, .. } => ("E1007", CrestlinePlace::byte(*entry)),
            AnalysisError::TooLong { .. } => ("E1007", CrestlinePlace::NONE),
        };
        CrestlineError::new(code, &error.to_string(), place)
    }
}

/// Returns the stable code of an error, such as "E0703", or "" if the error is NULL. `E1401` is a wrong argument, `E0999`
/// a bug of the compiler. The text is valid until the error is released.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_error_code(error: *const CrestlineError) -> *const c_char {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { error.as_ref() }.map_or(c"".as_ptr(), |error| error.code.as_ptr())
}

/// Returns the message of an error, in UTF-8, or "" if the error is NULL. The text is valid until the error is released.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_error_message(error: *const CrestlineError) -> *const c_char {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { error.as_ref() }.map_or(c"".as_ptr(), |error| error.message.as_ptr())
}

/// Stores the place of the input that an error concerns. Its kind is `CRESTLINE_PLACE_KIND_NONE` if the error is NULL or
/// has no place. Does nothing if `place` is NULL.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_error_place(
    error: *const CrestlineError,
    place: *mut CrestlinePlace,
) {
    if !place.is_null() {
        // SAFETY: by the rules of all functions, `error` is NULL or valid.
        let found = unsafe { error.as_ref() }.map_or(CrestlinePlace::NONE, |error| error.place);
        // SAFETY: not NULL, so valid by the same rules.
        unsafe { ptr::write(place, found) };
    }
}

/// Returns whether an error is a bug of the compiler, whatever the input.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_error_is_defect(error: *const CrestlineError) -> bool {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { error.as_ref() }.is_some_and(|error| error.defect)
}

/// Releases an error. NULL is allowed.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_error_free(error: *mut CrestlineError) {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid, and not used afterwards.
    unsafe { arguments::release(error) };
}
