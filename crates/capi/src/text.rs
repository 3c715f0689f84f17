//! Texts that functions return.

use std::ffi::{CString, c_char};

use crate::arguments;
use crate::error::c_string;

/// A text in UTF-8.
#[derive(Debug)]
pub struct CrestlineText {
    text: CString,
}

impl CrestlineText {
    pub(crate) fn new(text: &str) -> CrestlineText {
        CrestlineText { text: c_string(text) }
    }
}

/// Returns the bytes of a text. A zero byte follows them. The pointer is valid until the text is released. Returns "" for
/// NULL.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_text_data(text: *const CrestlineText) -> *const c_char {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { text.as_ref() }.map_or(c"".as_ptr(), |text| text.text.as_ptr())
}

/// Returns the number of bytes of a text, without the zero byte at its end. Returns 0 for NULL.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_text_size(text: *const CrestlineText) -> usize {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid.
    unsafe { text.as_ref() }.map_or(0, |text| text.text.as_bytes().len())
}

/// Releases a text. NULL is allowed.
///
/// # Safety
/// See the rules of all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crestline_text_free(text: *mut CrestlineText) {
    // SAFETY: by the rules of all functions, the pointer is NULL or valid, and not used afterwards.
    unsafe { arguments::release(text) };
}
