//! The choice of the ranges of uniform buffers that the payload has.
//!
//! The hardware can fill constant registers from up to four ranges of memory (`3DSTATE_CONSTANT_*`, in units of 32 bytes). One is for the
//! push constants and what else the driver computes; the others are for ranges of uniform buffers.

use std::collections::{BTreeMap, BTreeSet};

use crestline_program::GRF_BYTES;
use crestline_ssa::ir::BindingId;

/// Largest number of ranges.
const MAX_RANGES: usize = 3;

/// Largest number of registers of all ranges together.
const MAX_REGISTERS: u32 = 32;

/// Largest number of registers between two reads of one range that no read needs.
const MAX_GAP: u32 = 2;

/// The reads of uniform buffers at offsets known at compile time: for each buffer, the numbers of the blocks of
/// [`GRF_BYTES`] bytes that are read.
#[derive(Default)]
pub(super) struct BufferReads {
    blocks: BTreeMap<BindingId, BTreeSet<u32>>,
}

/// Whole blocks of a uniform buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BufferRange {
    pub(super) binding: BindingId,
    /// The first block.
    first: u32,
    /// The number of blocks.
    count: u32,
    /// Number of these blocks that are read.
    used: u32,
}

impl BufferRange {
    /// The first byte.
    pub(super) const fn start(self) -> u32 {
        self.first * GRF_BYTES
    }

    /// The size in bytes.
    pub(super) const fn bytes(self) -> u32 {
        self.count * GRF_BYTES
    }
}

impl BufferReads {
    /// Adds a read of `bytes` bytes from byte `first` on.
    pub(super) fn add(&mut self, binding: BindingId, first: u32, bytes: u32) {
        let Some(last) = bytes.checked_sub(1).and_then(|more| first.checked_add(more)) else {
            return;
        };
        self.blocks.entry(binding).or_default().extend(first / GRF_BYTES..=last / GRF_BYTES);
    }

    /// The ranges of which most blocks are read, by binding and position, in at most `room` registers.
    pub(super) fn best_ranges(&self, room: u32) -> Vec<BufferRange> {
        let mut room = room.min(MAX_REGISTERS);
        let mut ranges: Vec<BufferRange> =
            self.blocks.iter().flat_map(|(&binding, blocks)| runs(binding, blocks)).collect();
        // The sort is stable, so of equal ranges the first comes first.
        ranges.sort_by_key(|range| std::cmp::Reverse(range.used));
        let mut best = Vec::new();
        for mut range in ranges {
            if range.count > room {
                range.count = room;
                let blocks = &self.blocks[&range.binding];
                range.used = blocks.range(range.first..range.first + room).count() as u32;
            }
            if range.count > 0 && best.len() < MAX_RANGES {
                room -= range.count;
                best.push(range);
            }
        }
        best.sort_by_key(|range| (range.binding, range.first));
        best
    }
}

/// The ranges of one buffer: sets of blocks with gaps of at most [`MAX_GAP`] blocks.
fn runs(binding: BindingId, blocks: &BTreeSet<u32>) -> Vec<BufferRange> {
    let mut runs: Vec<BufferRange> = Vec::new();
    for &block in blocks {
        match runs.last_mut() {
            Some(run) if block - (run.first + run.count) <= MAX_GAP => {
                run.count = block + 1 - run.first;
                run.used += 1;
            }
            _ => runs.push(BufferRange { binding, first: block, count: 1, used: 1 }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(of: &[(u32, u32, u32)]) -> BufferReads {
        let mut reads = BufferReads::default();
        for &(binding, first, bytes) in of {
            reads.add(BindingId::from_index(binding as usize), first, bytes);
        }
        reads
    }

    /// Binding, first block and number of blocks of the best ranges.
    fn best(of: &[(u32, u32, u32)], room: u32) -> Vec<(usize, u32, u32)> {
        let ranges = reads(of).best_ranges(room);
        ranges.iter().map(|range| (range.binding.index(), range.first, range.count)).collect()
    }

    #[test]
    fn a_read_takes_the_blocks_it_touches() {
        assert_eq!(best(&[(0, 40, 4)], 99), [(0, 1, 1)]);
        assert_eq!(best(&[(0, 28, 8)], 99), [(0, 0, 2)]);
        assert_eq!(best(&[(0, 0, 0), (0, u32::MAX, 4)], 99), []);
    }

    #[test]
    fn small_gaps_belong_to_a_range() {
        assert_eq!(best(&[(0, 0, 16), (0, 96, 16)], 99), [(0, 0, 4)]);
        assert_eq!(best(&[(0, 0, 16), (0, 128, 16)], 99), [(0, 0, 1), (0, 4, 1)]);
    }

    #[test]
    fn the_most_read_ranges_come_first() {
        let reads = [(0, 0, 16), (1, 0, 128), (2, 0, 64), (2, 1024, 96)];
        assert_eq!(best(&reads, 99), [(1, 0, 4), (2, 0, 2), (2, 32, 3)]);
    }

    #[test]
    fn the_room_is_limited() {
        assert_eq!(best(&[(0, 0, 4096)], 99), [(0, 0, MAX_REGISTERS)]);
        assert_eq!(best(&[(0, 0, 4096)], 3), [(0, 0, 3)]);
        assert_eq!(best(&[(0, 0, 64), (1, 0, 64)], 3), [(0, 0, 2), (1, 0, 1)]);
        assert_eq!(best(&[(0, 0, 64)], 0), []);
    }
}
