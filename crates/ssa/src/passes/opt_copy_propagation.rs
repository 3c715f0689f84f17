//! Replaces uses of copies by uses of the copied values. Moves, swizzles and vector constructions are copies:
//!
//! ```text
//! %3 = vec2 %1, %2.y
//! %4 = fadd %3.y, %3.x    becomes    %4 = fadd %2.y, %1
//! ```
//!
//! A source is replaced if one value supplies all the components that it reads. The copies stay;
//! [`opt_dce`](super::opt_dce()) removes them once they are unused.

use smallvec::SmallVec;

use super::util::{Context, reads};
use crate::ir::{AluOp, Function, InstData, InstId, InstKind, RegionId, Shader, Src, Variable};

/// See the [module](self). Returns whether a source changed.
pub fn opt_copy_propagation(shader: &mut Shader) -> bool {
    let is_copy = |inst: &InstData| matches!(inst.kind, InstKind::Alu { op, .. } if copies(op));
    if !shader.func.may_have(is_copy) {
        return false;
    }
    let mut origin = Origins { of: Vec::new() };
    let body = shader.func.body();
    region(&mut shader.func, &shader.vars, &mut origin, &Context::default(), body)
}

/// Whether the operation only copies components.
fn copies(op: AluOp) -> bool {
    matches!(op, AluOp::Mov | AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4)
}

/// Propagates copies in a region and the regions in it. Returns whether a source changed.
fn region(
    func: &mut Function,
    vars: &[Variable],
    origin: &mut Origins,
    cx: &Context,
    id: RegionId,
) -> bool {
    let mut progress = false;
    for at in 0..func.region(id).insts.len() {
        let inst = func.region(id).insts[at];
        if origin.concerns(func, inst) {
            let counts = reads(func, vars, cx, inst);
            progress |= propagate(func, origin, &counts, inst);
        }
        origin.note(func, inst);
        if !func.inst(inst).kind.owns_regions() {
            continue;
        }
        for inner in func.inst(inst).kind.regions() {
            let cx = cx.enter(func, inst, inner);
            progress |= region(func, vars, origin, &cx, inner);
        }
    }
    progress
}

/// For each copy, by value: the source of each of its components. Empty until the first copy is found, since many
/// shaders have no reachable copies.
struct Origins {
    of: Vec<Option<[Src; 4]>>,
}

impl Origins {
    /// Records the instruction if it is a copy. Its own sources must already be propagated, so that no chains occur.
    fn note(&mut self, func: &Function, inst: InstId) {
        let data = func.inst(inst);
        if let InstKind::Alu { op, srcs, .. } = &data.kind
            && copies(*op)
        {
            let mut comps = [Src::comp(srcs[0].value, 0); 4];
            match op {
                AluOp::Mov => {
                    for (c, comp) in comps.iter_mut().enumerate() {
                        *comp = srcs[0].select(c);
                    }
                }
                _ => {
                    for (comp, src) in comps.iter_mut().zip(srcs) {
                        *comp = src.select(0);
                    }
                }
            }
            if self.of.is_empty() {
                self.of.resize(func.num_values(), None);
            }
            self.of[data.results[0].index()] = Some(comps);
        }
    }

    /// Whether the instruction reads a copy.
    fn concerns(&self, func: &Function, inst: InstId) -> bool {
        let mut any = false;
        if self.of.is_empty() {
            return false;
        }
        func.inst(inst).kind.for_each_src(|src| any |= self.of[src.value.index()].is_some());
        any
    }

    /// The source that replaces `src`, of which `count` components are read; `None` if they do not all come from one
    /// value.
    fn find(&self, src: Src, count: usize) -> Option<Src> {
        let of = self.of[src.value.index()].as_ref()?;
        let pick = |c: usize| of[usize::from(src.swizzle[c])];
        let value = pick(0).value;
        let mut swizzle = [pick(0).swizzle[0]; 4];
        for (c, lane) in swizzle.iter_mut().enumerate().take(count) {
            *lane = pick(c).swizzle[0];
            if pick(c).value != value {
                return None;
            }
        }
        Some(Src { value, swizzle })
    }
}

/// Replaces the sources of an instruction that read copies. Returns whether it changed one.
fn propagate(func: &mut Function, origin: &Origins, counts: &[usize], inst: InstId) -> bool {
    let mut found = SmallVec::<[Option<Src>; 4]>::new();
    let mut i = 0;
    func.inst(inst).kind.for_each_src(|src| {
        found.push(origin.find(src, counts[i]));
        i += 1;
    });
    if found.iter().all(Option::is_none) || !func.may_change(inst) {
        return false;
    }
    let mut found = found.into_iter();
    func.kind_mut(inst).for_each_src_mut(|src| {
        if let Some(Some(new)) = found.next() {
            *src = new;
        }
    });
    true
}
