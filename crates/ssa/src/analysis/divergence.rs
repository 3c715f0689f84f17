//! Which values may differ between the invocations of a subgroup.
//!
//! A value is *uniform* if all invocations that run its definition together get the same bits, so one scalar
//! register can hold it. Invocations run together as far as control flow lets them: they part at an `If` whose
//! condition is divergent and meet again behind it, and meet at the end of each round of a loop. Values of different
//! origin meet only where a region gives results or parameters, so only there does control flow make divergent:
//!
//! - results of an `If` with a divergent condition, where both regions yield and do not yield the same;
//! - parameters that several `Continue`s give, where some but not all invocations may take one of them;
//! - results of a loop which invocations may leave in different rounds.
//!
//! A divergent `Break` or `Return` leaves the others as they were: what the loop carries stays uniform among those
//! that go on.
//!
//! What instructions and system values are themselves is in their rows ([`InstKind::facts`]).

use crate::analysis::{RegionTree, Users};
use crate::ir::{
    Function, InstId, InstKind, RegionId, Results, Shader, Src, Targets, Value, ValueDef,
};

/// The values which may differ between the invocations of a subgroup.
#[derive(Clone, Debug)]
pub struct Divergence {
    values: Vec<bool>,
    /// By instruction: an `If` whose condition is divergent, a `Loop` that is left in different rounds.
    insts: Vec<bool>,
}

/// What [`Divergence::in_registers`] asks about values that scalar registers are to hold.
pub trait Registers {
    /// Whether the instruction gives a result for each invocation even where all are the same.
    fn come_apart(&self, kind: &InstKind) -> bool;

    /// Whether a parameter of a loop's body stays in a scalar register although invocations take it out of the loop in
    /// different rounds, so that it must be copied there.
    fn stays(&self, param: Value) -> bool;
}

impl Divergence {
    /// Analyses a valid shader.
    pub fn new(shader: &Shader) -> Divergence {
        Divergence::solve(shader, None)
    }

    /// Analyses a valid shader for registers that hold one value for a subgroup and are written whatever invocations
    /// take part. Equality is not enough then: what a loop carries lies in such a register only if every `Continue` that
    /// writes it runs with all invocations of the round, since others may still read the old value.
    pub fn in_registers(shader: &Shader, registers: &dyn Registers) -> Divergence {
        Divergence::solve(shader, Some(registers))
    }

    fn solve(shader: &Shader, registers: Option<&dyn Registers>) -> Divergence {
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
        };
        for &inst in tree.insts() {
            let kind = &func.inst(inst).kind;
            let each = match kind.facts().results {
                Results::PerInvocation => true,
                Results::None | Results::Same | Results::AsSources | Results::FromRegions => false,
            };
            if each || registers.is_some_and(|r| r.come_apart(kind)) {
                solver.mark_all(&func.inst(inst).results);
            }
        }
        while let Some(value) = solver.todo.pop() {
            solver.spread(value);
        }
        Divergence { values: solver.values, insts: solver.insts }
    }

    /// Whether the value may differ between invocations that run its definition together.
    pub fn is_divergent(&self, value: Value) -> bool {
        self.values[value.index()]
    }

    /// Calls a value uniform, whatever was found: to test what checks such claims.
    #[cfg(feature = "testing")]
    pub fn claim_uniform(&mut self, value: Value) {
        self.values[value.index()] = false;
    }

    /// Whether the value is the same for all invocations that run its definition together.
    pub fn is_uniform(&self, value: Value) -> bool {
        !self.is_divergent(value)
    }

    /// Whether invocations may part: at an `If` between its regions, at a `Loop` by leaving it in different rounds.
    pub fn parts(&self, inst: InstId) -> bool {
        self.insts[inst.index()]
    }
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
}

impl Solver<'_> {
    fn mark(&mut self, value: Value) {
        if !std::mem::replace(&mut self.values[value.index()], true) {
            self.todo.push(value);
        }
    }

    fn mark_all(&mut self, values: &[Value]) {
        values.iter().for_each(|&value| self.mark(value));
    }

    /// A value is divergent: so is what depends on it.
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
                _ => self.mark_all(&inst.results),
            }
        }
    }

    /// Marks what `value` becomes where `srcs` become `values`.
    fn mark_passed(&mut self, value: Value, srcs: &[Src], values: &[Value]) {
        for (src, &into) in srcs.iter().zip(values) {
            if src.value == value {
                self.mark(into);
            }
        }
    }

    /// Some invocations take one region of the `If`, some the other.
    fn part(&mut self, inst: InstId) {
        if std::mem::replace(&mut self.insts[inst.index()], true) {
            return;
        }
        let yields = std::mem::take(&mut self.flow.yields[inst.index()]);
        self.join(&yields, &self.func.inst(inst).results);
        let Some(branch) = self.flow.ifs[inst.index()] else {
            return;
        };
        let round = self.flow.rounds[branch.round].clone();
        let breaks_later = round.last_break.is_some_and(|last| last > branch.order);
        if branch.breaks || branch.continues && breaks_later {
            // Left in different rounds: even equal sources had different values then.
            self.insts[round.owner.index()] = true;
            self.mark_all(&self.func.inst(round.owner).results);
            self.mark_taken(&round);
        }
        if branch.continues {
            let params = &self.func.region(round.target).params;
            match self.registers {
                Some(_) => self.mark_all(params),
                None => self.join(&round.continues, params),
            }
        }
    }

    /// A loop is left in different rounds: marks parameters that its `Break`s hand on, of which each invocation would
    /// need a copy.
    fn mark_taken(&mut self, round: &Round) {
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
                    self.mark(src.value);
                }
            }
        }
    }

    /// Invocations that come from different terminators meet and get `values`.
    fn join(&mut self, terminators: &[InstId], values: &[Value]) {
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
                self.mark(value);
            }
        }
    }
}

/// What parting at an `If` in a loop leads to.
#[derive(Clone, Copy)]
struct Branch {
    /// Which round, an index into [`Flow::rounds`].
    round: usize,
    /// Its place in the order of the code.
    order: usize,
    /// Whether a `Break` of the round's loop stands in its regions.
    breaks: bool,
    /// Whether a `Continue` of the round's loop stands in its regions.
    continues: bool,
}

/// A loop's `body` or `continuing` region, at whose end invocations meet.
#[derive(Clone)]
struct Round {
    owner: InstId,
    /// Whose parameters its `Continue`s give.
    target: RegionId,
    continues: Vec<InstId>,
    breaks: Vec<InstId>,
    /// The place of its last `Break` in the order of the code.
    last_break: Option<usize>,
}

/// Where terminators lead.
struct Flow {
    /// By instruction, for terminators: an index into `targets`.
    target_of: Vec<u32>,
    targets: Vec<Targets>,
    /// By instruction: the `Yield`s that give an `If`'s results.
    yields: Vec<Vec<InstId>>,
    /// By instruction: of each `If` in a loop what it holds.
    ifs: Vec<Option<Branch>>,
    rounds: Vec<Round>,
}

impl Flow {
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

    fn targets(&self, terminator: InstId) -> Targets {
        self.targets[self.target_of[terminator.index()] as usize]
    }

    /// Gives whether the region holds a `Break` and a `Continue` of the round that it belongs to.
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
