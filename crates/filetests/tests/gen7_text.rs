//! Compares the text of every instruction emitted for Ivy Bridge with that of `intel-gen4disasm`.

use std::collections::BTreeMap;

use crestline::{Options, Simd, compile_spirv};
use crestline_device::{Gen, Platform};
use crestline_filetests::corpus;
use crestline_filetests::engine::{self, Emulator, Failure};
use crestline_filetests::gen7_text::{disagreements, has_doubles, is_known};
use crestline_filetests::stages::{self, compile_stage};
use crestline_isa::{Inst, decode_program, encode};
use crestline_judges::ask;
use crestline_judges::gen4asm::Gen4Asm;

const GENERATION: Gen = Gen::Gen7;

/// Instructions by their bits, each with the name of a test that contains it.
type Found = BTreeMap<u128, (Inst, String)>;

fn add(found: &mut Found, code: &[u8], name: &str) {
    let insts = decode_program(code, GENERATION).expect("our code decodes");
    for (_, inst) in insts.into_iter().filter(|(_, inst)| !has_doubles(inst)) {
        let bits = encode(&inst, GENERATION).expect("what was decoded encodes");
        found.entry(bits).or_insert_with(|| (inst, name.to_owned()));
    }
}

/// Each different instruction of the run tests.
fn emitted() -> Found {
    let mut found = Found::new();
    for test in corpus::run_tests().unwrap_or_else(|error| panic!("{error}")) {
        let shader = engine::shader(&test).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        for emulator in Emulator::all().into_iter().filter(|e| e.platform == Platform::Ivb) {
            if !emulator.suits(&test, &shader) {
                continue;
            }
            let name = format!("{} on {:?}", test.name, emulator.simd);
            let program = match emulator.compile(&test) {
                Ok(program) => program,
                Err(Failure::Limit(_)) => continue,
                Err(error) => panic!("{name}: {error}"),
            };
            add(&mut found, &program.code, &name);
        }
    }
    found
}

/// Each different instruction of the draw calls' stages.
fn emitted_for_stages() -> Found {
    let mut found = Found::new();
    for test in stages::stage_tests().unwrap_or_else(|error| panic!("{error}")) {
        for (stage, words) in &test.modules {
            let name = format!("{}, {stage:?}", test.name);
            let program = compile_stage(&test, *stage, words, (Platform::Ivb, Simd::Simd4x2));
            let program = program.unwrap_or_else(|error| panic!("{name}: {error}"));
            let program = program.unwrap_or_else(|error| panic!("{name}: {error}"));
            add(&mut found, &program.code, &name);
        }
    }
    found
}

/// Each different instruction of the fragment shaders.
fn emitted_for_fragments() -> Found {
    let mut found = Found::new();
    for (name, spirv) in corpus::fragment_shaders().unwrap_or_else(|error| panic!("{error}")) {
        for simd in [Simd::Simd8, Simd::Simd16, Simd::Simd32] {
            // The tests of the pictures know which shaders the device cannot run.
            let options = Options::new(Platform::Ivb).with_simd(simd);
            let Ok(program) = compile_spirv(&spirv, &options) else { continue };
            add(&mut found, &program.code, &format!("{name} at {simd}"));
        }
    }
    found
}

#[test]
fn every_instruction_of_fragment_threads_is_what_gen4disasm_says() {
    judged(&emitted_for_fragments());
}

#[test]
fn every_instruction_for_ivy_bridge_is_what_gen4disasm_says() {
    judged(&emitted());
}

#[test]
fn every_instruction_of_vertex_threads_is_what_gen4disasm_says() {
    judged(&emitted_for_stages());
}

fn judged(all: &Found) {
    let Some(judge) = ask(Gen4Asm::find()) else { return };
    let known: Vec<_> = all.iter().filter(|(_, (inst, _))| is_known(inst)).collect();
    assert!(known.len() * 4 > all.len() * 3, "{} of {} are judged", known.len(), all.len());
    let known: Vec<_> = known.iter().map(|(_, (inst, test))| (inst, test.as_str())).collect();
    let failures = disagreements(&judge, &known);
    let shown = failures[..20.min(failures.len())].join("\n");
    assert!(failures.is_empty(), "{} failures\n{shown}", failures.len());
}
