//! `lower_df_writemasks`: instructions that write exactly x and y, or exactly z and w, of a vector
//! of doubles become one for each component, since the hardware takes those two masks for masks
//! of dwords.

use crate::target::Target;

use super::PassError;
use super::legal::align16::TORN_MASKS;
use super::lower_df_swizzles::{Torn, is_vector_of_doubles, lower};
use crate::ir::{Function, Inst};

/// Runs the pass.
///
/// # Errors
/// As for `lower_df_swizzles`.
pub fn lower_df_writemasks(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let is_torn =
        |inst: &Inst| is_vector_of_doubles(inst) && TORN_MASKS.contains(&inst.dst.write_mask());
    function.try_rewrite(is_torn, |inst, b| lower(inst, target, Torn::Split, b))
}
