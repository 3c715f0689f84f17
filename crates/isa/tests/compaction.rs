//! Compaction of foreign programs keeps their meaning and finds at least what their compilers
//! found.

mod common;

use common::random::{Random, Wish, inst};
use common::{pack, programs};
use crestline_isa::compact::{ResizeError, compact, compact_program, expand, expand_program};
use crestline_isa::text::{Syntax, parse_program};
use crestline_isa::{AccessMode, Branch, Extra, Gen, Inst, Opcode, decode_program, encode};
use std::collections::BTreeMap;

#[test]
fn foreign_programs_compact_at_least_as_well() {
    let Some(pack) = pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let mut counts = BTreeMap::<Gen, (usize, usize)>::new();
    for (path, generation, bytes) in programs(&pack) {
        let insts: Vec<Inst> = decode_program(&bytes, generation)
            .expect("decodes")
            .into_iter()
            .map(|(_, inst)| inst)
            .collect();
        let expanded = expand_program(&insts, generation).expect("branches to instructions");
        let compacted = compact_program(&expanded, generation).expect("branches to instructions");
        let work = |insts: &[Inst]| {
            insts.iter().filter(|i| i.compacted && i.opcode != Opcode::Nop).count()
        };
        let (theirs, ours) = (work(&insts), work(&compacted));
        assert!(ours >= theirs, "{}: {ours} compacted, not {theirs}", path.display());
        let count = counts.entry(generation).or_default();
        *count = (count.0 + theirs, count.1 + ours);
        for inst in &compacted {
            let bits = encode(inst, generation).expect("encodes");
            if inst.compacted {
                let short = compact(bits, generation).expect("compacts");
                assert_eq!(expand(short, generation), Ok(bits));
            }
        }
        // Expanding again gives the program back, but for no-ops and rewritten operands.
        let again = expand_program(&compacted, generation).expect("branches to instructions");
        let plain = |insts: Vec<Inst>| -> Vec<(Opcode, Option<Branch>)> {
            let kept = insts.into_iter().filter(|inst| inst.opcode != Opcode::Nop);
            kept.map(|inst| (inst.opcode, inst.branch().copied())).collect()
        };
        assert_eq!(plain(again), plain(expanded), "{}", path.display());
    }
    for (generation, (theirs, ours)) in counts {
        eprintln!("{generation}: {ours} compacted, {theirs} by the compilers");
    }
}

#[test]
fn random_instructions_compact_to_themselves() {
    for generation in Gen::ALL {
        let mut random = Random::new(u64::from(generation.verx10()) + 3);
        let mut found = 0;
        for _ in 0..20_000 {
            let inst = inst(&mut random, Wish { generation, mode: AccessMode::Align1 });
            let Ok(bits) = encode(&inst, generation) else { continue };
            if let Some(short) = compact(bits, generation) {
                assert_eq!(expand(short, generation), Ok(bits), "{generation} {inst:?}");
                found += 1;
            }
        }
        assert!(found > 0 || generation == Gen::Gen4, "{generation}: none compacts");
    }
}

#[test]
fn jumps_follow_and_strange_targets_are_refused() {
    let text = "L0:\nmov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n\
                (f0.0) while (8|M0) L0\nmov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n";
    let insts = parse_program(text, Gen::Gen9, Syntax::Iga).expect("parses");
    let short = compact_program(&insts, Gen::Gen9).expect("compacts");
    assert_eq!(short.iter().map(Inst::size).collect::<Vec<_>>(), [8, 16, 8]);
    assert_eq!(short[1].branch().and_then(|branch| branch.jip), Some(-8));
    let mut odd = insts;
    odd[1].extra = Extra::Branch(Branch::jip(-4));
    let error = compact_program(&odd, Gen::Gen9).expect_err("no instruction there");
    assert_eq!(error, ResizeError::Target { index: 1, opcode: "while", target: 12 });
}
