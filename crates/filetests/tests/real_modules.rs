//! Runs compute modules with inputs of their types in the interpreter and, compiled, in the emulator: see
//! `crestline_filetests::real`.
//!
//! `CRESTLINE_REAL_MODULES=FOLDER` takes the `.spv` files of a folder and of its folders, at all chips and widths; a line
//! for each module tells what came of it. `CRESTLINE_REAL_LIST=FILE` takes those that the file names, one per line. Without these
//! variables there is nothing to run; the tests of `crestline_filetests::real` show that a wrong result is found.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crestline_filetests::engine::Emulator;
use crestline_filetests::real::{Outcome, Real};

/// The files of a folder and of its folders with the ending `.spv`.
fn modules(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry of a folder").path();
        if path.is_dir() {
            modules(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "spv") {
            found.push(path);
        }
    }
}

/// What is wrong with a module on some engines; an error if it proves nothing.
fn failures(name: &str, spirv: &[u32], engines: &[Emulator]) -> Result<Vec<String>, String> {
    let real = Real::new(name, spirv, 1, false)?;
    // What an access outside of a variable does is undefined: only clamped indices show whether the difference is an error.
    let mut clamped = None;
    let mut found = Vec::new();
    for emulator in engines {
        match real.compare(emulator.platform, emulator.simd) {
            Outcome::Equal | Outcome::Skipped(_) => {}
            Outcome::Wrong(what) => {
                let sure = clamped.get_or_insert_with(|| Real::new(name, spirv, 1, true));
                if let Ok(sure) = sure
                    && sure.compare(emulator.platform, emulator.simd) == Outcome::Equal
                {
                    continue;
                }
                let stable = if real.stable { "" } else { " (depends on the size of subgroups)" };
                found.push(format!("{} at {}: {what}{stable}", emulator.platform, emulator.simd));
            }
        }
    }
    Ok(found)
}

#[test]
fn real_modules_agree() {
    let engines = Emulator::all();
    let mut paths = Vec::new();
    if let Some(list) = std::env::var_os("CRESTLINE_REAL_LIST") {
        let text = std::fs::read_to_string(list).expect("a list of modules");
        paths.extend(text.lines().map(PathBuf::from));
    } else if let Some(folder) = std::env::var_os("CRESTLINE_REAL_MODULES") {
        modules(Path::new(&folder), &mut paths);
        paths.sort();
    } else {
        println!("no modules: set CRESTLINE_REAL_MODULES");
        return;
    }
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Ok(bytes) = std::fs::read(path) else { continue };
                    let words: Vec<u32> = bytes
                        .as_chunks::<4>()
                        .0
                        .iter()
                        .map(|&word| u32::from_le_bytes(word))
                        .collect();
                    let name = path.display().to_string();
                    println!("begin\t{name}");
                    let result =
                        catch_unwind(AssertUnwindSafe(|| failures(&name, &words, &engines)));
                    let (state, text) = match result {
                        Ok(Ok(found)) if found.is_empty() => ("equal", String::new()),
                        Ok(Ok(found)) => ("wrong", found.join(" | ")),
                        Ok(Err(why)) => ("none", why),
                        Err(_) => ("panic", String::new()),
                    };
                    if matches!(state, "wrong" | "panic") {
                        *wrong.lock().expect("no thread panics here") += 1;
                    }
                    println!("{state}\t{name}\t{}", text.replace('\n', " "));
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no thread panicked");
    assert_eq!(wrong, 0, "modules with wrong results");
}
