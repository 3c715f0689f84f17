//! Dead code elimination. Removes instructions without effect whose results are unused; parameters and results of
//! regions that are unused or only pass their own values around a loop; stores to variables that are never loaded;
//! and variables that are never accessed.
//!
//! The pass assumes that everything is dead, and marks as live what an effect needs, directly or indirectly. So
//! cycles of values that only feed each other through a loop are removed. A loop without effects is assumed to end,
//! so it is removed.
//!
//! Marking works backward: sources of live arithmetic are not marked at once but in sweeps over the program from its
//! end to its start. In straight-line code sources come before their uses, so one sweep marks all of it and reads
//! memory in order.

use std::rc::Rc;

use super::util::{Tree, walk};
use crate::analysis::use_counts;
use crate::ir::{Function, InstId, InstKind, RegionId, Shader, Srcs, Value, ValueDef, VarId};

/// See the [module](self). Returns whether anything was removed.
pub fn opt_dce(shader: &mut Shader) -> bool {
    let mut live = Live::new(shader);
    live.mark();
    let named = live.named();
    let Live { mut insts, values, tree, .. } = live;
    if shader.func.fuel.is_limited() {
        match take_dead(&mut shader.func, &tree, &insts, &values, named.contains(&false)) {
            Taken::All => {}
            Taken::Nothing => return false,
            Taken::Some(gone) => {
                // Only some of the dead instructions may be removed. Everything else stays, so it counts as live.
                insts.fill(true);
                gone.into_iter().for_each(|inst| insts[inst.index()] = false);
                let values = vec![true; values.len()];
                let body = shader.func.body();
                let mut sweep = Sweep { func: &mut shader.func, insts, values, progress: true };
                sweep.region(body, &Fed::default());
                return true;
            }
        }
    }
    let body = shader.func.body();
    let mut sweep = Sweep { func: &mut shader.func, insts, values, progress: false };
    sweep.region(body, &Fed::default());
    sweep.progress | remove_variables(shader, &named)
}

/// What the fuel allows to remove.
enum Taken {
    /// Everything that is dead.
    All,
    /// Only these instructions.
    Some(Vec<InstId>),
    /// Nothing.
    Nothing,
}

/// Takes fuel for the removal of dead code. Each dead instruction whose results no remaining instruction uses is one
/// change, uses before definitions. The rest is one more change: regions, parameters, results and the sources that pass
/// them must be removed together. `insts` and `values` are the live ones; `variables` tells whether a variable is dead.
fn take_dead(
    func: &mut Function,
    tree: &Tree,
    insts: &[bool],
    values: &[bool],
    variables: bool,
) -> Taken {
    let mut uses = use_counts(func);
    let mut gone = Vec::new();
    let mut rest = variables;
    let mut fuel = std::mem::take(&mut func.fuel);
    for &inst in tree.insts().iter().rev() {
        let data = func.inst(inst);
        if insts[inst.index()] {
            // Unused results and parameters.
            let owned = data.kind.regions().flat_map(|region| &func.region(region).params);
            let mut named = data.results.iter().chain(owned);
            rest |= data.kind.owns_regions() && named.any(|value| !values[value.index()]);
            continue;
        }
        let unused = data.results.iter().all(|value| uses[value.index()] == 0);
        if data.kind.owns_regions() || data.kind.is_terminator() || !unused {
            rest = true;
            continue;
        }
        if !fuel.take(|| func.describe(inst)) {
            func.fuel = fuel;
            return if gone.is_empty() { Taken::Nothing } else { Taken::Some(gone) };
        }
        data.kind.for_each_src(|src| uses[src.value.index()] -= 1);
        gone.push(inst);
    }
    let all = !rest || fuel.take(|| "regions, their parameters, and variables".to_owned());
    func.fuel = fuel;
    match (all, gone.is_empty()) {
        (true, _) => Taken::All,
        (false, true) => Taken::Nothing,
        (false, false) => Taken::Some(gone),
    }
}

/// The state of marking: what is live so far.
struct Live<'s> {
    shader: &'s Shader,
    tree: Tree,
    /// By instruction: whether it is live.
    insts: Vec<bool>,
    /// By value: whether it is live.
    values: Vec<bool>,
    /// By region: whether it contains a live instruction.
    regions: Vec<bool>,
    /// By variable: its stores, which become live with the first load; `None` after that load was found.
    stores: Vec<Option<Vec<InstId>>>,
    /// Live instructions and values whose sources are not marked yet.
    todo: Vec<Todo>,
    /// How live arithmetic is processed.
    waiting: Waiting,
}

/// When the sources of live arithmetic are marked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// When the next [`Live::sweep`] reaches the instruction. The number is that of the instructions that wait.
    Sweep(usize),
    /// At once.
    Nothing,
}

/// Number of sweeps. After these, arithmetic is processed at once: values that are passed through loops could otherwise
/// require any number of sweeps.
const SWEEPS: usize = 3;

enum Todo {
    Inst(InstId),
    Value(Value),
}

impl Live<'_> {
    fn new(shader: &Shader) -> Live<'_> {
        let func = &shader.func;
        Live {
            shader,
            tree: Tree::new(func),
            insts: vec![false; func.num_insts()],
            values: vec![false; func.num_values()],
            regions: vec![false; func.num_regions()],
            stores: vec![Some(Vec::new()); shader.vars.len()],
            todo: Vec::new(),
            waiting: Waiting::Sweep(0),
        }
    }

    /// Marks everything that is live.
    fn mark(&mut self) {
        let shader = self.shader;
        for &inst in self.tree.insts() {
            match &shader.func.inst(inst).kind {
                InstKind::StoreVar { var, .. } => {
                    if let Some(waiting) = &mut self.stores[var.index()] {
                        waiting.push(inst);
                    }
                }
                // These are live if something in their regions, or one of their results, is live.
                InstKind::If { .. }
                | InstKind::Loop { .. }
                | InstKind::Yield(_)
                | InstKind::Break(_)
                | InstKind::Continue(_) => {}
                // The `Return` at the end of the function stays anyway and makes nothing else live. An earlier
                // `Return` is an effect.
                InstKind::Return if self.tree.region_of(inst) == Some(shader.func.body()) => {
                    self.insts[inst.index()] = true;
                }
                kind if kind.has_effect() => {
                    self.insts[inst.index()] = true;
                    self.todo.push(Todo::Inst(inst));
                }
                _ => {}
            }
        }
        self.work();
        let mut done = vec![false; shader.func.num_insts()];
        for _ in 0..SWEEPS {
            if self.waiting == Waiting::Sweep(0) {
                return;
            }
            self.sweep(&mut done);
        }
        self.waiting = Waiting::Nothing;
        self.sweep(&mut done);
    }

    /// Processes the queue until it is empty.
    fn work(&mut self) {
        while let Some(todo) = self.todo.pop() {
            match todo {
                Todo::Inst(inst) => self.inst(inst),
                Todo::Value(value) => self.value(value),
            }
        }
    }

    /// Marks the sources of live arithmetic, from the end of the program to its start. `done` records the
    /// instructions that earlier sweeps have processed.
    fn sweep(&mut self, done: &mut [bool]) {
        for at in (0..self.tree.insts().len()).rev() {
            let inst = self.tree.insts()[at];
            let waits = self.insts[inst.index()] && self.is_alu(inst);
            if waits && !std::mem::replace(&mut done[inst.index()], true) {
                if let Waiting::Sweep(count) = &mut self.waiting {
                    *count -= 1;
                }
                self.inst(inst);
                self.work();
            }
        }
    }

    fn is_alu(&self, inst: InstId) -> bool {
        matches!(self.shader.func.inst(inst).kind, InstKind::Alu { .. })
    }

    /// Marks the region of a live instruction, and with it the instruction that owns the region, unless that is done
    /// already.
    fn need_around(&mut self, inst: InstId) {
        if let Some(parent) = self.tree.region_of(inst)
            && !std::mem::replace(&mut self.regions[parent.index()], true)
            && let Some(owner) = self.tree.owner(parent)
        {
            self.need_inst(owner);
        }
    }

    /// For each variable: whether a live instruction accesses it.
    fn named(&self) -> Vec<bool> {
        let mut named = vec![false; self.shader.vars.len()];
        if !named.is_empty() {
            for &inst in self.tree.insts().iter().filter(|inst| self.insts[inst.index()]) {
                if let InstKind::LoadVar { var, .. } | InstKind::StoreVar { var, .. } =
                    self.shader.func.inst(inst).kind
                {
                    named[var.index()] = true;
                }
            }
        }
        named
    }

    /// Marks a value as live, and queues its definition.
    fn need(&mut self, value: Value) {
        if std::mem::replace(&mut self.values[value.index()], true) {
            return;
        }
        let func = &self.shader.func;
        match func.value(value).def {
            ValueDef::Result { inst, .. } => match func.inst(inst).kind {
                // A constant in the body has no sources, and the body needs no mark.
                InstKind::Const(_) if self.tree.region_of(inst) == Some(func.body()) => {
                    self.insts[inst.index()] = true;
                }
                InstKind::If { .. } | InstKind::Loop { .. } => self.todo.push(Todo::Value(value)),
                _ => self.need_inst(inst),
            },
            ValueDef::Param { .. } => self.todo.push(Todo::Value(value)),
        }
    }

    /// Marks an instruction as live, and queues it or lets it wait for a sweep.
    fn need_inst(&mut self, inst: InstId) {
        if std::mem::replace(&mut self.insts[inst.index()], true) {
            return;
        }
        match &mut self.waiting {
            Waiting::Sweep(count)
                if matches!(self.shader.func.inst(inst).kind, InstKind::Alu { .. }) =>
            {
                *count += 1;
            }
            _ => self.todo.push(Todo::Inst(inst)),
        }
    }

    /// Marks everything that a live instruction needs: its sources, its jumps, its stores, the enclosing regions.
    fn inst(&mut self, inst: InstId) {
        let kind = &self.shader.func.inst(inst).kind;
        match kind {
            InstKind::Alu { srcs, .. } => {
                srcs.iter().for_each(|src| self.need(src.value));
                return self.need_around(inst);
            }
            InstKind::If { .. } | InstKind::Loop { .. } => {
                if let InstKind::If { cond, .. } = kind {
                    self.need(cond.value);
                }
                for i in 0..self.tree.jumps(inst).len() {
                    self.need_inst(self.tree.jumps(inst)[i]);
                }
            }
            // The sources of jumps are marked one by one, when the result or parameter that they pass is live.
            InstKind::Yield(_) | InstKind::Break(_) | InstKind::Continue(_) => {}
            kind => kind.for_each_src(|src| self.need(src.value)),
        }
        if let InstKind::LoadVar { var, .. } = kind
            && let Some(waiting) = self.stores[var.index()].take()
        {
            waiting.into_iter().for_each(|store| self.need_inst(store));
        }
        self.need_around(inst);
    }

    /// Marks the sources that define a live result of an `If` or `Loop`, or a live parameter of a region.
    fn value(&mut self, value: Value) {
        let func = &self.shader.func;
        match func.value(value).def {
            ValueDef::Result { inst, index } => {
                self.need_inst(inst);
                let is_loop = matches!(func.inst(inst).kind, InstKind::Loop { .. });
                for i in 0..self.tree.jumps(inst).len() {
                    match &func.inst(self.tree.jumps(inst)[i]).kind {
                        InstKind::Yield(srcs) if !is_loop => self.need(srcs[index as usize].value),
                        InstKind::Break(srcs) if is_loop => self.need(srcs[index as usize].value),
                        _ => {}
                    }
                }
            }
            ValueDef::Param { region, index } => {
                let Some(owner) = self.tree.owner(region) else { return };
                self.need_inst(owner);
                let InstKind::Loop { init, body, continuing } = &func.inst(owner).kind else {
                    return;
                };
                if region == *body {
                    self.need(init[index as usize].value);
                }
                for i in 0..self.tree.jumps(owner).len() {
                    let jump = self.tree.jumps(owner)[i];
                    if let InstKind::Continue(srcs) = &func.inst(jump).kind
                        && feeds(&self.tree, jump, *body, *continuing) == Some(region)
                    {
                        self.need(srcs[index as usize].value);
                    }
                }
            }
        }
    }
}

/// The region to which the `Continue` `jump` goes, in a loop with these regions.
fn feeds(
    tree: &Tree,
    jump: InstId,
    body: RegionId,
    continuing: Option<RegionId>,
) -> Option<RegionId> {
    let parent = tree.region_of(jump)?;
    Some(if tree.is_inside(parent, body) { continuing.unwrap_or(body) } else { body })
}

/// For the sources of each kind of jump in a region: which of them are live.
#[derive(Clone, Default)]
struct Fed {
    yields: Rc<[bool]>,
    breaks: Rc<[bool]>,
    continues: Rc<[bool]>,
}

/// The removal of dead code; `insts` and `values` are the live ones.
struct Sweep<'f> {
    func: &'f mut Function,
    insts: Vec<bool>,
    values: Vec<bool>,
    progress: bool,
}

impl Sweep<'_> {
    /// Removes the dead instructions of a region and of the regions in it. `fed` tells which sources of its jumps stay.
    fn region(&mut self, region: RegionId, fed: &Fed) {
        let mut list = std::mem::take(&mut self.func.region_mut(region).insts);
        let before = list.len();
        list.retain(|inst| self.insts[inst.index()]);
        self.progress |= list.len() != before;
        for &inst in &list {
            match self.func.kind_mut(inst) {
                InstKind::Yield(srcs) => retain(srcs, &fed.yields),
                InstKind::Break(srcs) => retain(srcs, &fed.breaks),
                InstKind::Continue(srcs) => retain(srcs, &fed.continues),
                InstKind::If { then, else_, .. } => {
                    let regions = [*then, *else_];
                    let yields = self.results(inst);
                    let fed = Fed { yields, ..fed.clone() };
                    regions.into_iter().for_each(|inner| self.region(inner, &fed));
                }
                InstKind::Loop { body, continuing, .. } => {
                    let (body, continuing) = (*body, *continuing);
                    self.loop_(inst, body, continuing);
                }
                _ => {}
            }
        }
        self.func.region_mut(region).insts = list;
    }

    /// Removes the dead results and parameters of a loop with the sources that pass them, and the dead code in its
    /// regions.
    fn loop_(&mut self, inst: InstId, body: RegionId, continuing: Option<RegionId>) {
        let breaks = self.results(inst);
        let of_body = self.params(body);
        if let InstKind::Loop { init, .. } = self.func.kind_mut(inst) {
            retain(init, &of_body);
        }
        let next = continuing.map_or_else(|| Rc::clone(&of_body), |region| self.params(region));
        let fed = Fed { yields: Rc::default(), breaks, continues: next };
        self.region(body, &fed);
        if let Some(continuing) = continuing {
            self.region(continuing, &Fed { continues: of_body, ..fed });
        }
    }

    /// Removes the dead results of an instruction. Returns for each result whether it was live.
    fn results(&mut self, inst: InstId) -> Rc<[bool]> {
        let keep = self.needed(&self.func.inst(inst).results);
        self.func.retain_results(inst, |i| keep[i]);
        self.note(keep)
    }

    /// Removes the dead parameters of a region. Returns for each parameter whether it was live.
    fn params(&mut self, region: RegionId) -> Rc<[bool]> {
        let keep = self.needed(&self.func.region(region).params);
        self.func.retain_params(region, |i| keep[i]);
        self.note(keep)
    }

    /// For each value: whether it is live.
    fn needed(&self, values: &[Value]) -> Rc<[bool]> {
        values.iter().map(|value| self.values[value.index()]).collect()
    }

    /// Records progress if not all of these are live.
    fn note(&mut self, keep: Rc<[bool]>) -> Rc<[bool]> {
        self.progress |= keep.contains(&false);
        keep
    }
}

/// Keeps the sources at the positions where `keep` is true, and those beyond its end.
fn retain(srcs: &mut Srcs, keep: &[bool]) {
    let mut i = 0;
    srcs.retain(|_| {
        i += 1;
        keep.get(i - 1).copied().unwrap_or(true)
    });
}

/// Removes the variables that are not `named`, and renumbers the others. Returns whether one was removed.
fn remove_variables(shader: &mut Shader, named: &[bool]) -> bool {
    if !named.contains(&false) {
        return false;
    }
    let mut accesses = Vec::new();
    walk(&shader.func, |_, _, inst| {
        if let InstKind::LoadVar { .. } | InstKind::StoreVar { .. } = shader.func.inst(inst).kind {
            accesses.push(inst);
        }
    });
    let mut number = vec![VarId(0); named.len()];
    let kept = (0..named.len()).filter(|&old| named[old]);
    for (new, old) in kept.enumerate() {
        number[old] = VarId::from_index(new);
    }
    let mut at = 0;
    shader.vars.retain(|_| {
        at += 1;
        named[at - 1]
    });
    for inst in accesses {
        if let InstKind::LoadVar { var, .. } | InstKind::StoreVar { var, .. } =
            shader.func.kind_mut(inst)
        {
            *var = number[var.index()];
        }
    }
    true
}
