//! Scripts with pipelines: what they draw in the emulator is what they draw on lavapipe.
//!
//! `CRESTLINE_SCRIPTS=FOLDER` compares the scripts of another folder instead, and prints a line for each; `CRESTLINE_ONLY=NAME`
//! takes those whose name contains NAME. `CRESTLINE_WIDTHS=all` draws the examples at all SIMD widths.

use std::path::{Path, PathBuf};

use crestline::{Platform, Simd};
use crestline_filetests::repository;
use crestline_filetests::scripts::{Expected, Verdict};
use crestline_filetests::stages_page::PLATFORMS;
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;

/// The scripts of a folder in the order of their names.
fn scripts(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder exists");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "amber" || end == "vkscript"));
    if let Ok(only) = std::env::var("CRESTLINE_ONLY") {
        paths.retain(|path| name(path).contains(&only));
    }
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What lavapipe makes of a script.
fn expected(path: &Path, lavapipe: &'static Lavapipe) -> Result<Expected, Verdict> {
    let text = std::fs::read_to_string(path).expect("a readable script");
    Expected::new(&text, path.parent().expect("a folder"), lavapipe)
}

/// The widths of fragment shaders and of the stages before them that each example is drawn with on a platform.
fn widths(platform: Platform, number: usize) -> Vec<[Simd; 2]> {
    let fragment = [Simd::Simd8, Simd::Simd16, Simd::Simd32];
    let geometry = match platform {
        Platform::Bdw => vec![Simd::Simd4x2, Simd::Simd8],
        _ => vec![Simd::Auto],
    };
    let all = fragment.into_iter().flat_map(|own| geometry.iter().map(move |other| [own, *other]));
    let all: Vec<_> = all.collect();
    match std::env::var("CRESTLINE_WIDTHS").as_deref() {
        Ok("all") => all,
        // One width for each example and platform; together they have all.
        _ => vec![all[(number + platform as usize) % all.len()]],
    }
}

/// Compares the scripts of a folder on every platform. Returns one line for each difference.
fn differences(folder: &str, lavapipe: &'static Lavapipe) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, path) in scripts(&repository().join(folder)).iter().enumerate() {
        let expected = match expected(path, lavapipe) {
            Ok(expected) => expected,
            Err(verdict) => {
                wrong.push(format!("{}: {verdict:?}", name(path)));
                continue;
            }
        };
        for platform in PLATFORMS {
            for simd in widths(platform, number) {
                let verdict = expected.compare(platform, simd);
                if verdict != Verdict::Equal {
                    wrong.push(format!("{} on {platform}, {simd:?}: {verdict:?}", name(path)));
                }
            }
        }
    }
    wrong
}

#[test]
fn examples_are_equal_at_every_width() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let wrong = differences("examples", lavapipe);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `docs/spirv-coverage.md` counts each of these scripts for every platform.
#[test]
fn modules_are_equal_on_every_platform() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let wrong = differences("tests/amber/modules", lavapipe);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn scripts_are_equal() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let given = std::env::var("CRESTLINE_SCRIPTS");
    let folder = match &given {
        Ok(folder) => PathBuf::from(folder),
        Err(_) => repository().join("tests/amber"),
    };
    let mut wrong = Vec::new();
    for (number, path) in scripts(&folder).iter().enumerate() {
        let verdict = match expected(path, lavapipe) {
            Ok(expected) => {
                let platform = PLATFORMS[number % PLATFORMS.len()];
                expected.compare(platform, [Simd::Auto; 2])
            }
            Err(verdict) => verdict,
        };
        if given.is_ok() {
            println!("{}: {verdict:?}", name(path));
        } else if verdict != Verdict::Equal {
            wrong.push(format!("{}: {verdict:?}", name(path)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
