//! Tests `completions`, `man`, `--version` and `--color`. The documents are compared with those in `packaging/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crestline_testing::golden;

fn crestline(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crestline"));
    command.args(words.split_whitespace()).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

fn output(words: &str) -> Output {
    crestline(words).output().expect("the binary runs")
}

/// The folder of documents in the repository.
fn packaging() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging")
}

#[test]
fn completions_are_those_of_the_repository() {
    let folder = packaging().join("completions");
    golden::check(
        [("bash", "crestline.bash"), ("zsh", "_crestline"), ("fish", "crestline.fish")].map(
            |(shell, name)| {
                let output = output(&format!("completions {shell}"));
                assert!(output.status.success());
                (folder.join(name), String::from_utf8(output.stdout).expect("text"))
            },
        ),
    );
}

#[test]
fn bash_completes_commands_and_targets() {
    // Debian's shell is on each machine that runs these tests; the script needs nothing else.
    let script = packaging().join("completions/crestline.bash");
    let complete = |words: &str, last: usize| {
        let ask = format!(
            ". {}; COMP_WORDS=({words}); COMP_CWORD={last}; _crestline crestline \"${{COMP_WORDS[{last}]}}\" \
             \"${{COMP_WORDS[{}]}}\"; echo \"${{COMPREPLY[*]}}\"",
            script.display(),
            last - 1
        );
        let output = Command::new("bash").args(["-c", &ask]).output().expect("bash runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert_eq!(complete("crestline disa", 1), "disasm");
    assert_eq!(complete("crestline disasm --target sk", 3), "skl");
}

#[test]
fn manual_pages_are_those_of_the_repository() {
    let folder = std::env::temp_dir().join(format!("crestline-man-{}", std::process::id()));
    let output = output(&format!("man -o {}", folder.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut pages = BTreeMap::new();
    for file in std::fs::read_dir(&folder).expect("the folder") {
        let file = file.expect("a file");
        let text = std::fs::read_to_string(file.path()).expect("a page");
        pages.insert(packaging().join("man").join(file.file_name()), text);
    }
    // A folder that stays is no reason to fail.
    let _ = std::fs::remove_dir_all(&folder);
    for file in std::fs::read_dir(packaging().join("man")).expect("the folder") {
        let path = file.expect("a file").path();
        assert!(pages.contains_key(&path), "{} has no command", path.display());
    }
    golden::check(pages);
}

#[test]
fn the_version_has_the_commit() {
    let text = String::from_utf8(output("--version").stdout).expect("text");
    let package = format!("crestline {}", env!("CARGO_PKG_VERSION"));
    assert!(text.starts_with(&package), "{text}");
    let head = Command::new("git").args(["rev-parse", "HEAD"]).output().ok();
    let Some(head) = head.filter(|head| head.status.success()) else { return };
    let head = String::from_utf8(head.stdout).expect("text");
    assert_eq!(text.trim(), format!("{package} ({})", &head[..12]));
}

#[test]
fn colours_follow_the_flag() {
    let has_colour = |command: &mut Command| {
        let output = command.output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(1));
        output.stderr.contains(&0x1b)
    };
    let words = "disasm no-such-file --target skl";
    assert!(!has_colour(&mut crestline(words)));
    assert!(has_colour(&mut crestline(&format!("{words} --color always"))));
    assert!(has_colour(crestline(&format!("--color always {words}")).env("NO_COLOR", "1")));
    assert!(!has_colour(crestline(&format!("{words} --color never")).env("CLICOLOR_FORCE", "1")));
}

#[test]
fn a_wrong_name_gets_the_nearest_one() {
    for (words, nearest) in [
        ("disasm a --target skll", "'skl'"),
        ("disasm a --targte skl", "'--target'"),
        ("disasn a --target skl", "'disasm'"),
        ("compile a.comp --target skl --emit assm", "'asm'"),
    ] {
        let output = output(words);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words}: {text}");
        assert!(text.contains("similar") && text.contains(nearest), "{words}: {text}");
    }
}
