//! What a person wants to know about optimised code: why branches are divergent, and which loads stayed apart.
//!
//! Each analysis takes a valid shader. Its time is linear in the size of the shader.

mod branches;
mod loads;
mod names;

pub use branches::{DivergentBranch, divergent_branches};
pub use loads::{Obstacle, UnmergedLoad, unmerged_loads};
pub use names::{memory_name, origin_name};
