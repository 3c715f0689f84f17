//! Disassembly of machine code.

use crestline_device::Platform;
use crestline_isa::ProgramError;
use crestline_isa::text::{Syntax, print_code};

/// Why machine code was not disassembled: an instruction that does not decode, and its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct DisassemblyError(#[from] ProgramError);

impl DisassemblyError {
    /// The error of decoding, with the byte offset of the instruction.
    pub fn cause(&self) -> &ProgramError {
        &self.0
    }
}

/// Disassembles machine code, one instruction or label per line.
///
/// ```
/// use crestline::{Language, Options, Platform, Source, Syntax, compile, disassemble};
///
/// let bytes = b"@compute @workgroup_size(8) fn main() {}";
/// let source = Source { name: "empty.wgsl", language: Language::Wgsl, bytes };
/// let program = compile(&source, &Options::new(Platform::Skl))?;
/// let text = disassemble(&program.code, Platform::Skl, Syntax::Iga)?;
/// assert!(text.contains("{EOT}"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If an instruction does not decode for the platform's generation.
pub fn disassemble(
    code: &[u8],
    platform: Platform,
    syntax: Syntax,
) -> Result<String, DisassemblyError> {
    Ok(print_code(code, platform.generation(), syntax)?)
}
