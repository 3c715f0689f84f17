//! Computes the system values that the back end does not provide from those that it provides.

use super::util::{Action, rewrite};
use crate::ir::{AluOp, Builder, InstData, InstKind, Shader, Src, SysVal, Ty, Value};

/// The system values that the back end provides.
///
/// [`SysVal::WorkgroupId`], [`SysVal::NumWorkgroups`], [`SysVal::SubgroupId`], [`SysVal::SubgroupInvocation`] and all
/// values of stages other than compute are always provided. Subgroups must hold consecutive local invocation indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemValues {
    /// Whether [`SysVal::LocalInvocationId`] is provided.
    pub local_invocation_id: bool,
    /// Whether [`SysVal::LocalInvocationIndex`] is provided.
    pub local_invocation_index: bool,
    /// Number of control points of an input patch, if it is known; else [`SysVal::PatchVertices`] is provided.
    pub patch_vertices: Option<u32>,
    /// Number of invocations of a subgroup, if it is known; else [`SysVal::SubgroupSize`] is provided.
    pub subgroup_size: Option<u32>,
    /// Whether pixels have one sample: then [`SysVal::SampleId`] and [`SysVal::SamplePosition`] are constants.
    pub one_sample: bool,
}

/// Greatest number of invocations of a workgroup for which [`Lower::quotient`] uses a multiplication.
const MAX_SMALL_WORKGROUP: u32 = 1024;

/// Whether a shader depends on the number of invocations of a subgroup, and thus on [`SystemValues::subgroup_size`].
pub fn reads_subgroup_size(shader: &Shader) -> bool {
    let size = |inst: &InstData| {
        matches!(inst.kind, InstKind::SysVal(SysVal::SubgroupSize | SysVal::NumSubgroups))
    };
    shader.func.may_have(size)
}

/// Whether a shader may read a system value.
pub fn reads_system_value(shader: &Shader, value: SysVal) -> bool {
    shader.func.may_have(|inst: &InstData| inst.kind == InstKind::SysVal(value))
}

/// See the [module](self). Returns whether a value was replaced.
pub fn lower_system_values(shader: &mut Shader, provided: &SystemValues) -> bool {
    let size = shader.compute().map(|compute| compute.local_size);
    if !shader.func.may_have(|inst| matches!(inst.kind, InstKind::SysVal(_))) {
        return false;
    }
    rewrite(&mut shader.func, |b, _, inst| {
        let InstKind::SysVal(value) = b.func.inst(inst).kind else { return Action::Keep };
        let mut lower = Lower { b, provided, size };
        match lower.compute(value) {
            Some(by) => Action::Replace(Src::new(by)),
            None => Action::Keep,
        }
    })
}

/// Number of invocations of a workgroup, at most `u32::MAX`.
fn total(size: [u32; 3]) -> u32 {
    size.iter().fold(1, |n: u32, &size| n.saturating_mul(size))
}

struct Lower<'b, 'f> {
    b: &'b mut Builder<'f>,
    provided: &'b SystemValues,
    /// The workgroup's size, for compute shaders.
    size: Option<[u32; 3]>,
}

impl Lower<'_, '_> {
    /// A system value, computed if it is not provided.
    fn get(&mut self, value: SysVal) -> Value {
        match self.compute(value) {
            Some(value) => value,
            None => self.b.sysval(value),
        }
    }

    /// Computes a system value from others. `None` if it is provided, or the stage does not have it.
    fn compute(&mut self, value: SysVal) -> Option<Value> {
        Some(match value {
            SysVal::SampleId if self.provided.one_sample => self.b.imm(0),
            SysVal::SamplePosition if self.provided.one_sample => {
                let centre = u64::from(0.5f32.to_bits());
                self.b.constant(SysVal::SamplePosition.ty(), [centre, centre, 0, 0])
            }
            SysVal::WorkgroupId
            | SysVal::NumWorkgroups
            | SysVal::SubgroupId
            | SysVal::SubgroupInvocation
            | SysVal::VertexIndex
            | SysVal::InstanceIndex
            | SysVal::BaseVertex
            | SysVal::BaseInstance
            | SysVal::DrawIndex
            | SysVal::ViewIndex
            | SysVal::PrimitiveId
            | SysVal::InvocationId
            | SysVal::TessCoord
            | SysVal::FragCoord
            | SysVal::FrontFacing
            | SysVal::PointCoord
            | SysVal::SampleId
            | SysVal::SamplePosition
            | SysVal::SampleMaskIn
            | SysVal::FullyCovered
            | SysVal::HelperInvocation => return None,
            SysVal::PatchVertices => self.b.imm(self.provided.patch_vertices?),
            SysVal::WorkgroupSize => {
                let [x, y, z] = self.size?.map(u64::from);
                self.b.constant(SysVal::WorkgroupSize.ty(), [x, y, z, 0])
            }
            SysVal::GlobalInvocationId => {
                let (group, size, local) = (
                    self.get(SysVal::WorkgroupId),
                    self.get(SysVal::WorkgroupSize),
                    self.get(SysVal::LocalInvocationId),
                );
                let first = self.b.alu(AluOp::IMul, &[group, size]);
                self.b.alu(AluOp::IAdd, &[first, local])
            }
            SysVal::LocalInvocationId if self.provided.local_invocation_id => return None,
            SysVal::LocalInvocationId => self.id_from_index(self.size?),
            SysVal::LocalInvocationIndex if self.provided.local_invocation_index => return None,
            SysVal::LocalInvocationIndex if self.provided.local_invocation_id => {
                self.index_from_id(self.size?)
            }
            SysVal::LocalInvocationIndex => {
                let (subgroup, size) =
                    (self.get(SysVal::SubgroupId), self.get(SysVal::SubgroupSize));
                let lane = self.get(SysVal::SubgroupInvocation);
                let first = self.b.alu(AluOp::IMul, &[subgroup, size]);
                self.b.alu(AluOp::IAdd, &[first, lane])
            }
            SysVal::SubgroupSize => self.b.imm(self.provided.subgroup_size?),
            SysVal::NumSubgroups => match (total(self.size?), self.provided.subgroup_size) {
                (total, Some(size)) => self.b.imm(total.div_ceil(size.max(1))),
                (total, None) => {
                    let size = self.get(SysVal::SubgroupSize);
                    let last = self.b.imm(total.wrapping_sub(1));
                    let (last, one) = (self.b.alu(AluOp::UDiv, &[last, size]), self.b.imm(1));
                    self.b.alu(AluOp::IAdd, &[last, one])
                }
            },
        })
    }

    /// Computes the three-dimensional local id from the flat index; x varies fastest. The last dimension of a size
    /// greater than 1 needs no remainder, since indices beyond the workgroup do not occur.
    fn id_from_index(&mut self, workgroup: [u32; 3]) -> Value {
        let [x, y, z] = workgroup;
        let mut rest = self.get(SysVal::LocalInvocationIndex);
        let mut id = Vec::with_capacity(3);
        for (size, more) in [(x, y > 1 || z > 1), (y, z > 1), (z, false)] {
            if size == 1 {
                id.push(self.b.imm(0).into());
            } else if more {
                let quotient = self.quotient(rest, size, total(workgroup));
                id.push(self.remainder(rest, quotient, size).into());
                rest = quotient;
            } else {
                id.push(rest.into());
            }
        }
        self.b.vec(&id)
    }

    /// The quotient of a flat index by `size`, at least 2, in a workgroup of `total` invocations.
    ///
    /// In small workgroups all indices are below 2^11, including those of unused channels. With
    /// `m = ceil(2^21 / size)`, the product `index * m` exceeds `index * 2^21 / size` by less than `index`, which is
    /// less than `2^21 / size`. So the shift by 21 gives the exact quotient. `m` is at most 2^20, so the product has
    /// at most 31 bits.
    fn quotient(&mut self, index: Value, size: u32, total: u32) -> Value {
        if size.is_power_of_two() || total > MAX_SMALL_WORKGROUP {
            let size = self.b.imm(size);
            return self.b.alu(AluOp::UDiv, &[index, size]);
        }
        let factor = self.b.imm((1u32 << 21).div_ceil(size));
        let product = self.b.alu(AluOp::IMul, &[index, factor]);
        let shift = self.b.imm(21);
        self.b.alu(AluOp::UShr, &[product, shift])
    }

    /// The remainder that belongs to `quotient`.
    fn remainder(&mut self, index: Value, quotient: Value, size: u32) -> Value {
        if size.is_power_of_two() {
            let mask = self.b.imm(size - 1);
            return self.b.alu(AluOp::IAnd, &[index, mask]);
        }
        let size = self.b.imm(size);
        let whole = self.b.alu(AluOp::IMul, &[quotient, size]);
        self.b.alu(AluOp::ISub, &[index, whole])
    }

    /// Computes the flat index from the three-dimensional local id.
    fn index_from_id(&mut self, [x, y, _]: [u32; 3]) -> Value {
        let id = self.get(SysVal::LocalInvocationId);
        let mut index = self.b.comp(id, 0);
        for (comp, stride) in [(1, x), (2, x.saturating_mul(y))] {
            let stride = self.b.imm(stride);
            let part = self.b.alu_ty(AluOp::IMul, Ty::X32, &[Src::comp(id, comp), stride.into()]);
            index = self.b.alu(AluOp::IAdd, &[index, part]);
        }
        index
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn quotients_by_multiplication_are_exact_for_every_index_and_size() {
        for size in 2u32..=1024 {
            let factor = (1u32 << 21).div_ceil(size);
            for index in 0u32..2048 {
                assert_eq!((index * factor) >> 21, index / size, "{index} / {size}");
            }
        }
    }
}
