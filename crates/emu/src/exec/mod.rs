//! Execution of one thread.

pub(crate) mod access;
pub(crate) mod alu;
pub(crate) mod flow;
pub(crate) mod lane;
pub(crate) mod log;
pub(crate) mod op;
pub(crate) mod operand;
pub(crate) mod registers;
pub(crate) mod run;
pub(crate) mod thread;
