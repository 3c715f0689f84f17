//! What is particular to a pipeline stage: payload layout, binding table, metadata.

pub mod compute;
