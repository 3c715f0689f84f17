//! Helper functions about regions, for both selection modes.

use crestline_ssa::ir::{Function, InstKind, RegionId, Src, Srcs};

/// The values of the `Yield` at the end of an `If` region; `None` if it ends otherwise.
pub(crate) fn yielded(func: &Function, region: RegionId) -> Option<&[Src]> {
    match &func.inst(*func.region(region).insts.last()?).kind {
        InstKind::Yield(srcs) => Some(srcs),
        _ => None,
    }
}

/// The values of each `Break` that leaves a loop.
pub(crate) fn breaks_of(func: &Function, body: RegionId) -> Vec<Srcs> {
    let mut breaks = Vec::new();
    let mut stack = vec![body];
    while let Some(region) = stack.pop() {
        for &id in &func.region(region).insts {
            match &func.inst(id).kind {
                InstKind::Break(srcs) => breaks.push(srcs.clone()),
                InstKind::If { then, else_, .. } => stack.extend([*then, *else_]),
                // The `Break`s of an inner loop leave that loop only.
                _ => {}
            }
        }
    }
    breaks
}

/// The value of result `index` of a loop, if every `Break` passes the same.
pub(crate) fn same_value(breaks: &[Srcs], index: usize) -> Option<Src> {
    let (first, rest) = breaks.split_first()?;
    let src = *first.get(index)?;
    rest.iter().all(|srcs| srcs.get(index) == Some(&src)).then_some(src)
}

/// For each value, whether an instruction reads it.
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
