//! Duplication of code inside a function.

use super::Subst;
use crate::ir::{Function, InstId, InstKind, RegionId, Src};

/// Duplicates code. One copier makes one copy: in the copied code, uses of copied definitions refer to the copies.
#[derive(Debug, Default)]
pub(crate) struct Copier {
    /// For values of the original code: the sources that replace them in the copy. The caller inserts those of region
    /// parameters before it copies with [`Copier::append`].
    pub(crate) subst: Subst,
}

impl Copier {
    /// Copies the instructions of `from`, except its terminator, to the end of `to`. Returns the kind of the
    /// terminator, with its sources replaced.
    pub(crate) fn append(
        &mut self,
        func: &mut Function,
        from: RegionId,
        to: RegionId,
    ) -> Option<InstKind> {
        let insts = func.region(from).insts.clone();
        for inst in insts {
            if func.inst(inst).kind.is_terminator() {
                func.set_loc_from(inst);
                let mut kind = func.inst(inst).kind.clone();
                kind.for_each_src_mut(|src| *src = self.subst.resolve(*src));
                return Some(kind);
            }
            let copy = self.inst(func, inst);
            func.region_mut(to).insts.push(copy);
        }
        None
    }

    /// Copies a whole region, including its parameters and terminator.
    pub(crate) fn region(&mut self, func: &mut Function, from: RegionId) -> RegionId {
        let to = func.add_region();
        for param in func.region(from).params.clone() {
            let ty = func.ty(param);
            let copy = func.add_param(to, ty);
            self.subst.insert(param, Src::new(copy));
        }
        if let Some(kind) = self.append(func, from, to) {
            let end = func.add_inst(kind, &[]);
            func.region_mut(to).insts.push(end);
        }
        to
    }

    /// Copies one instruction with the regions it owns. The copy is not in any region yet.
    pub(crate) fn inst(&mut self, func: &mut Function, inst: InstId) -> InstId {
        let data = func.inst(inst).clone();
        let mut kind = data.kind;
        kind.for_each_src_mut(|src| *src = self.subst.resolve(*src));
        match &mut kind {
            InstKind::If { then, else_, .. } => {
                *then = self.region(func, *then);
                *else_ = self.region(func, *else_);
            }
            InstKind::Loop { body, continuing, .. } => {
                *body = self.region(func, *body);
                if let Some(continuing) = continuing {
                    *continuing = self.region(func, *continuing);
                }
            }
            _ => {}
        }
        let types: Vec<_> = data.results.iter().map(|&v| func.ty(v)).collect();
        func.set_loc_from(inst);
        let copy = func.add_inst(kind, &types);
        for (i, &old) in data.results.iter().enumerate() {
            let new = func.inst(copy).results[i];
            self.subst.insert(old, Src::new(new));
        }
        copy
    }
}
