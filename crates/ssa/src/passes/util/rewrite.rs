//! The forward walk that most passes are: look at each instruction, keep it, drop it, or put others in its place.

use super::{Context, Subst};
use crate::ir::{Builder, Function, InstId, RegionId, Src};

/// What becomes of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// It stays, after what the builder was asked for.
    Keep,
    /// It goes, and its only result becomes this.
    Replace(Src),
}

/// Calls `f` for each instruction in program order, outer before inner, with a builder standing just before it and
/// with earlier replacements already applied to its sources. Returns whether any instruction went.
///
/// Definitions come before uses in this order, so one walk replaces all uses. New instructions are not visited.
pub(crate) fn rewrite(
    func: &mut Function,
    f: impl FnMut(&mut Builder<'_>, &Context, InstId) -> Action,
) -> bool {
    rewrite_after(func, Subst::default(), f)
}

/// As [`rewrite`], with values replaced from the start that no longer have a definition.
pub(crate) fn rewrite_after(
    func: &mut Function,
    subst: Subst,
    f: impl FnMut(&mut Builder<'_>, &Context, InstId) -> Action,
) -> bool {
    let mut walk = Rewrite { subst, progress: false, f };
    let body = func.body();
    walk.region(func, &Context::default(), body);
    walk.progress
}

struct Rewrite<F> {
    subst: Subst,
    progress: bool,
    f: F,
}

impl<F: FnMut(&mut Builder<'_>, &Context, InstId) -> Action> Rewrite<F> {
    /// The region's list is empty while it is walked and takes what is built. It gets a copy of the old one only from
    /// the first change on; where there is none, the old one returns.
    fn region(&mut self, func: &mut Function, cx: &Context, region: RegionId) {
        let old = std::mem::take(&mut func.region_mut(region).insts);
        let mut same = true;
        for (at, &inst) in old.iter().enumerate() {
            self.subst.apply(func, inst);
            let action = (self.f)(&mut Builder::new(func, region), cx, inst);
            if same && !(action == Action::Keep && func.region(region).insts.is_empty()) {
                same = false;
                let new = &mut func.region_mut(region).insts;
                new.reserve(old.len());
                new.splice(0..0, old[..at].iter().copied());
            }
            match action {
                Action::Keep => {
                    if !same {
                        func.region_mut(region).insts.push(inst);
                    }
                    if func.inst(inst).kind.owns_regions() {
                        for inner in func.inst(inst).kind.regions() {
                            let cx = cx.enter(func, inst, inner);
                            self.region(func, &cx, inner);
                        }
                    }
                }
                Action::Replace(by) => {
                    let result = func.inst(inst).results[0];
                    self.subst.insert(result, by);
                    self.progress = true;
                }
            }
        }
        if same {
            func.region_mut(region).insts = old;
        }
    }
}
