//! Replaces dynamic indices into small arrays by accesses to all elements, so that the elements can become values:
//!
//! ```text
//! %1 = load_var v0[%0]     becomes    load all elements, and select the one whose number is %0
//! store_var v0[%0], %2     becomes    for each element i: store %2 if i = %0, else its old value
//! ```

use super::util::{Action, rewrite};
use crate::ir::{
    AluOp, Builder, InstId, InstKind, PathStep, Shader, Src, Ty, Value, VarId, VarTy, Variable,
    WriteMask,
};

/// Greatest number of elements of an array whose indices are replaced.
const MAX_ELEMENTS: u32 = 8;
/// Greatest number of scalars of a variable whose indices are replaced.
const MAX_SCALARS: u64 = 32;

/// See the [module](self). Returns whether an index was replaced.
pub fn lower_indirect_vars(shader: &mut Shader) -> bool {
    let mut progress = false;
    // Each call replaces one index of each path.
    while lower_first_indices(shader) {
        progress = true;
    }
    progress
}

/// Replaces the first dynamic index of each path. Returns whether there was one.
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

/// A dynamic index of a path: the number of the step, and the number of elements.
struct Choice {
    step: usize,
    index: Src,
    count: u32,
}

/// The first dynamic index of a path. `None` if there is none, or if the array or variable is too large.
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

/// An access with a dynamic index.
struct Indirect {
    var: VarId,
    path: Vec<PathStep>,
    leaf: Ty,
    choice: Choice,
}

impl Indirect {
    /// The path with the dynamic index replaced by element `at`.
    fn element(&self, at: u32) -> Vec<PathStep> {
        let mut path = self.path.clone();
        path[self.choice.step] = PathStep::Const(at);
        path
    }

    /// Whether the index is `at`. The source can be used for vectors too: each component reads the same boolean.
    fn is_at(&self, b: &mut Builder<'_>, at: u32) -> Src {
        let at = b.imm(at);
        let is_it = b.alu_ty(AluOp::IEq, Ty::BOOL, &[self.choice.index.select(0), at.into()]);
        Src::comp(is_it, 0)
    }

    /// Loads all elements and selects one.
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

    /// For each element, stores either the new data or the old value. The last store replaces the instruction itself.
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
