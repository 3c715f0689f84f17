//! A program, and the containers its code travels in.

use crate::{CODE_LIMIT, ContainerError, Metadata, Statistics, hex};
use serde::{Deserialize, Serialize};

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Machine code as the EU fetches it, relocations not yet applied.
    #[serde(with = "crate::hex")]
    pub code: Vec<u8>,
    /// What a driver needs besides the code.
    pub metadata: Metadata,
    /// What the compiler counted.
    #[serde(default)]
    pub statistics: Statistics,
}

/// A container for machine code alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Container {
    /// The bytes as they are.
    Raw,
    /// Text: one instruction a line, bytes in memory order, 32 hex digits or 16 for a
    /// compacted instruction.
    Hex,
}

impl Container {
    /// Guesses the container of `bytes`: text of hex digits and white space is
    /// [`Hex`](Container::Hex), all else [`Raw`](Container::Raw).
    pub fn detect(bytes: &[u8]) -> Container {
        let text = bytes.iter().all(|b| b.is_ascii_hexdigit() || b.is_ascii_whitespace());
        if text && !bytes.is_empty() { Container::Hex } else { Container::Raw }
    }
}

/// Reads machine code from a container.
///
/// # Errors
/// [`ContainerError`] for text that is not hex, and for code that cannot be whole
/// instructions.
pub fn read_code(bytes: &[u8], container: Container) -> Result<Vec<u8>, ContainerError> {
    let code = match container {
        Container::Raw => bytes.to_vec(),
        Container::Hex => parse_hex(&String::from_utf8_lossy(bytes))?,
    };
    if code.is_empty() || !code.len().is_multiple_of(8) || code.len() > CODE_LIMIT {
        return Err(ContainerError::Length { length: code.len() });
    }
    Ok(code)
}

/// Writes machine code into a container.
pub fn write_code(code: &[u8], container: Container) -> Vec<u8> {
    match container {
        Container::Raw => code.to_vec(),
        Container::Hex => {
            let mut text = String::new();
            let mut rest = code;
            while !rest.is_empty() {
                // Bit 29 of the first dword marks a compacted instruction on every generation.
                let compacted = rest.get(3).is_some_and(|byte| byte & 0x20 != 0);
                let (instruction, tail) =
                    rest.split_at(rest.len().min(if compacted { 8 } else { 16 }));
                text.push_str(&hex::to_text(instruction));
                text.push('\n');
                rest = tail;
            }
            text.into_bytes()
        }
    }
}

/// The bytes written as hex digits in `text`; white space between bytes is skipped.
pub(crate) fn parse_hex(text: &str) -> Result<Vec<u8>, ContainerError> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    for (number, line) in text.lines().enumerate() {
        let mut high = None;
        for (column, found) in line.chars().enumerate() {
            if found.is_whitespace() {
                continue;
            }
            let digit = found.to_digit(16).ok_or(ContainerError::NotHex {
                line: number + 1,
                column: column + 1,
                found,
            })? as u8;
            match high.take() {
                None => high = Some(digit),
                Some(high) => bytes.push(high << 4 | digit),
            }
        }
        if high.is_some() {
            return Err(ContainerError::HalfByte { line: number + 1 });
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_has_one_instruction_a_line() {
        let mut code = vec![0u8; 24];
        code[3] = 0x20;
        let text = write_code(&code, Container::Hex);
        assert_eq!(text, b"0000002000000000\n00000000000000000000000000000000\n");
        assert_eq!(Container::detect(&text), Container::Hex);
        assert_eq!(read_code(&text, Container::Hex), Ok(code));
    }

    #[test]
    fn bad_hex_names_its_place() {
        let error = read_code(b"00\n0g", Container::Hex).unwrap_err();
        assert_eq!(error, ContainerError::NotHex { line: 2, column: 2, found: 'g' });
        let error = read_code(b"00\n\n0", Container::Hex).unwrap_err();
        assert_eq!(error, ContainerError::HalfByte { line: 3 });
        let error = read_code(b"00", Container::Hex).unwrap_err();
        assert_eq!(error, ContainerError::Length { length: 1 });
        assert_eq!(read_code(b"", Container::Raw), Err(ContainerError::Length { length: 0 }));
    }

    #[test]
    fn raw_is_detected_by_what_is_not_hex() {
        assert_eq!(Container::detect(&[0, 1, 2]), Container::Raw);
    }
}
