//! Decides which values are uniform, that is, have one element per thread in a scalar register.
//!
//! A value is uniform if [`Divergence::in_registers`] says so: all channels that are enabled where the value is
//! visible have the same bits, and no disabled channel needs the register's old contents when the value is written
//! with NoMask.
//!
//! A loop parameter whose value channels use after leaving the loop at different times (the counter of an escape
//! loop) is kept per channel, because a scalar would have to be copied at each exit. An exception are parameters from
//! which addresses are computed, because scalar addresses save more than these copies cost.
//!
//! Values that only payloads read are computed for each channel, although they are uniform; see [`per_channel`].

use crestline_ssa::analysis::{Divergence, Registers};
use crestline_ssa::ir::{
    Function, InstKind, Memory, RegionId, Shader, StageInfo, Storages, SysVal, Value,
};

use super::per_channel;

/// For each value of a function, whether it is uniform.
#[derive(Clone, Debug)]
pub struct Uniform {
    divergence: Divergence,
    /// For each value, whether it is computed for each channel although it is the same in all of them.
    per_channel: Vec<bool>,
}

impl Uniform {
    /// Analyses a shader.
    pub fn new(shader: &Shader) -> Uniform {
        let shares = shares_primitive(shader.stage);
        let holding = Holding { address: addresses(&shader.func), shares };
        let divergence = Divergence::in_registers(shader, &holding);
        let per_channel = per_channel::choose(shader, &divergence);
        Uniform { divergence, per_channel }
    }

    /// Whether the value is uniform.
    pub fn is(&self, value: Value) -> bool {
        self.divergence.is_uniform(value) && !self.per_channel[value.index()]
    }
}

/// Properties of selection's registers that the divergence analysis needs.
struct Holding {
    /// For each value, whether an address is computed from it.
    address: Vec<bool>,
    /// Whether all channels of a thread have the same patch or input primitive.
    shares: bool,
}

/// Whether all channels of a thread have the same patch or input primitive, so that an input at the same position is
/// the same for all.
fn shares_primitive(stage: StageInfo) -> bool {
    match stage {
        StageInfo::TessControl(_) | StageInfo::TessEval(_) => true,
        StageInfo::Geometry(info) => info.invocations > 1,
        StageInfo::Vertex | StageInfo::Fragment(_) | StageInfo::Compute(_) => false,
    }
}

impl Registers for Holding {
    fn come_apart(&self, kind: &InstKind) -> bool {
        // These messages return texels per channel, even if all channels read the same one.
        kind.facts().reads.intersects(Storages::TEXELS.and(Storages::TEXTURES))
    }

    fn shared(&self, kind: &InstKind) -> bool {
        let input =
            matches!(kind, InstKind::LoadInput { .. } | InstKind::SysVal(SysVal::PrimitiveId));
        self.shares && input
    }

    fn stays(&self, param: Value) -> bool {
        self.address[param.index()]
    }
}

/// For each value, whether the address of a load is computed from it by arithmetic. Values that a loop passes to its
/// next iteration are not followed.
fn addresses(func: &Function) -> Vec<bool> {
    let mut address = vec![false; func.num_values()];
    addresses_in(func, func.body(), &mut address);
    address
}

/// Marks the values of a region from which addresses are computed. Uses are visited before definitions.
fn addresses_in(func: &Function, region: RegionId, address: &mut [bool]) {
    for &id in func.region(region).insts.iter().rev() {
        let inst = func.inst(id);
        for region in inst.kind.regions().rev() {
            addresses_in(func, region, address);
        }
        match &inst.kind {
            InstKind::Load { memory, offset, .. } => {
                address[offset.value.index()] = true;
                if let Memory::Global(base) = memory {
                    address[base.value.index()] = true;
                }
            }
            InstKind::Alu { srcs, .. } if address[inst.results[0].index()] => {
                srcs.iter().for_each(|src| address[src.value.index()] = true);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stage_gets_is_not_uniform() {
        let text = "vertex \"t\" {
            input location 0: 32 \"a\"
            %0: 32 = load_input location 0
            %1: 32 = sysval vertex_index
            %2: 32 = sysval base_vertex
            return
        }";
        assert_eq!(uniform_results(text), [false, false, true]);
    }

    /// Which results of a shader's body are uniform.
    fn uniform_results(text: &str) -> Vec<bool> {
        let shader = crestline_ssa::text::parse(text).expect("a shader");
        let uniform = Uniform::new(&shader);
        let func = &shader.func;
        let insts = func.region(func.body()).insts.iter().map(|&id| func.inst(id));
        insts.flat_map(|inst| inst.results.iter().map(|&value| uniform.is(value))).collect()
    }

    #[test]
    fn flat_inputs_are_uniform() {
        let text = "fragment \"t\" {
            input location 0: 32 \"a\" flat
            input location 1: 32 \"b\" smooth
            %0: 32 = load_input location 0
            %1: 32 = load_input location 1
            return
        }";
        assert_eq!(uniform_results(text), [true, false]);
    }
}
