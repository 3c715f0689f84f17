//! Loads of neighbouring bytes that stayed apart, and what stands between them, for reports to people.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::Explainer;
use crate::analysis::{Address, canonical};
use crate::analysis::{Divergence, RegionTree};
use crate::ir::{Access, InstId, InstKind, Memory, RegionId, Shader, Src, Value};
use crate::passes::opt_vectorize_memory::{REACH, WIDEST, conflict};

/// A load that could be one message with an earlier load of the same region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmergedLoad {
    /// The later load.
    pub inst: InstId,
    /// The earlier load.
    pub first: InstId,
    /// The memory.
    pub memory: Memory,
    /// Whether both load the same bytes; otherwise one starts where the other ends.
    pub again: bool,
    /// Why both stayed apart.
    pub obstacle: Obstacle,
}

/// What keeps two loads apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// This store or atomic between them may change the loaded bytes.
    Write(InstId),
    /// This instruction between them orders memory accesses, or has another effect that loads must not pass.
    Order(InstId),
    /// This `If` or `Loop` is between them.
    Branch(InstId),
    /// An access is volatile, so its number of executions must not change.
    Volatile,
    /// The second access is coherent, so it must see what other invocations wrote after the first.
    Coherent,
    /// More instructions are between them than the pass looks over, 64.
    Distance,
    /// The accesses have different guarantees, such as `readonly` or `coherent`.
    Access,
}

/// The most effects between two loads that are looked at.
const MAX_EFFECTS: usize = 256;
/// The most writes inside a branch that are looked at.
const MAX_WRITES: usize = 32;

/// See [`Explainer::unmerged_loads`].
pub(super) fn unmerged(explainer: &Explainer<'_>) -> Vec<UnmergedLoad> {
    let Explainer { shader, tree, divergence, .. } = explainer;
    let mut regions: Vec<RegionId> = vec![shader.func.body()];
    for &inst in tree.insts() {
        regions.extend(shader.func.inst(inst).kind.regions());
    }
    let writes = writes_inside(shader, tree);
    regions.iter().flat_map(|&region| of_region(shader, divergence, &writes, region)).collect()
}

/// For each `If` and `Loop`: the instructions inside that write memory, at most [`MAX_WRITES`] of them.
type Writes = HashMap<InstId, Vec<InstId>>;

fn writes_inside(shader: &Shader, tree: &RegionTree) -> Writes {
    let mut writes = Writes::new();
    for &inst in tree.insts() {
        let kind = &shader.func.inst(inst).kind;
        if !matches!(
            kind,
            InstKind::Store { .. } | InstKind::Atomic { .. } | InstKind::Barrier { .. }
        ) {
            continue;
        }
        let mut at = tree.region_of(inst);
        while let Some((owner, outer)) = at.and_then(|region| tree.region(region)?.parent) {
            let inside = writes.entry(owner).or_default();
            if inside.len() == MAX_WRITES {
                break;
            }
            inside.push(inst);
            at = Some(outer);
        }
    }
    writes
}

/// An earlier load.
#[derive(Clone, Copy)]
struct Earlier {
    inst: InstId,
    /// Position in the region.
    index: usize,
    comps: usize,
    access: Access,
}

type Key = (Memory, Option<(Value, u8)>, u32);

fn of_region(
    shader: &Shader,
    divergence: &Divergence,
    writes: &Writes,
    region: RegionId,
) -> Vec<UnmergedLoad> {
    let func = &shader.func;
    let mut loads: HashMap<Key, BTreeMap<u32, Earlier>> = HashMap::new();
    // Positions and numbers of the instructions that may keep loads apart.
    let mut effects: Vec<(usize, InstId)> = Vec::new();
    let mut found = Vec::new();
    for (index, &inst) in func.region(region).insts.iter().enumerate() {
        let data = func.inst(inst);
        let InstKind::Load { memory, offset, access, .. } = &data.kind else {
            if data.kind.has_effect() {
                effects.push((index, inst));
            }
            continue;
        };
        let uniform = |src: &Src| divergence.is_uniform(src.value);
        match memory {
            Memory::Scratch | Memory::PushConstant | Memory::ConstData => continue,
            Memory::Ubo(_) if uniform(offset) => continue,
            _ => {}
        }
        let ty = func.ty(data.results[0]);
        let memory = canonical(*memory);
        let address = Address::of(func, *offset);
        let bytes = |comps: usize| comps as u32 * ty.comp_bytes();
        let group = loads.entry((memory, address.base, ty.comp_bytes())).or_default();
        let start = address.fixed;
        let end = start.wrapping_add(bytes(ty.comps()));
        let before = group.range(..start).next_back();
        let before = before.filter(|(at, load)| at.wrapping_add(bytes(load.comps)) == start);
        let again = group.get(&start).map(|load| (true, load));
        let neighbours = before.map(|(_, load)| load).into_iter().chain(group.get(&end));
        let near =
            neighbours.filter(|load| load.comps + ty.comps() <= WIDEST).map(|load| (false, load));
        let nearest = again.into_iter().chain(near).max_by_key(|(_, load)| load.index);
        if let Some((again, &first)) = nearest {
            let obstacle = match () {
                () if access.volatile || first.access.volatile => Some(Obstacle::Volatile),
                () if again && access.coherent => Some(Obstacle::Coherent),
                () => between(shader, writes, &memory, *access, &effects, first.index, again)
                    .or((!again && first.access != *access).then_some(Obstacle::Access))
                    .or((!again && index - first.index > REACH).then_some(Obstacle::Distance)),
            };
            let first = first.inst;
            found.extend(obstacle.map(|obstacle| UnmergedLoad {
                inst,
                first,
                memory,
                again,
                obstacle,
            }));
        }
        group.insert(start, Earlier { inst, index, comps: ty.comps(), access: *access });
    }
    found
}

/// The first instruction behind position `after` that keeps loads of a memory apart.
fn between(
    shader: &Shader,
    writes: &Writes,
    memory: &Memory,
    access: Access,
    effects: &[(usize, InstId)],
    after: usize,
    again: bool,
) -> Option<Obstacle> {
    let conflicts = |inst: &InstId| match &shader.func.inst(*inst).kind {
        InstKind::Store { memory: other, access: to, .. }
        | InstKind::Atomic { memory: other, access: to, .. } => {
            (conflict((memory, access), (other, *to)) && !access.readonly)
                .then_some(Obstacle::Write(*inst))
        }
        InstKind::Barrier { .. } => Some(Obstacle::Order(*inst)),
        _ => None,
    };
    let from = effects.partition_point(|(index, _)| *index <= after);
    effects[from..].iter().take(MAX_EFFECTS).find_map(|(_, inst)| {
        match &shader.func.inst(*inst).kind {
            InstKind::If { .. } | InstKind::Loop { .. } if again => {
                // A load is replaced by an equal one across a branch without writes.
                writes.get(inst)?.iter().find_map(conflicts)
            }
            InstKind::If { .. } | InstKind::Loop { .. } => Some(Obstacle::Branch(*inst)),
            InstKind::Store { .. } | InstKind::Atomic { .. } | InstKind::Barrier { .. } => {
                conflicts(inst)
            }
            InstKind::Interlock { .. } | InstKind::Clock => Some(Obstacle::Order(*inst)),
            _ => (!again).then_some(Obstacle::Order(*inst)),
        }
    })
}
