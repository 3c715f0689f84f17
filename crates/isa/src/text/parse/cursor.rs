//! [`Cursor`]: reads the tokens of one instruction.

use super::ParseError;
use crate::Swizzle;
use crate::tables::{Opcode, Type};
use crestline_device::Gen;
use std::ops::Range;

/// A position in the text of one instruction. Spaces between tokens are skipped. Positions are
/// bytes from the start of the whole text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

/// Whether a character can be part of a name.
fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of a range of `text`; the range is one instruction.
    pub(super) fn new(text: &'a str, range: Range<usize>) -> Cursor<'a> {
        Cursor { text, at: range.start, end: range.end }
    }

    /// The text that has not been read yet.
    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    pub(super) fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Whether only spaces are left.
    pub(super) fn at_end(&mut self) -> bool {
        self.skip_spaces();
        self.rest().is_empty()
    }

    /// The byte position, for [`Cursor::go_back`] and for errors.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn go_back(&mut self, position: usize) {
        self.at = position;
    }

    /// Reads `token` if it is next, and returns whether it is.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        self.skip_spaces();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Like [`Cursor::eat`], but without skipping spaces before the token.
    pub(super) fn eat_joined(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Reads `token`, or fails if it is not next.
    pub(super) fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.eat(token) { Ok(()) } else { Err(self.error(&format!("`{token}`"))) }
    }

    /// The next character that is not a space. Does not read it.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.skip_spaces();
        self.rest().chars().next()
    }

    /// The next name (letters, digits, underscores), which may be empty. Does not read it.
    pub(super) fn peek_name(&mut self) -> &'a str {
        self.skip_spaces();
        let rest = self.rest();
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        &rest[..end]
    }

    /// Reads the next name, which may be empty.
    pub(super) fn name(&mut self) -> &'a str {
        let name = self.peek_name();
        self.at += name.len();
        name
    }

    /// Reads the next name if it is `name`, and returns whether it is.
    pub(super) fn eat_name(&mut self, name: &str) -> bool {
        let found = self.peek_name() == name;
        if found {
            self.at += name.len();
        }
        found
    }

    /// Reads a label, `name:`, if it is next. Returns the name and its position.
    pub(super) fn label(&mut self) -> Option<(String, usize)> {
        let start = self.at;
        let name = self.name();
        let at = self.at - name.len();
        if !name.is_empty() && self.eat_joined(":") {
            return Some((name.to_owned(), at));
        }
        self.at = start;
        None
    }

    /// Reads a decimal number from 0 to `max`.
    pub(super) fn decimal(&mut self, what: &str, max: u32) -> Result<u32, ParseError> {
        self.skip_spaces();
        let start = self.at;
        let digits: &str = {
            let rest = self.rest();
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            &rest[..end]
        };
        match digits.parse::<u32>() {
            Ok(value) if value <= max => {
                self.at += digits.len();
                Ok(value)
            }
            _ => {
                self.at = start;
                Err(self.error(&format!("{what} (a number up to {max})")))
            }
        }
    }

    /// Reads a decimal number, which must be one of `allowed`.
    pub(super) fn one_of(&mut self, what: &str, allowed: &[u8]) -> Result<u8, ParseError> {
        let at = self.here();
        let value = self.decimal(what, u32::from(u8::MAX))? as u8;
        if allowed.contains(&value) {
            return Ok(value);
        }
        let names: Vec<String> = allowed.iter().map(u8::to_string).collect();
        Err(self.error_at(at, &format!("{what} ({})", names.join(", "))))
    }

    /// Reads a signed decimal or hexadecimal number.
    pub(super) fn integer(&mut self, what: &str) -> Result<i64, ParseError> {
        self.skip_spaces();
        let start = self.at;
        let negative = self.eat_joined("-");
        let value = self.unsigned(what).inspect_err(|_| self.at = start)?;
        let value = i64::try_from(value).map_err(|_| self.error(what))?;
        Ok(if negative { -value } else { value })
    }

    /// Reads an unsigned decimal or hexadecimal number of up to 64 bits.
    pub(super) fn unsigned(&mut self, what: &str) -> Result<u64, ParseError> {
        self.skip_spaces();
        let rest = self.rest();
        let (digits, radix, skip) = match rest.strip_prefix("0x").or(rest.strip_prefix("0X")) {
            Some(digits) => (digits, 16, 2),
            None => (rest, 10, 0),
        };
        let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let value = u64::from_str_radix(&digits[..end], radix).map_err(|_| self.error(what))?;
        self.at += skip + end;
        Ok(value)
    }

    /// Reads the name of a type, in any letter case. The generation must have the type.
    pub(super) fn type_name(&mut self, generation: Gen) -> Result<Type, ParseError> {
        let start = self.position();
        let name = self.name();
        let exists = |ty: &Type| {
            let codes = [
                ty.reg_bits(generation),
                ty.imm_bits(generation),
                ty.three_align16_bits(generation),
                ty.three_align1_bits(generation),
            ];
            codes.iter().any(Option::is_some)
        };
        Type::from_name(name).filter(exists).ok_or_else(|| {
            self.at = start;
            self.error(&format!("a type of {generation}"))
        })
    }

    /// Reads the name of an operation. The generation must have the operation.
    pub(super) fn opcode(&mut self, generation: Gen) -> Result<Opcode, ParseError> {
        let start = self.position();
        let opcode = Opcode::from_name(self.name()).filter(|opcode| opcode.exists(generation));
        opcode.ok_or_else(|| {
            self.at = start;
            self.error(&format!("an operation of {generation}"))
        })
    }

    /// Reads the name of a flag register, without its subregister, and returns the register's number.
    pub(super) fn flag_number(&mut self, generation: Gen) -> Result<u8, ParseError> {
        let start = self.position();
        match self.name() {
            "f0" => Ok(0),
            "f1" if generation >= Gen::Gen7 => Ok(1),
            _ => {
                self.at = start;
                Err(self.error(&format!("a flag register of {generation}")))
            }
        }
    }

    /// Reads a swizzle: one component for all channels, or four.
    pub(super) fn swizzle(&mut self) -> Result<Swizzle, ParseError> {
        let text = self.take_while(|c| "xyzw".contains(c));
        let component = |c: u8| "xyzw".bytes().position(|x| x == c).unwrap_or(0) as u8;
        match text.as_bytes() {
            [x] => Ok(Swizzle([component(*x); 4])),
            [x, y, z, w] => Ok(Swizzle([*x, *y, *z, *w].map(component))),
            _ => Err(self.error("a swizzle")),
        }
    }

    /// Reads the longest run of characters that satisfy `accept`. Does not skip spaces first.
    pub(super) fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Whether `text` is next, after spaces. Does not read it.
    pub(super) fn rest_starts_with(&mut self, text: &str) -> bool {
        self.skip_spaces();
        self.rest().starts_with(text)
    }

    /// The position of the last occurrence of a character in the rest of the instruction.
    pub(super) fn rfind(&self, c: char) -> Option<usize> {
        self.rest().rfind(c).map(|at| self.at + at)
    }

    /// Reads everything up to and including `marker`, and returns the text before it. `None` if
    /// there is no marker.
    pub(super) fn until(&mut self, marker: &str) -> Option<&'a str> {
        let (before, _) = self.rest().split_once(marker)?;
        self.at += before.len() + marker.len();
        Some(before)
    }

    /// Reads everything up to a position.
    pub(super) fn take_to(&mut self, position: usize) -> &'a str {
        let text = &self.text[self.at..position];
        self.at = position;
        text
    }

    /// The position of the next token.
    pub(super) fn here(&mut self) -> usize {
        self.skip_spaces();
        self.at
    }

    /// The error that `expected` was not found at the next token.
    pub(super) fn error(&mut self, expected: &str) -> ParseError {
        let at = self.here();
        self.error_at(at, expected)
    }

    /// The error that `expected` was not found at a position. It contains the token found there.
    pub(super) fn error_at(&self, at: usize, expected: &str) -> ParseError {
        error_at(self.text, at..self.end, expected)
    }
}

/// The most characters of a token that an error shows.
const MOST_SHOWN: usize = 100;

/// The error that `expected` was not found at the start of a range of a text. It contains the token
/// found there.
pub(super) fn error_at(text: &str, range: Range<usize>, expected: &str) -> ParseError {
    let before = &text[..range.start];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = &text[range.start..range.end.max(range.start)];
    let name_end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let end = if name_end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { name_end };
    let found = match &rest[..end] {
        "" if text[range.start..].starts_with(';') => "`;`".to_owned(),
        "" | "\n" => "end of line".to_owned(),
        token => match token.char_indices().nth(MOST_SHOWN) {
            Some((end, _)) => format!("`{}...`", &token[..end]),
            None => format!("`{token}`"),
        },
    };
    ParseError {
        line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        found,
        expected: expected.to_owned(),
    }
}
