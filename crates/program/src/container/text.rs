//! Machine code as hexadecimal text.

use crate::{ContainerError, hex};

/// Size in bytes of the instruction at the start of `code`; less if the code ends within it. Bit 29
/// of the first dword marks a compacted instruction on every generation except gen4, where it is
/// always clear.
pub(super) fn instruction_size(code: &[u8]) -> usize {
    let compacted = code.get(3).is_some_and(|byte| byte & 0x20 != 0);
    code.len().min(if compacted { 8 } else { 16 })
}

/// Writes machine code as hex text, one instruction per line.
pub fn write_hex(code: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = code;
    while !rest.is_empty() {
        let (instruction, tail) = rest.split_at(instruction_size(rest));
        text.push_str(&hex::to_text(instruction));
        text.push('\n');
        rest = tail;
    }
    text
}

/// Parses the bytes of hex text; ignores white space.
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
    use crate::{Container, read_kernels};

    #[test]
    fn hex_has_one_instruction_a_line() {
        let mut code = vec![0u8; 24];
        code[3] = 0x20;
        let text = write_hex(&code);
        assert_eq!(text, "0000002000000000\n00000000000000000000000000000000\n");
        assert_eq!(Container::detect(text.as_bytes()), Container::Hex);
        let kernels = read_kernels(text.as_bytes(), Container::Hex).expect("reads");
        assert_eq!(*kernels[0].code, *code);
    }

    #[test]
    fn bad_hex_names_its_place() {
        let read = |text: &'static str| read_kernels(text.as_bytes(), Container::Hex);
        let error = read("00\n0g").unwrap_err();
        assert_eq!(error, ContainerError::NotHex { line: 2, column: 2, found: 'g' });
        assert_eq!(read("00\n\n0").unwrap_err(), ContainerError::HalfByte { line: 3 });
        assert_eq!(read("\n").unwrap_err(), ContainerError::Length { length: 0 });
    }
}
