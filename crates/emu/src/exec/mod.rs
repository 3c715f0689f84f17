//! Executes plans: an interpreter for one thread.

mod access;
mod alu;
#[cfg(test)]
mod differential;
mod flow;
mod instance;
mod lane;
mod mask;
pub(crate) mod run;
mod send;
