//! Intel's offline OpenCL compiler, which reads the vendor's containers (zebin, patch tokens).

use crate::Absent;
use crate::process::{Scratch, Tool, ToolError};

/// The installed `ocloc`.
#[derive(Debug, Clone)]
pub struct Ocloc {
    tool: Tool,
    description: String,
}

impl Ocloc {
    /// Looks for `ocloc`.
    ///
    /// # Errors
    ///
    /// [`Absent`] when it is not on PATH.
    pub fn find() -> Result<Ocloc, Absent> {
        let tool = Tool::find("ocloc", "intel-opencl-icd")?;
        let description = tool.path().display().to_string();
        Ok(Ocloc { tool, description })
    }

    /// Where it was found.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Compiles OpenCL C to the vendor's default binary. For one device (`bdw`, `skl`, `9.0.9`) that is the older
    /// format with patch tokens; for a list or range (`bdw,skl`, `bdw:`) it is an archive of several binaries.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] with the build log when the source is not accepted.
    pub fn compile(&self, device: &str, source: &str, options: &str) -> Result<Vec<u8>, ToolError> {
        self.build(device, source, options, "")
    }

    /// Compiles OpenCL C for a device to a zebin.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] with the build log when the source is not accepted.
    pub fn compile_zebin(&self, device: &str, source: &str) -> Result<Vec<u8>, ToolError> {
        self.build(device, source, "", "-cl-intel-allow-zebin")
    }

    /// Runs `ocloc compile`. Returns the binary.
    fn build(
        &self,
        device: &str,
        source: &str,
        options: &str,
        internal: &str,
    ) -> Result<Vec<u8>, ToolError> {
        let scratch = Scratch::new("ocloc")?;
        scratch.write("kernel.cl", source.as_bytes())?;
        let mut arguments = vec![
            "compile",
            "-file",
            "kernel.cl",
            "-device",
            device,
            "-output",
            "kernel",
            "-output_no_suffix",
        ];
        for (flag, value) in [("-options", options), ("-internal_options", internal)] {
            if !value.is_empty() {
                arguments.extend([flag, value]);
            }
        }
        self.tool.run(scratch.path(), arguments)?;
        scratch.read("kernel")
    }

    /// Validates a zebin container and returns the program's output.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] with its messages when the container is not accepted.
    pub fn validate(&self, zebin: &[u8]) -> Result<String, ToolError> {
        let scratch = Scratch::new("ocloc")?;
        scratch.write("kernel.bin", zebin)?;
        let output = self.tool.run(scratch.path(), ["validate", "-file", "kernel.bin"])?;
        Ok(output.stdout + &output.stderr)
    }

    /// Splits a device binary into files (`ocloc disasm`) and returns these, sorted by name.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] with its messages when the container is not accepted.
    pub fn disassemble(
        &self,
        device: &str,
        binary: &[u8],
    ) -> Result<Vec<(String, Vec<u8>)>, ToolError> {
        let scratch = Scratch::new("ocloc")?;
        scratch.write("kernel.bin", binary)?;
        // For a zebin the program does not create the folder.
        let io = |source| ToolError::Io { tool: self.tool.name(), source };
        std::fs::create_dir(scratch.path().join("dump")).map_err(io)?;
        self.tool.run(
            scratch.path(),
            ["disasm", "-file", "kernel.bin", "-device", device, "-dump", "dump"],
        )?;
        let mut files = Vec::new();
        for entry in std::fs::read_dir(scratch.path().join("dump")).map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            files.push((name, std::fs::read(entry.path()).map_err(io)?));
        }
        files.sort();
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_compiles_and_comes_apart_again() {
        let Some(ocloc) = crate::ask(Ocloc::find()) else { return };
        let source = "kernel void k(global int *p) { p[get_global_id(0)] = 7; }";
        let binary = ocloc.compile("skl", source, "").unwrap();
        let files = ocloc.disassemble("skl", &binary).unwrap();
        assert!(!files.is_empty());
        assert!(ocloc.compile("skl", "kernel void k(", "").is_err());
    }
}
