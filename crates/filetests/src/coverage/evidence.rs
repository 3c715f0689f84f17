//! The modules of judged tests.
//!
//! Each function lists the modules of one test command, with the generations for which the compiler accepts them. The
//! command itself runs the same modules on the same generations, and fails if a result differs from that of the judge.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crestline::{Options, Platform, Simd, Stage, compile_spirv};
use crestline_amber::run::spirv;
use crestline_device::Device;
use crestline_frontend::Language;
use crestline_judges::lavapipe::VertexStage;

use super::feature::{Feature, features};
use crate::corpus::{self, RunTest, compile_source};
use crate::engine::{self, Emulator};
use crate::fragment_states::CASES;
use crate::scripts::Folder;
use crate::stages::{self, MODES, StageTest, compile_stage};
use crate::stages_page::PLATFORMS;
use crate::subgroups::generate::{Choice, each_of, operations};
use crate::subgroups::{Expr, glsl, graphics};
use crate::transplant::{self, Transplant, assembly, transplant};
use crate::{case::Case, repository};

/// A module of a judged test.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The test: a path in the repository.
    pub test: String,
    /// The judge.
    pub judge: &'static str,
    /// The stage.
    pub stage: Stage,
    /// The devices for which the module compiles.
    pub platforms: BTreeSet<Platform>,
    /// The features of the module.
    pub features: BTreeSet<Feature>,
}

const LAVAPIPE: &str = "lavapipe";
const WIDTHS: [Simd; 3] = [Simd::Simd8, Simd::Simd16, Simd::Simd32];

/// The modules of all test commands.
///
/// # Errors
///
/// The first test that cannot be loaded.
pub fn all() -> Result<Vec<Evidence>, String> {
    let mut all = Vec::new();
    for test in corpus::run_tests()? {
        all.push(of_run_test(&test, &format!("tests/run/{}", test.name))?);
    }
    all.extend(in_other_stages()?);
    all.extend(atomics()?);
    all.extend(draw_calls()?);
    all.extend(fragments()?);
    all.extend(fragment_states()?);
    for folder in ["examples", "tests/amber/modules"] {
        all.extend(scripts(&repository().join(folder), folder)?);
    }
    all.extend(subgroups()?);
    all.extend(subgroups_in_graphics()?);
    Ok(all)
}

/// The devices for which a compilation succeeds.
fn platforms(compiles: impl Fn(Platform) -> bool) -> BTreeSet<Platform> {
    PLATFORMS.into_iter().filter(|platform| compiles(*platform)).collect()
}

/// A run test on the devices and at the widths at which the tests of [`Emulator::all`] run it.
fn of_run_test(test: &RunTest, path: &str) -> Result<Evidence, String> {
    let named = |error: String| format!("{path}: {error}");
    let (stage, features) =
        features(&test.spirv, &test.case.entry, Some(Stage::Compute)).map_err(named)?;
    let shader = engine::shader(test).map_err(named)?;
    let platforms = platforms(|platform| {
        WIDTHS.iter().any(|&simd| {
            let emulator = Emulator::new(platform, simd);
            emulator.suits(test, &shader) && emulator.compile(test).is_ok()
        })
    });
    let judge = judge(test);
    Ok(Evidence { test: path.to_owned(), judge, stage, platforms, features })
}

/// The shaders of `--test other_stages`.
fn in_other_stages() -> Result<Vec<Evidence>, String> {
    let mut all = Vec::new();
    for (test, stage) in
        corpus::run_tests()?.iter().flat_map(|test| transplant::STAGES.map(|stage| (test, stage)))
    {
        let named = format!("tests/run/{}", test.name);
        if let Some((words, count)) = assembly::module(test, stage)? {
            let (stage, features) = features(&words, "main", None)?;
            let platforms = platforms(|platform| match stage {
                Stage::Vertex => {
                    let test = assembly::of_vertices(test, words.clone(), count);
                    let mut modes = MODES.into_iter().filter(|mode| mode.0 == platform);
                    modes.any(|(_, simd)| Emulator::new(platform, simd).compile(&test).is_ok())
                }
                Stage::Fragment => compiles_fragment(test, &words, platform),
                _ => {
                    let draw = assembly::draw_call(test, stage, words.clone(), count);
                    draw.is_ok_and(|draw| compiles_draw_call(&draw, platform))
                }
            });
            let judge = judge(test);
            all.push(Evidence { test: named, judge, stage, platforms, features });
            continue;
        }
        let Some(found) = transplant(test, stage)? else { continue };
        let words = match &found {
            Transplant::Fragment { words, .. } => words,
            Transplant::Draw(draw) => {
                let module = draw.modules.iter().find(|(found, _)| stage_before(*found) == stage);
                &module.ok_or_else(|| format!("{}: no {stage:?} shader", test.name))?.1
            }
        };
        let (stage, features) = features(words, "main", None)?;
        let platforms = platforms(|platform| match &found {
            Transplant::Fragment { words, .. } => compiles_fragment(test, words, platform),
            Transplant::Draw(draw) => compiles_draw_call(draw, platform),
        });
        all.push(Evidence { test: named, judge: judge(test), stage, platforms, features });
    }
    Ok(all)
}

/// The judge of a run test.
fn judge(test: &RunTest) -> &'static str {
    if test.case.judged { LAVAPIPE } else { "expected values" }
}

fn compiles_fragment(test: &RunTest, words: &[u32], platform: Platform) -> bool {
    let compiles =
        |&simd: &Simd| transplant::compile_fragment(test, words, (platform, simd)).is_ok();
    WIDTHS.iter().any(compiles)
}

/// Whether all shaders of a draw call compile in one mode of a device.
fn compiles_draw_call(draw: &StageTest, platform: Platform) -> bool {
    let mut modes = MODES.into_iter().filter(|mode| mode.0 == platform);
    modes.any(|mode| {
        draw.modules
            .iter()
            .all(|(stage, words)| compile_stage(draw, *stage, words, mode).is_ok_and(|r| r.is_ok()))
    })
}

/// The compiler's name of a stage before the fragment shader.
fn stage_before(stage: VertexStage) -> Stage {
    match stage {
        VertexStage::Vertex => Stage::Vertex,
        VertexStage::TessControl => Stage::TessControl,
        VertexStage::TessEval => Stage::TessEval,
        VertexStage::Geometry => Stage::Geometry,
    }
}

/// The shaders of `--test atomics`.
fn atomics() -> Result<Vec<Evidence>, String> {
    let folder = "crates/filetests/tests/atomics";
    let mut all = Vec::new();
    for path in files(&repository().join(folder), &["comp"])? {
        let test = corpus::load(&path).map_err(|error| error.to_string())?;
        let path = format!("{folder}/{}", test.name);
        all.push(of_run_test(&test, &path)?);
        if test.name == "int64_plain.comp"
            && let Some(Transplant::Fragment { words, .. }) = transplant(&test, Stage::Fragment)?
        {
            let (stage, features) = features(&words, "main", None)?;
            let platforms = platforms(|platform| compiles_fragment(&test, &words, platform));
            all.push(Evidence { test: path, judge: LAVAPIPE, stage, platforms, features });
        }
    }
    Ok(all)
}

/// The shaders of `--test stages`.
fn draw_calls() -> Result<Vec<Evidence>, String> {
    let mut all = Vec::new();
    for test in stages::stage_tests()? {
        for (stage, words) in &test.modules {
            let path = format!("tests/stages/{}.glsl", test.name);
            let (stage, words) = (*stage, &words[..]);
            let (found, features) = features(words, "main", None)?;
            let compiles = |platform| {
                let mut modes = MODES.into_iter().filter(|mode| mode.0 == platform);
                modes.any(|mode| {
                    test.runs_in(mode)
                        && compile_stage(&test, stage, words, mode).is_ok_and(|r| r.is_ok())
                })
            };
            let judge = match test.twin {
                Some(_) if stage == VertexStage::Vertex => "twin",
                _ => LAVAPIPE,
            };
            let platforms = platforms(compiles);
            all.push(Evidence { test: path, judge, stage: found, platforms, features });
        }
    }
    Ok(all)
}

/// The shaders of `--test fragments`.
fn fragments() -> Result<Vec<Evidence>, String> {
    let folder = repository().join("tests/fragments");
    let mut all = Vec::new();
    for path in files(&folder, &["frag", "vert"])? {
        let text = read(&path)?;
        let name = name(&path);
        let words = compile_source(&name, Language::Glsl, &text)?;
        let (stage, features) = features(&words, "main", None)?;
        let says = |line: &str| text.lines().any(|found| found == line);
        let compiles = |platform| {
            WIDTHS.iter().any(|&simd| {
                let mut options = Options::new(platform).with_simd(simd);
                if stage != Stage::Fragment {
                    options = Options::new(platform);
                }
                if says("//! samples") && !Device::new(platform).has_sample_ids_in_payload() {
                    options.samples = Some(4);
                }
                compile_spirv(&words, &options).is_ok()
            })
        };
        let judge = if says("//! twin") { "twin" } else { LAVAPIPE };
        let (test, platforms) = (format!("tests/fragments/{name}"), platforms(compiles));
        all.push(Evidence { test, judge, stage, platforms, features });
    }
    Ok(all)
}

/// The shaders of `--test fragment_states`.
fn fragment_states() -> Result<Vec<Evidence>, String> {
    let mut all = Vec::new();
    for case in CASES {
        let words = compile_source("t.frag", Language::Glsl, &case.source())?;
        let (stage, features) = features(&words, "main", None)?;
        let platforms =
            platforms(|platform| compile_spirv(&words, &Options::new(platform)).is_ok());
        let test = "crates/filetests/tests/fragment_states.rs".to_owned();
        all.push(Evidence { test, judge: LAVAPIPE, stage, platforms, features });
    }
    Ok(all)
}

/// The shaders of the scripts of a folder that `--test scripts` compares on every device.
fn scripts(folder: &Path, shown: &str) -> Result<Vec<Evidence>, String> {
    let mut all = Vec::new();
    for path in files(folder, &["amber"])? {
        let test = format!("{shown}/{}", name(&path));
        let script = crestline_amber::parse(&read(&path)?)
            .map_err(|error| format!("{test}: line {}: {error}", error.place.line))?;
        let host = Folder { path: folder.to_owned() };
        let attached = script
            .pipelines
            .iter()
            .flat_map(|pipeline| pipeline.shaders.iter().map(move |shader| (pipeline, shader)));
        for (pipeline, attached) in attached {
            let words = spirv(&script, &host, attached).map_err(|e| format!("{test}: {e}"))?;
            let (stage, features) = features(&words, &attached.entry, stage_of(attached.stage))
                .map_err(|error| format!("{test}: {error}"))?;
            let compiles = |platform| {
                let mut options = Options::new(platform);
                options.entry = Some(attached.entry.clone());
                options.stage = Some(stage);
                options.specialization.clone_from(&attached.specialization);
                for binding in &pipeline.bindings {
                    let count = binding.elements.len() as u32;
                    options.descriptor_counts.insert((binding.set, binding.binding), count);
                }
                if stage == Stage::TessControl {
                    options.patch.input_vertices = Some(pipeline.patch_points);
                }
                compile_spirv(&words, &options).is_ok()
            };
            let (test, platforms) = (test.clone(), platforms(compiles));
            all.push(Evidence { test, judge: LAVAPIPE, stage, platforms, features });
        }
    }
    Ok(all)
}

/// The compiler's name of a stage; `None` for modules with several stages.
fn stage_of(stage: crestline_amber::script::Stage) -> Option<Stage> {
    use crestline_amber::script::Stage as S;
    Some(match stage {
        S::Vertex => Stage::Vertex,
        S::TessControl => Stage::TessControl,
        S::TessEval => Stage::TessEval,
        S::Geometry => Stage::Geometry,
        S::Fragment => Stage::Fragment,
        S::Compute => Stage::Compute,
        S::Multi => return None,
    })
}

/// The programs of `--test subgroups` with one operation each. Of programs with the same features, only the first is compiled.
fn subgroups() -> Result<Vec<Evidence>, String> {
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    for op in operations(&Expr::Var(0)) {
        let source = glsl::text(&each_of(std::slice::from_ref(&op), 45));
        let spirv = compile_source("subgroups.comp", Language::Glsl, &source)?;
        let (stage, features) = features(&spirv, "main", None)?;
        if features.is_subset(&seen) {
            continue;
        }
        seen.extend(features.iter().cloned());
        let case = Case::parse(&source).map_err(|error| error.to_string())?;
        let name = format!("{op:?}");
        let test = RunTest { name, source, case, spirv };
        let compiles = |platform| {
            WIDTHS.iter().any(|&simd| Emulator::new(platform, simd).compile(&test).is_ok())
        };
        let judge = if Choice::COMMON.allows(&op) { "model, lavapipe" } else { "model" };
        let test = "crates/filetests/tests/subgroups.rs".to_owned();
        all.push(Evidence { test, judge, stage, platforms: platforms(compiles), features });
    }
    Ok(all)
}

/// The shaders of `--test subgroups_graphics` with each operation. Of shaders with the same features, only the first is compiled.
fn subgroups_in_graphics() -> Result<Vec<Evidence>, String> {
    let (mut all, mut seen) = (Vec::new(), HashMap::<Stage, BTreeSet<Feature>>::new());
    let host = Folder { path: repository().to_owned() };
    for (stage, program) in graphics::each_operation() {
        let script = crestline_amber::parse(&stage.script(&program));
        let script = script.map_err(|error| error.to_string())?;
        for shader in script.pipelines.iter().flat_map(|pipeline| &pipeline.shaders) {
            let words = spirv(&script, &host, shader).map_err(|error| error.to_string())?;
            let (stage, features) = features(&words, &shader.entry, stage_of(shader.stage))?;
            let seen = seen.entry(stage).or_default();
            if features.is_subset(seen) {
                continue;
            }
            seen.extend(features.iter().cloned());
            let platforms =
                platforms(|platform| compile_spirv(&words, &Options::new(platform)).is_ok());
            let test = "crates/filetests/tests/subgroups_graphics.rs".to_owned();
            all.push(Evidence { test, judge: "model", stage, platforms, features });
        }
    }
    Ok(all)
}

/// The files of a folder with one of these endings, sorted by name.
fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
    });
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
