//! What can only be said when the code is complete: bindings in order, which of them are written.

use crestline_ssa::ir::{
    Access, Binding, BindingId, BindingKind, InstId, InstKind, Memory, Resource,
};

use super::Translator;

impl Translator<'_, '_> {
    /// The binding with that set and number, added if new.
    pub(super) fn add_binding(
        &mut self,
        set: u32,
        binding: u32,
        kind: BindingKind,
        count: Option<u32>,
        name: &str,
    ) -> BindingId {
        let bindings = &mut self.shader.bindings;
        let same = |b: &Binding| (b.set, b.binding, b.kind, b.count) == (set, binding, kind, count);
        let index = bindings.iter().position(same).unwrap_or_else(|| {
            let name = name.to_owned();
            bindings.push(Binding { set, binding, kind, count, name, readonly: true });
            bindings.len() - 1
        });
        BindingId(index as u32)
    }

    /// Puts deferred stores in place, sorts the bindings and notes which memory nothing writes.
    pub(super) fn finish(&mut self) {
        self.place_deferred();
        self.sort_bindings();
        let insts = self.reachable();
        for &inst in &insts {
            let kind = self.shader.func.kind_mut(inst);
            if let InstKind::Store { memory, .. } | InstKind::Atomic { memory, .. } = kind
                && let Memory::Ssbo(resource) = memory
            {
                self.shader.bindings[resource.binding.0 as usize].readonly = false;
            }
        }
        // Another binding may name the same memory, unless one of the two is declared not to.
        let written: Vec<u32> = (0..self.shader.bindings.len() as u32)
            .filter(|&i| !self.shader.bindings[i as usize].readonly)
            .collect();
        for &inst in &insts {
            if let InstKind::Load { memory: Memory::Ssbo(resource), access, .. } =
                self.shader.func.kind_mut(inst)
            {
                access.readonly = never_written(*resource, *access, &written);
            }
        }
    }

    fn sort_bindings(&mut self) {
        let old = std::mem::take(&mut self.shader.bindings);
        let mut order: Vec<usize> = (0..old.len()).collect();
        order.sort_by_key(|&i| (old[i].set, old[i].binding));
        let mut place = vec![BindingId(0); old.len()];
        for (new, &from) in order.iter().enumerate() {
            place[from] = BindingId(new as u32);
        }
        self.shader.bindings = order.iter().map(|&i| old[i].clone()).collect();
        for inst in self.reachable() {
            match self.shader.func.kind_mut(inst) {
                InstKind::Load { memory, .. }
                | InstKind::Store { memory, .. }
                | InstKind::Atomic { memory, .. } => {
                    if let Memory::Ubo(resource) | Memory::Ssbo(resource) = memory {
                        resource.binding = place[resource.binding.0 as usize];
                    }
                }
                InstKind::BufferSize(resource) => {
                    resource.binding = place[resource.binding.0 as usize];
                }
                _ => {}
            }
        }
    }

    /// Every instruction of the function.
    fn reachable(&self) -> Vec<InstId> {
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

fn never_written(resource: Resource, access: Access, written: &[u32]) -> bool {
    let this = resource.binding.0;
    !access.volatile && !written.contains(&this) && (access.restrict || written.is_empty())
}
