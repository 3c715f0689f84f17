//! Passes over the back end's form, each one function in a file of its name.
//!
//! `opt_*` passes may be skipped; `lower_*` passes may not. Every pass takes valid IR and leaves
//! valid IR, and every `opt_*` pass accepts what any `lower_*` pass leaves: an optimisation
//! never makes an instruction that [`legal`] refuses out of one that it accepts.

mod by_register;
mod lower_collect;
mod lower_conversions;
mod lower_cross_channel;
mod lower_df_conversions;
mod lower_df_immediates;
mod lower_df_swizzles;
mod lower_df_writemasks;
mod lower_indirect_vectors;
mod lower_indirect_writes;
mod lower_int_multiply;
mod lower_math_hazards;
mod lower_messages;
mod lower_mov_indirect;
mod lower_regioning;
mod lower_simd_width;
mod lower_uniforms;
mod opt_cmod_propagation;
mod opt_coalesce_vectors;
mod opt_coalesce_webs;
mod opt_copy_propagation;
mod opt_cse;
mod opt_dead_code;
mod opt_pack_constants;
mod opt_register_coalesce;
mod opt_saturate_propagation;
mod opt_self_copies;
mod opt_split_registers;
mod opt_vector_copies;

pub use lower_collect::lower_collect;
pub use lower_conversions::lower_conversions;
pub use lower_cross_channel::lower_cross_channel;
pub use lower_df_conversions::lower_df_conversions;
pub use lower_df_immediates::lower_df_immediates;
pub use lower_df_swizzles::lower_df_swizzles;
pub use lower_df_writemasks::lower_df_writemasks;
pub use lower_indirect_vectors::lower_indirect_vectors;
pub use lower_indirect_writes::lower_indirect_writes;
pub use lower_int_multiply::lower_int_multiply;
pub use lower_math_hazards::lower_math_hazards;
pub use lower_messages::lower_messages;
pub use lower_mov_indirect::lower_mov_indirect;
pub use lower_regioning::lower_regioning;
pub use lower_simd_width::lower_simd_width;
pub use lower_uniforms::lower_uniforms;
pub use opt_cmod_propagation::opt_cmod_propagation;
pub use opt_coalesce_vectors::opt_coalesce_vectors;
pub use opt_coalesce_webs::opt_coalesce_webs;
pub use opt_copy_propagation::opt_copy_propagation;
pub use opt_cse::opt_cse;
pub use opt_dead_code::opt_dead_code;
pub use opt_pack_constants::opt_pack_constants;
pub use opt_register_coalesce::opt_register_coalesce;
pub use opt_saturate_propagation::opt_saturate_propagation;
pub use opt_self_copies::opt_self_copies;
pub use opt_split_registers::opt_split_registers;
pub use opt_vector_copies::opt_vector_copies;

use crestline_device::Device;
use crestline_ssa::runner::{self, Fact, Facts};

pub use crate::error::PassError;
use crate::ir::Function;
use crate::legal;
use crate::schedule::{opt_dependency_control, opt_schedule_early, opt_schedule_late};

/// A pass: says whether it changed anything.
pub type PassFn = fn(&mut Function, &Device) -> Result<bool, PassError>;

/// A pass of this crate.
pub type Pass = runner::Pass<PassFn>;

/// Rows of a pass, the facts that it `reads` (those of a row without them are all) and `changes`.
macro_rules! passes {
    ($($name:ident $(reads [$($read:ident),+])? changes $changed:tt),* $(,)?) => {
        &[$(Pass {
            name: stringify!($name),
            reads: passes!(@facts $([$($read),+])?),
            changes: passes!(@facts $changed),
            run: $name,
        }),*]
    };
    (@facts) => { Facts::ALL };
    (@facts all) => { Facts::ALL };
    (@facts [$($fact:ident),+]) => { Facts::of(&[$(Fact::$fact),+]) };
}

/// The optimisations, run in this order until none has work.
///
/// What some of them read is less than it could be: `opt_cmod_propagation` does not look again for what `opt_cse` makes
/// equal, for example. That is rare.
pub const OPTIMIZE: &[Pass] = passes![
    opt_split_registers changes all,
    opt_copy_propagation reads [Copies, Registers] changes [Operands, DeadCode],
    opt_vector_copies reads [Copies, Operands, Lifetimes, Registers] changes all,
    opt_cse reads [Operands, Flags] changes [Copies, DeadCode],
    opt_cmod_propagation reads [Operands] changes [Flags, DeadCode],
    opt_saturate_propagation reads [Lifetimes] changes [Copies, DeadCode],
    opt_dead_code reads [DeadCode] changes [Lifetimes],
    opt_register_coalesce reads [Copies, Operands, Lifetimes] changes [Registers],
    opt_coalesce_vectors reads [Copies, Operands, Lifetimes, Registers, Flags] changes all,
];

/// The optimisations of what selection made, once: those that see less after lowering, or whose
/// work lowering would multiply. All others find the same then.
pub const OPTIMIZE_SELECTED: &[Pass] =
    &[OPTIMIZE[1], OPTIMIZE[2], OPTIMIZE[4], OPTIMIZE[5], OPTIMIZE[7], OPTIMIZE[8]];

/// From selected operations to instructions the hardware has, before register allocation.
pub const LOWER: &[Pass] = passes![
    lower_uniforms changes all,
    lower_cross_channel changes all,
    lower_messages changes all,
    lower_collect changes all,
    lower_int_multiply changes all,
    lower_indirect_vectors changes all,
    lower_indirect_writes changes all,
    lower_df_immediates changes all,
    lower_df_conversions changes all,
    lower_conversions changes all,
    lower_df_swizzles changes all,
    lower_df_writemasks changes all,
    lower_simd_width changes all,
    lower_regioning changes all,
];

/// Once after all of that, before scheduling: values get several definitions, which hides them from
/// the passes above, and what is left of moves of constants has found its places.
pub const COALESCE: &[Pass] =
    passes![opt_coalesce_webs changes all, opt_pack_constants changes all];

/// Just before register allocation. The pipeline runs this pass in a form of its own that keeps what is known of the
/// program, so it is no list.
pub const SCHEDULE: Pass = passes![opt_schedule_early changes all][0];

/// Just after register allocation.
pub const SCHEDULE_ALLOCATED: &[Pass] = passes![
    opt_self_copies changes all,
    opt_schedule_late changes all,
    opt_dependency_control changes all,
];

/// After register allocation.
pub const LOWER_ALLOCATED: &[Pass] =
    passes![lower_mov_indirect changes all, lower_math_hazards changes all];

#[cfg(test)]
mod tests;
