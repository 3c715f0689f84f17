//! Checks that validator and emulator agree: if no rule refuses an instruction, the emulator refuses it only because it
//! does not support it, with a separate error.

use crestline_device::Device;
use crestline_emu::{EmuError, Kernel};
use crestline_isa::decode_program;
use crestline_isa::text::{Syntax, print_inst};
use crestline_isa::validate::{Severity, Validator};
use crestline_judges::oracle::{Oracle, Variant};
use crestline_testing::damage::flip_bits;
use crestline_testing::{MUTATIONS, rounds};
use std::collections::BTreeMap;

#[test]
fn what_no_rule_refuses_the_emulator_loads_or_does_not_know() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let rounds = rounds(MUTATIONS, 40);
    let mut random = fastrand::Rng::with_seed(1);
    let (mut accepted, mut refused) = (0, 0);
    let mut disagreements = BTreeMap::<String, (u32, String)>::new();
    let mut unknown = BTreeMap::<String, u32>::new();
    let mut programs = oracle.compute_programs().expect("the pack is readable");
    programs.extend(oracle.stage_programs().expect("the pack is readable"));
    for Variant { code: original, metadata } in programs.into_iter().map(|p| p.variant) {
        let device = Device::new(metadata.platform);
        let generation = device.generation();
        let validator = Validator::new(device);
        for _ in 0..rounds {
            let mut code = original.clone();
            // One instruction changes, by a bit or two: more changes break rules anyway.
            let place = random.usize(..code.len() / 8) * 8;
            let end = code.len().min(place + 16);
            flip_bits(&mut code[place..end], random.usize(1..=2), &mut random);
            // What fills cache lines behind the code is no place to jump to.
            code.resize(code.len() + 16 * random.usize(..4), 0);
            let Ok(insts) = decode_program(&code, generation) else { continue };
            let findings = validator.check_program(&insts);
            if findings.iter().any(|finding| finding.rule.severity == Severity::Error) {
                refused += 1;
                continue;
            }
            accepted += 1;
            match Kernel::load(&code, metadata.clone(), &device) {
                Err(EmuError::Illegal { instruction, message, .. }) => {
                    let text = print_inst(&insts[instruction].1, generation, Syntax::Mesa);
                    let kind: String = message.chars().filter(|c| !c.is_ascii_digit()).collect();
                    let row = disagreements.entry(kind);
                    row.or_insert((0, format!("{generation}: {text}: {message}"))).0 += 1;
                }
                Err(EmuError::Unsupported { what, .. }) => *unknown.entry(what).or_default() += 1,
                Err(error @ EmuError::Decode { .. }) => panic!("{error}"),
                _ => {}
            }
        }
    }
    println!("{accepted} accepted, {refused} refused; not known to the emulator: {unknown:#?}");
    assert!(accepted > 1000 && refused > 1000, "{accepted} {refused}");
    assert!(disagreements.is_empty(), "{disagreements:#?}");
}
