//! Flat code: operations on single components, control flow as jumps on masks.
//!
//! A *slot* holds one component for each invocation of a subgroup. A *mask* is a set of invocations. Every `If` has
//! two masks of its own, every `Loop` two, so nothing needs a stack.

use crate::ir::{
    AluOp, AtomicOp, BindingId, ImageForm, ImageParam, ImageTy, InstId, IoSlot, SysVal,
    TextureForm, TextureOp, TextureTy, Ty, Value,
};

/// A component of each invocation of a subgroup.
pub(super) type Slot = u32;
/// An index into the code.
pub(super) type Pc = u32;
/// A set of invocations of a subgroup.
pub(super) type Mask = u32;

/// A shader as flat code.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    pub(super) slots: u32,
    pub(super) masks: u32,
    /// Slots that hold the same bits for ever, set before the run.
    pub(super) consts: Vec<(Slot, u64)>,
    pub(super) vectors: Vec<VectorOp>,
    pub(super) memory_ops: Vec<MemoryOp>,
    pub(super) image_ops: Vec<ImageOp>,
    pub(super) texture_reads: Vec<TextureSlots>,
    pub(super) var_ops: Vec<VarOp>,
    pub(super) slot_ops: Vec<SlotOp>,
    /// Scalars of all private variables, with their first values.
    pub(super) vars: Vec<u64>,
    pub(super) has_barrier: bool,
}

/// Which denormals count as zero: those of an operation's float sources, of its float result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flush {
    pub(super) srcs: bool,
    pub(super) result: bool,
}

/// An operation. Those with a destination write it for active invocations only.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// One component of arithmetic.
    Alu {
        op: AluOp,
        result_bits: u8,
        bits: u8,
        flush: Flush,
        dst: Slot,
        srcs: [Slot; 4],
    },
    /// Arithmetic across components: an index into [`Code::vectors`].
    Vector(u32),
    SysVal {
        sysval: SysVal,
        comp: u8,
        dst: Slot,
    },
    /// Index into [`Code::var_ops`].
    LoadVar {
        var: u32,
        dst: Slot,
    },
    /// Index into [`Code::var_ops`].
    StoreVar {
        var: u32,
        src: Slot,
    },
    /// Index into [`Code::slot_ops`].
    LoadSlot(u32),
    /// Index into [`Code::slot_ops`].
    StoreSlot(u32),
    /// Makes a vertex of the stream.
    EmitVertex(u8),
    /// Ends the strip of the stream.
    EndPrimitive(u8),
    /// Index into [`Code::memory_ops`], as all below.
    Load(u32),
    Store(u32),
    Atomic(u32),
    BufferSize(u32),
    /// Index into [`Code::image_ops`].
    Image(u32),
    /// Index into [`Code::texture_reads`].
    Texture(u32),
    /// The component of a value that is claimed to be the same for all active invocations.
    Uniform {
        value: Value,
        slot: Slot,
    },
    /// Invocations wait here for the whole workgroup.
    Barrier(InstId),
    /// Those for which `cond` is true go on, the others are kept in mask `masks`; if there are none, on to `else_`.
    If {
        cond: Slot,
        masks: Mask,
        else_: Pc,
    },
    /// Those at hand are kept in mask `masks + 1`, the others go on; if there are none, on to `end`.
    Else {
        masks: Mask,
        end: Pc,
    },
    /// Both go on; if there are none, on to `none`.
    EndIf {
        masks: Mask,
        none: Pc,
    },
    /// Nobody has left the loop nor ended a round.
    Loop {
        masks: Mask,
    },
    /// Those at hand leave the loop: kept in mask `masks`.
    Break {
        masks: Mask,
    },
    /// Those at hand end the round: kept in mask `masks + 1`.
    Continue {
        masks: Mask,
    },
    /// Those who ended the round go on at `next`, or if there are none all who left at `exit`.
    EndRound {
        masks: Mask,
        next: Pc,
        exit: Pc,
    },
    /// Those who left the loop go on; if there are none, on to `none`.
    EndLoop {
        masks: Mask,
        none: Pc,
    },
    /// Those at hand are done.
    Return,
    /// All are done.
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct VectorOp {
    pub(super) op: AluOp,
    pub(super) result: Ty,
    pub(super) bits: u32,
    pub(super) flush: Flush,
    pub(super) dst: [Slot; 4],
    /// Components of each source as read.
    pub(super) srcs: [[Slot; 4]; 2],
}

/// The memory of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Buffer { binding: BindingId, element: Option<Slot> },
    PushConstant,
    Shared,
    Scratch,
    ConstData,
    Image { binding: BindingId, element: Option<Slot> },
}

/// What is done with an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImageAction {
    Load,
    Store,
    Atomic(AtomicOp),
    /// Each component of the size.
    Size,
    Param(ImageParam, u8),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ImageOp {
    pub(super) binding: BindingId,
    pub(super) element: Option<Slot>,
    pub(super) ty: ImageTy,
    pub(super) action: ImageAction,
    pub(super) form: ImageForm,
    pub(super) coord: [Slot; 4],
    /// What is stored; an atomic's operand.
    pub(super) data: [Slot; 4],
    pub(super) compare: Slot,
    /// Where the results go, as many as `comps`.
    pub(super) result: [Slot; 4],
    pub(super) comps: u8,
}

/// A read through the sampler unit: what is asked, and the slots of its operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextureSlots {
    pub(super) op: TextureOp,
    pub(super) ty: TextureTy,
    pub(super) form: TextureForm,
    pub(super) texture: (BindingId, Option<Slot>),
    pub(super) sampler: Option<(BindingId, Option<Slot>)>,
    pub(super) coord: Option<[Slot; 4]>,
    pub(super) level: Option<Slot>,
    pub(super) compare: Option<Slot>,
    pub(super) gradients: Option<[[Slot; 4]; 2]>,
    pub(super) offset: [i8; 3],
    pub(super) offset_at_run_time: Option<[Slot; 4]>,
    /// Where the results go, as many as `comps`.
    pub(super) result: [Slot; 4],
    pub(super) comps: u8,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryOp {
    pub(super) inst: InstId,
    pub(super) space: Space,
    pub(super) offset: Slot,
    /// Bytes of a component.
    pub(super) bytes: u32,
    pub(super) comps: u8,
    /// Components written.
    pub(super) mask: u8,
    /// What is loaded into, or stored from.
    pub(super) data: [Slot; 4],
    pub(super) atomic: Option<AtomicOp>,
    pub(super) compare: Slot,
    /// Where an atomic's or a size's result goes.
    pub(super) result: Option<Slot>,
}

/// An access to an input or output.
#[derive(Clone, Debug)]
pub(super) struct SlotOp {
    /// Whether what is read is an output.
    pub(super) output: bool,
    pub(super) slot: IoSlot,
    pub(super) vertex: Option<Slot>,
    /// Slots in addition.
    pub(super) index: Option<Slot>,
    /// How many slots more the row has behind `slot`.
    pub(super) beyond: u32,
    /// The first component, in dwords.
    pub(super) first: u8,
    /// Dwords of a component: 1 or 2.
    pub(super) dwords: u8,
    pub(super) comps: u8,
    /// Components written.
    pub(super) mask: u8,
    pub(super) data: [Slot; 4],
}

impl SlotOp {
    /// The slot accessed: beyond the row its last one.
    pub(super) fn at(&self, index: u32) -> Option<IoSlot> {
        self.slot.plus(index.min(self.beyond))
    }
}

/// A scalar of a variable: number `base`, and for each index with `(slot, count, stride)` so many strides on.
#[derive(Clone, Debug)]
pub(super) struct VarOp {
    pub(super) base: u32,
    pub(super) indices: Vec<(Slot, u32, u32)>,
}
