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
    mut f: impl FnMut(&mut Builder<'_>, &Context, InstId) -> Action,
) -> bool {
    let mut walk =
        Rewrite { subst: Subst::default(), progress: false, spare: Vec::new(), f: &mut f };
    let body = func.body();
    walk.region(func, &Context::default(), body);
    walk.progress
}

struct Rewrite<'f, F> {
    subst: Subst,
    progress: bool,
    /// Lists of regions that are done, empty, for the new lists of others.
    spare: Vec<Vec<InstId>>,
    f: &'f mut F,
}

impl<F: FnMut(&mut Builder<'_>, &Context, InstId) -> Action> Rewrite<'_, F> {
    fn region(&mut self, func: &mut Function, cx: &Context, region: RegionId) {
        let mut new = self.spare.pop().unwrap_or_default();
        new.reserve(func.region(region).insts.len());
        let mut insts = std::mem::replace(&mut func.region_mut(region).insts, new);
        for inst in insts.drain(..) {
            self.subst.apply(func, inst);
            match (self.f)(&mut Builder::new(func, region), cx, inst) {
                Action::Keep => {
                    func.region_mut(region).insts.push(inst);
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
        self.spare.push(insts);
    }
}
