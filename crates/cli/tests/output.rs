//! What the commands that work on machine code print: `tests/cli/`, and a way through all
//! containers.

mod common;

use std::path::Path;
use std::process::Command;

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
