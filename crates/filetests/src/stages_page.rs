//! The tables of `docs/stages.md`, which tests write.

use std::fmt::Write;

use crestline::{Platform, Simd};

/// The devices of the tables: one of each generation.
pub const PLATFORMS: [Platform; 4] = [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl];

/// The result of a test on one device at one width.
#[derive(Debug)]
pub struct Outcome {
    /// The device.
    pub platform: Platform,
    /// The width.
    pub simd: Simd,
    /// What is wrong, if anything.
    pub result: Result<(), String>,
}

/// A row of a table.
#[derive(Debug)]
pub struct Row {
    /// The feature.
    pub feature: String,
    /// The judge.
    pub judge: String,
    /// The results; none if the emulator cannot run the test at all.
    pub outcomes: Vec<Outcome>,
}

/// The text of a table.
pub fn table(rows: &[Row]) -> String {
    let mut out = String::from(
        "| feature | judge | Ivy Bridge | Haswell | Broadwell | Skylake |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for Row { feature, judge, outcomes } in rows {
        let _ = write!(out, "| {feature} | {judge} |");
        for platform in PLATFORMS {
            let _ = write!(out, " {} |", cell(platform, outcomes));
        }
        out.push('\n');
    }
    out
}

/// The widths at which a test passes on a device, or the reason why there are none.
fn cell(platform: Platform, outcomes: &[Outcome]) -> String {
    let here: Vec<&Outcome> = outcomes.iter().filter(|o| o.platform == platform).collect();
    let widths: Vec<String> = here
        .iter()
        .filter(|outcome| outcome.result.is_ok())
        .filter_map(|outcome| match outcome.simd {
            Simd::Simd4x2 => Some("4x2".to_owned()),
            simd => simd.channels().map(|channels| channels.to_string()),
        })
        .collect();
    let absent = |outcome: &&Outcome| {
        outcome.result.as_ref().is_err_and(|error| error.contains("the device has no"))
    };
    match widths.is_empty() {
        false => widths.join(", "),
        true if here.iter().any(absent) => "absent".to_owned(),
        true => "emulator".to_owned(),
    }
}

/// Puts a table into the section of `docs/stages.md` with this name, and compares the page with the file.
///
/// # Panics
///
/// If the page differs or has no such section.
pub fn check(section: &str, table: &str) {
    let path = crate::repository().join("docs/stages.md");
    let page = std::fs::read_to_string(&path).expect("docs/stages.md");
    let begin = page
        .find(&format!("<!-- {section}:"))
        .and_then(|at| Some(at + page[at..].find('\n')? + 1))
        .expect("the begin of the section");
    let end = page.find(&format!("<!-- /{section}")).expect("the end of the section");
    crestline_testing::golden::check([(
        path,
        format!("{}{table}{}", &page[..begin], &page[end..]),
    )]);
}
