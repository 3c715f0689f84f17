//! The documents that are made from the code: the schema of reports, the pages about metrics and hints.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crestline_analysis::{Document, HINTS, METRICS};
use crestline_testing::golden;

fn docs(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::path::absolute(root.join("docs").join(name)).expect("the path of a document")
}

#[test]
fn the_schema_is_that_of_the_types() {
    golden::check([(docs("analysis.schema.json"), Document::schema())]);
}

#[test]
fn the_page_about_hints_is_the_table_of_rules() {
    let mut page = String::from(
        "# Hints\n\nThis page is for users of `crestline analyze`. It lists the rules for hints. `--without-hint ID` leaves one out. A rule gives at most\n\
         eight hints for a program, and one for each source line.\n\n| rule | condition | advice |\n| --- | --- | --- |\n",
    );
    for (number, rule) in HINTS.iter().enumerate() {
        assert_eq!(rule.id, format!("H{}", number + 1));
        let _ = writeln!(page, "| {} | {} | {} |", rule.id, rule.condition, rule.advice);
    }
    golden::check([(docs("hints.md"), page)]);
}

#[test]
fn the_page_about_the_command_lists_the_metrics() {
    let page = std::fs::read_to_string(docs("command-line.md")).expect("the page");
    let (before, rest) = page.split_once("<!-- metrics: ").expect("the start of the table");
    let (comment, rest) = rest.split_once("-->\n").expect("the end of the comment");
    let (_, after) = rest.split_once("<!-- end -->").expect("the end of the table");
    let mut table = String::from("\n| name | what it is |\n| --- | --- |\n");
    for metric in METRICS {
        let _ = writeln!(table, "| `{}` | {} |", metric.name, metric.meaning);
    }
    let new = format!("{before}<!-- metrics: {comment}-->\n{table}\n<!-- end -->{after}");
    golden::check([(docs("command-line.md"), new)]);
}
