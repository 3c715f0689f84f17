//! Flat code: a list of operations on single components. Control flow is expressed by jumps and invocation masks.
//!
//! A *slot* is storage for one component of each invocation of a subgroup. A *mask* is a set of invocations. Every
//! `If` and every `Loop` has two masks of its own, so no stack is necessary:
//!
//! - `If`: mask 0 holds the invocations for the else region, mask 1 those that finished the then region;
//! - `Loop`: mask 0 holds the invocations that left the loop, mask 1 those that finished the current region.

use crate::ir::{
    AluOp, AtomicOp, Axis, BindingId, DerivativeRule, ImageForm, ImageParam, ImageTy, InstId,
    InterpPlace, IoSlot, SubgroupOp, SysVal, TextureForm, TextureOp, TextureTy, Ty, Value,
};

/// The number of a slot.
pub(super) type Slot = u32;
/// The index of an operation in the code.
pub(super) type Pc = u32;
/// The number of a mask.
pub(super) type Mask = u32;

/// A shader as flat code.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    /// Number of slots.
    pub(super) slots: u32,
    /// Number of masks.
    pub(super) masks: u32,
    /// Slots with constants, which are set before the run.
    pub(super) consts: Vec<(Slot, u64)>,
    pub(super) vectors: Vec<VectorOp>,
    pub(super) memory_ops: Vec<MemoryOp>,
    pub(super) image_ops: Vec<ImageOp>,
    pub(super) texture_reads: Vec<TextureSlots>,
    pub(super) var_ops: Vec<VarOp>,
    pub(super) slot_ops: Vec<SlotOp>,
    /// Scalars of all private variables, with their initial values.
    pub(super) vars: Vec<u64>,
    pub(super) has_barrier: bool,
}

/// Whether denormals are flushed to zero in the float sources and in the float result of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flush {
    pub(super) srcs: bool,
    pub(super) result: bool,
}

/// An operation. Results are written for active invocations only.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// Arithmetic on one component.
    Alu {
        op: AluOp,
        result_bits: u8,
        bits: u8,
        flush: Flush,
        dst: Slot,
        srcs: [Slot; 4],
    },
    /// Arithmetic that combines components: an index into [`Code::vectors`].
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
    /// The difference between two invocations of the quad.
    Derivative {
        axis: Axis,
        rule: DerivativeRule,
        flush: Flush,
        dst: Slot,
        src: Slot,
    },
    /// The weights of the second and third vertex.
    Barycentric {
        perspective: bool,
        at: Place,
        dst: [Slot; 2],
    },
    /// Index into [`Code::slot_ops`], and the weights.
    Interpolate {
        op: u32,
        weights: [Slot; 2],
    },
    AllKilled {
        dst: Slot,
        src: Slot,
    },
    /// Combines the values of the active invocations.
    Subgroup {
        op: SubgroupOp,
        bits: u8,
        flush: Flush,
        dst: Slot,
        src: Slot,
    },
    /// Reads the value of the invocation whose number is in `lane`.
    Shuffle {
        dst: Slot,
        src: Slot,
        lane: Slot,
    },
    /// Makes the active invocations helpers.
    Demote,
    IsHelper {
        dst: Slot,
    },
    /// Reads the number of operations so far, as two halves.
    Clock {
        dst: [Slot; 2],
    },
    /// Emits a vertex of the stream.
    EmitVertex(u8),
    /// Ends the strip of the stream.
    EndPrimitive(u8),
    /// Index into [`Code::memory_ops`], as for the next three operations.
    Load(u32),
    Store(u32),
    Atomic(u32),
    BufferSize(u32),
    /// Index into [`Code::image_ops`].
    Image(u32),
    /// Index into [`Code::texture_reads`].
    Texture(u32),
    /// A check: this component of a value that an analysis calls uniform must be the same for all active invocations.
    Uniform {
        value: Value,
        slot: Slot,
    },
    /// Stops the subgroup until all subgroups of the workgroup have reached the barrier.
    Barrier(InstId),
    /// Active invocations for which `cond` is true stay active, the others go to mask `masks`. If none stays, jumps
    /// to `else_`.
    If {
        cond: Slot,
        masks: Mask,
        else_: Pc,
    },
    /// The active invocations go to mask `masks + 1`; those of mask `masks` become active. If there are none, jumps
    /// to `end`.
    Else {
        masks: Mask,
        end: Pc,
    },
    /// The invocations of mask `masks + 1` become active too. If none is active, jumps to `none`.
    EndIf {
        masks: Mask,
        none: Pc,
    },
    /// Clears both masks of a loop.
    Loop {
        masks: Mask,
    },
    /// The active invocations leave the loop: they go to mask `masks`.
    Break {
        masks: Mask,
    },
    /// The active invocations end the current region of the loop: they go to mask `masks + 1`.
    Continue {
        masks: Mask,
    },
    /// The invocations of mask `masks + 1` become active and jump to `next`. If there are none, jumps to `exit`.
    EndRound {
        masks: Mask,
        next: Pc,
        exit: Pc,
    },
    /// The invocations of mask `masks`, which left the loop, become active. If there are none, jumps to `none`.
    EndLoop {
        masks: Mask,
        none: Pc,
    },
    /// The active invocations end.
    Return,
    /// The subgroup ends.
    End,
}

/// The place at which weights are computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Known(InterpPlace),
    Sample(Slot),
    Offset([Slot; 2]),
}

/// Arithmetic that combines components.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorOp {
    pub(super) op: AluOp,
    pub(super) result: Ty,
    pub(super) bits: u32,
    pub(super) flush: Flush,
    pub(super) dst: [Slot; 4],
    /// For each source, the slots of the components that it selects.
    pub(super) srcs: [[Slot; 4]; 2],
}

/// The memory that an access reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Buffer {
        binding: BindingId,
        element: Option<Slot>,
    },
    PushConstant,
    Shared,
    Scratch,
    ConstData,
    Image {
        binding: BindingId,
        element: Option<Slot>,
    },
    /// Buffers by address.
    Global {
        address: Slot,
        bits: u32,
    },
}

impl Space {
    /// Whether other invocations can read the memory. Helpers must not write it.
    pub(super) fn is_shared(self) -> bool {
        match self {
            Space::Buffer { .. } | Space::Shared | Space::Image { .. } | Space::Global { .. } => {
                true
            }
            Space::PushConstant | Space::Scratch | Space::ConstData => false,
        }
    }
}

/// The kind of an image operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImageAction {
    Load,
    Store,
    Atomic(AtomicOp),
    /// The components of the size.
    Size,
    Param(ImageParam, u8),
}

/// An access to an image, or a query.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageOp {
    pub(super) binding: BindingId,
    pub(super) element: Option<Slot>,
    pub(super) ty: ImageTy,
    pub(super) action: ImageAction,
    pub(super) form: ImageForm,
    pub(super) coord: [Slot; 4],
    /// The value to store, or an atomic's operand.
    pub(super) data: [Slot; 4],
    pub(super) compare: Slot,
    /// The slots of the first `comps` result components.
    pub(super) result: [Slot; 4],
    pub(super) comps: u8,
}

/// A read through the sampler unit: the operation and the slots of its operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextureSlots {
    pub(super) op: TextureOp,
    pub(super) ty: TextureTy,
    pub(super) form: TextureForm,
    pub(super) texture: (BindingId, Option<Slot>),
    pub(super) sampler: Option<(BindingId, Option<Slot>)>,
    pub(super) coord: Option<[Slot; 4]>,
    pub(super) sample: Option<Slot>,
    pub(super) level: Option<Slot>,
    pub(super) implicit: bool,
    pub(super) min_level: Option<Slot>,
    pub(super) compare: Option<Slot>,
    pub(super) gradients: Option<[[Slot; 4]; 2]>,
    pub(super) offset: [i8; 3],
    pub(super) offset_at_run_time: Option<[Slot; 4]>,
    /// The slots of the first `comps` result components.
    pub(super) result: [Slot; 4],
    pub(super) comps: u8,
}

/// An access to memory, or a query of a buffer's size.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryOp {
    pub(super) inst: InstId,
    pub(super) space: Space,
    pub(super) offset: Slot,
    /// Bytes per component.
    pub(super) bytes: u32,
    pub(super) comps: u8,
    /// The components that a store writes.
    pub(super) mask: u8,
    /// The slots that a load writes, or that hold the data of a store or atomic.
    pub(super) data: [Slot; 4],
    pub(super) atomic: Option<AtomicOp>,
    pub(super) compare: Slot,
    /// The slot for the result of an atomic or of a size query.
    pub(super) result: Option<Slot>,
}

/// An access to an input or output.
#[derive(Clone, Debug)]
pub(super) struct SlotOp {
    /// Whether a load reads an output instead of an input.
    pub(super) output: bool,
    pub(super) slot: IoSlot,
    pub(super) vertex: Option<Slot>,
    /// The slot with the dynamic index, which counts input or output slots.
    pub(super) index: Option<Slot>,
    /// Number of slots of the variable after `slot`.
    pub(super) beyond: u32,
    /// The first dword of the slot that is accessed.
    pub(super) first: u8,
    /// Dwords per component: 1 or 2.
    pub(super) dwords: u8,
    pub(super) comps: u8,
    /// The components that a store writes.
    pub(super) mask: u8,
    pub(super) data: [Slot; 4],
}

impl SlotOp {
    /// The slot at a dynamic index. An index beyond the variable's slots selects the last one.
    pub(super) fn at(&self, index: u32) -> Option<IoSlot> {
        self.slot.plus(index.min(self.beyond))
    }
}

/// An access to a scalar of a variable. Its number is `base` plus, for each `(slot, count, stride)`, the index in
/// that slot times `stride`; an index must be below `count`.
#[derive(Clone, Debug)]
pub(super) struct VarOp {
    pub(super) base: u32,
    pub(super) indices: Vec<(Slot, u32, u32)>,
}
