//! Storage for memory.
//!
//! A buffer consists of atomic words, because host threads that run different workgroups share it. Memory of one
//! workgroup or thread is a plain byte slice. All functions expect byte offsets that were checked against the size.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A buffer that all workgroups see.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    words: Box<[AtomicU32]>,
    len: usize,
}

impl Buffer {
    pub(crate) fn new(bytes: &[u8]) -> Buffer {
        let (whole, rest) = bytes.as_chunks::<4>();
        let word = |bytes: &[u8; 4]| AtomicU32::new(u32::from_le_bytes(*bytes));
        let mut words: Vec<AtomicU32> = Vec::with_capacity(bytes.len().div_ceil(4));
        words.extend(whole.iter().map(word));
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            words.push(word(&last));
        }
        Buffer { words: words.into(), len: bytes.len() }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 * self.words.len());
        for word in &self.words {
            bytes.extend_from_slice(&word.load(Relaxed).to_le_bytes());
        }
        bytes.truncate(self.len);
        bytes
    }

    #[inline(always)]
    fn word(&self, offset: usize) -> u32 {
        self.words[offset / 4].load(Relaxed)
    }

    /// `size` bytes (1 to 4) from an offset.
    #[inline(always)]
    pub(crate) fn load(&self, offset: usize, size: usize) -> u32 {
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

    /// `N` dwords from an offset that is a multiple of 4.
    #[inline(always)]
    pub(crate) fn load_words<const N: usize>(&self, offset: usize) -> [u32; N] {
        let words = &self.words[offset / 4..offset / 4 + N];
        std::array::from_fn(|i| words[i].load(Relaxed))
    }

    /// `size` bytes (1 to 16) from an offset; the others of the array are 0.
    #[inline]
    pub(crate) fn load_texel(&self, offset: usize, size: usize) -> [u8; 16] {
        let mut bytes = [0; 16];
        let (parts, _) = bytes.as_chunks_mut::<4>();
        for (i, part) in parts.iter_mut().enumerate().take(size.div_ceil(4)) {
            let word = self.load(offset + 4 * i, (size - 4 * i).min(4));
            *part = word.to_le_bytes();
        }
        bytes
    }

    /// Replaces `size` bytes (1 to 4) from an offset.
    #[inline(always)]
    pub(crate) fn store(&self, offset: usize, size: usize, value: u32) {
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

    /// Replaces the bits `mask` of a word. Concurrent changes of its other bits are kept.
    fn merge(&self, index: usize, mask: u32, bits: u32) {
        // The function always gives a value, so this always succeeds.
        let _ =
            self.words[index].fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | bits & mask));
    }
}

/// `size` bytes (1 to 4) of plain bytes from an offset.
#[inline(always)]
pub(crate) fn load_bytes(bytes: &[u8], offset: usize, size: usize) -> u32 {
    let mut value = [0; 4];
    value[..size].copy_from_slice(&bytes[offset..offset + size]);
    u32::from_le_bytes(value)
}

/// Replaces `size` bytes (1 to 4) of plain bytes from an offset.
#[inline(always)]
pub(crate) fn store_bytes(bytes: &mut [u8], offset: usize, size: usize, value: u32) {
    bytes[offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]);
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
}
