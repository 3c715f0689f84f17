//! `intel-gen4asm` and `intel-gen4disasm`, the assembler and disassembler of the developers of the i965 drivers.
//!
//! They support gen4 to gen9. They confirm the encoding of gen7, which `iga64` does not support. The disassembler stops
//! at unknown instructions, so comparisons pass only instructions that it knows.

use crate::Absent;
use crate::process::{Scratch, Tool, ToolError};

const PACKAGES: &str = "intel-gpu-tools";

/// The installed pair of programs.
#[derive(Debug, Clone)]
pub struct Gen4Asm {
    assembler: Tool,
    disassembler: Tool,
    description: String,
}

impl Gen4Asm {
    /// Looks for both programs.
    ///
    /// # Errors
    ///
    /// [`Absent`] when either is not on PATH.
    pub fn find() -> Result<Gen4Asm, Absent> {
        let assembler = Tool::find("intel-gen4asm", PACKAGES)?;
        let disassembler = Tool::find("intel-gen4disasm", PACKAGES)?;
        let description = assembler.path().display().to_string();
        Ok(Gen4Asm { assembler, disassembler, description })
    }

    /// Where the assembler was found.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Assembles text for a generation (`4`, `4.5`, `5`, `6`, `7`, `7.5`, `8`, `9`). Returns the 128-bit form of each
    /// instruction.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] with its messages when the text is not accepted.
    pub fn assemble(&self, generation: &str, text: &str) -> Result<Vec<[u32; 4]>, ToolError> {
        let scratch = Scratch::new("gen4asm")?;
        scratch.write("code.g4a", text.as_bytes())?;
        // The program reports a syntax error on standard error and may still end with status 0.
        let output =
            self.assembler.run(scratch.path(), ["-g", generation, "-o", "code.out", "code.g4a"])?;
        let listing = String::from_utf8_lossy(&scratch.read("code.out")?).into_owned();
        let rows: Option<Vec<_>> =
            listing.lines().filter(|line| line.contains('{')).map(parse_row).collect();
        match rows {
            Some(rows) if output.stderr.is_empty() => Ok(rows),
            _ => Err(ToolError::Refused {
                tool: self.assembler.name(),
                status: "success".into(),
                output: output.stderr + &listing,
            }),
        }
    }

    /// Disassembles instructions of 128 bits for a generation (named as in [`Gen4Asm::assemble`]). Returns one line of
    /// text per instruction, with each run of white space replaced by one space.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] when the program stops.
    pub fn disassemble(
        &self,
        generation: &str,
        code: &[[u32; 4]],
    ) -> Result<Vec<String>, ToolError> {
        let scratch = Scratch::new("gen4disasm")?;
        let listing: String = code
            .iter()
            .map(|[a, b, c, d]| format!("{{ 0x{a:08x}, 0x{b:08x}, 0x{c:08x}, 0x{d:08x} }},\n"))
            .collect();
        scratch.write("code.in", listing.as_bytes())?;
        let output = self.disassembler.run(scratch.path(), ["-g", generation, "code.in"])?;
        Ok(output
            .stdout
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|line| !line.is_empty())
            .collect())
    }
}

/// Reads `{ 0x00600001, 0x20203ae8, 0x008d0040, 0x00000000 },`.
fn parse_row(line: &str) -> Option<[u32; 4]> {
    let inner = line.trim().trim_start_matches('{').trim_end_matches(',').trim_end_matches('}');
    let words: Vec<u32> = inner
        .split(',')
        .map(|word| u32::from_str_radix(word.trim().strip_prefix("0x")?, 16).ok())
        .collect::<Option<_>>()?;
    words.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_to_bits_and_back() {
        let Some(tool) = crate::ask(Gen4Asm::find()) else { return };
        for generation in ["7", "8", "9"] {
            let code =
                tool.assemble(generation, "mov (8) g1<1>F g2<8,8,1>F { align1 };\n").unwrap();
            assert_eq!(code.len(), 1);
            assert_eq!(code[0][0], 0x0060_0001);
            let text = tool.disassemble(generation, &code).unwrap();
            assert_eq!(text.len(), 1, "{text:?}");
            assert!(text[0].starts_with("mov(8) g1<1>F g2<8,8,1>F"), "{text:?}");
        }
    }

    #[test]
    fn bad_text_is_refused() {
        let Some(tool) = crate::ask(Gen4Asm::find()) else { return };
        assert!(tool.assemble("8", "frobnicate;\n").is_err());
    }
}
