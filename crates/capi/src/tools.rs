//! Disassembly, validation and analysis of machine code.

use std::ffi::{CString, c_char};
use std::ptr;

use crestline::analysis::{Analysis, Document, Input, analyze, analyze_program};
use crestline::{Device, Syntax};
use crestline_isa::decode_around;
use crestline_isa::validate::{Severity, Validator};

use crate::arguments::{self, Place, Result, array, object, place, platform, run};
use crate::compile::CrestlineProgram;
use crate::error::{CrestlineError, CrestlineStatus, c_string};
use crate::text::CrestlineText;

/// A syntax of assembly text.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineSyntax {
    /// The syntax of Mesa.
    Mesa = 0,
    /// The syntax of Intel's `iga64`.
    Iga = 1,
}

/// What breaking a rule means.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineSeverity {
    /// Known compilers avoid this; whether the hardware has a problem with it is not public.
    Warning = 0,
    /// The result is undefined, or the hardware hangs.
    Error = 1,
    /// The instruction does not decode.
    Undecoded = 2,
}

/// An instruction that breaks a rule or does not decode. The texts are valid until the findings are released.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineFinding {
    /// A constant of `CrestlineSeverity`.
    pub severity: u32,
    /// Byte offset of the instruction.
    pub offset: u64,
    /// Id of the rule in docs/validation-rules.md; "" if the instruction does not decode.
    pub rule: *const c_char,
    /// The rule in one sentence, or why the instruction does not decode.
    pub sentence: *const c_char,
}

/// The result of a validation, sorted by byte offset.
#[derive(Debug)]
pub struct CrestlineFindings {
    rows: Vec<(u32, u64, CString, CString)>,
}

/// Disassembles machine code, one instruction or label per line. `platform` is a name such as "skl"; all platforms from
/// gen4 to gen12.5 are allowed. `syntax` is a constant of `CrestlineSyntax`.
///
/// # Safety
/// See the rules of all functions. `code` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_disassemble(
    code: *const u8,
    size: usize,
    platform: *const c_char,
    syntax: u32,
    text: *mut *mut CrestlineText,
    error: *mut *mut CrestlineError,
) -> CrestlineStatus {
    let body = || {
        // SAFETY: by the rules of all functions, the pointers are NULL or valid.
        let (place, code, platform) = unsafe {
            (place(text, "text")?, array(code, size, "code")?, arguments::platform(platform)?)
        };
        let syntax = match syntax {
            0 => Syntax::Mesa,
            1 => Syntax::Iga,
            other => {
                let message = format!("syntax: {other} is none of its constants");
                return Err(CrestlineError::argument(message));
            }
        };
        let printed = crestline::disassemble(code, platform, syntax);
        place.set(CrestlineText::new(&printed.map_err(|error| CrestlineError::from(&error))?));
        Ok(())
    };
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { run(error, body) }
}

/// Checks machine code against the rules of the hardware. Code that breaks rules is no failure of the function: the
/// findings list it.
///
/// # Safety
/// See the rules of all functions. `code` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_validate(
    code: *const u8,
    size: usize,
    platform: *const c_char,
    findings: *mut *mut CrestlineFindings,
    error: *mut *mut CrestlineError,
) -> CrestlineStatus {
    let body = || {
        // SAFETY: by the rules of all functions, the pointers are NULL or valid.
        let (place, code, platform) = unsafe {
            (
                place(findings, "findings")?,
                array(code, size, "code")?,
                arguments::platform(platform)?,
            )
        };
        let (insts, holes) = decode_around(code, 0, platform.generation());
        let is_hole =
            |offset: usize| holes.binary_search_by_key(&offset, |(at, _)| at.start).is_ok();
        let found = Validator::new(Device::new(platform)).check_program(&insts);
        let broken = found.iter().filter(|finding| !is_hole(finding.offset)).map(|finding| {
            let severity = match finding.rule.severity {
                Severity::Warning => CrestlineSeverity::Warning,
                Severity::Error => CrestlineSeverity::Error,
            };
            let (rule, sentence) = (c_string(finding.rule.id), c_string(finding.rule.text));
            (severity as u32, finding.offset as u64, rule, sentence)
        });
        let undecoded = holes.iter().map(|(at, error)| {
            let severity = CrestlineSeverity::Undecoded as u32;
            (severity, at.start as u64, CString::default(), c_string(&error.to_string()))
        });
        let mut rows: Vec<_> = broken.chain(undecoded).collect();
        rows.sort_by_key(|row| row.1);
        place.set(CrestlineFindings { rows });
        Ok(())
    };
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { run(error, body) }
}

/// Returns the number of findings; 0 for NULL.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_findings_count(findings: *const CrestlineFindings) -> usize {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { findings.as_ref() }.map_or(0, |findings| findings.rows.len())
}

/// Stores a finding by its number, from 0 on. Returns whether there is one; otherwise, and if a pointer is NULL, it stores
/// nothing.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_findings_get(
    findings: *const CrestlineFindings,
    number: usize,
    finding: *mut CrestlineFinding,
) -> bool {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    let row = unsafe { findings.as_ref() }.and_then(|findings| findings.rows.get(number));
    let Some((severity, offset, rule, sentence)) = row.filter(|_| !finding.is_null()) else {
        return false;
    };
    let (rule, sentence) = (rule.as_ptr(), sentence.as_ptr());
    // SAFETY: not NULL, so valid by the same rules.
    unsafe {
        ptr::write(
            finding,
            CrestlineFinding { severity: *severity, offset: *offset, rule, sentence },
        );
    }
    true
}

/// Releases findings. NULL is allowed.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_findings_free(findings: *mut CrestlineFindings) {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid, and not used afterwards.
    unsafe { arguments::release(findings) };
}

/// Stores the document of an analysis.
fn store(place: Place<CrestlineText>, analyses: Vec<Analysis>) -> Result<()> {
    let json = serde_json::to_string_pretty(&Document::new(analyses));
    let json = json.map_err(|error| CrestlineError::defect(&error.to_string()))?;
    place.set(CrestlineText::new(&json));
    Ok(())
}

/// Analyses machine code: cycles, unit loads, register pressure, messages, hints. Stores a JSON document, whose schema is
/// docs/analysis.schema.json. `simd_width` is the number of channels of a thread, or 0 if it is not known.
///
/// # Safety
/// See the rules of all functions. `code` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_analyze(
    code: *const u8,
    size: usize,
    platform: *const c_char,
    simd_width: u32,
    json: *mut *mut CrestlineText,
    error: *mut *mut CrestlineError,
) -> CrestlineStatus {
    let body = || {
        // SAFETY: by the rules of all functions, the pointers are NULL or valid.
        let (place, code, platform) = unsafe {
            (place(json, "json")?, array(code, size, "code")?, self::platform(platform)?)
        };
        let device = Device::new(platform);
        let mut input = Input::new("code", code, &device);
        input.simd_width = match simd_width {
            0 => None,
            4 | 8 | 16 | 32 => Some(simd_width),
            other => {
                let message = format!("simd_width: {other}: expected 0, 4, 8, 16 or 32");
                return Err(CrestlineError::argument(message));
            }
        };
        store(place, vec![analyze(&input).map_err(|error| CrestlineError::from(&error))?])
    };
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { run(error, body) }
}

/// Analyses all code entries of a program, with its metadata. Stores a JSON document as `crestline_analyze` does.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_analyze_program(
    program: *const CrestlineProgram,
    json: *mut *mut CrestlineText,
    error: *mut *mut CrestlineError,
) -> CrestlineStatus {
    let body = || {
        // SAFETY: by the rules of all functions, the pointers are NULL or valid.
        let (place, program) = unsafe { (place(json, "json")?, object(program, "program")?) };
        let program = &program.program;
        let device = Device::new(program.metadata.platform);
        let found = analyze_program("program", program, &device, None, |_, _| {});
        store(place, found.map_err(|error| CrestlineError::from(&error))?)
    };
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { run(error, body) }
}
