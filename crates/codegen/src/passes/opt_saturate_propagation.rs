//! `opt_saturate_propagation`: if a saturating move is the only use of a float result, the instruction that computes
//! the result saturates instead, and the move becomes a plain one.

use hashbrown::HashMap;

use crate::target::Target;
use crestline_isa::{CondMod, Type};

use super::PassError;
use crate::ir::{Function, Inst, Vreg};

/// Replaces saturating moves by saturation of the computed result. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_saturate_propagation(
    function: &mut Function,
    _target: &Target,
) -> Result<bool, PassError> {
    if !function.insts().any(is_saturating_move) {
        return Ok(false);
    }
    let mut uses: HashMap<Vreg, (u32, u32)> = HashMap::new();
    for inst in function.insts() {
        for vreg in inst.srcs.iter().filter_map(|src| src.vreg()) {
            uses.entry(vreg).or_default().0 += 1;
        }
        if let Some(vreg) = inst.dst.vreg() {
            uses.entry(vreg).or_default().1 += 1;
        }
    }
    let mut changed = false;
    for block in &mut function.blocks {
        // For registers written in this block, the index of the last instruction that writes them.
        let mut written: HashMap<Vreg, usize> = HashMap::new();
        for index in 0..block.insts.len() {
            let inst = &block.insts[index];
            if is_saturating_move(inst)
                && let Some(vreg) = inst.srcs[0].vreg()
                && uses.get(&vreg) == Some(&(1, 1))
                && let Some(def) = written.get(&vreg).copied()
                && can_saturate(&block.insts[def], inst)
                && function.fuel.take(|| inst.to_string())
            {
                block.insts[def].saturate = true;
                block.insts[index].saturate = false;
                changed = true;
            }
            if let Some(vreg) = block.insts[index].dst.vreg() {
                written.insert(vreg, index);
            }
        }
    }
    Ok(changed)
}

/// Whether the instruction is a saturating move of floats without source modifiers.
fn is_saturating_move(inst: &Inst) -> bool {
    let src = &inst.srcs;
    inst.is_mov()
        && inst.saturate
        && inst.dst.ty == Type::F
        && src[0].ty == Type::F
        && !src[0].has_modifiers()
}

/// Whether the instruction `def` can saturate instead of the move `reader`: `def` computes a float in the same
/// channels, no predicate disables channels, and each channel of the move reads its own result.
fn can_saturate(def: &Inst, reader: &Inst) -> bool {
    let src = &reader.srcs[0];
    def.op.allows_saturate()
        && !def.op.is_message()
        && !def.is_mov()
        && def.cond_mod == CondMod::None
        && !def.predicate_disables()
        && def.dst.ty == Type::F
        && src.is_result(&def.dst, reader.dst.write_mask())
        && def.exec_size == reader.exec_size
        && def.group == reader.group
        && (def.no_mask || !reader.no_mask)
}
