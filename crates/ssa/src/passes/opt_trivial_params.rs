//! Replaces results and parameters of regions that can have only one value by that value, and equal ones by the first of
//! them.
//!
//! The former is a result of an `If` or loop for which all jumps pass the same value from outside or the same constant, or a loop
//! parameter that each iteration passes on unchanged. In `loop (%1 = %0) { ...; continue %1 }`, `%1` is replaced by `%0`. In
//! `%1, %2 = if %0 { yield %3, %3 } else { yield %4, %4 }`, `%2` is replaced by `%1`.

use super::util::{Subst, Tree, const_src, is_undef, prepend};
use crate::ir::{Fuel, Function, InstId, InstKind, RegionId, Shader, Src, Value};

/// See the [module](self). Returns whether a value was replaced.
pub fn opt_trivial_params(shader: &mut Shader) -> bool {
    let func = &mut shader.func;
    if !func.has_regions() {
        return false;
    }
    let tree = Tree::new(func);
    let mut subst = Subst::default();
    let mut constants = Vec::new();
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
                facts.merge(
                    &func.inst(inst).results,
                    &jumps,
                    None,
                    &mut constants,
                    &mut subst,
                    &mut fuel,
                );
            }
            InstKind::Loop { ref init, body, continuing } => {
                let breaks = facts.jumps(inst, |kind, _| matches!(kind, InstKind::Break(_)));
                facts.merge(
                    &func.inst(inst).results,
                    &breaks,
                    None,
                    &mut constants,
                    &mut subst,
                    &mut fuel,
                );
                let continues = |from: RegionId| {
                    facts.jumps(inst, |kind, at| {
                        matches!(kind, InstKind::Continue(_)) && tree.is_inside(at, from)
                    })
                };
                if let Some(continuing) = continuing {
                    let params = &func.region(continuing).params;
                    facts.merge(
                        params,
                        &continues(body),
                        None,
                        &mut constants,
                        &mut subst,
                        &mut fuel,
                    );
                }
                let rounds = continues(continuing.unwrap_or(body));
                let params = &func.region(body).params;
                facts.merge(params, &rounds, Some(init), &mut constants, &mut subst, &mut fuel);
            }
            _ => {}
        }
    }
    func.fuel = fuel;
    let mut made = Vec::new();
    for (value, bits) in constants {
        let inst = func.add_inst(InstKind::Const(bits), &[func.ty(value)]);
        subst.insert(value, Src::new(func.inst(inst).results[0]));
        made.push(inst);
    }
    prepend(func, made);
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

    /// Whether two sources have the same `comps` components: they read the same value, or equal constants.
    fn equal(&self, a: Src, b: Src, comps: usize) -> bool {
        let same = a.value == b.value && a.swizzle[..comps] == b.swizzle[..comps];
        let constant = |src| const_src(self.func, src, comps);
        same || constant(a).is_some_and(|bits| constant(b) == Some(bits))
    }

    /// Finds those of `values` that always equal one value visible in `parent`, one constant, or one of the values before them,
    /// and replaces them. The sources of each of `jumps`, and of `init`, are passed to `values` by position. Sources that are
    /// undefined, or the value itself, are ignored. Constants that replace values are added to `constants`, since they do not
    /// exist yet.
    fn merge(
        &self,
        values: &[Value],
        jumps: &[Vec<Src>],
        init: Option<&[Src]>,
        constants: &mut Vec<(Value, [u64; 4])>,
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
                    Some(one) => same &= self.equal(one, src, comps),
                }
            }
            let bits = one.and_then(|one| const_src(self.func, one, comps));
            if let Some(one) = one
                && same
                && one.value != value
                && (bits.is_some() || self.tree.is_visible_from(self.func, one.value, self.parent))
            {
                if fuel.take(|| format!("{value}, which is always {}", one.value)) {
                    match bits {
                        Some(bits) => constants.push((value, bits)),
                        None => subst.insert(value, one),
                    }
                }
                continue;
            }
            let ty = self.func.ty(value);
            let equal = (0..i).find(|&j| {
                let passes = |list: &[Src]| {
                    let [own, other] = [i, j].map(|at| subst.resolve(list[at]));
                    let kept = own.value == value && other.value == values[j];
                    kept && own.is_identity(comps) && other.is_identity(comps)
                        || self.equal(own, other, comps)
                };
                !jumps.is_empty()
                    && self.func.ty(values[j]) == ty
                    && !subst.has(values[j])
                    && init.is_none_or(passes)
                    && jumps.iter().all(|list| passes(list))
            });
            if let Some(j) = equal
                && fuel.take(|| format!("{value}, which equals {}", values[j]))
            {
                subst.insert(value, Src::new(values[j]));
            }
        }
    }
}
