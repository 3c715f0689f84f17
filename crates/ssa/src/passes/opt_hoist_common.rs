//! Merges equal computations of which none is visible where the other is: the first moves upwards, in front of the
//! conditional or loop that hides it.
//!
//! ```text
//! before:                          after:
//!                                  %3 = iadd %1, %2
//! if %0 {                          if %0 {
//!     %3 = iadd %1, %2                 store ..., %3
//!     store ..., %3                    yield
//!     yield                        } else {
//! } else {                             yield %3
//!     %4 = iadd %1, %2             }
//!     yield %4
//! }
//! ```
//!
//! If the invocations execute one of both in any case, any computation may move. Otherwise one moves that is a single
//! simple instruction, and that may run where the program does not execute it: some invocations then compute a value
//! that they do not need. Values live longer than before, so they move only as long as an estimate of the live values stays
//! below a limit.

use hashbrown::HashMap;

use super::opt_cse::{Key, merge};
use super::util::room::{limit, may_move, weight};
use super::util::{Subst, op_cost};
use crate::analysis::{Divergence, Live, RegionTree};
use crate::ir::{
    Convergence, Function, InstId, InstKind, Memory, RegionId, Shader, StageInfo, ValueDef,
};

/// See the [module](self). Returns whether computations were merged.
pub fn opt_hoist_common(shader: &mut Shader) -> bool {
    let tree = RegionTree::new(&shader.func);
    let divergence = Divergence::new(shader);
    let interpolates = matches!(shader.stage, StageInfo::Fragment(_));
    let func = &mut shader.func;
    let live = Live::new(func, &tree, &|value| weight(func, &divergence, value));
    let home = (0..func.num_insts()).map(|i| tree.region_of(InstId::from_index(i))).collect();
    let mut hoister = Hoister {
        tree: &tree,
        divergence: &divergence,
        live: &live,
        interpolates,
        open: vec![false; func.num_regions()],
        home,
        first: HashMap::new(),
        subst: Subst::default(),
        removed: vec![false; func.num_insts()],
        moved: Vec::new(),
        added: HashMap::new(),
    };
    let body = func.body();
    hoister.region(func, body);
    hoister.finish(func)
}

struct Hoister<'a> {
    tree: &'a RegionTree,
    divergence: &'a Divergence,
    live: &'a Live,
    /// Whether reading an input is one instruction.
    interpolates: bool,
    /// By region, whether it is around the current instruction.
    open: Vec<bool>,
    /// By instruction, its region, if it is reachable.
    home: Vec<Option<RegionId>>,
    /// The first of equal computations.
    first: HashMap<Key, InstId>,
    /// The results of the others.
    subst: Subst,
    removed: Vec<bool>,
    /// The computations that move, and in front of which instruction. If one moves twice, the last entry counts.
    moved: Vec<(InstId, InstId)>,
    /// By instruction that owns regions: the weight of what moved in front of it.
    added: HashMap<InstId, u32>,
}

impl Hoister<'_> {
    /// Handles the instructions of a region and the regions in it.
    fn region(&mut self, func: &mut Function, region: RegionId) {
        self.open[region.index()] = true;
        for index in 0..func.region(region).insts.len() {
            let inst = func.region(region).insts[index];
            self.subst.apply(func, inst);
            self.inst(func, region, inst);
            for nested in func.inst(inst).kind.regions() {
                self.region(func, nested);
            }
        }
        self.open[region.index()] = false;
    }

    /// Merges an instruction of an open region with an earlier one.
    fn inst(&mut self, func: &mut Function, region: RegionId, inst: InstId) {
        let Some(key) = Key::of(func, inst) else { return };
        let Some(&first) = self.first.get(&key) else {
            self.first.insert(key, inst);
            return;
        };
        if self.merges(func, region, first) && func.may_change(inst) {
            let by = merge(func, first, inst);
            self.subst.insert(func.inst(inst).results[0], by);
            self.removed[inst.index()] = true;
        } else {
            self.first.insert(key, inst);
        }
    }

    /// Makes the computation `first` visible in an open region, if that pays.
    fn merges(&mut self, func: &Function, region: RegionId, first: InstId) -> bool {
        let Some(from) = self.home[first.index()] else { return false };
        if self.open[from.index()] {
            return true;
        }
        // The innermost open region around it, and what contains it there.
        let mut at = from;
        let (owner, outside) = loop {
            let Some((owner, around)) = self.tree.region(at).and_then(|info| info.parent) else {
                return false;
            };
            if self.open[around.index()] {
                break (owner, around);
            }
            at = around;
        };
        let kind = &func.inst(first).kind;
        let is_direct = at == from && self.is_arm_of(func, region, owner, outside);
        if !(is_direct && may_merge_arms(kind) || self.is_cheap(func, first)) {
            return false;
        }
        let mut visible = true;
        kind.for_each_src(|src| {
            visible &= match func.value(src.value).def {
                ValueDef::Param { region, .. } => self.is_around(region, outside),
                ValueDef::Result { inst, .. } => {
                    self.home[inst.index()].is_some_and(|home| self.is_around(home, outside))
                }
            };
        });
        if !visible {
            return false;
        }
        let added = self.added.entry(owner).or_default();
        let needed = weight(func, self.divergence, func.inst(first).results[0]);
        if self.live.most_in(owner) + *added + needed > limit(self.live) {
            return false;
        }
        *added += needed;
        self.home[first.index()] = Some(outside);
        self.moved.push((first, owner));
        true
    }

    /// Whether a region is the other arm of the conditional `owner`, or the region `outside` after it: invocations that do
    /// not execute an instruction of one arm execute one there.
    fn is_arm_of(
        &self,
        func: &Function,
        region: RegionId,
        owner: InstId,
        outside: RegionId,
    ) -> bool {
        let kind = &func.inst(owner).kind;
        matches!(kind, InstKind::If { .. })
            && (region == outside || kind.regions().any(|arm| arm == region))
    }

    /// Whether an open region is `inner` or around it.
    fn is_around(&self, outer: RegionId, inner: RegionId) -> bool {
        let depth = |region| self.tree.region(region).map_or(0, |info| info.depth);
        self.open[outer.index()] && depth(outer) <= depth(inner)
    }

    /// Whether an instruction may run anywhere, and costs so little that it may do so in vain.
    fn is_cheap(&self, func: &Function, inst: InstId) -> bool {
        let kind = &func.inst(inst).kind;
        let little = match kind {
            InstKind::Alu { op, .. } => {
                let ty = func.ty(func.inst(inst).results[0]);
                op_cost(*op, ty.comps()) <= 1 && ty.bits() <= 32
            }
            InstKind::LoadInput { .. } => self.interpolates,
            _ => false,
        };
        little && may_move(kind)
    }

    /// Moves and removes the instructions. Returns whether there were any.
    fn finish(self, func: &mut Function) -> bool {
        if self.subst.is_empty() {
            return false;
        }
        let mut is_moved = vec![false; func.num_insts()];
        let mut before: HashMap<InstId, Vec<InstId>> = HashMap::new();
        for &(inst, owner) in self.moved.iter().rev() {
            if !std::mem::replace(&mut is_moved[inst.index()], true) {
                before.entry(owner).or_default().push(inst);
            }
        }
        let mut regions = vec![func.body()];
        while let Some(region) = regions.pop() {
            let insts = std::mem::take(&mut func.region_mut(region).insts);
            let mut kept = Vec::with_capacity(insts.len());
            for inst in insts {
                regions.extend(func.inst(inst).kind.regions());
                kept.extend(before.remove(&inst).into_iter().flatten().rev());
                if !self.removed[inst.index()] && !is_moved[inst.index()] {
                    kept.push(inst);
                }
            }
            func.region_mut(region).insts = kept;
        }
        true
    }
}

/// Whether a computation may move in front of a conditional of which each arm executes it, or one arm and what follows:
/// it may be a message, but no read at an address, which the program may have checked.
fn may_merge_arms(kind: &InstKind) -> bool {
    let global = matches!(kind, InstKind::Load { memory: Memory::Global(_), .. });
    kind.facts().convergence != Convergence::Active && !global
}
