//! The forward traversal that most passes use: it visits each instruction, and keeps it, removes it or replaces it.

use super::{Context, Subst};
use crate::ir::{Builder, DebugLoc, Function, InstId, RegionId, Src};

/// What happens to the visited instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// It stays, after the instructions that the visitor inserted with the builder.
    Keep,
    /// It is removed, and its only result is replaced by this source.
    Replace(Src),
}

/// Calls `f` for each reachable instruction in program order; the owner of a region comes before the region's
/// instructions. `f` gets a builder that inserts before the instruction, whose sources already have earlier
/// replacements applied. Returns whether any instruction was removed.
///
/// Definitions come before uses in this order, so one traversal replaces all uses. New instructions are not visited.
pub(crate) fn rewrite(
    func: &mut Function,
    f: impl FnMut(&mut Builder<'_>, &Context, InstId) -> Action,
) -> bool {
    rewrite_after(func, Subst::default(), f)
}

/// Does the same as [`rewrite`], with a map of replacements to start with, for values whose definition was removed
/// before.
pub(crate) fn rewrite_after(
    func: &mut Function,
    subst: Subst,
    f: impl FnMut(&mut Builder<'_>, &Context, InstId) -> Action,
) -> bool {
    let mut walk = Rewrite { subst, progress: false, f };
    let body = func.body();
    walk.region(func, &Context::default(), body);
    func.loc = DebugLoc::NONE;
    walk.progress
}

struct Rewrite<F> {
    subst: Subst,
    progress: bool,
    f: F,
}

impl<F: FnMut(&mut Builder<'_>, &Context, InstId) -> Action> Rewrite<F> {
    /// Rewrites a region. Its instruction list is emptied first, and collects the instructions that `f` builds. The old
    /// instructions are copied to it only from the first change on; if nothing changes, the old list is restored.
    fn region(&mut self, func: &mut Function, cx: &Context, region: RegionId) {
        let old = std::mem::take(&mut func.region_mut(region).insts);
        let mut same = true;
        for (at, &inst) in old.iter().enumerate() {
            self.subst.apply(func, inst);
            func.set_loc_from(inst);
            let action = (self.f)(&mut Builder::new(func, region), cx, inst);
            if same && !(action == Action::Keep && func.region(region).insts.is_empty()) {
                same = false;
                let new = &mut func.region_mut(region).insts;
                new.reserve(old.len());
                new.splice(0..0, old[..at].iter().copied());
            }
            match action {
                Action::Keep => {
                    if !same {
                        func.region_mut(region).insts.push(inst);
                    }
                    if func.inst(inst).kind.owns_regions() {
                        for inner in func.inst(inst).kind.regions() {
                            let cx = cx.enter(func, inst, inner);
                            self.region(func, &cx, inner);
                        }
                    }
                }
                Action::Replace(by) => {
                    let result = func.inst(inst).results[0];
                    self.subst.insert(result, by);
                    self.progress = true;
                }
            }
        }
        if same {
            func.region_mut(region).insts = old;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{AluOp, InstKind, Shader};
    use crate::text::parse;

    fn shader() -> Shader {
        let text = "compute \"t\" {
            local_size 1, 1, 1
            binding b0: ssbo set 0 binding 0 \"out\"
            %0: 32 = const 1
            %1: 32 = iadd %0, %0
            %2: 1 = ult %0, %1
            if %2 {
                %3: 32 = imul %0, %1
                %4: 32 = iadd %3, %1
                store ssbo b0, %0, %4, align 4
                yield
            } else {
                yield
            }
            store ssbo b0, %1, %1, align 4
            return
        }";
        parse(text).unwrap()
    }

    /// The instructions of the body, and those of the `then` region of the `if` in it.
    fn lists(func: &Function) -> (Vec<InstId>, Vec<InstId>) {
        let body = func.region(func.body()).insts.clone();
        let then = body.iter().find_map(|&inst| match func.inst(inst).kind {
            InstKind::If { then, .. } => Some(func.region(then).insts.clone()),
            _ => None,
        });
        (body, then.unwrap())
    }

    fn is_alu(func: &Function, inst: InstId, wanted: AluOp) -> bool {
        matches!(func.inst(inst).kind, InstKind::Alu { op, .. } if op == wanted)
    }

    #[test]
    fn where_nothing_changes_the_lists_stay() {
        let mut shader = shader();
        let original = shader.clone();
        let mut seen = 0;
        assert!(!rewrite(&mut shader.func, |_, _, _| {
            seen += 1;
            Action::Keep
        }));
        assert_eq!(shader, original);
        assert_eq!(seen, 11);
    }

    #[test]
    fn what_goes_first_in_the_middle_leaves_what_stood_before() {
        let mut shader = shader();
        let (body, then) = lists(&shader.func);
        // The outer sum is replaced by its first source, also in the sources of the instructions that read it.
        let progress = rewrite(&mut shader.func, |b, cx, inst| match b.func.inst(inst).kind {
            InstKind::Alu { op: AluOp::IAdd, ref srcs, .. } if cx.depth == 0 => {
                Action::Replace(srcs[0])
            }
            _ => Action::Keep,
        });
        assert!(progress);
        let (new, new_then) = lists(&shader.func);
        assert_eq!(new, [&body[..1], &body[2..]].concat());
        assert_eq!(new_then, then);
        let one = shader.func.inst(body[0]).results[0];
        let InstKind::Alu { srcs, .. } = &shader.func.inst(then[0]).kind else { panic!() };
        assert_eq!(srcs[..], [Src::new(one), Src::new(one)]);
        crate::verify::verify(&shader).unwrap();
    }

    #[test]
    fn what_is_inserted_stands_before_what_is_kept() {
        let mut shader = shader();
        let (body, then) = lists(&shader.func);
        let mut made = None;
        let progress = rewrite(&mut shader.func, |b, _, inst| {
            if is_alu(b.func, inst, AluOp::ULt) {
                let value = b.imm(7);
                made = Some(b.func.value(value).def);
            }
            Action::Keep
        });
        // Only removed instructions count as progress.
        assert!(!progress);
        let Some(crate::ir::ValueDef::Result { inst: made, .. }) = made else { panic!() };
        let (new, new_then) = lists(&shader.func);
        assert_eq!(new, [&body[..2], &[made], &body[2..]].concat());
        assert_eq!(new_then, then);
    }

    #[test]
    fn a_change_in_an_inner_region_leaves_the_outer_list() {
        let mut shader = shader();
        let (body, then) = lists(&shader.func);
        let progress = rewrite(&mut shader.func, |b, _, inst| {
            if !is_alu(b.func, inst, AluOp::IMul) {
                return Action::Keep;
            }
            Action::Replace(b.imm(7).into())
        });
        assert!(progress);
        let (new, new_then) = lists(&shader.func);
        assert_eq!(new, body);
        assert!(matches!(shader.func.inst(new_then[0]).kind, InstKind::Const(_)));
        assert_eq!(new_then[1..], then[1..]);
        crate::verify::verify(&shader).unwrap();
    }
}
