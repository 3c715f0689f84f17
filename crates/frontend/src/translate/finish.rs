//! The last steps of the translation, when the code is complete: deferred stores and stores of outputs are inserted,
//! and bindings are sorted and marked as read-only if no instruction writes them.

use std::collections::BTreeMap;

use crestline_ssa::ir::{
    Access, Align, AluOp, Binding, BindingId, Builder, InstId, InstKind, Memory, MemorySemantics,
    Resource, Scope, StageInfo, SysVal, Ty,
};

use super::Translator;
use crate::error::{ErrorCode, FrontendError, Result};

/// The most kinds of resources that the variables of one binding may have.
const MAX_VIEWS: usize = 64;

impl Translator<'_, '_> {
    /// The binding with that set, number, kind and count; it is added if it is new. Variables of the same kind share
    /// it. Variables of different kinds may name the same set and number; the driver decides at run time what the
    /// descriptor is.
    pub(super) fn add_binding(&mut self, new: Binding) -> Result<BindingId> {
        let bindings = &mut self.shader.bindings;
        let view = |b: &Binding| (b.set, b.binding, b.kind, b.count);
        if let Some(index) = bindings.iter().position(|old| view(old) == view(&new)) {
            return Ok(BindingId::from_index(index));
        }
        // The number is limited because later passes compare all pairs of such bindings.
        let place = |b: &&Binding| (b.set, b.binding) == (new.set, new.binding);
        if bindings.iter().filter(place).count() >= MAX_VIEWS {
            let detail = format!(
                "expected at most {MAX_VIEWS} different kinds and array lengths of resources at set {} binding {}",
                new.set, new.binding
            );
            return Err(FrontendError::new(ErrorCode::BindingConflict, detail));
        }
        bindings.push(new);
        Ok(BindingId::from_index(bindings.len() - 1))
    }

    /// Inserts deferred stores and stores of outputs, sorts the bindings, and marks loads from memory that nothing
    /// writes as read-only.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.place_deferred();
        if !self.kills.is_empty() {
            self.keep_helpers();
        }
        self.place_outputs()?;
        if self.zero_shared {
            self.clear_shared();
        }
        self.sort_bindings();
        let insts = self.reachable();
        for &inst in &insts {
            let written = match self.shader.func.kind_mut(inst) {
                InstKind::Store { memory: Memory::Ssbo(resource), .. }
                | InstKind::Atomic { memory: Memory::Ssbo(resource), .. }
                | InstKind::ImageStore { image: resource, .. }
                | InstKind::ImageAtomic { image: resource, .. } => resource.binding,
                _ => continue,
            };
            self.shader.bindings[written.index()].readonly = false;
        }
        let global = insts.iter().any(|&inst| {
            matches!(
                self.shader.func.inst(inst).kind,
                InstKind::Store { memory: Memory::Global(_), .. }
                    | InstKind::Atomic { memory: Memory::Global(_), .. }
            )
        });
        self.mark_aliased(&insts);
        // A load is read-only only if the shader does not write its binding, and, unless the load is `restrict`, nothing
        // by address, nor another binding if the load is `aliased`.
        let written: Vec<u32> = (0..self.shader.bindings.len() as u32)
            .filter(|&i| !self.shader.bindings[i as usize].readonly)
            .collect();
        let (images, buffers): (Vec<u32>, Vec<u32>) =
            written.into_iter().partition(|&i| self.shader.image(BindingId(i)).is_some());
        for &inst in &insts {
            match self.shader.func.kind_mut(inst) {
                InstKind::Load { memory: Memory::Ssbo(resource), access, .. } => {
                    access.readonly =
                        never_written(*resource, *access, &buffers) && (access.restrict || !global);
                }
                InstKind::ImageLoad { image, access, .. } => {
                    access.readonly = never_written(*image, *access, &images);
                }
                _ => {}
            }
        }
        self.check_interface()
    }

    /// Marks all accesses to a binding as `aliased` if one of them is, or if another binding has the same set and number.
    fn mark_aliased(&mut self, insts: &[InstId]) {
        let place = |binding: &Binding| (binding.set, binding.binding);
        let mut counts: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for binding in &self.shader.bindings {
            *counts.entry(place(binding)).or_default() += 1;
        }
        let mut aliased: Vec<bool> =
            self.shader.bindings.iter().map(|binding| counts[&place(binding)] > 1).collect();
        for &inst in insts {
            if let Some((resource, access)) = buffer_access(self.shader.func.kind_mut(inst)) {
                aliased[resource.binding.index()] |= access.aliased;
            }
        }
        for &inst in insts {
            if let Some((resource, access)) = buffer_access(self.shader.func.kind_mut(inst)) {
                access.aliased = aliased[resource.binding.index()];
            }
        }
    }

    /// Inserts code at the start that sets shared memory to zero: a loop in which each invocation clears `STEP` bytes
    /// per iteration, then a barrier.
    fn clear_shared(&mut self) {
        /// Bytes that an invocation clears per iteration.
        const STEP: u32 = 16;
        let StageInfo::Compute(compute) = &mut self.shader.stage else { return };
        let Some(bytes) = compute.shared_bytes.checked_next_multiple_of(STEP) else { return };
        compute.shared_bytes = bytes;
        let invocations = compute.local_size.iter().product::<u32>();
        let func = &mut self.shader.func;
        let body = func.body();
        let mut b = Builder::at(func, body, 0);
        let index = b.sysval(SysVal::LocalInvocationIndex);
        let step = b.imm(STEP);
        let start = b.alu(AluOp::IMul, &[index, step]);
        let (_, round) = b.loop_(&[start]);
        let semantics =
            MemorySemantics { acquire: true, release: true, shared: true, ..Default::default() };
        let workgroup = Scope::Workgroup;
        let barrier =
            InstKind::Barrier { execution: Some(workgroup), memory: workgroup, semantics };
        b.inst(barrier, &[]);

        let mut b = Builder::new(func, round);
        let offset = b.func.region(round).params[0];
        let end = b.imm(bytes);
        let done = b.alu(AluOp::UGe, &[offset, end]);
        let (_, then, else_) = b.if_(done);
        b.switch_to(then);
        b.break_(&[]);
        b.switch_to(else_);
        b.yield_(&[]);
        b.switch_to(round);
        let zero = b.constant(Ty::X32.with_comps(4), [0; 4]);
        b.store(Memory::Shared, offset, zero, Align::to(STEP), Access::default());
        let stride = b.imm(STEP * invocations);
        let next = b.alu(AluOp::IAdd, &[offset, stride]);
        b.continue_(&[next]);
    }

    /// Sorts the bindings by set and number, and renumbers the resources of all instructions.
    fn sort_bindings(&mut self) {
        let old = std::mem::take(&mut self.shader.bindings);
        let mut order: Vec<usize> = (0..old.len()).collect();
        order.sort_by_key(|&i| (old[i].set, old[i].binding));
        let mut place = vec![BindingId(0); old.len()];
        for (new, &from) in order.iter().enumerate() {
            place[from] = BindingId::from_index(new);
        }
        self.shader.bindings = order.iter().map(|&i| old[i].clone()).collect();
        for inst in self.reachable() {
            self.shader.func.kind_mut(inst).for_each_resource_mut(|resource| {
                resource.binding = place[resource.binding.index()];
            });
        }
    }

    /// All instructions of the function, those of nested regions included.
    pub(super) fn reachable(&self) -> Vec<InstId> {
        let func = &self.shader.func;
        let mut regions = vec![func.body()];
        let mut insts = Vec::with_capacity(func.num_insts());
        while let Some(region) = regions.pop() {
            for &inst in &func.region(region).insts {
                insts.push(inst);
                regions.extend(func.inst(inst).kind.regions());
            }
        }
        insts
    }
}

/// Whether the shader cannot write the memory of a load; `written` are the bindings that it writes.
fn never_written(resource: Resource, access: Access, written: &[u32]) -> bool {
    let this = resource.binding.0;
    let alone = access.restrict || !access.aliased || written.is_empty();
    !access.volatile && !written.contains(&this) && alone
}

/// The resource of an access to a storage buffer or image, and the access's flags.
fn buffer_access(kind: &mut InstKind) -> Option<(Resource, &mut Access)> {
    match kind {
        InstKind::Load { memory, access, .. }
        | InstKind::Store { memory, access, .. }
        | InstKind::Atomic { memory, access, .. } => match memory {
            Memory::Ssbo(resource) | Memory::Image(resource) => Some((*resource, access)),
            _ => None,
        },
        InstKind::ImageLoad { image, access, .. }
        | InstKind::ImageStore { image, access, .. }
        | InstKind::ImageAtomic { image, access, .. } => Some((*image, access)),
        _ => None,
    }
}
