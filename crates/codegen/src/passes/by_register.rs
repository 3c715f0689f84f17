//! Lists kept by register.

use crate::ir::{File, Function};
use crate::lists::Lists;

/// A list for each virtual register, and one for all general registers.
pub(crate) struct ByRegister<T> {
    lists: Lists<T>,
    /// Lists that may not be empty.
    used: Vec<usize>,
}

impl<T> ByRegister<T> {
    /// Empty lists for the registers that a function has now.
    pub(crate) fn new(function: &Function) -> ByRegister<T> {
        let lists = Lists::with_room(function.vregs.len() + 1, 64);
        ByRegister { lists, used: Vec::with_capacity(64) }
    }

    fn index(file: File) -> Option<usize> {
        match file {
            File::Grf => Some(0),
            File::Vgrf(vreg) => Some(vreg.index() + 1),
            _ => None,
        }
    }

    /// The list of a register, newest first; empty for other files.
    pub(crate) fn of(&self, file: File) -> impl Iterator<Item = &T> {
        Self::index(file).into_iter().flat_map(|index| self.lists.of(index))
    }

    /// Whether nothing is kept for a register.
    pub(crate) fn is_empty(&self, file: File) -> bool {
        Self::index(file).is_none_or(|index| self.lists.is_empty(index))
    }

    /// Takes what is not kept out of the list of a register.
    pub(crate) fn retain(&mut self, file: File, keep: impl FnMut(&T) -> bool) {
        if let Some(index) = Self::index(file) {
            self.lists.retain(index, keep);
        }
    }

    /// Adds to the list of a register; in other files nothing is kept.
    pub(crate) fn push(&mut self, file: File, value: T) {
        if let Some(index) = Self::index(file) {
            if self.lists.is_empty(index) {
                self.used.push(index);
            }
            self.lists.push(index, value);
        }
    }

    /// Empties all lists, in time for those that were added to.
    pub(crate) fn clear(&mut self) {
        self.lists.clear(self.used.drain(..));
    }
}
