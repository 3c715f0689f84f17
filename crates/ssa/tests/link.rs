//! Tests linking on pipelines before and after it, in `tests/ssa/link/*.ssa`.
//!
//! A file contains several cases. A case starts with a line `// link: [OPTION]...` and the shaders of a pipeline. After
//! `// expect:` follow the report and the linked shaders; `// expect: unchanged` means that linking changes nothing.
//! Options are `captured N`, `no_fragment_shader` and `vectors`. `UPDATE_EXPECT=1` rewrites the expected results.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use crestline_ssa::ir::{IoSlot, Shader};
use crestline_ssa::link::{Components, LinkError, LinkFailure, LinkStep, Options, Report, link};
use crestline_ssa::passes;
use crestline_ssa::text::parse;
use crestline_ssa::verify::verify;
use crestline_testing::golden;

/// The shaders of a text, each of which ends with a line `}`.
fn shaders(text: &str) -> Vec<Shader> {
    let texts = text.split_inclusive("\n}\n").filter(|text| !text.trim().is_empty());
    let shader = |text: &str| {
        let shader = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        verify(&shader).unwrap_or_else(|error| panic!("{error}\n{text}"));
        shader
    };
    texts.map(shader).collect()
}

/// The options of a case.
fn options(words: &str) -> Options {
    let mut options = Options::default();
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "captured" => {
                let number = words.next().and_then(|word| word.parse().ok());
                options.captured.insert(IoSlot::Location(number.expect("a location")));
            }
            "vectors" => options.vectors = true,
            "no_fragment_shader" => options.no_fragment_shader = true,
            other => panic!("there is no option {other}"),
        }
    }
    options
}

fn linked(
    shaders: &mut [Shader],
    options: &Options,
) -> Result<Report, LinkFailure<passes::CleanError>> {
    link(shaders, options, |_, shader| {
        let options = passes::Options { verify: true, ..passes::Options::default() };
        passes::clean(shader, &options, &mut |_, _| {}).map(|_| ())
    })
}

/// The report, a line for each entry.
fn report_text(report: &Report) -> String {
    let mut out = String::new();
    let mut list = |what: &str, all: &[Components]| {
        for Components { stage, name, slot, mask } in all {
            let comps: String = "xyzw"
                .chars()
                .enumerate()
                .filter(|(i, _)| mask >> i & 1 == 1)
                .map(|(_, c)| c)
                .collect();
            let _ = writeln!(out, "// {what}: {stage:?} {name:?} {slot} {comps}");
        }
    };
    list("removed", &report.removed);
    list("constant", &report.constants);
    list("undefined", &report.undefined);
    for moved in &report.moved {
        let (from, to) = (moved.from, moved.to);
        let (stage, name) = (moved.stage, &moved.name);
        let _ = writeln!(
            out,
            "// moved: {stage:?} {name:?} {} comp {} to {} comp {}",
            from.0, from.1, to.0, to.1
        );
    }
    for slots in &report.slots {
        let (before, after) = (slots.before, slots.after);
        let _ = writeln!(out, "// slots: {before:?} to {after:?}, {} to {}", slots.from, slots.to);
    }
    out
}

/// Runs a case. Returns the text of the expectation that the result satisfies.
fn run(options: &Options, before: &str) -> String {
    let mut pipeline = shaders(before);
    let report = linked(&mut pipeline, options).unwrap_or_else(|error| panic!("{error}\n{before}"));
    let mut out = format!("// expect:\n{}", report_text(&report));
    for shader in &mut pipeline {
        verify(shader).unwrap_or_else(|error| panic!("{error}\n{shader}"));
        shader.compact();
        let _ = write!(out, "{shader}");
    }
    out
}

/// The cases of all files: path, options, text before linking.
fn cases() -> Vec<(PathBuf, Vec<(String, String)>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/ssa/link");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let of_file = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let cases = text.split("// link:").skip(1).map(|case| {
            let (options, rest) = case.split_once('\n').unwrap();
            let before = rest.split("// expect:").next().unwrap();
            (options.to_owned(), format!("{}\n", before.trim_end()))
        });
        let cases = cases.collect();
        (path, cases)
    };
    paths.into_iter().map(of_file).collect()
}

/// The comment at the start of a file.
fn heading(path: &PathBuf) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    text.split("// link:").next().unwrap().to_owned()
}

#[test]
fn linking_does_what_the_files_say() {
    golden::check(cases().into_iter().map(|(path, cases)| {
        let mut out = heading(&path);
        for (words, before) in cases {
            let after = run(&options(&words), &before);
            let _ = write!(out, "// link:{words}\n{before}\n{after}\n");
        }
        (path, format!("{}\n", out.trim_end()))
    }));
}

/// Without any one of the conditions, a case has another result, or shaders that the verifier rejects.
#[test]
fn no_condition_can_be_left_out() {
    let cases = cases();
    let all = || cases.iter().flat_map(|(_, cases)| cases);
    for step in LinkStep::ALL {
        let differs = all().any(|(words, before)| {
            let right = options(words);
            let wrong = Options { without: Some(step), ..right.clone() };
            let found = std::panic::catch_unwind(|| run(&wrong, before));
            found.ok() != Some(run(&right, before))
        });
        assert!(differs, "{step:?}");
    }
}

/// Linking a second time changes nothing more.
#[test]
fn linking_reaches_a_fixed_point() {
    for (words, before) in cases().iter().flat_map(|(_, cases)| cases) {
        let options = options(words);
        let mut pipeline = shaders(before);
        linked(&mut pipeline, &options).unwrap();
        // Captured slots keep their numbers.
        let again = linked(&mut pipeline, &options).unwrap();
        assert!(again.is_empty(), "{before}\n{again:?}");
    }
}

#[test]
fn stages_that_do_not_fit_are_errors() {
    let vertex = "vertex \"v\" {\noutput location 0: 32x4 \"a\"\nreturn\n}\n";
    let fragment = "fragment \"f\" {\ninput location 1: 32 \"b\" smooth\nreturn\n}\n";
    let far = "fragment \"f\" {\ninput location 31: 32[2] \"c\" smooth\nreturn\n}\n";
    let compute = "compute \"c\" {\nlocal_size 1, 1, 1\nreturn\n}\n";
    let text = |texts: &[&str]| {
        let failure = linked(&mut shaders(&texts.concat()), &Options::default()).unwrap_err();
        let LinkFailure::Interface { stage, error } = failure else { panic!("{failure}") };
        (stage, error)
    };
    let found: Vec<LinkError> = [
        &[][..],
        &[compute],
        &[vertex, vertex],
        &[fragment, vertex],
        &[vertex, compute],
        &[vertex, fragment],
        &[vertex, far],
    ]
    .iter()
    .map(|texts| text(texts).1)
    .collect();
    let kinds: Vec<String> = found.iter().map(LinkError::to_string).collect();
    assert_eq!(
        kinds,
        [
            "a pipeline needs at least one shader",
            "a Compute shader is not linked with others",
            "there are two Vertex shaders",
            "a Fragment shader cannot be the stage before a Vertex shader",
            "a Compute shader is not linked with others",
            "the input \"b\" reads location 1, which the previous stage does not write",
            "the variable \"c\" has location 31: expected a number below 32",
        ]
    );
    let captured =
        Options { captured: BTreeSet::from([IoSlot::Location(9)]), ..Options::default() };
    linked(&mut shaders(vertex), &captured).unwrap();
}
