//! The server of `crestline explore`: a page on this machine, in which a person edits a shader and sees its machine code.
//!
//! [`Server`] listens on the loopback interface only. Each request must have the random token of the page in its path
//! and the server's own address in its `Host` field (`guard`). Untrusted sources are compiled and run in a child process
//! (`worker`) with limits of time and memory, whose main function calls [`answer`]. A newer compilation ends an older
//! one, and a newer run an older one; one more process of each waits for the next request, so there are four child processes at
//! most. The server keeps no state of a run. Nothing here opens a connection to another machine.

#![deny(missing_docs)]

mod answer;
mod compile;
mod encoding;
mod fields;
mod guard;
mod http;
mod page;
mod run;
mod server;
mod worker;

pub use answer::{answer, prepare};
pub use encoding::encode as base64;
pub use guard::{Token, TokenError};
pub use server::{Document, Server};
pub use worker::StartWorker;

/// The most bytes of a request's body.
pub const MAX_REQUEST_BYTES: usize = 1 << 20;
/// The most bytes of a child process's input: a request with its task.
pub const MAX_INPUT_BYTES: usize = MAX_REQUEST_BYTES + 16;
/// The most bytes of a child process's output.
pub const MAX_ANSWER_BYTES: u64 = 64 << 20;
