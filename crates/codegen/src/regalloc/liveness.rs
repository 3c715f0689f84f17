//! Which bytes must survive where.
//!
//! Granularity: a **slot** is one general register's worth (32 bytes) of a virtual register, one
//! physical general register, one virtual flag or one 16-bit flag subregister. Inside a block,
//! kills are decided byte by byte; between blocks slots are whole.
//!
//! A masked write defines its value for the enabled channels and a channel only ever reads what
//! it wrote itself, so a channel's own path (logical edges) decides what it needs: a masked write
//! is a full definition. What the thread must keep is more: at any point also what the channels
//! need that are parked elsewhere ([`Cfg::parked`]). A slot is therefore **occupied** at a block
//! boundary if it is live there or at a parking place of any structure around, and has been
//! written on some path before. The exception to the first rule: where a slot is both written and
//! read by unmasked instructions across channels, masked writes do not replace what was there.
//!
//! Positions: instruction `i` reads at `2 i` and writes at `2 i + 1`. The result is one interval
//! a slot, from the first position it is occupied to the last.

use crestline_isa::{AccessMode, ArfKind, PredCtrl, WriteMask};

use crate::ir::{
    BlockId, Cfg, Class, EdgeKind, File, Flag, Function, GRF_BYTES, Inst, Op, Operand, Region, Vreg,
};
use crate::passes::legal;

/// Number of general registers.
pub const GRF_COUNT: usize = 128;
/// Number of 16-bit flag subregisters.
pub const FLAG_COUNT: usize = 4;

/// Index of a slot: general registers, flag subregisters, then those of virtual registers.
pub type Slot = usize;

/// Positions from first to last, both included; empty if `start > end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// First position.
    pub start: u32,
    /// Last position.
    pub end: u32,
}

impl Interval {
    /// No position.
    pub const EMPTY: Interval = Interval { start: u32::MAX, end: 0 };

    /// Whether there is no position.
    pub const fn is_empty(self) -> bool {
        self.start > self.end
    }

    /// Whether the two have a position in common.
    pub const fn overlaps(self, other: Interval) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    fn add(&mut self, position: u32) {
        self.start = self.start.min(position);
        self.end = self.end.max(position);
    }
}

/// How an instruction touches a slot.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The slot.
    pub slot: Slot,
    /// Bytes of the slot that are touched, one bit each.
    pub bytes: u32,
    /// Written instead of read.
    pub write: bool,
    /// A write that leaves nothing of the old value in `bytes` for enabled channels.
    pub kills: bool,
}

/// Where slots are in the numbering.
#[derive(Clone, Debug)]
pub struct SlotMap {
    /// First slot of each virtual register.
    bases: Vec<u32>,
    facts: Vec<SlotFacts>,
}

/// What a slot is made of.
#[derive(Clone, Copy, Debug)]
struct SlotFacts {
    /// Its bytes, or bits of a flag, one bit each.
    whole: u32,
    is_flag: bool,
}

impl SlotMap {
    /// Numbers the slots of a function's registers.
    pub fn new(function: &Function) -> SlotMap {
        let general = SlotFacts { whole: u32::MAX, is_flag: false };
        let slots = |bytes: u32| bytes.div_ceil(GRF_BYTES) as usize;
        let virtual_slots: usize = function.vregs.iter().map(|(_, info)| slots(info.bytes)).sum();
        let mut facts = Vec::with_capacity(GRF_COUNT + FLAG_COUNT + virtual_slots);
        facts.resize(GRF_COUNT, general);
        facts.resize(GRF_COUNT + FLAG_COUNT, SlotFacts { whole: 0xffff, is_flag: true });
        let lanes = mask_of(u32::from(function.dispatch_width));
        let mut bases = Vec::with_capacity(function.vregs.len());
        for (_, info) in function.vregs.iter() {
            bases.push(facts.len() as u32);
            match info.class {
                Class::Flag => facts.push(SlotFacts { whole: lanes, is_flag: true }),
                Class::Grf => {
                    facts.resize(facts.len() + slots(info.bytes), general);
                    if let (Some(last), 1..) = (facts.last_mut(), info.bytes % GRF_BYTES) {
                        last.whole = mask_of(info.bytes % GRF_BYTES);
                    }
                }
            }
        }
        SlotMap { bases, facts }
    }

    /// Number of slots.
    pub fn count(&self) -> usize {
        self.facts.len()
    }

    /// Slots of a virtual register.
    pub fn of(&self, vreg: Vreg) -> std::ops::Range<Slot> {
        let index = vreg.0 as usize;
        let end = self.bases.get(index + 1).map_or(self.count(), |base| *base as usize);
        self.bases[index] as usize..end
    }

    /// Whether a slot is a flag, virtual or fixed.
    pub fn is_flag(&self, slot: Slot) -> bool {
        self.facts[slot].is_flag
    }

    /// Calls `visit` for each slot an operand touches and with the bytes in it.
    fn touched(&self, operand: &Operand, bytes: u32, mut visit: impl FnMut(Slot, u32)) {
        let base = match operand.file {
            File::Vgrf(vreg) => {
                let base = self.bases[vreg.0 as usize] as usize;
                if self.facts.get(base).is_some_and(|facts| facts.is_flag) {
                    visit(base, u32::MAX);
                    return;
                }
                base
            }
            File::Grf => 0,
            File::Indirect { .. } => {
                (0..GRF_COUNT).for_each(|slot| visit(slot, u32::MAX));
                return;
            }
            _ => return,
        };
        let (mut at, end) = (operand.offset, operand.offset + bytes);
        while at < end {
            let slot_end = (at / GRF_BYTES + 1) * GRF_BYTES;
            let upto = end.min(slot_end);
            let mask = mask_of(upto - at) << (at % GRF_BYTES);
            visit(base + (at / GRF_BYTES) as usize, mask);
            at = upto;
        }
    }
}

/// The lowest `bytes` bits.
fn mask_of(bytes: u32) -> u32 {
    if bytes >= 32 { u32::MAX } else { (1 << bytes) - 1 }
}

/// Whether sources must not share registers with the destination, because the instruction
/// becomes several that read after the first has written.
pub fn is_early_clobber(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::MovIndirect
            | Op::MovIndirectDst
            | Op::Shuffle
            | Op::Broadcast
            | Op::MulHigh
            | Op::Collect { .. }
            | Op::Message
    )
}

/// Calls `visit` for everything an instruction reads, then for everything it writes.
pub fn accesses(slots: &SlotMap, inst: &Inst, visit: &mut impl FnMut(Access)) {
    let read = |slot, bytes| Access { slot, bytes, write: false, kills: false };
    for (index, src) in inst.srcs.iter().enumerate() {
        if src.vectors().is_some() && legal::has_regions(inst.op) {
            vector_reads(slots, inst, index, &mut |slot, bytes| visit(read(slot, bytes)));
        } else {
            slots.touched(src, inst.size_read(index), |slot, bytes| visit(read(slot, bytes)));
        }
        if src.is_arf(ArfKind::Flag) {
            let subs = src.offset / 2..(src.offset + src.region_bytes(inst.exec_size)).div_ceil(2);
            subs.for_each(|sub| visit(read(GRF_COUNT + sub as usize, u32::MAX)));
        }
    }
    if inst.reads_flag() {
        // Each channel reads its own bit, but for the predicates over groups of channels, which
        // are those of a vector in Align16.
        let bits = match (inst.predicate.ctrl, inst.access_mode) {
            (PredCtrl::Normal, _) => flag_bits(inst),
            (_, AccessMode::Align16) => mask_of(u32::from(inst.exec_size)) << inst.group,
            _ => u32::MAX,
        };
        for_flags(slots, inst, |slot| visit(read(slot, bits)));
    }
    // An unlowered indirect write may leave any byte of its range as it was.
    let whole = !inst.predicate_disables()
        && inst.op != Op::MovIndirectDst
        && !matches!(inst.dst.region, Region::Indirect { .. });
    let packed = matches!(inst.dst.region, Region::Stride(0 | 1))
        || matches!(inst.dst.region, Region::Mask(mask) if mask.0 == 15)
        || inst.op.is_message();
    slots.touched(&inst.dst, inst.size_written(), |slot, bytes| {
        visit(Access { slot, bytes, write: true, kills: whole && packed });
    });
    if whole && !packed {
        strided_kills(slots, inst, visit);
    }
    if inst.dst.is_arf(ArfKind::Flag) {
        let bytes = inst.dst.region_bytes(inst.exec_size);
        let subs = inst.dst.offset / 2..(inst.dst.offset + bytes).div_ceil(2);
        for sub in subs {
            let slot = GRF_COUNT + sub as usize;
            visit(Access { slot, bytes: u32::MAX, write: true, kills: whole });
        }
    }
    if inst.writes_flag() {
        let whole = inst.exec_size >= 8 && inst.dst.write_mask() == WriteMask::XYZW;
        let kills = !inst.is_predicated() && whole;
        for_flags(slots, inst, |slot| {
            visit(Access { slot, bytes: flag_bits(inst), write: true, kills });
        });
    }
}

/// What each instruction of a function touches, as [`accesses`] tells it.
#[derive(Clone, Debug)]
pub struct Accesses {
    all: Vec<Access>,
    /// Where those of each instruction start, by its number in layout order, and the end.
    starts: Vec<u32>,
}

impl Accesses {
    /// Looks at every instruction once.
    pub fn new(function: &Function, slots: &SlotMap) -> Accesses {
        let count = function.inst_count();
        let mut all = Vec::with_capacity(4 * count);
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0);
        for inst in function.insts() {
            accesses(slots, inst, &mut |access| all.push(access));
            starts.push(all.len() as u32);
        }
        Accesses { all, starts }
    }

    /// Those of an instruction, by its number in layout order: reads first.
    pub fn of(&self, number: usize) -> &[Access] {
        &self.all[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// The channels an instruction covers, one bit each: what it can kill of a flag.
fn flag_bits(inst: &Inst) -> u32 {
    let components = u32::from(inst.dst.write_mask().0) * 0x1111_1111;
    (components & mask_of(u32::from(inst.exec_size))) << inst.group
}

/// The exact bytes of an Align16 source: the components that channels read.
fn vector_reads(slots: &SlotMap, inst: &Inst, index: usize, visit: &mut impl FnMut(Slot, u32)) {
    let (src, channels) = (&inst.srcs[index], inst.channels_read(index));
    for channel in 0..u32::from(inst.exec_size) {
        if channels.0 >> (channel % 4) & 1 == 1 {
            let element = src.byte_offset(src.channel_offset(channel));
            slots.touched(&element, src.ty.size(), &mut *visit);
        }
    }
}

/// The exact bytes of a strided or component-masked destination, channel by channel.
fn strided_kills(slots: &SlotMap, inst: &Inst, visit: &mut impl FnMut(Access)) {
    let enabled = |channel: u32| match inst.dst.region {
        Region::Mask(mask) => mask.0 >> (channel % 4) & 1 == 1,
        _ => true,
    };
    for channel in (0..u32::from(inst.exec_size)).filter(|c| enabled(*c)) {
        let element = inst.dst.byte_offset(inst.dst.channel_offset(channel));
        slots.touched(&element, inst.dst.ty.size(), |slot, bytes| {
            visit(Access { slot, bytes, write: true, kills: true });
        });
    }
}

fn for_flags(slots: &SlotMap, inst: &Inst, mut visit: impl FnMut(Slot)) {
    match inst.flag {
        Flag::Virtual(vreg) => visit(slots.of(vreg).start),
        Flag::Fixed(sub) => {
            let last = u32::from(inst.group) + u32::from(inst.exec_size) - 1;
            let first = usize::from(sub) + usize::from(inst.group / 16);
            let last = usize::from(sub) + (last / 16) as usize;
            (first..=last.min(FLAG_COUNT - 1)).for_each(|sub| visit(GRF_COUNT + sub));
        }
    }
}

/// A set of slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct BitSet(Vec<u64>);

impl BitSet {
    fn new(len: usize) -> BitSet {
        BitSet(vec![0; len.div_ceil(64)])
    }

    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    fn contains(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    /// Adds all of `other`; says whether anything was new.
    fn union(&mut self, other: &BitSet) -> bool {
        let mut changed = false;
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            let new = *word | other;
            changed |= new != *word;
            *word = new;
        }
        changed
    }

    fn intersect(&mut self, other: &BitSet) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= other;
        }
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    index * 64 + bit
                })
            })
        })
    }
}

/// Live intervals of a function.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// The numbering of slots.
    pub slots: SlotMap,
    /// What each instruction touches.
    pub accesses: Accesses,
    /// Interval of each slot; empty for slots that are never touched.
    pub intervals: Vec<Interval>,
    /// Number of the first instruction of each block, and of the end.
    pub block_starts: Vec<u32>,
    live_out: Vec<Vec<Slot>>,
    across: BitSet,
}

impl Liveness {
    /// Computes intervals.
    pub fn new(function: &Function, cfg: &Cfg) -> Liveness {
        let slots = SlotMap::new(function);
        let mut block_starts = Vec::with_capacity(function.blocks.len() + 1);
        let mut next = 0u32;
        for block in &function.blocks {
            block_starts.push(next);
            next += block.insts.len() as u32;
        }
        block_starts.push(next);
        let mut intervals = vec![Interval::EMPTY; slots.count()];
        let accesses = Accesses::new(function, &slots);
        let across = cross_channel_slots(function, &slots, &accesses);
        let blocks = local_sets(function, &slots, &accesses, &across, &mut intervals);
        let flow = Flow::solve(cfg, &blocks, function.payload_registers as usize);
        flow.extend(cfg, &block_starts, &mut intervals);
        let live_out = flow.live_out_slots(cfg);
        Liveness { slots, accesses, intervals, block_starts, live_out, across }
    }

    /// The interval of a whole virtual register.
    pub fn vreg(&self, vreg: Vreg) -> Interval {
        self.slots.of(vreg).fold(Interval::EMPTY, |all, slot| {
            let one = self.intervals[slot];
            Interval { start: all.start.min(one.start), end: all.end.max(one.end) }
        })
    }

    /// Whether a write replaces what its bytes held, for everyone who reads them.
    pub fn kills(&self, inst: &Inst, access: &Access) -> bool {
        access.kills && (inst.no_mask || !self.across.contains(access.slot))
    }

    /// Slots that channels at the end of a block need later (logical liveness), ascending.
    /// Slots that are only ever touched inside one block are not listed.
    pub fn live_out(&self, block: BlockId) -> &[Slot] {
        &self.live_out[block.index()]
    }
}

/// Slots that unmasked instructions of more than one channel both write and read.
fn cross_channel_slots(function: &Function, slots: &SlotMap, accesses: &Accesses) -> BitSet {
    let (mut read, mut written) = (BitSet::new(slots.count()), BitSet::new(slots.count()));
    let numbered = function.insts().enumerate();
    for (number, _) in numbered.filter(|(_, inst)| inst.no_mask && inst.exec_size > 1) {
        for access in accesses.of(number) {
            if access.write { &mut written } else { &mut read }.insert(access.slot);
        }
    }
    read.intersect(&written);
    read
}

/// What one block does with the slots that more than one block touches.
struct BlockSets {
    uses: Vec<usize>,
    kills: Vec<usize>,
    writes: Vec<usize>,
}

struct Locals {
    blocks: Vec<BlockSets>,
    /// Global number of each slot; `usize::MAX` for slots of one block.
    globals: Vec<Slot>,
}

/// What the walk through a block knows of a slot.
#[derive(Clone, Copy)]
struct Local {
    /// The last block that touched the slot; the fields below speak of it.
    block: u32,
    /// Bytes that were replaced.
    killed: u32,
    /// Whether it is among the block's writes.
    written: bool,
}

/// Local intervals, and upward exposed uses, kills and writes per block.
fn local_sets(
    function: &Function,
    slots: &SlotMap,
    accesses: &Accesses,
    across: &BitSet,
    intervals: &mut [Interval],
) -> Locals {
    const NEVER: u32 = u32::MAX;
    let mut local = vec![Local { block: NEVER, killed: 0, written: false }; slots.count()];
    let mut is_global = BitSet::new(slots.count());
    let mut blocks = Vec::with_capacity(function.blocks.len());
    let mut seen = Vec::new();
    let mut number = 0;
    for (b, block) in (0..).zip(&function.blocks) {
        let mut sets = BlockSets { uses: Vec::new(), kills: Vec::new(), writes: Vec::new() };
        for inst in &block.insts {
            let early = is_early_clobber(inst);
            let position = 2 * number as u32;
            for access in accesses.of(number) {
                let slot = access.slot;
                let local = &mut local[slot];
                if local.block != b {
                    if local.block != NEVER {
                        is_global.insert(slot);
                    }
                    *local = Local { block: b, killed: 0, written: false };
                    seen.push(slot);
                }
                if access.write {
                    if inst.op != Op::Undef {
                        intervals[slot].add(position + 1);
                        if early {
                            intervals[slot].add(position);
                        }
                        if !std::mem::replace(&mut local.written, true) {
                            sets.writes.push(slot);
                        }
                    }
                    if access.kills && (inst.no_mask || !across.contains(slot)) {
                        local.killed |= access.bytes;
                    }
                } else {
                    intervals[slot].add(position);
                    if access.bytes & !local.killed != 0 {
                        sets.uses.push(slot);
                        is_global.insert(slot);
                    }
                }
            }
            number += 1;
        }
        let replaced = |slot: &Slot| !local[*slot].killed & slots.facts[*slot].whole == 0;
        sets.kills.extend(seen.drain(..).filter(replaced));
        blocks.push(sets);
    }
    let mut globals = Vec::new();
    let mut numbers = vec![usize::MAX; slots.count()];
    for slot in is_global.iter() {
        numbers[slot] = globals.len();
        globals.push(slot);
    }
    for sets in &mut blocks {
        for list in [&mut sets.uses, &mut sets.kills, &mut sets.writes] {
            list.retain_mut(|slot| {
                *slot = numbers[*slot];
                *slot != usize::MAX
            });
        }
    }
    Locals { blocks, globals }
}

/// Data flow between blocks over the global slots.
struct Flow<'a> {
    locals: &'a Locals,
    live_in: Vec<BitSet>,
    live_out: Vec<BitSet>,
    reach_in: Vec<BitSet>,
    reach_out: Vec<BitSet>,
}

impl<'a> Flow<'a> {
    fn solve(cfg: &Cfg, locals: &'a Locals, payload: usize) -> Flow<'a> {
        let count = cfg.len();
        let empty = BitSet::new(locals.globals.len());
        let sets = |pick: fn(&BlockSets) -> &[usize]| -> Vec<BitSet> {
            locals
                .blocks
                .iter()
                .map(|block| {
                    let mut set = empty.clone();
                    pick(block).iter().for_each(|slot| set.insert(*slot));
                    set
                })
                .collect()
        };
        let kills = sets(|block| &block.kills);
        let mut flow = Flow {
            locals,
            live_in: sets(|block| &block.uses),
            live_out: vec![empty.clone(); count],
            reach_in: vec![empty.clone(); count],
            reach_out: sets(|block| &block.writes),
        };
        let mut changed = true;
        while changed {
            changed = false;
            for index in (0..count).rev() {
                let mut out = std::mem::take(&mut flow.live_out[index]);
                let mut grew = false;
                for edge in cfg.succs(BlockId(index as u32)) {
                    if edge.kind == EdgeKind::Logical {
                        grew |= out.union(&flow.live_in[edge.to.index()]);
                    }
                }
                if grew {
                    changed = true;
                    let live_in = &mut flow.live_in[index];
                    for ((into, out), kill) in live_in.0.iter_mut().zip(&out.0).zip(&kills[index].0)
                    {
                        *into |= out & !kill;
                    }
                }
                flow.live_out[index] = out;
            }
        }
        for (number, slot) in locals.globals.iter().enumerate() {
            if *slot < payload {
                flow.reach_in[0].insert(number);
            }
        }
        changed = true;
        while changed {
            changed = false;
            for index in 0..count {
                let mut into = std::mem::take(&mut flow.reach_in[index]);
                let mut grew = false;
                for edge in cfg.preds(BlockId(index as u32)) {
                    // A loop of one block reaches itself.
                    grew |= into.union(&flow.reach_out[edge.to.index()]);
                }
                changed |= grew;
                changed |= flow.reach_out[index].union(&into);
                flow.reach_in[index] = into;
            }
        }
        flow
    }

    /// Extends intervals over the blocks where slots are occupied.
    fn extend(&self, cfg: &Cfg, starts: &[u32], intervals: &mut [Interval]) {
        let mut parked: Vec<BitSet> = Vec::with_capacity(cfg.level_count());
        for node in cfg.level_ids() {
            let mut set = match cfg.parent(node) {
                Some(parent) => parked[parent.index()].clone(),
                None => BitSet::new(self.locals.globals.len()),
            };
            for block in cfg.parked(node) {
                set.union(&self.live_in[block.index()]);
            }
            parked.push(set);
        }
        let halted = cfg.halt().map(|(target, first)| (first, &self.live_in[target.index()]));
        for index in 0..cfg.len() {
            let block = BlockId(index as u32);
            let wait = cfg.level(block).map(|node| &parked[node.index()]);
            let halted = halted
                .filter(|(first, _)| *first <= block || cfg.loop_depth(block) > 0)
                .map(|(_, set)| set);
            let (first, end) = (starts[index], starts[index + 1]);
            // An empty block has no instruction to stand at; its neighbours have.
            let (at_start, at_end) = (2 * first, (2 * end).saturating_sub(1).max(2 * first));
            let mut extend = |live: &BitSet, reach: &BitSet, position: u32| {
                let mut occupied = live.clone();
                for set in [wait, halted].into_iter().flatten() {
                    occupied.union(set);
                }
                occupied.intersect(reach);
                for number in occupied.iter() {
                    intervals[self.locals.globals[number]].add(position);
                }
            };
            extend(&self.live_in[index], &self.reach_in[index], at_start);
            extend(&self.live_out[index], &self.reach_out[index], at_end);
        }
    }

    fn live_out_slots(&self, cfg: &Cfg) -> Vec<Vec<Slot>> {
        (0..cfg.len())
            .map(|index| self.live_out[index].iter().map(|n| self.locals.globals[n]).collect())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Builder;
    use crestline_isa::{Opcode, Type};

    const FLAG: Flag = Flag::Fixed(0);

    fn liveness(function: &Function) -> Liveness {
        Liveness::new(function, &Cfg::new(function).unwrap())
    }

    fn interval(l: &Liveness, op: Operand) -> (u32, u32) {
        let i = l.vreg(op.vreg().unwrap());
        (i.start, i.end)
    }

    #[test]
    fn straight_code_lives_from_write_to_last_read() {
        let mut f = Function::new(8);
        let (a, c) = (f.lanes(Type::F, 1), f.lanes(Type::F, 1));
        let mut b = Builder::new(&mut f);
        b.mov(a, Operand::imm_f(1.0));
        b.mov(c, a);
        b.mov(Operand::grf(9, Type::F), c);
        let l = liveness(&f);
        assert_eq!(interval(&l, a), (1, 2));
        assert_eq!(interval(&l, c), (3, 4));
    }

    #[test]
    fn a_value_of_the_else_side_survives_the_then_side() {
        let mut f = Function::new(8);
        let (a, c) = (f.lanes(Type::F, 1), f.lanes(Type::F, 1));
        let mut b = Builder::new(&mut f);
        b.mov(a, Operand::imm_f(1.0));
        b.if_(FLAG, false);
        b.mov(c, Operand::imm_f(2.0)); // 2
        b.else_();
        b.mov(c, a); // 4
        b.endif();
        b.mov(Operand::grf(9, Type::F), c); // 6
        let l = liveness(&f);
        assert_eq!(interval(&l, a), (1, 8));
        assert_eq!(interval(&l, c), (5, 12));
    }

    #[test]
    fn a_value_that_leaves_a_loop_is_safe_in_all_of_it() {
        let mut f = Function::new(8);
        let (a, t) = (f.lanes(Type::F, 1), f.lanes(Type::F, 1));
        let mut b = Builder::new(&mut f);
        b.do_(); // 0
        b.mov(t, Operand::imm_f(2.0)); // 1
        b.mov(Operand::null(Type::F), t); // 2
        b.mov(a, Operand::imm_f(2.0)); // 3
        b.predicated(FLAG, false).flow(Opcode::Break); // 4
        b.while_(); // 5
        b.mov(Operand::grf(9, Type::F), a); // 6
        let l = liveness(&f);
        assert_eq!(interval(&l, a), (0, 12));
        assert_eq!(interval(&l, t), (3, 4));
    }

    #[test]
    fn halves_written_one_by_one_are_one_definition() {
        let mut f = Function::new(16);
        let a = f.lanes(Type::Hf, 1);
        let mut b = Builder::new(&mut f);
        b.do_(); // 0
        b.exec(8).mov(a, Operand::imm(0, Type::Hf)); // 1
        b.exec(8).group(8).mov(a.byte_offset(16), Operand::imm(0, Type::Hf)); // 2
        b.mov(Operand::grf(9, Type::F), a); // 3
        b.predicated(FLAG, false).while_();
        b.mov(Operand::null(Type::F), Operand::imm_f(0.0));
        assert_eq!(interval(&liveness(&f), a), (3, 6));
    }

    #[test]
    fn unmasked_values_keep_their_other_channels() {
        let mut f = Function::new(8);
        let a = f.lanes(Type::F, 1);
        let mut b = Builder::new(&mut f);
        b.no_mask().mov(a, Operand::imm_f(0.0)); // 0
        b.mov(Operand::grf(9, Type::F), Operand::imm_f(0.0)); // 1
        b.mov(a, Operand::imm_f(1.0)); // 2
        b.no_mask().mov(Operand::grf(9, Type::F), a); // 3
        assert_eq!(interval(&liveness(&f), a), (1, 6));
    }

    #[test]
    fn payload_registers_live_from_entry() {
        let mut f = Function::new(8);
        f.payload_registers = 3;
        let mut b = Builder::new(&mut f);
        b.mov(Operand::null(Type::F), Operand::imm_f(0.0));
        b.mov(Operand::null(Type::F), Operand::grf(2, Type::F));
        let l = liveness(&f);
        assert_eq!(l.intervals[2], Interval { start: 0, end: 2 });
        assert!(l.intervals[1].is_empty());
    }
}
