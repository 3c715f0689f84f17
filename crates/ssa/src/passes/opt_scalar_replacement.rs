//! Splits variables of structures, arrays and matrices into variables of their parts (scalar replacement of
//! aggregates):
//!
//! ```text
//! load_var v0[1][2]       becomes    load_var v7      with a new variable v7 for the part [1][2]
//! ```
//!
//! Structures are always split. An array is split if every access to it has a constant index; otherwise the dimension
//! stays, and an array of structures becomes one array for each member. Only parts that are accessed get a variable,
//! so the cost does not depend on the size of the type.

use std::collections::BTreeMap;

use super::util::walk;
use crate::ir::{InstId, InstKind, PathStep, Shader, VarId, VarTy, Variable};

/// See the [module](self). Returns whether a variable was split.
pub fn opt_scalar_replacement(shader: &mut Shader) -> bool {
    if shader.vars.iter().all(|var| matches!(var.ty, VarTy::Vector(_))) {
        return false;
    }
    let mut accesses: BTreeMap<VarId, Vec<Access>> = BTreeMap::new();
    walk(&shader.func, |_, _, inst| {
        if let InstKind::LoadVar { var, path } | InstKind::StoreVar { var, path, .. } =
            &shader.func.inst(inst).kind
        {
            accesses.entry(*var).or_default().push(Access { inst, path: path.clone() });
        }
    });
    let mut progress = false;
    for (var, accesses) in accesses {
        let whole = Part { name: shader.var(var).name.clone(), ..Part::default() };
        let ty = shader.var(var).ty.clone();
        if !matches!(ty, VarTy::Vector(_)) {
            progress |= split(shader, var, &ty, whole, accesses);
        }
    }
    progress
}

/// A load or store of the variable being split.
struct Access {
    inst: InstId,
    path: Vec<PathStep>,
}

/// A part of a variable, described by the path to it.
#[derive(Clone, Default)]
struct Part {
    /// Name of the part's variable.
    name: String,
    /// The number of the part's first scalar among the scalars of the variable.
    first: u64,
    /// Array dimensions on the path that are not split: the length, and the number of scalars from one element to the
    /// next.
    kept: Vec<(u32, u64)>,
    /// The positions of the path steps that select elements of these dimensions.
    kept_steps: Vec<usize>,
    /// Number of path steps that lead to the part.
    depth: usize,
    /// Whether any dimension was split. If not, the part is the whole variable.
    split: bool,
}

/// Groups `accesses`, which all access `part` of type `ty`, by the parts below it, down to scalars and vectors. Makes a
/// variable for each of those. Returns whether it made one.
fn split(shader: &mut Shader, var: VarId, ty: &VarTy, part: Part, accesses: Vec<Access>) -> bool {
    let depth = part.depth;
    let dynamic =
        || accesses.iter().any(|a| !matches!(a.path.get(depth), Some(PathStep::Const(_))));
    match ty {
        VarTy::Vector(leaf) => {
            let split = part.split && shader.func.fuel.take(|| format!("variable {:?}", part.name));
            if split {
                replace(shader, var, VarTy::Vector(*leaf), &part, accesses);
            }
            split
        }
        VarTy::Array(element, count) if dynamic() => {
            let mut part = Part { depth: depth + 1, ..part };
            part.kept.push((*count, element.num_scalars()));
            part.kept_steps.push(depth);
            split(shader, var, element, part, accesses)
        }
        VarTy::Array(..) | VarTy::Struct(_) => {
            let mut groups: BTreeMap<u32, Vec<Access>> = BTreeMap::new();
            for access in accesses {
                if let Some(PathStep::Const(index)) = access.path.get(depth) {
                    groups.entry(*index).or_default().push(access);
                }
            }
            let mut progress = false;
            for (index, accesses) in groups {
                let Some(below) = ty.step(Some(index)) else { continue };
                let before = match ty {
                    VarTy::Struct(members) => {
                        members[..index as usize].iter().map(VarTy::num_scalars).sum()
                    }
                    _ => u64::from(index).saturating_mul(below.num_scalars()),
                };
                let part = Part {
                    name: format!("{}.{index}", part.name),
                    first: part.first.saturating_add(before),
                    depth: depth + 1,
                    split: true,
                    ..part.clone()
                };
                progress |= split(shader, var, &below, part, accesses);
            }
            progress
        }
    }
}

/// Makes the variable of a part and redirects the accesses to it.
fn replace(shader: &mut Shader, var: VarId, leaf: VarTy, part: &Part, accesses: Vec<Access>) {
    let scalars = leaf.num_scalars();
    let ty = part
        .kept
        .iter()
        .rev()
        .fold(leaf, |element, (count, _)| VarTy::Array(Box::new(element), *count));
    let old = shader.var(var);
    let init = old.init.as_ref().map(|all| {
        let firsts = part.kept.iter().fold(vec![part.first], |firsts, &(count, stride)| {
            let elements = |&f: &u64| (0..u64::from(count)).map(move |i| f + i * stride);
            firsts.iter().flat_map(elements).collect()
        });
        firsts
            .iter()
            .flat_map(|&f| all[f as usize..(f + scalars) as usize].iter().copied())
            .collect()
    });
    let new = VarId::from_index(shader.vars.len());
    shader.vars.push(Variable { name: part.name.clone(), ty, storage: old.storage, init });
    for access in accesses {
        if let InstKind::LoadVar { var, path } | InstKind::StoreVar { var, path, .. } =
            shader.func.kind_mut(access.inst)
        {
            *var = new;
            *path = access
                .path
                .into_iter()
                .enumerate()
                .filter(|(i, _)| *i >= part.depth || part.kept_steps.contains(i))
                .map(|(_, step)| step)
                .collect();
        }
    }
}
