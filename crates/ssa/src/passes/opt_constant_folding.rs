//! Computes operations whose sources are constants. For example, with `%0 = const 2`, `%1 = iadd %0, %0` becomes
//! `%1 = const 4`. Also makes these constant:
//!
//! - a source that reads one component of a constant vector: it reads a scalar constant instead;
//! - a dynamic index in a path whose value is a constant within range: it becomes a constant path step;
//! - a load from the program's constant memory at a constant offset.
//!
//! An operation stays if a float mode that the shader requests may give another result than folding does.

use super::util::{Action, const_scalar, const_src, fold, reads, rewrite};
use crate::ir::{
    Builder, Function, InstId, InstKind, Memory, PathStep, Shader, Src, VarTy, Variable,
};

/// See the [module](self). Returns whether anything changed.
pub fn opt_constant_folding(shader: &mut Shader) -> bool {
    let mut progress = false;
    let (vars, data_bytes) = (&shader.vars, &shader.const_data);
    let controls = shader.float_controls;
    rewrite(&mut shader.func, |b, cx, inst| {
        let data = b.func.inst(inst);
        if let InstKind::Alu { srcs, .. } = &data.kind
            && !srcs.iter().any(|src| b.func.is_const(src.value))
        {
            return Action::Keep;
        }
        let folded = match &data.kind {
            InstKind::Const(_) => return Action::Keep,
            InstKind::Alu { op, srcs, .. } => {
                fold(b.func, controls, *op, b.func.ty(data.results[0]), srcs)
            }
            InstKind::Load { .. } => constant_load(b.func, data_bytes, inst),
            InstKind::LoadVar { .. } | InstKind::StoreVar { .. } => {
                progress |= constant_steps(b.func, vars, inst);
                None
            }
            _ => None,
        };
        if let Some(bits) = folded
            && b.func.may_change(inst)
        {
            *b.func.kind_mut(inst) = InstKind::Const(bits);
            progress = true;
            return Action::Keep;
        }
        if reads_constant_vector(b.func, inst) {
            let counts = reads(b.func, vars, cx, inst);
            progress |= scalar_constants(b, inst, &counts);
        }
        Action::Keep
    });
    progress
}

/// The value of a load from the program's constant memory at a constant offset; `None` for other loads and out of
/// bounds.
fn constant_load(func: &Function, bytes: &[u8], inst: InstId) -> Option<[u64; 4]> {
    let data = func.inst(inst);
    let InstKind::Load { memory: Memory::ConstData, offset, .. } = data.kind else { return None };
    let ty = func.ty(*data.results.first()?);
    let (first, size) = (const_scalar(func, offset)? as usize, ty.comp_bytes() as usize);
    let mut bits = [0; 4];
    for (c, bits) in bits.iter_mut().enumerate().take(ty.comps()) {
        let mut word = [0; 8];
        word[..size].copy_from_slice(bytes.get(first + c * size..first + (c + 1) * size)?);
        *bits = u64::from_le_bytes(word);
    }
    Some(bits)
}

/// Replaces dynamic indices that are constants within range by constant path steps. Returns whether it changed the
/// path.
fn constant_steps(func: &mut Function, vars: &[Variable], inst: InstId) -> bool {
    let (InstKind::LoadVar { var, path } | InstKind::StoreVar { var, path, .. }) =
        &func.inst(inst).kind
    else {
        return false;
    };
    let index = |step: &PathStep| match step {
        PathStep::Const(index) => Some(*index),
        PathStep::Dyn(src) => const_scalar(func, *src).map(|bits| bits as u32),
    };
    let mut at: VarTy = vars[var.index()].ty.clone();
    let mut new = path.clone();
    for step in &mut new {
        let index = index(step).filter(|&index| at.step(Some(index)).is_some());
        if let Some(index) = index {
            *step = PathStep::Const(index);
        }
        match at.step(index) {
            Some(below) => at = below,
            None => return false,
        }
    }
    if new == *path || !func.may_change(inst) {
        return false;
    }
    if let InstKind::LoadVar { path, .. } | InstKind::StoreVar { path, .. } = func.kind_mut(inst) {
        *path = new;
    }
    true
}

/// Whether the instruction reads a constant vector.
fn reads_constant_vector(func: &Function, inst: InstId) -> bool {
    let mut any = false;
    func.inst(inst).kind.for_each_src(|src| {
        any |= func.ty(src.value).comps() > 1 && func.is_const(src.value);
    });
    any
}

/// Replaces sources that read one component of a constant vector by scalar constants. `counts` is the number of
/// components that each source reads.
fn scalar_constants(b: &mut Builder<'_>, inst: InstId, counts: &[usize]) -> bool {
    let mut found = Vec::new();
    let mut counts = counts.iter();
    b.func.inst(inst).kind.for_each_src(|src| {
        let is_vector = b.func.ty(src.value).comps() > 1;
        let one = counts.next() == Some(&1) && is_vector;
        found.push(one.then(|| const_src(b.func, src, 1)).flatten());
    });
    if found.iter().all(Option::is_none) || !b.func.may_change(inst) {
        return false;
    }
    let mut old = Vec::new();
    b.func.inst(inst).kind.for_each_src(|src| old.push(src));
    let new: Vec<Src> = old
        .into_iter()
        .zip(found)
        .map(|(src, bits)| match bits {
            Some(bits) => {
                let ty = b.func.ty(src.value).scalar();
                b.constant(ty, bits).into()
            }
            None => src,
        })
        .collect();
    let mut new = new.into_iter();
    b.func.kind_mut(inst).for_each_src_mut(|src| {
        if let Some(new) = new.next() {
            *src = new;
        }
    });
    true
}
