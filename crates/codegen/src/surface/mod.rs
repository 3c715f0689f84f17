//! Messages to memory: the one place that builds them, for buffers, images, textures, shared memory, scratch, barriers and
//! thread end.
//!
//! A function here appends one access for all channels of a builder's thread. Messages serve at most sixteen channels
//! (typed ones eight), so a SIMD32 access is two; their data lie in registers component by component, as [`Op::Message`](crate::ir::Op)
//! lays out payload parts. Byte offsets are per channel (or one for all); bounds are the surface's business: out of
//! bounds reads give 0, writes are dropped.
//!
//! Threads of two vertices (vec4 mode) have eight channels here too, four for each; see [`UrbAddress`] for the URB.

mod memory;
mod sampler;
mod sync;
mod typed;
mod urb;
mod vec4;

use crate::target::Target;
use crestline_isa::Type;
use crestline_isa::message::{self as isa, Bti, DescriptorError, SimdMode};

use crate::ir::{Builder, Effect, Message, Operand, Space};

pub use memory::{
    Atomic, atomic, atomic_at_address, fill_scratch_header, read, read_block, read_scattered,
    read_scratch, write, write_scattered, write_scratch,
};
pub use sampler::{
    Parameter, SamplerParameters, SamplerRead, read_sampler, read_sampler_vectors, sampler_header,
    sampler_op, vector_parameters,
};
pub use sync::{Fenced, barrier, end_thread, fence, patch_barrier, set_shared_memory_index};
pub use typed::{atomic_texel, fill_typed_header, read_texel, write_texel};
pub use urb::{
    MAX_SLOTS, UrbAddress, end_patch, fill_blank_header, fill_header, header, read_slots, release,
    write_slots,
};
pub use vec4::{
    atomic_texels, atomic_vectors, read_scratch_vectors, read_texels, read_vectors,
    write_scratch_vectors, write_texels, write_vectors,
};

/// What a message accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// A binding table index.
    Index(u8),
    /// A binding table index known at run time: a UD scalar.
    Dynamic(Operand),
    /// Shared memory of the workgroup.
    Shared,
}

// An index is added as it is.
const _: () = assert!(isa::SURFACE_BIT == 0);

impl Surface {
    /// The index that stands in the descriptor.
    fn bti(self) -> Bti {
        match self {
            Surface::Index(index) => Bti(index),
            Surface::Dynamic(_) => Bti(0),
            Surface::Shared => Bti::SLM,
        }
    }

    /// What is added to the descriptor at run time, at [`SURFACE_BIT`](isa::SURFACE_BIT), or null.
    fn addend(self) -> Operand {
        match self {
            Surface::Dynamic(index) => index,
            Surface::Index(_) | Surface::Shared => Operand::null(Type::Ud),
        }
    }

    fn space(self) -> Space {
        match self {
            Surface::Shared => Space::Shared,
            Surface::Index(_) | Surface::Dynamic(_) => Space::Global,
        }
    }
}

/// How a message is laid out and what it does to memory.
#[derive(Clone, Copy)]
struct Shape {
    /// Payload parts that are whole registers, at the front.
    headers: u8,
    /// Payload parts of the first payload; the rest may be a second.
    first: u8,
    /// Bytes returned.
    response: u32,
    effect: Effect,
    space: Space,
}

/// A message for the intermediate form, if the device has it.
fn message(target: &Target, kind: isa::Message, shape: Shape) -> Result<Message, DescriptorError> {
    let message = Message {
        kind,
        headers: shape.headers,
        first: shape.first,
        response: shape.response,
        lengths: [0; 2],
        eot: false,
        check: false,
        effect: shape.effect,
        space: shape.space,
    };
    message.supported(target.generation())?;
    Ok(message)
}

/// The message form for so many channels.
fn simd_mode(channels: u8) -> SimdMode {
    if channels > 8 { SimdMode::Simd16 } else { SimdMode::Simd8 }
}

/// First channel and number of channels of each message that an access takes, of messages for up to sixteen channels.
fn halves(b: &Builder<'_>) -> impl Iterator<Item = (u8, u8)> + use<> {
    parts(b, 16)
}

/// The same for messages that serve at most so many channels.
fn parts(b: &Builder<'_>, most: u8) -> impl Iterator<Item = (u8, u8)> + use<> {
    let width = b.exec_size();
    let each = width.min(most);
    (0..width / each).map(move |i| (i * each, each))
}

/// The part of an operand for channels from `group` on. Operands here are packed or scalar, which move freely.
fn at(b: &mut Builder<'_>, operand: Operand, group: u8) -> Operand {
    operand.horiz_offset(u32::from(group)).unwrap_or_else(|_| {
        b.fault("an operand of a message cannot be split");
        operand
    })
}
