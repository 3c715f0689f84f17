//! Where an instruction stands: what surrounds it, and what a terminator there would feed.

use smallvec::SmallVec;

use crate::ir::{Function, InstId, InstKind, RegionId, Targets, Value, Variable};

/// What surrounds the instructions of a region.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    /// Where terminators lead.
    pub(crate) targets: Targets,
    /// Number of regions around the region; 0 for the function's body.
    pub(crate) depth: u32,
}

impl Context {
    /// The context of `region`, one of the regions of `inst`, which stands in this context.
    pub(crate) fn enter(&self, func: &Function, inst: InstId, region: RegionId) -> Context {
        let kind = &func.inst(inst).kind;
        let index = kind.regions().position(|r| r == region).unwrap_or(0);
        Context { targets: self.targets.inside(inst, kind, index), depth: self.depth + 1 }
    }

    /// The values that the sources of the terminator `kind` become, one each.
    pub(crate) fn fed<'f>(&self, func: &'f Function, kind: &InstKind) -> &'f [Value] {
        self.targets.values(func, kind).unwrap_or_default()
    }
}

/// Calls `f` for every instruction that is reachable, in program order, outer before inner.
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

/// How many components each source of an instruction reads, in the order of [`InstKind::for_each_src`].
///
/// A source may have more components than are read; the entries of its swizzle beyond the count mean nothing.
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
