//! What `crestline batch` reads and writes besides shaders and JSON lines: Fossilize databases, specialization constants, Parquet.

mod scratch;

use crestline_frontend::{Language, Source, to_spirv};
use crestline_judges::python::Python;
use crestline_testing::fossilize::{Form, Writer, stage, tag};
use scratch::Scratch;
use serde_json::Value;

/// The loop is unrolled if `COUNT` is small, and removed if it is 0.
const LOOP: &str = "#version 450
layout(local_size_x = 8) in;
layout(constant_id = 3) const uint COUNT = 2u;
layout(constant_id = 5) const bool NEGATE = false;
layout(std430, binding = 0) buffer Data { float data[]; };
void main() {
    float sum = 0.0;
    for (uint n = 0u; n < COUNT; n++) { sum += sin(data[n * 8u]); }
    data[gl_GlobalInvocationID.x] = NEGATE ? 1.0 / sum : sum;
}
";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 target;
void main() { target = colour * 0.5; }
";

const VERTEX: &str = "#version 450
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 colour;
void main() { colour = place; gl_Position = place; }
";

fn spirv(name: &str, text: &str) -> Vec<u32> {
    let source = Source { name, language: Language::Glsl, bytes: text.as_bytes() };
    to_spirv(&source).expect("SPIR-V")
}

/// The rows of a result file.
fn rows(scratch: &Scratch, name: &str) -> Vec<Value> {
    let text = scratch.read(name);
    text.lines().skip(1).map(|line| serde_json::from_str(line).expect("a row")).collect()
}

fn row<'r>(rows: &'r [Value], module: &str) -> &'r Value {
    let mut found = rows.iter().filter(|row| row["module"] == module);
    let row = found.next().unwrap_or_else(|| panic!("no row of {module}"));
    assert!(found.next().is_none(), "two rows of {module}");
    row
}

/// A database with four pipelines: three of a compute shader, two of which are equal, and one of two stages.
fn database(form: Form) -> Vec<u8> {
    let mut writer = Writer::new(form);
    writer.module(0xa, &spirv("a.comp", LOOP));
    writer.module(0xb, &spirv("b.vert", VERTEX));
    writer.module(0xc, &spirv("c.frag", FRAGMENT));
    writer.module(0xd, &spirv("d.comp", LOOP));
    writer.compute(1, &stage(0x20, "main", 0xa, &[]));
    writer.compute(2, &stage(0x20, "main", 0xa, &[(3, 0), (9, 9)]));
    writer.compute(3, &stage(0x20, "main", 0xa, &[(9, 9), (3, 0)]));
    writer.compute(4, &stage(0x20, "main", 0xa, &[(3, 64), (5, 7)]));
    let stages = [stage(0x1, "main", 0xb, &[]), stage(0x10, "main", 0xc, &[])];
    writer.graphics(5, &stages);
    // An entry point that does not exist, a stage that is not compiled, a module that is not there.
    writer.compute(6, &stage(0x20, "other", 0xa, &[]));
    writer.graphics(7, &[stage(0x80, "main", 0xb, &[]), stage(0x1, "main", 0xee, &[])]);
    writer.entry(tag::COMPUTE, 8, b"{\"version\":6}");
    writer.finish()
}

#[test]
fn each_stage_of_a_fossilize_database_is_a_module() {
    let scratch = Scratch::new("foz");
    std::fs::create_dir(scratch.0.join("games")).expect("a folder");
    scratch.put("games/a.foz", database(Form::Deflated));
    scratch.put("games/b.foz", database(Form::Stored));
    let said = scratch.succeed("batch games -o r.jsonl --target skl --simd 8");
    assert!(said.contains("r.jsonl: 22 modules, 14 programs, 8 refused, 0 given up"), "{said}");
    let rows = rows(&scratch, "r.jsonl");
    for name in ["games/a.foz", "games/b.foz"] {
        let of = |module: &str| row(&rows, &format!("{name}/{module}"));
        let count = |number: u32| {
            let row = of(&format!("compute/{number:016x}/compute"));
            assert_eq!(row["outcome"], "compiled", "{row}");
            row["instructions"].as_u64().expect("a count")
        };
        // Two trips unrolled, none, a loop of 64.
        assert!(count(1) > count(2), "{} {}", count(1), count(2));
        assert_eq!(count(2), count(3));
        let row = of("compute/0000000000000004/compute");
        assert_eq!(
            (&row["loops"], &row["entry"], &row["stage"]),
            (&1.into(), &"main".into(), &"compute".into())
        );
        assert_eq!(of("graphics/0000000000000005/vertex")["outcome"], "compiled");
        assert_eq!(of("graphics/0000000000000005/fragment")["stage"], "fragment");
        // No pipeline uses this module.
        assert_eq!(of("module/000000000000000d")["instructions"], count(1));
        let refused = |module: &str| {
            let row = of(module);
            assert_eq!(row["outcome"], "refused", "{row}");
            row["message"].as_str().expect("a message").to_owned()
        };
        assert!(refused("compute/0000000000000006/compute").contains("other"));
        assert!(refused("graphics/0000000000000007/stage_0x80").contains("`stage_0x80`"));
        assert!(
            refused("graphics/0000000000000007/vertex")
                .contains("no shader module 00000000000000ee")
        );
        assert!(refused("compute/0000000000000008").contains("missing field"));
    }
    // Parts of several machines are the whole.
    for part in 1..=3 {
        scratch.succeed(&format!(
            "batch games -q -o p{part}.jsonl --target skl --simd 8 --shard {part}/3"
        ));
    }
    scratch.succeed("batch --merge p1.jsonl p2.jsonl p3.jsonl -o merged.jsonl");
    assert_eq!(scratch.read("r.jsonl"), scratch.read("merged.jsonl"));
    // The cache has them too; what cannot be read is read again.
    scratch.succeed("batch games -q -o c.jsonl --target skl --simd 8 --cache kept");
    let said =
        scratch.succeed("batch games -o d.jsonl --target skl --simd 8 --cache kept --programs out");
    assert_eq!(scratch.read("r.jsonl"), scratch.read("d.jsonl"));
    assert!(said.contains(" modules from the cache"), "{said}");
    let program = "out/games/a.foz/compute/0000000000000004/compute/main.compute.skl.8.json";
    assert!(scratch.read(program).contains("\"metadata\""));
}

#[test]
fn a_database_that_is_damaged_does_not_stop_the_batch() {
    let scratch = Scratch::new("foz-bad");
    let whole = database(Form::Stored);
    scratch.put("cut.foz", &whole[..whole.len() - 3]);
    scratch.put("zip.foz", "PK\x03\x04 something else");
    let mut bad = whole.clone();
    // A byte in the first module, whose checksum then is another one.
    bad[16 + 56 + 200] ^= 0x10;
    scratch.put("bad.foz", bad);
    let said = scratch.succeed("batch cut.foz zip.foz bad.foz -o r.jsonl --target skl --simd 8");
    assert!(said.contains("warning: cut.foz: the last entry is cut off and left out"), "{said}");
    let rows = rows(&scratch, "r.jsonl");
    assert!(
        row(&rows, "zip.foz")["message"]
            .as_str()
            .expect("a message")
            .contains("not a Fossilize database")
    );
    let message = &row(&rows, "bad.foz/compute/0000000000000001/compute")["message"];
    assert!(message.as_str().expect("a message").contains("its CRC32 is"), "{message}");
    assert_eq!(row(&rows, "bad.foz/graphics/0000000000000005/vertex")["outcome"], "compiled");
    assert_eq!(row(&rows, "cut.foz/compute/0000000000000001/compute")["outcome"], "compiled");
}

#[test]
fn constants_are_given_to_the_modules_that_have_them() {
    let scratch = Scratch::new("spec");
    scratch.put("shaders/loop.comp", LOOP);
    scratch.put("shaders/named.wgsl", "override scale: f32 = 1.0;
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= scale; }
");
    let run = |name: &str, more: &str| {
        scratch.succeed(&format!("batch shaders -q -o {name} --target skl --simd 8 {more}"));
        rows(&scratch, name)
    };
    let plain = run("a.jsonl", "");
    let with = run("b.jsonl", "--spec 3=0 --spec scale=2.5");
    let count =
        |rows: &[Value], module: &str| row(rows, module)["instructions"].as_u64().expect("a count");
    assert!(count(&plain, "shaders/loop.comp") > count(&with, "shaders/loop.comp"));
    assert!(count(&plain, "shaders/named.wgsl") < count(&with, "shaders/named.wgsl"));
    // The other modules have no such constant, and are as they were.
    assert_eq!(row(&plain, "shaders/double.wgsl"), row(&with, "shaders/double.wgsl"));
    // `compile` gives the same code for the same constants.
    scratch.succeed("compile shaders/loop.comp --target skl --simd 8 --spec 3=0 -o direct.bin");
    let bytes = std::fs::metadata(scratch.0.join("direct.bin")).expect("a file").len();
    assert_eq!(row(&with, "shaders/loop.comp")["bytes"], bytes);
    // The flag precedes the constants of a database.
    scratch.put("x.foz", database(Form::Stored));
    scratch.succeed("batch x.foz -q -o c.jsonl --target skl --simd 8 --spec 3=0");
    let all = rows(&scratch, "c.jsonl");
    assert_eq!(
        count(&all, "x.foz/compute/0000000000000001/compute"),
        count(&all, "x.foz/compute/0000000000000002/compute")
    );
    let output = scratch.run("batch shaders -o d.jsonl --target skl --spec 3");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn parquet_files_are_read_by_others() {
    let scratch = Scratch::new("parquet");
    scratch.succeed("batch shaders -q -o r.parquet --target skl,hsw");
    scratch.succeed("batch shaders -q -o r.jsonl --target skl,hsw");
    let Some(python) = crestline_judges::ask(Python::prepared()) else { return };
    let script = "import json, sys, pyarrow.parquet as pq
table = pq.read_table(sys.argv[1])
print(json.dumps([table.to_pylist(), {k.decode(): v.decode() for k, v in table.schema.metadata.items()}, str(table.schema.types)]))";
    let path = scratch.0.join("r.parquet");
    let said = python.run(script, &[path.as_ref()]).expect("pyarrow reads it");
    let found: Value = serde_json::from_str(&said).expect("JSON");
    let mut expected = rows(&scratch, "r.jsonl");
    for row in &mut expected {
        // JSON lines leave out what a row does not have.
        for name in ["error", "message"] {
            row.as_object_mut().expect("a row").entry(name).or_insert(Value::Null);
        }
    }
    assert_eq!(found[0], Value::Array(expected));
    assert_eq!(
        (&found[1]["schema"], &found[1]["version"]),
        (&"crestline-batch".into(), &"1".into())
    );
    assert!(found[2].as_str().expect("types").contains("DataType(string)"), "{}", found[2]);
}
