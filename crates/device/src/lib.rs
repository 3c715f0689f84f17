//! Generations, platforms, capabilities, limits and surface formats of Intel i965-line GPUs.

mod r#gen;
mod platform;

pub use r#gen::{Gen, UnknownGen};
pub use platform::{Platform, UnknownPlatform};
