//! What is particular to a pipeline stage: payload layout, system values, binding table.

pub mod compute;
mod lower_compute_sysvals;

pub use lower_compute_sysvals::lower_compute_sysvals;
