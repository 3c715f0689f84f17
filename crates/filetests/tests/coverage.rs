//! Writes `docs/spirv-coverage.md` (`UPDATE_EXPECT=1`), and fails if a feature that real modules use has no test.

use crestline_filetests::coverage::{Feature, evidence, page, refused, rows};
use crestline_filetests::repository;
use crestline_judges::ask;
use crestline_judges::spirv::SpirvTools;

/// Features without a test: kind and name. The front end translates none of them yet.
const OPEN: &[(&str, &str)] = &[
    ("capability", "ShaderClockKHR"),
    ("extension", "SPV_KHR_shader_clock"),
    ("opcode", "ReadClockKHR"),
    ("capability", "ComputeDerivativeGroupQuadsKHR"),
    ("capability", "ComputeDerivativeGroupLinearKHR"),
    ("execution mode", "DerivativeGroupQuadsKHR"),
    ("execution mode", "DerivativeGroupLinearKHR"),
    ("extension", "SPV_NV_compute_shader_derivatives"),
];

#[test]
fn rows_are_those_of_real_modules() {
    let Some(text) = rows::from_usage() else { return };
    let text = text.unwrap_or_else(|error| panic!("{error}"));
    crestline_testing::golden::check([(rows::path(), text)]);
}

#[test]
fn refused_modules_have_errors_by_name() {
    let modules = refused::all().unwrap_or_else(|error| panic!("{error}"));
    let failures: Vec<String> = modules.iter().flat_map(refused::Refused::failures).collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_feature_of_real_modules_has_a_test() {
    // The assembler of some tests.
    if ask(SpirvTools::find()).is_none() || std::env::var_os("CRESTLINE_ONLY").is_some() {
        return;
    }
    let rows = rows::rows().unwrap_or_else(|error| panic!("{error}"));
    let evidence = evidence::all().unwrap_or_else(|error| panic!("{error}"));
    let refused = refused::all().unwrap_or_else(|error| panic!("{error}"));
    let lines: Vec<page::Line> =
        rows.iter().map(|row| page::line(row, &evidence, &refused)).collect();

    let path = repository().join("docs/spirv-coverage.md");
    let text = std::fs::read_to_string(&path).expect("docs/spirv-coverage.md");
    let begin = text.find("<!-- tables").expect("the begin of the tables");
    let begin = begin + text[begin..].find('\n').expect("a line") + 1;
    let end = text.find("<!-- /tables").expect("the end of the tables");
    let tables = page::tables(&lines);
    let page = format!("{}{tables}\n{}", &text[..begin], &text[end..]);
    crestline_testing::golden::check([(path, page)]);

    let open: Vec<Feature> =
        OPEN.iter().map(|(kind, name)| Feature::parse(kind, name).expect("a feature")).collect();
    let untested: Vec<&Feature> = rows
        .iter()
        .zip(&lines)
        .filter(|(_, line)| !line.tested)
        .map(|(row, _)| &row.feature)
        .collect();
    let without: Vec<String> =
        untested.iter().filter(|f| !open.contains(f)).map(|f| f.to_string()).collect();
    assert!(without.is_empty(), "rows without a test:\n{}", without.join("\n"));
    let tested: Vec<&Feature> = open.iter().filter(|f| !untested.contains(f)).collect();
    assert!(tested.is_empty(), "open rows that have a test: {tested:?}");
}
