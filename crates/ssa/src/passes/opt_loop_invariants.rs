//! Moves computations out of loops that give the same value in each iteration:
//!
//! ```text
//! before:                          after:
//! %3 = loop (%4 = %0) {            %5 = imul %1, %2
//!     %5 = imul %1, %2             %3 = loop (%4 = %0) {
//!     %6 = iadd %4, %5                 %6 = iadd %4, %5
//! ```
//!
//! Only computations that may run where the program does not execute them are moved: arithmetic, and reads of inputs and
//! constants. A moved value needs a register in the whole loop, so values are moved only as long as an estimate of the
//! live values stays below a limit. A value that only moved computations read needs no register in the loop any more.
//!
//! Operations that are free where they are only move with an operation that reads them: vectors, copies, those that
//! become source modifiers, and comparisons, whose flags do not last.

use hashbrown::HashSet;

use super::util::room::{limit, may_move, weight};
use super::util::{loops, op_cost};
use crate::analysis::{Divergence, Live, RegionTree, Users};
use crate::ir::{Function, InstId, InstKind, Memory, RegionId, Shader, Value, ValueDef};

/// See the [module](self). Returns whether an instruction was moved.
pub fn opt_loop_invariants(shader: &mut Shader) -> bool {
    let loops = loops(&shader.func);
    if loops.is_empty() {
        return false;
    }
    let tree = RegionTree::new(&shader.func);
    let divergence = Divergence::new(shader);
    let func = &mut shader.func;
    let live = Live::new(func, &tree, &|value| weight(func, &divergence, value));
    let users = Users::new(func);
    let facts = Facts { tree: &tree, divergence: &divergence, live: &live, users: &users };
    let mut home: Vec<Option<RegionId>> =
        (0..func.num_insts()).map(|i| tree.region_of(InstId::from_index(i))).collect();
    let mut progress = false;
    // Outer loops come first, so a computation moves out of several loops at once.
    for owner in loops {
        let Some(outside) = tree.region_of(owner) else { continue };
        let mut scan = Scan::new(func, &home, owner);
        scan.choose(func, &facts, &home);
        if scan.moved.is_empty() {
            continue;
        }
        for &inst in &scan.moved {
            home[inst.index()] = Some(outside);
        }
        for &region in &scan.regions {
            let insts = &mut func.region_mut(region).insts;
            insts.retain(|inst| !scan.is_moved[inst.index()]);
        }
        let insts = &mut func.region_mut(outside).insts;
        let at = insts.iter().position(|&inst| inst == owner).unwrap_or(0);
        insts.splice(at..at, scan.moved);
        progress = true;
    }
    progress
}

/// What is known of the function before the pass.
struct Facts<'a> {
    tree: &'a RegionTree,
    divergence: &'a Divergence,
    live: &'a Live,
    users: &'a Users,
}

/// The computations of a loop that do not change.
struct Scan {
    owner: InstId,
    /// The regions in the loop.
    regions: Vec<RegionId>,
    /// The computations that give the same value in each iteration, in the order of the code.
    invariant: Vec<InstId>,
    /// By instruction, whether it is one of them.
    is_invariant: Vec<bool>,
    /// Those that are moved, in the order of the code.
    moved: Vec<InstId>,
    is_moved: Vec<bool>,
}

impl Scan {
    /// Finds the invariant computations of a loop. `home` is the region of each instruction.
    fn new(func: &Function, home: &[Option<RegionId>], owner: InstId) -> Scan {
        let mut inside = vec![false; func.num_regions()];
        let mut scan = Scan {
            owner,
            regions: Vec::new(),
            invariant: Vec::new(),
            is_invariant: vec![false; func.num_insts()],
            moved: Vec::new(),
            is_moved: vec![false; func.num_insts()],
        };
        let mut todo: Vec<RegionId> = func.inst(owner).kind.regions().collect();
        while let Some(region) = todo.pop() {
            inside[region.index()] = true;
            scan.regions.push(region);
            for &inst in &func.region(region).insts {
                todo.extend(func.inst(inst).kind.regions());
            }
        }
        for region in func.inst(owner).kind.regions() {
            scan.visit(func, home, &inside, region);
        }
        scan
    }

    /// Finds the invariant computations of a region and the regions in it.
    fn visit(
        &mut self,
        func: &Function,
        home: &[Option<RegionId>],
        inside: &[bool],
        region: RegionId,
    ) {
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            kind.regions().for_each(|nested| self.visit(func, home, inside, nested));
            if !may_move(kind) {
                continue;
            }
            let mut fixed = true;
            kind.for_each_src(|src| {
                fixed &= match func.value(src.value).def {
                    ValueDef::Param { region, .. } => !inside[region.index()],
                    ValueDef::Result { inst, .. } => {
                        self.is_invariant[inst.index()]
                            || home[inst.index()].is_some_and(|home| !inside[home.index()])
                    }
                };
            });
            if fixed {
                self.is_invariant[inst.index()] = true;
                self.invariant.push(inst);
            }
        }
    }

    /// Chooses which computations move: those that are worth it, with those that they read, as long as there is room
    /// for their results. `home` is the region of each instruction.
    fn choose(&mut self, func: &mut Function, facts: &Facts, home: &[Option<RegionId>]) {
        let mut room = i64::from(limit(facts.live)) - i64::from(facts.live.most_in(self.owner));
        for index in 0..self.invariant.len() {
            let inst = self.invariant[index];
            if self.is_moved[inst.index()] || !is_worth_it(func, inst) {
                continue;
            }
            let group = self.with_sources(func, inst);
            let added = self.added_weight(func, facts, home, &group);
            if (added <= 0 || added <= room) && func.may_change(inst) {
                room -= added;
                group.iter().for_each(|inst| self.is_moved[inst.index()] = true);
            }
        }
        let is_moved = |inst: &InstId| self.is_moved[inst.index()];
        self.moved = self.invariant.iter().copied().filter(is_moved).collect();
    }

    /// How much more is live in the loop if computations move out of it, besides those that were chosen before: the results
    /// that are read in the loop, less what nothing in the loop or behind it reads any more.
    fn added_weight(
        &self,
        func: &Function,
        facts: &Facts,
        home: &[Option<RegionId>],
        group: &[InstId],
    ) -> i64 {
        let leaves = |inst: InstId| self.is_moved[inst.index()] || group.contains(&inst);
        let weight = |value| i64::from(weight(func, facts.divergence, value));
        let start = facts.live.position(self.owner);
        let mut added = 0;
        let mut sources: HashSet<Value> = HashSet::new();
        for &inst in group {
            let result = func.inst(inst).results[0];
            if !facts.users.of(result).iter().all(|&user| leaves(user)) {
                added += weight(result);
            }
            func.inst(inst).kind.for_each_src(|src| {
                sources.insert(src.value);
            });
        }
        for value in sources {
            let region = match func.value(value).def {
                ValueDef::Param { region, .. } => Some(region),
                ValueDef::Result { inst, .. } if group.contains(&inst) => None,
                ValueDef::Result { inst, .. } if self.is_moved[inst.index()] => {
                    facts.tree.region_of(self.owner)
                }
                ValueDef::Result { inst, .. } => home[inst.index()],
            };
            let is_past = |user: InstId| leaves(user) || facts.live.position(user) < start;
            if region.is_some_and(|region| !self.is_kept_by_a_loop(func, facts, region))
                && facts.users.of(value).iter().all(|&user| is_past(user))
            {
                added -= weight(value);
            }
        }
        added
    }

    /// Whether values of a region around the loop live on because of another loop between that region and this loop.
    fn is_kept_by_a_loop(&self, func: &Function, facts: &Facts, region: RegionId) -> bool {
        let mut at = facts.tree.region_of(self.owner);
        while let Some(inner) = at
            && inner != region
        {
            let Some((owner, around)) = facts.tree.region(inner).and_then(|info| info.parent)
            else {
                return true;
            };
            if matches!(func.inst(owner).kind, InstKind::Loop { .. }) {
                return true;
            }
            at = Some(around);
        }
        false
    }

    /// A computation, and those in the loop that it reads and that are not moved yet.
    fn with_sources(&self, func: &Function, inst: InstId) -> Vec<InstId> {
        let mut group = vec![inst];
        let mut seen: HashSet<InstId> = [inst].into_iter().collect();
        let mut next = 0;
        while let Some(&inst) = group.get(next) {
            next += 1;
            func.inst(inst).kind.for_each_src(|src| {
                if let ValueDef::Result { inst, .. } = func.value(src.value).def
                    && self.is_invariant[inst.index()]
                    && !self.is_moved[inst.index()]
                    && seen.insert(inst)
                {
                    group.push(inst);
                }
            });
        }
        group
    }
}

/// Whether an instruction takes time in each iteration, so that it should move for its own sake.
fn is_worth_it(func: &Function, inst: InstId) -> bool {
    let data = func.inst(inst);
    match &data.kind {
        InstKind::Alu { op, .. } => op_cost(*op, 1) > 0 && func.ty(data.results[0]).bits() > 1,
        InstKind::LoadInput { .. } => true,
        InstKind::Load { memory, .. } => *memory != Memory::PushConstant,
        _ => false,
    }
}
