//! Lists of entries per register.

use crate::ir::{File, Function};
use crate::lists::Lists;

/// One list for each virtual register, and one list for all physical general registers together.
pub(crate) struct ByRegister<T> {
    lists: Lists<T>,
    /// Indices of lists that may have entries.
    used: Vec<usize>,
}

impl<T> ByRegister<T> {
    /// Empty lists for the virtual registers that a function has now.
    pub(crate) fn new(function: &Function) -> ByRegister<T> {
        let lists = Lists::with_room(function.vregs.len() + 1, 64);
        ByRegister { lists, used: Vec::with_capacity(64) }
    }

    /// Index of the list for a register; `None` for other files.
    fn index(file: File) -> Option<usize> {
        match file {
            File::Grf => Some(0),
            File::Vgrf(vreg) => Some(vreg.index() + 1),
            _ => None,
        }
    }

    /// The entries of a register's list, newest first; none for other files.
    pub(crate) fn of(&self, file: File) -> impl Iterator<Item = &T> {
        Self::index(file).into_iter().flat_map(|index| self.lists.of(index))
    }

    /// Whether a register's list is empty.
    pub(crate) fn is_empty(&self, file: File) -> bool {
        Self::index(file).is_none_or(|index| self.lists.is_empty(index))
    }

    /// Removes the entries of a register's list for which `keep` returns false.
    pub(crate) fn retain(&mut self, file: File, keep: impl FnMut(&T) -> bool) {
        if let Some(index) = Self::index(file) {
            self.lists.retain(index, keep);
        }
    }

    /// Adds an entry to a register's list. Does nothing for other files.
    pub(crate) fn push(&mut self, file: File, value: T) {
        if let Some(index) = Self::index(file) {
            if self.lists.is_empty(index) {
                self.used.push(index);
            }
            self.lists.push(index, value);
        }
    }

    /// Empties all lists, in time proportional to the number of lists with entries.
    pub(crate) fn clear(&mut self) {
        self.lists.clear(self.used.drain(..));
    }
}
