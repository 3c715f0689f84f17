//! `glslangValidator`, the Khronos reference front end as a program: it compiles GLSL to SPIR-V without code of
//! Crestline.

use crate::Absent;
use crate::process::{Scratch, Tool, ToolError, spirv_words};

/// The installed `glslangValidator`.
#[derive(Debug, Clone)]
pub struct Glslang {
    tool: Tool,
    description: String,
}

impl Glslang {
    /// Looks for `glslangValidator`.
    ///
    /// # Errors
    ///
    /// [`Absent`] when it is not on PATH.
    pub fn find() -> Result<Glslang, Absent> {
        let tool = Tool::find("glslangValidator", "glslang-tools")?;
        let description = tool.path().display().to_string();
        Ok(Glslang { tool, description })
    }

    /// Where it was found.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Compiles GLSL with Vulkan semantics; `stage` is a file extension such as `comp`.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] with the compiler's messages.
    pub fn compile(&self, stage: &str, source: &str) -> Result<Vec<u32>, ToolError> {
        let scratch = Scratch::new("glslang")?;
        let file = format!("shader.{stage}");
        scratch.write(&file, source.as_bytes())?;
        self.tool.run(
            scratch.path(),
            ["-V", "--quiet", "--target-env", "vulkan1.2", &file, "-o", "shader.spv"],
        )?;
        spirv_words(self.tool.name(), &scratch.read("shader.spv")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glsl_becomes_a_module() {
        let Some(tool) = crate::ask(Glslang::find()) else { return };
        let words = tool.compile("comp", "#version 450\nvoid main() {}\n").unwrap();
        assert_eq!(words[0], 0x0723_0203);
        assert!(tool.compile("comp", "#version 450\nvoid main() { x }\n").is_err());
    }
}
