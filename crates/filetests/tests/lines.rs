//! Line tables: each instruction of optimised code has the places of the source that it comes from.

use std::collections::BTreeMap;

use crestline::{Options, Platform, Program, Simd, Source, compile_spirv, disassemble};
use crestline_filetests::corpus::run_test_paths;
use crestline_filetests::repository;
use crestline_filetests::stages::{compile_stage, extension, stage_tests};
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

/// How many instructions have a place, and how many have neither a place nor a reason to have none.
#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    placed: usize,
    unknown: usize,
}

impl Tally {
    /// Counts the instructions of a program made from a module with lines. `without` is the program from one without. Lines must not
    /// change the code, and every place must be in the file.
    fn add(&mut self, name: &str, text: &str, [with, without]: [&Program; 2], platform: Platform) {
        assert_eq!(with.code, without.code, "{name}: lines change the code");
        assert_eq!(without.metadata.lines, None, "{name}");
        let table = lines(with);
        assert!(table.files.iter().any(|file| file == name), "{name}: {:?}", table.files);
        for row in &table.rows {
            for place in &row.places {
                let file = &table.files[place.file as usize];
                assert!(
                    file != name || place.line as usize <= text.lines().count(),
                    "{name}: {place:?}"
                );
            }
        }
        for offset in offsets(with, platform) {
            match table.at(offset).map(|row| row.reason) {
                Some(None) => self.placed += 1,
                Some(Some(NoPlace::Unknown)) | None => self.unknown += 1,
                Some(Some(_)) => {}
            }
        }
        self.programs += 1;
    }

    /// At least 95 % of the instructions that do not exist for a stated reason have a place.
    fn check(&self, programs: usize) {
        println!("{self:?}");
        assert!(self.programs > programs, "{self:?}");
        assert!(self.unknown * 20 <= self.placed, "{self:?}");
    }
}

#[test]
fn instructions_have_places() {
    let mut tally = Tally::default();
    for path in run_test_paths().unwrap() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let platform = if tally.programs % 2 == 0 { Platform::Skl } else { Platform::Ivb };
        let Some([with, without]) = programs(&name, &text, platform) else { continue };
        tally.add(&name, &text, [&with, &without], platform);
    }
    tally.check(80);
}

#[test]
fn instructions_of_fragment_shaders_have_places() {
    let mut tally = Tally::default();
    let folder = repository().join("tests/fragments");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "frag") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        for platform in [Platform::Skl, Platform::Hsw] {
            let Some([with, without]) = programs(&name, &text, platform) else { continue };
            tally.add(&name, &text, [&with, &without], platform);
        }
    }
    tally.check(100);
}

/// From vertex to geometry, in SIMD4x2 and SIMD8.
#[test]
fn instructions_of_shaders_before_the_rasterizer_have_places() {
    let mut tally = Tally::default();
    for test in stage_tests().unwrap() {
        for (stage, text) in &test.case.shaders {
            let name = format!("{}.{}", test.name, extension(*stage));
            let source = Source { name: &name, language: Language::Glsl, bytes: text.as_bytes() };
            let modules = [to_spirv_with_lines(&source), to_spirv(&source)].map(Result::unwrap);
            for mode in [(Platform::Hsw, Simd::Simd4x2), (Platform::Skl, Simd::Simd8)] {
                let [with, without] =
                    modules.each_ref().map(|words| compile_stage(&test, *stage, words, mode));
                let (Ok(with), Ok(without)) = (with.unwrap(), without.unwrap()) else { continue };
                tally.add(&name, text, [&with, &without], mode.0);
            }
        }
    }
    tally.check(200);
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
