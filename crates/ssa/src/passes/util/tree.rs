//! The tree of regions: who owns a region, where a value is visible, which jumps reach an instruction.

use super::{Context, walk};
use crate::ir::{Function, InstId, InstKind, RegionId, Value, ValueDef};

/// Facts about the nesting of one state of a function. Instructions made later are unknown to it.
#[derive(Debug)]
pub(crate) struct Tree {
    home: Vec<Option<RegionId>>,
    /// Per region: its owner, and its place in a walk (first, last number), which tells ancestors in one step.
    regions: Vec<Option<(Option<InstId>, u32, u32)>>,
    jumps: Vec<Vec<InstId>>,
}

impl Tree {
    /// Looks at all that is reachable.
    pub(crate) fn new(func: &Function) -> Tree {
        let mut tree = Tree {
            home: vec![None; func.num_insts()],
            regions: vec![None; func.num_regions()],
            jumps: vec![Vec::new(); func.num_insts()],
        };
        let mut clock = 0;
        tree.enter(func, func.body(), None, &mut clock);
        walk(func, |cx, _, inst| tree.jump(func, cx, inst));
        tree
    }

    fn enter(&mut self, func: &Function, region: RegionId, owner: Option<InstId>, clock: &mut u32) {
        let first = *clock;
        *clock += 1;
        for &inst in &func.region(region).insts {
            self.home[inst.index()] = Some(region);
            for inner in func.inst(inst).kind.regions() {
                self.enter(func, inner, Some(inst), clock);
            }
        }
        self.regions[region.index()] = Some((owner, first, *clock));
    }

    fn jump(&mut self, func: &Function, cx: &Context, inst: InstId) {
        let target = match func.inst(inst).kind {
            InstKind::Yield(_) => cx.if_,
            InstKind::Break(_) | InstKind::Continue(_) => cx.loop_,
            _ => None,
        };
        if let Some(target) = target {
            self.jumps[target.index()].push(inst);
        }
    }

    /// The region in which an instruction stands, if it is reachable.
    pub(crate) fn home(&self, inst: InstId) -> Option<RegionId> {
        self.home.get(inst.index()).copied().flatten()
    }

    /// The instruction that owns a region; the function's body has none.
    pub(crate) fn owner(&self, region: RegionId) -> Option<InstId> {
        self.regions[region.index()]?.0
    }

    /// The terminators that end regions of an `If`, or rounds of a `Loop`, in program order.
    pub(crate) fn jumps(&self, inst: InstId) -> &[InstId] {
        &self.jumps[inst.index()]
    }

    /// The region in which a value is defined, if that is reachable.
    pub(crate) fn home_of_value(&self, func: &Function, value: Value) -> Option<RegionId> {
        match func.value(value).def {
            ValueDef::Result { inst, .. } => self.home(inst),
            ValueDef::Param { region, .. } => Some(region),
        }
    }

    /// Whether `inner` is `outer` or inside it.
    pub(crate) fn is_inside(&self, inner: RegionId, outer: RegionId) -> bool {
        match (self.regions[inner.index()], self.regions[outer.index()]) {
            (Some((_, at, _)), Some((_, first, last))) => first <= at && at < last,
            _ => false,
        }
    }

    /// Whether a value that is visible in some region inside `region` is visible at the end of `region` too.
    pub(crate) fn is_visible_from(&self, func: &Function, value: Value, region: RegionId) -> bool {
        self.home_of_value(func, value).is_some_and(|home| self.is_inside(region, home))
    }
}
