//! The Khronos SPIR-V tools: validator, assembler, disassembler and optimizer.

use crate::Absent;
use crate::process::{Scratch, Tool, ToolError, spirv_bytes, spirv_words};

const PACKAGES: &str = "spirv-tools";

/// The installed SPIR-V tools.
#[derive(Debug, Clone)]
pub struct SpirvTools {
    validator: Tool,
    assembler: Tool,
    disassembler: Tool,
    optimizer: Tool,
    description: String,
}

impl SpirvTools {
    /// Looks for `spirv-val`, `spirv-as`, `spirv-dis` and `spirv-opt`.
    ///
    /// # Errors
    ///
    /// [`Absent`] when one is not on PATH.
    pub fn find() -> Result<SpirvTools, Absent> {
        let validator = Tool::find("spirv-val", PACKAGES)?;
        let assembler = Tool::find("spirv-as", PACKAGES)?;
        let disassembler = Tool::find("spirv-dis", PACKAGES)?;
        let optimizer = Tool::find("spirv-opt", PACKAGES)?;
        let description = validator.path().display().to_string();
        Ok(SpirvTools { validator, assembler, disassembler, optimizer, description })
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

    /// Applies passes to a module, which keep its meaning. The passes are options of `spirv-opt`, such as `-O`.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] when the module cannot be parsed or a pass fails.
    pub fn rewrite(&self, words: &[u32], passes: &[&str]) -> Result<Vec<u32>, ToolError> {
        let scratch = Scratch::new("spirv-opt")?;
        scratch.write("module.spv", &spirv_bytes(words))?;
        let files = ["module.spv", "-o", "rewritten.spv"];
        self.optimizer.run(scratch.path(), passes.iter().chain(&files))?;
        spirv_words(self.optimizer.name(), &scratch.read("rewritten.spv")?)
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
        let rewritten = tools.rewrite(&words, &["--compact-ids", "-O"]).unwrap();
        tools.validate(&rewritten).unwrap();
        words.pop();
        assert!(tools.rewrite(&words, &["-O"]).is_err());
        assert!(tools.validate(&words).is_err());
    }
}
