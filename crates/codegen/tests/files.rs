//! Before/after tests of codegen passes and of register allocation: `tests/codegen/*.txt` and
//! `tests/regalloc/*.txt`.
//!
//! A file has comment lines `; platform NAME` and `; run PASS...` (or `; run regalloc`), maybe `; without uv` (a platform
//! as if it had no immediates of that type), a program, a line `----` and the program expected. `UPDATE_EXPECT=1`
//! writes what comes out. A pass that must not fire is expected to leave the program as it is.

use std::fs;
use std::path::{Path, PathBuf};

use crestline_codegen::ir::parse;
use crestline_codegen::pipeline;
use crestline_codegen::regalloc;
use crestline_codegen::target::Target;
use crestline_codegen::verify::verify;
use crestline_device::Device;
use crestline_testing::golden;

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

fn option<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix("; ")?.strip_prefix(name)).map(str::trim)
}

/// What the file's passes make of its program.
fn outcome(before: &str) -> Result<String, String> {
    let platform = option(before, "platform").ok_or("no `; platform`")?;
    let platform = platform.parse().map_err(|e| format!("{e}"))?;
    let target = match option(before, "without") {
        Some("uv") => Target::new(Device::new(platform).without_uv_immediates()),
        Some(other) => return Err(format!("without {other}")),
        None => Target::of(platform),
    };
    let mut function = parse(before).map_err(|e| e.to_string())?;
    verify(&function).map_err(|e| format!("before: {e}"))?;
    let all = [
        pipeline::OPTIMIZE,
        pipeline::LOWER,
        pipeline::COALESCE,
        &[pipeline::SCHEDULE],
        pipeline::SCHEDULE_ALLOCATED,
        pipeline::LOWER_ALLOCATED,
    ]
    .concat();
    for name in option(before, "run").ok_or("no `; run`")?.split_whitespace() {
        if name == "regalloc" {
            let options = regalloc::Options { may_spill: true, check: true, ..Default::default() };
            function = match regalloc::allocate(&function, &target, options) {
                Ok(found) => found.function,
                Err(error) => return Ok(format!("error: {error}\n")),
            };
        } else {
            let pass =
                all.iter().find(|pass| pass.name == name).ok_or(format!("no pass {name}"))?;
            if let Err(error) = (pass.run)(&mut function, &target) {
                return Ok(format!("error: {error}\n"));
            }
        }
        verify(&function).map_err(|e| format!("after {name}: {e}"))?;
    }
    Ok(function.to_string())
}

/// Runs every file of a directory; how many there were.
fn run(name: &str) -> usize {
    const MARK: &str = "----\n";
    let mut files: Vec<PathBuf> = fs::read_dir(directory(name))
        .expect("the tests are there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    golden::check(files.iter().map(|path| {
        let text = fs::read_to_string(path).expect("the test is readable");
        let (before, _) = text.split_once(MARK).unwrap_or((&text, ""));
        let found = outcome(before).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, format!("{}\n{MARK}{found}", before.trim_end()))
    }));
    files.len()
}

#[test]
fn codegen_passes() {
    assert!(run("codegen") > 0);
}

#[test]
fn register_allocation() {
    assert!(run("regalloc") > 0);
}
