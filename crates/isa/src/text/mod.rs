//! Assembly text: printers and parsers of two syntaxes.
//!
//! `iga` is the syntax of Intel's `iga64` (gen7.5 and later, Align1). `mesa` is the syntax of
//! Mesa's shader dumps (all generations, Align16 too). Both are printed without alignment of
//! columns: single spaces separate the tokens.
//!
//! A syntax has no text for some instructions, see [`unrepresentable`]; they are printed as
//! `.bytes` lines. Parsing printed text gives the same bytes, for some instructions only if `.bits`
//! lines are printed too ([`Disassembly::with_raw_bits`]).

mod elements;
mod iga;
mod labels;
mod mesa;
mod named_fields;
mod number;
mod parse;
mod raw_bits;
mod unrepresentable;

pub use parse::{ParseError, Piece, parse_pieces, parse_program};
pub use unrepresentable::unrepresentable;

use crate::inst::Inst;
use crate::program::{ProgramError, decode_at, encode_into};
use crestline_device::Gen;
use labels::{InOrder, Labels};
use std::fmt::Write;
use std::ops::Range;
use std::str::FromStr;

/// An assembly syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Syntax {
    /// The syntax of Mesa's shader dumps.
    Mesa,
    /// The syntax of Intel's `iga64`.
    Iga,
}

impl Syntax {
    /// The name on command lines: `mesa` or `iga`.
    pub const fn name(self) -> &'static str {
        match self {
            Syntax::Mesa => "mesa",
            Syntax::Iga => "iga",
        }
    }
}

/// The error for an unknown name of a syntax.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown syntax `{name}`: expected mesa or iga")]
pub struct UnknownSyntax {
    /// The name as given.
    pub name: String,
}

impl FromStr for Syntax {
    type Err = UnknownSyntax;

    fn from_str(name: &str) -> Result<Self, UnknownSyntax> {
        [Syntax::Mesa, Syntax::Iga]
            .into_iter()
            .find(|syntax| syntax.name() == name)
            .ok_or_else(|| UnknownSyntax { name: name.to_owned() })
    }
}

/// Prints one instruction, without a line end. Branch targets are printed as numbers, in bytes
/// relative to the instruction.
pub fn print_inst(inst: &Inst, generation: Gen, syntax: Syntax) -> String {
    let mut out = String::with_capacity(80);
    print_one(&mut out, inst, generation, syntax, None);
    out
}

/// The offset of an instruction and the labels of its program, for printing branch targets as
/// labels.
#[derive(Clone, Copy)]
struct Context<'a> {
    offset: usize,
    labels: &'a Labels,
}

/// Prints an instruction; branch targets as labels if there is a `context`.
fn print_one(
    out: &mut String,
    inst: &Inst,
    generation: Gen,
    syntax: Syntax,
    context: Option<Context<'_>>,
) {
    match syntax {
        Syntax::Iga => iga::inst(out, inst, generation, context),
        Syntax::Mesa => mesa::inst(out, inst, generation, context),
    }
}

/// Prints a program: one line per instruction, with labels at branch targets. Instructions that the
/// syntax [has no text for](unrepresentable) are printed as bytes. In the `iga` syntax, a comment
/// describes each message; in the `mesa` syntax the description is part of the text. `insts` have
/// byte offsets, as from [`decode_program`](crate::decode_program).
pub fn print_program(insts: &[(usize, Inst)], generation: Gen, syntax: Syntax) -> String {
    let labels = Labels::of(insts, syntax);
    let mut lines = Lines::new(&labels, 0..insts.len(), None, generation, syntax);
    for (offset, inst) in insts {
        lines.begin(*offset);
        lines.print(*offset, inst);
    }
    lines.finish()
}

/// Prints machine code as [`print_program`] prints decoded instructions, but faster: it decodes one
/// instruction at a time.
///
/// # Errors
/// At the first instruction that does not decode.
pub fn print_code(code: &[u8], generation: Gen, syntax: Syntax) -> Result<String, ProgramError> {
    let disassembly = Disassembly::new(code, generation, syntax);
    let printed = disassembly.print(0..disassembly.instructions());
    printed.error.map_or(Ok(printed.text), Err)
}

/// A comment to print in front of each instruction: `/* 0x0010 0100600000000000 */`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prefix {
    /// Whether it contains the byte offset of the instruction.
    pub offset: bool,
    /// Whether it contains the bytes of the instruction, in memory order.
    pub bytes: bool,
}

impl Prefix {
    /// Prints the comment; the offset has at least `digits` digits.
    fn print(self, out: &mut String, digits: usize, offset: usize, bytes: &[u8]) {
        if !self.offset && !self.bytes {
            return;
        }
        out.push_str("/* ");
        // Writing to a string cannot fail.
        if self.offset {
            let _ = write!(out, "0x{offset:0digits$x} ");
        }
        if self.bytes {
            push_bytes(out, bytes);
            // Pad to the width of a full instruction.
            out.extend(std::iter::repeat_n(' ', 33usize.saturating_sub(2 * bytes.len())));
        }
        out.push_str("*/ ");
    }
}

/// Prints bytes in hexadecimal.
fn push_bytes(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
}

/// Prints the start of the line for an instruction that a syntax has no text for: `.bytes`, the
/// bytes, and a comment with the reason. The caller adds the closest text to the comment.
fn push_unrepresentable(
    out: &mut String,
    inst: &Inst,
    generation: Gen,
    (syntax, why): (Syntax, &str),
) {
    let mut bytes = Vec::new();
    out.push_str(".bytes ");
    match encode_into(inst, generation, &mut bytes) {
        Ok(()) => push_bytes(out, &bytes),
        // An instruction that does not encode has no bytes; parsing this text fails at the `?`.
        Err(_) => out.push('?'),
    }
    // Writing to a string cannot fail.
    let _ = write!(out, " // {} has {why}: ", syntax.name());
}

/// The line for bytes that do not decode, without a line end: `.bytes`, the bytes in memory order,
/// and a comment with the reason.
pub fn print_bytes(bytes: &[u8], error: &ProgramError) -> String {
    let mut out = String::from(".bytes ");
    push_bytes(&mut out, bytes);
    let why: &dyn std::fmt::Display = match error {
        ProgramError::Inst { error, .. } => error,
        ProgramError::Truncated { .. } => &"the code ends within an instruction",
    };
    // Writing to a string cannot fail.
    let _ = write!(out, " // {why}");
    out
}

/// The text of some instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// One line per instruction, and labels. Instructions that do not decode are printed by
    /// [`print_bytes`].
    pub text: String,
    /// Number of instructions that the syntax has no text for. They are printed as bytes, with a
    /// comment that contains the reason and the closest text.
    pub unrepresentable: usize,
    /// Number of instructions that do not decode.
    pub undecoded: usize,
    /// The error of the first of these.
    pub error: Option<ProgramError>,
}

/// Machine code that can be printed in parts, by several threads.
pub struct Disassembly<'a> {
    code: &'a [u8],
    generation: Gen,
    syntax: Syntax,
    prefix: Prefix,
    raw_bits: bool,
    comments: &'a [(usize, String)],
    labels: Labels,
}

impl<'a> Disassembly<'a> {
    /// Finds the instructions and labels of machine code.
    pub fn new(code: &'a [u8], generation: Gen, syntax: Syntax) -> Disassembly<'a> {
        Disassembly::starting_at(0, code, generation, syntax)
    }

    /// As [`Disassembly::new`], but for the instructions from byte `start` on. Offsets are still
    /// those in the whole code. If `start` is beyond the code, there are no instructions.
    pub fn starting_at(
        start: usize,
        code: &'a [u8],
        generation: Gen,
        syntax: Syntax,
    ) -> Disassembly<'a> {
        let labels = Labels::of_code(code, start, generation, syntax);
        let prefix = Prefix::default();
        Disassembly { code, generation, syntax, prefix, raw_bits: false, comments: &[], labels }
    }

    /// Sets the comment to print in front of each instruction.
    pub fn with_prefix(self, prefix: Prefix) -> Disassembly<'a> {
        Disassembly { prefix, ..self }
    }

    /// If `raw_bits`, prints a line `.bits` in front of each instruction whose text alone assembles
    /// to other bits. The whole text then assembles to the same code.
    pub fn with_raw_bits(self, raw_bits: bool) -> Disassembly<'a> {
        Disassembly { raw_bits, ..self }
    }

    /// Sets comments to print on lines of their own, each in front of the instruction at a byte offset. They are in
    /// order of their offsets, without line ends. A label of the instruction stands before the comment.
    pub fn with_comments(self, comments: &'a [(usize, String)]) -> Disassembly<'a> {
        Disassembly { comments, ..self }
    }

    /// Number of instructions, including those that do not decode.
    pub fn instructions(&self) -> usize {
        self.labels.boundaries().len() - 1
    }

    /// Prints the instructions with numbers in `range`. The texts of adjacent ranges together are
    /// the text that [`print_code`] prints.
    ///
    /// # Panics
    /// If the range is not within 0 to [`instructions`](Disassembly::instructions).
    pub fn print(&self, range: Range<usize>) -> Printed {
        let place = |n: usize| {
            let boundaries = self.labels.boundaries();
            boundaries[n]..boundaries[n + 1].min(self.code.len())
        };
        let decode =
            |at: &Range<usize>| decode_at(&self.code[at.start..], at.start, self.generation);
        // If the instruction before the range does not decode, the part that contains it reports
        // the error.
        let before = range.start.checked_sub(1).and_then(|n| decode(&place(n)).ok());
        let (generation, syntax) = (self.generation, self.syntax);
        let mut lines =
            Lines::new(&self.labels, range.clone(), before.as_ref(), generation, syntax);
        let (mut undecoded, mut first) = (0, None);
        // All offsets are printed with the number of digits of the last one.
        let digits = format!("{:04x}", self.code.len()).len();
        for n in range {
            let at = place(n);
            lines.begin(at.start);
            let first_comment = self.comments.partition_point(|(offset, _)| *offset < at.start);
            for (_, comment) in
                self.comments[first_comment..].iter().take_while(|(o, _)| *o < at.end)
            {
                lines.out.push_str("// ");
                lines.out.push_str(comment);
                lines.out.push('\n');
            }
            let decoded = decode(&at);
            if let (true, Ok(inst)) = (self.raw_bits, &decoded)
                && unrepresentable(inst, generation, syntax).is_none()
            {
                raw_bits::print(&mut lines.out, inst, generation, syntax);
            }
            self.prefix.print(&mut lines.out, digits, at.start, &self.code[at.clone()]);
            match decoded {
                Ok(inst) => lines.print(at.start, &inst),
                Err(error) => {
                    lines.out.push_str(&print_bytes(&self.code[at], &error));
                    lines.out.push('\n');
                    undecoded += 1;
                    first.get_or_insert(error);
                }
            }
        }
        let unrepresentable = lines.unrepresentable;
        Printed { text: lines.finish(), unrepresentable, undecoded, error: first }
    }
}

/// A printer of consecutive instructions, with the text printed so far.
struct Lines<'a> {
    out: String,
    labels: &'a Labels,
    unprinted: InOrder<'a>,
    /// The number of the last instruction plus 1.
    end: usize,
    /// Number of instructions printed as bytes because the syntax has no text for them.
    unrepresentable: usize,
    generation: Gen,
    syntax: Syntax,
}

impl<'a> Lines<'a> {
    /// A printer of the instructions with numbers in `range`. `before` is the instruction in front
    /// of them, if it decodes.
    fn new(
        labels: &'a Labels,
        range: Range<usize>,
        before: Option<&Inst>,
        generation: Gen,
        syntax: Syntax,
    ) -> Lines<'a> {
        let out = String::with_capacity(range.len() * 72);
        let unprinted = labels.in_order(range.start, before);
        Lines { out, labels, unprinted, end: range.end, unrepresentable: 0, generation, syntax }
    }

    /// Prints the label of the instruction at an offset, if it has one.
    fn begin(&mut self, offset: usize) {
        self.unprinted.print_before(&mut self.out, offset);
    }

    /// Prints an instruction and the line end, after [`Lines::begin`].
    fn print(&mut self, offset: usize, inst: &Inst) {
        let out = &mut self.out;
        let context = Context { offset, labels: self.labels };
        let unrepresentable = unrepresentable(inst, self.generation, self.syntax);
        if let Some(why) = unrepresentable {
            self.unrepresentable += 1;
            push_unrepresentable(out, inst, self.generation, (self.syntax, why));
        }
        let start = out.len();
        print_one(out, inst, self.generation, self.syntax, Some(context));
        if unrepresentable.is_some() && out[start..].contains('\n') {
            // The text is in a line comment, so it must not contain line ends.
            let lines: Vec<&str> = out[start..].split_whitespace().collect();
            let line = lines.join(" ");
            out.replace_range(start.., &line);
        }
        if let (Syntax::Iga, Some(send)) = (self.syntax, inst.send()) {
            iga::message::comment(out, self.generation, send);
        }
        out.push('\n');
        self.unprinted.passed(inst);
    }

    /// Returns the text. If the instructions include the last one of the program, prints the label
    /// at the end of the program first.
    fn finish(mut self) -> String {
        if let [_, .., end] = self.labels.boundaries()
            && self.end + 1 == self.labels.boundaries().len()
        {
            self.unprinted.print_before(&mut self.out, *end);
        }
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{decode_program, encode_program};

    #[test]
    fn parts_of_a_program_join_to_its_text() {
        let source = "L0:\n(W) mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n(W) jmpi L2\nL1:\nnop\n\
                      (W) jmpi L0\nL2:\nnop\n(W) jmpi L3\nL3:\n";
        let insts = parse_program(source, Gen::Gen9, Syntax::Iga).expect("it parses");
        let code = encode_program(&insts, Gen::Gen9).expect("it encodes");
        for syntax in [Syntax::Iga, Syntax::Mesa] {
            let whole = print_code(&code, Gen::Gen9, syntax).expect("it decodes");
            let decoded = decode_program(&code, Gen::Gen9).expect("it decodes");
            assert_eq!(whole, print_program(&decoded, Gen::Gen9, syntax));
            let parts = Disassembly::new(&code, Gen::Gen9, syntax);
            for split in 0..=insts.len() {
                let print = |range| parts.print(range).text;
                let joined = print(0..split) + &print(split..insts.len());
                // An empty range at the end would print the label at the end a second time.
                assert!(split == insts.len() || joined == whole, "{split}: {joined}");
            }
        }
    }

    /// Instructions are printed with their offsets even if others between them do not decode, as in
    /// the dump of a hang.
    #[test]
    fn what_does_not_decode_does_not_hide_the_rest() {
        let source = "(W) mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n(W) jmpi L0\nL0:\nnop\nnop\n";
        let insts = parse_program(source, Gen::Gen9, Syntax::Iga).expect("it parses");
        let mut code = encode_program(&insts, Gen::Gen9).expect("it encodes");
        let expected = print_code(&code, Gen::Gen9, Syntax::Iga).expect("it decodes");
        code[48] = 0x7f;
        code.extend([1, 2, 3]);
        let print = |start, prefix| {
            let code = Disassembly::starting_at(start, &code, Gen::Gen9, Syntax::Iga);
            let code = code.with_prefix(prefix);
            let count = code.instructions();
            let whole = code.print(0..count);
            for split in 1..count {
                let joined = code.print(0..split).text + &code.print(split..count).text;
                assert_eq!(joined, whole.text, "{split}");
            }
            whole
        };
        let printed = print(0, Prefix::default());
        let mut lines: Vec<&str> = printed.text.lines().collect();
        assert_eq!(lines.pop(), Some(".bytes 010203 // the code ends within an instruction"));
        let hole = lines.pop().expect("a line");
        let bytes = ".bytes 7f000000000000000000000000000000 // ";
        assert!(hole.starts_with(bytes) && hole.ends_with("on gen9"), "{hole}");
        assert_eq!(lines, expected.lines().take(lines.len()).collect::<Vec<_>>());
        assert_eq!((printed.undecoded, lines.len()), (2, 5));
        assert!(matches!(printed.error, Some(ProgramError::Inst { offset: 48, .. })));
        // From the middle on, with the same offsets.
        let both = Prefix { offset: true, bytes: true };
        let printed = print(32, both);
        assert!(printed.text.starts_with("L32:\n/* 0x0020 7e00"), "{}", printed.text);
        assert!(printed.text.contains("\n/* 0x0040 010203                           */ .bytes"));
        assert_eq!(print(1000, both).text, "");
        // Prefixes are comments.
        code.truncate(48);
        let prefixed =
            Disassembly::new(&code, Gen::Gen9, Syntax::Iga).with_prefix(both).print(0..3);
        let again = parse_program(&prefixed.text, Gen::Gen9, Syntax::Iga).expect("it parses");
        assert_eq!(encode_program(&again, Gen::Gen9).as_ref(), Ok(&code));
    }
}
