//! `crestline batch` and `crestline report`, as a user starts them.

mod scratch;

use std::path::Path;

use scratch::{DOUBLE, Scratch};

#[test]
fn bad_modules_have_rows_and_the_others_are_compiled() {
    let scratch = Scratch::new("rows");
    let said = scratch.succeed("batch shaders -o all.csv --target skl,hsw --simd 8,auto");
    let last = said.lines().last().unwrap_or_default();
    // Three entry points (the vertex shader has no SIMD8 on hsw) and two modules without any, for two targets and two widths.
    assert_eq!(last, "all.csv: 4 modules, 11 programs, 9 refused, 0 given up");
    let text = scratch.read("all.csv");
    let start = |start: &str| text.lines().find(|line| line.starts_with(start)).expect("the row");
    assert!(start("shaders/bad.wgsl,,,hsw,8,0,").contains(",refused,E0703,"));
    assert!(start("shaders/empty.spv,,,skl,auto,0,").contains(",refused,"));
    assert!(start("shaders/double.wgsl,main,compute,skl,auto,").contains(",compiled,"));
    assert!(start("shaders/deep/two.wgsl,second,vertex,skl,8,8,").contains(",compiled,"));
    assert!(!text.contains("readme"));
    let files = std::fs::read_dir(&scratch.0).expect("the folder").count();
    assert_eq!(files, 2, "only the shaders and the result file are left");
}

#[test]
fn parts_and_processes_do_not_change_the_result() {
    let scratch = Scratch::new("parts");
    for number in 0..6 {
        scratch.put(&format!("shaders/n{number}.wgsl"), DOUBLE);
    }
    scratch.put("list.txt", "# a list\nshaders/deep\n\nshaders/*.wgsl\nshaders/empty.spv\n");
    scratch.succeed("batch shaders -q -o one.jsonl --target skl --jobs 1");
    scratch.succeed("batch @list.txt -q -o four.jsonl --target skl --jobs 4");
    let whole = scratch.read("one.jsonl");
    assert_eq!(whole, scratch.read("four.jsonl"));
    for part in 1..=3 {
        scratch
            .succeed(&format!("batch shaders -q -o p{part}.jsonl --target skl --shard {part}/3"));
    }
    scratch.succeed("batch --merge p1.jsonl p2.jsonl p3.jsonl p2.jsonl -o merged.jsonl");
    assert_eq!(whole, scratch.read("merged.jsonl"));
    let error = scratch.fail("batch shaders -o x.jsonl --target skl --shard 4/3");
    assert!(error.contains("error[E1301]: --shard: expected a part as K/N"), "{error}");
}

#[test]
fn interrupted_batches_continue() {
    let scratch = Scratch::new("resume");
    scratch.succeed("batch shaders -q -o r.jsonl --target skl");
    let whole = scratch.read("r.jsonl");
    // What an interrupted batch leaves: the row of one module, recognisable by its count, and a line without an end.
    let row = whole.lines().find(|line| line.contains("double.wgsl")).expect("a row");
    let (before, rest) = row.split_once("\"instructions\":").expect("a count");
    let (_, after) = rest.split_once(',').expect("more fields");
    let marked = format!("{before}\"instructions\":123456,{after}");
    let header = whole.lines().next().expect("a header");
    let header = header.replace("\"}", ", targets skl, widths auto\"}");
    let part = format!("{header}\n{marked}\n{}", &marked[..30]);
    scratch.put("r.jsonl.part", &part);
    let said = scratch.succeed("batch shaders -o r.jsonl --target skl");
    assert!(said.contains("1 of 4 modules were compiled by an earlier run"), "{said}");
    assert_eq!(scratch.read("r.jsonl"), whole.replace(row, &marked));
    assert!(!scratch.0.join("r.jsonl.part").exists());
    // A module that changed is compiled again, and rows for other settings do not count.
    scratch.put("r.jsonl.part", &part);
    scratch.put("shaders/double.wgsl", format!("// changed\n{DOUBLE}"));
    scratch.succeed("batch shaders -q -o r.jsonl --target skl");
    assert!(!scratch.read("r.jsonl").contains("123456"));
    scratch.put("shaders/double.wgsl", DOUBLE);
    scratch.put("r.jsonl.part", &part);
    scratch.succeed("batch shaders -q -o r.jsonl --target hsw");
    assert!(!scratch.read("r.jsonl").contains("123456"));
}

#[test]
fn modules_that_take_too_long_are_given_up() {
    let scratch = Scratch::new("time");
    let mut text = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
"
    .to_owned();
    // Compiling so many accesses takes many seconds.
    for number in 0..40_000u32 {
        text += &format!("data[id.x + {number}u] = data[id.y] * {number}u;\n");
    }
    scratch.put("shaders/long.wgsl", &(text + "}\n"));
    let said = scratch.succeed(
        "batch shaders/long.wgsl shaders/double.wgsl -o t.csv --target skl --time 1 --jobs 1",
    );
    let text = scratch.read("t.csv");
    let row = text.lines().find(|line| line.contains("long.wgsl")).expect("a row");
    assert!(row.contains(",given_up,,it takes more than 1 seconds,"), "{row} {said}");
    assert!(text.lines().any(|line| line.starts_with("shaders/double.wgsl,main,compute,skl")));
}

#[test]
fn reports_show_what_changed() {
    let scratch = Scratch::new("report");
    scratch.succeed("batch shaders -q -o old.jsonl --target skl --simd 8");
    let old = scratch.read("old.jsonl");
    let row = old.lines().find(|line| line.contains("double.wgsl")).expect("a row");
    let count: u32 = row
        .split_once("\"instructions\":")
        .and_then(|(_, rest)| rest.split_once(',')?.0.parse().ok())
        .expect("a count");
    let worse = row.replace(
        &format!("\"instructions\":{count},"),
        &format!("\"instructions\":{},", 2 * count),
    );
    scratch.put("new.jsonl", old.replace(row, &worse));
    let report = |format: &str| {
        let output = scratch.run(&format!("report old.jsonl new.jsonl --format {format}"));
        assert!(output.status.success());
        String::from_utf8(output.stdout).expect("a text")
    };
    assert!(report("text").contains("3 pairs of programs"));
    let worst =
        format!("- 2.000  {count} to {}  SIMD8  shaders/double.wgsl main skl SIMD8", 2 * count);
    assert!(report("markdown").contains(&worst));
    let json: serde_json::Value = serde_json::from_str(&report("json")).expect("JSON");
    assert_eq!(json["statistics"][0]["worse"], 1);
    // Files that are none of ours.
    scratch.put("wrong.jsonl", "{\"schema\":\"other\"}\n");
    let error = scratch.fail("report old.jsonl wrong.jsonl");
    assert!(
        error.contains("error[E1302]: line 1: expected {\"schema\":\"crestline-batch\""),
        "{error}"
    );
    assert!(error.contains("wrong.jsonl"), "{error}");
    scratch.put("cut.jsonl", &old[..old.len() - 9]);
    assert!(scratch.fail("report cut.jsonl old.jsonl").contains("error[E1302]: line "));
}

#[test]
fn wrong_inputs_are_named() {
    let scratch = Scratch::new("inputs");
    for (arguments, expected) in [
        ("batch absent.spv -o r.csv --target skl", "absent.spv: cannot read it"),
        (
            "batch shaders -o r.txt --target skl",
            "expected one that ends with .jsonl, .csv or .parquet",
        ),
        ("batch shaders/*.frag -o r.csv --target skl", "shaders/*.frag: found no shader"),
        ("batch shaders/[ -o r.csv --target skl", "`shaders/[`"),
        ("batch @absent -o r.csv --target skl", "absent: cannot read it"),
        ("batch shaders -o absent/r.csv --target skl", "cannot write the file"),
    ] {
        let error = scratch.fail(arguments);
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    assert!(!Path::new(&scratch.0).join("r.csv").exists());
}
