//! Lifetimes of values. The slots of a value can be used again after its last use, so a long shader needs few slots.

use crate::ir::{Function, InstId, RegionId, Value};

/// For each value, the last instruction of its own region that uses it, directly or in nested regions.
pub(super) struct Lifetimes {
    /// By instruction: the values whose last use is in the instruction or in its regions.
    dying: Vec<Vec<Value>>,
    /// By value: whether it is used.
    used: Vec<bool>,
}

impl Lifetimes {
    /// Computes the lifetimes of all reachable values.
    pub(super) fn new(func: &Function) -> Lifetimes {
        let mut walk = Walk {
            func,
            region_of: vec![None; func.num_values()],
            at: vec![None; func.num_regions()],
            last: vec![None; func.num_values()],
        };
        walk.region(func.body());
        let mut dying = vec![Vec::new(); func.num_insts()];
        let mut used = vec![false; func.num_values()];
        for (index, last) in walk.last.iter().enumerate() {
            if let Some(inst) = last {
                dying[inst.index()].push(Value::from_index(index));
                used[index] = true;
            }
        }
        Lifetimes { dying, used }
    }

    /// The values that are not used after `inst`.
    pub(super) fn dying(&self, inst: InstId) -> &[Value] {
        &self.dying[inst.index()]
    }

    /// Whether the value is used.
    pub(super) fn is_used(&self, value: Value) -> bool {
        self.used[value.index()]
    }
}

struct Walk<'f> {
    func: &'f Function,
    /// By value: the region in which it is defined.
    region_of: Vec<Option<RegionId>>,
    /// By region: the instruction that the traversal has reached.
    at: Vec<Option<InstId>>,
    /// By value: the last use found so far.
    last: Vec<Option<InstId>>,
}

impl Walk<'_> {
    /// Visits a region. A use inside a nested region counts as a use by the instruction that owns it, in the value's
    /// region.
    fn region(&mut self, region: RegionId) {
        let func = self.func;
        for &param in &func.region(region).params {
            self.region_of[param.index()] = Some(region);
        }
        for &inst in &func.region(region).insts {
            self.at[region.index()] = Some(inst);
            let data = func.inst(inst);
            data.kind.for_each_src(|src| {
                let value = src.value.index();
                let region = self.region_of[value];
                self.last[value] = region.and_then(|region| self.at[region.index()]);
            });
            for nested in data.kind.regions() {
                self.region(nested);
            }
            for &result in &data.results {
                self.region_of[result.index()] = Some(region);
            }
        }
    }
}
