//! An assembler of SPIR-V's text form: `%result = OpName operands`, one instruction per line, comments after `;`.
//!
//! The grammar of instructions and operands is that of `rspirv`. Ids get numbers in the order of their first appearance.

use std::collections::HashMap;

use rspirv::dr::Operand;
use rspirv::grammar::{
    GLSL_STD_450_INSTRUCTION_TABLE, INSTRUCTION_TABLE, LogicalOperand, OperandKind,
    OperandQuantifier,
};
use rspirv::spirv;

/// The most words of an instruction (the field in its first word has 16 bits).
const MAX_WORDS: usize = 0xffff;

/// Why a text cannot be assembled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AssemblyError {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is wrong, and what was expected.
    pub message: String,
}

type Result<T> = std::result::Result<T, AssemblyError>;

/// A word of a line.
#[derive(Clone, Debug)]
struct Token<'a> {
    column: u32,
    text: &'a str,
    /// The contents, if it is a text between quotation marks.
    string: Option<String>,
}

/// The numeric types that the literals of constants and switches can have.
#[derive(Clone, Copy, Debug)]
enum Number {
    Int { bits: u32 },
    Float { bits: u32 },
}

/// Assembles a text to the words of a module with this version (the second word of the module).
///
/// # Errors
/// The first error, with its place. The module is not validated.
pub fn assemble(text: &str, version: u32) -> Result<Vec<u32>> {
    let mut assembler = Assembler {
        opcodes: INSTRUCTION_TABLE.iter().map(|inst| (inst.opname, inst.opcode)).collect(),
        extended: GLSL_STD_450_INSTRUCTION_TABLE
            .iter()
            .map(|inst| (inst.opname, spirv::Word::from(inst.opcode)))
            .collect(),
        ids: HashMap::new(),
        numbers: HashMap::new(),
        types: HashMap::new(),
        words: vec![spirv::MAGIC_NUMBER, version, 0, 0, 0],
        start: 0,
    };
    for (line, content) in lines(text) {
        let tokens = tokens(line, content)?;
        if !tokens.is_empty() {
            assembler.instruction(line, &tokens)?;
        }
    }
    assembler.words[3] = assembler.ids.len() as u32 + 1;
    Ok(assembler.words)
}

/// The lines with their numbers. A string can contain ends of lines, which do not end the instruction.
fn lines(text: &str) -> Vec<(u32, &str)> {
    let (mut lines, mut first, mut number, mut start) = (Vec::new(), 1, 1, 0);
    let (mut in_string, mut in_comment, mut escaped) = (false, false, false);
    for (at, c) in text.char_indices() {
        match c {
            '\n' => {
                number += 1;
                if !in_string {
                    lines.push((first, &text[start..at]));
                    (first, start, in_comment) = (number, at + 1, false);
                }
            }
            '"' if !in_comment && !escaped => in_string = !in_string,
            ';' if !in_string => in_comment = true,
            _ => {}
        }
        escaped = c == '\\' && in_string && !escaped;
    }
    lines.push((first, &text[start..]));
    lines
}

/// Divides a line into words.
fn tokens(line: u32, content: &str) -> Result<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = content;
    loop {
        rest = rest.trim_start();
        let column = content[..content.len() - rest.len()].chars().count() as u32 + 1;
        if rest.is_empty() || rest.starts_with(';') {
            return Ok(tokens);
        }
        let (length, string) = match rest.strip_prefix('"') {
            Some(inside) => {
                let mut string = String::new();
                let mut characters = inside.char_indices();
                let end = loop {
                    match characters.next() {
                        Some((at, '"')) => break at,
                        Some((_, '\\')) => string.extend(characters.next().map(|(_, c)| c)),
                        Some((_, c)) => string.push(c),
                        None => {
                            let message = "the string has no closing quotation mark".to_owned();
                            return Err(AssemblyError { line, column, message });
                        }
                    }
                };
                (end + 2, Some(string))
            }
            None => {
                let end = rest.find(|c: char| c.is_whitespace() || c == ';');
                (end.unwrap_or(rest.len()), None)
            }
        };
        tokens.push(Token { column, text: &rest[..length], string });
        rest = &rest[length..];
    }
}

/// The words of a line that are still to be read.
struct Line<'a, 't> {
    number: u32,
    tokens: &'t [Token<'a>],
    next: usize,
}

impl<'a, 't> Line<'a, 't> {
    fn error(&self, token: Option<&Token<'_>>, message: String) -> AssemblyError {
        let last =
            || self.tokens.last().map(|token| token.column + token.text.chars().count() as u32);
        let column = token.map(|token| token.column).or_else(last).unwrap_or(1);
        AssemblyError { line: self.number, column, message }
    }

    fn expected(&self, token: &Token<'_>, what: &str) -> AssemblyError {
        let shown: String = token.text.chars().take(60).collect();
        self.error(Some(token), format!("expected {what}, found `{shown}`"))
    }

    fn is_end(&self) -> bool {
        self.next >= self.tokens.len()
    }

    fn take(&mut self, what: &str) -> Result<&'t Token<'a>> {
        let token = self.tokens.get(self.next);
        self.next += 1;
        token.ok_or_else(|| self.error(None, format!("expected {what}, found the end of the line")))
    }
}

struct Assembler<'a> {
    opcodes: HashMap<&'static str, spirv::Op>,
    /// The instructions of `GLSL.std.450`.
    extended: HashMap<&'static str, u32>,
    ids: HashMap<&'a str, u32>,
    /// Numeric types by their id.
    numbers: HashMap<u32, Number>,
    /// The type of each value.
    types: HashMap<u32, u32>,
    words: Vec<u32>,
    /// The first word of the instruction that is being assembled.
    start: usize,
}

impl<'a> Assembler<'a> {
    /// Assembles a line.
    fn instruction(&mut self, number: u32, tokens: &[Token<'a>]) -> Result<()> {
        let mut line = Line { number, tokens, next: 0 };
        let mut result = None;
        if tokens.get(1).is_some_and(|token| token.text == "=") {
            result = Some(self.id(&mut line)?);
            line.next += 1;
        }
        let token = line.take("an instruction")?;
        let opcode = token.text.strip_prefix("Op").and_then(|name| self.opcodes.get(name));
        let opcode =
            *opcode.ok_or_else(|| line.expected(token, "an instruction such as OpLoad"))?;
        let grammar = INSTRUCTION_TABLE.get(opcode).operands;
        let has_result = grammar.iter().any(|operand| operand.kind == OperandKind::IdResult);
        if has_result != result.is_some() {
            let name = token.text;
            let message = match has_result {
                true => format!("{name} needs a result, as in `%id = {name}`"),
                false => format!("{name} has no result"),
            };
            return Err(line.error(Some(token), message));
        }
        let start = self.words.len();
        self.start = start;
        self.words.push(0);
        let mut ty = None;
        for operand in grammar {
            match operand.kind {
                OperandKind::IdResultType => {
                    ty = Some(self.id(&mut line)?);
                    self.words.extend(ty);
                }
                OperandKind::IdResult => self.words.extend(result),
                _ => self.operands(&mut line, operand, ty)?,
            }
        }
        if let Some(token) = line.tokens.get(line.next) {
            return Err(line.expected(token, "the end of the line"));
        }
        let count = self.words.len() - start;
        if count > MAX_WORDS {
            return Err(
                line.error(None, format!("the instruction has more than {MAX_WORDS} words"))
            );
        }
        self.words[start] = (count as u32) << 16 | opcode as u32;
        self.note(opcode, start, ty, result);
        Ok(())
    }

    /// Notes the types that later literals depend on.
    fn note(&mut self, opcode: spirv::Op, start: usize, ty: Option<u32>, result: Option<u32>) {
        let Some(result) = result else { return };
        if let Some(ty) = ty {
            self.types.insert(result, ty);
        }
        let bits = self.words.get(start + 2).copied();
        let number = match (opcode, bits) {
            (spirv::Op::TypeInt, Some(bits)) => Number::Int { bits },
            (spirv::Op::TypeFloat, Some(bits)) => Number::Float { bits },
            _ => return,
        };
        self.numbers.insert(result, number);
    }

    /// The number of an id.
    fn id(&mut self, line: &mut Line<'a, '_>) -> Result<u32> {
        let token = line.take("an id")?;
        let name = token.text.strip_prefix('%').filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| line.expected(token, "an id such as %value"))?;
        let next = self.ids.len() as u32 + 1;
        Ok(*self.ids.entry(name).or_insert(next))
    }

    /// Assembles an operand as often as the grammar and the line have it.
    fn operands(
        &mut self,
        line: &mut Line<'a, '_>,
        operand: &LogicalOperand,
        ty: Option<u32>,
    ) -> Result<()> {
        match operand.quantifier {
            OperandQuantifier::One => self.operand(line, operand.kind, ty),
            OperandQuantifier::ZeroOrOne if line.is_end() => Ok(()),
            OperandQuantifier::ZeroOrOne => self.operand(line, operand.kind, ty),
            OperandQuantifier::ZeroOrMore => {
                while !line.is_end() {
                    self.operand(line, operand.kind, ty)?;
                }
                Ok(())
            }
        }
    }

    /// Assembles an operand. `ty` is the type of the instruction's result.
    fn operand(
        &mut self,
        line: &mut Line<'a, '_>,
        kind: OperandKind,
        ty: Option<u32>,
    ) -> Result<()> {
        use OperandKind as K;
        match kind {
            K::IdRef | K::IdScope | K::IdMemorySemantics | K::IdResultType | K::IdResult => {
                let id = self.id(line)?;
                self.words.push(id);
            }
            K::LiteralInteger | K::LiteralFloat => self.literal(line, Number::Int { bits: 32 })?,
            K::LiteralContextDependentNumber => {
                let number = ty.and_then(|ty| self.numbers.get(&ty)).copied();
                let number = number.ok_or_else(|| {
                    line.error(
                        None,
                        "the type of the constant is no number that is declared before".into(),
                    )
                })?;
                self.literal(line, number)?;
            }
            K::LiteralString => {
                let token = line.take("a string")?;
                let string = token.string.as_ref();
                let string =
                    string.ok_or_else(|| line.expected(token, "a string in quotation marks"))?;
                let mut bytes = string.as_bytes().to_vec();
                bytes.push(0);
                bytes.resize(bytes.len().next_multiple_of(4), 0);
                self.words
                    .extend(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)));
            }
            K::LiteralExtInstInteger => {
                let token = line.take("an extended instruction")?;
                let number =
                    self.extended.get(token.text).copied().or_else(|| token.text.parse().ok());
                self.words.push(number.ok_or_else(|| {
                    line.expected(token, "an instruction of GLSL.std.450 such as FAbs")
                })?);
            }
            K::LiteralSpecConstantOpInteger => {
                let token = line.take("an operation")?;
                let opcode = self.opcodes.get(token.text.trim_start_matches("Op")).copied();
                let opcode =
                    opcode.ok_or_else(|| line.expected(token, "an operation such as IAdd"))?;
                self.words.push(opcode as u32);
                for operand in INSTRUCTION_TABLE.get(opcode).operands {
                    if !matches!(operand.kind, K::IdResultType | K::IdResult) {
                        self.operands(line, operand, ty)?;
                    }
                }
            }
            K::PairLiteralIntegerIdRef => {
                // Only OpSwitch has such pairs: the literal has the type of the selector, the first operand.
                let selector = self.words.get(self.start + 1);
                let number = selector.and_then(|id| self.numbers.get(self.types.get(id)?)).copied();
                self.literal(line, number.unwrap_or(Number::Int { bits: 32 }))?;
                let id = self.id(line)?;
                self.words.push(id);
            }
            K::PairIdRefLiteralInteger => {
                let id = self.id(line)?;
                self.words.push(id);
                self.literal(line, Number::Int { bits: 32 })?;
            }
            K::PairIdRefIdRef => {
                for _ in 0..2 {
                    let id = self.id(line)?;
                    self.words.push(id);
                }
            }
            kind => self.enumerant(line, kind)?,
        }
        Ok(())
    }

    /// Assembles a number.
    fn literal(&mut self, line: &mut Line<'a, '_>, number: Number) -> Result<()> {
        let token = line.take("a number")?;
        let (bits, value) = match number {
            Number::Int { bits } => (bits, integer(token.text, bits)),
            Number::Float { bits } => (bits, float(token.text, bits)),
        };
        let value =
            value.ok_or_else(|| line.expected(token, &format!("a number of {bits} bits")))?;
        self.words.push(value as u32);
        if bits > 32 {
            self.words.push((value >> 32) as u32);
        }
        Ok(())
    }

    /// Assembles a value of an enumeration with its parameters.
    fn enumerant(&mut self, line: &mut Line<'a, '_>, kind: OperandKind) -> Result<()> {
        let token = line.take("a value of an enumeration")?;
        let (value, parameters) = enumerant(kind, token.text)
            .ok_or_else(|| line.expected(token, &format!("a value of {kind:?}")))?;
        self.words.push(value);
        for parameter in &parameters {
            self.operands(line, parameter, None)?;
        }
        Ok(())
    }
}

/// The bits of an integer with so many bits, sign extended to 32 or 64.
fn integer(text: &str, bits: u32) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('!').unwrap_or(text)),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let limit = 1u128 << bits.clamp(1, 64);
    if u128::from(value) >= limit || negative && u128::from(value) > limit / 2 {
        return None;
    }
    Some(if negative { value.wrapping_neg() } else { value })
}

/// The bits of a float, written as a decimal number or in hexadecimal as `0x1.8p+1`.
fn float(text: &str, bits: u32) -> Option<u64> {
    let value = match hexadecimal_float(text) {
        Some(value) => value,
        None => text.parse().ok()?,
    };
    Some(match bits {
        16 => half::f16::from_f64(value).to_bits().into(),
        32 => (value as f32).to_bits().into(),
        64 => value.to_bits(),
        _ => return None,
    })
}

/// A hexadecimal float, without rounding if its mantissa has up to 13 digits.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let (mantissa, exponent) = rest.strip_prefix("0x")?.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let value = u64::from_str_radix(&digits, 16).ok()? as f64;
    let exponent: i32 = exponent.parse().ok()?;
    let places = i32::try_from(fraction.len()).ok()?;
    Some(sign * value * 2f64.powi(exponent.checked_sub(4 * places)?))
}

/// The value and the parameters of a value of an enumeration, given by its name or number, or by names joined by `|`.
fn enumerant(kind: OperandKind, name: &str) -> Option<(u32, Vec<LogicalOperand>)> {
    macro_rules! find {
        (values [$($value:ident)+] masks [$($mask:ident)+]) => {
            match kind {
                $(OperandKind::$value => {
                    // The Rust names of the dimensions `1D`, `2D` and `3D` start with `Dim`.
                    let value = name.parse::<spirv::$value>();
                    let value = match value.or_else(|_| format!("Dim{name}").parse()) {
                        Ok(value) => value,
                        Err(_) => spirv::$value::from_u32(name.parse().ok()?)?,
                    };
                    let parameters = Operand::$value(value).additional_operands();
                    Some((value as u32, parameters))
                })+
                $(OperandKind::$mask => {
                    let mut bits = spirv::$mask::empty();
                    for part in name.split('|').filter(|part| *part != "None") {
                        let named = spirv::$mask::all().iter_names().find(|(own, _)| is_name(own, part));
                        bits |= match named {
                            Some((_, value)) => value,
                            None => spirv::$mask::from_bits(part.parse().ok()?)?,
                        };
                    }
                    Some((bits.bits(), Operand::$mask(bits).additional_operands()))
                })+
                _ => None,
            }
        };
    }
    find! {
        values [
            SourceLanguage ExecutionModel AddressingModel MemoryModel ExecutionMode StorageClass Dim
            SamplerAddressingMode SamplerFilterMode ImageFormat ImageChannelOrder ImageChannelDataType
            FPRoundingMode LinkageType AccessQualifier FunctionParameterAttribute Decoration BuiltIn Scope
            GroupOperation KernelEnqueueFlags Capability PackedVectorFormat
        ]
        masks [
            ImageOperands FPFastMathMode SelectionControl LoopControl FunctionControl MemorySemantics MemoryAccess
            KernelProfilingInfo
        ]
    }
}

/// Whether a name in capitals such as `DONT_FLATTEN` is that of `DontFlatten`.
fn is_name(own: &str, given: &str) -> bool {
    let own = own.chars().filter(|c| *c != '_');
    own.eq(given.chars().map(|c| c.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_assembled() {
        let text = "; comment\nOpCapability Shader\n%1 = OpExtInstImport \"GLSL.std.450\"\n\
                    OpMemoryModel Logical GLSL450\nOpExecutionMode %main LocalSize 1 2 3\n\
                    %f = OpTypeFloat 32\n%c = OpConstant %f -1.5\n%l = OpTypeInt 64 1\n%d = OpConstant %l -2\n\
                    OpDecorate %c SpecId 7\n%x = OpExtInst %f %1 FAbs %c\nOpSwitch %d %a 5 %b\n%y = OpLoad %f %p Aligned|Volatile 4\n";
        let words = assemble(text, 0x10300).unwrap();
        let expected: Vec<u32> = vec![
            spirv::MAGIC_NUMBER,
            0x10300,
            0,
            13,
            0,
            2 << 16 | 17,
            1,
            6 << 16 | 11,
            1,
            0x4c53_4c47,
            0x6474_732e,
            0x3035_342e,
            0,
            3 << 16 | 14,
            0,
            1,
            6 << 16 | 16,
            2,
            17,
            1,
            2,
            3,
            3 << 16 | 22,
            3,
            32,
            4 << 16 | 43,
            3,
            4,
            0xbfc0_0000,
            4 << 16 | 21,
            5,
            64,
            1,
            5 << 16 | 43,
            5,
            6,
            0xffff_fffe,
            0xffff_ffff,
            4 << 16 | 71,
            4,
            1,
            7,
            6 << 16 | 12,
            3,
            7,
            1,
            4,
            4,
            6 << 16 | 251,
            6,
            8,
            5,
            0,
            9,
            6 << 16 | 61,
            3,
            10,
            11,
            3,
            4,
        ];
        assert_eq!(words.len(), expected.len());
        for (at, (found, expected)) in words.iter().zip(&expected).enumerate().skip(5) {
            assert_eq!(found, expected, "word {at}");
        }
    }

    #[test]
    fn errors_have_places() {
        let error = |text| {
            let AssemblyError { line, column, message } = assemble(text, 0x10000).unwrap_err();
            format!("{line}:{column} {message}")
        };
        assert_eq!(error("\n  OpFoo"), "2:3 expected an instruction such as OpLoad, found `OpFoo`");
        assert_eq!(
            error("OpCapability"),
            "1:13 expected a value of an enumeration, found the end of the line"
        );
        assert_eq!(error("OpCapability X"), "1:14 expected a value of Capability, found `X`");
        assert_eq!(error("OpReturn 1"), "1:10 expected the end of the line, found `1`");
        assert_eq!(error("%1 = OpReturn"), "1:6 OpReturn has no result");
        assert_eq!(
            error("%i = OpTypeInt 32 0\n%c = OpConstant %i 0x100000000"),
            "2:20 expected a number of 32 bits, found `0x100000000`"
        );
        assert!(error("OpName %1 \"x").starts_with("1:11 the string"));
        assert_eq!(
            error("OpString \"a\n\\\"b\" ; \"\nOpReturn"),
            "1:1 OpString needs a result, as in `%id = OpString`"
        );
        assert_eq!(
            error("%1 = OpString \"a\nb\"\nOp"),
            "3:1 expected an instruction such as OpLoad, found `Op`"
        );
    }

    #[test]
    fn floats_are_read() {
        assert_eq!(float("0x1.8p+1", 32), Some(3f32.to_bits().into()));
        assert_eq!(float("-0x1p-2", 64), Some((-0.25f64).to_bits()));
        assert_eq!(float("1e3", 16), Some(half::f16::from_f32(1000.0).to_bits().into()));
        assert_eq!(float("x", 32), None);
    }
}
