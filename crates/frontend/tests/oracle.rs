//! The oracle pack's compute shaders, written for other compilers, must translate.

use std::path::PathBuf;

use crestline_frontend::{TranslateOptions, spirv_words, translate};

/// Cases with images, which wait for the image work.
const WITH_IMAGES: &[&str] = &["image_rw", "texture"];

fn cases() -> Option<Vec<PathBuf>> {
    let shared = std::env::var_os("CRESTLINE_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let mut dirs: Vec<PathBuf> = std::fs::read_dir(shared.join("oracle/mesa/cs"))
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("shader.spv").exists())
        .collect();
    dirs.sort();
    Some(dirs)
}

#[test]
fn every_shader_of_the_pack_translates() {
    let Some(cases) = cases() else {
        println!("skipped: no oracle pack");
        return;
    };
    for dir in cases {
        let name = dir.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        let bytes = std::fs::read(dir.join("shader.spv")).expect("the case has a module");
        let words = spirv_words(&bytes).expect("whole words");
        let result = translate(&words, &TranslateOptions::default());
        if WITH_IMAGES.contains(&name.as_str()) {
            assert!(result.is_err(), "{name} has images");
            continue;
        }
        match result {
            Ok(shader) => println!("{name}: {} instructions", shader.func.num_insts()),
            Err(error) => panic!("{name}: {error}"),
        }
    }
}
