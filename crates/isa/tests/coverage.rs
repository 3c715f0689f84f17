//! Tests that every bit of every instruction format belongs to exactly one field, or is listed as
//! reserved.

use crestline_isa::codec::explain;
use crestline_isa::{Form, Gen, Opcode};
use crestline_testing::golden;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Bits of a range of the instruction.
fn mask(hi: u32, lo: u32) -> u128 {
    u128::MAX >> (127 - (hi - lo)) << lo
}

/// For each generation and form: the bits that no decodable instruction uses.
fn reserved() -> BTreeMap<(Gen, String), u128> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut out = BTreeMap::new();
    for generation in Gen::ALL {
        for &opcode in Opcode::ALL {
            let Some(code) = opcode.bits(generation) else { continue };
            let mut used = 0_u128;
            for _ in 0..1500 {
                // Sparse and dense patterns, so that reserved codes do not hide a format.
                let sparse = random.u128(..) & random.u128(..);
                let bits = random.u128(..) & sparse & !0x7f | u128::from(code);
                let Ok(fields) = explain(bits & !(1 << 29), generation) else { continue };
                let mut seen = 0_u128;
                for field in fields {
                    for (hi, lo) in &field.ranges {
                        let bits = mask(*hi, *lo);
                        assert_eq!(
                            seen & bits,
                            0,
                            "{generation} {}: a second field {} at {hi}:{lo}",
                            opcode.name(),
                            field.name
                        );
                        seen |= bits;
                        if !field.name.is_empty() {
                            used |= bits;
                        }
                    }
                }
                assert_eq!(seen, u128::MAX, "{generation} {}: bits left out", opcode.name());
            }
            assert_ne!(used, 0, "{generation} {}: nothing decodes", opcode.name());
            let form = match opcode.form() {
                // These forms' fields differ from one operation to the next.
                Form::BranchJip | Form::BranchJipUip => opcode.name().to_owned(),
                form => format!("{form:?}"),
            };
            *out.entry((generation, form)).or_insert(u128::MAX) &= !used;
        }
    }
    out
}

#[test]
fn every_bit_has_one_field_or_is_reserved() {
    let mut text = String::from(
        "# Bits that no field of a format uses, whatever the operands: generation, form, hi:lo.\n",
    );
    for ((generation, form), bits) in reserved() {
        let _ = write!(text, "{generation} {form}:");
        let mut at = 128;
        while at > 0 {
            at -= 1;
            if bits >> at & 1 == 0 {
                continue;
            }
            let hi = at;
            while at > 0 && bits >> (at - 1) & 1 != 0 {
                at -= 1;
            }
            let _ = write!(text, " {hi}:{at}");
        }
        text.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/isa/reserved.txt");
    golden::check([(path, text)]);
}
