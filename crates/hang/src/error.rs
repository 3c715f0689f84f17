//! Errors of reading error states.

use crestline_device::{Gen, Platform};

/// Why an error state could not be read. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The text has neither registers of an engine nor a buffer.
    #[error("the text is no i915 error state: it has neither `command stream:` nor a buffer")]
    NotErrorState,
    /// The driver wrote that it has no error state.
    #[error("the driver had no error state when the file was written")]
    Empty,
    /// A character of a stored buffer is not one of ascii85, or a group of five characters is wrong.
    #[error("line {line} column {column}: expected {expected}")]
    Ascii85 {
        /// The line.
        line: usize,
        /// The column in bytes.
        column: usize,
        /// What was expected.
        expected: &'static str,
    },
    /// A register or an address has no number.
    #[error("line {line}: expected a hexadecimal number after `{after}`")]
    Number {
        /// The line.
        line: usize,
        /// The name in front of the number.
        after: String,
    },
    /// The offset in front of a dword does not follow that of the dword before.
    #[error("line {line}: expected the dword at offset {expected:#x}")]
    Offset {
        /// The line.
        line: usize,
        /// The expected offset in bytes.
        expected: usize,
    },
    /// The compressed bytes of a buffer are damaged.
    #[error("line {line}: the compressed buffer is damaged")]
    Inflate {
        /// The line.
        line: usize,
    },
    /// The buffers together are too large.
    #[error("line {line}: the buffers have more than {limit} bytes in total")]
    TooLarge {
        /// The line of the buffer that exceeds the limit.
        line: usize,
        /// The most bytes.
        limit: usize,
    },
    /// The generation has no tables of packets.
    #[error("error states of {0} are not supported: expected gen7 to gen12")]
    Unsupported(Gen),
    /// The error state names another platform.
    #[error(
        "line {line}: the error state is from {found} ({}), not {}",
        found.generation(),
        wanted.generation()
    )]
    OtherPlatform {
        /// The line.
        line: usize,
        /// The platform of the error state.
        found: Platform,
        /// The platform that the caller expected.
        wanted: Platform,
    },
}

impl DumpError {
    /// The line of the error, from 1, if it is known.
    pub fn line(&self) -> Option<usize> {
        match *self {
            DumpError::NotErrorState | DumpError::Empty | DumpError::Unsupported(_) => None,
            DumpError::Ascii85 { line, .. }
            | DumpError::Number { line, .. }
            | DumpError::Offset { line, .. }
            | DumpError::Inflate { line }
            | DumpError::TooLarge { line, .. }
            | DumpError::OtherPlatform { line, .. } => Some(line),
        }
    }
}
