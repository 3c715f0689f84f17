//! Reads the arguments of C functions, and keeps panics inside the library.

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use crestline::Platform;

use crate::error::{CrestlineError, CrestlineStatus};

/// The result of the inner functions.
pub(crate) type Result<T> = std::result::Result<T, CrestlineError>;

/// Runs the body of a C function. Stores the error or the panic, and returns the status.
///
/// # Safety
/// `error` is NULL or valid for a write.
pub(crate) unsafe fn run(
    error: *mut *mut CrestlineError,
    body: impl FnOnce() -> Result<()>,
) -> CrestlineStatus {
    // A panic leaves no broken state: the objects are not changed after they are made, and the caller gets nothing else.
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|&text| text.to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        // The payload may panic when it is dropped.
        std::mem::forget(panic);
        Err(CrestlineError::defect(text.as_deref().unwrap_or("no message")))
    });
    let (status, stored) = match result {
        Ok(()) => (CrestlineStatus::Ok, ptr::null_mut()),
        Err(error) => (CrestlineStatus::Error, Box::into_raw(Box::new(error))),
    };
    if !error.is_null() {
        // SAFETY: not NULL, and the caller promises that it is valid.
        unsafe { error.write(stored) };
    } else if !stored.is_null() {
        // SAFETY: it was made from a box just now, and nobody else has it.
        drop(unsafe { Box::from_raw(stored) });
    }
    status
}

/// The object behind a pointer.
///
/// # Safety
/// The pointer is NULL or valid for reads for the lifetime.
pub(crate) unsafe fn object<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: as promised by the caller.
    unsafe { pointer.as_ref() }.ok_or_else(|| CrestlineError::null(name))
}

/// Sets the place of a result to NULL, so that the caller never sees an old value. Returns the place.
///
/// # Safety
/// The pointer is NULL or valid for writes.
pub(crate) unsafe fn place<T>(pointer: *mut *mut T, name: &str) -> Result<Place<T>> {
    if pointer.is_null() {
        return Err(CrestlineError::null(name));
    }
    // SAFETY: not NULL, and the caller promises that it is valid.
    unsafe { pointer.write(ptr::null_mut()) };
    Ok(Place(pointer))
}

/// Where a result goes: a valid pointer.
pub(crate) struct Place<T>(*mut *mut T);

impl<T> Place<T> {
    /// Stores a result, which the caller of the C function owns from then on.
    pub(crate) fn set(self, value: T) {
        // SAFETY: `place` has checked the pointer, and the C function has not returned since.
        unsafe { self.0.write(Box::into_raw(Box::new(value))) };
    }
}

/// The elements of an array. NULL is allowed for an empty one.
///
/// # Safety
/// The pointer is NULL or valid for reads of `count` elements for the lifetime.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(CrestlineError::null(name));
    }
    if count.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
        let message = format!("{name}: {count} elements do not fit in the address space");
        return Err(CrestlineError::argument(message));
    }
    if !pointer.is_aligned() {
        return Err(CrestlineError::argument(format!("{name}: the pointer is not aligned")));
    }
    // SAFETY: not NULL, aligned, of a possible size, and the caller promises that it is valid.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// A text that ends with a zero byte; `None` if the pointer is NULL.
///
/// # Safety
/// The pointer is NULL or points to a text that ends with a zero byte and stays valid for the lifetime.
pub(crate) unsafe fn optional_text<'a>(
    pointer: *const c_char,
    name: &str,
) -> Result<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: not NULL, and the caller promises that it ends with a zero byte.
    let text = unsafe { CStr::from_ptr(pointer) };
    let text = text.to_str().map_err(|error| CrestlineError::argument(format!("{name}: {error}")));
    text.map(Some)
}

/// The platform with a name.
///
/// # Safety
/// As for [`optional_text`].
pub(crate) unsafe fn platform(pointer: *const c_char) -> Result<Platform> {
    // SAFETY: as promised by the caller.
    let name = unsafe { optional_text(pointer, "platform") }?;
    let name = name.ok_or_else(|| CrestlineError::null("platform"))?;
    name.parse().map_err(|error| CrestlineError::argument(format!("platform: {error}")))
}

/// A struct whose first field is its size in bytes, of type `size_t`. The fields that the caller's version of the struct
/// does not have are 0.
///
/// # Safety
/// The pointer is NULL or points to a `size_t`. If that is at least the size of a `size_t`, so many bytes are valid for
/// reads. All bit patterns of `T` are valid.
pub(crate) unsafe fn sized<T>(pointer: *const T, name: &str) -> Result<T> {
    const LARGEST: usize = 4096;
    if pointer.is_null() {
        return Err(CrestlineError::null(name));
    }
    // SAFETY: not NULL, and the caller promises a `size_t` there.
    let size = unsafe { pointer.cast::<usize>().read_unaligned() };
    // The fields are whole words or pairs of halves, so no size ends within a pointer.
    let whole = size.is_multiple_of(size_of::<usize>());
    if !whole || !(size_of::<usize>()..=LARGEST).contains(&size) {
        let message = format!("{name}: the size {size} is not that of such a struct");
        return Err(CrestlineError::argument(message));
    }
    // SAFETY: the caller promises as many bytes as the size says.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), size) };
    let (known, newer) = bytes.split_at(size.min(size_of::<T>()));
    if newer.iter().any(|&byte| byte != 0) {
        let message =
            format!("{name}: a field that this version of the library does not have is set");
        return Err(CrestlineError::argument(message));
    }
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: `known` is at most as long as `T`; the rest stays zero, and all bit patterns are valid.
    unsafe {
        ptr::copy_nonoverlapping(known.as_ptr(), value.as_mut_ptr().cast::<u8>(), known.len());
        Ok(value.assume_init())
    }
}

/// Releases an object that [`Place::set`] stored. NULL is allowed.
///
/// # Safety
/// The pointer is NULL or comes from [`Place::set`], and is not used afterwards.
pub(crate) unsafe fn release<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: it was made from a box, and the caller gives it up.
        let object = unsafe { Box::from_raw(pointer) };
        // Dropping plain data does not panic; if it does, the object is lost and the process goes on.
        let _ = catch_unwind(AssertUnwindSafe(move || drop(object)));
    }
}
