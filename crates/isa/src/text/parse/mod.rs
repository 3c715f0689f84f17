//! Parser of assembly text in both syntaxes.
//!
//! In the `iga` syntax a line is a label, an instruction, or both. In the `mesa` syntax a semicolon
//! ends an instruction, which may have several lines or share one. A line `.bits` in front of an
//! instruction sets bits that its text does not determine; a line `.bytes` contains code as bytes.
//! `//` and `/* */` are comments.
//!
//! The parser works in two passes: the first parses each statement and computes the offsets of
//! labels; the second replaces labels by distances and checks that the instructions encode.
//!
//! Errors contain line and column, the token found and what was expected. After an error the parser
//! continues with the next instruction, so that one run reports all errors.

mod bfn;
mod cursor;
mod iga;
mod mesa;
mod number;
mod place;
mod scoreboard;

use super::Syntax;
use super::raw_bits::{self, Bits};
use crate::codec;
use crate::inst::{Inst, Region, Src, SrcReg, Swizzle};
use crate::program;
use crate::tables::Opcode;
use crestline_device::Gen;
use cursor::{Cursor, error_at};
use std::collections::BTreeMap;
use std::ops::Range;

/// An error in assembly text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: expected {expected}, found {found}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The token found, quoted, or "end of line".
    pub found: String,
    /// What was expected.
    pub expected: String,
}

/// A branch target in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// Bytes relative to the branch.
    Number(i32),
    /// A label, and its position in the text for errors.
    Label { name: String, at: usize },
}

/// A part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// An instruction.
    Inst(Inst),
    /// Bytes that do not decode to instructions.
    Bytes(Vec<u8>),
}

/// A parsed statement.
enum Statement {
    Line(Line),
    /// A part of a `.bytes` line, with the position of the line in the text.
    Given(usize, Piece),
}

/// A parsed instruction whose targets are not resolved.
struct Line {
    /// Position of the operation in the text, for errors.
    at: usize,
    inst: Inst,
    jip: Option<Target>,
    uip: Option<Target>,
    /// The ranges of the `.bits` lines in front of it.
    bits: Vec<Bits>,
}

/// Sizes of instructions are multiples of this number of bytes.
const INST_UNIT: usize = 8;

const WHOLE_UNITS: &str = "no more code behind bytes that are no multiple of 8";

/// Maximum number of errors reported for one text.
const MAX_ERRORS: usize = 100;

/// Parses a program. Labels are resolved to byte distances; an instruction has 8 bytes if it is
/// marked as compacted, otherwise 16. The bytes of `.bytes` lines are decoded to instructions.
///
/// # Errors
/// All errors found, at most a hundred, in the order of lines. Besides syntax errors these are
/// unknown and repeated labels, instructions that do not encode on the generation, and bytes that
/// do not decode.
pub fn parse_program(
    text: &str,
    generation: Gen,
    syntax: Syntax,
) -> Result<Vec<Inst>, Vec<ParseError>> {
    let mut errors = Vec::new();
    let mut out = Vec::new();
    for (at, piece) in parse_located(text, generation, syntax)? {
        match piece {
            Piece::Inst(inst) => out.push(inst),
            Piece::Bytes(_) if errors.len() < MAX_ERRORS => {
                errors.push(error_at(text, at..text.len(), "bytes that are instructions"));
            }
            Piece::Bytes(_) => {}
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

/// Parses a program as [`parse_program`], but accepts `.bytes` lines that do not decode, which the
/// disassembly of damaged code can contain.
///
/// # Errors
/// As [`parse_program`], except for bytes that do not decode.
pub fn parse_pieces(
    text: &str,
    generation: Gen,
    syntax: Syntax,
) -> Result<Vec<Piece>, Vec<ParseError>> {
    let pieces = parse_located(text, generation, syntax)?;
    Ok(pieces.into_iter().map(|(_, piece)| piece).collect())
}

/// Parses a program to its parts, each with its byte position in the text.
fn parse_located(
    text: &str,
    generation: Gen,
    syntax: Syntax,
) -> Result<Vec<(usize, Piece)>, Vec<ParseError>> {
    let mut errors = Vec::new();
    let mut labels = BTreeMap::<String, usize>::new();
    let mut lines: Vec<Statement> = Vec::new();
    let mut bits = Vec::new();
    let mut offset = 0;
    let (text, open_comment) = without_comments(text);
    if let Some(at) = open_comment {
        let found = Cursor::new(&text, at..at).error_at(at, "`*/` after this comment");
        errors.push(ParseError { found: "`/*`".to_owned(), ..found });
    }
    for range in statements(&text, syntax) {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        let mut cursor = Cursor::new(&text, range);
        if let Some((name, at)) = cursor.label()
            && labels.insert(name, offset).is_some()
        {
            errors.push(cursor.error_at(at, "a label that is not defined yet"));
        }
        if cursor.at_end() {
            continue;
        }
        let at = cursor.here();
        if cursor.eat(".bits") {
            match raw_bits(&mut cursor) {
                Ok(ranges) => bits.extend(ranges),
                Err(error) => errors.push(error),
            }
            continue;
        }
        if cursor.eat(".bytes") {
            if !bits.is_empty() {
                errors.push(cursor.error_at(at, "an instruction behind `.bits`"));
                bits.clear();
            }
            match raw_bytes(&mut cursor) {
                Ok(_) if !offset.is_multiple_of(INST_UNIT) => {
                    errors.push(cursor.error_at(at, WHOLE_UNITS));
                }
                Ok(bytes) => {
                    offset += bytes.len();
                    let pieces = pieces_of(bytes, generation).into_iter();
                    lines.extend(pieces.map(|piece| Statement::Given(at, piece)));
                }
                Err(error) => errors.push(error),
            }
            continue;
        }
        let parsed = match syntax {
            Syntax::Iga => iga::instruction(&mut cursor, generation),
            Syntax::Mesa => mesa::instruction(&mut cursor, generation),
        };
        match parsed {
            Ok(_) if !offset.is_multiple_of(INST_UNIT) => {
                errors.push(cursor.error_at(at, WHOLE_UNITS));
            }
            Ok((inst, jip, uip)) => {
                offset += inst.size() as usize;
                let bits = std::mem::take(&mut bits);
                lines.push(Statement::Line(Line { at, inst, jip, uip, bits }));
            }
            Err(error) => errors.push(error),
        }
    }
    if !bits.is_empty() {
        errors.push(error_at(&text, text.len()..text.len(), "an instruction behind `.bits`"));
    }
    let mut offset = 0;
    let mut out = Vec::with_capacity(lines.len());
    for statement in lines {
        let line = match statement {
            Statement::Line(line) => line,
            Statement::Given(at, piece) => {
                offset += match &piece {
                    Piece::Inst(inst) => inst.size() as usize,
                    Piece::Bytes(bytes) => bytes.len(),
                };
                out.push((at, piece));
                continue;
            }
        };
        let (at, size) = (line.at, line.inst.size() as usize);
        match resolve(&text, line, offset, &labels, (generation, syntax)) {
            Ok(inst) => out.push((at, Piece::Inst(inst))),
            Err(error) if errors.len() < MAX_ERRORS => errors.push(error),
            Err(_) => {}
        }
        offset += size;
    }
    if errors.is_empty() {
        return Ok(out);
    }
    errors.sort_by_key(|error| (error.line, error.column));
    Err(errors)
}

/// Completes a parsed instruction: resolves its targets, checks that it encodes, and applies its
/// `.bits` lines.
fn resolve(
    text: &str,
    line: Line,
    offset: usize,
    labels: &BTreeMap<String, usize>,
    (generation, syntax): (Gen, Syntax),
) -> Result<Inst, ParseError> {
    let Line { at, mut inst, jip, uip, bits } = line;
    let error = |at: usize, expected: &str| error_at(text, at..text.len(), expected);
    let base = if inst.opcode == Opcode::Calla { 0 } else { offset as i64 };
    let distance = |target: Option<Target>| match target {
        None => Ok(None),
        Some(Target::Number(bytes)) => Ok(Some(bytes)),
        Some(Target::Label { name, at }) => {
            let label = labels.get(&name);
            let label = label.ok_or_else(|| error(at, "a label defined in the text"))?;
            let bytes = i32::try_from(*label as i64 - base);
            bytes.map(Some).map_err(|_| error(at, "a nearer label"))
        }
    };
    let (jip, uip) = (distance(jip)?, distance(uip)?);
    if let crate::inst::Extra::Branch(branch) = &mut inst.extra {
        (branch.jip, branch.uip) = (jip, uip);
    }
    codec::encode(&inst, generation)
        .map_err(|why| error(at, &format!("an encodable instruction ({why})")))?;
    let inst = match syntax {
        Syntax::Mesa => as_mesa_writes(inst, generation),
        Syntax::Iga => inst,
    };
    if bits.is_empty() {
        return Ok(inst);
    }
    raw_bits::apply(inst, &bits, generation).map_err(|expected| error(at, &expected))
}

/// Parses the ranges after `.bits`.
fn raw_bits(c: &mut Cursor<'_>) -> Result<Vec<Bits>, ParseError> {
    let mut out = Vec::new();
    while !c.at_end() {
        let word = c.eat_name("word");
        let highest = if word { 63 } else { 127 };
        c.expect("[")?;
        let hi = c.decimal("the number of a bit", highest)?;
        c.expect(":")?;
        let lo = c.decimal("the number of a bit that is not above it", hi)?;
        c.expect("]")?;
        c.expect("=")?;
        let at = c.here();
        let value = u128::from(c.unsigned("a number")?);
        if value >> (hi - lo) > 1 {
            return Err(c.error_at(at, &format!("a value of {} bits", hi - lo + 1)));
        }
        out.push(Bits { word, hi, lo, value });
    }
    Ok(out)
}

/// Parses the bytes after `.bytes`.
fn raw_bytes(c: &mut Cursor<'_>) -> Result<Vec<u8>, ParseError> {
    let mut out = Vec::new();
    while !c.at_end() {
        let at = c.here();
        let digits = c.name();
        let byte = |pair: &[u8]| {
            let digit = |c: u8| char::from(c).to_digit(16);
            Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8)
        };
        let bytes =
            digits.as_bytes().chunks(2).map(|pair| if pair.len() == 2 { byte(pair) } else { None });
        match bytes.collect::<Option<Vec<u8>>>() {
            Some(bytes) if !bytes.is_empty() => out.extend(bytes),
            _ => return Err(c.error_at(at, "bytes of two hexadecimal digits each")),
        }
    }
    if out.is_empty() {
        return Err(c.error("bytes of two hexadecimal digits each"));
    }
    Ok(out)
}

/// Decodes the bytes of a `.bytes` line to instructions. If any of them does not decode, the result
/// is the bytes.
fn pieces_of(bytes: Vec<u8>, generation: Gen) -> Vec<Piece> {
    let insts = program::decode_each(&bytes, 0, generation).map(|(_, inst)| inst.ok());
    match insts.collect::<Option<Vec<Inst>>>() {
        // The sizes differ if `decode_each` ignored zeros at the end.
        Some(insts)
            if insts.iter().map(|inst| inst.size() as usize).sum::<usize>() == bytes.len() =>
        {
            insts.into_iter().map(Piece::Inst).collect()
        }
        _ => vec![Piece::Bytes(bytes)],
    }
}

/// Sets the unused bits of an instruction as Mesa's assembler does. If a compacted instruction has
/// no compacted form with these bits, keeps the bits with which it has one.
fn as_mesa_writes(inst: Inst, generation: Gen) -> Inst {
    let own = inst.residue;
    let theirs = Inst { residue: own | codec::mesa_residue(&inst, generation), ..inst };
    let exists = |inst: &Inst| program::encode_into(inst, generation, &mut Vec::new()).is_ok();
    if !theirs.compacted || exists(&theirs) {
        return theirs;
    }
    let ours = Inst { residue: own, srcs: theirs.srcs.map(named_in_order), ..theirs.clone() };
    if exists(&ours) { ours } else { theirs }
}

/// Sets the swizzle of a three-source operand that replicates one element to the identity. The
/// swizzle has no effect there.
fn named_in_order(src: Src) -> Src {
    match src {
        Src::Reg(reg @ SrcReg { region: Region::ThreeAlign16 { rep: true, .. }, .. }) => {
            let region = Region::ThreeAlign16 { rep: true, swizzle: Swizzle::XYZW };
            Src::Reg(SrcReg { region, ..reg })
        }
        src => src,
    }
}

/// Replaces comments by spaces, which keeps lines and columns. Also returns the position of a block
/// comment that has no end.
fn without_comments(text: &str) -> (String, Option<usize>) {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    #[derive(PartialEq)]
    enum State {
        Code,
        Line,
        Block,
    }
    let mut state = State::Code;
    let mut opened = 0;
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match (&state, c, next) {
            (_, '\n', _) => {
                if state == State::Line {
                    state = State::Code;
                }
                out.push('\n');
            }
            (State::Code, '/', Some('/')) => {
                state = State::Line;
                out.push(' ');
            }
            (State::Code, '/', Some('*')) => {
                state = State::Block;
                opened = out.len();
                chars.next();
                out.push_str("  ");
            }
            (State::Block, '*', Some('/')) => {
                state = State::Code;
                chars.next();
                out.push_str("  ");
            }
            (State::Code, c, _) => out.push(c),
            _ => out.push(' '),
        }
    }
    (out, (state == State::Block).then_some(opened))
}

/// The byte ranges of the statements (labels, instructions, or a label and an instruction) in a
/// text without comments.
fn statements(text: &str, syntax: Syntax) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    // Start of a statement whose end has not been found yet.
    let mut begun: Option<usize> = None;
    let mut next = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (next, next + line.trim_end().len());
        next += line.len();
        // A `.bytes` line ends with the line in both syntaxes.
        let bytes = begun.is_none() && text[start..end].trim_start().starts_with(".bytes");
        if syntax == Syntax::Iga || bytes {
            out.push(start..start + text[start..end].trim_end_matches(';').len());
            continue;
        }
        let mut at = start;
        for piece in text[start..end].split_inclusive(';') {
            let blank = piece.trim().is_empty();
            let ends = piece.ends_with(';') || begun.is_none() && piece.trim_end().ends_with(':');
            let from = begun.take().unwrap_or(at);
            at += piece.len();
            if ends {
                out.push(from..at - usize::from(piece.ends_with(';')));
            } else if !blank || from < start {
                begun = Some(from);
            }
        }
    }
    out.extend(begun.map(|from| from..text.trim_end().len()));
    out
}
