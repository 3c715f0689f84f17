//! Intel's `iga64`, the vendor's assembler and disassembler, for gen7.5 and later.
//!
//! It reads and writes Align1 code, and the Align16 form of three-source instructions. [`crate::gen4asm`] handles other
//! Align16 code and the older generations. One process handles a whole kernel: it takes a hundredth of a second to
//! start and a few microseconds per instruction, so only batches make it possible to compare every emitted instruction.

use crate::Absent;
use crate::process::{Scratch, Tool, ToolError};

/// The installed `iga64`.
#[derive(Debug, Clone)]
pub struct Iga {
    tool: Tool,
    description: String,
}

/// How [`Iga::assemble`] encodes instructions that have a 64-bit form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compaction {
    /// Only instructions marked `{Compacted}` take the 64-bit form.
    AsWritten,
    /// Every instruction that can take the 64-bit form does.
    Automatic,
}

/// One instruction as `iga64` prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Offset of the instruction in the code, in bytes.
    pub offset: u32,
    /// The instruction's text, with each run of white space replaced by one space.
    pub text: String,
}

impl Iga {
    /// Looks for `iga64`.
    ///
    /// # Errors
    ///
    /// [`Absent`] when it is not on PATH.
    pub fn find() -> Result<Iga, Absent> {
        let tool = Tool::find("iga64", "libigc-tools")?;
        let description = tool.path().display().to_string();
        Ok(Iga { tool, description })
    }

    /// Where it was found.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Whether `iga64` supports `platform` (three letters, as in `skl`).
    pub fn knows(platform: &str) -> bool {
        platform_option(platform).is_some()
    }

    /// Disassembles code for `platform`. Jumps are printed as byte distances, and each instruction has its offset.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] with its messages when any instruction does not decode;
    /// [`ToolError::Platform`] when `iga64` does not know the platform.
    pub fn disassemble(&self, platform: &str, code: &[u8]) -> Result<Vec<Line>, ToolError> {
        let scratch = Scratch::new("iga64")?;
        scratch.write("code.krn", code)?;
        let output = self.tool.run(
            scratch.path(),
            ["-d", "-n", "-Xprint-pc", &self.platform(platform)?, "code.krn"],
        )?;
        Ok(output.stdout.lines().filter_map(parse_line).collect())
    }

    /// Assembles text, one instruction a line, for `platform`. Warnings are off: they would take
    /// most of the time.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] with its messages when a line is not accepted;
    /// [`ToolError::Platform`] when `iga64` does not know the platform.
    pub fn assemble(
        &self,
        platform: &str,
        text: &str,
        compaction: Compaction,
    ) -> Result<Vec<u8>, ToolError> {
        let scratch = Scratch::new("iga64")?;
        scratch.write("code.asm", text.as_bytes())?;
        let compact = match compaction {
            Compaction::AsWritten => "-Xno-autocompact",
            Compaction::Automatic => "-Xautocompact",
        };
        self.tool.run(
            scratch.path(),
            ["-a", "-Wnone", compact, &self.platform(platform)?, "code.asm", "-o", "code.krn"],
        )?;
        scratch.read("code.krn")
    }

    fn platform(&self, platform: &str) -> Result<String, ToolError> {
        platform_option(platform).map(|option| format!("-p={option}")).ok_or_else(|| {
            ToolError::Platform { tool: self.tool.name(), platform: platform.to_owned() }
        })
    }
}

/// `iga64`'s own name of a platform.
fn platform_option(platform: &str) -> Option<&'static str> {
    Some(match platform {
        "hsw" => "7.5",
        "bdw" | "chv" => "8",
        "skl" => "9",
        "icl" => "11",
        "tgl" => "12p1",
        "dg2" => "12p71",
        _ => return None,
    })
}

/// Reads `/* [0010] */ text`; label lines and blank lines give nothing.
fn parse_line(line: &str) -> Option<Line> {
    let (offset, text) = line.trim().strip_prefix("/* [")?.split_once(']')?;
    let text = text.trim_start().strip_prefix("*/")?;
    Some(Line {
        offset: u32::from_str_radix(offset, 16).ok()?,
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_to_bytes_and_back() {
        let Some(iga) = crate::ask(Iga::find()) else { return };
        let text = "mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n(W) mov (1|M0) r3.0<1>:ud 0x5:ud\n";
        for platform in ["bdw", "skl", "icl", "tgl"] {
            let code = iga.assemble(platform, text, Compaction::AsWritten).unwrap();
            assert_eq!(code.len(), 32, "{platform}");
            let lines = iga.disassemble(platform, &code).unwrap();
            assert_eq!(lines.iter().map(|line| line.offset).collect::<Vec<_>>(), [0, 16]);
            assert!(lines[0].text.starts_with("mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f"), "{lines:?}");
            assert!(lines[1].text.starts_with("(W) mov (1|M0) r3.0<1>:ud 0x5:ud"), "{lines:?}");
        }
    }

    #[test]
    fn compaction_is_the_callers_choice() {
        let Some(iga) = crate::ask(Iga::find()) else { return };
        let text = "mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n";
        let size = |compaction| iga.assemble("skl", text, compaction).unwrap().len();
        assert_eq!(size(Compaction::AsWritten), 16);
        assert!(size(Compaction::Automatic) <= 16);
    }

    #[test]
    fn bad_text_and_unknown_platforms_are_refused() {
        let Some(iga) = crate::ask(Iga::find()) else { return };
        let error = iga.assemble("skl", "frobnicate\n", Compaction::AsWritten).unwrap_err();
        assert!(matches!(error, ToolError::Refused { .. }), "{error}");
        let error = iga.disassemble("ivb", &[0; 16]).unwrap_err();
        assert!(matches!(error, ToolError::Platform { .. }), "{error}");
    }
}
