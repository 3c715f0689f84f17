//! The encoding of SPIR-V words: seven bits in a byte, the lowest first; the highest bit tells that more follow.

/// The words of a module. `None` unless the bytes are exactly `count` words of at most 32 bits.
pub(crate) fn decode(bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    // A word takes at least a byte, so the words have no more than four times the memory of the bytes.
    if count > bytes.len() {
        return None;
    }
    let mut words = Vec::with_capacity(count);
    let (mut word, mut shift) = (0_u64, 0);
    for &byte in bytes {
        word |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            words.push(u32::try_from(word).ok()?);
            (word, shift) = (0, 0);
        } else if shift == 35 {
            return None;
        }
    }
    (shift == 0 && words.len() == count).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_from_one_to_five_bytes() {
        assert_eq!(decode(&[], 0), Some(vec![]));
        assert_eq!(decode(&[0x7f, 0x80, 0x01, 0xff, 0x7f], 3), Some(vec![0x7f, 0x80, 0x3fff]));
        assert_eq!(decode(&[0xff, 0xff, 0xff, 0xff, 0x0f], 1), Some(vec![u32::MAX]));
        // The magic number of SPIR-V.
        assert_eq!(decode(&[0x83, 0x84, 0x8c, 0x39], 1), Some(vec![0x0723_0203]));
    }

    #[test]
    fn other_bytes_are_refused() {
        // Too few words, too many, a word without an end, more than 32 bits, six bytes.
        assert_eq!(decode(&[1], 2), None);
        assert_eq!(decode(&[1, 2], 1), None);
        assert_eq!(decode(&[1, 0x80], 1), None);
        assert_eq!(decode(&[0xff, 0xff, 0xff, 0xff, 0x1f], 1), None);
        assert_eq!(decode(&[0x80, 0x80, 0x80, 0x80, 0x80, 0], 1), None);
        assert_eq!(decode(&[1, 2, 3], usize::MAX), None);
    }
}
