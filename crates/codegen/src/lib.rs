//! The back end: from crestline-ssa to crestline-isa instructions.

#![deny(missing_docs)]

pub mod interface;
pub mod ir;
pub mod regalloc;
pub mod scalar;
pub mod surface;
