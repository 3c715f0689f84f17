//! Operands of plans. Regions are resolved to byte offsets in the register array.

use crate::registers::ByteSet;
use crestline_isa::Type;

/// The most channels of an instruction.
pub(crate) const MAX_LANES: usize = 32;

/// The positions of a source's elements, one per channel.
#[derive(Clone, Debug)]
pub(crate) enum SourceKind {
    /// No source.
    None,
    /// Consecutive elements, one per channel, from an offset that is a multiple of four.
    Packed(u16),
    /// Two groups of eight consecutive dwords, from these offsets on, for up to sixteen channels.
    Halves([u16; 2]),
    /// The same element for all channels.
    Scalar(u16),
    /// An element per channel at offsets of its own.
    Strided(Box<[u16; MAX_LANES]>),
    /// Elements addressed through a0.
    Indirect(Box<IndirectLanes>),
    /// The same immediate for all channels, as its element's bits.
    Immediate(u64),
    /// A packed vector immediate: channel `i` reads element `i % 8`.
    Vector(Box<[u64; 8]>),
}

/// Elements addressed through a0: channel `i` reads at `a0[subregister[i]] + delta[i]`.
#[derive(Clone, Debug)]
pub(crate) struct IndirectLanes {
    /// Word of a0.
    pub(crate) subregister: [u8; MAX_LANES],
    /// Bytes added.
    pub(crate) delta: [i16; MAX_LANES],
    /// On devices whose indirect addressing loses a carry, the part of `delta` that the instruction contains: the sum
    /// of its low five bits and those of the address loses its carry. The steps of the region are added without that
    /// loss.
    pub(crate) drops_carry: Option<i16>,
    /// For rows of several elements: the `delta` of the row's first element, and the bytes from there to the row's end.
    pub(crate) row: Option<(i16, u8)>,
}

/// The source modifier, applied to each element before the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Modifier {
    None,
    Negate,
    Absolute,
    NegateAbsolute,
    /// Bitwise not.
    Invert,
}

/// A source operand.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) kind: SourceKind,
    pub(crate) ty: Type,
    pub(crate) modifier: Modifier,
    /// The bytes that all channels read. One test of this set finds whether all were written. If it is spread too far,
    /// each channel is tested.
    pub(crate) bytes: ByteSet,
    /// Whether it reads a register that must be updated first (ce0, ip, tm0).
    pub(crate) live_state: bool,
}

impl Source {
    /// No source.
    pub(crate) fn none() -> Source {
        Source {
            kind: SourceKind::None,
            ty: Type::Ud,
            modifier: Modifier::None,
            bytes: ByteSet::default(),
            live_state: false,
        }
    }
}

/// The positions of a destination's elements, one per channel.
#[derive(Clone, Debug)]
pub(crate) enum DestinationKind {
    /// Nowhere.
    Null,
    /// Consecutive elements, one per channel, from an offset that is a multiple of four.
    Packed(u16),
    /// An element per channel at offsets of its own.
    Strided(Box<[u16; MAX_LANES]>),
    /// A dword per channel, each followed by an undefined dword; the offset of each. For 32-bit results of instructions
    /// whose execution size counts dwords.
    Pairs(Box<[u16; MAX_LANES]>),
    /// Elements addressed through a0.
    Indirect(Box<IndirectLanes>),
}

/// A destination operand.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub(crate) kind: DestinationKind,
    pub(crate) ty: Type,
    /// The bytes that all channels write. The set of a packed destination is never spread too far.
    pub(crate) bytes: ByteSet,
    /// Channels whose component the write mask enables.
    pub(crate) lanes: u32,
    /// First accumulator lane written, if the destination is an accumulator.
    pub(crate) accumulator: Option<u8>,
    /// Writes a flag register.
    pub(crate) flag: bool,
    /// Writes cr0.
    pub(crate) control: bool,
}
