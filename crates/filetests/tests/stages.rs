//! Runs every draw call of `tests/stages/` on every engine: the results must be those of lavapipe.

use crestline::Simd;
use crestline_device::{Device, Gen};
use crestline_filetests::data::Random;
use crestline_filetests::stages::{
    self, DrawCase, Engine, Expected, MODES, StageEmulator, StageInterpreter, StageTest, mode_name,
};
use crestline_filetests::stages_page::{self, Outcome, Row};
use crestline_frontend::{TranslateOptions, spirv_words, translate};
use crestline_isa::message::{Descriptor, Message};
use crestline_isa::{DescSrc, Inst, Sfid, decode_program};
use crestline_judges::ask;
use crestline_judges::lavapipe::{
    Attribute, AttributeType, Buffer, BufferKind, Lavapipe, Topology, VertexStage,
};
use crestline_judges::oracle::vec4::{CaseAttribute, StageCase, StageData};
use crestline_judges::oracle::{CaseResource, Oracle};
use crestline_program::Varying;
use crestline_ssa::interp::Primitive;
use crestline_ssa::ir::{IoSlot, StageInfo, TessDomain, TessSpacing};
use crestline_ssa::passes;
use crestline_ssa::verify::verify;

fn tests(lavapipe: &Lavapipe) -> Vec<(StageTest, Expected)> {
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    let expected = |test: StageTest| {
        let expected = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        let mut streams = expected.drawn.streams.iter();
        let mut buffers = test.case.resources.buffers.iter().zip(&expected.drawn.buffers);
        let drawn = streams.any(|s| !s.is_empty())
            || !test.case.views.is_empty() && buffers.any(|(before, now)| before.contents != *now);
        assert!(drawn, "{}: nothing is drawn", test.name);
        (test, expected)
    };
    tests.into_iter().map(expected).collect()
}

fn report(what: &str, failures: &[String]) {
    assert!(failures.is_empty(), "{what}: {} failures\n{}", failures.len(), failures.join("\n"));
}

/// Runs a test on an engine; the failures, one line each.
fn check(test: &StageTest, engine: &mut dyn stages::Engine, expected: &Expected) -> Vec<String> {
    let wrong = match stages::run(test, engine, expected) {
        Ok(found) => test.differences(&found, &expected.drawn),
        Err(error) => vec![error],
    };
    let name = engine.name();
    wrong.into_iter().map(|text| format!("{} on {name}: {text}", test.name)).collect()
}

#[test]
fn the_interpreter_agrees_with_lavapipe_before_and_after_all_passes() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let mut failures = Vec::new();
    for (test, expected) in tests(lavapipe) {
        let plain = StageInterpreter::new(&test, "ssa", |_| {});
        let passed = StageInterpreter::new(&test, "ssa after passes", |shader| {
            passes::optimize(shader, &passes::Options::default(), &mut |_, _| {}).unwrap();
        });
        for engine in [plain, passed] {
            match engine {
                Ok(mut engine) => failures.extend(check(&test, &mut engine, &expected)),
                Err(error) => failures.push(format!("{}: {error}", test.name)),
            }
        }
    }
    report("ssa", &failures);
}

#[test]
fn the_emulator_agrees_with_lavapipe() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let (mut failures, mut rows) = (Vec::new(), Vec::new());
    for (test, expected) in tests(lavapipe) {
        let feature = format!("`{}`: {}", test.name, test.about);
        let judge = if test.twin.is_some() { "twin" } else { "lavapipe" };
        let mut row = Row { feature, judge: judge.to_owned(), outcomes: Vec::new() };
        for mode in MODES {
            if !test.runs_in(mode) {
                continue;
            }
            let name = format!("{} on {}", test.name, mode_name(mode));
            let found = match StageEmulator::new(&test, mode) {
                Ok(mut engine) => check(&test, &mut engine, &expected),
                Err(error) => vec![format!("{name}: {error}")],
            };
            let result = if found.is_empty() { Ok(()) } else { Err(found.join("; ")) };
            row.outcomes.push(Outcome { platform: mode.0, simd: mode.1, result });
            failures.extend(found);
        }
        rows.push(row);
    }
    report("emulator", &failures);
    if std::env::var_os("CRESTLINE_ONLY").is_none() {
        stages_page::check("stages", &stages_page::table(&rows));
    }
}

/// The dwords of a patch header in which a domain has its outer and its inner levels (docs/metadata.md).
fn header_places(domain: TessDomain) -> (&'static [usize], &'static [usize]) {
    match domain {
        TessDomain::Quads => (&[7, 6, 5, 4], &[3, 2]),
        TessDomain::Triangles => (&[7, 6, 5], &[4]),
        TessDomain::Isolines => (&[6, 7], &[]),
    }
}

/// The levels that the domain uses, outer ones first. If `in_header` is set, they are at the positions of
/// [`header_places`], else in the order of their numbers.
fn levels(patch: &Primitive, domain: TessDomain, in_header: bool) -> Vec<Option<f32>> {
    let slot = |slot| patch.patch.get(&slot).copied().unwrap_or_default();
    let (outer, inner) = (slot(IoSlot::TessLevelOuter), slot(IoSlot::TessLevelInner));
    let (of_outer, of_inner) = header_places(domain);
    let header = [inner, outer].concat();
    let dwords: Vec<Option<u32>> = match in_header {
        true => of_outer.iter().chain(of_inner).map(|&at| header[at]).collect(),
        false => outer[..of_outer.len()].iter().chain(&inner[..of_inner.len()]).copied().collect(),
    };
    dwords.into_iter().map(|dword| dword.map(f32::from_bits)).collect()
}

/// Changes the levels of quads with equal spacing as the PRM of Broadwell says (vol 7, patch header): inner levels of at
/// most 1 become 2 if any level is greater than 1.
fn enlarge_inner_levels(levels: &mut [Option<f32>], domain: TessDomain) {
    if domain == TessDomain::Quads && levels.iter().flatten().any(|&level| level > 1.0) {
        levels[4..].iter_mut().flatten().for_each(|level| {
            if *level <= 1.0 {
                *level = 2.0;
            }
        });
    }
}

#[test]
fn the_tessellator_gets_the_levels_that_the_shader_wrote() {
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    let (mut failures, mut ran) = (Vec::new(), 0);
    for test in tests.iter().filter(|test| test.case.has(VertexStage::TessControl)) {
        let Ok(StageInfo::TessEval(info)) = test.shader(VertexStage::TessEval).map(|s| s.stage)
        else {
            panic!("{}: no evaluation shader", test.name);
        };
        let plain = StageInterpreter::new(test, "ssa", |_| {});
        let written = plain.and_then(|mut engine| stages::patches(test, &mut engine));
        let written = written.unwrap_or_else(|error| panic!("{}: {error}", test.name));
        for mode in MODES {
            ran += 1;
            let found = StageEmulator::new(test, mode)
                .and_then(|mut engine| stages::patches(test, &mut engine));
            let found = match found {
                Ok(found) => found,
                Err(error) => {
                    failures.push(format!("{} on {}: {error}", test.name, mode_name(mode)));
                    continue;
                }
            };
            assert_eq!(found.len(), written.len(), "{}", test.name);
            for (number, (found, written)) in found.iter().zip(&written).enumerate() {
                let mut wanted = levels(written, info.domain, false);
                if info.spacing == TessSpacing::Equal
                    && Device::new(mode.0).needs_larger_quad_levels()
                {
                    enlarge_inner_levels(&mut wanted, info.domain);
                }
                let got = levels(found, info.domain, true);
                let near = wanted.iter().zip(&got).all(|pair| match pair {
                    (Some(wanted), Some(got)) => (wanted - got).abs() <= 1e-5 * wanted.abs(),
                    (wanted, _) => wanted.is_none(),
                });
                if !near {
                    failures.push(format!(
                        "{} on {}: patch {number}: written {wanted:?}, in the header {got:?}",
                        test.name,
                        mode_name(mode)
                    ));
                }
            }
        }
    }
    report("levels", &failures);
    assert!(ran > 0 || std::env::var_os("CRESTLINE_ONLY").is_some());
}

/// The number of messages that release input entries: URB reads that return nothing.
fn releases(code: &[u8], generation: Gen) -> usize {
    let insts = decode_program(code, generation).unwrap_or_else(|error| panic!("{error}"));
    let is_release = |inst: &Inst| {
        let Some(send) = inst.send().filter(|send| send.sfid == Sfid::Urb) else { return false };
        let (DescSrc::Imm(bits), DescSrc::Imm(ex)) = (send.desc, send.ex_desc) else {
            return false;
        };
        let found = Descriptor::decode(generation, send.sfid, bits, ex);
        found.is_ok_and(|found| {
            found.rlen == 0 && matches!(found.message, Message::UrbRead { complete: true, .. })
        })
    };
    insts.iter().filter(|(_, inst)| is_release(inst)).count()
}

/// The hardware frees the entries of a patch's inputs only if the shader releases them (gen7, gen7.5); the emulator does not notice.
#[test]
fn control_shaders_release_their_inputs() {
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    for test in &tests {
        let Some(module) = test.module(VertexStage::TessControl) else { continue };
        let Topology::Patches(vertices) = test.case.topology else { continue };
        for mode in MODES {
            let program = stages::compile_stage(test, VertexStage::TessControl, module, mode);
            let program = program.unwrap_or_else(|error| panic!("{error}"));
            let program = program.unwrap_or_else(|error| panic!("{}: {error}", test.name));
            let device = Device::new(mode.0);
            let expected = match (device.releases_patch_inputs(), test.case.knows_patch) {
                (false, _) => 0,
                (true, true) => vertices.div_ceil(2) as usize,
                // One by one, each on the condition that the patch has so many.
                (true, false) => 32,
            };
            let found = releases(&program.code, device.generation());
            assert_eq!(found, expected, "{} on {}", test.name, mode_name(mode));
        }
    }
}

#[test]
fn a_thread_is_a_subgroup() {
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    for test in tests.iter().filter(|test| test.name == "vs_subgroup") {
        for mode in MODES {
            let mut engine = StageEmulator::new(test, mode).unwrap_or_else(|e| panic!("{e}"));
            let vertices = engine.vertices(&test.case).unwrap_or_else(|e| panic!("{e}"));
            let found: Vec<_> = vertices.iter().map(|v| v[&IoSlot::Location(1)]).collect();
            let size = if mode.1 == Simd::Simd8 { 8 } else { 2 };
            let expected = (0..5).map(|vertex| {
                let own = vertex % size;
                let up_to_own = (2 << own) - 1;
                [own, size, up_to_own, ((1 << size) - 1) & !up_to_own].map(Some)
            });
            assert_eq!(found, expected.collect::<Vec<_>>(), "{}", mode_name(mode));
        }
    }
}

#[test]
fn indices_out_of_range_touch_nothing_else() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let (mut failures, mut ran) = (Vec::new(), 0);
    for (mut test, expected) in tests(lavapipe) {
        let Some(strayed) = test.case.strayed() else { continue };
        test.case = strayed;
        ran += 1;
        for mode in MODES {
            match StageEmulator::new(&test, mode) {
                Ok(mut engine) => failures.extend(check(&test, &mut engine, &expected)),
                Err(error) => {
                    failures.push(format!("{} on {}: {error}", test.name, mode_name(mode)))
                }
            }
        }
    }
    report("indices out of range", &failures);
    assert!(ran > 0 || std::env::var_os("CRESTLINE_ONLY").is_some());
}

/// A vertex shader of the oracle pack as a draw call; `None` if it uses samplers.
fn packs_test(case: &StageCase) -> Option<StageTest> {
    let StageData::Vertex { vertices, attributes, .. } = &case.data else { return None };
    if !case.samplers.is_empty() {
        return None;
    }
    let mut draw = DrawCase::parse("//! draw 1\n//! output 0 = f32\n//@ vertex\n").ok()?;
    draw.vertices = *vertices;
    draw.attributes = attributes.iter().map(attribute).collect::<Option<_>>()?;
    draw.resources.push.clone_from(&case.push_constants);
    draw.resources.buffers = case.resources.iter().map(buffer).collect();
    let bytes = std::fs::read(case.directory.join("shader.spv")).ok()?;
    let modules = vec![(VertexStage::Vertex, spirv_words(&bytes).ok()?)];
    let (name, about) = (case.name.clone(), String::new());
    Some(StageTest { name, about, case: draw, modules, twin: None })
}

fn attribute(of: &CaseAttribute) -> Option<Attribute> {
    let digits = of.format.find(|c: char| c.is_ascii_digit())?;
    let ty = match &of.format[digits..] {
        "32f" => AttributeType::F32,
        "32i" => AttributeType::I32,
        "32ui" => AttributeType::U32,
        "64f" => AttributeType::F64,
        _ => return None,
    };
    let (location, contents) = (of.location, of.contents.clone());
    Some(Attribute { location, ty, components: digits as u32, per_instance: false, contents })
}

fn buffer(of: &CaseResource) -> Buffer {
    let (at, contents) = (of.resource, of.contents.clone());
    let kind = BufferKind::Storage;
    Buffer { set: at.set, binding: at.binding, element: at.element, kind, contents }
}

/// Runs a case in the interpreter and compares its outputs and buffers with those that the pack expects.
fn check_packs(case: &StageCase, test: &StageTest) -> Result<(), String> {
    let StageData::Vertex { outputs, .. } = &case.data else { return Ok(()) };
    let mut engine = StageInterpreter::new(test, "ssa", |_| {})?;
    let vertices = engine.vertices(&test.case)?;
    for output in outputs {
        let (slot, first) = match output.varying {
            Varying::Header => (IoSlot::PointSize, 0),
            Varying::Position => (IoSlot::Position, output.first),
            Varying::ClipDistances { first } => (IoSlot::ClipDistances { first }, output.first),
            Varying::Location { location } => (IoSlot::Location(location), output.first),
            other => return Err(format!("{other}: not expected of a vertex shader")),
        };
        let mut bytes = Vec::new();
        for slots in &vertices {
            let dwords = slots.get(&slot).copied().unwrap_or_default();
            for dword in &dwords[first..first + output.components] {
                bytes.extend(dword.unwrap_or(0).to_le_bytes());
            }
        }
        output.expected.compare(&bytes).map_err(|error| format!("{slot:?}: {error}"))?;
    }
    for (resource, found) in case.resources.iter().zip(engine.buffers(&test.case)?) {
        if let Some(expected) = &resource.expected {
            expected.compare(&found).map_err(|error| format!("{}: {error}", resource.resource))?;
        }
    }
    Ok(())
}

/// Some have attributes of doubles, which lavapipe does not support.
#[test]
fn the_interpreter_gives_what_the_pack_expects_of_vertex_shaders() {
    let Some(oracle) = ask(Oracle::find()) else { return };
    let (mut failures, mut ran) = (Vec::new(), 0);
    for case in oracle.stage_cases().expect("the pack is readable") {
        let Some(test) = packs_test(&case) else { continue };
        ran += 1;
        if let Err(error) = check_packs(&case, &test) {
            failures.push(format!("{}: {error}", case.name));
        }
    }
    report("oracle pack", &failures);
    assert!(ran > 20, "only {ran} vertex shaders");
}

/// Modules with damaged words must give an error, or a shader that is valid IR.
#[test]
fn damaged_modules_give_an_error_or_a_valid_shader() {
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    let (mut total, mut accepted) = (0, 0);
    for (index, test) in tests.iter().enumerate() {
        let mut random = Random::new(index as u64);
        for (stage, module) in &test.modules {
            for _ in 0..60 {
                let mut words = module.clone();
                for _ in 0..1 + random.below(3) {
                    let at = 5 + random.below(words.len() - 5);
                    words[at] = match random.below(4) {
                        0 => words[5 + random.below(words.len() - 5)],
                        1 => random.below(words[3].max(1) as usize) as u32,
                        2 => words[at] ^ 1 << random.below(32),
                        _ => *random.pick(&[0, 1, 2, 3, 7, 31, 32, u32::MAX, 1 << 31]),
                    };
                }
                total += 1;
                if let Ok(shader) = translate(&words, &TranslateOptions::default()) {
                    accepted += 1;
                    let name = &test.name;
                    verify(&shader).unwrap_or_else(|e| panic!("{name}, {stage:?}: {e}\n{shader}"));
                }
            }
        }
    }
    println!("{accepted} of {total} damaged modules accepted");
    assert!(accepted > 0 || total == 0);
}
