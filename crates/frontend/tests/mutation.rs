//! Tests damaged modules: each gives an error or a valid shader, and never a panic, an endless loop or invalid IR.

use std::path::Path;

use crestline_frontend::{Language, Source, TranslateOptions, to_spirv, translate};
use crestline_ssa::verify::verify;
use crestline_testing::{MUTATIONS, damage, rounds};

/// A fragment shader.
const FRAGMENT: &str = "
struct In {
    @builtin(position) at: vec4f,
    @builtin(sample_mask) mask: u32,
    @location(0) uv: vec2f,
    @location(1) @interpolate(flat) id: vec2u,
}
struct Out {
    @location(0) colour: vec4f,
    @location(1) ids: vec2u,
    @builtin(frag_depth) depth: f32,
    @builtin(sample_mask) mask: u32,
}
@group(0) @binding(0) var<storage, read_write> data: array<vec2f>;
@fragment fn main(in: In) -> Out {
    var sum = dpdx(in.uv) + fwidth(in.uv.yx);
    for (var i = 0u; i < in.id.x; i++) {
        if sum.x < in.uv.y { discard; }
        sum += dpdyFine(sum) * data[i];
        data[i] = sum;
    }
    return Out(vec4f(sum, in.at.xy), in.id.yx, in.at.z, in.mask);
}";

/// The modules to damage: the run tests in WGSL, with glslang also those in GLSL, a fragment shader, and one of vello's shaders.
fn modules() -> Vec<(String, Vec<u32>)> {
    let mut files = Vec::new();
    for folder in ["run", "fragments"] {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
        let entries = std::fs::read_dir(dir).into_iter().flatten();
        files.extend(entries.filter_map(|e| Some(e.ok()?.path())));
    }
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
        "fragment".into(),
        to_spirv(&Source {
            name: "fragment",
            language: Language::Wgsl,
            bytes: FRAGMENT.as_bytes(),
        })
        .expect("the fragment shader compiles"),
    ));
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

#[test]
fn damaged_modules_never_panic_and_what_translates_is_valid() {
    let modules = modules();
    let rounds = rounds(MUTATIONS, 4000) / modules.len() + 1;
    let mut random = fastrand::Rng::with_seed(1);
    // The limit is low, so that modules that grow much by inlining take little time.
    let options = TranslateOptions { max_insts: 100_000, ..TranslateOptions::default() };
    let (mut refused, mut translated) = (0, 0);
    for (name, words) in &modules {
        for round in 0..rounds {
            let mut damaged = words.clone();
            for _ in 0..random.usize(1..=3) {
                damage::spirv(&mut damaged, &mut random);
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
