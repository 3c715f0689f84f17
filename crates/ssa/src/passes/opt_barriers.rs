//! Merges barriers between which no memory is accessed, and leaves from a barrier what has no effect:
//!
//! ```text
//! before:                                                         after, in a shader without images:
//! barrier memory workgroup, acquire, release, shared, image       barrier execution workgroup, memory workgroup,
//! barrier execution workgroup, memory workgroup, shared                   acquire, release, shared
//! ```
//!
//! `memoryBarrierShared(); barrier();` of GLSL are two barriers, of which one is enough. A barrier need not order accesses to
//! memory that the shader does not access at all.

use super::util::walk;
use crate::ir::{Function, InstId, InstKind, MemorySemantics, RegionId, Scope, Shader, Storages};

/// See the [module](self). Returns whether a barrier was changed.
pub fn opt_barriers(shader: &mut Shader) -> bool {
    let func = &mut shader.func;
    let is_barrier = |kind: &InstKind| matches!(kind, InstKind::Barrier { .. });
    if !func.may_have(|inst| is_barrier(&inst.kind)) {
        return false;
    }
    let mut accessed = Storages::NONE;
    let mut regions = vec![func.body()];
    walk(func, |_, _, inst| {
        let kind = &func.inst(inst).kind;
        let facts = kind.facts();
        accessed = accessed.and(facts.reads).and(facts.writes);
        regions.extend(kind.regions());
    });
    let mut progress = false;
    for region in regions {
        progress |= simplify(func, region, accessed);
        progress |= merge(func, region);
    }
    progress
}

/// Removes from the barriers of a region the order of memory that is not accessed, and barriers that are left without an
/// effect.
fn simplify(func: &mut Function, region: RegionId, accessed: Storages) -> bool {
    let mut progress = false;
    let mut insts = std::mem::take(&mut func.region_mut(region).insts);
    insts.retain(|&inst| {
        let InstKind::Barrier { execution, memory, semantics } = func.inst(inst).kind else {
            return true;
        };
        let useful = of_accessed(semantics, accessed);
        let orders = orders_memory(useful);
        let scope = if orders { memory } else { Scope::Invocation };
        let keep = execution.is_some() || orders;
        let same = useful == semantics && scope == memory;
        if (keep && same) || !func.may_change(inst) {
            return true;
        }
        *func.kind_mut(inst) = InstKind::Barrier { execution, memory: scope, semantics: useful };
        progress = true;
        keep
    });
    func.region_mut(region).insts = insts;
    progress
}

/// The part of a barrier's semantics that is about these classes of memory.
fn of_accessed(semantics: MemorySemantics, accessed: Storages) -> MemorySemantics {
    let images = Storages::TEXELS.and(Storages::IMAGE_BYTES);
    let mut useful = MemorySemantics {
        buffer: semantics.buffer && accessed.intersects(Storages::BUFFERS),
        image: semantics.image && accessed.intersects(images),
        shared: semantics.shared && accessed.intersects(Storages::SHARED),
        output: semantics.output && accessed.intersects(Storages::OUTPUTS),
        ..semantics
    };
    if !orders_memory(useful) {
        useful = MemorySemantics::default();
    }
    useful
}

/// Whether a barrier with these semantics orders accesses to some memory.
fn orders_memory(semantics: MemorySemantics) -> bool {
    semantics.buffer || semantics.image || semantics.shared || semantics.output
}

/// Merges each barrier of a region into the next one, if there is no access between them.
fn merge(func: &mut Function, region: RegionId) -> bool {
    let mut merged: Vec<InstId> = Vec::new();
    let mut before: Option<InstId> = None;
    for at in 0..func.region(region).insts.len() {
        let inst = func.region(region).insts[at];
        let data = &func.inst(inst).kind;
        if !matches!(data, InstKind::Barrier { .. }) {
            let facts = data.facts();
            if facts.is_access() || facts.has_effect() {
                before = None;
            }
            continue;
        }
        if let Some(first) = before
            && let Some(both) = union(&func.inst(first).kind, data)
            && func.may_change(inst)
        {
            *func.kind_mut(inst) = both;
            merged.push(first);
        }
        before = Some(inst);
    }
    func.region_mut(region).insts.retain(|inst| !merged.contains(inst));
    !merged.is_empty()
}

/// A barrier with the effects of two.
fn union(x: &InstKind, y: &InstKind) -> Option<InstKind> {
    let (
        &InstKind::Barrier { execution: e, memory: m, semantics: s },
        &InstKind::Barrier { execution, memory, semantics },
    ) = (x, y)
    else {
        return None;
    };
    let semantics = MemorySemantics {
        acquire: s.acquire || semantics.acquire,
        release: s.release || semantics.release,
        buffer: s.buffer || semantics.buffer,
        image: s.image || semantics.image,
        shared: s.shared || semantics.shared,
        output: s.output || semantics.output,
    };
    Some(InstKind::Barrier { execution: e.max(execution), memory: m.max(memory), semantics })
}
