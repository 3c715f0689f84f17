//! A conditional may discard in one arm and have other code in the other arm. This pass moves that code behind the
//! conditional, if it is short and has no effect but to store colours and other outputs:
//!
//! ```text
//! before:                          after:
//! if %0 {                          if %0 {
//!     demote                           demote
//!     yield                            yield
//! } else {                         } else {
//!     %2 = fmul %1, %1                 yield
//!     store_output location 0, %2  }
//!     yield                        %2 = fmul %1, %1
//! }                                store_output location 0, %2
//! ```
//!
//! Discarded invocations then execute the code, too, but what they store to their outputs has no effect. A conditional that only
//! discards is one comparison, and outputs that are stored outside of conditionals need no copies.

use super::opt_if_flatten::{MAX_COST, cost};
use crate::ir::{Function, InstId, InstKind, RegionId, Shader, StageInfo};

/// See the [module](self). Returns whether code was moved.
pub fn opt_demote_arms(shader: &mut Shader) -> bool {
    if !matches!(shader.stage, StageInfo::Fragment(_)) || !shader.func.has_regions() {
        return false;
    }
    let body = shader.func.body();
    region(&mut shader.func, body)
}

/// Moves code out of the conditionals of a region, inner ones first. Returns whether any was moved.
fn region(func: &mut Function, id: RegionId) -> bool {
    let mut progress = false;
    for inst in std::mem::take(&mut func.region_mut(id).insts) {
        for inner in func.inst(inst).kind.regions() {
            progress |= region(func, inner);
        }
        func.region_mut(id).insts.push(inst);
        if let Some(arm) = movable_arm(func, inst)
            && func.may_change(inst)
        {
            let insts = &mut func.region_mut(arm).insts;
            let end = insts.pop();
            let moved = std::mem::replace(insts, end.into_iter().collect());
            func.region_mut(id).insts.extend(moved);
            progress = true;
        }
    }
    progress
}

/// The arm of a conditional whose code may move behind it: the other arm discards, and the conditional has no result.
fn movable_arm(func: &Function, inst: InstId) -> Option<RegionId> {
    let data = func.inst(inst);
    let InstKind::If { then, else_, .. } = data.kind else { return None };
    let arm = match (only_demotes(func, then), only_demotes(func, else_)) {
        (true, false) => else_,
        (false, true) => then,
        _ => return None,
    };
    let insts = &func.region(arm).insts;
    let (end, insts) = insts.split_last()?;
    let yields = matches!(func.inst(*end).kind, InstKind::Yield(_));
    let total = insts.iter().map(|&inst| cost_here(func, inst)).sum::<Option<usize>>()?;
    (data.results.is_empty() && yields && !insts.is_empty() && total <= MAX_COST).then_some(arm)
}

/// Whether a region discards and has no other code.
fn only_demotes(func: &Function, region: RegionId) -> bool {
    matches!(
        func.region(region).insts.as_slice(),
        [demote, end] if func.inst(*demote).kind == InstKind::Demote
            && matches!(func.inst(*end).kind, InstKind::Yield(_))
    )
}

/// The cost of an instruction that discarded invocations execute, too; `None` if they must not execute it.
fn cost_here(func: &Function, inst: InstId) -> Option<usize> {
    let data = func.inst(inst);
    match data.kind {
        InstKind::StoreOutput { vertex: None, .. } => Some(0),
        // Not with an index, which the conditional may keep in range.
        InstKind::LoadInput { vertex: None, index: None, .. } => {
            Some(func.ty(data.results[0]).comps())
        }
        // Another discard.
        InstKind::If { then, else_, .. } if data.results.is_empty() => {
            let is_empty = |region: RegionId| func.region(region).insts.len() == 1;
            let discards = only_demotes(func, then) && is_empty(else_)
                || only_demotes(func, else_) && is_empty(then);
            discards.then_some(1)
        }
        _ => cost(func, inst),
    }
}
