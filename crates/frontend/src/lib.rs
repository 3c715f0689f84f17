//! SPIR-V, WGSL and GLSL readers that build crestline-ssa.
