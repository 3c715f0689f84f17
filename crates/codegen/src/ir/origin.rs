//! Why an instruction is in a program, for line tables.

use crestline_ssa::ir::{DebugLoc, DebugLocs};

/// Why an instruction is in a program. Origins have no effect on code: two instructions with different origins can be
/// equal, and no pass may decide anything by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// It computes what the shader says, at these places of the source ([`DebugLoc::NONE`] if they are not known).
    Source(DebugLoc),
    /// It sets up the thread: it reads the payload, or ends the thread.
    Setup,
    /// It loads a constant that several instructions share.
    Constant,
    /// It stores or fills a spilled register.
    Spill,
    /// It makes the thread wait, because the hardware does not.
    Hazard,
}

impl Origin {
    /// No place and no reason is known.
    pub const UNKNOWN: Origin = Origin::Source(DebugLoc::NONE);

    /// The origin of an instruction that replaces two with these origins.
    pub fn merged(self, other: Origin, debug: &mut DebugLocs) -> Origin {
        match (self, other) {
            (Origin::Source(a), Origin::Source(b)) => Origin::Source(debug.merge(a, b)),
            (Origin::Source(_), _) => self,
            _ => other,
        }
    }
}

impl Default for Origin {
    fn default() -> Origin {
        Origin::UNKNOWN
    }
}
