//! Conversion of bytes to hex text for JSON.

use serde::Serializer;

/// Lower-case hex digits of `bytes`.
pub(crate) fn to_text(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
    bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Serialises bytes as hex text.
pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&to_text(bytes))
}
