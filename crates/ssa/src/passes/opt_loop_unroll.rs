//! Unrolls loops whose number of iterations is known and small: copies the body once per iteration.
//!
//! The number is found by interpretation of the exit condition. It must be arithmetic on constants and on loop
//! parameters whose initial values are constants. Other `Break`s may remain, so the copies stay inside a loop, which
//! now runs once. [`opt_dead_control_flow`](super::opt_dead_control_flow()) replaces that loop by its body if
//! possible. For example,
//!
//! ```text
//! loop (%i = 0) { if %i >= 3 { break } else { yield }; BODY(%i); continue %i + 1 }
//! ```
//!
//! becomes `loop () { BODY(0); BODY(1); BODY(2); break }`.
//!
//! A loop with a known number of iterations ends anyway, so its `Break`s on [`InstKind::AllKilled`] do not count, and are
//! removed if it is unrolled.

use hashbrown::HashSet;
use smallvec::SmallVec;

use super::util::{Copier, Tree, const_src, loops, op_cost, terminator, walk};
use crate::interp::alu::{Comps, eval_alu};
use crate::ir::{
    AluOp, Function, InstId, InstKind, PathStep, RegionId, Shader, Src, Srcs, Value, ValueDef,
};

/// Greatest number of iterations that are unrolled.
const MAX_ROUNDS: usize = 32;
/// Greatest number of instructions of the unrolled loop, not counting those that become constant.
const MAX_SIZE: usize = 128;
/// The same limit if unrolling removes a quarter of the cost of an iteration: arithmetic that becomes constant, and
/// [`LOOP_COST`]. The code is longer, but much less of it is executed. The body must have no branch but the exit, because it
/// is not known how much of a branch is executed.
const MAX_SIZE_FOLDING: usize = 512;
/// The cost of the `If`, `Break` and `Continue` of the loop itself, which go away.
const LOOP_COST: usize = 3;
/// The cost of an access to memory, of an input, or of a texture read, in simple instructions.
const ACCESS_COST: usize = 8;
/// The same limit if the loop indexes a variable by a value that becomes constant. Then the variable may not need
/// memory.
const MAX_SIZE_INDEXING: usize = 1024;
/// Greatest number of instructions that are copied for a loop, including those that become constant. It bounds the
/// growth when nested loops are unrolled from the inside out.
const MAX_COPIES: usize = 4096;
/// Greatest number of operations on which an exit condition may depend.
const MAX_CONDITION: usize = 32;

/// See the [module](self). Returns whether a loop was unrolled.
pub fn opt_loop_unroll(shader: &mut Shader) -> bool {
    let func = &shader.func;
    let counted: Vec<(InstId, Vec<Exit>)> = loops(func)
        .into_iter()
        .map(|inst| (inst, exits(func, inst)))
        .filter(|(_, exits)| !exits.is_empty())
        .collect();
    if counted.is_empty() {
        return false;
    }
    let tree = Tree::new(func);
    let fixed = Fixed::new(shader, &tree);
    let mut plans = Vec::new();
    let mut done = vec![false; func.num_insts()];
    // Inner loops come last in the list. A loop around one that is unrolled waits for the next run of the pass, when
    // its new size is known.
    for (inst, exits) in counted.into_iter().rev() {
        if !done[inst.index()]
            && let Some(plan) = plan(func, &tree, &fixed, inst, exits)
        {
            plans.push(plan);
            let mut around = Some(inst);
            while let Some(inst) = around {
                done[inst.index()] = true;
                around = tree.region_of(inst).and_then(|parent| tree.owner(parent));
            }
        }
    }
    let func = &mut shader.func;
    let mut copier = Copier::default();
    let mut progress = false;
    for plan in &plans {
        if func.may_change(plan.inst) {
            unroll(func, plan, &mut copier);
            progress = true;
        }
    }
    progress
}

/// A loop to unroll.
struct Plan {
    inst: InstId,
    body: RegionId,
    exit: Exit,
    /// See [`guards`].
    guards: Vec<InstId>,
}

/// An `If` directly in the body of a loop that leaves the loop after a known number of iterations.
struct Exit {
    inst: InstId,
    /// The region that ends with `Break`.
    leave: RegionId,
    /// The other region.
    stay: RegionId,
    /// Number of iterations before the one in which it leaves, at most [`most_rounds`].
    rounds: usize,
    /// Positions of the parameters whose values are known in each of these iterations.
    known: Vec<usize>,
}

/// The exits of a loop with a known number of iterations, in order. Most loops have none, and are rejected here
/// without an analysis of the surrounding code.
fn exits(func: &Function, inst: InstId) -> Vec<Exit> {
    let InstKind::Loop { init, body, continuing: None } = &func.inst(inst).kind else {
        return Vec::new();
    };
    let Some(InstKind::Continue(next)) = terminator(func, *body) else { return Vec::new() };
    let max = most_rounds(func, *body);
    let exit = |&inst: &InstId| {
        let InstKind::If { cond, then, else_ } = func.inst(inst).kind else { return None };
        let leaves = |r| matches!(terminator(func, r), Some(InstKind::Break(_)));
        let (leave, stay, bit) = match (leaves(then), leaves(else_)) {
            (true, false) => (then, else_, 1),
            (false, true) => (else_, then, 0),
            _ => return None,
        };
        let mut run = Run { func, body: *body, init, next, params: Given::new() };
        let (rounds, known) = run.rounds_until(cond, bit, max)?;
        Some(Exit { inst, leave, stay, rounds, known })
    };
    func.region(*body).insts.iter().filter_map(exit).collect()
}

/// An upper bound on the iterations that may be unrolled: it assumes that all arithmetic of the loop becomes constant.
fn most_rounds(func: &Function, body: RegionId) -> usize {
    let mut size = Size::default();
    let mut todo = vec![body];
    while let Some(region) = todo.pop() {
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            match kind {
                InstKind::Const(_) | InstKind::Undef => continue,
                InstKind::Alu { op, .. } => {
                    size.folded += op_cost(*op, func.ty(func.inst(inst).results[0]).comps());
                    size.copied += 1;
                    continue;
                }
                InstKind::LoadVar { .. } | InstKind::StoreVar { .. } => size.indexes = true,
                _ => {
                    size.has_barrier |= kind.facts().orders;
                    todo.extend(kind.regions());
                }
            }
            size.insts += 1;
        }
    }
    size.copied += size.insts;
    size.max_rounds(0)
}

/// Decides whether a loop can be unrolled and is small enough, and at which exit.
fn plan(
    func: &Function,
    tree: &Tree,
    fixed: &Fixed,
    inst: InstId,
    exits: Vec<Exit>,
) -> Option<Plan> {
    let InstKind::Loop { body, .. } = func.inst(inst).kind else { return None };
    let is_continue = |i: &&InstId| matches!(func.inst(**i).kind, InstKind::Continue(_));
    let jumps = tree.jumps(inst);
    if jumps.iter().filter(is_continue).count() != 1 {
        return None;
    }
    let guards = guards(func, body);
    // A guard may have been merged with another exit, so its `Break`s may be fewer.
    let breaks = (jumps.len() - 1).saturating_sub(guards.len()).max(1);
    let fits =
        |exit: &Exit| exit.rounds <= Size::of(func, body, fixed, &exit.known).max_rounds(breaks);
    let exit = exits.into_iter().find(fits)?;
    Some(Plan { inst, body, exit, guards })
}

/// The instructions directly in the body of a loop that decide whether killed invocations leave it.
fn guards(func: &Function, body: RegionId) -> Vec<InstId> {
    let insts = func.region(body).insts.iter().copied();
    insts.filter(|&inst| matches!(func.inst(inst).kind, InstKind::AllKilled(_))).collect()
}

/// The size of a loop's body, and properties for which unrolling helps.
#[derive(Default)]
struct Size {
    /// Number of instructions of an iteration, without constants, instructions that become constant or a copy, and those
    /// counted by `once`.
    insts: usize,
    /// Number of arithmetic instructions outside of inner regions that give the same value in each iteration. Of their
    /// copies, one remains.
    once: usize,
    /// Number of branches and inner loops, with the exit.
    branches: usize,
    /// The cost of an iteration after unrolling.
    kept: usize,
    /// The cost of the arithmetic that becomes constant or a copy.
    folded: usize,
    /// Number of all instructions of an iteration, since they are copied before they become constant.
    copied: usize,
    /// Whether the loop indexes a variable by a value that unrolling makes constant.
    indexes: bool,
    has_barrier: bool,
}

impl Size {
    /// Measures a loop. `known` are the positions of the parameters of `body` that are known in each iteration.
    fn of(func: &Function, body: RegionId, fixed: &Fixed, known: &[usize]) -> Size {
        let mut size = Size::default();
        let params = &func.region(body).params;
        let mut folds: HashSet<Value> = known.iter().map(|&index| params[index]).collect();
        // Values that differ from iteration to iteration and do not become constant.
        let mut varies: HashSet<Value> =
            params.iter().copied().filter(|param| !folds.contains(param)).collect();
        // Nested regions are visited after the code before them, so definitions are visited before their uses.
        let mut todo = vec![body];
        while let Some(region) = todo.pop() {
            for &inst in &func.region(region).insts {
                let kind = &func.inst(inst).kind;
                size.copied += 1;
                for nested in kind.regions() {
                    todo.push(nested);
                    varies.extend(&func.region(nested).params);
                }
                let results = &func.inst(inst).results;
                let cost = match kind {
                    InstKind::Alu { op, .. } => op_cost(*op, func.ty(results[0]).comps()),
                    kind if kind.facts().is_access() => ACCESS_COST,
                    _ => 0,
                };
                let folds_src = |src: &Src| folds.contains(&src.value);
                match kind {
                    InstKind::Const(_) | InstKind::Undef => {}
                    InstKind::Alu { srcs, .. }
                        if srcs
                            .iter()
                            .all(|src| folds_src(src) || is_constant(func, src.value)) =>
                    {
                        size.folded += cost;
                        folds.extend(results);
                    }
                    InstKind::Alu { op: AluOp::Select, srcs, .. } if folds_src(&srcs[0]) => {
                        size.folded += cost;
                        varies.extend(results);
                    }
                    InstKind::Alu { srcs, .. }
                        if !srcs
                            .iter()
                            .any(|src| folds_src(src) || varies.contains(&src.value)) =>
                    {
                        // Equal computations of different inner regions are not merged.
                        let count = if region == body { &mut size.once } else { &mut size.insts };
                        *count += 1;
                    }
                    _ => {
                        size.insts += 1;
                        size.kept += cost;
                        varies.extend(results);
                    }
                }
                size.branches += usize::from(kind.owns_regions());
                size.has_barrier |= kind.facts().orders;
                if let InstKind::LoadVar { var, path } | InstKind::StoreVar { var, path, .. } = kind
                {
                    size.indexes |= !fixed.hopeless[var.index()]
                        && path.iter().any(|step| match step {
                            PathStep::Dyn(src) => fixed.values[src.value.index()] == Some(body),
                            PathStep::Const(_) => false,
                        });
                }
            }
        }
        size
    }

    /// Whether unrolling removes at least a quarter of the cost.
    fn folds_much(&self) -> bool {
        self.branches <= 1 && 3 * (self.folded + LOOP_COST) >= self.kept
    }

    /// Greatest number of iterations to unroll. `breaks` is the number of `Break`s. Loops with several `Break`s or
    /// with barriers gain little, so they are unrolled only if variables are indexed.
    fn max_rounds(&self, breaks: usize) -> usize {
        let limit = match self.indexes {
            true => MAX_SIZE_INDEXING,
            false if self.has_barrier || breaks > 1 => 0,
            false if self.folds_much() => MAX_SIZE_FOLDING,
            false => MAX_SIZE,
        };
        let limit = limit.saturating_sub(self.once);
        MAX_ROUNDS.min(limit / self.insts.max(1)).min(MAX_COPIES / self.copied.max(1))
    }
}

/// Values that unrolling may make constant.
struct Fixed {
    /// For each value that is arithmetic on constants and loop parameters: the innermost loop body whose parameters
    /// it depends on, or the function's body if it depends on constants only.
    values: Vec<Option<RegionId>>,
    /// For each variable: whether some access indexes it by another value. It must stay in memory then, so unrolling
    /// does not help.
    hopeless: Vec<bool>,
}

impl Fixed {
    /// Analyses the reachable code.
    fn new(shader: &Shader, tree: &Tree) -> Fixed {
        let func = &shader.func;
        let mut values = vec![None; func.num_values()];
        let mut hopeless = vec![false; shader.vars.len()];
        walk(func, |_, _, inst| match &func.inst(inst).kind {
            InstKind::Const(_) => values[func.inst(inst).results[0].index()] = Some(func.body()),
            InstKind::Loop { body, .. } => {
                for param in &func.region(*body).params {
                    values[param.index()] = Some(*body);
                }
            }
            InstKind::Alu { srcs, .. } => {
                let mut read = Some(func.body());
                for src in srcs {
                    read = match (read, values[src.value.index()]) {
                        (Some(old), Some(new)) => {
                            Some(if tree.is_inside(new, old) { new } else { old })
                        }
                        _ => None,
                    };
                }
                values[func.inst(inst).results[0].index()] = read;
            }
            InstKind::LoadVar { var, path } | InstKind::StoreVar { var, path, .. } => {
                hopeless[var.index()] |= path.iter().any(|step| match step {
                    PathStep::Dyn(src) => values[src.value.index()].is_none(),
                    PathStep::Const(_) => false,
                });
            }
            _ => {}
        });
        Fixed { values, hopeless }
    }
}

fn is_constant(func: &Function, value: Value) -> bool {
    func.def(value).is_some_and(|inst| matches!(inst.kind, InstKind::Const(_)))
}

/// An interpreter for the exit condition of a loop.
struct Run<'f> {
    func: &'f Function,
    body: RegionId,
    /// The initial values of the parameters.
    init: &'f Srcs,
    /// The sources of the `Continue`, which become the parameters of the next iteration.
    next: &'f Srcs,
    /// The parameters on which the condition depends, by position, with their values in the current iteration.
    params: Given<usize>,
}

/// A small map from values or parameters to constants.
type Given<K> = SmallVec<[(K, Comps); 8]>;

/// Looks up a constant in the map.
fn given<K: PartialEq>(known: &Given<K>, key: &K) -> Option<Comps> {
    known.iter().find(|(known, _)| known == key).map(|&(_, comps)| comps)
}

impl Run<'_> {
    /// Finds the first iteration, at most number `max`, in which `cond` evaluates to `bit`. Returns its number and
    /// the positions of the parameters on which the condition depends. Returns `None` if the condition cannot be
    /// interpreted.
    fn rounds_until(&mut self, cond: Src, bit: u64, max: usize) -> Option<(usize, Vec<usize>)> {
        let mut needed = Vec::new();
        self.find_params(cond.value, &mut needed)?;
        let mut at = 0;
        while at < needed.len() {
            self.find_params(self.next[needed[at]].value, &mut needed)?;
            at += 1;
        }
        for &i in &needed {
            let first = const_src(self.func, self.init[i], self.comps_of_param(i))?;
            self.params.push((i, first));
        }
        for round in 0..=max {
            let mut seen = Given::new();
            if self.value(cond, 1, &mut seen)[0] == bit {
                return Some((round, needed));
            }
            let next = needed
                .iter()
                .map(|&i| (i, self.value(self.next[i], self.comps_of_param(i), &mut seen)))
                .collect();
            self.params = next;
        }
        None
    }

    /// Number of components of a parameter.
    fn comps_of_param(&self, i: usize) -> usize {
        self.func.ty(self.func.region(self.body).params[i]).comps()
    }

    /// Adds to `needed` the parameters on which a value depends. `None` if the value is not arithmetic on constants
    /// and the body's parameters, or if it takes more than [`MAX_CONDITION`] steps.
    fn find_params(&self, value: Value, needed: &mut Vec<usize>) -> Option<()> {
        let mut todo = vec![value];
        let mut steps = 0;
        while let Some(value) = todo.pop() {
            steps += 1;
            if steps > MAX_CONDITION {
                return None;
            }
            match self.func.value(value).def {
                ValueDef::Param { region, index } if region == self.body => {
                    if !needed.contains(&(index as usize)) {
                        needed.push(index as usize);
                    }
                }
                ValueDef::Param { .. } => return None,
                ValueDef::Result { inst, .. } => match &self.func.inst(inst).kind {
                    InstKind::Const(_) => {}
                    InstKind::Alu { srcs, .. } => todo.extend(srcs.iter().map(|src| src.value)),
                    _ => return None,
                },
            }
        }
        Some(())
    }

    /// The components that a source reads in the current iteration. Its value must have passed [`Self::find_params`].
    /// `seen` holds the values computed so far in this iteration.
    fn value(&self, src: Src, comps: usize, seen: &mut Given<Value>) -> Comps {
        let whole = given(seen, &src.value).unwrap_or_else(|| {
            let whole = self.whole(src.value, seen);
            seen.push((src.value, whole));
            whole
        });
        let mut out = [0; 4];
        for (out, &from) in out.iter_mut().zip(&src.swizzle).take(comps) {
            *out = whole[usize::from(from)];
        }
        out
    }

    /// All components of a value in the current iteration.
    fn whole(&self, value: Value, seen: &mut Given<Value>) -> Comps {
        match self.func.value(value).def {
            ValueDef::Param { index, .. } => {
                given(&self.params, &(index as usize)).unwrap_or_default()
            }
            ValueDef::Result { inst, .. } => match &self.func.inst(inst).kind {
                InstKind::Const(bits) => *bits,
                InstKind::Alu { op, srcs, .. } => {
                    let ty = self.func.ty(value);
                    let operands: SmallVec<[Comps; 4]> = srcs
                        .iter()
                        .enumerate()
                        .map(|(i, &src)| self.value(src, op.src_comps(i, ty.comps()), seen))
                        .collect();
                    let bits = self.func.ty(srcs[op.size_src()].value).bits();
                    eval_alu(*op, ty, bits, &operands)
                }
                _ => [0; 4],
            },
        }
    }
}

/// Replaces the body of a loop by one copy per iteration. The last copy ends at the exit.
fn unroll(func: &mut Function, plan: &Plan, copier: &mut Copier) {
    let InstKind::Loop { init, .. } = func.inst(plan.inst).kind.clone() else { return };
    for &guard in &plan.guards {
        *func.kind_mut(guard) = InstKind::Const([0; 4]);
    }
    let params = func.region(plan.body).params.clone();
    let once = func.add_region();
    let mut given = init;
    for round in 0..=plan.exit.rounds {
        for (&param, &src) in params.iter().zip(&given) {
            copier.subst.insert(param, src);
        }
        for inst in func.region(plan.body).insts.clone() {
            let kind = &func.inst(inst).kind;
            if inst == plan.exit.inst {
                let taken =
                    if round == plan.exit.rounds { plan.exit.leave } else { plan.exit.stay };
                match copier.append(func, taken, once) {
                    Some(InstKind::Yield(srcs)) => {
                        let results = func.inst(plan.exit.inst).results.clone();
                        for (result, src) in results.into_iter().zip(srcs) {
                            copier.subst.insert(result, src);
                        }
                    }
                    Some(jump) => {
                        // The branch jumps. It leaves the loop (in the last copy); the verifier allows no other jump
                        // here.
                        let end = func.add_inst(jump, &[]);
                        func.region_mut(once).insts.push(end);
                        break;
                    }
                    None => {}
                }
            } else if let InstKind::Continue(srcs) = kind {
                given = srcs.iter().map(|&src| copier.subst.resolve(src)).collect();
            } else {
                let copy = copier.inst(func, inst);
                func.region_mut(once).insts.push(copy);
            }
        }
    }
    *func.kind_mut(plan.inst) = InstKind::Loop { init: Srcs::new(), body: once, continuing: None };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    #[test]
    fn copies_that_vanish_do_not_count() {
        let text = "compute \"t\" {
            local_size 1, 1, 1
            binding b0: ssbo set 0 binding 0 \"out\"
            %0: 32 = const 0
            %1: 32 = const 1
            %2: 32 = load ssbo b0, %0, align 4
            %3: 32 = loop (%4: 32 = %0, %5: 32 = %0) {
                %6: 1 = uge %4, %1
                if %6 {
                    break %5
                } else {
                    yield
                }
                %7: 32 = imul %2, %2
                %8: 32 = iadd %7, %1
                %9: 1 = ieq %4, %0
                %10: 32 = select %9, %8, %2
                %11: 32 = iadd %5, %10
                %12: 32 = iadd %4, %1
                continue %12, %11
            }
            store ssbo b0, %0, %3, align 4
            return
        }";
        let shader = parse(text).expect("a shader");
        let func = &shader.func;
        let owner = loops(func)[0];
        let body = func.inst(owner).kind.regions().next().expect("the body");
        let fixed = Fixed::new(&shader, &Tree::new(func));
        let size = Size::of(func, body, &fixed, &[0]);
        // %7 and %8 are computed once. %6, %9 and %12 become constant, and %10 becomes a copy. %11, the branch with its two ends
        // and the end of the loop stay.
        assert_eq!((size.once, size.folded, size.insts, size.kept), (2, 4, 5, 1));
    }
}
