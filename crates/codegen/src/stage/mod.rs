//! The inputs and outputs of graphics stages, as far as they do not depend on how the channels of a thread are used.
//!
//! The interface of a stage ([`StageIo`]) describes inputs and outputs as *slots* of 16 bytes. A slot is a part of a
//! URB entry. The hardware copies some slots into the thread payload; these *pushed* slots are counted from 0. The
//! layout of the stage (in the `crestline` crate) builds the interface together with the program's metadata. The
//! modules are:
//!
//! - `io`: the data structures of the interface;
//! - `fragment`: the interface of fragment shaders, whose inputs are interpolated instead of read from slots;
//! - `mode`: the parameters of a kind of threads, and the number of registers that pushed slots take in them;
//! - `access`: the slot that a load or store accesses, in the payload or in a URB entry, including the part of its
//!   number that is known at run time only;
//! - `stores`: analysis of a shader's stores to the slots of an entry: which can share a message, and which runs of
//!   slots messages write;
//! - `vertices`: the assignment of a geometry shader's stores to vertices, and the positions of vertices and control
//!   data in its output entry.
//!
//! Apart from counts of registers in `mode` and byte offsets in the payload in `io` and `fragment`, these modules do
//! not depend on registers or messages. The back ends (SIMD4x2 in `vec4`, SIMD8 in `scalar::stage`) define which
//! registers hold a slot or a handle, and emit the messages that read and write slots.

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
pub(crate) use stores::{HEADER, JoinedStores, Run, Usage, groups, joined_stores, runs};
pub(crate) use vertices::Plan;
