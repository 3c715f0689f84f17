//! The mid-level SSA IR: structured control flow, passes, interpreter.
