//! Which values a thread holds once, in a scalar register, instead of once per channel.
//!
//! A value is uniform if all channels that are enabled where it is visible have the same bits. Scalar registers are
//! written without regard to the execution mask, so there is one condition beyond equality: a loop's parameter may be
//! uniform only if every `Continue` that writes it runs with all channels of the round. A `Continue` under a divergent
//! condition would overwrite it while other channels still read the old value. This makes fewer values uniform than
//! [`Divergence`](crestline_ssa::analysis::Divergence) says, which knows of values only, not of registers.
//!
//! A parameter that channels take out of a loop at different times (the counter of an escape loop) is kept per channel:
//! as a scalar it would have to be copied at each exit. Not so if addresses follow from it, which are worth more as
//! scalars.
//!
//! `continuing` regions have been lowered.

use crestline_ssa::ir::{
    Function, InstData, InstId, InstKind, Memory, RegionId, Resource, Shader, Src, SysVal, Value,
};

use crate::select::yielded;

/// For each value of a function whether it is uniform.
#[derive(Clone, Debug)]
pub struct Uniform {
    divergent: Vec<bool>,
}

impl Uniform {
    /// Analyses a shader. Values start uniform and only ever become divergent, so the walk repeats until nothing
    /// changes.
    pub fn new(shader: &Shader) -> Uniform {
        let func = &shader.func;
        let mut analysis = Analysis {
            func,
            divergent: vec![false; func.num_values()],
            address: addresses(func),
            changed: true,
            loops: vec![],
        };
        while std::mem::take(&mut analysis.changed) {
            analysis.region(func.body(), false);
        }
        Uniform { divergent: analysis.divergent }
    }

    /// Whether the value is uniform.
    pub fn is(&self, value: Value) -> bool {
        !self.divergent[value.index()]
    }
}

/// A loop around the place of the walk.
struct Loop {
    inst: InstId,
    /// Some channels may leave a round or the loop while others stay.
    divergent_exit: bool,
    breaks: Vec<Vec<Src>>,
    continues: Vec<Continue>,
}

struct Continue {
    srcs: Vec<Src>,
    divergent: bool,
}

struct Analysis<'f> {
    func: &'f Function,
    divergent: Vec<bool>,
    /// Values that an address follows from.
    address: Vec<bool>,
    changed: bool,
    loops: Vec<Loop>,
}

impl Analysis<'_> {
    fn is_divergent(&self, src: Src) -> bool {
        self.divergent[src.value.index()]
    }

    fn mark(&mut self, value: Value, divergent: bool) {
        if divergent && !self.divergent[value.index()] {
            self.divergent[value.index()] = true;
            self.changed = true;
        }
    }

    /// Walks a region; `control` says whether a divergent condition inside the innermost loop encloses it.
    fn region(&mut self, region: RegionId, control: bool) {
        for index in 0..self.func.region(region).insts.len() {
            let id = self.func.region(region).insts[index];
            self.inst(id, control);
        }
    }

    fn inst(&mut self, id: InstId, control: bool) {
        let func = self.func;
        let inst = func.inst(id);
        match &inst.kind {
            InstKind::If { cond, then, else_ } => {
                let divergent = self.is_divergent(*cond);
                self.region(*then, control || divergent);
                self.region(*else_, control || divergent);
                self.if_results(inst, divergent, [*then, *else_]);
            }
            InstKind::Loop { init, body, .. } => {
                let looped = Loop {
                    inst: id,
                    divergent_exit: false,
                    breaks: Vec::new(),
                    continues: Vec::new(),
                };
                self.loops.push(looped);
                self.region(*body, false);
                if let Some(looped) = self.loops.pop() {
                    self.loop_values(&looped, init, *body);
                }
            }
            InstKind::Break(srcs) => {
                if let Some(top) = self.loops.last_mut() {
                    top.divergent_exit |= control;
                    top.breaks.push(srcs.to_vec());
                }
            }
            InstKind::Continue(srcs) => {
                if let Some(top) = self.loops.last_mut() {
                    top.divergent_exit |= control;
                    top.continues.push(Continue { srcs: srcs.to_vec(), divergent: control });
                }
            }
            kind => {
                let divergent = self.computes_divergent(kind);
                for &result in &inst.results {
                    self.mark(result, divergent);
                }
            }
        }
    }

    fn computes_divergent(&self, kind: &InstKind) -> bool {
        let element = |r: &Resource| r.element.is_some_and(|e| self.is_divergent(e));
        match kind {
            InstKind::Const(_) | InstKind::Undef => false,
            InstKind::SysVal(sysval) => matches!(
                sysval,
                SysVal::LocalInvocationId
                    | SysVal::LocalInvocationIndex
                    | SysVal::GlobalInvocationId
                    | SysVal::SubgroupInvocation
            ),
            InstKind::Alu { srcs, .. } => srcs.iter().any(|&src| self.is_divergent(src)),
            InstKind::Load { memory: Memory::Scratch, .. } => true,
            InstKind::Load { memory, offset, .. } => {
                self.is_divergent(*offset) || memory.resource().is_some_and(element)
            }
            InstKind::BufferSize(resource) | InstKind::ImageParam { image: resource, .. } => {
                element(resource)
            }
            // A message reads for each channel, also where all read the same texel.
            InstKind::ImageLoad { .. } | InstKind::Texture(_) => true,
            // Each channel gets its own old value, and has its own variables.
            InstKind::Atomic { .. } | InstKind::ImageAtomic { .. } | InstKind::LoadVar { .. } => {
                true
            }
            _ => false,
        }
    }

    /// Where only one region comes back, its values are the results whatever the condition was.
    fn if_results(&mut self, inst: &InstData, divergent: bool, regions: [RegionId; 2]) {
        let func = self.func;
        let yields: Vec<&[Src]> =
            regions.iter().filter_map(|&region| yielded(func, region)).collect();
        for (index, &result) in inst.results.iter().enumerate() {
            let differs =
                yields.iter().filter_map(|srcs| srcs.get(index)).any(|&src| self.is_divergent(src));
            self.mark(result, differs || divergent && yields.len() > 1);
        }
    }

    fn loop_values(&mut self, looped: &Loop, init: &[Src], body: RegionId) {
        let func = self.func;
        for (index, &result) in func.inst(looped.inst).results.iter().enumerate() {
            let breaks = looped.breaks.iter().filter_map(|srcs| srcs.get(index));
            let differs =
                looped.divergent_exit || breaks.copied().any(|src| self.is_divergent(src));
            self.mark(result, differs);
        }
        for (index, &param) in func.region(body).params.iter().enumerate() {
            let first = init.get(index).is_some_and(|&src| self.is_divergent(src));
            let next = looped.continues.iter().any(|c| {
                c.divergent || c.srcs.get(index).is_some_and(|&src| self.is_divergent(src))
            });
            let leaves = looped.divergent_exit
                && !self.address[param.index()]
                && looped.breaks.iter().flatten().any(|src| src.value == param);
            self.mark(param, first || next || leaves);
        }
    }
}

/// For each value whether the address of a load follows from it by arithmetic. Values carried around loops are not
/// followed.
fn addresses(func: &Function) -> Vec<bool> {
    let mut address = vec![false; func.num_values()];
    addresses_in(func, func.body(), &mut address);
    address
}

fn addresses_in(func: &Function, region: RegionId, address: &mut [bool]) {
    for &id in func.region(region).insts.iter().rev() {
        let inst = func.inst(id);
        for region in inst.kind.regions().rev() {
            addresses_in(func, region, address);
        }
        match &inst.kind {
            InstKind::Load { offset, .. } => address[offset.value.index()] = true,
            InstKind::Alu { srcs, .. } if address[inst.results[0].index()] => {
                srcs.iter().for_each(|src| address[src.value.index()] = true);
            }
            _ => {}
        }
    }
}
