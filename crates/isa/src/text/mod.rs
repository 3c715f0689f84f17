//! Assembly text: printers and parsers of two syntaxes.
//!
//! `iga` is what Intel's `iga64` accepts and prints (gen7.5 and later, Align1); `mesa` is what
//! Mesa's dumps look like (every generation, Align16 too). Columns are not aligned: tokens
//! are separated by single spaces.

mod elements;
mod iga;
mod iga_message;
mod labels;
mod mesa;
mod mesa_message;
mod named_fields;
mod number;
mod parse;

pub use parse::{ParseError, parse_program};

use crate::codec::{ProgramError, decode_at};
use crate::inst::Inst;
use crestline_device::Gen;
use labels::{InOrder, Labels};
use std::ops::Range;
use std::str::FromStr;

/// An assembly syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Syntax {
    /// As Mesa's shader dumps.
    Mesa,
    /// As Intel's `iga64`.
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

/// A name that is no syntax.
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

/// Prints one instruction on its own, without a line end: branch targets are numbers, in bytes
/// relative to the instruction.
pub fn print_inst(inst: &Inst, generation: Gen, syntax: Syntax) -> String {
    let mut out = String::with_capacity(80);
    print_one(&mut out, inst, generation, syntax, None);
    out
}

/// Where an instruction is, when its branch targets are to be printed as labels.
#[derive(Clone, Copy)]
struct Context<'a> {
    offset: usize,
    labels: &'a Labels,
}

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

/// Prints a program, one instruction a line, with labels at branch targets and, in the `iga`
/// syntax, a comment about each message (the `mesa` syntax has it in the text). The instructions
/// come with their byte offsets, as from [`decode_program`](crate::decode_program).
pub fn print_program(insts: &[(usize, Inst)], generation: Gen, syntax: Syntax) -> String {
    let labels = Labels::of(insts, syntax);
    let mut lines = Lines::new(&labels, 0..insts.len(), None, generation, syntax);
    for (offset, inst) in insts {
        lines.print(*offset, inst);
    }
    lines.finish()
}

/// Prints machine code as [`print_program`] prints decoded instructions; faster, as it holds no
/// more than one of them.
///
/// # Errors
/// At the first instruction that does not decode.
pub fn print_code(code: &[u8], generation: Gen, syntax: Syntax) -> Result<String, ProgramError> {
    let disassembly = Disassembly::new(code, generation, syntax);
    disassembly.print(0..disassembly.instructions())
}

/// Machine code to be printed in parts, so that several threads can share the work.
pub struct Disassembly<'a> {
    code: &'a [u8],
    generation: Gen,
    syntax: Syntax,
    labels: Labels,
}

impl<'a> Disassembly<'a> {
    /// Finds the instructions and labels of machine code.
    pub fn new(code: &'a [u8], generation: Gen, syntax: Syntax) -> Disassembly<'a> {
        let labels = Labels::of_code(code, generation, syntax);
        Disassembly { code, generation, syntax, labels }
    }

    /// How many instructions there are.
    pub fn instructions(&self) -> usize {
        self.labels.boundaries().len() - 1
    }

    /// Prints the instructions with these numbers. The texts of adjoining ranges, one behind the
    /// other, are what [`print_code`] prints of them together.
    ///
    /// # Errors
    /// At the first instruction that does not decode.
    ///
    /// # Panics
    /// If the range leaves those of the [`instructions`](Disassembly::instructions).
    pub fn print(&self, range: Range<usize>) -> Result<String, ProgramError> {
        let decode = |n: usize| {
            let offset = self.labels.boundaries()[n];
            Ok((offset, decode_at(&self.code[offset..], offset, self.generation)?))
        };
        // One that does not decode is the business of those who print it.
        let before = range.start.checked_sub(1).and_then(|n| decode(n).ok());
        let before = before.as_ref().map(|(_, inst)| inst);
        let (generation, syntax) = (self.generation, self.syntax);
        let mut lines = Lines::new(&self.labels, range.clone(), before, generation, syntax);
        for n in range {
            let (offset, inst) = decode(n)?;
            lines.print(offset, &inst);
        }
        Ok(lines.finish())
    }
}

/// The text of some instructions so far.
struct Lines<'a> {
    out: String,
    labels: &'a Labels,
    unprinted: InOrder<'a>,
    /// The number behind the last instruction.
    end: usize,
    generation: Gen,
    syntax: Syntax,
}

impl<'a> Lines<'a> {
    /// No text yet of the instructions with these numbers, behind one that others print.
    fn new(
        labels: &'a Labels,
        range: Range<usize>,
        before: Option<&Inst>,
        generation: Gen,
        syntax: Syntax,
    ) -> Lines<'a> {
        let out = String::with_capacity(range.len() * 72);
        let unprinted = labels.in_order(range.start, before);
        Lines { out, labels, unprinted, end: range.end, generation, syntax }
    }

    fn print(&mut self, offset: usize, inst: &Inst) {
        let out = &mut self.out;
        self.unprinted.print_before(out, offset);
        let context = Context { offset, labels: self.labels };
        print_one(out, inst, self.generation, self.syntax, Some(context));
        if let (Syntax::Iga, Some(send)) = (self.syntax, inst.send()) {
            iga_message::comment(out, self.generation, send);
        }
        out.push('\n');
        self.unprinted.passed(inst);
    }

    /// The text, with the label at the end of the program if it ends there.
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
    use crate::codec::{decode_program, encode_program};

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
                let print = |range| parts.print(range).expect("it decodes");
                let joined = print(0..split) + &print(split..insts.len());
                // What is printed of nothing at the end is the label there, for the second time.
                assert!(split == insts.len() || joined == whole, "{split}: {joined}");
            }
        }
    }
}
