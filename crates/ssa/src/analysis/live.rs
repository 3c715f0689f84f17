//! An estimate of how much is live at each place of a function.

use crate::analysis::RegionTree;
use crate::ir::{Function, InstId, InstKind, RegionId, Value, ValueDef};

/// The weight of the values that are live at each instruction. A value is live from its definition to its last use in the
/// order of the code; if that is in a loop around which the value lives, to the end of the loop.
#[derive(Clone, Debug)]
pub struct Live {
    /// By instruction: its position in the order of the code, and the position of the last instruction in its regions.
    /// Zeros for instructions that are not reachable.
    spans: Vec<(u32, u32)>,
    /// By position: the weight of the live values.
    weights: Vec<u32>,
    most: u32,
}

impl Live {
    /// Analyses a function, where `tree` is its nesting, and `weight` the weight of each value.
    pub fn new(func: &Function, tree: &RegionTree, weight: &dyn Fn(Value) -> u32) -> Live {
        let mut spans = vec![(0, 0); func.num_insts()];
        for (at, &inst) in tree.insts().iter().enumerate() {
            spans[inst.index()] = (at as u32, at as u32);
        }
        for &(end, region) in tree.ends() {
            let at = spans[end.index()].1;
            let mut inner = tree.region(region);
            while let Some((owner, around)) = inner.and_then(|info| info.parent) {
                let last = &mut spans[owner.index()].1;
                *last = at.max(*last);
                inner = tree.region(around);
            }
        }
        let mut live = Live { spans, weights: vec![0; tree.insts().len() + 1], most: 0 };
        let mut last_use: Vec<Option<u32>> = vec![None; func.num_values()];
        for &inst in tree.insts() {
            func.inst(inst).kind.for_each_src(|src| {
                let end = live.end_of_use(func, tree, src.value, inst);
                let last = &mut last_use[src.value.index()];
                *last = Some(last.map_or(end, |last| last.max(end)));
            });
        }
        // The changes from each position to the next come first.
        let mut changes = vec![0i64; live.weights.len() + 1];
        for (index, last) in last_use.iter().enumerate() {
            let value = Value::from_index(index);
            if let Some(last) = *last {
                let weight = i64::from(weight(value));
                let start = live.definition(func, tree, value);
                changes[start as usize] += weight;
                changes[last.max(start) as usize + 1] -= weight;
            }
        }
        let mut now = 0;
        for (weight, change) in live.weights.iter_mut().zip(changes) {
            now += change;
            *weight = u32::try_from(now).unwrap_or(u32::MAX);
            live.most = live.most.max(*weight);
        }
        live
    }

    /// The position of an instruction in the order of the code.
    pub fn position(&self, inst: InstId) -> u32 {
        self.spans[inst.index()].0
    }

    /// The greatest weight at any instruction.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// The greatest weight at an instruction and in the regions that it owns.
    pub fn most_in(&self, inst: InstId) -> u32 {
        let (start, end) = self.spans[inst.index()];
        let range = self.weights.get(start as usize..=end as usize).unwrap_or_default();
        range.iter().copied().max().unwrap_or(0)
    }

    /// The position at which a value is defined: the end of the regions of an instruction that owns some.
    fn definition(&self, func: &Function, tree: &RegionTree, value: Value) -> u32 {
        match func.value(value).def {
            ValueDef::Result { inst, .. } => self.spans[inst.index()].1,
            ValueDef::Param { region, .. } => self.start_of(tree, region),
        }
    }

    /// The position of the owner of a region.
    fn start_of(&self, tree: &RegionTree, region: RegionId) -> u32 {
        let owner = tree.region(region).and_then(|info| info.parent);
        owner.map_or(0, |(owner, _)| self.spans[owner.index()].0)
    }

    /// The position up to which a use by `inst` keeps a value live.
    fn end_of_use(&self, func: &Function, tree: &RegionTree, value: Value, inst: InstId) -> u32 {
        let start = self.definition(func, tree, value);
        let mut end = self.spans[inst.index()].0;
        let mut region = tree.region_of(inst);
        while let Some((owner, around)) =
            region.and_then(|region| tree.region(region)).and_then(|info| info.parent)
        {
            let (first, last) = self.spans[owner.index()];
            if first < start {
                break;
            }
            // A parameter is defined at the loop itself, where its values of all iterations are.
            let is_param = matches!(func.value(value).def, ValueDef::Param { .. });
            if matches!(func.inst(owner).kind, InstKind::Loop { .. })
                && !(is_param && first == start)
            {
                end = last;
            }
            region = Some(around);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    #[test]
    fn values_live_to_the_end_of_loops_that_read_them() {
        let text = "compute \"t\" {
            local_size 1, 1, 1
            binding b0: ssbo set 0 binding 0 \"out\"
            %0: 32 = const 0
            %1: 32 = load ssbo b0, %0, align 4
            %2: 32 = loop (%3: 32 = %0) {
                %4: 32 = iadd %3, %1
                %5: 32 = load ssbo b0, %4, align 4
                %6: 1 = ieq %5, %0
                if %6 {
                    break %4
                } else {
                    yield
                }
                continue %5
            }
            store ssbo b0, %0, %2, align 4
            return
        }";
        let shader = parse(text).expect("a shader");
        let func = &shader.func;
        let tree = RegionTree::new(func);
        let is_dword = |value: Value| u32::from(func.as_const(value).is_none());
        let live = Live::new(func, &tree, &is_dword);
        // In order: two values before the loop, the loop, three values, the branch, its two ends, the end of the loop,
        // the store and the return. %1 is live in the whole loop, although its last use is its first instruction.
        assert_eq!(live.weights[..12], [0, 1, 2, 3, 3, 4, 4, 3, 2, 3, 1, 0]);
        let owner = |inst: &&InstId| func.inst(**inst).kind.owns_regions();
        let of_loop = tree.insts().iter().find(owner).expect("the loop");
        assert_eq!(live.most_in(*of_loop), 4);
    }
}
