//! The text form of a shader: a printer and a parser.
//!
//! ```text
//! compute "double" {
//!     local_size 64, 1, 1
//!     binding b0: ssbo set 0 binding 0 "data"
//!
//!     %0: 32x3 = sysval global_invocation_id
//!     %1: 32   = const 2
//!     %2: 32   = ishl %0.x, %1
//!     %3: 32   = load ssbo b0, %2, align 4
//!     %4: 32   = fadd %3, %3
//!                store ssbo b0, %2, %4, align 4
//!     return
//! }
//! ```
//!
//! The printer names a value by its number. The parser accepts any name after `%`, and numbers values in order of
//! appearance. A source has a swizzle unless it reads its whole value in order. `//` starts a comment. Parsing a
//! printed shader gives the shader in the form of [`Shader::compact`](crate::ir::Shader::compact).

mod lex;
mod parse;
mod print;
mod words;

pub use parse::{ParseError, ParseErrorKind, parse};
pub use print::inst_to_string;

/// The word of a system value in the text form, such as `local_invocation_id`.
pub fn sysval_word(value: crate::ir::SysVal) -> &'static str {
    words::Word::word(value)
}
