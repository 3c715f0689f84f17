//! Liveness: a live interval for each slot (32 bytes of a register, or a flag).
//!
//! Inside a block, liveness is tracked per byte; between blocks, per slot.
//!
//! A masked write (one without NoMask) defines its value for the enabled channels, and a channel only reads what it
//! wrote itself. So what a channel needs follows from its own path along logical edges, in which a masked write is a
//! full definition. The thread must keep more: at any point also what the channels need that are parked elsewhere
//! ([`Cfg::parked`]). A slot is **needed** at a block boundary if it is live there, or if it is live at a block at
//! which channels of an enclosing level are parked. A slot is **occupied** at a boundary if, in addition, a path from
//! a write leads there on which the slot is needed everywhere.
//!
//! There is one exception: if NoMask instructions of several channels both write and read a slot, a masked write does
//! not kill it, because another channel may read the old data.
//!
//! Positions: instruction `i` reads at position `2 i` and writes at `2 i + 1`. The result is one interval per slot,
//! from the first to the last position at which it is occupied.
//!
//! Example: in
//!
//! ```text
//! 0: mov v1, ..        writes v1 at position 1
//! 1: if
//! 2:   add v2, v1, ..  reads v1 at 4
//! 3: else
//! 4:   mov v3, ..      v1 is not read here
//! 5: endif
//! ```
//!
//! v1 occupies positions 1 to 4 if nothing after the `endif` reads it. If the second arm read v1, it would stay
//! occupied until that read, although no logical edge leads from the first arm to the second.

use super::accesses::{Accesses, Slot, SlotMap, is_early_clobber};
use super::bits::SparseSet;
use crate::ir::{BlockId, Cfg, EdgeKind, Function, Op, Vreg};
use fixedbitset::FixedBitSet;

/// A range of positions, first and last included; empty if `start > end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// First position.
    pub start: u32,
    /// Last position.
    pub end: u32,
}

impl Interval {
    /// The empty interval.
    pub const EMPTY: Interval = Interval { start: u32::MAX, end: 0 };

    /// Whether the interval is empty.
    pub const fn is_empty(self) -> bool {
        self.start > self.end
    }

    /// Whether two intervals have a position in common.
    pub const fn overlaps(self, other: Interval) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    /// Whether the interval contains a position.
    pub const fn contains(self, position: u32) -> bool {
        self.start <= position && position <= self.end
    }

    fn add(&mut self, position: u32) {
        self.start = self.start.min(position);
        self.end = self.end.max(position);
    }
}

/// Live intervals of a function, and the data they were computed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Liveness {
    /// The numbering of slots.
    pub slots: SlotMap,
    /// The slots that each instruction accesses.
    pub accesses: Accesses,
    /// Interval of each slot; empty for slots that are never touched.
    pub intervals: Vec<Interval>,
    /// Number of the first instruction of each block in layout order, followed by the number of instructions.
    pub block_starts: Vec<u32>,
    globals: Globals,
    /// For each block, the global slots that are live at its end (along logical edges).
    live_out: Vec<SparseSet>,
    /// For each global slot, the interval that its occupied block boundaries span.
    between: Vec<Interval>,
}

impl Liveness {
    /// Computes the live intervals of a function.
    pub fn new(function: &Function, cfg: &Cfg) -> Liveness {
        let slots = SlotMap::new(function);
        let mut block_starts = Vec::with_capacity(function.blocks.len() + 1);
        let mut next = 0u32;
        for block in &function.blocks {
            block_starts.push(next);
            next += block.insts.len() as u32;
        }
        block_starts.push(next);
        let accesses = Accesses::new(function, &slots);
        let globals = Globals::new(function, &slots, &accesses);
        let mut flow = Flow::of_blocks(function, &slots, &accesses, &globals);
        flow.solve(cfg);
        let between = flow.between(cfg, &globals, &block_starts);
        let live_out = flow.live_out;
        let intervals = vec![Interval::EMPTY; slots.count()];
        let mut found =
            Liveness { slots, accesses, intervals, block_starts, globals, live_out, between };
        found.set_intervals(function);
        found
    }

    /// Updates the intervals after instructions moved inside their blocks. The order of accesses to each slot must be
    /// the same as before, so that liveness at block boundaries does not change. `function` has the new order.
    /// `orders` lists each changed block with the old index of each of its instructions.
    pub fn reorder(&mut self, function: &Function, orders: &[(usize, Vec<usize>)]) {
        for (block, order) in orders {
            self.accesses.reorder(self.block_starts[*block] as usize, order);
        }
        self.set_intervals(function);
    }

    /// Computes the intervals from the accesses of all instructions and from the liveness at block boundaries.
    fn set_intervals(&mut self, function: &Function) {
        self.intervals.fill(Interval::EMPTY);
        for (slot, between) in self.globals.slots.iter().zip(&self.between) {
            self.intervals[*slot] = *between;
        }
        for (number, inst) in function.insts().enumerate() {
            let position = 2 * number as u32;
            let (undefined, early) = (inst.op == Op::Undef, is_early_clobber(inst));
            for access in self.accesses.of(number) {
                let interval = &mut self.intervals[access.slot];
                match access.write {
                    true if undefined => {}
                    true => {
                        interval.start = interval.start.min(position + u32::from(!early));
                        interval.end = interval.end.max(position + 1);
                    }
                    false => interval.add(position),
                }
            }
        }
    }

    /// The interval of a virtual register: from the start of its first slot to the end of its last.
    pub fn vreg(&self, vreg: Vreg) -> Interval {
        self.slots.of(vreg).fold(Interval::EMPTY, |all, slot| {
            let one = self.intervals[slot];
            Interval { start: all.start.min(one.start), end: all.end.max(one.end) }
        })
    }

    /// The slots that are live at the end of a block along logical edges, ascending. Slots that only one block uses
    /// are not included.
    pub fn live_out(&self, block: BlockId) -> impl Iterator<Item = Slot> {
        self.live_out[block.index()].members().map(|number| self.globals.slots[number])
    }
}

/// The global slots, numbered: those that can be live at a block boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Globals {
    slots: Vec<Slot>,
    /// Number of each slot among the global ones, or [`Globals::NONE`].
    numbers: Vec<u32>,
    /// Number of payload registers, which are written before the first block.
    payload: usize,
}

impl Globals {
    const NONE: u32 = u32::MAX;

    /// Finds the slots that more than one block accesses, or that a block reads before it writes them.
    fn new(function: &Function, slots: &SlotMap, accesses: &Accesses) -> Globals {
        const NEVER: u32 = u32::MAX;
        let mut local = vec![Local { block: NEVER, killed: 0 }; slots.count()];
        let mut is_global = FixedBitSet::with_capacity(slots.count());
        let mut number = 0;
        for (b, block) in (0..).zip(&function.blocks) {
            for inst in &block.insts {
                for access in accesses.of(number) {
                    let local = &mut local[access.slot];
                    if local.block != b {
                        if local.block != NEVER {
                            is_global.insert(access.slot);
                        }
                        *local = Local { block: b, killed: 0 };
                    }
                    if !access.write {
                        if access.bytes & !local.killed != 0 {
                            is_global.insert(access.slot);
                        }
                    } else if accesses.kills(inst, access) {
                        local.killed |= access.bytes;
                    }
                }
                number += 1;
            }
        }
        let slots_of: Vec<Slot> = is_global.into_ones().collect();
        let mut numbers = vec![Globals::NONE; slots.count()];
        for (number, slot) in (0..).zip(&slots_of) {
            numbers[*slot] = number;
        }
        Globals { slots: slots_of, numbers, payload: function.payload_registers as usize }
    }

    fn number(&self, slot: Slot) -> Option<u32> {
        let number = self.numbers[slot];
        (number != Globals::NONE).then_some(number)
    }
}

/// State of a slot in the walk over the instructions.
#[derive(Clone, Copy)]
struct Local {
    /// The last block that accessed the slot.
    block: u32,
    /// Bytes that this block has overwritten.
    killed: u32,
}

/// Data flow between blocks: sets of global slots per block.
///
/// The sets are sparse, because most values of a long program are live in few blocks: memory and time grow with the
/// lengths of live ranges, not with the number of blocks times the number of values.
struct Flow {
    kills: Vec<SparseSet>,
    writes: Vec<SparseSet>,
    live_in: Vec<SparseSet>,
    live_out: Vec<SparseSet>,
}

impl Flow {
    /// Computes, for each block, the slots that it reads before it writes them (initial `live_in`), kills and writes.
    fn of_blocks(
        function: &Function,
        slots: &SlotMap,
        accesses: &Accesses,
        globals: &Globals,
    ) -> Flow {
        let count = function.blocks.len();
        let with_room = || Vec::with_capacity(count);
        let mut flow = Flow {
            kills: with_room(),
            writes: with_room(),
            live_in: with_room(),
            live_out: vec![SparseSet::default(); count],
        };
        let mut killed = vec![0u32; globals.slots.len()];
        let [mut touched, mut needed, mut written, mut replaced] = [const { Vec::new() }; 4];
        let mut next = 0;
        for block in &function.blocks {
            for (number, inst) in (next..).zip(&block.insts) {
                for access in accesses.of(number) {
                    let Some(global) = globals.number(access.slot) else { continue };
                    let killed = &mut killed[global as usize];
                    if !access.write {
                        if access.bytes & !*killed != 0 {
                            needed.push(global);
                        }
                        continue;
                    }
                    if inst.op != Op::Undef {
                        written.push(global);
                    }
                    if accesses.kills(inst, access) {
                        *killed |= access.bytes;
                        touched.push(global);
                    }
                }
            }
            next += block.insts.len();
            for global in touched.drain(..) {
                let killed = std::mem::take(&mut killed[global as usize]);
                let slot = globals.slots[global as usize];
                if killed != 0 && !killed & slots.whole(slot) == 0 {
                    replaced.push(global);
                }
            }
            flow.live_in.push(SparseSet::of(&mut needed));
            flow.writes.push(SparseSet::of(&mut written));
            flow.kills.push(SparseSet::of(&mut replaced));
            for list in [&mut needed, &mut written, &mut replaced] {
                list.clear();
            }
        }
        flow
    }

    /// Propagates liveness backwards until nothing changes. Without loops, one pass over the blocks suffices.
    fn solve(&mut self, cfg: &Cfg) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for index in (0..cfg.len()).rev() {
                let mut grew = false;
                for edge in cfg.succs(BlockId::from_index(index)) {
                    if edge.kind == EdgeKind::Logical {
                        let into = &self.live_in[edge.to.index()];
                        grew |= self.live_out[index].union(into);
                    }
                }
                if grew {
                    changed = !cfg.loops().is_empty();
                    let out = &self.live_out[index];
                    self.live_in[index].union_without(out, &self.kills[index]);
                }
            }
        }
    }

    /// For each global slot, the interval from the first to the last block boundary at which it is occupied.
    fn between(&self, cfg: &Cfg, globals: &Globals, starts: &[u32]) -> Vec<Interval> {
        let needed_in = self.needed(cfg, &self.live_in);
        let needed_out = self.needed(cfg, &self.live_out);
        let [at_start, at_end] = self.occupied(cfg, globals, [&needed_in, &needed_out]);
        let mut between = vec![Interval::EMPTY; globals.slots.len()];
        for index in 0..cfg.len() {
            let (first, end) = (starts[index], starts[index + 1]);
            // An empty block has no instruction position of its own; it uses that of the next instruction.
            let (start, end) = (2 * first, (2 * end).saturating_sub(1).max(2 * first));
            for (set, position) in [(&at_start[index], start), (&at_end[index], end)] {
                for number in set.members() {
                    between[number].add(position);
                }
            }
        }
        between
    }

    /// The slots that the thread must keep at a boundary of each block: `live`, plus what channels parked elsewhere
    /// need.
    fn needed(&self, cfg: &Cfg, live: &[SparseSet]) -> Vec<SparseSet> {
        let mut parked: Vec<SparseSet> = vec![SparseSet::default(); cfg.level_count()];
        for node in cfg.level_ids() {
            let mut waiting =
                cfg.parent(node).map_or_else(SparseSet::default, |p| parked[p.index()].clone());
            for block in cfg.parked(node) {
                waiting.union(&self.live_in[block.index()]);
            }
            parked[node.index()] = waiting;
        }
        let mut needed = live.to_vec();
        for (index, needed) in needed.iter_mut().enumerate() {
            let block = BlockId::from_index(index);
            if let Some(node) = cfg.level(block) {
                needed.union(&parked[node.index()]);
            }
            if let Some((target, first)) = cfg.halt()
                && (first <= block || cfg.loop_depth(block) > 0)
            {
                needed.union(&self.live_in[target.index()]);
            }
        }
        needed
    }

    /// The slots that are occupied at the start and at the end of each block: they are needed there, and a path from
    /// a write leads there on which they are needed everywhere. If a slot was not needed somewhere on the path, the
    /// written value is not the one that is needed now.
    fn occupied(
        &self,
        cfg: &Cfg,
        globals: &Globals,
        [needed_in, needed_out]: [&[SparseSet]; 2],
    ) -> [Vec<SparseSet>; 2] {
        let mut at_start = vec![SparseSet::default(); cfg.len()];
        let mut at_end = at_start.clone();
        for ((at_end, writes), needed) in at_end.iter_mut().zip(&self.writes).zip(needed_out) {
            at_end.union_within(writes, needed);
        }
        if let (Some(first), Some(needed)) = (at_start.first_mut(), needed_in.first()) {
            let numbers = (0..).zip(&globals.slots);
            let payload = numbers.filter(|(_, slot)| **slot < globals.payload);
            let mut payload: Vec<u32> = payload.map(|(number, _)| number).collect();
            first.union_within(&SparseSet::of(&mut payload), needed);
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for index in 0..cfg.len() {
                let mut grew = false;
                for edge in cfg.preds(BlockId::from_index(index)) {
                    let from = &at_end[edge.to.index()];
                    grew |= at_start[index].union_within(from, &needed_in[index]);
                }
                grew |= at_end[index].union_within(&at_start[index], &needed_out[index]);
                changed |= grew && !cfg.loops().is_empty();
            }
        }
        [at_start, at_end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Flag, Operand};
    use crestline_isa::{Opcode, Type};

    const FLAG: Flag = Flag::Fixed(0);

    fn liveness(function: &Function) -> Liveness {
        Liveness::new(function, &Cfg::new(function).unwrap())
    }

    /// First and last position (instruction `i` reads at `2 i` and writes at `2 i + 1`) at which a register is
    /// occupied.
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
    fn a_value_that_leaves_a_loop_is_occupied_in_all_of_it() {
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
