//! Changes characters in lines of the oracle pack's programs. If the parser accepts a line, the
//! instruction is printed and parsed again in each syntax: the bytes stay the same, or
//! [`unrepresentable`] says that the syntax has no text for it.

mod common;

use common::meaning::meaning;
use common::random::{Random, Wish, inst as random_inst};
use common::{pack, programs};
use crestline_isa::text::{Syntax, parse_program, print_inst, print_program, unrepresentable};
use crestline_isa::{AccessMode, Gen, Inst, decode, decode_program, encode, encode_program};
use crestline_testing::damage::change_digits;
use crestline_testing::{MUTATIONS, rounds};
use std::collections::BTreeMap;

const SYNTAXES: [Syntax; 2] = [Syntax::Mesa, Syntax::Iga];

fn exists(syntax: Syntax, generation: Gen) -> bool {
    syntax == Syntax::Mesa || generation >= Gen::Gen75
}

#[test]
fn mutated_text_keeps_its_bytes_in_both_syntaxes() {
    let Some(pack) = pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let mut random = Random::new(10);
    let mut wrong = BTreeMap::<String, (u32, String)>::new();
    let (mut kept, mut unsaid) = (0, 0);
    for (_, generation, code) in programs(&pack) {
        let insts = decode_program(&code, generation).expect("foreign code decodes");
        for _ in 0..200 {
            let inst = &insts[random.below(insts.len() as u64) as usize].1;
            let inst = Inst { compacted: false, compact_residue: 0, ..inst.clone() };
            let source = random.pick(&SYNTAXES);
            if !exists(source, generation) {
                continue;
            }
            let line = print_program(&[(0, inst)], generation, source);
            let line = change_digits(&line, random.below(3) as usize, random.rng());
            let Ok(insts) = parse_program(&line, generation, source) else { continue };
            let code = encode_program(&insts, generation).expect("what parses encodes");
            let located = decode_program(&code, generation).expect("what was encoded decodes");
            for syntax in SYNTAXES.into_iter().filter(|syntax| exists(*syntax, generation)) {
                let inst = &located[0].1;
                let said = unrepresentable(inst, generation, syntax);
                // Whether a text parses to the same instruction; `None` if it does not parse.
                let gives = |text: &str| {
                    let again = parse_program(text, generation, syntax).ok()?;
                    let again = encode_program(&again, generation).expect("what parses encodes");
                    let known = decode_program(&again, generation).expect("it decodes");
                    Some(again == code || meaning(&known[0].1) == meaning(inst))
                };
                // The text of the single instruction, which exists even if `unrepresentable`.
                let text = print_inst(inst, generation, syntax);
                let again = gives(&text);
                match (said, again) {
                    (None, Some(true)) => kept += 1,
                    (Some(_), None | Some(false)) => unsaid += 1,
                    _ => {
                        let row = wrong.entry(format!("{} {}", syntax.name(), inst.opcode.name()));
                        let what = format!("{generation}: {line} -> {text}: {said:?} {again:?}");
                        row.or_insert((0, what)).0 += 1;
                        continue;
                    }
                }
                // The text of a program always parses to the same instruction.
                let text = print_program(&located, generation, syntax);
                assert_eq!(gives(&text), Some(true), "{generation} {}: {text}", syntax.name());
            }
        }
    }
    println!("{kept} kept their bytes, {unsaid} have no text");
    assert!(wrong.is_empty(), "{kept} {unsaid} {wrong:#?}");
    assert!(kept > 10_000 && unsaid > 10 && unsaid < kept / 20, "{kept} {unsaid}");
}

/// Programs of the pack with flipped bits, as in the dump of a hang.
#[test]
fn what_is_printed_of_any_code_gives_back_its_meaning() {
    let Some(pack) = pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let rounds = rounds(MUTATIONS, 60);
    let mut random = Random::new(11);
    let mut wrong = BTreeMap::<String, (u32, String)>::new();
    let (mut kept, mut unsaid) = (0, 0);
    let mut sources: Vec<(Gen, Vec<Inst>)> = programs(&pack)
        .into_iter()
        .map(|(_, generation, code)| {
            let insts = decode_program(&code, generation).expect("foreign code decodes");
            (generation, insts.into_iter().map(|(_, inst)| inst).collect())
        })
        .collect();
    // Also random instructions, for all generations.
    for generation in Gen::ALL {
        for mode in [AccessMode::Align1, AccessMode::Align16] {
            if mode == AccessMode::Align1 || generation <= Gen::Gen9 {
                let wish = Wish { generation, mode };
                let insts = (0..400).map(|_| random_inst(&mut random, wish));
                let insts = insts.filter(|inst| encode(inst, generation).is_ok()).collect();
                sources.extend(vec![(generation, insts); 10]);
            }
        }
    }
    for (generation, insts) in sources {
        for _ in 0..rounds {
            let inst = &insts[random.below(insts.len() as u64) as usize];
            let mut bits = encode(inst, generation).expect("what was decoded encodes");
            for _ in 0..random.below(3) {
                bits ^= 1 << random.below(128);
            }
            if bits >> 29 & 1 != 0 && generation != Gen::Gen4 {
                // These bytes would be a compacted instruction.
                continue;
            }
            let Ok(inst) = decode(bits, generation) else { continue };
            for syntax in SYNTAXES.into_iter().filter(|syntax| exists(*syntax, generation)) {
                let text = print_program(&[(0, inst.clone())], generation, syntax);
                let read = parse_program(&text, generation, syntax);
                let read = read.as_deref().map(|read| {
                    let bits = encode(&read[0], generation).expect("what is read encodes");
                    decode(bits, generation).expect("what was encoded decodes")
                });
                unsaid += u32::from(text.contains(".bytes"));
                kept += 1;
                if !read.as_ref().is_ok_and(|read| meaning(read) == meaning(&inst)) {
                    println!("DIFF {text}\n{:?}\n{:?}", read.map(|r| meaning(&r)), meaning(&inst));
                    let row = wrong.entry(format!("{} {}", syntax.name(), inst.opcode.name()));
                    row.or_insert((0, format!("{generation}: {bits:#x} {text}"))).0 += 1;
                }
            }
        }
    }
    println!("{kept} kept, {unsaid} of them as bytes");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Text may mark an instruction as compacted that has no compacted form. It does not encode, but is
/// printed.
#[test]
fn an_instruction_without_its_compacted_form_keeps_its_text() {
    let text = "rndd(16)        f14<1>F         g119<8,8,1>F                    { align1 1H compacted };\n";
    let insts = parse_program(text, Gen::Gen11, Syntax::Mesa).expect("it parses");
    assert!(encode_program(&insts, Gen::Gen11).is_err());
    assert_eq!(unrepresentable(&insts[0], Gen::Gen11, Syntax::Mesa), None);
}
