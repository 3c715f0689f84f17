//! Invocations that `OpKill` or `OpTerminateInvocation` has ended go on as helpers, so that the derivatives of their
//! neighbours stay defined.
//!
//! SPIR-V leaves these derivatives undefined, but many shaders read textures after a discard. The translation first ends a
//! killed invocation by a `Return`. If the shader has instructions that compute differences within the quad, this step
//! removes that `Return`. A killed invocation might then never leave a loop by itself. So it leaves each loop that it can
//! be in, at the start of an iteration, if all invocations of its quad that are still in the loop have been killed.

use crestline_ssa::ir::{Builder, InstId, InstKind, RegionId, Srcs, Ty, VarId, VarTy};
use hashbrown::{HashMap, HashSet};

use super::Translator;

/// The nesting of regions, and what is in them.
#[derive(Default)]
struct Nesting {
    /// For each nested region, the instruction that owns it and the region that contains that instruction.
    owners: HashMap<RegionId, (InstId, RegionId)>,
    /// The regions that contain the end of a killed invocation, also in nested regions.
    with_kill: HashSet<RegionId>,
    /// The loops that repeat.
    repeating: HashSet<InstId>,
}

impl Translator<'_, '_> {
    /// See the [module](self).
    pub(super) fn keep_helpers(&mut self) {
        let mut nesting = Nesting::default();
        let (mut needed, mut continues) = (false, Vec::new());
        let func = &self.shader.func;
        let mut regions = vec![func.body()];
        while let Some(region) = regions.pop() {
            for &inst in &func.region(region).insts {
                let kind = &func.inst(inst).kind;
                needed |= kind.facts().helpers;
                if matches!(kind, InstKind::Continue(_)) {
                    continues.push(region);
                }
                for nested in kind.regions() {
                    nesting.owners.insert(nested, (inst, region));
                    regions.push(nested);
                }
            }
        }
        if !needed {
            return;
        }
        for region in continues {
            nesting.repeating.extend(self.loop_around(&nesting, region));
        }
        let mut killed = Vec::new();
        for (inst, region) in std::mem::take(&mut self.kills) {
            // At this point no `If` or `Loop` has results, so no values are passed.
            let owner = nesting.owners.get(&region).map(|owner| owner.0);
            let end = match owner.map(|owner| &self.shader.func.inst(owner).kind) {
                Some(InstKind::If { .. }) => InstKind::Yield(Srcs::new()),
                Some(InstKind::Loop { .. }) => InstKind::Break(Srcs::new()),
                _ => continue,
            };
            *self.shader.func.kind_mut(inst) = end;
            killed.push(region);
            let mut around = Some(region);
            while let Some(region) = around.filter(|&region| nesting.with_kill.insert(region)) {
                around = nesting.owners.get(&region).map(|owner| owner.1);
            }
        }
        let mut loops = Vec::new();
        let body = self.shader.func.body();
        self.loops_after_kill(&nesting, body, &mut false, &mut loops);
        if !loops.is_empty() {
            let flag = self.new_var(String::new(), VarTy::Vector(Ty::BOOL), Some(vec![0]));
            killed.into_iter().for_each(|region| self.record_kill(region, flag));
            loops.into_iter().for_each(|body| self.leave_when_killed(body, flag));
        }
    }

    /// The innermost loop that contains a region.
    fn loop_around(&self, nesting: &Nesting, mut region: RegionId) -> Option<InstId> {
        loop {
            let &(inst, outer) = nesting.owners.get(&region)?;
            if matches!(self.shader.func.inst(inst).kind, InstKind::Loop { .. }) {
                return Some(inst);
            }
            region = outer;
        }
    }

    /// Appends the bodies of the repeating loops in `region` that a killed invocation can be in: they contain a kill or come
    /// after one. `after` says whether the code comes after one.
    fn loops_after_kill(
        &self,
        nesting: &Nesting,
        region: RegionId,
        after: &mut bool,
        loops: &mut Vec<RegionId>,
    ) {
        for &inst in &self.shader.func.region(region).insts {
            let kind = &self.shader.func.inst(inst).kind;
            if let InstKind::Loop { body, .. } = *kind
                && nesting.repeating.contains(&inst)
            {
                // An iteration comes after the one before it, so the whole loop comes after a kill in it.
                *after |= kind.regions().any(|region| nesting.with_kill.contains(&region));
                if *after {
                    loops.push(body);
                }
            }
            for nested in kind.regions() {
                self.loops_after_kill(nesting, nested, after, loops);
                *after |= nesting.with_kill.contains(&nested);
            }
        }
    }

    /// Sets the flag at the end of a region, before its terminator.
    fn record_kill(&mut self, region: RegionId, flag: VarId) {
        let end = self.shader.func.region(region).insts.len().saturating_sub(1);
        let mut b = Builder::at(&mut self.shader.func, region, end);
        let set = b.imm_b(true);
        b.store_var(flag, vec![], set);
    }

    /// Inserts at the start of a loop's body a break of the invocations for which the flag is set, if it is set for all
    /// invocations of the quad that execute this iteration.
    fn leave_when_killed(&mut self, body: RegionId, flag: VarId) {
        let func = &mut self.shader.func;
        let rest = std::mem::take(&mut func.region_mut(body).insts);
        let mut b = Builder::new(func, body);
        let killed = b.load_var(flag, vec![], Ty::BOOL);
        let all = b.inst(InstKind::AllKilled(killed.into()), &[Ty::BOOL]);
        let all = b.func.inst(all).results[0];
        let (_, then, else_) = b.if_(all);
        b.switch_to(then);
        b.break_(&[]);
        b.switch_to(else_);
        b.yield_(&[]);
        self.shader.func.region_mut(body).insts.extend(rest);
    }
}
