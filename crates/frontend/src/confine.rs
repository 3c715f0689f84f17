//! Where readers of other projects run.

use std::thread;

use crate::error::{ErrorCode, FrontendError, Result};

/// The stack of a reader, in bytes: what the deepest text that [`limits`](crate::limits) lets through needs, several
/// times, in a build without optimisation. Only what is used takes memory.
const STACK_BYTES: usize = 256 << 20;

/// Runs a reader on a thread whose stack has a known size, whatever the caller's has. A panic of the reader is an error.
///
/// # Errors
/// Those of `work`; [`ErrorCode::ReaderFailed`] if it panics or the thread cannot start.
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

    /// More than the threads of tests and programs have.
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
