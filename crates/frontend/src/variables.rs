//! The names of the variables to which a module's lines assign values, for reports on code.

use rspirv::spirv::Op;

use crate::error::Result;
use crate::spirv::{Module, SourceLine};

/// A variable, or a value with a name, and a line that gives it its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AssignedVariable {
    /// The name of the file, as in the line tables of programs.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The name of the variable.
    pub name: String,
}

/// The variables that the lines of a module assign, ordered by file, line and name: those that a store or a copy writes, and
/// results with names.
///
/// # Errors
/// If the module breaks a rule that the translation relies on.
pub fn assigned_variables(words: &[u32]) -> Result<Vec<AssignedVariable>> {
    let module = Module::read(words)?;
    let mut found = Vec::new();
    for inst in module.insts.iter().skip_while(|inst| inst.op != Op::Function) {
        let Some(&SourceLine { file, line, .. }) =
            inst.line.checked_sub(1).and_then(|index| module.lines.get(index as usize))
        else {
            continue;
        };
        let name = match (inst.op, inst.operands.first()) {
            (Op::Store | Op::CopyMemory, Some(&target)) => module.name(root(&module, target)),
            (Op::Variable | Op::Function | Op::FunctionParameter | Op::Label, _) => continue,
            _ => module.name(inst.result),
        };
        let file = module.def(file).filter(|inst| inst.op == Op::String);
        let file = file.and_then(|inst| inst.lossy_string(0).ok());
        if let (false, Some(file)) = (name.is_empty(), file) {
            found.push(AssignedVariable { file, line, name: name.to_owned() });
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The variable that a chain of accesses starts at.
fn root(module: &Module<'_>, mut pointer: u32) -> u32 {
    // A chain is defined before its use, so a longer one is in a broken module.
    for _ in 0..64 {
        let chain = module.def(pointer).filter(|inst| {
            matches!(inst.op, Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject)
        });
        match chain.and_then(|inst| inst.operands.first()) {
            Some(&base) => pointer = base,
            None => break,
        }
    }
    pointer
}
