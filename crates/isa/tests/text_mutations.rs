//! What an assembler accepted keeps its bytes through either syntax, or is refused by it: lines
//! of the pack's programs with changed characters.

mod common;

use common::meaning::meaning;
use common::random::Random;
use common::{pack, programs};
use crestline_isa::text::{Syntax, parse_program, print_program};
use crestline_isa::{Gen, Inst, decode_program, encode_program};
use std::collections::BTreeMap;

const SYNTAXES: [Syntax; 2] = [Syntax::Mesa, Syntax::Iga];

fn exists(syntax: Syntax, generation: Gen) -> bool {
    syntax == Syntax::Mesa || generation >= Gen::Gen75
}

/// A line with a digit, or a few, replaced.
fn mutate(line: &str, random: &mut Random) -> String {
    let mut bytes = line.as_bytes().to_vec();
    let digits: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
    for _ in 0..random.below(3) {
        if let Some(at) = digits.get(random.below(digits.len().max(1) as u64) as usize) {
            bytes[*at] = random.pick(b"0123456789");
        }
    }
    String::from_utf8(bytes).expect("only digits were changed")
}

#[test]
fn mutated_text_keeps_its_bytes_in_both_syntaxes() {
    let Some(pack) = pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let mut random = Random::new(10);
    let mut lost = BTreeMap::<String, (u32, String)>::new();
    let (mut kept, mut refused) = (0, 0);
    for (_, generation, code) in programs(&pack) {
        let insts = decode_program(&code, generation).expect("foreign code decodes");
        for _ in 0..40 {
            let inst = &insts[random.below(insts.len() as u64) as usize].1;
            let inst = Inst { compacted: false, compact_residue: 0, ..inst.clone() };
            let source = random.pick(&SYNTAXES);
            if !exists(source, generation) {
                continue;
            }
            let line = mutate(&print_program(&[(0, inst)], generation, source), &mut random);
            let Ok(insts) = parse_program(&line, generation, source) else { continue };
            let code = encode_program(&insts, generation).expect("what parses encodes");
            let located = decode_program(&code, generation).expect("what was encoded decodes");
            for syntax in SYNTAXES.into_iter().filter(|syntax| exists(*syntax, generation)) {
                let text = print_program(&located, generation, syntax);
                let Ok(again) = parse_program(&text, generation, syntax) else {
                    refused += 1;
                    continue;
                };
                let again = encode_program(&again, generation).expect("what parses encodes");
                let known = decode_program(&again, generation).expect("what was encoded decodes");
                if again == code || meaning(&known[0].1) == meaning(&located[0].1) {
                    kept += 1;
                    continue;
                }
                let opcode = located[0].1.opcode.name();
                let row = lost.entry(format!("{} {opcode}", syntax.name()));
                row.or_insert((0, format!("{generation}: {line} -> {text}"))).0 += 1;
            }
        }
    }
    println!("{kept} kept their bytes, {refused} cannot be said");
    assert!(lost.is_empty(), "{kept} {refused} {lost:#?}");
    assert!(kept > 10_000 && refused < kept / 20, "{kept} {refused}");
}
