//! Splits the words of a module into instructions. Checks lengths, opcodes and operand counts against the grammar
//! tables of `rspirv`.
//!
//! `rspirv`'s own parser is not used: it does not report the word offset of an instruction, which every error here
//! contains, and its grammar does not cover the repeated operands of `OpSpecConstantOp`.

use std::sync::LazyLock;

use rspirv::grammar::{INSTRUCTION_TABLE, Instruction, OperandKind, OperandQuantifier};
use rspirv::spirv::{Capability, MAGIC_NUMBER, Op};

use super::newer;
use crate::error::{ErrorCode, FrontendError, ModulePosition, Result};

/// Words of the module header.
const HEADER_WORDS: usize = 5;

/// Ids that a module may have: the universal limit of the SPIR-V specification.
const MAX_BOUND: u32 = 0x40_0000;

/// The grammar by opcode number.
static GRAMMAR: LazyLock<Vec<Option<&'static Instruction<'static>>>> = LazyLock::new(|| {
    let mut rows = Vec::new();
    for row in INSTRUCTION_TABLE.iter() {
        let opcode = usize::from(row.opcode as u16);
        rows.resize(rows.len().max(opcode + 1), None);
        rows[opcode] = Some(row);
    }
    rows
});

/// One instruction. Its operands are words of the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst<'w> {
    /// Offset in the module of the first word, in words.
    pub(crate) at: u32,
    /// The opcode.
    pub(crate) op: Op,
    /// The name without `Op`.
    pub(crate) name: &'static str,
    /// Result type, 0 if none.
    pub(crate) ty: u32,
    /// Result id, 0 if none.
    pub(crate) result: u32,
    /// Operands after result type and result.
    pub(crate) operands: &'w [u32],
    /// The line in force: its index + 1 in the module's table of lines, 0 if there is none. Set by
    /// [`lines::assign`](super::lines::assign).
    pub(crate) line: u32,
}

impl<'w> Inst<'w> {
    /// The position of the instruction, for errors.
    pub(crate) fn position(&self) -> ModulePosition {
        ModulePosition { word: self.at, inst: self.name }
    }

    /// An error at this instruction.
    pub(crate) fn error(&self, code: ErrorCode, detail: impl std::fmt::Display) -> FrontendError {
        FrontendError::new(code, detail).at(self.position())
    }

    /// Operand word `index`.
    pub(crate) fn word(&self, index: usize) -> Result<u32> {
        self.operands.get(index).copied().ok_or_else(|| {
            let found = self.operands.len();
            self.error(
                ErrorCode::MissingOperand,
                format!("expected at least {} operand words, found {found}", index + 1),
            )
        })
    }

    /// Operand words from `index` on; none if there are fewer.
    pub(crate) fn rest(&self, index: usize) -> &'w [u32] {
        self.operands.get(index..).unwrap_or(&[])
    }

    /// The string at operand word `index`.
    pub(crate) fn string(&self, index: usize) -> Result<String> {
        String::from_utf8(self.string_bytes(index)?)
            .map_err(|e| self.error(ErrorCode::BadString, format!("expected UTF-8, found {e}")))
    }

    /// The name at operand word `index`. Invalid UTF-8 is replaced, because names do not affect the translation.
    pub(crate) fn lossy_string(&self, index: usize) -> Result<String> {
        let bytes = self.string_bytes(index)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The operand words after the string at operand word `index`.
    pub(crate) fn after_string(&self, index: usize) -> Result<&'w [u32]> {
        // The terminating zero fills the last word of the string.
        let words = self.string_bytes(index)?.len() / 4 + 1;
        Ok(self.rest(index + words))
    }

    /// The bytes of the string at operand word `index`, without the terminating zero.
    fn string_bytes(&self, index: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for word in self.rest(index) {
            for byte in word.to_le_bytes() {
                if byte == 0 {
                    return Ok(bytes);
                }
                bytes.push(byte);
            }
        }
        Err(self.error(ErrorCode::BadString, "expected a zero byte before the instruction's end"))
    }
}

/// The instructions of a module in order, and the bound of its ids.
pub(crate) fn read(words: &[u32]) -> Result<(Vec<Inst<'_>>, u32)> {
    let bound = read_header(words)?;
    let mut insts = Vec::with_capacity(words.len() / 4);
    let mut at = HEADER_WORDS;
    while at < words.len() {
        let inst = read_inst(words, at, bound).map_err(|error| match error.code {
            ErrorCode::UnknownOpcode => with_extension(error, &insts),
            _ => error,
        })?;
        at += (words[at] >> 16) as usize;
        insts.push(inst);
    }
    Ok((insts, bound))
}

/// Adds to the error of an unknown opcode which capability and extensions the module declares, if the capability is unknown
/// too: the instruction is then probably one of an extension.
fn with_extension(error: FrontendError, before: &[Inst<'_>]) -> FrontendError {
    /// Longer lists and names are not shown as a whole.
    const MOST_NAMES: usize = 4;
    const MOST_CHARACTERS: usize = 100;
    let of = |op| before.iter().filter(move |inst| inst.op == op);
    let mut numbers = of(Op::Capability).filter_map(|inst| inst.operands.first());
    let Some(number) = numbers.find(|&&number| Capability::from_u32(number).is_none()) else {
        return error;
    };
    let names = of(Op::Extension).filter_map(|inst| inst.lossy_string(0).ok());
    let names = names.map(|name| name.chars().take(MOST_CHARACTERS).collect());
    let names: Vec<String> = names.take(MOST_NAMES).collect();
    let extensions = match names.as_slice() {
        [] => String::new(),
        names => format!(" and uses {}", names.join(", ")),
    };
    let detail =
        format!("{}; the module needs the unknown capability {number}{extensions}", error.detail);
    FrontendError { detail, ..error }
}

/// Checks the module header. Returns the id bound.
fn read_header(words: &[u32]) -> Result<u32> {
    let error = |word, detail: String| {
        FrontendError::new(ErrorCode::BadHeader, detail).at(ModulePosition { word, inst: "" })
    };
    if words.len() < HEADER_WORDS {
        return Err(error(0, format!("expected {HEADER_WORDS} words, found {}", words.len())));
    }
    if words[0] == MAGIC_NUMBER.swap_bytes() {
        return Err(error(0, "expected little-endian words, found big-endian ones".into()));
    }
    if words[0] != MAGIC_NUMBER {
        return Err(error(0, format!("expected {MAGIC_NUMBER:#010x}, found {:#010x}", words[0])));
    }
    let (major, minor) = (words[1] >> 16 & 0xff, words[1] >> 8 & 0xff);
    if major != 1 || minor > 6 {
        return Err(error(1, format!("expected version 1.0 to 1.6, found {major}.{minor}")));
    }
    if words[3] == 0 || words[3] > MAX_BOUND {
        return Err(error(
            3,
            format!("expected an id bound of 1 to {MAX_BOUND}, found {}", words[3]),
        ));
    }
    Ok(words[3])
}

/// Reads the instruction at word `at`. Checks its opcode, length and number of operands, and its type and result ids.
fn read_inst(words: &[u32], at: usize, bound: u32) -> Result<Inst<'_>> {
    let (count, opcode) = ((words[at] >> 16) as usize, words[at] as u16);
    let bare = ModulePosition { word: at as u32, inst: "" };
    let known = GRAMMAR.get(usize::from(opcode)).copied().flatten();
    let Some(row) = known.or_else(|| newer::row(opcode)) else {
        let detail = format!("expected a known opcode, found {opcode}");
        return Err(FrontendError::new(ErrorCode::UnknownOpcode, detail).at(bare));
    };
    let position = ModulePosition { word: at as u32, inst: row.opname };
    let left = words.len() - at;
    if count == 0 || count > left {
        let detail = format!("expected a length of 1 to {left} words, found {count}");
        return Err(FrontendError::new(ErrorCode::WordCount, detail).at(position));
    }
    let least = 1 + row.operands.iter().filter(|o| o.quantifier == OperandQuantifier::One).count();
    if count < least {
        let detail = format!("expected at least {least} words, found {count}");
        return Err(FrontendError::new(ErrorCode::MissingOperand, detail).at(position));
    }
    let mut inst = Inst {
        at: at as u32,
        op: row.opcode,
        name: row.opname,
        ty: 0,
        result: 0,
        operands: &words[at + 1..at + count],
        line: 0,
    };
    for operand in row.operands.iter().take(2) {
        let slot = match operand.kind {
            OperandKind::IdResultType => &mut inst.ty,
            OperandKind::IdResult => &mut inst.result,
            _ => break,
        };
        *slot = inst.operands[0];
        inst.operands = &inst.operands[1..];
        let id = *slot;
        if id == 0 || id >= bound {
            return Err(inst.error(
                ErrorCode::IdBound,
                format!("expected an id of 1 to {}, found {id}", bound - 1),
            ));
        }
    }
    Ok(inst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_type_result_and_operands() {
        let words = [MAGIC_NUMBER, 0x1_0300, 0, 9, 0, 4 << 16 | 21, 3, 32, 1];
        let (insts, bound) = read(&words).expect("a module of one instruction");
        assert_eq!(bound, 9);
        assert_eq!((insts[0].op, insts[0].ty, insts[0].result), (Op::TypeInt, 0, 3));
        assert_eq!(insts[0].operands, &[32, 1]);
    }

    #[test]
    fn a_length_beyond_the_end_is_an_error() {
        let words = [MAGIC_NUMBER, 0x1_0300, 0, 9, 0, 9 << 16 | 21, 3, 32, 1];
        let error = read(&words).expect_err("the module ends early");
        assert_eq!(error.code, ErrorCode::WordCount);
        assert_eq!(error.position, Some(ModulePosition { word: 5, inst: "TypeInt" }));
    }

    #[test]
    fn an_unknown_opcode_is_told_with_the_unknown_capability() {
        // "SPV_X", capability 60000, opcode 60001.
        let name = [u32::from_le_bytes(*b"SPV_"), u32::from(b'X')];
        let unknown = 1 << 16 | 60001;
        let words = [MAGIC_NUMBER, 0x1_0300, 0, 9, 0, 2 << 16 | 17, 60000, 3 << 16 | 10];
        let module: Vec<u32> = words.into_iter().chain(name).chain([unknown]).collect();
        let error = read(&module).expect_err("an unknown opcode");
        assert_eq!(error.code, ErrorCode::UnknownOpcode);
        let expected = "expected a known opcode, found 60001; the module needs the unknown \
                        capability 60000 and uses SPV_X";
        assert_eq!(error.detail, expected);
        let plain = [MAGIC_NUMBER, 0x1_0300, 0, 9, 0, 2 << 16 | 17, 1, unknown];
        let error = read(&plain).expect_err("an unknown opcode");
        assert_eq!(error.detail, "expected a known opcode, found 60001");
    }
}
