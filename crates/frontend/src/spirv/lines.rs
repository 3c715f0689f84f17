//! Source lines: which line of the source text each instruction of a module comes from.
//!
//! A module gives lines by `OpLine` and `OpNoLine`, or by `DebugLine` and `DebugNoLine` of
//! `NonSemantic.Shader.DebugInfo.100`. A line is in force until the next such instruction or the end of the block
//! (SPIR-V specification, "OpLine"; extension SPV_KHR_non_semantic_info, "DebugLine").

use hashbrown::HashMap;
use rspirv::grammar::reflect::is_block_terminator;
use rspirv::spirv::Op;

use super::reader::Inst;

/// A line that an instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceLine {
    /// Id of the `OpString` with the name of the file. It may be undefined.
    pub(crate) file: u32,
    /// Line, from 1.
    pub(crate) line: u32,
    /// Column, from 1; 0 if it is not known.
    pub(crate) column: u32,
}

/// `DebugSource` and the other used instructions of `NonSemantic.Shader.DebugInfo.100`.
const DEBUG_SOURCE: u32 = 35;
const DEBUG_LINE: u32 = 103;
const DEBUG_NO_LINE: u32 = 104;

/// Sets [`Inst::line`] of all instructions. Returns the table of lines. Instructions about lines that break a rule give
/// no line, because lines do not affect what a shader computes.
pub(crate) fn assign(insts: &mut [Inst<'_>]) -> Vec<SourceLine> {
    let mut debug = Debug::default();
    let mut lines = Vec::new();
    let mut current = 0;
    for inst in insts {
        let set = match inst.op {
            Op::Line => Some(match *inst.operands {
                [file, line, column] if line > 0 => Some(SourceLine { file, line, column }),
                _ => None,
            }),
            Op::NoLine | Op::Function | Op::FunctionEnd => Some(None),
            _ => debug.read(inst),
        };
        match set {
            Some(Some(line)) => {
                lines.push(line);
                current = lines.len() as u32;
            }
            Some(None) => current = 0,
            None => {}
        }
        inst.line = current;
        if is_block_terminator(inst.op) {
            current = 0;
        }
    }
    lines
}

/// What `DebugLine` refers to.
#[derive(Default)]
struct Debug {
    /// The id of the instruction set, if the module imports it.
    set: Option<u32>,
    /// Values of 32-bit constants.
    constants: HashMap<u32, u32>,
    /// By id of a `DebugSource`: the id of the `OpString` with the file's name.
    sources: HashMap<u32, u32>,
}

impl Debug {
    /// Reads one instruction. Returns the line that it sets (`Some(None)` if it ends one); `None` if the line in force
    /// stays.
    fn read(&mut self, inst: &Inst<'_>) -> Option<Option<SourceLine>> {
        if inst.op == Op::ExtInstImport
            && inst.lossy_string(0).is_ok_and(|name| name == "NonSemantic.Shader.DebugInfo.100")
        {
            self.set = Some(inst.result);
        }
        let set = self.set?;
        match (inst.op, inst.operands) {
            (Op::Constant, &[value]) => {
                self.constants.insert(inst.result, value);
                None
            }
            (Op::ExtInst, &[from, number, ref args @ ..]) if from == set => match (number, args) {
                (DEBUG_SOURCE, &[file, ..]) => {
                    self.sources.insert(inst.result, file);
                    None
                }
                (DEBUG_LINE, &[source, line, _, column, _]) => {
                    let number = |id| self.constants.get(&id).copied();
                    Some(number(line).filter(|&line| line > 0).map(|line| SourceLine {
                        file: self.sources.get(&source).copied().unwrap_or(0),
                        line,
                        column: number(column).unwrap_or(0),
                    }))
                }
                (DEBUG_NO_LINE, _) => Some(None),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SPIR-V 1.3.
    const VERSION: u32 = 0x1_0300;

    /// The line in force at each instruction of a module in text form, 0 for none.
    fn lines(text: &str) -> Vec<(Op, u32)> {
        let words = crate::assemble(text, VERSION).unwrap();
        let (mut insts, _) = super::super::read_instructions(&words).unwrap();
        let table = assign(&mut insts);
        let line = |inst: &Inst<'_>| match inst.line.checked_sub(1) {
            Some(index) => table[index as usize].line,
            None => 0,
        };
        insts.iter().map(|inst| (inst.op, line(inst))).collect()
    }

    fn at(lines: &[(Op, u32)], op: Op) -> Vec<u32> {
        lines.iter().filter(|(found, _)| *found == op).map(|&(_, line)| line).collect()
    }

    #[test]
    fn a_line_ends_with_its_block_and_at_no_line() {
        let found = lines(
            "%name = OpString \"a.comp\"
            %void = OpTypeVoid
            %type = OpTypeFunction %void
            %main = OpFunction %void None %type
            %first = OpLabel
            OpNop
            OpLine %name 7 3
            OpNop
            OpNop
            OpBranch %second
            %second = OpLabel
            OpNop
            OpLine %name 9 1
            OpNoLine
            OpNop
            OpLine %name 0 0
            OpReturn
            OpFunctionEnd",
        );
        assert_eq!(at(&found, Op::Nop), [0, 7, 7, 0, 0]);
        assert_eq!(at(&found, Op::Branch), [7]);
        assert_eq!(at(&found, Op::Return), [0]);
    }

    #[test]
    fn lines_of_the_debug_instruction_set_count_too() {
        let found = lines(
            "%set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"
            %name = OpString \"a.comp\"
            %void = OpTypeVoid
            %uint = OpTypeInt 32 0
            %zero = OpConstant %uint 0
            %five = OpConstant %uint 5
            %source = OpExtInst %void %set 35 %name
            %type = OpTypeFunction %void
            %main = OpFunction %void None %type
            %first = OpLabel
            %a = OpExtInst %void %set 103 %source %five %five %zero %zero
            OpNop
            %b = OpExtInst %void %set 104
            OpNop
            OpReturn
            OpFunctionEnd",
        );
        assert_eq!(at(&found, Op::Nop), [5, 0]);
    }
}
