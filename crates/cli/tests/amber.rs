//! Runs the scripts of `tests/amber/` with `crestline amber`, on one target of each generation. A script whose first lines
//! contain `# fails: TEXT` must fail with this text in its message; the others must pass.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A platform of each generation that the compiler supports.
const TARGETS: [&str; 4] = ["ivb", "hsw", "bdw", "skl"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/amber")
}

fn scripts() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder exists");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "amber" || end == "vkscript"));
    paths.sort();
    paths
}

fn amber(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crestline"));
    command.arg("amber").args(arguments).output().expect("the binary runs")
}

/// What a run of a script did that it should not.
fn wrong(path: &Path, target: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).expect("a readable script");
    let wanted = text.lines().take(2).find_map(|line| line.strip_prefix("# fails: "));
    let output = amber(&[&path.to_string_lossy(), "--target", target]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let as_wanted = match wanted {
        None => output.status.code() == Some(0) && said.is_empty(),
        Some(wanted) => output.status.code() == Some(1) && said.contains(wanted),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    (!as_wanted).then(|| format!("{name} on {target}: {:?}\n{said}", output.status.code()))
}

#[test]
fn scripts_pass_or_fail_as_they_say_on_every_generation() {
    let scripts = scripts();
    assert!(scripts.len() > 10, "the scripts were found");
    let all = TARGETS.iter().flat_map(|target| scripts.iter().map(move |path| (path, target)));
    let wrong: Vec<String> = all.filter_map(|(path, target)| wrong(path, target)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The size and the pixels of a PNG file.
fn pixels(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut pixels).expect("a picture");
    (info.width, info.height, pixels)
}

/// Number of pixels of which a component differs by more than two codes.
fn different(a: &[u8], b: &[u8]) -> usize {
    let pixels = a.chunks(4).zip(b.chunks(4));
    pixels.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 2)).count()
}

/// Each script of `examples/` draws the picture beside it. Vulkan leaves the rounding of some operations to the compiler, so
/// colours may differ by two codes. The test `scripts` of `crates/filetests` draws them on every generation.
#[test]
fn examples_draw_their_pictures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let scratch = std::env::temp_dir().join(format!("crestline-examples-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a scratch folder");
    let entries = std::fs::read_dir(folder).expect("the folder exists");
    let mut scripts: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a readable entry").path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|end| end == "amber"));
    scripts.sort();
    assert!(scripts.len() >= 5, "the scripts were found");
    for script in &scripts {
        let expected = pixels(&script.with_extension("png"));
        let png = scratch.join("picture.png");
        let flag = format!("picture:{}", png.display());
        let output = amber(&[&script.to_string_lossy(), "--target", "skl", "--png", &flag]);
        assert!(output.status.success(), "{script:?}: {output:?}");
        let (width, height, found) = pixels(&png);
        assert_eq!((width, height), (expected.0, expected.1), "{script:?}");
        assert_eq!(different(&found, &expected.2), 0, "{script:?}: pixels differ");
    }
    std::fs::remove_dir_all(&scratch).expect("the scratch folder goes away");
}

#[test]
fn pictures_and_counts_are_written() {
    let scratch = std::env::temp_dir().join(format!("crestline-amber-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a scratch folder");
    let png = scratch.join("picture.png");
    let script = folder().join("draw_state.amber");
    let flag = format!("picture:{}", png.display());
    let output = amber(&[
        &script.to_string_lossy(),
        "--target",
        "skl",
        "--json",
        "--show",
        "stats",
        "--png",
        &flag,
    ]);
    assert!(output.status.success(), "{output:?}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a JSON object");
    assert_eq!((&result["result"], &result["expectations"]), (&"passed".into(), &10.into()));
    assert_eq!(result["runs"].as_array().map(Vec::len), Some(3));
    assert_eq!(result["runs"][0]["stages"][1]["stage"], "fragment");
    assert_eq!(pixels(&png).2[..4], [255, 0, 0, 128]);
    std::fs::remove_dir_all(&scratch).expect("the scratch folder goes away");
}

#[test]
fn the_status_tells_a_skip_from_a_failure() {
    let scratch = std::env::temp_dir().join(format!("crestline-skip-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a scratch folder");
    let write = |name: &str, text: &str| {
        let path = scratch.join(name);
        std::fs::write(&path, text).expect("a script");
        path.to_string_lossy().into_owned()
    };
    let skipped = write("a.amber", "#!amber\nDEVICE_FEATURE depthBounds\n");
    let passed = write("b.amber", "#!amber\n");
    let failed = write("c.amber", "#!amber\nDEVICE_FEATURE shaderResourceResidency\n");
    let vertex = "#!amber\nDEVICE_FEATURE SubgroupSupportedStages.vertex\n";
    let vertex = write("d.amber", vertex);
    let status = |files: &[&String], target| {
        let files = files.iter().map(|file| file.as_str());
        let arguments: Vec<&str> = files.chain(["--target", target]).collect();
        amber(&arguments).status.code()
    };
    assert_eq!(status(&[&skipped], "skl"), Some(77));
    assert_eq!(status(&[&skipped, &passed], "skl"), Some(0));
    assert_eq!(status(&[&skipped, &failed, &passed], "skl"), Some(1));
    assert_eq!((status(&[&vertex], "ivb"), status(&[&vertex], "bdw")), (Some(77), Some(0)));
    std::fs::remove_dir_all(&scratch).expect("the scratch folder goes away");
}
