//! Facts about code that passes and selection ask for. Each is computed in time linear in the code, from a valid
//! shader, and is stale as soon as the code changes.

mod divergence;
mod tree;
mod uses;

pub use divergence::{Divergence, Registers};
pub use tree::{RegionInfo, RegionTree};
pub use uses::{Users, use_counts};
