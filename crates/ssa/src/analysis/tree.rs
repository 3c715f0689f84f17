//! The nesting of regions and instructions.

use crate::ir::{Function, InstId, InstKind, RegionId};

/// The surroundings of a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionInfo {
    /// The instruction that owns the region, and the region that this instruction is in; `None` for the outermost
    /// region.
    pub parent: Option<(InstId, RegionId)>,
    /// The innermost loop around the region's instructions.
    pub innermost_loop: Option<InstId>,
    /// Number of regions around this one.
    pub depth: u32,
    /// Number of loops around this one.
    pub loop_depth: u32,
}

/// The nesting of all reachable instructions and regions.
#[derive(Clone, Debug)]
pub struct RegionTree {
    /// For each region, its surroundings if it is reachable.
    regions: Vec<Option<RegionInfo>>,
    /// The reachable instructions in the order of the code.
    insts: Vec<InstId>,
    /// For each instruction, its region if it is reachable.
    region_of: Vec<Option<RegionId>>,
    /// The last instruction of each region.
    ends: Vec<(InstId, RegionId)>,
}

impl RegionTree {
    /// Traverses the reachable code of a function.
    pub fn new(func: &Function) -> RegionTree {
        let mut tree = RegionTree {
            regions: vec![None; func.num_regions()],
            insts: Vec::with_capacity(func.num_insts()),
            region_of: vec![None; func.num_insts()],
            ends: Vec::with_capacity(func.num_regions()),
        };
        tree.walk(func, func.body(), RegionInfo::default());
        tree
    }

    /// Records a region with these surroundings, its instructions, and the regions in it.
    fn walk(&mut self, func: &Function, region: RegionId, info: RegionInfo) {
        self.regions[region.index()] = Some(info);
        let insts = &func.region(region).insts;
        for &inst in insts {
            self.insts.push(inst);
            self.region_of[inst.index()] = Some(region);
            let kind = &func.inst(inst).kind;
            if !kind.owns_regions() {
                continue;
            }
            let mut inside =
                RegionInfo { parent: Some((inst, region)), depth: info.depth + 1, ..info };
            if let InstKind::Loop { .. } = kind {
                inside.innermost_loop = Some(inst);
                inside.loop_depth += 1;
            }
            for nested in kind.regions() {
                self.walk(func, nested, inside);
            }
        }
        self.ends.extend(insts.last().map(|&end| (end, region)));
    }

    /// The reachable instructions in the order of the code. The owner of a region comes before the region's
    /// instructions.
    pub fn insts(&self) -> &[InstId] {
        &self.insts
    }

    /// The last instruction of each reachable region, with the region, in the order of the code.
    pub fn ends(&self) -> &[(InstId, RegionId)] {
        &self.ends
    }

    /// The surroundings of a region; `None` if it is not reachable.
    pub fn region(&self, region: RegionId) -> Option<&RegionInfo> {
        self.regions[region.index()].as_ref()
    }

    /// The region that holds an instruction; `None` if the instruction is not reachable.
    pub fn region_of(&self, inst: InstId) -> Option<RegionId> {
        self.region_of[inst.index()]
    }

    /// Whether `inner` is `outer` or is nested in it.
    pub fn contains(&self, outer: RegionId, inner: RegionId) -> bool {
        let mut at = Some(inner);
        while let Some(region) = at {
            if region == outer {
                return true;
            }
            at = self.region(region).and_then(|info| info.parent).map(|(_, region)| region);
        }
        false
    }
}
