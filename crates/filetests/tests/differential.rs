//! Runs every run test on every engine: the results must be those of lavapipe. Compares every emitted instruction with
//! the text and encoding of `iga64`.

use crestline::{Options, Simd, compile_spirv};
use crestline_device::{Gen, Platform};
use crestline_emu::MemoryModel;
use crestline_filetests::corpus;
use crestline_filetests::engine::{self, Emulator, Engine, Failure, Interpreter};
use crestline_filetests::stages::{self, compile_stage};
use crestline_isa::{AccessMode, Form, Inst, Src};
use crestline_judges::ask;
use crestline_judges::iga::{Compaction, Iga};
use crestline_judges::lavapipe::Lavapipe;

fn run_tests() -> Vec<corpus::RunTest> {
    corpus::run_tests().unwrap_or_else(|error| panic!("{error}"))
}

fn report(what: &str, failures: &[String]) {
    assert!(failures.is_empty(), "{what}: {} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_interpreter_agrees_with_lavapipe() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let mut failures = Vec::new();
    for test in run_tests() {
        let expected = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        failures.extend(test.failures(&Interpreter, &expected));
    }
    report("ssa", &failures);
}

#[test]
fn the_emulator_agrees_with_lavapipe_on_every_chip_at_every_width() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let mut failures = Vec::new();
    for test in run_tests() {
        let expected = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        let shader = engine::shader(&test).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        let mut ran = 0;
        for emulator in Emulator::all_and(&test.case.also) {
            if emulator.suits(&test, &shader) {
                failures.extend(test.failures(&emulator, &expected));
                ran += 1;
            }
        }
        assert!(ran > 0, "{}: no width suits", test.name);
    }
    report("emulator", &failures);
}

#[test]
fn weak_memory_changes_nothing_on_any_chip() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let seeds = std::env::var("CRESTLINE_SEEDS").ok().and_then(|text| text.parse().ok());
    let seeds: u64 = seeds.unwrap_or(1);
    let mut failures = Vec::new();
    for test in run_tests() {
        let expected = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        let shader = engine::shader(&test).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        // The narrowest width makes the most threads.
        let suits = Emulator::all().into_iter().filter(|emulator| emulator.suits(&test, &shader));
        let mut platforms = Vec::new();
        for mut emulator in suits {
            if platforms.contains(&emulator.platform) {
                continue;
            }
            platforms.push(emulator.platform);
            for seed in 0..seeds {
                emulator.memory = MemoryModel::Weak { seed };
                let found = test.failures(&emulator, &expected);
                failures.extend(found.into_iter().map(|what| format!("seed {seed}: {what}")));
            }
        }
    }
    report("weak memory", &failures);
}

#[test]
fn every_emitted_instruction_is_what_iga64_says() {
    let Some(iga) = ask(Iga::find()) else { return };
    let mut failures = Vec::new();
    for test in run_tests() {
        let shader = engine::shader(&test).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        for emulator in Emulator::all_and(&test.case.also) {
            if !emulator.suits(&test, &shader) {
                continue;
            }
            let platform = judged_as(emulator.platform).name();
            // The judge begins with gen7.5; the one of gen7 has a test of its own.
            if emulator.platform.generation() < Gen::Gen75 {
                continue;
            }
            let result = match emulator.compile(&test) {
                Err(Failure::Limit(_)) => continue,
                Err(Failure::Wrong(error)) => Err(error),
                Ok(program) => check_text(&iga, platform, &program.code),
            };
            if let Err(error) = result {
                failures.push(format!("{} on {}: {error}", test.name, emulator.name()));
            }
        }
    }
    report("iga64", &failures);
}

#[test]
fn every_instruction_of_fragment_shaders_is_what_iga64_says() {
    let Some(iga) = ask(Iga::find()) else { return };
    let (mut failures, mut judged) = (Vec::new(), 0);
    for (name, spirv) in corpus::fragment_shaders().unwrap_or_else(|error| panic!("{error}")) {
        for platform in [Platform::Hsw, Platform::Bdw, Platform::Skl] {
            for simd in [Simd::Simd8, Simd::Simd16, Simd::Simd32] {
                let options = Options::new(platform).with_simd(simd);
                // The tests of the pictures know which shaders a device cannot run.
                let Ok(program) = compile_spirv(&spirv, &options) else { continue };
                judged += 1;
                let result = check_text(&iga, platform.name(), &program.code);
                failures.extend(result.err().map(|e| format!("{name} on {platform} {simd}: {e}")));
            }
        }
    }
    report("iga64", &failures);
    assert!(judged > 250, "{judged} programs");
}

#[test]
fn every_instruction_of_threads_with_eight_vertices_is_what_iga64_says() {
    let Some(iga) = ask(Iga::find()) else { return };
    let (mut failures, mut judged) = (Vec::new(), 0);
    for test in stages::stage_tests().unwrap_or_else(|error| panic!("{error}")) {
        for (stage, words) in &test.modules {
            for platform in [Platform::Bdw, Platform::Skl] {
                let name = format!("{} {stage:?} on {platform}", test.name);
                judged += 1;
                match compile_stage(&test, *stage, words, (platform, Simd::Simd8)) {
                    Ok(Ok(program)) => {
                        let result = check_text(&iga, platform.name(), &program.code);
                        failures.extend(result.err().map(|error| format!("{name}: {error}")));
                    }
                    Ok(Err(error)) => failures.push(format!("{name}: {error}")),
                    Err(error) => failures.push(format!("{name}: {error}")),
                }
            }
        }
    }
    report("iga64", &failures);
    assert!(judged > 200 || std::env::var_os("CRESTLINE_ONLY").is_some(), "{judged} programs");
}

/// The platform with the same encoding that `iga64` supports.
fn judged_as(platform: Platform) -> Platform {
    match platform {
        Platform::Bxt | Platform::Glk => Platform::Skl,
        other => other,
    }
}

/// The instruction in the form that `iga64` prints: it does not print source modifiers of `math` on gen7.5, which other
/// compilers use there.
fn within_sight(inst: &Inst, generation: Gen) -> Inst {
    let mut seen = inst.clone();
    if generation == Gen::Gen75 && inst.math().is_some() {
        for src in &mut seen.srcs {
            if let Src::Reg(reg) = src {
                (reg.negate, reg.abs) = (false, false);
            }
        }
    }
    seen
}

/// Whether `iga64` cannot print the instruction: it reads swizzles of instructions with two sources as regions. Of such
/// instructions, `intel-gen4disasm` judges those for gen7, and the oracle pack has those of another compiler.
fn is_unseen(inst: &Inst) -> bool {
    inst.access_mode == AccessMode::Align16 && inst.opcode.form() != Form::Three
}

/// Checks that our text of each instruction is that of `iga64`, and that `iga64` assembles it to our bytes.
fn check_text(iga: &Iga, platform: &str, code: &[u8]) -> Result<(), String> {
    use crestline_isa::text::{Syntax, print_inst};
    let generation = platform
        .parse::<crestline_device::Platform>()
        .map_err(|error| error.to_string())?
        .generation();
    let ours = crestline_isa::decode_program(code, generation).map_err(|e| e.to_string())?;
    let theirs = iga.disassemble(platform, code).map_err(|e| e.to_string())?;
    if ours.len() != theirs.len() {
        return Err(format!("{} instructions, iga64 sees {}", ours.len(), theirs.len()));
    }
    let mut listing = String::new();
    let mut judged_code = Vec::with_capacity(code.len());
    for ((offset, inst), line) in ours.iter().zip(&theirs) {
        let inst = &within_sight(inst, generation);
        crestline_isa::encode_into(inst, generation, &mut judged_code)
            .map_err(|e| e.to_string())?;
        if is_unseen(inst) {
            listing.push_str(line.text.split("//").next().unwrap_or_default());
            listing.push('\n');
            continue;
        }
        let text = print_inst(inst, generation, Syntax::Iga);
        // Comments that the judge adds explain a message; they are no part of the instruction.
        let judged = line.text.split("//").next().unwrap_or_default().trim();
        if *offset != line.offset as usize || text.trim() != judged {
            return Err(format!("byte {offset:#x}: {text:?}, iga64 says {judged:?}"));
        }
        listing.push_str(&text);
        listing.push('\n');
    }
    let again =
        iga.assemble(platform, &listing, Compaction::AsWritten).map_err(|e| e.to_string())?;
    for ((offset, inst), line) in ours.iter().zip(&theirs) {
        if is_unseen(inst) {
            continue;
        }
        let range = *offset..offset + inst.size() as usize;
        if judged_code.get(range.clone()) != again.get(range.clone()) {
            return Err(format!(
                "byte {offset:#x}: {:?} is {:02x?}, iga64 assembles {:02x?}",
                line.text,
                judged_code.get(range.clone()).unwrap_or_default(),
                again.get(range).unwrap_or_default()
            ));
        }
    }
    Ok(())
}
