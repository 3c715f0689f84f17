//! What must stay before what inside a block.
//!
//! Resources: slots of registers and flags (see `liveness`), the accumulator, the address
//! register, other architecture registers as one, and each memory. A read waits for the last
//! write, a write for the last write and all reads since. Operations that end a block or thread
//! stay last, those that start one first.

use crate::target::Target;
use crestline_device::Gen;
use crestline_isa::{ArfKind, Opcode};

use super::latency;
use crate::analysis::accesses::{Accesses, SlotMap};
use crate::ir::{Effect, File, Inst, Op, Operand, Space};
use crate::lists::Lists;

/// An edge to a later instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Index of the later instruction.
    pub(super) to: u32,
    /// Cycles from issue to issue.
    pub(super) latency: u32,
}

/// Dependencies of a block's instructions.
pub(super) struct Dag {
    /// Edges out of each instruction.
    pub(super) succs: Lists<Edge>,
    /// Number of edges into each instruction.
    pub(super) preds: Vec<u32>,
    /// Longest way to the block's end, in cycles.
    pub(super) height: Vec<u32>,
}

/// Resources that are no slots.
const ACCUMULATOR: usize = 0;
const ADDRESS: usize = 1;
const CONTROL: usize = 2;
const FIRST_SPACE: usize = 3;
const EXTRA: usize = FIRST_SPACE + 5;
const ALL_SPACES: u8 = 0b11111 << FIRST_SPACE;

#[derive(Clone, Copy)]
struct Writer {
    at: u32,
    /// Cycles until its result can be read.
    latency: u32,
}

/// Who touched a resource in a block.
#[derive(Clone, Copy)]
struct Touched {
    /// The block, by a number of its own; what another one left counts for nothing.
    block: u32,
    /// The last instruction that wrote it.
    writer: Option<Writer>,
}

/// State that is reused from block to block.
pub(super) struct DagBuilder<'a> {
    slots: &'a SlotMap,
    generation: Gen,
    touched: Vec<Touched>,
    /// Those that read each resource since it was written.
    readers: Lists<u32>,
    /// Number of the block.
    block: u32,
}

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

    /// The dependencies of a block, whose first instruction is number `first` of the function.
    pub(super) fn build(&mut self, insts: &[Inst], accesses: &Accesses, first: usize) -> Dag {
        let mut dag = Dag {
            succs: Lists::with_room(insts.len(), 8 * insts.len()),
            preds: vec![0; insts.len()],
            height: vec![0; insts.len()],
        };
        self.block += 1;
        // What lists the last block left is forgotten where their resources are touched first.
        self.readers.clear([].into_iter());
        for (index, inst) in insts.iter().enumerate() {
            let at = index as u32;
            let own = Writer { at, latency: latency::result_latency(inst, self.generation) };
            // Reads come first.
            for access in accesses.of(first + index) {
                match access.write {
                    false => self.read(&mut dag, at, access.slot),
                    true => self.write(&mut dag, own, access.slot),
                }
            }
            let Extra { mut reads, mut writes } = Extra::of(inst);
            let base = self.slots.count();
            while reads != 0 {
                self.read(&mut dag, at, base + reads.trailing_zeros() as usize);
                reads &= reads - 1;
            }
            while writes != 0 {
                self.write(&mut dag, own, base + writes.trailing_zeros() as usize);
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
            dag.height[index] = ways.max().unwrap_or(0).max(latency::issue_time(&insts[index]));
        }
        dag
    }

    /// The place of a resource's last writer in this block.
    fn writer(&mut self, resource: usize) -> &mut Option<Writer> {
        let touched = &mut self.touched[resource];
        if touched.block != self.block {
            *touched = Touched { block: self.block, writer: None };
            self.readers.forget(resource);
        }
        &mut touched.writer
    }

    fn read(&mut self, dag: &mut Dag, at: u32, resource: usize) {
        if let Some(writer) = *self.writer(resource) {
            dag.add(writer.at, at, writer.latency);
        }
        self.readers.push(resource, at);
    }

    fn write(&mut self, dag: &mut Dag, own: Writer, resource: usize) {
        // Two writes of one place finish in order only if the second waits.
        if let Some(writer) = self.writer(resource).replace(own) {
            let memory = resource >= self.slots.count();
            dag.add(writer.at, own.at, if memory { 0 } else { writer.latency });
        }
        for reader in self.readers.of(resource) {
            dag.add(*reader, own.at, 0);
        }
        self.readers.forget(resource);
    }
}

/// The resources an instruction touches that are no slots, one bit each.
#[derive(Clone, Copy, Default)]
struct Extra {
    reads: u8,
    writes: u8,
}

impl Extra {
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
        // Indirect moves set the address register up themselves.
        if matches!(inst.op, Op::MovIndirect | Op::MovIndirectDst | Op::Shuffle | Op::Broadcast) {
            extra.writes |= 1 << ADDRESS;
        }
        let barrier =
            matches!(inst.op, Op::Await | Op::Hw(Opcode::Wait | Opcode::Sync | Opcode::Nop));
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

    fn operand(operand: &Operand) -> u8 {
        match operand.file {
            File::Indirect { .. } | File::Arf(ArfKind::Address) => 1 << ADDRESS,
            File::Arf(ArfKind::Accumulator) => 1 << ACCUMULATOR,
            File::Arf(ArfKind::Flag | ArfKind::Null) => 0,
            // Channel enables and state change with control flow only, but whatever writes
            // control registers stays in order with all that looks at them.
            File::Arf(_) => 1 << CONTROL,
            _ => 0,
        }
    }
}

/// Whether the instruction stays behind all others of its block.
fn is_last(inst: &Inst) -> bool {
    inst.op.ends_block() || inst.message.as_ref().is_some_and(|m| m.eot)
}

impl Dag {
    /// Adds an edge, or makes the one that was added last longer if it leads to the same place.
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
