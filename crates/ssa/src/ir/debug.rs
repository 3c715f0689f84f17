//! Where instructions come from in the source text.
//!
//! An instruction has a [`DebugLoc`]: a number of a set of places in [`DebugLocs`]. A pass that makes an instruction
//! out of others gives it their places; one that merges two equal instructions unites their sets. Locations have no
//! effect on the meaning of a program, and no pass may decide anything by them.

use hashbrown::HashMap;
use smallvec::SmallVec;

typed_index! {
    /// The places in the source that an instruction comes from: an index into [`DebugLocs`]. Number 0 is the empty set.
    pub struct DebugLoc(pub u32), "@";
    /// A source file: an index into [`DebugLocs::files`].
    pub struct FileId(pub u32), "file ";
}

impl DebugLoc {
    /// No place is known.
    pub const NONE: DebugLoc = DebugLoc(0);

    /// Whether no place is known.
    pub fn is_none(self) -> bool {
        self == DebugLoc::NONE
    }
}

impl Default for DebugLoc {
    fn default() -> DebugLoc {
        DebugLoc::NONE
    }
}

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if it is not known.
    pub column: u32,
}

type Places = SmallVec<[Place; 1]>;

/// The most places of one instruction. Of larger sets the first ones in order are kept, so that code that was merged
/// many times does not make the table large.
const MAX_PLACES: usize = 8;

/// The table of source files and sets of places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugLocs {
    files: Vec<String>,
    file_ids: HashMap<String, FileId>,
    /// Entry `i` is the set of [`DebugLoc`] `i + 1`; sorted, without duplicates.
    sets: Vec<Places>,
    numbers: HashMap<Places, DebugLoc>,
}

impl DebugLocs {
    /// The id of a file, by its name. A new name is added to the table.
    pub fn file(&mut self, name: &str) -> FileId {
        if let Some(&id) = self.file_ids.get(name) {
            return id;
        }
        let id = FileId::from_index(self.files.len());
        self.files.push(name.to_owned());
        self.file_ids.insert(name.to_owned(), id);
        id
    }

    /// The names of the files, by [`FileId`].
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Whether the table has no places.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The location of one place.
    pub fn place(&mut self, place: Place) -> DebugLoc {
        self.number(SmallVec::from_slice(&[place]))
    }

    /// The places of a location, in order; none for [`DebugLoc::NONE`].
    pub fn places(&self, loc: DebugLoc) -> &[Place] {
        match loc.index().checked_sub(1) {
            Some(index) => self.sets.get(index).map_or(&[], |set| set),
            None => &[],
        }
    }

    /// The location with the places of both.
    pub fn merge(&mut self, a: DebugLoc, b: DebugLoc) -> DebugLoc {
        if a == b || b.is_none() {
            return a;
        }
        if a.is_none() {
            return b;
        }
        let mut set: Places = self.places(a).iter().chain(self.places(b)).copied().collect();
        set.sort_unstable();
        set.dedup();
        set.truncate(MAX_PLACES);
        self.number(set)
    }

    fn number(&mut self, set: Places) -> DebugLoc {
        if let Some(&loc) = self.numbers.get(&set) {
            return loc;
        }
        self.sets.push(set.clone());
        let loc = DebugLoc::from_index(self.sets.len());
        self.numbers.insert(set, loc);
        loc
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(locs: &mut DebugLocs, file: &str, line: u32) -> DebugLoc {
        let file = locs.file(file);
        locs.place(Place { file, line, column: 1 })
    }

    #[test]
    fn equal_places_have_one_location() {
        let mut locs = DebugLocs::default();
        let a = place(&mut locs, "a.comp", 3);
        let b = place(&mut locs, "b.glsl", 3);
        assert_ne!(a, b);
        assert_eq!(place(&mut locs, "a.comp", 3), a);
        assert_eq!(locs.files(), ["a.comp", "b.glsl"]);
        assert_eq!(locs.places(DebugLoc::NONE), []);
    }

    #[test]
    fn merged_locations_have_the_places_of_both_in_order() {
        let mut locs = DebugLocs::default();
        let [a, b] = [7, 4].map(|line| place(&mut locs, "a.comp", line));
        let both = locs.merge(a, b);
        let lines: Vec<u32> = locs.places(both).iter().map(|place| place.line).collect();
        assert_eq!(lines, [4, 7]);
        assert_eq!(locs.merge(b, a), both);
        assert_eq!(locs.merge(both, a), both);
        assert_eq!(locs.merge(DebugLoc::NONE, a), a);
        assert_eq!(locs.merge(a, DebugLoc::NONE), a);
    }

    #[test]
    fn a_set_keeps_a_limited_number_of_places() {
        let mut locs = DebugLocs::default();
        let mut all = DebugLoc::NONE;
        for line in (1..=100).rev() {
            let next = place(&mut locs, "a.comp", line);
            all = locs.merge(all, next);
        }
        let lines: Vec<u32> = locs.places(all).iter().map(|place| place.line).collect();
        assert_eq!(lines, [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
