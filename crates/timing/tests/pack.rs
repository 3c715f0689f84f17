//! Machine code of the oracle pack: the estimates of Mesa's own analysis, and properties that hold for all code.

use std::path::Path;

use crestline_device::{Device, Platform};
use crestline_isa::compact::{compact_program, expand_program};
use crestline_isa::text::{Syntax, parse_program, print_program};
use crestline_isa::{Inst, decode_program};
use crestline_judges::oracle::{Compiler, Oracle};
use crestline_timing::{Counting, Options, PerUnit, Report, walk, walk_code};

/// The bytes of a file with one instruction in hexadecimal digits on each line.
fn code(path: &Path) -> Vec<u8> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let value = |digit: u8| (digit as char).to_digit(16).expect("a digit") as u8;
    digits.chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}

/// The estimate of a whole file of machine code.
fn report(code: &[u8], platform: Platform, counting: Counting) -> Report {
    let options = Options { counting, ..Options::default() };
    walk_code(code, 0, &Device::new(platform), &options).expect("foreign code decodes")
}

/// Told to count as Mesa does, the model gives the cycles that Mesa gives for its own code, within 5 % for 95 % of the
/// programs.
#[test]
fn mesas_estimates_are_reproduced() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/timing/mesa-pack.tsv");
    let table = std::fs::read_to_string(table).expect("the table of figures");
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    let (mut all, mut close, mut exact) = (0, 0, 0);
    for row in rows {
        let cells: Vec<&str> = row.split('\t').collect();
        let [folder, case, variant, file, cycles] = cells[..] else { panic!("five cells: {row}") };
        let platform = variant.split('.').next().and_then(|name| name.parse().ok());
        let platform: Platform = platform.expect("a variant begins with its platform");
        let path = oracle.root().join("mesa").join(folder).join(case).join(variant).join(file);
        let ours = report(&code(&path), platform, Counting::Mesa).cycles as f64;
        let theirs: f64 = cycles.parse().expect("a number of cycles");
        let error = ours / theirs - 1.0;
        all += 1;
        exact += usize::from(ours == theirs);
        close += usize::from(error.abs() <= 0.05);
        if error.abs() > 0.05 {
            println!("{folder}/{case}/{variant}/{file}: {ours} instead of {theirs}");
        }
    }
    println!("{all} programs: {exact} exact, {close} within 5 %");
    assert!(all > 300 && close * 100 >= all * 95, "{close} of {all} within 5 %");
}

/// The programs of both compilers with their platforms.
fn programs() -> Option<Vec<(String, Platform, Vec<u8>)>> {
    let oracle = crestline_judges::ask(Oracle::find())?;
    let mut found = Vec::new();
    for compiler in [Compiler::Mesa, Compiler::Igc] {
        for case in oracle.cases(compiler).expect("the pack is readable") {
            for name in &case.variants {
                let target = name.split('.').next().unwrap_or_default();
                let target = target.strip_suffix("lp").unwrap_or(target);
                let Ok(platform) = target.parse::<Platform>() else { continue };
                let variant = case.variant(name).expect("the pack is readable");
                found.push((format!("{}/{name}", case.name), platform, variant.code));
            }
        }
    }
    Some(found)
}

/// All prefixes of foreign programs: an instruction more never lowers a sum; and the parts add up to the whole.
#[test]
fn more_code_never_costs_less() {
    let Some(programs) = programs() else { return };
    assert!(programs.len() > 300);
    for (name, platform, code) in &programs {
        let generation = Device::new(*platform).generation();
        let insts = decode_program(code, generation).expect("foreign code decodes");
        let whole = report(code, *platform, Counting::Machine);
        assert_eq!(whole.steps.len(), insts.len(), "{name}");
        let sum: u64 = whole.blocks.iter().map(|block| block.cycles * block.weight).sum();
        assert_eq!(sum, whole.cycles, "{name}");
        assert!(whole.cycles > 0, "{name}");
        assert_eq!(report(code, *platform, Counting::Machine), whole, "{name}");
        // Some of the prefixes, so that the test is short.
        let mut before = 0;
        for (offset, _) in insts.iter().step_by(insts.len().div_ceil(12)) {
            let prefix = report(&code[..*offset], *platform, Counting::Machine);
            assert!(prefix.cycles >= before, "{name} at byte {offset}");
            before = prefix.cycles;
        }
        assert!(whole.cycles >= before, "{name}");
    }
}

/// What a program costs: cycles, the longest chains, busy cycles and instructions by unit.
fn costs(report: &Report) -> (u64, u64, PerUnit<u64>, PerUnit<u64>) {
    (report.cycles, report.chain, report.busy, report.counts)
}

/// The programs of both foreign compilers, from our assembler and from our compaction: the same instructions cost the same, in
/// whatever bytes.
#[test]
fn equal_code_costs_the_same_whoever_made_it() {
    let Some(programs) = programs() else { return };
    let (mut assembled, mut resized) = (0, 0);
    for (name, platform, code) in &programs {
        let device = Device::new(*platform);
        let generation = device.generation();
        let insts = decode_program(code, generation).expect("foreign code decodes");
        let theirs = costs(&report(code, *platform, Counting::Machine));
        let ours = |insts: &[Inst]| {
            let offsets = insts.iter().scan(0, |at, inst| {
                let offset = *at;
                *at += inst.size() as usize;
                Some((offset, inst))
            });
            costs(&walk(offsets, &device, &Options::default()))
        };
        let text = print_program(&insts, generation, Syntax::Mesa);
        if let Ok(again) = parse_program(&text, generation, Syntax::Mesa) {
            assert_eq!(ours(&again), theirs, "{name}, assembled");
            assembled += 1;
        }
        let insts: Vec<Inst> = insts.into_iter().map(|(_, inst)| inst).collect();
        for resize in [expand_program, compact_program] {
            let changed = resize(&insts, generation).expect("branches have targets");
            assert_eq!(ours(&changed), theirs, "{name}, resized");
            resized += 1;
        }
    }
    println!("{assembled} of {} programs assembled, {resized} resized", programs.len());
    assert!(assembled * 10 > programs.len() * 9, "{assembled} of {}", programs.len());
}
