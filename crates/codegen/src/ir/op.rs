//! Operations: those of the hardware, and virtual operations that a `lower_*` pass replaces.

use crestline_device::Gen;
use crestline_isa::message::{self as isa, Descriptor, DescriptorError};
use crestline_isa::{MathFn, Opcode, SyncFn};

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A hardware operation with its usual operands. This includes structured flow control (`if else endif while
    /// break cont halt`), which has no targets here.
    ///
    /// Types are not limited to those that one hardware instruction supports: on every device, a `mul` of two D
    /// sources is the low 32 bits of the product, and a `mov` converts between any types.
    Hw(Opcode),
    /// Extended math.
    Math(MathFn),
    /// Waits for what its software scoreboard field and the sync function name. Source 0 is null.
    Sync(SyncFn),
    /// Start of a loop, to which the closing `while` jumps. Makes no machine instruction.
    Do,
    /// The place where channels that `halt` disabled continue. A function has at most one, outside all loops and
    /// conditionals.
    HaltTarget,
    /// Defines the destination with arbitrary bits. Makes no machine instruction.
    Undef,
    /// Copies the sources to the destination one after another. Each of the first `headers` sources is a whole
    /// register, copied with NoMask. Each further source is one component, with an element per channel of the
    /// instruction, and starts at the next whole register. A null source leaves a gap.
    Collect {
        /// Number of sources that are whole registers.
        headers: u8,
    },
    /// A message before lowering. Source 0 is a uniform UD that is OR-ed into the descriptor at run time, or null.
    /// The other sources are payload parts, laid out as by [`Op::Collect`]; [`Message`] describes them.
    Message,
    /// A message after lowering. Source 0 is as for [`Op::Message`], or it is the address register with the whole
    /// descriptor. Source 1 is the payload; source 2 is the second payload or null.
    Send,
    /// Reads register elements at an index known at run time. Sources: the first element of the readable range; the
    /// byte index (UD or UW, one for all channels or one per channel); a constant UD, the size of the readable range
    /// in bytes from source 0's offset. The region of source 0 adds a distance per channel: channel `i` reads the
    /// element at `range + channel_offset(i) + index`.
    ///
    /// In Align16, a range with one vector for each vertex starts at a register boundary. Each vector that an index
    /// selects also starts at a register boundary, unless all channels read one component.
    MovIndirect,
    /// Writes register elements at an index known at run time. The destination is the first element of the writable
    /// range. Sources: the value; the byte index; a constant UD, the size of the range in bytes.
    MovIndirectDst,
    /// Channel `i` reads the element of source 0 that belongs to channel number `source 1`. Sources: the value (one
    /// element per channel) and the channel number (UD, one per channel, less than the number of channels of the
    /// value).
    Shuffle,
    /// All channels read the element of one channel. Sources: the value; the channel number (a UD scalar).
    Broadcast,
    /// Number of the first enabled channel, as a UD scalar. No sources.
    FindLiveChannel,
    /// Bit mask of the enabled channels, as a UD scalar. No sources.
    LiveChannels,
    /// The high 32 bits of the product of two D or two UD sources.
    MulHigh,
    /// Waits until source 0, a UD scalar in the response of a message, has arrived. No message may be moved across
    /// this instruction.
    Await,
}

/// How a message accesses memory. This decides whether optimisations may move or remove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// No access to memory that can change. Equal messages have equal results, and unused ones may be removed.
    Pure,
    /// Reads memory that may change. Unused ones may be removed; none may be moved across a write.
    Read,
    /// Writes memory. None may be removed, or moved across a read or write.
    Write,
    /// Must stay in order with every other message (barriers, fences, thread end).
    Barrier,
}

/// Memories that do not alias each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// No memory.
    None,
    /// Buffers and images.
    Global,
    /// Shared local memory.
    Shared,
    /// The thread's scratch space.
    Scratch,
    /// Unified return buffer.
    Urb,
}

/// The request of an [`Op::Message`] or [`Op::Send`] to a shared function.
///
/// The fields stay separate until `finish` encodes the descriptors. The lengths and the header bit of the descriptor
/// follow from fields of this struct (see [`descriptor`](Self::descriptor)); all else is in [`kind`](Self::kind). If
/// a surface or sampler index is known only at run time, it is source 0, and its field in `kind` is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The message: shared function, type and fields of its descriptor.
    pub kind: isa::Message,
    /// Number of payload parts (sources from 1 on) that are whole header registers.
    pub headers: u8,
    /// Number of payload parts in the first payload, for a message with two payloads (split send); the other parts are
    /// in the second one. If it is the number of all parts, `lower_messages` may divide the message where the fewest copies
    /// are necessary. On a device without split send, all parts are in one payload.
    pub first: u8,
    /// Lengths of the first and second payload of a lowered [`Op::Send`] in registers; 0 before lowering.
    pub lengths: [u8; 2],
    /// Size of the response that is written to the destination, in bytes: a multiple of 32.
    pub response: u32,
    /// Whether the message ends the thread.
    pub eot: bool,
    /// Whether the instruction is `sendc`, which waits for earlier threads of the same pixels.
    pub check: bool,
    /// How the message accesses memory.
    pub effect: Effect,
    /// Which memory it accesses.
    pub space: Space,
}

impl Message {
    /// The fields of the descriptor and the extended descriptor.
    pub fn descriptor(&self) -> Descriptor {
        let response = self.response / super::GRF_BYTES;
        Descriptor {
            mlen: self.lengths[0],
            ex_mlen: self.lengths[1],
            // A response too long for `u8` becomes a length that no descriptor field can hold, so encoding reports an
            // error.
            rlen: u8::try_from(response).unwrap_or(u8::MAX),
            header_present: self.headers > 0,
            surface_offset: 0,
            message: self.kind.clone(),
        }
    }

    /// Checks that a generation has this message with these fields.
    ///
    /// # Errors
    /// The message or the field that the generation lacks.
    pub fn supported(&self, generation: Gen) -> Result<(), DescriptorError> {
        self.descriptor().encode(generation).map(|_| ())
    }
}

impl Op {
    /// Hardware opcode, for the operations that have one.
    pub const fn opcode(self) -> Option<Opcode> {
        match self {
            Op::Hw(opcode) => Some(opcode),
            Op::Math(_) => Some(Opcode::Math),
            Op::Sync(_) => Some(Opcode::Sync),
            _ => None,
        }
    }

    /// Name in printed IR: the mnemonic for hardware operations.
    pub fn name(self) -> &'static str {
        match self {
            Op::Hw(opcode) => opcode.name(),
            Op::Math(_) => "math",
            Op::Sync(_) => "sync",
            Op::Do => "do",
            Op::HaltTarget => "halt_target",
            Op::Undef => "undef",
            Op::Collect { .. } => "collect",
            Op::Message => "message",
            Op::Send => "send",
            Op::MovIndirect => "mov_indirect",
            Op::MovIndirectDst => "mov_indirect_dst",
            Op::Shuffle => "shuffle",
            Op::Broadcast => "broadcast",
            Op::FindLiveChannel => "find_live_channel",
            Op::LiveChannels => "live_channels",
            Op::MulHigh => "mul_high",
            Op::Await => "await",
        }
    }

    /// Whether the operation must be the last of its block.
    pub const fn ends_block(self) -> bool {
        matches!(
            self,
            Op::Hw(
                Opcode::If
                    | Opcode::Else
                    | Opcode::While
                    | Opcode::Break
                    | Opcode::Cont
                    | Opcode::Halt
            )
        )
    }

    /// Whether the operation must be the first of its block. `while` is both first and last of a block, because
    /// `cont` jumps directly to it.
    pub const fn starts_block(self) -> bool {
        matches!(self, Op::Do | Op::HaltTarget | Op::Hw(Opcode::EndIf | Opcode::While))
    }

    /// Whether the operation changes which channels are enabled, or where execution continues.
    pub const fn is_flow(self) -> bool {
        self.ends_block() || self.starts_block()
    }

    /// Whether the operation uses its conditional modifier for a comparison of its own and does not write the flag
    /// register.
    pub const fn cmod_selects(self) -> bool {
        matches!(self, Op::Hw(Opcode::Sel | Opcode::Csel | Opcode::If | Opcode::While))
    }

    /// Whether the predicate selects a source for each channel and does not disable channels.
    pub const fn predicate_selects(self) -> bool {
        matches!(self, Op::Hw(Opcode::Sel))
    }

    /// Whether the operation is a message, lowered or not.
    pub const fn is_message(self) -> bool {
        matches!(self, Op::Message | Op::Send)
    }

    /// Whether sources may carry negate and absolute-value modifiers.
    pub fn allows_source_modifiers(self) -> bool {
        match self {
            Op::Hw(opcode) => opcode.flags().src_mods,
            Op::Math(function) => !function.is_int() && !function.is_macro(),
            _ => false,
        }
    }

    /// Whether the result may saturate.
    pub fn allows_saturate(self) -> bool {
        match self {
            Op::Hw(opcode) => opcode.flags().saturate,
            Op::Math(function) => !function.is_int() && !function.is_macro(),
            _ => false,
        }
    }

    /// Whether the operation may write a flag register with a conditional modifier.
    pub fn allows_cond_mod(self) -> bool {
        self.opcode().is_some_and(|opcode| opcode.flags().cond_mod) && !self.cmod_selects()
    }

    /// The indices of two sources that may be swapped without a change of the result; `None` if there are none.
    pub const fn commutative(self) -> Option<(usize, usize)> {
        match self {
            Op::Hw(
                Opcode::Add
                | Opcode::Mul
                | Opcode::And
                | Opcode::Or
                | Opcode::Xor
                | Opcode::Avg
                | Opcode::Addc,
            )
            | Op::MulHigh => Some((0, 1)),
            Op::Hw(Opcode::Mad) => Some((1, 2)),
            _ => None,
        }
    }

    /// Whether the bytes read follow from the regions of the sources for all sources.
    #[inline]
    pub const fn reads_by_region(self) -> bool {
        match self {
            Op::Hw(opcode) => !matches!(opcode, Opcode::Pln | Opcode::Line),
            Op::Math(_) => true,
            _ => false,
        }
    }

    /// Whether the instruction reads the accumulator in addition to its operands.
    pub const fn reads_accumulator(self) -> bool {
        matches!(self, Op::Hw(Opcode::Mac | Opcode::Mach | Opcode::Sada2))
    }

    /// Whether the instruction always writes the accumulator in addition to its destination.
    pub const fn writes_accumulator(self) -> bool {
        matches!(
            self,
            Op::Hw(Opcode::Mac | Opcode::Mach | Opcode::Addc | Opcode::Subb | Opcode::Sada2)
        )
    }
}
