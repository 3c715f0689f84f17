//! Tests that all code of the oracle pack, which other compilers made, decodes and encodes to the
//! same bytes.

mod common;

use common::{pack, programs};
use crestline_isa::message::Descriptor;
use crestline_isa::{Gen, decode_program, encode_into};
use std::collections::BTreeMap;

/// Decodes and encodes every program; reports per generation how many instructions there are,
/// how many are compacted and how many have a residue.
#[test]
fn programs_round_trip() {
    let Some(pack) = pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let mut failures = Vec::new();
    let mut counts = BTreeMap::<Gen, (usize, usize, usize)>::new();
    for (path, generation, bytes) in programs(&pack) {
        let insts = match decode_program(&bytes, generation) {
            Ok(insts) => insts,
            Err(error) => {
                failures.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        let count = counts.entry(generation).or_default();
        count.0 += insts.len();
        for (offset, inst) in insts {
            count.1 += usize::from(inst.compacted);
            count.2 += usize::from(inst.residue != 0);
            let mut out = Vec::new();
            let place = format!("{} {generation} +{offset:#x}", path.display());
            let expected = &bytes[offset..offset + inst.size() as usize];
            match encode_into(&inst, generation, &mut out) {
                Ok(()) if out == expected => {}
                Ok(()) => {
                    failures.push(format!("{place}: {out:02x?} not {expected:02x?} {inst:?}"))
                }
                Err(error) => failures.push(format!("{place}: {error} {inst:?}")),
            }
        }
    }
    for (generation, (all, compacted, residue)) in &counts {
        eprintln!(
            "{generation}: {all} instructions, {compacted} compacted, {residue} with residue"
        );
    }
    let shown = failures[..20.min(failures.len())].join("\n");
    assert!(failures.is_empty(), "{} failures:\n{shown}", failures.len());
    assert_eq!(counts.len(), 6);
    assert!(counts.values().all(|(all, compacted, _)| *all > 1000 && *compacted > 500));
}

/// Every immediate descriptor of the pack is a message with named fields.
#[test]
fn descriptors_round_trip() {
    let Some(pack) = pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let mut failures = BTreeMap::<String, usize>::new();
    let mut decoded = 0;
    for (_, generation, bytes) in programs(&pack) {
        let insts = decode_program(&bytes, generation).expect("decodes");
        for send in insts.iter().filter_map(|(_, inst)| inst.send()) {
            let (Some(desc), Some(ex_desc)) = (send.desc.imm(), send.ex_desc.imm()) else {
                continue;
            };
            let place = || format!("{generation} {:?} {desc:#010x} {ex_desc:#x}", send.sfid);
            match Descriptor::decode(generation, send.sfid, desc, ex_desc) {
                Ok(out) => {
                    decoded += 1;
                    assert_eq!(out.encode(generation), Ok((send.sfid, desc, ex_desc)), "{out:?}");
                }
                Err(error) => *failures.entry(format!("{}: {error}", place())).or_default() += 1,
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(decoded > 1000);
}
