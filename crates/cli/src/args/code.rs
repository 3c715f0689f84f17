//! The flags of the commands on machine code: `asm`, `disasm`, `validate`, `fields`, `region`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use crestline_device::Platform;

use super::{Syntax, Target};

/// Machine code that is looked at.
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// Machine code: raw bytes, hexadecimal text, what xxd, hexdump or od print, a zebin, an OpenCL
    /// device binary or an archive of them; `-` for standard input.
    pub(crate) file: PathBuf,
    /// The chip that the code is for.
    #[arg(long, value_parser = Target, hide_possible_values = true)]
    pub(crate) target: Platform,
    /// Only this kernel of a container that has several.
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// The code is text in which each group of 8 hex digits is a little-endian dword.
    #[arg(long)]
    pub(crate) dwords: bool,
    /// Print the result as JSON, and errors as JSON, one object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Disasm {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The file is an error state of the i915 driver (`/sys/class/drm/card0/error`): print its batches, mark where the GPU
    /// hung, and print the code of the kernels.
    #[arg(long, conflicts_with_all = ["kernel", "dwords", "start", "length", "strict"])]
    pub(crate) error_state: bool,
    #[command(flatten)]
    pub(crate) range: CodeRange,
    /// The assembly syntax.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) syntax: Syntax,
    /// Put its byte offset in front of each instruction, as a comment.
    #[arg(long)]
    pub(crate) offsets: bool,
    /// Put its bytes in front of each instruction, in memory order, as a comment.
    #[arg(long)]
    pub(crate) bytes: bool,
    /// Put a line `.bits` in front of each instruction whose text alone assembles to other bits
    /// (unused ones), so that `asm` gives back the same code.
    #[arg(long)]
    pub(crate) raw_bits: bool,
}

/// The part of the code that is looked at, and what is done about bytes that are no instruction.
#[derive(Debug, Args)]
pub(crate) struct CodeRange {
    /// Where the instructions start, in bytes from the start of the code (`0x` too).
    #[arg(long, value_name = "BYTE", value_parser = crate::grammar::offset, default_value = "0")]
    pub(crate) start: usize,
    /// Number of bytes from there (`0x` too). Default: all.
    #[arg(long, value_name = "BYTES", value_parser = crate::grammar::offset)]
    pub(crate) length: Option<usize>,
    /// Stop at the first instruction that does not decode, and print nothing.
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) range: CodeRange,
    /// A rule not to check, such as D7; may be repeated.
    #[arg(long, value_name = "RULE", value_parser = rule_id)]
    pub(crate) disable: Vec<String>,
}

/// The id of a validation rule.
fn rule_id(text: &str) -> Result<String, String> {
    let known = crestline_isa::validate::rules().any(|rule| rule.id == text);
    known.then(|| text.to_owned()).ok_or_else(|| "no validation rule has this id".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct Fields {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Only the instruction at this byte of the code (`0x` too).
    #[arg(long, value_name = "OFFSET", value_parser = crate::grammar::offset)]
    pub(crate) at: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct Asm {
    /// Assembly text, or `-`.
    pub(crate) file: PathBuf,
    /// The chip to assemble for.
    #[arg(long, value_parser = Target, hide_possible_values = true)]
    pub(crate) target: Platform,
    /// The assembly syntax.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) syntax: Syntax,
    /// Use the compacted form of every instruction that has one.
    #[arg(long)]
    pub(crate) compact: bool,
    /// The output format. Default: that of the output's extension (.hex, .zebin), else bytes.
    #[arg(long, value_enum)]
    pub(crate) emit: Option<AsmEmit>,
    /// The kernel's name in a zebin. Default: the name of the input.
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// The output file. Default: standard output, as hexadecimal text.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    /// Print code or errors as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `asm` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AsmEmit {
    /// Machine code in memory order.
    Bin,
    /// Hexadecimal text, one instruction per line.
    Hex,
    /// An ELF file with one kernel.
    Zebin,
}

#[derive(Debug, Args)]
pub(crate) struct Region {
    /// The operand: `g4<8;4,2>:f`, `r4.2<8,4,2>F`, or `g4<2>:w` for a destination.
    pub(crate) operand: String,
    /// Execution size: 1, 2, 4, 8, 16 or 32 channels.
    #[arg(long, value_name = "CHANNELS")]
    pub(crate) exec: u32,
    /// Also draw it as a picture.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Print the bytes of each channel as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
