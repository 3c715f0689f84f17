//! The validator and the emulator give one verdict: what no rule refuses, the emulator refuses
//! only for what it does not know, and says so with an error of its own.

use crestline_device::Device;
use crestline_emu::{EmuError, Kernel};
use crestline_isa::decode_program;
use crestline_isa::text::{Syntax, print_inst};
use crestline_isa::validate::{Severity, Validator};
use crestline_judges::oracle::vec4::{ShaderStage, StageData};
use crestline_judges::oracle::{Compiler, Oracle};
use crestline_program::Metadata;
use std::collections::BTreeMap;

/// A small generator of numbers, always the same ones.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// The programs of the pack.
fn programs(oracle: &Oracle) -> Vec<(Vec<u8>, Metadata)> {
    let mut programs = Vec::new();
    for compiler in [Compiler::Mesa, Compiler::Igc] {
        for case in oracle.cases(compiler).expect("the pack is readable") {
            for name in &case.variants {
                let variant = case.variant(name).expect("the variant is readable");
                programs.push((variant.code, variant.metadata));
            }
        }
    }
    for case in oracle.stage_cases().expect("the pack is readable") {
        let stages: &[ShaderStage] = match case.data {
            StageData::Vertex { .. } => &[ShaderStage::Vertex],
            StageData::Geometry { .. } => &[ShaderStage::Geometry],
            StageData::Tessellation { .. } => &[ShaderStage::TessControl, ShaderStage::TessEval],
        };
        for variant in &case.variants {
            for stage in stages {
                let shader = case.shader(variant, *stage).expect("the shader is readable");
                programs.push((shader.code, shader.metadata));
            }
        }
    }
    programs
}

#[test]
fn what_no_rule_refuses_the_emulator_loads_or_does_not_know() {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    // More than the usual rounds on demand.
    let rounds = std::env::var("CRESTLINE_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let rounds: usize = rounds.unwrap_or(40);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut accepted, mut refused) = (0, 0);
    let mut disagreements = BTreeMap::<String, (u32, String)>::new();
    let mut unknown = BTreeMap::<String, u32>::new();
    for (original, metadata) in programs(&oracle) {
        let device = Device::new(metadata.platform);
        let generation = device.generation();
        let validator = Validator::new(device);
        for _ in 0..rounds {
            let mut code = original.clone();
            // One instruction changes, by a bit or two: more changes break rules anyway.
            let place = random.below(code.len() / 8) * 8;
            for _ in 0..=random.below(2) {
                let bit = random.below(8 * 16.min(code.len() - place));
                code[place + bit / 8] ^= 1 << (bit % 8);
            }
            // What fills cache lines behind the code is no place to jump to.
            code.resize(code.len() + 16 * random.below(4), 0);
            let Ok(insts) = decode_program(&code, generation) else { continue };
            let findings = validator.check_program(&insts);
            if findings.iter().any(|finding| finding.rule.severity == Severity::Error) {
                refused += 1;
                continue;
            }
            accepted += 1;
            match Kernel::load(&code, metadata.clone(), &device) {
                Err(EmuError::Illegal { instruction, message, .. }) => {
                    let text = print_inst(&insts[instruction].1, generation, Syntax::Mesa);
                    let kind: String = message.chars().filter(|c| !c.is_ascii_digit()).collect();
                    let row = disagreements.entry(kind);
                    row.or_insert((0, format!("{generation}: {text}: {message}"))).0 += 1;
                }
                Err(EmuError::Unsupported { what, .. }) => *unknown.entry(what).or_default() += 1,
                Err(error @ EmuError::Decode { .. }) => panic!("{error}"),
                _ => {}
            }
        }
    }
    println!("{accepted} accepted, {refused} refused; not known to the emulator: {unknown:#?}");
    assert!(accepted > 1000 && refused > 1000, "{accepted} {refused}");
    assert!(disagreements.is_empty(), "{disagreements:#?}");
}
