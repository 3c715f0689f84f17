//! Errors of reading programs.

use crate::metadata::{OLDEST_VERSION, VERSION};

/// Why metadata could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// Not JSON.
    #[error("metadata, line {line} column {column}: {message}")]
    Json {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// A value does not have the documented type or fields.
    #[error("metadata{}: expected {expected}, found {found}", at(path))]
    Shape {
        /// Path of the value: `dispatches[0].payload.items[3].size`; empty for the whole document.
        path: String,
        /// What was expected there.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The version of the schema is not supported.
    #[error("metadata version {found} is not supported: expected {OLDEST_VERSION} to {VERSION}")]
    Version {
        /// The version in the file.
        found: u64,
    },
    /// A field has an invalid value.
    #[error("metadata field `{field}`: {reason}")]
    Field {
        /// Path of the field: `dispatches[0].payload.items[3]`.
        field: String,
        /// What is wrong and what was expected.
        reason: String,
    },
}

/// The path as part of an error message.
fn at(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" `{path}`") }
}

/// Why code could not be read from a container.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// A character of a hex container is neither a hex digit nor white space.
    #[error("hex code, line {line} column {column}: expected a hex digit, found {found:?}")]
    NotHex {
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// The offending character.
        found: char,
    },
    /// A line of a hex container ends in the middle of a byte.
    #[error("hex code, line {line}: odd number of hex digits")]
    HalfByte {
        /// Line, counted from 1.
        line: usize,
    },
    /// A line of a hex dump cannot be parsed, or has another format than the first line.
    #[error("hex dump, line {line}: expected {expected}, found {found}")]
    Dump {
        /// Line, counted from 1.
        line: usize,
        /// What was expected there.
        expected: String,
        /// What was found.
        found: String,
    },
    /// There is no code, or too much.
    #[error("the code has {length} bytes: expected 1 to {}", crate::CODE_LIMIT)]
    Length {
        /// Length of the code in bytes.
        length: usize,
    },
    /// A binary container is damaged, or is not of the expected kind.
    #[error("{container}, byte {offset:#x}: expected {expected}, found {found}")]
    Malformed {
        /// The container or the part of it.
        container: &'static str,
        /// Byte offset in the file.
        offset: usize,
        /// What was expected there.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The `.ze_info` of a zebin is not YAML, or not of the documented shape.
    #[error(".ze_info, line {line} column {column}: {message}")]
    ZeInfo {
        /// Line of the section, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// What was found and what was expected.
        message: String,
    },
    /// A program cannot be written in the container.
    #[error("zebin: {reason}")]
    Unwritable {
        /// What the container cannot express.
        reason: String,
    },
}
