//! Statistics of a compiled program.

use crate::json::record;
use serde::Serialize;

/// Statistics that the compiler collected for an entry point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Number of channels per thread.
    pub simd_width: u32,
    /// Number of instructions; a compacted instruction counts as one.
    pub instructions: u32,
    /// Number of send instructions of every kind.
    pub sends: u32,
    /// Number of loops (backward branches).
    pub loops: u32,
    /// Number of messages that store a spilled value to scratch.
    pub spills: u32,
    /// Number of messages that load a spilled value from scratch.
    pub fills: u32,
    /// Highest number of general registers (32 bytes each) in use at the same time.
    pub registers: u32,
    /// Estimated cycles of one thread, with ten iterations for each loop.
    pub estimated_cycles: u64,
}

record! {
    Statistics {
        simd_width, instructions, sends, loops, spills, fills, registers, estimated_cycles
    }
}
