//! Removes stores whose bytes are overwritten before anything can read them:
//!
//! ```text
//! store ssbo b0, %1, %2       removed
//! store ssbo b0, %1, %3
//! ```
//!
//! and stores to shared or scratch memory that the shader never reads. A store of undefined values is removed too, since
//! memory may keep its old contents.
//!
//! The pass walks each region from its end to its start and collects the bytes that the code behind overwrites, by memory,
//! variable base and constant offset. A load removes the bytes that it may read. Barriers, atomics, nested regions and other
//! instructions with effects remove everything, because other invocations may read the bytes there, or because the code behind
//! may not run. Volatile and coherent stores stay.

use hashbrown::{HashMap, HashSet};

use super::util::{is_gap, walk};
use crate::analysis::{Address, canonical, may_alias};
use crate::ir::{
    Access, Function, InstId, InstKind, Memory, RegionId, Shader, Src, Storages, Ty, WriteMask,
};

/// See the [module](self). Returns whether a store was removed.
pub fn opt_dead_stores(shader: &mut Shader) -> bool {
    if !shader.func.may_have(|inst| matches!(inst.kind, InstKind::Store { .. })) {
        return false;
    }
    let mut regions = vec![shader.func.body()];
    let mut unread = Unread { shared: true, scratch: true };
    walk(&shader.func, |_, _, inst| {
        let kind = &shader.func.inst(inst).kind;
        unread.note(kind);
        regions.extend(kind.regions());
    });
    let mut removed = false;
    for region in regions {
        removed |= clean_region(&mut shader.func, region, unread);
    }
    removed
}

/// Memories of which the shader reads nothing. Nothing outside of the dispatch can read them.
#[derive(Clone, Copy)]
struct Unread {
    shared: bool,
    scratch: bool,
}

impl Unread {
    /// Takes an instruction of the shader into account.
    fn note(&mut self, kind: &InstKind) {
        let reads = kind.facts().reads;
        self.shared &= !Storages::SHARED.touches(reads);
        self.scratch &= !Storages::SCRATCH.touches(reads);
    }

    fn has(self, memory: &Memory) -> bool {
        match memory {
            Memory::Shared => self.shared,
            Memory::Scratch => self.scratch,
            _ => false,
        }
    }
}

/// Removes the dead stores of a region. Returns whether there were any.
fn clean_region(func: &mut Function, region: RegionId, unread: Unread) -> bool {
    let mut later = Overwritten::default();
    let mut dead: HashSet<InstId> = HashSet::new();
    for &inst in func.region(region).insts.iter().rev() {
        match func.inst(inst).kind {
            InstKind::Load { memory, offset, access, .. } => {
                let ty = func.ty(func.inst(inst).results[0]);
                later.read(&Range::new(func, memory, offset, ty), access);
            }
            InstKind::Store { memory, offset, data, comps, mask, access, .. } => {
                let ty = func.ty(data.value).with_comps(usize::from(comps));
                let range = Range::new(func, memory, offset, ty);
                let free = !access.volatile && !access.coherent;
                let stored = |comp: &usize| *comp < usize::from(comps) && mask.has(*comp);
                let undefined = || (0..4).filter(stored).all(|comp| is_gap(func, data, comp));
                if free && (unread.has(&memory) || undefined() || later.covers(&range, mask)) {
                    dead.insert(inst);
                } else if !matches!(memory, Memory::Image(_)) {
                    later.write(&range, mask, access);
                }
            }
            ref kind => {
                let facts = kind.facts();
                let pure = facts.writes.is_empty() && !facts.orders && !kind.has_effect();
                let reads = later.storages().touches(facts.reads);
                if !pure || kind.owns_regions() || reads {
                    later.bytes.clear();
                }
            }
        }
    }
    dead.retain(|&inst| func.may_change(inst));
    func.region_mut(region).insts.retain(|inst| !dead.contains(inst));
    !dead.is_empty()
}

/// The bytes of an access: consecutive components in memory.
struct Range {
    memory: Memory,
    address: Address,
    /// Bytes per component.
    size: u32,
    comps: u32,
}

impl Range {
    fn new(func: &Function, memory: Memory, offset: Src, ty: Ty) -> Range {
        let address = Address::of(func, offset);
        let size = ty.comp_bytes().max(1);
        Range { memory: canonical(memory), address, size, comps: ty.comps() as u32 }
    }

    fn key(&self) -> Key {
        (self.memory, self.address.base)
    }

    /// The bytes of the components of a mask, as constant offsets from the base.
    fn bytes(&self, mask: WriteMask) -> impl Iterator<Item = u32> + use<'_> {
        let comps = (0..self.comps).filter(move |&comp| mask.has(comp as usize));
        let first = move |comp| self.address.fixed.wrapping_add(comp * self.size);
        comps.flat_map(move |comp| (0..self.size).map(move |byte| first(comp).wrapping_add(byte)))
    }
}

/// A memory and a variable base.
type Key = (Memory, Option<(crate::ir::Value, u8)>);

/// The bytes that later stores overwrite.
#[derive(Default)]
struct Overwritten {
    /// The bytes by memory and base, and what all those stores promise about other bindings and addresses.
    bytes: HashMap<Key, (HashSet<u32>, Access)>,
}

impl Overwritten {
    /// The storage classes of the bytes.
    fn storages(&self) -> Storages {
        self.bytes.keys().fold(Storages::NONE, |all, (memory, _)| all.and(memory.storage()))
    }

    /// Whether later stores overwrite all bytes of a store.
    fn covers(&self, range: &Range, mask: WriteMask) -> bool {
        let Some((bytes, _)) = self.bytes.get(&range.key()) else { return false };
        range.bytes(mask).all(|byte| bytes.contains(&byte))
    }

    /// Adds the bytes of a store.
    fn write(&mut self, range: &Range, mask: WriteMask, access: Access) {
        let (bytes, promise) =
            self.bytes.entry(range.key()).or_insert_with(|| (HashSet::new(), access));
        bytes.extend(range.bytes(mask));
        *promise = promise.common_promise(access);
    }

    /// Removes the bytes that a load may read.
    fn read(&mut self, range: &Range, access: Access) {
        if access.volatile {
            self.bytes.clear();
        } else if !access.readonly {
            let key = range.key();
            self.bytes.retain(|other, (bytes, promise)| {
                if *other == key {
                    for byte in range.bytes(WriteMask::all(range.comps as usize)) {
                        bytes.remove(&byte);
                    }
                    return !bytes.is_empty();
                }
                !may_alias((&other.0, *promise), (&range.memory, access))
            });
        }
    }
}
