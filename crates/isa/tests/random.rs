//! Tests that encoding and decoding are inverse, with random instructions that may be illegal.

mod common;

use common::random::{Random, Wish, inst};
use crestline_isa::*;
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
fn branches_through_indirect_registers_keep_every_bit() {
    let mut seen = 0;
    for generation in Gen::ALL {
        for opcode in [Opcode::Jmpi, Opcode::Call, Opcode::Brd, Opcode::Brc] {
            let mut inst = Inst::new(opcode);
            inst.extra = Extra::Branch(Branch::default());
            let place = Place::Indirect { addr: 2, offset: 16 };
            inst.srcs[0] = Src::Reg(SrcReg::new(place, Type::D, Region::SCALAR));
            let Ok(bits) = encode(&inst, generation) else { continue };
            let back = decode(bits, generation).expect("what encodes decodes");
            assert_eq!(back.srcs[0], inst.srcs[0], "{generation} {}", opcode.name());
            for bit in 0..128 {
                let changed = bits ^ 1 << bit;
                let Ok(back) = decode(changed, generation) else { continue };
                assert_eq!(
                    encode(&back, generation),
                    Ok(changed),
                    "{generation} bit {bit} {back:?}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 1000, "only {seen} cases");
}
