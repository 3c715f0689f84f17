//! Tests sources that exhaust a parser's stack, memory or time: the error must name the limit and the parser. Also
//! tests that the child process is found if the program was moved.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[cfg(feature = "glslang")]
use crestline_testing::damage::scramble;
use crestline_testing::hostile::*;

const PROGRAM: &str = env!("CARGO_BIN_EXE_crestline");

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("crestline-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// Compiles a text; on Unix with a limit that `ulimit` knows.
fn compile(folder: &Path, file: &str, text: &str, limit: &str) -> Output {
    fs::write(folder.join(file), text).expect("an input file");
    let mut command = if limit.is_empty() {
        Command::new(PROGRAM)
    } else {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\""), PROGRAM]);
        shell
    };
    command
        .args(["compile", file, "--target", "skl", "-o", "-"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

/// What is said of a text that is refused with E0705.
fn refused(folder: &Path, file: &str, text: &str, limit: &str) -> String {
    let output = compile(folder, file, text, limit);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{file}: {said}");
    assert!(said.starts_with("error[E0705]"), "{file}: {said}");
    said
}

/// The limits that hold before a reader sees the text.
#[test]
fn hostile_sources_are_refused() {
    let folder = scratch("hostile");
    let said = refused(&folder, "sum.wgsl", &wgsl("", &sum(16_000)), "");
    assert!(
        said.contains("4096 nested or chained operators") && said.contains("sum.wgsl:4:"),
        "{said}"
    );
    refused(&folder, "arrays.wgsl", &wgsl_arrays(28), "");
    assert!(compile(&folder, "few.wgsl", &wgsl_arrays(8), "").status.success());
    if cfg!(feature = "glslang") {
        refused(&folder, "sum.comp", &glsl("", &sum(16_000)), "");
        refused(&folder, "sum.hlsl", &hlsl("", &sum(16_000)), "");
        refused(&folder, "arrays.comp", &glsl_arrays(28), "");
        let (globals, value) = macros(30, "+");
        refused(&folder, "macros.comp", &glsl(&globals, &value), "");
        refused(&folder, "macros.hlsl", &hlsl(&globals, &value), "");
        let (globals, value) = macros(6, "+");
        assert!(compile(&folder, "few.comp", &glsl(&globals, &value), "").status.success());
        assert!(compile(&folder, "few.hlsl", &hlsl(&globals, &value), "").status.success());
        assert!(compile(&folder, "arrays.comp", &glsl_arrays(6), "").status.success());
    }
    fs::remove_dir_all(&folder).expect("the scratch folder goes away");
}

/// Errors show few lines and columns of a text, and nothing that controls a terminal.
#[test]
fn errors_show_little_of_hostile_texts() {
    let folder = scratch("errors");
    let commands = [("a.asm", "asm", ""), ("a.wgsl", "compile", ""), ("m.json", "exec", "--meta")];
    let long = ["x", "\t", "漢", "\u{301}", "\0", "\x1b[31m", "\u{9b}31m", "\u{202e}"];
    let mut texts: Vec<String> = long.iter().map(|text| text.repeat(1 << 18)).collect();
    texts.extend(long.iter().map(|text| format!("{{\n{}\r\u{7}!", text.repeat(300))));
    texts.extend([
        "frob\n".repeat(1 << 18),
        "\n".repeat(1 << 20) + "frob",
        "漢\r\n\r".repeat(1 << 16),
    ]);
    texts.extend(["", "\n", "\r", "\t", "{", "{\n", "\u{feff}", "\0", "\x1b"].map(str::to_owned));
    fs::write(folder.join("code"), [0; 16]).expect("an input file");
    for (text, (file, name, meta)) in
        texts.iter().flat_map(|text| commands.iter().map(move |command| (text, command)))
    {
        fs::write(folder.join(file), text).expect("an input file");
        let mut command = Command::new(PROGRAM);
        command.arg(name);
        if !meta.is_empty() {
            command.args(["code", "--dispatch", "1", meta]);
        }
        command.args([file, "--target", "skl"]).current_dir(&folder).stdin(Stdio::null());
        let output = command.output().expect("the binary runs");
        let said = String::from_utf8_lossy(&output.stderr);
        let start: String = text.chars().take(20).collect();
        assert_eq!(output.status.code(), Some(1), "{name} {start:?}: {said:.400}");
        assert!(said.starts_with("error[E"), "{name} {start:?}: {said:.400}");
        let controls = |c: char| c.is_control() && !matches!(c, '\t' | '\n') || c == '\u{202e}';
        assert!(!said.contains(controls), "{name} {start:?}: {said:?}");
        let errors = said.matches("error[E").count();
        assert!(errors <= 100, "{name} {start:?}: {errors} errors");
        assert!(said.len() <= 8000 * errors, "{name} {start:?}: {} bytes", said.len());
    }
    fs::remove_dir_all(&folder).expect("the scratch folder goes away");
}

/// At the limits the reader's own stack is enough: an error of the source or code, not a dead process.
#[cfg(feature = "glslang")]
#[test]
fn deep_sources_have_an_answer() {
    let folder = scratch("deep");
    for count in [1900, 4000] {
        let more = [("d[0] == 1u ? 2u : ", ""), ("d[0] = ", ""), ("(1u, ", ")")];
        for shape in NESTED.iter().copied().chain(more) {
            let value = nest(shape, count, "d[0]");
            for (file, text) in [("a.comp", glsl("", &value)), ("a.hlsl", hlsl("", &value))] {
                let output = compile(&folder, file, &text, "");
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(
                    matches!(output.status.code(), Some(0 | 1)),
                    "{shape:?} {file}: {said:.400}"
                );
                assert!(!said.contains("E0706"), "{shape:?} {file}: {said:.400}");
            }
        }
    }
    fs::remove_dir_all(&folder).expect("the scratch folder goes away");
}

/// Hostile texts with pieces repeated, lost and exchanged: code or an error, whatever the reader makes of it.
#[cfg(feature = "glslang")]
#[test]
fn mutations_of_hostile_sources_have_an_answer() {
    let folder = scratch("mutations");
    let (globals, value) = macros(30, "+");
    let (few, small) = macros(8, "+");
    let texts = [
        ("sum.comp", glsl("", &sum(16_000))),
        ("sum.hlsl", hlsl("", &sum(900))),
        ("macros.comp", glsl(&globals, &value)),
        ("macros.hlsl", hlsl(&globals, &value)),
        ("few.comp", glsl(&few, &small)),
        ("few.hlsl", hlsl(&few, &small)),
    ];
    let mut random = fastrand::Rng::with_seed(1);
    for (round, (file, text)) in texts.iter().cycle().take(60).enumerate() {
        let output = compile(&folder, file, &scramble(text, &mut random), "");
        let said = String::from_utf8_lossy(&output.stderr);
        let is_answer = match output.status.code() {
            Some(0) => true,
            Some(1) => said.starts_with("error[E"),
            _ => false,
        };
        assert!(is_answer, "round {round}, {file}: {:?} {said:.400}", output.status);
    }
    fs::remove_dir_all(&folder).expect("the scratch folder goes away");
}

/// Large types are short to write and escape the measure of the text: there the limits of the process hold.
#[cfg(all(unix, feature = "glslang"))]
#[test]
fn the_process_has_limits_of_its_own() {
    let folder = scratch("limits");
    let types = "struct S { uint a[1000]; }; struct T { S s[1000]; }; struct U { T t[1000]; };";
    let value = "u.t[1].s[1].a[1]";
    let text = hlsl(&format!("{types} static const U u = (U)0;"), value);
    let said = refused(&folder, "memory.hlsl", &text, "-S -d 400000");
    assert!(said.contains("glslang") && said.contains("409600000 bytes of memory"), "{said}");
    let text = glsl(&format!("{types} const U u = {{}};"), value);
    let text = text.replacen('\n', "\n#extension GL_EXT_null_initializer : require\n", 1);
    let said = refused(&folder, "time.comp", &text, "-S -t 1");
    assert!(said.contains("glslang") && said.contains("1 seconds of processor time"), "{said}");
    fs::remove_dir_all(&folder).expect("the scratch folder goes away");
}

/// Started by a relative path, then moved away and replaced by something else.
#[cfg(target_os = "linux")]
#[test]
fn the_program_may_move_while_it_runs() {
    let folder = scratch("moved");
    fs::copy(PROGRAM, folder.join("here")).expect("a copy of the program");
    let mut child = Command::new("./here")
        .args(["compile", "-", "--lang", "wgsl", "--target", "skl"])
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the copy runs");
    fs::rename(folder.join("here"), folder.join("there")).expect("it moves");
    fs::write(folder.join("here"), "no program").expect("something else");
    fs::remove_file(folder.join("there")).expect("it goes");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(wgsl("", "1u").as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::remove_dir_all(&folder).expect("the scratch folder goes away");
}
