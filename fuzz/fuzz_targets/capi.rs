//! The C interface: bytes, lengths and numbers of any value, and NULL wherever the header allows it. Each call succeeds or
//! gives an error that is no defect, and all objects are released. The pointers are always valid: the library cannot check
//! them.

#![no_main]

use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};
use std::sync::Once;

use crestline_capi::*;
use libfuzzer_sys::fuzz_target;

static QUIET: Once = Once::new();

/// Platforms, and texts that are none.
const PLATFORMS: &[&CStr] = &[c"skl", c"ivb", c"hsw", c"bdw", c"tgl", c"i965", c"", c"\xff"];

/// Reads arguments from the fuzzer's bytes; the bytes that are left are the payload.
struct Arguments<'a>(&'a [u8]);

impl<'a> Arguments<'a> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// A small number, as enumerations have, or any.
    fn number(&mut self) -> u32 {
        match self.byte() {
            byte @ 0..=127 => u32::from(byte % 8),
            byte @ 128..=191 => 1 << (byte % 32),
            _ => u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()]),
        }
    }

    /// The first value once in eight times.
    fn rarely<T>(&mut self, value: T, other: T) -> T {
        if self.byte() % 8 == 7 { value } else { other }
    }

    fn platform(&mut self) -> *const c_char {
        let platform = PLATFORMS[usize::from(self.byte()) % PLATFORMS.len()].as_ptr();
        self.rarely(null(), platform)
    }

    fn options(&mut self) -> CrestlineOptions {
        // SAFETY: all fields are numbers and pointers, for which zero bytes are valid.
        let zero: CrestlineOptions = unsafe { std::mem::zeroed() };
        let size = usize::from(self.byte());
        CrestlineOptions {
            size: self.rarely(size, size_of::<CrestlineOptions>()),
            platform: self.platform(),
            entry: self.rarely(c"main".as_ptr(), null()),
            stage: self.number(),
            simd: self.number(),
            flags: self.number(),
            samples: self.number(),
            subgroup_size: self.number(),
            input_vertices: self.number(),
            domain: self.number(),
            spacing: self.number(),
            ..zero
        }
    }
}

/// Releases an error. It must be there if the call failed, and must be no defect.
///
/// # Safety
/// The error is NULL or valid, and not used afterwards.
unsafe fn release(status: CrestlineStatus, error: *mut CrestlineError) {
    assert_eq!(status == CrestlineStatus::Ok, error.is_null());
    // SAFETY: as promised by the caller.
    unsafe {
        let message = CStr::from_ptr(crestline_error_message(error)).to_string_lossy();
        assert!(!crestline_error_is_defect(error), "{message}");
        let mut place: CrestlinePlace = std::mem::zeroed();
        crestline_error_place(error, &raw mut place);
        crestline_error_free(error);
    }
}

/// Reads all that a program has, and releases it.
///
/// # Safety
/// The program is NULL or valid, and not used afterwards.
unsafe fn read(program: *mut CrestlineProgram) {
    let (mut text, mut error, mut size) = (null_mut(), null_mut(), 0);
    // SAFETY: as promised by the caller; the other pointers are valid.
    unsafe {
        crestline_program_code(program, &raw mut size);
        crestline_program_metadata(program);
        let status = crestline_program_json(program, &raw mut text, &raw mut error);
        release(status, error);
        crestline_text_free(text);
        let status = crestline_analyze_program(program, &raw mut text, &raw mut error);
        release(status, error);
        crestline_text_free(text);
        crestline_program_free(program);
    }
}

fuzz_target!(|data: &[u8]| {
    // The fuzzer's own hook ends the process at once. Here a panic is an error of the library, which `release` looks for.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|panic| eprintln!("{panic}"))));
    let mut arguments = Arguments(data);
    let function = arguments.byte() % 6;
    let (mut program, mut text, mut error) = (null_mut(), null_mut(), null_mut());
    // SAFETY: the pointers are NULL or valid, and each object is released once.
    unsafe {
        match function {
            0 | 1 => {
                let (first, second) = (arguments.options(), arguments.options());
                let language = u32::from(arguments.byte() % 2);
                let language = arguments.rarely(u32::MAX, language);
                let name = arguments.rarely(c"a\nb".as_ptr(), null());
                let is_null = arguments.rarely(true, false);
                let count = usize::from(arguments.byte() % 3);
                let (bytes, size) = (arguments.0.as_ptr(), arguments.0.len());
                let bytes = if is_null { null() } else { bytes };
                let source = CrestlineSource { language, name, bytes, size };
                if function == 0 {
                    let status =
                        crestline_compile(&source, &first, &raw mut program, &raw mut error);
                    release(status, error);
                    if !program.is_null() {
                        read(program);
                    }
                    return;
                }
                let shaders =
                    [&first, &second].map(|options| CrestlineShader { source: &source, options });
                let mut programs = [null_mut(); 2];
                let place = programs.as_mut_ptr();
                let status = crestline_link(shaders.as_ptr(), count, null(), place, &raw mut error);
                release(status, error);
                for program in programs.into_iter().filter(|program| !program.is_null()) {
                    read(program);
                }
            }
            2 => {
                let (bytes, size) = (arguments.0.as_ptr(), arguments.0.len());
                let status =
                    crestline_program_from_json(bytes, size, &raw mut program, &raw mut error);
                release(status, error);
                if !program.is_null() {
                    read(program);
                }
            }
            _ => {
                let (platform, number) = (arguments.platform(), arguments.number());
                let (bytes, size) = (arguments.0.as_ptr(), arguments.0.len());
                let status = match function {
                    3 | 4 => {
                        let text_of: unsafe extern "C" fn(_, _, _, _, _, _) -> _ =
                            if function == 3 { crestline_disassemble } else { crestline_analyze };
                        text_of(bytes, size, platform, number, &raw mut text, &raw mut error)
                    }
                    _ => {
                        let mut findings = null_mut();
                        let status = crestline_validate(
                            bytes,
                            size,
                            platform,
                            &raw mut findings,
                            &raw mut error,
                        );
                        let mut finding: CrestlineFinding = std::mem::zeroed();
                        for at in 0..crestline_findings_count(findings) {
                            assert!(crestline_findings_get(findings, at, &raw mut finding));
                        }
                        crestline_findings_free(findings);
                        status
                    }
                };
                release(status, error);
                crestline_text_free(text);
            }
        }
    }
});
