//! Replaces run-time indices into small arrays by a choice among all elements, so that the elements can be values.

use super::util::{Action, rewrite};
use crate::ir::{
    AluOp, Builder, InstId, InstKind, PathStep, Shader, Src, Ty, Value, VarId, VarTy, Variable,
    WriteMask,
};

/// Elements of an array that counts as small.
const MAX_ELEMENTS: u32 = 8;
/// Scalars of a variable that counts as small.
const MAX_SCALARS: u64 = 32;

/// See the [module](self). Returns whether an index went.
pub fn lower_indirect_vars(shader: &mut Shader) -> bool {
    let mut progress = false;
    // Each run takes one index out of each path.
    while lower_first_indices(shader) {
        progress = true;
    }
    progress
}

fn lower_first_indices(shader: &mut Shader) -> bool {
    let vars = shader.vars.clone();
    let mut progress = false;
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let (InstKind::LoadVar { var, path } | InstKind::StoreVar { var, path, .. }) = &data.kind
        else {
            return Action::Keep;
        };
        let Some(choice) = choice(&vars[var.index()], path) else { return Action::Keep };
        let Some(leaf) = vars[var.index()].ty.leaf(path) else { return Action::Keep };
        let access = Indirect { var: *var, path: path.clone(), leaf, choice };
        progress = true;
        match data.kind {
            InstKind::StoreVar { data, mask, .. } => {
                access.store(b, inst, data, mask);
                Action::Keep
            }
            _ => Action::Replace(access.load(b).into()),
        }
    });
    progress
}

/// A run-time index in a path: which step, and among how many elements.
struct Choice {
    step: usize,
    index: Src,
    count: u32,
}

/// The first run-time index into a small array on the path.
fn choice(var: &Variable, path: &[PathStep]) -> Option<Choice> {
    if var.ty.num_scalars() > MAX_SCALARS {
        return None;
    }
    let mut at = var.ty.clone();
    for (step, part) in path.iter().enumerate() {
        match (part, &at) {
            (PathStep::Dyn(index), VarTy::Array(_, count)) => {
                return (*count <= MAX_ELEMENTS).then_some(Choice {
                    step,
                    index: *index,
                    count: *count,
                });
            }
            (PathStep::Dyn(_), _) => return None,
            (PathStep::Const(index), _) => at = at.step(Some(*index))?,
        }
    }
    None
}

/// An access with a run-time index.
struct Indirect {
    var: VarId,
    path: Vec<PathStep>,
    leaf: Ty,
    choice: Choice,
}

impl Indirect {
    fn element(&self, at: u32) -> Vec<PathStep> {
        let mut path = self.path.clone();
        path[self.choice.step] = PathStep::Const(at);
        path
    }

    /// Whether the index is `at`, a source for vectors too.
    fn is_at(&self, b: &mut Builder<'_>, at: u32) -> Src {
        let at = b.imm(at);
        let is_it = b.alu_ty(AluOp::IEq, Ty::BOOL, &[self.choice.index.select(0), at.into()]);
        Src::comp(is_it, 0)
    }

    fn load(&self, b: &mut Builder<'_>) -> Value {
        let ty = self.leaf;
        let mut picked = b.load_var(self.var, self.element(0), ty);
        for at in 1..self.choice.count {
            let is_it = self.is_at(b, at);
            let other = b.load_var(self.var, self.element(at), ty);
            picked = b.alu_ty(AluOp::Select, ty, &[is_it, other.into(), picked.into()]);
        }
        picked
    }

    /// Stores to each element what is stored, or what it was. The last store is the instruction itself.
    fn store(&self, b: &mut Builder<'_>, inst: InstId, data: Src, mask: WriteMask) {
        let ty = self.leaf;
        for at in 0..self.choice.count {
            let is_it = self.is_at(b, at);
            let path = self.element(at);
            let old = b.load_var(self.var, path.clone(), ty);
            let new = b.alu_ty(AluOp::Select, ty, &[is_it, data, old.into()]);
            let kind = InstKind::StoreVar { var: self.var, path, data: new.into(), mask };
            if at + 1 == self.choice.count {
                *b.func.kind_mut(inst) = kind;
            } else {
                b.inst(kind, &[]);
            }
        }
    }
}
