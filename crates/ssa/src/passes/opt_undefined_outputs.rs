//! Leaves out undefined components where a fragment shader stores its colours:
//!
//! ```text
//! %3 = vec4 %0, %1, %2, undef
//! store_output location 0, %3            becomes
//! store_output location 0, %3, mask xyz
//! ```
//!
//! The attachment gets an undefined value in both cases, but no instruction fills the register of the message.

use super::util::is_gap;
use crate::analysis::RegionTree;
use crate::ir::{InstKind, IoSlot, Shader, StageInfo, WriteMask};

/// See the [module](self). Returns whether a component was left out.
pub fn opt_undefined_outputs(shader: &mut Shader) -> bool {
    if !matches!(shader.stage, StageInfo::Fragment(_)) {
        return false;
    }
    let func = &mut shader.func;
    let mut progress = false;
    for &inst in RegionTree::new(func).insts() {
        let InstKind::StoreOutput { slot, data, mask, .. } = func.inst(inst).kind else { continue };
        if !matches!(slot, IoSlot::Location(_) | IoSlot::SecondColour(_)) {
            continue;
        }
        let defined = (0..mask.width()).filter(|&comp| mask.has(comp) && !is_gap(func, data, comp));
        let left = WriteMask(defined.fold(0, |bits, comp| bits | 1 << comp));
        if left == mask || left == WriteMask(0) || !func.may_change(inst) {
            continue;
        }
        if let InstKind::StoreOutput { mask, .. } = func.kind_mut(inst) {
            *mask = left;
            progress = true;
        }
    }
    progress
}
