//! Instructions: what they do, their named operands, and one walk over all sources.

use std::hash::{Hash, Hasher};

use smallvec::SmallVec;

use super::{AluOp, BindingId, ImageForm, ImageParam, IoSlot, RegionId, TextureRead, Value, VarId};

/// Which component of a value each component of a source reads: entry `i` is 0 to 3 (x, y, z, w).
///
/// Only the first entries count, as many as the operation reads.
pub type Swizzle = [u8; 4];

/// A use of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Src {
    /// The value read.
    pub value: Value,
    /// The components read.
    pub swizzle: Swizzle,
}

impl Src {
    /// The components in order.
    pub const IDENTITY: Swizzle = [0, 1, 2, 3];

    /// The value with its components in order.
    pub const fn new(value: Value) -> Src {
        Src { value, swizzle: Src::IDENTITY }
    }

    /// One component of the value, in every position.
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
    // As one number: sources are what passes hash most.
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

    /// Number of components up to the last that is written.
    pub const fn width(self) -> usize {
        8 - self.0.leading_zeros() as usize
    }

    /// Whether component `comp` is written.
    pub const fn has(self, comp: usize) -> bool {
        self.0 >> comp & 1 == 1
    }
}

/// A step of the path from a variable to a part of it: a structure member, array element, or vector component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// A number known now.
    Const(u32),
    /// A 32-bit unsigned number known at run time: array elements and vector components only.
    Dyn(Src),
}

/// A binding, and which element of a descriptor array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    /// The binding.
    pub binding: BindingId,
    /// The element, 32-bit unsigned; `None` for a binding that is no array.
    pub element: Option<Src>,
}

/// A memory that byte offsets address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// A uniform buffer. Out of bounds reads as 0.
    Ubo(Resource),
    /// A storage buffer. Out of bounds reads as 0, writes are dropped.
    Ssbo(Resource),
    /// The push constants. Read only.
    PushConstant,
    /// The workgroup's shared memory.
    Shared,
    /// Memory of one invocation, [`Shader::scratch_bytes`](super::Shader::scratch_bytes) long.
    Scratch,
    /// Constants that belong to the program, [`Shader::const_data`](super::Shader::const_data). Read only.
    ConstData,
    /// The memory of a storage image, as its [`ImageParam`]s describe it. Out of bounds reads as 0, writes are dropped.
    Image(Resource),
}

/// What is known of a byte offset: it is `offset` modulo `mul`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Align {
    /// A power of two, in bytes.
    pub mul: u32,
    /// Less than `mul`, in bytes.
    pub offset: u32,
}

impl Align {
    /// A multiple of `bytes`, a power of two.
    pub const fn to(bytes: u32) -> Align {
        Align { mul: bytes, offset: 0 }
    }

    /// The greatest power of two that is known to divide the offset, in bytes.
    pub const fn bytes(self) -> u32 {
        if self.offset == 0 { self.mul } else { 1 << self.offset.trailing_zeros() }
    }

    /// What is known after adding `bytes`.
    pub const fn plus(self, bytes: u32) -> Align {
        Align { mul: self.mul, offset: self.offset.wrapping_add(bytes) & (self.mul - 1) }
    }
}

/// What a memory access promises and demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Access {
    /// Other invocations must see writes and this one theirs, without caching in between.
    pub coherent: bool,
    /// Every access counts: none may be added, removed or merged.
    pub volatile: bool,
    /// Nothing in this dispatch writes the memory: loads may move and merge freely.
    pub readonly: bool,
    /// No other binding names the same memory.
    pub restrict: bool,
}

/// What an atomic computes from the old memory value and its data.
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
    /// The data where the old value equals `compare`, else the old value.
    CompareExchange,
    /// Float sum.
    FAdd,
    /// Float lesser.
    FMin,
    /// Float greater.
    FMax,
}

/// Who a barrier or an ordering concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// This invocation.
    Invocation,
    /// The subgroup.
    Subgroup,
    /// The workgroup.
    Workgroup,
    /// The queue family or device.
    Device,
}

/// Which memories a barrier orders, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemorySemantics {
    /// Later accesses stay behind.
    pub acquire: bool,
    /// Earlier accesses stay before.
    pub release: bool,
    /// Storage and uniform buffers.
    pub buffer: bool,
    /// Storage images.
    pub image: bool,
    /// Shared memory.
    pub shared: bool,
    /// Stage outputs (tessellation control).
    pub output: bool,
}

/// Values that the hardware or the driver provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SysVal {
    /// 32x3: index of the workgroup.
    WorkgroupId,
    /// 32x3: number of workgroups dispatched.
    NumWorkgroups,
    /// 32x3: size of the workgroup in invocations.
    WorkgroupSize,
    /// 32x3: index of the invocation in its workgroup.
    LocalInvocationId,
    /// 32: the same, flat: x + y * size.x + z * size.x * size.y.
    LocalInvocationIndex,
    /// 32x3: workgroup id * size + local id.
    GlobalInvocationId,
    /// 32: index of the subgroup (hardware thread) in its workgroup.
    SubgroupId,
    /// 32: number of subgroups in the workgroup.
    NumSubgroups,
    /// 32: number of invocations in a subgroup (the SIMD width).
    SubgroupSize,
    /// 32: index of the invocation in its subgroup (the channel).
    SubgroupInvocation,
    /// 32, vertex: number of the vertex, as an index buffer or counting gives it, and the base vertex or first vertex
    /// added.
    VertexIndex,
    /// 32, vertex: number of the instance, the base instance added.
    InstanceIndex,
    /// 32, vertex: what an indexed draw call adds to indices, or the first vertex of another.
    BaseVertex,
    /// 32, vertex: number of the draw call's first instance.
    BaseInstance,
    /// 32, vertex: number of the draw call among those of one command.
    DrawIndex,
    /// 32, tessellation and geometry: number of the input primitive or patch, counted per instance.
    PrimitiveId,
    /// 32, tessellation control and geometry: number of the invocation that works on the same primitive or patch.
    InvocationId,
    /// 32x3, tessellation evaluation: u, v, w in the domain; w is 0 unless it is that of triangles.
    TessCoord,
    /// 32, tessellation: number of control points of the input patch.
    PatchVertices,
}

/// What an instruction does, with its operands by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
// With a tag of its own: in a niche of another field, every look at a kind would have to decode it.
#[repr(u8)]
pub enum InstKind {
    /// A constant; entry `i` is component `i`, zero extended.
    Const([u64; 4]),
    /// Any bits.
    Undef,
    /// Arithmetic.
    Alu {
        /// The operation.
        op: AluOp,
        /// Its sources, as many as its row says.
        srcs: Srcs,
        /// Whether value-changing float rewrites (contraction, reassociation) are forbidden.
        exact: bool,
    },
    /// A value from the hardware or driver.
    SysVal(SysVal),
    /// Reads a private variable or a part of it: a scalar or vector.
    LoadVar {
        /// The variable.
        var: VarId,
        /// The way to a scalar or vector of it.
        path: Vec<PathStep>,
    },
    /// Writes a private variable or a part of it: a scalar or vector.
    StoreVar {
        /// The variable.
        var: VarId,
        /// The way to a scalar or vector of it.
        path: Vec<PathStep>,
        /// What is stored.
        data: Src,
        /// Components stored.
        mask: WriteMask,
    },
    /// Reads consecutive components of an input, of 32 bits or at most two of 64. Beyond the row of slots that `index` may
    /// move along its last slot is read, and for vertices that there are not the last one (any bits where the stage is not
    /// told how many there are).
    LoadInput {
        /// The slot; what is read lies in one, and is a declared input.
        slot: IoSlot,
        /// Of inputs that a whole primitive has: which of its vertices, 32 bits.
        vertex: Option<Src>,
        /// How many slots further on, 32 bits.
        index: Option<Src>,
        /// The first component read, counted in components of 32 bits.
        comp: u8,
    },
    /// Reads consecutive components of an output of the patch, likewise: tessellation control only.
    LoadOutput {
        /// The slot; what is read lies in one, and is a declared output.
        slot: IoSlot,
        /// Of outputs that each vertex has: which vertex, 32 bits.
        vertex: Option<Src>,
        /// How many slots further on, 32 bits.
        index: Option<Src>,
        /// The first component read, counted in components of 32 bits.
        comp: u8,
    },
    /// Writes components of an output, of 32 or 64 bits. Beyond the row of slots that `index` may move along its last slot
    /// is written, and for vertices that there are not the last one.
    StoreOutput {
        /// The slot; what is written lies in one, and is a declared output.
        slot: IoSlot,
        /// What is stored: as many components as [`WriteMask::width`] says.
        data: Src,
        /// Of outputs that each vertex has: which vertex, 32 bits. Tessellation control only.
        vertex: Option<Src>,
        /// How many slots further on, 32 bits.
        index: Option<Src>,
        /// Where component 0 of the data goes, counted in components of 32 bits.
        comp: u8,
        /// Components stored.
        mask: WriteMask,
    },
    /// Makes a vertex of the outputs of the stream, which are undefined afterwards: geometry only.
    EmitVertex {
        /// The stream, below [`MAX_STREAMS`](super::MAX_STREAMS).
        stream: u8,
    },
    /// Ends the strip of the stream: geometry only.
    EndPrimitive {
        /// The stream, likewise.
        stream: u8,
    },
    /// Reads consecutive components from memory.
    Load {
        /// The memory.
        memory: Memory,
        /// Byte offset, 32 bits.
        offset: Src,
        /// What is known of the offset.
        align: Align,
        /// Promises and demands.
        access: Access,
    },
    /// Writes components to memory; component `i` at `offset + i * size`.
    Store {
        /// The memory.
        memory: Memory,
        /// Byte offset, 32 bits.
        offset: Src,
        /// What is stored.
        data: Src,
        /// Number of components of `data` that the mask speaks of.
        comps: u8,
        /// Components stored.
        mask: WriteMask,
        /// What is known of the offset.
        align: Align,
        /// Promises and demands.
        access: Access,
    },
    /// Reads, computes and writes a scalar in one step; the result is the old value.
    Atomic {
        /// The memory: [`Memory::Ssbo`] or [`Memory::Shared`].
        memory: Memory,
        /// What is computed.
        op: AtomicOp,
        /// Byte offset, 32 bits, a multiple of the size.
        offset: Src,
        /// The operand.
        data: Src,
        /// The expected value of [`AtomicOp::CompareExchange`], else `None`.
        compare: Option<Src>,
        /// Promises and demands.
        access: Access,
    },
    /// The size of a buffer in bytes, 32 bits.
    BufferSize(Resource),
    /// Reads a texel: components of 32 bits, as many as the form says.
    ImageLoad {
        /// The image.
        image: Resource,
        /// Where: signed integers of 32 bits.
        coord: Src,
        /// Number of coordinates.
        dims: u8,
        /// How the texel is seen.
        form: ImageForm,
        /// Promises and demands.
        access: Access,
    },
    /// Writes a texel: components of 32 bits, as many as the form says.
    ImageStore {
        /// The image.
        image: Resource,
        /// Where: signed integers of 32 bits.
        coord: Src,
        /// Number of coordinates.
        dims: u8,
        /// What is stored.
        data: Src,
        /// How the texel is seen.
        form: ImageForm,
        /// Promises and demands.
        access: Access,
    },
    /// Reads, computes and writes a texel of one component of 32 bits in one step; the result is the old value, 0 out of
    /// bounds.
    ImageAtomic {
        /// The image.
        image: Resource,
        /// What is computed.
        op: AtomicOp,
        /// Where: signed integers of 32 bits.
        coord: Src,
        /// Number of coordinates.
        dims: u8,
        /// The operand.
        data: Src,
        /// The expected value of [`AtomicOp::CompareExchange`], else `None`.
        compare: Option<Src>,
        /// How the texel is seen.
        form: ImageForm,
        /// Promises and demands.
        access: Access,
    },
    /// The size of an image in texels and layers, see [`ImageTy::size_comps`](super::ImageTy::size_comps): 32 bits
    /// each.
    ImageSize(Resource),
    /// What the driver tells of an image, one component of 32 bits.
    ImageParam {
        /// The image.
        image: Resource,
        /// Which parameter.
        param: ImageParam,
        /// Which component of it.
        comp: u8,
    },
    /// Reads through the sampler unit.
    Texture(Box<TextureRead>),
    /// A barrier.
    Barrier {
        /// Whose invocations all must arrive before one leaves; `None`: nobody waits.
        execution: Option<Scope>,
        /// Among whom memory accesses are ordered.
        memory: Scope,
        /// Which accesses are ordered.
        semantics: MemorySemantics,
    },
    /// Runs one of two regions. The results are what the region that ran yielded.
    If {
        /// A boolean scalar.
        cond: Src,
        /// Runs where true. Ends with `Yield`, or leaves by `Break`, `Continue` or `Return`.
        then: RegionId,
        /// Runs where false, likewise.
        else_: RegionId,
    },
    /// Runs `body` again and again until `Break`, whose sources are the results.
    Loop {
        /// The body: its `Continue` gives the parameters of `continuing`, or where there is none, its own next ones.
        body: RegionId,
        /// Runs after each body; its `Continue` gives the body's next parameters. May `Break`, in a nested `If` too.
        continuing: Option<RegionId>,
        /// First values of the body's parameters.
        init: Srcs,
    },
    /// Ends a region of an `If` with its results.
    Yield(Srcs),
    /// Leaves the innermost loop with its results.
    Break(Srcs),
    /// Ends this round of the innermost loop.
    Continue(Srcs),
    /// Ends the invocation. In nested regions it is only legal before `lower_returns`.
    Return,
}

/// An instruction: its kind and the values it defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstData {
    /// What it does.
    pub kind: InstKind,
    /// What it defines: at most one value, but any number for `If` and `Loop`.
    pub results: SmallVec<[Value; 1]>,
}

/// The one walk over the sources of an instruction, for shared and for exclusive references.
macro_rules! walk_srcs {
    ($kind:expr, $f:ident, $iter:ident, $resource:ident, $step:ident) => {{
        let mut f = $f;
        match $kind {
            InstKind::Const(_)
            | InstKind::Undef
            | InstKind::SysVal(_)
            | InstKind::EmitVertex { .. }
            | InstKind::EndPrimitive { .. }
            | InstKind::Barrier { .. }
            | InstKind::Return => {}
            InstKind::LoadInput { vertex, index, .. }
            | InstKind::LoadOutput { vertex, index, .. } => {
                vertex.$iter().chain(index.$iter()).for_each(f);
            }
            InstKind::StoreOutput { data, vertex, index, .. } => {
                f(data);
                vertex.$iter().chain(index.$iter()).for_each(f);
            }
            InstKind::Alu { srcs, .. }
            | InstKind::Yield(srcs)
            | InstKind::Break(srcs)
            | InstKind::Continue(srcs)
            | InstKind::Loop { init: srcs, .. } => srcs.$iter().for_each(f),
            InstKind::LoadVar { path, .. } => path.$iter().filter_map(PathStep::$step).for_each(f),
            InstKind::StoreVar { path, data, .. } => {
                path.$iter().filter_map(PathStep::$step).for_each(&mut f);
                f(data);
            }
            InstKind::Load { memory, offset, .. } => {
                memory.$resource().into_iter().flat_map(|r| r.element.$iter()).for_each(&mut f);
                f(offset);
            }
            InstKind::Store { memory, offset, data, .. } => {
                memory.$resource().into_iter().flat_map(|r| r.element.$iter()).for_each(&mut f);
                f(offset);
                f(data);
            }
            InstKind::Atomic { memory, offset, data, compare, .. } => {
                memory.$resource().into_iter().flat_map(|r| r.element.$iter()).for_each(&mut f);
                f(offset);
                f(data);
                compare.$iter().for_each(f);
            }
            InstKind::BufferSize(resource)
            | InstKind::ImageSize(resource)
            | InstKind::ImageParam { image: resource, .. } => {
                resource.element.$iter().for_each(f);
            }
            InstKind::ImageLoad { image, coord, .. } => {
                image.element.$iter().for_each(&mut f);
                f(coord);
            }
            InstKind::ImageStore { image, coord, data, .. } => {
                image.element.$iter().for_each(&mut f);
                f(coord);
                f(data);
            }
            InstKind::ImageAtomic { image, coord, data, compare, .. } => {
                image.element.$iter().for_each(&mut f);
                f(coord);
                f(data);
                compare.$iter().for_each(f);
            }
            InstKind::Texture(read) => {
                read.texture.element.$iter().for_each(&mut f);
                read.sampler.$iter().flat_map(|r| r.element.$iter()).for_each(&mut f);
                read.coord.$iter().for_each(&mut f);
                read.level.$iter().for_each(&mut f);
                read.compare.$iter().for_each(&mut f);
                read.gradients.$iter().flatten().for_each(&mut f);
                read.offset_at_run_time.$iter().for_each(f);
            }
            InstKind::If { cond, .. } => f(cond),
        }
    }};
}

impl PathStep {
    fn src(&self) -> Option<&Src> {
        match self {
            PathStep::Const(_) => None,
            PathStep::Dyn(src) => Some(src),
        }
    }

    fn src_mut(&mut self) -> Option<&mut Src> {
        match self {
            PathStep::Const(_) => None,
            PathStep::Dyn(src) => Some(src),
        }
    }
}

impl Memory {
    /// The binding that the memory is, if it is one.
    pub const fn resource(&self) -> Option<&Resource> {
        match self {
            Memory::Ubo(r) | Memory::Ssbo(r) | Memory::Image(r) => Some(r),
            Memory::PushConstant | Memory::Shared | Memory::Scratch | Memory::ConstData => None,
        }
    }

    /// Whether nothing in a dispatch can write this memory.
    pub const fn is_read_only(self) -> bool {
        matches!(self, Memory::Ubo(_) | Memory::PushConstant | Memory::ConstData)
    }

    fn resource_mut(&mut self) -> Option<&mut Resource> {
        match self {
            Memory::Ubo(r) | Memory::Ssbo(r) | Memory::Image(r) => Some(r),
            Memory::PushConstant | Memory::Shared | Memory::Scratch | Memory::ConstData => None,
        }
    }
}

impl InstKind {
    /// Calls `f` with each binding that a message of the instruction names: of a texture also the sampler. Sizes and
    /// parameters are no messages.
    pub fn for_each_surface_mut(&mut self, mut f: impl FnMut(&mut Resource)) {
        match self {
            InstKind::Load { memory, .. }
            | InstKind::Store { memory, .. }
            | InstKind::Atomic { memory, .. } => {
                memory.resource_mut().into_iter().for_each(f);
            }
            InstKind::ImageLoad { image, .. }
            | InstKind::ImageStore { image, .. }
            | InstKind::ImageAtomic { image, .. } => f(image),
            InstKind::Texture(read) => {
                f(&mut read.texture);
                read.sampler.iter_mut().for_each(f);
            }
            _ => {}
        }
    }

    /// Calls `f` with every binding that the instruction names.
    pub fn for_each_resource_mut(&mut self, mut f: impl FnMut(&mut Resource)) {
        match self {
            InstKind::BufferSize(resource)
            | InstKind::ImageSize(resource)
            | InstKind::ImageParam { image: resource, .. } => f(resource),
            _ => self.for_each_surface_mut(f),
        }
    }

    /// An arithmetic instruction that may be contracted and reassociated.
    pub fn alu(op: AluOp, srcs: impl IntoIterator<Item = Src>) -> InstKind {
        InstKind::Alu { op, srcs: srcs.into_iter().collect(), exact: false }
    }

    /// Calls `f` with every source, in the order in which the text form shows them.
    #[inline]
    pub fn for_each_src_mut(&mut self, f: impl FnMut(&mut Src)) {
        match self {
            // By far the most, so without the walk's choice.
            InstKind::Alu { srcs, .. } => srcs.iter_mut().for_each(f),
            _ => self.for_each_other_src_mut(f),
        }
    }

    fn for_each_other_src_mut(&mut self, f: impl FnMut(&mut Src)) {
        walk_srcs!(self, f, iter_mut, resource_mut, src_mut)
    }

    /// Calls `f` with every source, in the order in which the text form shows them.
    #[inline]
    pub fn for_each_src(&self, mut f: impl FnMut(Src)) {
        match self {
            InstKind::Alu { srcs, .. } => srcs.iter().for_each(|src| f(*src)),
            _ => self.for_each_other_src(f),
        }
    }

    fn for_each_other_src(&self, mut f: impl FnMut(Src)) {
        let f = |src: &Src| f(*src);
        walk_srcs!(self, f, iter, resource, src)
    }

    /// Whether the instruction owns regions.
    pub const fn owns_regions(&self) -> bool {
        matches!(self, InstKind::If { .. } | InstKind::Loop { .. })
    }

    /// The regions that the instruction owns, in order.
    pub fn regions(&self) -> impl DoubleEndedIterator<Item = RegionId> + ExactSizeIterator + use<> {
        let (regions, count) = match *self {
            InstKind::If { then, else_, .. } => ([then, else_], 2),
            InstKind::Loop { body, continuing: Some(continuing), .. } => ([body, continuing], 2),
            InstKind::Loop { body, continuing: None, .. } => ([body; 2], 1),
            _ => ([RegionId::from_index(0); 2], 0),
        };
        regions.into_iter().take(count)
    }

    /// Calls `f` with each region that the instruction owns, in order, to replace it.
    pub fn for_each_region_mut(&mut self, mut f: impl FnMut(&mut RegionId)) {
        match self {
            InstKind::If { then, else_, .. } => {
                f(then);
                f(else_);
            }
            InstKind::Loop { body, continuing, .. } => {
                f(body);
                continuing.iter_mut().for_each(f);
            }
            _ => {}
        }
    }

    /// Whether the instruction ends a region.
    pub const fn is_terminator(&self) -> bool {
        matches!(
            self,
            InstKind::Yield(_) | InstKind::Break(_) | InstKind::Continue(_) | InstKind::Return
        )
    }
}
