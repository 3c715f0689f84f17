//! The list of all passes, by name.

use crestline_codegen::backend;
use crestline_ssa::passes::all_passes;

/// A pass, or another step that is reported to an [`Observer`](crate::Observer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassInfo {
    /// The name of the pass.
    pub name: &'static str,
    /// Whether it works on the IR of the mid-end; otherwise it works on that of the back end.
    pub mid_end: bool,
    /// Whether it can be switched off with [`Options::disabled`](crate::Options::disabled).
    pub optional: bool,
}

/// All passes in the order in which they first run. A pass of the mid-end and one of the back end may have the same
/// name.
pub fn passes() -> impl Iterator<Item = PassInfo> {
    let row = |mid_end| {
        move |name: &'static str| PassInfo { name, mid_end, optional: name.starts_with("opt_") }
    };
    let mid_end = std::iter::once("frontend").chain(all_passes().map(|pass| pass.name));
    let mut seen = std::collections::BTreeSet::new();
    let all = mid_end.map(row(true)).chain(backend::steps().map(row(false)));
    all.filter(move |pass| seen.insert((pass.mid_end, pass.name)))
}
