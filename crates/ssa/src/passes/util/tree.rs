//! The region tree with its jumps: the owner of each region, the visibility of values, the jumps to each `If` or
//! `Loop`.

use smallvec::SmallVec;

use crate::analysis::RegionTree;
use crate::ir::{Function, InstId, InstKind, RegionId, Value, ValueDef};

/// The nesting of regions at one state of a function. It has no information about instructions made later.
#[derive(Debug)]
pub(crate) struct Tree {
    regions: RegionTree,
    /// Number of instructions when the tree was made.
    known: usize,
    /// By instruction: the index of its list in `jumps`. List 0 is empty.
    list_of: Vec<u32>,
    /// Lists of terminators with the same target.
    jumps: Vec<SmallVec<[InstId; 4]>>,
}

impl Tree {
    /// Analyses the reachable code.
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

    /// The reachable instructions in program order. The owner of a region comes before the region's instructions.
    pub(crate) fn insts(&self) -> &[InstId] {
        self.regions.insts()
    }

    /// The region that holds an instruction; `None` if the instruction is not reachable or newer than the tree.
    pub(crate) fn region_of(&self, inst: InstId) -> Option<RegionId> {
        if inst.index() < self.known { self.regions.region_of(inst) } else { None }
    }

    /// The instruction that owns a region; `None` for the function's body.
    pub(crate) fn owner(&self, region: RegionId) -> Option<InstId> {
        Some(self.regions.region(region)?.parent?.0)
    }

    /// For an `If`, the `Yield`s that end its regions; for a `Loop`, its `Break`s and `Continue`s. In program order.
    pub(crate) fn jumps(&self, inst: InstId) -> &[InstId] {
        &self.jumps[self.list_of[inst.index()] as usize]
    }

    /// The region in which a value is defined; `None` if that is not reachable.
    pub(crate) fn region_of_value(&self, func: &Function, value: Value) -> Option<RegionId> {
        match func.value(value).def {
            ValueDef::Result { inst, .. } => self.region_of(inst),
            ValueDef::Param { region, .. } => Some(region),
        }
    }

    /// Whether `inner` is `outer` or is nested in it.
    pub(crate) fn is_inside(&self, inner: RegionId, outer: RegionId) -> bool {
        self.regions.contains(outer, inner)
    }

    /// Whether a value that is visible somewhere inside `region` is also visible at the end of `region`.
    pub(crate) fn is_visible_from(&self, func: &Function, value: Value, region: RegionId) -> bool {
        self.region_of_value(func, value).is_some_and(|parent| self.is_inside(region, parent))
    }
}
