//! Functions for several tests: the programs of the oracle pack, and random instructions.

// Each test uses a part of it.
#![allow(dead_code)]

pub(crate) mod cells;
pub(crate) mod meaning;
pub(crate) mod random;
pub(crate) mod valid;

use crestline_isa::Gen;
use std::path::{Path, PathBuf};

/// The oracle pack, if it is there.
pub(crate) fn pack() -> Option<PathBuf> {
    let shared = std::env::var_os("CRESTLINE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let pack = shared.join("oracle");
    pack.is_dir().then_some(pack)
}

/// The generation a variant folder is for.
pub(crate) fn generation(variant: &str) -> Gen {
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
pub(crate) fn programs(pack: &Path) -> Vec<(PathBuf, Gen, Vec<u8>)> {
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
