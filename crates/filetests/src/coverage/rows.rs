//! The features that real modules use.
//!
//! `tests/coverage/rows.tsv` has a line for each: kind, name, and the stages whose modules use it. It follows from `usage.tsv` of
//! the folder `corpus` beside the oracle pack, which counts the features of modules of public projects.

use crestline::Stage;
use crestline_judges::oracle::SHARED_VARIABLE;

use super::{Feature, STAGES};

/// A feature that real modules use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The feature.
    pub feature: Feature,
    /// Its name in the modules, which may be an older one.
    pub name: String,
    /// The stages of the modules.
    pub stages: Vec<Stage>,
}

/// The path of the file with the rows.
pub fn path() -> std::path::PathBuf {
    crate::repository().join("tests/coverage/rows.tsv")
}

/// The rows of the repository's file.
///
/// # Errors
///
/// The line that cannot be read.
pub fn rows() -> Result<Vec<Row>, String> {
    let path = path();
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    lines.map(|(at, line)| row(line).map_err(|error| format!("line {}: {error}", at + 1))).collect()
}

fn row(line: &str) -> Result<Row, String> {
    let [kind, name, stages] = line.split('\t').collect::<Vec<_>>()[..] else {
        return Err(format!("{line:?}: expected kind, name and stages"));
    };
    let stage = |word: &str| {
        let row = STAGES.iter().find(|row| row.1 == word);
        row.map(|row| row.0).ok_or_else(|| format!("{word:?} is no stage"))
    };
    let stages = stages.split(' ').map(stage).collect::<Result<_, _>>()?;
    Ok(Row { feature: Feature::parse(kind, name)?, name: name.to_owned(), stages })
}

/// The text that the file must have, from `usage.tsv`; `None` if that file is absent.
///
/// # Errors
///
/// The line that cannot be read.
pub fn from_usage() -> Option<Result<String, String>> {
    let shared = std::env::var_os(SHARED_VARIABLE)
        .map_or_else(|| crate::repository().join("../shared"), std::path::PathBuf::from);
    let usage = std::fs::read_to_string(shared.join("corpus/usage.tsv")).ok()?;
    Some(convert(&usage))
}

fn convert(usage: &str) -> Result<String, String> {
    let mut lines = usage.lines().filter(|line| !line.starts_with('#'));
    let head: Vec<&str> = lines.next().ok_or("no head")?.split('\t').collect();
    let mut out = String::from("# kind, name, and the stages of the real modules that use it\n");
    for line in lines {
        let words: Vec<&str> = line.split('\t').collect();
        let (Some(kind), Some(name)) = (words.first(), words.get(1)) else {
            return Err(format!("{line:?}: expected kind, name and counts"));
        };
        let mut stages = Vec::new();
        for (_, stage, _) in STAGES {
            let column = head.iter().position(|word| *word == stage);
            let column = column.ok_or_else(|| format!("no column {stage}"))?;
            let count = words.get(column).copied().unwrap_or("0");
            let count: u32 = count.parse().map_err(|_| format!("{line:?}: {count:?}"))?;
            stages.extend((count > 0).then_some(stage));
        }
        out.push_str(&format!("{kind}\t{name}\t{}\n", stages.join(" ")));
    }
    Ok(out)
}
