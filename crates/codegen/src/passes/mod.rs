//! Passes over the back end's IR. Each is one function in a file of the same name.
//!
//! `opt_*` passes may be skipped; `lower_*` passes may not. The input and output of every pass satisfy the verifier.
//! An `opt_*` pass accepts the output of any `lower_*` pass and does not turn an instruction that [`legal`] accepts
//! into one that it rejects.

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
mod opt_coalesce_results;
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
pub use opt_coalesce_results::opt_coalesce_results;
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

use crate::target::Target;

pub use crate::error::PassError;
use crate::ir::Function;
use crate::legal;

/// A pass. It returns whether it changed anything.
pub type PassFn = fn(&mut Function, &Target) -> Result<bool, PassError>;

#[cfg(test)]
mod tests;
