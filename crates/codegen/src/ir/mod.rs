//! The intermediate representation (IR) of the back end, shared by scalar and vec4 mode.
//!
//! A [`Function`] is a list of blocks in layout order, and a [`Block`] is a list of instructions on virtual or
//! physical registers. Control flow is structured: `if`, `else`, `endif`, `do`, `while`, `break`, `cont` and `halt`
//! are instructions, and [`Cfg`] derives the edges between blocks from them. Units: operand offsets and sizes are in
//! **bytes**, strides in elements, execution sizes and channel groups in channels, register numbers in general
//! registers of 32 bytes.
//!
//! An Align16 instruction works on vectors of four channels, one vector for each vertex. Its sources have swizzles
//! and its destination has a write mask; both select components of the operand's type, for types of 64 bits too.
//! Control flow enables all four channels of a vector or none of them; write masks and predicates leave out single
//! components.
//!
//! Instruction selection emits operations with the types, widths and regions that the program needs, whether or not
//! the hardware can encode them. The `lower_*` passes then replace those that the hardware does not have. After every
//! pass, the IR satisfies [`verify`](crate::verify::verify).

mod builder;
mod cfg;
mod function;
pub(crate) mod inst;
mod op;
mod operand;
mod origin;
mod packed;
mod parse;
mod print;

pub use builder::Builder;
pub use cfg::{Cfg, Edge, EdgeKind, FlowError, NodeId};
pub use function::{Block, BlockId, Class, Function, Vreg, VregInfo, Vregs};
pub use inst::{Flag, Inst};
pub use op::{Effect, Message, Op, Space};
pub use operand::{File, GRF_BYTES, OffsetError, Operand, Region, Span};
pub use origin::Origin;
pub use packed::{float_code, integer_code, packed_floats, packed_vector};
pub use parse::{ParseError, parse};
