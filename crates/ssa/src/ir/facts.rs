//! What every instruction and system value is, apart from what it computes: the one table that analyses ask, and passes
//! that move, merge, copy or remove instructions.
//!
//! There is no row for all others: a new instruction, memory or system value without its row does not compile.

#![deny(clippy::wildcard_enum_match_arm, reason = "each variant has a row of its own")]

use super::{InstKind, Memory, SysVal};

/// How the results of an instruction compare between the invocations of a subgroup that run it together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// There are none.
    None,
    /// The same bits for all.
    Same,
    /// The same bits for all where the sources are the same.
    AsSources,
    /// Bits of its own for each.
    PerInvocation,
    /// What the regions give, so control flow decides: `If` and `Loop`.
    FromRegions,
}

/// What an instruction does to control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Nothing.
    Straight,
    /// It owns regions.
    Regions,
    /// It ends a region.
    Ends,
}

/// A set of storages. Writing one never changes another, but texels and bytes of images are the same memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storages(u16);

impl Storages {
    /// None.
    pub const NONE: Storages = Storages(0);
    /// The shader's variables.
    pub const VARIABLES: Storages = Storages(1);
    /// What the stage gets.
    pub const INPUTS: Storages = Storages(1 << 1);
    /// What the stage gives.
    pub const OUTPUTS: Storages = Storages(1 << 2);
    /// Emitted vertices and the strips they form.
    pub const VERTICES: Storages = Storages(1 << 3);
    /// Storage buffers.
    pub const BUFFERS: Storages = Storages(1 << 4);
    /// Texels of storage images, by coordinate.
    pub const TEXELS: Storages = Storages(1 << 5);
    /// The memory of storage images, by byte offset.
    pub const IMAGE_BYTES: Storages = Storages(1 << 6);
    /// What the sampler unit reads.
    pub const TEXTURES: Storages = Storages(1 << 7);
    /// Memory of the workgroup.
    pub const SHARED: Storages = Storages(1 << 8);
    /// Memory of one invocation.
    pub const SCRATCH: Storages = Storages(1 << 9);
    /// Uniform buffers, push constants, the program's constants.
    pub const CONSTANTS: Storages = Storages(1 << 10);

    /// What nothing in a dispatch writes.
    const FIXED: Storages =
        Storages(Storages::INPUTS.0 | Storages::TEXTURES.0 | Storages::CONSTANTS.0);

    /// Both sets.
    pub const fn and(self, other: Storages) -> Storages {
        Storages(self.0 | other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the sets share one.
    pub const fn intersects(self, other: Storages) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether writing one of these may change one of the others.
    pub const fn touches(self, other: Storages) -> bool {
        let images = Storages::TEXELS.and(Storages::IMAGE_BYTES);
        self.intersects(other) || self.intersects(images) && other.intersects(images)
    }

    const fn is_within(self, other: Storages) -> bool {
        self.0 & !other.0 == 0
    }
}

/// The row of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// How its results compare between invocations.
    pub results: Results,
    /// What it reads.
    pub reads: Storages,
    /// What it writes.
    pub writes: Storages,
    /// Whether its access promises that nothing in the dispatch writes what it reads.
    pub readonly: bool,
    /// Whether each execution counts: none may be added, removed or merged.
    pub volatile: bool,
    /// Whether accesses before it and behind it must keep their order.
    pub orders: bool,
    /// What it does to control flow.
    pub control: Control,
    /// Whether what it does depends on which invocations run it together: they must stay the same.
    pub convergent: bool,
    /// Whether invocations that only help their neighbours, and have no effects of their own, must run it and what it
    /// follows from: for differences between neighbours.
    pub helpers: bool,
}

impl Facts {
    /// Computes and does nothing else.
    const fn computes(results: Results) -> Facts {
        Facts {
            results,
            reads: Storages::NONE,
            writes: Storages::NONE,
            readonly: false,
            volatile: false,
            orders: false,
            control: Control::Straight,
            convergent: false,
            helpers: false,
        }
    }

    const fn reads(results: Results, reads: Storages) -> Facts {
        Facts { reads, ..Facts::computes(results) }
    }

    const fn writes(writes: Storages) -> Facts {
        Facts { writes, ..Facts::computes(Results::None) }
    }

    const fn control(results: Results, control: Control) -> Facts {
        Facts { control, ..Facts::computes(results) }
    }

    /// Whether it must stay even when its results are unused. Of an `If` or `Loop` that depends on what is inside.
    pub const fn has_effect(self) -> bool {
        let steers = !matches!(self.control, Control::Straight);
        !self.writes.is_empty() || self.volatile || self.orders || self.convergent || steers
    }

    /// Whether an equal one that this one's region sees gives the same results, so that this one may go.
    pub const fn may_merge(self) -> bool {
        let fixed = self.readonly || self.reads.is_within(Storages::FIXED);
        fixed && !self.has_effect() && !matches!(self.results, Results::None)
    }

    /// Whether it may run where the program did not ask for it, and its results are not used.
    pub const fn may_run_unasked(self) -> bool {
        self.reads.is_empty() && !self.has_effect()
    }

    /// Whether several copies may take its place, of which each invocation runs one.
    pub const fn may_be_parted(self) -> bool {
        !self.convergent
    }
}

impl Memory {
    /// Which storage the memory is.
    pub const fn storage(&self) -> Storages {
        match self {
            Memory::Ubo(_) | Memory::PushConstant | Memory::ConstData => Storages::CONSTANTS,
            Memory::Ssbo(_) => Storages::BUFFERS,
            Memory::Shared => Storages::SHARED,
            Memory::Scratch => Storages::SCRATCH,
            Memory::Image(_) => Storages::IMAGE_BYTES,
        }
    }
}

impl SysVal {
    /// The value's row.
    #[inline]
    pub const fn facts(self) -> Facts {
        match self {
            SysVal::WorkgroupId
            | SysVal::NumWorkgroups
            | SysVal::WorkgroupSize
            | SysVal::SubgroupId
            | SysVal::NumSubgroups
            | SysVal::SubgroupSize
            | SysVal::BaseVertex
            | SysVal::BaseInstance
            | SysVal::DrawIndex
            | SysVal::PatchVertices => Facts::computes(Results::Same),
            SysVal::LocalInvocationId
            | SysVal::LocalInvocationIndex
            | SysVal::GlobalInvocationId
            | SysVal::SubgroupInvocation
            | SysVal::VertexIndex
            | SysVal::InstanceIndex
            | SysVal::PrimitiveId
            | SysVal::InvocationId
            | SysVal::TessCoord => Facts::computes(Results::PerInvocation),
        }
    }
}

impl InstKind {
    /// The instruction's row.
    #[inline]
    pub const fn facts(&self) -> Facts {
        use Results::{AsSources, FromRegions, PerInvocation, Same};
        match self {
            InstKind::Const(_) | InstKind::Undef => Facts::computes(Same),
            // Arithmetic is of one invocation: what asks others is no `AluOp`.
            InstKind::Alu { .. }
            // Sizes and parameters come with the program's arguments.
            | InstKind::BufferSize(_)
            | InstKind::ImageSize(_)
            | InstKind::ImageParam { .. } => Facts::computes(AsSources),
            InstKind::SysVal(sysval) => sysval.facts(),
            InstKind::LoadVar { .. } => Facts::reads(PerInvocation, Storages::VARIABLES),
            InstKind::StoreVar { .. } => Facts::writes(Storages::VARIABLES),
            InstKind::LoadInput { .. } => Facts::reads(PerInvocation, Storages::INPUTS),
            InstKind::LoadOutput { .. } => Facts::reads(PerInvocation, Storages::OUTPUTS),
            InstKind::StoreOutput { .. } => Facts::writes(Storages::OUTPUTS),
            // Outputs are undefined afterwards.
            InstKind::EmitVertex { .. } => {
                let outputs = Storages::OUTPUTS;
                Facts { reads: outputs, ..Facts::writes(outputs.and(Storages::VERTICES)) }
            }
            InstKind::EndPrimitive { .. } => Facts::writes(Storages::VERTICES),
            InstKind::Load { memory, access, .. } => {
                let results = match memory {
                    Memory::Scratch => PerInvocation,
                    Memory::Ubo(_)
                    | Memory::Ssbo(_)
                    | Memory::PushConstant
                    | Memory::Shared
                    | Memory::ConstData
                    | Memory::Image(_) => AsSources,
                };
                let (readonly, volatile) = (access.readonly, access.volatile);
                Facts { readonly, volatile, ..Facts::reads(results, memory.storage()) }
            }
            InstKind::Store { memory, access, .. } => {
                Facts { volatile: access.volatile, ..Facts::writes(memory.storage()) }
            }
            // Each invocation's comes before or after the others'.
            InstKind::Atomic { memory, access, .. } => {
                let (reads, volatile) = (memory.storage(), access.volatile);
                Facts { results: PerInvocation, reads, volatile, ..Facts::writes(reads) }
            }
            InstKind::ImageLoad { access, .. } => {
                let (readonly, volatile) = (access.readonly, access.volatile);
                Facts { readonly, volatile, ..Facts::reads(AsSources, Storages::TEXELS) }
            }
            InstKind::ImageStore { access, .. } => {
                Facts { volatile: access.volatile, ..Facts::writes(Storages::TEXELS) }
            }
            InstKind::ImageAtomic { access, .. } => {
                let (reads, volatile) = (Storages::TEXELS, access.volatile);
                Facts { results: PerInvocation, reads, volatile, ..Facts::writes(reads) }
            }
            // Every level of detail is given, by a number or by gradients: nothing asks neighbours.
            InstKind::Texture(_) => Facts::reads(AsSources, Storages::TEXTURES),
            InstKind::Barrier { execution, .. } => Facts {
                orders: true,
                convergent: execution.is_some(),
                ..Facts::computes(Results::None)
            },
            InstKind::If { .. } | InstKind::Loop { .. } => {
                Facts::control(FromRegions, Control::Regions)
            }
            InstKind::Yield(_) | InstKind::Break(_) | InstKind::Continue(_) | InstKind::Return => {
                Facts::control(Results::None, Control::Ends)
            }
        }
    }

    /// Whether the instruction must stay even when its results are unused, see [`Facts::has_effect`].
    #[inline]
    pub const fn has_effect(&self) -> bool {
        self.facts().has_effect()
    }
}
