//! The server of `crestline explore`: a page on this machine, in which a person edits a shader and sees its machine code.
//!
//! [`Server`] listens on the loopback interface only. Each request must have the random token of the page in its path
//! and the server's own address in its `Host` field (`guard`). Untrusted sources are compiled in a child process
//! (`worker`) with limits of time and memory, whose main function calls [`answer`]. A newer compilation ends an older
//! one. Nothing here opens a connection to another machine.

#![deny(missing_docs)]

mod compile;
mod fields;
mod guard;
mod http;
mod page;
mod server;
mod worker;

pub use compile::answer;
pub use guard::{Token, TokenError};
pub use server::{Document, Server};
pub use worker::StartWorker;

/// The most bytes of a request's body, and of a child process's input.
pub const MAX_REQUEST_BYTES: usize = 1 << 20;
/// The most bytes of a child process's output.
pub const MAX_ANSWER_BYTES: u64 = 64 << 20;
