//! The URB (unified return buffer): entries through which the stages of a draw call pass data.
//!
//! Threads refer to entries by handles, which are opaque numbers. This module keeps the entries of the threads that run
//! together, and records which dwords were written.

/// The first handle. It is not 0, so that code which uses an index as a handle is found.
const FIRST_HANDLE: u32 = 0x0140;
/// Difference between consecutive handles.
const HANDLE_STEP: u32 = 4;
/// Bits of a handle in a message header; the others belong to the stage.
const HANDLE_MASK: u32 = 0xffff;

/// The error for an access to a dword outside of every entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outside {
    /// Size of the entry in bytes; 0 if the handle belongs to no entry.
    pub(crate) limit: u64,
}

/// The entries, in order of allocation.
#[derive(Debug, Default)]
pub(crate) struct Urb {
    entries: Vec<Entry>,
}

/// An entry. A dword that was never written is `None`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) dwords: Vec<Option<u32>>,
    /// The vertex count of a geometry shader's end-of-thread message.
    pub(crate) vertex_count: Option<u32>,
}

impl Urb {
    /// Frees all entries.
    pub(crate) fn reset(&mut self) {
        self.entries.clear();
    }

    /// Allocates an entry. Returns its handle.
    pub(crate) fn allocate(&mut self, bytes: u32) -> u32 {
        let dwords = vec![None; bytes as usize / 4];
        self.entries.push(Entry { dwords, vertex_count: None });
        self.handle(self.entries.len() - 1)
    }

    /// The handle of entry number `entry`, in order of allocation; 0, which belongs to no entry, if there are fewer.
    pub(crate) fn handle(&self, entry: usize) -> u32 {
        if entry < self.entries.len() { FIRST_HANDLE + entry as u32 * HANDLE_STEP } else { 0 }
    }

    fn index(handle: u32) -> Option<usize> {
        let distance = (handle & HANDLE_MASK).checked_sub(FIRST_HANDLE)?;
        distance.is_multiple_of(HANDLE_STEP).then_some((distance / HANDLE_STEP) as usize)
    }

    /// The entry of a handle.
    pub(crate) fn entry(&self, handle: u32) -> Option<&Entry> {
        self.entries.get(Urb::index(handle)?)
    }

    /// The entry of a handle, for changes.
    pub(crate) fn entry_mut(&mut self, handle: u32) -> Option<&mut Entry> {
        self.entries.get_mut(Urb::index(handle)?)
    }

    /// A dword of an entry; `None` if it was never written.
    pub(crate) fn load(&self, handle: u32, dword: u64) -> Result<Option<u32>, Outside> {
        let entry = self.entry(handle).ok_or(Outside { limit: 0 })?;
        let limit = entry.dwords.len() as u64 * 4;
        let dword = usize::try_from(dword).ok().and_then(|dword| entry.dwords.get(dword));
        dword.copied().ok_or(Outside { limit })
    }

    /// Writes a dword of an entry. `None` makes it count as never written.
    pub(crate) fn store(
        &mut self,
        handle: u32,
        dword: u64,
        value: Option<u32>,
    ) -> Result<(), Outside> {
        let entry = self.entry_mut(handle).ok_or(Outside { limit: 0 })?;
        let limit = entry.dwords.len() as u64 * 4;
        let place = usize::try_from(dword).ok().and_then(|dword| entry.dwords.get_mut(dword));
        *place.ok_or(Outside { limit })? = value;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_handles_alone() {
        let mut urb = Urb::default();
        let (a, b) = (urb.allocate(64), urb.allocate(128));
        assert_eq!(urb.store(a, 15, Some(7)), Ok(()));
        assert_eq!(urb.store(a, 16, Some(7)), Err(Outside { limit: 64 }));
        assert_eq!(urb.load(a | 3 << 27, 15), Ok(Some(7)));
        assert_eq!(urb.load(b, 31), Ok(None));
        assert_eq!(urb.load(b + 1, 0), Err(Outside { limit: 0 }));
        assert_eq!(urb.load(0, 0), Err(Outside { limit: 0 }));
        urb.reset();
        assert_eq!(urb.load(a, 0), Err(Outside { limit: 0 }));
    }
}
