//! Assembly parser.
//!
//! A line is a label, an instruction, or both; `//` and `/* */` are comments. Errors name line
//! and column, the token found and what was expected; the parser goes on with the next line, so
//! that one run reports them all.

mod bfn;
mod cursor;
mod iga;
mod mesa;
mod number;
mod place;
mod scoreboard;

use super::Syntax;
use crate::codec;
use crate::inst::Inst;
use crate::tables::Opcode;
use crestline_device::Gen;
use cursor::Cursor;
use std::collections::BTreeMap;

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

/// A branch target as written.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// Bytes relative to the branch.
    Number(i32),
    /// A label and where it stands in the line, for errors.
    Label { name: String, column: usize },
}

/// A parsed instruction whose targets are not resolved.
struct Line {
    number: usize,
    inst: Inst,
    jip: Option<Target>,
    uip: Option<Target>,
}

/// Most errors reported for one text.
const MAX_ERRORS: usize = 100;

/// Parses a program. Labels are resolved to byte distances; instructions marked compacted count
/// eight bytes, others sixteen.
///
/// # Errors
/// All errors found, at most a hundred, in the order of lines. Besides syntax these are unknown
/// and repeated labels, and instructions that do not encode on the generation.
pub fn parse_program(
    text: &str,
    generation: Gen,
    syntax: Syntax,
) -> Result<Vec<Inst>, Vec<ParseError>> {
    let mut errors = Vec::new();
    let mut labels = BTreeMap::<String, usize>::new();
    let mut lines: Vec<Line> = Vec::new();
    let mut offset = 0;
    let text = without_comments(text);
    for (number, line) in logical_lines(&text, syntax) {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        let mut cursor = Cursor::new(&line, number);
        if let Some((name, column)) = cursor.label()
            && labels.insert(name, offset).is_some()
        {
            errors.push(cursor.error_at(column, "a label that is not defined yet"));
        }
        if cursor.at_end() {
            continue;
        }
        let parsed = match syntax {
            Syntax::Iga => iga::instruction(&mut cursor, generation),
            Syntax::Mesa => mesa::instruction(&mut cursor, generation),
        };
        match parsed {
            Ok((inst, jip, uip)) => {
                offset += inst.size() as usize;
                lines.push(Line { number, inst, jip, uip });
            }
            Err(error) => errors.push(error),
        }
    }
    let mut offset = 0;
    let mut out = Vec::with_capacity(lines.len());
    for line in lines {
        let size = line.inst.size() as usize;
        match resolve(line, offset, &labels, generation) {
            Ok(inst) => out.push(inst),
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

/// Fills in the targets and checks that the instruction encodes.
fn resolve(
    line: Line,
    offset: usize,
    labels: &BTreeMap<String, usize>,
    generation: Gen,
) -> Result<Inst, ParseError> {
    let Line { number, mut inst, jip, uip } = line;
    let error = |column: usize, found: String, expected: &str| ParseError {
        line: number,
        column,
        found,
        expected: expected.to_owned(),
    };
    let base = if inst.opcode == Opcode::Calla { 0 } else { offset as i64 };
    let distance = |target: Option<Target>| match target {
        None => Ok(None),
        Some(Target::Number(bytes)) => Ok(Some(bytes)),
        Some(Target::Label { name, column }) => {
            let Some(at) = labels.get(&name) else {
                return Err(error(column, format!("`{name}`"), "a label defined in the text"));
            };
            let bytes = i32::try_from(*at as i64 - base);
            bytes.map(Some).map_err(|_| error(column, format!("`{name}`"), "a nearer label"))
        }
    };
    let (jip, uip) = (distance(jip)?, distance(uip)?);
    if let crate::inst::Extra::Branch(branch) = &mut inst.extra {
        (branch.jip, branch.uip) = (jip, uip);
    }
    codec::encode(&inst, generation).map_err(|e| {
        error(1, format!("`{}`", inst.opcode.name()), &format!("an encodable instruction ({e})"))
    })?;
    Ok(inst)
}

/// Blanks comments, keeping lines and columns.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    #[derive(PartialEq)]
    enum State {
        Code,
        Line,
        Block,
    }
    let mut state = State::Code;
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
    out
}

/// The lines of instructions with their numbers. In `mesa` text an instruction ends with a
/// semicolon and may span lines.
fn logical_lines(text: &str, syntax: Syntax) -> Vec<(usize, String)> {
    let physical = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    if syntax == Syntax::Iga {
        return physical
            .map(|(number, line)| (number, line.trim_end().trim_end_matches(';').to_owned()))
            .collect();
    }
    let mut out = Vec::new();
    let mut pending: Option<(usize, String)> = None;
    for (number, line) in physical {
        let label = line.trim().ends_with(':') && pending.is_none();
        let (start, mut joined) = pending.take().unwrap_or((number, String::new()));
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(line);
        let done = label || line.trim_end().ends_with(';') || joined.trim().is_empty();
        if done {
            out.push((start, joined.trim_end().trim_end_matches(';').to_owned()));
        } else {
            pending = Some((start, joined));
        }
    }
    out.extend(pending);
    out
}
