//! Tests programs in JSON: `exec` accepts the output of `compile --emit json` in every form. Also tests the diagnostics
//! of a run, and `--strict`, which makes them errors.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// A scratch folder that goes away.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("crestline-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a scratch folder");
        Scratch(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).expect("an input file");
    }

    fn run(&self, words: &str) -> Output {
        crestline(&self.0, words)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that stays is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn crestline(folder: &Path, words: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crestline"))
        .args(words.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = data[id.x] * 3u + 1u + id.x; }
";

const RUN: &str = "--target skl --dispatch 1 --bind 0.0=zero:32 --print 0.0=u32:8";

#[test]
fn what_compile_writes_exec_takes() {
    let scratch = Scratch::new("documents");
    scratch.write("a.wgsl", SHADER.as_bytes());
    let expected = scratch.run(&format!("run a.wgsl {RUN}"));
    let expected = (text(&expected.stdout), text(&expected.stderr), Some(0));
    assert!(expected.0.contains("1 2 3 4 5 6 7 8"), "{}", expected.0);
    for (emit, output) in [("json", "a.json"), ("bin", "a.bin"), ("zebin", "a.zebin")] {
        let words = format!("compile a.wgsl --target skl --emit {emit} -o {output}");
        let compiled = scratch.run(&words);
        assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    }
    let document = std::fs::read_to_string(scratch.0.join("a.json")).expect("was written");
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(document["metadata"]["version"], 2);
    scratch.write("meta.json", document["metadata"].to_string().as_bytes());
    // The same as a program of version 1.
    let mut old = document.clone();
    let dispatch = old["metadata"]["dispatches"][0].clone();
    let metadata = old["metadata"].as_object_mut().expect("an object");
    metadata.remove("dispatches");
    metadata.remove("lines");
    metadata.insert("version".into(), json!(1));
    metadata.insert("simd_width".into(), dispatch["simd_width"].clone());
    metadata.insert("payload".into(), dispatch["payload"].clone());
    old["statistics"] = dispatch["statistics"].clone();
    scratch.write("old.json", old.to_string().as_bytes());
    for given in [
        "a.json",
        "old.json",
        "a.bin --meta a.json",
        "a.bin --meta meta.json",
        "a.bin --meta old.json",
        "a.zebin --meta a.json",
        "a.json --meta meta.json",
    ] {
        let found = scratch.run(&format!("exec {given} {RUN}"));
        let found = (text(&found.stdout), text(&found.stderr), found.status.code());
        assert_eq!(found, expected, "{given}");
    }
}

/// Reads past the end of one buffer and writes past the end of another.
const OUTSIDE: &str = "#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer A { uint a[]; } arrays[2];
layout(set = 1, binding = 2) buffer B { uint b[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i < 4) { b[i] = arrays[1].a[i + 2]; } else { b[i] = 7; }
}
";

#[test]
fn strict_makes_an_error_of_what_a_run_reports() {
    let scratch = Scratch::new("strict");
    scratch.write("a.comp", OUTSIDE.as_bytes());
    let run =
        "--target skl --dispatch 1 --bind 0.0[0]=zero:16 --bind 0.0[1]=zero:16 --print 1.2=u32:8";
    let within = format!("{} --bind 1.2=zero:32", run.replace("0.0[1]=zero:16", "0.0[1]=zero:24"));
    let outside = format!("{run} --bind 1.2=zero:24");
    // Each says what it names: a buffer, an element of an array.
    let (written, read) = (
        "writes 4 bytes at 0x18 of the buffer 1.2 (binding table index",
        "reads 4 bytes at 0x10 of the buffer 0.0[1] (binding table index",
    );

    let fine = scratch.run(&format!("run a.comp {within} --strict"));
    assert_eq!((text(&fine.stderr), fine.status.code()), (String::new(), Some(0)));

    let warned = scratch.run(&format!("run a.comp {outside}"));
    let said = text(&warned.stderr);
    assert_eq!(warned.status.code(), Some(0), "{said}");
    assert!(said.starts_with("warning: ") && said.contains(written), "{said}");

    let failed = scratch.run(&format!("run a.comp {outside} --strict"));
    let said = text(&failed.stderr);
    assert_eq!(failed.status.code(), Some(1), "{said}");
    assert!(
        said.contains("error[E1103]") && said.contains(written) && said.contains(read),
        "{said}"
    );
    // Results are there all the same.
    assert_eq!(text(&failed.stdout), text(&warned.stdout));
    assert!(text(&failed.stdout).contains("0 0 0 0 7 7"), "{}", text(&failed.stdout));

    // Machine code as it is: everything counts.
    let compile = "compile a.comp --target skl --emit json -o a.json";
    assert!(scratch.run(compile).status.success());
    let failed = scratch.run(&format!("exec a.json {outside} --strict --json"));
    assert_eq!(failed.status.code(), Some(1));
    let said = text(&failed.stderr);
    let lines: Vec<Value> =
        said.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect();
    let about = |wanted: &str| {
        let told = |line: &&Value| line["message"].as_str().unwrap_or_default().contains(wanted);
        lines.iter().find(told).unwrap_or_else(|| panic!("{wanted}: {said}"))
    };
    for wanted in [written, read] {
        assert_eq!(about(wanted)["code"], "E1103");
        assert_eq!(about(wanted)["severity"], "error");
        assert_eq!(about(wanted)["file"], "a.json");
    }
}

#[test]
fn every_command_has_its_errors_as_json() {
    let scratch = Scratch::new("json-errors");
    scratch.write("a.comp", b"#version 450\nvoid main() {\n    x = 1;\n}\n");
    scratch.write("a.spv", &[3, 2, 35, 7]);
    scratch.write("a.txt", b"xyz\n");
    scratch.write("m.json", b"{\"version\": 3}");
    for (words, code, file) in [
        ("compile a.comp --target skl", "E0703", Some("a.comp")),
        ("compile a.spv --target skl", "E0101", Some("a.spv")),
        ("run a.comp --target skl --dispatch 1", "E0703", Some("a.comp")),
        ("exec a.txt --meta m.json --target skl --dispatch 1", "E1002", Some("m.json")),
        ("disasm none.bin --target skl", "E0801", Some("none.bin")),
        ("validate none.bin --target skl", "E0801", Some("none.bin")),
        ("fields none.bin --target skl", "E0801", Some("none.bin")),
        ("asm none.asm --target skl", "E0801", Some("none.asm")),
        ("region g4<8;4>:f --exec 8", "E1006", Some("<operand>")),
    ] {
        let output = scratch.run(&format!("{words} --json"));
        assert_eq!(output.status.code(), Some(1), "{words}");
        let said = text(&output.stderr);
        let error: Value = serde_json::from_str(said.lines().next().unwrap_or_default())
            .unwrap_or_else(|error| panic!("{words}: {error}: {said}"));
        assert_eq!((&error["severity"], &error["code"]), (&json!("error"), &json!(code)), "{said}");
        assert_eq!(error["file"].as_str(), file, "{words}: {said}");
        assert!(error["notes"].is_array() && error["message"].is_string(), "{said}");
    }
    let version = scratch.run("exec a.txt --meta m.json --target skl --dispatch 1 --json");
    assert!(text(&version.stderr).contains("expected 1 to 2"));
}
