//! Errors: one stable code per rule, and where in the input the rule was broken.

use std::fmt;

/// The instruction of the module that an error concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModulePosition {
    /// Offset of the instruction's first word from the start of the module, in words.
    pub word: u32,
    /// The instruction's name without the `Op` prefix; empty where no instruction could be read.
    pub inst: &'static str,
}

/// A position in a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1; 0 where only the line is known.
    pub column: u32,
}

impl SourcePosition {
    /// The position of a byte of `text`, which need not be the first of a character.
    pub(crate) fn of_byte(text: &str, byte: usize) -> SourcePosition {
        let before = &text.as_bytes()[..byte.min(text.len())];
        let start = before.iter().rposition(|&c| c == b'\n').map_or(0, |at| at + 1);
        let characters = before[start..].iter().filter(|&&c| c & 0xc0 != 0x80).count();
        let lines = before.iter().filter(|&&c| c == b'\n').count();
        SourcePosition { line: lines as u32 + 1, column: characters as u32 + 1 }
    }
}

/// Why a shader was not translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}{}{}: {}: {detail}", Site(*position), SourceSite(*source_position), code.rule())]
pub struct FrontendError {
    /// The rule that was broken.
    pub code: ErrorCode,
    /// The instruction that breaks the rule; `None` for errors that concern no single instruction.
    pub position: Option<ModulePosition>,
    /// The position in the source text from which the module was compiled, if known.
    pub source_position: Option<SourcePosition>,
    /// What was expected, and what was found.
    pub detail: String,
}

/// The line, from 1, that the first error in a text of `glslang` names, as in `ERROR: 0:12:`. The name of the file before the
/// line may contain colons.
pub fn named_line(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("ERROR: ")?;
    let first = rest.lines().next()?;
    let line = first.split(':').skip(1).find_map(|part| part.trim().parse().ok())?;
    (line > 0).then_some(line)
}

/// Shows a position as ` at word 12 (OpLoad)`.
struct Site(Option<ModulePosition>);

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(ModulePosition { word, inst: "" }) => write!(f, " at word {word}"),
            Some(ModulePosition { word, inst }) => write!(f, " at word {word} (Op{inst})"),
        }
    }
}

/// Shows a position as ` at line 3, column 7`.
struct SourceSite(Option<SourcePosition>);

impl fmt::Display for SourceSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(SourcePosition { line, column: 0 }) => write!(f, " at line {line}"),
            Some(SourcePosition { line, column }) => write!(f, " at line {line}, column {column}"),
        }
    }
}

macro_rules! error_codes {
    ($($name:ident = $code:literal, $rule:literal;)+) => {
        /// The rules that an input can break. Codes are stable: `docs/errors.md` explains each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ErrorCode {
            $(#[doc = concat!($code, ": ", $rule, ".")] $name,)+
        }

        impl ErrorCode {
            /// Every code, ascending.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$name,)+];

            /// The code as printed: `E` and four digits.
            pub const fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$name => $code,)+ }
            }

            /// The rule, in one sentence without a full stop.
            pub const fn rule(self) -> &'static str {
                match self { $(ErrorCode::$name => $rule,)+ }
            }
        }
    };
}

error_codes! {
    // The binary.
    BadHeader = "E0101", "a module must start with the five words of the SPIR-V header";
    WordCount = "E0102", "an instruction must end within the module";
    UnknownOpcode = "E0103", "an opcode must belong to the SPIR-V instruction set";
    MissingOperand = "E0104", "an instruction must have all operands of its grammar";
    IdBound = "E0105", "an id must be at least 1 and below the header's bound";
    Redefined = "E0106", "an id must be defined only once";
    BadString = "E0107", "a literal string must be UTF-8 and end with a zero byte";
    BadEnumerant = "E0108", "an enumerated operand must have a value that SPIR-V defines";

    // Module, types, constants.
    Misplaced = "E0201", "instructions must be in the order of the module layout";
    UndefinedId = "E0202", "an id must be defined before it is used";
    NotAType = "E0203", "a type operand must name a type of the expected kind";
    TypeNesting = "E0204", "types must not nest too deeply or have too many parts";
    BadConstant = "E0205", "a constant must have the form that its type requires";
    NotAConstant = "E0206", "an operand that must be known at compile time must be a constant instruction";
    ConstantFold = "E0207", "a specialization constant operation must be one that can be evaluated";
    BadDecoration = "E0208", "a decoration must be complete and suit its target";
    BadFunction = "E0209", "a function must consist of parameters, then blocks";

    // Memory.
    MissingLayout = "E0301", "data in a buffer must have an explicit layout";
    TooLarge = "E0302", "sizes and offsets must fit in the 32-bit address space of a buffer";
    TooManyParts = "E0303", "a value or variable must not have too many parts";
    NotAPointer = "E0304", "memory must be accessed through a pointer";
    BadAccessChain = "E0305", "an access chain must index into a part of its base";
    NotWritable = "E0306", "a store must not write read-only memory";
    MissingBinding = "E0307", "a buffer variable must have a descriptor set and a binding";
    BadAtomic = "E0308", "an atomic must access a number of 16, 32 or 64 bits in a storage buffer or shared memory";
    VariablePointer = "E0309", "the variable that a pointer refers to must be known at compile time";
    BindingConflict = "E0310", "variables that share a binding must not be of too many kinds";
    BadImage = "E0311", "an image must be of a kind that the compiler can access";
    BadInterface = "E0312", "each input and output must have its own valid location";

    // Control flow.
    Unstructured = "E0401", "control flow must be structured by merge instructions";
    Nesting = "E0402", "control flow and calls must not nest too deeply";
    Recursion = "E0403", "a function must not call itself, directly or through others";
    Budget = "E0404", "the shader must not exceed the instruction limit after inlining";
    MissingBlock = "E0405", "a branch must go to a block of its function";
    BadPhi = "E0406", "a phi must have one value for each block that branches to it";
    BadCall = "E0407", "a call must match the declaration of the function";

    // Instructions.
    OperandType = "E0501", "an operand must have the type that the instruction requires";
    ResultType = "E0502", "the result type must be the one that the instruction produces";
    Unsupported = "E0503", "the instruction must be one that Crestline supports";
    UnsupportedType = "E0504", "the type must be one that Crestline supports";
    UnsupportedExt = "E0505", "the extended instruction must be one that Crestline supports";
    UnsupportedBuiltin = "E0506", "a built-in variable must be one that Crestline supports for the shader's stage";
    UnsupportedModel = "E0507", "the module must be a shader for these devices, in a supported addressing model";
    UndefinedValue = "E0508", "a value must be computed before it is used";
    BadIndex = "E0509", "a literal index must be within the composite";

    // The request.
    NoEntryPoint = "E0601", "the requested entry point must be in the module";
    UnsupportedStage = "E0602", "the entry point's stage must be one that Crestline supports";
    BadLocalSize = "E0603", "a workgroup must have 1 to 4096 invocations";
    UnknownSpecId = "E0604", "a specialization must name a constant of the module";
    StageMode = "E0605", "an entry point must have the execution modes of its stage";
    ManyEntryPoints = "E0606", "the request must select exactly one entry point";

    // Source languages.
    UnknownLanguage = "E0701", "the language must be known from the file extension or be given";
    NotText = "E0702", "source text must be UTF-8";
    SourceError = "E0703", "the source must compile";
    NoReader = "E0704", "this build must include a parser for the language";
    ReaderLimit = "E0705", "a source text must stay within the limits of its parser";
    ReaderFailed = "E0706", "the parser of a source language must not fail without a message";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The result of anything in this crate that can reject its input.
pub(crate) type Result<T> = std::result::Result<T, FrontendError>;

impl FrontendError {
    /// An error that concerns no single instruction.
    pub(crate) fn new(code: ErrorCode, detail: impl fmt::Display) -> FrontendError {
        FrontendError { code, position: None, source_position: None, detail: detail.to_string() }
    }

    /// The same error at a position of the source text.
    pub(crate) fn in_source(self, position: SourcePosition) -> FrontendError {
        FrontendError { source_position: Some(position), ..self }
    }

    /// The same error at a position of the module. An error that already has a position keeps it.
    pub(crate) fn at(mut self, position: ModulePosition) -> FrontendError {
        self.position.get_or_insert(position);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_ascend() {
        assert!(ErrorCode::ALL.windows(2).all(|w| w[0].as_str() < w[1].as_str()));
    }

    #[test]
    fn an_error_names_word_instruction_rule_and_expectation() {
        let error = FrontendError::new(ErrorCode::NotAPointer, "expected a pointer, found %3")
            .at(ModulePosition { word: 12, inst: "Load" });
        assert_eq!(
            error.to_string(),
            "E0304 at word 12 (OpLoad): memory must be accessed through a pointer: expected a pointer, found %3"
        );
    }

    #[test]
    fn the_line_of_a_glslang_message_is_found() {
        assert_eq!(named_line("a.comp: ERROR: a.comp:7: 'x' : undeclared"), Some(7));
        assert_eq!(named_line("ERROR: 0:12: 'x' : undeclared\nERROR: 0:13: more"), Some(12));
        assert_eq!(named_line("ERROR: c:/a.comp:3: 'x' : undeclared"), Some(3));
        for text in ["a.comp: no luck", "ERROR: ", "ERROR: 5", "ERROR: a: 0: b", "ERROR: a\n:3:"] {
            assert_eq!(named_line(text), None, "{text}");
        }
    }
}
