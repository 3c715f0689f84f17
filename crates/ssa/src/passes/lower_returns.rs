//! Removes all `Return`s except the one at the end of the function.
//!
//! The code moves into a loop that runs once, and a `Return` becomes a `Break` of that loop. If a `Return` is inside
//! a further loop, it leaves that loop with an additional result, a flag that is true, and the code after the loop
//! tests the flag and breaks again. [`opt_dead_control_flow`](super::opt_dead_control_flow()) then removes the outer
//! loop where branches are sufficient.
//!
//! ```text
//! before:                                after:
//! if %c { return } else { yield }        loop () { if %c { break } else { yield }
//! CODE                                             CODE
//! return                                           break }
//!                                        return
//! ```

use super::util::{Tree, walk};
use crate::ir::{Builder, Function, InstId, InstKind, RegionId, Shader, Src, Srcs, Ty};

/// See the [module](self). Returns whether there was a `Return` in a nested region.
pub fn lower_returns(shader: &mut Shader) -> bool {
    let func = &mut shader.func;
    let body = func.body();
    let mut early = false;
    walk(func, |cx, _, inst| early |= cx.depth > 0 && func.inst(inst).kind == InstKind::Return);
    if !early {
        return false;
    }
    let insts = std::mem::take(&mut func.region_mut(body).insts);
    let mut b = Builder::new(func, body);
    let (once, inner) = b.loop_(&[]);
    b.return_();
    func.region_mut(inner).insts = insts;
    let tree = Tree::new(func);
    Pass { func, tree: &tree }.region(inner, once);
    true
}

struct Pass<'f> {
    func: &'f mut Function,
    tree: &'f Tree,
}

impl Pass<'_> {
    /// Replaces the returns in a region whose innermost loop is `around`. Returns whether there were any.
    fn region(&mut self, region: RegionId, around: InstId) -> bool {
        let mut found = false;
        for inst in std::mem::take(&mut self.func.region_mut(region).insts) {
            self.func.set_loc_from(inst);
            match self.func.inst(inst).kind {
                InstKind::Return => {
                    found = true;
                    self.leave(region, around);
                    continue;
                }
                InstKind::Loop { body, continuing, .. } => {
                    self.func.region_mut(region).insts.push(inst);
                    if self.loop_(inst, body, continuing) {
                        found = true;
                        self.func.set_loc_from(inst);
                        self.leave_if_flag(region, inst, around);
                    }
                    continue;
                }
                _ => {}
            }
            self.func.region_mut(region).insts.push(inst);
            for inner in self.func.inst(inst).kind.regions() {
                found |= self.region(inner, around);
            }
        }
        found
    }

    /// Replaces the returns in a loop. If there were any, adds a last result to the loop that tells whether a return
    /// left it. Returns whether there were any.
    fn loop_(&mut self, inst: InstId, body: RegionId, continuing: Option<RegionId>) -> bool {
        let breaks: Vec<InstId> = self
            .tree
            .jumps(inst)
            .iter()
            .copied()
            .filter(|&jump| matches!(self.func.inst(jump).kind, InstKind::Break(_)))
            .collect();
        let mut found = false;
        for region in [Some(body), continuing].into_iter().flatten() {
            found |= self.region(region, inst);
        }
        if found {
            for jump in breaks {
                // The `Break` is the last instruction of its region, and the flag is inserted before it.
                let Some(parent) = self.tree.region_of(jump) else { continue };
                self.func.region_mut(parent).insts.pop();
                self.func.set_loc_from(jump);
                let flag = Builder::new(self.func, parent).imm_b(false);
                if let InstKind::Break(srcs) = self.func.kind_mut(jump) {
                    srcs.push(flag.into());
                }
                self.func.region_mut(parent).insts.push(jump);
            }
            self.func.add_result(inst, Ty::BOOL);
        }
        found
    }

    /// Ends `region` with a `Break` of the loop `around`, for a return. The results are undefined, except the flag,
    /// which is true. The outermost loop, which runs once, has no flag.
    fn leave(&mut self, region: RegionId, around: InstId) {
        let results = self.func.inst(around).results.clone();
        let is_once = self.tree.region_of(around) == Some(self.func.body());
        let mut b = Builder::new(self.func, region);
        let mut srcs = Srcs::new();
        for result in results {
            let ty = b.func.ty(result);
            srcs.push(Src::new(b.undef(ty)));
        }
        if !is_once {
            srcs.push(b.imm_b(true).into());
        }
        b.inst(InstKind::Break(srcs), &[]);
    }

    /// After the loop `inner`: leaves the loop `around` too, if a return left `inner`.
    fn leave_if_flag(&mut self, region: RegionId, inner: InstId, around: InstId) {
        let Some(&flag) = self.func.inst(inner).results.last() else { return };
        let (_, then, else_) = Builder::new(self.func, region).if_(flag);
        self.leave(then, around);
        Builder::new(self.func, else_).yield_(&[]);
    }
}
