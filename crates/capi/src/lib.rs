//! The C interface of Crestline: `crestline.h`, `libcrestline.so` and `libcrestline.a`.
//!
//! A program compiles a shader with [`crestline_compile`] or the shaders of a pipeline with [`crestline_link`], reads
//! the metadata of the result from plain structs ([`crestline_program_metadata`]), and releases it with
//! [`crestline_program_free`]. Machine code is read by [`crestline_disassemble`], [`crestline_validate`] and
//! [`crestline_analyze`]. `docs/c-api.md` is the guide.
//!
//! Rules of all functions:
//!
//! * A pointer is NULL or points to memory of the type and size that the function names. NULL is an error with the code
//!   `E1401`, except where a function allows it; so is a number that no constant of its enumeration has.
//! * A panic does not leave a function. It becomes an error with the code `E0999`.
//! * All functions may be called by several threads at the same time, with the same objects. The exception is the
//!   function that releases an object: it must be the last one that gets the object.

#![deny(missing_docs)]

mod arguments;
mod compile;
mod error;
mod flatten;
mod input;
mod metadata;
mod text;
mod tools;

pub use compile::*;
pub use error::*;
pub use input::*;
pub use metadata::*;
pub use text::*;
pub use tools::*;

use std::ffi::c_char;

/// The version of this interface: the value of [`crestline_abi_version`] in the library that belongs to this header.
/// It increases if programs that were compiled with an older header can no longer run with the library.
pub const CRESTLINE_ABI_VERSION: u32 = 1;

/// Returns the version of the interface that the library has: `CRESTLINE_ABI_VERSION` of its header.
#[unsafe(no_mangle)]
pub extern "C" fn crestline_abi_version() -> u32 {
    CRESTLINE_ABI_VERSION
}

/// Returns the version of the compiler, such as "0.1.0". The text is static.
#[unsafe(no_mangle)]
pub extern "C" fn crestline_version() -> *const c_char {
    const { concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast() }
}
