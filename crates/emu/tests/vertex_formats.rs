//! Vertex fetch of every format that the hardware has: against lavapipe where Vulkan has the format, else against a model.

use crestline_emu::{Attribute, AttributeFormat};
use crestline_judges::ask;
use crestline_judges::glslang::Glslang;
use crestline_judges::lavapipe::{
    self, AttributeType, Capture, Captured, DrawJob, Lavapipe, Topology, VertexStage,
};
use fastrand::Rng;
use std::path::{Path, PathBuf};

/// The formats that vertex fetch can read (`surface_formats.tsv`, column `vertex_fetch`), without those whose components
/// have 64 bits and are not converted.
const FORMATS: &[&str] = &[
    "R32G32B32A32_FLOAT",
    "R32G32B32A32_SINT",
    "R32G32B32A32_UINT",
    "R32G32B32A32_UNORM",
    "R32G32B32A32_SNORM",
    "R64G64_FLOAT",
    "R32G32B32A32_SSCALED",
    "R32G32B32A32_USCALED",
    "R32G32B32A32_SFIXED",
    "R32G32B32_FLOAT",
    "R32G32B32_SINT",
    "R32G32B32_UINT",
    "R32G32B32_UNORM",
    "R32G32B32_SNORM",
    "R32G32B32_SSCALED",
    "R32G32B32_USCALED",
    "R32G32B32_SFIXED",
    "R16G16B16A16_UNORM",
    "R16G16B16A16_SNORM",
    "R16G16B16A16_SINT",
    "R16G16B16A16_UINT",
    "R16G16B16A16_FLOAT",
    "R32G32_FLOAT",
    "R32G32_SINT",
    "R32G32_UINT",
    "R32G32_UNORM",
    "R32G32_SNORM",
    "R64_FLOAT",
    "R16G16B16A16_SSCALED",
    "R16G16B16A16_USCALED",
    "R32G32_SSCALED",
    "R32G32_USCALED",
    "R32G32_FLOAT_LD",
    "R32G32_SFIXED",
    "B8G8R8A8_UNORM",
    "R10G10B10A2_UNORM",
    "R10G10B10A2_UINT",
    "R10G10B10_SNORM_A2_UNORM",
    "R8G8B8A8_UNORM",
    "R8G8B8A8_SNORM",
    "R8G8B8A8_SINT",
    "R8G8B8A8_UINT",
    "R16G16_UNORM",
    "R16G16_SNORM",
    "R16G16_SINT",
    "R16G16_UINT",
    "R16G16_FLOAT",
    "B10G10R10A2_UNORM",
    "R11G11B10_FLOAT",
    "R32_SINT",
    "R32_UINT",
    "R32_FLOAT",
    "R32_UNORM",
    "R32_SNORM",
    "R10G10B10X2_USCALED",
    "R8G8B8A8_SSCALED",
    "R8G8B8A8_USCALED",
    "R16G16_SSCALED",
    "R16G16_USCALED",
    "R32_SSCALED",
    "R32_USCALED",
    "R8G8_UNORM",
    "R8G8_SNORM",
    "R8G8_SINT",
    "R8G8_UINT",
    "R16_UNORM",
    "R16_SNORM",
    "R16_SINT",
    "R16_UINT",
    "R16_FLOAT",
    "R8G8_SSCALED",
    "R8G8_USCALED",
    "R16_SSCALED",
    "R16_USCALED",
    "R8_UNORM",
    "R8_SNORM",
    "R8_SINT",
    "R8_UINT",
    "R8_SSCALED",
    "R8_USCALED",
    "R8G8B8_UNORM",
    "R8G8B8_SNORM",
    "R8G8B8_SSCALED",
    "R8G8B8_USCALED",
    "R64G64B64A64_FLOAT",
    "R64G64B64_FLOAT",
    "R16G16B16_FLOAT",
    "R16G16B16_UNORM",
    "R16G16B16_SNORM",
    "R16G16B16_SSCALED",
    "R16G16B16_USCALED",
    "R16G16B16_UINT",
    "R16G16B16_SINT",
    "R32_SFIXED",
    "R10G10B10A2_SNORM",
    "R10G10B10A2_USCALED",
    "R10G10B10A2_SSCALED",
    "R10G10B10A2_SINT",
    "B10G10R10A2_SNORM",
    "B10G10R10A2_USCALED",
    "B10G10R10A2_SSCALED",
    "B10G10R10A2_UINT",
    "B10G10R10A2_SINT",
    "R8G8B8_UINT",
    "R8G8B8_SINT",
];
/// The formats of 64-bit components that are not converted.
const WHOLE: &[&str] =
    &["R64_PASSTHRU", "R64G64_PASSTHRU", "R64G64B64_PASSTHRU", "R64G64B64A64_PASSTHRU"];
/// The formats of Vulkan that lavapipe does not fetch.
const NOT_JUDGED: &[&str] = &["R10G10B10A2_SINT", "B10G10R10A2_SINT"];
/// Number of formats that lavapipe judges.
const JUDGED: usize = 76;
/// Number of vertices.
const COUNT: usize = 64;

/// Random elements. Floats of 16 and 32 bits are numbers: a NaN may become another one.
fn elements(random: &mut Rng, name: &str, bytes: usize) -> Vec<u8> {
    let mut all: Vec<u8> = (0..bytes * COUNT).map(|_| random.u8(..)).collect();
    if name == "R11G11B10_FLOAT" {
        // The exponent of each channel is below the one of infinity.
        for dword in all.chunks_exact_mut(4) {
            let bits = u32::from_le_bytes(dword.try_into().unwrap());
            dword.copy_from_slice(&(bits & !(1 << 10 | 1 << 21 | 1 << 31)).to_le_bytes());
        }
    } else if name.contains("FLOAT") {
        let size = match &name[..3] {
            "R16" => 2,
            "R64" => 8,
            _ => 4,
        };
        for float in all.chunks_exact_mut(size) {
            // The highest bit of the exponent is 0, the lowest is 1, so that the number is finite and not denormal.
            match size {
                2 => float[1] = float[1] & !0x40 | 0x04,
                4 => (float[3], float[2]) = (float[3] & !0x40, float[2] | 0x80),
                _ => float[7] = 0x3f | float[7] & 0x80,
            }
        }
    }
    // The codes at the ends of the range, too.
    all[..bytes].fill(0);
    if !name.contains("FLOAT") {
        all[bytes..2 * bytes].fill(0xff);
        all[2 * bytes..3 * bytes].fill(0x80);
    }
    all
}

/// The type of an attribute that lavapipe fetches.
fn judged(name: &'static str) -> Option<AttributeType> {
    AttributeType::named(name).filter(|_| !NOT_JUDGED.contains(&name))
}

fn fetch(name: &str, bytes: &[u8]) -> Vec<[u32; 8]> {
    let format: AttributeFormat = name.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
    let attribute = Attribute::packed(format, bytes);
    (0..COUNT as u32).map(|element| attribute.fetch(element)).collect()
}

#[test]
fn formats_are_fetched_as_lavapipe_does() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let Some(glslang) = ask(Glslang::find()) else { return };
    let shader = |ty: &str| {
        let text = format!(
            "#version 450\nlayout(location = 0) in {ty} a;\nlayout(location = 0) out {ty} b;\n\
             void main() {{ b = a; }}\n"
        );
        glslang.compile("vert", &text).unwrap()
    };
    let shaders = ["vec4", "uvec4", "ivec4"].map(shader);
    let mut random = Rng::with_seed(30);
    let mut formats = 0;
    let mut wrong = Vec::new();
    for &name in FORMATS {
        let Some(ty) = judged(name) else { continue };
        let shader = match name {
            name if name.ends_with("_UINT") => &shaders[1],
            name if name.ends_with("_SINT") => &shaders[2],
            _ => &shaders[0],
        };
        let mut attribute = lavapipe::Attribute {
            location: 0,
            ty,
            components: 1,
            per_instance: false,
            contents: Vec::new(),
        };
        attribute.contents = elements(&mut random, name, attribute.stride() as usize);
        let found = fetch(name, &attribute.contents);
        let what = Captured::Location { location: 0, component: 0 };
        let job = DrawJob {
            stages: vec![(VertexStage::Vertex, shader)],
            attributes: vec![attribute],
            topology: Topology::Points,
            vertices: COUNT as u32,
            instances: 1,
            first_vertex: 0,
            first_instance: 0,
            push: Vec::new(),
            buffers: Vec::new(),
            addresses: Vec::new(),
            captures: vec![vec![Capture { what, bytes: 16 }]],
            feedback: 0,
            draws: 1,
            views: 0,
        };
        let drawn = lavapipe.draw(&job).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = drawn.streams[0].as_chunks::<4>().0;
        assert_eq!(expected.len(), 4 * COUNT, "{name}");
        for (vertex, (found, expected)) in found.iter().zip(expected.chunks(4)).enumerate() {
            for (found, expected) in found.iter().zip(expected) {
                let expected = u32::from_le_bytes(*expected);
                let [a, b] = [*found, expected].map(f32::from_bits);
                // Lavapipe multiplies by the inverse of the largest code.
                let close = name.contains("NORM") && (a - b).abs() <= 1e-6;
                if *found != expected && !close {
                    wrong.push(format!(
                        "{name}, vertex {vertex}: {found:#x} ({a}), expected {expected:#x} ({b})"
                    ));
                }
            }
        }
        formats += 1;
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(formats, JUDGED);
}

/// What a format's name says about its components, in the order of memory: the letter, the bits, and the kind.
fn components(name: &str) -> Vec<(char, u32, String)> {
    let name = name.trim_end_matches("_LD");
    let mut words = name.split('_').peekable();
    let mut all = Vec::new();
    while let (Some(group), Some(kind)) = (words.next(), words.next()) {
        let letters: Vec<usize> =
            group.match_indices(char::is_alphabetic).map(|(i, _)| i).collect();
        for (n, &start) in letters.iter().enumerate() {
            let end = letters.get(n + 1).copied().unwrap_or(group.len());
            let letter = group[start..].chars().next().unwrap();
            all.push((letter, group[start + 1..end].parse().unwrap(), kind.to_owned()));
        }
    }
    all
}

/// The formats that Vulkan lacks, one bit after another.
#[test]
fn formats_without_a_judge_are_those_of_a_model() {
    let mut random = Rng::with_seed(31);
    let mut modelled = 0;
    for &name in FORMATS {
        if judged(name).is_some() {
            continue;
        }
        let parts = components(name);
        let bits: u32 = parts.iter().map(|(_, bits, _)| bits).sum();
        let bytes = elements(&mut random, name, bits as usize / 8);
        let found = fetch(name, &bytes);
        for (element, found) in bytes.chunks(bits as usize / 8).zip(found) {
            let mut expected = [0.0, 0.0, 0.0, 1.0];
            let mut first = 0;
            for (letter, bits, kind) in &parts {
                let bit =
                    |i: u32| u64::from(element[(first + i) as usize / 8] >> ((first + i) % 8) & 1);
                let code = (0..*bits).map(|i| bit(i) << i).sum::<u64>();
                let signed = (code << (64 - bits)).cast_signed() >> (64 - bits);
                let most = (1u128 << (bits - 1)) as f64 - 1.0;
                let value = match kind.as_str() {
                    "FLOAT" if *bits == 64 => f64::from_bits(code),
                    "FLOAT" => f64::from(f32::from_bits(code as u32)),
                    "UNORM" => code as f64 / ((1u128 << bits) as f64 - 1.0),
                    "SNORM" => (signed as f64 / most).max(-1.0),
                    "USCALED" => code as f64,
                    "SSCALED" | "SINT" => signed as f64,
                    "SFIXED" => signed as f64 / 65536.0,
                    other => panic!("{other}"),
                };
                if let Some(place) = "RGBA".find(*letter) {
                    expected[place] = value;
                }
                first += bits;
            }
            for (found, expected) in found.iter().zip(expected) {
                let found = match name.ends_with("_SINT") {
                    true => f64::from(found.cast_signed()) as f32,
                    false => f32::from_bits(*found),
                };
                assert_eq!(found, expected as f32, "{name}");
            }
            assert_eq!(found[4..], [0; 4]);
        }
        modelled += 1;
    }
    assert_eq!(modelled, FORMATS.len() - JUDGED);
}

#[test]
fn components_of_64_bits_are_not_converted() {
    let bytes: Vec<u8> = (0..64).collect();
    for (count, name) in (1..).zip(WHOLE) {
        let attribute = Attribute::packed(name.parse().unwrap(), &bytes);
        let expected: Vec<u32> = (bytes[8 * count..16 * count].as_chunks::<4>().0.iter())
            .map(|dword| u32::from_le_bytes(*dword))
            .collect();
        let found = attribute.fetch(1);
        assert_eq!(found[..2 * count], expected);
        assert!(found[2 * count..].iter().all(|dword| *dword == 0));
    }
}

/// The lists here are those of the hardware tables beside the oracle pack.
#[test]
fn no_format_is_missing() {
    let shared = std::env::var_os("CRESTLINE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let Ok(table) = std::fs::read_to_string(shared.join("hw/surface_formats.tsv")) else {
        println!("skipped: there is no table of formats");
        return;
    };
    let mut rows = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t'));
    let column = rows.next().unwrap().position(|name| name == "vertex_fetch").unwrap();
    let mut fetched = 0;
    for mut row in rows {
        let (name, support) = (row.next().unwrap(), row.nth(column - 1).unwrap());
        assert_eq!(
            support != "-",
            FORMATS.contains(&name) || WHOLE.contains(&name),
            "{name}: {support}"
        );
        if FORMATS.contains(&name) {
            let format: AttributeFormat = name.parse().unwrap();
            assert_eq!(support == "75", !format.is_on_all_devices(), "{name}: {support}");
        }
        fetched += usize::from(support != "-");
    }
    assert_eq!(fetched, FORMATS.len() + WHOLE.len());
}
