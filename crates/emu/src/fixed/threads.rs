//! From the blocks that a primitive covers to threads.

use crate::dispatch::EntryPoints;
use crate::pixels::Block;

/// Distributes the blocks of a primitive to threads: the number of the entry point and the blocks of each.
pub(super) fn split(
    points: &EntryPoints<'_>,
    blocks: &[Block],
    width: Option<u32>,
) -> Vec<(usize, Vec<Block>)> {
    match (points.per_sample(), points.has_fixed_samples()) {
        (true, true) => fixed_samples(points, blocks, width),
        (true, false) => {
            let samples = 0..points.samples as u8;
            let one = |block: &Block, sample: u8| Block { sample: Some(sample), ..*block };
            let all = blocks
                .iter()
                .flat_map(|block| samples.clone().map(move |sample| one(block, sample)))
                // The hardware runs a block only for samples of which it computes something.
                .filter(|block| block.mask() != 0);
            in_order(points, &all.collect::<Vec<_>>(), width)
        }
        (false, _) => in_order(points, blocks, width),
    }
}

/// Threads of consecutive blocks.
fn in_order(
    points: &EntryPoints<'_>,
    mut rest: &[Block],
    width: Option<u32>,
) -> Vec<(usize, Vec<Block>)> {
    let mut threads = Vec::new();
    while let Some((entry, size)) = points.choose(rest.len(), width).filter(|_| !rest.is_empty()) {
        let (now, later) = rest.split_at(size.min(rest.len()));
        threads.push((entry, now.to_vec()));
        rest = later;
    }
    threads
}

/// The threads of a shader that runs once for each sample, where the samples follow from the number of the first one: each
/// thread of SIMD8 has two consecutive samples of a block, each half of a wider one has four. All halves have the same samples,
/// because the thread has one number of the first one.
fn fixed_samples(
    points: &EntryPoints<'_>,
    blocks: &[Block],
    width: Option<u32>,
) -> Vec<(usize, Vec<Block>)> {
    let Some((entry, size)) = points.choose(usize::MAX, width) else { return Vec::new() };
    let together = size.min(4);
    let mut threads = Vec::new();
    for group in blocks.chunks(size / together) {
        for first in (0..points.samples as usize).step_by(together) {
            let one = |block: &Block, sample: usize| Block { sample: Some(sample as u8), ..*block };
            let blocks: Vec<Block> = (group.iter())
                .flat_map(|block| (first..first + together).map(move |sample| one(block, sample)))
                .collect();
            if blocks.iter().any(|block| block.mask() != 0) {
                threads.push((entry, blocks));
            }
        }
    }
    threads
}
