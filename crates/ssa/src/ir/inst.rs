//! Instructions: their kinds and their named operands. `visit` visits their sources.

use std::hash::{Hash, Hasher};

use smallvec::SmallVec;

use super::{
    AluOp, Axis, BaryPlace, BindingId, DerivativeRule, ImageForm, ImageParam, InterpMode, IoSlot,
    RegionId, SubgroupOp, SysVal, TextureRead, Value, VarId,
};

/// Selection of components: component `i` of a source is component `swizzle[i]` (0 to 3: x, y, z, w) of the value.
///
/// An operation that reads `n` components uses the first `n` entries; the other entries have no meaning.
pub type Swizzle = [u8; 4];

/// A use of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Src {
    /// The value read.
    pub value: Value,
    /// For each component of the source, the component of the value that it reads.
    pub swizzle: Swizzle,
}

impl Src {
    /// The swizzle that selects all components in order.
    pub const IDENTITY: Swizzle = [0, 1, 2, 3];

    /// The value with its components in order.
    pub const fn new(value: Value) -> Src {
        Src { value, swizzle: Src::IDENTITY }
    }

    /// One component of the value, in every position (`%0.x`).
    pub const fn comp(value: Value, comp: usize) -> Src {
        Src { value, swizzle: [comp as u8; 4] }
    }

    /// Component `comp` of this source, in every position.
    pub const fn select(self, comp: usize) -> Src {
        Src { value: self.value, swizzle: [self.swizzle[comp]; 4] }
    }

    /// This source seen through another swizzle: component `i` becomes this source's component `outer[i]`.
    pub const fn then(self, outer: Swizzle) -> Src {
        let s = self.swizzle;
        Src {
            value: self.value,
            swizzle: [
                s[outer[0] as usize],
                s[outer[1] as usize],
                s[outer[2] as usize],
                s[outer[3] as usize],
            ],
        }
    }

    /// Whether the first `comps` components are read in order.
    pub fn is_identity(self, comps: usize) -> bool {
        self.swizzle[..comps] == Src::IDENTITY[..comps]
    }
}

impl Hash for Src {
    // Hashed as one number, because passes hash sources more often than anything else.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let swizzle = u32::from_le_bytes(self.swizzle);
        (u64::from(swizzle) << 32 | self.value.index() as u64).hash(state);
    }
}

impl From<Value> for Src {
    fn from(value: Value) -> Src {
        Src::new(value)
    }
}

/// A list of sources.
pub type Srcs = SmallVec<[Src; 4]>;

/// Which components a store writes: bit `i` = component `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WriteMask(pub u8);

impl WriteMask {
    /// The first `comps` components.
    pub const fn all(comps: usize) -> WriteMask {
        WriteMask(((1u32 << comps) - 1) as u8)
    }

    /// Number of components up to and including the last one that is written.
    pub const fn width(self) -> usize {
        8 - self.0.leading_zeros() as usize
    }

    /// Whether component `comp` is written.
    pub const fn has(self, comp: usize) -> bool {
        self.0 >> comp & 1 == 1
    }
}

/// A step of the path from a variable to a part of it: it selects a structure member, array element or vector
/// component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// An index known at compile time.
    Const(u32),
    /// A 32-bit unsigned index computed at run time. Only array elements and vector components can be selected so.
    Dyn(Src),
}

/// A binding and, for a descriptor array, the selected element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    /// The binding.
    pub binding: BindingId,
    /// The element, 32-bit unsigned; `None` for a binding that is no array.
    pub element: Option<Src>,
}

/// A memory that loads and stores access by byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// A uniform buffer. Loads out of bounds return 0.
    Ubo(Resource),
    /// A storage buffer. Loads out of bounds return 0, stores out of bounds have no effect.
    Ssbo(Resource),
    /// The push constants. Read only.
    PushConstant,
    /// The workgroup's shared memory.
    Shared,
    /// Memory of one invocation, [`Shader::scratch_bytes`](super::Shader::scratch_bytes) long.
    Scratch,
    /// Constants that belong to the program, [`Shader::const_data`](super::Shader::const_data). Read only.
    ConstData,
    /// The memory of a storage image, laid out as its [`ImageParam`]s describe. Loads out of bounds return 0, stores
    /// out of bounds have no effect.
    Image(Resource),
    /// Buffers, by address. The address has 64 bits, or 32 bits after `lower_addresses`. The offset of an access is a
    /// signed number that is added to it. Buffers and bindings may be the same memory.
    Global(Src),
}

/// What is known at compile time about a byte offset: it equals `offset` modulo `mul`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Align {
    /// A power of two, in bytes.
    pub mul: u32,
    /// Less than `mul`, in bytes.
    pub offset: u32,
}

impl Align {
    /// A multiple of `bytes`, which must be a power of two.
    pub const fn to(bytes: u32) -> Align {
        Align { mul: bytes, offset: 0 }
    }

    /// The greatest power of two that is known to divide the offset, in bytes.
    pub const fn bytes(self) -> u32 {
        if self.offset == 0 { self.mul } else { 1 << self.offset.trailing_zeros() }
    }

    /// The alignment of the offset plus an unknown multiple of `stride` bytes.
    pub fn at_multiple(self, stride: u32) -> Align {
        let known = if stride == 0 { self.mul } else { 1 << stride.trailing_zeros() };
        let mul = self.mul.min(known);
        Align { mul, offset: self.offset & (mul - 1) }
    }

    /// The alignment of the offset plus `bytes`.
    pub const fn plus(self, bytes: u32) -> Align {
        Align { mul: self.mul, offset: self.offset.wrapping_add(bytes) & (self.mul - 1) }
    }
}

/// Guarantees and requirements of a memory access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Access {
    /// Writes must become visible to other invocations, and their writes to this one, without private caches in
    /// between.
    pub coherent: bool,
    /// Every access must happen exactly as written: none may be added, removed or merged.
    pub volatile: bool,
    /// Nothing in this dispatch writes the memory, so loads may be moved and merged.
    pub readonly: bool,
    /// Neither another binding nor an address refers to the same memory.
    pub restrict: bool,
    /// Other bindings whose accesses have this flag may refer to the same memory (SPIR-V's decoration `Aliased`). Without it
    /// none does: SPIR-V assumes so of variables in its logical addressing model.
    pub aliased: bool,
}

impl Access {
    /// What two accesses to one memory promise about other bindings and addresses together.
    pub(crate) fn common_promise(self, other: Access) -> Access {
        let restrict = self.restrict && other.restrict;
        Access { restrict, aliased: self.aliased || other.aliased, ..self }
    }
}

/// How an atomic computes the new memory value from the old value and its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Sum.
    IAdd,
    /// Lesser, signed.
    IMin,
    /// Greater, signed.
    IMax,
    /// Lesser, unsigned.
    UMin,
    /// Greater, unsigned.
    UMax,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The data itself.
    Exchange,
    /// The data if the old value equals `compare`, else the old value.
    CompareExchange,
    /// Float sum.
    FAdd,
    /// Float lesser.
    FMin,
    /// Float greater.
    FMax,
}

/// The set of invocations that a barrier or memory ordering includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// This invocation.
    Invocation,
    /// The subgroup.
    Subgroup,
    /// The workgroup.
    Workgroup,
    /// All invocations of the device (or queue family).
    Device,
}

/// Which memories a barrier orders, and in which direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemorySemantics {
    /// Accesses after the barrier must not move before it.
    pub acquire: bool,
    /// Accesses before the barrier must not move after it.
    pub release: bool,
    /// Orders accesses to storage and uniform buffers.
    pub buffer: bool,
    /// Orders accesses to storage images.
    pub image: bool,
    /// Orders accesses to shared memory.
    pub shared: bool,
    /// Orders accesses to stage outputs (tessellation control).
    pub output: bool,
}

/// The kind of an instruction, with its operands by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
// `repr(u8)` gives the enum a tag byte of its own. Without it, the compiler stores the tag in a niche of another field,
// and each match on a kind must decode it.
#[repr(u8)]
pub enum InstKind {
    /// A constant; entry `i` is component `i`, zero extended.
    Const([u64; 4]),
    /// A value with undefined bits.
    Undef,
    /// An arithmetic operation.
    Alu {
        /// The operation.
        op: AluOp,
        /// Its sources; their number is in the operation's row ([`AluOp::row`]).
        srcs: Srcs,
        /// Whether value-changing float rewrites (contraction, reassociation) are forbidden.
        exact: bool,
    },
    /// A value from the hardware or driver.
    SysVal(SysVal),
    /// Reads a scalar or vector from a private variable.
    LoadVar {
        /// The variable.
        var: VarId,
        /// The path to the scalar or vector in the variable.
        path: Vec<PathStep>,
    },
    /// Writes a scalar or vector of a private variable.
    StoreVar {
        /// The variable.
        var: VarId,
        /// The path to the scalar or vector in the variable.
        path: Vec<PathStep>,
        /// The value to store.
        data: Src,
        /// The components to store.
        mask: WriteMask,
    },
    /// Reads consecutive components of an input: components of 32 bits, or at most two of 64 bits. If `index` is
    /// beyond the variable's slots, the last slot is read. If `vertex` is beyond the last vertex, the last vertex is
    /// read; the result is then undefined in a stage that is compiled without knowing the number of vertices.
    LoadInput {
        /// The first slot that `index` can select. An access stays within one slot, which must belong to a declared
        /// input.
        slot: IoSlot,
        /// For inputs that exist once per vertex of a primitive or patch: the number of the vertex, 32 bits.
        vertex: Option<Src>,
        /// Number of slots to add to `slot`, 32 bits.
        index: Option<Src>,
        /// The first component read, counted in components of 32 bits.
        comp: u8,
    },
    /// Reads consecutive components of an output, with the rules of `LoadInput`. Tessellation control only.
    LoadOutput {
        /// The first slot that `index` can select. An access stays within one slot, which must belong to a declared
        /// output.
        slot: IoSlot,
        /// For outputs that exist once per vertex: the number of the vertex, 32 bits.
        vertex: Option<Src>,
        /// Number of slots to add to `slot`, 32 bits.
        index: Option<Src>,
        /// The first component read, counted in components of 32 bits.
        comp: u8,
    },
    /// Writes components of an output, of 32 or 64 bits. If `index` is beyond the variable's slots, the last slot is
    /// written; if `vertex` is beyond the last vertex, the last vertex is written.
    StoreOutput {
        /// The first slot that `index` can select. An access stays within one slot, which must belong to a declared
        /// output.
        slot: IoSlot,
        /// The value to store; [`WriteMask::width`] components of it are read.
        data: Src,
        /// For outputs that exist once per vertex: the number of the vertex, 32 bits. Tessellation control only.
        vertex: Option<Src>,
        /// Number of slots to add to `slot`, 32 bits.
        index: Option<Src>,
        /// The component of the slot to which component 0 of the data is written, counted in components of 32 bits.
        comp: u8,
        /// The components of the data to store.
        mask: WriteMask,
    },
    /// Emits a vertex made of the stream's outputs, which are undefined afterwards. Geometry only.
    EmitVertex {
        /// The stream, below [`MAX_STREAMS`](super::MAX_STREAMS).
        stream: u8,
    },
    /// Ends the current strip of the stream. Geometry only.
    EndPrimitive {
        /// The stream, below [`MAX_STREAMS`](super::MAX_STREAMS).
        stream: u8,
    },
    /// Reads consecutive components from memory.
    Load {
        /// The memory.
        memory: Memory,
        /// Byte offset, 32 bits; signed for [`Memory::Global`], else unsigned.
        offset: Src,
        /// The known alignment of the offset.
        align: Align,
        /// Guarantees and requirements of the access.
        access: Access,
    },
    /// Writes components to memory: component `i`, if the mask has it, at byte `offset + i * size of a component`.
    Store {
        /// The memory.
        memory: Memory,
        /// Byte offset, 32 bits; signed for [`Memory::Global`], else unsigned.
        offset: Src,
        /// The value to store.
        data: Src,
        /// Number of components of `data` that are read; the mask selects among them.
        comps: u8,
        /// The components to store.
        mask: WriteMask,
        /// The known alignment of the offset.
        align: Align,
        /// Guarantees and requirements of the access.
        access: Access,
    },
    /// Reads a scalar from memory, computes, and writes the result, in one indivisible step. The result is the old
    /// value.
    Atomic {
        /// The memory: [`Memory::Ssbo`], [`Memory::Global`] or [`Memory::Shared`].
        memory: Memory,
        /// The operation.
        op: AtomicOp,
        /// Byte offset, 32 bits, a multiple of the scalar's size.
        offset: Src,
        /// The operand.
        data: Src,
        /// The expected value of [`AtomicOp::CompareExchange`], else `None`.
        compare: Option<Src>,
        /// Guarantees and requirements of the access.
        access: Access,
    },
    /// The size of a buffer in bytes, 32 bits.
    BufferSize(Resource),
    /// Reads a texel: components of 32 bits, [`ImageForm::comps`] of them.
    ImageLoad {
        /// The image.
        image: Resource,
        /// The coordinates: signed integers of 32 bits.
        coord: Src,
        /// Number of coordinates.
        dims: u8,
        /// Whether texels are in the form of the shader or of a message.
        form: ImageForm,
        /// Guarantees and requirements of the access.
        access: Access,
    },
    /// Writes a texel: components of 32 bits, [`ImageForm::comps`] of them.
    ImageStore {
        /// The image.
        image: Resource,
        /// The coordinates: signed integers of 32 bits.
        coord: Src,
        /// Number of coordinates.
        dims: u8,
        /// The value to store.
        data: Src,
        /// Whether texels are in the form of the shader or of a message.
        form: ImageForm,
        /// Guarantees and requirements of the access.
        access: Access,
    },
    /// Reads a texel of one component of 32 bits, computes, and writes the result, in one indivisible step. The
    /// result is the old value, or 0 out of bounds.
    ImageAtomic {
        /// The image.
        image: Resource,
        /// The operation.
        op: AtomicOp,
        /// The coordinates: signed integers of 32 bits.
        coord: Src,
        /// Number of coordinates.
        dims: u8,
        /// The operand.
        data: Src,
        /// The expected value of [`AtomicOp::CompareExchange`], else `None`.
        compare: Option<Src>,
        /// Whether texels are in the form of the shader or of a message.
        form: ImageForm,
        /// Guarantees and requirements of the access.
        access: Access,
    },
    /// The size of an image in texels and layers, see [`ImageTy::size_comps`](super::ImageTy::size_comps): 32 bits
    /// each.
    ImageSize(Resource),
    /// One component of a parameter of an image that the driver supplies, 32 bits.
    ImageParam {
        /// The image.
        image: Resource,
        /// Which parameter.
        param: ImageParam,
        /// The component of the parameter.
        comp: u8,
    },
    /// The difference between the values of two neighbours in the quad, along an axis, for each component; 32-bit floats.
    /// Undefined if an invocation of the quad does not execute the instruction. Fragment only.
    Derivative {
        /// The direction.
        axis: Axis,
        /// Which neighbours.
        rule: DerivativeRule,
        /// The value.
        src: Src,
    },
    /// Makes the invocation a helper. From now on it writes only its own variables and scratch memory; its stores and
    /// atomics to other memory have no effect, and its outputs do not count. It still computes values for the derivatives
    /// of its quad. Fragment only.
    ///
    /// `OpKill` and `OpTerminateInvocation` are translated to `Demote` and `Return`.
    Demote,
    /// Whether the invocation is a helper now, one bit. Fragment only.
    IsHelper,
    /// A time in units of the implementation (32x2, the low half first), which never decreases in a subgroup. Memory accesses
    /// stay before or after it.
    Clock,
    /// The weights of the primitive's second and third vertex (32x2) at a place in the invocation's pixel: the first vertex has
    /// the rest. With the weights of [`InterpMode::Smooth`](super::InterpMode::Smooth) or
    /// [`InterpMode::NoPerspective`](super::InterpMode::NoPerspective). Fragment only.
    Barycentric {
        /// The kind of weights, one of these two.
        mode: InterpMode,
        /// The place.
        at: BaryPlace,
    },
    /// Reads consecutive components of an input that is interpolated, 32-bit floats, at the place to which weights belong:
    /// `a + weights.x * (b - a) + weights.y * (c - a)` for the values `a`, `b` and `c` of the vertices. Slots are selected as by
    /// `LoadInput`. Fragment only.
    Interpolate {
        /// The first slot that `index` can select.
        slot: IoSlot,
        /// Two components, from [`InstKind::Barycentric`].
        weights: Src,
        /// Number of slots to add to `slot`, 32 bits.
        index: Option<Src>,
        /// The first component read.
        comp: u8,
    },
    /// Whether the source, a boolean, is true in every invocation of the quad that executes this instruction together with this
    /// one. It leaves a loop that only invocations that have been killed still execute, so that these end. A pass may
    /// replace the result by false where the loop ends anyway. Fragment only.
    AllKilled(Src),
    /// Combines the values of the invocations of the subgroup that execute the instruction together.
    Subgroup {
        /// What is computed.
        op: SubgroupOp,
        /// The own value, a scalar: a boolean for a ballot, 32 bits for the first invocation's value, 32 or 64 bits for
        /// others.
        src: Src,
    },
    /// The value that another invocation of the subgroup has. Undefined if that invocation does not execute the instruction
    /// together with this one, or if the subgroup has no such invocation.
    Shuffle {
        /// The own value, a scalar of 32 bits.
        src: Src,
        /// Number of the invocation whose value is read, 32 bits.
        lane: Src,
        /// Whether that invocation is always in the own quad, so that helper invocations must execute the instruction.
        quad: bool,
    },
    /// Begins or ends a critical section: the sections of invocations that cover the same pixel or sample run one after
    /// another, as [`FragmentInfo::interlock`](super::FragmentInfo::interlock) says. Memory accesses do not move out of
    /// the section. Each invocation executes one begin and then one end at most. Fragment only.
    Interlock {
        /// Whether it begins the section instead of ending it.
        begins: bool,
    },
    /// Reads through the sampler unit.
    Texture(Box<TextureRead>),
    /// A barrier.
    Barrier {
        /// The invocations that must all arrive before one continues; `None` if no invocation waits.
        execution: Option<Scope>,
        /// The invocations among which memory accesses are ordered.
        memory: Scope,
        /// The memory accesses that are ordered.
        semantics: MemorySemantics,
    },
    /// Runs one of two regions. The results are the sources of the `Yield` that ended the region.
    If {
        /// A boolean scalar.
        cond: Src,
        /// Runs if the condition is true. Ends with `Yield`, `Break`, `Continue` or `Return`.
        then: RegionId,
        /// Runs if the condition is false. Ends with `Yield`, `Break`, `Continue` or `Return`.
        else_: RegionId,
    },
    /// Runs `body` repeatedly until a `Break`, whose sources are the results.
    Loop {
        /// The body. Its `Continue` passes the parameters of `continuing`; if there is no `continuing` region, those
        /// of the body's next iteration.
        body: RegionId,
        /// Runs after each run of the body. Its `Continue` passes the body's next parameters. It may contain a
        /// `Break`, also inside a nested `If`.
        continuing: Option<RegionId>,
        /// Initial values of the body's parameters.
        init: Srcs,
    },
    /// Ends a region of an `If`; the sources become the results of the `If`.
    Yield(Srcs),
    /// Leaves the innermost loop; the sources become the results of the loop.
    Break(Srcs),
    /// Ends a region of the innermost loop; the sources become the parameters of the region that runs next.
    Continue(Srcs),
    /// Ends the invocation. In nested regions it is only legal before `lower_returns`.
    Return,
}

/// An instruction: its kind and the values it defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstData {
    /// The operation and its operands.
    pub kind: InstKind,
    /// The values it defines: any number for `If` and `Loop`, at most one for other instructions.
    pub results: SmallVec<[Value; 1]>,
}
