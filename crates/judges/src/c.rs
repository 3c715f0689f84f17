//! Two C compilers, and valgrind, which finds errors of memory in the programs that they make.

use std::path::Path;

use crate::Absent;
use crate::process::{Tool, ToolError};

/// A C compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// GCC.
    Gcc,
    /// Clang.
    Clang,
}

impl Compiler {
    /// All compilers.
    pub const ALL: [Compiler; 2] = [Compiler::Gcc, Compiler::Clang];
}

/// The installed C tools.
#[derive(Debug, Clone)]
pub struct CTools {
    gcc: Tool,
    clang: Tool,
    valgrind: Tool,
    description: String,
}

impl CTools {
    /// Looks for `gcc`, `clang` and `valgrind`.
    ///
    /// # Errors
    ///
    /// [`Absent`] when one is not on PATH.
    pub fn find() -> Result<CTools, Absent> {
        let gcc = Tool::find("gcc", "gcc libc6-dev")?;
        let clang = Tool::find("clang", "clang")?;
        let valgrind = Tool::find("valgrind", "valgrind")?;
        let description =
            [&gcc, &clang, &valgrind].map(|tool| tool.path().display().to_string()).join(", ");
        Ok(CTools { gcc, clang, valgrind, description })
    }

    /// Where the tools were found.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Runs a compiler in a folder.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] with its messages.
    pub fn compile(
        &self,
        compiler: Compiler,
        folder: &Path,
        arguments: &[String],
    ) -> Result<(), ToolError> {
        let tool = match compiler {
            Compiler::Gcc => &self.gcc,
            Compiler::Clang => &self.clang,
        };
        tool.run(folder, arguments).map(|_| ())
    }

    /// Runs a program under valgrind in a folder, and returns its standard output.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] if the program fails, accesses memory wrongly, or does not release memory that it no longer
    /// refers to.
    pub fn run(
        &self,
        folder: &Path,
        program: &str,
        arguments: &[&str],
    ) -> Result<String, ToolError> {
        // Rust keeps the handle of a thread behind a pointer with a tag, which valgrind counts as possibly lost.
        let fixed = [
            "--quiet",
            "--error-exitcode=9",
            "--leak-check=full",
            "--errors-for-leak-kinds=definite,indirect",
            program,
        ];
        let output = self.valgrind.run(folder, fixed.iter().chain(arguments))?;
        Ok(output.stdout)
    }
}
