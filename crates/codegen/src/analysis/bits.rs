//! Sparse sets of numbers.

use std::cmp::Ordering;

/// The numbers of the set bits of a word whose lowest bit has number `first`.
fn bits_of(word: u64, first: usize) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let bit = (rest != 0).then(|| first + rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(bit)
    })
}

/// A set of numbers as 64-bit words, stored only for words that are not zero. Unlike `FixedBitSet`, its size does not
/// depend on the largest possible number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SparseSet {
    /// Index and bits of each word, by ascending index; no word is zero.
    words: Vec<(u32, u64)>,
}

impl SparseSet {
    /// The set of `numbers`, which may be in any order and contain duplicates.
    pub(super) fn of(numbers: &mut [u32]) -> SparseSet {
        numbers.sort_unstable();
        let mut words: Vec<(u32, u64)> = Vec::new();
        for number in &*numbers {
            let (index, bit) = (number / 64, 1 << (number % 64));
            match words.last_mut() {
                Some((last, word)) if *last == index => *word |= bit,
                _ => words.push((index, bit)),
            }
        }
        SparseSet { words }
    }

    /// Adds all members of `other`; returns whether any was new.
    pub(super) fn union(&mut self, other: &SparseSet) -> bool {
        self.merge(other, |_, word| word)
    }

    /// Adds the members of `other` that are not in `except`; returns whether any was new.
    pub(super) fn union_without(&mut self, other: &SparseSet, except: &SparseSet) -> bool {
        let mut except = Cursor::new(except);
        self.merge(other, |index, word| word & !except.word(index))
    }

    /// Adds the members of `other` that are also in `filter`; returns whether any was new.
    pub(super) fn union_within(&mut self, other: &SparseSet, filter: &SparseSet) -> bool {
        let mut filter = Cursor::new(filter);
        self.merge(other, |index, word| word & filter.word(index))
    }

    /// The members, ascending.
    pub(super) fn members(&self) -> impl Iterator<Item = usize> {
        self.words.iter().flat_map(|&(index, word)| bits_of(word, index as usize * 64))
    }

    /// Adds the bits that `part` returns for each word of `other`; returns whether any was new.
    fn merge(&mut self, other: &SparseSet, mut part: impl FnMut(u32, u64) -> u64) -> bool {
        let mut at = 0;
        let mut grew = false;
        // Words with an index that this set does not have yet, ascending. They are merged in at the end.
        let mut fresh: Vec<(u32, u64)> = Vec::new();
        for &(index, word) in &other.words {
            let word = part(index, word);
            if word == 0 {
                continue;
            }
            while self.words.get(at).is_some_and(|(own, _)| *own < index) {
                at += 1;
            }
            match self.words.get_mut(at) {
                Some((own, bits)) if *own == index => {
                    grew |= word & !*bits != 0;
                    *bits |= word;
                }
                _ => fresh.push((index, word)),
            }
        }
        if fresh.is_empty() {
            return grew;
        }
        if self.words.last().is_none_or(|(last, _)| *last < fresh[0].0) {
            self.words.append(&mut fresh);
        } else {
            self.words.append(&mut fresh);
            self.words.sort_unstable_by_key(|(index, _)| *index);
        }
        true
    }
}

/// Reads the words of a set in ascending order.
struct Cursor<'a> {
    rest: &'a [(u32, u64)],
}

impl<'a> Cursor<'a> {
    fn new(set: &'a SparseSet) -> Cursor<'a> {
        Cursor { rest: &set.words }
    }

    /// The word with an index, which must not be lower than that of the call before; 0 if there is none.
    fn word(&mut self, index: u32) -> u64 {
        while let [(own, word), rest @ ..] = self.rest {
            match own.cmp(&index) {
                Ordering::Less => self.rest = rest,
                Ordering::Equal => return *word,
                Ordering::Greater => break,
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u32]) -> SparseSet {
        SparseSet::of(&mut numbers.to_vec())
    }

    fn members(set: &SparseSet) -> Vec<usize> {
        set.members().collect()
    }

    #[test]
    fn sparse_sets_are_sets() {
        let mut all = set(&[700, 3, 64, 3]);
        assert_eq!(members(&all), [3, 64, 700]);
        assert!(all.union(&set(&[1, 200])));
        assert!(!all.union(&set(&[3, 200])));
        assert_eq!(members(&all), [1, 3, 64, 200, 700]);
        assert!(all.union_without(&set(&[2, 300, 900]), &set(&[300])));
        assert_eq!(members(&all), [1, 2, 3, 64, 200, 700, 900]);
        assert!(!all.union_within(&set(&[4, 301, 901]), &set(&[3, 300, 900])));
        assert!(all.union_within(&set(&[4, 301]), &set(&[4, 5])));
        assert_eq!(members(&all), [1, 2, 3, 4, 64, 200, 700, 900]);
        assert_eq!(all, set(&[900, 700, 200, 64, 4, 3, 2, 1]));
    }
}
