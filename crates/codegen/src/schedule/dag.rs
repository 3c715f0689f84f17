//! The dependency graph of a block's instructions.
//!
//! Dependencies arise from *resources*: slots of registers and flags (see `liveness`), the accumulator, the address
//! register, all other architecture registers together, and each memory. A read depends on the last write of its
//! resource; a write depends on the last write and on all reads since. An operation that ends a block or the thread
//! depends on all instructions before it; all instructions depend on one that starts the block.

use crate::target::Target;
use crestline_device::Gen;
use crestline_isa::{ArfKind, Opcode};

use super::latency::{Latencies, Times};
use crate::analysis::accesses::{Accesses, SlotMap};
use crate::ir::{Effect, File, Inst, Op, Operand, Space};
use crate::lists::Lists;

/// An edge to a later instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Index of the later instruction.
    pub(super) to: u32,
    /// Cycles from the issue of the earlier instruction to the issue of the later one.
    pub(super) latency: u32,
}

/// The dependency graph of a block.
pub(super) struct Dag {
    /// Edges out of each instruction.
    pub(super) succs: Lists<Edge>,
    /// Number of edges into each instruction.
    pub(super) preds: Vec<u32>,
    /// The times of each instruction.
    pub(super) times: Vec<Times>,
    /// For each instruction, the length of the longest path to the end of the block, in cycles.
    pub(super) height: Vec<u32>,
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
    /// Cycles until the result can be read.
    latency: u32,
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
    latencies: Latencies,
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
    pub(super) fn new(slots: &'a SlotMap, target: &Target, latencies: Latencies) -> DagBuilder<'a> {
        let generation = target.generation();
        let count = slots.count() + EXTRA;
        let touched = vec![Touched { block: 0, writer: None }; count];
        DagBuilder {
            slots,
            generation,
            latencies,
            touched,
            readers: Lists::with_room(count, 256),
            block: 0,
        }
    }

    /// Builds the dependency graph of a block whose first instruction is number `first` of the function.
    pub(super) fn build(&mut self, insts: &[Inst], accesses: &Accesses, first: usize) -> Dag {
        let mut dag = Dag {
            succs: Lists::with_room(insts.len(), 8 * insts.len()),
            preds: vec![0; insts.len()],
            times: Vec::with_capacity(insts.len()),
            height: vec![0; insts.len()],
        };
        self.block += 1;
        // Lists of the last block remain. `writer` empties each when its resource is first accessed in this block.
        self.readers.clear([].into_iter());
        for (index, inst) in insts.iter().enumerate() {
            let at = index as u32;
            let times = Times::of(inst, self.generation, self.latencies);
            dag.times.push(times);
            let own = |latency: u32| Writer { at, latency };
            // The reads of an instruction come before its writes.
            for access in accesses.of(first + index) {
                match access.write {
                    false => self.read(&mut dag, at, access.slot),
                    true => {
                        let is_flag = self.slots.is_flag(access.slot);
                        let latency = if is_flag { times.flag } else { times.result };
                        self.write(&mut dag, own(latency), access.slot);
                    }
                }
            }
            let Extra { mut reads, mut writes } = Extra::of(inst);
            let base = self.slots.count();
            while reads != 0 {
                self.read(&mut dag, at, base + reads.trailing_zeros() as usize);
                reads &= reads - 1;
            }
            while writes != 0 {
                let resource = writes.trailing_zeros() as usize;
                let latency = match resource {
                    ACCUMULATOR => times.accumulator,
                    FIRST_SPACE.. => times.memory,
                    _ => times.result,
                };
                self.write(&mut dag, own(latency), base + resource);
                writes &= writes - 1;
            }
            if is_last(inst) {
                for before in 0..at {
                    dag.add(before, at, 0);
                }
            }
        }
        if insts.first().is_some_and(|inst| inst.op.starts_block()) {
            for after in 1..insts.len() as u32 {
                dag.add(0, after, 0);
            }
        }
        for index in (0..insts.len()).rev() {
            let ways = dag.succs.of(index).map(|edge| dag.height[edge.to as usize] + edge.latency);
            dag.height[index] = ways.max().unwrap_or(0).max(dag.times[index].issue);
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
            let memory = resource >= self.slots.count();
            dag.add(writer.at, own.at, if memory { 0 } else { writer.latency });
        }
        for reader in self.readers.of(resource) {
            // Registers of a payload cannot be written before they have been read.
            let register = resource < self.slots.count();
            let latency = if register { dag.times[*reader as usize].payload } else { 0 };
            dag.add(*reader, own.at, latency);
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
    fn add(&mut self, from: u32, to: u32, latency: u32) {
        match self.succs.newest_mut(from as usize) {
            _ if from == to => {}
            Some(edge) if edge.to == to => edge.latency = edge.latency.max(latency),
            _ => {
                self.succs.push(from as usize, Edge { to, latency });
                self.preds[to as usize] += 1;
            }
        }
    }
}
