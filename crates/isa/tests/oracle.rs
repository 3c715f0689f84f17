//! Foreign code: everything in the oracle pack decodes and encodes to the same bytes.

use crestline_isa::{Gen, decode, encode};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn pack() -> Option<PathBuf> {
    let shared = std::env::var_os("CRESTLINE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let pack = shared.join("oracle");
    pack.is_dir().then_some(pack)
}

fn generation(variant: &str) -> Gen {
    match variant.split('.').next().unwrap_or("") {
        "ivb" => Gen::Gen7,
        "hsw" => Gen::Gen75,
        "bdw" => Gen::Gen8,
        "skl" => Gen::Gen9,
        "icl" | "icllp" => Gen::Gen11,
        "tgl" | "tgllp" => Gen::Gen12,
        other => panic!("unknown variant {other}"),
    }
}

/// All programs: path, generation, bytes.
fn programs(pack: &Path) -> Vec<(PathBuf, Gen, Vec<u8>)> {
    let mut out = Vec::new();
    let mut stack = vec![pack.to_owned()];
    while let Some(folder) = stack.pop() {
        for entry in std::fs::read_dir(&folder).expect("readable folder") {
            let path = entry.expect("folder entry").path();
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
            if path.is_dir() {
                stack.push(path);
                continue;
            }
            let bytes = match name {
                "k.krn" => std::fs::read(&path).expect("readable file"),
                "code.hex" => {
                    let text = std::fs::read_to_string(&path).expect("readable file");
                    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
                    let byte = |pair: &[u8]| {
                        let pair = std::str::from_utf8(pair).expect("ASCII");
                        u8::from_str_radix(pair, 16).expect("hex")
                    };
                    digits.chunks(2).map(byte).collect()
                }
                _ => continue,
            };
            let variant = folder.file_name().and_then(|n| n.to_str()).unwrap_or("");
            out.push((path.clone(), generation(variant), bytes));
        }
    }
    out.sort();
    out
}

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
