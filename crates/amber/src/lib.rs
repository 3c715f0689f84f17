//! Pipelines in files: reads AmberScript and VkScript, and runs them in the emulator.
//!
//! [`parse`] reads a script of either form into a [`Script`](script::Script).
//!
//! ```
//! let script = crestline_amber::parse("#!amber\nBUFFER data DATA_TYPE uint32 DATA 1 2 3 END\nEXPECT data IDX 4 EQ 2\n")?;
//! assert_eq!((script.buffers.len(), script.commands.len()), (1, 1));
//! # Ok::<(), crestline_amber::ScriptError>(())
//! ```

#![deny(missing_docs)]

mod error;
pub mod format;
mod lexer;
pub mod limits;
mod parse;
pub mod requirements;
pub mod run;
pub mod script;
pub mod table;
pub mod types;
mod vkscript;

pub use error::{Place, ScriptError};
pub use lexer::Number;

/// Reads a script: AmberScript if its first line is `#!amber`, else VkScript.
///
/// # Errors
/// The first error, with its place.
pub fn parse(text: &str) -> Result<script::Script, ScriptError> {
    if text.len() > limits::SCRIPT_BYTES {
        let message = format!(
            "the script has {} bytes: expected at most {}",
            text.len(),
            limits::SCRIPT_BYTES
        );
        return Err(ScriptError::new(Place { line: 1, column: 1 }, message));
    }
    match text.lines().next().is_some_and(|line| line.trim_end() == "#!amber") {
        true => parse::script(text),
        false => vkscript::script(text),
    }
}
