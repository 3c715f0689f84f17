//! Distributes the 2x2 blocks of pixels that a primitive covers to threads.

use crate::EmuError;
use crate::dispatch::EntryPoints;
use crate::pixels::Block;

/// The number of an entry point and the blocks of one of its threads.
type Each<'a> = dyn FnMut(usize, &[Block]) -> Result<(), EmuError> + 'a;

/// Distributes the blocks of a primitive to threads, and calls `each` for each thread with the number of its entry point
/// and its blocks. If the shader runs once for each sample, a block appears once for each sample that it computes.
/// `width`: see [`EntryPoints::choose`].
///
/// # Errors
/// The first error of `each`.
pub(super) fn split(
    points: &EntryPoints<'_>,
    blocks: &[Block],
    width: Option<u32>,
    each: &mut Each<'_>,
) -> Result<(), EmuError> {
    match (points.per_sample(), points.has_fixed_samples()) {
        (true, true) => fixed_samples(points, blocks, width, each),
        (true, false) => {
            let samples = 0..points.samples as u8;
            let one = |block: &Block, sample: u8| Block { sample: Some(sample), ..*block };
            let all = blocks
                .iter()
                .flat_map(|block| samples.clone().map(move |sample| one(block, sample)))
                // The hardware leaves out a block and sample if none of its four pixels has that sample.
                .filter(|block| block.mask() != 0);
            in_order(points, &all.collect::<Vec<_>>(), width, each)
        }
        (false, _) => in_order(points, blocks, width, each),
    }
}

/// Divides blocks into threads in their order. Each thread takes as many blocks as its entry point has room for.
fn in_order(
    points: &EntryPoints<'_>,
    mut rest: &[Block],
    width: Option<u32>,
    each: &mut Each<'_>,
) -> Result<(), EmuError> {
    while let Some((entry, size)) = points.choose(rest.len(), width).filter(|_| !rest.is_empty()) {
        let (now, later) = rest.split_at(size.min(rest.len()));
        each(entry, now)?;
        rest = later;
    }
    Ok(())
}

/// The threads of a shader that runs once for each sample, on devices whose payload has only the number of the thread's
/// first sample ([`EntryPoints::has_fixed_samples`]). A SIMD8 thread computes two consecutive samples of one block. A
/// half of a SIMD16 or SIMD32 thread computes four consecutive samples of one block. Both halves of a SIMD32 thread
/// compute the same samples (of two blocks), because the payload has one sample number for the thread. All blocks of a
/// thread are kept, even if some of them compute nothing.
fn fixed_samples(
    points: &EntryPoints<'_>,
    blocks: &[Block],
    width: Option<u32>,
    each: &mut Each<'_>,
) -> Result<(), EmuError> {
    let Some((entry, size)) = points.choose(usize::MAX, width) else { return Ok(()) };
    let together = size.min(4);
    for group in blocks.chunks(size / together) {
        for first in (0..points.samples as usize).step_by(together) {
            let one = |block: &Block, sample: usize| Block { sample: Some(sample as u8), ..*block };
            let blocks: Vec<Block> = (group.iter())
                .flat_map(|block| (first..first + together).map(move |sample| one(block, sample)))
                .collect();
            if blocks.iter().any(|block| block.mask() != 0) {
                each(entry, &blocks)?;
            }
        }
    }
    Ok(())
}
