//! Builds the compute built-ins from the few that a thread is given.
//!
//! A thread knows its workgroup's id (r0), its index in the workgroup (a payload dword) and each channel's number. The
//! flat index of an invocation is therefore `subgroup * width + channel`, and its three coordinates are quotients and
//! remainders by the workgroup's size, which is known now. Left as they are: [`SysVal::WorkgroupId`],
//! [`SysVal::NumWorkgroups`], [`SysVal::SubgroupId`] and [`SysVal::SubgroupInvocation`].

use crestline_ssa::ir::{
    AluOp, Builder, Function, InstId, InstKind, RegionId, Shader, Src, SysVal, Value,
};

/// Replaces every built-in that follows from the others at SIMD width `simd` (channels). Returns whether there was one.
pub fn lower_compute_sysvals(shader: &mut Shader, simd: u32) -> bool {
    let mut found = Vec::new();
    collect(&shader.func, shader.func.body(), simd_derived, &mut found);
    if found.is_empty() {
        return false;
    }
    let size = shader.compute.local_size;
    let body = shader.func.body();
    let mut lowering = Lowering { b: Builder::at(&mut shader.func, body, 0), size, simd };
    let values: Vec<(InstId, Value)> =
        found.into_iter().map(|(inst, sysval)| (inst, lowering.value(sysval))).collect();
    for (inst, value) in values {
        *shader.func.kind_mut(inst) = InstKind::alu(AluOp::Mov, [Src::new(value)]);
    }
    true
}

/// Whether the built-in follows from the others.
fn simd_derived(sysval: SysVal) -> bool {
    match sysval {
        SysVal::WorkgroupId
        | SysVal::NumWorkgroups
        | SysVal::SubgroupId
        | SysVal::SubgroupInvocation => false,
        SysVal::WorkgroupSize
        | SysVal::LocalInvocationId
        | SysVal::LocalInvocationIndex
        | SysVal::GlobalInvocationId
        | SysVal::NumSubgroups
        | SysVal::SubgroupSize => true,
    }
}

fn collect(
    func: &Function,
    region: RegionId,
    wanted: fn(SysVal) -> bool,
    found: &mut Vec<(InstId, SysVal)>,
) {
    let mut stack = vec![region];
    while let Some(region) = stack.pop() {
        for &id in &func.region(region).insts {
            let inst = func.inst(id);
            if let InstKind::SysVal(sysval) = inst.kind
                && wanted(sysval)
            {
                found.push((id, sysval));
            }
            stack.extend(inst.kind.regions());
        }
    }
}

struct Lowering<'f> {
    b: Builder<'f>,
    size: [u32; 3],
    simd: u32,
}

impl Lowering<'_> {
    fn value(&mut self, sysval: SysVal) -> Value {
        match sysval {
            SysVal::WorkgroupSize => self.size_vector(),
            SysVal::SubgroupSize => self.b.imm(self.simd),
            SysVal::NumSubgroups => {
                let threads = self.invocations().div_ceil(self.simd);
                self.b.imm(threads)
            }
            SysVal::LocalInvocationIndex => self.flat(),
            SysVal::LocalInvocationId => {
                let id = self.local_id();
                self.b.vec(&id.map(Src::new))
            }
            SysVal::GlobalInvocationId => {
                let group = self.b.sysval(SysVal::WorkgroupId);
                let size = self.size_vector();
                let first = self.b.alu(AluOp::IMul, &[group, size]);
                let local = self.local_id();
                let local = self.b.vec(&local.map(Src::new));
                self.b.alu(AluOp::IAdd, &[first, local])
            }
            SysVal::WorkgroupId
            | SysVal::NumWorkgroups
            | SysVal::SubgroupId
            | SysVal::SubgroupInvocation => self.b.sysval(sysval),
        }
    }

    fn invocations(&self) -> u32 {
        self.size.iter().product()
    }

    fn size_vector(&mut self) -> Value {
        let size = self.size.map(|n| {
            let n = self.b.imm(n);
            Src::new(n)
        });
        self.b.vec(&size)
    }

    /// `subgroup * width + channel`; a group of one thread has only the channel.
    fn flat(&mut self) -> Value {
        let channel = self.b.sysval(SysVal::SubgroupInvocation);
        if self.invocations() <= self.simd {
            return channel;
        }
        let subgroup = self.b.sysval(SysVal::SubgroupId);
        let shift = self.b.imm(self.simd.ilog2());
        let first = self.b.alu(AluOp::IShl, &[subgroup, shift]);
        self.b.alu(AluOp::IAdd, &[first, channel])
    }

    /// x runs fastest. A dimension beyond which there is nothing needs no remainder: channels past the workgroup's end
    /// never run.
    fn local_id(&mut self) -> [Value; 3] {
        let [x, y, z] = self.size;
        let mut rest = self.flat();
        let mut id = Vec::with_capacity(3);
        for (size, more) in [(x, y > 1 || z > 1), (y, z > 1), (z, false)] {
            if size == 1 {
                id.push(self.b.imm(0));
            } else if more {
                let quotient = self.divide(rest, size);
                id.push(self.remainder(rest, quotient, size));
                rest = quotient;
            } else {
                id.push(rest);
            }
        }
        [id[0], id[1], id[2]]
    }

    /// The quotient of an index below 2^11 (a workgroup has at most 1024 invocations) by `size`, 2 to 1024. With
    /// `m = ceil(2^21 / size)` the product `index * m` exceeds `index * 2^21 / size` by less than `index`, less than
    /// `2^21 / size`, so the shift is exact; it stays below 2^32 since `m` is at most 2^20.
    fn divide(&mut self, index: Value, size: u32) -> Value {
        if size.is_power_of_two() {
            let shift = self.b.imm(size.ilog2());
            return self.b.alu(AluOp::UShr, &[index, shift]);
        }
        let factor = self.b.imm((1u32 << 21).div_ceil(size));
        let product = self.b.alu(AluOp::IMul, &[index, factor]);
        let shift = self.b.imm(21);
        self.b.alu(AluOp::UShr, &[product, shift])
    }

    fn remainder(&mut self, index: Value, quotient: Value, size: u32) -> Value {
        if size.is_power_of_two() {
            let mask = self.b.imm(size - 1);
            return self.b.alu(AluOp::IAnd, &[index, mask]);
        }
        let size = self.b.imm(size);
        let whole = self.b.alu(AluOp::IMul, &[quotient, size]);
        self.b.alu(AluOp::ISub, &[index, whole])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_by_multiplication_are_exact_for_every_index_and_size() {
        for size in 2u32..=1024 {
            let factor = (1u32 << 21).div_ceil(size);
            for index in 0u32..2048 {
                assert_eq!(index.wrapping_mul(factor) >> 21, index / size, "{index} / {size}");
            }
        }
    }

    fn remaining(shader: &Shader) -> Vec<SysVal> {
        let mut found = Vec::new();
        collect(&shader.func, shader.func.body(), |_| true, &mut found);
        let mut sysvals: Vec<_> = found.into_iter().map(|(_, s)| s).collect();
        sysvals.sort();
        sysvals.dedup();
        sysvals
    }

    #[test]
    fn only_what_a_thread_is_given_remains() {
        let mut shader = Shader::new_compute("main");
        shader.compute.local_size = [5, 3, 2];
        let body = shader.func.body();
        let mut b = Builder::new(&mut shader.func, body);
        b.sysval(SysVal::GlobalInvocationId);
        b.sysval(SysVal::NumWorkgroups);
        b.return_();
        assert!(lower_compute_sysvals(&mut shader, 8));
        use SysVal::{NumWorkgroups, SubgroupId, SubgroupInvocation, WorkgroupId};
        let given = [WorkgroupId, NumWorkgroups, SubgroupId, SubgroupInvocation];
        assert_eq!(remaining(&shader), given);
        assert!(!lower_compute_sysvals(&mut shader, 8));
    }

    #[test]
    fn one_thread_needs_no_subgroup() {
        let mut shader = Shader::new_compute("main");
        shader.compute.local_size = [16, 1, 1];
        let body = shader.func.body();
        let mut b = Builder::new(&mut shader.func, body);
        b.sysval(SysVal::LocalInvocationIndex);
        b.return_();
        assert!(lower_compute_sysvals(&mut shader, 16));
        assert_eq!(remaining(&shader), [SysVal::SubgroupInvocation]);
    }
}
