//! Parses the text of a hex dump: the output of `xxd`, `hexdump` and `od`, and dwords written with
//! `0x`. The first line determines the layout; every other line must have the same.
//!
//! Groups of digits may be bytes in memory order (`xxd`) or little-endian numbers (`xxd -e`, `od -t
//! x4`). For `xxd` the layout does not tell which, but the characters at the end of each line do:
//! [`Code`] keeps both readings and compares both with the characters.

use super::text::parse_hex;
use crate::ContainerError;

/// The layout of the lines of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Hex digits and white space.
    Plain,
    /// `xxd`: an offset with a colon, groups of bytes, two blanks, the bytes as characters.
    Colon,
    /// `od` and `hexdump`: an offset, then groups, each a little-endian number.
    Offset,
    /// Numbers with `0x`; an offset with a colon may be in front of them.
    Numbers,
}

/// Whether a word consists of hex digits.
fn is_hex(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The digits of a number with `0x`. Ignores a comma or semicolon behind it.
fn number(word: &str) -> Option<&str> {
    let word = word.trim_end_matches([',', ';']);
    word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).filter(|digits| is_hex(digits))
}

/// The digits of an offset with a colon.
fn colon_offset(word: &str) -> Option<&str> {
    let word = word.strip_suffix(':')?;
    number(word).or(is_hex(word).then_some(word))
}

/// Determines the layout of a text from its first line that is not empty.
fn layout(text: &str) -> Layout {
    let Some(line) = text.lines().find(|line| !line.trim().is_empty()) else {
        return Layout::Plain;
    };
    let mut words = line.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if colon_offset(first).is_some() {
        return match () {
            () if number(second).is_some() => Layout::Numbers,
            () if is_hex(second) => Layout::Colon,
            () => Layout::Plain,
        };
    }
    if number(first).is_some() {
        return Layout::Numbers;
    }
    // Offsets of `od` have six or seven digits, those of `hexdump -C` eight before groups of two.
    let offset = match first.len() {
        6 | 7 => second.len() != first.len(),
        8 => second.len() == 2 && line.trim_start().starts_with(&format!("{first}  ")),
        _ => false,
    };
    if offset && is_hex(first) && is_hex(second) { Layout::Offset } else { Layout::Plain }
}

/// Whether `bytes` are the text of a dump. Text that consists only of hex digits is not.
pub(super) fn is_dump(bytes: &[u8]) -> bool {
    let printed = |byte: &u8| matches!(byte, b' '..=b'~') || byte.is_ascii_whitespace();
    bytes.iter().all(printed)
        && std::str::from_utf8(bytes).is_ok_and(|text| layout(text) != Layout::Plain)
}

/// Whether a text consists only of groups of eight hex digits, which may be bytes in memory order,
/// or dwords.
pub(super) fn maybe_dwords(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| word.len() == 8 && is_hex(word))
}

/// Returns an error for a line.
fn fail<T>(
    line: usize,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> Result<T, ContainerError> {
    Err(ContainerError::Dump { line, expected: expected.into(), found: found.into() })
}

/// The bytes of the lines read so far, in both byte orders.
#[derive(Default)]
struct Code {
    /// The bytes, with those of each group in the order of the text.
    written: Vec<u8>,
    /// The bytes, with those of each group in reverse order.
    turned: Vec<u8>,
    /// The first line whose characters do not match `written`.
    other: Option<usize>,
    /// The first line whose characters do not match `turned`.
    other_turned: Option<usize>,
}

impl Code {
    /// Adds a group of an even number of hex digits.
    fn group(&mut self, digits: &str) -> Result<(), ContainerError> {
        let bytes = parse_hex(digits)?;
        self.turned.extend(bytes.iter().rev());
        self.written.extend(bytes);
        Ok(())
    }

    /// Compares the bytes from `start` on with the characters at the end of the line.
    fn compare(&mut self, line: usize, start: usize, characters: &str) {
        let is_other = |bytes: &[u8]| {
            let shown =
                |byte: &u8| if (b' '..=b'~').contains(byte) { char::from(*byte) } else { '.' };
            bytes.iter().map(shown).collect::<String>().trim() != characters.trim()
        };
        if self.other.is_none() && is_other(&self.written[start..]) {
            self.other = Some(line);
        }
        if self.other_turned.is_none() && is_other(&self.turned[start..]) {
            self.other_turned = Some(line);
        }
    }
}

/// Whether an offset is `count` bytes behind the first one. The numbers may be hexadecimal, octal
/// or decimal.
fn continues(first: &str, offset: &str, count: usize) -> bool {
    [16, 8, 10].into_iter().any(|base| {
        let value = |digits: &str| u64::from_str_radix(digits, base).ok();
        let (Some(first), Some(offset)) = (value(first), value(offset)) else { return false };
        offset.checked_sub(first) == Some(count as u64)
    })
}

/// Reads the bytes of a dump, or of text of hex digits. If `dwords`, each group of eight digits is
/// a little-endian dword.
pub(super) fn read(text: &str, dwords: bool) -> Result<Vec<u8>, ContainerError> {
    let layout = layout(text);
    if layout == Layout::Plain && !dwords {
        return parse_hex(text);
    }
    // The numbers as dwords, and whether all of them have two digits.
    let (mut numbers, mut two_digits) = (Vec::new(), true);
    let mut code = Code::default();
    let mut first = None;
    for (number_of, line) in text.lines().enumerate() {
        let number_of = number_of + 1;
        let mut rest = line.trim();
        if rest == "*" {
            let expected = "every line of the dump (as `hexdump -v` and `od -v` print it)";
            return fail(number_of, expected, "`*`, which stands for repeated lines");
        }
        let word = rest.split_whitespace().next().unwrap_or_default();
        if word.is_empty() {
            continue;
        }
        let offset = match layout {
            Layout::Colon | Layout::Numbers => colon_offset(word),
            Layout::Offset => Some(word).filter(|word| is_hex(word)),
            Layout::Plain => None,
        };
        if let Some(offset) = offset {
            rest = &rest[word.len()..];
            let count = if layout == Layout::Numbers { numbers.len() } else { code.written.len() };
            let first = *first.get_or_insert(offset);
            // Offsets in front of `0x` numbers may have any unit; those of the tools are in bytes.
            if layout != Layout::Numbers && !continues(first, offset, count) {
                let expected = format!("an offset {count:#x} bytes after that of the first line");
                return fail(number_of, expected, format!("{word:?}"));
            }
        } else if matches!(layout, Layout::Colon | Layout::Offset) {
            return fail(
                number_of,
                "an offset, because the first line has one",
                format!("{word:?}"),
            );
        }
        let start = code.written.len();
        let (groups, characters) = match layout {
            Layout::Colon => rest.trim_start().split_once("  ").unwrap_or((rest, "")),
            Layout::Offset => rest.split_once(['|', '>']).unwrap_or((rest, "")),
            Layout::Plain | Layout::Numbers => (rest, ""),
        };
        for group in groups.split_whitespace() {
            if layout == Layout::Numbers {
                match number(group).filter(|digits| digits.len() <= 8) {
                    Some(digits) => {
                        two_digits &= digits.len() == 2;
                        // There are at most eight hex digits, so parsing cannot fail.
                        let value = u32::from_str_radix(digits, 16).unwrap_or_default();
                        numbers.extend(value.to_le_bytes());
                    }
                    None => {
                        let expected = "`0x` and 1 to 8 hex digits";
                        return fail(number_of, expected, format!("{group:?}"));
                    }
                }
                continue;
            }
            let fits = match layout {
                _ if dwords => group.len() == 8,
                // The last group of `xxd` may have fewer bytes than the others.
                Layout::Colon => group.len().is_multiple_of(2),
                _ => matches!(group.len(), 2 | 4 | 8 | 16),
            };
            if !fits || !is_hex(group) {
                let expected = match layout {
                    _ if dwords => "groups of 8 hex digits, for --dwords",
                    Layout::Colon => "groups of whole bytes in hex digits",
                    _ => "groups of 2, 4, 8 or 16 hex digits (as `od -t x1` prints them)",
                };
                return fail(number_of, expected, format!("{group:?}"));
            }
            code.group(group)?;
        }
        if layout == Layout::Colon && !characters.trim().is_empty() {
            code.compare(number_of, start, characters);
        }
    }
    match layout {
        // Numbers of two digits are bytes, as in the text of an array in C.
        Layout::Numbers if two_digits && !dwords => Ok(numbers.into_iter().step_by(4).collect()),
        Layout::Numbers => Ok(numbers),
        Layout::Plain | Layout::Offset => Ok(code.turned),
        // `xxd -e` reverses the bytes of groups, `xxd -g 4` does not. The characters show which it
        // is.
        Layout::Colon => match (code.other, code.other_turned) {
            (None, _) if !dwords => Ok(code.written),
            (_, None) => Ok(code.turned),
            (Some(line), _) | (None, Some(line)) => {
                let expected = "groups that match the characters in the same line";
                fail(line, expected, "other bytes")
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Container, read_kernels};

    const CODE: [u8; 24] = [
        0x01, 0x00, 0x60, 0x00, 0xe8, 0x3a, 0x20, 0x20, 0x40, 0x00, 0x8d, 0x00, 0, 0, 0, 0, 0x41,
        0x80, 0x2d, 0x20, 0x00, 0x03, 0x09, 0x3f,
    ];

    fn code(text: &str) -> Result<Vec<u8>, ContainerError> {
        assert_eq!(Container::detect(text.as_bytes()), Container::Hex, "{text}");
        Ok(read_kernels(text.as_bytes(), Container::Hex)?.remove(0).code.into_owned())
    }

    /// The outputs of the tools for the same bytes.
    #[test]
    fn dumps_are_known_by_their_shape() {
        let dumps = [
            // xxd
            "00000000: 0100 6000 e83a 2020 4000 8d00 0000 0000  ..`..:  @.......\n\
             00000010: 4180 2d20 0003 093f                      A.- ...?\n",
            // xxd -g 4
            "00000000: 01006000 e83a2020 40008d00 00000000  ..`..:  @.......\n\
             00000010: 41802d20 0003093f                    A.- ...?\n",
            // xxd -e
            "00000000: 00600001 20203ae8 008d0040 00000000  ..`..:  @.......\n\
             00000010: 202d8041 3f090300                    A.- ...?\n",
            // hexdump -C
            "00000000  01 00 60 00 e8 3a 20 20  40 00 8d 00 00 00 00 00  |..`..:  @.......|\n\
             00000010  41 80 2d 20 00 03 09 3f                           |A.- ...?|\n00000018\n",
            // hexdump
            "0000000 0001 0060 3ae8 2020 0040 008d 0000 0000\n\
             0000010 8041 202d 0300 3f09                    \n0000018\n",
            // od -t x4, od -t x1, od -A x -t x4z
            "0000000 00600001 20203ae8 008d0040 00000000\n0000020 202d8041 3f090300\n0000030\n",
            "0000000 01 00 60 00 e8 3a 20 20 40 00 8d 00 00 00 00 00\n\
             0000020 41 80 2d 20 00 03 09 3f\n0000030\n",
            "000000 00600001 20203ae8 008d0040 00000000  >..`..:  @.......<\n\
             000010 202d8041 3f090300                    >A.- ...?<\n000018\n",
            // Dwords and bytes of a C array.
            "0x00600001 0x20203ae8, 0x8d0040\n0x0 0x202d8041 0x3f090300\n",
            "0x0000: 0x00600001 0x20203ae8 0x008d0040\n0x000c: 0x0 0x202d8041 0x3f090300\n",
            "0x01, 0x00, 0x60, 0x00, 0xe8, 0x3a, 0x20, 0x20, 0x40, 0x00, 0x8d, 0x00, 0x00, 0x00,\n\
             0x00, 0x00, 0x41, 0x80, 0x2d, 0x20, 0x00, 0x03, 0x09, 0x3f\n",
        ];
        for dump in dumps {
            assert_eq!(code(dump).as_deref(), Ok(&CODE[..]), "{dump}");
        }
        // Without the characters, `xxd -e` cannot be distinguished from `xxd -g 4`, except by the
        // flag.
        let xxd = "00000000: 00600001 20203ae8 008d0040 00000000\n00000010: 202d8041 3f090300\n";
        assert_ne!(code(xxd).as_deref(), Ok(&CODE[..]));
        let groups = " 00600001 20203ae8 008d0040 00000000\n 202d8041 3f090300\n";
        for text in [xxd, groups] {
            let kernels = read_kernels(text.as_bytes(), Container::Dwords).expect("reads");
            assert_eq!(*kernels[0].code, CODE, "{text}");
        }
        let maybe = |text: &str| {
            read_kernels(text.as_bytes(), Container::Hex).expect("reads")[0].maybe_dwords
        };
        assert!(maybe(groups) && !maybe("0060000120203ae8") && !maybe(xxd));
    }

    #[test]
    fn what_is_wrong_with_a_dump_is_named() {
        let said = |text: &str| code(text).expect_err(text).to_string();
        let start = "0000000 00600001 20203ae8 008d0040 00000000\n";
        assert_eq!(
            said(&format!("{start}*\n0000040\n")),
            "hex dump, line 2: expected every line of the dump (as `hexdump -v` and `od -v` print \
             it), found `*`, which stands for repeated lines"
        );
        assert_eq!(
            said(&format!("{start}0000040 00600001\n")),
            "hex dump, line 2: expected an offset 0x10 bytes after that of the first line, found \
             \"0000040\""
        );
        assert_eq!(
            said("0000000 000001 000140 035350 020040\n"),
            "hex dump, line 1: expected groups of 2, 4, 8 or 16 hex digits (as `od -t x1` prints \
             them), found \"000001\""
        );
        // xxd -b
        assert_eq!(
            said("00000000: 00000001 00000000 01100000 00000000 11101000 00111010  ..`..:\n"),
            "hex dump, line 1: expected groups that match the characters in the same line, found \
             other bytes"
        );
        assert!(said("0x1 0x123456789").contains("expected `0x` and 1 to 8 hex digits"));
        assert!(said("00000000: 0100\nwhat\n").contains("line 2: expected an offset"));
        let dwords = read_kernels(b"0060", Container::Dwords).expect_err("too short").to_string();
        assert!(
            dwords.contains("groups of 8 hex digits, for --dwords, found \"0060\""),
            "{dwords}"
        );
    }

    #[test]
    fn other_text_is_no_dump() {
        for text in ["add: mov(8)", "add:", "mov(8) g1<1>F", "0xy", "00000000  no", "a\u{e9}"] {
            assert_eq!(Container::detect(text.as_bytes()), Container::Raw, "{text}");
        }
        assert_eq!(Container::detect(b"0100600 01\xff"), Container::Raw);
    }
}
