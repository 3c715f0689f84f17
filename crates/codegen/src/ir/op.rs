//! Operations: those of the hardware, and virtual ones that a `lower_*` pass replaces.

use crestline_device::Gen;
use crestline_isa::message::{self as isa, Descriptor, DescriptorError};
use crestline_isa::{MathFn, Opcode, SyncFn};

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// An operation of the hardware with its own operands; structured flow control included
    /// (`if else endif while break cont halt`, without targets).
    ///
    /// Types are not limited to what the hardware can do at once: a `mul` of two D sources is
    /// the low 32 bits of the product on every device, a `mov` converts between any types.
    Hw(Opcode),
    /// Extended math.
    Math(MathFn),
    /// Waits as its software scoreboard says, and for what the function says. Source 0 is null.
    Sync(SyncFn),
    /// Start of a loop: the `while` that closes it jumps here. Emits nothing.
    Do,
    /// Where channels stopped by `halt` go on. At most one, outside all loops and conditionals.
    HaltTarget,
    /// The destination holds any bits. Emits nothing.
    Undef,
    /// The destination becomes the sources one after another: the first `headers` sources are
    /// whole registers copied without mask, each further one is a component of the
    /// instruction's channels and starts at the next whole register. Null sources leave a gap.
    Collect {
        /// Sources that are whole registers.
        headers: u8,
    },
    /// A message, unlowered. Source 0 is a uniform UD OR-ed into the descriptor at run time, or
    /// null; the others are payload parts as [`Op::Collect`] lays them out, described by
    /// [`Message`].
    Message,
    /// A message, lowered. Source 0 as for [`Op::Message`] or the address register that holds the
    /// whole descriptor; source 1 is the payload, source 2 the second payload or null.
    Send,
    /// Reads register elements at run-time places. Sources: first element of the readable range
    /// (its region gives the channels' own steps: channel `i` reads `range + channel_offset(i) +
    /// index`); byte index (UD or UW, scalar or per channel); constant UD: bytes of the
    /// range that may be read, counted from source 0's offset. In Align16 a range of vectors one
    /// for each vertex begins a register, and so does each vector that an index tells, unless its channels read one
    /// component.
    MovIndirect,
    /// Writes register elements at run-time places: the destination is the first element of the
    /// writable range. Sources: value; byte index; constant UD: bytes of the range.
    MovIndirectDst,
    /// Channel `i` reads the element of channel `source 1` of source 0. Sources: value (per
    /// channel), channel number (UD, per channel, less than the width of the value).
    Shuffle,
    /// All channels read the element of one channel. Sources: value, channel number (UD scalar).
    Broadcast,
    /// Number of the first enabled channel, as a UD scalar. No sources.
    FindLiveChannel,
    /// Bit mask of the enabled channels, as a UD scalar. No sources.
    LiveChannels,
    /// The high 32 bits of the product of two D or two UD sources.
    MulHigh,
    /// Waits until source 0, a UD scalar of a message's response, has arrived; no message moves across.
    Await,
}

/// How a message touches memory, which decides what may be moved or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// None that matters: equal messages give equal results, unused ones may go.
    Pure,
    /// Reads memory that may change: unused ones may go, no move across writes.
    Read,
    /// Writes memory: every one counts, no move across reads and writes.
    Write,
    /// Ordered with every other message (barriers, fences, thread end).
    Barrier,
}

/// Memories that cannot alias each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// None.
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

/// What an [`Op::Message`] or [`Op::Send`] asks of which shared function.
///
/// A message stays in named fields until `finish` encodes it. What its descriptor says beside
/// [`kind`](Self::kind) (lengths, header) follows from the other fields here, see
/// [`descriptor`](Self::descriptor); a surface or sampler index known only at run time is source
/// 0, and its field in `kind` is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The message itself.
    pub kind: isa::Message,
    /// How many payload parts (sources 1 on) are whole header registers.
    pub headers: u8,
    /// How many payload parts go to the first payload when there are two (split send).
    /// The rest follows in the same payload where the device has no split send.
    pub first: u8,
    /// Registers of the first and second payload of a lowered [`Op::Send`]; 0 before.
    pub lengths: [u8; 2],
    /// Bytes of the response that are written at the destination: a multiple of 32.
    pub response: u32,
    /// Ends the thread.
    pub eot: bool,
    /// `sendc`: waits for earlier threads of the same pixels.
    pub check: bool,
    /// How memory is touched.
    pub effect: Effect,
    /// Which memory is touched.
    pub space: Space,
}

impl Message {
    /// All that the descriptors say.
    pub fn descriptor(&self) -> Descriptor {
        let response = self.response / super::GRF_BYTES;
        Descriptor {
            mlen: self.lengths[0],
            ex_mlen: self.lengths[1],
            // More than any field: an error where it is encoded.
            rlen: u8::try_from(response).unwrap_or(u8::MAX),
            header_present: self.headers > 0,
            surface_offset: 0,
            message: self.kind.clone(),
        }
    }

    /// Whether a generation has the message with these controls.
    ///
    /// # Errors
    /// The control or message that it lacks.
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

    /// Whether the operation must be the first of its block. `while` is both first and last,
    /// because `cont` goes to it past everything before it.
    pub const fn starts_block(self) -> bool {
        matches!(self, Op::Do | Op::HaltTarget | Op::Hw(Opcode::EndIf | Opcode::While))
    }

    /// Whether the operation changes which channels are enabled or where they go on.
    pub const fn is_flow(self) -> bool {
        self.ends_block() || self.starts_block()
    }

    /// Whether a conditional modifier selects instead of writing the flag.
    pub const fn cmod_selects(self) -> bool {
        matches!(self, Op::Hw(Opcode::Sel | Opcode::Csel | Opcode::If | Opcode::While))
    }

    /// Whether the predicate picks a source instead of enabling channels.
    pub const fn predicate_selects(self) -> bool {
        matches!(self, Op::Hw(Opcode::Sel))
    }

    /// Whether a payload message, lowered or not.
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

    /// Whether the operation may write a flag by conditional modifier.
    pub fn allows_cond_mod(self) -> bool {
        self.opcode().is_some_and(|opcode| opcode.flags().cond_mod) && !self.cmod_selects()
    }

    /// Whether the first two multiplicative or symmetric sources may change places, as indices.
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

    /// Whether all sources are read by their regions, whatever they are.
    #[inline]
    pub const fn reads_by_region(self) -> bool {
        match self {
            Op::Hw(opcode) => !matches!(opcode, Opcode::Pln | Opcode::Line),
            Op::Math(_) => true,
            _ => false,
        }
    }

    /// Whether the instruction reads the accumulator beside its operands.
    pub const fn reads_accumulator(self) -> bool {
        matches!(self, Op::Hw(Opcode::Mac | Opcode::Mach | Opcode::Sada2))
    }

    /// Whether the instruction writes the accumulator beside its destination, always.
    pub const fn writes_accumulator(self) -> bool {
        matches!(
            self,
            Op::Hw(Opcode::Mac | Opcode::Mach | Opcode::Addc | Opcode::Subb | Opcode::Sada2)
        )
    }
}
