//! Replaces loads by values that memory is known to hold, because the same bytes were stored or loaded before:
//!
//! ```text
//! store ssbo b0, %1, %2
//! %3 = load ssbo b0, %1       removed; uses of %3 read %2
//! ```
//!
//! A store of the values that memory holds already is removed too.
//!
//! The pass walks the code in program order and records known components by memory, variable base and constant
//! offset. A store removes the components that it may overwrite. Barriers remove what other invocations may write,
//! and so does an instruction that writes memory without a known range. What is recorded inside a region is removed
//! at its end. At the start of a loop, the pass removes what the loop's code may write.
//!
//! In a fragment shader with derivatives or implicit texture reads, the pass records values stored to scratch memory only:
//! the stores of helper invocations to other memory have no effect.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashSet};

use super::util::{Action, loops, rewrite, walk};
use crate::analysis::{Address, canonical, may_alias};
use crate::ir::{
    Access, Builder, Facts, Function, InstData, InstId, InstKind, Memory, RegionId, Shader, Src,
    Stage, Storages, Ty, Value,
};

/// See the [module](self). Returns whether a load was replaced or a store removed.
pub fn opt_load_store_forwarding(shader: &mut Shader) -> bool {
    if !reads_a_range_again(&shader.func) {
        return false;
    }
    let writes = Writes::in_loops(&shader.func);
    let helpers_matter = helpers_matter(shader);
    let mut known = Known::default();
    let mut unneeded: HashSet<InstId> = HashSet::new();
    let mut changed = rewrite(&mut shader.func, |b, cx, inst| {
        known.enter(cx.depth, b.region());
        let kind = &b.func.inst(inst).kind;
        if matches!(kind, InstKind::Alu { .. } | InstKind::Const(_)) {
            return Action::Keep;
        }
        match kind.clone() {
            // Not handled, since accesses by coordinates may access the same texels.
            InstKind::Load { memory: Memory::Image(_), .. }
            | InstKind::Store { memory: Memory::Image(_), .. } => {}
            InstKind::Load { memory, offset, access, .. } => {
                if access.volatile || access.coherent {
                    return Action::Keep;
                }
                let result = b.func.inst(inst).results[0];
                let range = MemoryRange::new(b.func, memory, offset, b.func.ty(result));
                // `find` inserts instructions, so it is only called if the load may be replaced.
                if !b.func.fuel.is_empty()
                    && let Some(value) = known.find(b, &range)
                    && b.func.may_change(inst)
                {
                    return Action::Replace(value);
                }
                for comp in 0..range.comps {
                    known.learn(&range, comp, Src::comp(result, comp as usize), access);
                }
            }
            InstKind::Store { memory, offset, data, comps, mask, access, .. } => {
                let ty = b.func.ty(data.value).with_comps(usize::from(comps));
                let range = MemoryRange::new(b.func, memory, offset, ty);
                let mut written = (0..range.comps).filter(|&comp| mask.has(comp as usize));
                if !access.volatile
                    && !access.coherent
                    && written.all(|comp| known.holds(&range, comp, data.select(comp as usize)))
                    && b.func.may_change(inst)
                {
                    unneeded.insert(inst);
                    return Action::Keep;
                }
                known.forget(&range, access);
                let stored = !helpers_matter || memory == Memory::Scratch;
                if !access.volatile && !access.coherent && stored {
                    for comp in (0..range.comps).filter(|&c| mask.has(c as usize)) {
                        known.learn(&range, comp, data.select(comp as usize), access);
                    }
                }
            }
            InstKind::Atomic { memory, offset, data, access, .. } => {
                let range =
                    MemoryRange::new(b.func, memory, offset, b.func.ty(data.value).scalar());
                known.forget(&range, access);
            }
            InstKind::Loop { body, continuing, .. } => {
                for region in std::iter::once(body).chain(continuing) {
                    known.forget_writes(&writes, region);
                }
            }
            kind => known.forget_after(kind.facts()),
        }
        Action::Keep
    });
    if !unneeded.is_empty() {
        changed = true;
        for region in 0..shader.func.num_regions() {
            let region = shader.func.region_mut(RegionId::from_index(region));
            region.insts.retain(|inst| !unneeded.contains(inst));
        }
    }
    changed
}

/// Whether other invocations may use values that helper invocations compute: the shader is a fragment shader with an
/// instruction that computes differences within the quad. A helper's store has no effect, so a load after it returns the
/// old contents, not the stored value.
fn helpers_matter(shader: &Shader) -> bool {
    let mut matter = false;
    if shader.stage.stage() == Stage::Fragment {
        walk(&shader.func, |_, _, inst| matter |= shader.func.inst(inst).kind.facts().helpers);
    }
    matter
}

/// Whether some load starts at a component that an earlier load or store accesses, or some store writes one that an
/// earlier load reads. Writes in between are ignored.
/// This is a quick test, so that the pass can return early for code in which there is nothing to find.
fn reads_a_range_again(func: &Function) -> bool {
    let mut accesses = 0;
    let is_access =
        |inst: &InstData| matches!(inst.kind, InstKind::Load { .. } | InstKind::Store { .. });
    let several = |inst: &InstData| {
        accesses += usize::from(is_access(inst));
        accesses > 1
    };
    if !func.may_have(several) {
        return false;
    }
    // Stores only hashes. If two ranges have the same hash, the pass merely runs without finding anything.
    let hasher = DefaultHashBuilder::default();
    let mut ranges: HashSet<u64> = HashSet::new();
    let mut loaded: HashSet<u64> = HashSet::new();
    let mut again = false;
    walk(func, |_, _, inst| {
        let data = func.inst(inst);
        // `walk` cannot be stopped early, so the remaining calls return at once.
        if again || !is_access(data) {
            return;
        }
        let (range, load) = match data.kind {
            InstKind::Load { memory, offset, .. } => {
                (MemoryRange::new(func, memory, offset, func.ty(data.results[0])), true)
            }
            InstKind::Store { memory, offset, data, comps, .. } => {
                let ty = func.ty(data.value).with_comps(usize::from(comps));
                (MemoryRange::new(func, memory, offset, ty), false)
            }
            _ => return,
        };
        let memory = hasher.hash_one((range.memory, range.address.base));
        let at = |comp| memory.wrapping_add(u64::from(range.at(comp)));
        again = match load {
            true => ranges.contains(&at(0)),
            false => (0..range.comps).any(|comp| loaded.contains(&at(comp))),
        };
        ranges.extend((0..range.comps).map(at));
        if load {
            loaded.extend((0..range.comps).map(at));
        }
    });
    again
}

/// The bytes that an access reads or writes: consecutive components in memory.
struct MemoryRange {
    memory: Memory,
    address: Address,
    /// Bits per component.
    bits: u32,
    comps: u32,
}

impl MemoryRange {
    /// The range of an access to a value of type `ty`.
    fn new(func: &Function, memory: Memory, offset: Src, ty: Ty) -> MemoryRange {
        MemoryRange {
            memory: canonical(memory),
            address: Address::of(func, offset),
            bits: ty.bits(),
            comps: ty.comps() as u32,
        }
    }

    /// Bytes per component.
    fn comp_bytes(&self) -> u32 {
        (self.bits / 8).max(1)
    }

    /// The constant part of the byte offset of a component.
    fn at(&self, comp: u32) -> u32 {
        self.address.fixed.wrapping_add(comp * self.comp_bytes())
    }
}

/// The variable part of an address: a value and one of its components.
type Base = Option<(Value, u8)>;

/// A component that memory is known to hold at some offset.
#[derive(Clone, Copy)]
struct Fact {
    value: Src,
    bits: u32,
    /// The access that established it.
    access: Access,
}

/// The known contents of memory.
#[derive(Default)]
struct Known {
    /// Known components by memory, variable base, and constant byte offset.
    facts: HashMap<Memory, HashMap<Base, BTreeMap<u32, Fact>>>,
    /// The enclosing regions of the current instruction, outermost first, each with the length of `learnt` at its
    /// start.
    open: Vec<(RegionId, usize)>,
    /// The keys of known components in the order in which they were recorded.
    learnt: Vec<(Memory, Base, u32)>,
}

impl Known {
    /// Must be called for each instruction, with its region: removes what was recorded inside regions that have ended.
    fn enter(&mut self, depth: u32, region: RegionId) {
        let depth = depth as usize;
        if self.open.get(depth).is_some_and(|open| open.0 == region) && self.open.len() == depth + 1
        {
            return;
        }
        let same = self.open.get(depth).is_some_and(|open| open.0 == region);
        let keep = if same { depth + 1 } else { depth };
        if let Some(&(_, mark)) = self.open.get(keep) {
            for (memory, base, at) in self.learnt.drain(mark..) {
                if let Some(facts) = self.facts.get_mut(&memory).and_then(|m| m.get_mut(&base)) {
                    facts.remove(&at);
                }
            }
        }
        self.open.truncate(keep);
        if !same {
            self.open.push((region, self.learnt.len()));
        }
    }

    /// Records that memory holds `value` in component `comp` of the range.
    fn learn(&mut self, range: &MemoryRange, comp: u32, value: Src, access: Access) {
        let (memory, base, at) = (range.memory, range.address.base, range.at(comp));
        let fact = Fact { value, bits: range.bits, access };
        self.facts.entry(memory).or_default().entry(base).or_default().insert(at, fact);
        self.learnt.push((memory, base, at));
    }

    /// The value of a load, if all its components are known with the same size.
    fn find(&self, b: &mut Builder<'_>, range: &MemoryRange) -> Option<Src> {
        let facts = self.facts.get(&range.memory)?.get(&range.address.base)?;
        let mut comps = Vec::new();
        for comp in 0..range.comps {
            let fact = facts.get(&range.at(comp)).filter(|fact| fact.bits == range.bits)?;
            comps.push(fact.value);
        }
        Some(if let [comp] = comps[..] { comp } else { b.vec(&comps).into() })
    }

    /// Whether memory is known to hold `value` in component `comp` of the range.
    fn holds(&self, range: &MemoryRange, comp: u32, value: Src) -> bool {
        let facts = self.facts.get(&range.memory).and_then(|bases| bases.get(&range.address.base));
        facts.and_then(|facts| facts.get(&range.at(comp))).is_some_and(|fact| {
            let same = (fact.value.value, fact.value.swizzle[0]) == (value.value, value.swizzle[0]);
            same && fact.bits == range.bits
        })
    }

    /// Removes what a write to `range` may change. Within the same memory, only components with the same base stay
    /// comparable.
    fn forget(&mut self, range: &MemoryRange, access: Access) {
        for (memory, bases) in &mut self.facts {
            if *memory == range.memory {
                bases.retain(|base, facts| {
                    let same = *base == range.address.base;
                    if same {
                        let first = range.address.fixed;
                        forget_range(facts, first, range.comps * range.comp_bytes());
                    }
                    same
                });
            } else {
                bases.retain(|_, facts| {
                    facts.retain(|_, fact| {
                        !may_alias((memory, fact.access), (&range.memory, access))
                    });
                    !facts.is_empty()
                });
            }
        }
    }

    /// Removes what other invocations may write.
    fn forget_shared(&mut self) {
        self.facts.retain(|memory, _| memory.is_read_only() || *memory == Memory::Scratch);
    }

    /// Removes what an instruction without a known range may change.
    fn forget_after(&mut self, facts: Facts) {
        if facts.orders {
            self.forget_shared();
        }
        if !facts.writes.is_empty() {
            self.facts.retain(|memory, _| !memory.storage().touches(facts.writes));
        }
    }

    /// Removes what the code of `region` may write.
    fn forget_writes(&mut self, writes: &Writes, region: RegionId) {
        let written = writes.of(region);
        let others = writes.others[region.index()];
        self.facts.retain(|memory, _| !memory.storage().touches(others));
        for (memory, bases) in &mut self.facts {
            bases.retain(|_, facts| {
                facts.retain(|_, fact| {
                    let known = (memory, fact.access);
                    !written.iter().any(|(to, access)| may_alias((to, *access), known))
                });
                !facts.is_empty()
            });
        }
        if writes.has_barrier(region) {
            self.forget_shared();
        }
    }
}

/// Removes the components that overlap `bytes` bytes from the offset `first`.
fn forget_range(facts: &mut BTreeMap<u32, Fact>, first: u32, bytes: u32) {
    // A component has at most 8 bytes, so only those that start up to 7 bytes earlier can overlap. Offsets are modulo
    // 2^32, so the range may wrap around.
    let (low, high) = (first.wrapping_sub(7), first.wrapping_add(bytes));
    let overlaps: Vec<u32> = if low < high {
        facts.range(low..high).map(|(&at, _)| at).collect()
    } else {
        facts.range(low..).chain(facts.range(..high)).map(|(&at, _)| at).collect()
    };
    for at in overlaps {
        let distance = first.wrapping_sub(at);
        let before = distance <= 7;
        if !before || distance < facts.get(&at).map_or(0, |fact| (fact.bits / 8).max(1)) {
            facts.remove(&at);
        }
    }
}

/// What each region may write, including the regions inside it. Only computed if there are loops.
struct Writes {
    /// By region: the memories that stores and atomics write.
    memories: Vec<Vec<(Memory, Access)>>,
    /// By region: the memory that other instructions write.
    others: Vec<Storages>,
    /// By region: whether it contains an instruction that orders memory accesses.
    barriers: Vec<bool>,
}

impl Writes {
    /// Collects the writes of all regions, from the last instruction of the code to the first.
    fn in_loops(func: &Function) -> Writes {
        let count = func.num_regions();
        let mut writes = Writes {
            memories: vec![Vec::new(); count],
            others: vec![Storages::NONE; count],
            barriers: vec![false; count],
        };
        if loops(func).is_empty() {
            return writes;
        }
        let mut order: Vec<(RegionId, InstId)> = Vec::new();
        walk(func, |_, region, inst| order.push((region, inst)));
        // An owner comes before the instructions of its regions, so in reverse order inner regions are complete first.
        for &(region, inst) in order.iter().rev() {
            let kind = &func.inst(inst).kind;
            match kind {
                InstKind::Store { memory, access, .. }
                | InstKind::Atomic { memory, access, .. } => {
                    writes.add(region, canonical(*memory), *access);
                }
                kind => {
                    let facts = kind.facts();
                    writes.barriers[region.index()] |= facts.orders;
                    let others = &mut writes.others[region.index()];
                    *others = others.and(facts.writes);
                }
            }
            for inner in kind.regions() {
                for (memory, access) in writes.memories[inner.index()].clone() {
                    writes.add(region, memory, access);
                }
                writes.barriers[region.index()] |= writes.barriers[inner.index()];
                writes.others[region.index()] =
                    writes.others[region.index()].and(writes.others[inner.index()]);
            }
        }
        writes
    }

    /// Records that a region writes a memory.
    fn add(&mut self, region: RegionId, memory: Memory, access: Access) {
        // Memories that differ only in the element of a descriptor array may both be listed. `may_alias` compares
        // bindings.
        let list = &mut self.memories[region.index()];
        match list.iter_mut().find(|(to, _)| *to == memory) {
            Some((_, promise)) => *promise = promise.common_promise(access),
            None => list.push((memory, access)),
        }
    }

    /// The memories that stores and atomics in the region write.
    fn of(&self, region: RegionId) -> &[(Memory, Access)] {
        &self.memories[region.index()]
    }

    fn has_barrier(&self, region: RegionId) -> bool {
        self.barriers[region.index()]
    }
}
