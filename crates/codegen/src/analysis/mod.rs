//! Analyses of a function on virtual registers: which bytes each instruction accesses, and the live intervals of
//! registers.

pub mod accesses;
mod bits;
pub mod liveness;
