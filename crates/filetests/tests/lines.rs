//! Line tables: each instruction of optimised code has the places of the source that it comes from.

use std::collections::BTreeMap;

use crestline::{Options, Platform, Program, Source, compile_spirv, disassemble};
use crestline_filetests::corpus::run_test_paths;
use crestline_frontend::{Language, to_spirv, to_spirv_with_lines};
use crestline_isa::decode_program;
use crestline_isa::text::Syntax;
use crestline_program::{LineTable, NoPlace};

/// The offset of each instruction of a program, in bytes.
fn offsets(program: &Program, platform: Platform) -> impl Iterator<Item = u32> {
    let insts = decode_program(&program.code, platform.generation()).expect("the code decodes");
    insts.into_iter().map(|(offset, _)| offset as u32)
}

/// The programs of a shader for a platform: from a module with lines, and from one without.
fn programs(name: &str, text: &str, platform: Platform) -> Option<[Program; 2]> {
    let ending = name.rsplit_once('.')?.1;
    let language = Language::from_extension(ending).ok()?;
    let source = Source { name, language, bytes: text.as_bytes() };
    let options = Options::new(platform);
    let with = compile_spirv(&to_spirv_with_lines(&source).ok()?, &options).ok()?;
    let without = compile_spirv(&to_spirv(&source).ok()?, &options).ok()?;
    Some([with, without])
}

/// The table of a program that has one.
fn lines(program: &Program) -> &LineTable {
    program.metadata.lines.as_ref().expect("the program has a line table")
}

/// For all shaders of `tests/run`: lines do not change the code, every place is in the file, and at least 95 % of the
/// instructions that do not exist for a stated reason have a place.
#[test]
fn instructions_have_places() {
    let (mut tested, mut placed, mut unknown) = (0, 0, 0);
    for path in run_test_paths().unwrap() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let platform = if tested % 2 == 0 { Platform::Skl } else { Platform::Ivb };
        let Some([with, without]) = programs(&name, &text, platform) else { continue };
        assert_eq!(with.code, without.code, "{name}: lines change the code");
        assert_eq!(without.metadata.lines, None, "{name}");
        let table = lines(&with);
        assert!(table.files.iter().any(|file| file == &name), "{name}: {:?}", table.files);
        for row in &table.rows {
            for place in &row.places {
                let file = &table.files[place.file as usize];
                assert!(
                    file != &name || place.line as usize <= text.lines().count(),
                    "{name}: {place:?}"
                );
            }
        }
        for offset in offsets(&with, platform) {
            match table.at(offset).map(|row| row.reason) {
                Some(None) => placed += 1,
                Some(Some(NoPlace::Unknown)) | None => unknown += 1,
                Some(Some(_)) => {}
            }
        }
        tested += 1;
    }
    assert!(tested > 80, "{tested} shaders were compiled");
    assert!(unknown * 20 <= placed, "{unknown} instructions without a place, {placed} with one");
}

/// A shader in which each operation is on a line of its own.
const SHADER: &str = "#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data { float data[]; };
void main() {
    float value = data[gl_LocalInvocationIndex];
    float root = sqrt(value);
    if (root > 3.0)
        root = cos(root);
    data[gl_LocalInvocationIndex] =
        root;
}
";

/// The lines of `SHADER` for the instructions whose text contains `word`.
fn lines_of(program: &Program, word: &str) -> Vec<Vec<u32>> {
    let text = disassemble(&program.code, Platform::Skl, Syntax::Iga).unwrap();
    let insts = text.lines().filter(|line| !line.ends_with(':') && !line.is_empty());
    let table = lines(program);
    insts
        .zip(offsets(program, Platform::Skl))
        .filter(|(inst, _)| inst.contains(word))
        .map(|(_, offset)| {
            let row = table.at(offset).unwrap();
            row.places.iter().map(|place| place.line).collect()
        })
        .collect()
}

#[test]
fn an_operation_has_its_line() {
    let [program, _] = programs("lines.comp", SHADER, Platform::Skl).unwrap();
    assert_eq!(lines_of(&program, "math.sqt"), [[6]]);
    assert_eq!(lines_of(&program, "math.cos"), [[8]]);
    assert_eq!(lines_of(&program, "cmp"), [[7]]);
    let found = lines_of(&program, "send");
    assert_eq!((&found[0], &found[1]), (&vec![5], &vec![9]), "{found:?}");
    assert_eq!(
        lines(&program).at(program.code.len() as u32 - 1).unwrap().reason,
        Some(NoPlace::Setup)
    );
}

/// Two equal expressions are computed once, by instructions that have the lines of both.
#[test]
fn a_merged_instruction_has_both_lines() {
    let text = SHADER.replace("        root;\n", "        root\n        + sqrt(value);\n");
    let [program, _] = programs("lines.comp", &text, Platform::Skl).unwrap();
    assert_eq!(lines_of(&program, "math.sqt"), [[6, 11]]);
}

/// WGSL and HLSL have lines too.
#[test]
fn other_languages_have_lines() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let value = data[i];
    data[i] =
        sqrt(value);
}";
    let hlsl = "RWStructuredBuffer<float> data : register(u0);
[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) {
    float value = data[i];
    value = sqrt(value);
    data[i] = value;
}";
    let mut found = BTreeMap::new();
    for (name, text) in [("lines.wgsl", wgsl), ("lines.hlsl", hlsl)] {
        let [program, _] = programs(name, text, Platform::Skl).unwrap();
        found.insert(name, lines_of(&program, "math.sqt"));
    }
    // `naga` gives an expression the line of its statement.
    assert_eq!(found["lines.wgsl"], [[5]]);
    assert_eq!(found["lines.hlsl"], [[5]]);
}
