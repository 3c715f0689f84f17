//! Generations, platforms, capabilities, limits and surface formats of Intel i965-line GPUs.
