//! Sets of small numbers, one bit each.

/// An empty set of numbers below `len`.
pub(super) fn empty(len: usize) -> Vec<u64> {
    vec![0; len.div_ceil(64)]
}

pub(super) fn insert(set: &mut [u64], index: usize) {
    set[index / 64] |= 1 << (index % 64);
}

pub(super) fn contains(set: &[u64], index: usize) -> bool {
    set[index / 64] >> (index % 64) & 1 == 1
}

/// Adds all of `other`; says whether anything was new.
pub(super) fn union(set: &mut [u64], other: &[u64]) -> bool {
    let mut new = 0;
    for (word, other) in set.iter_mut().zip(other) {
        new |= other & !*word;
        *word |= other;
    }
    new != 0
}

pub(super) fn intersect(set: &mut [u64], other: &[u64]) {
    for (word, other) in set.iter_mut().zip(other) {
        *word &= other;
    }
}

/// Its numbers, ascending.
pub(super) fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| index * 64 + rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(bit)
        })
    })
}

/// Sets of numbers below the same bound, one a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BitMatrix {
    words: usize,
    bits: Vec<u64>,
}

impl BitMatrix {
    /// `rows` empty sets of numbers below `columns`.
    pub(super) fn new(rows: usize, columns: usize) -> BitMatrix {
        let words = columns.div_ceil(64);
        BitMatrix { words, bits: vec![0; rows * words] }
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.bits[row * self.words..(row + 1) * self.words]
    }

    /// Adds the set of another row.
    pub(super) fn union_row(&mut self, row: usize, other: usize) {
        for word in 0..self.words {
            self.bits[row * self.words + word] |= self.bits[other * self.words + word];
        }
    }
}
