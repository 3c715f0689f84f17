//! Runs the parsers of other projects (naga, glslang) on their own thread, so that neither a deep recursion nor a panic
//! in them ends the process.

use std::thread;

use crate::error::{ErrorCode, FrontendError, Result};

/// Stack size of the parser's thread, in bytes: several times what the deepest text within the
/// [`limits`](crate::limits) needs in a build without optimisation. The operating system allocates only the pages that
/// are used.
const STACK_BYTES: usize = 256 << 20;

/// Runs `work`, which calls the parser named `reader`, on a thread with a stack of [`STACK_BYTES`], and waits for it.
///
/// # Errors
/// Errors of `work`; [`ErrorCode::ReaderFailed`] if it panics or the thread cannot start.
pub(crate) fn confined<T: Send>(
    reader: &str,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    let failed = |why: String| {
        let detail = format!("the parser {reader} failed, which is a bug of {reader}: {why}");
        FrontendError::new(ErrorCode::ReaderFailed, detail)
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(reader.to_owned()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, work) {
            Err(error) => Err(failed(format!("its thread could not start: {error}"))),
            Ok(handle) => handle.join().unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<&str>().map(|&text| text.to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                Err(failed(text.unwrap_or_else(|| "it panicked".to_owned())))
            }),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The recursion needs more stack than the threads of tests and programs have.
    #[test]
    fn the_stack_is_the_readers_own() {
        fn deep(levels: u32) -> u32 {
            let frame = std::hint::black_box([levels; 1024]);
            if levels == 0 { 0 } else { 1 + deep(levels - 1) + frame[0] - frame[1023] }
        }
        assert_eq!(confined("a test", || Ok(deep(16_000))), Ok(16_000));
    }

    #[test]
    fn a_panic_is_an_error() {
        let error = confined::<()>("a test", || panic!("no such thing")).unwrap_err();
        assert_eq!(error.code, ErrorCode::ReaderFailed);
        assert!(error.detail.ends_with("which is a bug of a test: no such thing"), "{error}");
    }
}
