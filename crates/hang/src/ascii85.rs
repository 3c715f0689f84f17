//! The encoding of binary data in error states: five characters for each dword, or `z` for zero.

/// Where and why a text is wrong: the byte in the text, and what was expected there.
pub(crate) type Wrong = (usize, &'static str);

/// Decodes a text to bytes; each dword is little-endian. `most` limits the number of bytes.
///
/// Returns `Ok(None)` if there are more bytes.
pub(crate) fn decode(text: &[u8], most: usize) -> Result<Option<Vec<u8>>, Wrong> {
    let mut bytes = Vec::new();
    let mut at = 0;
    while let Some(&first) = text.get(at) {
        if bytes.len() + 4 > most {
            return Ok(None);
        }
        if first == b'z' {
            bytes.extend([0; 4]);
            at += 1;
            continue;
        }
        let group = text.get(at..at + 5).ok_or((at, "five characters for each dword"))?;
        let mut word = 0_u64;
        for (n, &character) in group.iter().enumerate() {
            let digit = match character {
                b'!'..=b'u' => u64::from(character - b'!'),
                _ => return Err((at + n, "a character of ascii85 (`!` to `u`)")),
            };
            word = word * 85 + digit;
        }
        let word = u32::try_from(word).map_err(|_| (at, "a group of at most 32 bits"))?;
        bytes.extend(word.to_le_bytes());
        at += 5;
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_dwords() {
        // 0x01020304 is 27 * 85^3 + 45 * 85^2 + 30 * 85 + 10.
        let digits = [0, 27, 45, 30, 10].map(|digit: u8| digit + b'!');
        assert_eq!(decode(&digits, 64), Ok(Some(vec![4, 3, 2, 1])));
        assert_eq!(decode(b"zz", 8), Ok(Some(vec![0; 8])));
        assert_eq!(decode(b"zz", 7), Ok(None));
    }

    #[test]
    fn wrong_text_has_its_place() {
        assert_eq!(decode(b"z!!!", 64).map_err(|(at, _)| at), Err(1));
        assert_eq!(decode(b"!!!v!", 64).map_err(|(at, _)| at), Err(3));
        assert_eq!(decode(b"uuuuu", 64).map_err(|(at, _)| at), Err(0));
    }
}
