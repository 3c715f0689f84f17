//! Errors in a script.

use std::fmt;

/// A place in the text of a script. Both numbers count from 1; columns are characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The reason why a text is not a valid script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScriptError {
    /// The place of the error.
    pub place: Place,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl ScriptError {
    pub(crate) fn new(place: Place, message: impl Into<String>) -> ScriptError {
        ScriptError { place, message: message.into() }
    }
}

pub(crate) type Result<T> = std::result::Result<T, ScriptError>;

/// Joins words to `a, b or c`.
pub(crate) fn one_of<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let mut words: Vec<String> = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
    match words.pop() {
        None => String::new(),
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
    }
}
