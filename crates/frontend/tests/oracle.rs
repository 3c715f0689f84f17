//! Tests the oracle pack's compute shaders, which were written for other compilers: they translate, verify, and compute
//! the results in the interpreter that the pack expects, before and after all passes.

use std::path::{Path, PathBuf};

use crestline_device::{Filter, Sampler, SurfaceFormat};
use crestline_frontend::{TranslateOptions, spirv_words, translate};
use crestline_ssa::interp::{self, BufferKey, Image, Resources};
use crestline_ssa::ir::Shader;
use crestline_ssa::passes;
use crestline_ssa::verify::verify;
use serde_json::Value;

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

fn read(path: PathBuf) -> Vec<u8> {
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn every_shader_of_the_pack_computes_what_it_should() {
    let Some(cases) = cases() else {
        println!("skipped: no oracle pack");
        return;
    };
    let mut failures = Vec::new();
    for dir in cases {
        let name = dir.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let words = spirv_words(&read(dir.join("shader.spv"))).expect("whole words");
        let result = translate(&words, &TranslateOptions::default());
        let mut shader = match result {
            Ok(shader) => shader,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        if let Err(error) = check(&dir, &shader) {
            failures.push(format!("{name}: {error}"));
        }
        let before = shader.func.num_insts();
        passes::optimize(&mut shader, &passes::Options::default(), &mut |_, _| {}).unwrap();
        if let Err(error) = check(&dir, &shader) {
            failures.push(format!("{name} after all passes: {error}"));
        }
        shader.compact();
        println!(
            "{name}: {before} instructions, {} after passes, {} bytes of scratch, {} of constants",
            shader.func.num_insts(),
            shader.scratch_bytes,
            shader.const_data.len(),
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(dir: &Path, shader: &Shader) -> Result<(), String> {
    verify(shader).map_err(|e| e.to_string())?;
    let case: Value =
        serde_json::from_slice(&read(dir.join("case.json"))).map_err(|e| e.to_string())?;
    let mut resources = Resources::default();
    if let Some(file) = case["push_constants"].as_str() {
        resources.push_constants = read(dir.join(file));
    }
    let list = case["resources"].as_array().ok_or("no resources")?;
    for resource in list {
        let size = resource["size"].as_u64().unwrap_or(0) as usize;
        let mut bytes = resource["input"].as_str().map_or_else(Vec::new, |f| read(dir.join(f)));
        bytes.resize(size.max(bytes.len()), 0);
        if resource["kind"] == "sampled_texture" {
            let filter = match case["sampler"]["filter"] == "linear" {
                true => Filter::Linear,
                false => Filter::Nearest,
            };
            resources.samplers.insert(key(resource), Sampler { filter, ..Sampler::default() });
        }
        if resource["kind"] == "storage_image" || resource["kind"] == "sampled_texture" {
            resources.images.insert(key(resource), image(resource, bytes).ok_or("no such image")?);
        } else {
            resources.buffers.insert(key(resource), bytes);
        }
    }
    let dim = |i: usize| case["dispatch"][i].as_u64().unwrap_or(1) as u32;
    let grid = [dim(0), dim(1), dim(2)];
    interp::run(shader, &mut resources, grid, &interp::Options::default())
        .map_err(|e| e.to_string())?;
    for resource in list.iter().filter(|r| r["expected"].is_string()) {
        let expected = read(dir.join(resource["expected"].as_str().unwrap_or_default()));
        let found = match resources.images.get(&key(resource)) {
            Some(image) => &image.bytes,
            None => &resources.buffers[&key(resource)],
        };
        compare(&resource["compare"], &expected, found)
            .map_err(|e| format!("binding {}: {e}", resource["binding"]))?;
    }
    Ok(())
}

/// A two-dimensional image without padding. All images of the pack are of this kind.
fn image(resource: &Value, bytes: Vec<u8>) -> Option<Image> {
    let size = |name: &str| u32::try_from(resource[name].as_u64()?).ok();
    let format = SurfaceFormat::from_glsl(resource["format"].as_str()?)?;
    Some(Image { format, size: [size("width")?, size("height")?, 1], levels: 1, samples: 1, bytes })
}

fn key(resource: &Value) -> BufferKey {
    let number = |name: &str| resource[name].as_u64().unwrap_or(0) as u32;
    BufferKey { set: number("set"), binding: number("binding"), element: number("element") }
}

/// Compares results with the expected ones by the pack's rule.
fn compare(rule: &Value, expected: &[u8], found: &[u8]) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!("{} bytes, expected {}", found.len(), expected.len()));
    }
    let ty = rule["type"].as_str().unwrap_or("u32");
    let width = ty[1..].parse::<usize>().unwrap_or(32) / 8;
    let ignore_zero_sign = rule["ignore_zero_sign"].as_bool().unwrap_or(false);
    let (atol, rtol) = match rule["mode"].as_str() {
        Some("tolerance") => {
            (rule["atol"].as_f64().unwrap_or(0.0), rule["rtol"].as_f64().unwrap_or(0.0))
        }
        _ => (0.0, 0.0),
    };
    for (i, (e, f)) in expected.chunks(width).zip(found.chunks(width)).enumerate() {
        let same = match ty {
            "f32" => close(float32(e), float32(f), atol, rtol),
            "f64" => close(float64(e), float64(f), atol, rtol),
            "u32" if ignore_zero_sign => e == f || (is_zero(e) && is_zero(f)),
            _ => e == f,
        };
        if !same {
            let show =
                |b: &[u8]| if ty == "f32" { float32(b).to_string() } else { format!("{b:02x?}") };
            return Err(format!("element {i}: {} instead of {} ({ty})", show(f), show(e)));
        }
    }
    Ok(())
}

/// Whether the bits are +0.0 or -0.0.
fn is_zero(bytes: &[u8]) -> bool {
    u32::from_le_bytes(bytes.try_into().expect("four bytes")) << 1 == 0
}

fn close(e: f64, f: f64, atol: f64, rtol: f64) -> bool {
    e == f || (e.is_nan() && f.is_nan()) || (e - f).abs() <= atol + rtol * e.abs()
}

fn float32(bytes: &[u8]) -> f64 {
    f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes")))
}

fn float64(bytes: &[u8]) -> f64 {
    f64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}
