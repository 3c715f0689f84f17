//! The parser of the text form. It checks the text itself: words, numbers, names, lengths of swizzles. The verifier
//! checks whether the code is valid.

mod code;
mod header;
mod resolve;

use hashbrown::HashMap;

use super::lex::{Lexer, Position, Token};
use super::words::{COMPONENTS, Word};
use crate::ir::{AluOp, Shader, Ty, Value};

/// An error in a text, and its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {kind}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// Another token was expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What was expected.
        expected: String,
        /// The token that was found.
        found: String,
    },
    /// A number is too large.
    #[error("the number {number} does not fit {what}")]
    TooLarge {
        /// What the number is for.
        number: String,
        /// What it was for.
        what: &'static str,
    },
    /// A value is defined twice.
    #[error("%{0} is defined a second time")]
    Redefined(String),
    /// A value is used but never defined.
    #[error("%{0} is never defined")]
    Undefined(String),
    /// A source has too few or too many components.
    #[error("expected {expected} components of %{name}, found {found}")]
    Components {
        /// The value's name.
        name: String,
        /// The number of components that are read.
        expected: usize,
        /// The number of components of the swizzle, or of the value if there is no swizzle.
        found: usize,
    },
    /// Regions or types are nested too deep.
    #[error("nested more than {0} deep")]
    TooDeep(usize),
}

type Result<T> = std::result::Result<T, ParseError>;

/// Parses a shader in the text form. Values, instructions and regions are numbered in order of appearance.
///
/// # Errors
/// The first error in the text. A shader that is returned may still be rejected by the verifier.
pub fn parse(text: &str) -> Result<Shader> {
    let mut lexer = Lexer::new(text);
    let (token, position) = lexer.next();
    let mut parser = Parser {
        lexer,
        token,
        position,
        shader: Shader::new_compute(""),
        ops: AluOp::all().map(|op| (op.name(), op)).collect(),
        names: HashMap::new(),
        uses: Vec::new(),
        masked: Vec::new(),
    };
    parser.header()?;
    let body = parser.shader.func.body();
    parser.region(body, 1)?;
    if parser.token != Token::End {
        return Err(parser.expected("the end of the text"));
    }
    parser.resolve()?;
    Ok(parser.shader)
}

/// A source as written. During parsing, the value of a source is the index of its use; [`Parser::resolve`] replaces it.
struct Use<'t> {
    name: &'t str,
    swizzle: Option<(usize, [u8; 4])>,
    position: Position,
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    token: Token<'t>,
    /// The position of `token`.
    position: Position,
    shader: Shader,
    ops: HashMap<&'static str, AluOp>,
    names: HashMap<&'t str, Value>,
    /// The sources in the order of the text.
    uses: Vec<Use<'t>>,
    /// By instruction: whether the text has a write mask.
    masked: Vec<bool>,
}

impl<'t> Parser<'t> {
    /// The current token as a swizzle of one to four letters out of `xyzw`: the number of letters, and the components.
    fn components(&self) -> Option<(usize, [u8; 4])> {
        let Token::Word(word) = self.token else {
            return None;
        };
        let mut comps = [0; 4];
        for (i, letter) in word.chars().enumerate() {
            *comps.get_mut(i)? = COMPONENTS.iter().position(|&c| c == letter)? as u8;
        }
        let count = word.len();
        let last = comps[count - 1];
        comps[count..].fill(last);
        Some((count, comps))
    }

    /// Parses a letter and a number in one word.
    fn id(&mut self, letter: char, what: &str) -> Result<u32> {
        let id = match self.token {
            Token::Word(word) => word.strip_prefix(letter).and_then(|n| n.parse().ok()),
            _ => None,
        };
        let Some(id) = id else {
            return Err(self.expected(what));
        };
        self.next();
        Ok(id)
    }

    /// Parses a word of an enumeration.
    fn enumerated<T: Word>(&mut self) -> Result<T> {
        let value = match self.token {
            Token::Word(word) => T::from_word(word),
            _ => None,
        };
        let Some(value) = value else {
            let words: Vec<_> = T::all().iter().map(|row| row.1).collect();
            return Err(self.expected(&format!("{} ({})", T::WHAT, words.join(", "))));
        };
        self.next();
        Ok(value)
    }

    /// Parses a type such as `32x4`: bits and components.
    fn ty(&mut self) -> Result<Ty> {
        let ty = match self.token {
            Token::Number(text) => {
                let (bits, comps) = text.split_once('x').unwrap_or((text, "1"));
                let sizes = bits.parse().ok().zip(comps.parse().ok());
                sizes.and_then(|(bits, comps)| Ty::new(bits, comps).ok())
            }
            _ => None,
        };
        let Some(ty) = ty else {
            return Err(self.expected("a type (`1`, `8`, `16`, `32` or `64`, and `x2` to `x4`)"));
        };
        self.next();
        Ok(ty)
    }

    /// Parses a string literal.
    fn string(&mut self) -> Result<String> {
        match std::mem::replace(&mut self.token, Token::End) {
            Token::Text(text) => {
                self.next();
                Ok(text)
            }
            other => {
                self.token = other;
                Err(self.expected("a string"))
            }
        }
    }

    /// Parses a number of at most 64 bits.
    fn u64(&mut self) -> Result<u64> {
        let number = match self.token {
            Token::Number(text) => number(text),
            _ => None,
        };
        let Some(number) = number else {
            return Err(self.expected("a number"));
        };
        self.next();
        Ok(number)
    }

    /// Parses a number of at most 32 bits.
    fn u32(&mut self) -> Result<u32> {
        let number = match self.token {
            Token::Number(text) => number(text).and_then(|n| u32::try_from(n).ok()),
            _ => None,
        };
        let Some(number) = number else {
            return Err(self.expected("a number of 32 bits"));
        };
        self.next();
        Ok(number)
    }

    /// Converts a number to a type that may be too small for it.
    fn fit<T: TryFrom<u64>>(&self, number: u64, what: &'static str) -> Result<T> {
        let too_large = |_| ParseErrorKind::TooLarge { number: number.to_string(), what };
        T::try_from(number).map_err(|e| self.error(too_large(e)))
    }

    /// Parses this sign.
    fn sign(&mut self, sign: char) -> Result<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.expected(&format!("{sign:?}"))) }
    }

    /// Parses this sign if it is next. Returns whether it was.
    fn take_sign(&mut self, sign: char) -> bool {
        let found = self.token == Token::Sign(sign);
        if found {
            self.next();
        }
        found
    }

    /// Parses this word.
    fn word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// Parses this word if it is next. Returns whether it was.
    fn take_word(&mut self, word: &str) -> bool {
        let found = self.token == Token::Word(word);
        if found {
            self.next();
        }
        found
    }

    fn next(&mut self) {
        (self.token, self.position) = self.lexer.next();
    }

    /// The error that something else was expected at the current token.
    fn expected(&self, expected: &str) -> ParseError {
        let found = self.token.to_string();
        self.error(ParseErrorKind::Expected { expected: expected.to_owned(), found })
    }

    fn error(&self, kind: ParseErrorKind) -> ParseError {
        error_at(self.position, kind)
    }
}

/// The value of a decimal or hexadecimal number.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn error_at(position: Position, kind: ParseErrorKind) -> ParseError {
    ParseError { line: position.line, column: position.column, kind }
}
