//! Tests that rules find no errors in correct code: all code of the oracle pack, which other
//! compilers made and which runs, passes validation.

mod common;

use crestline_device::Device;
use crestline_isa::validate::{Severity, Validator};
use crestline_isa::{Gen, Platform, decode_program};
use std::collections::BTreeMap;

#[test]
fn foreign_code_breaks_no_rule() {
    let Some(pack) = common::pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let mut errors = BTreeMap::<(&str, Gen), (u32, String)>::new();
    let mut checked = 0;
    for (path, generation, bytes) in common::programs(&pack) {
        let validator = Validator::new(Device::new(Platform::of_generation(generation)));
        let insts = decode_program(&bytes, generation).expect("foreign code decodes");
        checked += insts.len();
        for finding in validator.check_program(&insts) {
            if finding.rule.severity == Severity::Error {
                let (count, first) = errors.entry((finding.rule.id, generation)).or_default();
                *count += 1;
                if first.is_empty() {
                    *first = format!("{}: {finding}\n{:?}", path.display(), insts[finding.index].1);
                }
            }
        }
    }
    assert!(errors.is_empty(), "{errors:#?}");
    assert!(checked > 80_000, "{checked} instructions checked");
}
