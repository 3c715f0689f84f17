//! Gives loads the values that memory is known to hold: those stored or loaded before at the same range.
//!
//! A walk keeps what is known of each memory, component by component, by base and constant offset. A store forgets
//! what it may overwrite; barriers and atomics forget what others may write; what is learnt in a region is forgotten
//! behind it, and what a loop may overwrite before it.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashSet};

use super::util::address::{Address, canonical, may_alias};
use super::util::{Action, loops, rewrite, walk};
use crate::ir::{
    Access, Builder, Facts, Function, InstData, InstId, InstKind, Memory, RegionId, Shader, Src,
    Storages, Ty, Value,
};

/// See the [module](self). Returns whether a load went.
pub fn opt_load_store_forwarding(shader: &mut Shader) -> bool {
    if !reads_a_range_again(&shader.func) {
        return false;
    }
    let writes = Writes::in_loops(&shader.func);
    let mut known = Known::default();
    rewrite(&mut shader.func, |b, cx, inst| {
        known.enter(cx.depth, b.region());
        let kind = &b.func.inst(inst).kind;
        if matches!(kind, InstKind::Alu { .. } | InstKind::Const(_)) {
            return Action::Keep;
        }
        match kind.clone() {
            // Image accesses of other kinds may reach the same texels.
            InstKind::Load { memory: Memory::Image(_), .. }
            | InstKind::Store { memory: Memory::Image(_), .. } => {}
            InstKind::Load { memory, offset, access, .. } => {
                if access.volatile || access.coherent {
                    return Action::Keep;
                }
                let result = b.func.inst(inst).results[0];
                let range = MemoryRange::new(b.func, memory, offset, b.func.ty(result));
                // What `find` builds is of no use where it may not take the load's place.
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
                known.forget(&range, access);
                if !access.volatile && !access.coherent {
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
    })
}

/// Whether some load begins where an access before it has a component: without what may come between, so that code in
/// which there is nothing to find needs no more than this.
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
    // By hash: taking different ranges for the same costs no more than the walk that this is to save.
    let hasher = DefaultHashBuilder::default();
    let mut ranges: HashSet<u64> = HashSet::new();
    let mut again = false;
    walk(func, |_, _, inst| {
        let data = func.inst(inst);
        // A walk cannot be stopped: what is left of it looks no more.
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
        again = load && ranges.contains(&at(0));
        ranges.extend((0..range.comps).map(at));
    });
    again
}

/// Consecutive components in memory.
struct MemoryRange {
    memory: Memory,
    address: Address,
    /// Bits of a component.
    bits: u32,
    comps: u32,
}

impl MemoryRange {
    fn new(func: &Function, memory: Memory, offset: Src, ty: Ty) -> MemoryRange {
        MemoryRange {
            memory: canonical(memory),
            address: Address::of(func, offset),
            bits: ty.bits(),
            comps: ty.comps() as u32,
        }
    }

    fn comp_bytes(&self) -> u32 {
        (self.bits / 8).max(1)
    }

    fn at(&self, comp: u32) -> u32 {
        self.address.fixed.wrapping_add(comp * self.comp_bytes())
    }
}

type Base = Option<(Value, u8)>;

/// A component that memory is known to hold.
#[derive(Clone, Copy)]
struct Fact {
    value: Src,
    bits: u32,
    restrict: bool,
}

/// What memory is known to hold, by memory, base and constant byte offset.
#[derive(Default)]
struct Known {
    facts: HashMap<Memory, HashMap<Base, BTreeMap<u32, Fact>>>,
    /// Regions being walked, outer first, with the length of `learnt` where each began.
    open: Vec<(RegionId, usize)>,
    learnt: Vec<(Memory, Base, u32)>,
}

impl Known {
    /// Follows the walk to an instruction of `region`: forgets what was learnt in regions that are done.
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

    fn learn(&mut self, range: &MemoryRange, comp: u32, value: Src, access: Access) {
        let (memory, base, at) = (range.memory, range.address.base, range.at(comp));
        let fact = Fact { value, bits: range.bits, restrict: access.restrict };
        self.facts.entry(memory).or_default().entry(base).or_default().insert(at, fact);
        self.learnt.push((memory, base, at));
    }

    /// The value of a load, if all of it is known.
    fn find(&self, b: &mut Builder<'_>, range: &MemoryRange) -> Option<Src> {
        let facts = self.facts.get(&range.memory)?.get(&range.address.base)?;
        let mut comps = Vec::new();
        for comp in 0..range.comps {
            let fact = facts.get(&range.at(comp)).filter(|fact| fact.bits == range.bits)?;
            comps.push(fact.value);
        }
        Some(if let [comp] = comps[..] { comp } else { b.vec(&comps).into() })
    }

    /// A write to `range`: forgets what it may change.
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
                        !may_alias(memory, &range.memory, fact.restrict || access.restrict)
                    });
                    !facts.is_empty()
                });
            }
        }
    }

    /// Forgets what other invocations may write.
    fn forget_shared(&mut self) {
        self.facts.retain(|memory, _| memory.is_read_only() || *memory == Memory::Scratch);
    }

    /// Forgets what an instruction may change that names no range.
    fn forget_after(&mut self, facts: Facts) {
        if facts.orders {
            self.forget_shared();
        }
        if !facts.writes.is_empty() {
            self.facts.retain(|memory, _| !memory.storage().touches(facts.writes));
        }
    }

    /// Forgets what code in `region` may write.
    fn forget_writes(&mut self, writes: &Writes, region: RegionId) {
        let written = writes.of(region);
        let others = writes.others[region.index()];
        self.facts.retain(|memory, _| {
            !written.iter().any(|w| may_alias(w, memory, false))
                && !memory.storage().touches(others)
        });
        if writes.has_barrier(region) {
            self.forget_shared();
        }
    }
}

/// Forgets facts that overlap `bytes` bytes from `first`.
fn forget_range(facts: &mut BTreeMap<u32, Fact>, first: u32, bytes: u32) {
    // A component has at most 8 bytes, so one that begins earlier reaches no further. Offsets that wrap are apart
    // from all others by the same distance.
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

/// The memories that each region of loops may write.
struct Writes {
    memories: Vec<Vec<Memory>>,
    /// What instructions write that name no range.
    others: Vec<Storages>,
    barriers: Vec<bool>,
}

impl Writes {
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
        // Inner regions come after the instruction that owns them: backward, they are done before it.
        for &(region, inst) in order.iter().rev() {
            let kind = &func.inst(inst).kind;
            match kind {
                InstKind::Store { memory, .. } | InstKind::Atomic { memory, .. } => {
                    writes.add(region, canonical(*memory));
                }
                kind => {
                    let facts = kind.facts();
                    writes.barriers[region.index()] |= facts.orders;
                    let others = &mut writes.others[region.index()];
                    *others = others.and(facts.writes);
                }
            }
            for inner in kind.regions() {
                for memory in writes.memories[inner.index()].clone() {
                    writes.add(region, memory);
                }
                writes.barriers[region.index()] |= writes.barriers[inner.index()];
                writes.others[region.index()] =
                    writes.others[region.index()].and(writes.others[inner.index()]);
            }
        }
        writes
    }

    fn add(&mut self, region: RegionId, memory: Memory) {
        // The element of a descriptor array is no matter here: its value may not be visible outside.
        let list = &mut self.memories[region.index()];
        if !list.contains(&memory) {
            list.push(memory);
        }
    }

    fn of(&self, region: RegionId) -> &[Memory] {
        &self.memories[region.index()]
    }

    fn has_barrier(&self, region: RegionId) -> bool {
        self.barriers[region.index()]
    }
}
