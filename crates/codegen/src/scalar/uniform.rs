//! Decides which values are uniform, that is, have one element per thread in a scalar register.
//!
//! A value is uniform if [`Divergence::in_registers`] says so: all channels that are enabled where the value is
//! visible have the same bits, and no disabled channel needs the register's old contents when the value is written
//! with NoMask.
//!
//! A loop parameter whose value channels use after leaving the loop at different times (the counter of an escape
//! loop) is kept per channel, because a scalar would have to be copied at each exit. An exception are parameters from
//! which addresses are computed, because scalar addresses save more than these copies cost.

use crestline_ssa::analysis::{Divergence, Registers};
use crestline_ssa::ir::{
    AluOp, Function, InstKind, Memory, RegionId, Shader, StageInfo, Storages, SysVal, Value,
};

/// For each value of a function, whether it is uniform.
#[derive(Clone, Debug)]
pub struct Uniform {
    divergence: Divergence,
    /// For each value, whether only payloads with an element per channel read it; see [`only_stored`].
    stored: Vec<bool>,
}

impl Uniform {
    /// Analyses a shader.
    pub fn new(shader: &Shader) -> Uniform {
        let shares = shares_primitive(shader.stage);
        let holding = Holding { address: addresses(&shader.func), shares };
        let divergence = Divergence::in_registers(shader, &holding);
        Uniform { divergence, stored: only_stored(&shader.func) }
    }

    /// Whether the value is uniform.
    pub fn is(&self, value: Value) -> bool {
        self.divergence.is_uniform(value) && !self.stored[value.index()]
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

/// For each value that one instruction computes, whether it is used only as data of stores and outputs. Their payloads have an
/// element for each channel, so it is computed for each channel at once, instead of for the thread and then copied.
fn only_stored(func: &Function) -> Vec<bool> {
    // The numbers of all uses, and of those as data.
    let mut uses = vec![[0u32; 2]; func.num_values()];
    let mut stored = vec![false; func.num_values()];
    count_stored(func, func.body(), &mut uses, &mut stored);
    stored
}

/// Counts the uses in a region. Uses are visited before definitions.
fn count_stored(func: &Function, region: RegionId, uses: &mut [[u32; 2]], stored: &mut [bool]) {
    for &id in func.region(region).insts.iter().rev() {
        let inst = func.inst(id);
        for region in inst.kind.regions().rev() {
            count_stored(func, region, uses, stored);
        }
        let is_data = |value: Value| {
            uses[value.index()][0] > 0 && uses[value.index()][0] == uses[value.index()][1]
        };
        let mut data: Option<Value> = None;
        let mut all_data = false;
        match &inst.kind {
            InstKind::StoreOutput { data: stored, .. } => data = Some(stored.value),
            InstKind::Store { data: stored, memory, .. } if *memory != Memory::Scratch => {
                data = Some(stored.value);
            }
            InstKind::Alu { op, .. } => {
                let result = inst.results[0];
                match op {
                    AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4 => all_data = is_data(result),
                    _ if is_simple(*op) && func.ty(result).bits() == 32 => {
                        stored[result.index()] = is_data(result);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        inst.kind.for_each_src(|src| {
            let [all, as_data] = &mut uses[src.value.index()];
            *all += 1;
            *as_data += u32::from(all_data || data == Some(src.value));
        });
    }
}

/// Whether an operation is one instruction, whose time does not depend on the number of channels much.
fn is_simple(op: AluOp) -> bool {
    use AluOp::{
        FAbs, FAdd, FFloor, FFma, FMax, FMin, FMul, FNeg, FSat, IAdd, IAnd, IMax, IMin, INeg, INot,
        IOr, IShl, IShr, ISub, IXor, UMax, UMin, UShr,
    };
    matches!(
        op,
        FAbs | FAdd
            | FFloor
            | FFma
            | FMax
            | FMin
            | FMul
            | FNeg
            | FSat
            | IAdd
            | IAnd
            | IMax
            | IMin
            | INeg
            | INot
            | IOr
            | IShl
            | IShr
            | ISub
            | IXor
            | UMax
            | UMin
            | UShr
    )
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
    fn what_is_only_stored_is_computed_per_channel() {
        // %2 is read by %3, and %4 as an offset too; %3 is only data, and %5 no simple operation.
        let text = "compute \"t\" {
            local_size 8, 1, 1
            binding b0: ssbo set 0 binding 0 \"out\"
            %0: 32 = const 4
            %1: 32 = load ssbo b0, %0, align 4
            %2: 32 = iadd %1, %0
            %3: 32 = iadd %2, %1
            %4: 32 = iand %1, %0
            %5: 32 = frcp %1
            %6: 32x4 = vec4 %3, %4, %5, %1
            store ssbo b0, %4, %6, align 4
            return
        }";
        assert_eq!(uniform_results(text), [true, true, true, false, true, true, true]);
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
