//! Memory that messages reach.
//!
//! Buffers are shared by the host threads that run different workgroups, so they consist of
//! atomic words; what a workgroup or thread owns is plain bytes. Either way an access names a
//! byte offset that was checked against the size.

use crate::weak::Window;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A buffer that all workgroups see.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    words: Box<[AtomicU32]>,
    len: usize,
}

impl Buffer {
    pub(crate) fn new(bytes: &[u8]) -> Buffer {
        let words = bytes
            .chunks(4)
            .map(|chunk| {
                let mut word = [0; 4];
                word[..chunk.len()].copy_from_slice(chunk);
                AtomicU32::new(u32::from_le_bytes(word))
            })
            .collect();
        Buffer { words, len: bytes.len() }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            self.words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect();
        bytes.truncate(self.len);
        bytes
    }

    #[inline(always)]
    fn word(&self, offset: usize) -> u32 {
        self.words[offset / 4].load(Relaxed)
    }

    /// `size` bytes (1 to 4) from an offset.
    #[inline(always)]
    fn load(&self, offset: usize, size: usize) -> u32 {
        let shift = offset % 4 * 8;
        if shift == 0 && size == 4 {
            return self.word(offset);
        }
        let mut bits = u64::from(self.word(offset));
        if offset % 4 + size > 4 {
            bits |= u64::from(self.word(offset + 4)) << 32;
        }
        (bits >> shift) as u32 & u32::MAX >> (32 - 8 * size)
    }

    #[inline(always)]
    fn store(&self, offset: usize, size: usize, value: u32) {
        let shift = offset % 4 * 8;
        if shift == 0 && size == 4 {
            self.words[offset / 4].store(value, Relaxed);
            return;
        }
        let mask = (u64::from(u32::MAX) >> (32 - 8 * size)) << shift;
        let bits = u64::from(value) << shift;
        self.merge(offset / 4, mask as u32, bits as u32);
        if mask >> 32 != 0 {
            self.merge(offset / 4 + 1, (mask >> 32) as u32, (bits >> 32) as u32);
        }
    }

    /// Replaces bits of a word, leaving its others to concurrent writers.
    fn merge(&self, index: usize, mask: u32, bits: u32) {
        self.words[index].update(Relaxed, Relaxed, |old| old & !mask | bits & mask);
    }
}

/// Memory of one access, with its kind told apart.
pub(crate) enum Memory<'a> {
    /// A null surface: reads give 0, writes are dropped.
    Null,
    /// A buffer all workgroups see.
    Shared(&'a Buffer),
    /// Bytes that only the running thread or its workgroup sees.
    Local(&'a mut [u8]),
    /// What others see late: a buffer or a workgroup's memory, under weak ordering.
    Weak(Window<'a>),
}

impl Memory<'_> {
    /// Bytes; a null surface has as many as one likes.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Memory::Null => u64::MAX,
            Memory::Shared(buffer) => buffer.len() as u64,
            Memory::Local(bytes) => bytes.len() as u64,
            Memory::Weak(window) => window.len(),
        }
    }

    /// Whether `size` bytes at an offset exist.
    #[inline(always)]
    pub(crate) fn contains(&self, offset: u64, size: u64) -> bool {
        offset.checked_add(size).is_some_and(|end| end <= self.len())
    }

    /// `size` bytes, 1 to 4, that exist.
    #[inline(always)]
    pub(crate) fn load(&mut self, offset: u64, size: usize) -> u32 {
        match self {
            Memory::Null => 0,
            Memory::Weak(window) => window.load(offset, size),
            Memory::Shared(buffer) => buffer.load(offset as usize, size),
            Memory::Local(bytes) => {
                let mut value = [0; 4];
                let start = offset as usize;
                value[..size].copy_from_slice(&bytes[start..start + size]);
                u32::from_le_bytes(value)
            }
        }
    }

    /// Stores `size` bytes, 1 to 4, that exist.
    #[inline(always)]
    pub(crate) fn store(&mut self, offset: u64, size: usize, value: u32) {
        match self {
            Memory::Null => {}
            Memory::Weak(window) => window.store(offset, size, value),
            Memory::Shared(buffer) => buffer.store(offset as usize, size, value),
            Memory::Local(bytes) => {
                let start = offset as usize;
                bytes[start..start + size].copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
    }

    /// Replaces dwords that exist by what `change` makes of them, as one step.
    pub(crate) fn modify<const N: usize>(
        &mut self,
        offset: u64,
        change: impl FnOnce([u32; N]) -> [u32; N],
    ) {
        if let Memory::Weak(window) = self {
            return window.modify(offset, change);
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
    fn parts_of_words_can_be_reached() {
        let buffer = Buffer::new(&[1, 2, 3, 4, 5, 6]);
        assert_eq!(buffer.load(2, 4), 0x0605_0403);
        assert_eq!(buffer.load(3, 1), 4);
        buffer.store(3, 2, 0xbbaa);
        buffer.store(0, 1, 0xffff_ff99);
        assert_eq!(buffer.to_bytes(), [0x99, 2, 3, 0xaa, 0xbb, 6]);
    }

    #[test]
    fn bounds_are_exact() {
        let buffer = Buffer::new(&[0; 6]);
        let memory = Memory::Shared(&buffer);
        assert!(memory.contains(2, 4) && !memory.contains(3, 4));
        assert!(!memory.contains(u64::MAX, 4));
    }
}
