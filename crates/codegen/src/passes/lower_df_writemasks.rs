//! `lower_df_writemasks`: splits instructions that write exactly x and y, or exactly z and w, of a vector of doubles
//! into one per component. The hardware takes these two masks for masks of dwords ([`TORN_MASKS`]).

use crate::target::Target;

use super::PassError;
use super::legal::align16::TORN_MASKS;
use super::lower_df_swizzles::{Torn, is_vector_of_doubles, lower};
use crate::ir::{Function, Inst};

/// Splits instructions with a write mask that the hardware misreads. Returns whether the function changed.
///
/// # Errors
/// The same as for `lower_df_swizzles`.
pub fn lower_df_writemasks(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let is_torn =
        |inst: &Inst| is_vector_of_doubles(inst) && TORN_MASKS.contains(&inst.dst.write_mask());
    function.try_rewrite(is_torn, |inst, b| lower(inst, target, Torn::Split, b))
}
