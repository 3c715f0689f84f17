//! Runs both branches of a small `If` without effects, and selects the results.

use super::util::terminator;
use crate::ir::{AluOp, Builder, Function, InstId, InstKind, RegionId, Shader, Src, Srcs};

/// Instructions, weighted, that both branches and the selects may have in all: about what jumping costs.
const MAX_COST: usize = 10;

/// See the [module](self). Returns whether an `If` went.
pub fn opt_if_flatten(shader: &mut Shader) -> bool {
    let body = shader.func.body();
    shader.func.has_regions() && region(&mut shader.func, body)
}

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

/// What an instruction costs where its result is not wanted; `None` if it must not run there.
fn cost(func: &Function, inst: InstId) -> Option<usize> {
    let data = func.inst(inst);
    match &data.kind {
        InstKind::Yield(_) => Some(0),
        kind if !kind.facts().may_run_unasked() => None,
        InstKind::Const(_) | InstKind::Undef | InstKind::SysVal(_) => Some(0),
        InstKind::Alu { op, .. } => {
            let comps = func.ty(data.results[0]).comps();
            Some(op_cost(*op) * if op.is_per_component() { comps } else { 1 })
        }
        // Never worth it.
        _ => None,
    }
}

/// About how many simple instructions an operation takes as long as.
fn op_cost(op: AluOp) -> usize {
    use AluOp::*;
    match op {
        Mov | Vec2 | Vec3 | Vec4 | FNeg | FAbs | INeg | INot => 0,
        FRcp | FRsq | FSqrt | FExp2 | FLog2 | FSinReduced | FCosReduced => 4,
        FDiv | FSin | FCos | FPow | IMulHigh | UMulHigh => 6,
        IDiv | UDiv | IRem | IMod | UMod => 16,
        FDot2 | FDot3 | FDot4 | FLdexp => 4,
        _ => 1,
    }
}

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
    // The selects take over the results of the `If`.
    let results: Vec<_> = func.inst(inst).results.iter().copied().collect();
    let mut b = Builder::new(func, parent);
    for ((result, x), y) in results.into_iter().zip(when_true).zip(when_false) {
        let select = b.func.add_inst(InstKind::alu(AluOp::Select, [cond.select(0), x, y]), &[]);
        b.func.move_result(result, select);
        b.insert(select);
    }
}
