//! Moves variables that are still there, arrays indexed at run time, to scratch memory.

use super::util::layout::{from_memory, in_memory, place, size_align};
use super::util::{Action, rewrite};
use crate::ir::{Access, AluOp, Builder, InstKind, Memory, PathStep, Shader, VarId, VarTy};

/// Scratch that one invocation may have, in bytes. Variables beyond stay, for selection to report.
const MAX_BYTES: u64 = 1 << 20;

/// See the [module](self). Returns whether a variable moved.
pub fn lower_vars_to_scratch(shader: &mut Shader) -> bool {
    let bases = assign(shader);
    if bases.iter().all(Option::is_none) {
        return false;
    }
    let vars = shader.vars.clone();
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let (InstKind::LoadVar { var, path } | InstKind::StoreVar { var, path, .. }) = &data.kind
        else {
            return Action::Keep;
        };
        let Some(base) = bases[var.0 as usize] else { return Action::Keep };
        let Some(place) = place(&vars[var.0 as usize].ty, path) else { return Action::Keep };
        let (leaf, access) = (place.leaf, Access::default());
        match data.kind.clone() {
            InstKind::StoreVar { mut data, mask, .. } => {
                let (offset, align) = place.offset(b, base);
                if leaf.is_bool() {
                    data = b.alu_ty(AluOp::B2I, in_memory(leaf), &[data]).into();
                }
                *b.func.kind_mut(inst) = InstKind::Store {
                    memory: Memory::Scratch,
                    offset,
                    data,
                    comps: leaf.comps() as u8,
                    mask,
                    align,
                    access,
                };
                Action::Keep
            }
            _ => {
                let (offset, align) = place.offset(b, base);
                let value = b.load(Memory::Scratch, offset, align, access, in_memory(leaf));
                Action::Replace(from_memory(b, leaf, value.into()))
            }
        }
    });
    initialise(shader, &bases);
    true
}

/// Gives each variable that is accessed a place in scratch; returns its first byte.
fn assign(shader: &mut Shader) -> Vec<Option<u32>> {
    let mut used = vec![false; shader.vars.len()];
    super::util::walk(&shader.func, |_, _, inst| {
        if let InstKind::LoadVar { var, .. } | InstKind::StoreVar { var, .. } =
            shader.func.inst(inst).kind
        {
            used[var.0 as usize] = true;
        }
    });
    let mut bases = vec![None; used.len()];
    for ((base, used), var) in bases.iter_mut().zip(used).zip(&shader.vars) {
        let start = u64::from(shader.scratch_bytes).next_multiple_of(16);
        let end = start.saturating_add(size_align(&var.ty).0);
        if used && end <= MAX_BYTES {
            *base = Some(start as u32);
            shader.scratch_bytes = end as u32;
        }
    }
    bases
}

/// Stores the first values of the variables at the start of the function.
fn initialise(shader: &mut Shader, bases: &[Option<u32>]) {
    let body = shader.func.body();
    let rest = std::mem::take(&mut shader.func.region_mut(body).insts);
    for (i, base) in bases.iter().enumerate() {
        let var = shader.var(VarId(i as u32)).clone();
        if let (Some(base), Some(init)) = (base, &var.init) {
            let mut b = Builder::new(&mut shader.func, body);
            store_leaves(&mut b, &var.ty, &var.ty, &mut Vec::new(), *base, &mut init.iter());
        }
    }
    shader.func.region_mut(body).insts.extend(rest);
}

/// Stores the first values of the part of `whole` at `path`, of type `ty`, taking them from `init`.
fn store_leaves(
    b: &mut Builder<'_>,
    whole: &VarTy,
    ty: &VarTy,
    path: &mut Vec<PathStep>,
    base: u32,
    init: &mut std::slice::Iter<'_, u64>,
) {
    let parts = match ty {
        VarTy::Vector(leaf) => {
            let mut bits = [0; 4];
            for (bits, &init) in bits.iter_mut().zip(init.by_ref().take(leaf.comps())) {
                *bits = init & leaf.mask();
            }
            if let Some(place) = place(whole, path) {
                let data = b.constant(in_memory(*leaf), bits);
                let (offset, align) = place.offset(b, base);
                b.store(Memory::Scratch, offset, data, align, Access::default());
            }
            return;
        }
        VarTy::Array(_, count) => *count,
        VarTy::Struct(members) => members.len() as u32,
    };
    for index in 0..parts {
        if let Some(part) = ty.step(Some(index)) {
            path.push(PathStep::Const(index));
            store_leaves(b, whole, &part, path, base, init);
            path.pop();
        }
    }
}
