//! Removes the `continuing` regions of loops; each `Continue` then goes to the loop's body.
//!
//! - If one `Continue` goes to the region, the region's code replaces that `Continue`.
//! - If the region is small, a copy of it replaces each `Continue`.
//! - Otherwise its code moves to the start of the body, into an `If` that skips it in the first iteration. This is also
//!   done for a small region with instructions that its invocations must execute together, such as barriers. If
//!   `Continue`s of the region are in nested regions, its code first moves into a loop that runs once, which they
//!   leave.

use super::util::{Copier, Subst, Tree, prepend, walk};
use crate::ir::{Builder, Function, InstId, InstKind, RegionId, Shader, Src, Srcs, Ty, Value};

/// Greatest total number of instructions of the copies of one `continuing` region.
const MAX_COPIED: usize = 24;

/// See the [module](self). Returns whether there was a `continuing` region.
pub fn lower_continue_constructs(shader: &mut Shader) -> bool {
    let func = &mut shader.func;
    let mut loops = Vec::new();
    walk(func, |_, _, inst| {
        if let InstKind::Loop { body, continuing: Some(continuing), .. } = func.inst(inst).kind {
            loops.push((inst, body, continuing));
        }
    });
    if loops.is_empty() {
        return false;
    }
    let tree = Tree::new(func);
    let mut pass = Pass { func, tree: &tree, subst: Subst::default(), copier: Copier::default() };
    // Inner loops are processed first, so that copied code has no `continuing` regions.
    for &(inst, body, continuing) in loops.iter().rev() {
        pass.loop_(inst, body, continuing);
    }
    let Pass { subst, .. } = pass;
    subst.apply_everywhere(func);
    true
}

struct Pass<'f> {
    func: &'f mut Function,
    tree: &'f Tree,
    subst: Subst,
    copier: Copier,
}

impl Pass<'_> {
    /// Removes the `continuing` region of a loop. `rounds` are the `Continue`s of the body, which go to the region;
    /// `ends` are its own `Continue`s. The region is `plain` if it has only the one at its end.
    fn loop_(&mut self, inst: InstId, body: RegionId, continuing: RegionId) {
        let jumps = |from: RegionId| -> Vec<(InstId, RegionId)> {
            let continues = self.tree.jumps(inst).iter().copied();
            let continues =
                continues.filter(|&j| matches!(self.func.inst(j).kind, InstKind::Continue(_)));
            continues
                .filter_map(|j| Some((j, self.tree.region_of(j)?)))
                .filter(|&(_, parent)| self.tree.is_inside(parent, from))
                .collect()
        };
        let (rounds, ends) = (jumps(body), jumps(continuing));
        let plain = ends.iter().all(|&(_, parent)| parent == continuing);
        match rounds[..] {
            [] => {}
            [(jump, parent)] => self.move_to(jump, parent, continuing),
            _ if self.may_copy(continuing, rounds.len()) => {
                rounds.iter().for_each(|&(jump, parent)| self.copy_to(jump, parent, continuing));
            }
            _ => {
                if !plain {
                    self.straighten(inst, body, continuing);
                }
                return self.guard(inst, body, continuing, &rounds);
            }
        }
        if let InstKind::Loop { continuing, .. } = self.func.kind_mut(inst) {
            *continuing = None;
        }
    }

    /// Whether this number of copies of `continuing` is small enough, and its instructions may be executed by some of
    /// the invocations at a time.
    fn may_copy(&self, continuing: RegionId, copies: usize) -> bool {
        let mut size = 0;
        let mut todo = vec![continuing];
        while let Some(region) = todo.pop() {
            for &inst in &self.func.region(region).insts {
                let kind = &self.func.inst(inst).kind;
                if !kind.facts().may_be_parted() {
                    return false;
                }
                size += 1;
                todo.extend(kind.regions());
            }
        }
        size * copies <= MAX_COPIED
    }

    /// The parameters of `continuing`, each with the source that `jump` passes.
    fn given(&self, jump: InstId, continuing: RegionId) -> Vec<(Value, Src)> {
        let params = self.func.region(continuing).params.iter().copied();
        match &self.func.inst(jump).kind {
            InstKind::Continue(srcs) => params.zip(srcs.iter().copied()).collect(),
            _ => Vec::new(),
        }
    }

    /// Replaces `jump`, at the end of `parent`, by the code of `continuing`.
    fn move_to(&mut self, jump: InstId, parent: RegionId, continuing: RegionId) {
        for (param, src) in self.given(jump, continuing) {
            self.subst.insert(param, src);
        }
        let mut insts = std::mem::take(&mut self.func.region_mut(continuing).insts);
        let list = &mut self.func.region_mut(parent).insts;
        list.pop();
        list.append(&mut insts);
    }

    /// Replaces `jump`, at the end of `parent`, by a copy of the code of `continuing`.
    fn copy_to(&mut self, jump: InstId, parent: RegionId, continuing: RegionId) {
        for (param, src) in self.given(jump, continuing) {
            self.copier.subst.insert(param, src);
        }
        self.func.region_mut(parent).insts.pop();
        if let Some(end) = self.copier.append(self.func, continuing, parent) {
            // `append` left the location of the copied terminator.
            let end = self.func.add_inst(end, &[]);
            self.func.region_mut(parent).insts.push(end);
        }
    }

    /// Moves the code of `continuing` into a loop that runs once, so that the region has only one `Continue`, at its end. The
    /// results of that loop are the next parameters of the body and, if the code has `Break`s of the loop `inst`, a flag
    /// that is true for those, and the results of `inst`.
    fn straighten(&mut self, inst: InstId, body: RegionId, continuing: RegionId) {
        let types = |values: &[Value], func: &Function| -> Vec<Ty> {
            values.iter().map(|&value| func.ty(value)).collect()
        };
        let next = types(&self.func.region(body).params, self.func);
        let results = types(&self.func.inst(inst).results, self.func);
        let inside = |jump: &InstId| {
            let parent = self.tree.region_of(*jump);
            parent.is_some_and(|parent| self.tree.is_inside(parent, continuing))
        };
        let jumps: Vec<InstId> = self.tree.jumps(inst).iter().copied().filter(inside).collect();
        let is_break = |func: &Function, jump| matches!(func.inst(jump).kind, InstKind::Break(_));
        let breaks = jumps.iter().any(|&jump| is_break(self.func, jump));

        let mut undefined = |types: &[Ty]| -> Srcs {
            types.iter().map(|&ty| constant(self.func, InstKind::Undef, ty)).collect()
        };
        let (no_next, no_results) = (undefined(&next), undefined(&results));
        let flags =
            [0, 1].map(|bit| constant(self.func, InstKind::Const([bit, 0, 0, 0]), Ty::BOOL));
        for jump in jumps {
            let leaves = is_break(self.func, jump);
            let (InstKind::Break(given) | InstKind::Continue(given)) =
                self.func.inst(jump).kind.clone()
            else {
                continue;
            };
            let mut passed = if leaves { no_next.clone() } else { given.clone() };
            if breaks {
                passed.push(flags[usize::from(leaves)]);
                passed.extend(if leaves { given } else { no_results.clone() });
            }
            *self.func.kind_mut(jump) = InstKind::Break(passed);
        }

        let code = std::mem::take(&mut self.func.region_mut(continuing).insts);
        let mut b = Builder::new(self.func, continuing);
        let (once, inner) = b.loop_(&[]);
        b.func.region_mut(inner).insts = code;
        let next: Vec<Value> = next.iter().map(|&ty| b.func.add_result(once, ty)).collect();
        if breaks {
            let flag = b.func.add_result(once, Ty::BOOL);
            let results: Vec<Value> =
                results.iter().map(|&ty| b.func.add_result(once, ty)).collect();
            let (_, then, else_) = b.if_(flag);
            b.switch_to(then);
            b.break_(&results);
            b.switch_to(else_);
            b.yield_(&[]);
            b.switch_to(continuing);
        }
        b.continue_(&next);
    }

    /// Moves `continuing` to the start of the body, into an `If`. A new first parameter of the body is true in the
    /// first iteration; then the `If` yields the initial values instead.
    fn guard(
        &mut self,
        inst: InstId,
        body: RegionId,
        continuing: RegionId,
        rounds: &[(InstId, RegionId)],
    ) {
        let InstKind::Loop { init, .. } = self.func.inst(inst).kind.clone() else { return };
        let is_first = constant(self.func, InstKind::Const([1, 0, 0, 0]), Ty::BOOL);
        let is_later = constant(self.func, InstKind::Const([0; 4]), Ty::BOOL);
        for &(jump, _) in rounds {
            if let InstKind::Continue(srcs) = self.func.kind_mut(jump) {
                srcs.insert(0, is_later);
            }
        }

        let old_params = self.func.region(body).params.clone();
        self.func.retain_params(body, |_| false);
        let flag = self.func.add_param(body, Ty::BOOL);
        let mut new_init = Srcs::from_slice(&[is_first]);
        for param in self.func.region(continuing).params.clone() {
            let ty = self.func.ty(param);
            let moved = self.func.add_param(body, ty);
            self.subst.insert(param, moved.into());
            new_init.push(constant(self.func, InstKind::Undef, ty));
        }
        *self.func.kind_mut(inst) = InstKind::Loop { init: new_init, body, continuing: None };

        let mut rest = std::mem::take(&mut self.func.region_mut(body).insts);
        let mut b = Builder::new(self.func, body);
        let (choice, then, _) = b.if_(flag);
        b.switch_to(then);
        b.inst(InstKind::Yield(init), &[]);
        if let Some(&end) = self.func.region(continuing).insts.last()
            && let InstKind::Continue(next) = self.func.inst(end).kind.clone()
        {
            *self.func.kind_mut(end) = InstKind::Yield(next);
        }
        *self.func.kind_mut(choice) = InstKind::If { cond: flag.into(), then, else_: continuing };
        for param in old_params {
            let ty = self.func.ty(param);
            let result = self.func.add_result(choice, ty);
            self.subst.insert(param, result.into());
        }
        self.func.region_mut(continuing).params.clear();
        self.func.region_mut(body).insts.append(&mut rest);
    }
}

/// Adds an instruction without sources to the start of the function. Returns its result.
fn constant(func: &mut Function, kind: InstKind, ty: Ty) -> Src {
    let inst = func.add_inst(kind, &[ty]);
    prepend(func, vec![inst]);
    Src::new(func.inst(inst).results[0])
}
