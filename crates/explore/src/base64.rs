//! Base64 (RFC 4648, section 4): SPIR-V in documents, and pictures in answers.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as digits, with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |n: usize| u32::from(group.get(n).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let used = digit <= group.len();
            let value = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if used { char::from(DIGITS[value]) } else { '=' });
        }
    }
    text
}

/// The bytes of a text. White space is left out, padding may be absent. `None` for other characters, and for a number of
/// digits that no bytes have.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|c| !c.is_ascii_whitespace()).collect();
    let padding = digits.iter().rev().take_while(|c| **c == b'=').count();
    let (digits, padded) = digits.split_at(digits.len() - padding);
    if padding > 2 || (padding > 0 && !(digits.len() + padded.len()).is_multiple_of(4)) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    for group in digits.chunks(4) {
        let mut bits = 0;
        for place in 0..4 {
            let value = match group.get(place) {
                Some(digit) => DIGITS.iter().position(|known| known == digit)? as u32,
                None => 0,
            };
            bits = bits << 6 | value;
        }
        let known = match group.len() {
            4 => 3,
            3 => 2,
            2 => 1,
            _ => return None,
        };
        bytes.extend(&bits.to_be_bytes()[1..=known]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4648, section 10.
    #[test]
    fn the_examples_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
            assert_eq!(decode(text.trim_end_matches('=')).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(decode("Zm9v\n Ym Fy\n").as_deref(), Some(&b"foobar"[..]));
        for wrong in ["Z", "Zg=", "Zg===", "Zm9v!", "====", "Zm=v", "Zm9vYmFy="] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
