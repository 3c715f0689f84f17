//! Questions about regions that selection asks in both modes.

use crestline_ssa::ir::{Function, InstKind, RegionId, Src, Srcs};

/// What a region of an `If` gives back, if it ends with `Yield`.
pub(crate) fn yielded(func: &Function, region: RegionId) -> Option<&[Src]> {
    match &func.inst(*func.region(region).insts.last()?).kind {
        InstKind::Yield(srcs) => Some(srcs),
        _ => None,
    }
}

/// The values of every `Break` out of a loop.
pub(crate) fn breaks_of(func: &Function, body: RegionId) -> Vec<Srcs> {
    let mut breaks = Vec::new();
    let mut stack = vec![body];
    while let Some(region) = stack.pop() {
        for &id in &func.region(region).insts {
            match &func.inst(id).kind {
                InstKind::Break(srcs) => breaks.push(srcs.clone()),
                InstKind::If { then, else_, .. } => stack.extend([*then, *else_]),
                // The breaks of an inner loop are its own.
                _ => {}
            }
        }
    }
    breaks
}

/// The one value that result `index` of a loop can have, if every `Break` gives the same.
pub(crate) fn same_value(breaks: &[Srcs], index: usize) -> Option<Src> {
    let (first, rest) = breaks.split_first()?;
    let src = *first.get(index)?;
    rest.iter().all(|srcs| srcs.get(index) == Some(&src)).then_some(src)
}

/// For each value whether an instruction reads it.
pub(crate) fn used_values(func: &Function) -> Vec<bool> {
    let mut used = vec![false; func.num_values()];
    let mut stack = vec![func.body()];
    while let Some(region) = stack.pop() {
        for &id in &func.region(region).insts {
            let kind = &func.inst(id).kind;
            kind.for_each_src(|src| used[src.value.index()] = true);
            stack.extend(kind.regions());
        }
    }
    used
}
