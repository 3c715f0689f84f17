//! Lists kept by register.

use crate::ir::{File, Function};

/// A list for each virtual register, and one for all general registers.
pub(crate) struct ByRegister<T> {
    lists: Vec<Vec<T>>,
    /// Lists that may not be empty.
    used: Vec<usize>,
}

impl<T> ByRegister<T> {
    /// Empty lists for the registers that a function has now.
    pub(crate) fn new(function: &Function) -> ByRegister<T> {
        let lists = (0..=function.vregs.len()).map(|_| Vec::new()).collect();
        ByRegister { lists, used: Vec::new() }
    }

    fn index(file: File) -> Option<usize> {
        match file {
            File::Grf => Some(0),
            File::Vgrf(vreg) => Some(vreg.0 as usize + 1),
            _ => None,
        }
    }

    /// The list of a register; empty for other files.
    pub(crate) fn get(&self, file: File) -> &[T] {
        Self::index(file).map_or(&[], |index| &self.lists[index])
    }

    /// The list of a register, to change, but not to add to.
    pub(crate) fn get_mut(&mut self, file: File) -> Option<&mut Vec<T>> {
        Self::index(file).map(|index| &mut self.lists[index])
    }

    /// Adds to the list of a register; in other files nothing is kept.
    pub(crate) fn push(&mut self, file: File, entry: T) {
        if let Some(index) = Self::index(file) {
            if self.lists[index].is_empty() {
                self.used.push(index);
            }
            self.lists[index].push(entry);
        }
    }

    /// Empties all lists, in time for those that were added to.
    pub(crate) fn clear(&mut self) {
        for index in self.used.drain(..) {
            self.lists[index].clear();
        }
    }
}
