//! Analyses of machine code: pressure, paths, hostile code, and programs of other compilers.

use crestline_analysis::{
    Analysis, AnalysisError, Document, Input, MAX_INSTRUCTIONS, Measurement, TextOptions, analyze,
    csv, text,
};
use crestline_device::{Device, Platform};
use crestline_isa::{encode_program, text as isa_text};
use crestline_judges::oracle::{Compiler, Oracle};

const ALL_PLATFORMS: [Platform; 8] = [
    Platform::I965,
    Platform::Snb,
    Platform::Ivb,
    Platform::Hsw,
    Platform::Bdw,
    Platform::Skl,
    Platform::Icl,
    Platform::Tgl,
];

fn assemble(code: &str) -> Vec<u8> {
    let generation = Platform::Skl.generation();
    let insts = isa_text::parse_program(code, generation, isa_text::Syntax::Mesa).expect("text");
    encode_program(&insts, generation).expect("instructions")
}

fn of(code: &str) -> Analysis {
    let bytes = assemble(code);
    analyze(&Input::new("a", &bytes, &Device::new(Platform::Skl))).expect("an analysis")
}

fn pressure(analysis: &Analysis) -> Vec<u32> {
    analysis.instructions.iter().map(|inst| inst.pressure).collect()
}

#[test]
fn a_register_is_in_use_from_its_write_to_its_last_read() {
    let analysis = of("mov(8) g2<1>F g1<8,8,1>F { align1 1Q };\n\
        mov(8) g3<1>F g1<8,8,1>F { align1 1Q };\n\
        add(8) g4<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };\n\
        mov(8) g5<1>F g4<8,8,1>F { align1 1Q };");
    // g1 and g2; g1 to g3; g2 to g4; g4 and g5, which nothing reads.
    assert_eq!(pressure(&analysis), [2, 3, 3, 2]);
    let peak = analysis.registers.peak.expect("a peak");
    assert_eq!((peak.registers, peak.at.offset), (3, 16));
    let payload = &peak.values[0];
    assert_eq!((payload.first, payload.registers, &payload.written), (1, 1, &None));
}

#[test]
fn scalars_in_one_register_are_one_register() {
    let analysis = of("mov(1) g2<1>F g1<0,1,0>F { align1 WE_all 1N };\n\
        mov(1) g2.1<1>F g1.1<0,1,0>F { align1 WE_all 1N };\n\
        add(8) g3<1>F g2<0,1,0>F g2.1<0,1,0>F { align1 1Q };");
    assert_eq!(pressure(&analysis), [2, 2, 2]);
}

#[test]
fn values_of_the_second_side_of_a_branch_are_live_in_the_first() {
    let analysis = of("(+f0.0) if(8) JIP: L0 UIP: L1 { align1 1Q };\n\
        mov(8) g10<1>F g1<8,8,1>F { align1 1Q };\n\
        L0:\nelse(8) JIP: L1 UIP: L1 { align1 1Q };\n\
        mov(8) g10<1>F g2<8,8,1>F { align1 1Q };\n\
        L1:\nendif(8) JIP: L2 { align1 1Q };\n\
        L2:\nmov(8) g11<1>F g10<8,8,1>F { align1 1Q };");
    // g1, g2 and g10 in the first side.
    assert_eq!(analysis.instructions[1].pressure, 3);
}

#[test]
fn paths_and_loops() {
    let code = "mov(8) g2<1>F g1<8,8,1>F { align1 1Q };\n\
        L0:\nadd(8) g2<1>F g2<8,8,1>F g1<8,8,1>F { align1 1Q };\n\
        (+f0.0) while(8) JIP: L0 { align1 1Q };\n\
        mov(8) g3<1>F g2<8,8,1>F { align1 1Q };";
    let analysis = of(code);
    assert_eq!(analysis.loops.len(), 1);
    assert_eq!(analysis.loops[0].trips, 10.0);
    let cycles = analysis.cycles;
    assert!(cycles.shortest_path < cycles.longest_path);
    assert_eq!(cycles.longest_path, cycles.thread);
    let bytes = assemble(code);
    let device = Device::new(Platform::Skl);
    let mut input = Input::new("a", &bytes, &device);
    let executions = [2, 14, 14, 2];
    input.measured = Some(Measurement { threads: 2, executions: &executions, accessed: &[] });
    let measured = analyze(&input).expect("an analysis");
    assert_eq!(measured.loops[0].trips, 7.0);
    assert_eq!(measured.measured.expect("a run").instructions, 32);
    assert!(measured.cycles.thread < cycles.thread && !measured.cycles.is_assumed);
}

/// Checks what holds for every analysis.
fn check(analysis: &Analysis) {
    let code = &analysis.code;
    let kinds: u64 = analysis.kinds.iter().map(|kind| kind.instructions).sum();
    assert_eq!(kinds, code.instructions);
    assert_eq!(analysis.instructions.len() as u64, code.instructions);
    let blocks: u64 = analysis.blocks.iter().map(|block| block.cost.instructions).sum();
    assert_eq!(blocks, code.instructions);
    assert!(analysis.cycles.shortest_path <= analysis.cycles.longest_path);
    if let Some(peak) = &analysis.registers.peak {
        assert!(peak.registers <= 128);
        assert_eq!(peak.values.iter().map(|value| value.registers).sum::<u32>(), peak.registers);
    }
    let document = Document::new(vec![analysis.clone()]);
    let json = serde_json::to_string(&document).expect("JSON");
    assert_eq!(serde_json::from_str::<Document>(&json).expect("a report"), document);
    assert!(!text(analysis, TextOptions { rows: 3, instructions: true }).is_empty());
    assert_eq!(csv(std::slice::from_ref(analysis)).lines().count(), 2);
}

#[test]
fn random_bytes_get_an_analysis_or_an_error() {
    let mut random = fastrand::Rng::with_seed(21);
    for round in 0..600 {
        let platform = ALL_PLATFORMS[round % ALL_PLATFORMS.len()];
        let device = Device::new(platform);
        let mut bytes = vec![0; random.usize(0..800)];
        random.fill(&mut bytes);
        // A valid operation in most instructions, so that they decode.
        let operations = [0x01, 0x05, 0x22, 0x24, 0x25, 0x27, 0x28, 0x20, 0x31, 0x33, 0x40, 0x5b];
        for inst in bytes.chunks_mut(16).filter(|_| round % 3 != 0) {
            inst[0] = operations[random.usize(0..operations.len())];
            if let Some(byte) = inst.get_mut(3) {
                *byte &= 0xdf;
            }
        }
        match analyze(&Input::new("random", &bytes, &device)) {
            Ok(analysis) => check(&analysis),
            Err(AnalysisError::Undecodable { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn code_that_is_too_long_is_an_error() {
    let bytes = assemble("nop ;").repeat(MAX_INSTRUCTIONS + 1);
    let device = Device::new(Platform::Skl);
    let error = analyze(&Input::new("long", &bytes, &device)).unwrap_err();
    assert_eq!(error, AnalysisError::TooLong { found: MAX_INSTRUCTIONS + 1 });
    let mut input = Input::new("short", &bytes[..32], &device);
    input.part = 48..64;
    assert_eq!(analyze(&input), Err(AnalysisError::NoEntry { entry: 48, length: 32 }));
}

/// Loops inside loops, as deep as the code is long: the time is linear, and numbers saturate.
#[test]
fn deep_loops_end() {
    let depth = 2000;
    let mut code = String::new();
    for n in 0..depth {
        code.push_str(&format!("L{n}:\nadd(8) g2<1>F g2<8,8,1>F g1<8,8,1>F {{ align1 1Q }};\n"));
    }
    for n in (0..depth).rev() {
        code.push_str(&format!("(+f0.0) while(8) JIP: L{n} {{ align1 1Q }};\n"));
    }
    let analysis = of(&code);
    assert_eq!(analysis.cycles.thread, u64::MAX);
    check(&analysis);
}

#[test]
fn programs_of_other_compilers_have_analyses() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let mut count = 0;
    for compiler in [Compiler::Mesa, Compiler::Igc] {
        for case in oracle.cases(compiler).expect("the pack is readable") {
            for name in &case.variants {
                let target = name.split('.').next().unwrap_or_default();
                let Ok(platform) = target.parse::<Platform>() else { continue };
                let Ok(variant) = case.variant(name) else { continue };
                let device = Device::new(platform);
                let bytes = variant.code;
                let analysis = analyze(&Input::new(name, &bytes, &device)).expect("an analysis");
                assert_eq!(analysis.code.undecoded, 0, "{name}");
                check(&analysis);
                count += 1;
            }
        }
    }
    println!("{count} programs");
    assert!(count > 100, "{count} programs");
}
