//! The shortest and the longest path through a program.

use crestline_timing::{Block, GraphBlock};

/// Cycles of the shortest path from the first block to an end with one trip of each loop, and of the longest path with all
/// executions of each block that it passes. Saturates.
///
/// Branches backward are left out, so the blocks are in topological order.
pub(crate) fn bounds(graph: &[GraphBlock], blocks: &[Block]) -> (u64, u64) {
    // From each block to an end; the last blocks first.
    let mut bounds = vec![(0u64, 0u64); graph.len()];
    for (number, (node, block)) in graph.iter().zip(blocks).enumerate().rev() {
        let after = node.successors.iter().filter(|next| **next > number);
        let (mut shortest, mut longest) = (None, 0);
        for &next in after {
            let (short, long) = bounds[next];
            shortest = Some(shortest.map_or(short, |least: u64| least.min(short)));
            longest = longest.max(long);
        }
        bounds[number] = (
            block.cycles.saturating_add(shortest.unwrap_or(0)),
            block.cycles.saturating_mul(block.weight).saturating_add(longest),
        );
    }
    bounds.first().copied().unwrap_or_default()
}
