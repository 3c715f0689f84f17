//! The back end: it translates a shader of `crestline-ssa` to instructions of `crestline-isa`.
//!
//! Instruction selection ([`scalar`] for SIMD8 to SIMD32, [`vec4`] for SIMD4x2) translates the shader to the back
//! end's intermediate representation ([`ir`]) on virtual registers. [`backend::generate`] does the rest: it runs the
//! [`passes`] that [`pipeline`] lists, orders instructions ([`schedule`]), allocates registers ([`regalloc`]), sets
//! the software scoreboard ([`scoreboard`]) and converts the result to machine instructions ([`finish`]).

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
