//! The dependencies between the project's crates are those of ARCHITECTURE.md: data flows one way, and the emulator
//! sees nothing of the compiler.

use std::collections::{BTreeMap, BTreeSet};

/// What each published crate may depend on, of this project.
const EDGES: &[(&str, &[&str])] = &[
    ("device", &[]),
    ("program", &["device"]),
    ("isa", &["device"]),
    ("emu", &["device", "isa", "program"]),
    ("ssa", &["device"]),
    ("frontend", &["ssa"]),
    ("codegen", &["device", "isa", "program", "ssa"]),
    ("compiler", &["codegen", "device", "frontend", "isa", "program", "ssa"]),
    ("judges", &["program"]),
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
        EDGES.iter().map(|(name, _)| *name).chain(["cli", "filetests"]).collect();
    let found: BTreeSet<&str> = manifests.keys().map(String::as_str).collect();
    assert_eq!(found, known, "a new crate needs its edges written down");
}

#[test]
fn dependencies_are_read_from_their_sections_only() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\ncrestline-isa.workspace = true\nserde = \"1\"\n\
                    crestline = { path = \"..\" }\n[dev-dependencies]\ncrestline-emu.workspace = true\n";
    assert_eq!(dependencies(manifest), BTreeSet::from(["compiler".to_owned(), "isa".to_owned()]));
}
