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
    let mut lines = Lines::new(&labels, generation, syntax);
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
    let labels = Labels::of_code(code, generation, syntax);
    let mut lines = Lines::new(&labels, generation, syntax);
    for &[offset, _] in labels.boundaries().array_windows() {
        lines.print(offset, &decode_at(&code[offset..], offset, generation)?);
    }
    Ok(lines.finish())
}

/// The text of a program so far.
struct Lines<'a> {
    out: String,
    labels: &'a Labels,
    before: InOrder<'a>,
    generation: Gen,
    syntax: Syntax,
}

impl<'a> Lines<'a> {
    fn new(labels: &'a Labels, generation: Gen, syntax: Syntax) -> Lines<'a> {
        let out = String::with_capacity(labels.boundaries().len() * 72);
        Lines { out, labels, before: labels.in_order(), generation, syntax }
    }

    fn print(&mut self, offset: usize, inst: &Inst) {
        let out = &mut self.out;
        self.before.print_before(out, offset);
        let context = Context { offset, labels: self.labels };
        print_one(out, inst, self.generation, self.syntax, Some(context));
        if let (Syntax::Iga, Some(send)) = (self.syntax, inst.send()) {
            iga_message::comment(out, self.generation, send);
        }
        out.push('\n');
        self.before.passed(inst);
    }

    fn finish(mut self) -> String {
        if let [_, .., end] = self.labels.boundaries() {
            self.before.print_before(&mut self.out, *end);
        }
        self.out
    }
}
