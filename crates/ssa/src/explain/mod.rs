//! What a person wants to know about optimised code: why branches are divergent, and which loads stayed apart.
//!
//! The analyses take a valid shader. Their time is linear in its size.

mod branches;
mod loads;
mod names;

pub use branches::DivergentBranch;
pub use loads::{Obstacle, UnmergedLoad};
pub use names::{memory_name, origin_name};

use crate::analysis::{Causes, Divergence, RegionTree};
use crate::ir::Shader;

/// A shader with the analyses that the explanations share.
pub struct Explainer<'s> {
    shader: &'s Shader,
    tree: RegionTree,
    divergence: Divergence,
    causes: Causes,
}

impl<'s> Explainer<'s> {
    /// Analyses a valid shader.
    pub fn new(shader: &'s Shader) -> Explainer<'s> {
        let (divergence, causes) = Divergence::explained(shader);
        Explainer { shader, tree: RegionTree::new(&shader.func), divergence, causes }
    }

    /// The divergent branches, in the order of the code. An `If` that is the exit of a divergent loop is part of that loop's
    /// entry.
    pub fn divergent_branches(&self) -> Vec<DivergentBranch> {
        branches::divergent(self)
    }

    /// The loads that the passes did not merge with an earlier load although both fit into one message, region by region, in
    /// the order of the code. Loads of uniform buffers whose address is the same for all invocations are left out: the back end
    /// merges them by other rules.
    pub fn unmerged_loads(&self) -> Vec<UnmergedLoad> {
        loads::unmerged(self)
    }
}
