//! What must stay before what inside a block.
//!
//! Resources: slots of registers and flags (see `liveness`), the accumulator, the address
//! register, other architecture registers as one, and each memory. A read waits for the last
//! write, a write for the last write and all reads since. Operations that end a block or thread
//! stay last, those that start one first.

use crestline_isa::{ArfKind, Opcode};

use super::latency;
use crate::ir::{Effect, Inst, Op, Space};
use crate::lists::Lists;
use crate::regalloc::accesses::{Accesses, SlotMap};

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

#[derive(Clone, Copy)]
struct Writer {
    at: u32,
    /// Cycles until its result can be read.
    latency: u32,
}

/// State that is reused from block to block.
pub(super) struct DagBuilder<'a> {
    slots: &'a SlotMap,
    /// The last instruction that wrote each resource.
    writers: Vec<Option<Writer>>,
    /// Those that read it since.
    readers: Lists<u32>,
    /// Resources that have a writer or readers.
    touched: Vec<usize>,
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
    pub(super) fn new(slots: &'a SlotMap) -> DagBuilder<'a> {
        let count = slots.count() + EXTRA;
        let (writers, readers) = (vec![None; count], Lists::new(count));
        DagBuilder { slots, writers, readers, touched: Vec::new() }
    }

    /// The dependencies of a block, whose first instruction is number `first` of the function.
    pub(super) fn build(&mut self, insts: &[Inst], accesses: &Accesses, first: usize) -> Dag {
        let mut dag = Dag {
            succs: Lists::new(insts.len()),
            preds: vec![0; insts.len()],
            height: vec![0; insts.len()],
        };
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (index, inst) in insts.iter().enumerate() {
            let at = index as u32;
            let own = Writer { at, latency: latency::result_latency(inst) };
            // Reads come first.
            for access in accesses.of(first + index) {
                match access.write {
                    false => self.read(&mut dag, at, access.slot),
                    true => self.write(&mut dag, own, access.slot),
                }
            }
            self.extra(inst, &mut reads, &mut writes);
            reads.drain(..).for_each(|resource| self.read(&mut dag, at, resource));
            writes.drain(..).for_each(|resource| self.write(&mut dag, own, resource));
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
        for resource in &self.touched {
            self.writers[*resource] = None;
        }
        self.readers.clear(self.touched.drain(..));
        for index in (0..insts.len()).rev() {
            let ways = dag.succs.of(index).map(|edge| dag.height[edge.to as usize] + edge.latency);
            dag.height[index] = ways.max().unwrap_or(0).max(latency::issue_time(&insts[index]));
        }
        dag
    }

    fn extra(&self, inst: &Inst, reads: &mut Vec<usize>, writes: &mut Vec<usize>) {
        let base = self.slots.count();
        if inst.reads_accumulator() {
            reads.push(base + ACCUMULATOR);
        }
        if inst.writes_accumulator() {
            writes.push(base + ACCUMULATOR);
        }
        let indirect = matches!(inst.op, Op::MovIndirect | Op::MovIndirectDst);
        for (operand, write) in inst.srcs.iter().map(|s| (s, false)).chain([(&inst.dst, true)]) {
            let resource = match operand.file {
                crate::ir::File::Indirect { .. } => {
                    reads.push(base + ADDRESS);
                    continue;
                }
                crate::ir::File::Arf(ArfKind::Address) => ADDRESS,
                crate::ir::File::Arf(ArfKind::Accumulator | ArfKind::Flag | ArfKind::Null) => {
                    continue;
                }
                // Channel enables and state change with control flow only, but whatever writes
                // control registers stays in order with all that looks at them.
                crate::ir::File::Arf(_) => CONTROL,
                _ => continue,
            };
            if write { &mut *writes } else { &mut *reads }.push(base + resource);
        }
        // Indirect moves set the address register up themselves.
        if indirect || matches!(inst.op, Op::Shuffle | Op::Broadcast) {
            writes.push(base + ADDRESS);
        }
        let barrier =
            matches!(inst.op, Op::Await | Op::Hw(Opcode::Wait | Opcode::Sync | Opcode::Nop));
        let spaces = [Space::None, Space::Global, Space::Shared, Space::Scratch, Space::Urb];
        match inst.message.as_ref().map(|m| (m.effect, m.space)) {
            Some((Effect::Pure, _)) => {}
            Some((Effect::Read, space)) => reads.push(base + space_index(space)),
            Some((Effect::Write, space)) => writes.push(base + space_index(space)),
            Some((Effect::Barrier, _)) => {
                writes.extend(spaces.map(|space| base + space_index(space)));
            }
            None if barrier => writes.extend(spaces.map(|space| base + space_index(space))),
            None => {}
        }
    }

    fn read(&mut self, dag: &mut Dag, at: u32, resource: usize) {
        match self.writers[resource] {
            Some(writer) => dag.add(writer.at, at, writer.latency),
            None if self.readers.is_empty(resource) => self.touched.push(resource),
            None => {}
        }
        self.readers.push(resource, at);
    }

    fn write(&mut self, dag: &mut Dag, own: Writer, resource: usize) {
        match self.writers[resource].replace(own) {
            // Two writes of one place finish in order only if the second waits.
            Some(writer) => {
                let memory = resource >= self.slots.count();
                dag.add(writer.at, own.at, if memory { 0 } else { writer.latency });
            }
            None if self.readers.is_empty(resource) => self.touched.push(resource),
            None => {}
        }
        for reader in self.readers.of(resource) {
            dag.add(*reader, own.at, 0);
        }
        self.readers.forget(resource);
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
