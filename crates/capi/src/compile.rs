//! Compilation, linking and the programs that result.

use std::ffi::c_char;
use std::ptr;

use crestline::Program;

use crate::arguments::{self, array, object, place, run};
use crate::error::{CrestlineError, CrestlineStatus};
use crate::flatten::Flat;
use crate::input::{
    self, CrestlineLinkOptions, CrestlineOptions, CrestlineShader, CrestlineSource,
};
use crate::metadata::CrestlineMetadata;
use crate::text::CrestlineText;

/// A compiled program: machine code and metadata. It does not change.
#[derive(Debug)]
pub struct CrestlineProgram {
    pub(crate) program: Program,
    flat: Flat,
}

impl CrestlineProgram {
    fn new(program: Program) -> CrestlineProgram {
        let flat = Flat::new(&program);
        CrestlineProgram { program, flat }
    }
}

/// Compiles one entry point of a shader. Stores the program, which the caller releases with `crestline_program_free`.
///
/// A failure stores NULL, and the error, which the caller releases with `crestline_error_free`. `error` may be NULL.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_compile(
    source: *const CrestlineSource,
    options: *const CrestlineOptions,
    program: *mut *mut CrestlineProgram,
    error: *mut *mut CrestlineError,
) -> CrestlineStatus {
    let body = || {
        // SAFETY: by the rules of all functions, the pointers are NULL or valid.
        let (place, source, options) = unsafe {
            (place(program, "program")?, input::source(source)?, input::options(options)?)
        };
        let compiled = crestline::compile(&source, &options);
        place.set(CrestlineProgram::new(compiled.map_err(|error| CrestlineError::from(&error))?));
        Ok(())
    };
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { run(error, body) }
}

/// Compiles the shaders of a pipeline together: removes outputs that no stage reads, carries constants from stage to
/// stage, and packs varyings. Stores the program of shader `i` as `programs[i]`.
///
/// The shaders may be in any order. `options` may be NULL. A failure stores NULL for all programs, and the error, whose
/// place gives the number of the shader.
///
/// # Safety
/// See the rules of all functions. `programs` has `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_link(
    shaders: *const CrestlineShader,
    count: usize,
    options: *const CrestlineLinkOptions,
    programs: *mut *mut CrestlineProgram,
    error: *mut *mut CrestlineError,
) -> CrestlineStatus {
    let body = || {
        input::check_count(count)?;
        if programs.is_null() {
            return Err(CrestlineError::null("programs"));
        }
        let store = |at: usize, program| {
            // SAFETY: `at` is less than `count`. The pointer is not NULL, so valid for `count` elements by the rules of all
            // functions.
            unsafe { programs.add(at).write(program) };
        };
        (0..count).for_each(|at| store(at, ptr::null_mut()));
        // SAFETY: by the rules of all functions, the pointers are NULL or valid.
        let (jobs, options) =
            unsafe { (input::jobs(shaders, count)?, input::link_options(options)?) };
        let linked =
            crestline::link(&jobs, &options).map_err(|error| CrestlineError::from(&error))?;
        for stage in linked.stages {
            store(stage.job, Box::into_raw(Box::new(CrestlineProgram::new(stage.program))));
        }
        Ok(())
    };
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { run(error, body) }
}

/// Reads a program from the JSON document that `crestline_program_json` and `crestline compile --emit json` write.
///
/// # Safety
/// See the rules of all functions. `text` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_program_from_json(
    text: *const u8,
    size: usize,
    program: *mut *mut CrestlineProgram,
    error: *mut *mut CrestlineError,
) -> CrestlineStatus {
    let body = || {
        // SAFETY: by the rules of all functions, the pointers are NULL or valid.
        let (place, bytes) = unsafe { (place(program, "program")?, array(text, size, "text")?) };
        let text = str::from_utf8(bytes)
            .map_err(|error| CrestlineError::argument(format!("text: {error}")))?;
        let read = Program::from_json(text).map_err(|error| CrestlineError::from(&error))?;
        read.metadata.check_code(&read.code).map_err(|error| CrestlineError::from(&error))?;
        place.set(CrestlineProgram::new(read));
        Ok(())
    };
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { run(error, body) }
}

/// Stores code and metadata as a JSON document, described in docs/metadata.md.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_program_json(
    program: *const CrestlineProgram,
    text: *mut *mut CrestlineText,
    error: *mut *mut CrestlineError,
) -> CrestlineStatus {
    let body = || {
        // SAFETY: by the rules of all functions, the pointers are NULL or valid.
        let (place, program) = unsafe { (place(text, "text")?, object(program, "program")?) };
        place.set(CrestlineText::new(&program.program.to_json()));
        Ok(())
    };
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { run(error, body) }
}

/// Returns the machine code, relocations not applied, and stores its number of bytes. The pointer is valid until the
/// program is released. Returns NULL, and stores 0, if `program` is NULL. `size` may be NULL.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_program_code(
    program: *const CrestlineProgram,
    size: *mut usize,
) -> *const u8 {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    let code = unsafe { program.as_ref() }.map(|program| &program.program.code);
    if !size.is_null() {
        // SAFETY: not NULL, so valid by the same rules.
        unsafe { size.write(code.map_or(0, Vec::len)) };
    }
    code.map_or(ptr::null(), |code| code.as_ptr())
}

/// Returns everything that a driver needs besides the code. It is valid until the program is released. Returns NULL if
/// `program` is NULL.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_program_metadata(
    program: *const CrestlineProgram,
) -> *const CrestlineMetadata {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    let program = unsafe { program.as_ref() };
    program.map_or(ptr::null(), |program| program.flat.metadata())
}

/// Releases a program with its metadata. NULL is allowed.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_program_free(program: *mut CrestlineProgram) {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid, and not used afterwards.
    unsafe { arguments::release(program) };
}

/// Returns the name of a platform that the compiler supports, such as "skl", by its number from 0 on; NULL beyond the last
/// one. The text is static.
#[unsafe(no_mangle)]
pub extern "C" fn crestline_target_name(number: usize) -> *const c_char {
    const NAMES: &[&std::ffi::CStr] =
        &[c"ivb", c"byt", c"hsw", c"bdw", c"chv", c"skl", c"bxt", c"kbl", c"glk", c"cfl"];
    NAMES.get(number).map_or(ptr::null(), |name| name.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_names_are_those_of_the_compiler() {
        let mut names = Vec::new();
        for number in 0.. {
            let name = crestline_target_name(number);
            if name.is_null() {
                break;
            }
            // SAFETY: not NULL, so a static text.
            names.push(unsafe { std::ffi::CStr::from_ptr(name) }.to_str().unwrap());
        }
        let expected: Vec<_> = crestline::TARGETS.iter().map(|target| target.name()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn objects_may_be_used_by_several_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<CrestlineProgram>();
        shared::<CrestlineText>();
        shared::<CrestlineError>();
        shared::<crate::CrestlineFindings>();
    }
}
