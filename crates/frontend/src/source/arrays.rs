//! Merges equal array types of a module that `naga` wrote.
//!
//! WGSL has one type for `array<i32, 2>` under all its names. `naga` writes a type for each name, and SPIR-V does not allow
//! values of one of them where it expects the other. So the first of equal types takes the place of the others, also in the
//! pointer and function types that contain them. The declarations of the others stay, without uses.

use std::collections::HashMap;

use rspirv::spirv::Op;

use crate::error::Result;
use crate::spirv::read_instructions;

/// What equal types have in common: opcode, operands and decorations.
type Key<'w> = (Op, Vec<u32>, Vec<&'w [u32]>);

/// See the [module](self).
///
/// # Errors
/// If the words are no module.
pub(super) fn merge_arrays(words: &mut [u32]) -> Result<()> {
    let (insts, _) = read_instructions(words)?;
    let mut decorations: HashMap<u32, Vec<&[u32]>> = HashMap::new();
    let mut first: HashMap<Key<'_>, u32> = HashMap::new();
    let mut merged: HashMap<u32, u32> = HashMap::new();
    // The words to change, and their new values.
    let mut changes: Vec<(usize, u32)> = Vec::new();
    for inst in &insts {
        let at = inst.at as usize;
        if let Some(&kept) = merged.get(&inst.ty) {
            changes.push((at + 1, kept));
        }
        // The operands that are types.
        let types = match inst.op {
            Op::Decorate => {
                decorations.entry(inst.word(0)?).or_default().push(inst.rest(1));
                continue;
            }
            Op::TypeArray => 0..1,
            Op::TypePointer | Op::Function => 1..2,
            Op::TypeRuntimeArray | Op::TypeFunction | Op::TypeStruct => 0..inst.operands.len(),
            _ => continue,
        };
        let mut operands = inst.operands.to_vec();
        // Result type and result come before the operands.
        let start = at + 1 + usize::from(inst.ty != 0) + usize::from(inst.result != 0);
        for place in types {
            if let Some(&kept) = operands.get(place).and_then(|ty| merged.get(ty)) {
                operands[place] = kept;
                changes.push((start + place, kept));
            }
        }
        if !matches!(inst.op, Op::Function | Op::TypeStruct) {
            let own = decorations.remove(&inst.result).unwrap_or_default();
            let kept = *first.entry((inst.op, operands, own)).or_insert(inst.result);
            if kept != inst.result {
                merged.insert(inst.result, kept);
            }
        }
    }
    for (at, word) in changes {
        words[at] = word;
    }
    Ok(())
}
