//! Writes the tables of `docs/spirv-coverage.md`.

use std::collections::BTreeSet;
use std::fmt::Write;

use crestline::Platform;

use super::{Evidence, Kind, Refused, Row, STAGES};
use crate::stages_page::PLATFORMS;

/// A row of the page.
#[derive(Debug)]
pub struct Line {
    /// The kind of the feature.
    pub kind: Kind,
    /// The text of the row.
    pub text: String,
    /// Whether a judged test has the feature, or a module with it must be refused.
    pub tested: bool,
    /// The stages in which real modules have the feature and tests do not.
    pub gaps: Vec<&'static str>,
}

/// The line of a feature.
pub fn line(row: &Row, evidence: &[Evidence], refused: &[Refused]) -> Line {
    let found: Vec<&Evidence> = evidence
        .iter()
        .filter(|e| e.features.contains(&row.feature) && !e.platforms.is_empty())
        .collect();
    let error = refused.iter().find(|module| module.features.contains(&row.feature));
    let mut gaps = Vec::new();
    let mut text = format!("| {} |", name(row));
    for (stage, _, title) in STAGES {
        let of_stage = found.iter().filter(|e| e.stage == stage);
        let platforms: BTreeSet<Platform> =
            of_stage.flat_map(|e| e.platforms.iter().copied()).collect();
        let used = row.stages.contains(&stage);
        let cell = match platforms.is_empty() {
            false => generations(&platforms),
            true if !used => String::new(),
            true if found.is_empty() && error.is_some() => "refused".to_owned(),
            true if refused.iter().any(|module| module.refuses(&row.feature, stage)) => {
                "refused".to_owned()
            }
            true => {
                gaps.push(title);
                "none".to_owned()
            }
        };
        let _ = write!(text, " {cell} |");
    }
    // The module with the fewest features shows best what the row is about.
    let test = found.iter().min_by_key(|e| (e.features.len(), &e.test));
    let (judge, test) = match (test, error) {
        (Some(_), _) => {
            let judges: BTreeSet<&str> = found.iter().flat_map(|e| e.judge.split(", ")).collect();
            let test = test.map_or("", |e| &e.test);
            (judges.into_iter().collect::<Vec<_>>().join(", "), test.to_owned())
        }
        (None, Some(error)) => (
            format!("error {}: {}", error.code, error.text),
            format!("tests/coverage/refused/{}", error.name),
        ),
        (None, None) => ("none".to_owned(), String::new()),
    };
    let test = if test.is_empty() { "none".to_owned() } else { format!("`{test}`") };
    let _ = write!(text, " {judge} | {test} |");
    let tested = !found.is_empty() || error.is_some();
    Line { kind: row.feature.kind, text, tested, gaps }
}

/// The name of the feature, and the older name that real modules use.
fn name(row: &Row) -> String {
    match row.name == row.feature.name {
        true => format!("`{}`", row.name),
        false => format!("`{}` (`{}`)", row.feature.name, row.name),
    }
}

fn generations(platforms: &BTreeSet<Platform>) -> String {
    if PLATFORMS.iter().all(|platform| platforms.contains(platform)) {
        return "all".to_owned();
    }
    let numbers = platforms.iter().map(|platform| platform.generation().to_string());
    numbers.collect::<Vec<_>>().join(", ")
}

/// The tables, one for each kind, with their titles.
pub fn tables(lines: &[Line]) -> String {
    let mut out = String::new();
    for (kind, _, title) in Kind::ALL {
        let _ = write!(out, "\n## {title}\n\n| name |");
        for (_, _, stage) in STAGES {
            let _ = write!(out, " {stage} |");
        }
        out.push_str(" judge | a test |\n|");
        out.push_str(&" --- |".repeat(STAGES.len() + 3));
        out.push('\n');
        for line in lines.iter().filter(|line| line.kind == kind) {
            out.push_str(&line.text);
            out.push('\n');
        }
    }
    out
}
