//! Translates and verifies real shaders: the project's own run tests, its fragment shaders, and the shaders of
//! `vello_shaders`.

use std::path::{Path, PathBuf};

use crestline_frontend::{Language, Source, TranslateOptions, to_spirv, translate};
use crestline_ssa::verify::verify;

#[test]
fn every_run_test_translates() {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["run", "fragments"] {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
        let Ok(entries) = std::fs::read_dir(&dir) else { return };
        files.extend(entries.filter_map(|e| Some(e.ok()?.path())));
    }
    files.sort();
    let mut failures = Vec::new();
    for file in &files {
        let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let Ok(language) = Language::from_extension(extension) else { continue };
        // Without glslang, naga reads GLSL. It supports less of the language than these tests use.
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

/// Every shader of the crate, which provides them as fields of one structure.
fn vello_shaders() -> Vec<vello_shaders::ComputeShader<'static>> {
    macro_rules! shaders {
        ($($name:ident),* $(,)?) => { vec![$(vello_shaders::SHADERS.$name),*] };
    }
    shaders![
        backdrop,
        backdrop_dyn,
        bbox_clear,
        binning,
        clip_leaf,
        clip_reduce,
        coarse,
        draw_leaf,
        draw_reduce,
        fine_area,
        fine_msaa8,
        fine_msaa16,
        flatten,
        path_count,
        path_count_setup,
        path_tiling,
        path_tiling_setup,
        pathtag_reduce,
        pathtag_reduce2,
        pathtag_scan1,
        pathtag_scan_large,
        pathtag_scan_small,
        tile_alloc,
    ]
}

#[test]
fn every_vello_shader_translates() {
    let mut failures = Vec::new();
    for shader in vello_shaders() {
        let name = &*shader.name;
        let source = Source { name, language: Language::Wgsl, bytes: shader.wgsl.code.as_bytes() };
        let result = to_spirv(&source)
            .and_then(|words| translate(&words, &TranslateOptions::default()))
            .map_err(|e| e.to_string())
            .and_then(|ir| verify(&ir).map(|()| ir.func.num_insts()).map_err(|e| e.to_string()));
        match result {
            Ok(insts) => println!("{name}: {insts} instructions"),
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
