//! Foreign code: everything in the oracle pack decodes and encodes to the same bytes.

mod common;

use common::{pack, programs};
use crestline_isa::{Gen, decode, encode};
use std::collections::BTreeMap;

#[test]
fn full_instructions_round_trip() {
    let Some(pack) = pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let mut failures = Vec::new();
    let mut counts = BTreeMap::<Gen, (u32, u32)>::new();
    for (path, generation, bytes) in programs(&pack) {
        let mut at = 0;
        while at + 8 <= bytes.len() {
            let low = u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
            if low >> 29 & 1 != 0 {
                at += 8;
                continue;
            }
            let Some(full) = bytes.get(at..at + 16) else { break };
            let bits = u128::from_le_bytes(full.try_into().expect("16 bytes"));
            let place = format!("{} {generation} +{at:#x} {bits:032x}", path.display());
            let count = counts.entry(generation).or_default();
            count.0 += 1;
            match decode(bits, generation) {
                Err(error) => failures.push(format!("{place}: {error}")),
                Ok(inst) => {
                    count.1 += u32::from(inst.residue != 0);
                    match encode(&inst, generation) {
                        Ok(back) if back == bits => {}
                        Ok(back) => failures.push(format!("{place}: {back:032x} {inst:?}")),
                        Err(error) => failures.push(format!("{place}: {error}")),
                    }
                }
            }
            at += 16;
        }
    }
    for (generation, (all, residue)) in &counts {
        eprintln!("{generation}: {all} full instructions, {residue} with residue");
    }
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures[..20.min(failures.len())].join("\n")
    );
    assert!(counts.values().all(|(all, _)| *all > 1000));
}
