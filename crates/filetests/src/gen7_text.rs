//! Compares our text of gen7 machine code with that of `intel-gen4disasm`.

use crestline_device::Gen;
use crestline_isa::text::{Syntax, print_inst};
use crestline_isa::{
    AccessMode, ArfKind, Extra, Form, Inst, Opcode, Place, Reg, Src, Type, encode,
};
use crestline_judges::gen4asm::Gen4Asm;

const GENERATION: Gen = Gen::Gen7;

/// Whether the judge can print the instruction. It has no names for gen7's bit operations and half float conversions,
/// prints three-source instructions with some fields of the two-source form, prints little of messages, and has no name
/// for the time stamp register.
pub fn is_known(inst: &Inst) -> bool {
    use Opcode::{Bfi1, Bfrev, Cbit, F16To32, F32To16, Fbh, Fbl, Wait};
    let unnamed = [Bfi1, Bfrev, Cbit, F16To32, F32To16, Fbh, Fbl, Wait].contains(&inst.opcode);
    let branch = matches!(inst.extra, Extra::Branch(_));
    let form = matches!(inst.opcode.form(), Form::One | Form::Two | Form::Math);
    // The judge does not print indirect operands in Align16 mode.
    let indirect = matches!(inst.dst.place, Place::Indirect { .. });
    let addressed = inst.access_mode == AccessMode::Align16 && indirect;
    // The judge prints UV immediates as bytes.
    let packed = inst.srcs.iter().filter_map(Src::ty).any(|ty| ty == Type::Uv);
    !unnamed && !addressed && !packed && !reads_time(inst) && !has_doubles(inst) && (branch || form)
}

/// Whether a source is the time stamp register.
fn reads_time(inst: &Inst) -> bool {
    inst.srcs
        .iter()
        .filter_map(Src::as_reg)
        .any(|src| matches!(src.place, Place::Direct { reg: Reg::Arf(ArfKind::Timestamp, _), .. }))
}

/// Whether an operand is a double, which the judge cannot read.
pub fn has_doubles(inst: &Inst) -> bool {
    let double = |ty: Type| ty == Type::Df;
    double(inst.dst.ty) || inst.srcs.iter().filter_map(Src::ty).any(double)
}

/// Our text of an instruction, converted to the judge's spelling.
fn ours(inst: &Inst) -> String {
    let mut text = print_inst(inst, GENERATION, Syntax::Mesa);
    if let (Some(begin), Some(end)) = (text.find("/*"), text.find("*/")) {
        text.replace_range(begin..end + 2, "");
    }
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if let Extra::Branch(branch) = inst.extra {
        // The judge prints targets in units of eight bytes, UIP before JIP.
        let end = words.iter().position(|word| word == "JIP:").unwrap_or(words.len());
        let options = words.iter().position(|word| word == "{").unwrap_or(words.len());
        let targets = [branch.uip, branch.jip].into_iter().flatten().map(|b| (b / 8).to_string());
        words.splice(end..options, targets);
    }
    // The judge does not print nibble control.
    let nibble = |word: &str| matches!(word.as_bytes(), [b'1'..=b'8', b'N']);
    words.retain(|word| !nibble(word));
    let words = words.into_iter().map(|word| match word.as_str() {
        null if null.starts_with("null<") => "null".to_owned(),
        _ if is_float(&word) => "FLOAT".to_owned(),
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The judge's text, converted to our spelling.
fn theirs(line: &str, inst: &Inst) -> String {
    let line = line.replace("Vector Float", "FLOAT");
    let align16 = inst.access_mode == AccessMode::Align16;
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
        // The upper half of a destination is one bit, which the judge divides by the size of the type.
        let upper = format!(".{}<1>", 16 / inst.dst.ty.size());
        let word = match align16 {
            true => word.replace(",4,1>", ">").replace(".0<1>", &upper),
            false => word,
        };
        ["f0", "f1"].into_iter().fold(word, |word, flag| {
            let full = format!("{flag}.0");
            word.replace(&format!("{flag}("), &format!("{full}("))
                .replace(&format!("{flag})"), &format!("{full})"))
                .replace(&format!("{flag}.any4h"), &format!("{full}.any4h"))
                .replace(&format!("{flag}.all4h"), &format!("{full}.all4h"))
        })
    };
    words.into_iter().map(spelled).collect::<Vec<_>>().join(" ")
}

/// Whether a word is a float constant, which the two disassemblers print with different precision.
fn is_float(word: &str) -> bool {
    word.ends_with('F') && !word.contains(['g', '<'])
}

/// The differences between the judge's text and ours, each with the name given for the instruction. All instructions
/// must be [known](is_known). Compacted instructions are compared in their full form, because the judge does not read the
/// compacted one.
///
/// # Panics
/// If the judge stops, or an instruction has no encoding.
pub fn disagreements(judge: &Gen4Asm, known: &[(&Inst, &str)]) -> Vec<String> {
    let words = |inst: &Inst| {
        let bits = encode(inst, GENERATION).expect("what was emitted encodes");
        std::array::from_fn(|i| (bits >> (32 * i)) as u32)
    };
    let code: Vec<[u32; 4]> = known.iter().map(|(inst, _)| words(inst)).collect();
    let lines = judge.disassemble("7", &code).expect("the judge reads our code");
    assert_eq!(lines.len(), known.len(), "a line for each instruction");
    let mut failures = Vec::new();
    for ((inst, name), line) in known.iter().zip(&lines) {
        let full = Inst { compacted: false, ..(*inst).clone() };
        let (ours, theirs) = (ours(&full), theirs(line, inst));
        if ours != theirs {
            failures.push(format!("{name}: {ours:?}, gen4disasm says {theirs:?}"));
        }
    }
    failures
}
