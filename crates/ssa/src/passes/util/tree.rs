//! The tree of regions with its jumps: who owns a region, where a value is visible, which jumps reach an instruction.

use smallvec::SmallVec;

use crate::analysis::RegionTree;
use crate::ir::{Function, InstId, InstKind, RegionId, Value, ValueDef};

/// Facts about the nesting of one state of a function. Instructions made later are unknown to it.
#[derive(Debug)]
pub(crate) struct Tree {
    regions: RegionTree,
    /// Numbers of instructions known.
    known: usize,
    /// By instruction: its list of `jumps`; the first is empty.
    list_of: Vec<u32>,
    jumps: Vec<SmallVec<[InstId; 4]>>,
}

impl Tree {
    /// Looks at all that is reachable.
    pub(crate) fn new(func: &Function) -> Tree {
        let known = func.num_insts();
        let regions = RegionTree::new(func);
        let mut list_of = vec![0; known];
        let mut jumps = Vec::with_capacity(func.num_regions());
        jumps.push(SmallVec::new());
        for &(end, region) in regions.ends() {
            let Some(info) = regions.region(region) else { continue };
            let target = match func.inst(end).kind {
                InstKind::Yield(_) => info.parent.map(|(owner, _)| owner),
                InstKind::Break(_) | InstKind::Continue(_) => info.innermost_loop,
                _ => continue,
            };
            if let Some(target) = target {
                let list = &mut list_of[target.index()];
                if *list == 0 {
                    *list = jumps.len() as u32;
                    jumps.push(SmallVec::new());
                }
                jumps[*list as usize].push(end);
            }
        }
        Tree { regions, known, list_of, jumps }
    }

    /// The instructions that are reachable, in program order, outer before inner.
    pub(crate) fn insts(&self) -> &[InstId] {
        self.regions.insts()
    }

    /// The region in which an instruction stands, if it is reachable.
    pub(crate) fn region_of(&self, inst: InstId) -> Option<RegionId> {
        if inst.index() < self.known { self.regions.region_of(inst) } else { None }
    }

    /// The instruction that owns a region; the function's body has none.
    pub(crate) fn owner(&self, region: RegionId) -> Option<InstId> {
        Some(self.regions.region(region)?.parent?.0)
    }

    /// The terminators that end regions of an `If`, or rounds of a `Loop`, in program order.
    pub(crate) fn jumps(&self, inst: InstId) -> &[InstId] {
        &self.jumps[self.list_of[inst.index()] as usize]
    }

    /// The region in which a value is defined, if that is reachable.
    pub(crate) fn region_of_value(&self, func: &Function, value: Value) -> Option<RegionId> {
        match func.value(value).def {
            ValueDef::Result { inst, .. } => self.region_of(inst),
            ValueDef::Param { region, .. } => Some(region),
        }
    }

    /// Whether `inner` is `outer` or inside it.
    pub(crate) fn is_inside(&self, inner: RegionId, outer: RegionId) -> bool {
        self.regions.contains(outer, inner)
    }

    /// Whether a value that is visible in some region inside `region` is visible at the end of `region` too.
    pub(crate) fn is_visible_from(&self, func: &Function, value: Value, region: RegionId) -> bool {
        self.region_of_value(func, value).is_some_and(|parent| self.is_inside(region, parent))
    }
}
