//! The uses of each value: their number, and the instructions.

use crate::analysis::RegionTree;
use crate::ir::{Function, InstId, Value};

/// Number of sources that read each value, by [`Value::index`]. A source that reads several components counts once.
pub fn use_counts(func: &Function) -> Vec<u32> {
    let mut counts = vec![0; func.num_values()];
    let mut regions = vec![func.body()];
    while let Some(region) = regions.pop() {
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            kind.for_each_src(|src| counts[src.value.index()] += 1);
            if kind.owns_regions() {
                regions.extend(kind.regions());
            }
        }
    }
    counts
}

/// The instructions that use each value, stored as one array with an index.
#[derive(Clone, Debug)]
pub struct Users {
    /// Index in `insts` of the first user of value number `i`. There is one more entry, the end of the last list.
    starts: Vec<u32>,
    insts: Vec<InstId>,
}

impl Users {
    /// Finds the users of all values in the reachable code.
    pub fn new(func: &Function) -> Users {
        Users::with_tree(func, &RegionTree::new(func))
    }

    /// Finds the users of all values among the instructions of `tree`.
    pub(super) fn with_tree(func: &Function, tree: &RegionTree) -> Users {
        let mut starts = vec![0; func.num_values() + 1];
        for &inst in tree.insts() {
            func.inst(inst).kind.for_each_src(|src| starts[src.value.index() + 1] += 1);
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut insts = vec![InstId::from_index(0); starts.last().map_or(0, |&n| n as usize)];
        for &inst in tree.insts() {
            func.inst(inst).kind.for_each_src(|src| {
                let place = &mut next[src.value.index()];
                insts[*place as usize] = inst;
                *place += 1;
            });
        }
        Users { starts, insts }
    }

    /// The instructions that use a value, in the order of the code. An instruction occurs once for each source that
    /// reads it.
    pub fn of(&self, value: Value) -> &[InstId] {
        let (start, end) = (self.starts[value.index()], self.starts[value.index() + 1]);
        &self.insts[start as usize..end as usize]
    }
}
