//! Gives equal computations one value, and constants one place: the start of the function.
//!
//! Dominance is scoping, so a computation serves every later equal one for as long as its region is open. Loads count
//! where nothing can write the memory.

use std::collections::HashMap;

use super::util::{Action, Context, Subst, prepend, reads, rewrite};
use crate::ir::{Function, InstId, InstKind, RegionId, Shader, Src, Ty, Value};

/// See the [module](self). Returns whether an instruction went or moved.
pub fn opt_cse(shader: &mut Shader) -> bool {
    let moved = gather_constants(&mut shader.func);
    let mut open = vec![false; shader.func.num_regions()];
    let mut seen: HashMap<(InstKind, Ty), (InstId, RegionId)> = HashMap::new();
    let mut trail: Vec<RegionId> = Vec::new();
    let merged = rewrite(&mut shader.func, |b, cx, inst| {
        // The trail is the path of regions down to this one.
        let region = b.region();
        for closed in trail.drain((cx.depth as usize).min(trail.len())..) {
            open[closed.index()] = false;
        }
        trail.push(region);
        open[region.index()] = true;

        let Some(key) = key(b.func, inst) else { return Action::Keep };
        match seen.get(&key) {
            Some(&(first, home)) if open[home.index()] => {
                if is_exact(b.func, inst) {
                    make_exact(b.func, first);
                }
                Action::Replace(Src::new(b.func.inst(first).results[0]))
            }
            _ => {
                seen.insert(key, (inst, region));
                Action::Keep
            }
        }
    });
    moved | merged
}

/// What equal computations have in common, or `None` if this one must stay by itself.
fn key(func: &Function, inst: InstId) -> Option<(InstKind, Ty)> {
    let data = func.inst(inst);
    match &data.kind {
        InstKind::Alu { .. } | InstKind::SysVal(_) | InstKind::BufferSize(_) => {}
        InstKind::Load { memory, access, .. }
            if !access.volatile && (access.readonly || memory.is_read_only()) => {}
        _ => return None,
    }
    let counts = reads(func, &[], &Context::default(), inst);
    let mut kind = data.kind.clone();
    let mut i = 0;
    kind.for_each_src_mut(|src| {
        // Entries beyond those read mean nothing: make them equal.
        for c in counts[i]..4 {
            src.swizzle[c] = 0;
        }
        i += 1;
    });
    if let InstKind::Alu { op, srcs, exact } = &mut kind {
        *exact = false;
        let order = |src: &Src| (src.value, src.swizzle);
        if op.row().commutative && order(&srcs[0]) > order(&srcs[1]) {
            srcs.swap(0, 1);
        }
    }
    Some((kind, func.ty(data.results[0])))
}

fn is_exact(func: &Function, inst: InstId) -> bool {
    matches!(func.inst(inst).kind, InstKind::Alu { exact: true, .. })
}

fn make_exact(func: &mut Function, inst: InstId) {
    if let InstKind::Alu { exact, .. } = func.kind_mut(inst) {
        *exact = true;
    }
}

/// Moves constants and undefined values to the start of the function, one of each.
fn gather_constants(func: &mut Function) -> bool {
    let mut first: HashMap<(Ty, Option<[u64; 4]>), Value> = HashMap::new();
    let mut gathered = Vec::new();
    let mut subst = Subst::default();
    let mut sorted = true;
    let mut regions = vec![func.body()];
    while let Some(region) = regions.pop() {
        let mut list = std::mem::take(&mut func.region_mut(region).insts);
        let mut at_start = region == func.body();
        list.retain(|&inst| {
            let data = func.inst(inst);
            let bits = match data.kind {
                InstKind::Const(bits) => Some(bits),
                InstKind::Undef => None,
                _ => {
                    at_start = false;
                    regions.extend(data.kind.regions());
                    return true;
                }
            };
            let value = data.results[0];
            match first.entry((func.ty(value), bits)) {
                std::collections::hash_map::Entry::Occupied(kept) => {
                    subst.insert(value, Src::new(*kept.get()));
                    sorted = false;
                }
                std::collections::hash_map::Entry::Vacant(new) => {
                    new.insert(value);
                    gathered.push(inst);
                    sorted &= at_start;
                }
            }
            false
        });
        func.region_mut(region).insts = list;
    }
    subst.apply_everywhere(func);
    prepend(func, gathered);
    !sorted
}
