//! Real shaders translate and verify: the project's own run tests and the shaders of `vello_shaders`.

use std::path::{Path, PathBuf};

use crestline_frontend::{Language, Source, TranslateOptions, to_spirv, translate};
use crestline_ssa::verify::verify;

#[test]
fn every_run_test_translates() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run");
    let mut files: Vec<PathBuf> = match std::fs::read_dir(&dir) {
        Ok(entries) => entries.filter_map(|e| Some(e.ok()?.path())).collect(),
        Err(_) => return,
    };
    files.sort();
    let mut failures = Vec::new();
    for file in &files {
        let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let Ok(language) = Language::from_extension(extension) else { continue };
        // Without glslang, naga reads GLSL, which knows less of the language than these tests use.
        if language == Language::Glsl && !cfg!(feature = "glslang") {
            continue;
        }
        let name = file.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let bytes = std::fs::read(file).expect("the file is there");
        let result = to_spirv(&Source { name, language, bytes: &bytes })
            .and_then(|words| translate(&words, &TranslateOptions::default()));
        match result.map(|shader| verify(&shader).map_err(|e| e.to_string())) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => failures.push(format!("{name}: {error}")),
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
