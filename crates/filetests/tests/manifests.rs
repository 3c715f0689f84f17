//! Checks the manifests: the dependencies between the project's crates are those of ARCHITECTURE.md,
//! docs/dependencies.md gives a reason for each dependency on another project, and the libraries do not depend on an
//! operating system.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each published crate may depend on, of this project.
const EDGES: &[(&str, &[&str])] = &[
    ("device", &[]),
    ("program", &["device"]),
    ("isa", &["device"]),
    ("timing", &["device", "isa"]),
    ("analysis", &["device", "isa", "program", "timing"]),
    ("fossilize", &[]),
    ("hang", &["device", "isa"]),
    ("emu", &["device", "isa", "program"]),
    ("ssa", &["device"]),
    ("glslang", &[]),
    ("frontend", &["glslang", "ssa"]),
    ("codegen", &["device", "isa", "program", "ssa", "timing"]),
    ("compiler", &["analysis", "codegen", "device", "frontend", "isa", "program", "ssa"]),
    ("amber", &["compiler", "device", "emu", "frontend", "program"]),
    ("batch", &["program"]),
    ("capi", &["compiler", "device", "isa", "program"]),
    ("python", &["amber", "compiler", "device", "emu", "frontend", "isa", "program"]),
    ("explore", &["compiler", "device", "emu", "frontend", "isa", "program"]),
    ("judges", &["device", "program"]),
];

/// The crates of this project that a manifest's `[dependencies]` name, by their folders.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            inside =
                section.starts_with("dependencies]") || section.starts_with("build-dependencies]");
        } else if inside {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if name == "crestline" {
                found.insert("compiler".to_owned());
            } else if let Some(folder) = name.strip_prefix("crestline-") {
                found.insert(folder.to_owned());
            }
        }
    }
    found
}

fn manifests() -> BTreeMap<String, String> {
    let crates = crestline_filetests::repository().join("crates");
    let mut manifests = BTreeMap::new();
    for entry in std::fs::read_dir(crates).expect("the crates' folder") {
        let path = entry.expect("a folder entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if let Ok(text) = std::fs::read_to_string(path.join("Cargo.toml")) {
            manifests.insert(name, text);
        }
    }
    manifests
}

#[test]
fn edges_are_those_of_the_design() {
    let manifests = manifests();
    for (name, allowed) in EDGES {
        let allowed: BTreeSet<String> = allowed.iter().map(|&a| a.to_owned()).collect();
        let found = dependencies(&manifests[*name]);
        let more: Vec<_> = found.difference(&allowed).collect();
        assert!(more.is_empty(), "crates/{name} must not depend on {more:?}");
    }
    let known: BTreeSet<&str> =
        EDGES.iter().map(|(name, _)| *name).chain(["cli", "filetests", "testing"]).collect();
    let found: BTreeSet<&str> = manifests.keys().map(String::as_str).collect();
    assert_eq!(found, known, "a new crate needs its edges written down");
}

#[test]
fn dependencies_are_read_from_their_sections_only() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\ncrestline-isa.workspace = true\nserde = \"1\"\n\
                    crestline = { path = \"..\" }\n[dev-dependencies]\ncrestline-emu.workspace = true\n";
    assert_eq!(dependencies(manifest), BTreeSet::from(["compiler".to_owned(), "isa".to_owned()]));
}

/// The crates of others that a manifest names, in all its sections of dependencies.
fn foreign(manifest: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            inside = section.ends_with("dependencies]");
        } else if inside && line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if name != "crestline" && !name.starts_with("crestline-") {
                found.insert(name.to_owned());
            }
        }
    }
    found
}

/// The crates that the rows of the page's tables name in their first column.
fn explained(page: &str) -> BTreeSet<String> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    cells.flat_map(|cell| cell.split(", ")).map(|name| name.trim_matches('`').to_owned()).collect()
}

#[test]
fn every_dependency_has_its_reason() {
    let root = crestline_filetests::repository();
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("a file of ours");
    let mut used = BTreeSet::new();
    for manifest in manifests().into_values() {
        used.extend(foreign(&manifest));
    }
    for path in ["benches/Cargo.toml", "xtask/Cargo.toml", "fuzz/Cargo.toml"] {
        used.extend(foreign(&read(path)));
    }
    assert_eq!(used, explained(&read("docs/dependencies.md")), "used, and in docs/dependencies.md");
    // Those of the workspace that no crate takes would be taken for used by whoever reads the list.
    let offered = foreign(&read("Cargo.toml"));
    let unused: Vec<_> = offered.difference(&used).collect();
    assert!(unused.is_empty(), "Cargo.toml offers what nobody uses: {unused:?}");
}

/// Names that the library crates must not use, because they also run in browsers and in kernels. Starting a thread is
/// allowed: the emulator continues if that fails.
const NOT_EVERYWHERE: &[&str] =
    &["Instant", "SystemTime", "std::fs", "std::env", "std::net", "std::process", "println!"];

/// The lines of Rust sources under a folder that are neither comments nor behind `#[cfg(test)]`, which ends our files.
fn code_lines(folder: &Path, found: &mut Vec<(PathBuf, usize, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a folder entry").path();
        if path.is_dir() {
            code_lines(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file");
            let lines = text.lines().enumerate().take_while(|(_, line)| *line != "#[cfg(test)]");
            let code = lines.filter(|(_, line)| !line.trim_start().starts_with("//"));
            found.extend(code.map(|(n, line)| (path.clone(), n + 1, line.to_owned())));
        }
    }
}

#[test]
fn libraries_need_no_operating_system() {
    let crates = crestline_filetests::repository().join("crates");
    let mut lines = Vec::new();
    // `judges` starts programs, `batch` searches folders, `explore` is a server.
    for (name, _) in EDGES.iter().filter(|(name, _)| !["judges", "batch", "explore"].contains(name))
    {
        code_lines(&crates.join(name).join("src"), &mut lines);
    }
    assert!(lines.len() > 10_000, "only {} lines of libraries found", lines.len());
    let asks = |line: &str| NOT_EVERYWHERE.iter().any(|word| line.contains(word));
    let asking: Vec<_> = lines.iter().filter(|(_, _, line)| asks(line)).collect();
    assert!(asking.is_empty(), "libraries ask the operating system: {asking:#?}");
}
