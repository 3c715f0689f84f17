//! `crestline asm`: assembly text to machine code.

use std::path::Path;

use crestline_isa::compact::compact_program;
use crestline_isa::text::{ParseError, Piece, parse_pieces};
use crestline_isa::{Inst, encode_into};
use crestline_program::{ZebinKernel, write_hex, write_zebin};
use serde_json::json;

use crate::args::{self, AsmEmit};
use crate::error::{Code, Failure, Origin};
use crate::files::Limit;
use crate::{code, files};

/// The widest thread that a zebin knows, in channels.
const MAX_SIMD: u32 = 32;

/// Runs the command.
pub(crate) fn command(arguments: &args::Asm) -> Result<(), Failure> {
    let file = files::shown(&arguments.file);
    let bytes = files::read(&arguments.file, Limit::ASSEMBLY)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let message = format!("byte {:#x}: the text is not UTF-8", error.valid_up_to());
        Failure::new(Code::Assembly, message).at(Origin::file(&file))
    })?;
    let pieces = match assemble(text, arguments) {
        Ok(pieces) => pieces,
        Err(errors) => {
            if arguments.json {
                files::write_json("asm", json!({ "errors": rows(&errors) }))?;
            }
            return Err(failure(&errors, &file, text));
        }
    };
    let (mut code, mut insts) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => code.extend(bytes),
            Piece::Inst(inst) => {
                encode_into(&inst, arguments.target.generation(), &mut code)
                    .map_err(|error| Failure::new(Code::Assembly, error).at(Origin::file(&file)))?;
                insts.push(inst);
            }
        }
    }
    if arguments.json {
        files::write_json(
            "asm",
            json!({
                "target": arguments.target.name(),
                "instructions": insts.len(),
                "compacted": insts.iter().filter(|inst| inst.compacted).count(),
                "bytes": code.len(),
                "code": write_hex(&code).lines().collect::<Vec<_>>(),
                "errors": [],
            }),
        )?;
        if arguments.output.as_os_str() == "-" {
            return Ok(());
        }
    }
    files::write(&arguments.output, &contain(&insts, &code, arguments)?)
}

/// Parses the text and compacts what can be, if asked to.
fn assemble(text: &str, arguments: &args::Asm) -> Result<Vec<Piece>, Vec<ParseError>> {
    let generation = arguments.target.generation();
    let pieces = parse_pieces(text, generation, code::syntax(arguments.syntax))?;
    let at_end = |found: String, expected: &str| {
        let (line, expected) = (text.lines().count().max(1), expected.to_owned());
        vec![ParseError { line, column: 1, found, expected }]
    };
    if pieces.is_empty() {
        // No reader of machine code takes a program of no instructions.
        return Err(at_end("the end of the text".to_owned(), "an instruction"));
    }
    if !arguments.compact {
        return Ok(pieces);
    }
    let insts = pieces.into_iter().map(|piece| match piece {
        Piece::Inst(inst) => Some(inst),
        Piece::Bytes(_) => None,
    });
    // What bytes mean to jumps across them is unknown.
    let Some(insts) = insts.collect::<Option<Vec<Inst>>>() else {
        let found = "bytes that do not decode as an instruction".to_owned();
        return Err(at_end(found, "only instructions, because of --compact"));
    };
    let compacted = compact_program(&insts, generation)
        .map_err(|error| at_end(error.to_string(), "branches to instructions"))?;
    Ok(compacted.into_iter().map(Piece::Inst).collect())
}

/// Puts the code into the container that is asked for, or that the file's extension names.
fn contain(insts: &[Inst], bytes: &[u8], arguments: &args::Asm) -> Result<Vec<u8>, Failure> {
    let extension = arguments.output.extension().and_then(|extension| extension.to_str());
    let emit = arguments.emit.unwrap_or(match extension {
        Some("zebin" | "elf") => AsmEmit::Zebin,
        Some("hex" | "txt") => AsmEmit::Hex,
        // Bytes would not do on a terminal.
        None if arguments.output == Path::new("-") => AsmEmit::Hex,
        _ => AsmEmit::Bin,
    });
    match emit {
        AsmEmit::Bin => Ok(bytes.to_vec()),
        AsmEmit::Hex => Ok(write_hex(bytes).into_bytes()),
        AsmEmit::Zebin => {
            let stem = arguments.file.file_stem().and_then(|stem| stem.to_str());
            let name = arguments.kernel.as_deref().or(stem).unwrap_or("main");
            let widest = insts.iter().map(|inst| u32::from(inst.exec_size)).max().unwrap_or(8);
            let simd_width = widest.clamp(8, MAX_SIMD);
            let kernel = ZebinKernel { name, code: bytes, simd_width, metadata: None };
            write_zebin(&[kernel], arguments.target)
                .map_err(|error| Failure::new(Code::Container, error))
        }
    }
}

fn rows(errors: &[ParseError]) -> Vec<serde_json::Value> {
    let row = |error: &ParseError| {
        json!({
            "line": error.line,
            "column": error.column,
            "expected": error.expected,
            "found": error.found,
        })
    };
    errors.iter().map(row).collect()
}

/// All errors, each with its line and a mark under the place.
fn failure(errors: &[ParseError], file: &str, text: &str) -> Failure {
    // The errors are in the order of lines, so one pass over a text of millions of lines is enough.
    let (mut lines, mut line, mut number) = (text.lines(), None, 0);
    Failure::all(errors.iter().map(|error| {
        while number < error.line {
            line = lines.next();
            number += 1;
        }
        let message = format!("expected {}, found {}", error.expected, error.found);
        let origin = Origin::in_line(file, line, error.line, error.column);
        Failure::new(Code::Assembly, message).at(origin)
    }))
}
