//! What is known of a program before registers are allocated: what instructions touch, and what must
//! survive where.

pub mod accesses;
mod bits;
pub mod liveness;
