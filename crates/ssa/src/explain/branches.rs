//! Why branches are divergent, for reports to people.

use hashbrown::{HashMap, HashSet};

use super::Explainer;
use crate::analysis::{Cause, Causes};
use crate::ir::{Function, InstId, InstKind, Value, ValueDef};

/// The most instructions of [`DivergentBranch::through`].
const MAX_THROUGH: usize = 8;

/// An `If` or `Loop` at which invocations of a subgroup separate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivergentBranch {
    /// The `If` or `Loop`.
    pub inst: InstId,
    /// For a loop: the `If` at which some invocations leave it.
    pub exit: Option<InstId>,
    /// The instruction whose results differ between invocations although its sources may be equal.
    pub origin: InstId,
    /// The instructions by which the difference reaches the condition, from the origin on: the last ones, at most 8.
    pub through: Vec<InstId>,
}

/// See [`Explainer::divergent_branches`].
pub(super) fn divergent(explainer: &Explainer<'_>) -> Vec<DivergentBranch> {
    let Explainer { shader, tree, divergence, causes } = explainer;
    let func = &shader.func;
    let mut origins = Origins { func, causes, known: HashMap::new() };
    let mut found: Vec<DivergentBranch> = Vec::new();
    let mut exits = HashSet::new();
    for &inst in tree.insts() {
        if !divergence.parts(inst) || exits.contains(&inst) {
            continue;
        }
        let exit = causes.exit(inst);
        exits.extend(exit);
        let Some(condition) = condition(func, exit.unwrap_or(inst)) else { continue };
        let Some(origin) = origins.of(condition) else { continue };
        let through = through(func, causes, condition, origin);
        found.push(DivergentBranch { inst, exit, origin, through });
    }
    found
}

/// The condition of an `If`.
fn condition(func: &Function, inst: InstId) -> Option<Value> {
    match &func.inst(inst).kind {
        InstKind::If { cond, .. } => Some(cond.value),
        _ => None,
    }
}

/// What a difference comes from.
enum Step {
    Origin(InstId),
    /// The value whose difference is the cause, and the `If` through which it acts, if there is one.
    From(Value, Option<InstId>),
}

fn step(func: &Function, causes: &Causes, value: Value) -> Option<Step> {
    Some(match causes.of(value)? {
        Cause::Result(inst) => Step::Origin(inst),
        Cause::Source(source) => Step::From(source, None),
        Cause::Branch(inst) => Step::From(condition(func, inst)?, Some(inst)),
    })
}

/// The origins of differences. Each value is looked at once.
struct Origins<'s> {
    func: &'s Function,
    causes: &'s Causes,
    known: HashMap<Value, InstId>,
}

impl Origins<'_> {
    fn of(&mut self, value: Value) -> Option<InstId> {
        let mut path = Vec::new();
        let mut at = value;
        let origin = loop {
            if let Some(&origin) = self.known.get(&at) {
                break origin;
            }
            path.push(at);
            match step(self.func, self.causes, at)? {
                Step::Origin(inst) => break inst,
                Step::From(next, _) => at = next,
            }
        };
        self.known.extend(path.into_iter().map(|value| (value, origin)));
        Some(origin)
    }
}

/// The instructions between the origin and a condition.
fn through(func: &Function, causes: &Causes, condition: Value, origin: InstId) -> Vec<InstId> {
    let mut found = Vec::new();
    let mut at = condition;
    while found.len() < MAX_THROUGH {
        if let ValueDef::Result { inst, .. } = func.value(at).def
            && inst != origin
        {
            found.push(inst);
        }
        let Some(Step::From(next, branch)) = step(func, causes, at) else { break };
        found.extend(branch);
        at = next;
    }
    found.truncate(MAX_THROUGH);
    found.reverse();
    found
}
