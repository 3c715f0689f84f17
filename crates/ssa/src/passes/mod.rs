//! The passes. Optimisations, `opt_*`, may be skipped; lowerings, `lower_*`, may not. Each pass is one function in a
//! file of the same name.
//!
//! Each pass takes a valid shader and leaves a valid one, takes time about linear in the shader's size, and returns
//! whether it changed anything. [`optimize`] runs all of them in order.

pub(crate) mod util;

pub mod lower_address_offsets;
pub mod lower_addresses;
pub mod lower_atomics;
pub mod lower_bit_ops;
pub mod lower_continue_constructs;
pub mod lower_divergent_descriptors;
pub mod lower_divergent_samples;
pub mod lower_f64_conversions;
pub mod lower_f64_division;
pub mod lower_f64_fma;
pub mod lower_f64_formulas;
pub mod lower_f64_roots;
pub mod lower_f64_rounding;
pub mod lower_f64_scaling;
pub mod lower_float_ops;
pub mod lower_image_atomic;
pub mod lower_image_load;
pub mod lower_image_size;
pub mod lower_image_store;
pub mod lower_indirect_vars;
pub mod lower_int64;
pub mod lower_int_division;
pub mod lower_memory_sizes;
pub mod lower_quad_levels;
pub mod lower_returns;
pub mod lower_scalarize;
pub mod lower_small_types;
pub mod lower_small_values;
pub mod lower_system_values;
pub mod lower_tess_levels;
pub mod lower_texture;
pub mod lower_vars_to_scratch;
pub mod opt_algebraic;
pub mod opt_constant_folding;
pub mod opt_copy_propagation;
pub mod opt_cse;
pub mod opt_dce;
pub mod opt_dead_control_flow;
pub mod opt_dead_stores;
pub mod opt_fuse_ffma;
pub mod opt_hoist_common;
pub mod opt_if_flatten;
pub mod opt_large_constants;
pub mod opt_load_store_forwarding;
pub mod opt_loop_invariants;
pub mod opt_loop_unroll;
pub mod opt_pack_memory;
pub mod opt_scalar_replacement;
pub mod opt_sink_negations;
pub mod opt_trivial_params;
pub mod opt_vars_to_ssa;
pub mod opt_vectorize_memory;
mod pipeline;

pub use lower_address_offsets::lower_address_offsets;
pub use lower_addresses::lower_addresses;
pub use lower_atomics::lower_atomics;
pub use lower_bit_ops::lower_bit_ops;
pub use lower_continue_constructs::lower_continue_constructs;
pub use lower_divergent_descriptors::lower_divergent_descriptors;
pub use lower_divergent_samples::lower_divergent_samples;
pub use lower_f64_conversions::lower_f64_conversions;
pub use lower_f64_division::lower_f64_division;
pub use lower_f64_fma::lower_f64_fma;
pub use lower_f64_formulas::lower_f64_formulas;
pub use lower_f64_roots::lower_f64_roots;
pub use lower_f64_rounding::lower_f64_rounding;
pub use lower_f64_scaling::lower_f64_scaling;
pub use lower_float_ops::lower_float_ops;
pub use lower_image_atomic::lower_image_atomic;
pub use lower_image_load::lower_image_load;
pub use lower_image_size::lower_image_size;
pub use lower_image_store::lower_image_store;
pub use lower_indirect_vars::lower_indirect_vars;
pub use lower_int_division::lower_int_division;
pub use lower_int64::lower_int64;
pub use lower_memory_sizes::lower_memory_sizes;
pub use lower_quad_levels::lower_quad_levels;
pub use lower_returns::lower_returns;
pub use lower_scalarize::lower_scalarize;
pub use lower_small_types::lower_small_types;
pub use lower_small_values::lower_small_values;
pub use lower_system_values::{
    SystemValues, lower_system_values, reads_subgroup_size, reads_system_value,
};
pub use lower_tess_levels::lower_tess_levels;
pub use lower_texture::lower_texture;
pub use lower_vars_to_scratch::lower_vars_to_scratch;
pub use opt_algebraic::opt_algebraic;
pub use opt_constant_folding::opt_constant_folding;
pub use opt_copy_propagation::opt_copy_propagation;
pub use opt_cse::opt_cse;
pub use opt_dce::opt_dce;
pub use opt_dead_control_flow::opt_dead_control_flow;
pub use opt_dead_stores::opt_dead_stores;
pub use opt_fuse_ffma::opt_fuse_ffma;
pub use opt_hoist_common::opt_hoist_common;
pub use opt_if_flatten::opt_if_flatten;
pub use opt_large_constants::opt_large_constants;
pub use opt_load_store_forwarding::opt_load_store_forwarding;
pub use opt_loop_invariants::opt_loop_invariants;
pub use opt_loop_unroll::opt_loop_unroll;
pub use opt_pack_memory::opt_pack_memory;
pub use opt_scalar_replacement::opt_scalar_replacement;
pub use opt_sink_negations::opt_sink_negations;
pub use opt_trivial_params::opt_trivial_params;
pub use opt_vars_to_ssa::opt_vars_to_ssa;
pub use opt_vectorize_memory::opt_vectorize_memory;
pub use pipeline::{CleanError, Doubles, LowerOptions, Options, Pass, all_passes, clean, optimize};
#[cfg(feature = "testing")]
pub use util::image::ImageStep;
