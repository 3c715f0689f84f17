//! SPIR-V in documents and pictures in answers: base64 (RFC 4648, section 4).

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Writes padding; reads texts with and without it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Bytes as base64, with padding.
pub fn encode(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// The bytes of a text in base64. White space is left out, padding may be absent. `None` for other texts.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|c| !c.is_ascii_whitespace()).collect();
    BASE64.decode(digits).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_and_white_space_may_be_there() {
        assert_eq!(encode(b"fooba"), "Zm9vYmE=");
        for text in ["Zm9vYmE=", "Zm9vYmE", "Zm9v\n Ym E=\n"] {
            assert_eq!(decode(text).as_deref(), Some(&b"fooba"[..]), "{text}");
        }
        for wrong in ["Z", "Zm9v!", "====", "Zm=v"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
