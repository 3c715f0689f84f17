//! The memory that a message accesses. All accesses expect byte offsets that were checked against the size.

use crate::buffer::{Buffer, load_bytes, store_bytes};
use crate::recorder::{Part, SharedRecorder};
use crate::weak::Window;
use std::rc::Rc;

/// The memory of one access, by its kind.
pub(crate) enum Memory<'a> {
    /// A null surface: reads give 0, writes are dropped.
    Null,
    /// A buffer that all workgroups share.
    Shared(&'a Buffer),
    /// Memory of the running thread or its workgroup only.
    Local(&'a mut [u8]),
    /// A buffer or a workgroup's memory under the weak memory model.
    Weak(Window<'a>),
    /// A memory whose accesses are recorded for a profile.
    Recorded(Box<Memory<'a>>, Part, SharedRecorder),
}

/// Wraps a memory so that its accesses are recorded, if there is a recorder.
pub(crate) fn recorded<'m>(
    memory: Memory<'m>,
    part: Part,
    recorder: Option<&SharedRecorder>,
) -> Memory<'m> {
    match recorder {
        None => memory,
        Some(recorder) => Memory::Recorded(Box::new(memory), part, Rc::clone(recorder)),
    }
}

impl Memory<'_> {
    /// Size in bytes; a null surface has no bounds.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Memory::Null => u64::MAX,
            Memory::Shared(buffer) => buffer.len() as u64,
            Memory::Local(bytes) => bytes.len() as u64,
            Memory::Weak(window) => window.len(),
            Memory::Recorded(memory, ..) => memory.len(),
        }
    }

    /// Whether `size` bytes at an offset exist.
    #[inline(always)]
    pub(crate) fn contains(&self, offset: u64, size: u64) -> bool {
        offset.checked_add(size).is_some_and(|end| end <= self.len())
    }

    /// Loads `size` bytes (1 to 4). They must exist.
    #[inline(always)]
    pub(crate) fn load(&mut self, offset: u64, size: usize) -> u32 {
        match self {
            Memory::Null => 0,
            Memory::Weak(window) => window.load(offset, size),
            Memory::Recorded(memory, part, recorder) => {
                recorder.borrow_mut().add(*part, offset, size as u64);
                memory.load(offset, size)
            }
            Memory::Shared(buffer) => buffer.load(offset as usize, size),
            Memory::Local(bytes) => load_bytes(bytes, offset as usize, size),
        }
    }

    /// Stores `size` bytes (1 to 4). They must exist.
    #[inline(always)]
    pub(crate) fn store(&mut self, offset: u64, size: usize, value: u32) {
        match self {
            Memory::Null => {}
            Memory::Weak(window) => window.store(offset, size, value),
            Memory::Recorded(memory, part, recorder) => {
                recorder.borrow_mut().add(*part, offset, size as u64);
                memory.store(offset, size, value);
            }
            Memory::Shared(buffer) => buffer.store(offset as usize, size, value),
            Memory::Local(bytes) => store_bytes(bytes, offset as usize, size, value),
        }
    }

    /// Replaces dwords, which must exist, by the result of `change`, as one atomic step.
    pub(crate) fn modify<const N: usize>(
        &mut self,
        offset: u64,
        change: impl FnOnce([u32; N]) -> [u32; N],
    ) {
        match self {
            Memory::Weak(window) => return window.modify(offset, change),
            Memory::Recorded(memory, part, recorder) => {
                // The old value is loaded and the new one is stored.
                for _ in 0..2 {
                    recorder.borrow_mut().add(*part, offset, 4 * N as u64);
                }
                return memory.modify(offset, change);
            }
            Memory::Null | Memory::Shared(_) | Memory::Local(_) => {}
        }
        let old = std::array::from_fn(|i| self.load(offset + 4 * i as u64, 4));
        for (i, new) in change(old).into_iter().enumerate() {
            self.store(offset + 4 * i as u64, 4, new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_exact() {
        let buffer = Buffer::new(&[0; 6]);
        let memory = Memory::Shared(&buffer);
        assert!(memory.contains(2, 4) && !memory.contains(3, 4));
        assert!(!memory.contains(u64::MAX, 4));
    }
}
