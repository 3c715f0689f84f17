//! Which bytes must survive where.
//!
//! Inside a block, kills are decided byte by byte; between blocks slots are whole.
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

use super::accesses::{Accesses, Slot, SlotMap, is_early_clobber};
use super::bits::{self, BitMatrix};
use crate::ir::{BlockId, Cfg, EdgeKind, Function, Op, Vreg};

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

    /// Whether a position is among them.
    pub const fn contains(self, position: u32) -> bool {
        self.start <= position && position <= self.end
    }

    fn add(&mut self, position: u32) {
        self.start = self.start.min(position);
        self.end = self.end.max(position);
    }
}

/// Live intervals of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Liveness {
    /// The numbering of slots.
    pub slots: SlotMap,
    /// What each instruction touches.
    pub accesses: Accesses,
    /// Interval of each slot; empty for slots that are never touched.
    pub intervals: Vec<Interval>,
    /// Number of the first instruction of each block, and of the end.
    pub block_starts: Vec<u32>,
    globals: Globals,
    live_out: BitMatrix,
    /// The part of each global slot's interval that the boundaries of blocks make, by its number.
    between: Vec<Interval>,
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

    /// Follows a function whose blocks got new orders in which whatever touches a slot and replaces or reads it comes
    /// in the same order as before: then blocks need and leave the same. `orders` has blocks and where each of their
    /// instructions comes from; in the function they have their new places already.
    pub fn reorder(&mut self, function: &Function, orders: &[(usize, Vec<usize>)]) {
        for (block, order) in orders {
            self.accesses.reorder(self.block_starts[*block] as usize, order);
        }
        self.set_intervals(function);
    }

    /// Finds the intervals, given what blocks need and leave.
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

    /// The interval of a whole virtual register.
    pub fn vreg(&self, vreg: Vreg) -> Interval {
        self.slots.of(vreg).fold(Interval::EMPTY, |all, slot| {
            let one = self.intervals[slot];
            Interval { start: all.start.min(one.start), end: all.end.max(one.end) }
        })
    }

    /// Slots that channels at the end of a block need later (logical liveness), ascending.
    /// Slots that are only ever touched inside one block are not listed.
    pub fn live_out(&self, block: BlockId) -> impl Iterator<Item = Slot> {
        bits::members(self.live_out.row(block.index())).map(|number| self.globals.slots[number])
    }
}

/// The slots that blocks have in common, numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Globals {
    slots: Vec<Slot>,
    /// Number of each slot among them, or [`Globals::NONE`].
    numbers: Vec<u32>,
    /// General registers that hold the payload, which are written before the first block.
    payload: usize,
}

impl Globals {
    const NONE: u32 = u32::MAX;

    /// The slots that more than one block touches or one reads before it writes them.
    fn new(function: &Function, slots: &SlotMap, accesses: &Accesses) -> Globals {
        const NEVER: u32 = u32::MAX;
        let mut local = vec![Local { block: NEVER, killed: 0 }; slots.count()];
        let mut is_global = bits::empty(slots.count());
        let mut number = 0;
        for (b, block) in (0..).zip(&function.blocks) {
            for inst in &block.insts {
                for access in accesses.of(number) {
                    let local = &mut local[access.slot];
                    if local.block != b {
                        if local.block != NEVER {
                            bits::insert(&mut is_global, access.slot);
                        }
                        *local = Local { block: b, killed: 0 };
                    }
                    if !access.write {
                        if access.bytes & !local.killed != 0 {
                            bits::insert(&mut is_global, access.slot);
                        }
                    } else if accesses.kills(inst, access) {
                        local.killed |= access.bytes;
                    }
                }
                number += 1;
            }
        }
        let slots_of: Vec<Slot> = bits::members(&is_global).collect();
        let mut numbers = vec![Globals::NONE; slots.count()];
        for (number, slot) in (0..).zip(&slots_of) {
            numbers[*slot] = number;
        }
        Globals { slots: slots_of, numbers, payload: function.payload_registers as usize }
    }

    fn number(&self, slot: Slot) -> Option<usize> {
        let number = self.numbers[slot];
        (number != Globals::NONE).then_some(number as usize)
    }
}

/// What the walk through a block knows of a slot.
#[derive(Clone, Copy)]
struct Local {
    /// The last block that touched the slot.
    block: u32,
    /// Bytes that it replaced.
    killed: u32,
}

/// Data flow between blocks: a row for each of them, over the global slots.
struct Flow {
    kills: BitMatrix,
    live_in: BitMatrix,
    live_out: BitMatrix,
    reach_in: BitMatrix,
    reach_out: BitMatrix,
}

impl Flow {
    /// What blocks read before they write it, replace and write.
    fn of_blocks(
        function: &Function,
        slots: &SlotMap,
        accesses: &Accesses,
        globals: &Globals,
    ) -> Flow {
        let empty = BitMatrix::new(function.blocks.len(), globals.slots.len());
        let mut flow = Flow {
            kills: empty.clone(),
            live_in: empty.clone(),
            live_out: empty.clone(),
            reach_in: empty.clone(),
            reach_out: empty,
        };
        let mut killed = vec![0u32; globals.slots.len()];
        let mut touched = Vec::new();
        let mut next = 0;
        for (b, block) in function.blocks.iter().enumerate() {
            for (number, inst) in (next..).zip(&block.insts) {
                for access in accesses.of(number) {
                    let Some(global) = globals.number(access.slot) else { continue };
                    if !access.write {
                        if access.bytes & !killed[global] != 0 {
                            bits::insert(flow.live_in.row_mut(b), global);
                        }
                        continue;
                    }
                    if inst.op != Op::Undef {
                        bits::insert(flow.reach_out.row_mut(b), global);
                    }
                    if accesses.kills(inst, access) {
                        killed[global] |= access.bytes;
                        touched.push(global);
                    }
                }
            }
            next += block.insts.len();
            for global in touched.drain(..) {
                let killed = std::mem::take(&mut killed[global]);
                if killed != 0 && !killed & slots.whole(globals.slots[global]) == 0 {
                    bits::insert(flow.kills.row_mut(b), global);
                }
            }
        }
        for (number, slot) in globals.slots.iter().enumerate() {
            if *slot < globals.payload {
                bits::insert(flow.reach_in.row_mut(0), number);
            }
        }
        flow
    }

    /// Lets needs flow up and values down. Only loops lead back, so without any each block is
    /// looked at once.
    fn solve(&mut self, cfg: &Cfg) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for index in (0..cfg.len()).rev() {
                let mut grew = false;
                for edge in cfg.succs(BlockId(index as u32)) {
                    if edge.kind == EdgeKind::Logical {
                        let into = self.live_in.row(edge.to.index());
                        grew |= bits::union(self.live_out.row_mut(index), into);
                    }
                }
                if grew {
                    changed = !cfg.loops().is_empty();
                    let out = self.live_out.row(index).iter().zip(self.kills.row(index));
                    for (into, (out, kill)) in self.live_in.row_mut(index).iter_mut().zip(out) {
                        *into |= out & !kill;
                    }
                }
            }
        }
        changed = true;
        while std::mem::take(&mut changed) {
            for index in 0..cfg.len() {
                let mut grew = false;
                for edge in cfg.preds(BlockId(index as u32)) {
                    // A loop of one block reaches itself.
                    let out = self.reach_out.row(edge.to.index());
                    grew |= bits::union(self.reach_in.row_mut(index), out);
                }
                grew |= bits::union(self.reach_out.row_mut(index), self.reach_in.row(index));
                changed |= grew && !cfg.loops().is_empty();
            }
        }
    }

    /// From the first to the last boundary of blocks where each slot is occupied.
    fn between(&self, cfg: &Cfg, globals: &Globals, starts: &[u32]) -> Vec<Interval> {
        let mut between = vec![Interval::EMPTY; globals.slots.len()];
        let mut parked = BitMatrix::new(cfg.level_count(), globals.slots.len());
        for node in cfg.level_ids() {
            if let Some(parent) = cfg.parent(node) {
                parked.union_row(node.index(), parent.index());
            }
            for block in cfg.parked(node) {
                bits::union(parked.row_mut(node.index()), self.live_in.row(block.index()));
            }
        }
        let halted = cfg.halt().map(|(target, first)| (first, self.live_in.row(target.index())));
        let mut occupied = bits::empty(globals.slots.len());
        for index in 0..cfg.len() {
            let block = BlockId(index as u32);
            let wait = cfg.level(block).map(|node| parked.row(node.index()));
            let halted = halted
                .filter(|(first, _)| *first <= block || cfg.loop_depth(block) > 0)
                .map(|(_, set)| set);
            let (first, end) = (starts[index], starts[index + 1]);
            // An empty block has no instruction to stand at; its neighbours have.
            let (at_start, at_end) = (2 * first, (2 * end).saturating_sub(1).max(2 * first));
            let mut extend = |live: &[u64], reach: &[u64], position: u32| {
                occupied.copy_from_slice(live);
                for set in [wait, halted].into_iter().flatten() {
                    bits::union(&mut occupied, set);
                }
                bits::intersect(&mut occupied, reach);
                for number in bits::members(&occupied) {
                    between[number].add(position);
                }
            };
            extend(self.live_in.row(index), self.reach_in.row(index), at_start);
            extend(self.live_out.row(index), self.reach_out.row(index), at_end);
        }
        between
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
