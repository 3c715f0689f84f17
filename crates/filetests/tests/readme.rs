//! Makes the table "What works" of README.md: for each generation it tests what works. `UPDATE_EXPECT=1` writes the
//! table.

use std::fmt::Write;

use crestline::{Language, Options, Platform, Simd, Source};
use crestline_device::{Device, Gen};
use crestline_emu::Kernel;
use crestline_filetests::pack::runs_as_expected;
use crestline_filetests::repository;
use crestline_isa::text::{Syntax, parse_program, print_program};
use crestline_isa::validate::{Severity, rules};
use crestline_isa::{Inst, decode, encode};
use crestline_judges::oracle::{Compiler, Oracle};
use crestline_testing::golden;

const BEGIN: &str = "<!-- what-works:";
const END: &str = "<!-- /what-works -->";

/// Each generation and the oracle pack's name of a platform of it.
const ROWS: &[(Gen, &str, &[&str])] = &[
    (Gen::Gen4, "", &[]),
    (Gen::Gen45, "", &[]),
    (Gen::Gen5, "", &[]),
    (Gen::Gen6, "", &[]),
    (Gen::Gen7, "Ivy Bridge", &["ivb"]),
    (Gen::Gen75, "Haswell", &["hsw"]),
    (Gen::Gen8, "Broadwell", &["bdw"]),
    (Gen::Gen9, "Skylake", &["skl"]),
    (Gen::Gen11, "Ice Lake", &["icl", "icllp"]),
    (Gen::Gen12, "Tiger Lake", &["tgl", "tgllp"]),
    (Gen::Gen125, "", &[]),
];

/// Whether a few instructions are unchanged after encoding and decoding, and after printing and parsing in a syntax.
fn round_trips(generation: Gen, syntax: Syntax) -> bool {
    let text = match syntax {
        Syntax::Mesa => {
            "add(8) g4<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };\nmov(8) g5<1>D g4<8,8,1>F { align1 1Q };\n"
        }
        Syntax::Iga => {
            "add (8|M0) r4.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f\nmov (8|M0) r5.0<1>:d r4.0<8;8,1>:f\n"
        }
    };
    let Ok(insts) = parse_program(text, generation, syntax) else { return false };
    let coded = |inst: &Inst| {
        let bits = encode(inst, generation).ok()?;
        (decode(bits, generation).ok()? == *inst).then_some(())
    };
    let placed: Vec<(usize, Inst)> =
        insts.iter().cloned().enumerate().map(|(i, inst)| (i * 16, inst)).collect();
    let printed = print_program(&placed, generation, syntax);
    insts.iter().all(|inst| coded(inst).is_some())
        && parse_program(&printed, generation, syntax).as_ref() == Ok(&insts)
}

/// The number of foreign compute programs of the platforms with correct results in the emulator, and their total
/// number.
fn foreign_programs(oracle: &Oracle, names: &[&str]) -> Option<(usize, usize)> {
    let (mut right, mut all) = (0, 0);
    for compiler in [Compiler::Mesa, Compiler::Igc] {
        for case in oracle.cases(compiler).expect("the pack is readable") {
            for name in &case.variants {
                if !names.contains(&name.split('.').next().unwrap_or_default()) {
                    continue;
                }
                all += 1;
                let variant = case.variant(name).expect("the pack is readable");
                let device = Device::new(variant.metadata.platform);
                let kernel = Kernel::load(&variant.code, variant.metadata, &device);
                right += usize::from(kernel.is_ok_and(|k| runs_as_expected(&case, &k).is_ok()));
            }
        }
    }
    (all > 0).then_some((right, all))
}

/// Whether a stage's shader compiles: by itself, where the width is asked for, or not.
fn compiles(generation: Gen, language: Language, text: &str) -> &'static str {
    let source = Source { name: "probe", language, bytes: text.as_bytes() };
    let options = Options::new(Platform::of_generation(generation));
    let asked = options.clone().with_simd(Simd::Simd4x2);
    match (crestline::compile(&source, &options), crestline::compile(&source, &asked)) {
        (Ok(_), _) => "yes",
        (_, Ok(_)) => "`--simd 4x2`",
        _ => "",
    }
}

fn table(oracle: &Oracle) -> String {
    let compute = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }";
    let vertex =
        "@vertex fn main(@location(0) p: vec4<f32>) -> @builtin(position) vec4<f32> { return p; }";
    let fragment =
        "@fragment fn main(@location(0) c: vec4<f32>) -> @location(0) vec4<f32> { return c; }";
    let mark = |works: bool| if works { "yes" } else { "" };
    let mut out = String::from(
        "| generation | `mesa` text | `iga` text | rules (errors, warnings) | emulator: compute programs of other compilers with the expected output | \
         compiler: compute | vertex | fragment |\n| --- | --- | --- | ---: | ---: | --- | --- | --- |\n",
    );
    for (generation, name, packs) in ROWS {
        let count = |severity| {
            rules().filter(|r| r.severity == severity && r.generations.contains(generation)).count()
        };
        let foreign = foreign_programs(oracle, packs)
            .map_or_else(String::new, |(right, all)| format!("{right} of {all}"));
        writeln!(
            out,
            "| {generation} {name} | {} | {} | {}, {} | {foreign} | {} | {} | {} |",
            mark(round_trips(*generation, Syntax::Mesa)),
            mark(*generation >= Gen::Gen75 && round_trips(*generation, Syntax::Iga)),
            count(Severity::Error),
            count(Severity::Warning),
            compiles(*generation, Language::Wgsl, compute),
            compiles(*generation, Language::Wgsl, vertex),
            compiles(*generation, Language::Wgsl, fragment),
        )
        .expect("writing to a string");
    }
    out
}

#[test]
fn the_table_of_what_works_is_true() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let path = repository().join("README.md");
    let readme = std::fs::read_to_string(&path).expect("README.md");
    let begin = readme
        .find(BEGIN)
        .and_then(|at| Some(at + readme[at..].find('\n')? + 1))
        .expect("the table's begin");
    let end = readme.find(END).expect("the table's end");
    let table = table(&oracle);
    golden::check([(path, format!("{}{table}{}", &readme[..begin], &readme[end..]))]);
}
