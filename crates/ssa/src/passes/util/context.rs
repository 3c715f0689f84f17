//! The context of an instruction: the enclosing regions, and the targets of a terminator there.

use smallvec::SmallVec;

use crate::ir::{Function, InstId, InstKind, RegionId, Targets, Value, Variable};

/// The surroundings of the instructions of a region.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    /// The targets of terminators in the region.
    pub(crate) targets: Targets,
    /// Number of regions around this region; 0 for the function's body.
    pub(crate) depth: u32,
}

impl Context {
    /// The context inside `region`, one of the regions of `inst`, if `self` is the context of `inst` itself.
    pub(crate) fn enter(&self, func: &Function, inst: InstId, region: RegionId) -> Context {
        let kind = &func.inst(inst).kind;
        let index = kind.regions().position(|r| r == region).unwrap_or(0);
        Context { targets: self.targets.inside(inst, kind, index), depth: self.depth + 1 }
    }

    /// The results or parameters that the sources of the terminator `kind` become, one for each source.
    pub(crate) fn fed<'f>(&self, func: &'f Function, kind: &InstKind) -> &'f [Value] {
        self.targets.values(func, kind).unwrap_or_default()
    }
}

/// Calls `f` for every reachable instruction in program order. The owner of a region comes before the region's
/// instructions.
pub(crate) fn walk(func: &Function, mut f: impl FnMut(&Context, RegionId, InstId)) {
    fn region(
        func: &Function,
        cx: &Context,
        id: RegionId,
        f: &mut impl FnMut(&Context, RegionId, InstId),
    ) {
        for &inst in &func.region(id).insts {
            f(cx, id, inst);
            if !func.inst(inst).kind.owns_regions() {
                continue;
            }
            for inner in func.inst(inst).kind.regions() {
                region(func, &cx.enter(func, inst, inner), inner, f);
            }
        }
    }
    region(func, &Context::default(), func.body(), &mut f);
}

/// Number of components that each source of an instruction reads, in the order of [`InstKind::for_each_src`].
///
/// The value of a source may have more components; swizzle entries beyond this number have no meaning.
pub(crate) fn reads(
    func: &Function,
    vars: &[Variable],
    cx: &Context,
    inst: InstId,
) -> SmallVec<[usize; 4]> {
    let mut counts = SmallVec::new();
    func.for_each_read(vars, &cx.targets, inst, |_, comps| counts.push(comps));
    counts
}
