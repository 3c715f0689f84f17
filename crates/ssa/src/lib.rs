//! The mid-level IR of Crestline: SSA with structured control flow.
//!
//! A [`Shader`](ir::Shader) is one entry point after inlining: its interface (bindings, variables, shared memory) and
//! one [`Function`](ir::Function) whose code is a tree of *regions*. Values are scalars or vectors of up to four
//! components of 1, 8, 16, 32 or 64 bits. They have no numeric type: the operation determines whether the bits are a
//! float, an integer or a boolean. A source selects the components that it reads by a swizzle.
//!
//! Control flow is structured and has no phis: [`If`](ir::InstKind::If) and [`Loop`](ir::InstKind::Loop) are
//! instructions that contain regions and have results. Values that change from one iteration of a loop to the next are
//! parameters of its region. A value is visible from its definition to the end of its region, including nested regions,
//! so a definition dominates exactly the instructions where it is visible.
//!
//! This crate does not use registers, messages or generations.

#![deny(missing_docs)]

pub mod analysis;
pub mod explain;
pub mod float;
pub mod interp;
pub mod ir;
pub mod link;
pub mod passes;
pub mod reduce;
pub mod runner;
pub mod text;
pub mod verify;
