//! Tests the source languages: reads a shader in each, and runs it in the interpreter.

use crestline_frontend::{
    ErrorCode, Language, OverrideKind, Source, TranslateOptions, assigned_variables, load,
    to_spirv, to_spirv_with_lines, translate, wgsl_overrides,
};
use crestline_ssa::interp::{self, Resources};
use crestline_ssa::ir::Stage;

/// Runs one workgroup on a buffer at set 0 binding 0.
fn run(
    name: &str,
    language: Language,
    text: &str,
    options: &TranslateOptions<'_>,
    words: usize,
) -> Vec<u32> {
    let source = Source { name, language, bytes: text.as_bytes() };
    let shader = load(&source, options).unwrap_or_else(|e| panic!("{e}"));
    let mut resources = Resources::default();
    resources.bind(0, 0, vec![0; words * 4]);
    interp::run(&shader, &mut resources, [1, 1, 1], &interp::Options::default())
        .unwrap_or_else(|e| panic!("{e}"));
    let bytes = resources.buffer(0, 0).expect("the buffer was bound");
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

const OVERRIDES: &str = "
    @id(3) override count: u32 = 5u;
    @id(4) override offset: i32 = -1;
    @id(5) override scale: f32 = 1.5;
    @id(6) override extra: bool = false;
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
        data[i] = count + u32(select(0, 100, extra)) + u32(f32(i) * scale) + bitcast<u32>(offset);
    }";

#[test]
fn wgsl_overrides_keep_their_defaults_or_take_the_values_given() {
    let defaults = TranslateOptions::default();
    assert_eq!(run("o.wgsl", Language::Wgsl, OVERRIDES, &defaults, 4), [4, 5, 7, 8]);
    let spec = [(3, 10), (4, (-2i32) as u32 as u64), (5, 2f32.to_bits().into()), (6, 1)];
    let options = TranslateOptions { spec: &spec, ..defaults };
    assert_eq!(run("o.wgsl", Language::Wgsl, OVERRIDES, &options, 4), [108, 110, 112, 114]);
}

#[test]
fn an_override_that_does_not_exist_is_an_error() {
    let source = Source { name: "o.wgsl", language: Language::Wgsl, bytes: OVERRIDES.as_bytes() };
    let options = TranslateOptions { spec: &[(9, 1)], ..TranslateOptions::default() };
    let error = load(&source, &options).expect_err("there is no @id(9)");
    assert_eq!(error.code, ErrorCode::UnknownSpecId);
}

#[test]
fn shared_memory_of_wgsl_starts_as_zero() {
    let text = "
        var<workgroup> cells: array<u32, 37>;
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
            if i == 0u { cells[36] = 7u; }
            workgroupBarrier();
            data[i] = cells[i] + cells[36];
        }";
    assert_eq!(run("s.wgsl", Language::Wgsl, text, &TranslateOptions::default(), 4), [7; 4]);
}

#[test]
fn glsl_is_read_by_whichever_reader_is_built_in() {
    let text = "#version 450
        layout(local_size_x = 4) in;
        layout(set = 0, binding = 0) buffer Data { uint data[]; };
        void main() {
            uint i = gl_LocalInvocationIndex;
            if (i == 3u) { data[i] = 99u; return; }
            data[i] = i * i + gl_WorkGroupSize.x;
        }";
    let found = run("g.comp", Language::Glsl, text, &TranslateOptions::default(), 4);
    assert_eq!(found, [4, 5, 8, 99]);
}

#[cfg(feature = "glslang")]
#[test]
fn hlsl_is_read_by_glslang() {
    let text = "
        struct Item { uint value; };
        [[vk::binding(0, 0)]] RWStructuredBuffer<Item> data;
        groupshared uint sum;
        [numthreads(4, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID, uint flat : SV_GroupIndex) {
            if (flat == 0) sum = 0;
            GroupMemoryBarrierWithGroupSync();
            InterlockedAdd(sum, id.x);
            GroupMemoryBarrierWithGroupSync();
            data[id.x].value = sum * 10 + id.x;
        }";
    let found = run("h.hlsl", Language::Hlsl, text, &TranslateOptions::default(), 4);
    assert_eq!(found, [60, 61, 62, 63]);
}

/// Errors of the translation name a line and names of the text, not SPIR-V instructions.
#[test]
fn errors_of_the_translation_name_the_line_of_the_text() {
    let text = "@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
fn product(n: u32) -> u32 {
    var result = 1u;
    for (var i = 0u; i < n; i++) {
        result *= numbers[i] + result * 3u - numbers[result] / numbers[i * 2u];
    }
    return result;
}
@compute @workgroup_size(1) fn main() { numbers[0] = product(numbers[1]); }
";
    let options = TranslateOptions { max_insts: 24, ..TranslateOptions::default() };
    let source = Source { name: "p.wgsl", language: Language::Wgsl, bytes: text.as_bytes() };
    let error = load(&source, &options).expect_err("too many instructions");
    assert_eq!(error.code, ErrorCode::Budget);
    assert_eq!(
        (error.position, error.source_position.map(|position| position.line)),
        (None, Some(5)),
        "{error}"
    );
    assert!(error.detail.ends_with("in the function `product`"), "{error}");
    // The module itself has no line numbers: they are only needed for errors.
    let words = to_spirv(&source).expect("it is valid");
    let with_lines = to_spirv_with_lines(&source).expect("it is valid");
    assert!(with_lines.len() > words.len());
    let shader = |words: &[u32]| translate(words, &TranslateOptions::default()).expect("a shader");
    assert_eq!(shader(&words).to_string(), shader(&with_lines).to_string());
}

#[cfg(feature = "glslang")]
#[test]
fn hlsl_has_the_entry_point_and_the_stage_asked_for() {
    let text = "
        RWStructuredBuffer<uint> data : register(u0);
        [numthreads(2, 1, 1)] void first(uint i : SV_GroupIndex) { data[i] = 1; }
        [numthreads(4, 1, 1)] void second(uint i : SV_GroupIndex) { data[i] = 2; }
        float4 vertices(uint i : SV_VertexID) : SV_Position { return i; }";
    for (entry, expected) in [("first", [1, 1, 0, 0]), ("second", [2; 4])] {
        let options = TranslateOptions { entry: Some(entry), ..TranslateOptions::default() };
        assert_eq!(run("h.hlsl", Language::Hlsl, text, &options, 4), expected, "{entry}");
    }
    let source = Source { name: "h.hlsl", language: Language::Hlsl, bytes: text.as_bytes() };
    let options = |entry, stage| TranslateOptions { entry, stage, ..TranslateOptions::default() };
    let vertex = load(&source, &options(Some("vertices"), Some(Stage::Vertex))).expect("compiles");
    assert_eq!(vertex.stage.stage(), Stage::Vertex);
    for entry in [None, Some("third"), Some("fir"), Some("")] {
        let error = load(&source, &options(entry, None)).expect_err("has no such function");
        assert_eq!(error.code, ErrorCode::NoEntryPoint, "{error}");
        assert!(error.detail.contains("\"first\", \"second\", \"vertices\""), "{error}");
    }
}

#[test]
fn glsl_has_the_stage_asked_for_or_that_of_its_pragma() {
    let text = "#version 450\n#pragma shader_stage(vertex)\nvoid main() { gl_Position = vec4(1); }";
    let stage = |text: &str, stage| {
        let source = Source { name: "a.glsl", language: Language::Glsl, bytes: text.as_bytes() };
        let options = TranslateOptions { stage, ..TranslateOptions::default() };
        load(&source, &options).map(|shader| shader.stage.stage())
    };
    assert_eq!(stage(text, None), Ok(Stage::Vertex));
    assert_eq!(stage(&text.replace("#pragma", "//"), Some(Stage::Vertex)), Ok(Stage::Vertex));
    assert!(stage(&text.replace("#pragma", "//"), None).is_err());
    assert!(stage(text, Some(Stage::Compute)).is_err());
}

#[cfg(feature = "glslang")]
#[test]
fn an_input_of_16_bits_is_a_slot_of_32() {
    let text = "#version 450
        #extension GL_EXT_shader_16bit_storage : require
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        layout(location = 0) in f16vec3 position;
        void main() { gl_Position = vec4(position, 1); }";
    let source = Source { name: "small.vert", language: Language::Glsl, bytes: text.as_bytes() };
    let options = TranslateOptions { stage: Some(Stage::Vertex), ..TranslateOptions::default() };
    let shader = load(&source, &options).expect("small inputs");
    assert_eq!(shader.inputs[0].ty.bits(), 32);
}

#[test]
fn a_module_with_several_entry_points_asks_for_one() {
    let text = "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(1) fn b() {}
        @vertex fn v() -> @builtin(position) vec4f { return vec4f(); }
        @vertex fn w() -> @builtin(position) vec4f { return vec4f(); }";
    let source = Source { name: "m.wgsl", language: Language::Wgsl, bytes: text.as_bytes() };
    let found = |entry, stage| {
        let options = TranslateOptions { entry, stage, ..TranslateOptions::default() };
        load(&source, &options).map(|shader| shader.name).map_err(|e| (e.code, e.detail))
    };
    let several = |names: &str| {
        let detail = format!("expected the name or stage of one of 2 entry points, found {names}");
        Err((ErrorCode::ManyEntryPoints, detail))
    };
    assert_eq!(found(None, None), several("GLCompute \"a\", GLCompute \"b\""));
    assert_eq!(found(None, Some(Stage::Vertex)), several("Vertex \"v\", Vertex \"w\""));
    assert_eq!(found(Some("b"), None), Ok("b".into()));
    assert_eq!(found(Some("w"), Some(Stage::Vertex)), Ok("w".into()));
    let one = "@compute @workgroup_size(1) fn a() {}
        @vertex fn v() -> @builtin(position) vec4f { return vec4f(); }";
    let source = Source { name: "m.wgsl", language: Language::Wgsl, bytes: one.as_bytes() };
    let shader = load(&source, &TranslateOptions::default()).expect("has one compute shader");
    assert_eq!(shader.name, "a");
}

#[test]
fn overrides_without_an_id_have_values_by_name() {
    let text = OVERRIDES.replace("@id(3) ", "");
    let options = TranslateOptions {
        spec: &[(4, 0)],
        named_spec: &[("count", 40)],
        ..TranslateOptions::default()
    };
    assert_eq!(run("o.wgsl", Language::Wgsl, &text, &options, 4), [40, 41, 43, 44]);
    let source = Source { name: "o.wgsl", language: Language::Wgsl, bytes: text.as_bytes() };
    let known = wgsl_overrides(&source).expect("parses");
    let known: Vec<(&str, OverrideKind, u32)> =
        known.iter().map(|o| (o.key.as_str(), o.kind, o.bits)).collect();
    let (uint, sint) = (OverrideKind::Uint, OverrideKind::Sint);
    let (float, boolean) = (OverrideKind::Float, OverrideKind::Bool);
    assert_eq!(known, [("count", uint, 32), ("4", sint, 32), ("5", float, 32), ("6", boolean, 1)]);
}

/// The names that reports show for the lines of a shader.
#[test]
fn lines_name_the_variables_that_they_assign() {
    let glsl = "#version 450
        layout(binding = 0) buffer Data { float data[]; };
        void main() {
            float value = data[1]; float other = data[2];
            value = sqrt(value);
            data[0] = value + other;
        }";
    let wgsl = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
        @compute @workgroup_size(1) fn main() {
            let root = sqrt(data[1]);
            var sum = root;
            data[0] = sum;
        }";
    let hlsl = "RWStructuredBuffer<float> data : register(u0);
        [numthreads(1, 1, 1)] void main() {
            float root = sqrt(data[1]);
            data[0] = root;
        }";
    let named = |name: &str, text: &str| -> Vec<(u32, String)> {
        let (_, ending) = name.rsplit_once('.').expect("an extension");
        let language = Language::from_extension(ending).expect("a language");
        let source = Source { name, language, bytes: text.as_bytes() };
        let words = to_spirv_with_lines(&source).expect("compiles");
        let found = assigned_variables(&words).expect("a valid module");
        let found = found.into_iter().filter(|variable| variable.file == name);
        found.map(|variable| (variable.line, variable.name)).collect()
    };
    let pairs = |expected: &[(u32, &str)]| -> Vec<(u32, String)> {
        expected.iter().map(|&(line, name)| (line, name.to_owned())).collect()
    };
    assert_eq!(named("a.comp", glsl), pairs(&[(4, "other"), (4, "value"), (5, "value")]));
    // naga gives the values of `let` no names.
    assert_eq!(named("a.wgsl", wgsl), pairs(&[(4, "sum"), (5, "data")]));
    assert_eq!(named("a.hlsl", hlsl), pairs(&[(3, "root"), (4, "data")]));
}
