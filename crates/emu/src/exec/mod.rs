//! Executes plans: an interpreter for one thread.

mod access;
mod alu;
mod flow;
mod instance;
mod lane;
mod mask;
pub(crate) mod run;
mod send;
