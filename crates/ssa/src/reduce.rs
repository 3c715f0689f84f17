//! Test case reduction: makes a shader that shows a bug smaller, so that a person can read it.
//!
//! Each step replaces a part by something simpler (a value by zero, a condition by a constant, a loop by one
//! iteration), or runs a pass that removes unused code. A step is kept if the shader is still valid and still shows
//! the bug. Steps are tried on large groups of instructions first, so that few tries remove most of a shader.

use crate::analysis::RegionTree;
use crate::ir::{AluOp, Builder, InstId, InstKind, Shader, Src, Srcs, Ty};
use crate::passes;
use crate::verify::verify;

/// Makes `shader` smaller as long as `fails` returns true for it. `fails` must return true for `shader` itself. It is
/// called with valid shaders only.
pub fn reduce(shader: &Shader, fails: &mut dyn FnMut(&Shader) -> bool) -> Shader {
    let mut best = shader.clone();
    loop {
        let before = size(&best);
        for edit in EDITS {
            shrink(&mut best, *edit, fails);
        }
        for clean in CLEANERS {
            try_step(&mut best, fails, clean);
        }
        if size(&best) >= before {
            return best;
        }
    }
}

/// The size of a shader: its reachable instructions and operands, variables and bindings.
fn size(shader: &Shader) -> usize {
    let tree = RegionTree::new(&shader.func);
    let mut size = shader.vars.len() + shader.bindings.len();
    for &inst in tree.insts() {
        let data = shader.func.inst(inst);
        // A constant counts less than other instructions, so that replacing an instruction by a constant makes
        // progress.
        size += if matches!(data.kind, InstKind::Const(_)) { 1 } else { 2 };
        data.kind.for_each_src(|_| size += 1);
    }
    size
}

/// Simplifies an instruction. Returns whether it changed anything.
type Edit = fn(&mut Shader, InstId) -> bool;

const EDITS: &[Edit] = &[always, never, one_round, remove, zero, first_source];

const CLEANERS: &[fn(&mut Shader) -> bool] = &[
    passes::opt_dead_control_flow,
    passes::opt_trivial_params,
    passes::opt_copy_propagation,
    passes::opt_dce,
    remove_unused_vars,
    |shader| {
        shader.compact();
        true
    },
];

/// Applies an edit to as many instructions as possible, large groups first.
fn shrink(best: &mut Shader, edit: Edit, fails: &mut dyn FnMut(&Shader) -> bool) {
    let insts = RegionTree::new(&best.func).insts().to_vec();
    let mut group = insts.len();
    while group > 0 {
        for insts in insts.chunks(group) {
            try_step(best, fails, |shader| {
                // An earlier edit of the group may have made this instruction unreachable. Editing it then has no
                // effect.
                insts.iter().fold(false, |changed, &inst| edit(shader, inst) | changed)
            });
        }
        group /= 2;
    }
}

/// Applies `step` to a copy of the shader, and keeps the copy if it is valid and still fails.
fn try_step(
    best: &mut Shader,
    fails: &mut dyn FnMut(&Shader) -> bool,
    step: impl FnOnce(&mut Shader) -> bool,
) {
    let mut shader = best.clone();
    if step(&mut shader) && verify(&shader).is_ok() && fails(&shader) {
        *best = shader;
    }
}

/// Makes an `If` always take its first region.
fn always(shader: &mut Shader, inst: InstId) -> bool {
    set_condition(shader, inst, true)
}

/// Makes an `If` always take its second region.
fn never(shader: &mut Shader, inst: InstId) -> bool {
    set_condition(shader, inst, false)
}

/// Replaces the condition of an `If`, unless it is a constant already.
fn set_condition(shader: &mut Shader, inst: InstId, value: bool) -> bool {
    let InstKind::If { cond, .. } = shader.func.inst(inst).kind else {
        return false;
    };
    if shader.func.as_const(cond.value).is_some() {
        return false;
    }
    let Some(constant) = constant_before(shader, inst, Ty::BOOL, u64::from(value)) else {
        return false;
    };
    if let InstKind::If { cond, .. } = shader.func.kind_mut(inst) {
        *cond = constant;
    }
    true
}

/// Replaces the `Continue` at the end of a loop by a `Break` that passes zeros.
fn one_round(shader: &mut Shader, inst: InstId) -> bool {
    let InstKind::Loop { body, continuing, .. } = shader.func.inst(inst).kind else {
        return false;
    };
    let round = continuing.unwrap_or(body);
    let Some(&last) = shader.func.region(round).insts.last() else {
        return false;
    };
    if !matches!(shader.func.inst(last).kind, InstKind::Continue(_)) {
        return false;
    }
    let types: Vec<Ty> =
        shader.func.inst(inst).results.iter().map(|&result| shader.func.ty(result)).collect();
    let zeros: Option<Srcs> =
        types.into_iter().map(|ty| constant_before(shader, last, ty, 0)).collect();
    let Some(zeros) = zeros else {
        return false;
    };
    *shader.func.kind_mut(last) = InstKind::Break(zeros);
    true
}

/// Removes an instruction without results.
fn remove(shader: &mut Shader, inst: InstId) -> bool {
    let data = shader.func.inst(inst);
    if !data.results.is_empty() || data.kind.is_terminator() {
        return false;
    }
    let Some(region) = RegionTree::new(&shader.func).region_of(inst) else {
        return false;
    };
    shader.func.region_mut(region).insts.retain(|&other| other != inst);
    true
}

/// Replaces an instruction with one result by a zero constant.
fn zero(shader: &mut Shader, inst: InstId) -> bool {
    let data = shader.func.inst(inst);
    let owns = data.kind.regions().len() != 0;
    if data.results.len() != 1 || owns || matches!(data.kind, InstKind::Const(_)) {
        return false;
    }
    *shader.func.kind_mut(inst) = InstKind::Const([0; 4]);
    true
}

/// Replaces an operation by a copy of its first source that has the type of the result.
fn first_source(shader: &mut Shader, inst: InstId) -> bool {
    let data = shader.func.inst(inst);
    let (InstKind::Alu { op, srcs, .. }, &[result]) = (&data.kind, &data.results[..]) else {
        return false;
    };
    let ty = shader.func.ty(result);
    let same = |(i, src): &(usize, &Src)| {
        shader.func.ty(src.value).bits() == ty.bits() && op.src_comps(*i, ty.comps()) == ty.comps()
    };
    if *op == AluOp::Mov {
        return false;
    }
    let Some((_, &src)) = srcs.iter().enumerate().find(same) else {
        return false;
    };
    *shader.func.kind_mut(inst) = InstKind::alu(AluOp::Mov, [src]);
    true
}

/// Inserts a constant before an instruction.
fn constant_before(shader: &mut Shader, inst: InstId, ty: Ty, bits: u64) -> Option<Src> {
    let region = RegionTree::new(&shader.func).region_of(inst)?;
    let index = shader.func.region(region).insts.iter().position(|&other| other == inst)?;
    let mut b = Builder::at(&mut shader.func, region, index);
    Some(b.constant(ty, [bits; 4]).into())
}

/// Removes the variables after the last one that is accessed.
fn remove_unused_vars(shader: &mut Shader) -> bool {
    let mut used = 0;
    for &inst in RegionTree::new(&shader.func).insts() {
        if let InstKind::LoadVar { var, .. } | InstKind::StoreVar { var, .. } =
            shader.func.inst(inst).kind
        {
            used = used.max(var.index() + 1);
        }
    }
    let changed = used < shader.vars.len();
    shader.vars.truncate(used);
    changed
}
