//! Simplifies control flow: removes branches whose condition is known, removes unreachable code, and replaces jumps by
//! nesting.
//!
//! - An `If` whose condition is a constant, or known from an enclosing `If`, is replaced by the branch it takes.
//! - If one branch jumps and the code after the `If` ends with the same kind of jump, that code moves into the other
//!   branch, and one jump after the `If` replaces both. This turns an early `continue` into an `else`:
//!
//! ```text
//! before:                                 after:
//! if %c { continue } else { yield }       if %c { yield } else { CODE; yield }
//! CODE                                    continue
//! continue
//! ```
//!
//! - If only one branch jumps, and the code after the `If` ends with another kind of jump, the code of the other branch
//!   moves after the `If`.
//! - If both branches jump, the code after the `If` is unreachable and is removed. The jump of `else` (of both
//!   branches, if they are of the same kind) moves after the `If`.
//! - A loop whose only jump is a `Break` at the end of its body is replaced by its body.
//!
//! None of these changes which invocations execute an instruction together, so any instruction may be moved.

use hashbrown::HashMap;

use super::util::{Context, Subst, const_scalar, terminator, walk};
use crate::ir::{
    AluOp, Function, InstId, InstKind, MAX_DEPTH, RegionId, Shader, Src, Srcs, Ty, Value,
};

/// Greatest nesting depth, counted from the innermost loop, into which code is moved. A long sequence of conditional
/// jumps is then not turned into equally deep nesting. Nested loops, such as those made for early exits of nested
/// conditionals, each count from their own body.
const MAX_ROW: u32 = 48;

/// See the [module](self). Returns whether anything changed.
pub fn opt_dead_control_flow(shader: &mut Shader) -> bool {
    let func = &mut shader.func;
    if !func.has_regions() {
        return false;
    }
    let mut depth = func.num_regions() as u32;
    if depth > MAX_ROW {
        depth = 0;
        walk(func, |cx, _, _| depth = depth.max(cx.depth));
    }
    let mut pass = Pass {
        jumps: count_jumps(func),
        // Code moved to a depth of at most this does not exceed `MAX_DEPTH`: below that place, its nesting is at most
        // `depth`.
        max_depth: (MAX_DEPTH as u32).saturating_sub(depth),
        loop_depth: 0,
        func,
        subst: Subst::default(),
        known: HashMap::new(),
        progress: false,
    };
    let body = pass.func.body();
    pass.region(&Context::default(), body);
    pass.progress
}

/// Number of jumps of each kind that leave or continue a loop.
#[derive(Clone, Copy, Default)]
struct Jumps {
    breaks: usize,
    continues: usize,
}

/// Counts the jumps to each loop.
fn count_jumps(func: &Function) -> HashMap<InstId, Jumps> {
    let mut jumps: HashMap<InstId, Jumps> = HashMap::new();
    walk(func, |cx, _, inst| {
        let kind = &func.inst(inst).kind;
        if let InstKind::Break(_) | InstKind::Continue(_) = kind
            && let Some(target) = cx.targets.breaks
        {
            let jumps = jumps.entry(target).or_default();
            match kind {
                InstKind::Break(_) => jumps.breaks += 1,
                _ => jumps.continues += 1,
            }
        }
    });
    jumps
}

struct Pass<'f> {
    func: &'f mut Function,
    subst: Subst,
    jumps: HashMap<InstId, Jumps>,
    /// Greatest depth into which code is moved, so that the verifier accepts the result.
    max_depth: u32,
    /// Depth of the innermost loop's body; 0 outside of loops.
    loop_depth: u32,
    /// Conditions that are known here, because enclosing `If`s test them: value, component, and whether it is true.
    known: HashMap<(Value, u8), bool>,
    progress: bool,
}

impl Pass<'_> {
    /// Simplifies a region. `pending` holds the instructions not processed yet, in reverse order, so that code can be
    /// put back in front.
    fn region(&mut self, cx: &Context, region: RegionId) {
        let mut pending = std::mem::take(&mut self.func.region_mut(region).insts);
        pending.reverse();
        while let Some(inst) = pending.pop() {
            self.subst.apply(self.func, inst);
            match self.func.inst(inst).kind {
                InstKind::If { cond, then, else_ } => match self.decided(cond) {
                    Some(taken) if self.func.may_change(inst) => {
                        self.take_branch(inst, if taken { then } else { else_ }, &mut pending);
                    }
                    _ => self.if_(cx, region, inst, &mut pending),
                },
                InstKind::Loop { .. } => self.loop_(cx, region, inst),
                _ => self.func.region_mut(region).insts.push(inst),
            }
        }
    }

    /// Whether code at this place may move into a nested region.
    fn may_deepen(&self, cx: &Context) -> bool {
        cx.depth < self.max_depth && cx.depth - self.loop_depth < MAX_ROW
    }

    /// The value of a condition, if it is known.
    fn decided(&self, cond: Src) -> Option<bool> {
        let known = self.known.get(&(cond.value, cond.swizzle[0])).copied();
        known.or_else(|| const_scalar(self.func, cond).map(|bit| bit != 0))
    }

    /// Replaces an `If` by the instructions of one branch. If the branch jumps, the code after the `If` is removed.
    fn take_branch(&mut self, inst: InstId, branch: RegionId, pending: &mut Vec<InstId>) {
        self.progress = true;
        let mut list = std::mem::take(&mut self.func.region_mut(branch).insts);
        match terminator_of(self.func, &list) {
            Some(InstKind::Yield(srcs)) => {
                list.pop();
                self.replace_results(inst, &srcs);
            }
            _ => pending.clear(),
        }
        pending.extend(list.into_iter().rev());
    }

    /// Replaces the results of an instruction by these sources.
    fn replace_results(&mut self, inst: InstId, by: &[Src]) {
        for (i, &src) in by.iter().enumerate() {
            let result = self.func.inst(inst).results[i];
            self.subst.insert(result, self.subst.resolve(src));
        }
    }

    /// Simplifies an `If` whose condition is not known, and its branches. Which of the rewrites in the [module](self)'s
    /// description applies depends on which branches yield.
    fn if_(&mut self, cx: &Context, region: RegionId, inst: InstId, pending: &mut Vec<InstId>) {
        self.swap_if_inverted(inst);
        let InstKind::If { cond, then, else_ } = self.func.inst(inst).kind else { return };
        let yields = |func: &Function, r| matches!(terminator(func, r), Some(InstKind::Yield(_)));
        match (yields(self.func, then), yields(self.func, else_)) {
            (false, false) if self.func.may_change(inst) => {
                pending.clear();
                let jump = self.join_jumps(cx, inst, then, else_);
                pending.push(jump);
            }
            (true, false) => self.join_rest(cx, inst, then, else_, pending),
            (false, true) => self.join_rest(cx, inst, else_, then, pending),
            (true, true) | (false, false) => {}
        }
        let sunk = yields(self.func, then)
            && yields(self.func, else_)
            && self.sink_jump(cx, inst, [then, else_], pending);
        self.func.region_mut(region).insts.push(inst);
        let key = (cond.value, cond.swizzle[0]);
        for (inner, bit) in [(then, true), (else_, false)] {
            self.known.insert(key, bit);
            let cx = cx.enter(self.func, inst, inner);
            self.region(&cx, inner);
        }
        self.known.remove(&key);
        if sunk {
            let jump = self.join_jumps(cx, inst, then, else_);
            pending.push(jump);
        }
    }

    /// Prepares a rewrite: only a jump follows an `If`, and one of its branches ends with an `If` in which a branch
    /// ends with the same kind of jump. Replaces the `Yield`s of both branches by the jump. Then [`Pass::join_rest`]
    /// can rewrite the inner `If`, and afterwards [`Pass::join_jumps`] moves the jump back after the outer one.
    fn sink_jump(
        &mut self,
        cx: &Context,
        inst: InstId,
        branches: [RegionId; 2],
        pending: &mut Vec<InstId>,
    ) -> bool {
        let [end] = pending[..] else { return false };
        let mut jump = self.func.inst(end).kind.clone();
        let kind = std::mem::discriminant(&jump);
        if !matches!(jump, InstKind::Break(_) | InstKind::Continue(_))
            || !self.may_deepen(cx)
            || !branches.iter().any(|&branch| self.ends_with_jump(branch, kind))
            || !self.func.may_change(inst)
        {
            return false;
        }
        self.progress = true;
        pending.clear();
        jump.for_each_src_mut(|src| *src = self.subst.resolve(*src));
        self.count(cx, &jump, |n| n + 1);
        let results = self.func.inst(inst).results.clone();
        for branch in branches {
            let Some(end) = self.func.region_mut(branch).insts.pop() else { continue };
            let mut given = Srcs::new();
            self.func.inst(end).kind.for_each_src(|src| given.push(src));
            let mut jump = jump.clone();
            jump.for_each_src_mut(|src| {
                if let Some(i) = results.iter().position(|&result| result == src.value) {
                    *src = given[i].then(src.swizzle);
                }
            });
            self.func.set_loc_from(end);
            let end = self.func.add_inst(jump, &[]);
            self.func.region_mut(branch).insts.push(end);
        }
        self.func.retain_results(inst, |_| false);
        true
    }

    /// Whether a region ends with an `If` and a `Yield`, and a branch of this `If`, or of an `If` that ends a branch,
    /// ends with this kind of jump.
    fn ends_with_jump(&self, region: RegionId, kind: std::mem::Discriminant<InstKind>) -> bool {
        let mut todo = vec![region];
        while let Some(region) = todo.pop() {
            if let [.., before, end] = self.func.region(region).insts[..]
                && matches!(self.func.inst(end).kind, InstKind::Yield(_))
                && let InstKind::If { then, else_, .. } = self.func.inst(before).kind
            {
                if [then, else_].iter().any(|&branch| self.jump_kind(branch) == Some(kind)) {
                    return true;
                }
                todo.extend([then, else_]);
            }
        }
        false
    }

    /// Removes the negation from the condition of an `If` and exchanges its branches.
    fn swap_if_inverted(&mut self, inst: InstId) {
        let InstKind::If { cond, then, else_ } = self.func.inst(inst).kind else { return };
        let Some(def) = self.func.def(cond.value) else { return };
        let InstKind::Alu { op: AluOp::INot, ref srcs, .. } = def.kind else { return };
        let cond = srcs[0].then(cond.swizzle);
        if !self.func.may_change(inst) {
            return;
        }
        *self.func.kind_mut(inst) = InstKind::If { cond, then: else_, else_: then };
        self.progress = true;
    }

    /// For an `If` whose branches both jump: replaces the jump of `else_`, and that of `then` if it is of the same
    /// kind, by a `Yield`. Returns the jump to insert after the `If`.
    fn join_jumps(
        &mut self,
        cx: &Context,
        inst: InstId,
        then: RegionId,
        else_: RegionId,
    ) -> InstId {
        self.progress = true;
        self.func.retain_results(inst, |_| false);
        let alike = self.jump_kind(then) == self.jump_kind(else_);
        let jump = self.yield_jump(cx, else_);
        if alike {
            self.yield_jump(cx, then);
        }
        self.jump_with_results(cx, inst, &jump)
    }

    /// For an `If` of which only `yielding` yields: if the code after it ends with the same kind of jump as the other
    /// branch, moves that code into `yielding`; otherwise calls [`Pass::move_out`].
    fn join_rest(
        &mut self,
        cx: &Context,
        inst: InstId,
        yielding: RegionId,
        jumping: RegionId,
        pending: &mut Vec<InstId>,
    ) {
        let alike = pending.first().map(|&end| std::mem::discriminant(&self.func.inst(end).kind));
        if alike != self.jump_kind(jumping) || !self.may_deepen(cx) {
            return self.move_out(inst, yielding, pending);
        }
        if !self.func.may_change(inst) {
            return;
        }
        self.progress = true;
        let list = &mut self.func.region_mut(yielding).insts;
        let end = list.pop();
        list.extend(pending.drain(..).rev());
        if let Some(end) = end
            && let InstKind::Yield(srcs) = self.func.inst(end).kind.clone()
        {
            self.replace_results(inst, &srcs);
        }
        self.func.retain_results(inst, |_| false);
        self.yield_jump(cx, jumping);
        let jump = self.yield_jump(cx, yielding);
        let jump = self.jump_with_results(cx, inst, &jump);
        pending.push(jump);
    }

    /// For an `If` whose other branch jumps: moves the code of `yielding` after the `If`.
    fn move_out(&mut self, inst: InstId, yielding: RegionId, pending: &mut Vec<InstId>) {
        let list = &mut self.func.region_mut(yielding).insts;
        if list.len() == 1 && self.func.inst(inst).results.is_empty() {
            return;
        }
        if !self.func.may_change(inst) {
            return;
        }
        self.progress = true;
        let list = &mut self.func.region_mut(yielding).insts;
        let end = list.pop();
        pending.extend(list.drain(..).rev());
        if let Some(end) = end
            && let InstKind::Yield(srcs) = self.func.inst(end).kind.clone()
        {
            self.replace_results(inst, &srcs);
        }
        self.func.retain_results(inst, |_| false);
        self.func.set_loc_from(inst);
        let end = self.func.add_inst(InstKind::Yield(Srcs::new()), &[]);
        self.func.region_mut(yielding).insts.push(end);
    }

    /// The kind of the terminator at the end of a region.
    fn jump_kind(&self, region: RegionId) -> Option<std::mem::Discriminant<InstKind>> {
        terminator(self.func, region).map(std::mem::discriminant)
    }

    /// Replaces the jump at the end of a region by a `Yield` of the same sources. Returns the jump.
    fn yield_jump(&mut self, cx: &Context, region: RegionId) -> InstKind {
        let Some(end) = self.func.region_mut(region).insts.pop() else { return InstKind::Return };
        let jump = self.func.inst(end).kind.clone();
        let srcs = match &jump {
            InstKind::Break(srcs) | InstKind::Continue(srcs) => srcs.clone(),
            _ => Srcs::new(),
        };
        self.func.set_loc_from(end);
        let end = self.func.add_inst(InstKind::Yield(srcs), &[]);
        self.func.region_mut(region).insts.push(end);
        self.count(cx, &jump, |n| n.saturating_sub(1));
        jump
    }

    /// Adds a result to `inst` for each source of `jump`, and makes a jump of the same kind that passes these results.
    fn jump_with_results(&mut self, cx: &Context, inst: InstId, jump: &InstKind) -> InstId {
        let types: Vec<Ty> =
            cx.fed(self.func, jump).iter().map(|&value| self.func.ty(value)).collect();
        let srcs: Srcs =
            types.into_iter().map(|ty| Src::new(self.func.add_result(inst, ty))).collect();
        let kind = match jump {
            InstKind::Break(_) => InstKind::Break(srcs),
            InstKind::Continue(_) => InstKind::Continue(srcs),
            _ => InstKind::Return,
        };
        self.count(cx, &kind, |n| n + 1);
        self.func.add_inst(kind, &[])
    }

    /// Updates the number of jumps of the innermost loop for a jump that was added or removed.
    fn count(&mut self, cx: &Context, jump: &InstKind, change: impl Fn(usize) -> usize) {
        let Some(inst) = cx.targets.breaks else { return };
        let jumps = self.jumps.entry(inst).or_default();
        match jump {
            InstKind::Break(_) => jumps.breaks = change(jumps.breaks),
            InstKind::Continue(_) => jumps.continues = change(jumps.continues),
            _ => {}
        }
    }

    /// Simplifies a loop and its regions.
    fn loop_(&mut self, cx: &Context, region: RegionId, inst: InstId) {
        let InstKind::Loop { init, body, continuing } = self.func.inst(inst).kind.clone() else {
            return;
        };
        let outer = std::mem::replace(&mut self.loop_depth, cx.depth + 1);
        for inner in [Some(body), continuing].into_iter().flatten() {
            let cx = cx.enter(self.func, inst, inner);
            self.region(&cx, inner);
        }
        self.loop_depth = outer;
        let jumps = self.jumps.get(&inst).copied().unwrap_or_default();
        let once = jumps.breaks == 1 && jumps.continues == 0;
        let Some(InstKind::Break(results)) = terminator(self.func, body).cloned() else {
            return self.func.region_mut(region).insts.push(inst);
        };
        if !once || !self.func.may_change(inst) {
            return self.func.region_mut(region).insts.push(inst);
        }
        self.progress = true;
        // The body has been processed already, so the replacements of parameters need a traversal of their own.
        let mut params = Subst::default();
        for (i, &src) in init.iter().enumerate() {
            params.insert(self.func.region(body).params[i], src);
        }
        params.apply_in(self.func, body);
        let results: Vec<Src> = results.iter().map(|&src| params.resolve(src)).collect();
        self.replace_results(inst, &results);
        let mut list = std::mem::take(&mut self.func.region_mut(body).insts);
        list.pop();
        self.func.region_mut(region).insts.append(&mut list);
    }
}

fn terminator_of(func: &Function, list: &[InstId]) -> Option<InstKind> {
    list.last().map(|&inst| func.inst(inst).kind.clone())
}
