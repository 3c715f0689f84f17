//! What a stage of the geometry pipeline gets and gives, whatever way its threads hold it in registers.
//!
//! The contract speaks of *slots* of 16 bytes: those of URB entries, and those that the payload has a copy of, the pushed
//! ones, counted from 0. The stage's layout (in the `crestline` crate) makes it together with the program's metadata.
//! What follows from it is here:
//!
//! - `io`: the contract itself;
//! - `fragment`: the contract of fragment shaders, whose inputs are interpolated instead of read from slots;
//! - `mode`: the registers that the pushed part takes in threads of a mode;
//! - `access`: where an access finds its slot, in the payload or in an entry, and by which numbers that are known only at
//!   run time;
//! - `stores`: what the stores of a shader do to the slots of an entry, which of them go together, and which runs of slots
//!   messages write;
//! - `vertices`: which stores of a geometry shader belong to which vertex, and where its entry has vertices and control
//!   data.
//!
//! But for counts of registers in `mode`, and places in the payload in `fragment`, nothing here knows a register or a message. A back end for a mode of threads (SIMD4x2 in `vec4`, SIMD8 in `scalar::stage`) adds where in its payload the pushed
//! slots and the handles are, what holds a slot, and the messages that move it.

mod access;
mod fragment;
mod io;
mod mode;
mod stores;
mod vertices;

pub(crate) use access::{
    Access, DynamicIndex, Handle, OffsetTerm, SlotOffset, Target, is_own_number, row_of,
};
pub use fragment::{FragmentIo, FragmentStep, PerHalf, barycentric};
pub use io::{
    GeometryIo, StageIo, TessControlIo, TessEvalIo, VertexIdSource, VertexIo, VueMap, VueSlot,
};
pub use mode::{PUSH_UNIT, SlotPacking, ThreadMode};
pub(crate) use stores::{HEADER, Run, Usage, groups, joined_stores, runs};
pub(crate) use vertices::Plan;
