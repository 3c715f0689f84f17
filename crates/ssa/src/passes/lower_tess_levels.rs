//! Removes accesses to tessellation levels that the domain does not have, since the patch header has no place for them.
//!
//! Triangles have three outer levels and one inner level, isolines have two outer levels (Vulkan, "Tessellation
//! Primitive Generation"). Stores write only the existing levels; loads of the other levels give undefined values.

use super::LowerOptions;
use super::util::{Action, rewrite};
use crate::ir::{InstKind, IoSlot, Shader, Src, StageInfo, TessDomain, WriteMask};

/// The number of levels that the domain has in the slot; `None` if the slot does not hold levels.
fn levels(slot: IoSlot, domain: TessDomain) -> Option<usize> {
    match (slot, domain) {
        (IoSlot::TessLevelOuter, TessDomain::Quads) => Some(4),
        (IoSlot::TessLevelOuter, TessDomain::Triangles) => Some(3),
        (IoSlot::TessLevelOuter, TessDomain::Isolines) => Some(2),
        (IoSlot::TessLevelInner, TessDomain::Quads) => Some(2),
        (IoSlot::TessLevelInner, TessDomain::Triangles) => Some(1),
        (IoSlot::TessLevelInner, TessDomain::Isolines) => Some(0),
        _ => None,
    }
}

/// See the [module](self). Returns whether an access was changed.
pub fn lower_tess_levels(shader: &mut Shader, options: &LowerOptions) -> bool {
    let domain = match shader.stage {
        StageInfo::TessControl(_) => options.tess_domain,
        StageInfo::TessEval(info) => Some(info.domain),
        _ => None,
    };
    let Some(domain) = domain else { return false };
    let stored = cut_stores(shader, domain);
    stored | cut_loads(shader, domain)
}

/// Removes missing levels from the masks of stores, and stores without remaining components.
fn cut_stores(shader: &mut Shader, domain: TessDomain) -> bool {
    let func = &mut shader.func;
    let mut changed = false;
    let mut regions = vec![func.body()];
    while let Some(region) = regions.pop() {
        let before = func.region(region).insts.clone();
        regions.extend(before.iter().flat_map(|&id| func.inst(id).kind.regions()));
        let mut after = before.clone();
        after.retain(|&id| {
            let InstKind::StoreOutput { slot, comp, mask, .. } = func.kind_mut(id) else {
                return true;
            };
            let Some(count) = levels(*slot, domain) else { return true };
            let there = count.saturating_sub(usize::from(*comp));
            let kept = WriteMask(mask.0 & WriteMask::all(there).0);
            changed |= kept != *mask;
            *mask = kept;
            kept.0 != 0
        });
        if after.len() < before.len() {
            func.region_mut(region).insts = after;
        }
    }
    changed
}

/// Replaces missing levels in the results of loads by undefined values.
fn cut_loads(shader: &mut Shader, domain: TessDomain) -> bool {
    rewrite(&mut shader.func, |b, _, id| {
        let inst = b.func.inst(id);
        let (InstKind::LoadInput { slot, comp, .. } | InstKind::LoadOutput { slot, comp, .. }) =
            &inst.kind
        else {
            return Action::Keep;
        };
        let Some(count) = levels(*slot, domain) else { return Action::Keep };
        let there = count.saturating_sub(usize::from(*comp));
        let (kind, ty) = (inst.kind.clone(), b.func.ty(inst.results[0]));
        if ty.comps() <= there {
            return Action::Keep;
        }
        if there == 0 {
            return Action::Replace(b.undef(ty).into());
        }
        let first = b.inst(kind, &[ty.with_comps(there)]);
        let first = b.func.inst(first).results[0];
        let missing = b.undef(ty.scalar());
        let comps: Vec<Src> = (0..ty.comps())
            .map(|c| if c < there { Src::comp(first, c) } else { missing.into() })
            .collect();
        Action::Replace(b.vec(&comps).into())
    })
}
