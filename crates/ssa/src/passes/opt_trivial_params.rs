//! Replaces results and parameters of regions that can have one value only by that value.
//!
//! A result of an `If` or a loop whose jumps all give the same outer value is that value; so is a loop parameter that
//! each round hands on unchanged.

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

/// One `If` or loop, standing in region `parent`.
struct Facts<'f> {
    func: &'f Function,
    tree: &'f Tree,
    parent: RegionId,
}

impl Facts<'_> {
    /// The sources of the jumps that `pick` wants, one list each.
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

    /// Finds which of `values`, fed by position, are always one outer value.
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
