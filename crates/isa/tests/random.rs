//! Random instructions: encoding and decoding are inverse, and `iga64` reads our text as the
//! same bits.

mod common;

use common::random::{Random, Wish, inst, with_targets_inside};
use crestline_isa::text::{Syntax, print_inst};
use crestline_isa::{AccessMode, Gen, Inst, Opcode, Platform, decode, encode};
use crestline_judges::iga::{Compaction, Iga};
use std::collections::BTreeSet;

/// How many instructions per generation, from the environment or a default.
fn count(default: usize) -> usize {
    let text = std::env::var("CRESTLINE_RANDOM").ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// `n` random instructions that encode, with their bits.
fn encodable(generation: Gen, mode: AccessMode, n: usize) -> Vec<(Inst, u128)> {
    let mut random = Random::new(generation.verx10().into());
    let mut out = Vec::new();
    while out.len() < n {
        let inst = inst(&mut random, Wish { generation, mode });
        if let Ok(bits) = encode(&inst, generation) {
            out.push((inst, bits));
        }
    }
    out
}

fn modes(generation: Gen) -> &'static [AccessMode] {
    match generation {
        Gen::Gen11 | Gen::Gen12 | Gen::Gen125 => &[AccessMode::Align1],
        _ => &[AccessMode::Align1, AccessMode::Align16],
    }
}

#[test]
fn decoding_inverts_encoding() {
    for generation in Gen::ALL {
        for &mode in modes(generation) {
            let mut opcodes = BTreeSet::new();
            for (inst, bits) in encodable(generation, mode, count(5000)) {
                let back = decode(bits, generation);
                assert_eq!(back.as_ref().map(|b| b.residue), Ok(0), "{generation} {inst:?}");
                let back = back.expect("decodes");
                assert_eq!(encode(&back, generation), Ok(bits), "{generation} {inst:?}");
                assert_eq!(back, inst, "{generation} {bits:032x}");
                opcodes.insert(inst.opcode);
            }
            for &opcode in Opcode::ALL {
                let rare = matches!(
                    opcode,
                    Opcode::Madm | Opcode::Dpas | Opcode::Dpasw | Opcode::Bfn | Opcode::Ret
                ) || opcode.form() == crestline_isa::Form::MaskStack
                    || opcode == Opcode::Dim && mode == AccessMode::Align1;
                if opcode.exists(generation) && !rare {
                    assert!(opcodes.contains(&opcode), "{generation} {mode:?}: no {opcode:?}");
                }
            }
        }
    }
}

#[test]
fn iga64_reads_our_text_as_the_same_bits() {
    let Some(iga) = crestline_judges::ask(Iga::find()) else { return };
    let (mut all, mut failed) = (String::new(), false);
    for generation in [Gen::Gen75, Gen::Gen8, Gen::Gen9, Gen::Gen11, Gen::Gen12, Gen::Gen125] {
        let platform = Platform::of_generation(generation).name();
        let as_written = Compaction::AsWritten;
        let (mut failures, mut refused) = (Vec::new(), Vec::new());
        let insts: Vec<Inst> = encodable(generation, AccessMode::Align1, count(3000))
            .into_iter()
            .map(|(inst, _)| inst)
            .collect();
        for batch in insts.chunks(500) {
            let batch: Vec<(Inst, u128)> = batch
                .iter()
                .enumerate()
                .map(|(n, inst)| {
                    let inst = with_targets_inside(inst, n, batch.len());
                    let bits = encode(&inst, generation).expect("encodes");
                    (inst, bits)
                })
                .collect();
            let mut lines: Vec<String> =
                batch.iter().map(|(i, _)| print_inst(i, generation, Syntax::Iga)).collect();
            let bytes = loop {
                let error = match iga.assemble(platform, &(lines.join("\n") + "\n"), as_written) {
                    Ok(bytes) => break bytes,
                    Err(error) => error.to_string(),
                };
                // A no-op in the place of what iga64 refuses keeps the others where they are.
                let bad = refused_lines(&error);
                assert!(!bad.is_empty(), "{generation}: {error}");
                for n in bad {
                    refused.push(std::mem::replace(&mut lines[n], "nop".to_owned()));
                }
            };
            assert_eq!(bytes.len(), batch.len() * 16, "{generation}");
            let printed = iga.disassemble(platform, &bytes).expect("iga64 reads what it wrote");
            assert_eq!(printed.len(), lines.len(), "{generation}");
            for (ours, theirs) in lines.iter().zip(&printed) {
                // Gen7.5 gives numeric targets of brd a type, where labels have none.
                let mut expected = format!("{} ", normalise(&theirs.text));
                if ours.contains("brd") {
                    expected = expected.replace(":w{", "{").replace(":w ", "");
                }
                if normalise(ours) != expected.trim_end() {
                    failures.push(format!("  ours {ours}\n  iga  {}", theirs.text));
                }
            }
            for ((line, (inst, bits)), theirs) in lines.iter().zip(&batch).zip(bytes.chunks(16)) {
                let theirs = u128::from_le_bytes(theirs.try_into().expect("16 bytes"));
                let differ = (theirs ^ bits) & !undefined(inst);
                if differ != 0 && (line != "nop" || inst.opcode == Opcode::Nop) {
                    failures.push(format!(
                        "{line}\n  ours {bits:032x}\n  iga  {theirs:032x}\n  xor  {differ:032x}"
                    ));
                }
            }
        }
        eprintln!("{generation}: {} of {} refused by iga64", refused.len(), insts.len());
        for line in refused.iter().take(show_refused()) {
            eprintln!("  {line}");
        }
        assert!(refused.len() * 5 < insts.len(), "{generation}: too many refused");
        let shown = failures[..30.min(failures.len())].join("\n");
        all.push_str(&format!("{generation}: {} failures\n{shown}\n", failures.len()));
        failed |= !failures.is_empty();
    }
    assert!(!failed, "{all}");
}

/// Spaces and comments aside.
fn normalise(line: &str) -> String {
    let line = line.split("//").next().unwrap_or("");
    line.split_whitespace().collect::<Vec<_>>().join(" ").replace(" {", "{").replace(") (", ")(")
}

/// How many refused lines to show.
fn show_refused() -> usize {
    let text = std::env::var("CRESTLINE_SHOW_REFUSED").ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// The lines, counted from 0, that the messages of `iga64` name.
fn refused_lines(messages: &str) -> BTreeSet<usize> {
    let number = |line: &str| {
        let (number, _) = line.strip_prefix("line ")?.split_once('.')?;
        number.parse::<usize>().ok()?.checked_sub(1)
    };
    messages.lines().filter(|line| line.contains("error")).filter_map(number).collect()
}

/// Bits that `iga64` leaves to chance: the region of the null source 0 of a call.
fn undefined(inst: &Inst) -> u128 {
    match inst.opcode {
        Opcode::Call | Opcode::Calla => 0x1ff << 80,
        _ => 0,
    }
}
