//! `package`: checks the packages of the published crates without building them.
//!
//! A crate is published unless its manifest has `publish = false`. Each package must have a README and the licences, and
//! must contain every file that its sources include. `cargo package` checks the manifests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, ExitCode};

/// Files of every package.
const REQUIRED: &[&str] = &["README.md", "LICENSE-MIT", "LICENSE-APACHE", "src/"];

/// Keys of every manifest.
const KEYS: &[&str] = &[
    "description",
    "license",
    "rust-version",
    "readme",
    "documentation",
    "keywords",
    "categories",
];

/// The section of every manifest that says how docs.rs builds the documentation.
const DOCS: &str = "[package.metadata.docs.rs]";

/// A published crate.
struct Published {
    /// Its folder.
    folder: PathBuf,
    /// The names of the crates of this project that it needs.
    needs: Vec<String>,
    /// The names of those that its tests need. Cargo leaves unpublished ones out of the package, and looks for the others
    /// in the registry.
    tests_need: Vec<String>,
}

/// Checks all packages, and prints the order in which they can be published.
pub(crate) fn check() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    match problems(&root) {
        Ok(problems) if problems.is_empty() => ExitCode::SUCCESS,
        Ok(problems) => {
            println!("FAILED:\n{}", problems.join("\n"));
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("FAILED: {error}");
            ExitCode::FAILURE
        }
    }
}

fn problems(root: &Path) -> std::io::Result<Vec<String>> {
    let mut crates = BTreeMap::new();
    let mut problems = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let folder = entry?.path();
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        if manifest.lines().any(|line| line == "publish = false") {
            continue;
        }
        let name = value(&manifest, "name").unwrap_or_default();
        let missing = KEYS.iter().filter(|key| !has_key(&manifest, key));
        problems.extend(missing.map(|key| format!("{name}: the manifest has no `{key}`")));
        if !manifest.lines().any(|line| line == DOCS) {
            problems.push(format!("{name}: the manifest has no {DOCS}"));
        }
        let [needs, tests_need] = needs(&manifest);
        crates.insert(name, Published { folder, needs, tests_need });
    }
    for (name, one) in &crates {
        let listed = list(root, name)?;
        let missing = REQUIRED.iter().filter(|file| !listed.iter().any(|l| l.starts_with(**file)));
        problems.extend(missing.map(|file| format!("{name}: the package has no {file}")));
        for file in listed.iter().filter(|file| file.ends_with(".rs")) {
            let text = fs::read_to_string(one.folder.join(file))?;
            let outside = included(&text).into_iter().filter(|path| {
                let path = Path::new(file).parent().unwrap_or(Path::new("")).join(path);
                resolved(&path).is_none_or(|path| !listed.contains(&path))
            });
            problems.extend(outside.map(|path| {
                format!("{name}: {file} includes {path}, which is not in the package")
            }));
        }
    }
    let order = order(&crates);
    let stuck = crates.keys().filter(|name| !order.contains(name));
    problems.extend(
        stuck.map(|name| {
            format!("{name}: no order of publishing, or it needs an unpublished crate")
        }),
    );
    let mut command = Command::new("cargo");
    command.current_dir(root).args([
        "package",
        "--no-verify",
        "--offline",
        "--allow-dirty",
        "--quiet",
    ]);
    for name in &order {
        command.args(["--package", name.as_str()]);
    }
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        problems.push(format!("cargo package: {}", said.trim_end()));
    }
    let order: Vec<&str> = order.iter().map(|name| name.as_str()).collect();
    println!("{} packages, to be published in this order: {}", order.len(), order.join(" "));
    Ok(problems)
}

/// Whether a manifest has a key, or takes it from the workspace.
fn has_key(manifest: &str, key: &str) -> bool {
    let rest = manifest.lines().filter_map(|line| line.strip_prefix(key));
    rest.into_iter().any(|rest| rest.starts_with([' ', '.']))
}

/// The text of a key, such as `name = "crestline"`.
fn value(manifest: &str, key: &str) -> Option<String> {
    let mut lines =
        manifest.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
    Some(lines.next()?.trim_end_matches('"').to_owned())
}

/// The crates of this project in the sections of dependencies, and in those of the tests.
fn needs(manifest: &str) -> [Vec<String>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    let mut section = None;
    for line in manifest.lines() {
        if line.starts_with('[') {
            let is_of_tests = line.ends_with("dev-dependencies]");
            section = line.ends_with("dependencies]").then_some(usize::from(is_of_tests));
        } else if let Some(section) = section {
            let name = line.split(['.', ' ']).next().unwrap_or_default();
            // A dependency without a version, only with a path, is left out of the package.
            let is_kept = !line.contains("path = ");
            if is_kept && (name == "crestline" || name.starts_with("crestline-")) {
                found[section].push(name.to_owned());
            }
        }
    }
    found
}

/// An order in which each crate follows those that it needs. Crates for which there is none are absent.
fn order(crates: &BTreeMap<String, Published>) -> Vec<&String> {
    let mut order: Vec<&String> = Vec::new();
    while let Some((name, _)) = crates.iter().find(|(name, one)| {
        let tests_need = one.tests_need.iter().filter(|needed| crates.contains_key(*needed));
        let mut before = one.needs.iter().chain(tests_need);
        !order.contains(name) && before.all(|needed| order.contains(&needed))
    }) {
        order.push(name);
    }
    order
}

/// The files of a package.
fn list(root: &Path, name: &str) -> std::io::Result<Vec<String>> {
    let arguments = ["package", "--list", "--offline", "--allow-dirty", "--package", name];
    let output = Command::new("cargo").current_dir(root).args(arguments).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().map(|line| line.replace('\\', "/")).collect())
}

/// The paths of `include_str!` and `include_bytes!` in a source text.
fn included(text: &str) -> Vec<&str> {
    let calls = ["include_str!(\"", "include_bytes!(\"", "include!(\""];
    let each = |call| text.split(call).skip(1).filter_map(|rest: &str| rest.split('"').next());
    calls.into_iter().flat_map(each).collect()
}

/// A path without `..`; `None` if it leaves the folder.
fn resolved(path: &Path) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::ParentDir => drop(parts.pop()?),
            _ => {}
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder() {
        assert_eq!(resolved(Path::new("src/a/../../page/x.js")).as_deref(), Some("page/x.js"));
        assert_eq!(resolved(Path::new("src/../../docs/x.md")), None);
    }

    #[test]
    fn included_files_are_found() {
        let text =
            "const A: &str = include_str!(\"../a.txt\"); const B: &[u8] = include_bytes!(\"b\");";
        assert_eq!(included(text), ["../a.txt", "b"]);
    }

    #[test]
    fn a_circle_has_no_order() {
        let one = |needs: &[&str]| Published {
            folder: PathBuf::new(),
            needs: needs.iter().map(|&name| name.to_owned()).collect(),
            tests_need: vec!["unpublished".to_owned()],
        };
        let mut crates = BTreeMap::from([
            ("a".to_owned(), one(&["b"])),
            ("b".to_owned(), one(&[])),
            ("c".to_owned(), one(&["c"])),
        ]);
        assert_eq!(order(&crates), ["b", "a"]);
        crates.remove("c");
        assert_eq!(order(&crates).len(), 2);
    }

    #[test]
    fn dependencies_of_tests_are_separate() {
        let manifest = "[dependencies]\ncrestline.workspace = true\nserde = \"1\"\n\
                        [dev-dependencies]\ncrestline-emu.workspace = true\ncrestline-ssa = { path = \".\" }\n";
        assert_eq!(needs(manifest), [["crestline"], ["crestline-emu"]]);
        assert!(has_key("rust-version.workspace = true\n", "rust-version"));
        assert_eq!(value("name = \"x\"\n", "name").as_deref(), Some("x"));
    }
}
