//! Lists kept by register.

use crate::ir::{File, Function};

/// A list for each virtual register, and one for all general registers, all linked through one
/// pool.
pub(crate) struct ByRegister<T> {
    /// The newest entry of each list.
    heads: Vec<Link>,
    pool: Vec<(T, Link)>,
    /// Lists that were added to.
    used: Vec<usize>,
}

/// Place of an entry in the pool.
type Link = Option<std::num::NonZeroU32>;

impl<T> ByRegister<T> {
    /// Empty lists for the registers that a function has now.
    pub(crate) fn new(function: &Function) -> ByRegister<T> {
        ByRegister {
            heads: vec![None; function.vregs.len() + 1],
            pool: Vec::new(),
            used: Vec::new(),
        }
    }

    fn index(file: File) -> Option<usize> {
        match file {
            File::Grf => Some(0),
            File::Vgrf(vreg) => Some(vreg.0 as usize + 1),
            _ => None,
        }
    }

    fn entry(&self, link: Link) -> Option<&(T, Link)> {
        self.pool.get(link?.get() as usize - 1)
    }

    /// The list of a register, newest first; empty for other files.
    pub(crate) fn of(&self, file: File) -> impl Iterator<Item = &T> {
        let mut next = Self::index(file).and_then(|index| self.heads[index]);
        std::iter::from_fn(move || {
            let (value, link) = self.entry(next)?;
            next = *link;
            Some(value)
        })
    }

    /// Takes what is not kept out of the list of a register.
    pub(crate) fn retain(&mut self, file: File, mut keep: impl FnMut(&T) -> bool) {
        let Some(index) = Self::index(file) else { return };
        let mut before: Link = None;
        let mut at = self.heads[index];
        while let Some((value, next)) = self.entry(at) {
            let next = *next;
            if keep(value) {
                before = at;
            } else {
                match before {
                    Some(before) => self.pool[before.get() as usize - 1].1 = next,
                    None => self.heads[index] = next,
                }
            }
            at = next;
        }
    }

    /// Adds to the list of a register; in other files nothing is kept.
    pub(crate) fn push(&mut self, file: File, value: T) {
        if let Some(index) = Self::index(file) {
            let next = self.heads[index].take();
            if next.is_none() {
                self.used.push(index);
            }
            self.pool.push((value, next));
            self.heads[index] = std::num::NonZeroU32::new(self.pool.len() as u32);
        }
    }

    /// Empties all lists, in time for those that were added to.
    pub(crate) fn clear(&mut self) {
        for index in self.used.drain(..) {
            self.heads[index] = None;
        }
        self.pool.clear();
    }
}
