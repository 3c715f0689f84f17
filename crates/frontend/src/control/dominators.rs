//! The dominators of the blocks of a function.

use rspirv::spirv::Op;

use crate::spirv::{Func, Globals, Inst, Module, Type};

/// The blocks that control can reach, and which of them dominate others.
pub(super) struct Dominators {
    /// The position of each block in reverse postorder; `usize::MAX` if control cannot reach it.
    pub(super) position: Vec<usize>,
    /// Number of branches from earlier blocks to each block.
    pub(super) entries: Vec<usize>,
    /// The immediate dominator of each block that control can reach; that of the entry is the entry.
    parent: Vec<usize>,
}

impl Dominators {
    pub(super) fn of(module: &Module<'_>, globals: &Globals, func: &Func) -> Dominators {
        let successors: Vec<Vec<usize>> =
            (0..func.blocks.len()).map(|block| successors(module, globals, func, block)).collect();
        // Postorder without recursion: each block with the number of its successors visited so far.
        let mut order = Vec::new();
        let mut seen = vec![false; successors.len()];
        let mut open = vec![(0, 0)];
        seen[0] = true;
        while let Some((block, visited)) = open.last_mut() {
            match successors[*block].get(*visited) {
                Some(&next) => {
                    *visited += 1;
                    if !std::mem::replace(&mut seen[next], true) {
                        open.push((next, 0));
                    }
                }
                None => {
                    order.push(*block);
                    open.pop();
                }
            }
        }
        order.reverse();
        let mut position = vec![usize::MAX; successors.len()];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); successors.len()];
        for (at, &block) in order.iter().enumerate() {
            position[block] = at;
            successors[block].iter().for_each(|&next| before[next].push(block));
        }
        let earlier = |block: usize| {
            before[block].iter().filter(|&&other| position[other] < position[block]).count()
        };
        let entries = (0..successors.len()).map(earlier).collect();
        let mut found =
            Dominators { position, entries, parent: vec![usize::MAX; successors.len()] };
        found.parent[0] = 0;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &block in &order[1..] {
                let known =
                    before[block].iter().filter(|&&other| found.parent[other] != usize::MAX);
                let common = known.copied().reduce(|a, b| found.common(a, b)).unwrap_or(0);
                changed |= std::mem::replace(&mut found.parent[block], common) != common;
            }
        }
        found
    }

    /// Whether control can reach both blocks, the first one before the second in reverse postorder.
    pub(super) fn is_before(&self, first: usize, second: usize) -> bool {
        self.position[first] < self.position[second] && self.position[second] != usize::MAX
    }

    /// The nearest block that dominates both.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            match self.position[a] > self.position[b] {
                true => a = self.parent[a],
                false => b = self.parent[b],
            }
        }
        a
    }

    /// The immediate dominator of a block; `None` for the entry and for blocks that control cannot reach.
    pub(super) fn immediate(&self, block: usize) -> Option<usize> {
        (block != 0).then(|| self.parent[block]).filter(|&parent| parent != usize::MAX)
    }
}

/// The blocks to which control goes after a block.
pub(super) fn successors(
    module: &Module<'_>,
    globals: &Globals,
    func: &Func,
    block: usize,
) -> Vec<usize> {
    let inst = module.insts[func.blocks[block].terminator];
    let labels: Vec<u32> = match inst.op {
        Op::Branch => inst.rest(0).to_vec(),
        Op::BranchConditional => inst.rest(1).iter().copied().take(2).collect(),
        Op::Switch => {
            let words = selector_bits(module, globals, &inst).map_or(1, literal_words);
            let targets = inst.rest(2).chunks_exact(words + 1).map(|pair| pair[words]);
            inst.rest(1).iter().copied().take(1).chain(targets).collect()
        }
        _ => Vec::new(),
    };
    labels.iter().filter_map(|label| func.by_label.get(label).copied()).collect()
}

/// Number of words of each literal of a switch whose selector has this many bits.
pub(super) fn literal_words(bits: u32) -> usize {
    bits.div_ceil(32) as usize
}

/// Number of bits of the selector of a switch; `None` if it is no integer.
pub(super) fn selector_bits(
    module: &Module<'_>,
    globals: &Globals,
    inst: &Inst<'_>,
) -> Option<u32> {
    let selector = inst.operands.first().and_then(|&id| module.def(id)).map_or(0, |def| def.ty);
    match globals.types.get(selector) {
        Some(Type::Int { bits, .. }) => Some(*bits),
        _ => None,
    }
}
