//! The names of all passes.

use crestline_codegen::backend;
use crestline_ssa::passes::all_passes;

/// A pass, or another step that is reported to an [`Observer`](crate::Observer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassInfo {
    /// Its name.
    pub name: &'static str,
    /// Whether it works on the mid-level IR; else on the back end's.
    pub mid_end: bool,
    /// Whether [`Options::disabled`](crate::Options::disabled) can name it.
    pub optional: bool,
}

/// All passes in the order in which they first run. A name may stand for a pass of the mid-end and for one of the back
/// end.
pub fn passes() -> impl Iterator<Item = PassInfo> {
    let row = |mid_end| {
        move |name: &'static str| PassInfo { name, mid_end, optional: name.starts_with("opt_") }
    };
    let mid_end = std::iter::once("frontend").chain(all_passes().map(|pass| pass.name));
    let mut seen = std::collections::BTreeSet::new();
    let all = mid_end.map(row(true)).chain(backend::steps().map(row(false)));
    all.filter(move |pass| seen.insert((pass.mid_end, pass.name)))
}
