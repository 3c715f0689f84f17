//! What two cores gain for `crestline batch`, how fast its cache answers, and what an analysis adds to the time of compiling.
//! Prints the figures of `docs/performance.md`. Times are the shortest of several runs; the runs that a ratio compares take turns.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crestline::{
    Device, Observer, Options, PassReport, Platform, Shader, compile_spirv, compile_spirv_observed,
    shader_report,
};
use crestline_analysis::{Document, analyze_program};
use crestline_frontend::{Language, Source, to_spirv_with_lines};

/// Runs of each measurement.
const ROUNDS: usize = 5;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Runs a batch that must succeed. Returns its last line.
fn batch(arguments: &str, folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_crestline"))
        .arg("batch")
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments}: {said}");
    said.lines().last().unwrap_or_default().to_owned()
}

/// `tests/run` for a platform of each generation, with one process and with two.
fn cores(results: &Path) {
    let arguments = |jobs: u32| {
        let results = results.join("run.jsonl");
        format!("tests/run -o {} --target ivb,hsw,bdw,skl --jobs {jobs}", results.display())
    };
    let (mut one, mut two) = (Duration::MAX, Duration::MAX);
    let mut said = String::new();
    for _ in 0..ROUNDS {
        one = one.min(time(|| said = batch(&arguments(1), &root())));
        two = two.min(time(|| drop(batch(&arguments(2), &root()))));
    }
    println!("{said}");
    let gain = one.as_secs_f64() / two.as_secs_f64();
    println!("one process {one:.2?}, two {two:.2?}: gain {gain:.2} (goal 1.9)");
}

/// A thousand modules that are in a cache in a folder.
fn cache(results: &Path) {
    let shaders = results.join("shaders");
    std::fs::create_dir_all(&shaders).expect("a folder");
    for number in 0..1000 {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    var sum = 0.0;
    for (var n = 0u; n < 4u; n++) {{ sum += sin(data[id.x + n * {}u]); }}
    data[id.x] = sum;
}}
",
            number + 1
        );
        std::fs::write(shaders.join(format!("{number}.wgsl")), text).expect("an input file");
    }
    let arguments = "shaders -o cached.jsonl --target skl --cache cache";
    let cold = time(|| drop(batch(arguments, results)));
    let mut warm = Duration::MAX;
    let mut said = String::new();
    for _ in 0..ROUNDS {
        warm = warm.min(time(|| said = batch(arguments, results)));
    }
    assert!(said.ends_with(", 1000 modules from the cache"), "{said}");
    println!("{said}");
    println!("without the cache {cold:.2?}, with it {warm:.3?} (goal: less than a second)");
}

/// Measures the report on the optimised shader.
struct Reporter(Duration);

impl Observer for Reporter {
    fn after_pass(&mut self, _: &PassReport<'_>) {}

    fn optimized(&mut self, shader: &Shader) {
        self.0 += time(|| drop(black_box(shader_report(shader))));
    }
}

/// Compiling, and compiling with an analysis written as JSON, for all shaders of `tests/run` in GLSL and WGSL.
fn analysis() {
    let mut modules = Vec::new();
    for entry in std::fs::read_dir(root().join("tests/run")).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.to_string_lossy().into_owned();
        let Some(language) = path.extension().and_then(|extension| match extension.to_str()? {
            "comp" => Some(Language::Glsl),
            "wgsl" => Some(Language::Wgsl),
            _ => None,
        }) else {
            continue;
        };
        let bytes = std::fs::read(&path).expect("a shader");
        let spirv = to_spirv_with_lines(&Source { name: &name, language, bytes: &bytes });
        if let Ok(spirv) = spirv {
            modules.push((name, String::from_utf8(bytes).expect("text"), spirv));
        }
    }
    let (mut alone, mut reports, mut analyses, mut texts) =
        (Duration::ZERO, Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let mut count = 0;
    for platform in [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl] {
        let device = Device::new(platform);
        // A build without optimisation would check each pass.
        let options = Options { verify: false, ..Options::new(platform) };
        for (name, text, spirv) in &modules {
            let Ok(program) = compile_spirv(spirv, &options) else { continue };
            count += 1;
            let source = Some((name.as_str(), text.as_str()));
            let (mut compiling, mut reporting, mut analyzing, mut writing) =
                (Duration::MAX, Duration::MAX, Duration::MAX, Duration::MAX);
            for _ in 0..ROUNDS {
                compiling = compiling.min(time(|| {
                    black_box(compile_spirv(spirv, &options)).expect("it compiles");
                }));
                let mut reporter = Reporter(Duration::ZERO);
                black_box(compile_spirv_observed(spirv, &options, &mut reporter))
                    .expect("it compiles");
                reporting = reporting.min(reporter.0);
                let mut found = Vec::new();
                analyzing = analyzing.min(time(|| {
                    found = analyze_program(name, &program, &device, source, |_, _| {})
                        .expect("our code is analysed");
                }));
                writing = writing.min(time(|| {
                    let json = serde_json::to_string_pretty(&Document::new(found));
                    black_box(json.expect("JSON"));
                }));
            }
            alone += compiling;
            reports += reporting;
            analyses += analyzing;
            texts += writing;
        }
    }
    let more = |time: Duration| 100.0 * time.as_secs_f64() / alone.as_secs_f64();
    println!("{count} programs of {} modules", modules.len());
    println!(
        "compiling {alone:.2?}, analysing {:.0} % more (goal: at most 30 %), of it the optimised shader {:.0} %, writing JSON {:.0} % more",
        more(reports + analyses),
        more(reports),
        more(texts)
    );
}

fn main() {
    let results = std::env::temp_dir().join(format!("crestline-bench-{}", std::process::id()));
    std::fs::create_dir_all(&results).expect("a folder");
    // `-- cache` and so on select some of them.
    let named: Vec<String> =
        std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|found| found == name);
    if wanted("analysis") {
        analysis();
    }
    if wanted("cache") {
        cache(&results);
    }
    if wanted("cores") {
        cores(&results);
    }
    let _ = std::fs::remove_dir_all(&results);
}
