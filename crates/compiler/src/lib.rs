//! An open shader compiler for Intel GPUs of the i965 line.
