//! Analyses for passes and instruction selection. Each takes a valid shader and time linear in its size. A result is
//! out of date as soon as the code changes.

mod address;
mod divergence;
mod live;
mod tree;
mod uses;

pub use address::{Address, wide_address};
pub(crate) use address::{canonical, const_scalar, may_alias};
pub use divergence::{Cause, Causes, Divergence, Registers};
pub use live::Live;
pub use tree::{RegionInfo, RegionTree};
pub use uses::{Users, use_counts};
