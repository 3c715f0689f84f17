//! Replays the transcripts in README.md and docs/tour.md and compares what the commands print. `UPDATE_EXPECT=1` writes it.
//!
//! A block that begins with "```console" has commands behind `$ `, each followed by its output (of both streams) and, unless
//! the exit status is 0, a line with the status. A block such as "```glsl blur.comp" is a file. The commands of a page run in
//! one folder, which has the repository's `examples/mandelbrot.wgsl`, as `error` an error state, and the Fossilize database `game.foz`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crestline_frontend::{Language, Source, to_spirv};
use crestline_testing::fossilize::{Form, Writer, stage};
use crestline_testing::golden;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The page with the output of this time, and the number of commands.
fn replayed(page: &str, folder: &Path) -> (String, usize) {
    let mut text = String::new();
    let mut commands = 0;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(text, "{line}");
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if info == "console" {
            for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                let _ = write!(text, "$ {command}\n{}", output(command, folder));
                commands += 1;
            }
        } else {
            if let Some((_, file)) = info.split_once(' ') {
                std::fs::write(folder.join(file), block.join("\n") + "\n").expect("a file");
            }
            for line in block {
                let _ = writeln!(text, "{line}");
            }
        }
        text.push_str("```\n");
    }
    (text, commands)
}

/// What a command of the shell prints.
fn output(command: &str, folder: &Path) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_crestline")).parent().expect("a folder");
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
        .output()
        .expect("a shell");
    let mut text = String::from_utf8(output.stdout).expect("text");
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match output.status.code() {
        Some(0) => {}
        Some(status) => {
            let _ = writeln!(text, "[exit status {status}]");
        }
        None => panic!("{command}: the shell was killed"),
    }
    text.lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

/// A database with a graphics pipeline and two compute pipelines.
fn database() -> Vec<u8> {
    let spirv = |name: &str, text: &str| {
        to_spirv(&Source { name, language: Language::Glsl, bytes: text.as_bytes() })
            .expect("SPIR-V")
    };
    let vertex = "#version 450
layout(location = 0) in vec4 place;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 shade;
void main() { gl_Position = place; shade = colour; }
";
    let fragment = "#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 target;
void main() { target = shade * shade; }
";
    let compute = "#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint STEPS = 4u;
layout(std430, binding = 0) buffer Data { float data[]; };
void main() {
    float sum = 0.0;
    for (uint n = 0u; n < STEPS; n++) { sum += data[gl_GlobalInvocationID.x + n]; }
    data[gl_GlobalInvocationID.x] = sum;
}
";
    let mut writer = Writer::new(Form::Deflated);
    writer.module(1, &spirv("a.vert", vertex));
    writer.module(2, &spirv("a.frag", fragment));
    writer.module(3, &spirv("a.comp", compute));
    writer.graphics(0xa, &[stage(0x1, "main", 1, &[]), stage(0x10, "main", 2, &[])]);
    writer.compute(0xb, &stage(0x20, "main", 3, &[]));
    writer.compute(0xc, &stage(0x20, "main", 3, &[(0, 100)]));
    writer.finish()
}

fn check(name: &str, at_least: usize) {
    let path = root().join(name);
    let page = std::fs::read_to_string(&path).expect("the page");
    let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let folder = std::env::temp_dir().join(format!("crestline-{stem}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("examples")).expect("a folder");
    for (from, to) in [
        ("examples/mandelbrot.wgsl", "examples/mandelbrot.wgsl"),
        ("fuzz/seeds/error_state/words", "error"),
    ] {
        std::fs::copy(root().join(from), folder.join(to)).expect("a file");
    }
    std::fs::write(folder.join("game.foz"), database()).expect("a file");
    let (text, commands) = replayed(&page, &folder);
    std::fs::remove_dir_all(&folder).expect("the folder goes away");
    assert!(commands >= at_least, "{name} has {commands} commands");
    golden::check([(path, text)]);
}

#[test]
fn the_transcript_of_the_readme_holds() {
    check("README.md", 2);
}

#[test]
fn the_transcripts_of_the_recipe_for_compiler_explorer_hold() {
    check("docs/compiler-explorer.md", 3);
}

#[test]
fn the_transcripts_of_the_tour_hold() {
    check("docs/tour.md", 30);
}
