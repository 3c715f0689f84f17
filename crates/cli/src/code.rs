//! `crestline disasm` and `crestline validate`: machine code as it is.

use std::path::Path;

use crestline::{Device, Platform};
use crestline_isa::text::{Syntax, print_inst, print_program};
use crestline_isa::validate::{Severity, Validator};
use crestline_isa::{Inst, ProgramError, decode_program};
use crestline_program::{Container, read_code};

use crate::args;
use crate::error::{Code, Failure, Origin};
use crate::files;

/// Instructions with their byte offsets.
type Instructions = Vec<(usize, Inst)>;

/// Reads machine code from a file, raw or as hexadecimal text.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = files::read(path)?;
    read_code(&bytes, Container::detect(&bytes))
        .map_err(|error| Failure::new(Code::Container, error).at(Origin::file(files::shown(path))))
}

/// An error of decoding as a failure.
pub(crate) fn decode_failure(error: &ProgramError, file: &str) -> Failure {
    Failure::new(Code::Decode, error).at(Origin::file(file))
}

fn decode(path: &Path, platform: Platform) -> Result<Instructions, Failure> {
    decode_program(&read(path)?, platform.generation())
        .map_err(|error| decode_failure(&error, &files::shown(path)))
}

fn syntax(syntax: args::Syntax) -> Syntax {
    match syntax {
        args::Syntax::Mesa => Syntax::Mesa,
        args::Syntax::Iga => Syntax::Iga,
    }
}

/// The assembly of a program.
pub(crate) fn listing(
    code: &[u8],
    device: &Device,
    dialect: args::Syntax,
) -> Result<String, ProgramError> {
    let generation = device.generation();
    Ok(print_program(&decode_program(code, generation)?, generation, syntax(dialect)))
}

/// Runs `disasm`.
pub(crate) fn disassemble(arguments: &args::Disasm) -> Result<(), Failure> {
    let instructions = decode(&arguments.file, arguments.target)?;
    let generation = arguments.target.generation();
    let text = print_program(&instructions, generation, syntax(arguments.syntax));
    files::write(Path::new("-"), text.as_bytes())
}

/// Runs `validate`: one line for each finding, and a failure if one is an error.
pub(crate) fn validate(arguments: &args::Validate) -> Result<(), Failure> {
    let instructions = decode(&arguments.file, arguments.target)?;
    let generation = arguments.target.generation();
    let validator = Validator::new(Device::new(arguments.target));
    let validator = arguments.disable.iter().fold(validator, |v, rule| v.without(rule));
    let findings = validator.check_program(&instructions);
    let mut text = String::new();
    for finding in &findings {
        let inst = print_inst(&instructions[finding.index].1, generation, Syntax::Iga);
        text.push_str(&format!("{finding}\n    {inst}\n"));
    }
    let errors = findings.iter().filter(|f| f.rule.severity == Severity::Error).count();
    text.push_str(&format!(
        "{} instructions, {errors} errors, {} warnings\n",
        instructions.len(),
        findings.len() - errors
    ));
    files::write(Path::new("-"), text.as_bytes())?;
    if errors == 0 {
        return Ok(());
    }
    let message = format!("the code breaks rules of {} in {errors} places", arguments.target);
    Err(Failure::new(Code::Invalid, message).at(Origin::file(files::shown(&arguments.file))))
}
