//! The memory that a message accesses, recorded for profiles.

use std::cell::RefCell;
use std::rc::Rc;

/// Bytes of a cache line.
const LINE_BYTES: u64 = 64;

/// The memory that one message accessed: buffers, images through the data port, shared and scratch memory. Texels that the
/// sampler reads and pixels of render targets do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accessed {
    /// Bytes that were loaded or stored. An atomic loads and stores.
    pub bytes: u64,
    /// Different cache lines of 64 bytes, which are counted from the start of each buffer.
    pub lines: u64,
}

/// Records the memory that a message accesses.
#[derive(Default)]
pub(crate) struct Recorder {
    bytes: u64,
    lines: Vec<(Part, u64)>,
}

/// A memory with addresses of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// A buffer or image, identified by its place in the host's memory. The place is only compared for equality.
    Buffer(usize),
    Shared,
    Scratch,
    Private,
}

impl Recorder {
    /// Records an access.
    pub(crate) fn add(&mut self, part: Part, offset: u64, size: u64) {
        self.bytes += size;
        let last = offset.saturating_add(size.max(1) - 1) / LINE_BYTES;
        for line in offset / LINE_BYTES..=last {
            if self.lines.last() != Some(&(part, line)) {
                self.lines.push((part, line));
            }
        }
    }

    /// Returns what was recorded, and forgets it.
    pub(crate) fn take(&mut self) -> Accessed {
        self.lines.sort_unstable();
        self.lines.dedup();
        let accessed = Accessed { bytes: self.bytes, lines: self.lines.len() as u64 };
        self.bytes = 0;
        self.lines.clear();
        accessed
    }
}

/// A recorder that a thread and the memories of its current message share.
pub(crate) type SharedRecorder = Rc<RefCell<Recorder>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_once_for_each_message() {
        let mut recorder = Recorder::default();
        for lane in 0..16 {
            recorder.add(Part::Shared, 4 * lane, 4);
        }
        recorder.add(Part::Buffer(1), 62, 4);
        assert_eq!(recorder.take(), Accessed { bytes: 68, lines: 3 });
        assert_eq!(recorder.take(), Accessed::default());
    }
}
