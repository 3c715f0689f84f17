//! Rewords errors of the translation in terms of the source text from which the module was compiled.
//!
//! The author of a WGSL, GLSL or HLSL text has never seen the module. So the error gets a line of the text: that of the
//! instruction if the module has line numbers (see [`to_spirv_with_lines`](crate::to_spirv_with_lines)), else the
//! declaration of the variable or type that the instruction works on, or of the function that contains it. Names
//! replace ids, and ordinary words replace opcodes and storage classes.

use hashbrown::HashMap;
use rspirv::spirv::{Op, StorageClass};

use crate::error::{FrontendError, SourcePosition};
use crate::limits;
use crate::source::Source;
use crate::spirv::{Inst, SourceLine, assign_lines, read_instructions};

/// How many levels of operands of operands are searched for a name.
const MOST_STEPS: usize = 6;

/// Rewords an error of [`translate`](crate::translate) for the author of `source`; `words` is the module compiled from
/// it. An error without a position in the module stays as it is.
pub fn in_source(error: FrontendError, words: &[u32], source: &Source<'_>) -> FrontendError {
    let (Some(position), Ok(text)) = (error.position, std::str::from_utf8(source.bytes)) else {
        return error;
    };
    let Ok((mut insts, _)) = read_instructions(words) else { return error };
    let lines = assign_lines(&mut insts);
    let module = Module::new(&insts, &lines);
    let Some((inst, line, function)) = module.find(position.word) else { return error };
    let subject = module.subject(inst, function);
    let declared = || {
        let at = limits::declaration(text, source.language, subject.as_deref()?)?;
        Some(SourcePosition::of_byte(text, at))
    };
    let mut detail = module.reword(&error.detail);
    if let Some(name) = subject.as_deref().filter(|name| !detail.contains(*name)) {
        detail.push_str(&format!(", at `{name}`"));
    }
    if let Some(function) = function.filter(|function| subject.as_deref() != Some(*function)) {
        detail.push_str(&format!(" in the function `{function}`"));
    }
    FrontendError { position: None, source_position: line.or_else(declared), detail, ..error }
}

/// The instructions, names and definitions of a module. The module may be invalid.
struct Module<'m> {
    insts: &'m [Inst<'m>],
    lines: &'m [SourceLine],
    names: HashMap<u32, String>,
    /// Indices of the instructions that define ids.
    defs: HashMap<u32, usize>,
}

impl<'m> Module<'m> {
    fn new(insts: &'m [Inst<'m>], lines: &'m [SourceLine]) -> Module<'m> {
        let mut names = HashMap::new();
        let mut defs = HashMap::new();
        for (index, inst) in insts.iter().enumerate() {
            if inst.result != 0 {
                defs.insert(inst.result, index);
            }
            if inst.op == Op::Name
                && let (Ok(id), Ok(name)) = (inst.word(0), inst.lossy_string(1))
            {
                // The name of a GLSL function contains the types of its parameters: `f(vf2;`.
                let name = name.split('(').next().unwrap_or_default();
                if !name.is_empty() {
                    names.insert(id, name.to_owned());
                }
            }
        }
        Module { insts, lines, names, defs }
    }

    /// The instruction at word offset `word`, its line if known, and the name of the function that contains it.
    fn find(&self, word: u32) -> Option<(&'m Inst<'m>, Option<SourcePosition>, Option<&str>)> {
        let mut function = None;
        for inst in self.insts {
            if inst.op == Op::Function {
                function = self.names.get(&inst.result).map(String::as_str);
            }
            if inst.at == word {
                let index = (inst.line as usize).checked_sub(1);
                let line = index.and_then(|index| self.lines.get(index));
                let position =
                    line.map(|line| SourcePosition { line: line.line, column: line.column });
                return Some((inst, position, function));
            }
            if inst.op == Op::FunctionEnd {
                function = None;
            }
        }
        None
    }

    /// The name of the value or variable that an instruction defines or works on, otherwise the name of its function.
    /// The search proceeds from the instruction's operands to the operands of their definitions.
    fn subject(&self, inst: &Inst<'_>, function: Option<&str>) -> Option<String> {
        let mut ids = vec![inst.result];
        if inst.op == Op::EntryPoint {
            ids.extend(inst.word(1));
        } else {
            // The type may have a name even if the variable has none: a GLSL block.
            ids.extend(inst.operands);
            ids.push(inst.ty);
        }
        for _ in 0..MOST_STEPS {
            if let Some(name) = ids.iter().find_map(|id| self.names.get(id)) {
                return Some(name.clone());
            }
            let defs = ids.iter().filter_map(|id| self.defs.get(id)).map(|&at| &self.insts[at]);
            // Operands of labels and functions say nothing about the value.
            let deeper = defs.filter(|def| !matches!(def.op, Op::Function | Op::Label));
            ids = deeper.flat_map(|def| def.operands.iter().copied()).take(64).collect();
        }
        function.map(str::to_owned)
    }

    /// A message with names and plain words in place of ids, opcodes, storage classes and sizes such as `32x2`.
    fn reword(&self, detail: &str) -> String {
        let mut out = String::new();
        let mut rest = detail;
        while !rest.is_empty() {
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '%' | '_');
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            if end == 0 {
                let next = rest.find(is_word).unwrap_or(rest.len());
                out.push_str(&rest[..next]);
                rest = &rest[next..];
                continue;
            }
            out.push_str(&self.reword_one(&rest[..end]));
            rest = &rest[end..];
        }
        out
    }

    /// Rewords one word of a message: an id, an opcode, a size such as `32x2` or a storage class. Other words stay.
    fn reword_one(&self, word: &str) -> String {
        if let Some(id) = word.strip_prefix('%').and_then(|id| id.parse().ok()) {
            return self.value(id);
        }
        if let Some(name) =
            word.strip_prefix("Op").filter(|name| name.starts_with(char::is_uppercase))
        {
            return operation(name);
        }
        if let Some((bits, count)) = word.split_once('x')
            && let (Ok(bits), Ok(count)) = (bits.parse::<u32>(), count.parse::<u32>())
        {
            return match count {
                1 => format!("one component of {bits} bits"),
                _ => format!("{count} components of {bits} bits"),
            };
        }
        match word {
            "StorageBuffer" => "a storage buffer".to_owned(),
            "UniformBuffer" => "a uniform buffer".to_owned(),
            "UniformConstant" => "an image or sampler".to_owned(),
            "PushConstant" => "push constants".to_owned(),
            "Workgroup" => "shared memory".to_owned(),
            "GLCompute" => "compute".to_owned(),
            "TessellationControl" => "tessellation control".to_owned(),
            "TessellationEvaluation" => "tessellation evaluation".to_owned(),
            word => word.to_owned(),
        }
    }

    /// An id in words: its name, or its type if it is a type, or else "a value".
    fn value(&self, id: u32) -> String {
        if let Some(name) = self.names.get(&id) {
            return format!("`{name}`");
        }
        let Some(inst) = self.defs.get(&id).map(|&at| &self.insts[at]) else {
            return "a value".to_owned();
        };
        let word = |index| inst.word(index).unwrap_or_default();
        match inst.op {
            Op::TypeVoid => "nothing".to_owned(),
            Op::TypeBool => "a boolean".to_owned(),
            Op::TypeInt if word(1) == 0 => format!("an unsigned integer of {} bits", word(0)),
            Op::TypeInt => format!("an integer of {} bits", word(0)),
            Op::TypeFloat => format!("a float of {} bits", word(0)),
            Op::TypeVector => format!("a vector of {}", word(1)),
            Op::TypeMatrix => format!("a matrix of {} columns", word(1)),
            Op::TypeArray | Op::TypeRuntimeArray => "an array".to_owned(),
            Op::TypeStruct => "a structure".to_owned(),
            Op::TypeImage => "an image".to_owned(),
            Op::TypeSampler => "a sampler".to_owned(),
            Op::TypeSampledImage => "an image with its sampler".to_owned(),
            Op::TypePointer => match StorageClass::from_u32(word(0)) {
                Some(StorageClass::StorageBuffer) => "a place in a storage buffer".to_owned(),
                Some(StorageClass::Uniform) => "a place in a buffer".to_owned(),
                Some(StorageClass::Workgroup) => "a place in shared memory".to_owned(),
                _ => "a variable".to_owned(),
            },
            Op::Label => "a block".to_owned(),
            _ => "a value".to_owned(),
        }
    }
}

/// An opcode (name without `Op`) in words.
fn operation(name: &str) -> String {
    match name {
        "Variable" => "a variable".to_owned(),
        "Load" => "a read".to_owned(),
        "Store" => "a write".to_owned(),
        "AccessChain" | "InBoundsAccessChain" => "an element or member".to_owned(),
        "FunctionCall" => "a call".to_owned(),
        "ReturnValue" => "a returned value".to_owned(),
        "Select" => "a choice of values".to_owned(),
        "DPdx" | "DPdy" | "Fwidth" | "DPdxFine" | "DPdyFine" | "FwidthFine" | "DPdxCoarse"
        | "DPdyCoarse" | "FwidthCoarse" => "a derivative".to_owned(),
        "Kill" | "TerminateInvocation" | "DemoteToHelperInvocation" => "discard".to_owned(),
        name => {
            let mut words = String::new();
            for c in name.chars() {
                if c.is_uppercase() && !words.is_empty() && !words.ends_with(char::is_uppercase) {
                    words.push(' ');
                }
                words.push(c);
            }
            format!("the operation \"{}\"", words.to_lowercase())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_module_do_not_reach_the_message() {
        let module = Module {
            insts: &[],
            lines: &[],
            names: [(7, "light".into())].into(),
            defs: HashMap::new(),
        };
        for (detail, told) in [
            ("expected %7, found %8 (OpLoad)", "expected `light`, found a value (a read)"),
            ("expected StorageBuffer with count None", "expected a storage buffer with count None"),
            (
                "expected 32x1, found 32x2",
                "expected one component of 32 bits, found 2 components of 32 bits",
            ),
            (
                "expected an instruction of shaders, found OpImageSparseFetch",
                "expected an instruction of shaders, found the operation \"image sparse fetch\"",
            ),
            (
                "expected 1 to 4096, found Opaque \u{e9}x",
                "expected 1 to 4096, found Opaque \u{e9}x",
            ),
        ] {
            assert_eq!(module.reword(detail), told);
        }
    }
}
