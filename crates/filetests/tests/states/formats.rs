//! Vertex formats: the rows of all formats that vertex fetch can read.

use super::{is_since, judge, parse, row};
use crestline::{Platform, Simd};
use crestline_amber::format::Format;
use crestline_amber::script::Script;
use crestline_filetests::scripts::Expected;
use crestline_filetests::stages_page::{Outcome, PLATFORMS, Row};
use crestline_judges::lavapipe::Lavapipe;
use std::path::Path;

/// The kinds of numbers of vertex formats with the types of shader inputs, and the layouts that each kind has.
const KINDS: &[(&str, &str)] = &[
    ("UNORM", "vec4"),
    ("SNORM", "vec4"),
    ("USCALED", "vec4"),
    ("SSCALED", "vec4"),
    ("UINT", "uvec4"),
    ("SINT", "ivec4"),
    ("SFLOAT", "vec4"),
];

/// The vertex formats of Vulkan that vertex fetch can read (`surface_formats.tsv`, column `vertex_fetch`), without doubles, which
/// `tests/stages` tests.
fn vertex_formats() -> Vec<(String, &'static str)> {
    let mut formats = Vec::new();
    for (kind, ty) in KINDS {
        for bits in [8, 16, 32] {
            // Vulkan has no normalized or scaled formats of 32 bits, and no floats of 8 bits.
            let is_missing = match *kind {
                "UINT" | "SINT" => false,
                "SFLOAT" => bits == 8,
                _ => bits == 32,
            };
            for count in (1..=4).filter(|_| !is_missing) {
                let letters = &["R", "G", "B", "A"][..count];
                let channels: String =
                    letters.iter().map(|letter| format!("{letter}{bits}")).collect();
                formats.push((format!("{channels}_{kind}"), *ty));
            }
        }
    }
    let packed = [("B8G8R8A8_UNORM", "vec4"), ("B10G11R11_UFLOAT_PACK32", "vec4")];
    formats.extend(packed.map(|(format, ty)| (format.to_owned(), ty)));
    for letters in ["A2B10G10R10", "A2R10G10B10"] {
        for (kind, ty) in KINDS.iter().filter(|(kind, _)| *kind != "SFLOAT") {
            formats.push((format!("{letters}_{kind}_PACK32"), *ty));
        }
    }
    formats
}

/// The first device that fetches a format (`surface_formats.tsv`; the test `no_format_is_missing` of the emulator compares the
/// emulator's rule with the table).
fn first_with(format: &str) -> Platform {
    let three = ["R8G8B8_UINT", "R8G8B8_SINT", "R16G16B16_UINT", "R16G16B16_SINT"];
    let packed = format.starts_with("A2")
        && !["A2B10G10R10_UNORM_PACK32", "A2B10G10R10_UINT_PACK32"].contains(&format);
    if packed || three.contains(&format) { Platform::Hsw } else { Platform::Ivb }
}

/// The formats that lavapipe does not fetch: each word has signed integers of 10, 10, 10 and 2 bits. The pixel of a vertex must
/// have the integers of its word.
fn judge_signed(rows: &mut Vec<Row>, format: &str, script: Script) -> Vec<String> {
    let (mut outcomes, mut wrong) = (Vec::new(), Vec::new());
    let run = Expected::unjudged(script, Path::new("."));
    let buffer = |name: &str| {
        run.script.buffers.iter().position(|buffer| buffer.name == name).expect("the buffer")
    };
    for platform in PLATFORMS.into_iter().filter(|platform| is_since(*platform, Platform::Hsw)) {
        let simd = Simd::Simd8;
        let result =
            run.emulate(platform, [simd, Simd::Auto]).map_err(|verdict| format!("{verdict:?}"));
        let result = result.and_then(|memory| {
            let dwords = |name| {
                let bytes = memory.buffers[buffer(name)].bytes.as_chunks::<4>().0;
                bytes.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect::<Vec<_>>()
            };
            let expected = dwords("data").into_iter().take(16).flat_map(|word| {
                let field = |first: u32, bits: u32| word << (32 - bits - first) >> (32 - bits);
                let [low, middle, high] = [0, 10, 20].map(|first| field(first, 10));
                let [red, blue] = if format.contains("A2B10") { [low, high] } else { [high, low] };
                [red, middle, blue, field(30, 2)]
            });
            let found = dwords("picture");
            if expected.eq(found.iter().copied()) { Ok(()) } else { Err(format!("{found:?}")) }
        });
        if let Err(text) = &result {
            wrong.push(format!("vertex format `{format}` on {platform}: {text}"));
        }
        outcomes.push(Outcome { platform, simd, result });
    }
    let result = Err("the device has no such vertex format".to_owned());
    outcomes.push(Outcome { platform: Platform::Ivb, simd: Simd::Simd8, result });
    let feature = format!("vertex format `{format}`");
    rows.push(Row { feature, judge: "model".to_owned(), outcomes });
    wrong
}

/// A script that stores what vertex fetch makes of the bytes of 16 vertices.
fn fetch_script(format: &str, ty: &str) -> String {
    let bytes: String =
        (0..256u32).map(|i| format!(" {}", i * 37 % 251 / 2 + i % 3 * 64)).collect();
    format!(
        "#!amber
SHADER vertex fetch_vertex GLSL
#version 450
layout(location = 0) in {ty} value;
layout(location = 0) flat out {ty} copied;
void main() {{
  gl_Position = vec4((float(gl_VertexIndex) + 0.5) / 8.0 - 1.0, 0.0, 0.0, 1.0);
  gl_PointSize = 1.0;
  copied = value;
}}
END
SHADER fragment copy_fragment GLSL
#version 450
layout(location = 0) flat in {ty} copied;
layout(location = 0) out {ty} color;
void main() {{ color = copied; }}
END
BUFFER picture FORMAT R32G32B32A32_{kind}
BUFFER data DATA_TYPE uint8 DATA{bytes} END
PIPELINE graphics test
  ATTACH fetch_vertex
  ATTACH copy_fragment
  FRAMEBUFFER_SIZE 16 1
  VERTEX_DATA data LOCATION 0 FORMAT {format} OFFSET 0 STRIDE {stride}
  BIND BUFFER picture AS color LOCATION 0
END
RUN test DRAW_ARRAY AS POINT_LIST START_IDX 0 COUNT 16
",
        kind = match ty {
            "uvec4" => "UINT",
            "ivec4" => "SINT",
            _ => "SFLOAT",
        },
        stride = Format::parse(format).map_or(16, |format| format.bytes),
    )
}

/// Compares all formats, and adds their rows to the table.
pub(super) fn judge_all(rows: &mut Vec<Row>, lavapipe: &'static Lavapipe) -> Vec<String> {
    let mut wrong = Vec::new();
    for (format, ty) in vertex_formats() {
        let base = parse(&fetch_script(&format, ty));
        if format.starts_with("A2") && format.contains("SINT") {
            wrong.extend(judge_signed(rows, &format, base));
            continue;
        }
        let mut change = row(format!("vertex format `{format}`"), |_| {});
        change.first = first_with(&format);
        wrong.extend(judge(rows, &base, &[change], lavapipe));
    }
    wrong
}
