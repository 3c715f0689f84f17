//! Compares the output of the commands for machine code with the files of `tests/cli/`, and tests all containers in one
//! sequence of commands.

mod common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn every_command_prints_what_its_case_says() {
    common::check("cli", |output| output.stdout);
}

/// Runs a command that must succeed and returns what it prints.
fn crestline(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_crestline"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("text")
}

const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = data[id.x] * 3u + 1u; }
";

/// The text without the comments that show source lines. A compiled program has them, machine code does not.
fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("//")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_program_keeps_its_code_in_every_container() {
    let folder = std::env::temp_dir().join(format!("crestline-output-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    std::fs::write(folder.join("a.wgsl"), SHADER).expect("an input file");
    let compile = |emit, file| {
        crestline(&folder, &["compile", "a.wgsl", "--target", "skl", "--emit", emit, "-o", file])
    };
    compile("bin", "a.bin");
    compile("asm", "a.asm");
    compile("zebin", "a.zebin");
    // The extension alone says the same, and is overruled.
    for name in ["a.bin", "a.asm", "a.zebin"] {
        let by_name = format!("by_name_{name}");
        crestline(&folder, &["compile", "a.wgsl", "--target", "skl", "-o", &by_name]);
        let same = |file: &str| std::fs::read(folder.join(file)).expect("was written");
        assert!(same(&by_name) == same(name), "{name}");
    }
    compile("asm", "text.json");
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).expect("was written");
    assert_eq!(text("text.json"), text("a.asm"));
    crestline(&folder, &["compile", "a.wgsl", "--target", "skl", "-o", "a.json"]);
    let document: serde_json::Value = serde_json::from_str(&text("a.json")).expect("is JSON");
    assert!(document["metadata"].is_object());
    crestline(&folder, &["compile", "a.wgsl", "--target", "skl", "-o", "a.hex"]);
    let of_hex = crestline(&folder, &["disasm", "a.hex", "--target", "skl"]);
    assert!(text("a.asm").contains("// a.wgsl:3: fn main("), "{}", text("a.asm"));
    assert_eq!(of_hex, without_comments(&text("a.asm")));
    let code = std::fs::read(folder.join("a.bin")).expect("was written");
    for (syntax, input) in [("mesa", "a.asm"), ("iga", "a.iga")] {
        let disasm = |file| ["disasm", file, "--target", "skl", "--syntax", syntax, "--raw-bits"];
        let text = crestline(&folder, &disasm("a.bin"));
        std::fs::write(folder.join(input), &text).expect("an input file");
        for output in ["b.bin", "b.hex", "b.zebin"] {
            let asm = ["asm", input, "--target", "skl", "--syntax", syntax, "-o", output];
            crestline(&folder, &asm);
            let again = crestline(&folder, &disasm(output));
            let headings = |line: &&str| line.starts_with("//");
            let again: String = again
                .lines()
                .filter(|line| !headings(line))
                .map(|line| format!("{line}\n"))
                .collect();
            assert_eq!(again, text, "{input} {output}");
        }
        assert_eq!(std::fs::read(folder.join("b.bin")).expect("was written"), code, "{syntax}");
    }
    let named = crestline(&folder, &["disasm", "a.zebin", "--target", "skl"]);
    assert!(named.starts_with("// kernel main: "), "{named}");
    // The same sections in the eyes of binutils, where they are installed.
    if let Ok(seen) = Command::new("readelf").arg("-SW").arg(folder.join("a.zebin")).output() {
        let seen = String::from_utf8_lossy(&seen.stdout).into_owned();
        for section in [".text.main", ".ze_info", ".shstrtab"] {
            assert!(seen.contains(section), "{seen}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("the scratch folder goes away");
}

/// A module of one compute shader that does nothing.
const MODULE: &[u32] = &[
    0x0723_0203,
    0x0001_0000,
    0,
    5,
    0, // header
    0x0002_0011,
    1, // OpCapability Shader
    0x0003_000e,
    0,
    1, // OpMemoryModel Logical GLSL450
    0x0005_000f,
    5,
    1,
    0x6e69_616d,
    0, // OpEntryPoint GLCompute %1 "main"
    0x0006_0010,
    1,
    17,
    1,
    1,
    1, // OpExecutionMode %1 LocalSize 1 1 1
    0x0002_0013,
    2, // %2 = OpTypeVoid
    0x0003_0021,
    3,
    2, // %3 = OpTypeFunction %2
    0x0005_0036,
    2,
    1,
    0,
    3, // %1 = OpFunction
    0x0002_00f8,
    4,           // %4 = OpLabel
    0x0001_00fd, // OpReturn
    0x0001_0038, // OpFunctionEnd
];

#[test]
fn spirv_is_known_by_its_first_bytes() {
    let folder = std::env::temp_dir().join(format!("crestline-magic-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    let bytes: Vec<u8> = MODULE.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut seen = Vec::new();
    for name in ["a.spv", "a.bin", "a.wgsl", "a"] {
        std::fs::write(folder.join(name), &bytes).expect("an input file");
        seen.push(crestline(&folder, &["compile", name, "--target", "skl"]));
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_crestline"))
        .args(["compile", "-", "--target", "skl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("a pipe").write_all(&bytes).expect("the module is read");
    let output = child.wait_with_output().expect("the program ends");
    seen.push(String::from_utf8(output.stdout).expect("text"));
    assert!(seen[0].contains("EOT") && seen.iter().all(|text| *text == seen[0]), "{seen:?}");
    std::fs::remove_dir_all(&folder).expect("the scratch folder goes away");
}

#[test]
fn linked_programs_are_files_of_a_folder() {
    let folder = std::env::temp_dir().join(format!("crestline-link-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    let pair = "struct Out { @builtin(position) at: vec4<f32>, @location(3) uv: vec2<f32> }
        @vertex fn v(@location(0) a: vec4<f32>) -> Out { return Out(a, a.zw); }
        @fragment fn f(@location(3) uv: vec2<f32>) -> @location(0) vec4<f32> { return uv.xyxy; }";
    std::fs::write(folder.join("pair.wgsl"), pair).expect("an input file");
    let link = |arguments: &[&str]| {
        let all = ["link", "pair.wgsl", "pair.wgsl", "--stage", "vertex", "--stage", "fragment"];
        crestline(&folder, &[&all, arguments].concat())
    };
    let report = link(&["--target", "bdw", "-o", "json"]);
    assert!(
        report.contains(", from location 3 component 0 to location 0 component 0\n"),
        "{report}"
    );
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("was written");
    for stage in ["vertex", "fragment"] {
        let document: serde_json::Value =
            serde_json::from_str(&read(&format!("json/{stage}.json"))).expect("is JSON");
        assert!(document["metadata"].is_object());
    }
    for emit in ["asm", "bin", "hex"] {
        link(&["--target", "bdw", "-o", emit, "--emit", emit]);
    }
    let of_bin = crestline(&folder, &["disasm", "bin/fragment.bin", "--target", "bdw"]);
    let of_hex = crestline(&folder, &["disasm", "hex/fragment.hex", "--target", "bdw"]);
    assert!(of_bin == without_comments(&read("asm/fragment.asm")) && of_hex == of_bin);
    std::fs::remove_dir_all(&folder).expect("the scratch folder goes away");
}
