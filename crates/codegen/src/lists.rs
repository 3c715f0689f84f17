//! Many short lists in one allocation.

use std::num::NonZeroU32;

/// A fixed number of linked lists whose entries are in one vector; the newest entry of a list comes first.
#[derive(Clone, Debug)]
pub(crate) struct Lists<T> {
    heads: Vec<Link>,
    pool: Vec<(T, Link)>,
}

/// Index of an entry in the pool plus one; `None` at the end of a list.
type Link = Option<NonZeroU32>;

fn place(link: NonZeroU32) -> usize {
    link.get() as usize - 1
}

impl<T> Lists<T> {
    /// `count` empty lists.
    pub(crate) fn new(count: usize) -> Lists<T> {
        Lists::with_room(count, 0)
    }

    /// `count` empty lists, with capacity for `entries` entries in all.
    pub(crate) fn with_room(count: usize, entries: usize) -> Lists<T> {
        Lists { heads: vec![None; count], pool: Vec::with_capacity(entries) }
    }

    fn entry(&self, link: Link) -> Option<&(T, Link)> {
        link.map(|link| &self.pool[place(link)])
    }

    /// The entries of a list, newest first.
    pub(crate) fn of(&self, list: usize) -> impl Iterator<Item = &T> {
        let mut next = self.heads[list];
        std::iter::from_fn(move || {
            let (value, link) = self.entry(next)?;
            next = *link;
            Some(value)
        })
    }

    pub(crate) fn is_empty(&self, list: usize) -> bool {
        self.heads[list].is_none()
    }

    /// The newest entry of a list.
    #[inline]
    pub(crate) fn newest_mut(&mut self, list: usize) -> Option<&mut T> {
        self.heads[list].map(|link| &mut self.pool[place(link)].0)
    }

    /// Adds an entry to a list.
    #[inline]
    pub(crate) fn push(&mut self, list: usize, value: T) {
        self.pool.push((value, self.heads[list]));
        self.heads[list] = NonZeroU32::new(self.pool.len() as u32);
    }

    /// Removes the entries of a list for which `keep` returns false.
    pub(crate) fn retain(&mut self, list: usize, mut keep: impl FnMut(&T) -> bool) {
        let mut before: Link = None;
        let mut at = self.heads[list];
        while let Some((value, next)) = self.entry(at) {
            let next = *next;
            if keep(value) {
                before = at;
            } else {
                match before {
                    Some(before) => self.pool[place(before)].1 = next,
                    None => self.heads[list] = next,
                }
            }
            at = next;
        }
    }

    /// Empties a list.
    pub(crate) fn forget(&mut self, list: usize) {
        self.heads[list] = None;
    }

    /// Empties all lists. `used` must contain every list that has entries.
    pub(crate) fn clear(&mut self, used: impl Iterator<Item = usize>) {
        used.for_each(|list| self.forget(list));
        self.pool.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(lists: &Lists<u32>, list: usize) -> Vec<u32> {
        lists.of(list).copied().collect()
    }

    #[test]
    fn entries_are_linked_and_unlinked() {
        let mut lists = Lists::new(2);
        (0..6).for_each(|value| lists.push(value as usize % 2, value));
        assert_eq!((list(&lists, 0), list(&lists, 1)), (vec![4, 2, 0], vec![5, 3, 1]));
        lists.retain(0, |value| *value != 2);
        lists.retain(1, |value| *value == 1);
        assert_eq!((list(&lists, 0), list(&lists, 1)), (vec![4, 0], vec![1]));
        lists.retain(0, |value| *value != 4);
        lists.push(0, 7);
        assert_eq!(list(&lists, 0), [7, 0]);
        lists.clear(0..2);
        assert!(lists.is_empty(0) && lists.is_empty(1));
    }
}
