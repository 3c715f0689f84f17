//! Messages to the data port, sampler, URB and gateway: for buffers, images, textures, shared memory, scratch,
//! barriers and thread end. No other module builds messages, except that spilling builds its own scratch messages.
//!
//! Each function appends one access for all channels of the builder. A message has at most 16 channels (8 for typed
//! messages, 64-bit atomics and some sampler messages), so an access can need several messages. Data is in registers
//! component by component, in the layout of the payload parts of [`Op::Message`](crate::ir::Op). Byte offsets are one
//! per channel, or one for all channels. The surface checks bounds: reads out of bounds return 0, and writes have no
//! effect.
//!
//! A vec4 thread, which runs two vertices, has eight channels here too, four per vertex. See [`UrbAddress`] for the
//! URB.

mod address;
mod memory;
mod render;
mod sampler;
mod sync;
mod typed;
mod urb;
mod urb_simd8;
mod vec4;

use crate::target::Target;
use crestline_isa::Type;
use crestline_isa::message::{self as isa, Bti, DescriptorError, SimdMode};

use crate::ir::{Builder, Effect, Message, Operand, Space};

pub use address::{
    atomic_at_address, read_at_address, read_block_at_address, read_scattered_at_address,
    write_at_address, write_scattered_at_address,
};
pub use memory::{
    Atomic, atomic, fill_scratch_header, read, read_block, read_scattered, read_scratch, write,
    write_scattered, write_scratch,
};
pub use render::{Colour, Outputs, interpolate_at, write_targets};
pub use sampler::{
    Parameter, SamplerIndex, SamplerParameters, SamplerRead, read_sampler, read_sampler_vectors,
    sampler_header, sampler_op, vector_parameters,
};
pub use sync::{
    Fenced, barrier, end_thread, fence, interlock, patch_barrier, set_shared_memory_index,
};
pub use typed::{atomic_texel, fill_typed_header, read_texel, write_texel};
pub use urb::{
    MAX_SLOTS, UrbAddress, end_patch, fill_blank_header, fill_header, header, read_slots, release,
    write_slots,
};
pub use urb_simd8::{EntryAddress, MAX_DWORDS, read_entry, write_entry};
pub use vec4::{
    atomic_texels, atomic_vectors, read_scratch_vectors, read_texels, read_vectors,
    write_scratch_vectors, write_texels, write_vectors,
};

/// The surface that a message accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// A binding table index.
    Index(u8),
    /// A binding table index that is known at run time only: a UD scalar.
    Dynamic(Operand),
    /// Shared memory of the workgroup (SLM).
    Shared,
    /// Memory at 32-bit addresses, relative to the general state base address (up to gen7.5).
    Stateless,
}

// A run-time index is used without a shift.
const _: () = assert!(isa::SURFACE_BIT == 0);

impl Surface {
    /// The index in the descriptor; 0 for an index known at run time only.
    fn bti(self) -> Bti {
        match self {
            Surface::Index(index) => Bti(index),
            Surface::Dynamic(_) => Bti(0),
            Surface::Shared => Bti::SLM,
            Surface::Stateless => Bti::STATELESS,
        }
    }

    /// The operand that is OR-ed into the descriptor at run time, at [`SURFACE_BIT`](isa::SURFACE_BIT); null if there
    /// is none.
    fn addend(self) -> Operand {
        match self {
            Surface::Dynamic(index) => index,
            Surface::Index(_) | Surface::Shared | Surface::Stateless => Operand::null(Type::Ud),
        }
    }

    /// The memory that the surface belongs to.
    fn space(self) -> Space {
        match self {
            Surface::Shared => Space::Shared,
            Surface::Index(_) | Surface::Dynamic(_) | Surface::Stateless => Space::Global,
        }
    }
}

/// The payload layout of a message and its effect on memory.
#[derive(Clone, Copy)]
struct Shape {
    /// Number of header registers, the first payload parts.
    headers: u8,
    /// Number of payload parts in the first payload; the others are in the second one, if the target has split sends.
    first: u8,
    /// Size of the response in bytes.
    response: u32,
    effect: Effect,
    space: Space,
}

/// A message for the IR; an error if the device does not have it.
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

/// The field of a message that states its number of channels.
fn simd_mode(channels: u8) -> SimdMode {
    if channels > 8 { SimdMode::Simd16 } else { SimdMode::Simd8 }
}

/// First channel and number of channels of each message that an access needs, for messages of up to 16 channels.
fn halves(b: &Builder<'_>) -> impl Iterator<Item = (u8, u8)> + use<> {
    parts(b, 16)
}

/// First channel and number of channels of each message that an access needs, for messages of up to `most` channels.
fn parts(b: &Builder<'_>, most: u8) -> impl Iterator<Item = (u8, u8)> + use<> {
    let width = b.exec_size();
    let each = width.min(most);
    (0..width / each).map(move |i| (i * each, each))
}

/// The part of an operand for channels from `group` on. Operands of accesses are packed or scalar, so this always
/// exists.
fn at(b: &mut Builder<'_>, operand: Operand, group: u8) -> Operand {
    operand.horiz_offset(u32::from(group)).unwrap_or_else(|_| {
        b.fault("an operand of a message cannot be split");
        operand
    })
}
