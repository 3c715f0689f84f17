//! Functions that visit the sources, resources and regions of an instruction.

use super::{AluOp, BaryPlace, InstKind, Memory, PathStep, RegionId, Resource, Src};

/// Calls `f` with each source of an instruction, in the order of the text form. The other arguments name the methods
/// for shared (`iter`) or exclusive (`iter_mut`) references, so that both traversals have one definition.
macro_rules! walk_srcs {
    ($kind:expr, $f:ident, $iter:ident, $src:ident) => {{
        let mut f = $f;
        match $kind {
            InstKind::Const(_)
            | InstKind::Undef
            | InstKind::SysVal(_)
            | InstKind::EmitVertex { .. }
            | InstKind::EndPrimitive { .. }
            | InstKind::Barrier { .. }
            | InstKind::Demote
            | InstKind::IsHelper
            | InstKind::Clock
            | InstKind::Interlock { .. }
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
            InstKind::LoadVar { path, .. } => path.$iter().filter_map(PathStep::$src).for_each(f),
            InstKind::StoreVar { path, data, .. } => {
                path.$iter().filter_map(PathStep::$src).for_each(&mut f);
                f(data);
            }
            InstKind::Load { memory, offset, .. } => {
                memory.$src().into_iter().for_each(&mut f);
                f(offset);
            }
            InstKind::Store { memory, offset, data, .. } => {
                memory.$src().into_iter().for_each(&mut f);
                f(offset);
                f(data);
            }
            InstKind::Atomic { memory, offset, data, compare, .. } => {
                memory.$src().into_iter().for_each(&mut f);
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
                read.sample.$iter().for_each(&mut f);
                read.level.$iter().for_each(&mut f);
                read.min_level.$iter().for_each(&mut f);
                read.compare.$iter().for_each(&mut f);
                read.gradients.$iter().flatten().for_each(&mut f);
                read.offset_at_run_time.$iter().for_each(f);
            }
            InstKind::Derivative { src, .. }
            | InstKind::AllKilled(src)
            | InstKind::Subgroup { src, .. } => f(src),
            InstKind::Shuffle { src, lane, .. } => {
                f(src);
                f(lane);
            }
            InstKind::Barycentric { at, .. } => match at {
                BaryPlace::Place(_) => {}
                BaryPlace::AtSample(src) | BaryPlace::AtOffset(src) => f(src),
            },
            InstKind::Interpolate { weights, index, .. } => {
                f(weights);
                index.$iter().for_each(f);
            }
            InstKind::If { cond, .. } => f(cond),
        }
    }};
}

impl PathStep {
    /// The dynamic index of the step; `None` for a constant one.
    fn src(&self) -> Option<&Src> {
        match self {
            PathStep::Const(_) => None,
            PathStep::Dyn(src) => Some(src),
        }
    }

    /// The dynamic index of the step; `None` for a constant one.
    fn src_mut(&mut self) -> Option<&mut Src> {
        match self {
            PathStep::Const(_) => None,
            PathStep::Dyn(src) => Some(src),
        }
    }
}

impl Memory {
    /// The binding that holds the memory; `None` for memories without a binding.
    pub const fn resource(&self) -> Option<&Resource> {
        match self {
            Memory::Ubo(r) | Memory::Ssbo(r) | Memory::Image(r) => Some(r),
            Memory::PushConstant
            | Memory::Shared
            | Memory::Scratch
            | Memory::ConstData
            | Memory::Global(_) => None,
        }
    }

    /// The element of a descriptor array, or the address; `None` for other memories.
    pub fn src(&self) -> Option<&Src> {
        match self {
            Memory::Global(address) => Some(address),
            _ => self.resource()?.element.as_ref(),
        }
    }

    /// The element of a descriptor array, or the address; `None` for other memories.
    pub fn src_mut(&mut self) -> Option<&mut Src> {
        match self {
            Memory::Global(address) => Some(address),
            _ => self.resource_mut()?.element.as_mut(),
        }
    }

    /// Whether nothing in a dispatch can write this memory.
    pub const fn is_read_only(self) -> bool {
        matches!(self, Memory::Ubo(_) | Memory::PushConstant | Memory::ConstData)
    }

    /// The binding that holds the memory; `None` for memories without a binding.
    fn resource_mut(&mut self) -> Option<&mut Resource> {
        match self {
            Memory::Ubo(r) | Memory::Ssbo(r) | Memory::Image(r) => Some(r),
            Memory::PushConstant
            | Memory::Shared
            | Memory::Scratch
            | Memory::ConstData
            | Memory::Global(_) => None,
        }
    }
}

impl InstKind {
    /// Calls `f` with each binding that the instruction's message names, including the sampler of a texture read.
    /// Sizes and parameters are not read by messages, so `f` is not called for them.
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

    /// Calls `f` with every binding that the instruction names, also those of sizes and parameters.
    pub fn for_each_resource_mut(&mut self, mut f: impl FnMut(&mut Resource)) {
        match self {
            InstKind::BufferSize(resource)
            | InstKind::ImageSize(resource)
            | InstKind::ImageParam { image: resource, .. } => f(resource),
            _ => self.for_each_surface_mut(f),
        }
    }

    /// An arithmetic instruction that is not `exact`: passes may contract and reassociate it.
    pub fn alu(op: AluOp, srcs: impl IntoIterator<Item = Src>) -> InstKind {
        InstKind::Alu { op, srcs: srcs.into_iter().collect(), exact: false }
    }

    /// Calls `f` with every source, in the order in which the text form shows them.
    #[inline]
    pub fn for_each_src_mut(&mut self, f: impl FnMut(&mut Src)) {
        match self {
            // A fast path: most instructions are arithmetic.
            InstKind::Alu { srcs, .. } => srcs.iter_mut().for_each(f),
            _ => self.for_each_other_src_mut(f),
        }
    }

    fn for_each_other_src_mut(&mut self, f: impl FnMut(&mut Src)) {
        walk_srcs!(self, f, iter_mut, src_mut)
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
        walk_srcs!(self, f, iter, src)
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
