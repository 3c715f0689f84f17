//! No rule raises a false alarm: all code of the oracle pack, which other compilers made and which runs, passes
//! validation without an error.

mod common;

use crestline_device::Device;
use crestline_isa::validate::{Severity, Validator};
use crestline_isa::{Gen, Platform, decode};
use std::collections::BTreeMap;

#[test]
fn foreign_code_breaks_no_rule() {
    let Some(pack) = common::pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let mut errors = BTreeMap::<(&str, Gen), (u32, String)>::new();
    let mut checked = 0u32;
    for (path, generation, bytes) in common::programs(&pack) {
        let validator = Validator::new(Device::new(Platform::of_generation(generation)));
        let mut at = 0;
        while at + 8 <= bytes.len() {
            let low = u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
            if low >> 29 & 1 != 0 {
                at += 8;
                continue;
            }
            let Some(full) = bytes.get(at..at + 16) else { break };
            let bits = u128::from_le_bytes(full.try_into().expect("16 bytes"));
            if bits == 0 {
                break; // the padding after a kernel
            }
            let inst = decode(bits, generation).expect("foreign code decodes");
            checked += 1;
            validator.check_inst(&inst, |rule| {
                if rule.severity == Severity::Error {
                    let (count, first) = errors.entry((rule.id, generation)).or_default();
                    *count += 1;
                    if first.is_empty() {
                        *first = format!("{} +{at:#x}: {}\n{inst:?}", path.display(), rule.text);
                    }
                }
            });
            at += 16;
        }
    }
    assert!(errors.is_empty(), "{errors:#?}");
    assert!(checked > 40_000, "{checked} instructions checked");
}
