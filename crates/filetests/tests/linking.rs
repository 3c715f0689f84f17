//! The draw calls of `tests/stages` with linked stages: the interpreter, and the compiled code on the emulator, must give
//! what lavapipe captures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crestline::{
    Input, Job, LinkOptions, LinkStep, Linkage, Options, PipelineError, Program, Simd,
    StageMetadata, compile_all, link,
};
use crestline_filetests::corpus::compile_source;
use crestline_filetests::data::Random;
use crestline_filetests::stages::{
    self, Engine, Expected, MODES, Mode, StageEmulator, StageInterpreter, StageTest, mode_name,
};
use crestline_frontend::{Language, TranslateOptions, spirv_words, translate};
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;
use crestline_ssa::ir::StageInfo;
use crestline_ssa::passes;

/// Runs a test on an engine; the failures, one line each.
fn check<E: Engine>(
    test: &StageTest,
    name: &str,
    engine: Result<E, String>,
    expected: &Expected,
) -> Vec<String> {
    let found = engine.and_then(|mut engine| stages::run(test, &mut engine, expected));
    let wrong = match found {
        Ok(found) => test.differences(&found, &expected.drawn),
        Err(error) => vec![error],
    };
    wrong.into_iter().map(|text| format!("{} on {name}: {text}", test.name)).collect()
}

#[test]
fn linked_stages_give_what_lavapipe_captures() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    let mut failures = Vec::new();
    for test in tests.iter().filter(|test| test.modules.len() > 1) {
        let expected = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        let plain = StageInterpreter::linked(test, "ssa, linked", |_| {});
        failures.extend(check(test, "ssa, linked", plain, &expected));
        let passed = StageInterpreter::linked(test, "ssa, linked, after passes", |shader| {
            passes::optimize(shader, &passes::Options::default(), &mut |_, _| {}).unwrap();
        });
        failures.extend(check(test, "ssa, linked, after passes", passed, &expected));
        for mode in MODES.into_iter().filter(|&mode| test.runs_in(mode)) {
            let engine = StageEmulator::linked(test, mode);
            failures.extend(check(test, &mode_name(mode), engine, &expected));
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// A fragment shader that reads nothing, and one that reads an input.
const FRAGMENTS: [&str; 2] = [
    "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(1.0); }\n",
    "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(gl_PrimitiveID); }\n",
];

/// With a fragment shader, only those outputs stay that transform feedback captures.
#[test]
fn captured_outputs_stay_with_a_fragment_shader() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    let fragments = FRAGMENTS.map(|text| {
        compile_source("t.frag", Language::Glsl, text).unwrap_or_else(|error| panic!("{error}"))
    });
    let mut failures = Vec::new();
    for (at, test) in tests.iter().enumerate() {
        let expected = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        for mode in MODES.into_iter().filter(|&mode| test.runs_in(mode)) {
            let engine = StageEmulator::captured(test, mode, Some(&fragments[at % 2]), None);
            let name = format!("{}, with a fragment shader", mode_name(mode));
            failures.extend(check(test, &name, engine, &expected));
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// The conditions without which a draw call of `tests/stages` gives other results, or is refused. The golden files of
/// `tests/ssa/link` show the others, which concern what interpolation does to a slot.
const CONDITIONS: [LinkStep; 8] = [
    LinkStep::Captured,
    LinkStep::FixedFunctions,
    LinkStep::OwnLoads,
    LinkStep::OpenEnd,
    LinkStep::Indices,
    LinkStep::AllStores,
    LinkStep::Arrays,
    LinkStep::PatchEntry,
];

#[test]
fn a_condition_that_is_left_out_is_found() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    let fragment = compile_source("t.frag", Language::Glsl, FRAGMENTS[0]).expect("a module");
    let mut left: Vec<LinkStep> = CONDITIONS.to_vec();
    for test in &tests {
        if left.is_empty() {
            break;
        }
        let expected = test.expected(lavapipe).unwrap_or_else(|e| panic!("{}: {e}", test.name));
        left.retain(|&step| {
            let mode = MODES[MODES.len() - 1];
            let fails = |fragment| {
                let engine = StageEmulator::captured(test, mode, fragment, Some(step));
                !check(test, "", engine, &expected).is_empty()
            };
            !(fails(None) || fails(Some(&fragment)))
        });
    }
    let all = std::env::var_os("CRESTLINE_ONLY").is_none();
    assert!(left.is_empty() || !all, "no draw call shows that these are needed: {left:?}");
}

/// Pipelines with a damaged module must give an error that is not a defect of the compiler, or programs.
#[test]
fn damaged_modules_give_an_error_or_programs() {
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    let (mut total, mut accepted) = (0, 0);
    for (index, test) in tests.iter().enumerate().filter(|(_, test)| test.modules.len() > 1) {
        let mut random = Random::new(index as u64);
        for (at, _) in test.modules.iter().enumerate() {
            for _ in 0..8 {
                let mut modules: Vec<Vec<u32>> =
                    test.modules.iter().map(|of| of.1.clone()).collect();
                let words = &mut modules[at];
                let place = 5 + random.below(words.len() - 5);
                words[place] = match random.below(4) {
                    0 => words[5 + random.below(words.len() - 5)],
                    1 => random.below(words[3].max(1) as usize) as u32,
                    2 => words[place] ^ 1 << random.below(32),
                    _ => *random.pick(&[0, 1, 2, 3, 7, 31, 32, u32::MAX, 1 << 31]),
                };
                let mode = MODES[(index + at) % MODES.len()];
                let jobs: Vec<Job<'_>> = options(mode, &modules)
                    .into_iter()
                    .zip(&modules)
                    .map(|(options, words)| Job { input: Input::Spirv(words), options })
                    .collect();
                total += 1;
                match link(&jobs, &LinkOptions::default()) {
                    Ok(_) => accepted += 1,
                    Err(error) => assert!(error.code() != "E0999", "{}: {error}", test.name),
                }
            }
        }
    }
    println!("{accepted} of {total} damaged pipelines accepted");
    assert!(accepted > 0 || total == 0);
}

/// What linking saves.
#[derive(Clone, Copy, Default)]
struct Figures {
    pipelines: u32,
    /// Instructions of the stages before the rasterizer, and of fragment shaders at SIMD8; compiled alone, then linked.
    before: [u32; 2],
    fragment: [u32; 2],
    /// Slots of vertices and patches between the stages, and attributes of fragment shaders.
    slots: [u32; 2],
    attributes: [u32; 2],
    /// Bytes of URB entries between the stages.
    bytes: [u32; 2],
}

impl Figures {
    /// Adds the programs of a pipeline, compiled alone (0) or linked (1).
    fn add(&mut self, how: usize, programs: &[&Program]) {
        for (at, program) in programs.iter().enumerate() {
            let counted = program.statistics().map_or(0, |counted| counted.instructions);
            let (slots, bytes) = match &program.metadata.stage {
                StageMetadata::Vertex(of) => (of.outputs.len(), of.entry_bytes),
                StageMetadata::TessControl(of) => {
                    (of.patch_outputs.len() + of.vertex_outputs.len(), of.entry_bytes)
                }
                StageMetadata::TessEval(of) => (of.outputs.len(), of.entry_bytes),
                StageMetadata::Geometry(of) => (of.outputs.len(), of.vertex_bytes),
                StageMetadata::Fragment(of) => {
                    self.attributes[how] += of.attributes.len() as u32;
                    self.fragment[how] += counted;
                    continue;
                }
                _ => continue,
            };
            self.before[how] += counted;
            if at + 1 < programs.len() {
                self.slots[how] += slots as u32;
                self.bytes[how] += bytes;
            }
        }
    }

    /// A row of a table: each figure alone, linked.
    fn row(&self, name: &str) -> String {
        let pair = |[alone, linked]: [u32; 2]| format!("{alone} | {linked}");
        let Figures { pipelines, before, fragment, slots, attributes, bytes } = *self;
        let figures = [before, fragment, slots, bytes, attributes].map(pair);
        format!("| {name} | {pipelines} | {} |", figures.join(" | "))
    }
}

/// Compiles the stages of a pipeline alone and together, and adds the figures. Returns whether all stages compile.
fn measure(jobs: &[Job<'_>], figures: &mut Figures) -> Result<bool, PipelineError> {
    let alone: Option<Vec<Program>> = compile_all(jobs, None).into_iter().map(Result::ok).collect();
    let Some(alone) = alone else { return Ok(false) };
    let linked = link(jobs, &LinkOptions::default())?;
    figures.pipelines += 1;
    figures.add(0, &alone.iter().collect::<Vec<_>>());
    figures.add(1, &linked.stages.iter().map(|of| &of.program).collect::<Vec<_>>());
    Ok(true)
}

/// The modules of a folder whose files have the same name but for the stage, such as `a.vert.spv` and `a.frag.spv`.
fn pipelines(folder: &Path) -> BTreeMap<PathBuf, Vec<Vec<u32>>> {
    let mut found: BTreeMap<PathBuf, [Option<Vec<u32>>; 5]> = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let stem = path.with_extension("");
            let stages = ["vert", "tesc", "tese", "geom", "frag"];
            let stage = stem.extension().and_then(|name| name.to_str());
            let stage = stages.iter().position(|name| Some(*name) == stage);
            let words = std::fs::read(&path).ok().and_then(|bytes| spirv_words(&bytes).ok());
            if let (Some(stage), Some(words)) = (stage, words) {
                found.entry(stem.with_extension("")).or_default()[stage] = Some(words);
            }
        }
    }
    let modules = found.into_iter().map(|(name, modules)| (name, modules.into_iter().flatten()));
    modules.map(|(name, modules)| (name, modules.collect())).collect()
}

/// The options of each stage of a pipeline. Stages that are compiled alone get what linked stages find out about the
/// tessellator, so that only linking differs.
fn options((platform, simd): Mode, modules: &[Vec<u32>]) -> Vec<Options> {
    let infos = modules
        .iter()
        .map(|words| translate(words, &TranslateOptions::default()).map(|shader| shader.stage));
    let infos: Vec<_> = infos.map(Result::ok).collect();
    let mut patch = Linkage { input_vertices: Some(3), ..Linkage::default() };
    let mut output_vertices = Some(3);
    for info in infos.iter().flatten() {
        match info {
            StageInfo::TessControl(of) => output_vertices = Some(of.output_vertices),
            StageInfo::TessEval(of) => {
                (patch.domain, patch.spacing) = (Some(of.domain), Some(of.spacing));
            }
            _ => {}
        }
    }
    let of_stage = |info: &Option<StageInfo>| {
        let (mut simd, mut patch) = (simd, patch);
        match info {
            Some(StageInfo::Fragment(_)) => simd = Simd::Simd8,
            Some(StageInfo::TessEval(_)) => patch.input_vertices = output_vertices,
            _ => {}
        }
        Options { patch, ..Options::new(platform).with_simd(simd) }
    };
    infos.iter().map(of_stage).collect()
}

/// Prints what linking saves, for the pipelines of `tests/stages` or for the SPIR-V modules in the folder
/// `CRESTLINE_LINK`; [`pipelines`] describes their names. Linking must not fail for stages that fit and compile alone.
#[test]
fn linking_saves_code_and_slots() {
    let folder = std::env::var_os("CRESTLINE_LINK");
    let tests = stages::stage_tests().unwrap_or_else(|error| panic!("{error}"));
    let (mut failures, mut unfit) = (Vec::new(), 0);
    for (platform, simd) in MODES {
        let mut figures = Figures::default();
        let mut add = |name: &str, modules: &[Vec<u32>]| {
            let options = options((platform, simd), modules);
            let jobs = options.into_iter().zip(modules);
            let jobs = jobs.map(|(options, words)| Job { input: Input::Spirv(words), options });
            let jobs: Vec<Job<'_>> = jobs.collect();
            match measure(&jobs, &mut figures) {
                Ok(_) => {}
                Err(PipelineError::Interface { error, .. }) if folder.is_some() => {
                    println!("{name} on {platform} {simd}: {error}");
                    unfit += 1;
                }
                Err(error) => failures.push(format!("{name}: {error}")),
            }
        };
        match &folder {
            Some(folder) => {
                for (name, modules) in pipelines(Path::new(folder)) {
                    if modules.len() > 1 {
                        add(&name.to_string_lossy(), &modules);
                    }
                }
            }
            None => {
                for test in tests.iter().filter(|test| test.modules.len() > 1) {
                    let modules: Vec<_> = test.modules.iter().map(|of| of.1.clone()).collect();
                    add(&test.name, &modules);
                }
            }
        }
        println!("{}", figures.row(&mode_name((platform, simd))));
        let Figures { before, slots, bytes, attributes, .. } = figures;
        for [alone, linked] in [before, slots, bytes, attributes] {
            assert!(linked <= alone, "{platform} {simd}: {linked} instead of {alone}");
        }
    }
    println!("stages that do not fit: {unfit}");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
