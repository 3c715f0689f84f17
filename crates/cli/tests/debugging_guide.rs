//! Runs the commands in the documents. Each must succeed. They run in a shell, in the order of the page, in a temporary
//! folder with the files that they use.

use std::path::Path;
use std::process::Command;

/// The commands of a page: indented lines that begin with `crestline`, also behind a prompt; not those of scripts.
fn commands(page: &str) -> Vec<String> {
    let mut script = false;
    let commands = page.lines().filter_map(|line| {
        script ^= line.starts_with("```");
        let line = line.strip_prefix("    ").filter(|_| !script)?;
        let line = line.strip_prefix("$ ").unwrap_or(line);
        line.starts_with("crestline ").then(|| line.to_owned())
    });
    commands.collect()
}

#[test]
fn the_commands_of_the_debugging_guide_succeed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/debugging.md")).expect("the page");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents");
    std::fs::create_dir_all(folder.join("examples")).expect("a folder");
    let shader = "examples/mandelbrot.wgsl";
    std::fs::copy(root.join(shader), folder.join(shader)).expect("the shader");
    // The error state that the page reads from a card.
    let dump = root.join("fuzz/seeds/error_state/words");
    std::fs::copy(dump, folder.join("error")).expect("the error state");
    let programs = Path::new(env!("CARGO_BIN_EXE_crestline")).parent().expect("a folder");
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let commands = commands(&page);
    assert!(commands.len() >= 10, "{commands:#?}");
    for command in commands {
        let output = Command::new("sh")
            .args(["-c", &command])
            .current_dir(&folder)
            .env("PATH", &path)
            .output()
            .expect("a shell");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}\n{message}");
    }
}
