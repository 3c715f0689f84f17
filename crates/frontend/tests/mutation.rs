//! Damaged modules are refused or translated, never a panic, a hang, or invalid IR.

use std::path::Path;

use crestline_frontend::{Language, Source, TranslateOptions, to_spirv, translate};
use crestline_ssa::verify::verify;

/// A small generator of pseudo-random numbers (xorshift), so that each run does the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Modules to damage: the WGSL run tests (and with glslang all), and vello's shaders.
fn modules() -> Vec<(String, Vec<u32>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run");
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .map(|entries| entries.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    files.sort();
    let mut modules = Vec::new();
    for file in files {
        let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let Ok(language) = Language::from_extension(extension) else { continue };
        if language == Language::Glsl && !cfg!(feature = "glslang") {
            continue;
        }
        let name = file.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let bytes = std::fs::read(&file).expect("the file is there");
        if let Ok(words) = to_spirv(&Source { name, language, bytes: &bytes }) {
            modules.push((name.to_owned(), words));
        }
    }
    modules.push((
        "vello coarse".into(),
        to_spirv(&Source {
            name: "coarse",
            language: Language::Wgsl,
            bytes: vello_shaders::SHADERS.coarse.wgsl.code.as_bytes(),
        })
        .expect("vello's shader compiles"),
    ));
    modules
}

/// One damage: a flipped bit, a random word, a copied word, a shortened module, or an exchanged id.
fn damage(words: &[u32], random: &mut Random) -> Vec<u32> {
    let mut words = words.to_vec();
    if words.is_empty() {
        return words;
    }
    let at = random.below(words.len());
    match random.below(8) {
        0..=2 => words[at] ^= 1 << random.below(32),
        // A nearby number is often another id.
        3..=4 => words[at] = words[at].wrapping_add(random.below(9) as u32).wrapping_sub(4),
        5 => words[at] = words[random.below(words.len())],
        6 => words[at] = random.next() as u32,
        _ => words.truncate(at),
    }
    words
}

#[test]
fn damaged_modules_never_panic_and_what_translates_is_valid() {
    let modules = modules();
    let total = std::env::var("CRESTLINE_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let rounds = total.unwrap_or(4000) / modules.len() + 1;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    // Small, so that an inlining explosion would not hide behind the time it takes.
    let options = TranslateOptions { max_insts: 100_000, ..TranslateOptions::default() };
    let (mut refused, mut translated) = (0, 0);
    for (name, words) in &modules {
        for round in 0..rounds {
            let mut damaged = damage(words, &mut random);
            for _ in 0..random.below(3) {
                damaged = damage(&damaged, &mut random);
            }
            match translate(&damaged, &options) {
                Err(error) => {
                    assert!(!error.detail.is_empty(), "{name} round {round}: {error}");
                    refused += 1;
                }
                Ok(shader) => {
                    if let Err(error) = verify(&shader) {
                        let file = std::env::temp_dir().join("crestline-mutation.spv");
                        let bytes: Vec<u8> = damaged.iter().flat_map(|w| w.to_le_bytes()).collect();
                        std::fs::write(&file, bytes).expect("the temporary directory is writable");
                        panic!("{name} round {round}: {error}; module in {}", file.display());
                    }
                    translated += 1;
                }
            }
        }
    }
    println!("{refused} refused, {translated} translated");
    assert!(refused > 200 && translated > 200, "{refused} refused, {translated} translated");
}
