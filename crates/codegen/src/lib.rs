//! The back end: from crestline-ssa to crestline-isa instructions.
