//! Estimates the cycles of one thread and the load of the units, for the code of both foreign compilers in the oracle pack and for
//! our code of the same shaders, with the same model. OpenCL kernels have no shader that we can compile.
//!
//! Prints sums; `-- --each` also a row for each program. `-- --run-tests` prints sums over `tests/run` instead, for comparisons of
//! two versions of the compiler.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crestline::{Options, Platform, Simd};
use crestline_benches::is_test_run;
use crestline_device::Device;
use crestline_filetests::corpus::run_tests;
use crestline_filetests::engine::spec_bits;
use crestline_judges::oracle::Oracle;
use crestline_timing::{Report, Unit, walk_code};

/// The units with a column of their own.
const UNITS: [Unit; 6] =
    [Unit::Fpu, Unit::Math, Unit::Sampler, Unit::DataCache, Unit::RenderCache, Unit::Urb];

/// Sums over programs.
#[derive(Clone, Copy, Default)]
struct Sums {
    programs: usize,
    instructions: usize,
    cycles: u64,
    chain: u64,
    busy: [u64; UNITS.len()],
}

impl Sums {
    fn of(report: &Report) -> Sums {
        let executed = report.steps.iter().rposition(|step| step.weight > 0);
        Sums {
            programs: 1,
            instructions: executed.map_or(0, |last| last + 1),
            cycles: report.cycles,
            chain: report.chain,
            busy: UNITS.map(|unit| report.busy[unit]),
        }
    }

    fn add(&mut self, other: Sums) {
        self.programs += other.programs;
        self.instructions += other.instructions;
        self.cycles += other.cycles;
        self.chain += other.chain;
        self.busy.iter_mut().zip(other.busy).for_each(|(sum, busy)| *sum += busy);
    }

    /// The cells of a table's row.
    fn cells(&self) -> String {
        let busy = self.busy.map(|busy| busy.to_string()).join(" | ");
        format!("{} | {} | {} | {busy}", self.instructions, self.cycles, self.chain)
    }
}

const HEAD: &str =
    "instructions | cycles | chains | fpu | math | sampler | data cache | render cache | urb |";
const RULE: &str = "---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

fn report(code: &[u8], platform: Platform) -> Report {
    let options = crestline_timing::Options::default();
    walk_code(code, 0, &Device::new(platform), &options).expect("the code decodes")
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The platform of a variant, such as `skl.simd8` or `icllp`.
fn platform(variant: &str) -> Option<Platform> {
    let target = variant.split('.').next()?;
    target.strip_suffix("lp").unwrap_or(target).parse().ok()
}

fn hex(path: &Path) -> Vec<u8> {
    let text = std::fs::read(path).expect("the pack is readable");
    let digits: Vec<u8> =
        text.into_iter().filter_map(|digit| Some((digit as char).to_digit(16)? as u8)).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn words(path: &Path) -> Option<Vec<u32>> {
    let bytes = std::fs::read(path).ok()?;
    Some(bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect())
}

/// Our code for a file of Mesa's code: `code.hex` is of the only stage, `gs.code.hex` and the like of one of several.
fn ours(case: &Path, folder: &str, file: &str, platform: Platform, width: u32) -> Option<Report> {
    let module = match file.split('.').next()? {
        "code" => "shader.spv",
        "vs" => "shader.vert.spv",
        "gs" => "shader.geom.spv",
        "tcs" => "shader.tesc.spv",
        "tes" => "shader.tese.spv",
        _ => return None,
    };
    let simd = match (folder, width) {
        ("vec4", _) => Simd::Simd4x2,
        (_, 8) => Simd::Simd8,
        (_, 16) => Simd::Simd16,
        (_, 32) => Simd::Simd32,
        _ => return None,
    };
    let options = Options::new(platform).with_simd(simd);
    let program = crestline::compile_spirv(&words(&case.join(module))?, &options).ok()?;
    Some(report(&program.code, platform))
}

/// The SIMD width of a variant: in its name, or that of its metadata.
fn width(variant: &Path) -> u32 {
    let in_name = name(variant).rsplit_once(".simd").and_then(|(_, width)| width.parse().ok());
    let in_text = || {
        let text = std::fs::read_to_string(variant.join("meta.json")).ok()?;
        let after = text.split_once("\"simd")?.1.split_once(':')?.1;
        let digits: String = after.trim_start().chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    in_name.or_else(in_text).unwrap_or(16)
}

/// Prints the sums over the pack.
fn pack(each: bool) {
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    // By group and platform: the foreign code, the part of it for which we have code, and our code.
    let mut sums: BTreeMap<(String, Platform), [Sums; 3]> = BTreeMap::new();
    if each {
        println!("| program | compiler | {HEAD}\n| --- | --- | {RULE}");
    }
    for folder in ["cs", "vec4", "fs"] {
        for case in entries(&oracle.root().join("mesa").join(folder)) {
            for variant in entries(&case) {
                let Some(platform) = platform(&name(&variant)) else { continue };
                for path in entries(&variant) {
                    let file = name(&path);
                    if !file.ends_with("code.hex") {
                        continue;
                    }
                    let theirs = Sums::of(&report(&hex(&path), platform));
                    let supported = crestline::TARGETS.contains(&platform);
                    let ours = supported
                        .then(|| ours(&case, folder, &file, platform, width(&variant)))
                        .flatten();
                    let sum = sums.entry((format!("mesa/{folder}"), platform)).or_default();
                    sum[0].add(theirs);
                    let label = format!("{folder}/{}/{}/{file}", name(&case), name(&variant));
                    if each {
                        println!("| {label} | Mesa | {} |", theirs.cells());
                    }
                    if let Some(ours) = ours.as_ref().map(Sums::of) {
                        sum[1].add(theirs);
                        sum[2].add(ours);
                        if each {
                            println!("| {label} | Crestline | {} |", ours.cells());
                        }
                    }
                }
            }
        }
    }
    for case in entries(&oracle.root().join("igc")) {
        for variant in entries(&case) {
            let (Some(platform), Ok(code)) =
                (platform(&name(&variant)), std::fs::read(variant.join("k.krn")))
            else {
                continue;
            };
            let theirs = Sums::of(&report(&code, platform));
            sums.entry(("igc".to_owned(), platform)).or_default()[0].add(theirs);
            if each {
                println!("| igc/{}/{} | IGC | {} |", name(&case), name(&variant), theirs.cells());
            }
        }
    }
    println!(
        "| programs | platform | compiler | number | {HEAD}\n| --- | --- | --- | ---: | {RULE}"
    );
    for ((group, platform), [all, both, ours]) in &sums {
        println!("| {group} | {platform} | foreign, all | {} | {} |", all.programs, all.cells());
        if ours.programs > 0 {
            println!("| {group} | {platform} | foreign | {} | {} |", both.programs, both.cells());
            println!("| {group} | {platform} | Crestline | {} | {} |", ours.programs, ours.cells());
        }
    }
}

/// Prints the sums over `tests/run`, and a row for each with `each`.
fn corpus(each: bool) {
    println!("| platform | width | spills | {HEAD}\n| --- | ---: | ---: | {RULE}");
    let tests = run_tests().expect("the run tests load");
    for platform in [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl] {
        for simd in [Simd::Auto, Simd::Simd8, Simd::Simd16, Simd::Simd32] {
            let (mut sums, mut spills) = (Sums::default(), 0);
            for test in &tests {
                let mut options = Options::new(platform).with_simd(simd);
                options.verify = false;
                options.entry = Some(test.case.entry.clone());
                options.specialization = test.case.spec.iter().map(spec_bits).collect();
                let Ok(program) = crestline::compile_spirv(&test.spirv, &options) else { continue };
                let one = Sums::of(&report(&program.code, platform));
                let counted = program.statistics().expect("the compiler counts");
                spills += counted.spills + counted.fills;
                if each {
                    let width = counted.simd_width;
                    println!("{platform} {simd} {} SIMD{width}: {}", test.name, one.cells());
                }
                sums.add(one);
            }
            println!("| {platform} | {simd} | {spills} | {} |", sums.cells());
        }
    }
}

fn main() {
    if is_test_run() {
        return;
    }
    let has = |flag: &str| std::env::args().any(|argument| argument == flag);
    match has("--run-tests") {
        true => corpus(has("--each")),
        false => pack(has("--each")),
    }
}
