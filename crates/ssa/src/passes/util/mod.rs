//! Helpers of several passes: traversals, the region tree, replacement of values, copies of code, rewrite rules.

mod context;
mod copy;
mod cost;
pub(crate) mod double;
mod each;
mod fold;
pub(crate) mod image;
pub(crate) mod layout;
mod range;
mod rewrite;
pub(crate) mod room;
pub(crate) mod rules;
mod subst;
mod tree;

pub(crate) use context::{Context, reads, walk};
pub(crate) use copy::Copier;
pub(crate) use cost::op_cost;
pub(crate) use each::{Execute, for_each_distinct, for_each_value};
pub(crate) use fold::fold;
pub(crate) use rewrite::{Action, rewrite, rewrite_after};
pub(crate) use subst::Subst;
pub(crate) use tree::Tree;

pub(crate) use crate::analysis::const_scalar;

use crate::ir::{AluOp, Function, InstId, InstKind, RegionId, Src, Value};

/// Inserts instructions that are in no region yet at the start of the function, where their results are visible
/// everywhere.
pub(crate) fn prepend(func: &mut Function, insts: Vec<InstId>) {
    let body = func.body();
    func.region_mut(body).insts.splice(0..0, insts);
}

/// The reachable loops in program order, an outer loop before its inner loops.
pub(crate) fn loops(func: &Function) -> Vec<InstId> {
    let mut loops = Vec::new();
    if func.has_regions() {
        walk(func, |_, _, inst| {
            if matches!(func.inst(inst).kind, InstKind::Loop { .. }) {
                loops.push(inst);
            }
        });
    }
    loops
}

/// The terminator of a region.
pub(crate) fn terminator(func: &Function, region: RegionId) -> Option<&InstKind> {
    func.region(region).insts.last().map(|&inst| &func.inst(inst).kind)
}

/// The constant components that a source reads, in the first `comps` entries; `None` if its value is no constant.
pub(crate) fn const_src(func: &Function, src: Src, comps: usize) -> Option<[u64; 4]> {
    let bits = func.as_const(src.value)?;
    let mut out = [0; 4];
    for (out, &from) in out.iter_mut().zip(&src.swizzle).take(comps) {
        *out = bits[usize::from(from)];
    }
    Some(out)
}

/// Whether a value is [`InstKind::Undef`].
pub(crate) fn is_undef(func: &Function, value: Value) -> bool {
    func.def(value).is_some_and(|inst| inst.kind == InstKind::Undef)
}

/// Whether component `comp` of a source is undefined.
pub(crate) fn is_gap(func: &Function, data: Src, comp: usize) -> bool {
    let part = match func.def(data.value).map(|inst| &inst.kind) {
        Some(InstKind::Alu { op: AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4, srcs, .. }) => {
            srcs.get(usize::from(data.swizzle[comp])).map(|src| src.value)
        }
        _ => None,
    };
    is_undef(func, part.unwrap_or(data.value))
}
