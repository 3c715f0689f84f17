//! Every instruction emitted for Ivy Bridge is what `intel-gen4disasm` says it is.

use std::collections::BTreeMap;

use crestline_device::{Gen, Platform};
use crestline_filetests::corpus;
use crestline_filetests::engine::{self, Emulator, Failure};
use crestline_isa::text::{Syntax, print_inst};
use crestline_isa::{Extra, Form, Inst, Opcode, decode_program, encode};
use crestline_judges::ask;
use crestline_judges::gen4asm::Gen4Asm;

const GENERATION: Gen = Gen::Gen7;

/// Each different instruction of the run tests, by its bits, with a test that has it.
fn emitted() -> BTreeMap<u128, (Inst, String)> {
    let mut found = BTreeMap::new();
    for test in corpus::run_tests().unwrap_or_else(|error| panic!("{error}")) {
        let shader = engine::shader(&test).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        for emulator in Emulator::all().into_iter().filter(|e| e.platform == Platform::Ivb) {
            if !emulator.suits(&test, &shader) {
                continue;
            }
            let name = format!("{} on {:?}", test.name, emulator.simd);
            let program = match emulator.compile(&test) {
                Ok(program) => program,
                Err(Failure::Limit(_)) => continue,
                Err(error) => panic!("{name}: {error}"),
            };
            let insts = decode_program(&program.code, GENERATION).expect("our code decodes");
            for (_, inst) in insts {
                let bits = encode(&inst, GENERATION).expect("what was decoded encodes");
                found.entry(bits).or_insert_with(|| (inst, name.clone()));
            }
        }
    }
    found
}

/// Whether the judge knows the operation: of gen7's bit operations and half float conversions it has no names, of
/// three-source instructions it shows some fields of the two-source form, of messages little.
fn is_known(inst: &Inst) -> bool {
    use Opcode::{Bfi1, Bfrev, Cbit, F16To32, F32To16, Fbh, Fbl, Wait};
    let unnamed = [Bfi1, Bfrev, Cbit, F16To32, F32To16, Fbh, Fbl, Wait].contains(&inst.opcode);
    let branch = matches!(inst.extra, Extra::Branch(_));
    let form = matches!(inst.opcode.form(), Form::One | Form::Two | Form::Math);
    !unnamed && (branch || form)
}

/// Our text in the judge's words.
fn ours(inst: &Inst) -> String {
    let mut text = print_inst(inst, GENERATION, Syntax::Mesa);
    if let (Some(begin), Some(end)) = (text.find("/*"), text.find("*/")) {
        text.replace_range(begin..end + 2, "");
    }
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if let Extra::Branch(branch) = inst.extra {
        // Targets in units of eight bytes, the second before the first, and the bits they are in.
        let end = words.iter().position(|word| word == "JIP:").unwrap_or(words.len());
        let options = words.iter().position(|word| word == "{").unwrap_or(words.len());
        let targets = [branch.uip, branch.jip].into_iter().flatten().map(|b| (b / 8).to_string());
        words.splice(end..options, targets);
    }
    // No names for nibbles.
    words.retain(|word| !matches!(word.as_str(), "1N" | "2N"));
    let words = words.into_iter().map(|word| match word.as_str() {
        null if null.starts_with("null<") => "null".to_owned(),
        _ if is_float(&word) => "FLOAT".to_owned(),
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The judge's text with the spellings that differ made ours.
fn theirs(line: &str, inst: &Inst) -> String {
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    if let Extra::Branch(_) = inst.extra {
        let null = words.iter().position(|word| word == "null").unwrap_or(words.len());
        let options = words.iter().position(|word| word == "{").unwrap_or(words.len());
        words.drain(null..options);
    }
    words.retain(|word| word != "WE_normal");
    let spelled = |word: String| {
        if is_float(&word) {
            return "FLOAT".to_owned();
        }
        let word = word.replace(".ne.", ".nz.").replace(".e.", ".z.");
        ["f0", "f1"].into_iter().fold(word, |word, flag| {
            let full = format!("{flag}.0");
            word.replace(&format!("{flag}("), &format!("{full}("))
                .replace(&format!("{flag})"), &format!("{full})"))
        })
    };
    words.into_iter().map(spelled).collect::<Vec<_>>().join(" ")
}

/// Whether a word is a float constant, which the two write with different precision.
fn is_float(word: &str) -> bool {
    word.ends_with('F') && !word.contains(['g', '<'])
}

#[test]
fn every_instruction_for_ivy_bridge_is_what_gen4disasm_says() {
    let Some(judge) = ask(Gen4Asm::find()) else { return };
    let all = emitted();
    let known: Vec<_> = all.iter().filter(|(_, (inst, _))| is_known(inst)).collect();
    let words = |bits: &u128| std::array::from_fn(|i| (bits >> (32 * i)) as u32);
    let code: Vec<[u32; 4]> = known.iter().map(|(bits, _)| words(bits)).collect();
    let lines = judge.disassemble(7, &code).expect("the judge reads our code");
    assert_eq!(lines.len(), known.len(), "a line for each instruction");
    assert!(known.len() * 4 > all.len() * 3, "{} of {} are judged", known.len(), all.len());
    let mut failures = Vec::new();
    for ((_, (inst, test)), line) in known.iter().zip(&lines) {
        let (ours, theirs) = (ours(inst), theirs(line, inst));
        if ours != theirs {
            failures.push(format!("{test}: {ours:?}, gen4disasm says {theirs:?}"));
        }
    }
    let shown = failures[..20.min(failures.len())].join("\n");
    assert!(failures.is_empty(), "{} failures\n{shown}", failures.len());
}
