//! The interpreter: what a shader means, independent of any machine.

pub mod alu;
pub mod float;
