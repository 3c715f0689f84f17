//! Divergence analysis: which values may differ between the invocations of a subgroup.
//!
//! A value is *uniform* if all invocations that execute its definition together get the same bits, so that one scalar
//! register can hold it. All other values are *divergent*. Invocations separate at an `If` whose condition is
//! divergent. They continue together after it, and at the end of each iteration of a loop.
//!
//! An instruction makes divergent results from uniform sources only if its row says so ([`InstKind::facts`]);
//! divergent sources make the results divergent. In addition, control flow makes values divergent where invocations
//! that come from different terminators continue together, which is only at results and parameters:
//!
//! - results of an `If` with a divergent condition, if both regions yield and their values are not the same;
//! - parameters that several `Continue`s pass with different values, if some but not all invocations may reach one of
//!   them;
//! - results of a loop that invocations may leave in different iterations.
//!
//! A divergent `Break` or `Return` does not make the parameters of a loop divergent: the values stay uniform among the
//! invocations that remain in the loop.
//!
//! The solver starts with all values uniform, marks those that are divergent by themselves, and propagates the marks to
//! uses until nothing changes.

use hashbrown::HashMap;

use crate::analysis::{RegionTree, Users};
use crate::ir::{
    Function, InstId, InstKind, InterpMode, RegionId, Results, Shader, Src, Targets, Value,
    ValueDef,
};

/// The values which may differ between the invocations of a subgroup.
#[derive(Clone, Debug)]
pub struct Divergence {
    values: Vec<bool>,
    /// By instruction: whether it is an `If` whose condition is divergent, or a `Loop` that invocations may leave in
    /// different iterations.
    insts: Vec<bool>,
}

/// Why a value is divergent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It is a result of this instruction, whose results differ even if its sources do not.
    Result(InstId),
    /// This value, which is divergent, is a source of the instruction that defines it, or is passed to it.
    Source(Value),
    /// Invocations that separate at this `If` pass it different values, or leave the loop that defines it in different
    /// iterations.
    Branch(InstId),
}

/// The first reason that the solver found for each mark. Following the causes of values always ends at a
/// [`Cause::Result`], because a mark is made after its cause.
#[derive(Clone, Debug, Default)]
pub struct Causes {
    values: Vec<Option<Cause>>,
    /// By loop: the `If` at which some invocations leave it, or stay in it.
    exits: HashMap<InstId, InstId>,
}

impl Causes {
    /// Why a value is divergent; `None` if it is uniform.
    pub fn of(&self, value: Value) -> Option<Cause> {
        self.values[value.index()]
    }

    /// The `If` because of which invocations leave a loop in different iterations; `None` if they leave it together.
    pub fn exit(&self, inst: InstId) -> Option<InstId> {
        self.exits.get(&inst).copied()
    }
}

/// Properties of a back end that keeps uniform values in scalar registers, for [`Divergence::in_registers`].
pub trait Registers {
    /// Whether the back end computes the results of this instruction per channel even if they are the same in all
    /// channels, so that they count as divergent.
    fn come_apart(&self, kind: &InstKind) -> bool;

    /// Whether the results of this instruction are the same in all channels of a thread if its sources are, although
    /// its row says that they can differ between invocations: a thread may have fewer different inputs than a subgroup.
    fn shared(&self, kind: &InstKind) -> bool;

    /// Whether a parameter of a loop's body should stay in a scalar register even though a `Break` passes it out of
    /// the loop in different iterations. Then the value must be copied at the `Break`, because each channel needs its
    /// own.
    fn stays(&self, param: Value) -> bool;
}

impl Divergence {
    /// Analyses a valid shader.
    pub fn new(shader: &Shader) -> Divergence {
        Divergence::solve(shader, None, None).0
    }

    /// Does the same as [`Divergence::new`], and keeps the reasons.
    pub fn explained(shader: &Shader) -> (Divergence, Causes) {
        let values = vec![None; shader.func.num_values()];
        let causes = Causes { values, ..Causes::default() };
        let (divergence, causes) = Divergence::solve(shader, None, Some(causes));
        (divergence, causes.unwrap_or_default())
    }

    /// Analyses a valid shader for a back end with scalar registers. A write to such a register takes effect for all
    /// channels, whichever are enabled, so equal values are not enough: the register of a loop parameter may be
    /// written only by a `Continue` that all invocations in the loop execute together, since others may still read
    /// the old value. Parameters for which this does not hold count as divergent.
    pub fn in_registers(shader: &Shader, registers: &dyn Registers) -> Divergence {
        Divergence::solve(shader, Some(registers), None).0
    }

    /// Runs the solver. It starts with the instructions whose own row makes their results divergent.
    fn solve(
        shader: &Shader,
        registers: Option<&dyn Registers>,
        causes: Option<Causes>,
    ) -> (Divergence, Option<Causes>) {
        let func = &shader.func;
        let tree = RegionTree::new(func);
        let mut solver = Solver {
            func,
            registers,
            users: Users::with_tree(func, &tree),
            flow: Flow::new(func, &tree),
            values: vec![false; func.num_values()],
            insts: vec![false; func.num_insts()],
            todo: Vec::new(),
            causes,
        };
        for &inst in tree.insts() {
            let kind = &func.inst(inst).kind;
            let each = match kind.facts().results {
                Results::PerInvocation => {
                    !reads_flat_input(shader, kind) && !registers.is_some_and(|r| r.shared(kind))
                }
                Results::None
                | Results::Same
                | Results::AsSources
                | Results::AsLane
                | Results::FromRegions => false,
            };
            if each || registers.is_some_and(|r| r.come_apart(kind)) {
                solver.mark_all(&func.inst(inst).results, Cause::Result(inst));
            }
        }
        while let Some(value) = solver.todo.pop() {
            solver.spread(value);
        }
        (Divergence { values: solver.values, insts: solver.insts }, solver.causes)
    }

    /// Whether the value may differ between invocations that execute its definition together.
    pub fn is_divergent(&self, value: Value) -> bool {
        self.values[value.index()]
    }

    /// Marks a value as uniform, whatever the analysis found. Tests use this to show that a checker detects the error.
    #[cfg(feature = "testing")]
    pub fn claim_uniform(&mut self, value: Value) {
        self.values[value.index()] = false;
    }

    /// Whether the value is the same for all invocations that execute its definition together.
    pub fn is_uniform(&self, value: Value) -> bool {
        !self.is_divergent(value)
    }

    /// Whether invocations may separate at this instruction: into the two regions of an `If`, or by leaving a `Loop` in
    /// different iterations.
    pub fn parts(&self, inst: InstId) -> bool {
        self.insts[inst.index()]
    }
}

/// Whether an instruction reads a flat input of a fragment shader. All pixels of a thread, and so of a subgroup, are of one
/// primitive: a thread has the setup data of one (PRM volumes on the pixel shader's thread payload, gen7 to gen12).
fn reads_flat_input(shader: &Shader, kind: &InstKind) -> bool {
    let InstKind::LoadInput { slot, vertex: None, index: None, .. } = kind else { return false };
    let interp = shader.input(*slot).and_then(|var| var.interp);
    interp.is_some_and(|interp| interp.mode == InterpMode::Flat)
}

struct Solver<'f> {
    func: &'f Function,
    registers: Option<&'f dyn Registers>,
    users: Users,
    flow: Flow,
    values: Vec<bool>,
    insts: Vec<bool>,
    /// Divergent values whose users have not been looked at.
    todo: Vec<Value>,
    /// The reasons, if they are wanted.
    causes: Option<Causes>,
}

impl Solver<'_> {
    /// Marks a value as divergent and queues it, unless it is marked already.
    fn mark(&mut self, value: Value, cause: Cause) {
        if !std::mem::replace(&mut self.values[value.index()], true) {
            self.todo.push(value);
            if let Some(causes) = &mut self.causes {
                causes.values[value.index()] = Some(cause);
            }
        }
    }

    fn mark_all(&mut self, values: &[Value], cause: Cause) {
        values.iter().for_each(|&value| self.mark(value, cause));
    }

    /// Marks everything that becomes divergent because `value` is divergent.
    fn spread(&mut self, value: Value) {
        let func = self.func;
        for i in 0..self.users.of(value).len() {
            let id = self.users.of(value)[i];
            let inst = func.inst(id);
            match &inst.kind {
                InstKind::If { .. } => self.part(id),
                InstKind::Loop { init, body, .. } => {
                    self.mark_passed(value, init, &func.region(*body).params);
                }
                InstKind::Yield(srcs) | InstKind::Break(srcs) | InstKind::Continue(srcs) => {
                    if let Some(values) = self.flow.targets(id).values(func, &inst.kind) {
                        self.mark_passed(value, srcs, values);
                    }
                }
                kind => match kind.facts().results {
                    Results::Same => {}
                    Results::AsLane if !matches!(kind, InstKind::Shuffle { lane, .. } if lane.value == value) =>
                        {}
                    _ => self.mark_all(&inst.results, Cause::Source(value)),
                },
            }
        }
    }

    /// Marks those of `values` to which a terminator or loop that passes `srcs` as `values` passes `value`.
    fn mark_passed(&mut self, value: Value, srcs: &[Src], values: &[Value]) {
        for (src, &into) in srcs.iter().zip(values) {
            if src.value == value {
                self.mark(into, Cause::Source(value));
            }
        }
    }

    /// Marks everything that becomes divergent because some invocations take one region of the `If` and some the other.
    fn part(&mut self, inst: InstId) {
        if std::mem::replace(&mut self.insts[inst.index()], true) {
            return;
        }
        let yields = std::mem::take(&mut self.flow.yields[inst.index()]);
        let cause = Cause::Branch(inst);
        self.join(&yields, &self.func.inst(inst).results, cause);
        let Some(branch) = self.flow.ifs[inst.index()] else {
            return;
        };
        let round = self.flow.rounds[branch.round].clone();
        let breaks_later = round.last_break.is_some_and(|last| last > branch.order);
        if branch.breaks || branch.continues && breaks_later {
            // Invocations leave the loop in different iterations. Even one source then has different values for them.
            let parts = &mut self.insts[round.owner.index()];
            if !std::mem::replace(parts, true)
                && let Some(causes) = &mut self.causes
            {
                causes.exits.insert(round.owner, inst);
            }
            self.mark_all(&self.func.inst(round.owner).results, cause);
            self.mark_taken(&round, cause);
        }
        if branch.continues {
            let params = &self.func.region(round.target).params;
            match self.registers {
                Some(_) => self.mark_all(params, cause),
                None => self.join(&round.continues, params, cause),
            }
        }
    }

    /// For a loop that invocations leave in different iterations: marks the body parameters that a `Break` passes out
    /// of the loop, since each invocation needs its own copy of them (unless [`Registers::stays`]).
    fn mark_taken(&mut self, round: &Round, cause: Cause) {
        let (func, Some(registers)) = (self.func, self.registers) else { return };
        for &inst in &round.breaks {
            let InstKind::Break(srcs) = &func.inst(inst).kind else { continue };
            for src in srcs {
                let carried = match func.value(src.value).def {
                    ValueDef::Param { region, .. } => {
                        func.inst(round.owner).kind.regions().any(|inner| inner == region)
                    }
                    ValueDef::Result { .. } => false,
                };
                if carried && !registers.stays(src.value) {
                    self.mark(src.value, cause);
                }
            }
        }
    }

    /// Marks those of `values` that get different sources from different ones of these terminators.
    fn join(&mut self, terminators: &[InstId], values: &[Value], cause: Cause) {
        let func = self.func;
        let srcs = |inst: InstId| match &func.inst(inst).kind {
            InstKind::Yield(srcs) | InstKind::Continue(srcs) => &srcs[..],
            _ => &[],
        };
        let Some((&first, others)) = terminators.split_first() else {
            return;
        };
        for (i, &value) in values.iter().enumerate() {
            if others.iter().any(|&other| srcs(other).get(i) != srcs(first).get(i)) {
                self.mark(value, cause);
            }
        }
    }
}

/// What happens in the regions of an `If` inside a loop.
#[derive(Clone, Copy)]
struct Branch {
    /// The innermost loop region around the `If`, an index into [`Flow::rounds`].
    round: usize,
    /// Position of the `If` in the order of the code.
    order: usize,
    /// Whether its regions contain a `Break` of the loop.
    breaks: bool,
    /// Whether its regions contain a `Continue` of the loop.
    continues: bool,
}

/// The `body` or `continuing` region of a loop. Invocations continue together at its end.
#[derive(Clone)]
struct Round {
    /// The loop.
    owner: InstId,
    /// The region whose parameters its `Continue`s pass.
    target: RegionId,
    /// The `Continue`s in the region, outside of nested loops.
    continues: Vec<InstId>,
    /// The `Break`s in the region, outside of nested loops.
    breaks: Vec<InstId>,
    /// Position of its last `Break` in the order of the code.
    last_break: Option<usize>,
}

/// Where each terminator leads, and which terminators are inside each `If` and loop.
struct Flow {
    /// By instruction, for terminators: index into `targets`.
    target_of: Vec<u32>,
    targets: Vec<Targets>,
    /// By instruction, for each `If`: the `Yield`s that pass its results.
    yields: Vec<Vec<InstId>>,
    /// By instruction, for each `If` inside a loop: which terminators its regions contain.
    ifs: Vec<Option<Branch>>,
    rounds: Vec<Round>,
}

impl Flow {
    /// Collects the terminators of a function.
    fn new(func: &Function, tree: &RegionTree) -> Flow {
        let mut flow = Flow {
            target_of: vec![0; func.num_insts()],
            targets: Vec::new(),
            yields: vec![Vec::new(); func.num_insts()],
            ifs: vec![None; func.num_insts()],
            rounds: Vec::new(),
        };
        let mut order = vec![0; func.num_insts()];
        for (i, inst) in tree.insts().iter().enumerate() {
            order[inst.index()] = i;
        }
        flow.walk(func, &order, func.body(), Targets::default(), None);
        flow
    }

    /// The targets in the region that holds a terminator.
    fn targets(&self, terminator: InstId) -> Targets {
        self.targets[self.target_of[terminator.index()] as usize]
    }

    /// Records the terminators of a region and its nested regions. Returns whether they contain a `Break` and a
    /// `Continue` of the loop region `round`.
    fn walk(
        &mut self,
        func: &Function,
        order: &[usize],
        region: RegionId,
        targets: Targets,
        round: Option<usize>,
    ) -> (bool, bool) {
        let target = self.targets.len() as u32;
        self.targets.push(targets);
        let (mut breaks, mut continues) = (false, false);
        for &id in &func.region(region).insts {
            self.target_of[id.index()] = target;
            let kind = &func.inst(id).kind;
            match kind {
                InstKind::If { .. } => {
                    let mut holds = (false, false);
                    for (i, nested) in kind.regions().enumerate() {
                        let inside = targets.inside(id, kind, i);
                        let (b, c) = self.walk(func, order, nested, inside, round);
                        holds = (holds.0 | b, holds.1 | c);
                    }
                    self.ifs[id.index()] = round.map(|round| Branch {
                        round,
                        order: order[id.index()],
                        breaks: holds.0,
                        continues: holds.1,
                    });
                    (breaks, continues) = (breaks | holds.0, continues | holds.1);
                }
                InstKind::Loop { .. } => {
                    for (i, nested) in kind.regions().enumerate() {
                        let inside = targets.inside(id, kind, i);
                        let target = inside.continues.unwrap_or(nested);
                        self.rounds.push(Round {
                            owner: id,
                            target,
                            continues: Vec::new(),
                            breaks: Vec::new(),
                            last_break: None,
                        });
                        let round = Some(self.rounds.len() - 1);
                        self.walk(func, order, nested, inside, round);
                    }
                }
                InstKind::Yield(_) => {
                    if let Some(owner) = targets.yields {
                        self.yields[owner.index()].push(id);
                    }
                }
                InstKind::Break(_) => {
                    breaks = true;
                    if let Some(round) = round {
                        self.rounds[round].breaks.push(id);
                        self.rounds[round].last_break = Some(order[id.index()]);
                    }
                }
                InstKind::Continue(_) => {
                    continues = true;
                    if let Some(round) = round {
                        self.rounds[round].continues.push(id);
                    }
                }
                _ => {}
            }
        }
        (breaks, continues)
    }
}
