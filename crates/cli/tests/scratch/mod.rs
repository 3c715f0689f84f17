//! A folder with shaders, in which the tests of batches run commands.

#![allow(dead_code, reason = "each test uses a part")]

use std::path::PathBuf;
use std::process::{Command, Output};

pub(crate) const DOUBLE: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }
";

const TWO: &str = "@compute @workgroup_size(1) fn first() {}
@vertex fn second() -> @builtin(position) vec4f { return vec4f(1.0); }
";

/// A folder that disappears.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let folder =
            std::env::temp_dir().join(format!("crestline-batch-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("shaders/deep")).expect("a scratch folder");
        let scratch = Scratch(folder);
        scratch.put("shaders/double.wgsl", DOUBLE);
        scratch.put("shaders/deep/two.wgsl", TWO);
        scratch.put("shaders/bad.wgsl", "fn main( {");
        scratch.put("shaders/empty.spv", "");
        scratch.put("shaders/readme.txt", "no shader");
        scratch
    }

    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), text).expect("an input file");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("a result file")
    }

    pub(crate) fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    /// A command that runs in the folder.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crestline"));
        command
            .args(arguments.split_whitespace())
            .current_dir(&self.0)
            .env_remove("CRESTLINE_SHARD");
        command
    }

    /// Runs a command that must succeed. Returns its standard error.
    pub(crate) fn succeed(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments}: {said}");
        said
    }

    /// Runs a command that must fail with status 1. Returns its standard error.
    pub(crate) fn fail(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {said}");
        said
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
