//! Replaces results and parameters of regions that can have only one value by that value.
//!
//! This is a result of an `If` or loop for which all jumps pass the same value from outside, or a loop parameter that
//! each iteration passes on unchanged. In `loop (%1 = %0) { ...; continue %1 }`, `%1` is replaced by `%0`.

use super::util::{Subst, Tree, is_undef};
use crate::ir::{Fuel, Function, InstId, InstKind, RegionId, Shader, Src, Value};

/// See the [module](self). Returns whether a value was replaced.
pub fn opt_trivial_params(shader: &mut Shader) -> bool {
    let func = &mut shader.func;
    if !func.has_regions() {
        return false;
    }
    let tree = Tree::new(func);
    let mut subst = Subst::default();
    let mut fuel = std::mem::take(&mut func.fuel);
    for &inst in tree.insts() {
        let kind = &func.inst(inst).kind;
        if !kind.owns_regions() {
            continue;
        }
        let Some(parent) = tree.region_of(inst) else { continue };
        let facts = Facts { func, tree: &tree, parent };
        match *kind {
            InstKind::If { .. } => {
                let jumps = facts.jumps(inst, |kind, _| matches!(kind, InstKind::Yield(_)));
                facts.merge(&func.inst(inst).results, &jumps, None, &mut subst, &mut fuel);
            }
            InstKind::Loop { ref init, body, continuing } => {
                let breaks = facts.jumps(inst, |kind, _| matches!(kind, InstKind::Break(_)));
                facts.merge(&func.inst(inst).results, &breaks, None, &mut subst, &mut fuel);
                let continues = |from: RegionId| {
                    facts.jumps(inst, |kind, at| {
                        matches!(kind, InstKind::Continue(_)) && tree.is_inside(at, from)
                    })
                };
                if let Some(continuing) = continuing {
                    let params = &func.region(continuing).params;
                    facts.merge(params, &continues(body), None, &mut subst, &mut fuel);
                }
                let rounds = continues(continuing.unwrap_or(body));
                let params = &func.region(body).params;
                facts.merge(params, &rounds, Some(init), &mut subst, &mut fuel);
            }
            _ => {}
        }
    }
    func.fuel = fuel;
    subst.apply_everywhere(func);
    !subst.is_empty()
}

/// An `If` or loop in region `parent`.
struct Facts<'f> {
    func: &'f Function,
    tree: &'f Tree,
    parent: RegionId,
}

impl Facts<'_> {
    /// The sources of those jumps of `inst` for which `pick` returns true, one list per jump. `pick` gets the jump
    /// and its region.
    fn jumps(
        &self,
        inst: InstId,
        mut pick: impl FnMut(&InstKind, RegionId) -> bool,
    ) -> Vec<Vec<Src>> {
        let mut lists = Vec::new();
        for &jump in self.tree.jumps(inst) {
            let kind = &self.func.inst(jump).kind;
            if self.tree.region_of(jump).is_some_and(|at| pick(kind, at)) {
                let mut srcs = Vec::new();
                kind.for_each_src(|src| srcs.push(src));
                lists.push(srcs);
            }
        }
        lists
    }

    /// Finds those of `values` that always equal one value visible in `parent`, and replaces them. The sources of
    /// each of `jumps`, and of `init`, are passed to `values` by position. Sources that are undefined, or the value
    /// itself, are ignored.
    fn merge(
        &self,
        values: &[Value],
        jumps: &[Vec<Src>],
        init: Option<&[Src]>,
        subst: &mut Subst,
        fuel: &mut Fuel,
    ) {
        for (i, &value) in values.iter().enumerate() {
            let comps = self.func.ty(value).comps();
            let feeds = init.iter().map(|s| s[i]).chain(jumps.iter().map(|s| s[i]));
            let mut one: Option<Src> = None;
            let mut same = true;
            for src in feeds {
                let src = subst.resolve(src);
                if src.value == value && src.is_identity(comps) || is_undef(self.func, src.value) {
                    continue;
                }
                match one {
                    None => one = Some(src),
                    Some(one) => {
                        same &=
                            one.value == src.value && one.swizzle[..comps] == src.swizzle[..comps];
                    }
                }
            }
            if let Some(one) = one
                && same
                && one.value != value
                && self.tree.is_visible_from(self.func, one.value, self.parent)
                && fuel.take(|| format!("{value}, which is always {}", one.value))
            {
                subst.insert(value, one);
            }
        }
    }
}
