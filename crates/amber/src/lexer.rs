//! Splits the text of a script into words with their places.
//!
//! Words are separated by white space. A `#` starts a comment, and a `\` at the end of a line joins the next line to it.
//! A text between quotation marks is one word.

use crate::error::{Place, Result, ScriptError};

/// A word of a script, or the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) place: Place,
    pub(crate) kind: Kind<'a>,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    Word(&'a str),
    /// A word between quotation marks, without these.
    Quoted(&'a str),
    EndOfLine,
    EndOfScript,
}

impl Kind<'_> {
    /// The token in an error text.
    pub(crate) fn shown(self) -> String {
        match self {
            Kind::Word(word) => format!("`{}`", shortened(word)),
            Kind::Quoted(word) => format!("\"{}\"", shortened(word)),
            Kind::EndOfLine => "the end of the line".to_owned(),
            Kind::EndOfScript => "the end of the script".to_owned(),
        }
    }
}

/// The first characters of a word.
fn shortened(word: &str) -> String {
    match word.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &word[..end]),
        None => word.to_owned(),
    }
}

/// An integer or decimal number of a script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The value as a float.
    pub float: f64,
    /// The value, if it is an integer.
    pub integer: Option<i128>,
}

impl Number {
    /// Reads a number: decimal, hexadecimal with `0x`, or with a fraction or exponent.
    pub(crate) fn parse(word: &str) -> Option<Number> {
        let (negative, digits) = match word.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, word.strip_prefix('+').unwrap_or(word)),
        };
        let sign = if negative { -1 } else { 1 };
        if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            let value = u64::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+'))?;
            let integer = i128::from(value) * sign;
            return Some(Number { float: integer as f64, integer: Some(integer) });
        }
        match digits.bytes().next() {
            Some(b'0'..=b'9' | b'.') => {}
            _ if matches!(digits, "inf" | "nan" | "INF" | "NAN" | "NaN" | "Inf") => {}
            _ => return None,
        }
        let float: f64 = digits.parse().ok()?;
        let float = if negative { -float } else { float };
        let integer = digits.parse::<u64>().ok().map(|value| i128::from(value) * sign);
        Some(Number { float, integer: integer.or_else(|| whole(float)) })
    }

    /// A number from an integer.
    pub fn integer(value: i128) -> Number {
        Number { float: value as f64, integer: Some(value) }
    }
}

/// The integer that a float is, up to 2^64.
fn whole(float: f64) -> Option<i128> {
    (float.fract() == 0.0 && float.abs() < 1.9e19).then_some(float as i128)
}

/// Reads the words of a text one after another.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    /// The byte of the next character.
    at: usize,
    /// The place of the next character.
    place: Place,
    /// Characters beside white space that end a word and are skipped.
    separators: &'static [char],
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0, place: Place { line: 1, column: 1 }, separators: &[] }
    }

    /// A lexer that treats further characters as white space, from a line on.
    pub(crate) fn with_separators(text: &'a str, line: u32, separators: &'static [char]) -> Self {
        Lexer { text, at: 0, place: Place { line, column: 1 }, separators }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips `count` bytes of one line.
    fn skip(&mut self, count: usize) {
        self.place.column += self.rest()[..count].chars().count() as u32;
        self.at += count;
    }

    /// Skips the end of a line.
    fn skip_line_end(&mut self) {
        self.at += if self.rest().starts_with("\r\n") { 2 } else { 1 };
        self.place = Place { line: self.place.line + 1, column: 1 };
    }

    /// Whether the rest starts with the end of a line.
    fn at_line_end(&self) -> bool {
        self.rest().starts_with('\n') || self.rest().starts_with("\r\n")
    }

    fn is_space(&self, c: char) -> bool {
        c != '\n' && (c.is_whitespace() || self.separators.contains(&c))
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Result<Token<'a>> {
        loop {
            if self.at_line_end() {
                let place = self.place;
                self.skip_line_end();
                return Ok(Token { place, kind: Kind::EndOfLine });
            }
            let rest = self.rest();
            let Some(first) = rest.chars().next() else {
                return Ok(Token { place: self.place, kind: Kind::EndOfScript });
            };
            if self.is_space(first) {
                self.skip(first.len_utf8());
            } else if first == '#' {
                let end = rest.find('\n').unwrap_or(rest.len());
                self.skip(rest[..end].trim_end_matches('\r').len());
            } else if first == '\\'
                && rest[1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n')
            {
                self.skip(rest.find('\n').unwrap_or(rest.len()));
                self.skip_line_end();
            } else {
                break;
            }
        }
        let (rest, place) = (self.rest(), self.place);
        if let Some(inside) = rest.strip_prefix('"') {
            let end = inside.find(['"', '\n']).filter(|end| inside[*end..].starts_with('"'));
            let Some(end) = end else {
                return Err(ScriptError::new(place, "the text has no closing quotation mark"));
            };
            self.skip(end + 2);
            return Ok(Token { place, kind: Kind::Quoted(&inside[..end]) });
        }
        let end = |c: char| c == '\n' || c == '#' || self.is_space(c);
        let length = rest.find(end).unwrap_or(rest.len());
        self.skip(length);
        Ok(Token { place, kind: Kind::Word(&rest[..length]) })
    }

    /// The next token, which is not consumed.
    pub(crate) fn peek(&self) -> Result<Token<'a>> {
        self.clone().next()
    }

    /// The next token unless it is the end of a line; empty lines are skipped.
    pub(crate) fn next_word(&mut self) -> Result<Token<'a>> {
        loop {
            let token = self.next()?;
            if token.kind != Kind::EndOfLine {
                return Ok(token);
            }
        }
    }

    /// The lines up to one whose only word is `END`, and the number of the first. Comments are not recognized. The lexer
    /// is at the start of a line.
    pub(crate) fn raw_lines(&mut self, start: Place) -> Result<(&'a str, u32)> {
        let (first, line) = (self.at, self.place.line);
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Err(ScriptError::new(start, "the text has no line with END"));
            }
            let length = rest.find('\n').unwrap_or(rest.len());
            let end = self.at;
            let content = &rest[..length];
            self.at += length;
            let mut words = content.split_whitespace();
            let is_end = words.next() == Some("END")
                && words.next().is_none_or(|word| word.starts_with('#'));
            if is_end {
                self.place.column = content.chars().count() as u32 + 1;
                return Ok((&self.text[first..end], line));
            }
            if self.at < self.text.len() {
                self.at += 1;
                self.place = Place { line: self.place.line + 1, column: 1 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut lexer = Lexer::new(text);
        let mut words = Vec::new();
        loop {
            let Token { place, kind } = lexer.next().unwrap();
            words.push(format!("{place} {}", kind.shown()));
            if kind == Kind::EndOfScript {
                return words;
            }
        }
    }

    #[test]
    fn words_have_their_places() {
        assert_eq!(
            words("a \\\n  b# c\r\n \"d e\""),
            [
                "1:1 `a`",
                "2:3 `b`",
                "2:7 the end of the line",
                "3:2 \"d e\"",
                "3:7 the end of the script"
            ]
        );
        assert!(Lexer::new("\"a\nb\"").next().is_err());
    }

    #[test]
    fn numbers_are_read() {
        let integer = |word| Number::parse(word).and_then(|number| number.integer);
        assert_eq!(integer("-12"), Some(-12));
        assert_eq!(integer("0xff"), Some(255));
        assert_eq!(integer("12.0"), Some(12));
        assert_eq!(integer("18446744073709551615"), Some(u64::MAX.into()));
        assert_eq!(integer("1.5"), None);
        assert_eq!(Number::parse("-1.5e2").map(|number| number.float), Some(-150.0));
        for word in ["", "-", "x", "0x", "1x", "--1", "0x+1", "infinity"] {
            assert_eq!(Number::parse(word), None, "{word}");
        }
    }

    #[test]
    fn raw_lines_end_at_end() {
        let mut lexer = Lexer::new("A\n# b\n END # c\nD");
        lexer.next().unwrap();
        lexer.next().unwrap();
        assert_eq!(lexer.raw_lines(Place::default()), Ok(("# b\n", 2)));
        assert_eq!(lexer.next().unwrap().kind, Kind::EndOfLine);
        assert_eq!(lexer.next().unwrap().place, Place { line: 4, column: 1 });
        assert!(Lexer::new("a\nENDE").raw_lines(Place::default()).is_err());
    }
}
