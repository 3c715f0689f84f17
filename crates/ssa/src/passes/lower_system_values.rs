//! Computes the system values that a back end does not provide from those that it does.

use super::util::{Action, rewrite};
use crate::ir::{AluOp, Builder, InstKind, Shader, Src, SysVal, Ty, Value};

/// What a back end provides.
///
/// [`SysVal::WorkgroupId`], [`SysVal::NumWorkgroups`], [`SysVal::SubgroupId`] and [`SysVal::SubgroupInvocation`] always
/// are provided. Subgroups hold consecutive local invocation indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemValues {
    /// [`SysVal::LocalInvocationId`] is provided.
    pub local_invocation_id: bool,
    /// [`SysVal::LocalInvocationIndex`] is provided.
    pub local_invocation_index: bool,
    /// Invocations of a subgroup, if already decided; else [`SysVal::SubgroupSize`] is provided.
    pub subgroup_size: Option<u32>,
}

/// See the [module](self). Returns whether a value was replaced.
pub fn lower_system_values(shader: &mut Shader, provided: &SystemValues) -> bool {
    let size = shader.compute.local_size;
    rewrite(&mut shader.func, |b, _, inst| {
        let InstKind::SysVal(value) = b.func.inst(inst).kind else { return Action::Keep };
        let mut lower = Lower { b, provided, size };
        match lower.compute(value) {
            Some(by) => Action::Replace(Src::new(by)),
            None => Action::Keep,
        }
    })
}

struct Lower<'b, 'f> {
    b: &'b mut Builder<'f>,
    provided: &'b SystemValues,
    /// The workgroup's size.
    size: [u32; 3],
}

impl Lower<'_, '_> {
    /// The value, computed if it is not provided.
    fn get(&mut self, value: SysVal) -> Value {
        match self.compute(value) {
            Some(value) => value,
            None => self.b.sysval(value),
        }
    }

    /// The value computed from others; `None` if it is provided.
    fn compute(&mut self, value: SysVal) -> Option<Value> {
        let total = self.size.iter().product::<u32>();
        Some(match value {
            SysVal::WorkgroupId
            | SysVal::NumWorkgroups
            | SysVal::SubgroupId
            | SysVal::SubgroupInvocation => return None,
            SysVal::WorkgroupSize => {
                let [x, y, z] = self.size.map(u64::from);
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
            SysVal::LocalInvocationId => self.id_from_index(),
            SysVal::LocalInvocationIndex if self.provided.local_invocation_index => return None,
            SysVal::LocalInvocationIndex if self.provided.local_invocation_id => {
                self.index_from_id()
            }
            SysVal::LocalInvocationIndex => {
                let (subgroup, size) =
                    (self.get(SysVal::SubgroupId), self.get(SysVal::SubgroupSize));
                let lane = self.get(SysVal::SubgroupInvocation);
                let first = self.b.alu(AluOp::IMul, &[subgroup, size]);
                self.b.alu(AluOp::IAdd, &[first, lane])
            }
            SysVal::SubgroupSize => self.b.imm(self.provided.subgroup_size?),
            SysVal::NumSubgroups => match self.provided.subgroup_size {
                Some(size) => self.b.imm(total.div_ceil(size.max(1))),
                None => {
                    let size = self.get(SysVal::SubgroupSize);
                    let last = self.b.imm(total.wrapping_sub(1));
                    let (last, one) = (self.b.alu(AluOp::UDiv, &[last, size]), self.b.imm(1));
                    self.b.alu(AluOp::IAdd, &[last, one])
                }
            },
        })
    }

    /// Takes the flat index apart: x = i % sx, y = i / sx % sy, z = i / (sx * sy).
    fn id_from_index(&mut self) -> Value {
        let index = self.get(SysVal::LocalInvocationIndex);
        let [x, y, z] = self.size;
        let step = |b: &mut Builder<'_>, before: u32, this: u32, after: u32| {
            if this == 1 {
                return b.imm(0);
            }
            let divisor = b.imm(before);
            let at = if before == 1 { index } else { b.alu(AluOp::UDiv, &[index, divisor]) };
            if after == 1 {
                return at;
            }
            let count = b.imm(this);
            b.alu(AluOp::UMod, &[at, count])
        };
        let comps = [
            step(self.b, 1, x, y.saturating_mul(z)),
            step(self.b, x, y, z),
            step(self.b, x.saturating_mul(y), z, 1),
        ];
        self.b.vec(&comps.map(Src::new))
    }

    fn index_from_id(&mut self) -> Value {
        let id = self.get(SysVal::LocalInvocationId);
        let [x, y, _] = self.size;
        let mut index = self.b.comp(id, 0);
        for (comp, stride) in [(1, x), (2, x.saturating_mul(y))] {
            let stride = self.b.imm(stride);
            let part = self.b.alu_ty(AluOp::IMul, Ty::X32, &[Src::comp(id, comp), stride.into()]);
            index = self.b.alu(AluOp::IAdd, &[index, part]);
        }
        index
    }
}
