//! The interpreter: what a shader means, independent of any machine.

pub mod float;
