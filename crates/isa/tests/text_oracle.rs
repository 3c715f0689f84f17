//! Compares the printed text of the oracle pack's programs with the disassembly in the pack.

mod common;

use common::{pack, programs};
use crestline_isa::text::{Syntax, print_program};
use crestline_isa::{Opcode, decode_program};
use std::path::Path;
use std::process::Command;

/// The disassembly beside a program, whitespace collapsed, without offsets.
fn reference(code: &Path) -> Option<Vec<String>> {
    let folder = code.parent()?;
    let plain = folder.join("asm.txt");
    let text = if plain.is_file() {
        std::fs::read_to_string(plain).ok()?
    } else {
        let out = Command::new("gzip").arg("-dc").arg(folder.join("asm.txt.gz")).output().ok()?;
        String::from_utf8(out.stdout).ok()?
    };
    Some(text.lines().map(normalise).filter(|line| !line.is_empty()).collect())
}

fn normalise(line: &str) -> String {
    let line = match line.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) {
        Some((_, rest)) => rest,
        None => line,
    };
    // Neither printer is consistent about the space between these.
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line
        .replace(" {", "{")
        .replace(") (", ")(")
        .replace(" ;", ";")
        .replace("} //", "}//")
        .replace(" //", "//");
    without_known_losses(&line)
}

/// Takes out what the dumps lose and our text keeps (`docs/isa-notes.md`): the values of half
/// float immediates, that a no-op is compacted, that a message is a scratch block message, and
/// the regions of payloads.
fn without_known_losses(line: &str) -> String {
    if line == "nop{ compacted };" {
        return "nop;".to_owned();
    }
    if line.split_once(" (").is_some_and(|(op, rest)| op.contains("send") && rest.contains("|M"))
        && let Some((before, rest)) = line.split_once('<')
        && let Some((_, after)) = rest.split_once('>')
    {
        return format!("{before}{after}");
    }
    if let Some((before, rest)) = line.split_once("HF /*") {
        let start = before.rfind(' ').map_or(0, |at| at + 1);
        let after = rest.split_once("*/").map_or("", |(_, after)| after);
        return format!("{}Half Float IMM{after}", &before[..start]);
    }
    let lengths = |line: &str| line.split_once(") mlen").map(|(_, rest)| rest.to_owned());
    let scratch = ["(DC scratch block", "(DC OWORD block", "(SIMD16, bti", "(SIMD8, bti"];
    match lengths(line) {
        Some(rest) if scratch.iter().any(|name| line.contains(name)) => format!("(block){rest}"),
        _ => line.to_owned(),
    }
}

fn compare(syntax: Syntax, name: &str) {
    let Some(pack) = pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let mut differences = Vec::new();
    let mut lines = 0;
    for (path, generation, bytes) in programs(&pack) {
        if path.file_name().and_then(|n| n.to_str()) != Some(name) {
            continue;
        }
        let Some(expected) = reference(&path) else { continue };
        let mut insts = decode_program(&bytes, generation).expect("decodes");
        // Zero padding after the last instruction decodes as `illegal`.
        while insts.last().is_some_and(|(_, inst)| inst.opcode == Opcode::Illegal) {
            insts.pop();
        }
        let ours = print_program(&insts, generation, syntax);
        let ours: Vec<_> = ours.lines().map(normalise).filter(|line| !line.is_empty()).collect();
        if ours.len() != expected.len() {
            let (ours, expected) = (ours.len(), expected.len());
            differences.push(format!("{}: {ours} lines, not {expected}", path.display()));
        }
        lines += ours.len();
        if let Some((expected, ours)) = expected.iter().zip(&ours).find(|(a, b)| a != b) {
            differences.push(format!("{}\n  - {expected}\n  + {ours}", path.display()));
        }
    }
    eprintln!("{}: {lines} lines compared", syntax.name());
    let shown = differences[..30.min(differences.len())].join("\n");
    assert!(differences.is_empty(), "{} of them:\n{shown}", differences.len());
    assert!(lines > 1000);
}

#[test]
fn iga_text_equals_the_compilers() {
    compare(Syntax::Iga, "k.krn");
}

#[test]
fn mesa_text_equals_the_compilers() {
    compare(Syntax::Mesa, "code.hex");
}
