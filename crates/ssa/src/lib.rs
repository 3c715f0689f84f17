//! The mid-level IR of Crestline: SSA with structured control flow.
//!
//! A [`Shader`](ir::Shader) is one entry point after inlining: its interface (bindings, variables, shared memory) and one
//! [`Function`](ir::Function) whose code is a tree of *regions*. Values are scalars or vectors of
//! up to four components of 1, 8, 16, 32 or 64 bits. They have no numeric type: the operation determines whether the
//! bits are a float, an integer or a boolean. Sources select components by a swizzle.
//!
//! Control flow is structured and has no phis: [`If`](ir::InstKind::If) and [`Loop`](ir::InstKind::Loop) are
//! instructions that contain regions. Values that a loop changes are parameters of its region. `if` and `loop` have results.
//! A value is visible from its definition to the end of its region, including nested regions, so scopes replace dominance.
//!
//! This crate does not use registers, messages or generations.

#![deny(missing_docs)]

pub mod analysis;
pub mod float;
pub mod interp;
pub mod ir;
pub mod link;
pub mod passes;
pub mod reduce;
pub mod runner;
pub mod text;
pub mod verify;
