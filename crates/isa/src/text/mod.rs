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

use crate::inst::Inst;
use crestline_device::Gen;
use labels::Labels;
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
    let mut before = labels.in_order();
    let mut out = String::with_capacity(insts.len() * 80);
    for (offset, inst) in insts {
        before.print_before(&mut out, *offset);
        let context = Context { offset: *offset, labels: &labels };
        print_one(&mut out, inst, generation, syntax, Some(context));
        if let (Syntax::Iga, Some(send)) = (syntax, inst.send()) {
            iga_message::comment(&mut out, generation, send);
        }
        out.push('\n');
    }
    if let Some((offset, inst)) = insts.last() {
        before.print_before(&mut out, offset + inst.size() as usize);
    }
    out
}
