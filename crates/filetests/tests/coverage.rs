//! Writes `docs/spirv-coverage.md` (`UPDATE_EXPECT=1`), and fails if a feature that real modules use has no test.

use crestline_filetests::coverage::{evidence, page, refused, rows};
use crestline_filetests::repository;
use crestline_judges::ask;
use crestline_judges::spirv::SpirvTools;

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

    let without: Vec<String> = rows
        .iter()
        .zip(&lines)
        .filter(|(_, line)| !line.tested)
        .map(|(row, _)| row.feature.to_string())
        .collect();
    assert!(without.is_empty(), "rows without a test:\n{}", without.join("\n"));
    let gaps: Vec<String> = rows
        .iter()
        .zip(&lines)
        .flat_map(|(row, line)| {
            line.gaps.iter().map(move |stage| format!("{stage}: {}", row.feature))
        })
        .collect();
    assert!(gaps.is_empty(), "stages without a test:\n{}", gaps.join("\n"));
}
