//! The Khronos SPIR-V tools: validator, assembler and disassembler.

use crate::Absent;
use crate::process::{Scratch, Tool, ToolError, spirv_bytes, spirv_words};

const PACKAGES: &str = "spirv-tools";

/// The installed SPIR-V tools.
#[derive(Debug, Clone)]
pub struct SpirvTools {
    validator: Tool,
    assembler: Tool,
    disassembler: Tool,
    description: String,
}

impl SpirvTools {
    /// Looks for `spirv-val`, `spirv-as` and `spirv-dis`.
    ///
    /// # Errors
    ///
    /// [`Absent`] when one is not on PATH.
    pub fn find() -> Result<SpirvTools, Absent> {
        let validator = Tool::find("spirv-val", PACKAGES)?;
        let assembler = Tool::find("spirv-as", PACKAGES)?;
        let disassembler = Tool::find("spirv-dis", PACKAGES)?;
        let description = validator.path().display().to_string();
        Ok(SpirvTools { validator, assembler, disassembler, description })
    }

    /// Where the validator was found.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Validates a module against Vulkan 1.3 with scalar block layout allowed.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] with the broken rule.
    pub fn validate(&self, words: &[u32]) -> Result<(), ToolError> {
        let scratch = Scratch::new("spirv-val")?;
        scratch.write("module.spv", &spirv_bytes(words))?;
        self.validator.run(
            scratch.path(),
            ["--target-env", "vulkan1.3", "--scalar-block-layout", "module.spv"],
        )?;
        Ok(())
    }

    /// Assembles the text form. Numeric ids keep their numbers.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] with the offending line.
    pub fn assemble(&self, text: &str) -> Result<Vec<u32>, ToolError> {
        let scratch = Scratch::new("spirv-as")?;
        scratch.write("module.spvasm", text.as_bytes())?;
        self.assembler.run(
            scratch.path(),
            [
                "--target-env",
                "vulkan1.3",
                "--preserve-numeric-ids",
                "module.spvasm",
                "-o",
                "module.spv",
            ],
        )?;
        spirv_words(self.assembler.name(), &scratch.read("module.spv")?)
    }

    /// Disassembles a module, with ids as numbers.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] when the module cannot be parsed.
    pub fn disassemble(&self, words: &[u32]) -> Result<String, ToolError> {
        let scratch = Scratch::new("spirv-dis")?;
        scratch.write("module.spv", &spirv_bytes(words))?;
        Ok(self.disassembler.run(scratch.path(), ["--raw-id", "module.spv"])?.stdout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n\
        OpEntryPoint GLCompute %1 \"main\"\nOpExecutionMode %1 LocalSize 1 1 1\n\
        %2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%1 = OpFunction %2 None %3\n%4 = OpLabel\n\
        OpReturn\nOpFunctionEnd\n";

    #[test]
    fn a_valid_module_passes_and_a_broken_one_does_not() {
        let Some(tools) = crate::ask(SpirvTools::find()) else { return };
        let mut words = tools.assemble(EMPTY).unwrap();
        tools.validate(&words).unwrap();
        assert!(tools.disassemble(&words).unwrap().contains("OpEntryPoint GLCompute %1"));
        words.pop();
        assert!(tools.validate(&words).is_err());
    }
}
