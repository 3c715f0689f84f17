//! Corrects what `naga` writes that is not valid SPIR-V.
//!
//! - WGSL has one type for `array<i32, 2>` under all its names. `naga` writes a type for each name, and SPIR-V does not allow
//!   values of one of them where it expects the other. So the first of equal types takes the place of the others, also in the
//!   pointer and function types that contain them. The declarations of the others stay, without uses.
//! - The size of a storage image has no level. `naga` asks for that of a level of a storage array.

use std::collections::{HashMap, HashSet};

use rspirv::spirv::Op;

use crate::error::Result;
use crate::spirv::read_instructions;

/// The operand of `OpTypeImage` that says whether it is for samplers (1) or storage (2).
const SAMPLED: usize = 5;

/// What equal types have in common: opcode, operands and decorations.
type Key<'w> = (Op, Vec<u32>, Vec<&'w [u32]>);

/// See the [module](self).
///
/// # Errors
/// If the words are no module.
pub(super) fn fix_up(words: &mut [u32]) -> Result<()> {
    let (insts, _) = read_instructions(words)?;
    let mut decorations: HashMap<u32, Vec<&[u32]>> = HashMap::new();
    let mut first: HashMap<Key<'_>, u32> = HashMap::new();
    let mut merged: HashMap<u32, u32> = HashMap::new();
    // Storage images: their types, and values of these.
    let mut storage: HashSet<u32> = HashSet::new();
    // The words to change, and their new values.
    let mut changes: Vec<(usize, u32)> = Vec::new();
    for inst in &insts {
        let at = inst.at as usize;
        if let Some(&kept) = merged.get(&inst.ty) {
            changes.push((at + 1, kept));
        }
        match inst.op {
            Op::TypeImage if inst.word(SAMPLED)? == 2 => _ = storage.insert(inst.result),
            Op::Load if storage.contains(&inst.ty) => _ = storage.insert(inst.result),
            Op::ImageQuerySizeLod if storage.contains(&inst.word(0)?) => {
                changes.push((at, 4 << 16 | Op::ImageQuerySize as u32));
                changes.push((at + 4, 1 << 16 | Op::Nop as u32));
            }
            _ => {}
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
