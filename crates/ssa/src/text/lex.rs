//! The lexer: splits a text into words, numbers, strings and signs, each with its position.

use std::fmt;

/// A position in a text. Line and column count from 1; columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A token of the text form.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'t> {
    /// Letters, digits and underscores, starting with a letter or underscore.
    Word(&'t str),
    /// Letters, digits and points, starting with a digit: a number or a type.
    Number(&'t str),
    /// A `%` followed by a name; the string is the name.
    Value(&'t str),
    /// A string literal, without its quotes and with escapes resolved.
    Text(String),
    /// Any other character.
    Sign(char),
    /// A string literal that does not end or has an unknown escape.
    BadText,
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(text) | Token::Number(text) => write!(f, "`{}`", short(text)),
            Token::Value(name) => write!(f, "`%{}`", short(name)),
            Token::Text(text) => write!(f, "{:?}", short(text)),
            Token::Sign(sign) => write!(f, "{sign:?}"),
            Token::BadText => write!(f, "a malformed string"),
            Token::End => write!(f, "the end of the text"),
        }
    }
}

/// The first characters of a text, for an error message.
fn short(text: &str) -> &str {
    text.char_indices().nth(40).map_or(text, |(end, _)| &text[..end])
}

pub(super) struct Lexer<'t> {
    rest: &'t str,
    position: Position,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lexer { rest: text, position: Position { line: 1, column: 1 } }
    }

    /// The next token and the position of its start.
    pub(super) fn next(&mut self) -> (Token<'t>, Position) {
        self.skip_space();
        let position = self.position;
        let Some(first) = self.rest.chars().next() else {
            return (Token::End, position);
        };
        let token = match first {
            'a'..='z' | 'A'..='Z' | '_' => Token::Word(self.take_while(is_name)),
            '0'..='9' => Token::Number(self.take_while(|c| is_name(c) || c == '.')),
            '%' => {
                self.advance(1);
                Token::Value(self.take_while(is_name))
            }
            '"' => self.text(),
            sign => {
                self.advance(sign.len_utf8());
                Token::Sign(sign)
            }
        };
        (token, position)
    }

    /// Whether the next token is this sign. The token is not consumed.
    pub(super) fn peek_sign(&self, sign: char) -> bool {
        self.rest.trim_start().starts_with(sign)
    }

    /// Skips white space and comments.
    fn skip_space(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest.starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    /// Takes the characters for which `keep` returns true.
    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !keep(c)).unwrap_or(self.rest.len());
        self.advance(end)
    }

    /// Takes this many bytes, which must be whole characters, and updates the position.
    fn advance(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        for c in taken.chars() {
            self.position = match c {
                '\n' => Position { line: self.position.line + 1, column: 1 },
                _ => Position { column: self.position.column + 1, ..self.position },
            };
        }
        self.rest = rest;
        taken
    }

    /// Takes a string literal.
    fn text(&mut self) -> Token<'t> {
        self.advance(1);
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|c| !matches!(c, '"' | '\\' | '\n')));
            match self.rest.chars().next() {
                Some('"') => {
                    self.advance(1);
                    return Token::Text(text);
                }
                Some('\\') => match self.escape() {
                    Some(c) => text.push(c),
                    None => return Token::BadText,
                },
                _ => return Token::BadText,
            }
        }
    }

    /// Takes an escape sequence, in the form that `char::escape_default` writes.
    fn escape(&mut self) -> Option<char> {
        let code = self.rest.chars().nth(1)?;
        let plain = match code {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '\\' | '"' | '\'' => code,
            'u' => {
                let (digits, _) = self.rest.get(2..)?.strip_prefix('{')?.split_once('}')?;
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
                self.advance(digits.len() + 4);
                return Some(c);
            }
            _ => return None,
        };
        self.advance(2);
        Some(plain)
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
