//! Replaces a small `If` without effects by the code of both branches, and a `select` for each result:
//!
//! ```text
//! %3 = if %c { %1 = ...; yield %1 } else { %2 = ...; yield %2 }
//! ```
//!
//! becomes `%1 = ...`, `%2 = ...`, `%3 = select %c, %1, %2`.
//!
//! The branches may load from constant offsets of memory with a bounds check. So conditions such as `x >= p.w || y >= p.h`, which
//! are an `If` around the second comparison, become two comparisons and one logical operation. The loads keep
//! their places among the accesses to memory, because the branches have no writes.

use super::util::{const_scalar, op_cost, terminator};
use crate::ir::{
    AluOp, Builder, Function, InstId, InstKind, Memory, RegionId, Resource, Shader, Src, Srcs,
};

/// Greatest total cost of both branches and the selects, in simple instructions. The jumps of an `If` cost less than that, but the
/// invocations of a thread often go both ways, and then both branches run anyway. With this limit, the conversion of a
/// colour component to or from sRGB has no branch.
pub(super) const MAX_COST: usize = 16;

/// See the [module](self). Returns whether an `If` was replaced.
pub fn opt_if_flatten(shader: &mut Shader) -> bool {
    let body = shader.func.body();
    shader.func.has_regions() && region(&mut shader.func, body)
}

/// Flattens the small `If`s in a region, inner ones first. Returns whether there were any.
fn region(func: &mut Function, id: RegionId) -> bool {
    let mut progress = false;
    for inst in std::mem::take(&mut func.region_mut(id).insts) {
        for inner in func.inst(inst).kind.regions() {
            progress |= region(func, inner);
        }
        if let InstKind::If { cond, then, else_ } = func.inst(inst).kind
            && is_small(func, inst, then, else_)
            && func.may_change(inst)
        {
            progress = true;
            flatten(func, id, inst, cond, then, else_);
        } else {
            func.region_mut(id).insts.push(inst);
        }
    }
    progress
}

/// Whether both branches yield, may be executed unconditionally, and cost little enough.
fn is_small(func: &Function, inst: InstId, then: RegionId, else_: RegionId) -> bool {
    let selects = func.inst(inst).results.iter().map(|&v| func.ty(v).comps()).sum::<usize>();
    let yields = |r| matches!(terminator(func, r), Some(InstKind::Yield(_)));
    let cost =
        |r: RegionId| func.region(r).insts.iter().map(|&i| cost(func, i)).sum::<Option<usize>>();
    yields(then)
        && yields(else_)
        && cost(then)
            .zip(cost(else_))
            .is_some_and(|(then, else_)| then + else_ + selects <= MAX_COST)
}

/// The cost of an instruction if it is executed although its result is not used; `None` if it must not be executed
/// then.
pub(super) fn cost(func: &Function, inst: InstId) -> Option<usize> {
    let data = func.inst(inst);
    match &data.kind {
        InstKind::Yield(_) => Some(0),
        InstKind::Load { memory, offset, access, .. } if !access.volatile && !access.coherent => {
            const_scalar(func, *offset)?;
            load_cost(func, memory)
        }
        kind if !kind.facts().may_run_unasked() => None,
        InstKind::Const(_) | InstKind::Undef | InstKind::SysVal(_) => Some(0),
        // The division becomes a product, except that of doubles.
        InstKind::Alu { op: AluOp::FDiv, srcs, .. }
            if func.as_const(srcs[1].value).is_some() && func.ty(data.results[0]).bits() < 64 =>
        {
            Some(op_cost(AluOp::FMul, func.ty(data.results[0]).comps()))
        }
        InstKind::Alu { op, .. } => Some(op_cost(*op, func.ty(data.results[0]).comps())),
        // Too expensive.
        _ => None,
    }
}

/// The cost of a load from a constant offset, if it may be executed although its result is not used: it must not read
/// outside of the memory. All invocations read the same bytes, so several loads share a message.
fn load_cost(func: &Function, memory: &Memory) -> Option<usize> {
    let known = |resource: &Resource| {
        resource.element.is_none_or(|element| const_scalar(func, element).is_some())
    };
    match memory {
        Memory::PushConstant => Some(0),
        Memory::ConstData => Some(1),
        Memory::Ubo(resource) | Memory::Ssbo(resource) => known(resource).then_some(1),
        Memory::Shared | Memory::Scratch | Memory::Image(_) | Memory::Global(_) => None,
    }
}

/// Moves the code of both branches to the end of `parent` and adds the selects.
fn flatten(
    func: &mut Function,
    parent: RegionId,
    inst: InstId,
    cond: Src,
    then: RegionId,
    else_: RegionId,
) {
    let take = |func: &mut Function, region: RegionId| -> Srcs {
        let mut list = std::mem::take(&mut func.region_mut(region).insts);
        let yielded = match list.pop().map(|end| func.inst(end).kind.clone()) {
            Some(InstKind::Yield(srcs)) => srcs,
            _ => Srcs::new(),
        };
        func.region_mut(parent).insts.append(&mut list);
        yielded
    };
    let (when_true, when_false) = (take(func, then), take(func, else_));
    // The results of the `If` become the results of the selects.
    let results: Vec<_> = func.inst(inst).results.iter().copied().collect();
    func.set_loc_from(inst);
    let mut b = Builder::new(func, parent);
    for ((result, x), y) in results.into_iter().zip(when_true).zip(when_false) {
        let select = b.func.add_inst(InstKind::alu(AluOp::Select, [cond.select(0), x, y]), &[]);
        b.func.move_result(result, select);
        b.insert(select);
    }
}
