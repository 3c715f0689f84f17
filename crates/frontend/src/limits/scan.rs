//! Splits a source text into tokens, and finds the definitions of macros, structures, constant arrays and functions.

use std::ops::Range;

use hashbrown::HashMap;

use crate::Language;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// An identifier or keyword.
    Name(&'a str),
    /// A number or a string.
    Number,
    /// One character of punctuation.
    Mark(u8),
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    /// The byte offset in the text of the token's start.
    pub(super) offset: u32,
}

/// The kind of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Macro,
    /// A structure, or another name of a type.
    Structure,
    /// A constant array or structure.
    Constant,
    Function,
}

/// One definition of a name; a name may have several.
#[derive(Debug)]
pub(super) struct Body<'a> {
    /// Range of its tokens in [`Scan::bodies`].
    pub(super) tokens: Range<usize>,
    pub(super) meaning: Meaning,
    /// The names of a macro's parameters. For an empty list `()` it contains one empty name, so that the macro counts
    /// as one with parameters.
    pub(super) parameters: Vec<&'a str>,
}

/// The tokens and definitions of a text.
#[derive(Debug, Default)]
pub(super) struct Scan<'a> {
    /// All tokens except those of preprocessor directives.
    pub(super) text: Vec<Token<'a>>,
    /// The tokens of directives other than `#define`, with a `;` after each directive.
    pub(super) conditions: Vec<Token<'a>>,
    /// The tokens of all definitions' bodies.
    pub(super) bodies: Vec<Token<'a>>,
    pub(super) definitions: HashMap<&'a str, Vec<Body<'a>>>,
    /// Number of tokens that the search for definitions has examined.
    work: usize,
}

/// How often the search for definitions may examine each token on average. Only nested definitions need several times.
const LOOKS: usize = 16;

impl<'a> Scan<'a> {
    /// Splits a text into tokens and finds the definitions.
    ///
    /// # Errors
    /// The byte offset at which the text exceeds `most` tokens.
    pub(super) fn new(
        text: &'a str,
        language: Language,
        most: usize,
    ) -> std::result::Result<Scan<'a>, u32> {
        let mut scan = Scan::default();
        let mut lexer = Lexer { text, at: 0, line_start: true };
        while let Some((token, starts_line)) = lexer.next(false) {
            if scan.text.len() + scan.conditions.len() + scan.bodies.len() >= most {
                return Err(token.offset);
            }
            if starts_line && token.kind == Kind::Mark(b'#') && language != Language::Wgsl {
                scan.directive(&mut lexer, most)?;
            } else {
                scan.text.push(token);
            }
        }
        scan.find_definitions(language, most)?;
        Ok(scan)
    }

    /// Reads a directive of the preprocessor after its `#`.
    fn directive(&mut self, lexer: &mut Lexer<'a>, most: usize) -> std::result::Result<(), u32> {
        let mut line = Vec::new();
        while let Some((token, _)) = lexer.next(true) {
            line.push(token);
            if line.len() > most {
                return Err(token.offset);
            }
        }
        let [Token { kind: Kind::Name("define"), .. }, name, rest @ ..] = line.as_slice() else {
            let offset = line.last().map_or(0, |token| token.offset);
            self.conditions.extend(line);
            self.conditions.push(Token { kind: Kind::Mark(b';'), offset });
            return Ok(());
        };
        let Kind::Name(macro_name) = name.kind else { return Ok(()) };
        let mut body = rest;
        let mut parameters = Vec::new();
        // A list of parameters follows the name without a space.
        let list = name.offset as usize + macro_name.len();
        if rest.first().is_some_and(|t| t.kind == Kind::Mark(b'(') && t.offset as usize == list) {
            let end =
                rest.iter().position(|t| t.kind == Kind::Mark(b')')).unwrap_or(rest.len() - 1);
            parameters.extend(rest[..end].iter().filter_map(|token| match token.kind {
                Kind::Name(name) => Some(name),
                _ => None,
            }));
            if parameters.is_empty() {
                parameters.push("");
            }
            body = &rest[end + 1..];
        }
        let tokens = self.bodies.len()..self.bodies.len() + body.len();
        self.bodies.extend_from_slice(body);
        let body = Body { tokens, meaning: Meaning::Macro, parameters };
        self.definitions.entry(macro_name).or_default().push(body);
        Ok(())
    }

    /// Finds structures, functions and constant arrays in the text.
    fn find_definitions(
        &mut self,
        language: Language,
        most: usize,
    ) -> std::result::Result<(), u32> {
        let text = std::mem::take(&mut self.text);
        let name = |at: usize| match text.get(at).map(|token| token.kind) {
            Some(Kind::Name(name)) => Some(name),
            _ => None,
        };
        for at in 0..text.len() {
            if self.work > LOOKS * most {
                return Err(text[at].offset);
            }
            match text[at].kind {
                Kind::Name("struct" | "class" | "fn") => {
                    let Some(defined) = name(at + 1) else { continue };
                    let meaning = match text[at].kind {
                        Kind::Name("fn") => Meaning::Function,
                        _ => Meaning::Structure,
                    };
                    // The body starts with the parameters, because their types count, too.
                    self.define(defined, meaning, &text, at + 2..braces_end(&text, at + 2));
                }
                Kind::Name("alias" | "type" | "typealias") if language == Language::Wgsl => {
                    let Some(defined) = name(at + 1) else { continue };
                    let range = at + 2..statement_end(&text, at + 2);
                    self.define(defined, Meaning::Structure, &text, range);
                }
                Kind::Name("typedef") => {
                    let end = statement_end(&text, at + 1);
                    self.work += end - at;
                    let Some(defined) = name(end - 1) else { continue };
                    self.define(defined, Meaning::Structure, &text, at + 1..end - 1);
                }
                // Parsers evaluate constant scalars and vectors; they copy constant arrays and structures at each use.
                Kind::Name("const") => self.constants(&text, at + 1, language),
                // A function as in C: a name, its parameters, a block.
                Kind::Mark(b'{') if at > 0 && text[at - 1].kind == Kind::Mark(b')') => {
                    let open = opening(&text, at - 1);
                    self.work += at - open.unwrap_or(at.saturating_sub(MOST_PARAMETERS));
                    let Some(open) = open else { continue };
                    let Some(defined) = open.checked_sub(1).and_then(name) else { continue };
                    if !matches!(defined, "if" | "for" | "while" | "switch") {
                        let range = open..braces_end(&text, at);
                        self.define(defined, Meaning::Function, &text, range);
                    }
                }
                _ => {}
            }
        }
        self.text = text;
        Ok(())
    }

    /// Adds the constant arrays and structures of the declaration whose tokens start at `start`, after `const`.
    fn constants(&mut self, text: &[Token<'a>], start: usize, language: Language) {
        let end = statement_end(text, start);
        self.work += 2 * (end - start);
        let mut at = start;
        while let Some(equals) = (at..end).find(|&at| text[at].kind == Kind::Mark(b'=')) {
            // Forms: `a`, `a: T`, `float a`, `float a[2]`, `float[2] a`. The name is the last one that is outside
            // brackets and before `:`.
            let head = &text[at..equals];
            let colon = head.iter().position(|token| token.kind == Kind::Mark(b':'));
            let mut nesting = 0_i32;
            let mut defined = None;
            for token in &head[..colon.unwrap_or(head.len())] {
                match token.kind {
                    Kind::Mark(b'[' | b'<') => nesting += 1,
                    Kind::Mark(b']' | b'>') => nesting -= 1,
                    Kind::Name(name) if nesting == 0 => defined = Some(name),
                    _ => {}
                }
            }
            let (mut stop, mut nesting) = (equals + 1, 0_i32);
            while stop < end {
                match text[stop].kind {
                    Kind::Mark(b'(' | b'[' | b'{') => nesting += 1,
                    Kind::Mark(b')' | b']' | b'}') => nesting -= 1,
                    // A WGSL declaration has only one constant, and its type may contain commas.
                    Kind::Mark(b',') if nesting == 0 && language != Language::Wgsl => break,
                    _ => {}
                }
                stop += 1;
            }
            // An array value starts with `array`, `T[](` or a brace, a structure with its name.
            let value = &text[equals + 1..stop];
            let is_made = match value.first().map(|token| token.kind) {
                Some(Kind::Name("array") | Kind::Mark(b'{')) => true,
                Some(Kind::Name(name)) => {
                    self.is_type(name)
                        || value.windows(2).take(MOST_DIMENSIONS).any(|pair| {
                            pair.iter().map(|token| token.kind).eq([b']', b'('].map(Kind::Mark))
                        })
                }
                _ => false,
            };
            if let (Some(defined), true) = (defined, is_made) {
                self.define(defined, Meaning::Constant, text, equals + 1..stop);
            }
            at = stop + 1;
            if at >= end {
                break;
            }
        }
    }

    /// Whether the definitions found so far include a structure of this name.
    fn is_type(&self, name: &str) -> bool {
        let is_type = |body: &Body<'_>| body.meaning == Meaning::Structure;
        self.definitions.get(name).is_some_and(|bodies| bodies.iter().any(is_type))
    }

    /// Adds a definition whose body is `range` of `text`.
    fn define(&mut self, name: &'a str, meaning: Meaning, text: &[Token<'a>], range: Range<usize>) {
        let range = range.start.min(range.end)..range.end;
        let tokens = self.bodies.len()..self.bodies.len() + range.len();
        self.work += range.len();
        self.bodies.extend_from_slice(&text[range]);
        let body = Body { tokens, meaning, parameters: Vec::new() };
        self.definitions.entry(name).or_default().push(body);
    }
}

/// The index after the block that starts at or after `at`; the index of a `;` that comes before the block.
fn braces_end(text: &[Token<'_>], at: usize) -> usize {
    let mut nesting = 0_u32;
    for (index, token) in text.iter().enumerate().skip(at) {
        match token.kind {
            Kind::Mark(b'{') => nesting += 1,
            Kind::Mark(b'}') if nesting <= 1 => return index + 1,
            Kind::Mark(b'}') => nesting -= 1,
            Kind::Mark(b';') if nesting == 0 => return index,
            _ => {}
        }
    }
    text.len()
}

/// The index of the `;` that ends the statement at `at`, or of the bracket that closes around it.
fn statement_end(text: &[Token<'_>], at: usize) -> usize {
    let mut nesting = 0_u32;
    for (index, token) in text.iter().enumerate().skip(at) {
        match token.kind {
            Kind::Mark(b'(' | b'[' | b'{') => nesting += 1,
            Kind::Mark(b')' | b']' | b'}') if nesting == 0 => return index,
            Kind::Mark(b')' | b']' | b'}') => nesting -= 1,
            Kind::Mark(b';') if nesting == 0 => return index,
            _ => {}
        }
    }
    text.len()
}

/// The index of the `(` that matches the `)` at `close`; `None` if it is more than [`MOST_PARAMETERS`] tokens away.
fn opening(text: &[Token<'_>], close: usize) -> Option<usize> {
    let mut nesting = 0_u32;
    for index in (close.saturating_sub(MOST_PARAMETERS)..=close).rev() {
        match text[index].kind {
            Kind::Mark(b')') => nesting += 1,
            Kind::Mark(b'(') => nesting -= 1,
            _ => {}
        }
        if nesting == 0 {
            return Some(index);
        }
    }
    None
}

/// The most tokens of a list of parameters; functions with more are not found.
const MOST_PARAMETERS: usize = 4096;

/// The number of tokens of a constant's value in which `](` is searched, which marks an array constructor.
const MOST_DIMENSIONS: usize = 256;

/// Splits a text into tokens.
struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Whether only white space and comments precede `at` in its line.
    line_start: bool,
}

impl<'a> Lexer<'a> {
    /// The next token, and whether it is the first of its line. In a directive, `None` at the end of the line.
    fn next(&mut self, in_directive: bool) -> Option<(Token<'a>, bool)> {
        let bytes = self.text.as_bytes();
        loop {
            let rest = &bytes[self.at..];
            match rest {
                [] => return None,
                // A backslash joins the line with the next one.
                [b'\\', b'\n', ..] => self.at += 2,
                [b'\\', b'\r', b'\n', ..] => self.at += 3,
                [b'\n', ..] => {
                    self.at += 1;
                    self.line_start = true;
                    if in_directive {
                        return None;
                    }
                }
                [b'/', b'/', ..] => self.skip_line(),
                [b'/', b'*', ..] => {
                    let end = self.text[self.at + 2..].find("*/");
                    self.at = end.map_or(bytes.len(), |end| self.at + 2 + end + 2);
                }
                [c, ..] if c.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        let start = self.at;
        let length = |wanted: fn(u8) -> bool| {
            bytes[start..].iter().position(|&c| !wanted(c)).unwrap_or(bytes.len() - start)
        };
        let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c >= 0x80;
        let kind = match bytes[start] {
            c if c.is_ascii_digit() => {
                self.at += length(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'.');
                Kind::Number
            }
            b'"' => {
                let end = bytes[start + 1..].iter().position(|c| matches!(c, b'"' | b'\n'));
                self.at = end.map_or(bytes.len(), |end| start + 1 + end);
                // A string without closing quote ends before the line break.
                if bytes.get(self.at) == Some(&b'"') {
                    self.at += 1;
                }
                Kind::Number
            }
            c if is_word(c) => {
                self.at += length(|c| c.is_ascii_alphanumeric() || c == b'_' || c >= 0x80);
                // All bytes from 0x80 on are part of words, so the word starts and ends at character boundaries.
                Kind::Name(&self.text[start..self.at])
            }
            mark => {
                self.at += 1;
                Kind::Mark(mark)
            }
        };
        let starts_line = std::mem::take(&mut self.line_start);
        Some((Token { kind, offset: start as u32 }, starts_line))
    }

    /// Moves `at` to the end of the line of a `//` comment.
    fn skip_line(&mut self) {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() && bytes[self.at] != b'\n' {
            // In GLSL, a backslash continues the comment in the next line.
            self.at += if bytes[self.at..].starts_with(b"\\\n") { 2 } else { 1 };
        }
    }
}
