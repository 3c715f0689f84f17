//! The back end: it translates a shader of `crestline-ssa` to instructions of `crestline-isa`.

#![deny(missing_docs)]

pub mod analysis;
pub mod backend;
pub mod error;
pub mod finish;
pub mod interface;
pub mod ir;
pub mod legal;
mod lists;
pub mod passes;
pub mod pipeline;
pub mod regalloc;
pub mod scalar;
pub mod schedule;
pub mod scoreboard;
pub mod select;
pub mod stage;
pub mod surface;
pub mod target;
pub mod vec4;
pub mod verify;

pub use target::unsupported_operations;
