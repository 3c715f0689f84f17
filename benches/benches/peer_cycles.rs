//! Compares the cycles of our model, told to count as Mesa does, with the estimates of Mesa's own analysis for Mesa's code
//! of our test shaders.
//!
//! Mesa's drivers run without a GPU. `CRESTLINE_VKSTAT` is the program that asks the driver (its source is in `../shared/peer`),
//! `CRESTLINE_DRM_SHIM` is `libintel_noop_drm_shim.so` of a build of Mesa with the tools `drm-shim,intel`. The drivers are those
//! of Debian's `mesa-vulkan-drivers`. A column counts the estimates that are equal to those in `../shared/peer`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crestline_benches::is_test_run;
use crestline_device::{Device, Platform};
use crestline_filetests::corpus::{compile_source, run_tests};
use crestline_filetests::stages::stage_tests;
use crestline_judges::oracle::Oracle;
use crestline_timing::{Counting, Options, walk_code};

const PLATFORMS: [Platform; 4] = [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl];

/// One executable that the driver made.
struct Executable {
    kind: String,
    cycles: u64,
    code: Vec<u8>,
}

/// Writes a module to a file in the folder of temporary files.
fn write(folder: &Path, name: &str, words: &[u32]) -> PathBuf {
    let path = folder.join(format!("{name}.spv"));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(&path, bytes).expect("a temporary file");
    path
}

/// What the driver of a platform makes of a module.
fn ask(
    vkstat: &str,
    shim: &str,
    platform: Platform,
    module: &Path,
    partners: &[PathBuf; 2],
) -> Vec<Executable> {
    let driver = if platform == Platform::Skl { "intel_icd" } else { "intel_hasvk_icd" };
    let mut child = Command::new(vkstat)
        .env("VK_ICD_FILENAMES", format!("/usr/share/vulkan/icd.d/{driver}.x86_64.json"))
        .env("VK_ENABLE_PIPELINE_CACHE", "false")
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .env("INTEL_STUB_GPU_PLATFORM", platform.name())
        .env("INTEL_DEBUG", "hex")
        .env("LD_PRELOAD", shim)
        .env("DUMP", "1")
        .env("PARTNER_VS", &partners[0])
        .env("PARTNER_FS", &partners[1])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program of CRESTLINE_VKSTAT runs");
    let mut input = child.stdin.take().expect("a pipe");
    writeln!(input, "{}", module.display()).expect("the program reads");
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut found: Vec<Executable> = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("\t[") {
            let (name, statistics) = after.split_once(" sub=").unwrap_or((after, ""));
            let cycles = statistics.split_once("Cycle Count=").map(|(_, number)| number);
            let digits = cycles.and_then(|text| text.split(' ').next()?.parse().ok());
            let executable =
                Executable { kind: name.to_owned(), cycles: digits.unwrap_or(0), code: Vec::new() };
            found.push(executable);
            rest = after;
        }
        let digits: Vec<&str> = line.split(' ').take(16).take_while(|part| is_byte(part)).collect();
        let length = digits.len() / 8 * 8;
        if let Some(last) = found.last_mut() {
            let bytes =
                digits[..length].iter().filter_map(|part| u8::from_str_radix(part, 16).ok());
            last.code.extend(bytes);
        }
    }
    found
}

fn is_byte(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The estimates of the peer's table, by platform and shader: the kind of the executable and its cycles.
fn table(oracle: &Oracle) -> BTreeMap<(String, String), (String, u64)> {
    let path = oracle.root().join("../peer/mesa-22.3.6.tsv");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [platform, shader, kind, _, _, _, _, cycles, ..] = cells[..] else { return None };
        let key = (platform.to_owned(), shader.to_owned());
        Some((key, (kind.to_owned(), cycles.parse().ok()?)))
    };
    text.lines().filter_map(row).collect()
}

fn main() {
    if is_test_run() {
        return;
    }
    let (Ok(vkstat), Ok(shim)) =
        (std::env::var("CRESTLINE_VKSTAT"), std::env::var("CRESTLINE_DRM_SHIM"))
    else {
        println!("set CRESTLINE_VKSTAT and CRESTLINE_DRM_SHIM");
        return;
    };
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let folder = std::env::temp_dir().join(format!("crestline-peer-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let partner = |name: &str| {
        let source = std::fs::read_to_string(oracle.root().join("../peer").join(name));
        let source = source.expect("the peer's folder has the partner");
        let words = compile_source(name, crestline::Language::Glsl, &source);
        write(&folder, name, &words.expect("the partner compiles"))
    };
    let partners = [partner("g.vert"), partner("g.frag")];
    let mut modules: BTreeMap<String, PathBuf> = BTreeMap::new();
    for test in run_tests().expect("the run tests load") {
        modules.insert(test.name.clone(), write(&folder, &test.name, &test.spirv));
    }
    for test in stage_tests().expect("the draw calls load") {
        let name = format!("{}.vert", test.name);
        modules.insert(name.clone(), write(&folder, &name, &test.modules[0].1));
    }
    let expected = table(&oracle);
    println!(
        "| platform | shaders | of which made | exact | within 5 % | estimate as in the table |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let mut sums = [0usize; 5];
    for platform in PLATFORMS {
        let device = Device::new(platform);
        let mut counts = [0usize; 5];
        for ((_, shader), (kind, cycles)) in
            expected.iter().filter(|((name, _), _)| name == platform.name())
        {
            counts[0] += 1;
            let Some(module) = modules.get(shader) else { continue };
            let made = ask(&vkstat, &shim, platform, module, &partners);
            let Some(made) = made.into_iter().find(|made| made.kind == *kind) else { continue };
            // The SPIR-V of WGSL shaders depends on the version of naga.
            counts[4] += usize::from(made.cycles == *cycles);
            let cycles = &made.cycles;
            counts[1] += 1;
            let options = Options { counting: Counting::Mesa, ..Options::default() };
            let ours =
                walk_code(&made.code, 0, &device, &options).expect("the code decodes").cycles;
            let error = ours as f64 / *cycles as f64 - 1.0;
            counts[2] += usize::from(ours == *cycles);
            counts[3] += usize::from(error.abs() <= 0.05);
            if std::env::args().any(|argument| argument == "--each") {
                println!("{platform} {shader}: {ours}, {cycles} ({:+.1} %)", 100.0 * error);
            }
        }
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        println!("| {platform} | {} |", counts.map(|count| count.to_string()).join(" | "));
    }
    println!("| all | {} |", sums.map(|count| count.to_string()).join(" | "));
    // A folder that remains is no problem.
    let _ = std::fs::remove_dir_all(&folder);
}
