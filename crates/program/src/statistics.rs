//! Statistics of a compiled program.

use crate::json::record;
use serde::Serialize;

/// What the compiler counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Channels per thread.
    pub simd_width: u32,
    /// Instructions, compacted ones counted like the others.
    pub instructions: u32,
    /// Send instructions of every kind.
    pub sends: u32,
    /// Loops (backward branches).
    pub loops: u32,
    /// Messages that store a spilled value to scratch.
    pub spills: u32,
    /// Messages that load a spilled value from scratch.
    pub fills: u32,
    /// Highest number of general registers (32 bytes each) in use at once.
    pub registers: u32,
    /// Estimated cycles of one thread, each loop counted as ten rounds.
    pub estimated_cycles: u64,
}

record! {
    Statistics {
        simd_width, instructions, sends, loops, spills, fills, registers, estimated_cycles
    }
}
