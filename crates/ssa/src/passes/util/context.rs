//! Where an instruction stands: what a `Yield`, `Break` or `Continue` there would feed.

use smallvec::SmallVec;

use crate::ir::{Function, InstId, InstKind, RegionId, Value};

/// The instructions around a region that jumps in it name without naming.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    /// The `If` whose region this is, if it is one's.
    pub(crate) if_: Option<InstId>,
    /// The innermost loop.
    pub(crate) loop_: Option<InstId>,
    /// The region whose parameters a `Continue` gives.
    pub(crate) next: Option<RegionId>,
    /// Number of regions around the region; 0 for the function's body.
    pub(crate) depth: u32,
}

impl Context {
    /// The context of `region`, one of the regions of `inst`, which stands in this context.
    pub(crate) fn enter(&self, func: &Function, inst: InstId, region: RegionId) -> Context {
        let depth = self.depth + 1;
        match func.inst(inst).kind {
            InstKind::Loop { body, continuing, .. } => {
                let next = if region == body { continuing.unwrap_or(body) } else { body };
                Context { if_: None, loop_: Some(inst), next: Some(next), depth }
            }
            _ => Context { if_: Some(inst), depth, ..*self },
        }
    }

    /// The values that the sources of the terminator `kind` become, one each.
    pub(crate) fn fed<'f>(&self, func: &'f Function, kind: &InstKind) -> &'f [Value] {
        let results = |inst: Option<InstId>| inst.map_or(&[][..], |i| &func.inst(i).results[..]);
        match kind {
            InstKind::Yield(_) => results(self.if_),
            InstKind::Break(_) => results(self.loop_),
            InstKind::Continue(_) => self.next.map_or(&[][..], |r| &func.region(r).params[..]),
            _ => &[],
        }
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
pub(crate) fn reads(func: &Function, cx: &Context, inst: InstId) -> SmallVec<[usize; 4]> {
    let mut counts = SmallVec::new();
    let data = func.inst(inst);
    let comps = |value: &Value| func.ty(*value).comps();
    match &data.kind {
        InstKind::Alu { op, srcs, .. } => {
            let result = comps(&data.results[0]);
            counts.extend((0..srcs.len()).map(|i| op.src_comps(i, result)));
        }
        InstKind::Store { comps, .. } => {
            data.kind.for_each_src(|_| counts.push(1));
            if let Some(last) = counts.last_mut() {
                *last = usize::from(*comps);
            }
        }
        InstKind::StoreVar { mask, .. } => {
            data.kind.for_each_src(|_| counts.push(1));
            if let Some(last) = counts.last_mut() {
                *last = 8 - mask.0.leading_zeros() as usize;
            }
        }
        InstKind::Loop { body, .. } => counts.extend(func.region(*body).params.iter().map(comps)),
        kind @ (InstKind::Yield(_) | InstKind::Break(_) | InstKind::Continue(_)) => {
            counts.extend(cx.fed(func, kind).iter().map(comps));
        }
        kind => kind.for_each_src(|_| counts.push(1)),
    }
    counts
}
