//! The dependency graph of a block's instructions.
//!
//! Dependencies arise from *resources*: slots of registers and flags (see `liveness`), the accumulator, the address
//! register, all other architecture registers together, and each memory. A read depends on the last write of its
//! resource; a write depends on the last write and on all reads since. An operation that ends a block or the thread
//! depends on all instructions before it; all instructions depend on one that starts the block.

use crate::target::Target;
use crestline_device::Gen;
use crestline_isa::{ArfKind, Opcode};

use super::latency::{COLUMNS, Latencies, Times};
use crate::analysis::accesses::{Access, Accesses, SlotMap};
use crate::ir::{Effect, File, Inst, Op, Operand, Space};
use crate::lists::Lists;

/// An edge to a later instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Index of the later instruction.
    pub(super) to: u32,
    /// Cycles from the issue of the earlier instruction to the issue of the later one, for each of [`Latencies`].
    pub(super) latency: [u32; COLUMNS],
}

/// How an instruction accesses a register, for the purpose of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    /// A message reads it after the issue.
    Payload,
    Write,
}

impl Use {
    /// How an instruction, whose operands are used as `read`, uses a slot.
    fn of(access: &Access, is_flag: bool, read: Use) -> Use {
        match access.write {
            false if is_flag => Use::Read,
            false => read,
            true => Use::Write,
        }
    }
}

/// The dependency graph of a block.
pub(super) struct Dag {
    /// Edges out of each instruction.
    pub(super) succs: Lists<Edge>,
    /// Number of edges into each instruction.
    pub(super) preds: Vec<u32>,
    /// The times of each instruction, for each of [`Latencies`].
    pub(super) times: Vec<[Times; COLUMNS]>,
    /// For each instruction, the length of the longest path to the end of the block in cycles, for each of [`Latencies`].
    pub(super) height: Vec<[u32; COLUMNS]>,
    /// The registers (slots, accumulator, address register) that instructions access, in the order of the instructions.
    touched: Vec<(u32, Use)>,
    /// For each instruction, the end of its entries in `touched`.
    touched_end: Vec<u32>,
}

/// Resources that are not slots.
const ACCUMULATOR: usize = 0;
const ADDRESS: usize = 1;
const CONTROL: usize = 2;
const FIRST_SPACE: usize = 3;
const EXTRA: usize = FIRST_SPACE + 5;
const ALL_SPACES: u8 = 0b11111 << FIRST_SPACE;

#[derive(Clone, Copy)]
struct Writer {
    at: u32,
    /// Cycles until the result can be read, for each of [`Latencies`].
    latency: [u32; COLUMNS],
}

/// The last access to a resource.
#[derive(Clone, Copy)]
struct Touched {
    /// Number of the block that accessed it. Entries of earlier blocks are ignored.
    block: u32,
    /// The last instruction that wrote the resource.
    writer: Option<Writer>,
}

/// Builds dependency graphs. Its tables are reused from block to block.
pub(super) struct DagBuilder<'a> {
    slots: &'a SlotMap,
    generation: Gen,
    touched: Vec<Touched>,
    /// For each resource, the instructions that read it since the last write.
    readers: Lists<u32>,
    /// Number of the current block.
    block: u32,
}

/// Number of a memory's resource.
fn space_index(space: Space) -> usize {
    FIRST_SPACE
        + match space {
            Space::None => 0,
            Space::Global => 1,
            Space::Shared => 2,
            Space::Scratch => 3,
            Space::Urb => 4,
        }
}

impl<'a> DagBuilder<'a> {
    pub(super) fn new(slots: &'a SlotMap, target: &Target) -> DagBuilder<'a> {
        let generation = target.generation();
        let count = slots.count() + EXTRA;
        let touched = vec![Touched { block: 0, writer: None }; count];
        DagBuilder { slots, generation, touched, readers: Lists::with_room(count, 256), block: 0 }
    }

    /// Builds the dependency graph of a block whose first instruction is number `first` of the function.
    pub(super) fn build(&mut self, insts: &[Inst], accesses: &Accesses, first: usize) -> Dag {
        let mut dag = Dag {
            succs: Lists::with_room(insts.len(), 8 * insts.len()),
            preds: vec![0; insts.len()],
            times: Vec::with_capacity(insts.len()),
            height: vec![[0; COLUMNS]; insts.len()],
            touched: Vec::with_capacity(6 * insts.len()),
            touched_end: Vec::with_capacity(insts.len()),
        };
        self.block += 1;
        // Lists of the last block remain. `writer` empties each when its resource is first accessed in this block.
        self.readers.clear([].into_iter());
        for (index, inst) in insts.iter().enumerate() {
            let at = index as u32;
            let times = Times::of(inst, self.generation);
            dag.times.push(times);
            let own =
                |latency: fn(&Times) -> u32| Writer { at, latency: times.each_ref().map(latency) };
            let read = if inst.message.is_some() { Use::Payload } else { Use::Read };
            // The reads of an instruction come before its writes.
            for access in accesses.of(first + index) {
                let is_flag = self.slots.is_flag(access.slot);
                dag.touch(index, access.slot, Use::of(access, is_flag, read));
                match access.write {
                    false => self.read(&mut dag, at, access.slot),
                    true if is_flag => self.write(&mut dag, own(|times| times.flag), access.slot),
                    true => self.write(&mut dag, own(|times| times.result), access.slot),
                }
            }
            let Extra { mut reads, mut writes } = Extra::of(inst);
            let base = self.slots.count();
            while reads != 0 {
                let resource = reads.trailing_zeros() as usize;
                if resource <= ADDRESS {
                    dag.touch(index, base + resource, Use::Read);
                }
                self.read(&mut dag, at, base + resource);
                reads &= reads - 1;
            }
            while writes != 0 {
                let resource = writes.trailing_zeros() as usize;
                if resource <= ADDRESS {
                    dag.touch(index, base + resource, Use::Write);
                }
                let latency: fn(&Times) -> u32 = match resource {
                    ACCUMULATOR => |times| times.accumulator,
                    CONTROL => |times| times.control,
                    FIRST_SPACE.. => |times| times.memory,
                    _ => |times| times.result,
                };
                self.write(&mut dag, own(latency), base + resource);
                writes &= writes - 1;
            }
            dag.touched_end.push(dag.touched.len() as u32);
            if is_last(inst) {
                for before in 0..at {
                    dag.add(before, at, [0; COLUMNS]);
                }
            }
        }
        if insts.first().is_some_and(|inst| inst.op.starts_block()) {
            for after in 1..insts.len() as u32 {
                dag.add(0, after, [0; COLUMNS]);
            }
        }
        for index in (0..insts.len()).rev() {
            let mut height = dag.times[index].map(|times| times.issue);
            for edge in dag.succs.of(index) {
                let behind = dag.height[edge.to as usize];
                for column in 0..COLUMNS {
                    height[column] = height[column].max(behind[column] + edge.latency[column]);
                }
            }
            dag.height[index] = height;
        }
        dag
    }

    /// The entry for the last instruction in this block that wrote a resource.
    fn writer(&mut self, resource: usize) -> &mut Option<Writer> {
        let touched = &mut self.touched[resource];
        if touched.block != self.block {
            *touched = Touched { block: self.block, writer: None };
            self.readers.forget(resource);
        }
        &mut touched.writer
    }

    /// Adds the edges of a read of a resource by instruction `at`.
    fn read(&mut self, dag: &mut Dag, at: u32, resource: usize) {
        if let Some(writer) = *self.writer(resource) {
            dag.add(writer.at, at, writer.latency);
        }
        self.readers.push(resource, at);
    }

    /// Adds the edges of a write of a resource.
    fn write(&mut self, dag: &mut Dag, own: Writer, resource: usize) {
        // Two writes of one register finish in order only if the second waits for the first. Writes of other
        // resources (memories, accumulator, address register) only need to be issued in order.
        if let Some(writer) = self.writer(resource).replace(own) {
            // The model waits for the accumulator and the address register as for other registers.
            let latency = match resource.checked_sub(self.slots.count()) {
                None => writer.latency,
                Some(ACCUMULATOR | ADDRESS) => [0, writer.latency[Latencies::Model as usize]],
                Some(_) => [0; COLUMNS],
            };
            dag.add(writer.at, own.at, latency);
        }
        for reader in self.readers.of(resource) {
            // Registers of a payload cannot be written before they have been read.
            let register = resource < self.slots.count();
            let payload = dag.times[*reader as usize].map(|times| times.payload);
            dag.add(*reader, own.at, if register { payload } else { [0; COLUMNS] });
        }
        self.readers.forget(resource);
    }
}

/// The resources that an instruction accesses and that are not slots, one bit each.
#[derive(Clone, Copy, Default)]
struct Extra {
    reads: u8,
    writes: u8,
}

impl Extra {
    /// The resources other than slots that an instruction accesses.
    fn of(inst: &Inst) -> Extra {
        let mut extra = Extra::default();
        if inst.op.reads_accumulator() {
            extra.reads |= 1 << ACCUMULATOR;
        }
        if inst.writes_accumulator() {
            extra.writes |= 1 << ACCUMULATOR;
        }
        for src in &inst.srcs {
            extra.reads |= Extra::operand(src);
        }
        match inst.dst.file {
            File::Indirect { .. } => extra.reads |= 1 << ADDRESS,
            _ => extra.writes |= Extra::operand(&inst.dst),
        }
        // Lowering makes instructions of these operations that write the address register.
        if matches!(inst.op, Op::MovIndirect | Op::MovIndirectDst | Op::Shuffle | Op::Broadcast) {
            extra.writes |= 1 << ADDRESS;
        }
        let barrier = matches!(inst.op, Op::Await | Op::Hw(Opcode::Wait | Opcode::Sync | Opcode::Nop))
                // A program that measures a time measures that of its memory accesses.
                || inst.srcs.iter().any(|src| src.is_arf(ArfKind::Timestamp));
        match inst.message.as_ref().map(|m| (m.effect, m.space)) {
            Some((Effect::Pure, _)) => {}
            Some((Effect::Read, space)) => extra.reads |= 1 << space_index(space),
            Some((Effect::Write, space)) => extra.writes |= 1 << space_index(space),
            Some((Effect::Barrier, _)) => extra.writes |= ALL_SPACES,
            None if barrier => extra.writes |= ALL_SPACES,
            None => {}
        }
        extra
    }

    /// The resources other than slots that an operand accesses, one bit each.
    fn operand(operand: &Operand) -> u8 {
        match operand.file {
            File::Indirect { .. } | File::Arf(ArfKind::Address) => 1 << ADDRESS,
            File::Arf(ArfKind::Accumulator) => 1 << ACCUMULATOR,
            File::Arf(ArfKind::Flag | ArfKind::Null) => 0,
            // Channel enables and state change only with control flow. Writes of control registers stay in order with
            // all accesses to such registers.
            File::Arf(_) => 1 << CONTROL,
            _ => 0,
        }
    }
}

/// Whether the instruction must stay the last of its block.
fn is_last(inst: &Inst) -> bool {
    inst.op.ends_block() || inst.message.as_ref().is_some_and(|m| m.eot)
}

impl Dag {
    /// Adds an edge. If the edge that was added last from the same instruction leads to the same one, its latency is
    /// raised instead.
    fn add(&mut self, from: u32, to: u32, latency: [u32; COLUMNS]) {
        match self.succs.newest_mut(from as usize) {
            _ if from == to => {}
            Some(edge) if edge.to == to => {
                for (old, new) in edge.latency.iter_mut().zip(latency) {
                    *old = (*old).max(new);
                }
            }
            _ => {
                self.succs.push(from as usize, Edge { to, latency });
                self.preds[to as usize] += 1;
            }
        }
    }

    /// Records that instruction `index`, the newest one, accesses a register. Operations without work wait for none.
    fn touch(&mut self, index: usize, resource: usize, access: Use) {
        let entry = (resource as u32, access);
        if self.times[index][Latencies::Model as usize].waits && self.touched.last() != Some(&entry)
        {
            self.touched.push(entry);
        }
    }

    /// The registers that an instruction accesses, with numbers below [`resources`].
    pub(super) fn touched(&self, index: usize) -> &[(u32, Use)] {
        let first = index.checked_sub(1).map_or(0, |before| self.touched_end[before]);
        &self.touched[first as usize..self.touched_end[index] as usize]
    }

    /// The latency after which an access of instruction `index` leaves a resource, from the end of the issue.
    pub(super) fn after(&self, index: usize, resource: u32, access: Use, slots: &SlotMap) -> u32 {
        let times = &self.times[index][Latencies::Model as usize];
        let from_start = match access {
            Use::Read => 0,
            Use::Payload => times.payload,
            Use::Write if resource as usize == slots.count() + ACCUMULATOR => times.accumulator,
            Use::Write
                if (resource as usize) < slots.count() && slots.is_flag(resource as usize) =>
            {
                times.flag
            }
            Use::Write => times.result,
        };
        from_start.saturating_sub(times.issue)
    }
}

/// One more than the greatest number of a register in [`Dag::touched`].
pub(super) fn resources(slots: &SlotMap) -> usize {
    slots.count() + EXTRA
}
