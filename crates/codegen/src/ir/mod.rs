//! The back end's intermediate form, shared by scalar and vec4 mode.
//!
//! Instructions on virtual or physical registers, in blocks in layout order, with structured
//! control flow. Units: operand offsets and sizes in **bytes**, strides in elements, execution
//! sizes and groups in channels, register numbers in general registers of 32 bytes.
//!
//! An Align16 instruction works on vectors of four channels, one for each vertex: its operands are
//! swizzled and masked by components, of 64 bits too. Control flow enables all four channels of a
//! vector or none; a component alone is left out by write masks and predicates.
//!
//! The form is clean until late: an operation takes the types, widths and regions the program
//! means, and `lower_*` passes make hardware instructions of it. Whatever a pass leaves satisfies
//! [`verify`](crate::verify::verify).

mod builder;
mod cfg;
mod function;
pub(crate) mod inst;
mod op;
mod operand;
mod packed;
mod parse;
mod print;

pub use builder::Builder;
pub use cfg::{Cfg, Edge, EdgeKind, FlowError, NodeId};
pub use function::{Block, BlockId, Class, Function, Vreg, VregInfo, Vregs};
pub use inst::{Flag, Inst};
pub use op::{Effect, Message, Op, Space};
pub use operand::{File, GRF_BYTES, OffsetError, Operand, Region, Span};
pub use packed::{float_code, integer_code, packed_floats, packed_vector};
pub use parse::{ParseError, parse};
