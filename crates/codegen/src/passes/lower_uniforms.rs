//! `lower_uniforms`: replaces push constant operands by the general registers that hold the push constants.

use crate::target::Target;

use super::PassError;
use crate::ir::{File, Function, GRF_BYTES, Region};

/// Replaces push constant operands by general registers. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn lower_uniforms(function: &mut Function, _target: &Target) -> Result<bool, PassError> {
    let base = function.push_register * GRF_BYTES;
    let mut changed = false;
    for src in function.insts_mut().flat_map(|inst| &mut inst.srcs) {
        if src.file == File::Uniform {
            if let Some((swizzle, step)) = src.vectors() {
                src.region = Region::Vectors { step: step as u8, swizzle };
            }
            src.file = File::Grf;
            src.offset += base;
            changed = true;
        }
    }
    Ok(changed)
}
