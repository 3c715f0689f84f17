//! The JSON documents of the commands are those of the schemas in `docs/schemas`, by Python's `jsonschema`.

mod scratch;

use std::collections::BTreeMap;
use std::path::Path;

use crestline_judges::python::Python;
use scratch::Scratch;
use serde_json::Value;

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Validates `{schema: [document]}` of standard input; the schemas allow no fields that they do not name.
const SCRIPT: &str = "import json, pathlib, sys, jsonschema
folder = pathlib.Path(sys.argv[1])
for name, documents in json.load(open(sys.argv[2])).items():
    schema = json.loads((folder / f'{name}.schema.json').read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for document in documents:
        error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(document))
        if error:
            sys.exit(f'{name}: {error.json_path}: {error.message}')
    print(name, len(documents))";

#[test]
fn documents_are_those_of_their_schemas() {
    let scratch = Scratch::new("schemas");
    let copy = |from: &str, to: &str| {
        std::fs::copy(root().join(from), scratch.0.join(to)).expect("a file");
    };
    copy("examples/mandelbrot.wgsl", "m.wgsl");
    copy("fuzz/seeds/error_state/words", "state");
    copy("examples/drawing.amber", "drawing.amber");
    scratch.put("good.asm", "mov(8) g1<1>UD g2<8,8,1>UD { align1 1Q };\n");
    scratch.put("bad.asm", "mov(8 g1\nxyz\n");
    scratch.put("hole.hex", "7f00000000000000 0000000000000000\n");
    // Code that breaks a rule.
    scratch.put("wrong.hex", "01006000e83a202041008d0000000000\n");
    scratch.succeed("compile m.wgsl --target skl -o m.bin");
    let mut found: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    let mut add = |schema: &'static str, text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        let stream = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let all: Vec<Value> = stream
            .collect::<Result<_, _>>()
            .unwrap_or_else(|error| panic!("{schema}: {error}: {text}"));
        assert!(!all.is_empty(), "{schema}: no document");
        found.entry(schema).or_default().extend(all);
    };
    for (schema, arguments) in [
        ("disasm", "disasm m.bin --target skl --json"),
        ("disasm", "disasm m.bin --target skl --syntax iga --json"),
        ("disasm", "disasm hole.hex --target skl --json"),
        ("error-state", "disasm state --target skl --error-state --json"),
        ("validate", "validate m.bin --target skl --json"),
        ("validate", "validate hole.hex --target skl --json"),
        ("validate", "validate wrong.hex --target skl --json"),
        ("asm", "asm good.asm --target skl --json"),
        ("asm", "asm bad.asm --target skl --json"),
        ("fields", "fields m.bin --target skl --json"),
        ("fields", "fields hole.hex --target skl --json"),
        ("region", "region g4<8;4,2>:f --exec 8 --json"),
        ("amber", "amber drawing.amber --target skl --show stats --json"),
    ] {
        add(schema, &scratch.run(arguments).stdout);
    }
    for arguments in ["asm bad.asm --target skl --json", "compile none.comp --target skl --json"] {
        add("error", &scratch.run(arguments).stderr);
    }
    scratch
        .succeed("run m.wgsl --target skl --dispatch 2 --bind 0.0=zero:1048576 --profile p.json");
    add("profile", scratch.read("p.json").as_bytes());
    scratch.succeed("batch shaders m.wgsl -q -o old.jsonl --target skl,hsw");
    scratch.put("m.wgsl", scratch.read("m.wgsl").replace("32u", "16u").replace("i < ", "1 + i < "));
    scratch.put("shaders/double.wgsl", "@compute @workgroup_size(1) fn main() {}");
    scratch.succeed("batch shaders m.wgsl -q -o new.jsonl --target skl,hsw");
    add("batch", scratch.read("old.jsonl").as_bytes());
    add("batch-report", &scratch.run("report old.jsonl new.jsonl --format json").stdout);
    let Some(python) = crestline_judges::ask(Python::prepared()) else { return };
    scratch.put("all.json", serde_json::to_string(&found).expect("JSON"));
    let said = python
        .run(SCRIPT, &[root().join("docs/schemas").as_ref(), scratch.0.join("all.json").as_ref()]);
    let said = said.unwrap_or_else(|error| panic!("{error}"));
    // Every schema was used, and a schema refuses what it does not name.
    let names: Vec<String> = std::fs::read_dir(root().join("docs/schemas"))
        .expect("the schemas")
        .map(|entry| {
            entry.expect("an entry").file_name().to_string_lossy().replace(".schema.json", "")
        })
        .collect();
    assert_eq!(names.len(), said.lines().count(), "{said}");
    for name in names {
        let documents =
            found.get_mut(name.as_str()).unwrap_or_else(|| panic!("no document for {name}"));
        documents[0]["surprise"] = true.into();
        scratch.put("bad.json", serde_json::json!({ &name: &documents[..1] }).to_string());
        let bad = python.run(
            SCRIPT,
            &[root().join("docs/schemas").as_ref(), scratch.0.join("bad.json").as_ref()],
        );
        assert!(bad.is_err(), "{name} takes a field that it does not name");
    }
}
