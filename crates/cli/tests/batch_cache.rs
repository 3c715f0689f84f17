//! The cache of `crestline batch`: in a folder, damaged, and on a server that speaks the protocol of Amazon S3.

mod scratch;

use std::path::{Path, PathBuf};

use crestline_judges::python::Python;
use scratch::{DOUBLE, Scratch};

/// All files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

#[test]
fn a_second_run_takes_everything_from_the_cache() {
    let scratch = Scratch::new("cache");
    let arguments = "batch shaders --target skl,hsw --simd 8,auto --cache kept/here";
    let said = scratch.succeed(&format!("{arguments} -o one.jsonl"));
    assert!(said.ends_with("9 refused, 0 given up, 0 modules from the cache\n"), "{said}");
    let said = scratch.succeed(&format!("{arguments} -o two.jsonl"));
    assert!(said.ends_with("9 refused, 0 given up, 4 modules from the cache\n"), "{said}");
    scratch.succeed("batch shaders --target skl,hsw --simd 8,auto -q -o without.jsonl");
    assert_eq!(scratch.read("one.jsonl"), scratch.read("two.jsonl"));
    assert_eq!(scratch.read("one.jsonl"), scratch.read("without.jsonl"));
    // A module under another name, a target more, and a module that changed.
    let from_cache = |scratch: &Scratch, arguments: &str| {
        let said = scratch.succeed(arguments);
        let (before, _) = said.split_once(" modules from the cache").expect("a count");
        before.rsplit(' ').next().and_then(|count| count.parse::<u32>().ok()).expect("a count")
    };
    std::fs::rename(scratch.0.join("shaders/double.wgsl"), scratch.0.join("shaders/x.wgsl"))
        .expect("another name");
    assert_eq!(from_cache(&scratch, &format!("{arguments} -o three.jsonl")), 4);
    assert!(scratch.read("three.jsonl").contains("shaders/x.wgsl"));
    assert!(!scratch.read("three.jsonl").contains("double"));
    let more = arguments.replace("skl,hsw", "bdw,skl");
    assert_eq!(from_cache(&scratch, &format!("{more} -o four.jsonl")), 0);
    assert_eq!(from_cache(&scratch, &format!("{more} -o four.jsonl")), 4);
    scratch.put("shaders/x.wgsl", DOUBLE.replace("2u", "3u"));
    assert_eq!(from_cache(&scratch, &format!("{more} -o five.jsonl")), 3);
    // Constants of `--spec` are a part of the key.
    assert_eq!(from_cache(&scratch, &format!("{more} -o six.jsonl --spec 7=1")), 0);
}

#[test]
fn damaged_objects_are_made_again() {
    let scratch = Scratch::new("damage");
    let arguments = "batch shaders --target skl --cache kept";
    scratch.succeed(&format!("{arguments} -o one.jsonl"));
    let rows = files(&scratch.0.join("kept/rows"));
    assert_eq!(rows.len(), 4);
    // One byte, nothing at all, and the object of another module.
    let mut bytes = std::fs::read(&rows[0]).expect("an object");
    let last = bytes.len() - 3;
    bytes[last] ^= 1;
    std::fs::write(&rows[0], &bytes).expect("damage");
    std::fs::write(&rows[1], "").expect("damage");
    std::fs::copy(&rows[3], &rows[2]).expect("damage");
    let said = scratch.succeed(&format!("{arguments} -o two.jsonl"));
    assert!(said.contains("warning: 3 damaged objects of the cache are made again"), "{said}");
    assert!(said.ends_with(", 1 modules from the cache\n"), "{said}");
    assert_eq!(scratch.read("one.jsonl"), scratch.read("two.jsonl"));
    let said = scratch.succeed(&format!("{arguments} -o three.jsonl"));
    assert!(said.ends_with(", 4 modules from the cache\n") && !said.contains("damaged"), "{said}");
    // A cache that cannot be written or read does not stop the batch.
    std::fs::remove_dir_all(scratch.0.join("kept")).expect("the cache goes away");
    scratch.put("kept", "a file");
    let said = scratch.fail(&format!("{arguments} -o four.jsonl"));
    assert!(said.contains("error[E1301]: --cache: kept: cannot make the folder"), "{said}");
}

#[test]
fn programs_are_written_and_kept() {
    let scratch = Scratch::new("programs");
    let arguments = "batch shaders --target skl --cache kept -q";
    scratch.succeed(&format!("{arguments} -o one.jsonl --programs first"));
    let names = |folder: &str| {
        let folder = scratch.0.join(folder);
        let below = |path: PathBuf| path.strip_prefix(&folder).expect("below").to_owned();
        files(&folder).into_iter().map(below).collect::<Vec<_>>()
    };
    let expected = [
        "shaders/deep/two.wgsl/first.compute.skl.auto.json",
        "shaders/deep/two.wgsl/second.vertex.skl.auto.json",
        "shaders/double.wgsl/main.compute.skl.auto.json",
    ];
    assert_eq!(names("first"), expected.map(PathBuf::from));
    scratch.succeed(&format!("{arguments} -o two.jsonl --programs second"));
    let direct = "compile shaders/double.wgsl --target skl -o direct.json";
    scratch.succeed(direct);
    for name in expected {
        let first = scratch.read(&format!("first/{name}"));
        assert_eq!(first, scratch.read(&format!("second/{name}")));
    }
    // The program is what `compile` writes, apart from its entry point, which was given.
    assert_eq!(scratch.read("direct.json"), scratch.read(&format!("first/{}", expected[2])));
    scratch.succeed(&format!("analyze first/{} --target skl -o report.txt", expected[2]));
}

#[test]
fn caches_on_an_s3_server_are_shared() {
    let Some(python) = crestline_judges::ask(Python::prepared()) else { return };
    let server = python.serve_s3().expect("the server starts");
    let answer = server.request("PUT /cache", &[]).expect("an answer");
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    let run = |scratch: &Scratch, bucket: &str, more: &str| {
        let endpoint = format!("http://{}", server.address());
        let arguments = format!("batch shaders --target skl --cache s3://{bucket}/a/b {more}");
        let output = scratch
            .command(&arguments)
            .env("AWS_ENDPOINT_URL", endpoint)
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test")
            .output()
            .expect("the binary runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        said
    };
    let (one, two) = (Scratch::new("s3-one"), Scratch::new("s3-two"));
    let said = run(&one, "cache", "-o r.jsonl");
    assert!(said.ends_with(", 0 modules from the cache\n"), "{said}");
    // Another machine has what this one compiled.
    let said = run(&two, "cache", "-o r.jsonl --programs out");
    assert!(said.ends_with(", 4 modules from the cache\n"), "{said}");
    assert_eq!(one.read("r.jsonl"), two.read("r.jsonl"));
    assert!(
        two.read("out/shaders/double.wgsl/main.compute.skl.auto.json").contains("binding_table")
    );
    // The server's objects are under the path of the URL; a damaged one is made again.
    let list = server.request("GET /cache?list-type=2&prefix=a/b/rows", &[]).expect("an answer");
    let list = String::from_utf8_lossy(&list).into_owned();
    let keys: Vec<&str> =
        list.split("<Key>").skip(1).filter_map(|rest| rest.split('<').next()).collect();
    assert_eq!(keys.len(), 4, "{list}");
    server.request(&format!("PUT /cache/{}", keys[0]), b"something else").expect("an answer");
    let said = run(&two, "cache", "-o s.jsonl");
    assert!(said.contains("warning: 1 damaged objects"), "{said}");
    assert!(said.ends_with(", 3 modules from the cache\n"), "{said}");
    assert_eq!(one.read("r.jsonl"), two.read("s.jsonl"));
    // A bucket that does not exist: the batch goes on without it.
    let said = run(&two, "absent", "-o t.jsonl");
    assert!(said.contains("warning: the batch goes on without the cache: "), "{said}");
    assert_eq!(said.matches("warning").count(), 1, "{said}");
    assert_eq!(one.read("r.jsonl"), two.read("t.jsonl"));
}

#[test]
fn places_that_are_no_caches_are_refused() {
    let scratch = Scratch::new("places");
    let error = scratch.fail("batch shaders --target skl -o r.csv --cache ftp://host/x");
    assert!(error.contains("error[E1301]: --cache: `ftp://host/x`: expected a folder"), "{error}");
    let error = scratch.fail("batch shaders --target skl -o r.csv --cache http://host/x");
    assert!(error.contains("`http:` is no storage for caches"), "{error}");
}
