//! Properties of each kind of instruction and each system value, apart from what it computes: uniformity, memory
//! accesses, control flow. Analyses use this table, and so do passes that move, merge, copy or remove instructions.
//!
//! The matches have no `_` arm, so a new instruction, memory or system value does not compile without its row.

#![deny(clippy::wildcard_enum_match_arm, reason = "each variant has a row of its own")]

use super::{InstKind, Memory, SubgroupOp, SysVal};

/// How the results of an instruction compare between the invocations of a subgroup that run it together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// The instruction has no results.
    None,
    /// The same bits for all invocations.
    Same,
    /// The same bits for all invocations if the sources are the same for all.
    AsSources,
    /// The same bits for all invocations if the number of the invocation that they read is the same for all: `Shuffle`.
    AsLane,
    /// Possibly different bits for each invocation.
    PerInvocation,
    /// The results come from terminators in the owned regions, so they depend on control flow: `If` and `Loop`.
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

/// Which invocations must execute an instruction together, so that its result is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convergence {
    /// The result does not depend on other invocations.
    None,
    /// The result is computed from all four invocations of the quad, or from one other invocation of the subgroup. It is
    /// undefined if one of them does not execute the instruction. A pass may let more invocations execute it than the
    /// program does, but never fewer.
    Others,
    /// The result depends on the set of invocations that execute the instruction, so passes must not change this set.
    Active,
}

/// A set of storage classes. A write to one class never changes another, except that texels and bytes of images are the
/// same memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storages(u16);

impl Storages {
    /// The empty set.
    pub const NONE: Storages = Storages(0);
    /// Private variables.
    pub const VARIABLES: Storages = Storages(1);
    /// The stage's inputs.
    pub const INPUTS: Storages = Storages(1 << 1);
    /// The stage's outputs.
    pub const OUTPUTS: Storages = Storages(1 << 2);
    /// Emitted vertices and the strips that they form.
    pub const VERTICES: Storages = Storages(1 << 3);
    /// Storage buffers, accessed by binding or by address.
    pub const BUFFERS: Storages = Storages(1 << 4);
    /// Texels of storage images, accessed by coordinates.
    pub const TEXELS: Storages = Storages(1 << 5);
    /// The memory of storage images, accessed by byte offset.
    pub const IMAGE_BYTES: Storages = Storages(1 << 6);
    /// Images and texel buffers that the sampler unit reads.
    pub const TEXTURES: Storages = Storages(1 << 7);
    /// Shared memory of the workgroup.
    pub const SHARED: Storages = Storages(1 << 8);
    /// Scratch memory of one invocation.
    pub const SCRATCH: Storages = Storages(1 << 9);
    /// Uniform buffers, push constants, and the program's constants.
    pub const CONSTANTS: Storages = Storages(1 << 10);
    /// The state whether the invocation is a helper. `demote` writes it; instructions that write memory that other
    /// invocations can read depend on it.
    pub const HELPER: Storages = Storages(1 << 11);

    /// Memory that nothing in a dispatch writes.
    const FIXED: Storages =
        Storages(Storages::INPUTS.0 | Storages::TEXTURES.0 | Storages::CONSTANTS.0);

    /// The union of both sets.
    pub const fn and(self, other: Storages) -> Storages {
        Storages(self.0 | other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the sets have a class in common.
    pub const fn intersects(self, other: Storages) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether a write to a class of this set may change memory of a class of the other set.
    pub const fn touches(self, other: Storages) -> bool {
        let images = Storages::TEXELS.and(Storages::IMAGE_BYTES);
        self.intersects(other) || self.intersects(images) && other.intersects(images)
    }

    /// Whether every class of this set is in the other set.
    pub const fn is_within(self, other: Storages) -> bool {
        self.0 & !other.0 == 0
    }
}

/// The table row of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// How its results compare between invocations.
    pub results: Results,
    /// The memory it reads.
    pub reads: Storages,
    /// The memory it writes.
    pub writes: Storages,
    /// Whether its access guarantees that nothing in the dispatch writes the memory that it reads.
    pub readonly: bool,
    /// Whether the number of executions must not change: none may be added, removed or merged.
    pub volatile: bool,
    /// Whether memory accesses before it must stay before it, and those after it must stay after it.
    pub orders: bool,
    /// Its effect on control flow.
    pub control: Control,
    /// Which invocations must execute it together.
    pub convergence: Convergence,
    /// Whether helper invocations, which have no effects of their own, must execute it and the instructions that it
    /// depends on, because it computes differences between neighbours.
    pub helpers: bool,
}

impl Facts {
    /// The row of an instruction that only computes results.
    const fn computes(results: Results) -> Facts {
        Facts {
            results,
            reads: Storages::NONE,
            writes: Storages::NONE,
            readonly: false,
            volatile: false,
            orders: false,
            control: Control::Straight,
            convergence: Convergence::None,
            helpers: false,
        }
    }

    /// The row of an instruction that reads these storage classes, without other effects.
    const fn reads(results: Results, reads: Storages) -> Facts {
        Facts { reads, ..Facts::computes(results) }
    }

    /// The row of an instruction that writes these storage classes and has no results.
    const fn writes(writes: Storages) -> Facts {
        Facts { writes, ..Facts::computes(Results::None) }
    }

    /// The row of an instruction with an effect on control flow.
    const fn control(results: Results, control: Control) -> Facts {
        Facts { control, ..Facts::computes(results) }
    }

    /// Whether it must stay even when its results are unused. For an `If` or `Loop` this is always true here; whether
    /// it can be removed depends on the instructions inside.
    pub const fn has_effect(self) -> bool {
        let steers = !matches!(self.control, Control::Straight);
        !self.writes.is_empty() || self.volatile || self.orders || steers
    }

    /// Whether it reads or writes memory, inputs, outputs or textures, other than private variables.
    pub const fn is_access(self) -> bool {
        let all = self.reads.and(self.writes);
        !all.is_within(Storages::VARIABLES.and(Storages::HELPER))
    }

    /// Whether an equal instruction executed earlier gives the same results, so that this one can be replaced by it.
    pub const fn may_merge(self) -> bool {
        let fixed = self.readonly || self.reads.is_within(Storages::FIXED);
        // These invocations, and perhaps more, execute the earlier instruction.
        let together = !matches!(self.convergence, Convergence::Active);
        fixed && together && !self.has_effect() && !matches!(self.results, Results::None)
    }

    /// Whether it may be executed on paths where the program does not execute it, if its results are not used there.
    pub const fn may_run_unasked(self) -> bool {
        self.reads.is_empty() && self.may_be_parted() && !self.has_effect()
    }

    /// Whether several copies may replace it, each of which some of the invocations execute.
    pub const fn may_be_parted(self) -> bool {
        matches!(self.convergence, Convergence::None)
    }
}

impl Memory {
    /// The storage class of the memory.
    pub const fn storage(&self) -> Storages {
        match self {
            Memory::Ubo(_) | Memory::PushConstant | Memory::ConstData => Storages::CONSTANTS,
            Memory::Ssbo(_) | Memory::Global(_) => Storages::BUFFERS,
            Memory::Shared => Storages::SHARED,
            Memory::Scratch => Storages::SCRATCH,
            Memory::Image(_) => Storages::IMAGE_BYTES,
        }
    }
}

impl SysVal {
    /// The value's table row.
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
            | SysVal::ViewIndex
            | SysVal::PatchVertices => Facts::computes(Results::Same),
            SysVal::LocalInvocationId
            | SysVal::LocalInvocationIndex
            | SysVal::GlobalInvocationId
            | SysVal::SubgroupInvocation
            | SysVal::VertexIndex
            | SysVal::InstanceIndex
            | SysVal::PrimitiveId
            | SysVal::InvocationId
            | SysVal::TessCoord
            | SysVal::FragCoord
            // A subgroup may contain pixels of several primitives.
            | SysVal::FrontFacing
            | SysVal::PointCoord
            | SysVal::SampleId
            | SysVal::SamplePosition
            | SysVal::SampleMaskIn
            | SysVal::FullyCovered
            | SysVal::HelperInvocation => Facts::computes(Results::PerInvocation),
        }
    }
}

impl InstKind {
    /// The instruction's table row.
    #[inline]
    pub const fn facts(&self) -> Facts {
        use Results::{AsLane, AsSources, FromRegions, PerInvocation, Same};
        match self {
            InstKind::Const(_) | InstKind::Undef => Facts::computes(Same),
            // No `AluOp` reads values of other invocations.
            InstKind::Alu { .. }
            // Sizes and parameters are program arguments, the same for all invocations.
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
                    | Memory::Image(_)
                    | Memory::Global(_) => AsSources,
                };
                let (readonly, volatile) = (access.readonly, access.volatile);
                Facts { readonly, volatile, ..Facts::reads(results, memory.storage()) }
            }
            InstKind::Store { memory, access, .. } => {
                let (reads, volatile) = (Storages::HELPER, access.volatile);
                Facts { reads, volatile, ..Facts::writes(memory.storage()) }
            }
            // The atomics of different invocations are ordered one after another, so each returns its own old value.
            InstKind::Atomic { memory, access, .. } => {
                let (storage, volatile) = (memory.storage(), access.volatile);
                let reads = storage.and(Storages::HELPER);
                Facts { results: PerInvocation, reads, volatile, ..Facts::writes(storage) }
            }
            InstKind::ImageLoad { access, .. } => {
                let (readonly, volatile) = (access.readonly, access.volatile);
                Facts { readonly, volatile, ..Facts::reads(AsSources, Storages::TEXELS) }
            }
            InstKind::ImageStore { access, .. } => {
                let (reads, volatile) = (Storages::HELPER, access.volatile);
                Facts { reads, volatile, ..Facts::writes(Storages::TEXELS) }
            }
            InstKind::ImageAtomic { access, .. } => {
                let (reads, volatile) = (Storages::TEXELS.and(Storages::HELPER), access.volatile);
                let writes = Facts::writes(Storages::TEXELS);
                Facts { results: PerInvocation, reads, volatile, ..writes }
            }
            InstKind::Texture(read) => {
                // Any other level of detail is explicit (a number or gradients), so no value of a neighbour invocation is
                // needed.
                let convergence = match read.implicit {
                    true => Convergence::Others,
                    false => Convergence::None,
                };
                let reads = Facts::reads(AsSources, Storages::TEXTURES);
                Facts { convergence, helpers: read.implicit, ..reads }
            }
            // If all invocations of the quad have the same source value, they all have the same difference, 0.
            InstKind::Derivative { .. } => Facts {
                convergence: Convergence::Others,
                helpers: true,
                ..Facts::computes(AsSources)
            },
            InstKind::Demote => Facts::writes(Storages::HELPER),
            InstKind::IsHelper => Facts::reads(PerInvocation, Storages::HELPER),
            InstKind::Clock => Facts { volatile: true, orders: true, ..Facts::computes(Same) },
            // A subgroup may contain pixels of several primitives.
            InstKind::Barycentric { .. } => Facts::computes(PerInvocation),
            InstKind::Interpolate { .. } => Facts::reads(PerInvocation, Storages::INPUTS),
            InstKind::AllKilled(_) => {
                Facts { convergence: Convergence::Active, ..Facts::computes(PerInvocation) }
            }
            InstKind::Subgroup { op, .. } => {
                let results = match op {
                    SubgroupOp::Ballot
                    | SubgroupOp::ReadFirst
                    | SubgroupOp::Reduce { cluster: 0, .. } => Same,
                    SubgroupOp::Reduce { .. } | SubgroupOp::Scan { .. } => PerInvocation,
                };
                Facts { convergence: Convergence::Active, ..Facts::computes(results) }
            }
            InstKind::Shuffle { quad, .. } => Facts {
                convergence: Convergence::Others,
                helpers: *quad,
                ..Facts::computes(AsLane)
            },
            // Other invocations wait for the end of the section, so the number of executions must not change.
            InstKind::Interlock { .. } => Facts {
                orders: true,
                volatile: true,
                convergence: Convergence::Active,
                ..Facts::computes(Results::None)
            },
            InstKind::Barrier { execution, .. } => Facts {
                orders: true,
                convergence: match execution {
                    Some(_) => Convergence::Active,
                    None => Convergence::None,
                },
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
