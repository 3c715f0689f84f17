//! The figures: one row for each kind of arithmetic and each kind of message, with a column for each group of
//! generations.
//!
//! Source: the parameters of two public static models, collected in `hw/performance_model.md` next to the oracle pack:
//! Mesa 22.3's performance analysis (sections 2.2 to 2.5), whose figures for arithmetic its authors measured, and IGC's
//! table of latencies (section 3). The figures for messages are their authors' guesses. None was measured by this
//! project, and no result of a program depends on them.

use crestline_device::Gen;
use crestline_isa::message::{Cache, GatewayFn, Message};
use crestline_isa::{MathFn, Opcode, Sfid};

use crate::Unit;

/// The figures of one kind of arithmetic on one group of generations, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AluRow {
    /// Cycles of the front end: for each register of the destination, and a part that does not depend on it.
    pub issue: (u32, i32),
    /// Cycles of the unit: for each register of the channels in their execution type, and a fixed part.
    pub busy: (u32, i32),
    /// Cycles from the end of the issue to the use of the destination.
    pub result: u32,
    /// Cycles from the end of the issue to the use of the accumulator.
    pub accumulator: u32,
    /// Cycles from the end of the issue to the use of the flag.
    pub flag: u32,
}

/// A row whose costs grow with the registers only.
const fn row(issue: u32, busy: u32, result: u32, accumulator: u32, flag: u32) -> AluRow {
    AluRow { issue: (issue, 0), busy: (busy, 0), result, accumulator, flag }
}

/// A row of the extended math pipe. It writes neither the accumulator nor a flag.
const fn math(issue: (u32, i32), busy: (u32, i32), result: u32) -> AluRow {
    AluRow { issue, busy, result, accumulator: 0, flag: 0 }
}

/// A row without a unit.
const fn front(issue: i32) -> AluRow {
    AluRow { issue: (0, issue), busy: (0, 0), result: 0, accumulator: 0, flag: 0 }
}

/// What [`AluKind::assumed`] is for `mad`, which has no kind of its own.
pub const ASSUMED_MAD: u32 = 16;

/// A row of a source with an address for each channel. The whole sequence has a figure, [`SequenceKind::Indirect`]: 34
/// cycles. Two instructions that compute the addresses and the wait for them take 12 of them.
const fn scattered(result: u32, accumulator: u32, flag: u32) -> AluRow {
    AluRow { issue: (0, 22), busy: (0, 22), result, accumulator, flag }
}

/// The column of each generation, in the order of [`Gen::ALL`]; [`WIDE`] is the column for an execution type of 8 bytes
/// on gen8 and gen9. Older generations have the column of gen7 or of gen6.
const COLUMN: [usize; Gen::ALL.len()] = [0, 0, 0, 0, 1, 2, 3, 3, 5, 5, 5];
/// The column of gen8 and gen9.
const GEN8: usize = 3;
/// The column of gen8 and gen9 for an execution type of 8 bytes.
const WIDE: usize = 4;
const COLUMNS: usize = 6;

/// A kind of arithmetic with its own row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AluKind {
    /// Most operations.
    Plain,
    /// The operations that compute faster or slower with floats: `mov`, `cmp`, `add`, `mul`, `mad`.
    Float,
    /// `lrp`.
    Lrp,
    /// `pln`.
    Plane,
    /// Dot products.
    Dot,
    /// A conversion to half float by `f32to16`, or by a `mov` on later generations.
    ToHalf,
    /// Extended math with one operand.
    Math,
    /// `math pow` and `math fdiv`.
    Pow,
    /// `math` for integer quotients and remainders.
    IntDiv,
    /// Flow control.
    Flow,
    /// A source whose address is in a register and differs between channels.
    Scattered,
}

impl AluKind {
    /// All kinds.
    pub const ALL: [AluKind; 11] = [
        AluKind::Plain,
        AluKind::Float,
        AluKind::Lrp,
        AluKind::Plane,
        AluKind::Dot,
        AluKind::ToHalf,
        AluKind::Math,
        AluKind::Pow,
        AluKind::IntDiv,
        AluKind::Flow,
        AluKind::Scattered,
    ];

    /// The kind of an operation. `float` states whether it computes in F.
    pub fn of(opcode: Opcode, float: bool) -> AluKind {
        match opcode {
            Opcode::Mov | Opcode::Cmp | Opcode::Add | Opcode::Add3 | Opcode::Mul | Opcode::Mad
                if float =>
            {
                AluKind::Float
            }
            Opcode::Lrp => AluKind::Lrp,
            Opcode::Pln => AluKind::Plane,
            Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph => AluKind::Dot,
            Opcode::F32To16 => AluKind::ToHalf,
            _ if opcode.is_flow_control() => AluKind::Flow,
            _ => AluKind::Plain,
        }
    }

    /// The kind of a math function.
    pub fn of_math(function: MathFn) -> AluKind {
        match function {
            MathFn::Pow | MathFn::Fdiv => AluKind::Pow,
            function if function.is_int() => AluKind::IntDiv,
            _ => AluKind::Math,
        }
    }

    /// The unit that executes the operation; `None` for flow control.
    pub fn unit(self) -> Option<Unit> {
        match self {
            AluKind::Math | AluKind::Pow | AluKind::IntDiv => Some(Unit::Math),
            AluKind::Flow => None,
            _ => Some(Unit::Fpu),
        }
    }

    /// Cycles from the issue to the use of the result that a scheduler assumes before registers are assigned. Source: section
    /// 2.6, gen7.5 and later; integer division: section 2.2.
    pub const fn assumed(self) -> u32 {
        match self {
            AluKind::Pow => 22,
            AluKind::IntDiv => 28,
            _ => 14,
        }
    }

    /// The figures on a generation. `wide` states whether the execution type has 8 bytes.
    pub fn row(self, generation: Gen, wide: bool) -> AluRow {
        let column = COLUMN[generation as usize];
        let column = if wide && column == GEN8 { WIDE } else { column };
        ALU[self as usize][column]
    }
}

/// The rows, in the order of [`AluKind::ALL`]. Columns: gen4 to gen6, gen7, gen7.5, gen8 and gen9, the same with an
/// execution type of 8 bytes, gen11 and gen12. A cell without a figure in the source has that of a near column.
#[rustfmt::skip]
const ALU: [[AluRow; COLUMNS]; AluKind::ALL.len()] = [
    /* plain   */ [row(2, 2, 12, 8, 18), row(2, 2, 12, 8, 18),  row(2, 2, 10, 6, 16), row(2, 2, 8, 4, 12),  row(4, 4, 12, 8, 16), row(2, 2, 10, 6, 14)],
    /* float   */ [row(2, 2, 12, 8, 18), row(2, 2, 14, 10, 20), row(2, 2, 12, 8, 18), row(2, 2, 8, 4, 12),  row(4, 4, 12, 8, 16), row(2, 2, 10, 6, 14)],
    /* lrp     */ [row(2, 2, 12, 8, 18), row(2, 2, 12, 8, 18),  row(2, 2, 10, 6, 16), row(4, 4, 12, 8, 16), row(4, 4, 12, 8, 16), row(2, 2, 10, 6, 14)],
    /* plane   */ [row(2, 2, 12, 8, 18), row(2, 2, 12, 8, 18),  row(2, 2, 10, 6, 16), row(4, 4, 12, 8, 16), row(4, 4, 12, 8, 16), row(4, 4, 12, 8, 16)],
    /* dot     */ [row(2, 2, 12, 8, 18), row(2, 2, 12, 8, 18),  row(2, 2, 10, 6, 16), row(2, 2, 12, 8, 16), row(2, 2, 12, 8, 16), row(2, 2, 10, 6, 14)],
    /* to half */ [row(4, 4, 12, 8, 18), row(4, 4, 12, 8, 18),  row(4, 4, 10, 6, 16), row(4, 4, 8, 4, 12),  row(4, 4, 12, 8, 16), row(4, 4, 10, 6, 14)],
    /* math    */ [math((2, 0), (2, 0), 14), math((2, 0), (2, 0), 14), math((2, 0), (2, 0), 12), math((4, -2), (4, 0), 16), math((4, -2), (4, 0), 16), math((4, -2), (4, 0), 16)],
    /* pow     */ [math((2, 0), (4, 0), 22), math((2, 0), (4, 0), 22), math((2, 0), (4, 0), 20), math((4, -2), (8, 0), 24), math((4, -2), (8, 0), 24), math((4, -2), (8, 0), 24)],
    /* int div */ [math((0, 2), (0, 26), 28); COLUMNS],
    /* flow    */ [front(2), front(2), front(6), front(8), front(8), front(8)],
    /* scatter */ [scattered(12, 8, 18), scattered(12, 8, 18), scattered(10, 6, 16), scattered(8, 4, 12), scattered(12, 8, 16), scattered(10, 6, 14)],
];

/// A sequence of instructions that has a figure as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SequenceKind {
    /// A move with an address in a register: it computes addresses in a0 and reads or writes through it.
    Indirect,
    /// A copy of one channel, whose number is in a register, to all channels.
    Broadcast,
    /// A copy between channels: each one reads the channel whose number it has.
    Shuffle,
}

/// The figures of a sequence on one group of generations, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceRow {
    /// Cycles of the front end: for each register of the destination, and a part that does not depend on it.
    pub issue: (u32, i32),
    /// Cycles of the floating-point and integer pipe, in the same way.
    pub busy: (u32, i32),
}

const fn sequence(issue: (u32, i32), busy: (u32, i32)) -> SequenceRow {
    SequenceRow { issue, busy }
}

/// The rows, in the order of the declaration of [`SequenceKind`], with the columns of [`ALU`]. Source: section 2.3.
#[rustfmt::skip]
const SEQUENCES: [[SequenceRow; COLUMNS]; 3] = [
    /* indirect  */ [sequence((0, 34), (0, 34)); COLUMNS],
    /* broadcast */ [sequence((0, 20), (0, 4)), sequence((0, 20), (0, 4)), sequence((0, 18), (0, 4)), sequence((0, 18), (0, 4)), sequence((0, 18), (0, 4)), sequence((0, 20), (0, 4))],
    /* shuffle   */ [sequence((46, 0), (46, 0)), sequence((46, 0), (46, 0)), sequence((44, 0), (44, 0)), sequence((0, 42), (0, 42)), sequence((0, 42), (0, 42)), sequence((0, 44), (0, 44))],
];

impl SequenceKind {
    /// The figures on a generation.
    pub fn row(self, generation: Gen) -> SequenceRow {
        SEQUENCES[self as usize][COLUMN[generation as usize]]
    }
}

/// A kind of message with its own row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageKind {
    /// Samples and texel fetches.
    Sampler,
    /// Reads, writes and atomics of the URB.
    Urb,
    /// Memory fences of the data cache.
    Fence,
    /// Memory fences of the render cache.
    RenderFence,
    /// Scratch blocks.
    Scratch,
    /// Reads and writes through the data cache.
    Data,
    /// Atomics of the data cache.
    Atomic,
    /// Typed reads and writes through the render cache (gen7).
    RenderTyped,
    /// Typed atomics of the render cache (gen7).
    RenderAtomic,
    /// Writes and reads of render targets.
    RenderTarget,
    /// Reads through the constant cache.
    Constant,
    /// The pixel interpolator.
    Interpolate,
    /// The barrier of a workgroup, with the wait for it.
    Barrier,
    /// Other messages of the gateway.
    Gateway,
    /// The end of a thread.
    ThreadEnd,
    /// Messages without a figure: media, ray tracing, and unknown ones.
    Other,
}

/// The figures of one kind of message, in cycles. A message takes [`SEND_ISSUE`] cycles of the front end if `issue` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRow {
    /// The kind.
    pub kind: MessageKind,
    /// The unit; `None` if no unit is modelled.
    pub unit: Option<Unit>,
    /// Cycles of the front end.
    pub issue: u32,
    /// Cycles of the unit: a fixed part, and one for each register that the channels take as dwords.
    pub busy: (u32, u32),
    /// Cycles until the payload has been read: a fixed part, and one for each register of the payload.
    pub read: (u32, u32),
    /// Cycles until the response is available: a fixed part, one for each register of the payload, and one for each
    /// register of the response.
    pub result: (u32, u32, u32),
    /// Cycles from the issue to the use of the response that a scheduler assumes before registers are assigned, with
    /// ordinary contents of the caches. Source: section 2.6, gen7.5 and later.
    pub assumed: u32,
}

/// Whether Mesa's analysis halves the weight of code that channels skip after a `halt`, in threads of up to 16 channels.
/// In the order of [`Gen::ALL`]. Source: section 2.1.
pub(crate) const HALVES_AFTER_HALT: [bool; Gen::ALL.len()] =
    [false, false, false, false, false, false, false, false, false, true, true];

/// Cycles of the front end for a message.
pub const SEND_ISSUE: u32 = 2;

/// A row of the table.
const fn message(
    kind: MessageKind,
    unit: Option<Unit>,
    issue: u32,
    busy: (u32, u32),
    read: (u32, u32),
    result: (u32, u32, u32),
    assumed: u32,
) -> MessageRow {
    MessageRow { kind, unit, issue, busy, read, result, assumed }
}

/// The rows, in the order of the declaration of [`MessageKind`]. Source: section 2.4; `gateway` and `other`: section 3.1.
#[rustfmt::skip]
pub const MESSAGES: [MessageRow; 16] = [
    //      kind                      unit                           issue       busy       read     result         assumed
    message(MessageKind::Sampler,      Some(Unit::Sampler),           SEND_ISSUE, (0, 16),   (8, 2),  (750, 2, 0), 200),
    message(MessageKind::Urb,          Some(Unit::Urb),               SEND_ISSUE, (0, 6),    (32, 0), (200, 0, 0), 200),
    message(MessageKind::Fence,        Some(Unit::DataCache),         SEND_ISSUE, (30, 0),   (10, 0), (100, 0, 0), 300),
    message(MessageKind::RenderFence,  Some(Unit::RenderCache),       SEND_ISSUE, (30, 0),   (10, 0), (300, 0, 0), 600),
    message(MessageKind::Scratch,      Some(Unit::DataCache),         SEND_ISSUE, (0, 8),    (10, 0), (100, 0, 0), 50),
    message(MessageKind::Data,         Some(Unit::DataCache),         SEND_ISSUE, (0, 20),   (10, 0), (100, 0, 0), 300),
    message(MessageKind::Atomic,       Some(Unit::DataCache),         SEND_ISSUE, (30, 400), (10, 0), (100, 0, 400), 1400),
    message(MessageKind::RenderTyped,  Some(Unit::RenderCache),       SEND_ISSUE, (0, 450),  (10, 0), (300, 0, 0), 600),
    message(MessageKind::RenderAtomic, Some(Unit::RenderCache),       SEND_ISSUE, (30, 450), (10, 0), (100, 0, 400), 600),
    message(MessageKind::RenderTarget, Some(Unit::RenderCache),       SEND_ISSUE, (0, 450),  (10, 0), (300, 0, 0), 600),
    message(MessageKind::Constant,     Some(Unit::ConstantCache),     SEND_ISSUE, (0, 16),   (10, 0), (100, 0, 0), 200),
    message(MessageKind::Interpolate,  Some(Unit::PixelInterpolator), SEND_ISSUE, (14, 0),   (0, 0),  (90, 0, 0), 300),
    message(MessageKind::Barrier,      Some(Unit::Gateway),           90,         (0, 0),    (0, 0),  (0, 0, 0), 300),
    message(MessageKind::Gateway,      Some(Unit::Gateway),           SEND_ISSUE, (0, 0),    (0, 0),  (200, 0, 0), 300),
    message(MessageKind::ThreadEnd,    Some(Unit::Spawner),           SEND_ISSUE, (0, 0),    (10, 0), (0, 0, 0), 300),
    message(MessageKind::Other,        None,                          SEND_ISSUE, (0, 0),    (10, 0), (50, 0, 0), 300),
];

impl MessageKind {
    /// The figures.
    pub fn row(self) -> &'static MessageRow {
        &MESSAGES[self as usize]
    }

    /// The kind of a message that goes to the shared function `sfid`.
    pub fn of(message: &Message, sfid: Sfid) -> MessageKind {
        let render = sfid == Sfid::RenderCache;
        match message {
            Message::Committed(inner) | Message::Scaled(inner) => MessageKind::of(inner, sfid),
            Message::ScratchBlockRead { .. } | Message::ScratchBlockWrite { .. } => {
                MessageKind::Scratch
            }
            Message::MemoryFence { cache, .. } => match cache {
                Cache::Render => MessageKind::RenderFence,
                _ => MessageKind::Fence,
            },
            Message::LscFence { .. } | Message::UrbFence => MessageKind::Fence,
            Message::RenderTargetWrite { .. } | Message::RenderTargetRead { .. } => {
                MessageKind::RenderTarget
            }
            Message::TypedAtomic { .. } | Message::TypedAtomicWord { .. } if render => {
                MessageKind::RenderAtomic
            }
            Message::TypedRead { .. } | Message::TypedWrite { .. } if render => {
                MessageKind::RenderTyped
            }
            Message::UntypedAtomic { .. }
            | Message::UntypedAtomicFloat { .. }
            | Message::AtomicCounter { .. }
            | Message::AtomicCounterWord { .. }
            | Message::TypedAtomic { .. }
            | Message::TypedAtomicWord { .. }
            | Message::A64Atomic { .. }
            | Message::A64AtomicFloat { .. }
            | Message::A64Atomic4x2 { .. }
            | Message::A64AtomicFloat4x2 { .. } => MessageKind::Atomic,
            Message::Lsc { op, .. } if op.name().starts_with("atomic") => MessageKind::Atomic,
            Message::Gateway { function: GatewayFn::Barrier, .. } => MessageKind::Barrier,
            _ => MessageKind::of_function(sfid),
        }
    }

    /// The kind of most messages of a shared function: for messages whose descriptor is not known.
    pub fn of_function(sfid: Sfid) -> MessageKind {
        match sfid {
            Sfid::Sampler => MessageKind::Sampler,
            Sfid::Urb => MessageKind::Urb,
            Sfid::DpRead
            | Sfid::DpWrite
            | Sfid::DpSamplerCache
            | Sfid::DataCache0
            | Sfid::DataCache1
            | Sfid::DataCache2
            | Sfid::Tgm
            | Sfid::Slm
            | Sfid::Ugm => MessageKind::Data,
            Sfid::RenderCache => MessageKind::RenderTarget,
            Sfid::ConstantCache => MessageKind::Constant,
            Sfid::PixelInterpolator => MessageKind::Interpolate,
            Sfid::Gateway => MessageKind::Gateway,
            Sfid::ThreadSpawner | Sfid::BindlessDispatch => MessageKind::ThreadEnd,
            Sfid::Null | Sfid::Math | Sfid::Vme | Sfid::RayTrace | Sfid::Cre => MessageKind::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_their_kinds() {
        for (index, row) in MESSAGES.iter().enumerate() {
            assert_eq!(row.kind as usize, index);
        }
        for (index, kind) in AluKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
        }
    }
}
